"""Matplotlib figures that notebooks display."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from venice.plot.print_style import SCREEN
from venice.plot.style import style

if TYPE_CHECKING:
    from venice.plot.print_style import PrintStyle


class Picture(Figure):
    """Matplotlib figure that a notebook displays if it is the value of a cell.

    A plain figure is displayed only if :mod:`matplotlib.pyplot` made it, which keeps all figures in
    memory. `print_style` is the style in which the figure is drawn and saved, and `heading` is the
    text above it.

    Examples
    --------
    >>> Picture(figsize=(1, 1))._repr_png_()[1:4]
    b'PNG'
    """

    def __init__(
        self,
        *args: Any,  # noqa: ANN401 as matplotlib
        print_style: PrintStyle = SCREEN,
        heading: str | None = None,
        **others: Any,  # noqa: ANN401 as matplotlib
    ) -> None:
        super().__init__(*args, **others)
        self.print_style = print_style
        self.heading = heading

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        with style(self.print_style):
            self.savefig(file, format="png")
        return file.getvalue()
