"""How near runs of MQSim's files come to MQSim's own answers.

The reference is a folder with one folder for each case: MQSim's two files, the requests that it
served (``requests.csv.zst``) and its figures (``expected.json``). As a program, this writes the
page of the documentation.
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

from venice.mqsim.run import Mqsim
from venice.report.work import flash_of_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from venice import Report

REPOSITORY = Path(__file__).resolve().parents[2]
TABLE = REPOSITORY / "docs" / "models" / "mqsim-agreement.md"

PLANES_PER_COMMAND = 2
"""Planes of a multi-plane command: every case has two planes to a die."""


class Tolerances(NamedTuple):
    """Largest accepted differences, as shares of MQSim's figure."""

    mean: float
    p99: float
    makespan: float
    pages: float
    commands: float
    """Of commands to two planes, beside what chance does to their number, and of mapping reads."""


CLOSE = Tolerances(mean=0.03, p99=0.05, makespan=0.02, pages=0.01, commands=0.05)
STATISTICAL = Tolerances(mean=0.10, p99=0.10, makespan=0.10, pages=0.10, commands=0.10)

STANDARD_DEVIATIONS = 3
"""How far chance may take the number of times that two planes happen to meet."""


class Case(NamedTuple):
    """A case of the reference and what is expected of it."""

    name: str
    tolerances: Tolerances = CLOSE
    folder: str = "mqsim"
    """Below the folder of the references."""
    differs: str | None = None
    """The mechanism by which it is outside the tolerances, if it is."""
    follows: tuple[str, ...] = ()
    """Settings with which this program does as MQSim does, where that is not its default."""
    spread_us: Mapping[str, tuple[float, float]] = MappingProxyType({})
    """Least and most that MQSim itself gives for a figure under small changes of a time."""


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
"""Runs on files drawn at random, whose lists are in order of issue."""

CLASSES = (
    "priority turns: a chip of MQSim with work of the low class alone waits; "
    "sectors beyond a page of 32 KB are lost"
)
DWCP = "pages that were read first lie elsewhere in MQSim with the order DWCP"
TURNS = ("ftl.scheduling=priority_turns", "ftl.sector_sets=shifted")
BY_DIE = ("ftl.unwritten_place=plane_by_die",)
PLAIN011 = MappingProxyType({"flow 0 write p99 µs": (3_186.5, 3_415.1)})
"""Of 41 runs of MQSim whose flash reads, or programs, take up to 100 ns more or less."""

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
    """One figure of a case, MQSim's and ours."""

    name: str
    kind: str
    """The field of :class:`Tolerances` that it is judged by."""
    mqsim: float
    ours: float
    is_chance: bool = False
    """Whether it counts coincidences, which another order of a few requests makes anew."""
    spread: tuple[float, float] | None = None
    """Least and most that MQSim itself gives for it."""

    @property
    def ratio(self) -> float:
        """Ours over MQSim's."""
        if self.mqsim == 0:
            return 1.0 if self.ours == 0 else float("inf")
        return self.ours / self.mqsim

    def is_within(self, tolerances: Tolerances) -> bool:
        """Whether the two agree."""
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
        """Whether it is near some figure that MQSim itself gives under small changes."""
        if self.spread is None:
            return False
        (least, most), bound = self.spread, getattr(tolerances, self.kind)
        return bool(least * (1 - bound) <= self.ours <= most * (1 + bound))

    def is_near(self, tolerances: Tolerances) -> bool:
        """Whether the two agree without an allowance for chance."""
        return bool(abs(self.ratio - 1) <= getattr(tolerances, self.kind))


def reference() -> Path | None:
    """Give the folder of the references, which is not in the repository."""
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
    """Give the totals of a case of any number of planes: pages that were counted one by one."""
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
    """Give pages, or blocks, from MQSim's counts of commands with one plane and with several."""
    single = int(ftl.get(f"Issued_Flash_{command}_CMD", 0))
    several = int(ftl.get(f"Issued_Flash_Multiplane_{command}_CMD", 0))
    return single + several * PLANES_PER_COMMAND


