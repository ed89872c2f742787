"""Keywords of :func:`venice.run`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

from venice.options.deprecation import warn_of_sets
from venice.options.drives import drive_of
from venice.options.run_options import RunOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from os import PathLike

    from venice import config, workloads
    from venice._native import Drive
    from venice.options.host_scheduler import HostScheduler
    from venice.options.request import Request
    from venice.options.run_options import TraceEvent


class Scenario(TypedDict, total=False):
    """Keywords of a run.

    Exactly one of `trace`, `workload` and `source` is needed; everything else has a default.
    """

    drive: config.DriveName | str | PathLike[str] | config.Drive | None
    """A drive's name, the path of its TOML file, or a :class:`venice.Drive`;
    ``venice-performance`` by default."""
    fabric: config.FabricName | None
    """Interconnect of the chips [default: the drive's own]."""
    sets: Sequence[str]
    """Deprecated in programs, which describe changes in `drive`: texts ``"key=value"``."""
    trace: str | PathLike[str] | workloads.Trace | None
    """A trace file, plain or compressed, or a :class:`venice.Trace`."""
    format: workloads.TraceFormat | None
    """The trace's format, when it is not to be found out from its first lines."""
    columns: str | None
    """A description of the trace's columns, when its format is none of those known."""
    event: TraceEvent | None
    """The event that stands for a request, ``"D"`` or ``"Q"``, where a trace has several."""
    skip_bad: int | None
    """Bad lines of the trace that may be passed over."""
    devices: str | int | None
    """Placement of the trace's devices: ``"side-by-side"`` gives each an address range of its own,
    ``"overlay"`` one range to all, the name of a device keeps its requests alone. Without it,
    devices whose addresses coincide are refused."""
    trace_resample: Literal["offset", "blocks"] | str | None
    """Another trace of the same load, drawn by `trace_seed`: ``"offset"`` begins at a random
    instant and wraps around, ``"blocks"`` joins random blocks (circular block bootstrap)."""
    trace_block: str | int | None
    """Length of those blocks: a time with its unit, as ``"100ms"``, or a number of requests; the
    square root of the trace's requests by default."""
    trace_seed: int | None
    """Seed of `trace_resample`, which is ``"offset"`` if only this is given; the run's seed by
    default."""
    fold: bool
    """Fold requests beyond the drive into it, however many they are."""
    most_folded_pct: float | None
    """The largest share of requests that is folded without `fold`, in %; 1 by default."""
    workload: (
        workloads.WorkloadName | str | PathLike[str] | workloads.Workload | workloads.Mix | None
    )
    """A built-in workload's name, the path of its TOML file or fio job file, or a
    :class:`venice.Workload` or :class:`venice.Mix`."""
    source: Callable[[], Iterable[Request]] | Iterable[Request] | None
    """Requests made in Python: a list of :class:`venice.Request`, or a function that gives an
    iterable of them; each run calls it anew."""
    host_scheduler: Callable[[], HostScheduler] | None
    """A host scheduler written in Python: a class, or a function that makes one
    (:class:`venice.HostScheduler`); each run makes one anew."""
    closed_loop: int | None
    """Requests kept outstanding, whatever the trace's or workload's own timing."""
    rate_scale: float | None
    """Arrivals are this many times as fast."""
    requests: int | None
    """End after so many requests, warm-up included."""
    until: str | None
    """Criterion that ends the run: ``"steady"``, or the precision of a figure, such as
    ``"ci(latency_us.read.p99) < 2%"``; `requests` is the upper bound, of a workload ten million by
    default. See :func:`venice.options.criterion.parse_until`."""
    warmup: int | None
    """Serve so many requests before anything is measured."""
    warmup_us: float | None
    """Measure nothing that is issued earlier than this, in simulated microseconds."""
    seed: int | None
    """Seed of every random choice; the drive's own by default."""
    load_state: str | PathLike[str] | None
    """A drive's state that a run has saved; it takes the place of preconditioning."""
    audit: bool
    """Check the drive's contents during the run, which is slower."""


def resolve(
    drive: config.DriveName | str | PathLike[str] | config.Drive,
    fabric: config.FabricName | None = None,
    sets: Sequence[str] = (),
    seed: int | None = None,
) -> Drive:
    """Resolve a drive; see :class:`venice.Scenario` for the arguments.

    Raises
    ------
    ConfigError
        With every problem of the configuration.

    Examples
    --------
    >>> resolve("venice-performance", "venice").fabric
    'venice'
    """
    warn_of_sets(sets)
    return drive_of(RunOptions(drive=drive, fabric=fabric, sets=sets, seed=seed))
