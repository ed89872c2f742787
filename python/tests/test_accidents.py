"""Typical mistakes of new users end with one message that states what to do."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import venice as api
from venice.cli.exit_codes import run_to_end
from venice.execution import memory
from venice.files.output import create
from venice.text.labels import labels

from .conftest import COMMAND, environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .conftest import Outcome

GIB = 1 << 30


def limited(limit_bytes: int, *arguments: str) -> Outcome:
    """Run the command in a process with limited memory."""
    from .conftest import Outcome  # noqa: PLC0415

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    done = subprocess.run(
        [*COMMAND, *arguments],
        # Some libraries start a thread for each processor, and each thread takes memory.
        env={**environment(), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        timeout=100,
        check=False,
        preexec_fn=limit,
    )
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())


def test_tables_that_do_not_fit_are_refused_before_the_run() -> None:
    sets = ("--set", "flash.blocks_per_plane=43000", "--set", "precondition.mode=steady_state")
    outcome = limited(GIB, "run", "--workload", "random-write", "--requests", "100", *sets)
    assert outcome.code == 1
    assert outcome.errors == 1
    assert outcome.stderr.startswith(
        "error: memory does not suffice: the drive's tables take about"
    )


def test_a_run_ends_before_memory_does(monkeypatch: pytest.MonkeyPatch) -> None:
    left = iter([GIB, GIB])
    monkeypatch.setattr(memory, "left_bytes", lambda: next(left, 1 << 20))
    with pytest.raises(api.SimulationError, match=r"memory does not suffice: 1 MiB are left after"):
        api.run(workload="random-read", requests=10**9)


def test_tables_take_no_more_than_is_said() -> None:
    """A low estimate would be useless, and a much too high one would refuse drives that fit."""
    script = (
        "import re, venice\n"
        "from venice._native import resolve\n"
        "from venice.execution.memory import needed_bytes\n"
        "sets = ['flash.blocks_per_plane=8192']\n"
        "venice.run(workload='random-read', requests=10)\n"
        "peak = lambda: int(re.search('VmPeak:\\\\s+(\\\\d+)', "
        "open('/proc/self/status').read())[1]) * 1024\n"
        "before = peak()\n"
        "venice.run(workload='random-read', requests=10, sets=sets)\n"
        "print((peak() - before) / needed_bytes(resolve('venice-performance', None, sets, 1)))\n"
    )
    done = subprocess.run(
        [COMMAND[0], "-c", script], capture_output=True, check=True, env=environment(), timeout=100
    )
    assert 0.5 < float(done.stdout) < 1.1


def test_too_little_memory_for_python_is_no_bug_of_ours(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("venice.cli.exit_codes.run_command", fail)
    assert run_to_end() == 1
    assert capsys.readouterr().err == "error: memory does not suffice\n   = nothing was written\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'workload = "random-read"\n[[axis]]\nrequests = ["x", 1]',
            "`requests` is 'x'; expected:",
        ),
        ('workload = "random-read"\n[[axis]]\nrequests = [1.5]', "`requests` is 1.5; expected:"),
        (
            'workload = "random-read"\n[[axis]]\nseed = [true]',
            "`seed` is True; expected: a whole",
        ),
        ('workload = "random-read"\n[[axis]]\nfabric = [1]', "`fabric` is 1; expected: a text"),
        ('workload = "random-read"\n[[axis]]\naudit = [1]', "`audit` is 1; expected: true or"),
        ("workload = 3", "`workload` is 3; expected: a text"),
        ('workload = "random-read"\nsets = "a=b"', "`sets` is 'a=b'; expected: a list of texts"),
        (
            'workload = "random-read"\n[[axis]]\n"flash.pages_per_block" = [768, -3]',
            "`flash.pages_per_block` = -3 is possible at no point",
        ),
    ],
)
def test_a_wrong_value_in_a_sweep_is_reported_before_any_run(
    text: str, message: str, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    (tmp_path / "sweep.toml").write_text(f"[scenario]\n{text}\n")
    outcome = venice("sweep", "sweep.toml", "--out", "out")
    assert (outcome.code, outcome.stdout) == (2, "")
    assert message in outcome.message
    assert outcome.errors == 1
    assert not (tmp_path / "out").exists()


FULL = "/dev/full"


@pytest.mark.skipif(not os.path.exists(FULL), reason=f"there is no {FULL}")  # noqa: PTH110
@pytest.mark.parametrize("requests", [1, 100_000])
def test_a_full_disk_below_a_state_is_called_one(
    requests: int, venice: Callable[..., Outcome]
) -> None:
    outcome = venice(
        *("run", "--workload", "random-write", "--requests", requests, "--save-state", FULL)
    )
    assert outcome.code == 1
    assert outcome.stderr == (
        "error: cannot write the drive's state: no space left on the device\n  --> /dev/full\n"
    )


@pytest.mark.parametrize("option", ["--save-state", "--json", "--request-log"])
def test_a_missing_folder_is_reported_before_the_run(
    option: str, venice: Callable[..., Outcome]
) -> None:
    outcome = venice("run", "--workload", "random-read", option, "nowhere/out")
    assert (outcome.code, outcome.stdout) == (2, "")
    assert "nowhere/out: " in outcome.message
    assert "does not exist; create it first" in outcome.message
    assert "os error" not in outcome.message


NOBODY = 65534
"""Identifier of the unprivileged user of Linux; the superuser may write everywhere."""


@contextmanager
def unprivileged() -> Iterator[None]:
    """Take the rights of an unprivileged user from the superuser, and give them back."""
    user = os.geteuid()
    os.seteuid(NOBODY if user == 0 else user)
    try:
        yield
    finally:
        os.seteuid(user)


def output_refusal(path: Path) -> str:
    with pytest.raises(api.UsageError) as refused, create(path):
        pass
    return str(refused.value)


def state_refusal(path: Path) -> str:
    with pytest.raises(api.StateError) as refused:
        api.run(workload="random-read", requests=1, save_state=path)
    return str(refused.value)


@pytest.mark.parametrize("mode", [0o555, 0o000])
@pytest.mark.parametrize("refusal", [output_refusal, state_refusal])
def test_a_folder_without_permission_is_reported_before_the_run(
    mode: int, refusal: Callable[[Path], str]
) -> None:
    api.run(workload="random-read", requests=1)  # imports modules that this user may not read
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        closed = folder / "closed"
        closed.mkdir()
        closed.chmod(mode)
        with unprivileged():
            text = refusal(closed / "out")
    assert text.removeprefix("error: ").startswith(f"{closed}/out: ")
    assert text.endswith("ermission denied")


def test_drives_of_one_name_are_called_after_their_settings() -> None:
    reports = [
        api.run(workload="random-read", requests=100, fabric="bus", sets=[f"flash.t_read_us={us}"])
        for us in (3, 40)
    ]
    from venice.report.summary_table import names_of  # noqa: PLC0415

    assert names_of(reports) == ["bus t_read_us=3", "bus t_read_us=40"]


def test_rows_that_differ_in_much_have_numbers_too_and_equal_ones_one_name() -> None:
    configs = [{"a": 1, "b": 1, "c": c} for c in (1, 2)] + [{"a": 2, "b": 1, "c": 1}]
    assert labels([("a", "bus")] * 2, configs[:1] * 2) == ["bus", "bus"]
    assert labels([("a", "bus")] * 3, [{**one, "b": one["a"]} for one in configs]) == [
        "bus a=1 b=1 #1",
        "bus a=1 b=1 #2",
        "bus a=2 b=2 #3",
    ]


def test_the_figure_calls_bars_after_the_drives(tmp_path: Path) -> None:
    from venice.plot.style import names_below  # noqa: PLC0415

    for name, us in (("fast", 3), ("slow", 40)):
        (tmp_path / f"{name}.toml").write_text(
            f'name = "{name}"\nextends = "venice-performance"\n[flash]\nt_read_us = {us}\n'
        )
    drives = [str(tmp_path / "fast.toml"), str(tmp_path / "slow.toml")]
    reports = api.compare(drives=drives, fabrics="bus", workload="random-read", requests=100)
    assert names_below(reports) == ["fast", "slow"]


def test_the_time_of_computing_has_preconditioning_in_it() -> None:
    import time  # noqa: PLC0415

    sets = ["precondition.mode=steady_state", "flash.blocks_per_plane=16"]
    began = time.perf_counter()
    report = api.run(workload="random-read", requests=1, sets=sets)
    took_s = time.perf_counter() - began
    assert 0.7 * took_s < report.wall_s <= took_s


_PANIC = """
import os, sys
PanicException = type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})
"""
_IN_VEGA = """
def javascript_bundle(*_, **__):
    os.write(2, b"thread '<unnamed>' panicked at src/lib.rs:1\\n")
    raise PanicException("assertion failed")
