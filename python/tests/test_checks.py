"""Assertions about figures, and reports that do not differ between equal runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

import venice as api
from venice.report.assertions import junit_xml, parse_assertion, verdicts_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

_RUN = ("run", "--workload", "random-read", "--requests", 200)
_BOTH = ("compare", "--fabrics", "bus,ideal", "--workload", "random-read", "--requests", 200)


def test_equal_runs_give_equal_bytes(tmp_path: Path, venice: Callable[..., Outcome]) -> None:
    for command in (_RUN, _BOTH):
        for name in ("a.json", "b.json"):
            assert venice(*command, "--reproducible", "--json", name).code == 0
        content = (tmp_path / "a.json").read_bytes()
        assert content == (tmp_path / "b.json").read_bytes()
        assert b"wall_s" not in content
        assert b'"build"' not in content


def test_a_reproducible_report_has_the_figures_of_the_other(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    venice(*_RUN, "--reproducible", "--json", "a.json")
    venice(*_RUN, "--json", "b.json")
    one, other = (api.Report.load(tmp_path / name).to_dict() for name in ("a.json", "b.json"))
    assert one == {key: value for key, value in other.items() if key not in ("wall_s", "build")}
    assert venice("plot", "a.json", "-o", "a.png").code == 0
    assert "computed in" not in venice("report", "sheet", "a.json", "-o", "a.html").stdout


@pytest.mark.parametrize(
    ("comparison", "bound", "code"),
    [("<", 1e9, 0), ("<", 0.0, 3), (">=", 0.0, 0), ("==", -1.0, 3), ("!=", -1.0, 0)],
)
def test_an_assertion_decides_on_the_exit_code(
    comparison: str, bound: float, code: int, venice: Callable[..., Outcome]
) -> None:
    assertion = f"latency_us.read.p99 {comparison} {bound}"
    outcome = venice(*_RUN, "--assert", assertion, "--assert", "iops > 0")
    assert outcome.code == code
    assert ("assertion failed: bus: latency_us.read.p99" in outcome.stderr) == bool(code)
    assert f"{1 if code else 2} of 2 assertions hold" in outcome.stdout


def test_a_failed_assertion_leaves_the_results_and_a_junit_file(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    reports = api.compare(fabrics=["bus", "ideal"], workload="random-read", requests=200)
    means = [report.latency_us.all.mean or 0.0 for report in reports]
    assert means[0] > means[1]
    middle = sum(means) / 2
    files = ("--json", "out.json", "--junit", "out.xml")
    outcome = venice(*_BOTH, "--assert", f"latency_us.all.mean < {middle}", *files)
    assert outcome.code == 3
    assert len(json.loads((tmp_path / "out.json").read_text())) == 2
    suite = ET.parse(tmp_path / "out.xml").getroot()  # noqa: S314 our own file
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    cases = {case.get("classname"): case.find("failure") for case in suite}
    assert cases["bus"] is not None
    assert cases["ideal"] is None


def test_a_figure_that_a_run_lacks_fails_the_assertion() -> None:
    report = api.run(workload="random-read", requests=50)
    (verdict,) = verdicts_of([parse_assertion("write_amplification < 5")], ["bus"], [report])
    assert report.write_amplification is None
    assert not verdict.holds
    assert "no such figure" in junit_xml("suite", [verdict])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--assert", "p99 < 5"), "did you mean `latency_us.all.p99`"),
        (("--assert", "latency_us.all.p99"), "expected: FIGURE, a comparison"),
        (("--assert", "iops < fast"), "is not an assertion"),
        (("--junit", "a.xml"), "`--junit` requires `--assert`"),
        (("--reproducible",), "`--reproducible` requires `--json`"),
    ],
)
def test_what_cannot_be_checked_is_refused_before_the_run(
    options: tuple[str, ...], message: str, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    for command in (_RUN, _BOTH):
        outcome = venice(*command, *options)
        assert (outcome.code, outcome.stdout) == (2, "")
        assert message in outcome.message
    assert not list(tmp_path.iterdir())


def test_the_time_of_a_stage_can_be_asserted(venice: Callable[..., Outcome]) -> None:
    run = ("run", "--workload", "random-read", "--requests", "50", "--assert")
    assert venice(*run, "breakdown_us.read.path_wait < 1000").code == 0
    assert venice(*run, "breakdown_us.read.path_wait < 0").code == 3
    wrong = venice(*run, "path_wait < 3")
    explained = venice("report", "explain", "path_wait")
    for outcome in (wrong, explained):
        assert (outcome.code, outcome.errors) == (2, 1)
        assert outcome.stderr.count("did you mean") == 1
        assert "`breakdown_us.read.path_wait`" in outcome.stderr


@pytest.mark.parametrize("command", [("report", "explain", "p99"), ("plot", "a.json")])
def test_a_misspelt_figure_is_answered_with_the_nearest(
    command: tuple[str, ...], venice: Callable[..., Outcome]
) -> None:
    if command[0] == "plot":
        venice(*_RUN, "--json", "a.json")
        command = (*command, "-o", "a.png", "--kind", "bars", "--of", "p99")
    outcome = venice(*command)
    assert outcome.code == 2
    assert "did you mean `latency_us.all.p99`" in outcome.message
