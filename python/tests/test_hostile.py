"""None of 60 hostile inputs breaks a rule, and violations of each rule are detected."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from .conftest import REPOSITORY, environment
from .hostile.case import Case, Outcome
from .hostile.forks import Limits, run_case
from .hostile.pages import injections
from .hostile.values import MARK, PAGE_TEXTS
from .hostile.verdict import contents, faults

if TYPE_CHECKING:
    from pathlib import Path

_INPUTS = 30
_REFUSED = Outcome(2, b"", b"error: no\n")


@pytest.mark.timeout(900)  # twenty seconds on an idle machine
def test_no_hostile_input_breaks_a_rule() -> None:
    pytest.importorskip("pyarrow")
    done = subprocess.run(
        [sys.executable, "-m", "python.tests.hostile", "--inputs", str(_INPUTS)],
        cwd=REPOSITORY,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert f"{_INPUTS} inputs, 0 break a rule" in done.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder that contains the working folder of a case."""
    (tmp_path / "case" / "work").mkdir(parents=True)
    return tmp_path / "case"


def _report_text(case: Case, outcome: Outcome, folder: Path) -> list[str]:
    return faults(case, outcome, folder, contents(folder))


def _error(text: str) -> Outcome:
    return Outcome(2, b"", text.encode())


@pytest.mark.parametrize(
    ("outcome", "fault"),
    [
        (Outcome(-signal.SIGSEGV, b"", b""), "ended by SIGSEGV"),
        (Outcome(101, b"", b"error: no\n"), "exit code 101"),
        (Outcome(0, b"", b"", is_late=True), "did not end in time"),
        (_error("Traceback (most recent call last):\nerror: no"), "Traceback"),
        (_error("error: this is a bug in Venice"), "bug in Venice"),
        (_error("error: panicked at time.rs"), "panicked at"),
        (_error("no"), "without the common layout"),
        (_error(""), "without the common layout"),
        (_error("error: " + "no\n" * 700), "an error of"),
        (_error("error: `" + "x" * 250 + "` is no number"), "with a line of"),
    ],
)
def test_a_wrong_end_is_named(outcome: Outcome, fault: str, folder: Path) -> None:
    case = Case(("run", "x" * 1000))
    (found, *_) = _report_text(case, outcome, folder)
    assert fault in found


def test_an_input_that_should_be_refused_and_is_not_is_named(folder: Path) -> None:
    assert _report_text(Case(must_fail=True), Outcome(0, b"", b""), folder) == ["was not refused"]


def test_a_short_error_is_right_and_a_remark_may_be_long(folder: Path) -> None:
    remark = "note: " + "not given, " * 200
    errors = f"{remark}\nerror: `x` is no number\n"
    assert _report_text(Case(("run", "x")), _error(errors), folder) == []


@pytest.mark.parametrize(
    ("case", "outcome", "name", "change"),
    [
        (Case(outputs=("out.json",)), Outcome(0, b"", b""), "in.txt", "changed"),
        (Case(outputs=("out.json",)), _REFUSED, "out.json", "appeared"),
        (Case(stores=("out",)), _REFUSED, "outside", "appeared"),
        (Case(outputs=("out.json",)), Outcome(0, b"", b""), ".out.json.5f3a", "appeared"),
    ],
)
def test_a_file_that_may_not_change_is_named(
    case: Case, outcome: Outcome, name: str, change: str, folder: Path
) -> None:
    (folder / "work" / "in.txt").write_text("before")
    before = contents(folder)
    (folder / "work" / name).write_text("{}")
    assert faults(case, outcome, folder, before) == [f"the file work/{name} {change}"]


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("out.json", '{"a": ', "is not JSON"),
        ("out.html", "<html><body>", "is cut off"),
        ("out.html", f"<html><{MARK}></html>", f"the element {MARK}"),
        ("out.parquet", "PAR1", None),
        ("out.parquet", "PAR", "is cut off"),
        ("out.json", json.dumps({"latency_us": {}, "requests": None, "a_pct": 101}), "a_pct = 101"),
    ],
)
def test_a_wrong_output_is_named(name: str, content: str, fault: str | None, folder: Path) -> None:
    (folder / "work" / name).write_text(content)
    found = _report_text(Case(outputs=(name,)), Outcome(0, b"", b""), folder)
    assert (found == []) if fault is None else any(fault in one for one in found)


@pytest.mark.parametrize("text", [text for text in PAGE_TEXTS if f"<{MARK}" in text])
def test_every_text_for_pages_is_found_where_it_is_not_escaped(text: str) -> None:
    places = (f"<p>{text}", f'<p title="{text}">', f"<p title='{text}'>")
    inner = (f"<script>var a = '{text}';</script>", f"<!-- {text} -->", f"<title>{text}")
    assert any(injections(place) for place in (*places, *inner))


_FORKS = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")


@_FORKS
@pytest.mark.parametrize(
    ("script", "limits", "ends"),
    [
        ("while True: pass", Limits(cpu_s=1), (-signal.SIGXCPU, True)),
        ("import time; time.sleep(600)", Limits(idle_s=0.5), (-signal.SIGKILL, True)),
        ("import os; os.kill(os.getpid(), 9)", Limits(), (-signal.SIGKILL, False)),
        ("bytearray(8 << 30)", Limits(), (70, False)),
        ("import venice; raise venice.UsageError('no')", Limits(), (2, False)),
        ("pass", Limits(), (0, False)),
    ],
)
def test_a_process_ends_at_its_limits(
    script: str, limits: Limits, ends: tuple[int, bool], folder: Path
) -> None:
    outcome = run_case(Case(script=script), folder / "work", folder / "says", limits)
    assert (outcome.code, outcome.is_late) == ends


@_FORKS
def test_a_command_runs_in_its_folder_as_from_a_shell(folder: Path) -> None:
    (folder / "work" / "in.txt").write_text("0 0 0 8 1\n")
    outcome = run_case(Case(("trace", "head", "in.txt")), folder / "work", folder / "says")
    assert (outcome.code, outcome.stderr) == (0, b"")
    refused = run_case(Case(("run", b"--requests=x")), folder / "work", folder / "says")
    assert refused.code == 2
