"""Damaged rows of a store, which are detected by checksums and removed, so that runs are repeated.

Rows of earlier versions have no checksum. They do not count as damaged, nor as runs of this engine.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from venice.sweep.store import checksums
from venice.sweep.store.database import (
    FILE_NAME,
    RECOVERY,
    REPLACEMENT,
    StoreError,
    figure_columns,
    sql_name,
    transaction,
)
from venice.text import counts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from sqlite3 import Connection

_MOST_NAMED = 5
_CHECKED_TABLES = ("finished", "points")
_INCOMPLETE = "SELECT sweep FROM points GROUP BY sweep HAVING count(*) != max(place) + 1"
_POINTS = """
SELECT sweep, name, keys, checksum, place, points.key, choices, reason
FROM points JOIN sweeps ON sweeps.id = sweep WHERE checksum IS NOT NULL
"""


class DamagedRow(NamedTuple):
    """Number of a damaged row, and the name of its run or sweep."""

    row: int
    name: str


class Damage(NamedTuple):
    """Damaged rows of a store.

    Attributes
    ----------
    runs
        Finished runs whose figures or report are damaged.
    sweeps
        Sweeps whose list of points is damaged.
    is_index_damaged
        True if an index disagrees with its table.
    """

    runs: list[DamagedRow]
    sweeps: list[DamagedRow]
    is_index_damaged: bool

    def __bool__(self) -> bool:
        return bool(self.runs or self.sweeps or self.is_index_damaged)

    def __str__(self) -> str:
        parts = [
            *([f"damaged runs: {_list_text(self.runs)}"] if self.runs else []),
            *([f"damaged lists of points: {_list_text(self.sweeps)}"] if self.sweeps else []),
        ]
        return "; ".join(parts) or "damaged indexes"


def check(database: Connection, folder: Path) -> None:
    """Raise an error if a store has damaged rows.

    Raises
    ------
    StoreError
        The message states the damaged rows.
    """
    damage = find(database, with_reports=False)
    if damage:
        raise StoreError(f"{folder / FILE_NAME}: {damage}; {REPLACEMENT}")


def heal(database: Connection, folder: Path) -> Damage:
    """Remove damaged rows, so that their runs are repeated; return the rows.

    Raises
    ------
    StoreError
        If the store is damaged beyond its rows.
    """
    before = find(database, with_reports=True)
    if not before:
        return before
    with transaction(database):
        for table in _CHECKED_TABLES:
            database.execute(f"REINDEX {table}")
        # Another process may have healed the store meanwhile.
        found = find(database, with_reports=True)
        _remove(database, found)
        if find(database, with_reports=True):
            raise StoreError(f"{folder / FILE_NAME}: is damaged; {RECOVERY}")
    return found or before


def find(database: Connection, *, with_reports: bool) -> Damage:
    """Return the damaged rows of a store.

    Parameters
    ----------
    with_reports
        True to check all reports, too, which takes ten times as long on a cold disk.
    """
    damaged = set(_damaged_runs(database))
    if with_reports:
        damaged |= set(_damaged_reports(database))
    return Damage(
        [DamagedRow(row, _name(database, row)) for row in sorted(damaged)],
        _damaged_sweeps(database),
        _is_index_damaged(database),
    )


def _damaged_runs(database: Connection) -> Iterator[int]:
    names = figure_columns(database)
    columns = ", ".join(map(sql_name, names))
    query = f"SELECT id, checksum, engine, key, version, at, {columns} FROM finished"  # noqa: S608
    for row, checksum, engine, key, version, at, *figures in database.execute(query):
        if checksum is None and engine is None:
            continue
        identity = (key, version, engine, at)
        if checksum != checksums.of_run(identity, zip(names, figures, strict=True)):
            yield row


def _damaged_reports(database: Connection) -> Iterator[int]:
    dictionaries = dictionary_checksums(database)
    rows = database.execute(
        "SELECT finished.id, key, engine, dictionary, report, reports.checksum "
        "FROM finished LEFT JOIN reports ON reports.id = finished.id"
    )
    for row, key, engine, dictionary, report, checksum in rows:
        if checksum is None and engine is None:
            continue
        if not is_whole(key, report, checksum, dictionaries.get(dictionary)):
            yield row


def dictionary_checksums(database: Connection) -> Mapping[int, str]:
    """Return the checksum of each compression dictionary."""
    rows = database.execute("SELECT id, bytes FROM dictionaries")
    return {number: checksums.of_dictionary(content) for number, content in rows}


def is_whole(key: object, report: object, checksum: object, dictionary: str | None) -> bool:
    """Return true if the row of a report matches its checksum."""
    if not (isinstance(key, str) and isinstance(report, bytes) and dictionary):
        return False
    return checksum == checksums.of_report(key, dictionary, report)


def _damaged_sweeps(database: Connection) -> list[DamagedRow]:
    names = dict(database.execute("SELECT id, name FROM sweeps").fetchall())
    damaged = {row for (row,) in database.execute(_INCOMPLETE) if row in names}
    for sweep, name, keys, checksum, *point in database.execute(_POINTS):
        if checksum != checksums.of_point((name, keys), point):
            damaged.add(sweep)
    return [DamagedRow(row, str(names[row])) for row in sorted(damaged)]


def _is_index_damaged(database: Connection) -> bool:
    return any(
        database.execute(f"PRAGMA main.integrity_check({table})").fetchone()[0] != "ok"
        for table in _CHECKED_TABLES
    )


def _remove(database: Connection, damage: Damage) -> None:
    runs = [(run.row,) for run in damage.runs]
    database.executemany("DELETE FROM finished WHERE id = ?", runs)
    database.executemany("DELETE FROM reports WHERE id = ?", runs)
    sweeps = [(sweep.row,) for sweep in damage.sweeps]
    database.executemany("DELETE FROM points WHERE sweep = ?", sweeps)
    database.executemany("DELETE FROM sweeps WHERE id = ?", sweeps)


def _name(database: Connection, row: int) -> str:
    """Return the name of a run: the choices of a point with this run, if a point has this run."""
    found = database.execute(
        "SELECT choices FROM points JOIN finished USING (key) WHERE finished.id = ?", (row,)
    ).fetchone()
    try:
        choices: Any = json.loads(found[0]) if found else {}
    except ValueError:
        choices = {}
    text = ", ".join(f"{key} = {value}" for key, value in choices.items())
    return text or f"run {row}"


def _list_text(damaged: Sequence[DamagedRow]) -> str:
    names = "; ".join(one.name for one in damaged[:_MOST_NAMED])
    more = len(damaged) - _MOST_NAMED
    return f"{names}; and {counts.of(more, 'other')}" if more > 0 else names
