"""Stored plan of a sweep: its points, and the key of each run.

Computing a key takes milliseconds, because the drive is resolved. Keys are therefore stored: points
are planned while others run, and a resumed sweep does not plan them again.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from venice._native import ConfigError
from venice.sweep.content import Contents
from venice.sweep.key import Keys, fingerprint
from venice.sweep.store import checksums, runs_view
from venice.sweep.store.claims import LEASE_S, Identity
from venice.sweep.store.database import transaction
from venice.sweep.store.digests import KeptDigests

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from sqlite3 import Connection

    from venice._native import Drive
    from venice.options.run_options import RunOptions
    from venice.sweep.definition import Point, Value

    Row = tuple[int, str | None, Mapping[str, Value], str | None]
    """Position, key and choices of a point. If its drive is impossible, the key is ``None`` and the
    reason is given."""

CHUNK = 16
"""Number of points planned at a time, which takes some hundredths of a second. The first chunk has
only the requested number of points, so that runs begin early."""

PUT_POINT = "INTO points (sweep, place, key, choices, reason, checksum) VALUES (?, ?, ?, ?, ?, ?)"
_UNFINISHED = """
SELECT place, key FROM points WHERE sweep = ? AND place >= ? AND key IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM finished WHERE finished.key = points.key)
AND NOT EXISTS (SELECT 1 FROM attempts WHERE attempts.key = points.key AND attempts.id >= ?
    AND outcome IN ('failed', 'refused'))
