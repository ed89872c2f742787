"""Options that several commands have in common."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import click

from venice._native import (
    UsageError,
    drive_names,
    fabric_names,
    request_columns,
    trace_formats,
    workload_names,
)
from venice.cli import files
from venice.cli.command import (
    DIAGNOSIS,
    DRIVE,
    OTHERS,
    OUTPUT,
    REQUESTS,
    Argument,
    flag,
    option,
)
from venice.cli.keys import host_schedulers, settings
from venice.cli.usage import OptionError, WrongValueError
from venice.cli.value_types import FileType, InputFile, Integer, OutputFile, OutputStream, Text
from venice.options.run_options import DEFAULT_DRIVE
from venice.report.percentiles import parse_percentiles
from venice.stats import CONFIDENCE_PCT

if TYPE_CHECKING:
    from collections.abc import Callable

    from venice.cli.command import Decorator

_DRIVE_FILE = InputFile(reads=files.of_drive, values=drive_names, defines="drive")
_SETTING = FileType(reads=files.of_settings, values=settings)
_INPUT_PATH = InputFile(path_type=Path)
_OUTPUT_PATH = OutputFile(path_type=Path)


class _Percentiles(Text):
    """Type of an option value that is a list of percentiles."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401 as click has it
        """Convert the text to a list of percentiles.

        Raises
        ------
        WrongValueError
            If a percentile is not among those that reports contain.
        """
        if isinstance(value, tuple):
            return value
        try:
            return parse_percentiles(super().convert(value, param, ctx))
        except UsageError:
            expected = "percentiles from 0, 1 … 99, 99.1 … 99.9, 99.99 and 100, with commas"
            raise WrongValueError(value, expected, param, ctx) from None


def argument(*names: str, metavar: str, help: str, **others: Any) -> Decorator:  # noqa: A002, ANN401 as click
    """Declare an argument with its help; the value is text by default."""
    others.setdefault("type", Text())
    return click.argument(*names, cls=Argument, metavar=metavar, help=help, **others)


def drive(
    default: str | None = DEFAULT_DRIVE, text: str = "Drive: preset or TOML file."
) -> Decorator:
    """Declare the option ``--drive`` of a command."""
    return option(
        "--drive",
        metavar="NAME|FILE.toml",
        default=default,
        group=DRIVE,
        type=_DRIVE_FILE,
        help=text,
    )


