"""Comparison of fabrics or drives on the same requests."""

from __future__ import annotations

import json
from concurrent.futures import FIRST_EXCEPTION, Executor, wait
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Literal, TypeAlias, Unpack, cast

from venice._native import ConfigError, Drive, UsageError, fabric_names, paper_fabric_names
from venice.api.run import ScenarioLoad, run_load, watch
from venice.execution.pool import (
    LOOK_S,
    StoppedError,
    preparations_of_process,
    stoppable_pool,
    worker_count,
)
from venice.execution.progress import of_runs
from venice.options.argument_names import settings_given_as
from venice.options.checks import check
from venice.options.deprecation import warn_of_sets
from venice.options.drives import drive_of
from venice.options.repeats import repeated
from venice.options.run_options import RunOptions
from venice.text.labels import labels

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from concurrent.futures import Future

    from venice import config
    from venice.api.run import Load, Watch
    from venice.api.scenario import Scenario
    from venice.execution.pool import SharedResources
    from venice.report import Report
    from venice.report.frame import Frame

    Progress = Callable[[int, int, int | None, float], object]
    Fabrics: TypeAlias = Sequence[config.FabricName] | config.FabricName | Literal["all", "every"]

SCHEDULER = "host.scheduler.scheme"
"""Key of the host scheduler."""
GROUPS = {"all": paper_fabric_names, "every": fabric_names}
"""Names of groups of fabrics: those of the Venice paper, and all."""

_LONGEST = ("venice", "nossd", "decoupled", "hlnand", "ideal")
"""Fabrics whose runs take longest, in descending order: from five times to twice the processor time
of a bus (measured).
"""


@dataclass(frozen=True)
class Row:
    """One drive of a comparison, run once for each seed.

    Attributes
    ----------
    fabric
        Fabric that replaces the drive's own; empty to keep it.
    options
        Options of the run, its drive included.
    """

    fabric: str
    options: RunOptions

    def drive(self) -> Drive:
        """Resolve the drive of the row."""
        return drive_of(self.options, self.fabric or None)


