"""Notes on effective over-provisioning, and on the write amplification that it implies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from venice._native import Drive
    from venice.report.report import Report


_LEAST_USED_SHARE = 0.7
"""Smallest share of the spare space for garbage collection at which the closed form holds. It
assumes many blocks. Compared with 21 simulated drives of 24 to 256 blocks per plane, it is within
7 % above this share, and up to six times too large below."""
_NO_FORM = (
    "no closed form of write amplification: too few blocks, whose reserve takes much of the spare"
)


def _applies(nominal_pct: float, effective_pct: float) -> bool:
    """Return true if the closed form of write amplification holds for a drive."""
    return effective_pct >= _LEAST_USED_SHARE * nominal_pct


def over_provisioning_notes(report: Report) -> Iterator[str]:
    """Yield a line on over-provisioning, if the drive was written to."""
    text = over_provisioning_text(report)
    if text is not None and report.requests.writes:
        yield text


def over_provisioning_text(report: Report) -> str | None:
    """Return effective over-provisioning, and the expected write amplification if known, as text.

    The result is ``None`` for reports of versions without these figures.
    """
    content = report.content
    space: Mapping[str, Any] | None = content.get("over_provisioning")
    if not space:
        return None
    setting_pct = content["config"]["ftl"]["over_provisioning_pct"]
    text = _summary(setting_pct, space["nominal_pct"], space["effective_pct"])
    expected = space.get("expected_pages_per_written_page")
    if expected is None:
        return text
    if not _applies(space["nominal_pct"], space["effective_pct"]):
        return f"{text}; {_NO_FORM}"
    measured = content["pages_per_written_page"]
    victim = content["config"]["ftl"]["victim"]
    found = "" if measured is None else f", measured {measured:.2f}"
    return f"{text}; pages per page written: closed form ({victim}) {expected:.2f}{found}"


def drive_comment(drive: Drive) -> str:
    """Return the over-provisioning of a drive as comments for its TOML file."""
    setting_pct = json.loads(drive.to_json())["ftl"]["over_provisioning_pct"]
    lines = [f"# {_summary(setting_pct, *drive.over_provisioning_pct)}"]
    expected = drive.expected_pages_per_written_page
    if expected is not None and not _applies(*drive.over_provisioning_pct):
        lines.append(f"# {_NO_FORM}")
    elif expected is not None:
        lines.append(
            f"# uniform random writes over a full drive: {expected:.2f} pages programmed per page "
            "written (closed form)"
        )
    return "".join(f"{line}\n" for line in lines)


def _summary(setting_pct: float, nominal_pct: float, effective_pct: float) -> str:
    """Return a text on over-provisioning: of the raw flash, of the user capacity, and effective."""
    return (
        f"over-provisioning: {setting_pct:g} % of the raw flash (the setting) = "
        f"{nominal_pct:.1f} % of the user capacity, of which garbage collection can use "
        f"{effective_pct:.1f} % (effective)"
    )
