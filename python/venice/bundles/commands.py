"""Lists of commands: a file with one ``venice`` command in each line."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from venice._native import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_PROGRAM = "venice"
_PROMPT = "$ "
_SHELL = frozenset({"|", "||", "&&", ";", ">", ">>", "<", "&"})
"""Words that only a shell understands."""


class ListedCommand(NamedTuple):
    """A command of a list.

    Attributes
    ----------
    where
        File and line of the command, for error messages.
    words
        Words after ``venice``.
    """

    where: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        """Return the command as typed in a shell."""
        return shlex.join([_PROGRAM, *self.words])


def read_commands(path: Path) -> list[ListedCommand]:
    """Read a list of commands.

    Raises
    ------
    UsageError
        If a line is not a command of Venice, or there is none.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from None
    found = list(_commands(text, path))
    if not found:
        raise UsageError(f"{path}: has no commands; expected: a line such as venice figure …")
    return found


def to_script(commands: Sequence[ListedCommand]) -> str:
    """Return a shell script of the commands, in the format of :func:`read_commands`."""
    return "".join(["#!/bin/sh\nset -e\n", *(f"{command}\n" for command in commands)])


def _commands(text: str, path: Path) -> Iterator[ListedCommand]:
    for number, line in _lines(text):
        where = f"{path}: line {number}"
        try:
            words = shlex.split(line.removeprefix(_PROMPT), comments=True)
        except ValueError as error:
            raise UsageError(f"{where}: {error}") from None
        if not words or words[0] == "set":
            continue
        if words[0] != _PROGRAM:
            raise UsageError(f"{where}: `{words[0]}` is not {_PROGRAM}; expected: its commands")
        if foreign := _SHELL.intersection(words):
            raise UsageError(
                f"{where}: `{min(foreign)}` needs a shell; expected: one command in each line"
            )
        yield ListedCommand(where, tuple(words[1:]))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield each line with its number; lines that end in a backslash are joined with the next."""
    start, whole = 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        start = start or number
        if line.endswith("\\"):
            whole += line[:-1] + " "
            continue
        yield start, whole + line
        start, whole = 0, ""
    if whole:
        yield start, whole
