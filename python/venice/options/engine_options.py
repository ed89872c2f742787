"""Options of a run in the form that the engine reads."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from venice import _native
from venice.options.resampling import block_of, resampling_of
from venice.options.trace_options import most_folded_pct, with_trace_options
from venice.options.value_checks import check_texts
from venice.schema_classes import DescribedWorkload

if TYPE_CHECKING:
    from venice.options.run_options import RunOptions
    from venice.schema_classes import WorkloadText


class EngineOptions:
    """Options of a run as attributes, in the form that the engine reads.

    Examples
    --------
    >>> from venice.options.run_options import RunOptions
    >>> options = EngineOptions(RunOptions(trace="t.csv", trace_block="10ms", seed=3))
    >>> options.seed, options.trace_block, options.most_folded_pct
    (3, (10000000000, True), 1.0)
    """

    def __init__(self, options: RunOptions, only_queue: int | None = None) -> None:
        self.only_queue = only_queue
        self._options = with_trace_options(options)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 an option of any type
        return getattr(self._options, name)

    @property
    def files(self) -> tuple[str | PathLike[str] | None, ...]:
        """Files that the run reads."""
        workload = self.workload
        return self.trace, workload if isinstance(workload, str) else None, self.load_state

    @property
    def devices(self) -> str | None:
        """Placement of the trace's devices."""
        devices = self._options.devices
        return None if devices is None else str(devices)

    @property
    def trace_resample(self) -> str | None:
        """Resampling of the trace."""
        return resampling_of(self._options)

    @property
    def trace_block(self) -> tuple[int, bool] | None:
        """Length of a block; true if it is in picoseconds, false for a number of requests."""
        return block_of(self._options)

    @property
    def workload(self) -> str | WorkloadText | None:
        """Name of the workload, path of its file, or label and definition of a Python object.

        Raises
        ------
        WorkloadError
            If a file that the workload names is of another kind.
        """
        workload = self._options.workload
        if isinstance(workload, DescribedWorkload):
            definition = workload.labelled_toml()
            check_texts("workload", definition)
            return definition
        if workload is None:
            return None
        name = fspath(workload)
        if name not in _native.workload_names():
            from venice.options.named_files import check_workload  # noqa: PLC0415 not for built-in ones

            check_workload(name)
        return name

    @property
    def requests(self) -> int | None:
        """Number of requests; a default limit applies if a criterion ends a workload."""
        options = self._options
        if options.requests is not None or options.until is None or options.trace is not None:
            return options.requests
        from venice.options.criterion import MOST_REQUESTS  # noqa: PLC0415 seldom wanted

        return MOST_REQUESTS

    @property
    def most_folded_pct(self) -> float | None:
        """Largest share of requests wrapped around the capacity, in %; ``None`` for no limit."""
        return most_folded_pct(self._options)
