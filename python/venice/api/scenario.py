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
    from venice.options.policies import FabricModel, FabricSettings, VictimPolicy
    from venice.options.request import Request
    from venice.options.run_options import TraceEvent


class Scenario(TypedDict, total=False):
    """Keywords of a run: drive, requests and measurement.

    Exactly one of `trace`, `workload` and `source` is required.
    """

    drive: config.DriveName | str | PathLike[str] | config.Drive | None
    """Name of a preset, path of a TOML file, or a :class:`venice.Drive` [default:
    ``"venice-performance"``]."""
    fabric: config.FabricName | None
    """Interconnect between flash controllers and chips [default: the drive's own]."""
    sets: Sequence[str]
    """Deprecated: settings as texts ``"key=value"``; describe them in `drive`."""
    trace: str | PathLike[str] | workloads.Trace | None
    """Path of a trace, plain or compressed, or a :class:`venice.Trace`."""
    format: workloads.TraceFormat | None
    """Format of the trace [default: detected from the content]."""
    columns: str | None
    """Columns of a trace in another format, such as ``"time:us,op,offset,size"``."""
    event: TraceEvent | None
    """Event that counts as a request: dispatched (``"D"``) or queued (``"Q"``) [default:
    ``"D"``]."""
    skip_bad: int | None
    """Maximum number of malformed lines of the trace that are skipped [default: 0]."""
    devices: str | int | None
    """Placement of the trace's devices: an address range each (``"side-by-side"``), one range for
    all (``"overlay"``), or the requests of one device, by its name [default: one range; refused if
    addresses coincide]."""
    trace_resample: Literal["offset", "blocks"] | str | None
    """Resampling of the trace by `trace_seed`: a random start with wrap-around (``"offset"``), or a
    sequence of random blocks (``"blocks"``, circular block bootstrap) [default: none]."""
    trace_block: str | int | None
    """Length of the blocks: a time with its unit, as ``"100ms"``, or a number of requests [default:
    the square root of the trace's requests]."""
    trace_seed: int | None
    """Seed of `trace_resample`, which it sets to ``"offset"`` if that is not given [default: the
    run's seed]."""
    fold: bool
    """No limit on the share of requests that is wrapped around the drive's capacity."""
    most_folded_pct: float | None
    """Largest share of a trace's requests wrapped around the capacity, in % [default: 1]."""
    workload: (
        workloads.WorkloadName | str | PathLike[str] | workloads.Workload | workloads.Mix | None
    )
    """Name of a built-in workload, path of a TOML or fio job file, or a :class:`venice.Workload` or
    :class:`venice.Mix`."""
    source: Callable[[], Iterable[Request]] | Iterable[Request] | None
    """Requests made in Python: a list of :class:`venice.Request`, or a function that returns an
    iterable of them and is called for each run."""
    host_scheduler: Callable[[], HostScheduler] | None
    """Host scheduler written in Python: a class, or a function that returns an object, called for
    each run (:class:`venice.HostScheduler`)."""
    victim_policy: Callable[[], VictimPolicy] | None
    """Victim policy written in Python, as `host_scheduler` (:class:`venice.VictimPolicy`)."""
    fabric_model: Callable[[FabricSettings], FabricModel] | None
    """Fabric written in Python: a class, or a function that returns an object, called with the size
    of the array for each run (:class:`venice.FabricModel`)."""
    closed_loop: int | None
    """Outstanding requests, 1 to 65535, in place of arrival times."""
    rate_scale: float | None
    """Factor on the arrival rate, above 0 [default: 1]."""
    requests: int | None
    """Number of requests, warm-up included [default: all]."""
    until: str | None
    """Criterion that ends the run: ``"steady"``, or the precision of a figure, such as
    ``"ci(latency_us.read.p99) < 2%"``; `requests` is the upper bound [default of a workload:
    10,000,000]. See :func:`~venice.options.criterion.parse_until`."""
    warmup: int | None
    """Warm-up requests, not measured [default: 0]."""
    warmup_us: float | None
    """Simulated time of the warm-up, in µs: requests issued before it are not measured [default:
    0]."""
    seed: int | None
    """Seed of all random choices [default: the drive's]."""
    load_state: str | PathLike[str] | None
    """Drive state saved by an earlier run [default: preconditioning]."""
    audit: bool
    """Check of the drive's contents during the run, which is slower."""
    power_loss_us: Sequence[float]
    """Instants in µs at which the loss of data by a power failure is examined, without ending the
    run. The report has them as `power_losses`. With `audit`, the surviving data is checked
    [default: none]."""


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
        The message lists every problem of the configuration.

    Examples
    --------
    >>> resolve("venice-performance", "venice").fabric
    'venice'
    """
    warn_of_sets(sets)
    return drive_of(RunOptions(drive=drive, fabric=fabric, sets=sets, seed=seed))
