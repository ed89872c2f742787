"""Search for the rows of a stored table that satisfy a condition.

Rows are excluded in three steps: by zone maps; by the chips' search in columns that are compared
with constants; and by reading the other needed columns of the remaining rows.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venice._native import PifPages, UsageError
from venice.api.scenario import resolve
from venice.files.open_errors import unreadable
from venice.options.deprecation import warn_of_sets
from venice.pif.report import SearchReport
from venice.pif.search import DRIVE, Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy as np
    import pyarrow as pa

    from venice import config
    from venice.pif.columns import Column
    from venice.pif.predicates import Conjunct, Rows

PAGE_BYTES = 16_384
_TABLE = "a table in CSV, or in Parquet if the name ends in .parquet"

Filter = tuple[str, str, Any]
"""Column, operator (``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in``, ``not in``) and value, as
for :func:`pyarrow.parquet.filters_to_expression`."""


@dataclass(frozen=True)
class TableFound:
    """Rows that satisfy all predicates, and statistics of the search.

    Attributes
    ----------
    table
        Rows, in the order of the table.
    patterns
        Byte patterns for which the chips searched.
    candidates
        Number of rows of which all needed columns were read.
    unreadable
        Pages that no decoder could correct, whose rows are missing.
    report
        Cost of the search.
    """

    table: pa.Table
    patterns: tuple[bytes, ...]
    candidates: int
    unreadable: tuple[Unreadable, ...]
    report: SearchReport


class StoredTable:
    """Table that is stored in a drive, column by column."""

    def __init__(self, name: str, table: pa.Table, drive: Any) -> None:  # noqa: ANN401 the engine's
        from venice.pif.columns import stored  # noqa: PLC0415 pyarrow comes only when asked for

        self._name = name
        self._schema = table.schema
        self._rows = table.num_rows
        self._pages = PifPages(drive)
        self._columns: list[Column] = []
        self._first: list[int] = []
        for field, values in zip(table.schema, table.columns, strict=True):
            column = stored(field, values)
            self._columns.append(column)
            self._first.append(self._pages.store(column.data))
        self._held: dict[tuple[int, int], bytes] = {}
        self._unreadable: list[Unreadable] = []
        self._patterns: list[bytes] = []

    def find(self, conjuncts: Iterable[Conjunct], needed: Iterable[str]) -> tuple[pa.Table, int]:
        """Return the needed columns of rows that may satisfy all conjuncts, with their number."""
        from venice.pif.predicates import candidates  # noqa: PLC0415

        conjuncts = list(conjuncts)
        rows = self._all_rows()
        for conjunct in conjuncts:
            rows &= candidates(conjunct.node, self._columns, self._rows)
        for index, found in self._searches(conjuncts):
            rows = self._search(index, found, rows)
        wanted = [index for index, name in enumerate(self._schema.names) if name in set(needed)]
        rows = self._read(wanted, [], rows)
        import pyarrow as pa  # noqa: PLC0415

        fields = [self._schema.field(index) for index in wanted]
        values = [self._values(index, rows) for index in wanted]
        return pa.Table.from_arrays(values, schema=pa.schema(fields)), int(rows.sum())

    def found(self, table: pa.Table, rows: int) -> TableFound:
        """Return the result for the found rows, with the cost of the search."""
        report = SearchReport.of(json.loads(self._pages.report()))
        return TableFound(table, tuple(self._patterns), rows, tuple(self._unreadable), report)

    def _all_rows(self) -> Rows:
        import numpy as np  # noqa: PLC0415

        return np.ones(self._rows, bool)

    def _searches(self, conjuncts: Sequence[Conjunct]) -> list[tuple[int, list[Conjunct]]]:
        """Return the conjuncts that chips can search, by column, shortest column first."""
        from venice.pif.predicates import Leaf  # noqa: PLC0415

        by_column: dict[int, list[Conjunct]] = {}
        for conjunct in conjuncts:
            node = conjunct.node
            if isinstance(node, Leaf) and node.groups(self._columns[node.column]):
                by_column.setdefault(node.column, []).append(conjunct)
        return sorted(by_column.items(), key=lambda item: self._columns[item[0]].pages)

    def _search(self, index: int, conjuncts: Sequence[Conjunct], rows: Rows) -> Rows:
        """Return the rows that satisfy conjuncts on one column, by searching in the chips."""
        from venice.pif.columns import MOST_PATTERNS  # noqa: PLC0415
        from venice.pif.predicates import Leaf  # noqa: PLC0415

        groups: list[list[bytes]] = []
        for node in (conjunct.node for conjunct in conjuncts):
            for group in node.groups(self._columns[index]) if isinstance(node, Leaf) else []:
                if sum(map(len, groups)) + len(group) <= MOST_PATTERNS:
                    groups.append(group)
        self._patterns += [pattern for group in groups for pattern in group]
        rows = self._read([index], groups, rows)
        if rows.any():
            import numpy as np  # noqa: PLC0415
            import pyarrow as pa  # noqa: PLC0415

            field = self._schema.field(index)
            values = pa.table([self._values(index, rows)], schema=pa.schema([field]))
            keep = [conjunct.keep(values) for conjunct in conjuncts if conjunct.keep]
            rows = rows.copy()
            rows[np.flatnonzero(rows)] = np.logical_and.reduce([np.ones(len(values), bool), *keep])
        return rows

    def _read(self, indices: Sequence[int], groups: list[list[bytes]], rows: Rows) -> Rows:
        """Read the pages of columns that contain selected rows; drop rows of unreadable pages."""
        needed = {
            self._first[index] + page: (index, page)
            for index in indices
            for page in self._columns[index].pages_of(rows)
            if (index, page) not in self._held
        }
        if not needed:
            return rows
        found, data, lost = self._pages.search(list(needed), groups)
        for at, number in enumerate(found):
            self._held[needed[number]] = data[at * PAGE_BYTES : (at + 1) * PAGE_BYTES]
        for number in lost:
            index, page = needed[number]
            name = f"{self._name}, column {self._columns[index].field.name}"
            self._unreadable.append(Unreadable(name, page * PAGE_BYTES))
        rows = rows.copy()
        for number in set(needed) - set(found):
            index, page = needed[number]
            starts = self._columns[index].starts
            missing = (
                slice(None) if self._columns[index].is_whole else slice(*starts[page : page + 2])
            )
            rows[missing] = False
        return rows

    def _values(self, index: int, rows: Rows) -> pa.Array:
        """Return a column's values in rows whose pages have been read."""
        import numpy as np  # noqa: PLC0415
        import pyarrow as pa  # noqa: PLC0415

        column = self._columns[index]
        if column.is_whole:
            if not rows.any():
                return pa.array([], column.field.type)
            pages = [self._held[index, page] for page in range(column.pages)]
            whole = b"".join(pages)[: len(column.data)]
            return column.decode(whole, len(rows)).take(pa.array(np.flatnonzero(rows)))
        parts = []
        for page in column.pages_of(rows):
            start, stop = int(column.starts[page]), int(column.starts[page + 1])
            values = column.decode(self._held[index, page], stop - start)
            parts.append(values.take(pa.array(np.flatnonzero(rows[start:stop]))))
        return pa.concat_arrays(parts) if parts else pa.array([], column.field.type)


