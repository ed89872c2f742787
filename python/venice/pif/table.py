"""Filtering a table in the drive that holds it: one predicate in the chips, the rest above.

A row is stored as text, values between bars. Of the predicates that compare a text for equality,
the one whose texts are longest goes to the chips as patterns; rows with a match are decoded and all
predicates are evaluated on them.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venice._native import UsageError
from venice.pif.search import DRIVE, Search, Unreadable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    import pyarrow as pa

    from venice.pif.report import SearchReport

Filter = tuple[str, str, Any]
"""A column, an operator (``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in``, ``not in``) and a
value, as :func:`pyarrow.parquet.filters_to_expression` takes them.
"""

_MOST_PATTERNS = 8
_LONGEST_PATTERN = 32
_BAR = "|"
_NULL = "\\N"
_ESCAPES = (("\\", "\\\\"), (_BAR, "\\p"), ("\n", "\\n"))


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

    table = _loaded(table)
    patterns = _pushed_down(table, filters)
    search = Search(patterns, drive=drive, fabric=fabric, sets=sets, seed=seed)
    found = search.bytes(_stored(table), "table")
    candidates = _decoded(found.output, table.schema)
    try:
        rows = candidates.filter(pq.filters_to_expression(list(filters)))
    except (pa.ArrowException, ValueError) as error:
        raise UsageError(f"the predicates cannot be evaluated: {error}") from None
    return TableFound(rows, tuple(patterns), found.lines, found.unreadable, search.report())


def _loaded(table: pa.Table | str | PathLike[str]) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.csv as pv  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    if isinstance(table, pa.Table):
        return table
    path = Path(table)
    try:
        return pq.read_table(path) if path.suffix == ".parquet" else pv.read_csv(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise UsageError(f"{path}: not a table that can be read: {error}") from None


def _pushed_down(table: pa.Table, filters: Sequence[Filter]) -> list[bytes]:
    """Give the patterns of the predicate whose shortest pattern is longest."""
    for column, _, _ in filters:
        if column not in table.column_names:
            raise UsageError(
                f"there is no column `{column}`; there are {', '.join(table.column_names)}"
            )
    choices = [patterns for one in filters if (patterns := _patterns(one))]
    if not choices:
        raise UsageError(
            "no predicate can be searched for in the chips: expected one that compares a text for "
            f"equality (==, in) with 1 to {_MOST_PATTERNS} values"
        )
    return max(choices, key=lambda patterns: min(map(len, patterns)))


def _patterns(one: Filter) -> list[bytes]:
    """Give what rows that satisfy the predicate must hold; nothing if that cannot be said."""
    _, operator, value = one
    values = [value] if operator in ("=", "==") else list(value) if operator == "in" else []
    if not 1 <= len(values) <= _MOST_PATTERNS or not all(isinstance(v, str) for v in values):
        return []
    return [f"{_BAR}{_escaped(v)}{_BAR}".encode()[:_LONGEST_PATTERN] for v in values]


def _escaped(text: str) -> str:
    for plain, escaped in _ESCAPES:
        text = text.replace(plain, escaped)
    return text


def _stored(table: pa.Table) -> bytes:
    """Write rows as text, each with a bar before, between and after its values."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    columns = []
    for column in table.columns:
        texts = pc.cast(column, pa.string())
        for plain, escaped in _ESCAPES:
            texts = pc.replace_substring(texts, plain, escaped)
        columns.append(pc.fill_null(texts, _NULL))
    empty = pa.array([""] * table.num_rows)
    rows = pc.binary_join_element_wise(empty, *columns, "\n", _BAR)
    return "".join(rows.to_pylist()).encode()


def _decoded(lines: bytes, schema: pa.Schema) -> pa.Table:
    """Read rows back as the schema says."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    rows = [line.split(_BAR)[1:-1] for line in io.StringIO(lines.decode(), newline="\n")]
    columns = []
    for index, field in enumerate(schema):
        texts = [None if row[index] == _NULL else _plain(row[index]) for row in rows]
        columns.append(pc.cast(pa.array(texts, pa.string()), field.type))
    return pa.Table.from_arrays(columns, schema=schema)


def _plain(text: str) -> str:
    r"""Undo :func:`_escaped`.

    Examples
    --------
    >>> _plain(_escaped("a|b\\p\n")) == "a|b\\p\n"
    True
    """
    if "\\" not in text:
        return text
    meanings = {escaped[1]: plain for plain, escaped in _ESCAPES}
    letters = iter(text)
    return "".join(meanings[next(letters)] if letter == "\\" else letter for letter in letters)
