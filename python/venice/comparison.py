"""The same requests on several fabrics."""

from __future__ import annotations

from concurrent.futures import FIRST_EXCEPTION, Executor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

from venice._native import ConfigError, Drive, UsageError, fabric_names, paper_fabric_names
from venice.pool import StoppedError, stoppable_pool, worker_count
from venice.runs import run_drive
from venice.scenario import Scenario, check, drive_of

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from venice.report import Report

    Progress = Callable[[int, int, int | None, float], object]

GROUPS = {"all": paper_fabric_names, "every": fabric_names}
"""Words that stand for several fabrics: those that the Venice paper compares, and all there are."""


@dataclass(frozen=True)
class Lineup:
    """The fabrics of a comparison.

    Attributes
    ----------
    fabrics
        Those to run, in the order of the table.
    left_out
        Those that this array does not allow, each with the reason; only when a word asked for
        several.
    """

    fabrics: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...] = ()


def compare(
    *,
    fabrics: Sequence[str] | str = "all",
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    **scenario: Unpack[Scenario],
) -> list[Report]:
    """Run one trace or workload on several fabrics.

    Parameters
    ----------
    fabrics
        Their names, or ``"all"`` for those that the Venice paper compares, or ``"every"`` for those
        and the related ones; of both, what the array allows.
    workers
        Runs at a time; by default one for each processor. It has no influence on the results.
    executor
        Runs the runs, instead of threads of this process: any executor of
        :mod:`concurrent.futures`, Dask's included. It hears of no `progress`.
    progress
        As for :func:`venice.run`, with the place of the fabric, from 0, before the other arguments;
        called from several threads.
    **scenario
        What to run: see :class:`venice.Scenario`.

    Returns
    -------
    list of Report
        One for each fabric, in the order asked.

    Raises
    ------
    UsageError, ConfigError, TraceError, WorkloadError
        If what was asked for is wrong.
    SimulationError
        If the simulator failed.
    """
    check(scenario)
    lineup = choose(fabrics, scenario)
    if executor is not None:
        return _gather([executor.submit(run_fabric, name, scenario) for name in lineup.fabrics])
    return run_lineup(lineup, scenario, workers=workers, progress=progress)


def choose(fabrics: Sequence[str] | str, scenario: Scenario) -> Lineup:
    """Find out which fabrics to run.

    Raises
    ------
    ConfigError
        If a fabric that was named is impossible, or the drive itself is.
    UsageError
        If no fabric was named.
    """
    if scenario.get("fabric") is not None:
        raise UsageError("a comparison takes its fabrics from `fabrics`, not from `fabric`")
    if isinstance(fabrics, str) and fabrics in GROUPS:
        return _choose_possible(GROUPS[fabrics](), scenario)
    names = (fabrics,) if isinstance(fabrics, str) else tuple(fabrics)
    if not names:
        raise UsageError("there is no fabric to compare")
    for name in names:
        drive_of(scenario, name)
    return Lineup(names)


def run_lineup(
    lineup: Lineup,
    scenario: Scenario,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[Report]:
    """Run in threads, which is parallel because a run lets go of the interpreter lock."""
    drives = [(drive_of(scenario, name), scenario) for name in lineup.fabrics]
    return run_drives(drives, workers=workers, progress=progress)


def run_drives(
    drives: Sequence[tuple[Drive, Scenario]],
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[Report]:
    """Run drives in threads, each over its scenario."""
    with stoppable_pool(worker_count(workers, len(drives))) as (pool, stop):
        return _gather(
            [
                pool.submit(_run_watched, drive, scenario, _watch(place, progress, stop))
                for place, (drive, scenario) in enumerate(drives)
            ]
        )


def run_fabric(fabric: str, scenario: Scenario) -> Report:
    """Run one fabric of a comparison; a function of its own so that processes can be sent it."""
    return run_drive(drive_of(scenario, fabric), scenario)


def _choose_possible(names: Sequence[str], scenario: Scenario) -> Lineup:
    """Keep what resolves; when nothing does, the drive is at fault and not a fabric."""
    possible: list[str] = []
    refused: list[tuple[str, ConfigError]] = []
    for name in names:
        try:
            drive_of(scenario, name)
        except ConfigError as error:
            refused.append((name, error))
        else:
            possible.append(name)
    if not possible:
        raise refused[0][1]
    return Lineup(tuple(possible), tuple((name, str(error)) for name, error in refused))


def _run_watched(
    drive: Drive, scenario: Scenario, watch: Callable[[int, int | None, float], object]
) -> Report:
    return run_drive(drive, scenario, progress=watch)


def _watch(
    place: int, progress: Progress | None, stop: threading.Event
) -> Callable[[int, int | None, float], object]:
    def watch(completed: int, total: int | None, simulated_us: float) -> None:
        if stop.is_set():
            raise StoppedError
        if progress is not None:
            progress(place, completed, total, simulated_us)

    return watch


def _gather(futures: Sequence[Future[Report]]) -> list[Report]:
    """Wait for all, or for the first failure, which is raised."""
    done, _ = wait(futures, return_when=FIRST_EXCEPTION)
    for future in futures:
        if future in done:
            future.result()
    return [future.result() for future in futures]