"""
_ANYWHERE = """
from venice.cli import names, main
def list_names():
    raise PanicException("out of bounds")
names.list_names.callback = list_names
main()
"""


def _mounted(what: str, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command with a file system mounted over a folder."""
    hidden = ["unshare", "-m", "sh", "-c", f'mount {what} && exec "$@"', "sh"]
    if shutil.which("unshare") is None or subprocess.run([*hidden, "true"], check=False).returncode:
        pytest.skip("whoever runs this may not mount")
    return subprocess.run(
        [*hidden, *command], capture_output=True, text=True, timeout=100, check=False
    )


def test_a_panic_of_the_library_for_pages_is_one_message(tmp_path: Path) -> None:
    library = tmp_path / "vl_convert.py"
    library.write_text(_PANIC + _IN_VEGA)
    few = ("run", "--workload", "random-read", "--requests", "50", "--view", "page.html")
    done = subprocess.run(
        [*COMMAND, *few],
        cwd=tmp_path,
        env={**environment(), "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    what, where = done.stderr.splitlines()
    assert what == (
        "error: the page could not be made: vl-convert failed: "
        "pyo3_runtime.PanicException: assertion failed"
    )
    assert where == "  --> venice run"
    assert not list(tmp_path.glob("*page*"))


def test_a_panic_of_any_library_is_one_message() -> None:
    command = [sys.executable, "-c", _PANIC + _ANYWHERE, "list"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "error: PanicException: out of bounds\n"
        "   = this is a bug in Venice: please report it with the command\n"
    )


@pytest.mark.skipif(not os.access("/proc/self/ns", os.R_OK), reason="there is no /proc to hide")
def test_a_page_is_made_or_refused_by_one_message_where_there_is_no_proc(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    page = tmp_path / "page.html"
    few = ["run", "--workload", "random-read", "--requests", "50", "--view", str(page)]
    done = _mounted("-t tmpfs none /proc", [*COMMAND, *few])
    assert done.returncode == 0 or "it may need /proc, which is not mounted" in done.stderr
    assert done.stderr.count("error: ") == done.returncode


def test_a_file_on_a_file_system_that_is_read_alone_is_named(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    few = ("run", "--workload", "random-read", "--requests", "50", "--json", str(file))
    done = _mounted(f"-t tmpfs -o ro none {tmp_path}", [*COMMAND, *few])
    assert done.stderr == (
        f"error: `{file}` cannot be written: Read-only file system\n  --> {file}\n"
    )
    assert done.returncode == 2


def test_a_request_log_is_not_called_by_the_name_of_a_text(venice: Callable[..., Outcome]) -> None:
    few = ("run", "--workload", "random-read", "--requests", "50")
    outcome = venice(*few, "--request-log", "rows.csv")
    message = (
        "error: a request log is a Parquet file\n  --> rows.csv\n"
        "   = expected: a name that ends in .parquet\n"
    )
    assert (outcome.code, outcome.stdout, outcome.stderr) == (2, "", message)
