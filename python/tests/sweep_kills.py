"""Kills a sweep at random times, and checks that no result is lost and no run is repeated.

``python python/tests/sweep_kills.py --runs 200 --kills 20`` does all of it and prints what it
counted; the test suite does less (``test_sweep_kills.py``).

What is counted: a run has *begun* when its function is entered, it has *ended* when that returns;
both are lines of a log that the function writes itself, apart from the store. It is *finished* when
its report is in the store. After each kill the finished runs are read from the store; none of them
may ever begin again. A run that had begun, or even ended, but was not finished is under way: there
are at most as many of these at a kill as are handed out at a time, and it may begin again.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from venice.sweep import Sweep, run_sweep, runner
from venice.sweep.key import Keys

if TYPE_CHECKING:
    from venice._native import Drive
    from venice.execution.pool import SharedResources
    from venice.options.run_options import RunOptions
    from venice.report import Report

LOG = "begun-and-ended.log"
MEASURED = frozenset({"wall_s"})


class Counted(NamedTuple):
    """Counts of kills and runs.

    Attributes
    ----------
    kills
        Kills during which the sweep was running.
    begun, ended, finished
        Runs that began, that ended, and that are in the store.
    begun_after_finished
        Runs that began again although they were finished; must be 0.
    most_begun
        How often a single run began.
    under_way
        Runs that had begun and were not finished at a kill, over all kills.
    is_same_table
        Whether the table is that of a sweep that nobody disturbed.
    """

    kills: int
    begun: int
    ended: int
    finished: int
    begun_after_finished: int
    most_begun: int
    under_way: int
    is_same_table: bool


def main() -> None:
    """Kill a sweep repeatedly and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        counted = kill_and_count(Path(folder), chosen.runs, chosen.kills, chosen.seed)
    for name, value in counted._asdict().items():
        print(f"{name}: {value}")  # noqa: T201


def kill_and_count(folder: Path, runs: int, kills: int, seed: int) -> Counted:
    """Run a sweep to its end with a number of kills, and another one without kills."""
    began = time.monotonic()
    _start(folder, "undisturbed", runs).wait()
    whole_s = time.monotonic() - began
    draw = random.Random(seed)  # noqa: S311 moments, no secrets
    log = folder / "killed" / LOG
    seen: list[tuple[int, set[str]]] = []
    under_way = 0
    for _ in range(kills):
        process = _start(folder, "killed", runs)
        _wait_for_a_run(process, log)
        time.sleep(draw.uniform(0, whole_s / kills))
        process.send_signal(signal.SIGKILL)
        if process.wait() != -signal.SIGKILL:
            break
        done, lines = _finished(folder / "killed"), _lines(log)
        under_way += len({key for what, key in lines if what == "begun"} - done)
        seen.append((len(lines), done))
    assert _start(folder, "killed", runs).wait() == 0, "the last call fails"
    return _count(folder, runs, seen, under_way)


def _count(folder: Path, runs: int, seen: list[tuple[int, set[str]]], under_way: int) -> Counted:
    lines = _lines(folder / "killed" / LOG)
    begun = [key for what, key in lines if what == "begun"]
    again = sum(key in done for many, done in seen for what, key in lines[many:] if what == "begun")
    finished = _finished(folder / "killed")
    assert len(finished) <= runs
    return Counted(
        kills=len(seen),
        begun=len(begun),
        ended=sum(what == "ended" for what, _ in lines),
        finished=len(finished),
        begun_after_finished=again,
        most_begun=max(map(begun.count, set(begun))),
        under_way=under_way,
        is_same_table=_table(folder / "killed") == _table(folder / "undisturbed"),
    )


def _start(folder: Path, name: str, runs: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, __file__, str(folder / name), str(runs)])


def _wait_for_a_run(process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until this process has begun a run, so that the kill interrupts it."""
    before = len(_lines(log))
    while process.poll() is None and len(_lines(log)) <= before:
        time.sleep(0.005)


def _lines(log: Path) -> list[tuple[str, str]]:
    if not log.exists():
        return []
    rows = [line.split() for line in log.read_text().splitlines()]
    return [(row[0], row[1]) for row in rows]


def _finished(folder: Path) -> set[str]:
    with closing(sqlite3.connect(folder / "results.sqlite")) as database:
        return {key for (key,) in database.execute("SELECT key FROM finished")}


def _table(folder: Path) -> list[dict[str, str]]:
    with (folder / "results.csv").open() as file:
        rows = list(csv.DictReader(file))
    return [{key: cell for key, cell in row.items() if key not in MEASURED} for row in rows]


def _sweep(folder: Path, runs: int) -> None:
    """Run the sweep in this process; every run writes when it begins and ends."""
    folder.mkdir(exist_ok=True)
    # Short lines are appended atomically, so none is lost with the process.
    log = os.open(folder / LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    plain = runner._run_stoppable  # noqa: SLF001

    def logged(options: RunOptions, drive: Drive | None, shared: SharedResources) -> Report:
        key = Keys().of(options)
        os.write(log, f"begun {key}\n".encode())
        report = plain(options, drive, shared)
        os.write(log, f"ended {key}\n".encode())
        return report

    runner._run_stoppable = logged  # noqa: SLF001
    sweep = Sweep.of(
        {"workload": "random-read", "requests": 200},
        [{"fabric": ["bus", "venice"]}, {"seed": list(range(runs // 2))}],
    )
    outcome = run_sweep(sweep, folder)
    assert len(outcome.results) == runs, outcome.failed


if __name__ == "__main__":
    if len(sys.argv) == 3 and not sys.argv[1].startswith("-"):
        _sweep(Path(sys.argv[1]), int(sys.argv[2]))
    else:
        main()
