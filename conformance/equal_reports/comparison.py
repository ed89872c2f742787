"""Differences of reports: from the figures of their rows, and from those of another build."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from equal_reports.canonical import digest, without_indexes
from equal_reports.rows import ABSENT, readable_figures

if TYPE_CHECKING:
    from equal_reports.canonical import Figures
    from equal_reports.rows import Row

_ELSEWHERE = "none of the figures of its row: `make same BASE=<commit>` names those that differ"


def from_row(row: Row, report: Figures) -> list[str]:
    """Return a line for each figure of a row from which a canonical report differs."""
    if row.sha256 is None or row.figures is None:
        return [f"it has no result yet: `make same BLESS={row.name}` writes it"]
    if row.sha256 == digest(report):
        return []
    now = readable_figures(report)
    names = [name for name in row.figures | now if row.figures.get(name) != now.get(name)]
    lines = [_line(name, row.figures.get(name), now.get(name)) for name in names]
    return lines or [_ELSEWHERE]


def differing_figures(old: Figures, new: Figures) -> list[str]:
    """Return a line for each path at which two canonical reports differ.

    The figures of a list share a line. Figures that only the new report has do not count.
    """
    by_path: dict[str, list[str]] = {}
    for path, value in old.items():
        if new.get(path, ABSENT) != value:
            by_path.setdefault(without_indexes(path), []).append(path)
    lines = []
    for paths in by_path.values():
        others = f" and {len(paths) - 1} more of the list" if len(paths) > 1 else ""
        first = paths[0]
        lines.append(_line(first, old[first], new.get(first, ABSENT)) + others)
    return lines


def added(old: Figures, new: Figures) -> list[str]:
    """Return the paths of the figures that only the new report has, those of a list once."""
    return sorted({without_indexes(path) for path in new.keys() - old.keys()})


def _line(name: str, old: object, new: object) -> str:
    return f"{name}: {json.dumps(old)} -> {json.dumps(new)}"
