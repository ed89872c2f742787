"""Comparison with MQSim on random input files, and reduction of cases that differ.

MQSim is not modified. Both programs draw the same requests, so that MQSim's figures can be
compared: served requests, mean times, and pages. MQSim reports whole microseconds, so means may
differ by a further microsecond.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree import ElementTree as ET

from venice._native import VeniceError
from venice.mqsim.bench.cases import CONFIG, WORKLOAD
from venice.mqsim.bench.random_cases import DrawnCase, draw, smaller
from venice.mqsim.bench.run import checked_binary
from venice.mqsim.run import Mqsim
from venice.report.work import flash_of_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from venice.report import Report

TIME_LIMIT_S = 45
"""Processor time limit of MQSim for a case [s], independent of the load of the machine."""
_WALL_LIMIT_S = 20.0 * TIME_LIMIT_S
MEAN, PAGES = 0.03, 0.01
"""Tolerated differences of means and of page counts, as shares of MQSim's figure."""
_OUT_OF_TIME = (-signal.SIGXCPU, -signal.SIGKILL)
_ROUNDING_US = 1.0
_FEW_PAGES = 3.0
"""Tolerated difference in pages, because the last requests of a run may differ."""
_MOST_SMALLER = 60
_SERVED = re.compile(r"total requests generated: (\d+) total requests serviced:(\d+)")
_COMMANDS = {"reads": "Read", "programs": "Program", "erases": "Erase"}
_TWO = 2
"""Number of planes of a multi-plane command on dies with two planes."""


class MqsimFailedError(Exception):
    """Failure of MQSim: it stopped, left requests unserved, or exceeded the time limit."""


class Figure(NamedTuple):
    """Figure as reported by MQSim and by Venice."""

    name: str
    mqsim: float
    ours: float
    bound: float
    slack: float

    @property
    def is_within(self) -> bool:
        """True if the two values differ by no more than the tolerance."""
        return abs(self.ours - self.mqsim) <= self.bound * self.mqsim + self.slack

    def __str__(self) -> str:
        change = f"{(self.ours / self.mqsim - 1) * 100:+.1f} %" if self.mqsim else "from none"
        return f"{self.name}: {self.ours:,.1f} for {self.mqsim:,.1f} ({change})"


@dataclass(frozen=True)
class Verdict:
    """Result of one case of the comparison with MQSim."""

    case: DrawnCase
    figures: tuple[Figure, ...]
    remarks: tuple[str, ...]
    """Warnings about intended differences between the programs."""

    @property
    def outside(self) -> list[Figure]:
        """Figures that differ by more than the tolerance."""
        return [figure for figure in self.figures if not figure.is_within]


@dataclass(frozen=True)
class FuzzResult:
    """Results of all cases of the comparison with MQSim."""

    verdicts: tuple[Verdict, ...]
    smallest: dict[str, Verdict]
    """Smallest case that shows a difference, by the name of the case in which it was found."""
    failed: dict[str, str]
    """Reason for each case that MQSim failed to serve, by name."""

    @property
    def differing(self) -> list[Verdict]:
        """Cases in which a figure differs by more than the tolerance."""
        return [verdict for verdict in self.verdicts if verdict.outside]

    def to_json(self) -> str:
        """Return the result as JSON."""
        shown = [_shown(verdict, self.smallest) for verdict in self.verdicts]
        return json.dumps({"cases": shown, "mqsim_failed": self.failed}, indent=2) + "\n"


def _shown(verdict: Verdict, smallest: dict[str, Verdict]) -> dict[str, Any]:
    least = smallest.get(verdict.case.name)
    return {
        "name": verdict.case.name,
        "figures": [figure._asdict() for figure in verdict.figures],
        "outside": [str(figure) for figure in verdict.outside],
        "warnings": list(verdict.remarks),
        "smallest": asdict(least.case) if least else None,
    }


