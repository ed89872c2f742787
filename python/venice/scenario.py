"""What to run: the keywords of :func:`venice.run`, and whether they go together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from os import PathLike, fspath
from typing import TYPE_CHECKING, Literal, TypedDict, cast

from venice import _native
from venice._native import ConfigError, Drive, UsageError
from venice.deprecated import warn_of_sets
from venice.described import DescribedDrive, DescribedTrace, DescribedWorkload
from venice.misplaced import check_names
from venice.options import BOUNDS, DEFAULT_DRIVE, KINDS, OF_A_TRACE
from venice.pipes import awaited
from venice.resampling import block_of, check_resampling, resampling_of
from venice.unicode import fault_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from venice import config, workloads
    from venice._native import RequestOptions
    from venice.described import Told
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

    drive: config.DriveName | str | PathLike[str] | config.Drive
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


def check(scenario: Scenario, *, may_be_empty: bool = False) -> None:
    """Refuse keywords that do not exist, are out of range or do not go together.

    A scenario that `may_be_empty` may ask for no request, for the sake of the drive's state.

    Raises
    ------
    TypeError
        For a keyword that does not exist, as for any call.
    UsageError
        For everything else.
    """
    for key in scenario:
        if key not in Scenario.__annotations__:
            raise TypeError(f"unexpected keyword argument {key!r}{_meant(key)}")
    check_types(scenario)
    scenario = with_trace_options(scenario)
    _check_source(scenario)
    check_names(scenario)
    _check_host_scheduler(scenario)
    _check_folding(scenario)
    check_resampling(scenario)
    check_ranges({**scenario, "requests": None} if _is_empty(scenario, may_be_empty) else scenario)
    _check_warmup(scenario)
    criterion_of(scenario)


def criterion_of(scenario: Scenario) -> Criterion | None:
    """Give the criterion that ends the run, if there is one.

    Raises
    ------
    UsageError
        If it is none.
    """
    until = scenario.get("until")
    if until is None:
        return None
    from venice.until import parse_until  # noqa: PLC0415 seldom wanted

    return parse_until(until)


def _most_requests(scenario: Scenario) -> int | None:
    """Give the number of requests; a workload that a criterion ends has one in any case."""
    requests = scenario.get("requests")
    if requests is not None or scenario.get("until") is None or scenario.get("trace") is not None:
        return requests
    from venice.until import MOST_REQUESTS  # noqa: PLC0415 seldom wanted

    return MOST_REQUESTS


def _meant(key: str) -> str:
    """Name the keyword that a misspelt one is like."""
    near = get_close_matches(key, Scenario.__annotations__, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def drive_of(scenario: Scenario, fabric: str | None = None, typed: str | None = None) -> Drive:
    """Resolve the drive; `fabric` replaces the scenario's, and was `typed` so.

    Raises
    ------
    ConfigError
        With every problem of the configuration.
    """
    drive = scenario.get("drive", DEFAULT_DRIVE)
    base, said = _told(drive) if isinstance(drive, DescribedDrive) else (fspath(drive), [])
    if base not in _native.drive_names():
        from venice.named_files import check_drive  # noqa: PLC0415 presets do without

        check_drive(base)
    fabric = fabric or scenario.get("fabric")
    sets = list(scenario.get("sets", ()))
    if typed is None and fabric is not None:
        typed = f'fabric="{fabric}"'
    for key, texts in {"drive": [base, *said], "fabric": [fabric or ""], "sets": sets}.items():
        check_texts(key, texts)
    try:
        with awaited(base):
            return _native.resolve(base, fabric, sets, scenario.get("seed"), said, typed)
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
    return drive_of({"drive": drive, "fabric": fabric, "sets": sets, "seed": seed})


def with_trace_options(scenario: Scenario) -> Scenario:
    """Say a trace that Python describes as its path, and how it is read.

    Raises
    ------
    UsageError
        If the scenario says how it is read, too.
    """
    trace = scenario.get("trace")
    if not isinstance(trace, DescribedTrace):
        return scenario
    for key in ("format", "columns", "event", "skip_bad", "devices"):
        if scenario.get(key) is not None:
            raise UsageError(f"`{key}` was given beside a venice.Trace, which says how it is read")
    said = cast("Scenario", {**scenario, **trace.options()})
    check_types(said)
    return said


def requests_of(scenario: Scenario) -> RequestOptions:
    """Give the part of a scenario that says where requests come from."""
    scenario = with_trace_options(scenario)
    return {
        "trace": cast("str | PathLike[str] | None", scenario.get("trace")),
        "format": scenario.get("format"),
        "columns": scenario.get("columns"),
        "event": scenario.get("event"),
        "skip_bad": scenario.get("skip_bad"),
        "devices": devices_of(scenario),
        "trace_resample": resampling_of(scenario),
        "trace_block": block_of(scenario),
        "trace_seed": scenario.get("trace_seed"),
        "workload": _asked(scenario.get("workload")),
        "source": scenario.get("source"),
        "closed_loop": scenario.get("closed_loop"),
        "rate_scale": scenario.get("rate_scale"),
        "requests": _most_requests(scenario),
        "most_folded_pct": most_folded_pct(scenario),
    }


def files_of(requests: RequestOptions) -> tuple[str | PathLike[str] | None, ...]:
    """Give the files from which requests are read, if any."""
    workload = requests["workload"]
    return requests["trace"], workload if isinstance(workload, str) else None


def _asked(
    workload: str | PathLike[str] | DescribedWorkload | None,
) -> str | Told | None:
    """Give a workload as the engine takes it."""
    if isinstance(workload, DescribedWorkload):
        told = workload.told()
        check_texts("workload", told)
        return told
    if workload is None:
        return None
    name = fspath(workload)
    if name not in _native.workload_names():
        from venice.named_files import check_workload  # noqa: PLC0415 presets do without

        check_workload(name)
    return name


def most_folded_pct(scenario: Scenario) -> float | None:
    """Give the largest share of requests that may lie beyond the drive, in %; ``None`` for any."""
    if scenario.get("fold"):
        return None
    given = scenario.get("most_folded_pct")
    return MOST_FOLDED_PCT if given is None else given


def devices_of(scenario: Mapping[str, object]) -> str | None:
    """Give the placement of a trace's devices as the engine takes it."""
    devices = scenario.get("devices")
    return None if devices is None else str(devices)