drives = argument(
    "drives",
    metavar="[DRIVE[:FABRICS]]...",
    nargs=-1,
    type=InputFile(reads=files.of_drives, values=drive_names, defines="drive"),
    help=(
        "Drives to compare (presets or files), each with an optional list of fabrics after a colon"
        " [default fabrics: those of --fabrics, else the drive's own]."
    ),
)
fabric = option(
    "--fabric",
    metavar="NAME",
    group=DRIVE,
    type=Text(fabric_names),
    help="Interconnect between flash controllers and chips [default: the drive's own].",
)
sets = option(
    "--set",
    "sets",
    metavar="KEY=VALUE",
    multiple=True,
    group=DRIVE,
    type=_SETTING,
    help="Setting of the drive, such as flash.t_read_us=5; repeatable.",
)
load_state = option(
    "--load-state",
    metavar="FILE",
    group=DRIVE,
    type=_INPUT_PATH,
    help="Drive state written by --save-state [default: preconditioning].",
)
trace_file = argument(
    "file", metavar="FILE", type=InputFile(), help="Trace file, plain or compressed."
)
trace = option(
    "--trace",
    metavar="FILE",
    group=REQUESTS,
    type=InputFile(),
    help="Trace file, plain or compressed.",
)
workload = option(
    "--workload",
    metavar="NAME|FILE",
    group=REQUESTS,
    type=InputFile(reads=files.of_workload, values=workload_names, defines="workload"),
    help="Built-in workload (see `venice workloads`), TOML file or fio job file.",
)
format_ = option(
    "--format",
    metavar="NAME",
    group=REQUESTS,
    type=Text(lambda: [name for name, _ in trace_formats()]),
    help="Trace format [default: detected from the content].",
)
columns = option(
    "--columns",
    metavar="NAME[:UNIT],…",
    group=REQUESTS,
    help="Columns of a trace in another format, such as time:us,op,offset,size; units of time: s, "
    "ms, us, ns, 100ns, iso.",
)
event = option(
    "--event",
    metavar="D|Q",
    group=REQUESTS,
    type=Text(lambda: ["D", "Q"]),
    help=(
        "Event of a block-layer trace that counts as a request: dispatched (D) or queued (Q) "
        "[default: D]."
    ),
)
skip_bad = option(
    "--skip-bad",
    metavar="N",
    type=int,
    group=REQUESTS,
    help="Maximum number of malformed lines of the trace to skip [default: 0].",
)
devices = option(
    "--devices",
    metavar="side-by-side|overlay|NAME",
    group=REQUESTS,
    type=Text(lambda: ["side-by-side", "overlay"]),
    help=(
        "Address ranges of the trace's devices: a separate range for each, one common range, or "
        "only the requests of device NAME [default: one common range; an error if devices use the "
        "same addresses]."
    ),
)
trace_resample = option(
    "--trace-resample",
    metavar="offset|blocks",
    group=REQUESTS,
    type=Text(lambda: ["offset", "blocks"]),
    help="Random resampling of the trace: start at a random instant and wrap around (offset), or "
    "join random blocks (blocks) [default: none; offset with --trace-seed].",
)
trace_block = option(
    "--trace-block",
    metavar="TIME|N",
    group=REQUESTS,
    help="Block length of --trace-resample blocks: a time, such as 100ms or 1s, or a number of "
    "requests [default: the square root of the trace's requests].",
)
trace_seed = option(
    "--trace-seed",
    metavar="S",
    type=int,
    group=REQUESTS,
    help="Seed of --trace-resample [default: the run's seed].",
)
fold = flag(
    "--fold",
    group=REQUESTS,
    help="No limit on the share of requests whose addresses are wrapped around the drive's "
    "capacity.",
)
most_folded_pct = option(
    "--most-folded-pct",
    metavar="PERCENT",
    type=float,
    group=REQUESTS,
    help="Largest share of a trace's requests whose addresses may be wrapped around the drive's "
    "capacity, in %, 0 to 100 [default: 1].",
)
closed_loop = option(
    "--closed-loop",
    metavar="DEPTH",
    type=int,
    group=REQUESTS,
    help="Constant number of outstanding requests, 1 to 65535, instead of arrival times "
    "[default: as in the workload; a trace keeps its arrival times].",
)
rate_scale = option(
    "--rate-scale",
    metavar="X",
    type=float,
    group=REQUESTS,
    help="Factor on the arrival rate, above 0 [default: 1].",
)
requests = option(
    "--requests",
    metavar="N",
    type=int,
    group=REQUESTS,
    help="Number of requests, warm-up included [default: all].",
)
seed = option(
    "--seed",
    metavar="S",
    type=int,
    group=REQUESTS,
    help="Seed of all random choices [default: the drive's].",
)
warmup = option(
    "--warmup",
    metavar="N",
    type=int,
    group=REQUESTS,
    help="Warm-up requests, not measured [default: 0].",
)
warmup_us = option(
    "--warmup-us",
    metavar="US",
    type=float,
    group=REQUESTS,
    help="Warm-up time in simulated µs: requests issued earlier are not measured [default: 0].",
)
until = option(
    "--until",
    metavar="steady|'ci(FIGURE)<P%'",
    group=REQUESTS,
    type=Text(lambda: ["steady"]),
    help="Criterion that ends the run: steady state, or a bound on the half-width of a figure's "
    "95 % confidence interval, such as 'ci(latency_us.read.p99) < 2%'. The run has at most "
    "--requests requests [default for workloads: 10,000,000].",
)


def percentiles(default: str = "50,99,99.9") -> Decorator:
    """Declare the option ``--percentiles`` of a command."""
    return option(
        "--percentiles",
        metavar="P,P,…",
        default=default,
        group=OUTPUT,
        type=_Percentiles(),
        help="Percentiles of the table: 0 to 99, 99.1 to 99.9, 99.99, 100.",
    )


