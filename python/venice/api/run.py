"""Run of one drive, with its options, files and tenants."""

from __future__ import annotations

import warnings
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Unpack

from venice._native import Drive, Simulation, StateError, UsageError, WorkloadError
from venice.execution.memory import check_memory, with_memory_check
from venice.execution.progress import of_run
from venice.files.output import create, create_by_path
from venice.files.pipes import open_pipes
from venice.observation.intervals import IntervalDivision, parse_interval
from venice.observation.listeners import LogTargets, log_targets, wrapped
from venice.observation.request_columns import chosen
from venice.observation.trace_events import TraceEvents, check_window
from venice.options.checks import check
from venice.options.criterion import criterion_of
from venice.options.deprecation import warn_of_sets
from venice.options.drives import drive_of
from venice.options.engine_options import EngineOptions
from venice.options.run_options import RunOptions
from venice.options.value_checks import check_types
from venice.report import Report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from venice._native import Observing, Preparations
    from venice.api.scenario import Scenario
    from venice.observation.listeners import Log
    from venice.observation.request_columns import Columns
    from venice.observation.table import Table

    Progress = Callable[[int, int | None, float], object]

    class Load(Protocol):
        """Drive with its requests, defined by any kind of file."""

        @property
        def drive(self) -> Drive:
            """The drive that serves the requests."""

        @property
        def is_repeatable(self) -> bool:
            """True if the requests can be read a second time."""

        def simulation(
            self, watch: Watch, events: TraceEvents | None, preparations: Preparations | None = None
        ) -> Simulation:
            """Create a run without starting it; `preparations` is a cache of prepared drives."""


_USUAL_SLOWEST = 10
_MOST_SLOWEST = 10_000


def run(  # noqa: PLR0913 each is a keyword of its own
    *,
    progress: Progress | bool | None = None,
    log: Log | None = None,
    save_state: str | PathLike[str] | None = None,
    interval: str | int | None = None,
    slowest: int | None = None,
    distributions: bool = False,
    causes: bool = False,
    request_table: bool | Columns = False,
    trace_events: str | PathLike[str] | None = None,
    trace_events_window: str | None = None,
    slice_table: bool = False,
    alone: bool = False,
    **scenario: Unpack[Scenario],
) -> Report:
    """Run one drive over one trace or workload.

    Parameters
    ----------
    progress
        Function called about ten times a second with the number of completed requests, the number
        of all requests (``None`` if unknown) and the simulated time [µs]. An exception that it
        raises ends the run. ``True`` shows a progress bar, ``False`` none; by default, notebooks
        show one.
    log
        Function called with tables of further completed requests (:class:`venice.Table`), the last
        of which may be empty, or a :class:`~venice.observation.request_log.RequestLog`, which
        writes them to a Parquet file. An attribute `columns` of the function selects the columns,
        as `request_table` does.
    save_state
        File for the state of the drive at the end of the run, for `load_state` of other runs. With
        ``requests=0`` it is the state after preconditioning.
    interval
        Length of the intervals of `report.time_series`, as ``"100ms"``, or their number, as
        ``200``; see :func:`~venice.observation.intervals.parse_interval`.
    slowest
        Number of slowest requests that `report.slowest` explains [default: 10 with `interval`,
        otherwise 0].
    distributions
        Add `report.distributions`: latencies, outstanding requests and erases. Data sheets and
        fio's JSON need them.
    causes
        Add the causes of waits for chips (`report.chip_wait_causes_us`) and for space in the data
        cache (`report.cache_causes_us`). Implied by `interval`, `slowest` and `distributions`.
        Simulated times are unchanged; the run takes longer.
    request_table
        Columns of `report.request_table`, which has a row for every request: ``True`` or
        ``"usual"`` for those that do not slow the run (up to 140 bytes per request), ``"all"``, or
        names; see :func:`~venice.observation.request_columns.chosen`.
    trace_events
        File for the activity of requests, chips, planes, paths and garbage collection, in the
        format of Perfetto.
    trace_events_window
        Part of the simulated time that `trace_events` and `slice_table` cover, as
        ``"10ms..12ms"``; see :func:`~venice.observation.trace_events.parse_window` [default: the
        whole run, up to two million slices].
    slice_table
        Keep the activity of `trace_events` as rows of `report.slice_table`.
    alone
        Run each tenant (a flow, a job, or a queue of a trace) once more without the others, and
        add its slowdown (`report.queues[i].alone`) and the fairness of the slowdowns
        (`report.fairness.slowdown`).
    **scenario
        Drive and requests: see :class:`venice.Scenario`.

    Returns
    -------
    Report
        Figures of the run.

    Raises
    ------
    UsageError, ConfigError, TraceError, WorkloadError, StateError
        If an argument, the drive, the trace, the workload or the saved state is invalid.
    SimulationError
        If the simulation fails.

    Examples
    --------
    >>> report = run(fabric="venice", workload="random-read", requests=1000)
    >>> report.requests.completed
    1000
    """
    warn_of_sets(scenario)
    options = RunOptions.of(scenario)
    check(options, may_be_empty=save_state is not None)
    watched_closely = watch(interval, slowest, distributions=distributions, causes=causes)
    is_traced = slice_table or trace_events is not None
    check_window(is_traced, trace_events_window)
    _check_files(options, {"save_state": save_state, "trace_events": trace_events})
    with ExitStack() as files:
        events = None
        if is_traced:
            path = None if trace_events is None else fspath(trace_events)
            file = None if path is None else files.enter_context(create(path))
            events = TraceEvents(file, trace_events_window, keeps_table=slice_table)
        drive = drive_of(options)
        report = run_load(
            ScenarioLoad(drive, options),
            progress=files.enter_context(of_run(progress, drive.fabric)),
            log=log,
            save_state=save_state,
            watch=watched_closely,
            request_table=request_table,
            events=events,
        )
        if alone:
            report = run_alone(drive, options, report)
    if events is not None and events.remark is not None:
        warnings.warn(events.remark, stacklevel=2)
    return report


