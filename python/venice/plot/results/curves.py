"""Curves over latency, one for each run and seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.lines import Line2D

from venice.plot.canvas import Entries
from venice.report.fabric_looks import looks_of
from venice.report.grouping import Groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes

    from venice.plot.results.data_table import Table
    from venice.report import Report
    from venice.report.fabric_looks import Look
    from venice.report.grouping import Result


def names_of_curves(results: Sequence[Result]) -> Iterator[tuple[str, Report]]:
    """Yield each report with a name: its drive, and its differences from other reports."""
    groups = Groups(results)
    for series in groups.series:
        for report in series.reports:
            yield groups.name(series), report


def draw_curves(axes: Axes, table: Table) -> Entries:
    """Draw curves from the rows of a table: run, seed, latency, and height above 0."""
    looks = looks_of([str(row[0]) for row in table.rows])
    curves: dict[tuple[str, object], list[tuple[float, float]]] = {}
    for name, seed, latency_us, height in table.rows:
        curves.setdefault((str(name), seed), []).append(
            (float(latency_us or 0), float(height or 0))
        )
    for (run, _), points in curves.items():
        shown = [(latency, height) for latency, height in points if latency > 0 and height > 0]
        look = looks[run]
        axes.plot(*zip(*shown, strict=True), look.dash, color=look.colour, label=look.label)
    return line_entries(looks)


def line_entries(looks: Mapping[str, Look]) -> Entries:
    """Return a legend with a line for each series."""
    lines = [Line2D([], [], color=one.colour, linestyle=one.dash) for one in looks.values()]
    return Entries(lines, [one.label for one in looks.values()])


def marked_entries(looks: Mapping[str, Look]) -> Entries:
    """Return a legend with a line and marker for each series."""
    lines = [
        Line2D([], [], color=one.colour, linestyle=one.dash, marker=one.marker)
        for one in looks.values()
    ]
    return Entries(lines, [one.label for one in looks.values()])
