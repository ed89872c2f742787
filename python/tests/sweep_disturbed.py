"""Sweeps that are ended at random moments, and finished by the same command.

Each function disturbs ``venice sweep`` and returns the folder of its results, whose table has to be
that of an undisturbed sweep. A moment is a drawn number of finished runs and a short delay behind
it, so that a slow machine is disturbed in the middle of its work, too.
"""

from __future__ import annotations

import random
import resource
import sqlite3
import subprocess
import time
from contextlib import closing, suppress
from typing import TYPE_CHECKING, NamedTuple

from venice.sweep.store import FILE_NAME

from .conftest import COMMAND, environment

if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
    from pathlib import Path

LONGEST_DELAY_S = 0.03
"""A run takes some milliseconds, so a random delay of this length can hit each of its steps."""
SMALLEST_DISK_BYTES = 150_000
"""Minimum size of the full disk; an empty store and its log are smaller."""
_PATIENCE_S = 300.0


class Disturbed(NamedTuple):
    """A sweep to disturb.

    Attributes
    ----------
    folder
        Working folder of the command.
    runs
        Number of its runs.
    times
        Number of disturbances.
    random
        Source of the moments.
    """

    folder: Path
    runs: int
    times: int
    random: random.Random

    @classmethod
    def of(cls, folder: Path, runs: int, times: int, seed: int) -> Disturbed:
        """Write the definition of a sweep."""
        folder.mkdir()
        (folder / "s.toml").write_text(
            '[scenario]\nworkload = "random-read"\nrequests = 100\n[[axis]]\n'
            f'fabric = ["bus", "venice"]\n[[axis]]\nseed = {list(range(runs // 2))}\n'
        )
        return cls(folder, runs, times, random.Random(seed))  # noqa: S311 moments, no secrets

    @property
    def results(self) -> Path:
        """Folder of the results."""
        return self.folder / "out" / "s"

    def start(self, before: Callable[[], None] | None = None) -> subprocess.Popen[str]:
        """Start the command; the new process calls `before` first."""
        return subprocess.Popen(
            [*COMMAND, "sweep", "s.toml", "--workers", "1"],
            cwd=self.folder,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=before,  # noqa: PLW1509 no threads run here
        )

    def wait_for_a_moment(self, process: subprocess.Popen[str]) -> None:
        """Wait until the store has a drawn number of runs, or the process has ended."""
        share = max(1, (self.runs - finished(self.results)) // self.times)
        enough = finished(self.results) + self.random.randint(0, share)
        while process.poll() is None and finished(self.results) < enough:
            time.sleep(0.002)
        time.sleep(self.random.uniform(0, LONGEST_DELAY_S))


def finished(results: Path) -> int:
    """Count the runs in a store; none if there is no store yet."""
    with suppress(sqlite3.OperationalError):
        address = f"{(results / FILE_NAME).as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as database:
            return int(database.execute("SELECT count(*) FROM finished").fetchone()[0])
    return 0


def finish(sweep: Disturbed) -> Path:
    """Run the command to its end and check that standard error is empty."""
    _end(sweep.start())
    return sweep.results


def end_by(sweep: Disturbed, number: signal.Signals) -> Path:
    """End the command repeatedly by a signal."""
    hit = 0
    for _ in range(sweep.times):
        process = sweep.start()
        sweep.wait_for_a_moment(process)
        process.send_signal(number)
        _, reported = process.communicate(timeout=_PATIENCE_S)
        assert "Traceback" not in reported, reported
        hit += process.returncode != 0
    assert hit, "the sweep was over before the first signal"
    return finish(sweep)


def fill_disks(sweep: Disturbed) -> Path:
    """Simulate a full disk repeatedly: no file may grow beyond a random size."""
    hit = 0
    for _ in range(sweep.times):
        size = max(SMALLEST_DISK_BYTES, _size(sweep.results / FILE_NAME))
        limit = size + sweep.random.randint(0, 3000 * sweep.runs // sweep.times)
        process = sweep.start(lambda: _limit_files(limit))  # noqa: B023 called within this pass
        _, reported = process.communicate(timeout=_PATIENCE_S)
        assert process.returncode in (0, 1), reported
        assert process.returncode == 0 or "could not be written" in reported, reported
        hit += process.returncode
    assert hit, "no disk was too small"
    return finish(sweep)


def kill_one_of_two(sweep: Disturbed) -> Path:
    """Kill repeatedly one of two processes that share the runs."""
    other = sweep.start()
    for _ in range(sweep.times):
        process = sweep.start()
        sweep.wait_for_a_moment(process)
        process.kill()
        process.communicate(timeout=_PATIENCE_S)
    _end(other)
    return sweep.results


def _end(process: subprocess.Popen[str]) -> None:
    _, reported = process.communicate(timeout=_PATIENCE_S)
    assert (process.returncode, reported) == (0, "")


def _limit_files(limit: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
