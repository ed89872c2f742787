"""Fixtures of several tests: the command, golden files, real traces."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from venice.report.report import Report

from .forked_command import CommandServer
from .report_consistency import inconsistencies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from venice.observation.table import Table

REPOSITORY = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-m", "venice")
_TIME_LIMIT_S = 100

# A shell starts background processes with SIGINT ignored, and their children inherit this.
signal.signal(signal.SIGINT, signal.default_int_handler)


class Outcome(NamedTuple):
    """Outcome of a command."""

    code: int
    stdout: str
    stderr: str

    @property
    def message(self) -> str:
        """Standard error as one sentence, in the form of a Python exception."""
        sentence = re.sub(r"error: (.*)\n  --> (.*)", r"error: \2: \1", self.stderr)
        sentence = re.sub(r"error: ([^-].*?): `\1` ", r"error: \1: ", sentence)
        return sentence.replace("\n   = ", "; ")

    @property
    def errors(self) -> int:
        """Number of errors on standard error."""
        return self.stderr.count("error: ")


def environment() -> dict[str, str]:
    """Return the environment of a command, without settings of the user."""
    names = ("PATH", "HOME", "LANG", "PYTHONPATH")
    kept = {name: os.environ[name] for name in names if name in os.environ}
    return {**kept, "TERM": "dumb"}


def read_terminal(ours: int) -> str:
    """Read a terminal until its other end is closed; return the text."""
    written = bytearray()
    try:
        while some := os.read(ours, 65536):
            written += some
    except OSError:  # raised when the other end of the terminal is closed
        pass
    os.close(ours)
    return written.decode()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option `--bless`, which rewrites golden files."""
    parser.addoption("--bless", action="store_true", help="write golden files anew")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to write golden files while other processes read them."""
    if config.getoption("--bless") and config.getoption("numprocesses", None):
        raise pytest.UsageError("--bless writes golden files: run it in one process, without -n")


def pytest_collection_finish() -> None:
    """Exclude all that exists before the first test from the searches for garbage."""
    gc.freeze()


_MADE = Report.made


def _made_consistent(text: str, *tables: Table | None) -> Report:
    """Read a report that the engine has written, and check it."""
    report = _MADE(text, *tables)
    assert inconsistencies(report.to_dict()) == []
    return report


@pytest.fixture(autouse=True)
def _consistent_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check every report that the engine makes in this process."""
    monkeypatch.setattr(Report, "made", staticmethod(_made_consistent))


@pytest.fixture(scope="session")
def command_server() -> Iterator[CommandServer]:
    """Return a process that runs commands."""
    server = CommandServer()
    yield server
    server.close()


@pytest.fixture
def venice(tmp_path: Path, command_server: CommandServer) -> Callable[..., Outcome]:
    """Return a function that runs the command in an empty folder."""

    def call(*arguments: object) -> Outcome:
        words = tuple(map(str, arguments))
        ended = command_server.run(words, tmp_path, environment(), _TIME_LIMIT_S)
        return Outcome(ended.code, ended.stdout.decode(), ended.stderr.decode())

    return call


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Return a function that compares text with ``conformance/golden/<name>``."""

    def compare(name: str, text: str) -> None:
        path = REPOSITORY / "conformance" / "golden" / name
        if request.config.getoption("--bless"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        assert text == path.read_text(), f"{path} differs; `pytest --bless` writes it anew"

    return compare


@pytest.fixture(scope="session")
def published_traces() -> Path:
    """Return the folder of published traces, which is not in the repository."""
    shared = Path(os.environ.get("VENICE_SHARED", REPOSITORY.parent / "shared"))
    if not (shared / "traces").is_dir():
        pytest.skip(f"the published traces are not at {shared}; set VENICE_SHARED to their folder")
    return shared / "traces"
