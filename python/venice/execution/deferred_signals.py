"""Deferral of termination signals while threads share locks.

Python runs a signal's handler between any two steps of the main thread. A handler that raises there
can leave a lock taken for ever, for instance in ``threading.Condition`` or the futures of a pool.
The exception of a deferred signal is raised where the main thread calls
:meth:`DeferredSignals.check`.
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
    """Signals whose handlers do not run until :meth:`check` is called."""

    def __init__(self) -> None:
        self._handlers: dict[int, Handler] = {}
        self._held: int | None = None

    def check(self) -> None:
        """Run the handler of a deferred signal, if a signal was deferred; the handler may raise."""
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
        """Store the first signal; a second one takes effect at once."""
        if self._held is None:
            self._held = number
            return
        self._held = None
        self._handlers[number](number, frame)


@contextmanager
def deferred_signals() -> Iterator[DeferredSignals]:
    """Defer signals while the ``with`` block runs; a pending signal takes effect at its end."""
    signals = DeferredSignals()
    signals._begin()  # noqa: SLF001 of this module
    try:
        yield signals
    finally:
        signals._end()  # noqa: SLF001 likewise
        signals.check()
