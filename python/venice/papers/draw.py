"""Types of plots for experiments, in a common style."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from venice.plot.log_scale import set_log_scale
from venice.plot.style import colours
from venice.report.fabric_looks import FABRICS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

_HEIGHT_INCHES = 3.6
_GROUP_INCHES = 0.4
_LEAST_INCHES = 6.0
_GROUP_WIDTH = 0.84
_MOST_UPRIGHT = 6
_DARK = 0.6
_ACROSS = 2
_MOST_LINEAR = 10
_DASHES = ("-", "--", "-.", ":")
_MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")


_DESIGNS = {
    "Baseline": "bus", "pSSD": "pssd", "pnSSD": "pnssd", "NoSSD": "nossd", "Venice": "venice",
    "ideal": "ideal", "HLNAND": "hlnand", "Decoupled SSD": "decoupled",
}  # fmt: skip
"""Display names of fabrics, as in the papers."""


_SHADES = {"Venice, best": "#1B4F72", "NoSSD, retrace": "#7B2D5E", "Venice, equal wires": "#117A65"}
"""Colours for a further setting of a design."""


def _colour(name: str, place: int, count: int) -> str:
    if name in _SHADES:
        return _SHADES[name]
    design = name.partition(",")[0]
    if design in _DESIGNS:
        return FABRICS[_DESIGNS[design]].colour
    return colours(count)[place]


class Panel:
    """Labels and scales of one panel of a figure."""

    def __init__(self, title: str, x: str = "", y: str = "") -> None:
        self.title, self.x, self.y = title, x, y


def grid(
    down: int,
    right: int,
    width_inches: float = 4.6,
    height_inches: float = 3.2,
    left_inches: float = 0.7,
    top_inches: float = 0.35,
) -> tuple[Figure, list[list[Axes]]]:
    """Return a figure with panels in rows and columns."""
    width, height = width_inches * right, height_inches * down
    figure = Figure(figsize=(width, height))
    # Positions are fixed, because matplotlib's automatic layouts do not give reproducible bytes.
    figure.subplots_adjust(
        left=left_inches / width,
        right=1 - 0.15 / width,
        bottom=0.7 / height,
        top=1 - top_inches / height,
        wspace=0.25 if left_inches < 1 else 0.7,
        hspace=0.42,
    )
    return figure, [list(row) for row in figure.subplots(down, right, squeeze=False)]


def panels_of_bars(
    groups: Sequence[str],
    content: Mapping[str, Mapping[str, Sequence[float | None]]],
    panel: Panel,
    level: float | None = None,
) -> Figure:
    """Draw bars by series and group, in a panel for each title of `content`.

    `level` is the height of a horizontal line.
    """
    width = max(_LEAST_INCHES, 1.0 + _GROUP_INCHES * len(groups))
    figure, axes = grid(-(-len(content) // _ACROSS), _ACROSS, width, _HEIGHT_INCHES)
    spaces = [space for row in axes for space in row]
    for space, (title, series) in zip(spaces, content.items(), strict=False):
        draw_bars(space, groups, series)
        if level is not None:
            space.axhline(level, color="black", linewidth=0.8)
        space.grid(visible=False, axis="x")
        space.margins(y=0.15)
        if level is not None and _most(series) > _MOST_LINEAR:
            logarithmic(space)
        label(space, Panel(f"{panel.title}: {title}" if panel.title else title, y=panel.y))
    for space in spaces[len(content) :]:
        space.set_visible(False)
    legend_below(figure, axes[0][0], 8)
    return figure


def _most(series: Mapping[str, Sequence[float | None]]) -> float:
    return max((value or 0.0 for values in series.values() for value in values), default=0.0)


def draw_bars(
    axes: Axes, groups: Sequence[str], series: Mapping[str, Sequence[float | None]]
) -> None:
    """Draw a bar of each series for each group into a panel."""
    width = _GROUP_WIDTH / len(series)
    for place, (name, values) in enumerate(series.items()):
        shift = (place - (len(series) - 1) / 2) * width
        lefts = [group + shift for group in range(len(groups))]
        heights = [0.0 if value is None else value for value in values]
        axes.bar(lefts, heights, width, color=_colour(name, place, len(series)), label=name)
    axes.set_xticks(range(len(groups)), groups)
    if len(groups) > _MOST_UPRIGHT:
        axes.tick_params(axis="x", labelrotation=90)
    axes.set_xlim(-0.6, len(groups) - 0.4)


def draw_rows(
    axes: Axes, groups: Sequence[str], series: Mapping[str, Sequence[float | None]]
) -> None:
    """Draw horizontal bars into a panel, for groups with long names; the first group is on top."""
    height = _GROUP_WIDTH / len(series)
    for place, (name, values) in enumerate(series.items()):
        shift = (place - (len(series) - 1) / 2) * height
        middles = [group + shift for group in range(len(groups))]
        lengths = [0.0 if value is None else value for value in values]
        axes.barh(middles, lengths, height, color=_colour(name, place, len(series)), label=name)
    axes.set_yticks(range(len(groups)), groups)
    axes.set_ylim(len(groups) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.legend(loc="lower right")


def draw_lines(axes: Axes, lines: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    """Draw a line with marks for each series of (x, y)."""
    for place, (name, dots) in enumerate(lines.items()):
        if not dots:
            continue
        xs, ys = zip(*dots, strict=True)
        axes.plot(
            xs,
            ys,
            _DASHES[place % len(_DASHES)],
            marker=_MARKS[place % len(_MARKS)],
            markersize=3.5,
            color=_colour(name, place, len(lines)),
            label=name,
        )


def draw_steps(axes: Axes, lines: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    """Draw a line without marks for each series of (x, y)."""
    for place, (name, dots) in enumerate(lines.items()):
        xs, ys = zip(*dots, strict=True)
        dash = _DASHES[place % len(_DASHES)]
        axes.plot(xs, ys, dash, color=_colour(name, place, len(lines)), label=name)


def draw_map(
    axes: Axes,
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    least_limit: float = 2.0,
    missing: str = "–",
) -> None:
    """Draw a map of ratios as numbers on colours; `missing` labels cells without a value.

    The colours are centred on 1 and extend to the largest ratio, or to `least_limit` if that is
    more.
    """
    every = (max(value, 1 / value) for row in values for value in row if value)
    limit = max(least_limit, *every)
    from matplotlib.colors import LogNorm  # noqa: PLC0415 only maps need it

    numbers = [[math.nan if value is None else value for value in row] for row in values]
    axes.imshow(numbers, cmap="PuOr", norm=LogNorm(1 / limit, limit), aspect="auto")
    for down, row in enumerate(values):
        for right, value in enumerate(row):
            is_light = not value or max(value, 1 / value) < limit**_DARK
            ink = "black" if is_light else "white"
            number = f"{value:.2f}" if value else missing
            axes.text(right, down, number, ha="center", va="center", fontsize=7, color=ink)
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.grid(visible=False)


def contour(axes: Axes, values: Sequence[Sequence[float]], level: float) -> None:
    """Draw the contour line of a map at a level, if the map crosses the level."""
    every = [value for row in values for value in row]
    if min(every) < level < max(every) and len(values) > 1 and len(values[0]) > 1:
        axes.contour(values, levels=[level], colors="black", linewidths=1.6)


def legend_below(figure: Figure, axes: Axes, columns: int = 4) -> None:
    """Write the legend of one panel below all panels of a figure."""
    lines, names = axes.get_legend_handles_labels()
    figure.legend(lines, names, loc="lower center", ncols=columns)
    height = figure.get_figheight()
    present = figure.subplotpars.bottom * height
    figure.subplots_adjust(bottom=(present + 0.2 * -(-len(names) // columns)) / height)


def mark(axes: Axes, places: Mapping[str, float]) -> None:
    """Draw a labelled vertical line at each position."""
    for at in sorted(set(places.values())):
        name = ", ".join(name for name, place in places.items() if place == at)
        axes.axvline(at, color="0.4", linewidth=0.8, linestyle=":")
        axes.text(
            at,
            0.02,
            f"{name} ",
            rotation=90,
            ha="right",
            va="bottom",
            fontsize=6,
            color="0.4",
            transform=axes.get_xaxis_transform(),
        )


def logarithmic(axes: Axes) -> None:
    """Make the y axis logarithmic, with plain numbers as tick labels."""
    set_log_scale(axes.yaxis)
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def label(axes: Axes, panel: Panel) -> None:
    """Write a panel's title and axis labels."""
    axes.set_title(panel.title)
    axes.set_xlabel(panel.x)
    axes.set_ylabel(panel.y)
