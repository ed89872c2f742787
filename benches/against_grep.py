"""Processor time of ``venice grep`` relative to GNU ``grep``, and its memory.

``python benches/against_grep.py FILE...``, of some hundred megabytes of text. The results are
medians of user and system time of complete commands in the C locale, run alternately with output
into a pipe. Use an ordinary build (``make install``).
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path

CASES = (
    ("young, a pattern that is nowhere", (), ("-c", "zqjxzqjx")),
    ("young", (), ("-c", "e")),
    ("young", (), ("-x", "-c", "return")),
    (
        "2,000 cycles and 12 months",
        ("--set", "pif.pe_cycles=2000", "--set", "pif.retention_days=365"),
        ("-c", "License"),
    ),
)
ROUNDS = 5
VENICE = (sys.executable, "-m", "venice", "grep")
GREP = ("grep", "-a", "-F")


def seconds(command: list[str]) -> float:
    """Return the processor time that a command takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "LC_ALL": "C"}
    subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)  # noqa: S603 ours
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Run all measurements and print the table."""
    files = sys.argv[1:]
    if not files:
        sys.exit(__doc__)
    total = sum(Path(file).stat().st_size for file in files)
    print(f"{total / 1e6:,.0f} MB")
    for name, sets, options in CASES:
        ours, theirs = [], []
        for _ in range(ROUNDS):
            ours.append(seconds([*VENICE, *sets, *options, *files]))
            theirs.append(seconds([*GREP, *options, *files]))
        venice, grep = statistics.median(ours), statistics.median(theirs)
        print(
            f"{name}, {' '.join(options)}: {venice:.2f} s, {grep:.3f} s, {venice / grep:.1f} times"
        )
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"most memory of a process: {most / 1024:,.0f} MiB")


if __name__ == "__main__":
    main()
