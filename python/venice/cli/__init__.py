"""The command ``venice``: one command per file."""

from __future__ import annotations

import gc
import signal
import sys

_ALLOCATIONS_BETWEEN_COLLECTIONS = 100_000
"""What a command imports lives as long as it does: looking through it for garbage every 700
allocations takes a tenth of the start."""


_ENDS = ("SIGTERM", "SIGHUP")
"""Signals that ask a process to end: a cluster's scheduler at the end of its time, a terminal that
is closed."""


def main() -> None:
    """Run the command line and leave with its exit code."""
    gc.set_threshold(_ALLOCATIONS_BETWEEN_COLLECTIONS)
    _hear_what_ends()
    try:
        from venice.cli.ending import run_to_end  # noqa: PLC0415 so that Ctrl-C here is caught
    except KeyboardInterrupt:
        sys.exit(1)
    code = run_to_end()
    # Else the interpreter, on its way out, looks through all imports for garbage once more. DuckDB
    # complains of what is not collected.
    if "duckdb" not in sys.modules:
        gc.freeze()
    sys.exit(code)


def _hear_what_ends() -> None:
    """Take a request to end as Ctrl-C, so that nothing is left behind; what is ignored stays so."""
    for name in _ENDS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
