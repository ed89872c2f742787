"""Victim policies and fabrics written in Python: same results as built-in ones; errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import venice
from venice import SimulationError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice import CandidateBlock, FabricSettings, OfferedTransfer, Report

DRIVE = venice.Drive(
    "venice-performance",
    array=venice.config.Array(rows=2, cols=2),
    flash=venice.config.Flash(blocks_per_plane=32, pages_per_block=32),
    precondition=venice.config.Precondition(mode="steady_state"),
)


class _FewestValid:
    """Greedy victim policy; of equally good blocks, the oldest is chosen."""

    def choose(self, candidates: Sequence[CandidateBlock], must: bool) -> int | None:  # noqa: ARG002 as the engine calls it
        """Return the index of the victim."""
        block = min(candidates, key=lambda block: (block.valid, -block.age), default=None)
        return None if block is None else block.index


class _Bus:
    """Fabric with a bus for each row."""

    def __init__(self, settings: FabricSettings) -> None:
        self.paths = settings.rows
        self.columns = settings.columns
        self.is_busy = [False] * settings.rows

    def domains(self) -> list[tuple[int, int]]:
        """Return the range of chips of each row, a domain of its own."""
        return [(row * self.columns, (row + 1) * self.columns) for row in range(self.paths)]

    def offer(self, transfer: OfferedTransfer, now_us: float) -> tuple[float, int] | None:
        """Occupy the bus of the row; return the end of the transfer and the path."""
        if self.is_busy[transfer.row]:
            return None
        self.is_busy[transfer.row] = True
        return now_us + transfer.channel_us, transfer.row

    def ended(self, transfer: OfferedTransfer, now_us: float) -> None:  # noqa: ARG002 as the engine calls it
        """Release the bus."""
        self.is_busy[transfer.row] = False


class _OneDomainBus(_Bus):
    """Fabric with equal behaviour and a single domain."""

    def domains(self) -> list[tuple[int, int]]:
        """Return one domain with all chips."""
        return [(0, self.paths * self.columns)]


def _figures(report: Report) -> dict[str, object]:
    content = report.to_dict()
    left_out = ("config", "wall_s", "events", "fabric", "over_provisioning", "audit")
    return {key: value for key, value in content.items() if key not in left_out}


def test_greedy_in_python_gives_the_report_of_the_built_in_policy() -> None:
    built_in = venice.run(drive=DRIVE, workload="random-write", requests=3_000)
    python = venice.run(
        drive=DRIVE, workload="random-write", requests=3_000, victim_policy=_FewestValid, audit=True
    )
    assert built_in.flash.erases > 0
    assert _figures(python) == _figures(built_in)
    # The closed form of greedy does not hold for a policy that is not known.
    space = "over_provisioning", "expected_pages_per_written_page"
    assert built_in.to_dict()[space[0]].get(space[1]) is not None
    assert python.to_dict()[space[0]].get(space[1]) is None
    assert python.to_dict()["config"]["ftl"]["victim"] == "_FewestValid"


def test_a_bus_in_python_has_the_latencies_of_the_built_in_fabric() -> None:
    built_in = venice.run(workload="mixed-70-30", requests=3_000)
    python = venice.run(workload="mixed-70-30", requests=3_000, fabric_model=_Bus, audit=True)
    assert python.fabric == "_Bus"
    assert python.to_dict()["latency_us"] == built_in.to_dict()["latency_us"]
    detailed = venice.run(
        workload="mixed-70-30", requests=500, fabric_model=_Bus, distributions=True, interval=20
    )
    assert [path["name"] for path in detailed.to_dict()["places"]] == [
        f"path {number}" for number in range(8)
    ]
    # Reports differ slightly, since waiting transfers are offered in another order.
    alone = venice.run(workload="mixed-70-30", requests=3_000, fabric_model=_OneDomainBus)
    assert alone.latency_us.all.mean == pytest.approx(built_in.latency_us.all.mean, rel=0.01)


class _RaisingAlways:
    def choose(self, candidates: Sequence[CandidateBlock], must: bool) -> int | None:
        raise KeyError(len(candidates), must)


class _Ineligible:
    def choose(self, candidates: Sequence[CandidateBlock], must: bool) -> int | None:  # noqa: ARG002
        return 10_000


class _RaisingFabric(_Bus):
    offers = 0

    def offer(self, transfer: OfferedTransfer, now_us: float) -> tuple[float, int] | None:
        self.offers += 1
        if self.offers > 50:
            raise KeyError(transfer.die)
        return super().offer(transfer, now_us)


class _RaisingAtEnd(_Bus):
    def ended(self, transfer: OfferedTransfer, now_us: float) -> None:
        raise KeyError(transfer.die, now_us)


class _Late(_Bus):
    def offer(self, transfer: OfferedTransfer, now_us: float) -> tuple[float, int] | None:
        return now_us - 1.0, transfer.row


class _UnknownPath(_Bus):
    def offer(self, transfer: OfferedTransfer, now_us: float) -> tuple[float, int] | None:
        return now_us + transfer.channel_us, self.paths


class _Refusing(_Bus):
    def offer(self, transfer: OfferedTransfer, now_us: float) -> None:
        """Refuse every transfer."""


class _PartlyCovered(_Bus):
    def domains(self) -> list[tuple[int, int]]:
        return super().domains()[:-1]


class _Overlapping(_Bus):
    def domains(self) -> list[tuple[int, int]]:
        return [*super().domains(), (0, 1)]


class _OnePath:
    """Fabric that carries any number of transfers on one path at the same time."""

    paths = 1

    def __init__(self, settings: FabricSettings) -> None:
        """Ignore the size of the array."""

    def offer(self, transfer: OfferedTransfer, now_us: float) -> tuple[float, int] | None:
        return now_us + transfer.channel_us, 0


def test_a_path_with_several_transfers_is_busy_for_the_time_with_at_least_one() -> None:
    report = venice.run(
        workload="random-read", requests=500, fabric_model=_OnePath, distributions=True, audit=True
    )
    (path,) = report.to_dict()["places"]
    assert 90 < path["busy_pct"] <= 100


class _NegativeChoice:
    def choose(self, candidates: Sequence[CandidateBlock], must: bool) -> int | None:  # noqa: ARG002
        return -1


class _TextChoice:
    def choose(self, candidates: Sequence[CandidateBlock], must: bool) -> Any:  # noqa: ANN401, ARG002
        return "a"


class _TextOffer(_Bus):
    def offer(self, transfer: OfferedTransfer, now_us: float) -> Any:  # noqa: ANN401, ARG002
        return "x"


def test_a_policy_in_python_cannot_be_compared_with_what_it_replaces() -> None:
    load: Any = {"workload": "random-read", "requests": 100}
    given = {**load, "host_scheduler": list}
    with pytest.raises(UsageError, match="fabric_model"):
        venice.run(fabric="bus", fabric_model=_Bus, **load)
    with pytest.raises(UsageError, match="fabric_model"):
        venice.compare(fabrics=["bus", "venice"], fabric_model=_Bus, **load)
    with pytest.raises(UsageError, match="fabric_model"):
        venice.compare(drives=["venice-performance:bus"], fabric_model=_Bus, **load)
    with pytest.raises(UsageError, match="host_scheduler"):
        venice.compare(vary={"host.scheduler.scheme": ["noop"]}, **given)
    with pytest.raises(UsageError, match="host_scheduler"):
        venice.compare_schemes(schemes="noop", **given)
    assert [report.fabric for report in venice.compare(fabric_model=_Bus, **load)] == ["_Bus"]


@pytest.mark.parametrize(
    ("policy", "error"),
    [
        (_RaisingAlways, KeyError),
        (_Ineligible, UsageError),
        (_NegativeChoice, UsageError),
        (_TextChoice, UsageError),
    ],
)
def test_an_error_of_a_victim_policy_ends_the_run(policy: type, error: type[Exception]) -> None:
    with pytest.raises(error):
        venice.run(drive=DRIVE, workload="random-write", requests=2_000, victim_policy=policy)


@pytest.mark.parametrize(
    ("fabric", "error"),
    [
        (_RaisingFabric, KeyError),
        (_RaisingAtEnd, KeyError),
        (_Late, UsageError),
        (_UnknownPath, UsageError),
        (_TextOffer, UsageError),
        (_Refusing, SimulationError),
        (_PartlyCovered, UsageError),
        (_Overlapping, UsageError),
    ],
)
def test_an_error_of_a_fabric_ends_the_run(fabric: type[_Bus], error: type[Exception]) -> None:
    with pytest.raises(error):
        venice.run(workload="random-read", requests=2_000, fabric_model=fabric)


def test_paths_that_are_held_beyond_a_transfer_are_refused() -> None:
    drive = venice.Drive("venice-performance", fabric=venice.config.Fabric(hold="operation"))
    with pytest.raises(venice.ConfigError, match=r"fabric\.hold"):
        venice.run(drive=drive, workload="random-read", requests=10, fabric_model=_Bus)


@pytest.mark.parametrize("option", ["victim_policy", "fabric_model"])
def test_a_policy_that_cannot_be_called_is_refused(option: str) -> None:
    with pytest.raises(UsageError, match=option):
        venice.run(workload="random-read", requests=10, **{option: "bus"})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("option", "method"),
    [("host_scheduler", "add"), ("victim_policy", "choose"), ("fabric_model", "offer")],
)
def test_a_class_without_a_required_method_is_refused(option: str, method: str) -> None:
    class Empty:
        def __init__(self, *_: object) -> None:
            """Accept the settings of a fabric."""

    with pytest.raises(UsageError, match=f"{option}: `Empty` has no method `{method}`"):
        venice.run(workload="random-write", requests=10, **{option: Empty})  # type: ignore[arg-type]


def test_a_comparison_runs_each_fabric_with_an_own_victim_policy() -> None:
    made = []

    def policy() -> _FewestValid:
        made.append(_FewestValid())
        return made[-1]

    compared = venice.compare(
        drive=DRIVE,
        fabrics=["bus", "ideal"],
        workload="random-write",
        requests=500,
        victim_policy=policy,
    )
    assert len(made) == len([*compared]) == 2
