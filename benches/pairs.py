"""Compare the speed of two builds of Venice on the cases of ``venice bench-mqsim``, in pairs.

Each pair runs both builds one after the other on the same files; the first of a pair alternates.
Processor times are those of the whole command without its start, which is the time of the same
case with few requests. The measure of a case is the median ratio over its pairs. The exit code is 1
if a case is slower by more than the limit, or if the start takes longer than its own limit.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from venice.mqsim.bench.bench import chosen_cases
from venice.mqsim.bench.cases import CASES, CONFIG, WORKLOAD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.mqsim.bench.cases import BenchCase

LIMIT_PCT = 5.0
#: Requests of a run that measures the start; each flow of a case has at least one.
START_REQUESTS = 10
#: Processor time in which a command must start, in milliseconds.
START_LIMIT_MS = 150.0


class Pair(NamedTuple):
    """Processor seconds of one run of each build, without the start."""

    base_s: float
    head_s: float


def slowdown_pct(pairs: Sequence[Pair]) -> float:
    """Return the median slowdown of HEAD against BASE in percent; negative if HEAD is faster."""
    return (statistics.median(pair.head_s / pair.base_s for pair in pairs) - 1) * 100


def cpu_s(venice: Path, folder: Path) -> float:
    """Run a build on the files in a folder; return its processor time in seconds."""
    arguments = [
        *(str(venice), "mqsim", "--config", str(folder / CONFIG)),
        *("--workload", str(folder / WORKLOAD)),
    ]
    output = folder / "output.txt"
    redirected = [
        (os.POSIX_SPAWN_OPEN, 1, str(output), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    pid = os.posix_spawn(arguments[0], arguments, os.environ, file_actions=redirected)
    _, status, usage = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"error: `{' '.join(arguments)}` failed\n{output.read_text(errors='replace')}")
    return usage.ru_utime + usage.ru_stime


def in_pairs(base: Path, head: Path, folder: Path, pairs: int) -> list[Pair]:
    """Run both builds in pairs on the files in a folder; a run of each before is not counted."""
    for venice in (base, head):
        cpu_s(venice, folder)
    found = []
    for number in range(pairs):
        if number % 2 == 0:
            base_s, head_s = cpu_s(base, folder), cpu_s(head, folder)
        else:
            head_s, base_s = cpu_s(head, folder), cpu_s(base, folder)
        found.append(Pair(base_s, head_s))
    return found


def medians(pairs: Sequence[Pair]) -> Pair:
    """Return the median time of each build."""
    return Pair(*(statistics.median(times) for times in zip(*pairs, strict=True)))


class Measured(NamedTuple):
    """Times of a case: of the start, and of the pairs without it."""

    start: Pair
    pairs: list[Pair]


def measure(case: BenchCase, options: argparse.Namespace) -> Measured:
    """Run a case in pairs, with few requests and with all."""
    found = []
    for requests in (START_REQUESTS, options.requests):
        with tempfile.TemporaryDirectory() as name:
            case.write(Path(name), requests)
            found.append(in_pairs(options.base, options.head, Path(name), options.pairs))
    start = medians(found[0])
    return Measured(
        start, [Pair(pair.base_s - start.base_s, pair.head_s - start.head_s) for pair in found[1]]
    )


def compare(options: argparse.Namespace) -> list[str]:
    """Print a row for each case; return the names of those that are slower than allowed."""
    print("| case | start BASE ms | start HEAD ms | BASE s | HEAD s | slower by |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    slow = []
    for case in chosen_cases(options.cases):
        start, pairs = measure(case, options)
        base_s, head_s = medians(pairs)
        starts = f"{start.base_s * 1000:.0f} | {start.head_s * 1000:.0f}"
        pct = slowdown_pct(pairs)
        print(
            f"| {case.name} | {starts} | {base_s:.3f} | {head_s:.3f} | {pct:+.1f} % |", flush=True
        )
        if pct > options.limit or start.head_s * 1000 > options.start_limit_ms:
            slow.append(case.name)
    return slow


def main() -> None:
    """Measure all cases; fail if one is slower than allowed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", type=Path, help="`venice` program of the older build")
    parser.add_argument("head", type=Path, help="`venice` program of the newer build")
    names = ", ".join(case.name for case in CASES)
    parser.add_argument("--cases", nargs="+", default=(), help=f"cases [default: {names}]")
    parser.add_argument("--pairs", type=int, default=9, help="pairs per case [default: 9]")
    parser.add_argument(
        "--requests", type=int, default=1_000_000, help="requests per run [default: 1000000]"
    )
    parser.add_argument(
        "--limit", type=float, default=LIMIT_PCT, help="largest slowdown in percent [default: 5]"
    )
    parser.add_argument(
        "--start-limit-ms",
        type=float,
        default=START_LIMIT_MS,
        help="longest start of HEAD, in ms of processor time [default: 150]",
    )
    options = parser.parse_args()
    if slow := compare(options):
        limits = f"{options.limit:g} %, or starts in more than {options.start_limit_ms:g} ms"
        sys.exit(f"error: HEAD is slower by more than {limits}: {', '.join(slow)}")


if __name__ == "__main__":
    main()
