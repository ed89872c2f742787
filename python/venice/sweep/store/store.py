"""Store of the results of runs: a report with its figures, or the reason of a failure."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from venice import version
from venice.report import Report
from venice.report.figure_paths import ALL, figure
from venice.sweep.content import Contents
from venice.sweep.key import Keys
from venice.sweep.notices import warn_of_damage, warn_of_reruns
from venice.sweep.store import checksums, compression, damage
from venice.sweep.store.claims import Claims
from venice.sweep.store.database import (
    FILE_NAME,
    explained,
    open_for_work,
    sql_name,
    transaction,
)
from venice.sweep.store.digests import KeptDigests
from venice.sweep.store.engines import stale_of
from venice.sweep.store.plan import Plan, key_in_use
from venice.sweep.store.results import Results, read_report
from venice.sweep.store.run_lists import RunList

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from contextlib import AbstractContextManager
    from sqlite3 import Connection

    from venice.sweep.definition import Point
    from venice.sweep.outcome import RunOutcome

_INSERT = (
    "INSERT OR IGNORE INTO finished "  # noqa: S608 our names
    f"(key, version, engine, at, checksum, {', '.join(map(sql_name, ALL))}) "
    f"VALUES (?, ?, ?, ?, ?, {', '.join('?' for _ in ALL)})"
)


class Store:
    """Store of a folder, open for reading and writing; opening it removes damaged rows.

    Attributes
    ----------
    folder
        Folder of the store.

    Raises
    ------
    UsageError
        If the store cannot be opened.
    OutputError
        If the store cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        self._database: Connection = open_for_work(self.folder)
        self._dictionary: _Dictionary | None = None
        with self.explained():
            found = damage.heal(self._database, self.folder)
        if found:
            warn_of_damage(self.folder / FILE_NAME, found)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database file of the store."""
        self._database.close()

    def explained(self) -> AbstractContextManager[None]:
        """Return a context manager that converts SQLite errors to errors with a clear message."""
        return explained(self.folder / FILE_NAME)

    def warn_of_reruns(self, sweeps: Iterable[str]) -> None:
        """Warn if runs of these sweeps are run again because another engine made them."""
        stale = stale_of(self._database, sweeps)
        if stale:
            warn_of_reruns(self.folder / FILE_NAME, stale)

    def plan(self, name: str, points: Sequence[Point]) -> Plan:
        """Store a sweep and return its plan."""
        return Plan(self._database, name, points)

    def listed(self, name: str, content: str, keys: Iterable[str], expected: int) -> RunList:
        """Return a new list of runs; see :class:`venice.sweep.store.run_lists.RunList`."""
        return RunList(self._database, name, content, keys, expected)

    def keys(self) -> Keys:
        """Return an object that computes the keys of runs and stores the digests of files."""
        return Keys(Contents(KeptDigests(self._database)))

    def key_in_use(self, keys: Sequence[str]) -> str:
        """Return the key of a finished run among runs with equal reports; if none, the first."""
        return key_in_use(self._database, keys)

    def reason(self, key: str, first_attempt: int) -> tuple[str, bool] | None:
        """Return why a run failed in or after an attempt, and true if its scenario was refused."""
        row = self._database.execute(
            "SELECT reason, outcome FROM attempts WHERE key = ? AND id >= ? "
            "AND outcome IN ('failed', 'refused')",
            (key, first_attempt),
        ).fetchone()
        return None if row is None else (str(row[0]), row[1] == "refused")

    def claims(self) -> Claims:
        """Return an object that claims runs for this process."""
        return Claims(self._database, self.folder)

    def results(self, plans: Sequence[Plan]) -> Results:
        """Return the finished runs of some plans."""
        return Results(self.folder, [(plan.sweep, plan.points) for plan in plans])

    def results_of(self, listed: RunList, points: Sequence[Point]) -> Results:
        """Return the finished runs of a list, whose points are given by position."""
        return Results(self.folder, [(listed.sweep, points)])

    def get(self, key: str) -> Report | None:
        """Return the report of a finished run; ``None`` if the run is not finished."""
        row = self._database.execute("SELECT id FROM finished WHERE key = ?", (key,)).fetchone()
        return None if row is None else Report.from_json(read_report(self._database, row[0]))

    def put(self, key: str, report: Report) -> None:
        """Store the report of a run, unless the run already has one."""
        with self.explained(), transaction(self._database):
            self._keep(key, report)

    def end(self, endings: Iterable[RunOutcome]) -> None:
        """Store the outcomes of attempts in one transaction."""
        with transaction(self._database):
            for ending in endings:
                outcome, reason = self._outcome(ending)
                self._database.execute(
                    "UPDATE attempts SET ended = ?, outcome = ?, reason = ? WHERE id = ?",
                    (time.time(), outcome, reason, ending.attempt),
                )

    def _outcome(self, ending: RunOutcome) -> tuple[str, str | None]:
        if isinstance(ending.report, str):
            return ("refused" if ending.is_refused else "failed"), ending.report
        return ("done" if self._keep(ending.key, ending.report) else "late"), None

    def _keep(self, key: str, report: Report) -> bool:
        """Store a report inside a transaction; return false if the run already has one."""
        found = self._database.execute(_INSERT, _row(key, report))
        if found.rowcount == 0:
            return False
        text = report.to_text().encode()
        dictionary = self._dictionary or self._shared(text)
        content = compression.pack(text, dictionary.content)
        checksum = checksums.of_report(key, dictionary.checksum, content)
        self._database.execute(
            "INSERT OR REPLACE INTO reports (id, dictionary, report, checksum) VALUES (?, ?, ?, ?)",
            (found.lastrowid, dictionary.number, content, checksum),
        )
        return True

    def _shared(self, text: bytes) -> _Dictionary:
        """Return the dictionary of all reports; the first report becomes the dictionary."""
        row = self._database.execute("SELECT id, bytes FROM dictionaries").fetchone()
        if row is None:
            row = (1, compression.dictionary_of(text))
            self._database.execute("INSERT INTO dictionaries VALUES (?, ?)", row)
            # Not cached here, because the transaction may still fail.
            return _Dictionary.of(*row)
        self._dictionary = _Dictionary.of(int(row[0]), bytes(row[1]))
        return self._dictionary


class _Dictionary(NamedTuple):
    """Compression dictionary of the store, with its number and checksum."""

    number: int
    content: bytes
    checksum: str

    @classmethod
    def of(cls, number: int, content: bytes) -> _Dictionary:
        return cls(number, content, checksums.of_dictionary(content))


def _row(key: str, report: Report) -> list[Any]:
    """Return the values of a finished run's row, in the order in which they are inserted."""
    figures = [_plain(figure(report, path)) for path in ALL]
    made_by = report.content.get("venice_version")
    engine, at = version.engine_digest(), time.time()
    checksum = checksums.of_run((key, made_by, engine, at), zip(ALL, figures, strict=True))
    return [key, made_by, engine, at, checksum, *figures]


def _plain(value: Any) -> Any:  # noqa: ANN401 a figure
    """Return a value as SQLite would return it; SQLite has no booleans."""
    if isinstance(value, bool):
        return int(value)
    return value if value is None or isinstance(value, int | float | str) else str(value)
