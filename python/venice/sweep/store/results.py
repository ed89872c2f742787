"""Finished runs in a store, read one at a time on access."""

from __future__ import annotations

import csv
import io
import json
import zlib
from collections.abc import Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, overload

from venice.files import output
from venice.report import Report
from venice.report.figure_paths import FORMAT, FORMAT_NOTE, GATHERS, SWITCHES, table_figures
from venice.sweep.store import compression
from venice.sweep.store.checksums import of_dictionary
from venice.sweep.store.damage import check, is_whole
from venice.sweep.store.database import (
    FILE_NAME,
    REPLACEMENT,
    StoreError,
    explained,
    open_to_read,
    sql_name,
)
from venice.text import counts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from sqlite3 import Connection

    from venice.report.frame import Frame
    from venice.sweep.definition import Point, Value

MOST_IN_JSON = 10_000
"""Maximum number of runs for which ``results.json`` is written, which then has a quarter of a
gigabyte."""

_FINISHED = "FROM points JOIN finished USING (key) WHERE sweep = ?"


class Results(Sequence["tuple[Point, Report]"]):
    """Points with their reports, in the order of the points; only one report is in memory."""

    def __init__(self, folder: Path, plans: Sequence[tuple[int, Sequence[Point]]]) -> None:
        self._folder = folder
        self._plans = plans
        self._length: int | None = None
        self._is_checked = False

    def __len__(self) -> int:
        if self._length is None:
            with self._checked() as database:
                self._length = sum(self._count(database, sweep) for sweep, _ in self._plans)
        return self._length

    def __iter__(self) -> Iterator[tuple[Point, Report]]:
        with self._checked() as database:
            for sweep, points in self._plans:
                for place, row in self._rows(database, sweep):
                    yield points[place], Report.from_json(read_report(database, row))

    @overload
    def __getitem__(self, place: int) -> tuple[Point, Report]: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[tuple[Point, Report]]: ...

    def __getitem__(
        self, place: int | slice
    ) -> tuple[Point, Report] | Sequence[tuple[Point, Report]]:
        if isinstance(place, slice):
            chosen = range(*place.indices(len(self)))
            if place.step in (None, 1):
                return list(islice(self, chosen.start, max(chosen.start, chosen.stop)))
            return [self[one] for one in chosen]
        left = range(len(self))[place]
        with self._checked() as database:
            for sweep, points in self._plans:
                count = self._count(database, sweep)
                if left < count:
                    row = self._row(database, sweep, left)
                    return points[row[0]], Report.from_json(read_report(database, row[1]))
                left -= count
        raise IndexError(place)

    def __repr__(self) -> str:
        return f"<Results: {counts.of(len(self), 'run')} in {self._folder / FILE_NAME}>"

    @property
    def are_written_whole(self) -> bool:
        """True if the runs are few enough for ``results.json``."""
        return len(self) <= MOST_IN_JSON

    def rules(self) -> list[str]:
        """Return the rules by which ambiguous trace formats were chosen."""
        columns = f"{sql_name(FORMAT)}, {sql_name(FORMAT_NOTE)}"
        with self._checked() as database:
            rows = [
                row
                for sweep, _ in self._plans
                for row in database.execute(f"SELECT DISTINCT {columns} {_FINISHED}", (sweep,))
            ]
        return list(dict.fromkeys(f"read as {name}: {note}" for name, note in rows if note))

    @property
    def frame(self) -> Frame:
        """Table with a row for each run: values on the axes, and figures of ``results.csv``."""
        from venice.report.frame import Frame  # noqa: PLC0415 few want it

        with self._checked() as database:
            paths = self._paths(database)
            return Frame(
                [
                    {**choices, **dict(zip(paths, figures, strict=True))}
                    for choices, figures in self._figures(database, paths)
                ]
            )

    def write(self, keys: Sequence[str]) -> None:
        """Write ``results.csv`` and, unless there are too many, ``results.json``."""
        with self._checked() as database:
            with output.create(self._folder / "results.csv") as file:
                for line in self._lines(database, keys):
                    file.write(line)
            content = self._folder / "results.json"
            if not self.are_written_whole:
                content.unlink(missing_ok=True)
                return
            with output.create(content) as file:
                for piece in self._as_list(database):
                    file.write(piece)

    @contextmanager
    def _checked(self) -> Iterator[Connection]:
        """Open the store for reading; the first time, all rows are checked."""
        with _Reading(self._folder) as database:
            if not self._is_checked:
                check(database, self._folder)
                self._is_checked = True
            yield database

    def _as_list(self, database: Connection) -> Iterator[bytes]:
        """Yield a JSON list in pieces, with a run on each line and reports as stored."""
        before = "["
        for sweep, points in self._plans:
            for place, row in self._rows(database, sweep):
                point = json.dumps(dict(points[place].choices), ensure_ascii=False, allow_nan=False)
                report = read_report(database, row)
                yield f'{before}\n{{"point": {point}, "report": {report}}}'.encode()
                before = ","
        yield (b"[]\n" if before == "[" else b"\n]\n")

    def _lines(self, database: Connection, keys: Sequence[str]) -> Iterator[bytes]:
        paths = self._paths(database)
        yield _line([*keys, *paths])
        for choices, figures in self._figures(database, paths):
            yield _line([*(choices[key] for key in keys), *figures])

    def _figures(
        self, database: Connection, paths: Sequence[str]
    ) -> Iterator[tuple[Mapping[str, Value], list[Any]]]:
        """Yield the choices and the figures of each run."""
        columns = ", ".join(map(sql_name, paths))
        query = f"SELECT place, {columns} {_FINISHED} ORDER BY place"
        for sweep, points in self._plans:
            for place, *figures in database.execute(query, (sweep,)):
                yield points[place].choices, plain_figures(paths, figures)

    def _paths(self, database: Connection) -> tuple[str, ...]:
        found = [
            database.execute(
                f"SELECT max({sql_name(GATHERS)} > 0), "
                f"max({sql_name(FORMAT)} IS NOT NULL) {_FINISHED}",
                (sweep,),
            ).fetchone()
            for sweep, _ in self._plans
        ]
        return table_figures(
            gathers=any(gathers for gathers, _ in found), traces=any(traces for _, traces in found)
        )

    def _count(self, database: Connection, sweep: int) -> int:
        return int(database.execute(f"SELECT count(*) {_FINISHED}", (sweep,)).fetchone()[0])

    def _rows(self, database: Connection, sweep: int) -> Iterator[tuple[int, int]]:
        yield from database.execute(
            f"SELECT place, finished.id {_FINISHED} ORDER BY place", (sweep,)
        )

    def _row(self, database: Connection, sweep: int, number: int) -> tuple[int, int]:
        found: tuple[int, int] = database.execute(
            f"SELECT place, finished.id {_FINISHED} ORDER BY place LIMIT 1 OFFSET ?",
            (sweep, number),
        ).fetchone()
        return found


