"""Curves over latency, for each run and seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.plot.style import colours
from venice.report.grouping import Groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes

    from venice.plot.results.data_table import Table
    from venice.report import Report
    from venice.report.grouping import Result

_DASHES = ("-", "--", "-.", ":")


def names_of_curves(results: Sequence[Result]) -> Iterator[tuple[str, Report]]:
    """Return the names of runs by drive and further differences, for each seed."""
    groups = Groups(results)
    for series in groups.series:
        for report in series.reports:
            yield groups.name(series), report


def draw_curves(axes: Axes, table: Table) -> None:
    """Draw curves from rows with a run, a seed, a latency and a positive value."""
    names = list(dict.fromkeys(str(row[0]) for row in table.rows))
    shade = dict(zip(names, colours(len(names)), strict=True))
    curves: dict[tuple[str, object], list[tuple[float, float]]] = {}
    for name, seed, latency_us, height in table.rows:
        curves.setdefault((str(name), seed), []).append(
            (float(latency_us or 0), float(height or 0))
        )
    labelled: set[str] = set()
    for (run, _), points in curves.items():
        shown = [(latency, height) for latency, height in points if latency > 0 and height > 0]
        dash = _DASHES[names.index(run) % len(_DASHES)]
        label = None if run in labelled else run
        labelled.add(run)
        axes.plot(*zip(*shown, strict=True), dash, color=shade[run], label=label)
