"""Tables of the requests or intervals of a run, shared with other libraries without copying.

A :class:`Table` implements the Arrow C interface, so Polars, pandas, pyarrow and DuckDB read it
without copying; a column of numbers is a NumPy array over the same memory. As in NumPy's structured
arrays, indexing by name returns a column, while length and iteration refer to rows.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from venice._native import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from venice import _native


_CODES: dict[str, Literal["b", "B", "H", "i", "I", "q", "Q", "d"]] = {
    "Int8": "b",
    "UInt8": "B",
    "UInt16": "H",
    "Int32": "i",
    "UInt32": "I",
    "Int64": "q",
    "UInt64": "Q",
    "Float64": "d",
}
"""Format characters for ``memoryview.cast``, by Arrow's types of numbers."""


class Meaning(NamedTuple):
    """Type and meaning of a column."""

    type: str
    """Arrow type."""
    text: str
    """Meaning, with the unit."""


class Table:
    """Read-only table with named columns, whose memory is shared with libraries that read it.

    ``dict(table)`` gives the columns, ``list(table)`` the rows.

    Examples
    --------
    >>> import venice
    >>> report = venice.run(workload="random-read", requests=1000, request_table=True)
    >>> table = report.request_table
    >>> len(table)
    1000
    >>> table.schema["latency_ps"].text
    'from issue to completion [ps]'
    >>> bool(table["latency_ps"].mean() / 1e6 == report.latency_us.all.mean)
    True
    """

    __slots__ = ("_rows",)

    def __init__(self, rows: _native.Table) -> None:
        self._rows = rows

    @property
    def schema(self) -> dict[str, Meaning]:
        """Type and meaning of every column."""
        return {name: Meaning(*rest) for name, *rest in self._rows.schema()}

    def __len__(self) -> int:
        return len(self._rows)

    def keys(self) -> list[str]:
        """Names of the columns, in order."""
        return list(self.schema)

    def __contains__(self, name: object) -> bool:
        return name in self.schema

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Iterate over the rows; each is a mapping from column names to plain values.

        ``pandas.DataFrame(table)`` uses this; for large tables :meth:`to_pandas` is faster.
        """
        names = self.keys()
        rows = zip(*map(self.to_list, names), strict=True)
        return (dict(zip(names, row, strict=True)) for row in rows)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a column as a NumPy array.

        Numbers are a read-only view of the table's memory. Columns of words, booleans or lists, or
        with missing values, are copied. A missing value is NaN among numbers and ``None``
        elsewhere.

        Raises
        ------
        KeyError
            If no column has this name.
        UsageError
            If NumPy is not installed.
        """
        column = self._rows.column(name)
        numpy = _numpy()
        if self.schema[name].type.startswith("List"):
            lists = numpy.empty(len(self), dtype=object)
            lists[:] = column.to_list()
            return _array(lists)
        words = column.words()
        is_truth = self.schema[name].type == "Boolean"
        if column.has_gaps:
            dtype = float if words is None and not is_truth else object
            return _array(numpy.array(column.to_list(), dtype=dtype))
        if words is not None:
            return _array(numpy.array(words)[numpy.asarray(column)])
        if is_truth:
            return _array(numpy.frombuffer(column.to_bytes(), dtype=bool))
        return _array(numpy.asarray(column))

    def to_list(self, name: str) -> list[Any]:
        """Return a column as plain Python values, without NumPy.

        Raises
        ------
        KeyError
            If no column has this name.
        """
        column, kind = self._rows.column(name), self.schema[name].type
        if column.has_gaps or kind.startswith("List"):
            return column.to_list()
        if kind == "Boolean":
            return [byte == 1 for byte in column.to_bytes()]
        words = column.words()
        if words is None:
            return memoryview(column.to_bytes()).cast(_CODES[kind]).tolist()
        few = kind.startswith("Dictionary(Int8")
        places = memoryview(column.to_bytes()).cast("b" if few else "i")
        return [words[place] for place in places]

    def to_bytes(self, name: str) -> bytes:
        """Return a copy of a column's numbers as little-endian bytes, without NumPy.

        For a column of words, the bytes are the indexes of the words; for booleans, one byte each.
        """
        return self._rows.column(name).to_bytes()

    # The return types are `Any`, because type checkers would otherwise read three large libraries
    # for every program.
    def to_pandas(self) -> Any:  # noqa: ANN401 pandas may be missing
        """Convert to a pandas frame (pandas 3 or newer); numbers are not copied.

        Raises
        ------
        UsageError
            If pandas is not installed.
        """
        return _imported("pandas").DataFrame.from_arrow(self)

    def to_polars(self) -> Any:  # noqa: ANN401 Polars may be missing
        """Convert to a Polars frame; nothing is copied.

        Raises
        ------
        UsageError
            If Polars is not installed.
        """
        return _imported("polars").DataFrame(self)

    def to_arrow(self) -> Any:  # noqa: ANN401 pyarrow may be missing
        """Convert to a table of pyarrow; nothing is copied.

        Raises
        ------
        UsageError
            If pyarrow is not installed.
        """
        return _imported("pyarrow").table(self)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._rows.__arrow_c_stream__(requested_schema)

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        return self._rows.__arrow_c_array__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._rows.__arrow_c_schema__()

    def __repr__(self) -> str:
        return f"<Table: {len(self):,} rows of {', '.join(self.keys())}>"


def _array(values: Any) -> NDArray[Any]:  # noqa: ANN401 NumPy may be missing
    array: NDArray[Any] = values
    return array


def _imported(library: str) -> Any:  # noqa: ANN401 a module

    try:
        return import_module(library)
    except ImportError:
        raise UsageError(
            f"{library} is not installed; install it with: pip install {library}"
        ) from None


def _numpy() -> Any:  # noqa: ANN401 as above
    try:
        import numpy as np  # noqa: PLC0415 only for those who want arrays
    except ImportError:
        raise UsageError(
            "a column is a NumPy array, and NumPy is not installed; "
            "install it with: pip install numpy"
        ) from None
    return np
