"""Every figure of a report has a type in Python, and is explained."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import pytest

import venice
from venice import report as reports
from venice.report.figure_paths import FIGURES, OF_GATHERS
from venice.report.optional_figures import optional_figures

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Outcome

_PROGRAM = """
import venice

report = venice.run(workload="random-read", requests=10)
tail: float | None = report.latency_us.all.p99
waits: float = report.breakdown_us.read.path_wait
scheme: str = report.scheduler.scheme if report.scheduler else "none"
first: int = report.queues[0].read_bytes
reveal_type(report.flash.gc_moves)
"""


def _checked(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    # Each text has its own file name, since mypy takes files of equal name, size and second for the
    # same.
    file = folder / f"program_{crc32(program.encode())}.py"
    file.write_text(program)
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--cache-dir",
            str(folder.parent / "mypy"),
            file,
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.nightly
def test_a_program_that_reads_figures_passes_strict_checks(tmp_path: Path) -> None:
    done = _checked(_PROGRAM, tmp_path)
    assert done.returncode == 0, done.stdout
    assert 'Revealed type is "int"' in done.stdout.replace("builtins.", "")


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("all.p99", "all.p98"), ("scheduler.scheme", "scheduler.sceme"), ("gc_moves", "gc_move")],
)
def test_a_misspelt_figure_fails_them(tmp_path: Path, right: str, wrong: str) -> None:
    done = _checked(_PROGRAM.replace(right, wrong), tmp_path)
    assert done.returncode == 1
    assert wrong.rsplit(".", 1)[-1] in done.stdout


@pytest.mark.parametrize(
    "reckoned",
    [
        "report.write_amplification + 1",
        "report.latency_us.write.p99 / 2",
        "report.scheduler.scheme",
        "report.gather.in_place",
    ],
)
def test_a_figure_that_a_run_may_lack_is_checked_before_it_is_used(
    tmp_path: Path, reckoned: str
) -> None:
    done = _checked(f"{_PROGRAM}\n{reckoned}\n", tmp_path)
    assert done.returncode == 1
    assert "None" in done.stdout


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('fabric="venice"', 'fabric="venus"'),
        ('trace="disk.csv", format="spc"', 'trace="disk.csv", format="spk"'),
        ('trace="disk.csv", event="D"', 'trace="disk.csv", event="C"'),
    ],
)
def test_a_name_of_which_there_is_a_list_is_checked(tmp_path: Path, right: str, wrong: str) -> None:
    other = "" if "trace" in right else ', workload="random-read"'
    program = f'import venice\n\nvenice.run(drive="my/drive.toml", {right}{other})\n'
    passed = _checked(program, tmp_path)
    assert passed.returncode == 0, passed.stdout
    refused = _checked(program.replace(right, wrong), tmp_path)
    assert refused.returncode == 1
    assert wrong.rsplit('"', 2)[-2] in refused.stdout


def test_lists_of_names_are_checked_and_those_of_the_package_pass(tmp_path: Path) -> None:
    program = """
import venice

for fabric in venice.fabric_names():
    venice.run(fabric=fabric, workload="random-read")
venice.compare(fabrics=["bus", "venice"], workload="random-read")
venice.compare(fabrics="all", drives=["my/drive.toml"], workload="my/load.toml")
venice.compare_schemes(schemes=["noop", "piq"], drive="piq-128gb", workload="random-read")
"""
    passed = _checked(program, tmp_path)
    assert passed.returncode == 0, passed.stdout
    for right, wrong in (('"bus",', '"bos",'), ('"all"', '"al"'), ('"piq"]', '"pig"]')):
        refused = _checked(program.replace(right, wrong), tmp_path)
        assert refused.returncode == 1, wrong


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
