"""The page: what was run, what it gave, and what that rests upon."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from venice.report.demand import demand_notes
from venice.report.endurance import Endurance
from venice.report.slowest import reason
from venice.report.stages import STAGES
from venice.report.steadiness import (
    DATA_EXCURSION_PCT,
    ROUNDS,
    SLOPE_EXCURSION_PCT,
    Steadiness,
    steadiness,
)
from venice.report.table import drive_name, names_of, notes, size_text
from venice.sheet import html

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from venice.report.report import Report

    Draw = Callable[[Report, str, Endurance], bytes | None]

_SIDES = ("all", "read", "write", "gather")
_SCALES = ((1e6, "s"), (1e3, "ms"))


def sheet_of(
    reports: Sequence[Report], draw: Draw, *, rated_pe_cycles: int, warranty_years: float
) -> str:
    """Write the page.

    Parameters
    ----------
    reports
        One part each.
    draw
        Gives a picture of a report by its name, as SVG, if there is anything in it:
        :func:`venice.plot.sheet.draw`.
    rated_pe_cycles, warranty_years
        For the drive's life; see :mod:`venice.report.endurance`.
    """
    lives = [Endurance.of(report, rated_pe_cycles, warranty_years) for report in reports]
    parts = [
        "\n".join(_part(name, report, life, draw))
        for name, report, life in zip(names_of(reports), reports, lives, strict=True)
    ]
    title = f"{drive_name(reports[0])}, {reports[0].workload.name}"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{html.text(title)}</title><style>{html.STYLE}</style></head>\n<body>\n"
        + "\n<hr>\n".join(parts)
        + "\n</body></html>\n"
    )


def _part(name: str, report: Report, life: Endurance, draw: Draw) -> Iterator[str]:
    yield f"<h1>{html.text(f'{drive_name(report)}: {name}')}</h1>"
    yield html.paragraph(
        f"Simulated by Venice {report.venice_version}, seed {report.seed}. The configuration at "
        "the end and the same requests give the same figures, byte for byte.",
        "note",
    )
    yield "<h2>The drive</h2>"
    yield html.pairs(_drive(report, life))
    yield "<h2>The load</h2>"
    yield html.pairs(_load(report, life))
    for note in (*notes(report), *demand_notes([report], [name])):
        yield html.paragraph(note, "note")
    yield "<h2>Results</h2>"
    yield _results(report)
    yield from _pictures(report, life, draw, ("tail",))
    yield from _over_time(report, life, draw)
    yield "<h2>Steady state</h2>"
    yield from _steady(report)
    yield "<h2>Endurance</h2>"
    yield from _endurance(life)
    yield from _pictures(report, life, draw, ("erases",))
    yield "<h2>Configuration</h2>"
    text = json.dumps(report.to_dict()["config"], indent=1, ensure_ascii=False)
    yield f"<details><summary>All of it</summary><pre>{html.text(text)}</pre></details>"


def _pictures(report: Report, life: Endurance, draw: Draw, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        svg = draw(report, name, life)
        if svg is not None:
            yield html.picture(svg, f"{name} of {drive_name(report)}")


def _drive(report: Report, life: Endurance) -> Iterator[tuple[str, str]]:
    config = report.to_dict()["config"]
    array, flash, ftl, host = (config[room] for room in ("array", "flash", "ftl", "host"))
    chips = array["rows"] * array["cols"]
    yield "Capacity", f"{size_text(life.capacity_bytes)} of {size_text(life.raw_bytes)} of flash"
    yield (
        "Flash",
        (
            f"{chips} chips ({array['rows']} × {array['cols']}), {flash['dies_per_chip']} × "
            f"{flash['planes_per_die']} planes in each (dies × planes), "
            f"{flash['blocks_per_plane']:,} blocks a plane, {flash['pages_per_block']:,} pages a "
            f"block, {size_text(flash['page_bytes'])} a page"
        ),
    )
    yield (
        "Times",
        ", ".join(
            f"{what} {_value(flash[key])} µs"
            for what, key in (
                ("read", "t_read_us"),
                ("program", "t_prog_us"),
                ("erase", "t_bers_us"),
            )
        ),
    )
    yield "Chips are joined by", report.fabric
    yield (
        "Flash translation layer",
        (
            f"{ftl['over_provisioning_pct']:g} % over-provisioning, victims {ftl['victim']}, "
            f"mapping {ftl['mapping']}, scheduling {ftl['scheduling']}"
        ),
    )
    yield "Data cache", config["cache"]["mode"]
    yield "Host link", f"{host['link_rate_mb_per_s']:,g} × 10⁶ bytes/s, {host['protocol']}"
    yield "Before the run", f"preconditioning {config['precondition']['mode']}"


def _value(value: Any) -> str:  # noqa: ANN401 a number or a list of them
    return " / ".join(f"{one:g}" for one in value) if isinstance(value, list) else f"{value:g}"


def _load(report: Report, life: Endurance) -> Iterator[tuple[str, str]]:
    requests, workload = report.requests, report.workload
    kind = "made up by a workload's law (synthetic)" if workload.synthetic else "a recorded trace"
    yield "Requests", f"{workload.name}: {kind}"
    yield (
        "How many",
        (
            f"{requests.completed:,} in the measured phase of {time_text(report.makespan_us)}: "
            f"{requests.reads:,} reads, {requests.writes:,} writes"
        ),
    )
    queues = report.to_dict()["queues"]
    read_bytes = sum(queue["read_bytes"] for queue in queues)
    yield "Bytes", f"{size_text(read_bytes)} read, {size_text(life.host_bytes)} written"
    depth = workload.queue_depth
    yield (
        "Pace",
        "by the clock (open loop)" if depth is None else f"{depth} requests kept outstanding",
    )
    yield "Not measured before", ", ".join(_warm_ups(report)) or "nothing"


def _warm_ups(report: Report) -> list[str]:
    return [
        f"{phase['requests']:,} requests of warm-up"
        for phase in report.to_dict()["phases"]
        if phase["name"] == "warmup"
    ]


def time_text(us: float | None) -> str:
    """Write a time in the unit that suits it.

    Examples
    --------
    >>> [time_text(us) for us in (12.345, 933_691.0, 876_596_095.628, None)]
    ['12.35 µs', '933.7 ms', '876.6 s', '–']
    """
    if us is None:
        return "–"
    scale, unit = next(((scale, unit) for scale, unit in _SCALES if abs(us) >= scale), (1.0, "µs"))
    return f"{us / scale:,.4g} {unit}" if abs(us / scale) < 1e4 else f"{us / scale:,.0f} {unit}"  # noqa: PLR2004 digits


def _results(report: Report) -> str:
    content = report.to_dict()
    titles = [
        "",
        "requests",
        "requests/s",
        "10⁶ bytes/s",
        "mean",
        "median",
        "90 %",
        "99 %",
        "99.9 %",
    ]
    rows = [
        _result(content, side)
        for side in _SIDES
        if (content["latency_us"].get(side) or {}).get("count")
    ]
    flash, busy = content["flash"], content["utilisation"]
    amplification = content["write_amplification"]
    more = [
        (
            "Write amplification",
            "–" if amplification is None else f"{amplification:.3f} pages/page",
        ),
        ("Pages moved by collection", f"{flash['gc_moves']:,}"),
        ("Blocks erased", f"{flash['erases']:,}"),
        (
            "Chips at work",
            "–" if busy["chip_pct"] is None else f"{busy['chip_pct']:.1f} % of the time",
        ),
        ("Mean power", _power(content)),
    ]
    stages = report.breakdown()
    more += [
        (
            "Where the mean request's time goes",
            ", ".join(
                f"{stage.label} {time_text(stages[stage.key])}"
                for stage in STAGES
                if stages[stage.key]
            ),
        )
    ]
    return html.table([*titles, "longest"], rows) + html.pairs(more)


def _power(content: Mapping[str, Any]) -> str:
    power = content["mean_power_mw"]
    return "–" if power is None else f"{power / 1000:.3g} W"


def _result(content: Mapping[str, Any], side: str) -> list[str]:
    latency, seconds = content["latency_us"][side], content["makespan_us"] / 1e6
    moved = {
        "read": sum(queue["read_bytes"] for queue in content["queues"]),
        "write": sum(queue["written_bytes"] for queue in content["queues"]),
    }
    moved["all"] = moved["read"] + moved["write"]
    rate = moved[side] / seconds / 1e6 if side in moved and seconds else None
    return [
        side,
        f"{latency['count']:,}",
        f"{latency['count'] / seconds:,.0f}" if seconds else "–",
        "–" if rate is None else f"{rate:,.1f}",
        *(time_text(latency[key]) for key in ("mean", "p50", "p90", "p99", "p999", "max")),
    ]


def _over_time(report: Report, life: Endurance, draw: Draw) -> Iterator[str]:
    yield from _pictures(report, life, draw, ("time",))
    rows: Sequence[Mapping[str, Any]] = report.to_dict().get("slowest") or ()
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


def _number(value: float) -> str:
    return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"  # noqa: PLR2004 digits


def _steady(report: Report) -> Iterator[str]:
    found = steadiness(report)
    if not isinstance(found, Steadiness):
        yield html.paragraph(f"Not known: {found}.")
        return
    rows = [
        [
            f"{html.text(proof.name)}, {html.text(proof.unit)}",
            *map(_number, proof.rounds),
            _number(proof.average),
            f"{proof.data_excursion_pct:.1f} %",
            f"{proof.slope_excursion_pct:.1f} %",
            html.marked("met" if proof.is_met else "not met", good=proof.is_met),
        ]
        for proof in found.proofs
    ]
    numbers = [f"round {number + 1}" for number in range(ROUNDS)]
    titles = ["", *numbers, "average", "data excursion", "slope excursion", "steady state"]
    yield html.table(titles, rows)
    yield html.paragraph(
        f"The measured phase cut into {ROUNDS} rounds of {time_text(found.round_us)}. As SNIA's "
        "Performance Test Specification 2.0.2 has it, a figure is in steady state when its largest "
        f"and smallest round differ by at most {DATA_EXCURSION_PCT:g} % of the average and the "
        f"best line through the rounds rises or falls by at most {SLOPE_EXCURSION_PCT:g} % of it. "
        "The Specification's rounds take a minute; these are of simulated time and as long as they "
        "say. Where requests come by the clock, IOPS follow the load and latencies tell.",
        "note",
    )


def _endurance(life: Endurance) -> Iterator[str]:
    if life.tbw is None or life.write_amplification is None:
        yield html.paragraph("Nothing was written: this load does not wear the drive.")
        return
    tbw, dwpd, years = life.tbw, life.dwpd or 0.0, life.years
    yield html.pairs(
        [
            ("TBW at this load", f"{tbw:,.4g} × 10¹² bytes"),
            ("DWPD at this load", f"{dwpd:.3g} over {life.warranty_years:g} years"),
            ("This load writes", f"{life.drive_writes_per_day:,.3g} times the capacity a day"),
            ("At that the drive lasts", "–" if years is None else f"{years:,.3g} years"),
            ("Wear", _wear(life)),
        ]
    )
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
        "TBW = bytes of flash × rated cycles / write amplification. DWPD = TBW / (capacity × "
        "365 × years of warranty). Wear is taken to be even, every programmed page to be erased "
        "once, and the write amplification of the measured phase to last, which it does only in "
        "steady state. JESD218 defines TBW under the workloads of JESD219, with limits for errors "
        "and for how long data are kept; here the workload is the one above, and the end is the "
        "rated cycles.",
        "note",
    )


def _wear(life: Endurance) -> str:
    if life.mean_erases is None:
        return "not known: run with --distributions"
    low, high = min(life.blocks_by_erases), max(life.blocks_by_erases)
    told = (
        f"{low:,} to {high:,} erases of a block, preconditioning included, "
        f"{life.mean_erases:,.4g} on average"
    )
    if life.evenness is None or life.tbw is None:
        return f"{told}; too few to tell how evenly they spread"
    return (
        f"{told}; if they go on as unevenly, the most worn block ends after "
        f"{life.tbw * life.evenness:,.4g} × 10¹² bytes"
    )
