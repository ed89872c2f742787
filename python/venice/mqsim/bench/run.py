"""Run of MQSim or Venice on the files of a case: wall time, peak memory, simulated requests."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from venice._native import SimulationError, UsageError
from venice.mqsim.bench.cases import CONFIG, WORKLOAD

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_RSS_UNIT_BYTES = 1 if sys.platform == "darwin" else 1024
"""Unit of ``ru_maxrss``: bytes on macOS, KiB elsewhere."""
_MB = 1_000_000
_REPORT = "report.json"
_OUTPUT = "output.txt"
_LAST_WORDS = 200


class Program(StrEnum):
    """Program of the benchmark: MQSim or Venice."""

    MQSIM = "MQSim"
    VENICE = "Venice"


@dataclass(frozen=True)
class Work:
    """Simulated requests and latency that a program reports."""

    requests: int
    """Number of served requests."""
    mean_us: float
    """Mean device response time of all requests [µs]; MQSim reports whole microseconds."""


@dataclass(frozen=True)
class ResourceUse:
    """Processor time and memory that a process used."""

    wall_s: float
    cpu_s: float
    """Processor time [s], which does not depend on the load of the machine."""
    memory_mb: float
    """Peak memory in 10^6 bytes."""


@dataclass(frozen=True)
class Run:
    """Resources that one run used, and the results that it reported."""

    used: ResourceUse
    work: Work


def checked_binary(path: Path) -> Path:
    """Return the absolute path of MQSim's binary.

    Raises
    ------
    UsageError
        If the binary cannot be run.
    """
    if not path.is_file():
        raise UsageError(
            f"there is no file `{path}`; give the path of MQSim's binary, which `make` builds in a "
            "clone of https://github.com/CMU-SAFARI/MQSim"
        )
    if not os.access(path, os.X_OK):
        raise UsageError(f"`{path}` cannot be executed; expected: MQSim's binary")
    return path.resolve()


def run_mqsim(binary: Path, folder: Path) -> Run:
    """Run MQSim on the files in a folder, to which it also writes its results.

    Raises
    ------
    SimulationError
        If the program fails or its output cannot be read.
    """
    command = [str(binary), "-i", CONFIG, "-w", WORKLOAD]
    used = _measure(Program.MQSIM, command, folder)
    text = (folder / _OUTPUT).read_text(encoding="utf-8", errors="replace")
    return Run(used, parse_mqsim(text))


def run_venice(folder: Path) -> Run:
    """Run ``venice mqsim`` on the files in a folder, as a separate process.

    Raises
    ------
    SimulationError
        If the process fails.
    """
    command = [sys.executable, "-m", "venice", "mqsim", "--config", CONFIG, "--workload", WORKLOAD]
    used = _measure(Program.VENICE, [*command, "--json", _REPORT], folder)
    return Run(used, parse_venice((folder / _REPORT).read_text(encoding="utf-8")))


def _measure(program: Program, command: Sequence[str], folder: Path) -> ResourceUse:
    """Run a command until it ends, and measure its resources."""
    with (folder / _OUTPUT).open("wb") as output:
        start = time.perf_counter()
        try:
            process = subprocess.Popen(  # noqa: S603 running it is what was asked for
                command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
        except OSError as error:
            raise SimulationError(f"{program} could not be started: {error.strerror}") from error
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            process.wait()
            raise
        wall_s = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SimulationError(_failure(program, process.returncode, folder))
    memory_mb = usage.ru_maxrss * _RSS_UNIT_BYTES / _MB
    return ResourceUse(wall_s, usage.ru_utime + usage.ru_stime, memory_mb)


def _failure(program: Program, code: int, folder: Path) -> str:
    ended = f"was ended by signal {-code}" if code < 0 else f"failed with exit code {code}"
    output = (folder / _OUTPUT).read_text(encoding="utf-8", errors="replace").split()
    words = " ".join(output)[-_LAST_WORDS:]
    return f"{program} {ended}; its last words: {words or '(none)'}"


_FLOW = re.compile(
    r"total requests generated: (?P<generated>\d+) total requests serviced:(?P<served>\d+)\s+"
    r"- device response time: (?P<mean>\d+) \(us\)"
)


def parse_mqsim(text: str) -> Work:
    """Parse the final output of MQSim, which has one entry for each flow.

    Raises
    ------
    SimulationError
        If there is no entry, or requests were not served.
    """
    flows = list(_FLOW.finditer(text))
    if not flows:
        raise SimulationError(
            "the binary ended without MQSim's summary (`total requests generated: ...`); "
            "is it MQSim?"
        )
    generated = sum(int(flow["generated"]) for flow in flows)
    served = sum(int(flow["served"]) for flow in flows)
    if served != generated:
        raise SimulationError(f"MQSim ended with {served:,} of {generated:,} requests served")
    total_us = sum(int(flow["served"]) * int(flow["mean"]) for flow in flows)
    return Work(served, total_us / max(served, 1))


def parse_venice(text: str) -> Work:
    """Parse the report of ``venice mqsim``."""
    (report,) = json.loads(text)
    return Work(report["requests"]["completed"], report["latency_us"]["all"]["mean"] or 0.0)
