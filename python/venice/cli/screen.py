"""Where text goes: results to standard output, everything else to standard error."""

from __future__ import annotations

import sys

from rich.console import Console

_WIDTH_WITHOUT_TERMINAL = 100


def console(*, stderr: bool = False) -> Console:
    """Give a console whose width does not depend on where its output goes, terminals apart."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _WIDTH_WITHOUT_TERMINAL
    # No text of ours is markup, and to look for emoji their whole list is imported.
    return Console(
        stderr=stderr, width=width, highlight=False, soft_wrap=False, markup=False, emoji=False
    )


def say(text: str, *, stderr: bool = False) -> None:
    """Print text as it is: nothing in it is taken for markup, no line is broken."""
    print(text, file=sys.stderr if stderr else sys.stdout)


def warn(text: str) -> None:
    """Tell of something that does not end the command."""
    say(f"warning: {text}", stderr=True)
