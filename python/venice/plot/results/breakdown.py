"""Stacked bars of the parts of the mean latency, one bar for each run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.plot.groups import name_groups
from venice.plot.results.data_table import Table
from venice.plot.results.figures import half_title, interval_note
from venice.plot.stacks import draw_stacks
from venice.report.fabric_looks import fabric_label
from venice.report.grouping import Groups
from venice.report.parts import PARTS, WAITS, has_causes, parts_us
from venice.stats import CONFIDENCE_PCT, mean_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from venice.plot.canvas import Entries
    from venice.plot.results.data_table import Cell
    from venice.report.grouping import Result


def breakdown_table(results: Sequence[Result], confidence_pct: float = CONFIDENCE_PCT) -> Table:
    """Return a table of the parts of the mean latency: mean over seeds, half its interval.

    The parts are stages of a request, and causes of waits if all runs recorded them.
    """
    groups = Groups(results)
    of_causes = has_causes([report for series in groups.series for report in series.reports])
    listed = PARTS if of_causes else tuple(part for part in PARTS if part not in WAITS)
    rows: list[tuple[Cell, ...]] = []
    for series in groups.series:
        found = [parts_us(report) for report in series.reports]
        for part in listed:
            mean, half, seeds = mean_of([one[part.key] for one in found], confidence_pct)
            rows.append((groups.name(series), part.label, mean, seeds, half))
    titles = ("run", "part", "mean_us", "seeds", half_title(confidence_pct))
    note = interval_note((series.seeds for series in groups.series), confidence_pct)
    return Table(titles, tuple(rows), note)


def draw_breakdown_table(axes: Axes, table: Table) -> Entries:
    """Draw a stacked bar for each run, as high as its mean latency; empty parts are omitted."""
    names = list(dict.fromkeys(str(row[0]) for row in table.rows))
    stacks = [
        {str(row[1]): float(row[2] or 0) for row in table.rows if row[0] == name} for name in names
    ]
    entries = draw_stacks(axes, stacks)
    name_groups(axes, [fabric_label(name) for name in names])
    return entries
