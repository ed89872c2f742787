"""Plot of the measured figures of a real drive with the simulated ones."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from venice.plot.log_scale import set_log_scale
from venice.plot.picture import Picture
from venice.plot.save import save
from venice.plot.style import colours, style
from venice.validation.summary import by_load
from venice.validation.verdict import MEAN_PCT, P99_PCT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from venice.validation.summary import LoadPoint
    from venice.validation.verdict import Validation

_PART_INCHES = (3.1, 3.0)
_TITLE_INCHES = 0.4
_PARTS = (
    ("mean latency, µs", "mean_us", MEAN_PCT),
    ("p50, µs", "p50_us", MEAN_PCT),
    ("p99, µs", "p99_us", P99_PCT),
    ("p99.9, µs", "p999_us", P99_PCT),
    ("IOPS", "iops", MEAN_PCT),
    ("write amplification", "write_amplification", MEAN_PCT),
)
"""Title of each panel, its figure, and the error bound of its band [%]."""
_MARKS = {"read": "o", "write": "s", "append": "^"}
_MOST_COLUMNS = 3
_MARGIN = 1.3
"""Factor between the outermost points and the ends of an axis."""


def draw_validations(validations: Sequence[Validation]) -> Picture:
    """Draw simulated over measured figures, in a row of panels for each drive.

    Loads to which the drive was fitted have filled marks, others hollow ones. The error of points
    between the two lines is within the bound.
    """
    shown = [(one, _parts(one)) for one in validations]
    columns = max((min(len(parts), _MOST_COLUMNS) for _, parts in shown), default=1) or 1
    heights = [-(-len(parts) // columns) or 1 for _, parts in shown]
    width, height = columns * _PART_INCHES[0], sum(heights) * _PART_INCHES[1] + _TITLE_INCHES
    with style():
        figure = Picture(figsize=(width, height), layout="constrained")
        grid = figure.subplots(sum(heights), columns, squeeze=False)
        first = 0
        for (validation, parts), rows in zip(shown, heights, strict=True):
            cells = [axes for row in grid[first : first + rows] for axes in row]
            _draw_drive(cells, validation, parts)
            first += rows
        figure.suptitle(", ".join(_title(one) for one in validations), x=0.01, ha="left")
        return figure


def validation_svg(validation: Validation) -> bytes:
    """Return a picture of the validation of one drive, as SVG."""
    file = BytesIO()
    save(draw_validations([validation]), file, ".svg")
    return file.getvalue()


def _parts(validation: Validation) -> list[tuple[str, str, float]]:
    """Return the panels whose figure was both measured and simulated."""
    merged = by_load(validation.points)
    return [part for part in _PARTS if any(_pair(one, part[1]) for one in merged)]


def _pair(one: LoadPoint, name: str) -> tuple[float, float] | None:
    measured, simulated = getattr(one.measured, name), getattr(one.simulated, name)
    return (measured, simulated) if measured and simulated else None


def _draw_drive(
    cells: Sequence[Axes], validation: Validation, parts: Sequence[tuple[str, str, float]]
) -> None:
    merged = by_load(validation.points)
    for place, axes in enumerate(cells):
        if place >= len(parts):
            axes.set_axis_off()
            continue
        _draw_part(axes, merged, *parts[place])
    if parts:
        cells[0].legend(loc="upper left", fontsize="x-small", title=validation.drive)


def _draw_part(
    axes: Axes, merged: Sequence[LoadPoint], title: str, name: str, bound_pct: float
) -> None:
    series: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for one in merged:
        if pair := _pair(one, name):
            series.setdefault((one.point.row.operation, one.point.half), []).append(pair)
    values = [value for pairs in series.values() for pair in pairs for value in pair]
    ends = [min(values) / _MARGIN, max(values) * _MARGIN]
    axes.plot(ends, ends, color="0.5", linewidth=1, zorder=1)
    for factor in (1 + bound_pct / 100, 1 - bound_pct / 100):
        axes.plot(ends, [end * factor for end in ends], color="0.8", linewidth=1, zorder=1)
    operations = list(_MARKS)
    for (operation, half), pairs in sorted(series.items()):
        place = operations.index(operation)
        colour = colours(len(operations))[place]
        measured, simulated = zip(*pairs, strict=True)
        axes.plot(
            measured,
            simulated,
            _MARKS[operation],
            color=colour,
            markerfacecolor=colour if half == "fitted" else "white",
            markersize=4,
            linewidth=0,
            label=f"{operation}, {half}",
        )
    for axis in (axes.xaxis, axes.yaxis):
        set_log_scale(axis)
        axis.set_major_locator(LogLocator(subs=(1,)))
        axis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))
        axis.set_minor_formatter(NullFormatter())
    axes.set_xlim(*ends)
    axes.set_ylim(*ends)
    axes.set_title(f"{title} (lines: ±{bound_pct:g} %)", fontsize="small")
    axes.set_xlabel("measured")
    axes.set_ylabel("simulated")


def _title(validation: Validation) -> str:
    mean, p99 = validation.shares()
    shares = " and ".join(
        f"{name} {share.pct:.0f} %"
        for name, share in (("mean", mean), ("p99", p99))
        if share.pct is not None
    )
    return f"{validation.drive}: agreement of {shares}" if shares else validation.drive
