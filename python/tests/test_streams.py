"""What a command does when its streams are closed or have few characters."""

from __future__ import annotations

import subprocess

from .conftest import COMMAND, environment

RUN = ("run", "--fabric", "bus", "--workload", "random-read", "--requests", "50")


def shell(redirection: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command with a redirection of the shell."""
    return subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", *COMMAND, *RUN],  # noqa: S607 any shell
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
