"""Time whole `venice` commands: the figures of docs/models/performance.md.

Run by ``make bench``. Each command is run several times; the median wall time, the requests per
second that the engine alone reached, and the largest memory of the process are printed.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

RUNS = 3

RANDOM_READ = "--drive mqsim-default --workload random-read --closed-loop 16 --requests 10000000"
RANDOM_WRITE = "--drive mqsim-default --workload random-write --closed-loop 16 --requests 1000000"
MIXED = "--drive venice-performance --workload mixed-70-30 --closed-loop 32 --requests 1000000"

COMMANDS = {
    "10,000,000 random 4-KiB reads, depth 16, mqsim-default": RANDOM_READ,
    "1,000,000 random writes, depth 16, mqsim-default": RANDOM_WRITE,
    "1,000,000 mixed, depth 32, venice-performance, bus": f"{MIXED} --fabric bus",
    "1,000,000 mixed, depth 32, venice-performance, nossd": f"{MIXED} --fabric nossd",
    "1,000,000 mixed, depth 32, venice-performance, venice": f"{MIXED} --fabric venice",
    "412-GB venice-performance opened, one request": (
        "--drive venice-performance --workload random-read --requests 1"
    ),
}

READS = "--workload random-read --requests 500000"
MESH = {
    "bus": "--drive venice-performance --fabric bus",
    "venice, to the letter": "--drive venice-letter --fabric venice",
    "venice": "--drive venice-performance --fabric venice",
}
LOADS = {
    "8×8, depth 16": "--closed-loop 16",
    "8×8, depth 32": "--closed-loop 32",
    "8×8, depth 256": "--closed-loop 256",
    "8×8, depth 2,048": "--closed-loop 2048",
    "16×16, depth 1,024": "--closed-loop 1024 --set array.rows=16 --set array.cols=16",
}


def run_once(arguments: list[str]) -> tuple[float, float]:
    """Run a command; return its wall time in seconds and its largest memory in MB."""
    start = time.perf_counter()
    pid = os.posix_spawn(arguments[0], arguments, os.environ, file_actions=silence())
    _, status, usage = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"error: {' '.join(arguments)} failed")
    return time.perf_counter() - start, usage.ru_maxrss / 1000


def silence() -> list[tuple[int, int, str, int, int]]:
    """Return file actions that discard a child's output and messages."""
    return [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]


def measure(venice: Path, options: str) -> tuple[float, float, float]:
    """Return the medians of wall seconds, requests per second of the engine, and memory in MB."""
    walls, rates, memories = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        for _ in range(RUNS):
            wall, memory = run_once([str(venice), "run", *options.split(), "--json", str(report)])
            figures = json.loads(report.read_text())
            walls.append(wall)
            memories.append(memory)
            rates.append(figures["requests"]["completed"] / figures["wall_s"])
    return statistics.median(walls), statistics.median(rates), statistics.median(memories)


def main() -> None:
    """Print one row for each command, as Markdown."""
    venice = Path(sys.executable).with_name("venice")
    print("| command | wall s | requests/s | memory MB |")
    print("| --- | ---: | ---: | ---: |")
    for name, options in COMMANDS.items():
        wall, rate, memory = measure(venice, options)
        print(f"| {name} | {wall:.2f} | {rate:,.0f} | {memory:.0f} |", flush=True)
    mesh_table(venice)


def mesh_table(venice: Path) -> None:
    """Print the engine's speed on each fabric in thousands of requests per second."""
    print("\n| random 4-KiB reads | " + " | ".join(MESH) + " | bus / letter | bus / venice |")
    print("| --- |" + " ---: |" * (len(MESH) + 2))
    for name, load in LOADS.items():
        bus, letter, best = (
            measure(venice, f"{READS} {drive} {load}")[1] for drive in MESH.values()
        )
        rates = " | ".join(f"{rate / 1000:,.0f}" for rate in (bus, letter, best))
        print(f"| {name} | {rates} | {bus / letter:.1f} | {bus / best:.1f} |", flush=True)


if __name__ == "__main__":
    main()
