"""Compare the speed of two builds of Venice on the cases of ``venice bench-mqsim``, in pairs.

Each pair runs both builds one after the other on the same files; the first of a pair alternates.
The measure of a case is the median ratio of processor times over its pairs. The exit code is 1 if a
case is slower by more than the limit.
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

LIMIT_PCT = 5.0


class Pair(NamedTuple):
    """Processor seconds of one run of each build."""

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


def measure(base: Path, head: Path, folder: Path, pairs: int) -> list[Pair]:
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


def compare(options: argparse.Namespace) -> list[str]:
    """Print a row for each case; return the names of those that are slower than allowed."""
    print("| case | BASE s | HEAD s | slower by |")
    print("| --- | ---: | ---: | ---: |")
    slow = []
    for case in chosen_cases(options.cases):
        with tempfile.TemporaryDirectory() as name:
            case.write(Path(name), options.requests)
            found = measure(options.base, options.head, Path(name), options.pairs)
        base_s, head_s = (statistics.median(times) for times in zip(*found, strict=True))
        pct = slowdown_pct(found)
        print(f"| {case.name} | {base_s:.3f} | {head_s:.3f} | {pct:+.1f} % |", flush=True)
        slow += [case.name] if pct > options.limit else []
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
    options = parser.parse_args()
    if slow := compare(options):
        sys.exit(f"error: HEAD is slower by more than {options.limit:g} %: {', '.join(slow)}")


if __name__ == "__main__":
    main()
