"""``venice compare``: the same requests on several fabrics, drives or host schedulers."""

from __future__ import annotations

import re
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from venice._native import UsageError
from venice.cli import options
from venice.cli.observed import watch_of
from venice.cli.progress import shown
from venice.cli.results import show, show_explanations
from venice.cli.screen import warn
from venice.cli.written import claim, claim_picture, write_json
from venice.comparison import asked_fabrics, line_up, run_lineup
from venice.report.percentiles import USUAL, asked_percentiles
from venice.report.several import reports_to_json
from venice.scenario import Scenario, check
from venice.schemes import KEY, run_schemes, under_schemes
from venice.why import explain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from venice.comparison import Lineup
    from venice.report import Report
    from venice.why import Explanation


def compare(
    drives: options.Drives = None,
    *,
    drive: options.OneDrive = None,
    fabrics: options.Fabrics = None,
    schemes: options.Schemes = None,
    vary: options.Vary = None,
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
    observing: options.Observing,
    seed: options.Seed = None,
    seeds: options.Seeds = 1,
    confidence: options.Confidence = None,
    percentiles: options.Percentiles = "50,99,99.9",
    why: options.Why = None,
    why_plot: options.WhyPlot = None,
    json: options.Json = None,
    plot: options.Plot = None,
    workers: options.Workers = None,
    audit: options.Audit = False,
    load_state: options.LoadState = None,
) -> None:
    """Run one trace or workload on several fabrics, drives or host schedulers."""
    level = options.confidence_pct(confidence)
    shown_percentiles = asked_percentiles(percentiles)
    if schemes is not None and shown_percentiles != USUAL:
        raise UsageError(
            "the table of host schedulers has columns of its own, and no --percentiles"
        )
    if schemes is not None and (vary or why or seeds > 1):
        raise UsageError(
            "the table of host schedulers goes with none of --vary, --seeds and --why; "
            f"use --vary {KEY}={schemes} instead of --schemes"
        )
    _check_why(why, why_plot, causes=observing.causes is not False)
    scenario = Scenario(
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
    if drive is not None or not drives:
        scenario["drive"] = drive or options.DEFAULT_DRIVE
    check(scenario)
    watched = watch_of(observing, usual_causes=True)
    lineup: Lineup | None = None
    names: Sequence[str]
    run_all: Callable[..., list[Report]]
    if schemes is None:
        lineup = _rows(drives or (), fabrics, scenario, vary=_axes(vary or ()), seeds=seeds)
        names, run_all = lineup.names, partial(run_lineup, lineup)
    else:
        names, run_all = _schemes(schemes, fabrics, _on_one_drive(drives, scenario))
    with ExitStack() as files:
        plot_file, json_file = claim_picture(files, plot), claim(files, json)
        why_file = claim_picture(files, why_plot)
        with shown(names) as lines:
            reports = run_all(workers=workers, progress=lines.update, watch=watched)
        write_json(lambda: reports_to_json(reports), json, json_file)
        _draw(reports, plot, plot_file, seeds=None if schemes else seeds, confidence_pct=level)
        explanations = explain(lineup, reports, workers=workers) if lineup and why else []
        _draw_why(explanations, why_plot, why_file)
    two_rows = schemes is None and len(reports) == 2 * seeds
    show(
        reports,
        json,
        of_schemes=schemes is not None,
        scenario=scenario,
        percentiles=shown_percentiles,
        seeds=seeds,
        why=two_rows if why is None else why,
        confidence_pct=level,
    )
    show_explanations(explanations, json)


def _check_why(why: bool | None, why_plot: Path | None, *, causes: bool) -> None:
    if why_plot is not None and not why:
        raise UsageError("--why-plot draws the causes that --why checks: add --why")
    if why and not causes:
        raise UsageError("--why needs the causes of waits: drop --no-causes")


def _draw_why(
    explanations: Sequence[Explanation], path: Path | None, file: BinaryIO | None
) -> None:
    if path is None or file is None:
        return
    from venice import plot  # noqa: PLC0415 matplotlib takes a second to load
    from venice.plot.why import draw_why  # noqa: PLC0415 as above

    plot.save(draw_why(explanations), file, path.suffix.lower())


def _rows(
    drives: Sequence[str],
    fabrics: str | None,
    scenario: Scenario,
    *,
    vary: Mapping[str, Sequence[str]],
    seeds: int,
) -> Lineup:
    asked = asked_fabrics(fabrics) if fabrics else None
    lineup = line_up(drives, asked, scenario, vary=vary, seeds=seeds)
    _tell_left_out(lineup)
    _tell_remarks(lineup)
    return lineup


def _axes(texts: Sequence[str]) -> dict[str, list[str]]:
    """Read settings with their values; commas within brackets part no values."""
    axes: dict[str, list[str]] = {}
    for text in texts:
        key, _, values = text.partition("=")
        parts = re.split(r",(?![^\[]*\])", values)
        if not key or not all(parts):
            raise UsageError(
                f"--vary {text}: expected a setting and its values, "
                "such as --vary flash.t_read_us=3,40"
            )
        axes.setdefault(key, []).extend(parts)
    return axes


def _on_one_drive(drives: Sequence[str] | None, scenario: Scenario) -> Scenario:
    if not drives:
        return scenario
    if len(drives) > 1 or scenario.get("drive") is not None:
        raise UsageError("host schedulers are compared on one drive")
    return {**scenario, "drive": drives[0]}


def _schemes(
    schemes: str, fabrics: str | None, scenario: Scenario
) -> tuple[Sequence[str], Callable[..., list[Report]]]:
    asked = [name for name in schemes.split(",") if name]
    lineup, variants = under_schemes(asked, asked_fabrics(fabrics) if fabrics else None, scenario)
    _tell_left_out(lineup)
    _tell_remarks(lineup)
    names = [f"{row.fabric} {scheme}".strip() for row in lineup.rows for scheme in asked]
    return names, partial(run_schemes, variants)


def _tell_left_out(lineup: Lineup) -> None:
    for name, reason in lineup.left_out:
        headline = reason.splitlines()[0].removeprefix("error: ")
        warn(f"{name} is not run: {headline}")


def _tell_remarks(lineup: Lineup) -> None:
    for row in lineup.rows:
        for remark in row.drive().remarks:
            warn(remark)


def _draw(
    reports: Sequence[Report],
    path: Path | None,
    file: BinaryIO | None,
    *,
    seeds: int | None,
    confidence_pct: float,
) -> None:
    """Draw a comparison under so many seeds, or one of host schedulers where there is no number."""
    if path is None or file is None:
        return
    from venice import plot  # noqa: PLC0415 matplotlib takes a second to load

    if seeds is None:
        figure = plot.draw_schedule(reports)
    else:
        figure = plot.draw_comparison(reports, seeds=seeds, confidence_pct=confidence_pct)
    plot.save(figure, file, path.suffix.lower())
