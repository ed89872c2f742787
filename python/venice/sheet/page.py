"""HTML page of a data sheet: scenario, results and their basis."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from venice.report.demand import demand_notes
from venice.report.endurance import Endurance
from venice.report.slowest_requests import reason
from venice.report.steadiness import (
    DATA_EXCURSION_PCT,
    ROUNDS,
    SLOPE_EXCURSION_PCT,
    figures_of,
)
from venice.report.summary_table import drive_name, names_of, notes, notes_of_each
from venice.report.tenants import fairness_notes, tenant_cells
from venice.sheet import facts, html
from venice.sheet.seeds import over_seeds
from venice.sheet.verdict import verdict
from venice.text.units import size_text, time_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from venice.report.report import Report

    Draw = Callable[[Report, str, Endurance], bytes | None]

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
"""Content security policy: the page may use its own styles and pictures, but no scripts."""


def sheet_of(
    reports: Sequence[Report], draw: Draw, *, rated_pe_cycles: int, warranty_years: float
) -> str:
    """Return the HTML of the page.

    Parameters
    ----------
    reports
        Reports, each of which gets a section. A drive and load with several seeds also gets a
        summary before its reports.
    draw
        Function that returns a picture of a report by name, as SVG: :func:`venice.plot.sheet.draw`.
    rated_pe_cycles, warranty_years
        Rated P/E cycles and warranty period, for the endurance; see :mod:`venice.report.endurance`.
    """
    lives = [Endurance.of(report, rated_pe_cycles, warranty_years) for report in reports]
    parts = ["\n".join(over_seeds(reports))] if len(reports) > 1 else []
    parts += [
        "\n".join(_part(name, report, life, draw))
        for name, report, life in zip(names_of(reports), reports, lives, strict=True)
    ]
    title = f"{drive_name(reports[0])}, {reports[0].workload.name}"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f"<title>{html.text(title)}</title><style>{html.STYLE}</style></head>\n<body>\n"
        + "\n<hr>\n".join(filter(None, parts))
        + "\n</body></html>\n"
    )


def _part(name: str, report: Report, life: Endurance, draw: Draw) -> Iterator[str]:
    yield f"<h1>{html.text(f'{drive_name(report)}: {name}')}</h1>"
    yield html.paragraph(
        f"Simulated by Venice {report.venice_version}, seed {report.seed}. The configuration at "
        "the end and the same requests give the same figures, byte for byte.",
        "note",
    )
    yield verdict(report, life)
    yield "<h2>Drive life at this load</h2>"
    yield from _life(life)
    yield "<h2>The drive</h2>"
    yield html.pairs(facts.drive(report, life))
    yield "<h2>The load</h2>"
    yield html.pairs(facts.load(report, life))
    for note in (*notes(report), *notes_of_each([report]), *demand_notes([report], [name])):
        yield html.paragraph(note, "note")
    yield "<h2>Results</h2>"
    yield facts.results(report)
    yield from _tenants(report)
    yield from _pictures(report, life, draw, ("tail",))
    yield from _over_time(report, life, draw)
    yield "<h2>Steady state</h2>"
    yield from _steady(report)
    yield "<h2>Endurance</h2>"
    yield from _endurance(life)
    yield from _pictures(report, life, draw, ("erases",))
    yield "<h2>Configuration</h2>"
    text = json.dumps(report.content["config"], indent=1, ensure_ascii=False)
    yield f"<details><summary>All of it</summary><pre>{html.text(text)}</pre></details>"


def _pictures(report: Report, life: Endurance, draw: Draw, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        svg = draw(report, name, life)
        if svg is not None:
            yield html.picture(svg, f"{name} of {drive_name(report)}")


def _over_time(report: Report, life: Endurance, draw: Draw) -> Iterator[str]:
    yield from _pictures(report, life, draw, ("time",))
    rows: Sequence[Mapping[str, Any]] = report.content.get("slowest") or ()
    if rows:
        yield "<h2>The slowest requests</h2>"
        titles = ["request", "owes most to", "length", "issued at", "latency"]
        cells = [
            [
                f"{row['operation']} {row['number']:,}",
                html.text(reason(row)),
                size_text(row["size_bytes"]),
                time_text(row["arrival_us"]),
                time_text(row["latency_us"]),
            ]
            for row in rows
        ]
        yield html.table(titles, cells, words=(0, 1))


def _tenants(report: Report) -> Iterator[str]:
    titles, rows = tenant_cells(report)
    if not rows:
        return
    yield "<h2>Tenants</h2>"
    cells = [[html.text(cell) for cell in row] for row in rows]
    yield html.table([title.replace("\n", " ") for title in titles], cells)
    for note in fairness_notes(report):
        yield html.paragraph(note, "note")


def _number(value: float) -> str:
    return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"  # noqa: PLR2004 digits


def _steady(report: Report) -> Iterator[str]:
    found = report.content.get("steadiness") or {}
    if not found.get("round_us"):
        yield html.paragraph("Not known: the run is too short for five rounds of 100 requests.")
        return
    rows = [
        [
            f"{html.text(name)}, {html.text(unit)}",
            *map(_number, figure["rounds"]),
            _number(figure["average"]),
            f"{figure['range_pct']:.1f} %",
            f"{figure['slope_pct']:.1f} %",
            html.marked("met" if figure["steady"] else "not met", good=figure["steady"]),
        ]
        for name, unit, figure in figures_of(report)
    ]
    numbers = [f"round {number + 1}" for number in range(ROUNDS)]
    titles = ["", *numbers, "average", "data excursion", "slope excursion", "steady state"]
    yield html.table(titles, rows)
    yield html.paragraph(
        f"The measured phase cut into {ROUNDS} rounds of {time_text(found['round_us'])}. As SNIA's "
        "Performance Test Specification 2.0.2 has it, a figure is in steady state when its largest "
        f"and smallest round differ by at most {DATA_EXCURSION_PCT:g} % of the average and the "
        f"best line through the rounds rises or falls by at most {SLOPE_EXCURSION_PCT:g} % of it. "
        "The Specification's rounds take a minute; these are of simulated time and as long as they "
        "say. Where requests come by the clock, IOPS follow the load and latencies tell.",
        "note",
    )


def _life(life: Endurance) -> Iterator[str]:
    if life.tbw is None or life.write_amplification is None or not life.is_known:
        yield html.paragraph(_no_wear(life))
        return
    tbw, dwpd, years = life.tbw, life.dwpd or 0.0, life.years
    if life.caveat is not None:
        yield html.paragraph(life.caveat)
    yield html.pairs(
        [
            ("TBW", f"{tbw:,.4g} TB"),
            ("DWPD", f"{dwpd:.3g} over {life.warranty_years:g} years"),
            ("Write amplification, measured", f"{life.write_amplification:.3f} bytes/byte"),
            ("This load writes", f"{life.drive_writes_per_day:,.3g} times the capacity a day"),
            ("At that the drive lasts", "–" if years is None else f"{years:,.3g} years"),
        ]
    )


def _no_wear(life: Endurance) -> str:
    if not life.is_known and life.caveat is not None:
        return life.caveat
    if not life.host_bytes:
        return "Nothing was written: this load does not wear the drive."
    return (
        "Nothing was programmed in the measured window: the data cache holds what was written. "
        "Drive life follows from a run that writes many times the cache's size."
    )


def _endurance(life: Endurance) -> Iterator[str]:
    if life.tbw is None or life.write_amplification is None or not life.is_known:
        yield html.paragraph(_no_wear(life))
        return
    yield html.pairs([("Wear", _wear(life))])
    yield html.table(
        ["assumption or figure", "value"],
        [
            [
                "rated program/erase cycles of a block (assumed; --rated-pe-cycles)",
                f"{life.rated_pe_cycles:,}",
            ],
            ["warranty in years (assumed; --warranty-years)", f"{life.warranty_years:g}"],
            ["bytes of flash", f"{life.raw_bytes:,}"],
            ["bytes that a host can address", f"{life.capacity_bytes:,}"],
            ["bytes that the host wrote", f"{life.host_bytes:,}"],
            ["bytes that were programmed, moves and the map included", f"{life.flash_bytes:,}"],
            [
                "write amplification of bytes (programmed / written)",
                f"{life.write_amplification:.4f}",
            ],
        ],
    )
    yield html.paragraph(
        "TBW, in TB of 10¹² bytes, = bytes of flash × rated cycles / write amplification. "
        "DWPD = TBW / (capacity × 365 × years of warranty). Wear is taken to be even, every "
        "programmed page to be erased once, and the write amplification of the measured phase to "
        "last, which it does only in steady state. JESD218 defines TBW under the workloads of "
        "JESD219, with limits for errors and for how long data are kept; here the workload is the "
        "one above, and the end is the rated cycles.",
        "note",
    )


def _wear(life: Endurance) -> str:
    if life.mean_erases is None:
        return "not known: run with --distributions"
    low, high = min(life.blocks_by_erases), max(life.blocks_by_erases)
    summary = (
        f"{low:,} to {high:,} erases of a block, preconditioning included, "
        f"{life.mean_erases:,.4g} on average"
    )
    if life.evenness is None or life.tbw is None:
        return f"{summary}; too few to tell how evenly they spread"
    return (
        f"{summary}; if they go on as unevenly, the most worn block ends after "
        f"{life.tbw * life.evenness:,.4g} TB"
    )
