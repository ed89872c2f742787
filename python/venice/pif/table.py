"""Filtering a table in the drive that holds it: one predicate in the chips, the rest above.

A row is stored as text (:mod:`venice.pif.rows`). Of the predicates that compare a text for
equality, the one whose texts are longest goes to the chips as patterns; rows with a match are
decoded and all predicates are evaluated on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venice._native import UsageError
from venice.pif.rows import MOST_PATTERNS, best, decoded, pattern, storable, stored
from venice.pif.search import DRIVE, Search, Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    import pyarrow as pa

    from venice.pif.report import SearchReport

Filter = tuple[str, str, Any]
"""A column, an operator (``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in``, ``not in``) and a
value, as :func:`pyarrow.parquet.filters_to_expression` takes them.
"""


@dataclass(frozen=True)
class TableFound:
    """The rows that satisfy all predicates, and how they were found.

    Attributes
    ----------
    table
        The rows, in the table's order.
    patterns
        What the chips searched for.
    candidates
        Rows with a match.
    unreadable
        Pages that were not searched because no decoder corrected them.
    report
        What the search took.
    """

    table: pa.Table
    patterns: tuple[bytes, ...]
    candidates: int
    unreadable: tuple[Unreadable, ...]
    report: SearchReport


def filter_table(
    table: pa.Table | str | PathLike[str],
    filters: Sequence[Filter],
    *,
    drive: str = DRIVE,
    fabric: str | None = None,
    sets: Sequence[str] = (),
    seed: int | None = None,
) -> TableFound:
    """Find the rows of a table, or of a CSV or Parquet file, that satisfy every predicate.

    Raises
    ------
    UsageError
        If no predicate compares a text for equality with 8 values at most.
    """
    import pyarrow as pa  # noqa: PLC0415 pyarrow comes only when asked for
    import pyarrow.parquet as pq  # noqa: PLC0415

    name, table = loaded(table)
    patterns = _pushed_down(table, filters)

    def keep(candidates: pa.Table) -> pa.Table:
        try:
            return candidates.filter(pq.filters_to_expression(list(filters)))
        except (pa.ArrowException, ValueError) as error:
            raise UsageError(f"the predicates cannot be evaluated: {error}") from None

    search = Search(patterns, drive=drive, fabric=fabric, sets=sets, seed=seed)
    return searched(search, patterns, name, table, keep)


def loaded(table: pa.Table | str | PathLike[str]) -> tuple[str, pa.Table]:
    """Read a table and give its name.

    Raises
    ------
    UsageError
        If it cannot be read or cannot be stored.
    """
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.csv as pv  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    if isinstance(table, pa.Table):
        return "table", storable(table)
    path = Path(table)
    try:
        read = pq.read_table(path) if path.suffix == ".parquet" else pv.read_csv(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise UsageError(f"{path}: not a table that can be read: {error}") from None
    return str(path), storable(read)


def searched(
    search: Search,
    patterns: Sequence[bytes],
    name: str,
    table: pa.Table,
    keep: Callable[[pa.Table], pa.Table],
) -> TableFound:
    """Store a table, search it, and keep of the rows with a match what satisfies all predicates."""
    found = search.bytes(stored(table), name)
    rows = keep(decoded(found.output, table.schema))
    return TableFound(rows, tuple(patterns), found.lines, found.unreadable, search.report())


def _pushed_down(table: pa.Table, filters: Sequence[Filter]) -> list[bytes]:
    """Give the patterns of the predicate whose shortest pattern is longest."""
    for column, _, _ in filters:
        if column not in table.column_names:
            raise UsageError(
                f"there is no column `{column}`; there are {', '.join(table.column_names)}"
            )
    patterns = best(map(_patterns, filters))
    if not patterns:
        raise UsageError(
            "no predicate can be searched for in the chips: expected one that compares a text for "
            f"equality (==, in) with 1 to {MOST_PATTERNS} values"
        )
    return patterns


def _patterns(one: Filter) -> list[bytes]:
    """Give what rows that satisfy the predicate must hold; nothing if that cannot be said."""
    _, operator, value = one
    values = [value] if operator in ("=", "==") else list(value) if operator == "in" else []
    if not 1 <= len(values) <= MOST_PATTERNS or not all(isinstance(v, str) for v in values):
        return []
    return list(map(pattern, values))
