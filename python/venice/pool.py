"""Threads that run runs: parallel, because a run lets go of the interpreter lock."""

from __future__ import annotations

import os
import threading
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

from venice._native import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator


class StoppedError(Exception):
    """Raised in a run whose result nobody waits for any more."""


def worker_count(workers: int | None, runs: int) -> int:
    """Say how many runs to do at a time: as many as asked for, or one for each processor.

    Raises
    ------
    UsageError
        If less than one was asked for.
    """
    if workers is not None and workers < 1:
        raise UsageError(f"workers is {workers}; it should be 1 or more")
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(workers or available or 1, runs))


@contextmanager
def stoppable_pool(workers: int) -> Iterator[tuple[Executor, threading.Event]]:
    """Give a pool whose runs end soon after anything goes wrong outside them, Ctrl-C included."""
    stop = threading.Event()
    pool = ThreadPoolExecutor(workers, thread_name_prefix="venice")
    try:
        yield pool, stop
    except BaseException:
        stop.set()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
