"""Experiment on searches beside host requests: verdicts on expectations, causes, a tiny grid."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import pytest

from venice.papers import Size, choose, reproduce
from venice.papers.experiment import Runs
from venice.papers.experiments.together_causes import EFFECTS, parts
from venice.papers.experiments.together_expectations import (
    EXPECTATIONS,
    Verdict,
    assess,
    combined,
)
from venice.papers.experiments.together_grid import COMPARED, Cell, cells
from venice.papers.experiments.together_results import READ_P99, SEARCH_MEAN, Results
from venice.papers.size import FULL, QUICK
from venice.report import Report
from venice.stats import Estimate
from venice.sweep import Point

if TYPE_CHECKING:
    from pathlib import Path

_TINY = Size("tiny", 120, most_values=2)


@pytest.mark.parametrize(
    ("mean", "verdict"),
    [
        (1.09, Verdict.UNDECIDED),
        (1.10, Verdict.CONFIRMED),
        (1.40, Verdict.CONFIRMED),
        (1.41, Verdict.UNDECIDED),
        (1.59, Verdict.UNDECIDED),
        (1.61, Verdict.REFUTED),
        (0.91, Verdict.UNDECIDED),
        (0.89, Verdict.REFUTED),
    ],
)
def test_the_whole_interval_decides_on_both_sides_of_the_range(
    mean: float, verdict: Verdict
) -> None:
    assert assess(Estimate(mean, 0.1 - 1e-9, 5), 1.0, 1.5) is verdict


def test_one_seed_or_a_missing_run_decides_nothing() -> None:
    assert assess(Estimate(1.2, None), 1.0, 1.5) is Verdict.UNDECIDED
    assert assess(None, 1.0, 1.5) is Verdict.UNDECIDED


def test_one_refuted_comparison_refutes_and_one_undecided_leaves_open() -> None:
    confirmed, refuted, undecided = Verdict.CONFIRMED, Verdict.REFUTED, Verdict.UNDECIDED
    assert combined([confirmed, confirmed]) is confirmed
    assert combined([confirmed, undecided]) is undecided
    assert combined([confirmed, undecided, refuted]) is refuted
    assert combined([]) is undecided


def _report(p99: float, search_us: float, *, saturated: bool = False) -> Report:
    return Report(
        {
            "latency_us": {"read": {"p99": p99}, "search": {"mean": search_us}},
            "makespan_us": 1000.0,
            "demand": {"saturated": saturated},
        }
    )


def _results(*reports: tuple[Cell, int, Report]) -> Results:
    runs = Runs(
        (Point({**cell._asdict(), "seed": seed}, {}), report) for cell, seed, report in reports
    )
    return Results(runs, (1, 2))


_OWN, _BASE = Cell("bus", "pis"), Cell("bus")


def test_ratios_are_formed_seed_by_seed() -> None:
    results = _results(
        (_OWN, 1, _report(20.0, 1.0)), (_BASE, 1, _report(10.0, 1.0)),
        (_OWN, 2, _report(200.0, 1.0)), (_BASE, 2, _report(100.0, 1.0)),
    )  # fmt: skip
    assert results.ratio(READ_P99, [_OWN], [_BASE]) == Estimate(2.0, 0.0, 2)
    assert results.ratio(READ_P99, [_OWN, _BASE], [_BASE, _OWN]) == Estimate(1.0, 0.0, 2)
    assert results.ratio(READ_P99, [_OWN], [Cell("ideal")]) is None


def test_a_saturated_base_gives_no_ratio() -> None:
    rows = [(_OWN, seed, _report(20.0, 1.0)) for seed in (1, 2)]
    saturated = [
        (_BASE, 1, _report(10.0, 1.0)),
        (_BASE, 2, _report(10.0, 1.0, saturated=True)),
    ]
    results = _results(*rows, *saturated)
    assert results.ratio(READ_P99, [_OWN], [_BASE]) is None
    assert results.ratio(READ_P99, [_BASE], [_OWN]) is not None


def test_searches_that_pile_up_overload_their_own_figures_alone() -> None:
    results = _results(
        (_OWN, 1, _report(20.0, 101.0)), (_OWN, 2, _report(20.0, 1.0)),
        (_BASE, 1, _report(20.0, 100.0)), (_BASE, 2, _report(20.0, 1.0)),
    )  # fmt: skip
    assert results.is_overloaded(SEARCH_MEAN, _OWN)
    assert not results.is_overloaded(READ_P99, _OWN)
    assert not results.is_overloaded(SEARCH_MEAN, _BASE)


def test_the_full_size_has_the_whole_product_and_the_quick_size_a_part_of_it() -> None:
    full, quick = cells(FULL), cells(QUICK)
    assert len(set(full)) == len(full) == len(COMPARED) * 4 * 2 * 4 * 3 * 2
    assert set(quick) < set(full)
    assert len(quick) == len(set(quick)) == len(COMPARED) * 4 * 12


def test_every_run_that_an_expectation_needs_is_in_the_quick_size() -> None:
    there = set(cells(QUICK))
    asked: set[Cell] = set()

    class _Asked:
        def ratio(self, _figure: str, over: list[Cell], under: list[Cell]) -> None:
            asked.update(over, under)

    results: Any = _Asked()
    for expectation in EXPECTATIONS:
        list(expectation.ratios(results, [design.name for design in COMPARED]))
    assert {cell for cell in asked if not cell.without} <= there


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    folder = tmp_path_factory.mktemp("together")
    return folder, reproduce(choose(["together"]), folder, _TINY)


def test_a_tiny_grid_runs_and_assesses_every_expectation(tiny: tuple[Path, Any]) -> None:
    folder, done = tiny
    assert done.outcome.failed == done.outcome.left_out == []
    with (folder / "together.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(cells(_TINY))
    for row in rows:
        assert (row["search_mean_us"] == "") == (row["search"] == "none")
        p50, p99, p999 = (float(row[f"read_{name}_us"]) for name in ("p50", "p99", "p99.9"))
        assert p50 <= p99 <= p999
    finding = done.findings["together"]
    assert finding.summary.startswith(f"{len(EXPECTATIONS)} expectations: ")
    assert (folder / "together.png").read_bytes().startswith(b"\x89PNG")


def test_decoders_explain_the_tail_of_a_search_in_the_controller_of_an_ideal_fabric(
    tiny: tuple[Path, Any],
) -> None:
    _, done = tiny
    runs = Runs(done.outcome.results)
    results = Results(runs, (1, 2))
    found = dict(parts(results, EFFECTS[1], "ideal"))
    decoders, paths = found["read errors"], found["waits for paths"]
    assert decoders is not None
    assert paths is not None
    assert decoders.attributed.mean > 10
    assert decoders.measured_p99.mean > 100
    # Each chip of the ideal fabric has its own channel already.
    assert paths.measured_p99.mean == 0
