"""A host scheduler that a Python program brings.

A scheduler of one's own is a class, or a function that makes one; each run makes one anew::

    from collections import deque
    import venice

    class Fifo:
        def __init__(self):
            self.waiting = deque()

        def add(self, request):
            self.waiting.append(request.id)

        def next(self, now_us):
            return self.waiting.popleft() if self.waiting else None

    noop = venice.config.HostScheduler(scheme="noop")
    drive = venice.Drive("venice-performance", host=venice.config.Host(scheduler=noop))
    report = venice.run(drive=drive, workload="hm_0", host_scheduler=Fifo)

It takes the place of the scheme that the drive names, which must be one other than ``"none"``. Each
call of it costs what Python takes: docs/guide/own-policies.md has measured figures.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol


class QueuedRequest(NamedTuple):
    """A request that has entered the host's I/O queue."""

    id: int
    """Names it until it is complete; a later request may have the same."""
    op: Literal["read", "write"]
    """Operation."""
    offset_bytes: int
    """First byte on the drive."""
    size_bytes: int
    """Length [bytes]."""
    queue: int
    """The host's queue that it came from."""
    since_us: float
    """Simulated time at which the request entered the I/O queue [µs]."""


class ServedRequest(NamedTuple):
    """A request that is complete."""

    op: Literal["read", "write"]
    """Operation."""
    latency_us: float
    """Time from the issue by the host to completion [µs]."""
    drive_us: float
    """Time from the dispatch to the drive to completion [µs]."""


class HostScheduler(Protocol):
    """Interface of a host scheduler.

    Three further methods are called if it has them: ``completed(served: ServedRequest, now_us:
    float)`` when a request is complete; ``wakes_at() -> float | None``, asked after each of the
    others, when it wants to be woken, in simulated microseconds; and ``woken(now_us: float)``, when
    that instant has come.
    """

    def add(self, request: QueuedRequest, /) -> None:
        """Add a request to the queue."""

    def next(self, now_us: float, /) -> int | None:
        """Return the `id` of the request that goes to the drive next, if one goes now.

        Each goes once. None may be kept back while no request is in the drive, unless the scheduler
        asks to be woken.
        """


__all__ = ["HostScheduler", "QueuedRequest", "ServedRequest"]
