"""The command ``venice``: one command per file."""

from __future__ import annotations

import gc
import io
import os
import sys
from signal import SIG_DFL, SIGHUP, SIGTERM, default_int_handler, getsignal, signal

_ALLOCATIONS_BETWEEN_COLLECTIONS = 100_000
"""What a command imports lives as long as it does: looking through it for garbage every 700
allocations takes a tenth of the start."""


_ENDS = (SIGTERM, SIGHUP)
"""Signals that ask a process to end: a cluster's scheduler at the end of its time, a terminal that
is closed."""


def main() -> None:
    """Run the command line and leave with its exit code."""
    gc.set_threshold(_ALLOCATIONS_BETWEEN_COLLECTIONS)
    _hear_what_ends()
    _have_streams()
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


def _have_streams() -> None:
    """See that messages can be written, and what a terminal has no characters for is replaced."""
    # Python has no stream where none is open. The first file of a run would take its place.
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 for good
    if sys.stdout is None:
        sys.stderr.write(
            "error: standard output is closed\n   = expected: a terminal, file or pipe\n"
        )
        sys.exit(2)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _hear_what_ends() -> None:
    """Take a request to end as Ctrl-C, so that nothing is left behind; what is ignored stays so."""
    for number in _ENDS:
        if getsignal(number) == SIG_DFL:
            signal(number, default_int_handler)
