"""Rows of a table that satisfy a condition in SQL, found in the drive that holds it.

sqlglot reads the condition, the chips search for what its rows must hold
(:mod:`venice.pif.pushdown`), and DuckDB evaluates the whole condition on the rows with a match.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from venice._native import UsageError
from venice.pif.rows import MOST_PATTERNS
from venice.pif.search import DRIVE, Search
from venice.pif.table import TableFound, loaded, searched

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    import pyarrow as pa
    from sqlglot import exp

_DIALECT = "duckdb"


def query_table(  # noqa: PLR0913 each is a keyword of its own
    table: pa.Table | str | PathLike[str],
    where: str,
    *,
    select: str = "*",
    drive: str = DRIVE,
    fabric: str | None = None,
    sets: Sequence[str] = (),
    seed: int | None = None,
) -> TableFound:
    """Find the rows of a table, or of a CSV or Parquet file, that satisfy a condition.

    Parameters
    ----------
    table
        The table; conditions may call it by its file's name without suffix, or ``table``.
    where, select
        What stands after these words in SQL, in DuckDB's dialect.
    drive, fabric, sets, seed
        The drive, as for :class:`venice.pif.Search`.

    Raises
    ------
    UsageError
        If the condition is wrong, asks for other rows, or holds nothing that the chips can search
        for.
    """
    _need_libraries()
    from venice.pif.pushdown import Pushdown  # noqa: PLC0415 its libraries come when asked for

    path, table = loaded(table)
    name = Path(path).stem
    condition = _condition(where)
    query = _query(select, name, condition)
    _run(query, name, table.schema.empty_table())
    patterns = Pushdown(table.schema, name).patterns(condition)
    if not patterns:
        raise UsageError(
            f"nothing in `{where}` can be searched for in the chips: expected, for every row, one "
            f"of at most {MOST_PATTERNS} texts, whole numbers, decimals or dates (=, IN), or a "
            "part of a text (LIKE)"
        )
    search = Search(patterns, drive=drive, fabric=fabric, sets=sets, seed=seed)
    return searched(search, patterns, path, table, lambda rows: _run(query, name, rows))


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


def _condition(where: str) -> exp.Expression:
    from sqlglot import exp  # noqa: PLC0415

    condition: exp.Expression = _parsed(where, exp.Condition, "condition")
    if condition.find(exp.Query):
        raise UsageError(
            "a query within the condition is not supported: it would see the rows with a match, "
            "not all rows"
        )
    return condition


def _query(select: str, name: str, condition: exp.Expression) -> str:
    """Write the query that gives the columns of rows that satisfy the condition."""
    from sqlglot import exp  # noqa: PLC0415

    query: Any = _parsed(f"SELECT {select}", exp.Select, "selection")
    beyond = [part for part, value in query.args.items() if value and part not in _SELECTION]
    if beyond or any(query.find_all(exp.Subquery)):
        raise UsageError(f"`{select}` is not a selection: expected columns or expressions of them")
    whole = query.from_(exp.table_(name, quoted=True)).where(condition)
    return str(whole.sql(dialect=_DIALECT))


_SELECTION = ("expressions", "distinct")


def _parsed(text: str, into: Any, what: str) -> Any:  # noqa: ANN401 sqlglot's classes
    import sqlglot  # noqa: PLC0415
    from sqlglot.errors import SqlglotError  # noqa: PLC0415

    try:
        return sqlglot.parse_one(text, into=into, dialect=_DIALECT)
    except SqlglotError as error:
        said = " ".join(str(error).split())
        raise UsageError(f"`{text}` is not a {what} in SQL: {said}") from None


def _run(query: str, name: str, table: pa.Table) -> pa.Table:
    """Evaluate a query on a table, and on nothing else that there may be."""
    import duckdb  # noqa: PLC0415

    config: dict[str, str | bool | int | float | list[str]] = {
        "threads": 1,
        "enable_external_access": False,
    }
    with duckdb.connect(config=config) as connection:
        connection.register(name, table)
        try:
            return connection.sql(query).to_arrow_table()
        except duckdb.Error as error:
            said = " ".join(str(error).split("\n\n")[0].split())
            raise UsageError(f"the condition cannot be evaluated: {said}") from None
