"""Figures that notebooks show."""

from __future__ import annotations

import io

from matplotlib.figure import Figure

from venice.plot.style import style


class Picture(Figure):
    """A matplotlib figure that a notebook shows when it is the value of a cell.

    Notebooks show other figures only if :mod:`matplotlib.pyplot` made them, which keeps every
    figure in memory.

    Examples
    --------
    >>> Picture(figsize=(1, 1))._repr_png_()[1:4]
    b'PNG'
    """

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        with style():
            self.savefig(file, format="png")
        return file.getvalue()
