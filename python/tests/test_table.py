"""Layout of the table, and its description of the run."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from .conftest import read_terminal

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Outcome

WIDEST = 100


def timeless(text: str) -> str:
    """Return a table without values that depend on the machine, and trailing blanks."""
    text = re.sub(
        r"computed in [\d.]+ m?s \([\d,]+ requests/s\)", "computed in … s (… requests/s)", text
    )
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def test_a_comparison_is_a_table(
    venice: Callable[..., Outcome], golden: Callable[[str, str], None]
) -> None:
    outcome = venice("compare", "--workload", "random-read", "--requests", 1000)
    assert (outcome.code, outcome.stderr) == (0, "")
    golden("compare_table.txt", timeless(outcome.stdout))
    *rows, _caption = outcome.stdout.partition(" · ")[0].splitlines()
    assert max(map(len, rows)) <= WIDEST


@pytest.mark.parametrize("columns", [40, 60, 90])
def test_a_table_is_no_wider_than_the_terminal_and_loses_no_column(columns: int) -> None:
    command = [
        "compare",
        "--workload",
        "random-read",
        "--requests",
        "100",
        "--fabrics",
        "bus,venice",
        "--no-why",
    ]
    text = in_terminal([sys.executable, "-m", "venice", *command], columns)
    rows = text.partition(" · ")[0].splitlines()[:-1]
    assert max(map(len, rows)) <= columns, text
    titles = (
        "mean",
        "p50",
        "p99",
        "p99.9",
        "IOPS",
        "bandwidth",
        "conflicts",
        "path wait",
        "speed-up",
    )
    assert [title for title in titles if title not in text] == []
    assert text.count("\n venice ") == text.count("\n fabric ") > 1


def in_terminal(command: list[str], columns: int) -> str:
    """Return the output of a command on a terminal of this width."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "TERM": "dumb"}
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL, env=environment
    ):
        os.close(theirs)
        return read_terminal(ours).replace("\r\n", "\n")


def test_a_run_is_a_row(venice: Callable[..., Outcome], golden: Callable[[str, str], None]) -> None:
    outcome = venice("run", "--workload", "bursty-oltp", "--requests", 1000, "--fabric", "venice")
    assert (outcome.code, outcome.stderr) == (0, "")
    golden("run_table.txt", timeless(outcome.stdout))


def test_a_table_shows_the_requested_percentiles(venice: Callable[..., Outcome]) -> None:
    common = ("run", "--workload", "random-read", "--requests", 1000)
    outcome = venice(*common, "--percentiles", "10,99.99,100", "--json", "-")
    report = json.loads(outcome.stdout)
    points = dict(map(tuple, report["latency_cdf"]))
    titles, _units, _rule, row = outcome.stderr.splitlines()[1:5]
    assert titles.split()[1:4] == ["p10", "p99.99", "max"]
    expected = (points[10], points[99.99], report["latency_us"]["all"]["max"])
    assert row.split()[2:5] == [f"{figure:.2f}" for figure in expected]


@pytest.mark.parametrize("wrong", ["99.95", "101", "-1", "p99", "", "50,,99", "nan"])
def test_a_percentile_that_no_report_holds_is_refused(
    wrong: str, venice: Callable[..., Outcome]
) -> None:
    outcome = venice("run", "--workload", "random-read", f"--percentiles={wrong}")
    assert outcome.code == 2
    assert "expected: percentiles from 0, 1 … 99, 99.1 … 99.9, 99.99 and 100" in outcome.message


def test_a_table_of_schedulers_takes_no_percentiles(venice: Callable[..., Outcome]) -> None:
    options = "--schemes noop,piq --workload random-read --requests 10 --percentiles 1,2"
    outcome = venice("compare", *options.split())
    assert outcome.code == 2
    assert "has columns of its own" in outcome.message


def test_a_comparison_shows_moves_if_there_were_any(venice: Callable[..., Outcome]) -> None:
    small = "flash.blocks_per_plane=8,flash.pages_per_block=16"
    sets = [part for one in small.split(",") for part in ("--set", one)]
    common = ("compare", "--fabrics", "bus,ideal", *sets, "--set", "ftl.over_provisioning_pct=30")
    written = venice(*common, "--workload", "random-write", "--requests", 20000)
    assert written.code == 0, written.stderr
    assert "ampl." in written.stdout
    idle = venice(*common, "--workload", "random-read", "--requests", 100)
    assert "ampl." not in idle.stdout


def test_json_on_standard_output_stands_there_alone(venice: Callable[..., Outcome]) -> None:
    outcome = venice("run", "--workload", "random-read", "--requests", 100, "--json", "-")
    assert outcome.stdout.startswith("{")
    assert outcome.stdout.endswith("}\n")
    assert "IOPS" in outcome.message
