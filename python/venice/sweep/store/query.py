"""SQL queries on a store, through a view with a column for each choice and figure.

``runs`` has a row for each finished run of each sweep: ``sweep``, ``place``, the choices, the
figures, ``version``, ``engine``, ``finished_at`` and ``report``, the whole report as JSON. A name
with dots needs no quotes, unlike in standard SQL: ``SELECT fabric, latency_us.all.p99 FROM runs``.
"""

from __future__ import annotations

import difflib
import json
import re
import sqlite3
from typing import TYPE_CHECKING, Any

from venice._native import UsageError
from venice.report.figure_paths import FORMAT, GATHERS, SWITCHES, table_figures
from venice.sweep.notices import warn_of_stale
from venice.sweep.store.damage import check
from venice.sweep.store.database import (
    FILE_NAME,
    REPLACEMENT,
    StoreError,
    explained,
    open_to_read,
    sql_name,
)
from venice.sweep.store.engines import visible_stale_engines
from venice.sweep.store.results import report_text
from venice.sweep.store.runs_view import (
    BEFORE,
    BEHIND,
    REPORT,
    VIEW,
    choices_of,
    figures_of,
    view_query,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_EXPECTED = f"expected: one SELECT, as SQLite has it, on the view `{VIEW}`"
_PARTS = re.compile(
    r"""('(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|/\*.*?\*/)""", re.DOTALL
)
"""Regular expression for texts, quoted names and comments in a query."""
_DOTTED = re.compile(r"\b(?:runs\.)?([A-Za-z_]\w*(?:\.\w+)+)\b")
_ALLOWED = frozenset(
    {
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
    }
)


class Query:
    """Store that is open for queries.

    Attributes
    ----------
    columns
        Columns of the view.
    choices
        Columns that are keys of axes.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._database = open_to_read(folder)
        with explained(self._path):
            check(self._database, folder)
            self._prepare()
            self._damaged: list[str] = []
            stale = visible_stale_engines(self._database)
        if stale:
            warn_of_stale(self._path, stale)

    def __enter__(self) -> Query:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def sql(self, query: str) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """Execute a query; return the names of the columns, and the rows.

        Raises
        ------
        UsageError
            If the query is invalid or would change the store.
        """
        text = self._with_quotes(query)
        try:
            cursor = self._database.execute(text)
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise self._explanation(query, error) from None
        if cursor.description is None:
            raise UsageError(f"`{query}` is an empty query; {_EXPECTED}")
        return [column[0] for column in cursor.description], self._rows(cursor)

    def table(self) -> tuple[list[str], list[type], Iterator[tuple[Any, ...]]]:
        """Return all choices and figures: the columns of ``results.csv``, with the sweep in front.

        Returns
        -------
        tuple
            Names and types of the columns, and the rows.
        """
        gathers, traces = self._database.execute(
            f"SELECT max({sql_name(GATHERS)} > 0), max({sql_name(FORMAT)} IS NOT NULL) "  # noqa: S608
            "FROM runs"
        ).fetchone()
        paths = table_figures(gathers=bool(gathers), traces=bool(traces))
        names = ["sweep", *self.choices, *(path for path in paths if path in self.columns)]
        columns = ", ".join(map(sql_name, names))
        cursor = self._database.execute(f"SELECT {columns} FROM runs ORDER BY sweep, place")  # noqa: S608
        return names, self._kinds(names), self._rows(cursor)

    def _kinds(self, names: Sequence[str]) -> list[type]:
        """Return the types of columns: text if any value is one, else float if any is one."""
        looks = [
            f"max(typeof({sql_name(name)}) = '{kind}')"
            for name in names
            for kind in ("text", "real")
        ]
        filled = [f"max({sql_name(name)} IS NOT NULL)" for name in names]
        query = f"SELECT {', '.join([*looks, *filled])} FROM runs"  # noqa: S608
        row = self._database.execute(query).fetchone()
        return [
            _kind(name in SWITCHES | self._switches, row[2 * place : 2 * place + 2], is_filled)
            for place, (name, is_filled) in enumerate(
                zip(names, row[2 * len(names) :], strict=True)
            )
        ]

    def _rows(self, cursor: sqlite3.Cursor) -> Iterator[tuple[Any, ...]]:
        names = [column[0] for column in cursor.description]
        switches = [place for place, name in enumerate(names) if name in SWITCHES | self._switches]
        with explained(self._path):
            for row in cursor:
                self._refuse_damaged()
                yield _switched(row, switches) if switches else row

    def _refuse_damaged(self) -> None:
        if self._damaged:
            raise StoreError(
                f"{self._path}: the report of run {self._damaged[0]} is damaged; {REPLACEMENT}"
            )

    def _prepare(self) -> None:
        database = self._database
        self.choices = choices_of(database)
        self._switches = self._choices_that_are_switches()
        figures = figures_of(database, self.choices)
        self.columns = [*BEFORE, *self.choices, *figures, *BEHIND, REPORT]
        dictionaries = dict(database.execute("SELECT id, bytes FROM dictionaries").fetchall())

        def text_of(
            key: str, number: int | None, report: bytes | None, checksum: str | None
        ) -> str | None:
            text = report_text(key, report, checksum, dictionaries.get(number))
            if text is None:
                self._damaged.append(key)
            return text

        database.create_function("venice_report", 4, text_of, deterministic=True)
        # A temporary view hides the view of the file.
        database.execute(f"CREATE TEMP VIEW {VIEW} AS {view_query(database, with_reports=True)}")
        database.set_authorizer(
            lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY
        )

    def _choices_that_are_switches(self) -> set[str]:
        """Return the choices that are boolean, judged by the first point of each sweep."""
        rows = self._database.execute("SELECT choices FROM points WHERE place = 0")
        first = [json.loads(choices) for (choices,) in rows]
        return {key for one in first for key, value in one.items() if isinstance(value, bool)}

    def _with_quotes(self, query: str) -> str:
        """Quote the names of columns that contain dots; refuse quoted names that are not columns.

        Without this check, SQLite treats an unknown name in double quotes as text.
        """
        parts = _PARTS.split(query)
        renamed = set(re.findall(r'\bAS\s+"([^"]*)"', query, re.IGNORECASE))
        for place, part in enumerate(parts):
            if place % 2 == 0:
                parts[place] = _DOTTED.sub(self._quote, part)
            elif part.startswith('"'):
                self._check_name(part[1:-1], renamed)
        return "".join(parts)

    def _quote(self, found: re.Match[str]) -> str:
        name = found[1]
        if name in self.columns:
            return sql_name(name)
        if "." in name.partition(".")[2]:
            # Other names in the query have at most one dot, because there is only one table.
            raise UsageError(self._unknown(name))
        return found[0]

    def _check_name(self, name: str, renamed: set[str]) -> None:
        known = {column.lower() for column in (*self.columns, *renamed, VIEW)}
        if name.lower() not in known:
            raise UsageError(self._unknown(name))

    def _unknown(self, name: str) -> str:
        close = difflib.get_close_matches(name, self.columns, n=1, cutoff=0.6)
        hint = f"did you mean {close[0]}? " if close else ""
        return (
            f"`{name}` is not a column; {hint}`SELECT * FROM runs LIMIT 1` shows those there are, "  # noqa: S608
            "and any other figure is in `report`: report ->> '$.latency_us.all.p95'"
        )

    def _explanation(self, query: str, error: Exception) -> Exception:
        text = str(error)
        column = re.fullmatch(r"no such column: (.*)", text)
        if column:
            return UsageError(self._unknown(column[1].strip('"')))
        table = re.fullmatch(r"no such table: (.*)", text)
        if table:
            return UsageError(f"`{query}`: `{table[1]}` is not a table; {_EXPECTED}")
        if "authoriz" in text or "prohibited" in text or "attempt to write" in text:
            return UsageError(f"`{query}` would change the results; {_EXPECTED}")
        if isinstance(error, sqlite3.DatabaseError) and "malformed" in text:
            return StoreError(f"the store is damaged: {text}")
        return UsageError(f"`{query}` is not valid SQL: {text}; {_EXPECTED}")


def _kind(is_switch: bool, looks: Sequence[int | None], is_filled: int | None) -> type:
    has_text, has_real = looks
    if has_text:
        return str
    if is_switch:
        return bool
    return float if has_real or not is_filled else int


def _switched(row: tuple[Any, ...], places: Sequence[int]) -> tuple[Any, ...]:
    return tuple(
        bool(cell) if place in places and cell in (0, 1) else cell for place, cell in enumerate(row)
    )
