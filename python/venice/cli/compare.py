"""``venice compare``: the same requests on several fabrics or host schedulers, a row for each."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from venice.cli import options
from venice.cli.progress import shown
from venice.cli.results import claim, claim_picture, show, write_json
from venice.cli.screen import warn
from venice.comparison import GROUPS, choose, run_lineup
from venice.report.files import reports_to_json
from venice.scenario import Scenario, check, drive_of
from venice.schemes import run_schemes, under_schemes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from venice.comparison import Lineup
    from venice.report import Report


def compare(
    *,
    drive: options.Drive = options.DEFAULT_DRIVE,
    fabrics: options.Fabrics = None,
    schemes: options.Schemes = None,
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
    """Run one drive over a trace or workload with several fabrics, or host schedulers."""
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
    names, run_all = (
        _fabrics(fabrics or "all", scenario)
        if schemes is None
        else _schemes(schemes, fabrics, scenario)
    )
    with ExitStack() as files:
        plot_file, json_file = claim_picture(files, plot), claim(files, json)
        with shown(names) as lines:
            reports = run_all(workers=workers, progress=lines.update)
        write_json(reports_to_json(reports), json, json_file)
        _draw(reports, plot, plot_file, of_schemes=schemes is not None)
    show(reports, json, of_schemes=schemes is not None)


def _fabrics(fabrics: str, scenario: Scenario) -> tuple[Sequence[str], Callable[..., list[Report]]]:
    lineup = choose(_asked(fabrics), scenario)
    _tell_left_out(lineup)
    _tell_remarks(lineup, scenario)
    return lineup.fabrics, partial(run_lineup, lineup, scenario)


def _schemes(
    schemes: str, fabrics: str | None, scenario: Scenario
) -> tuple[Sequence[str], Callable[..., list[Report]]]:
    asked = _asked(schemes)
    lineup, variants = under_schemes(asked, fabrics and _asked(fabrics), scenario)
    _tell_left_out(lineup)
    _tell_remarks(lineup, scenario)
    names = [f"{fabric} {scheme}".strip() for fabric in lineup.fabrics for scheme in asked]
    return names, partial(run_schemes, variants)


def _asked(names: str) -> str | list[str]:
    return names if names in GROUPS else [name for name in names.split(",") if name]


def _tell_left_out(lineup: Lineup) -> None:
    for name, reason in lineup.left_out:
        headline = reason.splitlines()[0].removeprefix("error: ")
        warn(f"{name} is left out: {headline}")


def _tell_remarks(lineup: Lineup, scenario: Scenario) -> None:
    for name in lineup.fabrics:
        for remark in drive_of(scenario, name).remarks:
            warn(remark)


def _draw(
    reports: Sequence[Report], path: Path | None, file: BinaryIO | None, *, of_schemes: bool
) -> None:
    if path is None or file is None:
        return
    from venice import plot  # noqa: PLC0415 matplotlib takes a second to load

    draw = plot.draw_schedule if of_schemes else plot.draw_comparison
    plot.save(draw(reports), file, path.suffix.lower())
