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

from typing import Literal, NamedTuple


class Request(NamedTuple):
    """Request as issued by the host."""

    op: Literal[
        "read",
        "write",
        "trim",
        "flush",
        "write_fua",
        "write_zeroes",
        "write_zeroes_deac",
        "search",
    ]
    """Operation: a trim deallocates its bytes, a flush empties the volatile write cache,
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


__all__ = ["Request"]
