"""``venice run``: one run."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from venice.cli import options
from venice.cli.progress import shown
from venice.cli.results import show
from venice.cli.screen import warn
from venice.cli.written import claim, write_json
from venice.report.percentiles import asked_percentiles
from venice.request_log import RequestLog
from venice.runs import run_drive
from venice.scenario import Scenario, check, drive_of

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

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
    resolved = drive_of(scenario)
    for remark in resolved.remarks:
        warn(remark)
    with ExitStack() as files:
        log_file, json_file = claim(files, request_log), claim(files, json)
        report = _run_shown(resolved, scenario, log_file, save_state)
        write_json(report.to_json(), json, json_file)
    show([report], json, percentiles=shown_percentiles)


def _run_shown(
    drive: Drive, scenario: Scenario, log_file: BinaryIO | None, save_state: Path | None
) -> Report:
    with ExitStack() as stack:
        log = stack.enter_context(RequestLog(log_file)) if log_file else None
        lines = stack.enter_context(shown([drive.fabric]))

        def progress(completed: int, total: int | None, simulated_us: float) -> None:
            lines.update(0, completed, total, simulated_us)

        return run_drive(drive, scenario, progress=progress, log=log, save_state=save_state)
