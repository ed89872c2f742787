"""Stacked bars of the stages of the mean latency, one for each run."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from venice.plot.results.data_table import Table
from venice.plot.results.figures import half_title, interval_note
from venice.report.grouping import Groups
from venice.report.parts import PARTS, WAITS, has_causes, parts_us
from venice.stats import CONFIDENCE_PCT, mean_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from venice.plot.results.data_table import Cell
    from venice.report.grouping import Result

_WIDTH = 0.6
_ROOM_ABOVE, _LEGEND_COLUMNS = 1.4, 3
"""The legend lies above the stacks."""
_CHARACTERS_BELOW = 13


def breakdown_table(results: Sequence[Result], confidence_pct: float = CONFIDENCE_PCT) -> Table:
    """List each part of the mean latency: mean over seeds, and half of its interval.

    The parts are stages, and where all runs looked for them also the causes of waits.
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


def draw_breakdown_table(axes: Axes, table: Table) -> None:
    """Draw a stack for each run, as high as its mean latency; empty parts are left out."""
    names = list(dict.fromkeys(str(row[0]) for row in table.rows))
    foot = [0.0] * len(names)
    for part in PARTS:
        heights = [float(row[2] or 0) for row in table.rows if row[1] == part.label]
        if not any(heights):
            continue
        axes.bar(names, heights, _WIDTH, bottom=foot, color=part.colour, label=part.label)
        foot = [below + height for below, height in zip(foot, heights, strict=True)]
    axes.set_xticks(range(len(names)), [fill(name, _CHARACTERS_BELOW) for name in names])
    axes.grid(visible=False, axis="x")
    axes.set_ylabel("mean latency, µs")
    handles, labels = axes.get_legend_handles_labels()
    axes.set_ylim(top=_ROOM_ABOVE * max(foot))
    axes.legend(
        handles, labels, loc="upper center", ncols=_LEGEND_COLUMNS, columnspacing=1, handlelength=1
    )
