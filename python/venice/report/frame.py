"""Tables of runs, with a row for each run and a column for each figure."""

from __future__ import annotations

from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any

from venice._native import UsageError
from venice.report.configuration import config_without_seed
from venice.text.labels import labels

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


_APART = frozenset({"config", "fabric", "seed", "workload.name"})
"""Parts of a report that are not columns of figures, because they identify the run or its input."""
_ARROW = ("pyarrow", "polars")
"""Libraries with the Arrow C interface; the first one that is installed is used."""
_MOST_SHOWN = 10
"""Maximum number of rows that a notebook shows."""


class Frame:
    """Table with a row for each run and named columns of numbers, texts and booleans.

    As for a :class:`venice.Table`, indexing by name returns a column, while length and iteration
    refer to rows. A missing value is ``None``. Polars, DuckDB and pyarrow read a frame through the
    Arrow C interface, which needs pyarrow or Polars; pandas reads its rows.

    Examples
    --------
    >>> frame = Frame([{"fabric": "bus", "iops": 5.0}, {"fabric": "venice"}])
    >>> frame["iops"], len(frame), frame.keys()
    ([5.0, None], 2, ['fabric', 'iops'])
    """

    __slots__ = ("_columns", "_length")

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        names = dict.fromkeys(name for row in rows for name in row)
        self._columns = {name: _alike([row.get(name) for row in rows]) for name in names}
        self._length = len(rows)

    def keys(self) -> list[str]:
        """Names of the columns, in order."""
        return list(self._columns)

    def __getitem__(self, name: str) -> list[Any]:
        return self._columns[name]

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Iterate over the rows; each is a mapping from column names to values."""
        rows = zip(*self._columns.values(), strict=True)
        return (dict(zip(self._columns, row, strict=True)) for row in rows)

    def to_pandas(self) -> Any:  # noqa: ANN401 pandas may be missing
        """Convert to a pandas frame.

        Raises
        ------
        UsageError
            If pandas is not installed.
        """
        return _library("pandas").DataFrame(self._columns)

    def to_polars(self) -> Any:  # noqa: ANN401 Polars may be missing
        """Convert to a Polars frame.

        Raises
        ------
        UsageError
            If Polars is not installed.
        """
        return _library("polars").DataFrame(self._columns)

    def to_arrow(self) -> Any:  # noqa: ANN401 pyarrow may be missing
        """Convert to a table of pyarrow.

        Raises
        ------
        UsageError
            If pyarrow is not installed.
        """
        return _library("pyarrow").table(self._columns)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        library = _library(*_ARROW)
        make = library.table if library.__name__ == "pyarrow" else library.DataFrame
        return make(self._columns).__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<Frame: {len(self):,} rows of {len(self._columns):,} columns>"

    def _repr_html_(self) -> str:
        """Show the first rows in a notebook."""
        from venice.text.html_table import html_table  # noqa: PLC0415 as above

        rows = [[_cell(value) for value in row.values()] for row in islice(self, _MOST_SHOWN)]
        few = f", the first {_MOST_SHOWN} of them here" if len(self) > _MOST_SHOWN else ""
        return html_table(f"{len(self):,} rows{few}", self.keys(), rows)


def frame_of(contents: Sequence[Mapping[str, Any]]) -> Frame:
    """Return a frame with a row for each report, given as its JSON object.

    The first columns are `name`, which states the settings in which the drives differ, `drive`,
    `fabric`, `workload` and `seed`. All other columns are figures that are numbers, texts or
    booleans, named by their paths in the report, such as ``latency_us.all.p99``. A figure that a
    run lacks is missing. Lists and the configuration are left out.

    Examples
    --------
    >>> import venice
    >>> both = venice.compare(fabrics=["bus", "venice"], workload="random-read", requests=100)
    >>> frame = frame_of([report.content for report in both])
    >>> frame["name"], frame["requests.completed"]
    (['bus', 'venice'], [100, 100])
    """
    runs = [(_drive_name(content), str(content["fabric"])) for content in contents]
    names = labels(runs, [config_without_seed(content) for content in contents])
    return Frame([_row(name, content) for name, content in zip(names, contents, strict=True)])


def _row(name: str, content: Mapping[str, Any]) -> dict[str, Any]:
    run = {
        "name": name,
        "drive": _drive_name(content),
        "fabric": content["fabric"],
        "workload": content["workload"]["name"],
        "seed": content["seed"],
    }
    return {**run, **dict(_figures(content))}


def _drive_name(content: Mapping[str, Any]) -> str:
    return str(content["config"].get("name", "drive"))


def _figures(content: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in content.items():
        name = f"{before}{key}"
        if name in _APART:
            continue
        if isinstance(value, dict):
            yield from _figures(value, f"{name}.")
        elif not isinstance(value, list):
            yield name, value


def _alike(values: list[Any]) -> list[Any]:
    """Convert the values of a column to one type: text if any is text, float if any is a float."""
    for kind in (str, float):
        if any(isinstance(value, kind) for value in values):
            return [None if value is None else kind(value) for value in values]
    return values


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:,.6g}" if isinstance(value, float) else str(value)


def _library(*names: str) -> Any:  # noqa: ANN401 a module

    for name in names:
        try:
            return import_module(name)
        except ImportError:
            continue
    wanted = " or ".join(names)
    raise UsageError(f"{wanted} is not installed; install it with: pip install {names[0]}")