json = option(
    "--json",
    metavar="OUT.json",
    group=OUTPUT,
    type=OutputStream(),
    help="JSON file of the result; - for standard output.",
)
request_log = option(
    "--request-log",
    metavar="OUT.parquet",
    group=OUTPUT,
    type=_OUTPUT_PATH,
    help="Parquet file with one row per request.",
)
request_columns_ = option(
    "--request-columns",
    metavar="usual|all|NAME,…",
    group=OUTPUT,
    type=Text(lambda: ["usual", "all", *(name for name, _ in request_columns())]),
    help="Columns of --request-log: the usual ones, all, or the named ones [default: usual].",
)
intervals_out = option(
    "--intervals-out",
    metavar="FILE",
    group=OUTPUT,
    type=_OUTPUT_PATH,
    help="CSV, JSON or Parquet file with one row per --interval.",
)
run_plot = option(
    "--plot",
    metavar="FILE.png",
    group=OUTPUT,
    type=_OUTPUT_PATH,
    help="Plot of the run over time, PNG, SVG or PDF; needs --interval.",
)
trace_events = option(
    "--trace-events",
    metavar="FILE",
    group=OUTPUT,
    type=_OUTPUT_PATH,
    help="File for ui.perfetto.dev with a timeline of the run: requests, chips, planes, paths, "
    "garbage collection.",
)
trace_events_window = option(
    "--trace-events-window",
    metavar="FROM..TO",
    group=OUTPUT,
    help="Simulated time that --trace-events covers, such as 10ms..12ms [default: all, up to "
    "2,000,000 slices].",
)
view = option(
    "--view",
    metavar="FILE.html",
    group=OUTPUT,
    type=_OUTPUT_PATH,
    help="Interactive HTML page about the run: causes of the tail, plots, single requests. "
    "Implies --interval 200, --slowest 1000 and --distributions.",
)
view_window = option(
    "--view-window",
    metavar="FROM..TO|none",
    group=OUTPUT,
    help=(
        "Interval of simulated time for which --view shows the activity of the chips, such as "
        "10ms..12ms, found in a second, partial run; none: no interval and no such run [default: "
        "around the slowest request]."
    ),
)
save_state = option(
    "--save-state",
    metavar="FILE",
    group=OUTPUT,
    type=_OUTPUT_PATH,
    help="File for the drive state at the end of the run, which --load-state reads; with "
    "--requests 0, the state after preconditioning.",
)
plot = option(
    "--plot",
    metavar="FILE.png",
    group=OUTPUT,
    type=_OUTPUT_PATH,
    help="Plot of the comparison: PNG, SVG or PDF.",
)
why_plot = option(
    "--why-plot",
    metavar="FILE.png",
    group=OUTPUT,
    type=_OUTPUT_PATH,
    help="Plot of the causes that --why reports: PNG, SVG or PDF.",
)
interval = option(
    "--interval",
    metavar="TIME|N",
    group=DIAGNOSIS,
    help="Interval of results over time: a length, such as 100ms or 1s, or a number N, which "
    "gives N/2 to N intervals (an odd N is rounded up). Implies --slowest 10.",
)
slowest = option(
    "--slowest",
    metavar="N",
    type=int,
    group=DIAGNOSIS,
    help="Number of slowest requests whose causes are shown [default: 0; 10 with --interval].",
)
distributions = flag(
    "--distributions",
    group=DIAGNOSIS,
    help="Complete distributions in the JSON file: latencies, outstanding requests and erase "
    "counts; needed by `venice report sheet` and `report fio`.",
)
causes = flag(
    "--causes/--no-causes",
    default=None,
    group=DIAGNOSIS,
    help=(
        "Causes of waits for chips and for space in the data cache; the run takes up to"
        " two thirds longer [default: on in `compare`, else off]."
    ),
)
alone = flag(
    "--alone",
    group=DIAGNOSIS,
    help="Additional run of each tenant (flow, job or queue) without the others, to compute its "
    "slowdown.",
)
audit = flag(
    "--audit",
    group=DIAGNOSIS,
    help="Check of the drive's contents during the run, which makes the run slower.",
)
power_loss = option(
    "--power-loss",
    "power_loss_us",
    metavar="US",
    multiple=True,
    group=DIAGNOSIS,
    type=float,
    help="Time of a loss of power, in simulated µs; repeatable. The report has the lost data and "
    "the time of the restart, and --audit checks the surviving data. The run itself continues.",
)
why = flag(
    "--why/--no-why",
    default=None,
    group=DIAGNOSIS,
    help=(
        "Causes of the differences from the first row, each verified by further runs "
        "[default for two rows: causes that are not verified]."
    ),
)
search_report = flag(
    "--report",
    group=DIAGNOSIS,
    help=(
        "Table of time, energy and moved data of the search, for a search by the chips (PiF), by "
        "the controller (PiS) and by the host."
    ),
)
fabrics = option(
    "--fabrics",
    metavar="A,B,C|all|every",
    group=DRIVE,
    type=Text(fabric_names),
    help="Fabrics to compare, in this order; all: the six of the Venice paper; every: all "
    "fabrics of Venice [default: all; with several drives or --schemes, the fabric of each "
    "drive].",
)
schemes = option(
    "--schemes",
    metavar="A,B,C|all",
    group=DRIVE,
    type=Text(host_schedulers),
    help="Host schedulers to compare, such as noop,rws,piq,piq_plus; none for no scheduler; all: "
    "every host scheduler. Tenants (flows, jobs or queues) are also run alone, for their "
    "slowdown.",
)
vary = option(
    "--vary",
    metavar="KEY=V,V,…",
    multiple=True,
    group=DRIVE,
    type=Text(settings),
    help="Values of a setting, with a row of the comparison for each; repeatable, with a row for "
    "each combination of values.",
)
seeds = option(
    "--seeds",
    metavar="N",
    default=1,
    group=REQUESTS,
    type=Integer(1),
    help="Number of seeds with which each row is run; the table shows means.",
)
confidence = option(
    "--confidence",
    metavar="PERCENT",
    type=float,
    default=CONFIDENCE_PCT,
    group=OUTPUT,
    help="Confidence level of intervals over seeds, in %, above 0 and below 100.",
)
dask = option(
    "--dask",
    metavar="ADDRESS|FILE.json",
    group=OTHERS,
    type=InputFile(reads=files.if_json),
    help="Address of the Dask scheduler whose cluster executes the runs [default: this "
    "machine executes them].",
)
results_folder = option(
    "--out",
    metavar="DIR",
    group=OUTPUT,
    type=OutputFile(writes=files.results, path_type=Path),
    help="Folder of the results [default: out/NAME].",
)
dashboard = flag(
    "--dashboard",
    group=OTHERS,
    help="Web page with the progress of the runs, served until the command ends.",
)
workers = option(
    "--workers",
    metavar="N",
    type=int,
    group=OTHERS,
    help="Parallel runs [default: one per processor].",
)


