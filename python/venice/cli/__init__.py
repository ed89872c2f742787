"""The command ``venice``: one command per file."""

from __future__ import annotations

import gc
import sys

_ALLOCATIONS_BETWEEN_COLLECTIONS = 100_000
"""What a command imports lives as long as it does: looking through it for garbage every 700
allocations takes a tenth of the start."""


def main() -> None:
    """Run the command line and leave with its exit code."""
    gc.set_threshold(_ALLOCATIONS_BETWEEN_COLLECTIONS)
    try:
        from venice.cli.ending import run_to_end  # noqa: PLC0415 so that Ctrl-C here is caught
    except KeyboardInterrupt:
        sys.exit(1)
    code = run_to_end()
    # Else the interpreter, on its way out, looks through all imports for garbage once more.
    gc.freeze()
    sys.exit(code)
