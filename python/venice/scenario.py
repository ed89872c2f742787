"""What to run: the keywords of :func:`venice.run`, and whether they go together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Literal, TypedDict

from venice import _native
from venice._native import ConfigError, Drive, UsageError
from venice.deprecated import warn_of_sets
from venice.described import DescribedDrive, DescribedTrace
from venice.misplaced import check_names
from venice.options import BOUNDS, DEFAULT_DRIVE, KINDS, OF_A_TRACE, RunOptions
from venice.pipes import awaited
from venice.resampling import check_resampling
from venice.unicode import fault_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from venice import config, workloads
    from venice.engine_options import EngineOptions
    from venice.host_scheduler import HostScheduler
    from venice.options import TraceEvent
    from venice.request import Request
    from venice.until import Criterion

MOST_FOLDED_PCT = 1.0
"""Share of a trace's requests beyond the drive up to which they are folded unasked, in %.

This project's choice: so few change no figure of a run by more than its seeds do.
"""

_LONGEST_SHOWN = 80
"""Characters of a wrong value that a message repeats."""

_UNBOUNDED = 2**63
"""Numbers from which on an upper bound is the width of a register."""

LONGEST_US = 2**64 / 1e6
"""The simulator's clock ends here."""


_PATHS = ("trace", "load_state", "save_state")
"""Files whose names may be of any bytes, as those of the system may."""


class Scenario(TypedDict, total=False):
    """What to run.

    Exactly one of `trace`, `workload` and `source` is needed; everything else has a default.
    """

    drive: config.DriveName | str | PathLike[str] | config.Drive | None
    """A drive's name, the path of its TOML file, or a :class:`venice.Drive`;
    ``venice-performance`` by default."""
    fabric: config.FabricName | None
    """What joins the chips; the drive's own choice by default."""
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
    default. See :func:`venice.until.parse_until`."""
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


def check(options: RunOptions, *, may_be_empty: bool = False) -> None:
    """Refuse options that are out of range or do not go together.

    A run that `may_be_empty` may ask for no request, for the sake of the drive's state.

    Raises
    ------
    UsageError
        With the option and what was expected.
    """
    check_types(vars(options))
    options = with_trace_options(options)
    _check_source(options)
    check_names(vars(options))
    _check_host_scheduler(options)
    _check_folding(options)
    check_resampling(options)
    is_empty = may_be_empty and options.requests == 0
    check_ranges(replace(options, requests=None) if is_empty else options)
    _check_warmup(options)
    criterion_of(options)


def criterion_of(options: RunOptions | EngineOptions) -> Criterion | None:
    """Return the criterion that ends the run, if there is one.

    Raises
    ------
    UsageError
        If the text is not a criterion.
    """
    if options.until is None:
        return None
    from venice.until import parse_until  # noqa: PLC0415 seldom wanted

    return parse_until(options.until)


def drive_of(options: RunOptions, fabric: str | None = None, typed: str | None = None) -> Drive:
    """Resolve the drive; `fabric` replaces that of the options, and was `typed` so.

    Raises
    ------
    ConfigError
        With every problem of the configuration.
    """
    drive = DEFAULT_DRIVE if options.drive is None else options.drive
    base, said = _told(drive) if isinstance(drive, DescribedDrive) else (fspath(drive), [])
    if base not in _native.drive_names():
        from venice.named_files import check_drive  # noqa: PLC0415 presets do without

        check_drive(base)
    fabric = fabric or options.fabric
    sets = list(options.sets)
    if typed is None and fabric is not None:
        typed = f'fabric="{fabric}"'
    for key, texts in {"drive": [base, *said], "fabric": [fabric or ""], "sets": sets}.items():
        check_texts(key, texts)
    try:
        with awaited(base):
            return _native.resolve(base, fabric, sets, options.seed, said, typed)
    except ConfigError as error:
        from venice.arguments import with_arguments  # noqa: PLC0415 for mistakes alone

        raise ConfigError(with_arguments(str(error))) from None


def _told(drive: DescribedDrive) -> tuple[str, list[str]]:
    """Say a drive that Python describes as the engine takes it."""
    return drive.starts_from(), drive.changes()


def resolve(
    drive: config.DriveName | str | PathLike[str] | config.Drive,
    fabric: config.FabricName | None = None,
    sets: Sequence[str] = (),
    seed: int | None = None,
) -> Drive:
    """Have the engine check a drive and fill it in; see :class:`venice.Scenario`.

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


def with_trace_options(options: RunOptions) -> RunOptions:
    """Return the options with a trace that Python describes as its path and how it is read.

    Raises
    ------
    UsageError
        If the options say how the trace is read, too.
    """
    trace = options.trace
    if not isinstance(trace, DescribedTrace):
        return options
    for key in ("format", "columns", "event", "skip_bad", "devices"):
        if getattr(options, key) is not None:
            raise UsageError(f"`{key}` was given beside a venice.Trace, which says how it is read")
    read = replace(options, **trace.options())
    check_types(vars(read))
    return read


