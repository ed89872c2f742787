"""Every figure of a report has a type in Python, and is explained."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import venice
from venice import report as reports
from venice.report.figure_paths import FIGURES, OF_GATHERS
from venice.report.optional_figures import optional_figures

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Outcome


def test_a_figure_that_a_run_is_without_is_none() -> None:
    report = venice.run(workload="random-read", requests=10)
    assert report.gather is None
    assert report.scheduler is None
    assert report.mapping.ranges is None
    with pytest.raises(AttributeError, match="no figure is called 'gathering'"):
        _ = report.gathering  # type: ignore[attr-defined]


def test_reports_match_the_types() -> None:
    report = venice.run(workload="mixed-70-30", requests=50, fabric="venice")
    _same_names(report.to_dict(), "ReportFigures")


def _same_names(values: object, name: str) -> None:
    """Compare every object of a report, at any depth, with its class in the stub."""
    fields = _classes()[name]
    assert isinstance(values, dict)
    assert set(values) <= set(fields)
    assert set(fields) - set(values) <= optional_figures()
    for field, kind in fields.items():
        group = kind.removesuffix(" | None")
        if group in _classes() and values.get(field) is not None:
            _same_names(values[field], group)


@cache
def _classes() -> dict[str, dict[str, str]]:
    """Return the fields of each class of the installed stub, with their types."""
    stub = Path(reports.__file__).with_name("figure_types.pyi").read_text()
    return {
        one.name: {
            ast.unparse(figure.target): ast.unparse(figure.annotation)
            for figure in one.body
            if isinstance(figure, ast.AnnAssign)
        }
        for one in ast.parse(stub).body
        if isinstance(one, ast.ClassDef)
    }


def test_the_columns_of_a_sweep_are_figures(venice: Callable[..., Outcome]) -> None:
    for name in (FIGURES[0], FIGURES[7], OF_GATHERS[-1]):
        assert venice("report", "explain", name).stdout.startswith(f"{name}: ")


def test_the_command_explains_a_figure_and_lists_the_top(venice: Callable[..., Outcome]) -> None:
    reported = venice("report", "explain", "latency_us.all.p99")
    assert reported.code == 0
    assert "99th percentile" in reported.stdout
    assert "µs" in reported.stdout
    assert "write_amplification" in venice("report", "explain").stdout


def test_an_unknown_figure_is_refused_with_the_nearest(venice: Callable[..., Outcome]) -> None:
    reported = venice("report", "explain", "latency_us.all.p98")
    assert reported.code == 2
    assert "did you mean" in reported.message
