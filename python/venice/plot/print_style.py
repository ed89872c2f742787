"""Sizes and fonts of pictures for papers, slides and the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from venice._native import UsageError
from venice.text.suggestions import suggestion

if TYPE_CHECKING:
    from collections.abc import Mapping


class PrintStyle(NamedTuple):
    """Width, default height and matplotlib settings of pictures for one medium."""

    name: str
    width_inches: float
    height_inches: float
    settings: Mapping[str, Any]

    @property
    def is_print(self) -> bool:
        """True for papers, whose captions are printed below the picture."""
        return self.name not in ("screen", "slide")


# STIX is a Times face that matplotlib ships as TrueType, so pictures are the same on every machine
# and publishers accept the fonts. DejaVu has the glyphs that STIX lacks.
_PRINT = {
    "font.family": ["STIXGeneral", "DejaVu Sans"],
    "font.size": 8.0,
    "axes.labelsize": 8.0,
    "axes.titlesize": 8.0,
    "figure.titlesize": 8.0,
    "legend.fontsize": 7.5,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "axes.linewidth": 0.6,
    "grid.linewidth": 0.4,
    "lines.linewidth": 1.0,
    "lines.markersize": 3.5,
    "patch.linewidth": 0.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.minor.size": 1.5,
    "ytick.minor.size": 1.5,
    "savefig.dpi": 300.0,
}
_SLIDE = {"font.size": 16.0, "lines.linewidth": 2.5, "lines.markersize": 8.0, "savefig.dpi": 150.0}
_IEEE_COLUMN, _IEEE_PAGE = 3.5, 7.16
"""IEEE, "Preparation of papers": columns of 3.5 in, pages of 7.16 in."""
_ACM_COLUMN, _ACM_PAGE = 3.33, 7.0
"""acmart, format sigconf: \\columnwidth of 241.1 pt, \\textwidth of 506.3 pt."""
_USENIX_COLUMN, _USENIX_PAGE = 3.33, 7.0
"""usenix2019_v3: \\textwidth of 7 in, \\columnsep of 0.33 in."""
_COLUMN_HEIGHT, _PAGE_HEIGHT = 2.3, 2.4

SCREEN = PrintStyle("screen", 6.0, 4.0, {})
"""Default style."""
PRINT_STYLES: Mapping[str, PrintStyle] = {
    style.name: style
    for style in (
        SCREEN,
        PrintStyle("ieee-1col", _IEEE_COLUMN, _COLUMN_HEIGHT, _PRINT),
        PrintStyle("ieee-2col", _IEEE_PAGE, _PAGE_HEIGHT, _PRINT),
        PrintStyle("acm-1col", _ACM_COLUMN, _COLUMN_HEIGHT, _PRINT),
        PrintStyle("acm-2col", _ACM_PAGE, _PAGE_HEIGHT, _PRINT),
        PrintStyle("usenix-1col", _USENIX_COLUMN, _COLUMN_HEIGHT, _PRINT),
        PrintStyle("usenix-2col", _USENIX_PAGE, _PAGE_HEIGHT, _PRINT),
        PrintStyle("slide", 10.0, 5.0, _SLIDE),
    )
}
"""All styles, by name."""


def print_style(name: str) -> PrintStyle:
    """Return the style of this name.

    Raises
    ------
    UsageError
        If there is no style of this name.

    Examples
    --------
    >>> print_style("ieee-1col").width_inches
    3.5
    """
    if name not in PRINT_STYLES:
        known = ", ".join(PRINT_STYLES)
        raise UsageError(
            f"`{name}` is not a style; there are: {known}{suggestion(name, PRINT_STYLES)}"
        )
    return PRINT_STYLES[name]
