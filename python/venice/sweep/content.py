"""Digests of the files of a run, which identify it regardless of the files' paths and times.

A trace of gigabytes is not read again for each run or sweep, because its digest is stored with its
path, size and modification time.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Protocol

from venice._native import WorkloadError, complete_workload

_SETTLED_NS = 2_000_000_000
"""Age below which a file's digest is not stored [ns]. The file may change again within one tick of
the file system's clock, which is two seconds on FAT."""
_VARIABLE = re.compile(r"\$\{([^}]*)\}")
"""Regular expression for an environment variable in a fio job file."""


class Stamp(NamedTuple):
    """Size and times that identify a version of a file without reading it."""

    path: str
    size: int
    changed_ns: int


class Memory(Protocol):
    """Storage of digests that outlives a process."""

    def get(self, stamp: Stamp) -> str | None:
        """Return the digest of a version of a file, if it is known."""

    def put(self, stamp: Stamp, digest: str) -> None:
        """Store the digest of a version of a file."""


class ProcessMemory:
    """Storage of digests that lasts as long as the process."""

    def __init__(self) -> None:
        self._digests: dict[Stamp, str] = {}

    def get(self, stamp: Stamp) -> str | None:
        """Return the digest of a version of a file, if it is known."""
        return self._digests.get(stamp)

    def put(self, stamp: Stamp, digest: str) -> None:
        """Store the digest of a version of a file."""
        self._digests[stamp] = digest


_OF_PROCESS = ProcessMemory()


class Contents:
    """Contents of files as of their first access.

    Parameters
    ----------
    memory
        Persistent storage of digests [default: for the life of the process].
    """

    def __init__(self, memory: Memory = _OF_PROCESS) -> None:
        self._memory = memory
        self._digests: dict[str, str | None] = {}
        self._workloads: dict[str, str | None] = {}

    def digest(self, name: str) -> str | None:
        """Return a file's digest; ``None`` for a pipe or device."""
        if name not in self._digests:
            path = Path(name)
            self._digests[name] = self._digest(path) if path.is_file() else None
        return self._digests[name]

    def workload(self, name: str) -> str | None:
        """Return the contents of a workload's file and of all files to which it refers.

        For an invalid file, the result is its digest; its runs report the error.
        """
        if name not in self._workloads:
            path = Path(name)
            is_file = path.suffix.lower() in (".toml", ".fio") and path.is_file()
            self._workloads[name] = self._definition(path) if is_file else None
        return self._workloads[name]

    def _definition(self, path: Path) -> str | None:
        if path.suffix.lower() == ".fio":
            variables = {name: os.environ.get(name) for name in _variables(path)}
            return repr((path.stem, self.digest(str(path)), variables))
        with suppress(WorkloadError):
            return complete_workload(str(path))
        return self.digest(str(path))

    def _digest(self, path: Path) -> str | None:
        status = path.stat()
        stamp = Stamp(str(path.absolute()), status.st_size, status.st_mtime_ns)
        found = self._memory.get(stamp)
        if found is None:
            try:
                with path.open("rb") as file:
                    found = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError:
                # The run reports why the file cannot be read.
                return None
            if time.time_ns() - stamp.changed_ns > _SETTLED_NS:
                self._memory.put(stamp, found)
        return found


def _variables(path: Path) -> list[str]:
    """Return the environment variables on which a job file depends."""
    try:
        return sorted(set(_VARIABLE.findall(path.read_text(encoding="utf-8"))))
    except (OSError, UnicodeDecodeError):
        return []
