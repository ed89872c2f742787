"""The command ``venice``: one command per file."""

from __future__ import annotations

import gc
import io
import os
import sys

from venice.cli.interruption import end_at_once
from venice.engine.packages import EngineError

_GC_THRESHOLD = 100_000
"""Allocations between Python's garbage collections; the default of 700 costs a tenth of the
start-up time.
"""


def main() -> None:
    """Run the command line and exit with its exit code."""
    end_at_once()
    gc.set_threshold(_GC_THRESHOLD)
    _prepare_streams()
    try:
        from venice.cli.exit_codes import run_to_end  # noqa: PLC0415 behind `end_at_once`
    except EngineError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(2)

    code = run_to_end()
    # Without this, the interpreter searches all modules for garbage when it ends. DuckDB warns of
    # objects that are not collected.
    if "duckdb" not in sys.modules:
        gc.freeze()
    sys.exit(code)


def _prepare_streams() -> None:
    """Raise an error if standard output is missing; let streams replace unencodable characters."""
    # Python sets a closed stream to `None`; the next file to be opened would take its descriptor.
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 never closed
    if sys.stdout is None:
        sys.stderr.write(
            "error: standard output is closed\n   = expected: a terminal, file or pipe\n"
        )
        sys.exit(2)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
