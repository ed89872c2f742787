"""Frames of runs: a row for each run, a column for each figure."""

from __future__ import annotations

from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any

from venice._native import UsageError
from venice.labels import labels
from venice.report.table import drive_name
from venice.stats.grouping import config_without_seed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from venice.report.report import Report

_APART = frozenset({"config", "fabric", "seed", "workload.name"})
"""Parts of a report that have columns of their own, and the input of the run."""
_ARROW = ("pyarrow", "polars")
"""Libraries with the Arrow C interface; a frame uses the first that is installed."""
_MOST_SHOWN = 10
"""Rows that a notebook shows."""


class Frame:
    """Rows of runs with named columns of numbers, texts and truths; a gap is ``None``.

    Its items are columns by name, its length and iteration are of rows, as of a
    :class:`venice.Table`. Polars, DuckDB and pyarrow take it through the Arrow C interface, for
    which pyarrow or Polars has to be installed; pandas reads its rows.

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
        """Give the rows, each from names of columns to values."""
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
        from venice.report.display import html_table  # noqa: PLC0415 as above

        rows = [[_cell(value) for value in row.values()] for row in islice(self, _MOST_SHOWN)]
        few = f", the first {_MOST_SHOWN} of them here" if len(self) > _MOST_SHOWN else ""
        return html_table(f"{len(self):,} rows{few}", self.keys(), rows)


def frame_of(reports: Sequence[Report]) -> Frame:
    """Lay out a row for each report, with every figure that is a number, a text or a truth.

    The first columns are `name`, after what the drives differ in, `drive`, `fabric`, `workload` and
    `seed`. Every other column has the name of its figure with dots, as ``latency_us.all.p99``. A
    run that lacks a figure has a gap there. Lists and the configuration are left out.

    Examples
    --------
    >>> import venice
    >>> both = venice.compare(fabrics=["bus", "venice"], workload="random-read", requests=100)
    >>> frame = frame_of(both)
    >>> frame["name"], frame["requests.completed"]
    (['bus', 'venice'], [100, 100])
    """
    who = [(drive_name(report), report.fabric) for report in reports]
    names = labels(who, [config_without_seed(report) for report in reports])
    return Frame([_row(name, report) for name, report in zip(names, reports, strict=True)])


def _row(name: str, report: Report) -> dict[str, Any]:
    who = {
        "name": name,
        "drive": drive_name(report),
        "fabric": report.fabric,
        "workload": report.workload.name,
        "seed": report.seed,
    }
    return {**who, **dict(_figures(report.content))}


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
    """Give the values of a column one type: texts if some are, fractions if some are."""
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
