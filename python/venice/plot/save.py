"""Figures as files."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from venice.plot.picture import Picture
from venice.plot.style import style

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PLOT_SUFFIXES = (".pdf", ".png", ".svg")
"""Suffixes of pictures that can be written."""

# Places as shares of the figure, for the reason that figures of comparisons have: the same bytes.
_EDGES_INCHES = {"left": 0.65, "right": 0.1, "bottom": 0.5, "top": 0.35}


def new_figure(
    inches: tuple[float, float], title: str | None, draw: Callable[[Axes], None]
) -> Picture:
    """Draw a figure with one set of axes.

    Parameters
    ----------
    inches
        Width and height.
    title
        Title; ``None`` for none.
    draw
        Draws the part.
    """
    width, height = inches
    with style():
        figure = Picture(figsize=inches)
        figure.subplots_adjust(
            left=_EDGES_INCHES["left"] / width,
            right=1 - _EDGES_INCHES["right"] / width,
            bottom=_EDGES_INCHES["bottom"] / height,
            top=1 - _EDGES_INCHES["top"] / height,
        )
        axes = figure.subplots()
        draw(axes)
        if title is not None:
            axes.set_title(title)
        return figure


def save(figure: Figure, file: BinaryIO, suffix: str) -> None:
    """Write a figure; equal figures give equal bytes.

    Parameters
    ----------
    figure
        The figure.
    file
        Open file.
    suffix
        Suffix out of :data:`PLOT_SUFFIXES`.
    """
    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(suffix.lower())
    suffix = suffix.lower()
    with style():
        figure.savefig(file, format=suffix.removeprefix("."), metadata=undated)
