"""Plot of one figure over another, with the Pareto front of the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.exploration.front import front_of
from venice.plot.canvas import Entries
from venice.plot.results.data_table import Table
from venice.plot.results.figures import half_title, interval_note, sample_of
from venice.plot.results.load import MARKERS
from venice.report.fabric_looks import FABRICS, looks_of
from venice.report.figure_words import words_of
from venice.report.grouping import Groups
from venice.stats import CONFIDENCE_PCT, mean_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from venice.report.grouping import Result

_EXAMPLES = "latency_us.all.p99, mean_power_mw, area.wires_in_channels"
_MOST_NAMED = len(MARKERS)
"""Maximum number of runs on the front that have their own colour and name."""


def front_table(
    results: Sequence[Result], of: str, over: str, confidence_pct: float = CONFIDENCE_PCT
) -> Table:
    """Return a table of two figures to minimise, for each drive and load, with the front.

    If there are several seeds, the figures are means with half their confidence intervals.

    Raises
    ------
    UsageError
        If a report has no such figure.
    """
    groups = Groups(results)
    points = [
        tuple(
            mean_of(list(sample_of(series, name, _EXAMPLES).values()), confidence_pct)
            for name in (over, of)
        )
        for series in groups.series
    ]
    on_front = set(front_of([(x.mean, y.mean) for x, y in points]))
    half = half_title(confidence_pct)
    return Table(
        ("run", over, of, "on_front", "seeds", f"{half}_of_{over}", f"{half}_of_{of}"),
        tuple(
            (groups.name(series), x.mean, y.mean, place in on_front, x.seeds, x.half, y.half)
            for place, (series, (x, y)) in enumerate(zip(groups.series, points, strict=True))
        ),
        interval_note((series.seeds for series in groups.series), confidence_pct),
    )


def draw_front_table(axes: Axes, table: Table) -> Entries:
    """Draw the front as a staircase with its runs, and the other runs in grey."""
    behind = [row for row in table.rows if not row[3]]
    front = sorted((row for row in table.rows if row[3]), key=lambda row: float(row[1] or 0))
    (others,) = axes.plot(
        [float(row[1] or 0) for row in behind],
        [float(row[2] or 0) for row in behind],
        "o",
        color="0.75",
        markersize=3,
    )
    xs, ys = [float(row[1] or 0) for row in front], [float(row[2] or 0) for row in front]
    # A step: between two runs, the best known value of the other figure is that of the first run.
    axes.step(xs, ys, where="post", color="0.5", linewidth=1)
    axes.set_xlabel(words_of(table.titles[1]).axis)
    axes.set_ylabel(words_of(table.titles[2]).axis)
    handles, labels = [others], ["behind the front"] if behind else []
    if len(front) > _MOST_NAMED:
        handles += axes.plot(xs, ys, MARKERS[0], color=FABRICS["venice"].colour)
        return Entries(handles[not behind :], [*labels, "front"])
    looks = looks_of([str(row[0]) for row in front])
    for x, y, row, marker in zip(xs, ys, front, MARKERS, strict=False):
        look = looks[str(row[0])]
        handles += axes.plot([x], [y], marker, color=look.colour, label=str(row[0]))
        labels.append(look.label)
    return Entries(handles[not behind :], labels)
