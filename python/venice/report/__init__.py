"""Reports of runs: files, breakdowns, notes and tables."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from venice.report.files import to_json
from venice.report.report import Report

if TYPE_CHECKING:
    from venice.report.report_lists import load_reports, save_reports
    from venice.report.stages import STAGES, Stage

__all__ = ["STAGES", "Report", "Stage", "load_reports", "save_reports", "to_json"]

_HOMES = {
    "STAGES": "stages",
    "Stage": "stages",
    "load_reports": "report_lists",
    "save_reports": "report_lists",
}
"""Module of each name that is imported on first access, as in :mod:`venice`."""


def __getattr__(name: str) -> Any:  # noqa: ANN401 whatever it is
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'venice.report' has no attribute {name!r}")

    found = globals()[name] = getattr(import_module(f"venice.report.{home}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
