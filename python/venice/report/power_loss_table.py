"""Table and notes on the power failures that a run examined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.text.layout import format_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.report import Report


def power_loss_note(report: Report, instants_us: Sequence[float]) -> list[str]:
    """Return a note on requested power failures that lie after the last completion."""
    end_us = report.content["phases"][-1]["end_us"]
    missed = [at_us for at_us in sorted(instants_us) if at_us > end_us]
    if not missed:
        return []
    instants = ", ".join(f"{at_us:,g}" for at_us in missed)
    return [
        f"The last request completed before the loss of power at {instants} µs; raise --requests."
    ]


def power_loss_table(report: Report) -> str | None:
    """Return a table of the power failures; ``None`` if the run examined none."""
    losses = report.content.get("power_losses")
    if not losses:
        return None
    rows = [
        (
            f"{loss['at_us']:,.1f}",
            f"{loss['volatile_bytes']:,}",
            "survives" if loss["protected"] else "is lost",
            f"{loss['programs_in_progress']:,}",
            f"{loss['lost_pages']:,}" if "lost_pages" in loss else "-",
            f"{loss['restart_us']:,.1f}",
        )
        for loss in losses
    ]
    titles = [
        "power loss\nat µs",
        "bytes only\nin the cache",
        "data of\nthe cache",
        "programs in\nprogress",
        "pages lost\n(--audit)",
        "restart\nµs",
    ]
    return format_table(titles, rows)