ORDER BY place LIMIT ?
"""


class Plan:
    """Plan of a sweep in a store.

    Attributes
    ----------
    name
        Name of the sweep.
    points
        Points of the sweep, by position.
    sweep
        Number of the sweep's row in the store.
    """

    def __init__(self, database: Connection, name: str, points: Sequence[Point]) -> None:
        self.name = name
        self.points = points
        self._database = database
        contents = Contents(KeptDigests(database))
        self._keys = Keys(contents)
        content, keys = fingerprint(points, contents)
        self._header = name, json.dumps(keys)
        with transaction(database):
            self.sweep = sweep_row(database, self._header, content, len(points))

    def done(self) -> int:
        """Return the number of finished and impossible points."""
        found = self._database.execute(
            "SELECT count(*) FROM points LEFT JOIN finished USING (key) "
            "WHERE sweep = ? AND (points.key IS NULL OR finished.id IS NOT NULL)",
            (self.sweep,),
        ).fetchone()
        return int(found[0])

    def unfinished(self, place: int, first_attempt: int, most: int) -> list[tuple[int, str]]:
        """Return runs from a position on that are neither finished nor failed since an attempt.

        Points are planned as needed.
        """
        while True:
            found = self._database.execute(
                _UNFINISHED, (self.sweep, place, first_attempt, most)
            ).fetchall()
            if len(found) >= most or not self._plan_more(most):
                return [(int(place), str(key)) for place, key in found]

    def run_at(self, place: int) -> tuple[RunOptions, Drive | None]:
        """Return the run at a position, with its drive if the drive is cached."""
        options = self.points[place].options
        return options, self._keys.drive_of(options)

    def places_of(self, key: str) -> int:
        """Return the number of points that share a run."""
        found = self._database.execute(
            "SELECT count(*) FROM points WHERE key = ? AND sweep = ?", (key, self.sweep)
        ).fetchone()
        return int(found[0])

    def done_by(self, process: int) -> int:
        """Return the number of points whose runs a process has finished."""
        found = self._database.execute(
            "SELECT count(*) FROM attempts JOIN points USING (key) "
            "WHERE process = ? AND outcome = 'done' AND sweep = ?",
            (process, self.sweep),
        ).fetchone()
        return int(found[0])

    def left_out(self) -> list[tuple[Point, str]]:
        """Return the points whose drive is impossible, each with the reason."""
        rows = self._database.execute(
            "SELECT place, reason FROM points WHERE sweep = ? AND key IS NULL ORDER BY place",
            (self.sweep,),
        )
        return [(self.points[place], str(reason)) for place, reason in rows]

    def failed(self, first_attempt: int) -> list[tuple[Point, str, bool]]:
        """Return the points that failed in or after an attempt: reason, and true if refused."""
        rows = self._database.execute(
            "SELECT place, attempts.reason, outcome FROM points JOIN attempts USING (key) "
            "WHERE sweep = ? AND attempts.id >= ? AND outcome IN ('failed', 'refused') "
            "ORDER BY place",
            (self.sweep, first_attempt),
        )
        return [(self.points[place], str(why), status == "refused") for place, why, status in rows]

    def _plan_more(self, count: int) -> bool:
        """Plan further points; return false if all are planned."""
        start = self._database.execute(
            "SELECT coalesce(max(place), -1) + 1 FROM points WHERE sweep = ?", (self.sweep,)
        ).fetchone()[0]
        end = start + (min(count, CHUNK) if start == 0 else CHUNK)
        rows = [self._planned(place) for place in range(len(self.points))[start:end]]
        with transaction(self._database):
            # Another process may have planned the same points.
            self._database.executemany(f"INSERT OR IGNORE {PUT_POINT}", rows)
        return bool(rows)

    def _planned(self, place: int) -> tuple[Any, ...]:
        point = self.points[place]
        key, reason = None, None
        try:
            key = key_in_use(self._database, self._keys.all_of(point.options))
        except ConfigError as error:
            reason = str(error)
        return point_row(self.sweep, self._header, (place, key, point.choices, reason))


def point_row(sweep: int, header: tuple[str, str], row: Row) -> tuple[Any, ...]:
    """Return the values of a point's row, in the order of :data:`PUT_POINT`.

    Parameters
    ----------
    header
        Name of the sweep, and the keys of its axes as JSON.
    """
    place, key, choices, reason = row
    stored = place, key, json.dumps(dict(choices), ensure_ascii=False), reason
    return (sweep, *stored, checksums.of_point(header, stored))


def sweep_row(database: Connection, header: tuple[str, str], content: str, points: int) -> int:
    """Return the number of a sweep's row, which replaces an earlier definition.

    Parameters
    ----------
    header
        Name of the sweep, and the keys of its axes as JSON.
    content
        Fingerprint of the definition.
    points
        Expected number of points.
    """
    name, keys = header
    database.execute(
        "INSERT INTO sweeps (name, fingerprint, points, keys, used) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (name, fingerprint) DO UPDATE SET used = excluded.used",
        (name, content, points, keys, time.time()),
    )
    found = database.execute(
        "SELECT id FROM sweeps WHERE name = ? AND fingerprint = ?", (name, content)
    ).fetchone()
    _forget_others(database, name, int(found[0]))
    runs_view.renew(database)
    return int(found[0])


def key_in_use(database: Connection, keys: Sequence[str]) -> str:
    """Return the key of a finished run among runs with equal reports; if none, the first key."""
    query = "SELECT 1 FROM finished WHERE key = ?"
    kept = (key for key in keys if database.execute(query, (key,)).fetchone() is not None)
    return next(kept, keys[0])


def _forget_others(database: Connection, name: str, sweep: int) -> None:
    """Delete other sweeps with this name, unless another process may execute them at present."""
    if count_other_processes(database):
        return
    others = "SELECT id FROM sweeps WHERE name = ? AND id != ?"
    database.execute(f"DELETE FROM points WHERE sweep IN ({others})", (name, sweep))  # noqa: S608
    database.execute("DELETE FROM sweeps WHERE name = ? AND id != ?", (name, sweep))


def count_other_processes(database: Connection) -> int:
    """Return the number of other processes that have recently updated their counters in a store."""
    here = Identity.of_this()
    rows = database.execute(
        "SELECT host, pid, started FROM processes WHERE has_left = 0 AND seen > ?",
        (time.time() - LEASE_S,),
    ).fetchall()
    others = [Identity(*row) for row in rows]
    return sum(not other.is_gone() for other in others if other != here)
