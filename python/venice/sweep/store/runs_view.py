"""View ``runs`` of a store, with a row for each finished run of each sweep.

The view is part of the database file, so that every SQLite client has it. ``venice sweep sql`` adds
the whole report, which other clients cannot decompress.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from venice.sweep.store.database import figure_columns, sql_name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from sqlite3 import Connection

VIEW = "runs"
REPORT = "report"
BEFORE, BEHIND = ("sweep", "place"), ("version", "engine", "finished_at")
"""Columns of the view before and after the choices and figures."""
_TABLES = "FROM sweeps JOIN points ON points.sweep = sweeps.id JOIN finished USING (key)"
_REPORT = (
    "venice_report(finished.key, reports.dictionary, reports.report, reports.checksum) AS report"
)
"""SQL expression for the report as text; :class:`venice.sweep.store.query.Query` defines its
function."""
_OF_FILE = "SELECT sql FROM sqlite_master WHERE type = 'view' AND name = ?"


def choices_of(database: Connection) -> list[str]:
    """Return the keys of the axes of all sweeps."""
    rows = database.execute("SELECT keys FROM sweeps ORDER BY id")
    return list(dict.fromkeys(key for (keys,) in rows for key in json.loads(keys)))


def figures_of(database: Connection, choices: Sequence[str]) -> list[str]:
    """Return the figures that are columns of the view, without those named like a choice."""
    own = {*choices, *BEFORE, *BEHIND, REPORT}
    return [path for path in figure_columns(database) if path not in own]


def view_query(database: Connection, *, with_reports: bool) -> str:
    """Return the SQL query that defines the view."""
    choices = choices_of(database)
    chosen = [
        f"json_extract(points.choices, {_text(f'$.{sql_name(key)}')}) AS {sql_name(key)}"
        for key in choices
    ]
    names = [
        f"finished.{sql_name(path)} AS {sql_name(path)}" for path in figures_of(database, choices)
    ]
    columns = [
        *("sweeps.name AS sweep", "points.place AS place", *chosen, *names),
        *("finished.version AS version", "finished.engine AS engine"),
        "datetime(finished.at, 'unixepoch') AS finished_at",
        *([_REPORT] if with_reports else []),
    ]
    reports = " LEFT JOIN reports ON reports.id = finished.id" if with_reports else ""
    return f"SELECT {', '.join(columns)} {_TABLES}{reports}"


def renew(database: Connection) -> None:
    """Replace the view in the file, inside a transaction, unless its columns are up to date."""
    text = f"CREATE VIEW {VIEW} AS {view_query(database, with_reports=False)}"
    if database.execute(_OF_FILE, (VIEW,)).fetchone() == (text,):
        return
    database.execute(f"DROP VIEW IF EXISTS {VIEW}")
    database.execute(text)


def _text(value: str) -> str:
    """Return a text as a literal in SQL."""
    return "'" + value.replace("'", "''") + "'"
