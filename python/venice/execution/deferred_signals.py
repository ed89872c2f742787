"""Signals that ask a process to end, held while its threads share locks.

Python runs a signal's handler between any two steps of the main thread. A handler that raises
there can leave a lock taken for ever: ``threading.Condition`` is written in Python, and so are the
futures of a pool. A held signal raises where the main thread asks for it.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    Handler = Callable[[int, FrameType | None], object]

_ENDS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class DeferredSignals:
    """Signals whose handlers wait until :meth:`check` is called."""

    def __init__(self) -> None:
        self._handlers: dict[int, Handler] = {}
        self._held: int | None = None

    def check(self) -> None:
        """Run the handler of a held signal, which raises."""
        number, self._held = self._held, None
        if number is not None:
            self._handlers[number](number, None)

    def _begin(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return  # only the main thread has handlers
        for number in _ENDS:
            handler = signal.getsignal(number)
            if callable(handler):
                self._handlers[number] = handler
                signal.signal(number, self._hold)

    def _end(self) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def _hold(self, number: int, frame: FrameType | None) -> None:
        """Keep the first signal; a second one takes effect at once."""
        if self._held is None:
            self._held = number
            return
        self._held = None
        self._handlers[number](number, frame)


@contextmanager
def deferred_signals() -> Iterator[DeferredSignals]:
    """Hold signals while the block runs; one that is still held at its end acts there."""
    signals = DeferredSignals()
    signals._begin()  # noqa: SLF001 of this module
    try:
        yield signals
    finally:
        signals._end()  # noqa: SLF001 likewise
        signals.check()
