"""Figures of the runs of the experiment on searches, by cell and seed."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from venice.report.demand import is_saturated
from venice.stats import mean_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from venice.papers.experiment import Runs
    from venice.papers.experiments.together_grid import Cell
    from venice.report import Report
    from venice.stats import Estimate

READ_P50, READ_P99, READ_P999 = "read p50", "read p99", "read p99.9"
READ_MEAN, SEARCH_MEAN, SEARCH_P99 = "read mean", "search mean", "search p99"
_LONGEST_SHARE = 0.1
"""Share of the run that a search takes on average, above which searches pile up."""


def _read(name: str) -> Callable[[Report], float | None]:
    return lambda report: report.content["latency_us"]["read"][name]


def _search(name: str) -> Callable[[Report], float | None]:
    def figure(report: Report) -> float | None:
        searches = report.content["latency_us"].get("search")
        return None if searches is None else searches[name]

    return figure


FIGURES: dict[str, Callable[[Report], float | None]] = {
    READ_P50: _read("p50"),
    READ_P99: _read("p99"),
    READ_P999: _read("p999"),
    READ_MEAN: _read("mean"),
    SEARCH_MEAN: _search("mean"),
    SEARCH_P99: _search("p99"),
}


class Results:
    """Reports of the cells, with one for each seed."""

    def __init__(self, runs: Runs, seeds: Sequence[int]) -> None:
        self._runs = runs
        self._seeds = seeds

    def reports(self, cell: Cell) -> list[Report]:
        """Return the reports of a cell by seed; empty if a run is missing."""
        found = [self._runs.find(**cell._asdict(), seed=seed) for seed in self._seeds]
        there = [report for report in found if report is not None]
        return there if len(there) == len(found) else []

    def estimate(self, figure: str, cell: Cell) -> Estimate | None:
        """Return the mean of a figure over the seeds."""
        values = self.values(figure, cell)
        return mean_of(values) if values else None

    def ratio(self, figure: str, over: Sequence[Cell], under: Sequence[Cell]) -> Estimate | None:
        """Return the ratio of the products of a figure over two lists of cells, by seed.

        The result is ``None`` if a run is missing, or if a run in the denominator is saturated.
        """
        above, below = ([self.values(figure, cell) for cell in part] for part in (over, under))
        if not all([*above, *below]) or any(self.is_overloaded(figure, cell) for cell in under):
            return None
        tops, bottoms = ([prod(of) for of in zip(*part, strict=True)] for part in (above, below))
        if not all(bottoms):
            return None
        return mean_of([top / bottom for top, bottom in zip(tops, bottoms, strict=True)])

    def is_overloaded(self, figure: str, cell: Cell) -> bool:
        """Return true if the figure of a cell depends on the length of the run."""
        reports = self.reports(cell)
        if figure in {SEARCH_MEAN, SEARCH_P99}:
            return any(_pile_up(report) for report in reports)
        return any(is_saturated(report) for report in reports)

    def values(self, figure: str, cell: Cell) -> list[float]:
        """Return a figure of a cell by seed; empty if a run lacks the figure."""
        values = [FIGURES[figure](report) for report in self.reports(cell)]
        known = [value for value in values if value is not None]
        return known if len(known) == len(values) else []


def _pile_up(report: Report) -> bool:
    """Return true if searches arrive faster than the drive serves searches."""
    mean_us = FIGURES[SEARCH_MEAN](report) or 0.0
    return is_saturated(report) or mean_us > _LONGEST_SHARE * report.content["makespan_us"]
