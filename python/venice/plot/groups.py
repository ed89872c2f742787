"""Groups of bars with intervals."""

from __future__ import annotations

from math import isnan, nan
from typing import TYPE_CHECKING

from matplotlib.patches import Patch

from venice.plot.canvas import Entries

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from venice.report.fabric_looks import Look

    Bar = tuple[float | None, float | None]
    """Height and half of its interval."""

_GROUP_WIDTH = 0.82
_HATCHES = ("", "////", "....", "\\\\\\\\", "xxxx", "----", "++++", "oooo")
"""One for each series, so that bars differ in greyscale, too."""
_LONG = 9
_MOST_UPRIGHT = 6


def draw_groups(
    axes: Axes,
    groups: Sequence[str],
    looks: Mapping[str, Look],
    bars: Mapping[tuple[str, str], Bar],
    *,
    bottom: float = 0.0,
) -> Entries:
    """Draw a group of bars for each name, a bar for each series.

    Parameters
    ----------
    axes
        Where to.
    groups
        Names of the groups.
    looks
        Look of each series, in order.
    bars
        Height and half of the interval by group and series.
    bottom
        Value at which bars begin, upwards or downwards.

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
        axes.bar(
            [place + shift for place in range(len(groups))],
            heights,
            width * 0.94,
            bottom=bottom,
            yerr=None if all(map(isnan, halves)) else halves,
            error_kw={"elinewidth": 0.8, "capsize": 1.5, "ecolor": "#222222"},
            linewidth=0,
            color=look.colour,
            edgecolor="white",
            hatch=_HATCHES[number % len(_HATCHES)],
        )
        hatch = _HATCHES[number % len(_HATCHES)]
        handles.append(Patch(facecolor=look.colour, edgecolor="white", hatch=hatch))
    name_groups(axes, groups)
    return Entries(handles, [look.label for look in looks.values()])


def name_groups(axes: Axes, groups: Sequence[str]) -> None:
    """Write the names of groups below them, slanted if they would overlap."""
    axes.set_xticks(range(len(groups)), groups)
    if len(groups) > _MOST_UPRIGHT or max(map(len, groups)) > _LONG:
        axes.tick_params(axis="x", rotation=25)
        for label in axes.get_xticklabels():
            label.set_horizontalalignment("right")
            label.set_rotation_mode("anchor")
    axes.tick_params(axis="x", length=0)
    axes.grid(visible=False, axis="x")