@dataclass(frozen=True)
class Lineup:
    """Runs of a comparison, as rows of its table.

    Attributes
    ----------
    rows
        Runs in the order of the table.
    left_out
        Fabrics that the drive's chip array does not allow, each with the reason; only for a
        group of fabrics.
    seeds
        Number of runs of each row, with consecutive seeds from the row's own.
    """

    rows: tuple[Row, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    seeds: int = 1

    @property
    def names(self) -> list[str]:
        """Names of the runs: the settings and the seed in which the runs differ."""
        names = self.row_names()
        if self.seeds == 1:
            return names
        return [
            f"{name} seed {seed}"
            for name, row in zip(names, self.rows, strict=True)
            for seed in seeds_of(row, self.seeds)
        ]

    @property
    def runs(self) -> list[Row]:
        """All runs: each row once for each of its seeds."""
        if self.seeds == 1:
            return list(self.rows)
        return [
            replace(row, options=replace(row.options, seed=seed))
            for row in self.rows
            for seed in seeds_of(row, self.seeds)
        ]

    def row_names(self) -> list[str]:
        """Return the name of each row: the settings that distinguish it from the other rows."""
        drives = [row.drive() for row in self.rows]
        configs = [json.loads(drive.to_json()) for drive in drives]
        rows = [
            (config["name"], drive.fabric) for config, drive in zip(configs, drives, strict=True)
        ]
        return labels(rows, configs)


class Comparison(list["Report"]):
    """List of the reports of several runs of the same requests, shown as a table in notebooks.

    Examples
    --------
    >>> Comparison()
    []
    """

    __slots__ = ("_seeds",)

    def __init__(self, reports: Iterable[Report] = (), *, seeds: int = 1) -> None:
        super().__init__(reports)
        self._seeds = seeds

    @property
    def seeds(self) -> int:
        """Number of seeds of each row."""
        return self._seeds

    @property
    def frame(self) -> Frame:
        """Table with a row for each report and a column for each figure (:class:`venice.Frame`)."""
        from venice.report.frame import frame_of  # noqa: PLC0415 few want it

        return frame_of([report.content for report in self])

    @property
    def path_rates(self) -> dict[str, float | None]:
        """Data rate of one path in each row, in 10^6 bytes per second; ``None`` if unlimited."""
        from venice.report.rates import path_rates  # noqa: PLC0415 rarely used
        from venice.report.rows import firsts, rows_of  # noqa: PLC0415 rarely used

        return path_rates(firsts(rows_of(self, self._seeds)))

    def _repr_html_(self) -> str:
        """Show a table with a row for each report, with means over seeds, as in the terminal.

        Bars below the table show the parts of the mean latency.
        """
        if not self:
            return "nothing"
        # Imported here, because only notebooks need these modules.
        from venice.report.latency_bars import Bar, latency_bars  # noqa: PLC0415
        from venice.report.rows import firsts, rows_of  # noqa: PLC0415
        from venice.report.summary_table import caption, cells, names_of  # noqa: PLC0415
        from venice.text.html_table import html_table  # noqa: PLC0415

        first = firsts(rows_of(self, self._seeds))
        table = html_table(caption(self), *cells(self, seeds=self._seeds))
        return table + latency_bars([*map(Bar, names_of(first), first)])


def compare(  # noqa: PLR0913 each is a keyword of its own
    *,
    drives: Sequence[config.DriveName | str | config.Drive] = (),
    fabrics: Fabrics | None = None,
    vary: Mapping[str, Iterable[object]] | None = None,
    seeds: int = 1,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Progress | bool | None = None,
    interval: str | int | None = None,
    slowest: int | None = None,
    distributions: bool = False,
    causes: bool = True,
    **scenario: Unpack[Scenario],
) -> Comparison:
    """Run one trace or workload on several fabrics or drives.

    Parameters
    ----------
    drives
        Drives, in place of the scenario's: each a :class:`venice.Drive`, a preset or the path of a
        TOML file. A name or path may be followed by a colon and fabrics, such as
        ``"venice-performance:bus,venice"``.
    fabrics
        Names of fabrics, ``"all"`` for those that the Venice paper compares, or ``"every"`` to
        include the related ones; fabrics that the array does not allow are left out [default:
        ``"all"``; the drive's own if drives or settings are compared].
    vary
        Values of settings by key, as ``{"flash.t_read_us": [3, 5]}``. Every row is run with every
        combination.
    seeds
        Number of seeds of each row, counted from the row's own.
    workers
        Parallel runs, without effect on the results [default: one per processor].
    executor
        Executor of the runs in place of threads of this process, such as Dask's or one of
        :mod:`concurrent.futures`. `progress` is not called.
    progress
        Function as for :func:`venice.run`, with the number of the row, from 0, as first argument;
        it is called from several threads. ``True`` shows a progress bar for each row.
    interval, slowest, distributions
        See :func:`venice.run`.
    causes
        As for :func:`venice.run`, but on by default. Without causes, runs take as little as three
        fifths of the time.
    **scenario
        Drive and requests: see :class:`venice.Scenario`.

    Returns
    -------
    Comparison
        List of reports in the order of the drives, their fabrics, and seeds.

    Raises
    ------
    UsageError, ConfigError, TraceError, WorkloadError
        If an argument, a drive, the trace or the workload is invalid.
    SimulationError
        If a simulation fails.

    Examples
    --------
    >>> paper, wide = compare(
    ...     drives=["venice-performance:venice", "venice-equal-wires"],
    ...     workload="random-read",
    ...     requests=1000,
    ... )
    >>> wide.latency_us.all.mean < paper.latency_us.all.mean
    True
    """
    warn_of_sets(scenario)
    options = RunOptions.of(scenario)
    check(options)
    closely = watch(interval, slowest, distributions=distributions, causes=causes)
    lineup = line_up(drives, fabrics, options, vary=vary or {}, seeds=seeds)
    if executor is not None:
        rows = lineup.runs
        names = [row.drive().fabric for row in rows]
        reports = _gather(names, lambda place: executor.submit(run_row, rows[place], closely))
    else:
        with of_runs(progress, lambda: lineup.names) as listener:
            reports = run_lineup(lineup, workers=workers, progress=listener, watch=closely)
    return Comparison(reports, seeds=seeds)


def line_up(
    drives: Sequence[str | config.Drive],
    fabrics: Fabrics | None,
    options: RunOptions,
    *,
    vary: Mapping[str, Iterable[object]],
    seeds: int = 1,
) -> Lineup:
    """Return the rows of a comparison.

    Raises
    ------
    ConfigError
        If a drive is impossible.
    UsageError
        If the arguments contradict each other.
    """
    _check_varied(options, vary)
    if drives:
        lineup = choose_drives(drives, fabrics, options)
    elif fabrics is None and (vary or options.fabric_model is not None):
        lineup = _own_fabric(options)
    else:
        lineup = choose(fabrics, options)
    return _repeated(_varied(lineup, vary), seeds)


def _check_varied(options: RunOptions, vary: Mapping[str, Iterable[object]]) -> None:
    """Refuse settings to vary that a policy in Python replaces."""
    for key, policy in {"fabric.name": "fabric_model", SCHEDULER: "host_scheduler"}.items():
        if key in vary and getattr(options, policy) is not None:
            raise UsageError(
                f"`vary=` has the key `{key}`, which `{policy}=` replaces; expected: one of them"
            )


def choose_drives(
    drives: Sequence[str | config.Drive], fabrics: Fabrics | None, options: RunOptions
) -> Lineup:
    """Return the rows of a comparison for drives, each with its fabrics.

    Raises
    ------
    ConfigError
        If a drive or fabric that was named is impossible.
    UsageError
        If drives are given both in `drives` and in the options.
    """
    if options.drive is not None:
        raise UsageError(
            "`drive=` and `drives=` cannot be combined; expected: one of them; "
            "name the drive among `drives=`"
        )
    lineups = []
    for given in drives:
        if given in fabric_names():
            raise UsageError(
                f"`{given}` is a fabric, not a drive; list fabrics with commas, "
                f'as `fabrics="bus,{given}"`, or behind a drive, as venice-performance:{given}'
            )
        name, _, own = given.partition(":") if isinstance(given, str) else (given, "", "")
        on_drive = replace(options, drive=name)
        requested = parse_fabrics(own) if own else fabrics
        typed = f"{given}" if own else None
        lineups.append(choose(requested, on_drive, typed) if requested else _own_fabric(on_drive))
    rows = tuple(row for lineup in lineups for row in lineup.rows)
    named = [(row.options.drive, row.drive().fabric) for row in rows]
    texts = [f"{drive}:{fabric}" for drive, fabric in named if isinstance(drive, str)]
    refuse_repeats(texts, "drives or fabrics", "`drives=`")
    return Lineup(rows, tuple(reason for lineup in lineups for reason in lineup.left_out))


def parse_fabrics(text: str) -> Fabrics:
    """Parse a comma-separated list of fabrics, or the name of a group."""
    names = [name.strip() for name in text.split(",")]
    # The engine reports the valid names.
    return cast("Fabrics", text if text in GROUPS else [name for name in names if name])


def choose(fabrics: Fabrics | None, options: RunOptions, typed: str | None = None) -> Lineup:
    """Return a row for each fabric, by default for all; error messages quote the text `typed`."""
    if options.fabric is not None:
        raise UsageError("`fabric=` was given to a comparison; expected: `fabrics=`")
    if options.fabric_model is not None:
        raise UsageError(
            "`fabrics=` and `fabric_model=` cannot be combined; expected: one of them; "
            "run the fabric in Python by itself"
        )
    fabrics = "all" if fabrics is None else fabrics
    if isinstance(fabrics, str) and fabrics in GROUPS:
        return _choose_possible(GROUPS[fabrics](), options)
    names = (fabrics,) if isinstance(fabrics, str) else tuple(fabrics)
    if not names:
        raise UsageError("`fabrics=` contains no fabric; expected: one or more names of fabrics")
    for name in GROUPS.keys() & set(names):
        raise UsageError(
            f"`{name}` cannot be combined with other fabrics; expected: `{name}` alone, or a list "
            "of names"
        )
    refuse_repeats(names, "fabrics", f"`{typed}`" if typed else "`fabrics=`")
    for name in names:
        drive_of(options, name, typed or f'fabrics="{",".join(names)}"')
    return Lineup(tuple(Row(name, options) for name in names))


def refuse_repeats(names: Sequence[str], kind: str, where: str) -> None:
    """Refuse a list that contains a name twice, since its rows would be equal.

    Raises
    ------
    UsageError
        The message names the first repeated name.
    """
    pair = repeated(names)
    if pair is None:
        return
    first, again = pair
    written = f", also as `{again}`" if again != first else ""
    raise UsageError(f"{where} names `{first}` more than once{written}; expected: different {kind}")


def _own_fabric(options: RunOptions) -> Lineup:
    drive_of(options)
    return Lineup((Row("", options),))


def _varied(lineup: Lineup, vary: Mapping[str, Iterable[object]]) -> Lineup:
    """Return a lineup in which each row is run with every combination of the settings' values."""
    given = {key: list(values) for key, values in vary.items()}
    texts = {key: [f"{value}" for value in values] for key, values in given.items()}
    for key, values in texts.items():
        refuse_repeats(values, f"values of `{key}`", "`vary=`")
    sets = [
        tuple(f"{key}={value}" for key, value in zip(texts, values, strict=True))
        for values in product(*texts.values())
    ]
    rows = [_with_sets(row, more) for row in lineup.rows for more in sets]
    arguments = {
        f"{key}={value}": f'vary={{"{key}": [{_source(value)}]}}'
        for key, values in given.items()
        for value in values
    }
    with settings_given_as(arguments):
        for row in rows:
            row.drive()
    return replace(lineup, rows=tuple(rows))


def _source(value: object) -> str:
    """Return a value as written in Python, texts in double quotes."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _with_sets(row: Row, more: Sequence[str]) -> Row:
    return replace(row, options=row.options.with_sets(*more))


def _repeated(lineup: Lineup, seeds: int) -> Lineup:
    """Return a lineup in which each row is run with several seeds."""
    if seeds < 1:
        raise UsageError(f"`seeds=` is {seeds}; it should be 1 or more")
    return replace(lineup, seeds=seeds)


def seeds_of(row: Row, count: int) -> range:
    """Return the seeds of a row: the seed of its options or drive, and the following ones."""
    first: int = json.loads(row.drive().to_json())["run"]["seed"]
    return range(first, first + count)


def run_lineup(
    lineup: Lineup,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> list[Report]:
    """Run the rows of a comparison in threads; the engine releases the interpreter lock."""
    drives = [(row.drive(), row.options) for row in lineup.runs]
    return run_drives(drives, workers=workers, progress=progress, watch=watch)


def run_drives(
    drives: Sequence[tuple[Drive, RunOptions]],
    *,
    workers: int | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> list[Report]:
    """Run drives in threads, each with its options; `watch` applies to all."""
    loads = [ScenarioLoad(*drive) for drive in drives]
    return run_loads(loads, workers=workers, progress=progress, watch=watch)


def run_loads(
    loads: Sequence[ScenarioLoad],
    *,
    workers: int | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> list[Report]:
    """Run drives with their requests in threads; `watch` applies to all."""
    with stoppable_pool(worker_count(workers, len(loads))) as (pool, shared):
        return _gather(
            [load.drive.fabric for load in loads],
            lambda place: pool.submit(
                _run_watched,
                loads[place],
                watch,
                _listener(place, progress, shared.stop),
                shared,
            ),
            shared.signals.check,
        )


def run_row(row: Row, watch: Watch | None = None) -> Report:
    """Run one row of a comparison; at module level, so that processes can pickle it."""
    load = ScenarioLoad(row.drive(), row.options)
    return run_load(load, watch=watch, preparations=preparations_of_process())


def _choose_possible(names: Sequence[str], options: RunOptions) -> Lineup:
    """Return the rows whose drives are possible; if none is, raise the drive's error."""
    possible: list[str] = []
    refused: list[tuple[str, ConfigError]] = []
    for name in names:
        try:
            drive_of(options, name)
        except ConfigError as error:
            refused.append((name, error))
        else:
            possible.append(name)
    if not possible:
        raise refused[0][1]
    rows = tuple(Row(name, options) for name in possible)
    return Lineup(rows, tuple((name, str(error)) for name, error in refused))


def _run_watched(
    load: Load,
    watch: Watch | None,
    progress: Callable[[int, int | None, float], object],
    shared: SharedResources,
) -> Report:
    return run_load(load, watch=watch, progress=progress, preparations=shared.preparations)


def _listener(
    place: int, progress: Progress | None, stop: threading.Event
) -> Callable[[int, int | None, float], object]:
    def listener(completed: int, total: int | None, simulated_us: float) -> None:
        if stop.is_set():
            raise StoppedError
        if progress is not None:
            progress(place, completed, total, simulated_us)

    return listener


def _gather(
    fabrics: Sequence[str],
    submit: Callable[[int], Future[Report]],
    check: Callable[[], None] = lambda: None,
) -> list[Report]:
    """Submit runs, each identified by its position, and wait for all or for the first failure.

    `check` raises the exception of a pending signal.

    The longest runs begin first, so that no worker waits for them at the end.
    """
    handed = {place: submit(place) for place in sorted(range(len(fabrics)), key=_rank(fabrics))}
    futures = [handed[place] for place in range(len(fabrics))]
    waiting = set(futures)
    while waiting:
        done, waiting = wait(waiting, LOOK_S, FIRST_EXCEPTION)
        check()
        for future in futures:
            if future in done:
                future.result()
    return [future.result() for future in futures]


def _rank(fabrics: Sequence[str]) -> Callable[[int], int]:
    def rank(place: int) -> int:
        fabric = fabrics[place]
        return _LONGEST.index(fabric) if fabric in _LONGEST else len(_LONGEST)

    return rank
