"""Sizes, times and columns of figures as text, with suitable units."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


_UNITS = ("bytes", "KiB", "MiB", "GiB")


_PLACES = ((1000, 0), (100, 1), (0, 2))
"""Number of decimals of a column, by its largest value."""


_TIME_UNITS = ((1e6, "s"), (1e3, "ms"))
"""Units of time; a unit is used if the largest value of a column is at least ten of them."""


def size_text(size_bytes: float) -> str:
    """Return a number of bytes as text in a suitable unit.

    Examples
    --------
    >>> [size_text(size) for size in (4096, 25_769_803_776, 2_000_000_000_000)]
    ['4 KiB', '24 GiB', '1,863 GiB']
    """
    unit = next((place for place in range(4) if size_bytes < 1024 ** (place + 1)), 3)
    value = size_bytes / 1024**unit
    return f"{value:,.4g} {_UNITS[unit]}" if value < 1000 else f"{value:,.0f} {_UNITS[unit]}"  # noqa: PLR2004 digits


def time_text(us: float | None) -> str:
    """Return a time as text in a suitable unit.

    Examples
    --------
    >>> [time_text(us) for us in (12.345, 933_691.0, 876_596_095.628, None)]
    ['12.35 µs', '933.7 ms', '876.6 s', '–']
    """
    if us is None:
        return "–"
    large = ((scale, unit) for scale, unit in _TIME_UNITS if abs(us) >= scale)
    scale, unit = next(large, (1.0, "µs"))
    return f"{us / scale:,.4g} {unit}" if abs(us / scale) < 1e4 else f"{us / scale:,.0f} {unit}"  # noqa: PLR2004 digits


def column_texts(figures: Sequence[float | None], *, signed: bool = False) -> list[str]:
    """Return the figures of a column as text, with decimals that suit the largest value.

    Integers have no decimals. `signed` adds plus signs, and uses a minus sign of the same width.

    Examples
    --------
    >>> column_texts([8.371, 12.25, None])
    ['8.37', '12.25', '–']
    >>> column_texts([8.371, 1912542.0])
    ['8', '1,912,542']
    >>> column_texts([60, 8, None])
    ['60', '8', '–']
    """
    largest = max((abs(figure) for figure in figures if figure is not None), default=0)
    is_count = all(figure is None or isinstance(figure, int) for figure in figures)
    places = 0 if is_count else next(places for bound, places in _PLACES if largest >= bound)
    sign = "+" if signed else ""
    texts = ["–" if figure is None else f"{figure:{sign},.{places}f}" for figure in figures]
    return [text.replace("-", "−") for text in texts] if signed else texts


def written_column(title: str, figures: Sequence[float | None]) -> tuple[str, list[str]]:
    r"""Return a column and its title as text; times [µs] are in the unit that suits the largest.

    Examples
    --------
    >>> written_column("mean\n{}", [876_596_095.628, 12_000_000.0])
    ('mean\ns', ['876.6', '12.0'])
    >>> written_column("mean\n{}", [9_999.0, 12.0])
    ('mean\nµs', ['9,999', '12'])
    >>> written_column("IOPS", [9_999.0])
    ('IOPS', ['9,999'])
    """
    if "{}" not in title:
        return title, column_texts(figures)
    largest = max((abs(figure) for figure in figures if figure is not None), default=0)
    us, unit = next(((us, unit) for us, unit in _TIME_UNITS if largest >= 10 * us), (1, "µs"))
    scaled = [None if figure is None else figure / us for figure in figures]
    return title.format(unit), column_texts(scaled)
