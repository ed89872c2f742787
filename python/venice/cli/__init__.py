"""The command ``venice``: one command per file."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    try:
        from venice.cli.ending import run_to_end  # noqa: PLC0415 so that Ctrl-C here is caught
    except KeyboardInterrupt:
        sys.exit(1)
    sys.exit(run_to_end())
