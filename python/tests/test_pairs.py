"""Comparison of two builds in pairs of runs detects the slower one."""

from __future__ import annotations

import subprocess
import sys
from runpy import run_path
from typing import TYPE_CHECKING, Any

import pytest

from venice.mqsim.bench.cases import CASES

from .conftest import COMMAND, REPOSITORY, environment

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = REPOSITORY / "benches/pairs.py"
IDLE = "exit 0"
#: A program whose time grows with the number of requests, which it reads from the workload's file.
SERVE = """
n=$(sed -n 's/.*<Total_Requests_To_Generate>\\([0-9]*\\)<.*/\\1/p' "$5" | head -n 1)
i=0; while [ $i -lt $((n * {times})) ]; do i=$((i + 1)); done
"""
SLOW, FAST = SERVE.format(times=5), SERVE.format(times=1)


@pytest.fixture(scope="module")
def pairs() -> dict[str, Any]:
    return run_path(str(SCRIPT))


def build(path: Path, script: str) -> Path:
    """Write a program that stands in for `venice`."""
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def compare(base: Path, head: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the script with few requests and a limit of twice the time."""
    few = ("--pairs", "1", "--requests", "20000", "--limit", "100")
    return subprocess.run(
        [sys.executable, SCRIPT, base, head, *few, *options],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )


@pytest.mark.parametrize(
    ("times", "pct"),
    [
        ([(2.0, 2.1)], 5),
        ([(2.0, 1.0)], -50),
        # One run slowed by other work has no effect, since the ratio compares simultaneous runs.
        ([(1.0, 1.1), (1.0, 1.1), (1.0, 9.0)], 10),
        ([(1.0, 1.1), (2.0, 2.2), (4.0, 4.4)], 10),
    ],
)
def test_the_slowdown_is_the_median_of_the_pairs_ratios(
    pairs: dict[str, Any], times: list[tuple[float, float]], pct: float
) -> None:
    found = [pairs["Pair"](*seconds) for seconds in times]
    assert pairs["slowdown_pct"](found) == pytest.approx(pct)


def test_a_build_that_needs_more_time_fails_and_one_that_needs_less_does_not(
    tmp_path: Path,
) -> None:
    fast, slow = build(tmp_path / "fast", FAST), build(tmp_path / "slow", SLOW)
    slower, faster = compare(fast, slow), compare(slow, fast)
    names = [case.name for case in CASES]
    assert (slower.returncode, faster.returncode) == (1, 0), slower.stderr + faster.stderr
    assert slower.stderr.endswith(f": {', '.join(names)}\n")
    rows = faster.stdout.splitlines()[2:]
    assert [row.split(" | ")[0] for row in rows] == [f"| {name}" for name in names]


def test_a_build_that_starts_too_slowly_fails(tmp_path: Path) -> None:
    venice = build(tmp_path / "venice", FAST)
    done = compare(
        venice, venice, "--cases", "mapping", "--limit", "1e9", "--start-limit-ms", "0.01"
    )
    assert (done.returncode, done.stderr.endswith(": mapping\n")) == (1, True)


def test_a_case_is_run_by_the_command_itself(tmp_path: Path) -> None:
    venice = build(tmp_path / "venice", f'exec {" ".join(COMMAND)} "$@"')
    done = compare(
        venice, venice, "--cases", "mapping", "--limit", "1e9", "--start-limit-ms", "1e6"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [row.split(" | ")[0] for row in done.stdout.splitlines()[2:]] == ["| mapping"]


def test_a_build_that_fails_ends_the_comparison_with_its_message(tmp_path: Path) -> None:
    idle = build(tmp_path / "idle", IDLE)
    broken = build(tmp_path / "broken", "echo no such drive >&2; exit 3")
    done = compare(idle, broken)
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: `{broken} mqsim --config ")
    assert done.stderr.endswith("failed\nno such drive\n\n")
