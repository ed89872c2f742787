"""A request that a Python program makes.

A workload of one's own is a function that gives requests::

    import random
    import venice

    def hot_page():
        draw = random.Random(7)
        for _ in range(100_000):
            page = 0 if draw.random() < 0.5 else draw.randrange(1_000_000)
            yield venice.Request("read", page * 4096, 4096)

    report = venice.run(source=hot_page, closed_loop=32)

The engine asks for some thousands at a time, ahead of the instant at which it needs them, so a
source does not learn how earlier requests fared. It costs what Python takes to make the requests:
docs/guide/workloads.md has measured figures.
"""

from __future__ import annotations

from typing import Literal, NamedTuple


class Request(NamedTuple):
    """A request as the host issues it."""

    op: Literal["read", "write"]
    """What is done."""
    offset_bytes: int
    """Where it begins on the drive: a multiple of 512. Beyond the drive it is folded into it, as a
    trace's requests are."""
    size_bytes: int
    """How long it is: a multiple of 512."""
    arrival_us: float = 0.0
    """When the host issues it, in simulated microseconds from the start of the run; no earlier than
    the one before. A closed loop ignores it."""
    queue: int = 0
    """The host's queue that it enters, or the device of several that share the drive."""


__all__ = ["Request"]
