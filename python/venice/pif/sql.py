"""SQL queries on a table that a simulated drive stores.

DuckDB evaluates the unchanged query on the rows that the drive returns. sqlglot also parses it, to
find rows and columns that need not be read (:mod:`venice.pif.pushdown`). Unsupported parts of a
query only mean that more rows are read.
"""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venice._native import UsageError
from venice.api.scenario import resolve
from venice.options.deprecation import warn_of_sets
from venice.pif.filtered_table import StoredTable, TableFound, loaded
from venice.pif.search import DRIVE
from venice.schema_classes import DescribedDrive

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from sqlglot import exp

    from venice import config
    from venice._native import Drive
    from venice.pif.predicates import Conjunct

_BOTH = "`where=` or `select=`"


def query_table(  # noqa: PLR0913 each is a keyword of its own
    table: pa.Table | str | PathLike[str],
    where: str | None = None,
    *,
    select: str = "*",
    query: str | None = None,
    drive: config.DriveName | str | PathLike[str] | config.Drive | Drive = DRIVE,
    fabric: config.FabricName | None = None,
    sets: Sequence[str] = (),
    seed: int | None = None,
) -> TableFound:
    """Return the result of a query on a table, or on a CSV or Parquet file.

    Parameters
    ----------
    table
        Table or path of its file. Queries refer to it by the file's name without suffix, or as
        ``table``.
    where, select
        SQL text after these keywords, in DuckDB's dialect.
    query
        Whole query, in place of `where` and `select`.
    drive, fabric, sets, seed
        Drive, as for :class:`venice.pif.Search`.

    Raises
    ------
    UsageError
        If DuckDB cannot evaluate the query.
    """
    warn_of_sets(sets)
    _need_libraries()
    path, table = loaded(table)
    name = Path(path).stem
    if query is None:
        if where is None:
            raise UsageError("there is nothing to evaluate; expected: `where=` or `query=`")
        quoted = '"' + name.replace('"', '""') + '"'
        query = f"SELECT {select}\nFROM {quoted}\nWHERE ({where}\n)"
    options = "`query=`" if where is None else "`where=`" if select == "*" else _BOTH
    _run(query, name, table.schema.empty_table(), options)
    conjuncts, needed = _pushed_conditions(query, name, table.schema)
    if isinstance(drive, (str, PathLike, DescribedDrive)):
        drive = resolve(drive, fabric, sets, seed)
    stored = StoredTable(path, table, drive)
    rows, count = stored.find(conjuncts, needed)
    return stored.found(_run(query, name, rows, options), count)


def _need_libraries() -> None:
    try:
        import duckdb  # noqa: F401, PLC0415 large, and needed by few
        import pyarrow as pa  # noqa: F401, PLC0415
        import sqlglot  # noqa: F401, PLC0415
    except ImportError as error:
        raise UsageError(
            f"conditions in SQL need {error.name}, which is not installed; "
            "install it with: pip install 'venice-ssd[sql]'"
        ) from None


def _pushed_conditions(
    query: str, name: str, schema: pa.Schema
) -> tuple[list[Conjunct], list[str]]:
    """Return a query's predicates and needed columns; all columns if the query is unsupported."""
    from venice.pif.pushdown import Pushdown  # noqa: PLC0415 its libraries come when asked for

    tree = _tree(query)
    if tree is None:
        return [], schema.names
    called = _called(tree, name)
    if called is None:
        return [], schema.names
    where = tree.args.get("where")
    try:
        conjuncts = [] if where is None else Pushdown(schema, called).conjuncts(where.this)
        return conjuncts, _needed(tree, query, schema)
    except RecursionError:  # raised for a condition of thousands of parts
        return [], schema.names


_PARTS = frozenset(
    {"expressions", "from", "from_", "where", "group", "having", "order", "limit", "offset"}
)
"""Clauses of a query that are applied after its condition."""


def _tree(query: str) -> exp.Select | None:
    """Return a parsed query; ``None`` unless it is one SELECT with supported clauses."""
    import sqlglot  # noqa: PLC0415
    from sqlglot import exp  # noqa: PLC0415
    from sqlglot.errors import SqlglotError  # noqa: PLC0415

    try:
        trees = sqlglot.parse(query, dialect="duckdb")
    except (SqlglotError, RecursionError):
        return None
    tree: Any = trees[0] if len(trees) == 1 else None
    if type(tree) is not exp.Select:
        return None
    clauses = {part for part, value in tree.args.items() if value not in (None, False, [])}
    is_single = sum(1 for _ in tree.find_all(exp.Query)) == 1
    return tree if clauses <= _PARTS | {"distinct"} and is_single else None


def _called(tree: exp.Select, name: str) -> tuple[str, ...] | None:
    """Return the names of the table in a query; ``None`` if the query reads anything else."""
    from sqlglot import exp  # noqa: PLC0415

    source: Any = tree.args.get("from") or tree.args.get("from_")
    table = source.this if source is not None else None
    if type(table) is not exp.Table or table.name.lower() != name.lower():
        return None
    clauses = {part for part, value in table.args.items() if value not in (None, False, [])}
    if not clauses <= {"this", "alias"} or len(list(tree.find_all(exp.Table))) != 1:
        return None
    alias = table.alias
    if alias and table.args["alias"].args.get("columns"):
        return None
    return (alias,) if alias else (name,)


def _needed(tree: exp.Select, query: str, schema: pa.Schema) -> list[str]:
    """Return the columns that the query refers to, and possibly others."""
    from sqlglot import exp  # noqa: PLC0415

    known = {name.lower() for name in schema.names}
    stars = [star for star in tree.find_all(exp.Star) if type(star.parent) is not exp.Count]
    others = [
        column
        for column in tree.find_all(exp.Column)
        if column.name.lower() not in known and not isinstance(column.this, exp.Star)
    ]
    aliases = {alias.alias.lower() for alias in tree.find_all(exp.Alias)}
    unknown = [column for column in others if column.name.lower() not in aliases]
    text = query.lower()
    every: list[str] = schema.names
    if stars or unknown or re.search(r"\bcolumns\s*\(", text):
        return every
    named: list[str] = [name for name in schema.names if name.lower() in text or '"' in name]
    return named or every[:1]


def _run(query: str, name: str, table: pa.Table, options: str) -> pa.Table:
    """Return the result of a query; error messages name its `options`."""
    import duckdb  # noqa: PLC0415

    from venice.pif.duckdb_conditions import answer  # noqa: PLC0415

    try:
        return answer(query, name, table)
    except duckdb.Error as error:
        clauses = " ".join(str(error).split("\n\n")[0].split())
        raise UsageError(
            f"{options} cannot be evaluated: {clauses}; expected: SQL as DuckDB has it; "
            f"the columns are {', '.join(table.column_names)}"
        ) from None
