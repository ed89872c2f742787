"""``venice compare``: the same requests on several fabrics, one row for each."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from venice.cli import options
from venice.cli.progress import shown
from venice.cli.results import claim, claim_picture, show, write_json
from venice.cli.screen import warn
from venice.comparison import GROUPS, choose, run_lineup
from venice.report.files import reports_to_json
from venice.scenario import Scenario, check, drive_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import BinaryIO

    from venice.comparison import Lineup
    from venice.report import Report


def compare(
    *,
    drive: options.Drive = options.DEFAULT_DRIVE,
    fabrics: options.Fabrics = "all",
    sets: options.Sets = None,
    trace: options.Trace = None,
    workload: options.Workload = None,
    format_: options.Format = None,
    columns: options.Columns = None,
    event: options.Event = None,
    skip_bad: options.SkipBad = None,
    closed_loop: options.ClosedLoop = None,
    rate_scale: options.RateScale = None,
    requests: options.Requests = None,
    warmup: options.Warmup = None,
    warmup_us: options.WarmupUs = None,
    seed: options.Seed = None,
    json: options.Json = None,
    plot: options.Plot = None,
    workers: options.Workers = None,
    audit: options.Audit = False,
    load_state: options.LoadState = None,
) -> None:
    """Run one drive over a trace or workload with several fabrics."""
    scenario = Scenario(
        drive=drive,
        sets=sets or (),
        trace=trace,
        workload=workload,
        format=format_,
        columns=columns,
        event=event,
        skip_bad=skip_bad,
        closed_loop=closed_loop,
        rate_scale=rate_scale,
        requests=requests,
        warmup=warmup,
        warmup_us=warmup_us,
        seed=seed,
        audit=audit,
        load_state=load_state,
    )
    check(scenario)
    lineup = _choose(fabrics, scenario)
    with ExitStack() as files:
        plot_file, json_file = claim_picture(files, plot), claim(files, json)
        with shown(lineup.fabrics) as lines:
            reports = run_lineup(lineup, scenario, workers=workers, progress=lines.update)
        write_json(reports_to_json(reports), json, json_file)
        _draw(reports, plot, plot_file)
    show(reports, json)


def _choose(fabrics: str, scenario: Scenario) -> Lineup:
    asked = fabrics if fabrics in GROUPS else [name for name in fabrics.split(",") if name]
    lineup = choose(asked, scenario)
    for name, reason in lineup.left_out:
        headline = reason.splitlines()[0].removeprefix("error: ")
        warn(f"{name} is left out: {headline}")
    for name in lineup.fabrics:
        for remark in drive_of(scenario, name).remarks:
            warn(remark)
    return lineup


def _draw(reports: Sequence[Report], path: Path | None, file: BinaryIO | None) -> None:
    if path is None or file is None:
        return
    from venice import plot  # noqa: PLC0415 matplotlib takes a second to load

    plot.save(plot.draw_comparison(reports), file, path.suffix.lower())
