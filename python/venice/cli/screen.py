"""Where text goes: results to standard output, everything else to standard error."""

from __future__ import annotations

import sys


def say(text: str, *, stderr: bool = False, end: str = "\n") -> None:
    """Print text as it is: nothing in it is taken for markup, no line is broken."""
    print(text, file=sys.stderr if stderr else sys.stdout, end=end)


def say_table(text: str, *, stderr: bool = False) -> None:
    """Print a table, apart from what is before and behind it."""
    say(f"\n{text}\n", stderr=stderr)


def warn(text: str) -> None:
    """Tell of something that does not end the command."""
    say(f"warning: {text}", stderr=True)
