"""Requests made in Python.

A source is a function that yields requests::

    import random
    import venice

    def hot_page():
        draw = random.Random(7)
        for _ in range(100_000):
            page = 0 if draw.random() < 0.5 else draw.randrange(1_000_000)
            yield venice.Request("read", page * 4096, 4096)

    report = venice.run(source=hot_page, closed_loop=32)

The engine reads some thousands of requests ahead, so a source cannot react to completions. The time
per request is in docs/guide/workloads.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from venice._native import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_RANGES = 256
"""Maximum number of ranges of a trim (NVMe dataset management)."""


class Request(NamedTuple):
    """Request as issued by the host."""

    op: Literal[
        "read",
        "write",
        "trim",
        "trim_range",
        "flush",
        "write_fua",
        "write_zeroes",
        "write_zeroes_deac",
        "search",
    ]
    """Operation: a trim deallocates its bytes and those of the `trim_range` requests directly
    before it (:func:`trim_of_ranges`), a flush empties the volatile write cache,
    `write_fua` is a write with forced unit access, `write_zeroes_deac` a write of zeroes for
    which the drive may deallocate, and a search finds the pages of its bytes with a match."""
    offset_bytes: int
    """First byte on the drive, a multiple of 512. Addresses beyond the drive are wrapped around its
    capacity, as for a trace."""
    size_bytes: int
    """Length [bytes], a multiple of 512; 0 for a flush."""
    arrival_us: float = 0.0
    """Simulated time at which the host issues the request [µs], not before that of the preceding
    request. A closed loop ignores it."""
    queue: int = 0
    """Number of the host queue, or of the device among several that share the drive."""
    pattern_set: int = 0
    """Number of the drive's pattern set (`search.match_pct`) for which a search searches, from 0.
    Other operations ignore it."""


def trim_of_ranges(
    ranges: Sequence[tuple[int, int]], *, arrival_us: float = 0.0, queue: int = 0
) -> list[Request]:
    """Return the requests of a trim that deallocates several ranges with one command.

    Each range is its first byte and its length [bytes]; a trim has at most 256. The source yields
    the requests one after another.

    Examples
    --------
    >>> for request in trim_of_ranges([(0, 4096), (65536, 8192)]):
    ...     print(request.op, request.offset_bytes, request.size_bytes)
    trim_range 0 4096
    trim 65536 8192
    """
    if not 1 <= len(ranges) <= MOST_RANGES:
        message = f"a trim has {len(ranges)} ranges; expected: from 1 to {MOST_RANGES}"
        raise UsageError(message)
    return [
        Request("trim" if left == 0 else "trim_range", start, size, arrival_us, queue)
        for left, (start, size) in zip(reversed(range(len(ranges))), ranges, strict=True)
    ]


__all__ = ["Request", "trim_of_ranges"]