def _is_empty(scenario: Scenario, may_be_empty: bool) -> bool:
    return may_be_empty and scenario.get("requests") == 0


def _check_folding(scenario: Scenario) -> None:
    share = scenario.get("most_folded_pct")
    if share is not None and not 0 <= share <= 100:  # noqa: PLR2004 percent
        raise UsageError(f"`most_folded_pct=` is {share}; it should be from 0 to 100 %")
    if share is not None and scenario.get("fold"):
        raise UsageError("`fold=` and `most_folded_pct=` were given; expected: one of them")


def check_types(scenario: Mapping[str, object]) -> None:
    """Refuse values of a type that their key does not take.

    Raises
    ------
    UsageError
        With the key, the value and what it should be.
    """
    for key, value in scenario.items():
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


def _check_source(scenario: Scenario) -> None:
    trace, workload = scenario.get("trace"), scenario.get("workload")
    if scenario.get("source") is not None:
        _check_made(scenario)
    elif trace is None and workload is None:
        raise UsageError(
            "there is nothing to run; expected: `trace=` or `workload=`; "
            "`venice list` names the workloads"
        )
    if trace is not None and workload is not None:
        raise UsageError("`trace=` and `workload=` were given; expected: one of them")
    for key in OF_A_TRACE:
        if trace is None and scenario.get(key) is not None:
            raise UsageError(
                f"`{key}=` was given without a trace; expected: `trace=` beside it; "
                f"name a trace, or leave `{key}=` out"
            )
    if scenario.get("closed_loop") is not None and scenario.get("rate_scale") is not None:
        raise UsageError(
            "`closed_loop=` and `rate_scale=` were given; expected: one of them; "
            "a closed loop has no arrival times to scale"
        )


def _check_made(scenario: Scenario) -> None:
    """Refuse requests made in Python beside others, or that can be made only once."""
    source = scenario.get("source")
    for key in ("trace", "workload"):
        if scenario.get(key) is not None:
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


def _check_host_scheduler(scenario: Scenario) -> None:
    scheduler = scenario.get("host_scheduler")
    if scheduler is not None and not callable(scheduler):
        raise UsageError(
            f"`host_scheduler` is {scheduler!r}; give the class, or a function that makes one: "
            "each run makes its own"
        )


def check_ranges(scenario: Scenario) -> None:
    """Refuse numbers that their keys do not take.

    Raises
    ------
    UsageError
        If one is too small or too large.
    """
    for key in BOUNDS:
        check_range(key, scenario.get(key))
    warmup_us = scenario.get("warmup_us")
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


def _check_warmup(scenario: Scenario) -> None:
    warmup, requests = scenario.get("warmup"), scenario.get("requests")
    if warmup is not None and requests is not None and warmup >= requests:
        raise UsageError(
            f"`warmup=` is {warmup}, of {requests} requests, which leaves none to measure; "
            "it should be below `requests=`"
        )
