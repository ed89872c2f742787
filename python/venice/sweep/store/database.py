"""Database file of a store: creation, opening, and errors.

The database is created under a temporary name, and renamed when it is complete, so that no process
opens an incomplete one. On a local disk it has a write-ahead log, with which readers and a writer
do not block each other. That log needs shared memory, so on a network file system there is a
rollback journal instead.
"""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from venice._native import SCHEMA_VERSION, UsageError
from venice.files.output import OutputError
from venice.report.figure_paths import ALL

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE_NAME = "results.sqlite"
FORMAT = 2
"""Version of the tables, which is stored in SQLite's ``user_version``."""
REPLACEMENT = "give the command that made the store again: it does damaged runs again"
RECOVERY = "move it away, or save what can be read of it with `sqlite3 FILE .recover`"
ADDED = {
    "points": ("checksum",),
    "finished": ("engine", "checksum"),
    "reports": ("checksum",),
}
"""Columns that format 1 lacks; they are empty in rows of that format."""
_OF_SEARCH = re.compile(r"(.*) (?:explored|front|short \d+)")
"""Names of the lists that a search stores; see :mod:`venice.exploration.search_contents`."""
_REPORTS = "version of reports"
"""Name of the note that states the version of the store's reports; without the note it is 1."""

_APPLICATION = 0x56_45_4E_43
"""Application identifier in the SQLite file: ``VENC``."""
_PATIENCE_S = 60.0
"""Time limit for another process to finish writing [s]; a transaction takes milliseconds."""
_PAGE_BYTES = 8192
"""Page size of the database [bytes], with which a report takes 2.9 kB; with 4096 bytes it takes 3.9
kB."""

_TABLES = """
CREATE TABLE sweeps (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, fingerprint TEXT NOT NULL,
    points INTEGER NOT NULL, keys TEXT NOT NULL, used REAL NOT NULL, UNIQUE (name, fingerprint));
CREATE TABLE points (
    sweep INTEGER NOT NULL, place INTEGER NOT NULL, key TEXT, choices TEXT NOT NULL, reason TEXT,
    checksum TEXT, PRIMARY KEY (sweep, place)) WITHOUT ROWID;
CREATE INDEX points_of_run ON points (key, sweep);
CREATE TABLE processes (
    id INTEGER PRIMARY KEY, host TEXT NOT NULL, pid INTEGER NOT NULL, started TEXT,
    beat INTEGER NOT NULL, seen REAL NOT NULL, begun REAL NOT NULL, has_left INTEGER NOT NULL);
CREATE TABLE attempts (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, process INTEGER NOT NULL, begun REAL NOT NULL,
    ended REAL, outcome TEXT, reason TEXT);
CREATE UNIQUE INDEX under_way ON attempts (key) WHERE ended IS NULL;
CREATE INDEX unsuccessful ON attempts (key) WHERE outcome IN ('failed', 'refused');
CREATE TABLE finished (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, version TEXT, at REAL NOT NULL,
    engine TEXT, checksum TEXT);
CREATE TABLE reports (
    id INTEGER PRIMARY KEY, dictionary INTEGER NOT NULL, report BLOB NOT NULL, checksum TEXT);
CREATE TABLE dictionaries (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
CREATE TABLE notes (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
_DIGESTS = """
CREATE TABLE IF NOT EXISTS digests (
    path TEXT PRIMARY KEY, size INTEGER NOT NULL, changed_ns INTEGER NOT NULL, digest TEXT NOT NULL)
