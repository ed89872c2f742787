"""Files that ``venice grep`` searches: its arguments, and files in folders."""

from __future__ import annotations

import os
import sys
from stat import S_ISREG
from typing import TYPE_CHECKING, Protocol

from venice.cli.files import STANDARD_STREAM
from venice.cli.folder_walk import FolderWalk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from venice.cli.folder_walk import FolderFile
    from venice.cli.grep_messages import Messages
    from venice.pif import FileFound, Search

    class SearchedFile(Protocol):
        """File to search, named on the command line or found in a folder."""

        @property
        def name(self) -> str:
            """Path of the file, as grep prints it."""

        def status(self) -> os.stat_result:
            """Return the file's status."""

        def search(self, search: Search, write: Callable[[bytes], object]) -> FileFound:
            """Search the file and write the lines found."""


class _StandardInput:
    name = "(standard input)"

    def status(self) -> os.stat_result:
        return os.fstat(sys.stdin.fileno())

    def search(self, search: Search, write: Callable[[bytes], object]) -> FileFound:
        return search.stream(sys.stdin.buffer, self.name, write)


class _NamedFile:
    def __init__(self, name: str) -> None:
        self.name = name

    def status(self) -> os.stat_result:
        return os.stat(self.name)  # noqa: PTH116 the name as it was given

    def search(self, search: Search, write: Callable[[bytes], object]) -> FileFound:
        return search.read(self.name, write)


class _FileInFolder:
    def __init__(self, file: FolderFile) -> None:
        self._file = file
        self.name = file.name

    def status(self) -> os.stat_result:
        return self._file.status

    def search(self, search: Search, write: Callable[[bytes], object]) -> FileFound:
        # The path may be longer than the system takes.
        with open(self._file.open(), "rb", buffering=0) as source:  # noqa: PTH123 a descriptor
            return search.stream(source, self.name, write)


class Files:
    """Files to search; folders on the command line are walked with ``-r`` or ``-R``."""

    def __init__(
        self, names: Sequence[str], messages: Messages, *, recursive: bool, follow: bool
    ) -> None:
        self._names = names
        self._messages = messages
        self._recursive = recursive or follow
        self._follow = follow
        named_folder = any(os.path.isdir(name) for name in names)  # noqa: PTH112 as given
        self.are_several = len(names) > 1 or (self._recursive and (not names or named_folder))

    def __iter__(self) -> Iterator[SearchedFile]:
        """Yield files in the order of the command line and of the folders."""
        if not self._names:
            yield from self._within("")
        for name in self._names:
            if name == STANDARD_STREAM:
                yield _StandardInput()
            elif self._recursive and os.path.isdir(name):  # noqa: PTH112 as given
                yield from self._within(name)
            else:
                yield _NamedFile(name)

    def _within(self, folder: str) -> Iterator[SearchedFile]:
        for file in FolderWalk(folder, self._messages, follow=self._follow):
            yield _FileInFolder(file)


def identity_of_output() -> tuple[int, int] | None:
    """Return device and inode of standard output if standard output is a regular file."""
    try:
        status = os.fstat(sys.stdout.fileno())
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if S_ISREG(status.st_mode) else None