HEAD = """\
# Agreement with MQSim

Twenty-seven runs of MQSim (Tavakkol et al., FAST 2018; commit 7ec40e3), each with MQSim's
own two files and exactly the requests that MQSim served:

```
venice mqsim --config ssdconfig.xml --workload workload.xml --requests requests.csv.zst
```

Times are MQSim's device response times: enqueue to completion. Pages are those of all commands,
whatever their purpose, with one plane or two.

Accepted differences: mean 3 %, p99 5 %, makespan 2 %, pages 1 %, mapping reads and commands to two
planes 5 %; 10 % each for p10, whose drive MQSim fills at random. Figures outside are marked ✗.

The first thirteen have one flow, or two, of whole pages. The others were drawn at random, out of a
hundred with several flows, caches, collection, open loops, classes, traces and preconditioning.
Where one of them is outside, the reason stands behind its name, [known defects of MQSim] has the
evidence for it, and it stands a second time with the setting that does as MQSim does.

The p99 of flow 0's writes in plain011 is compared with what MQSim itself gives for it when reads of
flash, or programs, take up to 100 ns more or less (of 45 µs and 1.4 ms; 41 runs): 3,186.5 to
3,415.1 µs. It counts as near if it is within 5 % of that range, and is marked ≈.

Commands to two planes are coincidences, a few in a thousand pages: two transactions wait for one
die, on different planes, at the same page offset. Figures outside 5 % but within what chance
does to such a number (three times its root) are marked ≈. The reason for them is the order of
the first requests: those that arrive together at the start are issued in the order of the list,
which is that of their completion and not that of their issue, and every later coincidence is
another one. In the order in which MQSim issued them (known from a run of it that prints it) p03
has its 28 two-plane reads and 15 two-plane programs and all its other figures to 0.03 %, p08 23
and 11 for 23 and 12, p09 22 and 7 for 23 and 7, and p12, if its second flow starts before its
first as in MQSim, 72 and 30 for 71 and 30. How MQSim gives out pages, and what it takes to do
the same: [page allocation], [data from before the run].

`make agreement` writes this page anew.

## What of MQSim is not taken over

What a parameter says counts, with eight named exceptions ([compatibility with MQSim]);
[known defects of MQSim] lists all that is known. Besides, MQSim

- rounds the time of two bytes on a channel down to whole nanoseconds: 501 MT/s take the time of
  1,000, and more than that none;
- loses requests that meet a page which collection is moving: they are handed to the map, which does
  not know them, and are never answered. Runs then end with requests unserved, most of all on small
  drives, and the list of requests that were served lacks them;
- chooses at times a block that gains nothing, and then collects nothing on that plane until it has
  filled another block;
- cannot move pages by copyback, nor suspend a command, nor use its simple cache: it ends, or the
  setting has no effect;
- draws sizes of a normal distribution below zero as sizes near 65,536 sectors;
- counts the offset of a replayed trace twice in the arrivals that it records (they are in the
  future when requests are issued);
- takes the plane of an unwritten page from the list of dies with the order DWCP;
- wants every page of a preconditioned flow to find its place, and refuses many combinations of
  occupancy and working set that make a drive here.

[known defects of MQSim]: mqsim-defects.md
[page allocation]: ../decisions/page-allocation.md
[data from before the run]: ../decisions/unwritten-data.md
[compatibility with MQSim]: ../decisions/mqsim-compatibility.md

"""


def table(folder: Path) -> str:
    """Write the page of the documentation."""
    lines = [
        *HEAD.splitlines(),
        "| case | figure | MQSim | Venice | ratio | |",
        "| --- | --- | ---: | ---: | ---: | --- |",
    ]
    for case in (*CASES, *DRAWN_CASES):
        shown_name = f"{case.name} ({case.differs})" if case.differs else case.name
        lines.extend(_rows(shown_name, case, figures_of(case, folder)))
        if case.follows:
            name = f"{case.name} with {' '.join(case.follows)}"
            lines.extend(_rows(name, case, figures_of(case, folder, case.follows)))
    return "\n".join(lines) + "\n"


def _rows(name: str, case: Case, found: tuple[Figure, ...]) -> Iterator[str]:
    for figure in found:
        mark = "✗"
        if figure.is_within(case.tolerances):
            mark = "" if figure.is_near(case.tolerances) else "≈"
        shown = f"{figure.mqsim:,.1f} | {figure.ours:,.1f} | {figure.ratio:.4f} | {mark}"
        yield f"| {name} | {figure.name} | {shown} |"


def main() -> None:
    """Write the table."""
    folder = reference()
    if folder is None:
        sys.exit("error: the reference is not there; set VENICE_SHARED to the folder that has it")
    TABLE.write_text(table(folder))


if __name__ == "__main__":
    main()
