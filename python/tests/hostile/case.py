"""A hostile input: a command or program, its files, and its permitted outcomes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path


class Outcome(NamedTuple):
    """The end of a process.

    Attributes
    ----------
    code
        Its exit code, or the negative number of the signal that ended it.
    is_late
        True if it was killed at the time limit.
    """

    code: int
    stdout: bytes
    stderr: bytes
    is_late: bool = False


class Link(NamedTuple):
    """A file that is not a regular file with a content of its own."""

    kind: str
    """`fifo`, `symlink` or `hardlink`."""
    name: str
    target: str = ""


def _no_more_faults(_outcome: Outcome, _folder: Path) -> list[str]:
    return []


@dataclass(frozen=True)
class Case:
    """A hostile input."""

    arguments: tuple[str | bytes, ...] = ()
    """Arguments of ``venice``, which runs in the folder of the files."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    script: str = ""
    """A Python program to run in place of the command."""
    outputs: tuple[str, ...] = ()
    """Files that the command may write if it succeeds."""
    stores: tuple[str, ...] = ()
    """Folders that the command may write to even if it fails."""
    must_fail: bool = False
    """True if the command must not end with exit code 0."""
    layout: str = "error: "
    """The beginning of an error message."""
    faults: Callable[[Outcome, Path], list[str]] = _no_more_faults
    """Function that returns further faults of the outcome and of the files in the folder."""
