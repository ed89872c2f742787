"""The causes of a difference, in a paragraph and a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.text.layout import format_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.api.explanation import Explanation, Finding


def paragraph(explanation: Explanation) -> str:
    """Return a paragraph on the difference of a row from the first one."""
    difference = explanation.difference_us
    word = "less" if difference >= 0 else "more"
    head = (
        f"{explanation.name}: the mean request takes {abs(difference):,.2f} µs {word} than with "
        f"{explanation.base} ({explanation.mean_us:,.2f} against {explanation.base_us:,.2f} µs)."
    )
    if not explanation.findings:
        return f"{head} No cause stands out."
    parts = "; ".join(_clause(one, explanation) for one in explanation.findings)
    findings, us = explanation.findings, explanation.difference_us
    apart = [one.cause.label for one in findings if one.agrees(us) is False]
    tail = f" Attributed and measured parts disagree for {', '.join(apart)}: {_WHY_APART}."
    return f"{head} Causes, in µs of it: {parts}.{tail if apart else ''}{_not_checks(findings)}"


def _not_checks(findings: Sequence[Finding]) -> str:
    labels = [one.cause.label for one in findings if one.leaves_no_difference]
    if not labels:
        return ""
    return (
        f" Without {', '.join(labels)} both rows are the same drive, so that run measures the "
        "whole difference by construction and is no check."
    )


_WHY_APART = "these interact with other causes"


def _clause(finding: Finding, explanation: Explanation) -> str:
    part = f"{finding.cause.label} {_signed(explanation.share_us(finding.attributed_us))}"
    if finding.measured_us is None:
        return f"{part} ({finding.without.partition(':')[0]})"
    if finding.leaves_no_difference:
        return f"{part} (not checked)"
    return f"{part} (without: {_signed(explanation.share_us(finding.measured_us))})"


def table(explanation: Explanation) -> str:
    """Return a table of the causes of a latency.

    Each row has the attributed and the measured part of a cause, and the setting that removes it.
    Parts are positive if they contribute to the difference.
    """
    rows = [
        (
            one.cause.label,
            _signed(explanation.share_us(one.attributed_us)),
            "–" if one.measured_us is None else _signed(explanation.share_us(one.measured_us)),
            _verdict(one, explanation.difference_us),
            one.without,
        )
        for one in explanation.findings
    ]
    titles = [
        f"{explanation.name} against\n{explanation.base}",
        "attributed\nµs",
        "measured\nµs",
        "agree",
        "run without it, with",
    ]
    return format_table(titles, rows)


def _verdict(finding: Finding, difference_us: float) -> str:
    if finding.leaves_no_difference:
        return "by construction"
    agrees = finding.agrees(difference_us)
    return "not checked" if agrees is None else "yes" if agrees else "interacts"


def _signed(us: float) -> str:
    return f"{us:+,.2f}".replace("-", "−")
