"""The kinds of figure that experiments draw, in the one style of all figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from venice.plot.style import colours

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

_HEIGHT_INCHES = 3.6
_GROUP_INCHES = 0.4
_LEAST_INCHES = 6.0
_GROUP_WIDTH = 0.84
_MOST_UPRIGHT = 6
_DASHES = ("-", "--", "-.", ":")
_MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")


class Panel:
    """What one set of axes says about itself."""

    def __init__(self, title: str, x: str = "", y: str = "") -> None:
        self.title, self.x, self.y = title, x, y


def panels(count: int, width_inches: float = 6.0) -> tuple[Figure, list[Axes]]:
    """Give a figure with some axes beside each other."""
    figure = Figure(figsize=(width_inches * count, _HEIGHT_INCHES))
    # Fixed places: matplotlib's automatic layouts give other bytes from one figure to the next.
    figure.subplots_adjust(left=0.35 / count / 3, right=0.985, bottom=0.2, top=0.88, wspace=0.25)
    return figure, list(figure.subplots(1, count, squeeze=False)[0])


def panels_of_bars(
    groups: Sequence[str],
    content: Mapping[str, Mapping[str, Sequence[float | None]]],
    panel: Panel,
    level: float | None = None,
) -> Figure:
    """Draw bars for each series and group, in a panel for each title of `content`.

    `level` is a line across.
    """
    width = max(_LEAST_INCHES, 1.0 + _GROUP_INCHES * len(groups))
    figure, axes = panels(len(content), width)
    for space, (title, series) in zip(axes, content.items(), strict=True):
        draw_bars(space, groups, series)
        if level is not None:
            space.axhline(level, color="black", linewidth=0.8)
        space.grid(visible=False, axis="x")
        space.margins(y=0.15)
        label(space, Panel(f"{panel.title}: {title}" if panel.title else title, y=panel.y))
    axes[0].legend(loc="upper left", ncols=6)
    return figure


def draw_bars(
    axes: Axes, groups: Sequence[str], series: Mapping[str, Sequence[float | None]]
) -> None:
    """Draw a bar of each series for each group into some axes."""
    width = _GROUP_WIDTH / len(series)
    for place, ((name, values), colour) in enumerate(
        zip(series.items(), colours(len(series)), strict=True)
    ):
        shift = (place - (len(series) - 1) / 2) * width
        lefts = [group + shift for group in range(len(groups))]
        heights = [0.0 if value is None else value for value in values]
        axes.bar(lefts, heights, width, color=colour, label=name)
    axes.set_xticks(range(len(groups)), groups)
    if len(groups) > _MOST_UPRIGHT:
        axes.tick_params(axis="x", labelrotation=90)
    axes.set_xlim(-0.6, len(groups) - 0.4)


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
            color=colours(len(lines))[place],
            label=name,
        )


def draw_steps(axes: Axes, lines: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    """Draw a line without marks for each series of (x, y)."""
    for place, (name, dots) in enumerate(lines.items()):
        xs, ys = zip(*dots, strict=True)
        dash = _DASHES[place % len(_DASHES)]
        axes.plot(xs, ys, dash, color=colours(len(lines))[place], label=name)


def draw_map(
    axes: Axes, rows: Sequence[str], columns: Sequence[str], values: Sequence[Sequence[float]]
) -> None:
    """Draw a table of ratios as colours about 1, each with its number."""
    limit = max(2.0, *(max(value, 1 / value) for row in values for value in row if value > 0))
    from matplotlib.colors import LogNorm  # noqa: PLC0415 only maps need it

    axes.imshow(values, cmap="PuOr", norm=LogNorm(1 / limit, limit), aspect="auto")
    for down, row in enumerate(values):
        for right, value in enumerate(row):
            axes.text(right, down, f"{value:.2f}", ha="center", va="center", fontsize=7)
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.grid(visible=False)


def label(axes: Axes, panel: Panel) -> None:
    """Write a panel's title and axes."""
    axes.set_title(panel.title)
    axes.set_xlabel(panel.x)
    axes.set_ylabel(panel.y)
