"""Layout of pictures: a legend above the axes, and space for all labels.

Positions are computed from the extents of the texts. Matplotlib's constrained layout is not used,
because its solver gives coordinates that differ in their last digits from one picture to the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist

    from venice.plot.picture import Picture


class Entries(NamedTuple):
    """Entries of a legend: graphical elements with their labels."""

    handles: Sequence[Artist] = ()
    labels: Sequence[str] = ()


_PAD_INCHES = 0.04
_PASSES = 2
_MEASURED_DPI = 300.0
"""Resolution at which texts are measured [dots per inch]; hinting at a screen's resolution would
make them narrower."""
_POINTS_PER_INCH = 72.0


def lay_out(
    figure: Picture,
    handles: Sequence[Artist] = (),
    labels: Sequence[str] = (),
    note: str | None = None,
) -> None:
    """Place heading, legend and axes below each other, so that none covers another.

    Parameters
    ----------
    figure
        Picture in which everything else is drawn.
    handles, labels
        Entries of the legend, which has as few rows as the width allows.
    note
        Small text below the axes.
    """
    usual_dpi = figure.dpi
    figure.dpi = _MEASURED_DPI
    try:
        _lay_out(figure, handles, labels, note)
    finally:
        figure.dpi = usual_dpi


def _lay_out(
    figure: Picture, handles: Sequence[Artist], labels: Sequence[str], note: str | None
) -> None:
    canvas = FigureCanvasAgg(figure)
    renderer = canvas.get_renderer()  # type: ignore[no-untyped-call]
    height, width = figure.bbox.height, figure.bbox.width
    pad = _PAD_INCHES * figure.dpi / height
    top, bottom = 1.0 - pad, 0.0
    if figure.heading:
        text = figure.suptitle(
            figure.heading, x=_PAD_INCHES * figure.dpi / width, y=top, ha="left", va="top"
        )
        top -= text.get_window_extent(renderer).height / height + pad
    if handles:
        top -= _place_legend(figure, canvas, handles, labels, top) + pad
    if note:
        below = figure.text(0.5, pad, note, ha="center", va="bottom", fontsize="small")
        bottom = below.get_window_extent(renderer).height / height + pad
    font_inches = mpl.rcParams["font.size"] / _POINTS_PER_INCH
    # Ticks change with the size of the axes: a second pass makes room for the new labels.
    for _ in range(_PASSES):
        figure.tight_layout(
            pad=_PAD_INCHES / font_inches, w_pad=1.2, h_pad=0.8, rect=(0.0, bottom, 1.0, top)
        )


def _place_legend(
    figure: Picture,
    canvas: FigureCanvasAgg,
    handles: Sequence[Artist],
    labels: Sequence[str],
    top: float,
) -> float:
    """Place a legend below `top` and return its height as a share of the picture."""
    renderer = canvas.get_renderer()  # type: ignore[no-untyped-call]
    columns = len(handles)
    while True:
        legend = figure.legend(
            list(handles),
            list(labels),
            loc="upper center",
            bbox_to_anchor=(0.5, top),
            ncols=columns,
            borderaxespad=0.0,
            borderpad=0.0,
            columnspacing=1.2,
            handletextpad=0.5,
        )
        extent = legend.get_window_extent(renderer)
        if columns == 1 or extent.width <= figure.bbox.width:
            return float(extent.height / figure.bbox.height)
        legend.remove()
        rows = -(-len(handles) // columns) + 1
        columns = min(columns - 1, -(-len(handles) // rows))
