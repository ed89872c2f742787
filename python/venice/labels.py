"""What the rows of a comparison are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def labels(rows: Sequence[tuple[str, str]]) -> list[str]:
    """Call rows, each a drive's name and a fabric, after what they differ in.

    Examples
    --------
    >>> labels([("fast", "bus"), ("fast", "venice")])
    ['bus', 'venice']
    >>> labels([("fast", "bus"), ("slow", "bus")])
    ['fast', 'slow']
    >>> labels([("fast", "bus"), ("fast", "venice"), ("wide", "venice")])
    ['bus', 'venice', 'venice wide']
    """
    if len({fabric for _, fabric in rows}) == 1 and len({drive for drive, _ in rows}) > 1:
        return [drive for drive, _ in rows]
    return [fabric if drive == rows[0][0] else f"{fabric} {drive}" for drive, fabric in rows]
