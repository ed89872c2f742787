"""Table of the operations of a trace that are not simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.text.layout import format_table

if TYPE_CHECKING:
    from venice.report.report import Report

_KINDS = (
    ("trims_skipped", "trims without an address range"),
    ("unnamed", "other operations, neither read nor write"),
    ("zero_size", "requests without data"),
)


def skipped_operations_table(report: Report) -> str | None:
    """Return a table of the skipped operations of a trace; ``None`` if there are none.

    The shares relate to all operations, simulated and skipped ones.
    """
    content = report.content
    workload = content["workload"]
    found = {**workload, "unnamed": _unnamed(workload)}
    counts = [(label, found.get(key, 0)) for key, label in _KINDS]
    passed = sum(count for _, count in counts)
    if not passed:
        return None
    total = passed + sum(phase["requests"] for phase in content.get("phases", ()))
    rows = [(label, f"{count:,}", f"{100 * count / total:.1f}") for label, count in counts if count]
    return format_table(["not simulated", "operations", "% of\nthe trace"], rows)


def _unnamed(workload: dict[str, int]) -> int:
    """Return the number of skipped operations that are not trims."""
    return workload.get("other_ops", 0) - workload.get("trims_skipped", 0)
