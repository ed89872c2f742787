"""Registry of a command's files, which detects an output that overwrites another file."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from venice._native import UsageError

if TYPE_CHECKING:
    from os import PathLike

    _Identity = tuple[int, int, str]
    """Identity of a file: device, inode and an empty name; for a missing file, its folder's and its
    name."""


class Use(NamedTuple):
    """Use of a file: the option that names it, and its path."""

    option: str
    path: str
    is_output: bool

    @property
    def place(self) -> str:
        """Option with its value, as quoted in error messages."""
        return f"{self.option}{'' if self.option.endswith('=') else ' '}{self.path}"


class Ledger:
    """Registry of files by device and inode, so that two paths of one file are recognised.

    Examples
    --------
    >>> ledger = Ledger()
    >>> ledger.write("--json", "figures.json")
    >>> ledger.write("--request-log", "./figures.json")
    Traceback (most recent call last):
    venice.UsageError: error: `--request-log` and `--json` name the same file
      --> --request-log ./figures.json
       = `./figures.json` and `figures.json` are one file
       = expected: a file of its own for each output
       = name another file; nothing was run
    """

    def __init__(self) -> None:
        self._uses: dict[_Identity, Use] = {}

    def read(self, option: str, path: str | PathLike[str]) -> None:
        """Register an input; a missing file is no error here.

        Raises
        ------
        UsageError
            If an output is the same file.
        """
        identity = identity_of(path)
        if identity is None or identity[2]:
            return
        use = Use(option, os.fspath(path), is_output=False)
        before = self._uses.setdefault(identity, use)
        if before.is_output:
            raise _collision(before, use)

    def write(self, option: str, path: str | PathLike[str]) -> None:
        """Register an output; several outputs may share a device or a pipe.

        Raises
        ------
        UsageError
            If an input or another output is the same file.
        """
        identity = identity_of(path)
        if identity is None:
            return
        use = Use(option, os.fspath(path), is_output=True)
        before = self._uses.setdefault(identity, use)
        if before is not use:
            raise _collision(use, before)

    def write_standard_output(self) -> None:
        """Register the file to which standard output is redirected, if any."""
        status = os.fstat(1)
        if stat.S_ISREG(status.st_mode):
            use = Use("standard output", "", is_output=True)
            self._uses[status.st_dev, status.st_ino, ""] = use


def identity_of(path: str | PathLike[str]) -> _Identity | None:
    """Return the identity of a file; ``None`` for devices, pipes and folders."""
    try:
        status = Path(path).stat()
    except FileNotFoundError:
        return _identity_of_new(path)
    except (OSError, ValueError):  # the reader or writer of the file reports the reason
        return None
    return (status.st_dev, status.st_ino, "") if stat.S_ISREG(status.st_mode) else None


def _identity_of_new(path: str | PathLike[str]) -> _Identity | None:
    # `Path.resolve` raises for a loop of links.
    target = Path(os.path.realpath(path))
    try:
        status = target.parent.stat()
    except OSError:
        # The command may create the folder.
        return 0, 0, str(target)
    return status.st_dev, status.st_ino, target.name


def _collision(output: Use, other: Use) -> UsageError:
    if other.is_output:
        what = f"`{output.option}` and `{other.option}` name the same file"
        expected = "a file of its own for each output"
    elif not output.path:
        what = f"standard output is redirected to `{other.path}`, which `{other.option}` reads"
        expected = "a redirection to a file that the command does not read"
    else:
        reader = "the command" if other.option == output.option else f"`{other.option}`"
        what = f"`{output.option}` would overwrite `{other.path}`, which {reader} reads"
        expected = "a file that the command does not read"
    links = f"\n   = `{output.path}` and `{other.path}` are one file"
    is_told = other.path and output.path and output.path != other.path
    return UsageError(
        f"error: {what}\n  --> {output.place.rstrip()}{links if is_told else ''}\n"
        f"   = expected: {expected}\n   = name another file; nothing was run"
    )
