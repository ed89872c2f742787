"""Runs of MQSim's input files, a configuration and a workload, without changes to them."""

from __future__ import annotations

import warnings
from os import fspath
from typing import TYPE_CHECKING, NamedTuple, TypedDict, Unpack

from venice._native import Drive, MqsimFiles, UsageError, import_mqsim
from venice.api.run import observing_of, run_load, watch
from venice.files.pipes import open_pipes
from venice.options.criterion import criterion_of
from venice.options.run_options import RunOptions
from venice.options.value_checks import check_ranges, check_types

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

    from venice._native import Preparations, Simulation
    from venice.api.run import Progress, Watch
    from venice.config import FabricName
    from venice.observation.listeners import Log
    from venice.observation.request_columns import Columns
    from venice.observation.trace_events import TraceEvents
    from venice.report import Report


class Remark(NamedTuple):
    """Warning or note about MQSim's files."""

    level: str
    """``"warning"`` if results may differ from MQSim's for this reason, else ``"note"``."""
    text: str
    """File and line, with the remark."""


class MqsimWarning(UserWarning):
    """Warning that Venice treats a setting differently from MQSim."""


class Mqsim:
    """Configuration and workload files of MQSim, read and checked.

    Parameters
    ----------
    config
        ``ssdconfig.xml``.
    workload
        ``workload.xml``; paths of traces in it are relative to its folder.
    fabric
        Fabric that replaces MQSim's buses.
    sets
        Changes to the drive, each ``"key=value"``.
    seed
        Seed of the drive's random choices; the seeds of the flows are in the workload.

    Raises
    ------
    ConfigError
        The message lists all problems of a file.
    """

    def __init__(
        self,
        config: str | PathLike[str],
        workload: str | PathLike[str],
        *,
        fabric: FabricName | None = None,
        sets: Sequence[str] = (),
        seed: int | None = None,
    ) -> None:
        with open_pipes(config, workload):
            self._files = MqsimFiles(
                fspath(config), fspath(workload), fabric=fabric, sets=list(sets), seed=seed
            )

    def drive(self, scenario: int) -> Drive:
        """Return the drive of a scenario, counted from 0; its flows determine the data cache."""
        return self._files.drive(scenario)

    def remarks(self, scenarios: Sequence[int]) -> list[Remark]:
        """Return the remarks about the files and these scenarios, counted from 0."""
        return remarks_of(self._files.remarks(list(scenarios)))

    @property
    def flows(self) -> list[int]:
        """Number of flows of each scenario."""
        return self._files.scenarios()

    def result_names(self, scenario: int) -> list[str]:
        """Return the names of a scenario's flows in MQSim's result file; scenarios count from 0."""
        return self._files.result_names(scenario)

    @property
    def log_period_ns(self) -> int | None:
        """Interval between lines of the response-time log [ns], if the files request a log."""
        return self._files.log_period_ns()

    def chosen(self, scenario: int | None, requests: str | PathLike[str] | None) -> list[int]:
        """Return the scenarios to run, counted from 0; `scenario` counts from 1.

        Raises
        ------
        UsageError
            If there is no such scenario, or recorded requests are given for several scenarios.
        """
        count = len(self.flows)
        if scenario is not None:
            if not 1 <= scenario <= count:
                raise UsageError(f"there is no scenario {scenario}; expected: 1 to {count}")
            return [scenario - 1]
        if requests is not None and count > 1:
            raise UsageError(
                f"listed requests are those of one scenario, and the workload has {count}: "
                f"choose one with `scenario=`, from 1 to {count}"
            )
        return list(range(count))

    def check(self, scenario: int, requests: str | PathLike[str] | None = None) -> None:
        """Open the files of a scenario, so that a missing one is reported before any run.

        Raises
        ------
        TraceError, WorkloadError
            See :meth:`run`.
        """
        self._files.check(scenario, None if requests is None else fspath(requests))

    def load(
        self,
        scenario: int,
        requests: str | PathLike[str] | None = None,
        **options: Unpack[MqsimOptions],
    ) -> MqsimLoad:
        """Return the load of a scenario, counted from 0; `requests` and options are as for `run`.

        Raises
        ------
        UsageError
            If an option is out of range.
        """
        path = None if requests is None else fspath(requests)
        return MqsimLoad(self._files, (scenario, path), _checked(options))

    def run(  # noqa: PLR0913 each is a keyword of its own
        self,
        scenario: int,
        requests: str | PathLike[str] | None = None,
        *,
        progress: Progress | None = None,
        log: Log | None = None,
        save_state: str | PathLike[str] | None = None,
        watch_chips: bool = False,
        interval: str | int | None = None,
        slowest: int | None = None,
        distributions: bool = False,
        request_table: bool | Columns = False,
        **options: Unpack[MqsimOptions],
    ) -> Report:
        """Run one scenario, counted from 0, on a fresh drive.

        Parameters
        ----------
        scenario
            Position of the scenario in the workload, from 0.
        requests
            File of recorded requests, plain or compressed, which replaces every flow's generator or
            trace: ``flow,op,arrival_ns,enqueue_ns,completion_ns,start_sector,sectors``. A flow with
            a queue depth issues a request at each completion; other flows issue requests at their
            arrival times.
        watch_chips
            Add the queues and commands of each chip to the report (`report.chips`).
        progress, log, save_state, interval, slowest, distributions, request_table
            See :func:`venice.run`.
        **options
            See :class:`MqsimOptions`.

        Raises
        ------
        UsageError
            If an option is out of range.
        TraceError, WorkloadError
            If the requests cannot be read or do not fit the drive.
        StateError
            If a state cannot be loaded or saved.
        SimulationError
            If the simulation fails.
        """
        watched = watch(interval, slowest, distributions=distributions)
        return run_load(
            self.load(scenario, requests, **options),
            progress=progress,
            log=log,
            save_state=save_state,
            watch=watched._replace(chips=watch_chips),
            request_table=request_table,
        )


