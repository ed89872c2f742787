"""Figures as files."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from venice.plot.canvas import Entries, lay_out
from venice.plot.metadata import About
from venice.plot.picture import Picture
from venice.plot.print_style import SCREEN
from venice.plot.style import style

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from venice.plot.print_style import PrintStyle

PLOT_SUFFIXES = (".pdf", ".png", ".svg")
"""Suffixes of pictures that can be written."""


def new_figure(
    inches: tuple[float, float],
    title: str | None,
    draw: Callable[[Axes], Entries | None],
    *,
    note: str = "",
    print_style: PrintStyle = SCREEN,
) -> Picture:
    """Draw a figure with one set of axes.

    Parameters
    ----------
    inches
        Width and height.
    title
        Title; ``None`` for none.
    draw
        Draws the part and returns the entries of its legend.
    note
        Small text below it.
    print_style
        Size of fonts and lines.
    """
    with style(print_style):
        figure = Picture(figsize=inches, print_style=print_style, heading=title)
        entries = draw(figure.subplots()) or Entries()
        lay_out(figure, entries.handles, entries.labels, note)
        return figure


def save(figure: Figure, file: BinaryIO, suffix: str, about: About | None = None) -> None:
    """Write a figure; the same figure gives the same bytes.

    Parameters
    ----------
    figure
        The figure.
    file
        Open file.
    suffix
        One of :data:`PLOT_SUFFIXES`.
    about
        Command and caption for the file's metadata; the versions are always there.
    """
    suffix = suffix.lower()
    metadata = (about or About()).fields(suffix)
    with style(figure.print_style if isinstance(figure, Picture) else SCREEN):
        figure.savefig(file, format=suffix.removeprefix("."), metadata=metadata)
