"""Causes of waits: they add up, follow writes through the cache, and are checked by runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import venice as api
from venice.api.compare import Lineup, line_up, parse_fabrics, run_lineup
from venice.api.explanation import CAUSES, Explanation, Finding, explain
from venice.api.explanation_text import paragraph, table
from venice.api.run import Watch
from venice.options.run_options import RunOptions
from venice.report.parts import parts_us

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

_SMALL = ("flash.blocks_per_plane=16", "flash.pages_per_block=32", "array.rows=4", "array.cols=4")


def _compared(fabrics: str, **load: object) -> tuple[Lineup, list[api.Report]]:
    options = RunOptions.of({"sets": _SMALL, **load})
    lineup = line_up((), parse_fabrics(fabrics), options, vary={})
    return lineup, run_lineup(lineup, watch=Watch(causes=True))


def _found(explanation: Explanation) -> dict[str, tuple[float, float | None]]:
    return {one.cause.label: (one.attributed_us, one.measured_us) for one in explanation.findings}


@pytest.fixture(scope="module")
def strided() -> tuple[Lineup, list[api.Report]]:
    return _compared("bus,ideal", workload="strided-read", requests=3000)


def test_parts_add_up_to_the_mean_on_every_fabric() -> None:
    for report in api.compare(
        fabrics="every", workload="mixed-70-30", requests=2000, sets=list(_SMALL), causes=True
    ):
        mean = report.latency_us.all.mean
        assert sum(parts_us(report).values()) == pytest.approx(mean, rel=1e-9)
        for operation in ("read", "write"):
            causes = report.to_dict()["chip_wait_causes_us"][operation]
            stage = report.breakdown(operation)["chip_wait"]
            assert sum(causes.values()) == pytest.approx(stage, rel=1e-9, abs=1e-9)


def test_every_part_of_a_latency_has_one_cause_of_a_difference() -> None:
    parts = [part for cause in CAUSES for part in cause.parts]
    report = api.run(workload="random-read", requests=10, causes=True)
    assert sorted(parts) == sorted(parts_us(report))


def test_what_the_bus_adds_to_a_wait_for_a_chip_is_a_chip_held_for_a_path(
    strided: tuple[Lineup, list[api.Report]],
) -> None:
    bus, ideal = (parts_us(report) for report in strided[1])
    assert ideal["path_held"] == 0
    waits = {key: bus[key] - ideal[key] for key in ("host_array", "host_transfer", "path_held")}
    assert waits["path_held"] > 0.7 * sum(waits.values())


def test_waits_for_paths_explain_a_bus_and_the_runs_without_them_agree(
    strided: tuple[Lineup, list[api.Report]],
) -> None:
    [explanation] = explain(*strided)
    attributed, measured = _found(explanation)["waits for paths"]
    assert measured == pytest.approx(explanation.difference_us), "without paths the rows are alike"
    assert attributed == pytest.approx(measured, rel=0.1)
    assert "Causes, in µs of it: waits for paths +" in paragraph(explanation)


def test_a_run_that_makes_both_rows_the_same_drive_confirms_nothing(
    strided: tuple[Lineup, list[api.Report]],
) -> None:
    [explanation] = explain(*strided)
    by_label = {one.cause.label: one for one in explanation.findings}
    paths = by_label["waits for paths"]
    assert paths.leaves_no_difference
    assert paths.agrees(explanation.difference_us) is None
    assert "the whole difference by construction and is no check" in paragraph(explanation)
    assert "by construction" in table(explanation)
    [others] = explain(*_compared("bus,pssd", workload="strided-read", requests=3000))
    assert not any(
        one.leaves_no_difference for one in others.findings if one.cause.label != "waits for paths"
    )


def test_a_cause_without_a_run_is_not_said_to_agree() -> None:
    cause = next(one for one in CAUSES if one.without is None)
    finding = Finding(cause, 5.0, without="not checked: no setting removes it")
    assert finding.agrees(5.0) is None
    line = table(Explanation("ideal", "bus", 10.0, 15.0, (finding,))).splitlines()[-1]
    assert "yes" not in line
    assert "not checked" in line


def test_parts_of_a_longer_latency_are_positive_for_its_causes() -> None:
    finding = Finding(CAUSES[0], -5.0, measured_us=-5.5)
    slower = Explanation("bus", "ideal", 15.0, 10.0, (finding,))
    assert "5.00 µs more than with ideal (15.00 against 10.00 µs). Causes" in paragraph(slower)
    assert "+5.00 (without: +5.50)" in paragraph(slower)
    assert "+5.50" in table(slower)


def test_a_cause_whose_setting_is_equal_in_both_rows_is_not_measured() -> None:
    options = RunOptions.of({"sets": _SMALL, "workload": "strided-read", "requests": 1000})
    lineup = line_up((), parse_fabrics("bus"), options, vary={"flash.page_bytes": [4096, 16384]})
    [explanation] = explain(lineup, run_lineup(lineup, watch=Watch(causes=True)))
    [transfers] = [one for one in explanation.findings if one.cause.label == "transfers"]
    assert transfers.measured_us is None
    assert transfers.without.startswith("not checked")


def test_causes_that_interact_are_named() -> None:
    [explanation] = explain(*_compared("bus,pssd", workload="strided-read", requests=3000))
    attributed, measured = _found(explanation)["transfers"]
    assert measured is not None
    assert measured > 2 * attributed > 0, "at equal rates waits for paths shrink, too"
    assert "disagree for transfers" in paragraph(explanation)


def test_collection_is_the_cause_of_waits_for_room_in_the_cache() -> None:
    report = api.run(
        workload="random-write",
        requests=20_000,
        closed_loop=64,
        interval=20,
        slowest=3,
        sets=[
            *_SMALL,
            "cache.mode=write",
            "precondition.mode=steady_state",
            "ftl.over_provisioning_pct=20",
        ],
    )
    causes = report.to_dict()["cache_causes_us"]["write"]
    assert sum(causes.values()) == pytest.approx(report.breakdown("write")["cache"], rel=1e-9)
    behind = sum(report.to_dict()["chip_wait_behind_us"]["write"].values())
    assert behind > 0.3 * report.breakdown("write")["cache"]
    assert behind == pytest.approx(
        sum(us for name, us in causes.items() if name not in _OF_THE_HOST), rel=1e-9
    )
    row = report.to_dict()["slowest"][0]
    assert sum(row["causes_us"].values()) <= row["stages_us"]["cache"] * (1 + 1e-9)
    assert row["owes_most_to"] in {*causes} - _OF_THE_HOST
    assert max(us or 0 for us in report.to_dict()["time_series"]["write"]["behind_us"]) > 0


def test_cache_with_read_ahead_is_measured_by_runs_without_both() -> None:
    sets = (*_SMALL, "cache.mode=read")
    options = RunOptions.of(
        {"sets": sets, "workload": "sequential-read", "requests": 500, "closed_loop": 1}
    )
    lineup = line_up((), parse_fabrics("bus"), options, vary={"cache.read_ahead_bytes": [0, 2**20]})
    [explanation] = explain(lineup, run_lineup(lineup, watch=Watch(causes=True)))
    [cache] = [one for one in explanation.findings if one.cause.label == "data cache"]
    assert cache.measured_us == pytest.approx(explanation.difference_us)
    assert "cache.read_ahead_bytes=0" in cache.without


_OF_THE_HOST = {"memory", "host_array", "host_transfer", "path_held"}


def test_causes_change_no_other_figure() -> None:
    load: dict[str, Any] = {"workload": "mixed-70-30", "requests": 2000, "fabric": "venice"}
    with_causes, without = (
        api.run(causes=causes, sets=list(_SMALL), **load) for causes in (True, False)
    )
    theirs = without.to_dict()
    ours = {key: value for key, value in with_causes.to_dict().items() if key in theirs}
    assert {**ours, "wall_s": 0} == {**theirs, "wall_s": 0}
    assert set(with_causes.to_dict()) - set(theirs) == {
        "chip_wait_causes_us",
        "chip_wait_behind_us",
    }


def test_the_command_prints_where_the_time_goes_and_why(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    sets = tuple(word for one in _SMALL for word in ("--set", one))
    load = ("--workload", "strided-read", "--requests", "2000")
    rows = ("compare", "--fabrics", "bus,ideal", *sets, *load)
    done = venice(*rows, "--why", "--why-plot", "why.png")
    assert done.code == 0
    assert "wait: chip held for a path" in done.stdout
    assert "fabric ideal, fabric.channel_rate_mb_per_s=1200" in done.stdout
    assert (tmp_path / "why.png").read_bytes().startswith(b"\x89PNG")
    assert "chip held" not in venice(*rows, "--no-causes").stdout


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        (("--why-plot", "why.png"), "add --why"),
        (("--why", "--no-causes"), "leave --no-causes out"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    venice: Callable[..., Outcome], words: tuple[str, ...], reported: str
) -> None:
    done = venice("compare", "--fabrics", "bus,ideal", "--workload", "random-read", *words)
    assert done.code == 2
    assert reported in done.message
