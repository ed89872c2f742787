"""Files within a folder, in the order in which GNU ``grep -r`` searches them."""

from __future__ import annotations

import os
from errno import ENAMETOOLONG, ENOENT
from stat import S_ISDIR, S_ISREG
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venice.cli.grep_messages import Messages

_MOST_OPEN = 32
"""Maximum number of open folders of a path, besides the first one. Processes may have 256 open
files on macOS and 1,024 on Linux by default.
"""
_CLOSED = -1
_PATH_MAX = os.pathconf("/", "PC_PATH_MAX")
"""Maximum length of a path including the final NUL [bytes]."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY
_FILE = os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK
"""Flags for opening a file; a FIFO in its place does not block."""


class FolderFile(NamedTuple):
    """Regular file found by a walk, which can be opened only until the walk continues."""

    name: str
    status: os.stat_result
    folder: int
    entry: str
    flags: int

    def open(self) -> int:
        """Open the file and return its descriptor."""
        return os.open(self.entry, self.flags, dir_fd=self.folder)


class _Level:
    """A folder on the path from the first folder to the current one."""

    def __init__(self, entry: str, descriptor: int) -> None:
        self.entry = entry
        self.descriptor = descriptor
        self.identity = _identity(os.fstat(descriptor))
        self.pending = os.listdir(descriptor)
        self.pending.reverse()

    @property
    def is_open(self) -> bool:
        """Return true if the folder is open."""
        return self.descriptor != _CLOSED

    def close(self) -> None:
        """Close the folder, which may be reopened later."""
        if self.is_open:
            os.close(self.descriptor)
            self.descriptor = _CLOSED


class FolderWalk:
    """Depth-first walk that opens folders relative to each other, so that any depth is possible.

    Without `follow`, the length of paths is not limited. An entry that cannot be read is reported,
    and the walk continues. A folder that contains itself is reported as a loop.
    """

    def __init__(self, root: str, messages: Messages, *, follow: bool) -> None:
        self._root = root
        self._messages = messages
        self._follow = follow
        self._no_follow = 0 if follow else os.O_NOFOLLOW
        self._levels: list[_Level] = []
        self._on_path: set[tuple[int, int]] = set()

    def __iter__(self) -> Iterator[FolderFile]:
        """Yield the files; the open folders are closed when the iterator ends or is closed."""
        try:
            self._try_to_enter(self._root or ".", None, self._name())
            while self._levels:
                yield from self._next()
        finally:
            for level in self._levels:
                level.close()

    def _next(self) -> Iterator[FolderFile]:
        """Visit the next entry of the current folder, or leave the folder."""
        level = self._levels[-1]
        if not level.pending:
            self._leave()
            return
        try:
            folder = self._reopened()
        except OSError as error:
            self._messages.error(self._name(), error)
            self._leave()
            return
        entry = level.pending.pop()
        try:
            self._check_length(entry)
            status = os.stat(entry, dir_fd=folder, follow_symlinks=self._follow)
        except OSError as error:
            self._messages.error(self._name(entry), error)
            return
        if S_ISREG(status.st_mode):
            flags = _FILE | self._no_follow
            yield FolderFile(self._name(entry), status, folder, entry, flags)
        elif S_ISDIR(status.st_mode):
            self._descend(entry, folder, status)

    def _check_length(self, entry: str) -> None:
        """Refuse paths that are too long for GNU `grep -R`, which follows links by path."""
        if self._follow and len(os.fsencode(self._name(entry))) >= _PATH_MAX:
            raise OSError(ENAMETOOLONG, os.strerror(ENAMETOOLONG))

    def _descend(self, entry: str, folder: int, status: os.stat_result) -> None:
        if _identity(status) in self._on_path:
            self._messages.warning(self._name(entry), "recursive directory loop")
        else:
            self._try_to_enter(entry, folder, self._name(entry))

    def _try_to_enter(self, entry: str, folder: int | None, name: str) -> None:
        try:
            self._enter(entry, folder)
        except OSError as error:
            self._messages.error(name, error)

    def _enter(self, entry: str, folder: int | None) -> None:
        # What the command line names may be a link.
        flags = _FOLDER | (self._no_follow if folder is not None else 0)
        descriptor = os.open(entry, flags, dir_fd=folder)
        try:
            level = _Level(entry, descriptor)
        except OSError:
            os.close(descriptor)
            raise
        self._levels.append(level)
        self._on_path.add(level.identity)
        self._close_above(len(self._levels) - 1)

    def _leave(self) -> None:
        level = self._levels.pop()
        level.close()
        self._on_path.discard(level.identity)

    def _reopened(self) -> int:
        """Return the descriptor of the current folder, which is reopened if it was closed.

        The folder is opened relative to its nearest open parent; the first folder of a path is
        always open.
        """
        depth = len(self._levels) - 1
        while not self._levels[depth].is_open:
            depth -= 1
        descriptor = self._levels[depth].descriptor
        for below, level in enumerate(self._levels[depth + 1 :], depth + 1):
            level.descriptor = os.open(level.entry, _FOLDER | self._no_follow, dir_fd=descriptor)
            descriptor = level.descriptor
            if _identity(os.fstat(descriptor)) != level.identity:
                level.close()
                raise FileNotFoundError(ENOENT, os.strerror(ENOENT))
            self._close_above(below)
        return descriptor

    def _close_above(self, depth: int) -> None:
        """Close an ancestor of the current folder if too many folders are open."""
        if depth > _MOST_OPEN:
            self._levels[depth - _MOST_OPEN].close()

    def _name(self, entry: str | None = None) -> str:
        """Return the path of an entry, or of the current folder, as grep prints it."""
        below = [level.entry for level in self._levels[1:]]
        if entry is not None:
            below.append(entry)
        elif not below:
            return self._root or "."
        prefix = f"{self._root.rstrip('/')}/" if self._root else ""
        return prefix + "/".join(below)


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
