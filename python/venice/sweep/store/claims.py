"""Claims of processes on runs, and release of the claims of dead processes.

1. Checking that a run is neither finished nor claimed, and claiming it, is one transaction. The
   tables allow one claim and one report for each run.

2. A process increments a counter in its row every :data:`BEAT_S`. A process whose counter has not
   changed for :data:`LEASE_S`, by the observer's clock, counts as dead; clocks of different
   machines are never compared.

3. On the same machine, the end of a process is detected at once.

4. Runs claimed by a dead process can be claimed again. If the process was only suspended, its
   report comes late; the first report of a run is kept.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from sqlite3 import Error
from typing import TYPE_CHECKING, NamedTuple

from venice.sweep.store.database import open_for_work, transaction

if TYPE_CHECKING:
    from collections.abc import Sequence
    from sqlite3 import Connection

BEAT_S = 5.0
LEASE_S = 60.0
"""Time without a change of its counter after which a process counts as dead [s]. It is twelve
updates, since a network disk may hang for some seconds."""

_STATE, _STARTED = 0, 19
"""Indexes of fields in ``/proc/PID/stat`` after the command's name: proc(5), fields 3 and 22."""


class Identity(NamedTuple):
    """Identity of a process that is unique among all machines."""

    host: str
    pid: int
    started: str | None

    @classmethod
    def of_this(cls) -> Identity:
        """Return the identity of this process."""
        pid = os.getpid()
        return cls(_host(), pid, _started(pid))

    def is_gone(self) -> bool:
        """Return true if the process ran on this machine and has ended."""
        if self.host != _host():
            return False
        if self.started is not None:
            return _started(self.pid) != self.started
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except OSError:  # the process belongs to another user
            return False
        return False


class Claims:
    """Claims of this process on runs of a store."""

    def __init__(self, database: Connection, folder: Path) -> None:
        self._database = database
        self._folder = folder
        self._watched: dict[int, tuple[int, float]] = {}
        self._stop = threading.Event()
        with transaction(database):
            self._process = self._enrol()
            self.first = self._next_attempt()
        self._beats = threading.Thread(target=self._beat, name="venice-claims", daemon=True)
        self._beats.start()

    @property
    def process(self) -> int:
        """Number of this process's row in the store."""
        return self._process

    def claim(self, keys: Sequence[str]) -> dict[str, int]:
        """Claim runs, unless they are claimed, finished, or have failed since this process began.

        Returns
        -------
        dict
            Number of the attempt for each run that was claimed.
        """
        with transaction(self._database):
            return {key: self._attempt(key) for key in keys if self._is_free(key)}

    def leave(self) -> None:
        """Release all claims of this process; other processes notice if this fails."""
        self._stop.set()
        self._beats.join()
        with suppress(Error), transaction(self._database):
            self._lose("process = ?", self._process)
            self._database.execute(
                "UPDATE processes SET has_left = 1 WHERE id = ?", (self._process,)
            )

    def _enrol(self) -> int:
        now = time.time()
        row = (*Identity.of_this(), now, now)
        found = self._database.execute(
            "INSERT INTO processes (host, pid, started, beat, seen, begun, has_left) "
            "VALUES (?, ?, ?, 0, ?, ?, 0)",
            row,
        )
        return int(found.lastrowid or 0)

    def _next_attempt(self) -> int:
        found = self._database.execute("SELECT coalesce(max(id), 0) + 1 FROM attempts").fetchone()
        return int(found[0])

    def _is_free(self, key: str) -> bool:
        if self._there("SELECT 1 FROM finished WHERE key = ?", key):
            return False
        failed = "SELECT 1 FROM attempts WHERE key = ? AND id >= ? AND outcome IN"
        if self._there(f"{failed} ('failed', 'refused')", key, self.first):
            return False
        claim = self._database.execute(
            "SELECT attempts.id, processes.id, beat, host, pid, started FROM attempts "
            "JOIN processes ON processes.id = process WHERE key = ? AND ended IS NULL",
            (key,),
        ).fetchone()
        if claim is None:
            return True
        attempt, process, beat, *identity = claim
        if process == self._process or not self._is_dead(process, beat, Identity(*identity)):
            return False
        self._lose("id = ?", attempt)
        return True

    def _is_dead(self, process: int, beat: int, identity: Identity) -> bool:
        if identity.is_gone():
            return True
        now = time.monotonic()
        known, since = self._watched.get(process, (None, now))
        if known != beat:
            since = now
        self._watched[process] = (beat, since)
        return now - since > LEASE_S

    def _attempt(self, key: str) -> int:
        found = self._database.execute(
            "INSERT INTO attempts (key, process, begun) VALUES (?, ?, ?)",
            (key, self._process, time.time()),
        )
        return int(found.lastrowid or 0)

    def _lose(self, which: str, number: int) -> None:
        self._database.execute(
            "UPDATE attempts SET ended = ?, outcome = 'lost' "  # noqa: S608 no text of users
            f"WHERE {which} AND ended IS NULL",
            (time.time(), number),
        )

    def _there(self, query: str, *values: object) -> bool:
        return self._database.execute(query, values).fetchone() is not None

    def _beat(self) -> None:
        while not self._stop.wait(BEAT_S):
            # One missed heartbeat is harmless; other calls report a store that cannot be written.
            with suppress(Error, OSError), _OwnConnection(self._folder) as database:
                while True:
                    database.execute(
                        "UPDATE processes SET beat = beat + 1, seen = ? WHERE id = ?",
                        (time.time(), self._process),
                    )
                    if self._stop.wait(BEAT_S):
                        return


class _OwnConnection:
    """Separate database connection, closed at the end of a ``with`` block."""

    def __init__(self, folder: Path) -> None:
        self._database = open_for_work(folder)

    def __enter__(self) -> Connection:
        return self._database

    def __exit__(self, *_: object) -> None:
        self._database.close()


def _host() -> str:
    """Return an identifier of this machine since its last start, and of the process namespace."""
    parts = [os.uname().nodename]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    return " ".join(parts)


def _started(pid: int) -> str | None:
    """Return the start time of a process; a later process with the same number has another."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    # A zombie has ended; its parent has not collected the exit code.
    return None if fields[_STATE] in "ZX" else fields[_STARTED]