class MqsimOptions(TypedDict, total=False):
    """Options of a run of MQSim's files, as in :class:`venice.Scenario`."""

    audit: bool
    """Check the drive's contents during the run, which is slower."""
    warmup: int | None
    """Warm-up requests, not measured."""
    warmup_us: float | None
    """Warm-up time in simulated µs, in which requests are not measured."""
    until: str | None
    """Criterion that ends the run. Synthetic flows continue until it is reached, up to ten million
    requests each, regardless of their length in the file.
    """
    load_state: str | PathLike[str] | None
    """Drive state saved by an earlier run [default: preconditioning]."""


class MqsimLoad:
    """Drive and flows of a scenario in MQSim's files."""

    is_repeatable = True

    def __init__(
        self, files: MqsimFiles, what: tuple[int, str | None], options: RunOptions
    ) -> None:
        self._files = files
        self._what = what
        self._options = options

    @property
    def drive(self) -> Drive:
        """The scenario's drive, whose data cache depends on the flows."""
        return self._files.drive(self._what[0])

    def simulation(
        self, watch: Watch, events: TraceEvents | None, _preparations: Preparations | None = None
    ) -> Simulation:
        """Create a run without starting it.

        Raises
        ------
        TraceError, WorkloadError
            If the requests cannot be read or do not fit the drive.
        """
        observing = observing_of(self._options, watch, events)
        state = self._options.load_state
        return self._files.simulation(*self._what, observing, load_state=state)


def _checked(given: MqsimOptions) -> RunOptions:
    """Return the checked options of a run; options that MQSim's files define are excluded."""
    options = RunOptions.of(given)
    check_types(vars(options))
    check_ranges(options)
    criterion_of(options.until)
    return options


def mqsim(  # noqa: PLR0913 each is a keyword of its own
    config: str | PathLike[str],
    workload: str | PathLike[str],
    *,
    requests: str | PathLike[str] | None = None,
    fabric: FabricName | None = None,
    sets: Sequence[str] = (),
    seed: int | None = None,
    interval: str | int | None = None,
    slowest: int | None = None,
    distributions: bool = False,
    request_table: bool | Columns = False,
    **options: Unpack[MqsimOptions],
) -> list[Report]:
    """Run MQSim's input files, that is, all scenarios of the workload, one after another.

    Settings that Venice treats differently from MQSim are reported as :class:`MqsimWarning`.

    Parameters
    ----------
    config, workload, fabric, sets, seed
        See :class:`Mqsim`.
    requests
        See :meth:`Mqsim.run`; only for a workload with one scenario.
    interval, slowest, distributions, request_table
        See :func:`venice.run`.
    **options
        See :class:`MqsimOptions`.

    Returns
    -------
    list of Report
        A report for each scenario.

    Raises
    ------
    UsageError, ConfigError, TraceError, WorkloadError
        If an argument or a file is invalid.
    SimulationError
        If a simulation fails.
    """
    files = Mqsim(config, workload, fabric=fabric, sets=sets, seed=seed)
    chosen = files.chosen(None, requests)
    for remark in files.remarks(chosen):
        if remark.level == "warning":
            warnings.warn(remark.text, MqsimWarning, stacklevel=2)
    watched = watch(interval, slowest, distributions=distributions)
    loads = [files.load(number, requests, **options) for number in chosen]
    for number in chosen:
        files.check(number, requests)
    return [run_load(load, watch=watched, request_table=request_table) for load in loads]


def import_config(config: str | PathLike[str]) -> tuple[str, list[Remark]]:
    """Convert MQSim's configuration into a drive file of Venice.

    Returns
    -------
    tuple
        TOML text, in which each value has its source, and remarks.

    Raises
    ------
    ConfigError
        The message lists all problems of the file.
    """
    with open_pipes(config):
        text, remarks = import_mqsim(fspath(config))
    return text, remarks_of(remarks)


def remarks_of(texts: Iterable[tuple[str, str]]) -> list[Remark]:
    """Return the remarks of the engine as objects."""
    return [Remark(level, text) for level, text in texts]
