"""Options of commands that draw pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.cli.command import OUTPUT, option
from venice.cli.usage import OptionError
from venice.cli.value_types import Keyword

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LARGEST_INCHES = 100.0
STYLES = (
    "screen",
    "ieee-1col",
    "ieee-2col",
    "acm-1col",
    "acm-2col",
    "usenix-1col",
    "usenix-2col",
    "slide",
)
"""Names of :data:`venice.plot.print_style.PRINT_STYLES`, repeated to avoid importing matplotlib."""

style_name = option(
    "--style",
    metavar="NAME",
    default=STYLES[0],
    group=OUTPUT,
    type=Keyword(STYLES),
    help=f"Size and fonts: {', '.join(STYLES)}.",
)
size = option(
    "--size",
    metavar="WxH",
    group=OUTPUT,
    help="Width and height in inches, 1 to 100 [default: those of the style].",
)
title = option(
    "--title", metavar="TEXT", group=OUTPUT, help="Text above the picture [default: none]."
)


def with_data(picture: Path, _: object) -> Iterator[Path]:
    """Yield a picture and the data file next to it."""
    yield from {picture, picture.with_suffix(".csv")} if picture.name else ()


def inches_of(text: str | None) -> tuple[float, float] | None:
    """Parse a width and a height in inches.

    Raises
    ------
    OptionError
        If the text is not a width and a height, or a length is out of range.
    """
    if text is None:
        return None
    try:
        width, height = (float(part) for part in text.lower().split("x"))
    except ValueError:
        width = height = 0.0
    if not (1 <= width <= _LARGEST_INCHES and 1 <= height <= _LARGEST_INCHES):
        raise OptionError(
            "--size",
            f"`--size` is `{text}`",
            f"expected: width x height in inches, each from 1 to {_LARGEST_INCHES:g}, such as 6x4",
        )
    return width, height
