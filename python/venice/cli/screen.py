"""Output of text: results to standard output, all other text to standard error."""

from __future__ import annotations

import sys


def print_text(text: str, *, stderr: bool = False, end: str = "\n") -> None:
    """Print text unchanged, without markup and line breaks of Rich."""
    print(text, file=sys.stderr if stderr else sys.stdout, end=end)


def print_table(text: str, *, stderr: bool = False) -> None:
    """Print a table between empty lines."""
    print_text(f"\n{text}\n", stderr=stderr)


def warn(text: str) -> None:
    """Print a warning to standard error."""
    print_text(f"warning: {text}", stderr=True)
