"""HTML page of a run: scenario, tail attribution, and single requests."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from venice.report.demand import demand_notes
from venice.report.endurance import RATED_PE_CYCLES, WARRANTY_YEARS, Endurance
from venice.report.summary_table import drive_name, names_of, notes, notes_of_each
from venice.sheet import facts, html
from venice.sheet.verdict import verdict
from venice.text.units import time_text
from venice.view import vega
from venice.view.array import absence_of, array_of
from venice.view.array.section import section
from venice.view.plots import plots_of, requests_plot
from venice.view.requests import requests_of
from venice.view.tail import ONE_IN, Share, Tail, tail_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from venice.observation.trace_events import Window
    from venice.report.report import Report
    from venice.view.sample import Sample

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data:; base-uri 'none'; form-action 'none'"
)
"""Content security policy of the page: it may run its own script and load nothing."""

_SCRIPTS = ("plots.js", "requests.js")
_ARRAY_SCRIPTS = ("lanes.js", "board.js", "array.js")
_TAIL_PCT = 100 / ONE_IN


def page_of(
    report: Report,
    sample: Sample | None = None,
    window: Window | None = None,
    *,
    without_array: str | None = None,
) -> str:
    """Return the HTML of the page.

    Parameters
    ----------
    report
        Report of the run. Intervals, slowest requests and distributions are shown if the report has
        them; otherwise the page states how to record them.
    sample
        Sample of requests that the page shows in detail in addition to the slowest ones.
    window
        Window for which the array is shown, if the run has a ``slice_table`` and ``places``
        (``distributions=True``) [default: all slices].
    without_array
        Reason to print in place of the array, if the run deliberately kept no slices.

    Raises
    ------
    UsageError
        If the library that draws the plots is not installed.

    Examples
    --------
    ::

        sample = Sample()
        report = venice.run(workload="random-read", interval=200, slowest=1000, log=sample)
        Path("run.html").write_text(page_of(report, sample))
    """
    vega.require_vega()
    requests, plots = requests_of(report, sample), plots_of(report)
    shown = array_of(report, window)
    absence = None if shown is not None else without_array or absence_of(report, window)
    if _has_requests(report, sample):
        plots["requests-plot"] = requests_plot([*requests["slowest"], *requests["others"]])
    title = f"{drive_name(report)}, {report.workload.name}"
    return "\n".join(
        (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            f'<title>{html.text(title)}</title><link rel="icon" href="data:,">',
            f"<style>{html.STYLE}{_own('page.css')}{_own('array/array.css')}</style></head>\n<body>",
            *_body(report, sample, absence),
            *(_json("plot", name, spec) for name, spec in plots.items()),
            _json("data", "requests", requests),
            *(() if shown is None else (_json("data", "array", shown),)),
            f"<!-- {vega.NOTICE} -->",
            *(_module(text) for text in (vega.script(), *map(_own, _SCRIPTS))),
            *(() if shown is None else (_module(_array_script()),)),
            "</body></html>\n",
        )
    )


def _array_script() -> str:
    """Return the script files as one script with a common scope."""
    return "\n".join(_own(f"array/{name}") for name in _ARRAY_SCRIPTS)


def _own(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _module(text: str) -> str:
    return f'<script type="module">{text}</script>'


def _json(kind: str, name: str, value: Any) -> str:  # noqa: ANN401 any JSON value
    """Return a script element with data as JSON."""
    safe = json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return f'<script type="application/json" data-{kind}="{name}">{safe}</script>'


def _body(report: Report, sample: Sample | None, absence: str | None) -> Iterator[str]:
    [name] = names_of([report])
    yield f"<h1>{html.text(f'{drive_name(report)}: {name}')}</h1>"
    yield html.paragraph(
        f"Simulated by Venice {report.venice_version}, seed {report.seed}.", "note"
    )
    life = Endurance.of(report, RATED_PE_CYCLES, WARRANTY_YEARS)
    yield verdict(report, life)
    yield f"<h2>Top causes of the p{100 - _TAIL_PCT:g} tail</h2>"
    yield from _tail(report)
    yield '<div class="beside"><section><h2>Latency</h2>'
    yield _place("latency-plot")
    if report.content.get("distributions") is None:
        yield html.paragraph("Percentiles only; --distributions adds whole distributions.", "note")
    yield "<h2>Where the time goes</h2>"
    yield _place("stages-plot")
    yield "</section><section><h2>Over time</h2>"
    yield from _over_time(report)
    yield "</section></div>"
    yield from section(report, absence)
    yield "<h2>Requests</h2>"
    yield from _requests(report, sample)
    yield from _summary(report, life, name)


def _summary(report: Report, life: Endurance, name: str) -> Iterator[str]:
    yield "<h2>Results</h2>"
    yield facts.results(report)
    yield '<div class="beside"><section><h2>The drive</h2>'
    yield html.pairs(facts.drive(report, life))
    yield "</section><section><h2>The load</h2>"
    yield html.pairs(facts.load(report, life))
    for note in (*notes(report), *notes_of_each([report]), *demand_notes([report], [name])):
        yield html.paragraph(note, "note")
    yield "</section></div>"


def _tail(report: Report) -> Iterator[str]:
    tail = tail_of(report)
    if tail is None:
        yield html.paragraph("Not known: run with --slowest 1000, or with --view.", "note")
        return
    yield html.paragraph(_tail_words(tail))
    yield '<div class="beside">'
    yield _shares("tail-resources", "by resource", tail.resources)
    yield _shares("tail-causes", "by cause, over all resources", tail.causes)
    yield "</div>"


def _tail_words(tail: Tail) -> str:
    text = (
        f"The slowest {_TAIL_PCT:g} %, {tail.requests:,} of the requests, took "
        f"{time_text(tail.least_us)} or longer, {time_text(tail.total_us)} in all."
    )
    if tail.requests < tail.wanted:
        text = (
            f"{text} The report names {tail.requests:,} of the {tail.wanted:,} requests that would "
            f"be {_TAIL_PCT:g} %: run with --slowest {tail.wanted}."
        )
    return text


def _shares(name: str, title: str, shares: Sequence[Share]) -> str:
    rows = [
        [html.text(share.name), f"{share.pct:.1f} %", time_text(share.us), _bar(share.pct)]
        for share in shares
    ]
    whole = sum(share.us for share in shares)
    pct = sum(round(10 * share.pct) for share in shares) / 10
    rows.append(["<b>all of it</b>", f"<b>{pct:.1f} %</b>", f"<b>{time_text(whole)}</b>", ""])
    table = html.table([title, "share", "time", ""], rows, words=(0, 3))
    return f'<section id="{name}">{table}</section>'


def _bar(pct: float) -> str:
    return f'<div class="bar" style="width:{pct / 10:.2f}em"></div>'


def _over_time(report: Report) -> Iterator[str]:
    if report.content.get("time_series") is None:
        yield html.paragraph("Not known: run with --interval 200, or with --view.", "note")
        return
    yield _place("time-plot")


def _requests(report: Report, sample: Sample | None) -> Iterator[str]:
    if not _has_requests(report, sample):
        yield html.paragraph("Not known: run with --slowest 1000, or with --view.", "note")
        return
    if sample is None:
        text = "The slowest. A sample of the others is in the page of venice run --view."
    else:
        text = "The slowest, and a sample of the others."
    yield html.paragraph(f"{text} Click one to see where its time went.")
    yield '<div class="beside"><section>'
    yield _place("requests-plot")
    yield '</section><section><div id="requests" class="list"></div></section></div>'
    yield '<div id="request" aria-live="polite"></div>'


def _has_requests(report: Report, sample: Sample | None) -> bool:
    return report.content.get("slowest") is not None or sample is not None


def _place(name: str) -> str:
    return f'<div id="{name}" class="plot"></div>'