def _check_files(options: RunOptions, outputs: Mapping[str, str | PathLike[str] | None]) -> None:
    """Refuse a run that would overwrite one of its inputs, or write two outputs to one file."""
    written = {key: path for key, path in outputs.items() if path is not None}
    if not written:
        return
    from venice.files.ledger import Ledger  # noqa: PLC0415 few runs write files
    from venice.options.named_files import scenario_files  # noqa: PLC0415 likewise

    ledger = Ledger()
    for key, name in scenario_files(options):
        ledger.read(f"{key}=", name)
    for key, path in written.items():
        ledger.write(f"{key}=", path)


class Watch(NamedTuple):
    """Recording options of a run: intervals, slowest requests, distributions and the like."""

    cut: IntervalDivision | None = None
    slowest: int = 0
    distributions: bool = False
    chips: bool = False
    causes: bool = False


def watch(
    interval: str | int | None,
    slowest: int | None,
    *,
    distributions: bool = False,
    causes: bool = False,
) -> Watch:
    """Return the recording options of a run, from the arguments of :func:`run`.

    Raises
    ------
    UsageError
        If `interval` is invalid, or `slowest` exceeds the maximum.
    """
    if slowest is not None and not 0 <= slowest <= _MOST_SLOWEST:
        raise UsageError(f"`slowest=` is {slowest}; it should be from 0 to {_MOST_SLOWEST}")
    cut = None if interval is None else parse_interval(interval)
    usual = 0 if cut is None else _USUAL_SLOWEST
    return Watch(cut, usual if slowest is None else slowest, distributions, causes=causes)


class ScenarioLoad:
    """Resolved drive and options of its run, with all requests or with those of one queue."""

    def __init__(self, drive: Drive, options: RunOptions, only_queue: int | None = None) -> None:
        self.drive = drive
        self._given = options
        self._options = EngineOptions(options, only_queue)

    @property
    def is_repeatable(self) -> bool:
        """True if the requests can be read a second time; requests from a pipe cannot."""
        trace = self._options.trace
        return trace is None or not Path(trace).exists() or Path(trace).is_file()

    def simulation(
        self, watch: Watch, events: TraceEvents | None, preparations: Preparations | None = None
    ) -> Simulation:
        """Create a run without starting it.

        Raises
        ------
        UsageError, TraceError, WorkloadError
            If its requests cannot be read.
        """
        options = self._options
        try:
            with open_pipes(*options.files):
                observing = observing_of(options, watch, events)
                return Simulation(self.drive, options, observing, preparations=preparations)
        except WorkloadError:
            _refuse_drive(self._given.workload)
            raise


def observing_of(
    options: RunOptions | EngineOptions, watch: Watch, events: TraceEvents | None
) -> Observing:
    """Return the recording options of a run in the form that the engine reads."""
    return {
        "audit": options.audit,
        "warmup": (options.warmup or 0, options.warmup_us or 0.0),
        "intervals": watch.cut,
        "slowest": watch.slowest,
        "distributions": watch.distributions,
        "causes": watch.causes,
        "slices": None if events is None else (*events.window, events.most),
        "until": criterion_of(options.until),
        "chips": watch.chips,
    }


def run_drive(
    drive: Drive,
    options: RunOptions,
    *,
    progress: Progress | None = None,
    watch: Watch | None = None,
    preparations: Preparations | None = None,
) -> Report:
    """Run a resolved drive; the other arguments are those of :func:`run_load`."""
    load = ScenarioLoad(drive, options)
    return run_load(load, progress=progress, watch=watch, preparations=preparations)


