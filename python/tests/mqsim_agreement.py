"""Agreement of runs of MQSim's files with MQSim's own figures.

The reference is a folder with one folder for each case: MQSim's two files, the requests that it
served (``requests.csv.zst``) and its figures (``expected.json``). As a program, this module writes
the results that the documentation shows.
"""

from __future__ import annotations

import json
import math
import os
import sys
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from tools import results
from venice.mqsim.run import Mqsim
from venice.report.work import flash_of_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tools.results import Table
    from venice import Report

REPOSITORY = Path(__file__).resolve().parents[2]
RESULTS = results.RESULTS / "mqsim-agreement.json"
COLUMNS = [
    results.words("case"),
    results.words("figure"),
    results.numbers("MQSim", "{:,.1f}"),
    results.numbers("Venice", "{:,.1f}"),
    results.numbers("ratio", "{:.4f}"),
    results.words("mark"),
]

PLANES_PER_COMMAND = 2
"""Planes of a multi-plane command: every case has two planes on each die."""


class Tolerances(NamedTuple):
    """Largest accepted differences, as shares of MQSim's figure."""

    mean: float
    p99: float
    makespan: float
    pages: float
    commands: float
    """Difference of mapping reads, and of two-plane commands in addition to their random variation.
    """


CLOSE = Tolerances(mean=0.03, p99=0.05, makespan=0.02, pages=0.01, commands=0.05)
STATISTICAL = Tolerances(mean=0.10, p99=0.10, makespan=0.10, pages=0.10, commands=0.10)

STANDARD_DEVIATIONS = 3
"""Accepted random variation of the number of commands that address two planes by chance."""


class Case(NamedTuple):
    """A case of the reference, with its expected agreement."""

    name: str
    tolerances: Tolerances = CLOSE
    folder: str = "mqsim"
    """Below the folder of the references."""
    differs: str | None = None
    """The reason for a difference beyond the tolerances; ``None`` if the case is within them."""
    follows: tuple[str, ...] = ()
    """Settings that imitate MQSim, if the defaults do not."""
    spread_us: Mapping[str, tuple[float, float]] = MappingProxyType({})
    """Minimum and maximum of a figure in MQSim itself if a flash time is changed slightly."""


CASES = (
    Case("p01_randread_4k_qd16"),
    Case("p02_randwrite_8k_qd16"),
    Case("p03_mixed70_8k_qd32"),
    Case("p04_read_64k_qd8"),
    Case("p05_write_64k_qd8"),
    Case("p06_cmt_64k_mixed70"),
    Case("p07_write_cache_4k"),
    Case("p08_perf_mixed70_4k_qd32"),
    Case("p09_cost_mixed70_16k_qd32"),
    Case("p10_gc_rga_30r", STATISTICAL),
    Case("p11_wsrch_open"),
    Case("p12_two_flows"),
    Case("p13_perf_read_4k_qd64"),
)

DRAWN = "mqsim-random"
"""Folder of cases drawn at random, whose requests are listed in order of issue."""

CLASSES = (
    "priority turns: a chip of MQSim with work of the low class alone waits; "
    "sectors beyond a page of 32 KB are lost"
)
DWCP = "pages that were read first lie elsewhere in MQSim with the order DWCP"
TURNS = ("ftl.scheduling=priority_turns", "ftl.sector_sets=shifted")
BY_DIE = ("ftl.unwritten_place=plane_by_die",)
PLAIN011 = MappingProxyType({"flow 0 write p99 µs": (3_186.5, 3_415.1)})
"""Range over 41 runs of MQSim with flash reads or programs up to 100 ns longer or shorter."""

DRAWN_CASES = (
    Case("cache009", CLOSE, DRAWN),
    Case("cmt004", CLOSE, DRAWN),
    Case("flows003", CLOSE, DRAWN),
    Case("flows005", CLOSE, DRAWN, CLASSES, TURNS),
    Case("flows006", CLOSE, DRAWN),
    Case("gc006", CLOSE, DRAWN),
    Case("open006", CLOSE, DRAWN),
    Case("open008", CLOSE, DRAWN),
    Case("plain010", CLOSE, DRAWN, DWCP, BY_DIE),
    Case("plain011", CLOSE, DRAWN, spread_us=PLAIN011),
    Case("precond018", CLOSE, DRAWN),
    Case("sata001", CLOSE, DRAWN),
    Case("sata002", CLOSE, DRAWN),
    Case("wild003", CLOSE, DRAWN),
)


class Figure(NamedTuple):
    """A figure of a case: MQSim's value and ours."""

    name: str
    kind: str
    """The field of :class:`Tolerances` that applies to this figure."""
    mqsim: float
    ours: float
    is_chance: bool = False
    """True for a count of coincidences, which depends on the order of a few requests."""
    spread: tuple[float, float] | None = None
    """Range of the figure in MQSim itself."""

    @property
    def ratio(self) -> float:
        """Our value divided by MQSim's."""
        if self.mqsim == 0:
            return 1.0 if self.ours == 0 else float("inf")
        return self.ours / self.mqsim

    def is_within(self, tolerances: Tolerances) -> bool:
        """Return true if the two agree."""
        return (
            self.is_near(tolerances)
            or self.is_near_spread(tolerances)
            or (
                self.is_chance
                and abs(self.ours - self.mqsim)
                <= tolerances.commands * self.mqsim + STANDARD_DEVIATIONS * math.sqrt(self.mqsim)
            )
        )

    def is_near_spread(self, tolerances: Tolerances) -> bool:
        """Return true if the figure is near the range of MQSim's own values."""
        if self.spread is None:
            return False
        (least, most), bound = self.spread, getattr(tolerances, self.kind)
        return bool(least * (1 - bound) <= self.ours <= most * (1 + bound))

    def is_near(self, tolerances: Tolerances) -> bool:
        """Return true if the two agree without a tolerance for chance."""
        return bool(abs(self.ratio - 1) <= getattr(tolerances, self.kind))


