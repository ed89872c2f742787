"""Creation of figures with one panel, and output of figures to files."""

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
    """Return a figure with one set of axes.

    Parameters
    ----------
    inches
        Width and height.
    title
        Title, if any.
    draw
        Function that draws into the axes and returns the legend.
    note
        Small text below the axes.
    print_style
        Style that sets fonts and lines.
    """
    with style(print_style):
        figure = Picture(figsize=inches, print_style=print_style, heading=title)
        entries = draw(figure.subplots()) or Entries()
        lay_out(figure, entries.handles, entries.labels, note)
        return figure


def save(figure: Figure, file: BinaryIO, suffix: str, about: About | None = None) -> None:
    """Write a figure to a file; equal figures give equal bytes.

    Parameters
    ----------
    figure
        Figure to write.
    file
        Open file.
    suffix
        One of :data:`PLOT_SUFFIXES`.
    about
        Command and caption for the file's metadata, which always contains the versions.
    """
    suffix = suffix.lower()
    metadata = (about or About()).fields(suffix)
    with style(figure.print_style if isinstance(figure, Picture) else SCREEN):
        figure.savefig(file, format=suffix.removeprefix("."), metadata=metadata)
