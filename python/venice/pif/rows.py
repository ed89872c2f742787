"""Rows of a table as text in a drive: values between bars, a line for each row."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from venice._native import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

MOST_PATTERNS = 8
LONGEST_PATTERN = 32
BAR = "|"
_NULL = "\\N"
_ESCAPES = (("\\", "\\\\"), (BAR, "\\p"), ("\n", "\\n"))


def pattern(*texts: str, begins: bool = True, ends: bool = True) -> bytes:
    r"""Give what a row with these values side by side holds; or with parts that begin or end them.

    Examples
    --------
    >>> pattern("REG AIR"), pattern("NONE", "MAIL"), pattern("a|b", begins=False)
    (b'|REG AIR|', b'|NONE|MAIL|', b'a\\pb|')
    """
    inner = BAR.join(map(escaped, texts))
    return f"{BAR * begins}{inner}{BAR * ends}".encode()[:LONGEST_PATTERN]


def best(choices: Iterable[Sequence[bytes]]) -> list[bytes]:
    """Choose the patterns whose shortest is longest; none if there are none."""
    held = [list(patterns) for patterns in choices if patterns]
    return max(held, key=lambda patterns: min(map(len, patterns)), default=[])


def escaped(text: str) -> str:
    """Write a value such that it holds neither bars nor newlines."""
    for plain, written in _ESCAPES:
        text = text.replace(plain, written)
    return text


def storable(table: pa.Table) -> pa.Table:
    """Give the table with types that can be read back from text.

    Raises
    ------
    UsageError
        If a column has none.
    """
    import pyarrow as pa  # noqa: PLC0415 pyarrow comes only when asked for
    import pyarrow.compute as pc  # noqa: PLC0415

    fields = []
    for field in table.schema:
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        fields.append(field.with_type(pa.string() if str(kind) == "string_view" else kind))
        try:
            texts = pc.cast(pa.array([], fields[-1].type), pa.string())
            pc.cast(texts, fields[-1].type)
        except pa.ArrowException:
            raise UsageError(
                f"column `{field.name}` cannot be stored as text: it is of type {field.type}"
            ) from None
    return table.cast(pa.schema(fields))


def stored(table: pa.Table) -> bytes:
    """Write rows as text, each with a bar before, between and after its values."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    columns = []
    for column in table.columns:
        texts = pc.cast(column, pa.string())
        for plain, written in _ESCAPES:
            texts = pc.replace_substring(texts, plain, written)
        columns.append(pc.fill_null(texts, _NULL))
    empty = pa.array([""] * table.num_rows, pa.string())
    rows = pc.binary_join_element_wise(empty, *columns, "\n", BAR)
    return "".join(rows.to_pylist()).encode()


def decoded(lines: bytes, schema: pa.Schema) -> pa.Table:
    """Read rows back as the schema says."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    rows = [line.split(BAR)[1:-1] for line in io.StringIO(lines.decode(), newline="\n")]
    columns = []
    for index, field in enumerate(schema):
        texts = [None if row[index] == _NULL else _plain(row[index]) for row in rows]
        columns.append(pc.cast(pa.array(texts, pa.string()), field.type))
    return pa.Table.from_arrays(columns, schema=schema)


def _plain(text: str) -> str:
    r"""Undo :func:`escaped`.

    Examples
    --------
    >>> _plain(escaped("a|b\\p\n")) == "a|b\\p\n"
    True
    """
    if "\\" not in text:
        return text
    meanings = {written[1]: plain for plain, written in _ESCAPES}
    letters = iter(text)
    return "".join(meanings[next(letters)] if letter == "\\" else letter for letter in letters)