def run_load(  # noqa: PLR0913 each is a keyword of its own
    load: Load,
    *,
    progress: Progress | None = None,
    log: Log | None = None,
    save_state: str | PathLike[str] | None = None,
    watch: Watch | None = None,
    request_table: bool | Columns = False,
    events: TraceEvents | None = None,
    preparations: Preparations | None = None,
) -> Report:
    """Run a load to its end; the keywords are as for :func:`run`.

    With the same `preparations`, drives with equal initial states are prepared once.
    """
    check_memory(load.drive)
    check_types({"save_state": save_state})
    keeps = request_table is not False
    if log is not None and keeps:
        raise UsageError("`log=` and `request_table=` cannot be combined; expected: one of them")
    kept: list[Table] = []
    targets = _kept_in(kept, request_table) if keeps else log_targets(log)
    simulation = load.simulation(watch or Watch(), events, preparations)
    with _state_file(save_state) as state:
        text = simulation.run(
            with_memory_check(progress),
            wrapped(targets.listener),
            state,
            columns=targets.columns,
            whole_log=keeps,
            files=targets.files,
            events=events if events is not None and events.writes_file else None,
            slices=events.keep if events is not None and events.keeps_table else None,
        )
    tables = (None, None) if events is None else (events.table, events.scouts)
    return Report.made(text, kept[0] if kept else None, *tables)


@contextmanager
def _state_file(path: str | PathLike[str] | None) -> Iterator[str | None]:
    """Yield the temporary path to which the engine saves a state; it replaces `path` afterwards."""
    if path is None:
        yield None
        return
    with ExitStack() as files:
        try:
            place = files.enter_context(create_by_path(fspath(path)))
        except UsageError as error:
            raise StateError(str(error)) from None
        try:
            yield place
        except StateError as error:
            raise StateError(str(error).replace(place, fspath(path))) from None


def _kept_in(kept: list[Table], request_table: bool | Columns) -> LogTargets:
    columns = "usual" if isinstance(request_table, bool) else request_table
    return LogTargets(kept.append, chosen(columns))


def run_alone(
    drive: Drive,
    options: RunOptions,
    report: Report,
    progress: Progress | None = None,
    preparations: Preparations | None = None,
) -> Report:
    """Run each tenant of a report again without the others, and add the results to the report.

    A warm-up given as a number of requests is divided among tenants in proportion to their measured
    requests.

    Raises
    ------
    UsageError
        If the drive has a single tenant.
    """
    from venice.report.tenants import tenants_of, with_alone  # noqa: PLC0415 seldom wanted

    tenants = tenants_of(report)
    if not tenants:
        raise UsageError(
            "tenants are to be run alone, and there is only one; expected: a workload of several "
            "flows or jobs, or a trace of several queues"
        )
    alone = {
        queue: run_load(load, progress=progress, preparations=preparations)
        for queue, load in loads_alone(drive, options, report).items()
    }
    return with_alone(report, alone)


def loads_alone(drive: Drive, options: RunOptions, report: Report) -> dict[int, ScenarioLoad]:
    """Return, by queue number, the run of each tenant of a report without the other tenants.

    Tenants of a trace that can be read only once are left out.
    """
    from venice.report.tenants import tenants_of  # noqa: PLC0415 seldom wanted

    loads = {
        tenant["queue"]: ScenarioLoad(
            drive, _options_alone(options, tenant, report), tenant["queue"]
        )
        for tenant in tenants_of(report)
    }
    return {queue: load for queue, load in loads.items() if load.is_repeatable}


def _options_alone(options: RunOptions, tenant: Mapping[str, Any], report: Report) -> RunOptions:
    if options.warmup is None:
        return options
    share = tenant["latency_us"]["all"]["count"] / report.requests.completed
    return replace(options, warmup=round(options.warmup * share))


def repeat_window(load: Load, events: TraceEvents, progress: Progress | None = None) -> None:
    """Run a load again, up to the end of the window that `events` records."""
    load.simulation(Watch(), events).look(events.keep, with_memory_check(progress))


def _refuse_drive(workload: object) -> None:
    """Refuse a drive file as workload.

    Raises
    ------
    WorkloadError
        If the workload is a drive file.
    """
    from venice.options.file_kinds import kind_of_file  # noqa: PLC0415 for mistakes alone

    if isinstance(workload, str | PathLike) and kind_of_file(fspath(workload)) == "drive":
        raise WorkloadError(
            f"{fspath(workload)}: defines a drive, not a workload; pass it as `drive=`, together "
            "with a workload"
        ) from None
