"""DuckDB, asked about one table at a time."""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

import duckdb

if TYPE_CHECKING:
    import pyarrow as pa

_CONFIG: dict[str, Any] = {"threads": 1, "enable_external_access": False}
"""It sees the table and nothing else that there may be."""
_ALONE = Lock()


@cache
def _connection() -> duckdb.DuckDBPyConnection:
    """Open it once: that takes longer than a query."""
    return duckdb.connect(config=_CONFIG)


def answer(query: str, name: str, table: pa.Table) -> pa.Table | None:
    """Evaluate a query on a table of this name; ``None`` if it gives no rows at all."""
    with _ALONE:
        connection = _connection()
        connection.register(name, table)
        try:
            found = connection.sql(query)
            return None if found is None else found.to_arrow_table()
        finally:
            connection.unregister(name)


def value(expression: str) -> Any:  # noqa: ANN401 of any type
    """Evaluate an expression without columns; ``None`` if it has no value."""
    with _ALONE:
        try:
            found = _connection().execute(f"SELECT {expression}").fetchall()
        except duckdb.Error:
            return None
    return found[0][0] if found else None
