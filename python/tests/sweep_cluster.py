"""Jobs on a Dask cluster of two processes, one of which is killed.

The jobs are a sweep, an exploration and a reproduction.

``python python/tests/sweep_cluster.py --runs 200`` prints what it counted; the test suite does less
(``test_sweep_cluster.py``). As in ``sweep_kills.py``, runs are counted by a log that the workers
write themselves. A run that was with the worker that died may begin again, on another.
"""

from __future__ import annotations

import argparse
import os
import signal
import sqlite3
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import distributed

from venice.exploration import Exploration, Objective, Search, explore
from venice.papers import Size, choose, reproduce
from venice.sweep import Sweep, run_sweep
from venice.sweep.cluster import connected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Executor

    Progress = Callable[[int, int], object]


class Counted(NamedTuple):
    """Counts of a job.

    Attributes
    ----------
    failed
        Points without a report.
    rows, attempts
        Finished runs in the store, and times that one was claimed.
    begun, runs_begun_again
        Lines of the workers' log, and runs that have more than one.
    workers
        Processes that have written to the log.
    is_same_table
        True if the outputs equal those of the same command on threads of this process.
    """

    failed: int
    rows: int
    attempts: int
    begun: int
    runs_begun_again: int
    workers: int
    is_same_table: bool


class Job(NamedTuple):
    """A job that runs on a cluster and, for comparison, on threads.

    Attributes
    ----------
    run
        Function that does the job in a folder, with an executor or on threads, and returns the
        failed points.
    written
        Files that the job writes besides the store; they must be equal on cluster and threads.
    """

    run: Callable[[Path, Executor | None, Progress | None], Sequence[object]]
    written: Sequence[str]


def main() -> None:
    """Do all jobs with a killed worker and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    chosen = parser.parse_args()
    jobs = {
        "sweep": a_sweep(chosen.runs),
        "exploration": an_exploration(chosen.runs),
        "reproduction": a_reproduction(),
    }
    for name, job in jobs.items():
        with tempfile.TemporaryDirectory() as folder:
            counted = kill_one_of_two(Path(folder), job, after=chosen.runs // 3)
        for what, value in counted._asdict().items():
            print(f"{name}: {what}: {value}")  # noqa: T201


def a_sweep(runs: int) -> Job:
    """Return a sweep with a given number of runs."""
    sweep = Sweep.of(
        {"workload": "random-read", "requests": 200},
        [{"fabric": ["bus", "venice"]}, {"seed": list(range(runs // 2))}],
    )

    def run(folder: Path, executor: Executor | None, progress: Progress | None) -> Sequence[object]:
        outcome = run_sweep(sweep, folder, executor=executor, progress=progress)
        assert len(outcome.results) == runs
        return outcome.failed

    return Job(run, ("results.csv",))


def an_exploration(runs: int) -> Job:
    """Return an exploration with a given number of runs."""
    exploration = Exploration.of(
        {"workload": "random-read", "requests": 200},
        [
            {"fabric": ["bus", "pssd", "venice"]},
            {"fabric.mesh.link_width_bits": {"from": 4, "to": 24}},
            {"host.queue_depth": [1, 4, 16, 64]},
        ],
        [Objective("latency_us.all.p99"), Objective("area.wires_in_channels")],
        search=Search(runs=runs),
    )

    def run(folder: Path, executor: Executor | None, progress: Progress | None) -> Sequence[object]:
        explored = explore(exploration, folder, executor=executor, progress=progress)
        chosen = [tuple(found.point.choices.values()) for found in explored.points]
        assert len(chosen) == runs
        (folder / "chosen.txt").write_text(repr(chosen))
        return explored.failed

    return Job(run, ("front.csv", "chosen.txt"))


def a_reproduction() -> Job:
    """Return experiments of the Venice paper, of some dozens of short runs."""
    size = Size("tiny", 100)

    def run(folder: Path, executor: Executor | None, progress: Progress | None) -> Sequence[object]:
        done = reproduce(
            choose(["fig11"]), folder, size, executor=executor, progress=progress, pictures=False
        )
        assert done.outcome is not None
        return done.outcome.failed

    return Job(run, ("fig11.csv", "scorecard.csv", "scorecard.md"))


@contextmanager
def cluster(workers: int = 2) -> Iterator[Any]:
    """Start a Dask cluster of processes on this machine."""
    local: Any = distributed.LocalCluster  # Dask's own types are not complete
    with local(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
    ) as made:
        yield made


def kill_one_of_two(folder: Path, job: Job, after: int) -> Counted:
    """Do a job on two workers, kill one after some runs, and return the counts."""
    log = folder / "begun.log"
    killed: list[int] = []

    with cluster() as made:
        log_begun(made, log)
        first = next(iter(made.workers.values())).pid

        def kill(done: int, _all: int) -> None:
            if done >= after and not killed:
                killed.append(first)
                os.kill(first, signal.SIGKILL)

        with connected(made.scheduler_address) as executor:
            failed = job.run(folder / "cluster", executor, kill)
    assert killed
    job.run(folder / "here", None, None)
    lines = log.read_text().split("\n")[:-1]
    keys = [line.split(maxsplit=1)[1] for line in lines]
    rows, attempts = _counts(folder / "cluster")
    return Counted(
        failed=len(failed),
        rows=rows,
        attempts=attempts,
        begun=len(keys),
        runs_begun_again=sum(keys.count(key) > 1 for key in set(keys)),
        workers=len({line.split()[0] for line in lines}),
        is_same_table=all(
            (folder / "cluster" / name).read_bytes() == (folder / "here" / name).read_bytes()
            for name in job.written
        ),
    )


def log_begun(made: Any, log: Path) -> None:  # noqa: ANN401
    """Make each worker, also those that join later, write a line to the log when a run begins."""

    class Logged(distributed.WorkerPlugin):
        """Defined in the function, so that Dask sends it to workers that do not have this file."""

        def setup(self, worker: object) -> None:  # noqa: ARG002 Dask's
            import json  # noqa: PLC0415 on the worker
            import os  # noqa: PLC0415

            from venice.sweep import cluster  # noqa: PLC0415

            module: Any = cluster
            plain = module.run_options

            def logged(options: Any) -> Any:  # noqa: ANN401
                name = json.dumps(vars(options), sort_keys=True, default=str)
                file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
                os.write(file, f"{os.getpid()} {name}\n".encode())
                os.close(file)
                return plain(options)

            module.run_options = logged

    client: Any = distributed.Client
    with client(made, set_as_default=False) as own:
        own.register_plugin(Logged())


def _counts(folder: Path) -> tuple[int, int]:
    with closing(sqlite3.connect(folder / "results.sqlite")) as database:
        rows = database.execute("SELECT count(*) FROM finished").fetchone()[0]
        return rows, database.execute("SELECT count(*) FROM attempts").fetchone()[0]


if __name__ == "__main__":
    main()
