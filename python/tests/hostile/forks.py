"""Runs a command in a fork of this process, which has imported the command line already.

A fork costs some milliseconds, a new interpreter 150.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import venice
from venice.cli import exit_codes, main
from venice.files.output import OutputError
from venice.report.files import ReportError

from .case import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .case import Case

_ENVIRONMENT = {
    "HOME": "/nonexistent",
    "LANG": "C.UTF-8",
    "OPENBLAS_NUM_THREADS": "1",  # each thread of a library takes address space
    "PATH": "/usr/bin:/bin",
    "TERM": "dumb",
}
_HEAVY = ("matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg", "optuna", "sqlglot")
_CRASHED = 70
_POLL_S = 0.005
_SAMPLE_S = 0.1
"""Interval at which a process is checked for being asleep."""


class Limits(NamedTuple):
    """The resources of one process."""

    memory_bytes: int = 4 << 30
    cpu_s: int = 60
    """Processor time. A large drive with little over-provisioning is prepared in 40 s."""
    idle_s: float = 15.0
    """Maximum time asleep; waiting for a processor, as on a loaded machine, does not count.
    """
    wall_s: float = 600.0
    file_bytes: int = 256 << 20


_USUAL = Limits()


def import_heavy() -> None:
    """Import the modules that most commands need, so that forks have them already."""
    os.environ.update(OPENBLAS_NUM_THREADS="1")
    for name in (*_HEAVY, exit_codes.__name__):
        with suppress(ImportError):
            import_module(name)


def run_case(case: Case, folder: Path, says: Path, limits: Limits = _USUAL) -> Outcome:
    """Run a case in a folder; its output is stored in `says.stdout` and `says.stderr`."""
    printed = [says.with_name(f"{says.name}.{name}") for name in ("stdout", "stderr")]
    process = os.fork()
    if process == 0:
        _become(case, folder, printed, limits)
    status, is_late = _end_of(process, limits)
    stdout, stderr = (path.read_bytes() for path in printed)
    code = os.waitstatus_to_exitcode(status)
    return Outcome(code, stdout, stderr, is_late or code == -signal.SIGXCPU)


def _end_of(process: int, limits: Limits) -> tuple[int, bool]:
    for _ in _patience(process, limits):
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            return status, False
        time.sleep(_POLL_S)
    os.killpg(process, signal.SIGKILL)
    return os.waitpid(process, 0)[1], True


def _patience(process: int, limits: Limits) -> Iterator[None]:
    """Yield at intervals while the process is within its time limits."""
    begun = looked = time.monotonic()
    idle_s, before = 0.0, ""
    while (now := time.monotonic()) - begun < limits.wall_s and idle_s < limits.idle_s:
        yield
        if now - looked > _SAMPLE_S:
            state = _sleeping(process)
            idle_s += now - looked if state and state == before else 0.0
            looked, before = now, state


def _sleeping(process: int) -> str:
    """Return the processor times of the threads if all of them sleep, else an empty text."""
    times = []
    for path in Path(f"/proc/{process}/task").glob("*/stat"):
        with suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            times.append(f"{fields[11]} {fields[12]}" if fields[0] == "S" else "")
    return ", ".join(times) if all(times) else ""


def _become(case: Case, folder: Path, printed: list[Path], limits: Limits) -> NoReturn:
    """Turn the fork into the process of the case; does not return."""
    code = _CRASHED
    try:
        os.setsid()
        os.chdir(folder)
        _redirect(printed)
        os.environ.clear()
        os.environ.update(_ENVIRONMENT)
        _limit(limits)
        code = _run_script(case.script) if case.script else _run_command(case.arguments)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # the fork must not continue with its parent's code
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _redirect(printed: list[Path]) -> None:
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for stream, path in enumerate(printed, start=1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)


def _limit(limits: Limits) -> None:
    for which, most in (
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(which, (most, most))
    # The processor time of a fork is counted from zero.
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_s, limits.cpu_s + 5))


def _run_command(arguments: tuple[str | bytes, ...]) -> int:
    # The interpreter decodes its own arguments in the same way.
    sys.argv = ["venice", *(os.fsdecode(word) for word in arguments)]
    try:
        main()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def _run_script(script: str) -> int:
    try:
        exec(compile(script, "script.py", "exec"), {"__name__": "__main__"})  # noqa: S102 its own
    except (venice.VeniceError, ReportError, OutputError) as error:
        print(f"error: {str(error).removeprefix('error: ')}", file=sys.stderr)  # noqa: T201
        return 2
    return 0
