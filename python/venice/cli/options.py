"""The options that several commands take, each said once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

from venice._native import UsageError, drive_names, fabric_names, workload_names
from venice.cli import completed, files
from venice.cli.declared import Argument, File, Option
from venice.stats import CONFIDENCE_PCT

if TYPE_CHECKING:
    from venice.config import FabricName
    from venice.scenario import TraceEvent
    from venice.workloads import TraceFormat
else:
    # A word of the command line is a text; the engine says which there are.
    FabricName = TraceEvent = TraceFormat = str

Drive = Annotated[
    str,
    Option(
        "--drive",
        metavar="NAME|FILE.toml",
        help="The drive: a name or a TOML file.",
        values=drive_names,
        files="drive",
        reads=files.of_drive,
    ),
]
OneDrive = Annotated[
    str | None,
    Option(
        "--drive",
        metavar="NAME|FILE.toml",
        help="The drive: a name or a TOML file; venice-performance by default.",
        values=drive_names,
        files="drive",
        reads=files.of_drive,
    ),
]
Drives = Annotated[
    list[str] | None,
    Argument(
        metavar="[DRIVE[:FABRICS]]...",
        help="Drives to compare, each with its own fabric, or with --fabrics, or those behind it.",
        values=drive_names,
        reads=files.of_drives,
    ),
]
Fabric = Annotated[
    FabricName | None,
    Option(
        "--fabric",
        metavar="NAME",
        help="What joins the chips; the drive's own by default.",
        values=fabric_names,
    ),
]
Sets = Annotated[
    list[str] | None,
    Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change the drive; may be given several times.",
        values=completed.settings,
        reads=files.of_settings,
    ),
]
TraceFile = Annotated[
    str, Argument(metavar="FILE", help="The trace, plain or compressed.", reads=files.itself)
]
Trace = Annotated[
    str | None,
    Option(
        "--trace",
        metavar="FILE",
        help="The requests: a trace, plain or compressed.",
        reads=files.itself,
    ),
]
Workload = Annotated[
    str | None,
    Option(
        "--workload",
        metavar="NAME",
        help="The requests: a built-in workload (see `venice workloads`), a TOML or a fio file.",
        values=workload_names,
        files="workload",
        reads=files.of_workload,
    ),
]
Format = Annotated[
    TraceFormat | None,
    Option(
        "--format",
        metavar="NAME",
        help="The trace's format, if it is not to be found out.",
        values=completed.formats,
    ),
]
Columns = Annotated[
    str | None,
    Option(
        "--columns",
        metavar="TEXT",
        help="Columns of a trace in no known format, as time:us,op,offset,size; times in s, ms, "
        "us, ns, 100ns or iso.",
    ),
]
Event = Annotated[
    TraceEvent | None,
    Option(
        "--event",
        metavar="D|Q",
        help="Dispatched or queued, in traces that have both.",
        values=lambda: ["D", "Q"],
    ),
]
Devices = Annotated[
    str | None,
    Option(
        "--devices",
        metavar="side-by-side|overlay|NAME",
        help="Placement of the trace's devices: an address range each, one range for all, or the "
        "requests of device NAME alone [default: one range; refused if addresses coincide].",
        values=lambda: ["side-by-side", "overlay"],
    ),
]
TraceResample = Annotated[
    str | None,
    Option(
        "--trace-resample",
        metavar="offset|blocks",
        help="Make another trace of the same load by the seed: begin at a random instant and wrap "
        "around, or join random blocks [default: none; offset with --trace-seed].",
        values=lambda: ["offset", "blocks"],
    ),
]
TraceBlock = Annotated[
    str | None,
    Option(
        "--trace-block",
        metavar="T|N",
        help="Length of a block of --trace-resample blocks: a time, as 100ms or 1s, or a number of "
        "requests, from 1 to the whole trace [default: the square root of its requests].",
    ),
]
TraceSeed = Annotated[
    int | None,
    Option(
        "--trace-seed",
        metavar="S",
        help="Seed of --trace-resample [default: the run's seed].",
    ),
]
SkipBad = Annotated[
    int | None,
    Option("--skip-bad", metavar="N", help="Pass over up to so many bad lines of the trace."),
]
Fold = Annotated[
    bool,
    Option("--fold", help="Fold requests beyond the drive into it, however many they are."),
]
MostFoldedPct = Annotated[
    float | None,
    Option(
        "--most-folded-pct",
        metavar="P",
        help="Fold up to so many % of a trace's requests without --fold; 1 by default.",
    ),
]
ClosedLoop = Annotated[
    int | None,
    Option("--closed-loop", metavar="QD", help="Keep so many requests outstanding."),
]
RateScale = Annotated[
    float | None,
    Option("--rate-scale", metavar="X", help="Issue requests X times as fast."),
]
Requests = Annotated[
    int | None,
    Option("--requests", metavar="N", help="End after so many requests, warm-up included."),
]
Warmup = Annotated[
    int | None,
    Option("--warmup", metavar="N", help="Serve so many requests before measuring."),
]
WarmupUs = Annotated[
    float | None,
    Option("--warmup-us", metavar="T", help="Measure nothing issued before this time."),
]
Seed = Annotated[int | None, Option("--seed", metavar="S", help="Seed of every random choice.")]
Until = Annotated[
    str | None,
    Option(
        "--until",
        metavar="steady|'ci(FIGURE)<P%'",
        help="Criterion that ends the run: steady state, or the half-width of a figure's 95 % "
        "interval, such as 'ci(latency_us.read.p99) < 2%'; after 10,000,000 requests at the "
        "latest, or --requests of them where that is a number.",
        values=lambda: ["steady"],
    ),
]
Percentiles = Annotated[
    str,
    Option(
        "--percentiles",
        metavar="P,P,…",
        help="Those that the table shows: 0 … 99, 99.1 … 99.9, 99.99, 100.",
    ),
]
Json = Annotated[
    str | None,
    Option(
        "--json",
        metavar="OUT.json",
        help="Write the result as JSON; - for standard output.",
        writes=files.itself,
    ),
]
Audit = Annotated[bool, Option("--audit", help="Check the drive's contents during the run.")]
Alone = Annotated[
    bool,
    Option(
        "--alone",
        help="Run each tenant (flow, job or queue) without the others, too, for its slowdown.",
    ),
]
RequestLog = Annotated[
    File | None,
    Option(
        "--request-log",
        metavar="OUT.parquet",
        help="Write a row for every request.",
        writes=files.itself,
    ),
]
RequestColumns = Annotated[
    str | None,
    Option(
        "--request-columns",
        metavar="usual|all|NAME,NAME",
        help="What a row of --request-log has: the usual columns, all that there are, or these.",
        values=completed.columns,
    ),
]
Interval = Annotated[
    str | None,
    Option(
        "--interval",
        metavar="T|N",
        help="Tell what happened when, and of the slowest requests why: the length of an "
        "interval, as 100ms or 1s, or a number N of intervals: at most N, at least half as many.",
    ),
]
IntervalsOut = Annotated[
    File | None,
    Option(
        "--intervals-out",
        metavar="FILE",
        help="Write a row for every interval; CSV, JSON or Parquet by the suffix.",
        writes=files.itself,
    ),
]
Slowest = Annotated[
    int | None,
    Option(
        "--slowest",
        metavar="N",
        help="Tell of so many requests, the slowest, why they were; 10 with --interval.",
    ),
]
Distributions = Annotated[
    bool,
    Option(
        "--distributions",
        help="Give whole distributions in the JSON: latencies, outstanding requests, erases. "
        "`venice report sheet` and `report fio` are made of them.",
    ),
]
Causes = Annotated[
    bool | None,
    Option(
        "--causes",
        off=Option("--no-causes"),
        help="Causes of waits for chips and for room in the data cache; of `compare` by default. A "
        "run with them takes up to two thirds longer.",
    ),
]
RunPlot = Annotated[
    File | None,
    Option(
        "--plot",
        metavar="FILE.png",
        help="Draw the run over time; PNG, SVG or PDF by the suffix. Needs --interval.",
        writes=files.itself,
    ),
]
TraceEvents = Annotated[
    File | None,
    Option(
        "--trace-events",
        metavar="FILE",
        help="Write what was busy with what, for ui.perfetto.dev: requests, chips, planes, paths, "
        "collection.",
        writes=files.itself,
    ),
]
TraceEventsWindow = Annotated[
    str | None,
    Option(
        "--trace-events-window",
        metavar="FROM..TO",
        help="The part of the run that --trace-events is of, as 10ms..12ms of simulated time; "
        "all of it by default, up to 2,000,000 slices.",
    ),
]
View = Annotated[
    File | None,
    Option(
        "--view",
        metavar="FILE.html",
        help="Write a page to look into the run: who made the tail, plots, requests one by one. "
        "Asks for 200 intervals, the 1,000 slowest and distributions.",
        writes=files.itself,
    ),
]
ViewWindow = Annotated[
    str | None,
    Option(
        "--view-window",
        metavar="FROM..TO|none",
        help="The part of the run in which --view shows the array at work, as 10ms..12ms of "
        "simulated time; around the slowest request by default. It is run once more until then; "
        "none spares that.",
    ),
]
Fabrics = Annotated[
    str | None,
    Option(
        "--fabrics",
        metavar="A,B,C|all|every",
        help="The fabrics to compare, in this order; all: the six of the Venice paper; "
        "every: the related ones too. All by default; of several drives, or with --schemes, "
        "each drive's own.",
        values=fabric_names,
    ),
]
Schemes = Annotated[
    str | None,
    Option(
        "--schemes",
        metavar="A,B,C",
        help="Host schedulers to compare, such as noop,rws,piq,piq_plus; none: the drive alone.",
        values=completed.schemes,
    ),
]
Vary = Annotated[
    list[str] | None,
    Option(
        "--vary",
        metavar="KEY=V,V,…",
        help="Run every row with each value of a setting; of several settings, with every "
        "combination.",
        values=completed.settings,
    ),
]
Seeds = Annotated[
    int,
    Option(
        "--seeds",
        metavar="N",
        help="Run every row under so many seeds, and show their means.",
        least=1,
    ),
]
Confidence = Annotated[
    float | None,
    Option(
        "--confidence",
        metavar="PCT",
        help="Confidence level of intervals over seeds, in % [default: 95].",
    ),
]
Why = Annotated[
    bool | None,
    Option(
        "--why",
        off=Option("--no-why"),
        help="Differences from the first row and their causes, each checked by runs without it; of "
        "two rows the differences are shown by default.",
    ),
]
WhyPlot = Annotated[
    File | None,
    Option(
        "--why-plot",
        metavar="FILE.png",
        help="Picture of the causes of --why; PNG, SVG or PDF by the suffix.",
        writes=files.itself,
    ),
]
Plot = Annotated[
    File | None,
    Option(
        "--plot",
        metavar="FILE.png",
        help="Draw the comparison; PNG, SVG or PDF by the suffix.",
        writes=files.itself,
    ),
]
Dask = Annotated[
    str | None,
    Option(
        "--dask",
        metavar="ADDRESS|FILE.json",
        help="Run on the workers of a Dask cluster: its scheduler's address or file.",
        reads=files.if_json,
    ),
]
Workers = Annotated[
    int | None,
    Option("--workers", metavar="N", help="Runs at a time; one for each processor by default."),
]

LoadState = Annotated[
    File | None,
    Option(
        "--load-state",
        metavar="FILE",
        help="Begin with the drive that --save-state has saved, in place of preconditioning.",
        reads=files.itself,
    ),
]
SaveState = Annotated[
    File | None,
    Option(
        "--save-state",
        metavar="FILE",
        help="Save the drive at the end; `run` with --requests 0, as preconditioning leaves it.",
        writes=files.itself,
    ),
]

DEFAULT_DRIVE = "venice-performance"
SearchReport = Annotated[
    bool,
    Option("--report", help="Tell time, energy and data moved: PiF, PiS and host."),
]


def confidence_pct(given: float | None) -> float:
    """Check a confidence level, and take the default for none.

    Raises
    ------
    UsageError
        If it is no percentage that an interval can have.
    """
    level = CONFIDENCE_PCT if given is None else given
    if not 0 < level < 100:  # noqa: PLR2004 percent
        raise UsageError(
            f"--confidence {level:g}: it should be more than 0 and less than 100, in %, "
            "such as --confidence 99"
        )
    return level


class Observing(NamedTuple):
    """Options of every run: the part that is measured, and how closely it is observed."""

    warmup: Warmup = None
    warmup_us: WarmupUs = None
    until: Until = None
    interval: Interval = None
    slowest: Slowest = None
    distributions: Distributions = False
    causes: Causes = None


class RunFiles(NamedTuple):
    """Options for the files that are written about one run."""

    request_log: RequestLog = None
    request_columns: RequestColumns = None
    intervals_out: IntervalsOut = None
    plot: RunPlot = None
    view: View = None
    view_window: ViewWindow = None
    trace_events: TraceEvents = None
    trace_events_window: TraceEventsWindow = None
    save_state: SaveState = None
