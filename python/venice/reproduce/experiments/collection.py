"""Figure 9 again on a drive that collects garbage, which the paper's figures leave out.

The drive is the performance-optimised one with fewer and smaller blocks, so that a run of some
thousand requests sees whole collections. It is run three ways: fresh, where nothing is collected;
in steady state, where each plane is as short of free blocks as it ever gets; and in steady state
with moved pages copied inside their chip, so that collection sends no data over the fabric. The
first two tell what collection costs each design, the last how much of it is traffic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from venice.reproduce.experiment import Experiment, Finding
from venice.reproduce.experiments import designs, suite
from venice.reproduce.markdown import section, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from venice.reproduce.experiment import Runs
    from venice.reproduce.size import Size
    from venice.sweep import Point

_SMALL = (
    "flash.blocks_per_plane=192", "flash.pages_per_block=64", "ftl.over_provisioning_pct=15",
)  # fmt: skip


class _State(NamedTuple):
    name: str
    sets: tuple[str, ...]


_FRESH = _State("no collection", _SMALL)
_STEADY = _State("collection in steady state", (*_SMALL, "precondition.mode=steady_state"))
_COPYBACK = _State("the same, by copyback", (*_STEADY.sets, "ftl.gc_copyback=true"))
_REGIMES = suite.REGIMES[:2]
_CASES = (
    *((regime, state) for regime in _REGIMES for state in (_FRESH, _STEADY)),
    (_REGIMES[-1], _COPYBACK),
)
_COLUMNS = (
    "workload", "regime", "state", "fabric", "mean_us", "p99_us", "iops", "requests_conflict_pct",
    "write_amplification", "erases", "mean_speed_up", "execution_speed_up", "mean_over_fresh",
)  # fmt: skip
_MEAN = "latency_us.all.mean"
_GEOMETRIC = "geometric mean"


def _points(size: Size) -> Sequence[Point]:
    return [
        designs.point(
            {"state": state.name, "workload": workload, "regime": regime.name, "fabric": fabric},
            drive=suite.PERFORMANCE,
            workload=workload,
            requests=size.requests,
            closed_loop=regime.depth,
            sets=state.sets,
        )
        for workload in size.some(suite.WORKLOADS)
        for regime, state in _CASES
        for fabric in designs.NAMES
    ]


class _Found(NamedTuple):
    runs: Runs
    workloads: Sequence[str]

    def figure(
        self, way: str, workload: str, regime: suite.Regime, state: _State, fabric: str
    ) -> float | None:
        """Give a figure of a run."""
        return self.runs.figure(
            way, state=state.name, workload=workload, regime=regime.name, fabric=fabric
        )

    def gain(
        self, way: str, workload: str, regime: suite.Regime, state: _State, over: str, of: str
    ) -> float | None:
        """Give how much less of a figure `of` has than `over`."""
        top, bottom = (self.figure(way, workload, regime, state, it) for it in (over, of))
        return suite.ratio(top, bottom)

    def mean_gain(
        self, way: str, regime: suite.Regime, state: _State, over: str, of: str
    ) -> float | None:
        """Give the geometric mean of the gains."""
        gains = (self.gain(way, name, regime, state, over, of) for name in self.workloads)
        return suite.mean_ratio(gains)

    def cost(self, workload: str, regime: suite.Regime, state: _State, fabric: str) -> float | None:
        """Give the mean latency over that of the fresh drive."""
        pair = (self.figure(_MEAN, workload, regime, it, fabric) for it in (state, _FRESH))
        return suite.ratio(*pair)

    def mean_cost(self, regime: suite.Regime, state: _State, fabric: str) -> float | None:
        """Give the geometric mean of the costs."""
        return suite.mean_ratio(self.cost(name, regime, state, fabric) for name in self.workloads)


def _row(
    found: _Found, workload: str, regime: suite.Regime, state: _State, fabric: str
) -> list[Any]:
    ways = (
        _MEAN, "latency_us.all.p99", "iops", "path.requests_conflict_pct", "write_amplification",
        "flash.erases",
    )  # fmt: skip
    return [
        workload,
        regime.name,
        state.name,
        fabric,
        *(found.figure(way, workload, regime, state, fabric) for way in ways),
        found.gain(_MEAN, workload, regime, state, "bus", fabric),
        found.gain("makespan_us", workload, regime, state, "bus", fabric),
        found.cost(workload, regime, state, fabric),
    ]


def _mean_row(found: _Found, regime: suite.Regime, state: _State, fabric: str) -> list[Any]:
    return [
        _GEOMETRIC,
        regime.name,
        state.name,
        fabric,
        *[None] * 6,
        found.mean_gain(_MEAN, regime, state, "bus", fabric),
        found.mean_gain("makespan_us", regime, state, "bus", fabric),
        found.mean_cost(regime, state, fabric),
    ]


def _tell(runs: Runs, size: Size) -> Finding:
    found = _Found(runs, size.some(suite.WORKLOADS))
    groups = [(*case, fabric) for case in _CASES for fabric in designs.NAMES]
    rows = [_row(found, workload, *group) for workload in found.workloads for group in groups]
    rows += [_mean_row(found, *group) for group in groups]
    return Finding(_COLUMNS, rows, (), lambda: _draw(found), _text(found))


def _text(found: _Found) -> str:
    rows = (
        [
            f"{regime.text}, {state.name}",
            *(found.mean_gain(_MEAN, regime, state, "bus", name) for name in designs.NAMES[1:]),
            found.mean_cost(regime, state, "bus"),
        ]
        for regime, state in _CASES
    )
    titles = [
        "mean latency, × better",
        *(designs.TITLES[name] for name in designs.NAMES[1:]),
        "Baseline's mean latency, × fresh",
    ]
    return section("Figure 9 with collection", table(titles, rows))


def _draw(found: _Found) -> Figure:
    from venice.reproduce.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib is slow

    content = {
        f"{regime.text}, {state.name}": {
            designs.TITLES[fabric]: [
                *(
                    found.gain(_MEAN, name, regime, state, "bus", fabric)
                    for name in found.workloads
                ),
                found.mean_gain(_MEAN, regime, state, "bus", fabric),
            ]
            for fabric in designs.NAMES[1:]
        }
        for regime, state in _CASES[:-1]
    }
    panel = Panel("", y="mean latency, × faster than Baseline")
    return panels_of_bars([*found.workloads, "mean"], content, panel, level=1)


EXPERIMENT = Experiment(
    "collection",
    "venice",
    "Figure 9 with collection in steady state, and what collection costs each design",
    "ours",
    _tell,
    _points,
)
