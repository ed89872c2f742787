"""Handling of Ctrl-C and other termination signals.

This module is imported before signals are handled, so it imports few modules.
"""

from __future__ import annotations

from signal import SIG_DFL, SIGHUP, SIGINT, SIGTERM, default_int_handler, getsignal, signal

INTERRUPTED = 130
"""Exit code of an interrupted command: 128 + SIGINT, as in a shell."""
_SIGNALS = (SIGINT, SIGTERM, SIGHUP)


class InterruptedRunError(Exception):
    """Interruption of runs, whose message states their progress."""


def end_at_once() -> None:
    """Let Ctrl-C end the process without a traceback, until :func:`raise_interrupts` is called."""
    if getsignal(SIGINT) is default_int_handler:
        signal(SIGINT, SIG_DFL)


def raise_interrupts() -> None:
    """Let Ctrl-C, SIGTERM and SIGHUP raise ``KeyboardInterrupt``, to remove temporary files.

    Schedulers of clusters send SIGTERM, closed terminals SIGHUP. Ignored signals stay ignored.
    """
    for number in _SIGNALS:
        if getsignal(number) == SIG_DFL:
            signal(number, default_int_handler)


class ImportingCommand:
    """Block in which signals end the process at once, because importing may suppress exceptions."""

    def __enter__(self) -> None:
        self._raising = [one for one in _SIGNALS if getsignal(one) is default_int_handler]
        for number in self._raising:
            signal(number, SIG_DFL)

    def __exit__(self, *_: object) -> None:
        for number in self._raising:
            signal(number, default_int_handler)
