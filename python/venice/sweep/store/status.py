"""Progress of the sweeps in a store."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from venice import version
from venice.sweep.store.damage import Damage, find
from venice.sweep.store.database import FILE_NAME, explained, open_to_read
from venice.sweep.store.engines import Engine, engines_of
from venice.sweep.store.plan import count_other_processes

if TYPE_CHECKING:
    from pathlib import Path
    from sqlite3 import Connection

RATE_OVER_S = 60.0
"""Period over which the rate of finished runs is measured [s]."""

_COUNTS = """
SELECT sum(engine IS :engine AND finished.id IS NOT NULL),
    sum(engine IS NOT :engine AND finished.id IS NOT NULL), sum(points.key IS NULL),
    sum(finished.id IS NULL AND EXISTS (SELECT 1 FROM attempts
        WHERE attempts.key = points.key AND ended IS NULL)),
    sum(finished.id IS NULL AND EXISTS (SELECT 1 FROM attempts
        WHERE attempts.key = points.key AND outcome IN ('failed', 'refused'))
        AND NOT EXISTS (SELECT 1 FROM attempts WHERE attempts.key = points.key AND ended IS NULL))
FROM points LEFT JOIN finished USING (key) WHERE sweep = :sweep
"""


class Progress(NamedTuple):
    """Progress of a sweep, as numbers of points.

    Attributes
    ----------
    name
        Name of the sweep.
    points
        Number of points.
    done, failed, impossible, running
        Numbers of points whose run is finished, has failed in its last attempt, is impossible, or
        is claimed by a process.
    stale
        Number of points with a run of another engine; these are run again and count as left.
    """

    name: str
    points: int
    done: int
    failed: int
    impossible: int
    running: int
    stale: int

    @property
    def left(self) -> int:
        """Number of points without a run, or with a run of another engine."""
        return self.points - self.done - self.failed - self.impossible - self.running


class Status(NamedTuple):
    """Progress of all sweeps in a store.

    Attributes
    ----------
    sweeps
        Progress of each sweep.
    processes
        Number of processes that run points of the sweeps.
    runs_per_s
        Finished runs per second, over the last minute or since the processes began.
    interrupted
        Number of runs with an attempt that ended because its process did.
    engines
        Engines with runs in the store, and their numbers of runs.
    damage
        Damaged rows, found without checking reports; their runs count as done until they are
        repeated.
    """

    sweeps: list[Progress]
    processes: int
    runs_per_s: float
    interrupted: int
    engines: list[Engine]
    damage: Damage

    @property
    def stale(self) -> int:
        """Number of runs in the store that were made by other engines."""
        return sum(engine.runs for engine in self.engines if not engine.is_current)

    @property
    def left_s(self) -> float | None:
        """Remaining time at the present rate [s]; ``None`` if the rate is unknown."""
        left = sum(sweep.left + sweep.running for sweep in self.sweeps)
        return left / self.runs_per_s if self.runs_per_s > 0 else None


def status(folder: Path) -> Status:
    """Return the progress of the sweeps of a store.

    Raises
    ------
    StoreError
        If there is no store.
    """
    with explained(folder / FILE_NAME):
        database = open_to_read(folder)
        try:
            return _status(database)
        finally:
            database.close()


def _status(database: Connection) -> Status:
    rows = database.execute("SELECT id, name, points FROM sweeps ORDER BY id").fetchall()
    sweeps = [_progress(database, *row) for row in rows]
    processes = count_other_processes(database)
    rate = _rate(database) if processes else 0.0
    damage = find(database, with_reports=False)
    return Status(sweeps, processes, rate, _interrupted(database), engines_of(database), damage)


def _interrupted(database: Connection) -> int:
    query = "SELECT count(DISTINCT key) FROM attempts WHERE outcome = 'lost'"
    return int(database.execute(query).fetchone()[0])


def _progress(database: Connection, sweep: int, name: str, points: int) -> Progress:
    parameters = {"sweep": sweep, "engine": version.engine_digest()}
    row = database.execute(_COUNTS, parameters).fetchone()
    done, stale, impossible, running, failed = (int(count or 0) for count in row)
    if not count_other_processes(database):
        # Claims of a process that has ended do not count.
        running = 0
    return Progress(name, points, done, failed, impossible, running, stale)


def _rate(database: Connection) -> float:
    now = time.time()
    begun = database.execute("SELECT min(begun) FROM processes WHERE has_left = 0").fetchone()[0]
    since = max(now - RATE_OVER_S, begun or now)
    # The newest attempts are last; only those that may count are read.
    done = database.execute(
        "SELECT count(*) FROM attempts WHERE id > (SELECT max(id) FROM attempts) - 1000000 "
        "AND outcome = 'done' AND ended >= ?",
        (since,),
    ).fetchone()[0]
    return int(done) / max(now - since, 1.0)
