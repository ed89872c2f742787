"""Summary of a run at the head of a data sheet: drive, load, results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venice.report.over_provisioning import over_provisioning_text
from venice.report.percentiles import latency_us
from venice.report.stages import STAGES
from venice.report.work import background_work_note, moved_pages
from venice.sheet import html
from venice.text.units import size_text, time_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from venice.report.endurance import Endurance
    from venice.report.report import Report

_SIDES = ("all", "read", "write", "gather", "trim", "flush", "write_zeroes", "search")


def drive(report: Report, life: Endurance) -> Iterator[tuple[str, str]]:
    """Yield the names and values of the drive's properties."""
    config = report.content["config"]
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
            f"{_value(ftl['over_provisioning_pct'])} % over-provisioning, victims {ftl['victim']}, "
            f"mapping {ftl['mapping']}, scheduling {ftl['scheduling']}"
        ),
    )
    provisioning = over_provisioning_text(report)
    if provisioning is not None:
        yield "Garbage collection", provisioning
    yield "Data cache", config["cache"]["mode"]
    yield "Host link", f"{_link_rate(host['link_rate_mb_per_s'])}, {host['protocol']}"
    yield "Before the run", f"preconditioning {config['precondition']['mode']}"


def _value(value: Any) -> str:  # noqa: ANN401 a number, a word as "off", or a list of them
    if isinstance(value, list):
        return " / ".join(map(_value, value))
    return value if isinstance(value, str) else f"{value:g}"


def _link_rate(rate: float | str) -> str:
    return f"{rate} rate" if isinstance(rate, str) else f"{rate:,g} × 10⁶ bytes/s"


def load(report: Report, life: Endurance) -> Iterator[tuple[str, str]]:
    """Yield the names and values of the load's properties."""
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
    sizes = size_text(requests.read_bytes), size_text(life.host_bytes)
    yield "Bytes", f"{sizes[0]} read, {sizes[1]} written"
    depth = workload.queue_depth
    yield (
        "Pace",
        "by the clock (open loop)" if depth is None else f"{depth} requests kept outstanding",
    )
    yield "Not measured before", ", ".join(_warm_ups(report)) or "nothing"


def _warm_ups(report: Report) -> list[str]:
    return [
        f"{phase['requests']:,} requests of warm-up"
        for phase in report.content["phases"]
        if phase["name"] == "warmup"
    ]


def results(report: Report) -> str:
    """Return the HTML tables of the results."""
    content = report.content
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
        "99.99 %",
    ]
    rows = [
        _result(report, side)
        for side in _SIDES
        if (content["latency_us"].get(side) or {}).get("count")
    ]
    flash, busy = content["flash"], content["utilisation"]
    amplification = report.write_amplification
    more = [
        (
            "Write amplification",
            "–" if amplification is None else f"{amplification:.3f} bytes/byte",
        ),
        ("Pages moved by the drive", f"{moved_pages(content, flash):,.0f}"),
        ("Blocks erased", f"{flash['erases']:,}"),
        (
            "Chips at work",
            "–" if busy["chip_pct"] is None else f"{busy['chip_pct']:.1f} % of the time",
        ),
        ("Mean power", _power(content)),
    ]
    if after := background_work_note(report):
        more.append(("After the measured window", after))
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


def _result(report: Report, side: str) -> list[str]:
    content = report.content
    # Reports state this percentile of all requests together.
    last = latency_us(report, 99.99) if side == "all" else None
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
        *(time_text(latency[key]) for key in ("mean", "p50", "p90", "p99", "p999")),
        time_text(last),
        time_text(latency["max"]),
    ]
