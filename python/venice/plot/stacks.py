"""Stacked bars of the parts of the mean latency."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.patches import Patch

from venice.plot.canvas import Entries
from venice.report.parts import PARTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

_WIDTH = 0.62
_LEAST_SHARE = 0.002
"""Share of the highest stack below which a part is neither drawn nor named."""


def draw_stacks(axes: Axes, stacks: Sequence[Mapping[str, float]]) -> Entries:
    """Draw a stacked bar for each mapping from labels of parts to times."""
    feet = [0.0] * len(stacks)
    least = _LEAST_SHARE * max((sum(stack.values()) for stack in stacks), default=0.0)
    handles: list[Patch] = []
    for part in PARTS:
        heights = [stack.get(part.label, 0.0) for stack in stacks]
        if max(heights, default=0.0) > least:
            axes.bar(
                range(len(stacks)),
                heights,
                _WIDTH,
                bottom=feet,
                color=part.colour,
                edgecolor="white",
                linewidth=0.4,
                label=part.label,
            )
            handles.append(Patch(facecolor=part.colour))
            handles[-1].set_label(part.label)
        feet = [below + height for below, height in zip(feet, heights, strict=True)]
    axes.grid(visible=False, axis="x")
    axes.set_ylim(0, 1.06 * max(feet, default=0.0) or 1.0)
    axes.set_ylabel("Mean latency (µs)")
    return Entries(handles, [str(one.get_label()) for one in handles])