def combine(*options: Decorator) -> Decorator:
    """Combine options into one decorator, in the order of the help."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        for one in reversed(options):
            function = one(function)
        return function

    return declare


trace_reading = combine(format_, columns, event, skip_bad, devices)
"""Options for reading a trace."""
drive_choice = combine(fabric, sets, seed)
"""Options of the drive in addition to ``--drive``."""
measuring = combine(warmup, warmup_us, until)
"""Options of the measured part of a run."""
request_source = combine(
    trace,
    workload,
    trace_reading,
    trace_resample,
    trace_block,
    trace_seed,
    fold,
    most_folded_pct,
    closed_loop,
    rate_scale,
    requests,
    measuring,
)
"""Options that name the source of requests."""
observing = combine(interval, slowest, distributions, causes)
"""Options for the fields of :class:`Observing`."""
run_files = combine(
    request_log,
    request_columns_,
    intervals_out,
    run_plot,
    view,
    view_window,
    trace_events,
    trace_events_window,
    save_state,
)
"""Options for the fields of :class:`RunFiles`."""


class TraceReading(TypedDict):
    """Values of the options `trace_reading`."""

    format: str | None
    columns: str | None
    event: str | None
    skip_bad: int | None
    devices: str | None


@dataclass(frozen=True, kw_only=True)
class Observing:
    """Options for the observations of a run."""

    interval: str | None = None
    slowest: int | None = None
    distributions: bool = False
    causes: bool | None = None


@dataclass(frozen=True, kw_only=True)
class RunFiles:
    """Options for the output files of one run."""

    request_log: Path | None = None
    request_columns: str | None = None
    intervals_out: Path | None = None
    plot: Path | None = None
    view: Path | None = None
    view_window: str | None = None
    trace_events: Path | None = None
    trace_events_window: str | None = None
    save_state: Path | None = None

    @property
    def paths(self) -> dict[str, Path]:
        """Output files of the run, by the option that names them."""
        return {name: value for name, value in vars(self).items() if isinstance(value, Path)}


def gather(**kinds: type[Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that collects options into dataclass arguments, named by the keywords."""

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(**values: object) -> object:
            for name, kind in kinds.items():
                taken = {one.name for one in fields(kind)} & values.keys()
                values[name] = kind(**{key: values.pop(key) for key in taken})
            return function(**values)

        return call

    return wrap


def confidence_pct(level: float) -> float:
    """Return a confidence level after checking it.

    Raises
    ------
    OptionError
        If the level is not between 0 and 100.
    """
    if not 0 < level < 100:  # noqa: PLR2004 percent
        raise OptionError(
            "--confidence",
            f"`--confidence` is `{level:g}`",
            "expected: more than 0 and less than 100, in %, such as 99",
        )
    return level
