"""Output of text: results to standard output, all other text to standard error."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Screen:
    """State of standard output during a command."""

    is_needed = True
    """True if a command ends when the reader of its standard output has closed it."""


def print_text(text: str, *, stderr: bool = False, end: str = "\n") -> None:
    """Print text unchanged, without markup and line breaks of Rich."""
    try:
        print(text, file=sys.stderr if stderr else sys.stdout, end=end)
    except BrokenPipeError:
        if stderr or _Screen.is_needed:
            raise
        discard_stdout()


def discard_stdout() -> None:
    """Redirect standard output, so that later writes and the flush at exit do not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def ignore_closed_output() -> Iterator[None]:
    """Let the block continue if the reader of standard output, such as `head`, closes it."""
    before, _Screen.is_needed = _Screen.is_needed, False
    try:
        yield
    finally:
        _Screen.is_needed = before


def print_table(text: str, *, stderr: bool = False) -> None:
    """Print a table between empty lines."""
    print_text(f"\n{text}\n", stderr=stderr)


def warn(text: str) -> None:
    """Print a warning to standard error."""
    print_text(f"warning: {text}", stderr=True)
