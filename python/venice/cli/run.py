"""``venice run``: one run."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from venice.cli import options
from venice.cli.observed import ObservedRun, check_files
from venice.cli.progress import shown
from venice.cli.results import show
from venice.cli.screen import warn
from venice.cli.written import claim, write_json
from venice.report.percentiles import asked_percentiles
from venice.runs import ScenarioLoad, run_alone
from venice.scenario import Scenario, check, drive_of

if TYPE_CHECKING:
    from venice._native import Drive
    from venice.report import Report


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
    seed: options.Seed = None,
    percentiles: options.Percentiles = "50,99,99.9",
    json: options.Json = None,
    observing: options.Observing,
    files: options.RunFiles,
    alone: options.Alone = False,
    audit: options.Audit = False,
    load_state: options.LoadState = None,
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
        warmup=observing.warmup,
        warmup_us=observing.warmup_us,
        until=observing.until,
        seed=seed,
        audit=audit,
        load_state=load_state,
    )
    check(scenario, may_be_empty=files.save_state is not None)
    check_files(observing, files)
    resolved = drive_of(scenario)
    for remark in resolved.remarks:
        warn(remark)
    with ExitStack() as claimed:
        json_file = claim(claimed, json)
        observed = ObservedRun(claimed, observing, files)
        report = observed.run(ScenarioLoad(resolved, scenario), resolved.fabric)
        if alone:
            report = _run_alone_shown(resolved, scenario, report)
        write_json(report.to_json, json, json_file)
    show(
        [report],
        json,
        percentiles=shown_percentiles,
        most_slowest=observing.slowest,
        scenario=scenario,
    )


def _run_alone_shown(drive: Drive, scenario: Scenario, report: Report) -> Report:
    with shown([f"{drive.fabric}, tenants alone"]) as lines:
        return run_alone(drive, scenario, report, progress=partial(lines.update, 0))
