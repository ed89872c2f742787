"""``venice run``: one run."""

from __future__ import annotations

from contextlib import ExitStack

from venice._native import UsageError
from venice.cli import options
from venice.cli.progress import shown
from venice.cli.results import show
from venice.cli.screen import warn
from venice.cli.viewed import check_view_window, page_bytes
from venice.cli.written import (
    claim,
    claim_page,
    claim_picture,
    log_columns,
    log_in,
    write_json,
)
from venice.report.over_time import check_suffix, write_series
from venice.report.percentiles import asked_percentiles
from venice.request_columns import AllOf
from venice.runs import Watch, run_drive, watch
from venice.scenario import Scenario, check, drive_of
from venice.trace_events import TraceEvents, check_window
from venice.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

    from venice._native import Drive
    from venice.report import Report
    from venice.request_columns import Columns
    from venice.view import Sample

_PAGE_INTERVALS = "200"
_PAGE_SLOWEST = 1000


def run(
    *,
    drive: options.Drive = options.DEFAULT_DRIVE,
    fabric: options.Fabric = None,
    sets: options.Sets = None,
    trace: options.Trace = None,
    workload: options.Workload = None,
    format_: options.Format = None,
    columns: options.Columns = None,
    event: options.Event = None,
    skip_bad: options.SkipBad = None,
    devices: options.Devices = None,
    trace_resample: options.TraceResample = None,
    trace_block: options.TraceBlock = None,
    trace_seed: options.TraceSeed = None,
    fold: options.Fold = False,
    most_folded_pct: options.MostFoldedPct = None,
    closed_loop: options.ClosedLoop = None,
    rate_scale: options.RateScale = None,
    requests: options.Requests = None,
    warmup: options.Warmup = None,
    warmup_us: options.WarmupUs = None,
    seed: options.Seed = None,
    percentiles: options.Percentiles = "50,99,99.9",
    json: options.Json = None,
    request_log: options.RequestLog = None,
    request_columns: options.RequestColumns = None,
    interval: options.Interval = None,
    intervals_out: options.IntervalsOut = None,
    plot: options.RunPlot = None,
    view: options.View = None,
    view_window: options.ViewWindow = None,
    trace_events: options.TraceEvents = None,
    trace_events_window: options.TraceEventsWindow = None,
    slowest: options.Slowest = None,
    distributions: options.Distributions = False,
    audit: options.Audit = False,
    load_state: options.LoadState = None,
    save_state: options.SaveState = None,
) -> None:
    """Run one drive over a trace or workload."""
    shown_percentiles = asked_percentiles(percentiles)
    scenario = Scenario(
        drive=drive,
        fabric=fabric,
        sets=sets or (),
        trace=trace,
        workload=workload,
        format=format_,
        columns=columns,
        event=event,
        skip_bad=skip_bad,
        devices=devices,
        trace_resample=trace_resample,
        trace_block=trace_block,
        trace_seed=trace_seed,
        fold=fold,
        most_folded_pct=most_folded_pct,
        closed_loop=closed_loop,
        rate_scale=rate_scale,
        requests=requests,
        warmup=warmup,
        warmup_us=warmup_us,
        seed=seed,
        audit=audit,
        load_state=load_state,
    )
    check(scenario, may_be_empty=save_state is not None)
    _check_pictures(interval, intervals_out, plot)
    check_window(trace_events is not None, trace_events_window)
    row_columns = log_columns(request_log, request_columns)
    check_view_window(view is not None, view_window)
    closely = _watch(view, interval, slowest, distributions=distributions)
    resolved = drive_of(scenario)
    for remark in resolved.remarks:
        warn(remark)
    with ExitStack() as files:
        log_file, json_file = claim(files, request_log), claim(files, json)
        picture, rows = claim_picture(files, plot), claim(files, intervals_out)
        page = claim_page(files, view)
        sample = None if page is None else _new_sample()
        events_file = claim(files, trace_events)
        events = TraceEvents(events_file, trace_events_window) if events_file else None
        logged = (log_file, row_columns, sample)
        report = _run_shown(resolved, scenario, logged, (save_state, closely, events))
        write_json(report.to_json, json, json_file)
        if rows is not None and intervals_out is not None:
            write_series(report, rows, intervals_out.suffix)
        if picture is not None and plot is not None:
            _draw(report, picture, plot.suffix)
        if page is not None:
            page.write(page_bytes(resolved, scenario, report, sample, view_window))
        if events is not None and events.remark is not None:
            warn(events.remark)
    show([report], json, percentiles=shown_percentiles, most_slowest=slowest)


def _check_pictures(interval: str | None, intervals_out: Path | None, plot: Path | None) -> None:
    for option, path in (("--intervals-out", intervals_out), ("--plot", plot)):
        if path is not None and interval is None:
            raise UsageError(f"{option} needs to know how long intervals are: --interval 100ms")
    if intervals_out is not None:
        check_suffix(intervals_out)


def _draw(report: Report, picture: BinaryIO, suffix: str) -> None:
    # Matplotlib takes a second to load.
    from venice.plot.over_time import draw_over_time  # noqa: PLC0415
    from venice.plot.save import save  # noqa: PLC0415

    save(draw_over_time(report), picture, suffix)


def _watch(
    view: Path | None, interval: str | None, slowest: int | None, *, distributions: bool
) -> Watch:
    """Look as closely as was asked for; for a page, at all that it shows."""
    if view is None:
        return watch(interval, slowest, distributions=distributions)
    return watch(
        interval or _PAGE_INTERVALS,
        _PAGE_SLOWEST if slowest is None else slowest,
        distributions=True,
    )


def _new_sample() -> Sample:
    from venice.view import Sample  # noqa: PLC0415 seldom wanted

    return Sample()


def _run_shown(
    drive: Drive,
    scenario: Scenario,
    logged: tuple[BinaryIO | None, Columns, Sample | None],
    other: tuple[Path | None, Watch, TraceEvents | None],
) -> Report:
    (log_file, columns, sample), (save_state, closely, events) = logged, other
    with ExitStack() as stack:
        opened = log_in(log_file, columns)
        log = None if opened is None else stack.enter_context(opened)
        logs = [one for one in (log, sample) if one is not None]
        lines = stack.enter_context(shown([drive.fabric]))

        def progress(completed: int, total: int | None, simulated_us: float) -> None:
            lines.update(0, completed, total, simulated_us)

        return run_drive(
            drive,
            scenario,
            progress=progress,
            log=AllOf(logs) if logs else None,
            save_state=save_state,
            watch=closely,
            events=events,
        )
