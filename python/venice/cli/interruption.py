"""Ctrl-C and the other signals that ask a command to end.

This module is imported before they are handled, so it imports next to nothing.
"""

from __future__ import annotations

from signal import SIG_DFL, SIGHUP, SIGINT, SIGTERM, default_int_handler, getsignal, signal

INTERRUPTED = 130
"""Exit code of an interrupted command: that of a process that SIGINT has ended, in a shell."""
_SIGNALS = (SIGINT, SIGTERM, SIGHUP)


class InterruptedRunError(Exception):
    """An interruption of runs; the text has their progress."""


def end_at_once() -> None:
    """Let Ctrl-C end the process without a traceback, until :func:`raise_interrupts` is called."""
    if getsignal(SIGINT) is default_int_handler:
        signal(SIGINT, SIG_DFL)


def raise_interrupts() -> None:
    """Let Ctrl-C, SIGTERM and SIGHUP raise ``KeyboardInterrupt``, so that files are removed.

    Schedulers of clusters send SIGTERM, closed terminals SIGHUP. Ignored signals stay ignored.
    """
    for number in _SIGNALS:
        if getsignal(number) == SIG_DFL:
            signal(number, default_int_handler)


class ImportingCommand:
    """A block in which signals end the process at once: an import may not let them raise."""

    def __enter__(self) -> None:
        self._raising = [one for one in _SIGNALS if getsignal(one) is default_int_handler]
        for number in self._raising:
            signal(number, SIG_DFL)

    def __exit__(self, *_: object) -> None:
        for number in self._raising:
            signal(number, default_int_handler)