def filter_table(
    table: pa.Table | str | PathLike[str],
    filters: Sequence[Filter],
    *,
    drive: config.DriveName | str | PathLike[str] | config.Drive = DRIVE,
    fabric: config.FabricName | None = None,
    sets: Sequence[str] = (),
    seed: int | None = None,
) -> TableFound:
    """Find the rows of a table, or of a CSV or Parquet file, that satisfy every predicate.

    Raises
    ------
    UsageError
        If the table cannot be read or a predicate cannot be evaluated.
    """
    warn_of_sets(sets)
    import numpy as np  # noqa: PLC0415 these come only when asked for
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    from venice.pif.predicates import Conjunct, Leaf  # noqa: PLC0415

    name, table = loaded(table)
    for column, _, _ in filters:
        if column not in table.column_names:
            raise UsageError(
                f"there is no column `{column}`; there are {', '.join(table.column_names)}"
            )

    def keep(one: Filter) -> Callable[[pa.Table], np.ndarray]:
        def rows(values: pa.Table) -> np.ndarray:
            numbered = values.append_column("", pa.array(range(len(values))))
            kept = numbered.filter(pq.filters_to_expression([one]))
            return np.isin(np.arange(len(values)), kept.column(len(values.column_names)))

        return rows

    def conjunct(one: Filter) -> Conjunct:
        column, operator, value = one
        index = table.column_names.index(column)
        values = [value] if operator in ("=", "==") else value if operator == "in" else []
        is_text = all(isinstance(each, str) for each in values)
        from venice.pif.columns import is_text as holds_texts  # noqa: PLC0415

        if not (values and is_text and holds_texts(table.schema.field(index).type)):
            return Conjunct(None)
        return Conjunct(Leaf(index, values=tuple(values)), keep(one))

    try:
        expression = pq.filters_to_expression(list(filters)) if filters else None
        if expression is not None:
            table.schema.empty_table().filter(expression)
        stored = StoredTable(name, table, resolve(drive, fabric, sets, seed))
        rows, count = stored.find(map(conjunct, filters), table.column_names)
        kept = rows if expression is None else rows.filter(expression)
    except (pa.ArrowException, ValueError) as error:
        raise UsageError(f"the predicates cannot be evaluated: {error}") from None
    return stored.found(kept, count)


def loaded(table: pa.Table | str | PathLike[str]) -> tuple[str, pa.Table]:
    """Return the name and the contents of a table or of its file.

    Raises
    ------
    UsageError
        If the table cannot be read.
    """
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.csv as pv  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    from venice.pif.columns import plain  # noqa: PLC0415

    if isinstance(table, pa.Table):
        return "table", plain(table)
    path = Path(fspath(table))
    try:
        read = pq.read_table(path) if path.suffix == ".parquet" else pv.read_csv(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise UsageError(f"{path}: {_unread(path, error)}") from None
    return str(path), plain(read)


def _unread(path: Path, error: Exception) -> str:
    """Return an error message on a table that cannot be read."""
    if not path.exists():
        return unreadable(FileNotFoundError(), _TABLE)
    if path.is_dir():
        return unreadable(IsADirectoryError(), _TABLE)
    reason = "".join(char if char.isprintable() else "?" for char in str(error))
    return f"is not a table: {reason}; expected: {_TABLE}"
