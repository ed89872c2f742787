"""Ctrl-C ends a run at once, in one line, and leaves nothing behind."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from .conftest import COMMAND, environment

if TYPE_CHECKING:
    from pathlib import Path

ENDLESS = ("--workload", "random-read", "--requests", "1000000000", "--json", "out.json")
PATIENCE_S = 60
PROMPT_S = 5


def hear_ctrl_c() -> None:
    """Undo what whoever runs the tests in the background has told all their processes."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def started(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """Start a command and wait until its run has begun: it has claimed its output file."""
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=hear_ctrl_c,  # noqa: PLW1509 there are no threads
    )
    deadline = time.monotonic() + PATIENCE_S
    while not list(folder.glob(".out.json.*")):
        assert time.monotonic() < deadline, "the run did not begin"
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    time.sleep(1)
    return process


@pytest.mark.parametrize(
    ("command", "requests"),
    [
        ("run", r"[\d,]+ of 1,000,000,000 requests"),
        ("compare", r"[\d,]+ of 6,000,000,000 requests on 6 fabrics"),
    ],
)
def test_ctrl_c_ends_a_run_in_one_line(command: str, requests: str, tmp_path: Path) -> None:
    process = started(tmp_path, command, *ENDLESS)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=PATIENCE_S)
    assert time.monotonic() - sent < PROMPT_S
    said = rf"interrupted after {requests}; nothing was written\n"
    assert re.fullmatch(said, stderr.decode()), stderr.decode()
    assert (process.returncode, stdout) == (1, b"")
    assert list(tmp_path.iterdir()) == []
