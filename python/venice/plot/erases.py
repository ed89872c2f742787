"""Plot of the distribution of erases over the blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.ticker import MaxNLocator

from venice.plot.style import colours

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

_MOST_BARS = 60


def draw_erases(axes: Axes, blocks_by_erases: Mapping[int, int]) -> None:
    """Draw a histogram of the numbers of erases of blocks."""
    low, high = min(blocks_by_erases), max(blocks_by_erases)
    width = (high - low) // _MOST_BARS + 1
    bars: dict[int, int] = {}
    for erases, count in blocks_by_erases.items():
        place = low + (erases - low) // width * width
        bars[place] = bars.get(place, 0) + count
    middles = [place + (width - 1) / 2 for place in bars]
    axes.bar(middles, list(bars.values()), 0.9 * width, color=colours(1)[0])
    axes.yaxis.set_major_formatter("{x:,.10g}")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("erases of a block")
    axes.set_ylabel("blocks")
    axes.set_title("How evenly blocks wear")
