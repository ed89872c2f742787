"""Recording of a command under strace, which writes its reads and writes as a trace."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from contextlib import ExitStack
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TextIO

from venice._native import UsageError
from venice.files import output
from venice.trace.convert import SUFFIXES, convert_trace
from venice.trace.record.calls import calls
from venice.trace.record.files import TRACED, file_requests

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from venice.trace.record.files import FileRequest


class Recording(NamedTuple):
    """Result of recording a program."""

    requests: int
    """Number of reads and writes."""
    files: int
    """Number of files that were read or written."""
    exit_code: int
    """Exit code of the command."""


def record_trace(
    command: Sequence[str],
    file: str | PathLike[str] | BinaryIO,
    to: str | None = None,
    *,
    under: Sequence[str | PathLike[str]] = (),
    side_by_side: bool = False,
) -> Recording:
    """Run a command and write its reads and writes of files as a trace.

    The trace contains the program's system calls, before the page cache has an effect. Accesses to
    mapped memory and asynchronous I/O are not recorded.

    Parameters
    ----------
    command
        Program and its arguments.
    file
        Path or open file of the output, as for :func:`venice.convert_trace`.
    to
        Output format [default: ``fio-iolog``, which has file names].
    under
        Folders whose files are recorded [default: all files but those of the system].
    side_by_side
        Place the files in one address range, one after the other.

    Raises
    ------
    UsageError
        If the command or strace does not exist, the system does not permit tracing, or no file was
        read or written.
    """
    strace = _strace_for(command)
    with tempfile.TemporaryDirectory(prefix="venice-") as folder:
        seen, log = Path(folder) / "strace", Path(folder) / "recording"
        exit_code = _run(strace, command, seen)
        with seen.open(errors="replace") as lines, log.open("w") as out:
            requests = file_requests(calls(lines), _wanted(under))
            files, moved = _write_log(requests, out)
        if not moved:
            raise UsageError(f"`{command[0]}` read or wrote no file{_folder_text(under)}")
        _hand_over(log, file, to, side_by_side=side_by_side)
    return Recording(moved, files, exit_code)


def _hand_over(
    log: Path, file: str | PathLike[str] | BinaryIO, to: str | None, *, side_by_side: bool
) -> None:
    target = Path(fspath(file)) if isinstance(file, str | PathLike) else file
    packed = isinstance(target, Path) and target.suffix in SUFFIXES
    if side_by_side or to is not None or packed:
        convert_trace(log, target, to, side_by_side=side_by_side, format="fio-iolog")
        return
    # The log itself, with the names of the files.
    with ExitStack() as stack, log.open("rb") as lines:
        out = stack.enter_context(output.create(target)) if isinstance(target, Path) else target
        shutil.copyfileobj(lines, out)


def _strace_for(command: Sequence[str]) -> str:
    """Return the path of strace, after a test run."""
    if not command:
        raise UsageError("there is nothing to record: name a command after --")
    strace = shutil.which("strace")
    if strace is None:
        raise UsageError(
            "recording needs strace, which is not installed; install it "
            "(Debian, Ubuntu: apt install strace)"
        )
    if shutil.which(command[0]) is None:
        raise UsageError(f"`{command[0]}` is not an executable command; check its name")
    probe = subprocess.run(  # noqa: S603 strace itself
        [strace, "-qq", "-o", "/dev/null", "--", strace, "-V"],
        capture_output=True,
        text=True,
        check=False,
    )
    if probe.returncode != 0:
        reason = " ".join(probe.stderr.split())
        raise UsageError(
            f"strace is not allowed to trace programs here ({reason}); allow ptrace "
            "(in a container: --cap-add SYS_PTRACE; else see /proc/sys/kernel/yama/ptrace_scope)"
        )
    return strace


def _run(strace: str, command: Sequence[str], seen: Path) -> int:
    looks = ["-f", "-y", "-ttt", "-qq", "-s", "0", "-e", f"trace={','.join(TRACED)}"]
    whole = [strace, *looks, "-o", str(seen), "--", *command]
    return subprocess.run(whole, check=False).returncode  # noqa: S603 the user's own command


def _wanted(under: Sequence[str | PathLike[str]]) -> Callable[[str], bool]:
    folders = tuple(f"{Path(folder).resolve()}/" for folder in under)
    return lambda path: not folders or path.startswith(folders)


def _folder_text(under: Sequence[str | PathLike[str]]) -> str:
    return f" under {' or '.join(str(folder) for folder in under)}" if under else ""


def _write_log(requests: Iterable[FileRequest], out: TextIO) -> tuple[int, int]:
    """Write a log of fio, version 3; return the number of files, and of reads and writes."""
    out.write("fio version 3 iolog\n")
    names: dict[str, str] = {}
    first_us, us, moved = None, 0, 0
    for request in requests:
        first_us = request.us if first_us is None else first_us
        us = max(request.us - first_us, 0)
        if request.path not in names:
            # Blanks separate the columns.
            names[request.path] = "_".join(request.path.split())
            out.write(f"{us} {names[request.path]} add\n{us} {names[request.path]} open\n")
        name, op, offset, length = names[request.path], request.op, request.offset, request.length
        out.write(f"{us} {name} {op} {offset} {length}\n")
        moved += op in ("read", "write")
    out.writelines(f"{us} {name} close\n" for name in names.values())
    return len(names), moved
