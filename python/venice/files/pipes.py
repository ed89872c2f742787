"""Named pipes as inputs; a pipe without a writer is refused after a time limit.

The engine opens and reads files without handling signals. This module waits for writers first,
because a signal can end its wait.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager, suppress
from queue import Empty, SimpleQueue
from select import select
from stat import S_ISFIFO
from threading import Thread, Timer
from typing import TYPE_CHECKING

from venice._native import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

PATIENCE_S = 10.0
"""Time limit for a writer to open a pipe [s]."""
_OPENED_WITHIN_S = 1.0
"""Time limit for the engine to open a file [s], by which the end of a pipe may be delayed."""


@contextmanager
def open_pipes(*paths: str | PathLike[str] | None) -> Iterator[None]:
    """Wait for the writers of named pipes among the inputs, and keep the pipes open.

    A pipe is read several times; without this, its writer would be killed when the first reader
    closes it.

    Raises
    ------
    UsageError
        If a pipe has no writer after :data:`PATIENCE_S`.
    """
    with ExitStack() as held:
        for path in paths:
            if path and _is_pipe(path):
                _hold(held, os.fspath(path))
        yield


def _is_pipe(path: str | PathLike[str]) -> bool:
    try:
        return S_ISFIFO(os.stat(path).st_mode)  # noqa: PTH116 `pathlib` takes long to import
    except (OSError, ValueError):
        return False


def _hold(held: ExitStack, path: str) -> None:
    """Open a pipe to keep it open, and wait for its first bytes or its end."""
    pipe = _connected(path)
    held.callback(os.close, pipe)
    select([pipe], [], [])
    with suppress(OSError):
        # If the writer has ended, the next reader would wait for another one.
        end = ExitStack()
        end.callback(os.close, os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        held.enter_context(end)
        timer = Timer(_OPENED_WITHIN_S, end.close)
        held.callback(timer.cancel)
        timer.start()


def _connected(path: str) -> int:
    found: SimpleQueue[int | OSError] = SimpleQueue()
    # Opening a pipe without blocking succeeds even if it has no writer.
    Thread(target=_open_into, args=(found, path), daemon=True).start()
    try:
        pipe = found.get(timeout=PATIENCE_S)
    except Empty:
        _release(path)
        raise UsageError(
            f"{path}: is a named pipe to which no program writes; expected a writer within "
            f"{PATIENCE_S:.0f} s; start it while this command runs, or name a file"
        ) from None
    if isinstance(pipe, OSError):
        raise pipe
    return pipe


def _open_into(found: SimpleQueue[int | OSError], path: str) -> None:
    try:
        found.put(os.open(path, os.O_RDONLY))
    except OSError as error:
        found.put(error)


def _release(path: str) -> None:
    """End another thread's wait for a writer, by opening and closing the pipe for writing."""
    with suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
