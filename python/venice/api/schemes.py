"""Comparison of host schedulers on the same requests."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, Unpack, cast

from venice._native import UsageError, host_scheduler_names
from venice.api.compare import (
    SCHEDULER,
    Lineup,
    Row,
    choose,
    refuse_repeats,
    run_drives,
    run_loads,
)
from venice.api.run import loads_alone
from venice.execution.progress import of_runs
from venice.options.argument_names import settings_given_as
from venice.options.checks import check
from venice.options.deprecation import warn_of_sets
from venice.options.drives import drive_of
from venice.options.run_options import RunOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice._native import Drive
    from venice.api.compare import Fabrics, Progress
    from venice.api.run import Watch
    from venice.api.scenario import Scenario
    from venice.config import FabricName, HostSchedulerScheme
    from venice.report import Report

COMPARED: tuple[HostSchedulerScheme, ...] = ("noop", "rws", "piq", "piq_plus")
"""The schemes of the PIQ paper that are compared when none are named."""
ALL = "all"
"""Word that stands for every host scheduler."""


def compare_schemes(
    *,
    schemes: Sequence[HostSchedulerScheme] | HostSchedulerScheme | Literal["all"] = COMPARED,
    fabrics: Fabrics | None = None,
    workers: int | None = None,
    progress: Progress | bool | None = None,
    **scenario: Unpack[Scenario],
) -> list[Report]:
    """Run one trace or workload under several host schedulers.

    Parameters
    ----------
    schemes
        Values of ``host.scheduler.scheme``; ``"none"`` is the drive without a host scheduler, and
        ``"all"`` in place of a list stands for every host scheduler.
    fabrics
        Fabrics for each scheme, as for :func:`venice.compare` [default: the drive's own].
    workers, progress
        See :func:`venice.compare`.
    **scenario
        Drive and requests: see :class:`venice.Scenario`.

    Returns
    -------
    list of Report
        Reports of all schemes of the first fabric, then of the next. Reports with several tenants
        (flows, jobs or queues) compare each tenant with its run alone under the same scheme
        (``report.queues[i].alone``), and have the fairness of the slowdowns
        (``report.fairness.slowdown``).

    Raises
    ------
    UsageError, ConfigError, TraceError, WorkloadError
        If an argument, a drive, the trace or the workload is invalid.
    SimulationError
        If a simulation fails.

    Examples
    --------
    >>> noop, piq = compare_schemes(
    ...     schemes=["noop", "piq"], drive="piq-128gb", workload="mixed-70-30", requests=1000
    ... )
    >>> piq.latency_us.read.mean < noop.latency_us.read.mean
    True
    """
    warn_of_sets(scenario)
    options = RunOptions.of(scenario)
    check(options)
    _, variants = scheme_variants(schemes, fabrics, options)
    with of_runs(progress, lambda: list(map(_name, variants))) as listener:
        return run_schemes(variants, workers=workers, progress=listener)


def scheme_variants(
    schemes: Sequence[str] | str, fabrics: Fabrics | None, options: RunOptions
) -> tuple[Lineup, list[RunOptions]]:
    """Return the rows, one per fabric, and the options of each fabric with each scheme.

    Raises
    ------
    ConfigError
        If there is no such scheme or fabric, or the drive is impossible with one.
    UsageError
        If no scheme was named, or a scheme or fabric more than once.
    """
    schemes = parse_schemes(schemes)
    if not schemes:
        raise UsageError(
            "`schemes=` names no host scheduler; expected: one or more, such as noop,piq"
        )
    refuse_repeats(schemes, "schemes", "`schemes=`")
    if options.host_scheduler is not None:
        raise UsageError(
            "`schemes=` and `host_scheduler=` cannot be combined; expected: one of them; "
            "run the host scheduler in Python by itself"
        )
    with settings_given_as(
        {f"{SCHEDULER}={scheme}": f'schemes=["{scheme}"]' for scheme in schemes}
    ):
        first = _with(schemes[0], options)
        lineup = Lineup((Row("", first),)) if fabrics is None else choose(fabrics, first)
        fabric_names = [row.fabric for row in lineup.rows]
        variants = [_with(scheme, options, fabric) for fabric in fabric_names for scheme in schemes]
        for variant in variants:
            drive_of(variant)
    return lineup, variants


def parse_schemes(schemes: Sequence[str] | str) -> Sequence[str]:
    """Return the schemes of a list, the only scheme, or all schemes for the word ``"all"``."""
    if schemes == ALL:
        return host_scheduler_names()
    return (schemes,) if isinstance(schemes, str) else schemes


def run_schemes(
    variants: Sequence[RunOptions],
    *,
    workers: int | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> list[Report]:
    """Run the variants that :func:`scheme_variants` returned."""
    drives = [(drive_of(variant), variant) for variant in variants]
    reports = run_drives(drives, workers=workers, progress=progress, watch=watch)
    return _with_tenants_alone(drives, reports, workers)


def _with_tenants_alone(
    drives: Sequence[tuple[Drive, RunOptions]], reports: Sequence[Report], workers: int | None
) -> list[Report]:
    """Compare each tenant with its run without the other tenants, under the same scheduler."""
    from venice.report.tenants import with_alone  # noqa: PLC0415 for several tenants alone

    alone = [
        loads_alone(drive, options, report)
        for (drive, options), report in zip(drives, reports, strict=True)
    ]
    loads = [load for of in alone for load in of.values()]
    own = iter(run_loads(loads, workers=workers)) if loads else iter(())
    return [
        with_alone(report, {queue: next(own) for queue in of}) if of else report
        for report, of in zip(reports, alone, strict=True)
    ]


def _name(variant: RunOptions) -> str:
    scheme = variant.sets[-1].removeprefix(f"{SCHEDULER}=")
    return f"{drive_of(variant).fabric} {scheme}"


def _with(scheme: str, options: RunOptions, fabric: str = "") -> RunOptions:
    """Return the options with another scheme and, if given, another fabric."""
    if fabric:
        options = replace(options, fabric=cast("FabricName", fabric))
    if scheme == "none":
        # Without a scheduler, the settings of one have no effect.
        others = [text for text in options.sets if not text.startswith("host.scheduler.")]
        options = replace(options, sets=others)
    return options.with_sets(f"{SCHEDULER}={scheme}")


__all__ = ["ALL", "COMPARED", "compare_schemes", "parse_schemes", "run_schemes", "scheme_variants"]