def fuzz(
    mqsim: str | PathLike[str],
    count: int,
    *,
    seed: int = 1,
    shrinks: bool = True,
    on_result: Callable[[str], None] = lambda _: None,
) -> FuzzResult:
    """Draw cases until MQSim has served `count` of them, and compare the results.

    Parameters
    ----------
    mqsim
        MQSim's binary.
    count
        Number of cases.
    seed
        Seed of the random cases.
    shrinks
        True to search for the smallest case that shows a difference.
    on_result
        Function called after each case.

    Raises
    ------
    UsageError
        If the binary cannot be run.
    VeniceError
        If Venice fails on a case, which the message names.
    """
    binary = checked_binary(Path(mqsim))
    random = Random(seed)  # noqa: S311 no secret
    verdicts: list[Verdict] = []
    smallest: dict[str, Verdict] = {}
    failed: dict[str, str] = {}
    while len(verdicts) < count:
        case = draw(random, len(verdicts) + len(failed))
        try:
            verdict = compare(binary, case)
        except MqsimFailedError as error:
            failed[case.name] = str(error)
            on_result(f"{case.name}: MQSim {error}")
            continue
        verdicts.append(verdict)
        outside = "; ".join(str(figure) for figure in verdict.outside)
        on_result(f"{case.name}: {outside or 'agrees'}")
        if outside and shrinks:
            smallest[case.name] = shrink(binary, verdict)
    return FuzzResult(tuple(verdicts), smallest, failed)


def shrink(binary: Path, verdict: Verdict) -> Verdict:
    """Return the smallest case found in which a figure still differs by more than the tolerance."""
    tried = 0
    found = True
    while found and tried < _MOST_SMALLER:
        found = False
        for case in smaller(verdict.case):
            tried += 1
            if tried > _MOST_SMALLER:
                break
            try:
                less = compare(binary, case)
            except (MqsimFailedError, VeniceError):
                continue
            if less.outside:
                verdict, found = less, True
                break
    return verdict


def compare(binary: Path, case: DrawnCase) -> Verdict:
    """Run both programs on the same case.

    Raises
    ------
    MqsimFailedError
        If MQSim does not serve the case.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        case.write(folder)
        theirs = _run_mqsim(binary, folder)
        files = Mqsim(folder / CONFIG, folder / WORKLOAD)
        remarks = [remark.text for remark in files.remarks([0]) if remark.level == "warning"]
        report = files.run(0)
    return Verdict(case, tuple(_figures(theirs, report)), tuple(remarks))


def _run_mqsim(binary: Path, folder: Path) -> ET.Element:
    limited = f'ulimit -t {TIME_LIMIT_S}; exec "$0" "$@"'
    command = ["/bin/sh", "-c", limited, str(binary), "-i", CONFIG, "-w", WORKLOAD]
    try:
        done = subprocess.run(  # noqa: S603 running it is what was asked for
            command,
            cwd=folder,
            input=b"\n",
            capture_output=True,
            timeout=_WALL_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise MqsimFailedError(f"ran for {_WALL_LIMIT_S:.0f} s and had not ended") from None
    if done.returncode in _OUT_OF_TIME:
        raise MqsimFailedError(f"took more than {TIME_LIMIT_S} s of the processor")
    if done.returncode != 0:
        raise MqsimFailedError(f"ended with code {done.returncode}")
    flows = _SERVED.findall(done.stdout.decode(errors="replace"))
    if not flows or any(generated != served for generated, served in flows):
        raise MqsimFailedError("left requests unserved")
    return ET.parse(folder / f"{Path(WORKLOAD).stem}_scenario_1.xml").getroot()  # noqa: S314 MQSim's own file


def _figures(theirs: ET.Element, report: Report) -> Iterator[Figure]:
    queues = {queue.queue: queue for queue in report.queues}
    for number, flow in enumerate(theirs.iter("Host.IO_Flow")):
        queue = queues[number]
        name = f"flow {number}"
        served = float(flow.findtext("Request_Count", "0"))
        yield Figure(f"{name} requests", served, queue.latency_us["all"]["count"], 0.0, 0.0)
        for tag, ours in (
            ("Device_Response_Time", queue.device_latency_us["all"]),
            ("End_to_End_Request_Delay", queue.latency_us["all"]),
        ):
            mean = float(flow.findtext(tag, "0"))
            yield Figure(f"{name} {tag}", mean, ours["mean"], MEAN, _ROUNDING_US)
    planes = report.config["flash"]["planes_per_die"]
    for key, command in _COMMANDS.items():
        pages = _pages(theirs, command, planes)
        if pages is not None:
            yield Figure(key, pages, flash_of_run(report)[key], PAGES, _FEW_PAGES)


def _pages(theirs: ET.Element, command: str, planes: int) -> float | None:
    """Return the pages or blocks of all commands; ``None`` if MQSim's counts lack them."""
    (ftl,) = theirs.iter("SSDDevice.FTL")
    single = int(ftl.get(f"Issued_Flash_{command}_CMD", "0"))
    several = int(ftl.get(f"Issued_Flash_Multiplane_{command}_CMD", "0"))
    if planes <= _TWO or several == 0:
        return float(single + _TWO * several)
    return None