class _Reading:
    """Database connection for reading, closed at the end of the block; its errors are converted."""

    def __init__(self, folder: Path) -> None:
        self._explained = explained(folder / FILE_NAME)
        self._database = open_to_read(folder)

    def __enter__(self) -> Connection:
        self._explained.__enter__()
        return self._database

    def __exit__(self, *error: Any) -> None:  # noqa: ANN401
        self._database.close()
        self._explained.__exit__(*error)


def read_report(database: Connection, number: int) -> str:
    """Return the report with a number in the table ``finished``, as JSON.

    Raises
    ------
    StoreError
        If the report is damaged.
    """
    key, *row = database.execute(
        "SELECT key, report, reports.checksum, bytes FROM finished "
        "LEFT JOIN reports ON reports.id = finished.id "
        "LEFT JOIN dictionaries ON dictionaries.id = dictionary WHERE finished.id = ?",
        (number,),
    ).fetchone()
    text = report_text(key, *row)
    if text is None:
        raise StoreError(f"{FILE_NAME}: the report of run {number} is damaged; {REPLACEMENT}")
    return text


def report_text(
    key: str, report: bytes | None, checksum: str | None, dictionary: bytes | None
) -> str | None:
    """Return the text of a compressed report; ``None`` if it is damaged.

    Reports of earlier versions have only zlib's checksum.
    """
    if report is None or dictionary is None:
        return None
    if checksum is not None and not is_whole(key, report, checksum, of_dictionary(dictionary)):
        return None
    try:
        return compression.unpack(report, dictionary)
    except (TypeError, zlib.error):
        return None


def plain_figures(paths: Sequence[str], figures: Sequence[Any]) -> list[Any]:
    """Return figures with booleans restored, since SQLite stores them as integers."""
    return [
        bool(value) if path in SWITCHES and value is not None else value
        for path, value in zip(paths, figures, strict=True)
    ]


def _line(cells: Sequence[Any]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue().encode()