"""
# Created if missing: stores of earlier versions have no table of digests. An attempt that has not
# ended is a claim; `outcome` is done, failed, refused, lost or late. Figures are columns of
# `finished`, added below; large reports have a table of their own.

_OF_NETWORK = frozenset(
    [
        *("9p", "afs", "beegfs", "ceph", "cifs", "fuse.glusterfs", "fuse.sshfs", "gpfs", "lustre"),
        *("nfs", "nfs4", "smb3", "smbfs"),
    ]
)


class StoreError(UsageError):
    """The file is not a store, or the store is damaged or was made by a newer version."""


def open_for_work(folder: Path) -> sqlite3.Connection:
    """Open the store of a folder for reading and writing; create it if missing.

    Raises
    ------
    StoreError
        If the store cannot be used.
    OutputError
        If the store cannot be written.
    """
    path = folder / FILE_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise UsageError(
            f"{folder}: is not a folder; expected: a folder for the results; "
            "name another with --out"
        ) from None
    except OSError as error:
        raise UsageError(
            f"{folder}: cannot be made: {error.strerror}; give another folder with --out"
        ) from None
    with explained(path):
        if not path.exists():
            _make(path)
        database = _checked(path, "mode=rw")
        try:
            if _is_of_network(folder):
                _leave_log(database, path)
            # With a write-ahead log, the file stays consistent and committed data survives the
            # process. With a rollback journal, consistency needs FULL, which is SQLite's default.
            if database.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
                database.execute("PRAGMA synchronous = NORMAL")
            _upgrade(database)
            _add_figures(database)
            database.execute(_DIGESTS)
        except BaseException:
            database.close()
            raise
    return database


def open_to_read(folder: Path) -> sqlite3.Connection:
    """Open the store of a folder only for reading.

    Raises
    ------
    StoreError
        If the store does not exist or cannot be read.
    """
    path = folder / FILE_NAME
    if not path.is_file():
        what = f"has no {FILE_NAME}" if folder.exists() else "there is no such folder"
        raise StoreError(
            f"{folder}: {what}; expected: the folder of a sweep or a reproduction; "
            "run the sweep first, or name another folder"
        )
    with explained(path):
        database = _opened_to_read(path)
        try:
            _show_as_upgraded(database)
        except BaseException:
            database.close()
            raise
    return database


def _opened_to_read(path: Path) -> sqlite3.Connection:
    try:
        # The last process that closes a store checkpoints the log, so readers need write access,
        # too.
        return _checked(path, "mode=rw")
    except sqlite3.OperationalError:
        if path.with_name(f"{FILE_NAME}-wal").exists():
            raise
        # In a read-only folder, the index of the log cannot be created.
        return _checked(path, "mode=ro&immutable=1")


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Convert SQLite errors in a ``with`` block to errors with a clear message.

    Raises
    ------
    StoreError
        If the file is at fault.
    OutputError
        If the data cannot be written.
    """
    try:
        yield
    except sqlite3.Error as error:
        # Extended codes have the reason in their higher bits.
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        raise _explanation(path, code, error) from None
    except UnicodeDecodeError as error:
        # SQLite's own message quotes a damaged schema.
        raise StoreError(f"{path}: is damaged ({error.reason}); {RECOVERY}") from None


def _explanation(path: Path, code: int, error: sqlite3.Error) -> Exception:
    damaged = f"is damaged ({error}); {RECOVERY}"
    wrong = {
        sqlite3.SQLITE_NOTADB: "is not a store of Venice: it is not SQLite",
        sqlite3.SQLITE_CORRUPT: damaged,
        # A column or table that the store lacks: its schema is damaged.
        sqlite3.SQLITE_ERROR: damaged,
        sqlite3.SQLITE_READONLY: "cannot be written; give another folder with --out",
        sqlite3.SQLITE_CANTOPEN: "cannot be opened; its folder has to be writable",
        sqlite3.SQLITE_PERM: "cannot be opened: permission denied",
    }
    if code in wrong:
        return StoreError(f"{path}: {wrong[code]}")
    late = {
        sqlite3.SQLITE_FULL: "the disk is full",
        sqlite3.SQLITE_BUSY: f"another process has been writing for {_PATIENCE_S:.0f} s",
        sqlite3.SQLITE_LOCKED: f"another process has been writing for {_PATIENCE_S:.0f} s",
    }
    reason = late.get(code, str(error))
    return OutputError(
        f"{path}: could not be written: {reason}; runs that were finished are kept, "
        "and the same command continues from there"
    )


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """Run a ``with`` block in one transaction."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            database.execute("ROLLBACK")
        raise


def sql_name(name: str) -> str:
    """Return the name of a column, quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


def _checked(path: Path, mode: str) -> sqlite3.Connection:
    database = _connect(f"{path.absolute().as_uri()}?{mode}")
    try:
        _check(database, path)
    except BaseException:
        database.close()
        raise
    return database


def _connect(address: str) -> sqlite3.Connection:
    database = sqlite3.connect(
        address, timeout=_PATIENCE_S, isolation_level=None, check_same_thread=False, uri=True
    )
    # Damaged text is decoded with replacements, so that the checksum of its row can detect it.
    database.text_factory = partial(str, encoding="utf-8", errors="replace")
    return database


def _make(path: Path) -> None:
    neighbour = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        database = sqlite3.connect(neighbour, isolation_level=None)
        try:
            database.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
            if not _is_of_network(path.parent):
                database.execute("PRAGMA journal_mode = WAL")
            database.executescript(f"BEGIN; {_TABLES} COMMIT;")
            _add_figures(database)
            database.execute("INSERT INTO notes VALUES (?, ?)", (_REPORTS, str(SCHEMA_VERSION)))
            database.execute(f"PRAGMA application_id = {_APPLICATION}")
            database.execute(f"PRAGMA user_version = {FORMAT}")
        finally:
            database.close()
        _link(neighbour, path)
    finally:
        neighbour.unlink(missing_ok=True)


