"""Ctrl-C ends a run at once, in one line, and leaves nothing behind."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

import venice
from venice.cli.interruption import INTERRUPTED

from .conftest import COMMAND, environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ENDLESS = ("--workload", "random-read", "--requests", "1000000000", "--json", "out.json")
LARGE_AND_FULL = (
    *("--set", "precondition.mode=steady_state"),
    *("--set", "flash.blocks_per_plane=16384"),
)
"""A drive whose preconditioning takes far longer than the permitted delay of an interruption."""

PATIENCE_S = 60
PROMPT_S = 5


def restore_signals() -> None:
    """Restore signals that a background shell or `nohup` has set to be ignored."""
    for ignored in (signal.SIGINT, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_DFL)


@contextmanager
def started(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command, wait until its run has opened its output file, and end it afterwards."""
    with subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=restore_signals,  # noqa: PLW1509 there are no threads
    ) as process:
        try:
            wait_for_run(process, folder)
            yield process
        finally:
            process.kill()


def wait_for_file(process: subprocess.Popen[bytes], path: Path) -> None:
    """Wait until a process has created a file."""
    deadline = time.monotonic() + PATIENCE_S
    while not path.exists():
        assert time.monotonic() < deadline
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


def wait_for_run(process: subprocess.Popen[bytes], folder: Path) -> None:
    """Wait until a run has claimed its output file, and a second more."""
    deadline = time.monotonic() + PATIENCE_S
    while not list(folder.glob(".out.json.*")):
        assert time.monotonic() < deadline, "the run did not begin"
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    time.sleep(1)


@pytest.mark.parametrize(
    ("command", "requests", "sent"),
    [
        ("run", r"[\d,]+ of 1,000,000,000 requests", signal.SIGINT),
        ("run", r"[\d,]+ of 1,000,000,000 requests", signal.SIGTERM),
        ("run", r"[\d,]+ of 1,000,000,000 requests", signal.SIGHUP),
        ("compare", r"[\d,]+ of 6,000,000,000 requests on 6 fabrics", signal.SIGINT),
        ("compare", r"[\d,]+ of 6,000,000,000 requests on 6 fabrics", signal.SIGTERM),
    ],
)
def test_an_interrupted_run_ends_with_one_line(
    command: str, requests: str, sent: signal.Signals, tmp_path: Path
) -> None:
    with started(tmp_path, command, *ENDLESS) as process:
        signalled_s = time.monotonic()
        process.send_signal(sent)
        stdout, stderr = process.communicate(timeout=PATIENCE_S)
    assert time.monotonic() - signalled_s < PROMPT_S
    message = rf"interrupted after {requests}; nothing was written\n"
    assert re.fullmatch(message, stderr.decode()), stderr.decode()
    assert (process.returncode, stdout) == (INTERRUPTED, b"")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["run", "compare"])
def test_the_building_of_a_drive_is_interrupted_too(command: str, tmp_path: Path) -> None:
    with started(tmp_path, command, *ENDLESS, *LARGE_AND_FULL) as process:
        process.send_signal(signal.SIGINT)
        signalled_s = time.monotonic()
        _, stderr = process.communicate(timeout=PATIENCE_S)
    assert time.monotonic() - signalled_s < PROMPT_S
    assert re.fullmatch(r"interrupted after 0 requests.*; nothing was written\n", stderr.decode())
    assert process.returncode == INTERRUPTED


def test_a_signal_that_is_ignored_stays_so(tmp_path: Path) -> None:
    """``nohup`` starts a command with an ignored signal."""
    command = [*COMMAND, "run", *ENDLESS[:3], "300000", "--json", "out.json"]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),  # noqa: PLW1509
    )
    while not list(tmp_path.glob(".out.json.*")) and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGHUP)
    assert process.wait(timeout=PATIENCE_S) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


_SLOW_IMPORT = """
import sys, time
from importlib.abc import MetaPathFinder

class Finder(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            print("importing", flush=True)
            time.sleep(60)

sys.meta_path.insert(0, Finder())
from venice.cli import main
sys.argv = ["venice", "list"]
main()
"""


@pytest.mark.parametrize("module", ["venice.cli.exit_codes", "click", "venice.cli.names"])
def test_an_interruption_at_the_start_prints_nothing(module: str) -> None:
    program = _SLOW_IMPORT.format(module=module)
    with subprocess.Popen(
        [COMMAND[0], "-c", program],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=restore_signals,  # noqa: PLW1509 there are no threads
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"importing\n"
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, stdout, stderr) == (-signal.SIGINT, b"", b"")


def test_the_making_of_a_page_is_interrupted(tmp_path: Path) -> None:
    """Vega's bundle takes seconds, in a library that blocks Python's handling of signals."""
    (tmp_path / "vl_convert.py").write_text(
        "import sys, time\n"
        "def javascript_bundle(*_, **__):\n"
        "    open('making', 'w').close()\n"
        "    time.sleep(60)\n"
    )
    venice.run(workload="random-read", requests=50).save(tmp_path / "run.json")
    with subprocess.Popen(
        [*COMMAND, "view", "run.json", "-o", "page.html"],
        cwd=tmp_path,
        env={**environment(), "PYTHONPATH": str(tmp_path)},
        stderr=subprocess.PIPE,
        preexec_fn=restore_signals,  # noqa: PLW1509 there are no threads
    ) as process:
        wait_for_file(process, tmp_path / "making")
        signalled_s = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=PATIENCE_S)
    assert time.monotonic() - signalled_s < PROMPT_S
    assert (process.returncode, stderr) == (INTERRUPTED, b"interrupted; nothing was written\n")
    assert not list(tmp_path.glob("*page*"))
