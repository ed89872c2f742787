"""Behaviour of commands with closed streams and with encodings of few characters."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from .conftest import COMMAND, environment

if TYPE_CHECKING:
    from pathlib import Path

RUN = ("run", "--fabric", "bus", "--workload", "random-read", "--requests", "50")


def shell(redirection: str, *command: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command, :data:`RUN` by default, in a shell with a redirection."""
    return subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", *COMMAND, *(command or RUN)],  # noqa: S607 any shell
        env=environment() | variables,
        capture_output=True,
        timeout=60,
        check=False,
    )


def test_a_closed_standard_output_is_refused_in_one_sentence() -> None:
    done = shell(">&-")
    assert done.returncode == 2
    assert done.stderr.decode() == (
        "error: standard output is closed\n   = expected: a terminal, file or pipe\n"
    )


def test_a_closed_standard_error_changes_nothing() -> None:
    closed, opened = shell("2>&-"), shell("")
    assert closed.returncode == opened.returncode == 0
    assert closed.stdout.count(b"\n") == opened.stdout.count(b"\n") > 3


def test_characters_that_a_terminal_has_not_are_replaced() -> None:
    done = shell("", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"?s" in done.stdout


@pytest.mark.parametrize("path", ["-", "/dev/stdout", "/dev/fd/1"])
def test_json_on_standard_output_has_the_stream_for_itself(path: str) -> None:
    done = shell(f"--json {path}")
    assert json.loads(done.stdout)["fabric"] == "bus"
    assert b"bandwidth" in done.stderr


@pytest.mark.parametrize("path", ["-", "/dev/stdout"])
def test_traces_on_standard_output_are_not_mixed_with_text(path: str, tmp_path: Path) -> None:
    trace = tmp_path / "t.trace"
    trace.write_text("0 0 8 8 1\n")
    done = shell("", *("trace", "head", str(trace), "--output", path))
    assert done.stdout.decode() == trace.read_text()
    assert b"1 requests written" in done.stderr