def _link(neighbour: Path, path: Path) -> None:
    """Link a file to its final name, unless another process has done so first."""
    try:
        path.hardlink_to(neighbour)
    except FileExistsError:
        return
    except OSError:  # a file system without links
        if not path.exists():
            neighbour.rename(path)


def _check(database: sqlite3.Connection, path: Path) -> None:
    application = database.execute("PRAGMA application_id").fetchone()[0]
    version = _format(database)
    if application != _APPLICATION:
        raise StoreError(f"{path}: is not a store of Venice; give another folder with --out")
    if version > FORMAT:
        raise StoreError(
            f"{path}: was written by a newer Venice (format {version}, and this one reads up to "
            f"{FORMAT}); use that one, or give another folder with --out"
        )
    _check_reports(database, path)


def _number(text: object, path: Path) -> int:
    if not str(text).isascii() or not str(text).isdigit():
        raise StoreError(f"{path}: is damaged (the version of its reports is {text!r}); {RECOVERY}")
    return int(str(text))


def _check_reports(database: sqlite3.Connection, path: Path) -> None:
    """Refuse a store whose reports have another version."""
    row = database.execute("SELECT value FROM notes WHERE name = ?", (_REPORTS,)).fetchone()
    found = 1 if row is None else _number(row[0], path)
    if found > SCHEMA_VERSION:
        raise StoreError(
            f"{path}: holds reports of version {found}, and this Venice reads {SCHEMA_VERSION}; "
            "update, or give another folder with --out"
        )
    if found < SCHEMA_VERSION:
        row = database.execute("SELECT name FROM sweeps ORDER BY used DESC").fetchone()
        command = _command_of(None if row is None else str(row[0]))
        raise StoreError(
            f"{path}: holds reports of version {found}, whose figures have another meaning than "
            f"those of version {SCHEMA_VERSION}; run again: {command} --out NEW-FOLDER"
        )


def _command_of(sweep: str | None) -> str:
    """Return the command that made the runs of a store, judged by the name of its last sweep."""
    if sweep is None:
        return "venice sweep SWEEP.toml"
    search = _OF_SEARCH.fullmatch(sweep)
    return f"venice explore {search[1]}.toml" if search else f"venice sweep {sweep}.toml"


def _leave_log(database: sqlite3.Connection, path: Path) -> None:
    """Switch a store that was on a local disk to the journal mode for network file systems."""
    if database.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        return
    try:
        database.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.OperationalError:
        raise StoreError(
            f"{path}: is in use on the machine that has its disk; wait for that, "
            "or give another folder with --out"
        ) from None


def _format(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def _upgrade(database: sqlite3.Connection) -> None:
    """Add the columns that a store of format 1 lacks."""
    if _format(database) == FORMAT:
        return
    with transaction(database):
        if _format(database) == FORMAT:
            return
        for table, columns in ADDED.items():
            for column in columns:
                database.execute(f"ALTER TABLE {table} ADD COLUMN {column} TEXT")
        database.execute(f"PRAGMA user_version = {FORMAT}")


def _show_as_upgraded(database: sqlite3.Connection) -> None:
    """Add empty columns to a read-only store of format 1, as seen by this connection."""
    if _format(database) == FORMAT:
        return
    for table, columns in ADDED.items():
        empty = ", ".join(f"NULL AS {column}" for column in columns)
        # A temporary view hides the table of its name.
        database.execute(f"CREATE TEMP VIEW {table} AS SELECT *, {empty} FROM main.{table}")  # noqa: S608


def _add_figures(database: sqlite3.Connection) -> None:
    """Add columns for figures that the store does not have yet."""
    if set(ALL) <= set(figure_columns(database)):
        return
    with transaction(database):
        there = set(figure_columns(database))
        for path in ALL:
            if path not in there:
                # A column without a type keeps the type of each number.
                database.execute(f"ALTER TABLE finished ADD COLUMN {sql_name(path)}")


def figure_columns(database: sqlite3.Connection) -> list[str]:
    """Return the figures that are columns of a store."""
    own = ("id", "key", "version", "at", *ADDED["finished"])
    names = [row[1] for row in database.execute("PRAGMA table_info(finished)")]
    return [name for name in names if name not in own]


def _is_of_network(folder: Path) -> bool:
    """Return true if the folder is on a network file system."""
    try:
        lines = Path("/proc/self/mounts").read_text().splitlines()
    except OSError:
        return False
    here = str(folder.resolve())
    mounts = [line.split()[1:3] for line in lines]
    inside = [
        (point, kind)
        for point, kind in mounts
        if here == point or here.startswith(point.rstrip("/") + "/")
    ]
    return bool(inside) and max(inside, key=lambda mount: len(mount[0]))[1] in _OF_NETWORK
