"""Host schedulers written in Python.

A scheduler is a class, or a function that returns an object. Each run creates a new one::

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

The scheduler replaces the drive's scheme, which must not be ``"none"``. The time of a call is in
docs/guide/own-policies.md.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol


class QueuedRequest(NamedTuple):
    """Request in the host's I/O queue, as a scheduler sees it."""

    id: int
    """Identifier until the request completes; later requests reuse it."""
    op: Literal["read", "write"]
    """Operation."""
    offset_bytes: int
    """First byte on the drive."""
    size_bytes: int
    """Length [bytes]."""
    queue: int
    """Number of the host queue."""
    since_us: float
    """Simulated time at which the request entered the host's I/O queue [µs]."""


class ServedRequest(NamedTuple):
    """Completed request, as a scheduler sees it."""

    op: Literal["read", "write"]
    """Operation."""
    latency_us: float
    """Time from the issue by the host to completion [µs]."""
    drive_us: float
    """Time from the dispatch to the drive to completion [µs]."""


class HostScheduler(Protocol):
    """Interface of a host scheduler.

    Three further methods are optional. ``completed(served: ServedRequest, now_us: float)`` is
    called when a request completes. ``wakes_at() -> float | None`` is called after each other
    method, and returns the simulated time of a wake-up [µs]. ``woken(now_us: float)`` is called at
    that time.
    """

    def add(self, request: QueuedRequest, /) -> None:
        """Add a request to the queue."""

    def next(self, now_us: float, /) -> int | None:
        """Return the `id` of the request to send to the drive now; ``None`` to send none.

        Each request is sent once. While the drive is idle, one must be sent unless the scheduler
        has a wake-up time.
        """


__all__ = ["HostScheduler", "QueuedRequest", "ServedRequest"]
