"""MQSim's own files: its configuration and its workload, run unchanged."""

from __future__ import annotations

from os import fspath

from venice._native import Drive, MqsimFiles, UsageError, import_mqsim
from venice.report import Report
from venice.request_columns import asked_by
from venice.table import wrapped
from venice.typed import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

    from venice._native import Simulation
    from venice.config import FabricName
    from venice.request_columns import Log
    from venice.runs import Progress


class Remark(NamedTuple):
    """Something to know about the files."""

    level: str
    """``"warning"`` where results may differ from MQSim's for this reason, or ``"note"``."""
    text: str
    """File, line and what there is to say."""


class MqsimWarning(UserWarning):
    """The files ask for something that this program does otherwise than MQSim."""


class Mqsim:
    """A configuration and a workload of MQSim, read and checked.

    Parameters
    ----------
    config
        ``ssdconfig.xml``.
    workload
        ``workload.xml``; traces that it names are looked for beside it.
    fabric
        What joins the chips, in place of MQSim's buses.
    sets
        Changes to the drive, each ``"key=value"``.
    seed
        Seed of the drive's random choices; the flows keep those of the workload.

    Raises
    ------
    ConfigError
        With every problem of a file.
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
        self._files = MqsimFiles(
            fspath(config), fspath(workload), fabric=fabric, sets=list(sets), seed=seed
        )

    def drive(self, scenario: int) -> Drive:
        """Give the drive of a scenario, counted from 0: its flows say what the data cache does."""
        return self._files.drive(scenario)

    def remarks(self, scenarios: Sequence[int]) -> list[Remark]:
        """Say what there is to know of the files and of these scenarios, counted from 0."""
        return remarks_of(self._files.remarks(list(scenarios)))

    @property
    def flows(self) -> list[int]:
        """How many flows each scenario has."""
        return self._files.scenarios()

    def result_names(self, scenario: int) -> list[str]:
        """Say what MQSim calls the flows of a scenario, counted from 0, in its results."""
        return self._files.result_names(scenario)

    @property
    def log_period_ns(self) -> int | None:
        """Nanoseconds between two lines of the log of response times, if the files ask for one."""
        return self._files.log_period_ns()

    def chosen(self, scenario: int | None, requests: str | PathLike[str] | None) -> list[int]:
        """Give the scenarios to run, counted from 0; `scenario` counts from 1.

        Raises
        ------
        UsageError
            If there is no such scenario, or requests are listed and it is not clear for which.
        """
        count = len(self.flows)
        if scenario is not None:
            if not 1 <= scenario <= count:
                raise UsageError(
                    f"there is no scenario {scenario}; the workload has {count}, from 1"
                )
            return [scenario - 1]
        if requests is not None and count > 1:
            raise UsageError(
                f"listed requests are those of one scenario, and the workload has {count}: "
                f"choose one with --scenario, from 1 to {count}"
            )
        return list(range(count))

    def check(self, scenario: int, requests: str | PathLike[str] | None = None) -> None:
        """Open what a scenario reads, so that what is missing is known before any run.

        Raises
        ------
        TraceError, WorkloadError
            As :meth:`run`.
        """
        self._files.check(scenario, None if requests is None else fspath(requests))

    def run(  # noqa: PLR0913 each is a keyword of its own
        self,
        scenario: int,
        requests: str | PathLike[str] | None = None,
        *,
        progress: Progress | None = None,
        log: Log | None = None,
        audit: bool = False,
        watch_chips: bool = False,
        load_state: str | PathLike[str] | None = None,
        save_state: str | PathLike[str] | None = None,
    ) -> Report:
        """Run one scenario, counted from 0, on a drive of its own.

        Parameters
        ----------
        scenario
            Its place in the workload.
        requests
            A list of recorded requests, plain or compressed, which replaces every flow's generator
            or trace: ``flow,op,arrival_ns,enqueue_ns,completion_ns,start_sector,sectors``. A flow
            that is driven by depth issues its requests by completions, others at their arrivals.
        progress, log
            As for :func:`venice.run`.
        audit
            Check the drive's contents during the run, which is slower.
        watch_chips
            Measure what waits for each chip and what each chip does: ``chips`` in the report.
        load_state, save_state
            As for :func:`venice.run`.

        Raises
        ------
        TraceError, WorkloadError
            If the requests cannot be had or do not fit the drive.
        StateError
            If a state cannot be loaded or saved.
        SimulationError
            If the simulator failed.
        """
        simulation: Simulation = self._files.simulation(
            scenario,
            None if requests is None else fspath(requests),
            audit=audit,
            watch_chips=watch_chips,
            load_state=load_state,
        )
        listener, columns, log_files = asked_by(log)
        text = simulation.run(
            progress, wrapped(listener), save_state, columns=columns, files=log_files
        )
        return Report.made(text)


def mqsim(
    config: str | PathLike[str],
    workload: str | PathLike[str],
    *,
    requests: str | PathLike[str] | None = None,
    fabric: FabricName | None = None,
    sets: Sequence[str] = (),
) -> list[Report]:
    """Run MQSim's own files: every scenario of the workload, one after another.

    Whatever the files ask for and this program does otherwise is told as an :class:`MqsimWarning`.

    Parameters
    ----------
    config, workload, fabric, sets
        As for :class:`Mqsim`.
    requests
        As for :meth:`Mqsim.run`; the workload has one scenario then.

    Returns
    -------
    list of Report
        One for each scenario.

    Raises
    ------
    UsageError, ConfigError, TraceError, WorkloadError
        If what was asked for is wrong.
    SimulationError
        If the simulator failed.
    """
    import warnings  # noqa: PLC0415 commands tell what there is to know themselves

    files = Mqsim(config, workload, fabric=fabric, sets=sets)
    chosen = files.chosen(None, requests)
    for remark in files.remarks(chosen):
        if remark.level == "warning":
            warnings.warn(remark.text, MqsimWarning, stacklevel=2)
    for number in chosen:
        files.check(number, requests)
    return [files.run(number, requests) for number in chosen]


def import_config(config: str | PathLike[str]) -> tuple[str, list[Remark]]:
    """Turn MQSim's configuration into a drive file of ours.

    Returns
    -------
    tuple
        The TOML text, each value with its source, and what there is to say of it.

    Raises
    ------
    ConfigError
        With every problem of the file.
    """
    text, remarks = import_mqsim(fspath(config))
    return text, remarks_of(remarks)


def remarks_of(told: Iterable[tuple[str, str]]) -> list[Remark]:
    """Give what the engine told its names."""
    return [Remark(level, text) for level, text in told]
