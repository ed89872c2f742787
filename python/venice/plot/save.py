"""Figures as files."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from venice.plot.style import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLOT_SUFFIXES = (".png", ".svg")
"""The kinds of picture that can be written, by the ends of their names."""


def save(figure: Figure, file: BinaryIO, suffix: str) -> None:
    """Write a figure; the same figure gives the same bytes.

    Parameters
    ----------
    figure
        The figure.
    file
        Where to.
    suffix
        One of :data:`PLOT_SUFFIXES`.
    """
    undated = {"Date": None} if suffix == ".svg" else None
    with style():
        figure.savefig(file, format=suffix.removeprefix("."), metadata=undated)
