"""Plot of grouped bars with confidence intervals."""

from __future__ import annotations

from math import isnan, nan
from textwrap import fill
from typing import TYPE_CHECKING

import matplotlib as mpl
from matplotlib.patches import Patch

from venice.plot.canvas import Entries

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from venice.report.fabric_looks import Look

    Bar = tuple[float | None, float | None]
    """Height of a bar, and half the length of its interval."""

_GROUP_WIDTH = 0.82
_LINE = 12
"""Maximum number of characters in a line of a group's name, which is broken at blanks."""
_CHARACTER = 0.55
"""Mean width of a character, relative to the font size."""
_POINTS_PER_INCH = 72.0
_MOST_NUMBERED = 8
"""Maximum number of bars on which values are written."""


def draw_groups(
    axes: Axes,
    groups: Sequence[str],
    looks: Mapping[str, Look],
    bars: Mapping[tuple[str, str], Bar],
    *,
    bottom: float = 0.0,
) -> Entries:
    """Draw a group of bars for each name, with a bar for each series.

    Parameters
    ----------
    axes
        Axes to draw into.
    groups
        Names of the groups.
    looks
        Colours and markers of each series, in order.
    bars
        Height and half the interval of each bar, by group and series.
    bottom
        Value from which bars extend upwards or downwards.

    Returns
    -------
    Entries
        Entries of the legend.
    """
    width = _GROUP_WIDTH / len(looks)
    handles: list[Artist] = []
    for number, (series, look) in enumerate(looks.items()):
        shift = (number - (len(looks) - 1) / 2) * width
        found = [bars.get((group, series), (None, None)) for group in groups]
        heights = [nan if height is None else height - bottom for height, _ in found]
        halves = [nan if half is None else half for _, half in found]
        drawn = axes.bar(
            [place + shift for place in range(len(groups))],
            heights,
            width * 0.94,
            bottom=bottom,
            yerr=None if all(map(isnan, halves)) else halves,
            error_kw={"elinewidth": 0.8, "capsize": 1.5, "ecolor": "#222222"},
            linewidth=0,
            color=look.colour,
            edgecolor="white",
            hatch=look.hatch,
        )
        if len(groups) * len(looks) <= _MOST_NUMBERED:
            texts = [_number(height, bottom) for height in heights]
            axes.bar_label(drawn, texts, fontsize="x-small", padding=1)
        handles.append(Patch(facecolor=look.colour, edgecolor="white", hatch=look.hatch))
    if len(groups) * len(looks) <= _MOST_NUMBERED:
        axes.margins(y=0.1)
    name_groups(axes, groups)
    return Entries(handles, [look.label for look in looks.values()])


def name_groups(axes: Axes, groups: Sequence[str]) -> None:
    """Write the names of groups below them, slanted if they would overlap."""
    names = [fill(group, _LINE, break_long_words=False) for group in groups]
    axes.set_xticks(range(len(names)), names)
    longest = max((len(line) for name in names for line in name.splitlines()), default=0)
    room_inches = axes.get_position().width * _width_inches(axes) / max(len(groups), 1)
    character_inches = _CHARACTER * mpl.rcParams["font.size"] / _POINTS_PER_INCH
    if longest * character_inches > room_inches:
        axes.tick_params(axis="x", rotation=25)
        for label in axes.get_xticklabels():
            label.set_horizontalalignment("right")
            label.set_rotation_mode("anchor")
    axes.tick_params(axis="x", length=0)
    axes.grid(visible=False, axis="x")


def _width_inches(axes: Axes) -> float:
    figure = axes.get_figure(root=True)
    return 0.0 if figure is None else figure.get_figwidth()


def _number(height: float, bottom: float) -> str:
    """Return the value of a bar as text; empty for a gap or a bar without height."""
    return "" if isnan(height) or height == 0 else f"{height + bottom:.3g}"
