"""Recordings of programs: followed system calls, the command, and stored recordings."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import venice as api
from venice.trace.record.calls import calls
from venice.trace.record.files import file_requests

from .conftest import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

RECORDED = REPOSITORY / "conformance" / "traces" / "recorded"


def requests(text: str, under: str = "/") -> list[tuple[object, ...]]:
    found = file_requests(calls(text.splitlines()), lambda path: path.startswith(under))
    return [tuple(request) for request in found]


def placed(text: str) -> list[tuple[object, ...]]:
    return [request[2:] for request in requests(text)]


@pytest.fixture
def strace() -> None:
    """Skip the test if strace cannot record programs."""
    path = shutil.which("strace")
    if path is None:
        pytest.skip("strace is not installed")
    probe = [path, "-o", "/dev/null", path, "-V"]
    if subprocess.run(probe, check=False, capture_output=True).returncode:
        pytest.skip("strace is not allowed to trace programs here")


def test_places_follow_reads_and_writes() -> None:
    assert placed(
        '7 5.000001 openat(AT_FDCWD</x>, "a", O_RDWR|O_CREAT, 0644) = 3</x/a>\n'
        '7 5.000002 write(3</x/a>, ""..., 100) = 100\n'
        '7 5.000003 writev(3</x/a>, [{iov_base=""..., iov_len=50}, {iov_len=7}], 2) = 57\n'
        "7 5.000004 lseek(3</x/a>, 0, SEEK_SET)   = 0\n"
        '7 5.000005 read(3</x/a>, ""..., 4096) = 157\n'
        '7 5.000006 read(3</x/a>, "", 4096) = 0\n'
        '7 5.000007 pread64(3</x/a>, ""..., 10, 30) = 10\n'
        '7 5.000008 preadv2(3</x/a>, [{iov_base=""..., iov_len=5}], 1, 20, RWF_HIPRI) = 5\n'
        "7 5.000009 fdatasync(3</x/a>) = 0\n"
        '7 5.000010 write(3</x/a>, ""..., 8) = -1 ENOSPC (No space left on device)\n'
        '7 5.000011 write(3</x/a>, ""..., 8) = 8\n'
    ) == [
        ("write", 0, 100),
        ("write", 100, 57),
        ("read", 0, 157),
        ("read", 30, 10),
        ("read", 20, 5),
        ("datasync", 0, 0),
        ("write", 157, 8),
    ]


def test_appending_goes_to_the_end_and_duplicates_share_a_place() -> None:
    assert placed(
        '7 5.000001 openat(AT_FDCWD</>, "a", O_RDWR|O_TRUNC) = 3</x/a>\n'
        '7 5.000001 openat(AT_FDCWD</>, "a", O_WRONLY|O_APPEND) = 4</x/a>\n'
        '7 5.000002 pwrite64(3</x/a>, ""..., 100, 900) = 100\n'
        '7 5.000003 write(4</x/a>, ""..., 5) = 5\n'
        "7 5.000004 dup(3</x/a>) = 9</x/a>\n"
        '7 5.000005 read(9</x/a>, ""..., 10) = 10\n'
        '7 5.000006 read(3</x/a>, ""..., 10) = 10\n'
        "7 5.000007 close(3</x/a>) = 0\n"
        '7 5.000008 openat(AT_FDCWD</>, "a", O_RDONLY) = 3</x/a>\n'
        '7 5.000009 read(3</x/a>, ""..., 10) = 10\n'
        "7 5.000010 ftruncate(4</x/a>, 40) = 0\n"
        '7 5.000011 write(4</x/a>, ""..., 5) = 5\n'
    ) == [
        ("write", 900, 100),
        ("write", 1000, 5),
        ("read", 0, 10),
        ("read", 10, 10),
        ("read", 0, 10),
        ("write", 40, 5),
    ]


def test_threads_share_files_and_children_inherit_places() -> None:
    assert placed(
        '7 5.000001 openat(AT_FDCWD</>, "a", O_RDWR) = 3</x/a>\n'
        "7 5.000002 clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD}, 88) = 8\n"
        "7 5.000003 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD) = 9\n"
        '8 5.000004 openat(AT_FDCWD</>, "b", O_RDWR) = 4</x/b>\n'
        '7 5.000005 write(4</x/b>, ""..., 10) = 10\n'
        '8 5.000006 write(4</x/b>, ""..., 10) = 10\n'
        '9 5.000007 write(3</x/a>, ""..., 5) = 5\n'
        '7 5.000008 write(3</x/a>, ""..., 5) = 5\n'
    ) == [("write", 0, 10), ("write", 10, 10), ("write", 0, 5), ("write", 5, 5)]


def test_a_call_in_two_parts_began_with_the_first() -> None:
    assert requests(
        "7 5.000001 pread64(3</x/a>,  <unfinished ...>\n"
        '8 5.000002 pread64(4</x/b>, ""..., 10, 30) = 10\n'
        '7 5.000009 <... pread64 resumed>""..., 20, 40) = 20\n'
        "7 5.000010 +++ exited with 0 +++\n"
    ) == [(5_000_002, "/x/b", "read", 30, 10), (5_000_001, "/x/a", "read", 40, 20)]


def test_only_files_count() -> None:
    assert not requests(
        '7 5.000001 write(1<pipe:[17]>, ""..., 10) = 10\n'
        '7 5.000002 write(1</dev/pts/0<char 136:0>>, ""..., 10) = 10\n'
        '7 5.000003 read(3</proc/meminfo>, ""..., 10) = 10\n'
        '7 5.000004 read(3<socket:[99]>, ""..., 10) = 10\n'
    )


@pytest.mark.usefixtures("strace")
def test_a_program_is_recorded(tmp_path: Path, venice: Callable[..., Outcome]) -> None:
    program = (
        "import os; f = os.open('data', os.O_RDWR | os.O_CREAT); os.write(f, bytes(5000));"
        "os.pwrite(f, bytes(512), 8192); os.fsync(f); os.pread(f, 1024, 512);"
        "raise SystemExit(3)"
    )
    command = ("trace", "record", "--output", "out.log", "--under", tmp_path, "--")
    outcome = venice(*command, sys.executable, "-c", program)
    assert outcome.code == 0, outcome.stderr
    assert outcome.stdout == "3 reads and writes of 1 files\n"
    assert "ended with 3" in outcome.message
    rows = [line.split()[1:] for line in (tmp_path / "out.log").read_text().splitlines()[1:]]
    data = os.fspath(tmp_path.resolve() / "data")
    assert rows == [
        [data, "add"],
        [data, "open"],
        [data, "write", "0", "5000"],
        [data, "write", "8192", "512"],
        [data, "sync", "0", "0"],
        [data, "read", "512", "1024"],
        [data, "close"],
    ]
    info = api.trace_info(tmp_path / "out.log")
    assert (info["requests"], info["format"], info["flushes"]) == (3, "fio-iolog", 1)


@pytest.mark.usefixtures("strace")
def test_a_recording_is_written_in_other_formats(tmp_path: Path) -> None:
    program = (
        f"import os; a, b = (open(os.path.join({os.fspath(tmp_path)!r}, n), 'wb') for n in 'ab');"
        "a.write(bytes(512)); a.flush(); b.write(bytes(512)); b.flush()"
    )
    out = tmp_path / "out.parquet"
    command = [sys.executable, "-c", program]
    done = api.record_trace(command, out, under=[tmp_path], side_by_side=True)
    assert done == (2, 2, 0)
    head = io.BytesIO()
    api.convert_trace(out, head, "msr-csv")
    offsets = [line.split(",")[2:5:2] for line in head.getvalue().decode().splitlines()]
    assert offsets == [["0", "0"], ["0", str(1 << 20)]]


@pytest.mark.usefixtures("strace")
def test_unrecordable_calls_are_reported(venice: Callable[..., Outcome]) -> None:
    outcome = venice("trace", "record", "-o", "out", "--", "no-such-program")
    assert outcome.code == 2
    assert "is not an executable command; check its name" in outcome.message
    outcome = venice("trace", "record", "-o", "out", "--under", ".", "--", "true")
    assert outcome.code == 2
    assert "`true` read or wrote no file under ." in outcome.stderr


def test_a_missing_strace_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    with pytest.raises(api.UsageError, match="needs strace, which is not installed; install it"):
        api.record_trace(["true"], tmp_path / "out")


def test_a_forbidden_ptrace_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    strace = tmp_path / "strace"
    strace.write_text("#!/bin/sh\necho 'strace: ptrace: Operation not permitted' >&2\nexit 1\n")
    strace.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(api.UsageError, match=r"\(strace: ptrace: .*\); allow ptrace \(in a cont"):
        api.record_trace(["true"], tmp_path / "out")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("sqlite", (3077, 743, 123)), ("rocksdb", (2014, 931, 41))],
)
def test_the_recordings_are_traces(name: str, expected: tuple[int, int, int]) -> None:
    path = RECORDED / f"{name}.log"
    info = api.trace_info(path)
    reads = round(info["read_pct"] * info["requests"] / 100)
    assert (info["requests"], reads, info["flushes"]) == expected
    assert info["format"] == "fio-iolog"
    report = api.run(trace=path, devices="side-by-side", fabric="venice")
    assert report.requests.completed == expected[0] + expected[2], "flushes are requests"
