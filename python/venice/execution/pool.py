"""Thread pool for runs; they are parallel because the engine releases the interpreter lock."""

from __future__ import annotations

import os
import threading
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from venice._native import Preparations, UsageError
from venice.execution.deferred_signals import DeferredSignals, deferred_signals
from venice.execution.memory import left_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator


LOOK_S = 0.25
"""Interval at which a waiting thread checks for signals [s]."""
_PART_OF_MEMORY = 8
_USUAL_BYTES = 1 << 30
"""Free memory assumed if the system does not report it [bytes]."""


class StoppedError(Exception):
    """Exception in a run whose result is no longer needed."""


def worker_count(workers: int | None, runs: int) -> int:
    """Return the number of parallel runs: `workers`, or one for each processor.

    Raises
    ------
    UsageError
        If `workers` is below 1.
    """
    if workers is not None and workers < 1:
        raise UsageError(f"`workers=` is {workers}; it should be 1 or more")
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(workers or available or 1, runs))


class SharedResources(NamedTuple):
    """Resources shared by the runs of a pool."""

    stop: threading.Event
    """Event that is set when results are no longer needed."""
    preparations: Preparations
    """Prepared drives and decoded traces, shared by runs."""
    signals: DeferredSignals
    """Deferred signals, checked every :data:`LOOK_S` by the waiting thread."""


def new_preparations() -> Preparations:
    """Return a cache of prepared drives and decoded traces, limited by the free memory."""
    left = left_bytes()
    return Preparations(_USUAL_BYTES if left is None else max(left, 0) // _PART_OF_MEMORY)


@cache
def preparations_of_process() -> Preparations:
    """Return the cache of a worker process, which keeps one prepared drive and no traces."""
    return Preparations(0)


@contextmanager
def stoppable_pool(workers: int) -> Iterator[tuple[Executor, SharedResources]]:
    """Yield a pool; an exception in the ``with`` block, such as Ctrl-C, ends its runs soon."""
    with deferred_signals() as signals:
        shared = SharedResources(threading.Event(), new_preparations(), signals)
        pool = ThreadPoolExecutor(workers, thread_name_prefix="venice")
        try:
            yield pool, shared
        except BaseException:
            shared.stop.set()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
