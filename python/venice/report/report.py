"""Report of a run."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING

from venice import _native
from venice._native import UsageError
from venice.report import files

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike
    from typing import Any

    from venice.observation.table import Table
    from venice.report.figure_types import ReportFigures
    from venice.report.frame import Frame
else:
    # Only editors and type checkers need the names of the figures.
    from venice.report.figures import Figures as ReportFigures


class Report(ReportFigures):
    """Report of one run; every figure is an attribute, named as in the JSON.

    The reference page lists the figures, and ``venice report explain NAME`` explains one. An
    optional figure that the run lacks, such as ``report.gather``, is ``None``.

    Examples
    --------
    >>> report = Report({"latency_us": {"all": {"mean": 12.5}}})
    >>> report.latency_us.all.mean
    12.5
    """

    __slots__ = ("_made", "_request_table", "_scout_table", "_slice_table")

    def __init__(
        self,
        values: Mapping[str, Any],
        request_table: Table | None = None,
        slice_table: Table | None = None,
        scout_table: Table | None = None,
    ) -> None:
        super().__init__(values)
        self._request_table = request_table
        self._slice_table = slice_table
        self._scout_table = scout_table
        self._made: str | None = None

    @classmethod
    def made(cls, text: str, *tables: Table | None) -> Report:
        """Return a report of the engine's JSON text, which is kept to be stored."""
        report = cls.from_json(text, *tables)
        report._made = text  # noqa: SLF001 its own
        return report

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle only the JSON text if the report has it, which halves the size."""
        tables = (self._request_table, self._slice_table, self._scout_table)
        if self._made is None:
            return type(self), (self._values, *tables)
        return type(self).made, (self._made, *tables)

    @classmethod
    def from_json(
        cls,
        text: str,
        request_table: Table | None = None,
        slice_table: Table | None = None,
        scout_table: Table | None = None,
    ) -> Report:
        """Return the report of a JSON text; tables that belong to the run may be given."""
        return cls(json.loads(text), request_table, slice_table, scout_table)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Report:
        """Return the report in a file that contains exactly one.

        Raises
        ------
        ReportError
            If the file contains anything else.
        """
        reports = files.load_objects(path)
        if len(reports) != 1:
            raise files.ReportError(f"{path}: holds {len(reports)} reports; use load_reports()")
        return cls(reports[0])

    def save(self, path: str | PathLike[str]) -> None:
        """Write the report as JSON, atomically."""
        files.save(self.to_json(), path)

    def with_content(self, values: Mapping[str, Any]) -> Report:
        """Return a report with the given figures and the tables of this report."""
        return type(self)(values, self._request_table, self._slice_table, self._scout_table)

    @property
    def content(self) -> Mapping[str, Any]:
        """JSON object of the report, which must not be changed; :meth:`to_dict` returns a copy."""
        return self._values

    def to_dict(self) -> dict[str, Any]:
        """Return a copy of the report as a plain JSON object.

        Examples
        --------
        >>> report = Report({"latency_us": {"all": {"mean": 12.5}}})
        >>> report.to_dict()["latency_us"]["all"]["mean"] = 0
        >>> report.latency_us.all.mean
        12.5
        """
        return copy.deepcopy(dict(self._values))

    def to_json(self) -> str:
        """Return the report as JSON text; equal reports have equal bytes."""
        return files.to_json(self._values)

    def to_text(self) -> str:
        """Return the report as JSON text without spaces, the form in which it is stored."""
        return files.to_text(self._values) if self._made is None else self._made

    @property
    def request_table(self) -> Table:
        """Table with a row for every request, warm-up included, in order of completion.

        Raises
        ------
        UsageError
            If the run was made without ``request_table=True``, or the report was loaded from a
            file.
        """
        if self._request_table is None:
            raise UsageError(
                "this report has no table of requests: run with `request_table=True`, "
                "or write one with `venice run --request-log OUT.parquet`"
            )
        return self._request_table

    @property
    def slice_table(self) -> Table:
        """Table with a row for every activity of a resource, in the order in which they end.

        Raises
        ------
        UsageError
            If the run was made without ``slice_table=True``, or the report was loaded from a file.
        """
        if self._slice_table is None:
            raise UsageError(
                "this report has no table of slices: run with `slice_table=True`, "
                "or write a file with `venice run --trace-events OUT`"
            )
        return self._slice_table

    @property
    def has_slices(self) -> bool:
        """True if the report has a :attr:`slice_table`."""
        return self._slice_table is not None

    @property
    def scout_table(self) -> Table:
        """Table with a row for every scout on Venice's mesh, in the order in which they depart.

        Raises
        ------
        UsageError
            See :attr:`slice_table`.
        """
        if self._scout_table is None:
            raise UsageError("this report has no table of scouts: run with slice_table=True")
        return self._scout_table

    @property
    def interval_table(self) -> Table:
        """Table with a row for every interval of the run.

        Its columns are those of :func:`venice.report.over_time.columns_over_time`.

        Raises
        ------
        UsageError
            If the run was made without ``interval``.
        """
        from venice.observation.table import Table  # noqa: PLC0415 few want it
        from venice.report.series import series_columns  # noqa: PLC0415 few want it

        return Table(_native.Table(series_columns(self.content)))

    @property
    def frame(self) -> Frame:
        """Every figure of the report, as a frame of one row (:class:`venice.Frame`)."""
        from venice.report.frame import frame_of  # noqa: PLC0415 few want it

        return frame_of([self.content])

    @property
    def is_synthetic(self) -> bool:
        """True if the requests were generated rather than recorded."""
        return bool(self.workload.synthetic)

    def breakdown(self, operation: str = "all") -> dict[str, float]:
        """Return the breakdown of the mean latency.

        Parameters
        ----------
        operation
            ``"read"``, ``"write"``, ``"gather"``, ``"trim"``, ``"flush"``, ``"write_zeroes"``,
            ``"search"``, or ``"all"`` of them, weighted by their numbers.

        Returns
        -------
        dict
            Time in each stage [µs], in the order of :data:`venice.report.STAGES`. The times add up
            to the mean latency; they are 0 if there are no such requests.

        Raises
        ------
        UsageError
            If there is no such operation.
        """
        every = ("read", "write", "gather", "trim", "flush", "write_zeroes", "search")
        if operation not in (*every, "all"):
            raise UsageError(
                f"`{operation}` is not an operation; there are all, {', '.join(every)}"
            )
        from venice.report.stages import STAGES  # noqa: PLC0415 not every command shows them

        operations = every if operation == "all" else (operation,)
        there = [name for name in operations if name in self.latency_us]
        counts = {name: self.latency_us[name]["count"] for name in there}
        total = sum(counts.values()) or 1
        return {
            stage.key: sum(self._stage_us(name, stage.key) * n for name, n in counts.items())
            / total
            for stage in STAGES
        }

    def _stage_us(self, operation: str, stage: str) -> float:
        return float(self.breakdown_us.get(operation, {}).get(stage, 0.0))

    def _repr_html_(self) -> str:
        """Show the report in a notebook: latencies of each operation, and their breakdown."""
        times = ("mean", "p50", "p90", "p99", "p999", "max")
        latencies = self._values["latency_us"]
        from venice.report.stages import STAGES  # noqa: PLC0415 as above

        rows = [
            (
                name,
                f"{figures['count']:,}",
                *(f"{figures[time]:,.1f}" for time in times),
                *(f"{self.breakdown(name)[stage.key]:,.1f}" for stage in STAGES),
            )
            for name, figures in latencies.items()
            if figures["count"] and name != "write_fua"
        ]
        stages = (f"{stage.label}\nmean µs" for stage in STAGES)
        from venice.text.html_table import html_table  # noqa: PLC0415 for notebooks alone

        shown = (time.replace("p999", "p99.9") for time in times)
        titles = ["operation", "requests", *(f"{time}\nµs" for time in shown), *stages]
        about = f"{self.workload.name} on {self.fabric}: {self.iops:,.0f} IOPS"
        return html_table(f"{about}, {self.bandwidth_mb_per_s:,.1f} MB/s", titles, rows)

    def __repr__(self) -> str:
        mean = self.latency_us.all.mean
        latency = "none measured" if mean is None else f"mean {mean:,.2f} µs"
        return f"<Report: {self.fabric}, {self.requests.completed:,} requests, {latency}>"
