"""Files that come into being whole or not at all.

A file is claimed before a run starts, so that a path that cannot be written is known at once and
not after an hour. What is written goes to a neighbour of the file, which takes the file's name at
the end.
"""

from __future__ import annotations

import io
import os
import stat
from contextlib import contextmanager, suppress

from venice._native import UsageError
from venice.typed import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

    from _typeshed import ReadableBuffer

_SHOWN_NAME_CHARS = 32
_NOTHING = 0
"""The mode of what is not there."""


class OutputError(OSError):
    """A file could not be written to its end: a full disk, for instance."""


@contextmanager
def create(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file for writing.

    Leaving the block normally puts the file in its place; leaving it by an exception leaves what
    was there before. A device or pipe is written to directly.

    Raises
    ------
    UsageError
        At once, if the path cannot be written.
    OutputError
        Later, if the contents cannot.
    """
    path = os.fspath(path) or os.curdir
    target = os.path.realpath(path)
    if _is_direct(path, target):
        with _open(path, target, os.O_WRONLY) as file:
            yield file
        return
    folder, name = os.path.split(target)
    neighbour = os.path.join(folder, f".{name[:_SHOWN_NAME_CHARS]}.{os.urandom(4).hex()}")
    try:
        with _open(path, neighbour, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as file:
            yield file
        _rename(path, neighbour, target)
    finally:
        # What goes wrong here, as on a file system that is read alone, is not what is to be told.
        with suppress(OSError):
            os.unlink(neighbour)


def _is_direct(path: str, target: str) -> bool:
    """Whether there is a device or pipe; a folder is refused."""
    try:
        mode = _mode(target)
        if stat.S_ISDIR(mode):
            raise UsageError(f"{path}: is a folder; name a file in it")
        if not stat.S_ISDIR(_mode(os.path.dirname(target))):
            folder = os.path.dirname(path) or os.curdir
            raise UsageError(f"{path}: the folder {folder} does not exist; make it first")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
    return mode != _NOTHING and not stat.S_ISREG(mode)


def _mode(place: str) -> int:
    """Say what is there, as :mod:`stat` has it; what cannot be known raises."""
    try:
        return os.stat(place).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return _NOTHING


def _open(path: str, place: str, flags: int) -> BinaryIO:
    try:
        handle = os.open(place, flags, 0o666)  # the user's mask takes from it, as from any new file
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
    return cast("BinaryIO", io.BufferedWriter(_NamedFile(handle, path)))


def _rename(path: str, neighbour: str, target: str) -> None:
    try:
        os.replace(neighbour, target)
    except OSError as error:
        raise _failed(path, error) from None


def _failed(path: str, error: OSError) -> OutputError:
    return OutputError(f"{path}: could not be written: {error.strerror}")


class _NamedFile(io.FileIO):
    """A file whose write errors say which file they are about."""

    def __init__(self, handle: int, path: str) -> None:
        super().__init__(handle, "wb")
        self._path = path

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise _failed(self._path, error) from None
