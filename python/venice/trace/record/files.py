"""Conversion of system calls to reads and writes of files, with their offsets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from venice.trace.record.calls import Call

TRACED = (
    *("open", "openat", "creat", "close", "lseek", "ftruncate"),
    *("dup", "dup2", "dup3", "fcntl", "clone", "clone3", "fork", "vfork"),
    *("read", "readv", "pread64", "preadv", "preadv2"),
    *("write", "writev", "pwrite64", "pwritev", "pwritev2"),
    *("fsync", "fdatasync"),
)
"""System calls that are traced."""

_OFFSET_PLACES = {
    **dict.fromkeys(("pread64", "preadv", "pwrite64", "pwritev"), -1),
    **dict.fromkeys(("preadv2", "pwritev2"), -2),
}
_OPERATIONS = {"fsync": "sync", "fdatasync": "datasync"}
_OF_THE_SYSTEM = ("/dev/", "/proc/", "/sys/")


class FileRequest(NamedTuple):
    """Read, write or sync of a file."""

    us: int
    """Time of the call, in microseconds since 1970."""
    path: str
    """Path of the file."""
    op: str
    """``read``, ``write``, ``sync`` or ``datasync``."""
    offset: int
    """Offset of the first byte [bytes]."""
    length: int
    """Length of the read or write [bytes]."""


@dataclass
class _Open:
    """Open file description: path, position and append mode."""

    path: str
    position: int = 0
    appends: bool = False


_Table = dict[int, _Open]


def file_requests(calls: Iterable[Call], wanted: Callable[[str], bool]) -> Iterator[FileRequest]:
    """Yield the requests to files for which `wanted` returns true.

    As in POSIX, forked processes share the positions of inherited files, threads share the
    descriptors, and duplicated descriptors share a position.
    """
    files = _Files()
    for call in calls:
        if request := files.take(call):
            path = request.path
            is_file = path.startswith("/") and not path.startswith(_OF_THE_SYSTEM)
            if is_file and wanted(path):
                yield request


class _Files:
    def __init__(self) -> None:
        self._tables: dict[int, _Table] = {}
        self._ends: dict[str, int] = {}
        """Largest known size of each file [bytes], for files that are opened to append."""

    def take(self, call: Call) -> FileRequest | None:
        """Process a system call and return its request, if it accesses a selected file."""
        table = self._tables.setdefault(call.pid, {})
        if call.name in ("clone", "clone3", "fork", "vfork"):
            self._inherit(call, table)
        elif call.name in ("open", "openat", "creat"):
            self._open(call, table)
        elif (file := call.file()) is not None:
            return self._use(call, table, *file)
        return None

    def _inherit(self, call: Call, table: _Table) -> None:
        # The child may have been seen before its parent returned.
        own = self._tables.get(call.result, {})
        if "CLONE_FILES" in call.arguments:
            table.update(own)
            self._tables[call.result] = table
        else:
            self._tables[call.result] = {**table, **own}

    def _open(self, call: Call, table: _Table) -> None:
        if call.path is None:
            return
        table[call.result] = _Open(call.path, appends="O_APPEND" in call.arguments)
        if "O_TRUNC" in call.arguments or call.name == "creat":
            self._ends[call.path] = 0

    def _use(self, call: Call, table: _Table, fd: int, path: str) -> FileRequest | None:
        opened = table.get(fd)
        if opened is None or opened.path != path:
            opened = table[fd] = _Open(path)
        if call.name == "close":
            del table[fd]
        elif call.name == "lseek":
            opened.position = call.result
        elif call.name == "ftruncate":
            self._ends[path] = call.number(-1) or 0
        elif call.name in ("dup", "dup2", "dup3") or "F_DUPFD" in call.arguments:
            table[call.result] = opened
        elif call.name in _OPERATIONS:
            return FileRequest(call.us, path, _OPERATIONS[call.name], 0, 0)
        elif call.name != "fcntl" and call.result > 0:
            return self._move(call, opened)
        return None

    def _move(self, call: Call, opened: _Open) -> FileRequest:
        """Return a read or write, and advance the file position."""
        op = "read" if "read" in call.name else "write"
        offset = call.number(_OFFSET_PLACES[call.name]) if call.name in _OFFSET_PLACES else None
        if offset is None or offset < 0:
            if opened.appends and op == "write":
                opened.position = self._ends.get(opened.path, 0)
            offset = opened.position
            opened.position += call.result
        end = offset + call.result
        self._ends[opened.path] = max(end, self._ends.get(opened.path, 0))
        return FileRequest(call.us, opened.path, op, offset, call.result)
