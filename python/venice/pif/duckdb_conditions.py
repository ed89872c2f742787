"""Evaluation of conditions on one table by DuckDB."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

import duckdb

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

_CONFIG: dict[str, Any] = {
    "threads": 1,
    "enable_external_access": False,
    "python_enable_replacements": False,
    "lock_configuration": True,
}
"""Settings that confine DuckDB to the table: no files, no network, no other Python objects."""
_ALONE = Lock()


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """Return the shared database, because opening one takes longer than a query."""
    return duckdb.connect(config=_CONFIG)


@contextmanager
def _session() -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection for one query; its state is discarded at the end."""
    with _ALONE:
        connection = _database().cursor()
        try:
            yield connection
        finally:
            connection.close()


def answer(query: str, name: str, table: pa.Table) -> pa.Table:
    """Return the result of a SELECT on a table with this name.

    Raises
    ------
    duckdb.Error
        If the query is not a SELECT, or cannot be evaluated.
    """
    with _session() as connection:
        _require_select(connection, query)
        connection.register(name, table)
        return connection.sql(query).to_arrow_table()


def value(expression: str) -> Any:  # noqa: ANN401 of any type
    """Return the value of an expression without columns; ``None`` if it has none."""
    query = f"SELECT {expression}"
    with _session() as connection:
        try:
            _require_select(connection, query)
            found = connection.execute(query).fetchall()
        except duckdb.Error:
            return None
    return found[0][0] if found else None


def _require_select(connection: duckdb.DuckDBPyConnection, query: str) -> None:
    statements = connection.extract_statements(query)
    if [one.type for one in statements] != [duckdb.StatementType.SELECT]:
        raise duckdb.InvalidInputException(
            f"it has {_described(statements)}; expected: one SELECT statement"
        )


def _described(statements: Sequence[duckdb.Statement]) -> str:
    if len(statements) != 1:
        return f"{len(statements)} statements"
    return f"a statement of type {statements[0].type.name}"
