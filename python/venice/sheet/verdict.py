"""Verdict at the top of a data sheet: demand, steady state, throughput, drive life."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.report.demand import is_saturated, offered_iops
from venice.report.percentiles import latency_us
from venice.report.steadiness import figures_of, is_amplification_settled
from venice.sheet import html
from venice.text.units import time_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venice.report.endurance import Endurance
    from venice.report.report import Report


def verdict(report: Report, life: Endurance) -> str:
    """Return the verdict as an HTML list."""
    lines = "".join(f"<li>{line}</li>\n" for line in _lines(report, life))
    return f'<ul class="verdict">\n{lines}</ul>'


def _lines(report: Report, life: Endurance) -> Iterator[str]:
    yield from _load(report)
    yield _steadiness(report)
    yield _headline(report)
    if life.is_known and life.tbw is not None and life.dwpd is not None:
        yield html.text(
            f"Drive life at this load: {life.tbw:,.4g} TB written, {life.dwpd:.3g} drive writes "
            f"per day over {life.warranty_years:g} years"
        )


def _load(report: Report) -> Iterator[str]:
    """Yield a sentence on saturation; no sentence for a closed loop."""
    offered = offered_iops(report)
    if is_saturated(report):
        what = "everything at one instant" if offered is None else f"{offered:,.0f} requests/s"
        served = f"{report.iops:,.0f}" if report.iops is not None else "fewer"
        bad = html.marked("Overloaded", good=False)
        yield f"{bad}: {what} offered, {served} served; latencies measure the backlog only"
    elif offered is not None:
        good = html.marked("Keeps up", good=True)
        yield f"{good}: {offered:,.0f} requests/s offered and served"


def _steadiness(report: Report) -> str:
    if not (report.content.get("steadiness") or {}).get("round_us"):
        return "Steady state: not known, the run is too short"
    moving = [name for name, _, figure in figures_of(report) if not figure["steady"]]
    if not is_amplification_settled(report):
        moving.append("write amplification is not known")
    if not moving:
        return f"Steady state: {html.marked('met', good=True)}"
    return f"Steady state: {html.marked('not met', good=False)} ({html.text(', '.join(moving))})"


def _headline(report: Report) -> str:
    all_ = report.content["latency_us"]["all"]
    tail = latency_us(report, 99.99)
    amplification = report.write_amplification
    parts = [
        "–" if report.iops is None else f"{report.iops:,.0f} requests/s",
        f"mean {time_text(all_['mean'])}",
        f"99th percentile {time_text(all_['p99'])}",
        f"99.99th percentile {time_text(tail)}",
    ]
    if amplification is not None:
        parts.append(f"write amplification {amplification:.3g}")
    return html.text(", ".join(parts))
