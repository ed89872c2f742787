"""Division of a run into intervals."""

from __future__ import annotations

import re
from typing import NamedTuple

from venice._native import UsageError

MOST = 4096
"""Maximum number of intervals of a run, the width of a wide screen in pixels. If a run would have
more, pairs of neighbours are merged."""

_FEWEST = 2
_FIRST_PS = 1_000_000
"""Initial length of the intervals if only their number is given [ps]: 1 µs, shorter than a page
read."""
_UNITS_PS = {"ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12, "min": 60 * 10**12}
_TEXT = r"(\d+(?:\.\d+)?)\s*([a-zµ]+)?"
_LONGEST_PS = 2**64 // (2 * MOST)


class IntervalDivision(NamedTuple):
    """Length of the intervals in ps, and their maximum number."""

    length_ps: int
    most: int


def parse_interval(text: str | int) -> IntervalDivision:
    """Parse the length of intervals, such as ``"100ms"`` or ``"1s"``, or their number.

    A number is a maximum, because the length of a run is not known in advance: the intervals begin
    with 1 µs and double in length during the run, so at least half the number result. Odd numbers
    are rounded up to even ones.

    Raises
    ------
    UsageError
        If the text is neither.

    Examples
    --------
    >>> parse_interval("100ms")
    IntervalDivision(length_ps=100000000000, most=4096)
    >>> parse_interval(199)
    IntervalDivision(length_ps=1000000, most=200)
    """
    found = re.fullmatch(_TEXT, str(text).strip().lower())
    if found is None:
        raise _wrong(text)
    number, unit = found[1], (found[2] or "").replace("µ", "u")
    if unit:
        return IntervalDivision(_length_ps(text, float(number), unit), MOST)
    if "." in number or not _FEWEST <= int(number) <= MOST:
        raise UsageError(
            f"`interval=` is {text}; it should be from {_FEWEST} to {MOST} intervals, or a time"
        )
    return IntervalDivision(_FIRST_PS, int(number) + int(number) % 2)


def _length_ps(text: str | int, number: float, unit: str) -> int:
    if unit not in _UNITS_PS:
        raise _wrong(text)
    length_ps = round(number * _UNITS_PS[unit])
    if not _FIRST_PS <= length_ps <= _LONGEST_PS:
        raise UsageError(f"`interval=` is {text}; it should be from 1us to {_longest()}")
    return length_ps


def _longest() -> str:
    return f"{_LONGEST_PS // _UNITS_PS['min']}min"


def _wrong(text: str | int) -> UsageError:
    return UsageError(
        f"the interval is {text!r}; it should be a time with its unit (100ms, 1s, 50us, 2min) "
        "or a number of intervals (200)"
    )
