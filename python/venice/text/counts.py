"""Counts with nouns, and short times, as text."""

from __future__ import annotations

_SHORT_S = 0.1
"""Duration below which the text is in milliseconds [s]."""


def of(count: int, one: str, many: str = "") -> str:
    """Return a count with its noun; the plural `many` is `one` with an s by default.

    Examples
    --------
    >>> of(1, "run"), of(2_000, "run"), of(3, "pass", "passes")
    ('1 run', '2,000 runs', '3 passes')
    """
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def seconds(time_s: float) -> str:
    """Return a duration as text.

    Examples
    --------
    >>> seconds(0.0123), seconds(3.21)
    ('12 ms', '3.2 s')
    """
    return f"{time_s * 1e3:.0f} ms" if time_s < _SHORT_S else f"{time_s:.1f} s"