def most_folded_pct(options: RunOptions) -> float | None:
    """Return the largest share of requests beyond the drive, in %; ``None`` for any."""
    if options.fold:
        return None
    return MOST_FOLDED_PCT if options.most_folded_pct is None else options.most_folded_pct


def _check_folding(options: RunOptions) -> None:
    share = options.most_folded_pct
    if share is not None and not 0 <= share <= 100:  # noqa: PLR2004 percent
        raise UsageError(f"`most_folded_pct=` is {share}; it should be from 0 to 100 %")
    if share is not None and options.fold:
        raise UsageError("`fold=` and `most_folded_pct=` were given; expected: one of them")


def check_types(options: Mapping[str, object]) -> None:
    """Refuse values of a type that their key does not take.

    Raises
    ------
    UsageError
        With the key, the value and what it should be.
    """
    for key, value in options.items():
        wanted = KINDS.get(key)
        if wanted is None or value is None:
            continue
        # To Python, a boolean is a whole number.
        is_wrong = isinstance(value, bool) != (bool in wanted.types)
        if is_wrong or not isinstance(value, wanted.types):
            raise UsageError(f"`{key}=` is {_shown(value)}; it should be {wanted.text}")
        if isinstance(value, str | PathLike):
            check_texts(key, [str(fspath(value))], are_paths=key in _PATHS)


def check_texts(key: str, texts: Iterable[str], *, are_paths: bool = False) -> None:
    """Refuse texts that are not Unicode, as lone surrogates are.

    Raises
    ------
    UsageError
        With the key and the text.
    """
    for text in texts:
        if fault := fault_of(text, is_path=are_paths):
            raise UsageError(f"`{key}=`: {fault}; expected text in UTF-8")


def _shown(value: object) -> str:
    """Write a value, or the name of its type if that takes more than a line, as a frame's does."""
    try:
        text = repr(value)
    except RecursionError:  # nested too deep to be written
        text = ""
    is_short = 0 < len(text) <= _LONGEST_SHOWN and "\n" not in text
    return text if is_short else f"a {type(value).__name__}"


def _check_source(options: RunOptions) -> None:
    trace, workload = options.trace, options.workload
    if options.source is not None:
        _check_made(options)
    elif trace is None and workload is None:
        raise UsageError(
            "there is nothing to run; expected: `trace=` or `workload=`; "
            "`venice list` names the workloads"
        )
    if trace is not None and workload is not None:
        raise UsageError("`trace=` and `workload=` were given; expected: one of them")
    for key in OF_A_TRACE:
        if trace is None and getattr(options, key) is not None:
            raise UsageError(
                f"`{key}=` was given without a trace; expected: `trace=` beside it; "
                f"name a trace, or leave `{key}=` out"
            )
    if options.closed_loop is not None and options.rate_scale is not None:
        raise UsageError(
            "`closed_loop=` and `rate_scale=` were given; expected: one of them; "
            "a closed loop has no arrival times to scale"
        )


def _check_made(options: RunOptions) -> None:
    """Refuse requests made in Python beside others, or that can be made only once."""
    source = options.source
    for key in ("trace", "workload"):
        if getattr(options, key) is not None:
            raise UsageError(f"`{key}=` and `source=` were given; expected: one of them")
    if isinstance(source, Iterator):
        raise UsageError(
            f"`source` is {source!r}, which gives its requests once only; give the function that "
            "makes it, without calling it, or a list"
        )
    if not callable(source) and not isinstance(source, Iterable):
        raise UsageError(
            f"`source` is {source!r}; it should be a list of requests, or a function that gives "
            "them"
        )


def _check_host_scheduler(options: RunOptions) -> None:
    scheduler = options.host_scheduler
    if scheduler is not None and not callable(scheduler):
        raise UsageError(
            f"`host_scheduler` is {scheduler!r}; give the class, or a function that makes one: "
            "each run makes its own"
        )


def check_ranges(options: RunOptions) -> None:
    """Refuse numbers that their keys do not take.

    Raises
    ------
    UsageError
        If one is too small or too large.
    """
    for key in BOUNDS:
        check_range(key, getattr(options, key))
    warmup_us = options.warmup_us
    if warmup_us is not None and not 0 <= warmup_us < LONGEST_US:
        raise UsageError(
            f"`warmup_us=` is {warmup_us:g}; it should be from 0 to {LONGEST_US:.0f} us"
        )


def check_range(key: str, value: object) -> None:
    """Refuse a whole number that its option does not take.

    Raises
    ------
    UsageError
        If it is too small or too large.
    """
    smallest, largest = BOUNDS[key]
    if isinstance(value, int) and not smallest <= value <= largest:
        has_bound = largest < _UNBOUNDED
        expected = f"from {smallest} to {largest}" if has_bound else f"{smallest} or more"
        raise UsageError(f"`{key}=` is {value}; it should be {expected}")


def _check_warmup(options: RunOptions) -> None:
    warmup, requests = options.warmup, options.requests
    if warmup is not None and requests is not None and warmup >= requests:
        raise UsageError(
            f"`warmup=` is {warmup}, of {requests} requests, which leaves none to measure; "
            "it should be below `requests=`"
        )
