"""One figure of each run for each workload, over that of a baseline if one is named."""

from __future__ import annotations

from math import isnan, nan, prod
from statistics import mean
from typing import TYPE_CHECKING

from venice._native import UsageError
from venice.plot.results.table import Table
from venice.plot.style import colours
from venice.report.interval import half_interval
from venice.sweep.figures import figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from venice.plot.results.source import Result
    from venice.plot.results.table import Cell

MEAN = "geometric mean"
"""What the group behind all workloads is called, where there are several and a baseline."""


def bar_table(results: Sequence[Result], of: str, baseline: str | None) -> Table:
    """List a figure by workload and drive: mean over seeds, and half of its confidence interval.

    Parameters
    ----------
    results
        The runs.
    of
        The figure's name in a report, with dots.
    baseline
        The name of the drive that others are measured by; their figure is over its own.

    Raises
    ------
    UsageError
        If no report has the figure, or no drive is called like the baseline.
    """
    values = _values(results, of)
    names = list(dict.fromkeys(name for _, name in values))
    if baseline is not None and baseline not in names:
        raise UsageError(f"no run is called `{baseline}`; there are: {', '.join(names)}")
    rows: list[tuple[Cell, ...]] = []
    for (workload, name), of_seeds in values.items():
        reference = mean(values.get((workload, baseline), [1.0])) if baseline else 1.0
        if baseline and ((workload, baseline) not in values or reference == 0):
            raise UsageError(f"`{baseline}` has no run of {workload} to measure the others by")
        half = half_interval(of_seeds)
        rows.append(
            (
                workload,
                name,
                mean(of_seeds) / reference,
                None if half is None else half / reference,
                len(of_seeds),
            )
        )
    what = of if baseline is None else f"{of} over {baseline}"
    return Table(
        ("workload", "run", what, "half_of_95_pct_interval", "seeds"),
        (*rows, *_geometric_means(rows, names, baseline)),
    )


def _values(results: Sequence[Result], of: str) -> dict[tuple[str, str], list[float]]:
    values: dict[tuple[str, str], list[float]] = {}
    for result in results:
        value = figure(result.report, of)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise UsageError(
                f"`{of}` is no figure of the report of {result.name}; "
                "for instance latency_us.all.p99, iops, write_amplification"
            )
        values.setdefault((result.workload, result.name), []).append(float(value))
    return values


def _geometric_means(
    rows: Sequence[tuple[Cell, ...]], names: Sequence[str], baseline: str | None
) -> list[tuple[Cell, ...]]:
    """Of ratios the geometric mean is the one that does not depend on what they are over."""
    workloads = len({row[0] for row in rows})
    if baseline is None or workloads == 1:
        return []
    found: list[tuple[Cell, ...]] = []
    for name in names:
        ratios = [float(row[2] or 0) for row in rows if row[1] == name]
        if len(ratios) == workloads and min(ratios) > 0:
            found.append((MEAN, name, prod(ratios) ** (1 / workloads), None, None))
    return found


def draw_bar_table(axes: Axes, table: Table) -> None:
    """Draw a group of bars for each workload; lines on them are the intervals over seeds."""
    workloads = list(dict.fromkeys(str(row[0]) for row in table.rows))
    names = list(dict.fromkeys(str(row[1]) for row in table.rows))
    found = {(row[0], row[1]): row for row in table.rows}
    width = 0.8 / len(names)
    for number, (name, colour) in enumerate(zip(names, colours(len(names)), strict=True)):
        rows = [
            (group, row)
            for group, workload in enumerate(workloads)
            if (row := found.get((workload, name)))
        ]
        places = [group + (number - (len(names) - 1) / 2) * width for group, _ in rows]
        heights = [float(row[2] or 0) for _, row in rows]
        halves = [nan if row[3] is None else float(row[3]) for _, row in rows]
        axes.bar(
            places,
            heights,
            width * 0.92,
            yerr=None if all(map(isnan, halves)) else halves,
            color=colour,
            label=name,
            capsize=2,
        )
    axes.set_xticks(range(len(workloads)), workloads)
    axes.grid(visible=False, axis="x")
    axes.set_ylabel(table.titles[2])
    axes.legend(loc="best")
