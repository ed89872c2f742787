"""A run shows its progress on a terminal, and nowhere else."""

from __future__ import annotations

import os
import pty
import subprocess
from typing import TYPE_CHECKING

from .conftest import COMMAND, environment, read_terminal

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Outcome

RUN = ("run", "--workload", "random-read", "--requests", "400000")
"""A run long enough to show progress, which is updated every tenth of a second."""


def test_a_terminal_shows_how_far_a_run_has_come() -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, *RUN],
        env={**environment(), "TERM": "xterm", "COLUMNS": "100"},
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    ) as run:
        os.close(theirs)
        shown = read_terminal(ours)
    assert run.returncode == 0
    assert "ms simulated" in shown
    assert "/400000" in shown.replace(",", "")


def test_without_a_terminal_no_progress_is_shown(venice: Callable[..., Outcome]) -> None:
    outcome = venice(*RUN)
    assert (outcome.code, outcome.stderr) == (0, "")