def reference() -> Path | None:
    """Return the folder of the references, which is not in the repository."""
    shared = Path(os.environ.get("VENICE_SHARED", REPOSITORY.parent / "shared"))
    folder = shared / "reference"
    return folder if folder.is_dir() else None


def figures_of(case: Case, folder: Path, sets: tuple[str, ...] = ()) -> tuple[Figure, ...]:
    """Run a case of the reference with some settings and compare."""
    found = figures(folder / case.folder / case.name, sets)
    return tuple(figure._replace(spread=case.spread_us.get(figure.name)) for figure in found)


@cache
def figures(folder: Path, sets: tuple[str, ...] = ()) -> tuple[Figure, ...]:
    """Run a case and compare."""
    expected = json.loads((folder / "expected.json").read_text())
    files = Mqsim(folder / "ssdconfig.xml", folder / "workload.xml", sets=sets)
    report = files.run(0, folder / "requests.csv.zst")
    totals = _drawn_totals if "pages" in expected else _totals
    return (*_latencies(expected, report), *totals(expected, report))


def _latencies(expected: dict[str, Any], report: Report) -> Iterator[Figure]:
    queues = {queue.queue: queue for queue in report.queues}
    for flow, figures_of_flow in expected["flows"].items():
        for operation in ("read", "write"):
            if operation not in figures_of_flow:
                continue
            mqsim = figures_of_flow[operation]["device_response_ns"]
            ours = queues[int(flow)].device_latency_us[operation]
            name = f"flow {flow} {operation}"
            yield Figure(
                f"{name} requests", "pages", figures_of_flow[operation]["count"], ours["count"]
            )
            yield Figure(f"{name} mean µs", "mean", mqsim["mean"] / 1e3, ours["mean"])
            yield Figure(f"{name} p99 µs", "p99", mqsim["p99"] / 1e3, ours["p99"])


def _drawn_totals(expected: dict[str, Any], report: Report) -> Iterator[Figure]:
    """Yield the totals of pages, which are compared for any number of planes."""
    yield Figure("makespan µs", "makespan", expected["makespan_ns"] / 1e3, report.makespan_us)
    flash = flash_of_run(report)
    for name, key, ours in (
        ("pages read", "read", flash["reads"]),
        ("pages programmed", "program", flash["programs"]),
        ("blocks erased", "erase", flash["erases"]),
    ):
        yield Figure(name, "pages", expected["pages"][key], ours)


def _totals(expected: dict[str, Any], report: Report) -> Iterator[Figure]:
    yield Figure("makespan µs", "makespan", expected["makespan_ns"] / 1e3, report.makespan_us)
    flash = flash_of_run(report)
    for name, command, ours in (
        ("pages read", "Read", flash["reads"]),
        ("pages programmed", "Program", flash["programs"]),
        ("blocks erased", "Erase", flash["erases"]),
    ):
        yield Figure(name, "pages", _pages(expected["ftl"], command), ours)
    ftl = expected["ftl"]
    for name, key, ours, is_chance in (
        ("two-plane reads", "Multiplane_Read_CMD", flash["multiplane_reads"], True),
        ("two-plane programs", "Multiplane_Program_CMD", flash["multiplane_programs"], True),
        ("mapping reads", "Read_CMD_For_Mapping", flash["mapping_reads"], False),
    ):
        yield Figure(name, "commands", int(ftl.get(f"Issued_Flash_{key}", 0)), ours, is_chance)


def _pages(ftl: dict[str, str], command: str) -> int:
    """Return pages or blocks from MQSim's counts of single-plane and multi-plane commands."""
    single = int(ftl.get(f"Issued_Flash_{command}_CMD", 0))
    several = int(ftl.get(f"Issued_Flash_Multiplane_{command}_CMD", 0))
    return single + several * PLANES_PER_COMMAND


def table(folder: Path) -> Table:
    """Compare all cases."""
    rows: list[list[Any]] = []
    for case in (*CASES, *DRAWN_CASES):
        shown_name = f"{case.name} ({case.differs})" if case.differs else case.name
        rows.extend(_rows(shown_name, case, figures_of(case, folder)))
        if case.follows:
            name = f"{case.name} with {' '.join(case.follows)}"
            rows.extend(_rows(name, case, figures_of(case, folder, case.follows)))
    return {"columns": COLUMNS, "rows": rows}


def _rows(name: str, case: Case, found: tuple[Figure, ...]) -> Iterator[list[Any]]:
    for figure in found:
        mark = "✗"
        if figure.is_within(case.tolerances):
            mark = "" if figure.is_near(case.tolerances) else "≈"
        shown = (round(float(figure.mqsim), 1), round(float(figure.ours), 1))
        yield [name, figure.name, *shown, round(figure.ratio, 4), mark]


def main() -> None:
    """Write the results."""
    folder = reference()
    if folder is None:
        sys.exit("error: the reference is not there; set VENICE_SHARED to the folder that has it")
    results.write(RESULTS, [table(folder)])


if __name__ == "__main__":
    main()
