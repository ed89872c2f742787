"""A sweep on a Dask cluster of two processes, one of which is killed on the way.

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

from venice.sweep import Sweep, run_sweep
from venice.sweep.cluster import connected

if TYPE_CHECKING:
    from collections.abc import Iterator


class Counted(NamedTuple):
    """What was counted.

    Attributes
    ----------
    results, failed
        Points with a report, and without.
    rows, attempts
        Finished runs in the store, and times that one was claimed.
    begun, runs_begun_again
        Lines of the workers' log, and runs that have more than one.
    workers
        Processes that have written to the log.
    is_same_table
        Whether the table is that of a sweep on threads of this process.
    """

    results: int
    failed: int
    rows: int
    attempts: int
    begun: int
    runs_begun_again: int
    workers: int
    is_same_table: bool


def main() -> None:
    """Kill, count and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        counted = kill_one_of_two(Path(folder), chosen.runs)
    for name, value in counted._asdict().items():
        print(f"{name}: {value}")  # noqa: T201


@contextmanager
def cluster(workers: int = 2) -> Iterator[Any]:
    """Give a cluster of processes of this machine."""
    local: Any = distributed.LocalCluster  # Dask's own types are not complete
    with local(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
    ) as made:
        yield made


def kill_one_of_two(folder: Path, runs: int) -> Counted:
    """Run a sweep on two workers, kill one after a third of the runs, and count."""
    sweep = Sweep.of(
        {"workload": "random-read", "requests": 200},
        [{"fabric": ["bus", "venice"]}, {"seed": list(range(runs // 2))}],
    )
    log = folder / "begun.log"
    killed: list[int] = []

    with cluster() as made:
        log_begun(made, log)
        first = next(iter(made.workers.values())).pid

        def kill(done: int, _all: int) -> None:
            if done >= runs // 3 and not killed:
                killed.append(first)
                os.kill(first, signal.SIGKILL)

        with connected(made.scheduler_address) as executor:
            outcome = run_sweep(sweep, folder / "cluster", executor=executor, progress=kill)
    run_sweep(sweep, folder / "here")
    lines = log.read_text().split("\n")[:-1]
    keys = [line.split(maxsplit=1)[1] for line in lines]
    rows, attempts = _counts(folder / "cluster")
    tables = [(folder / name / "results.csv").read_bytes() for name in ("cluster", "here")]
    return Counted(
        results=len(outcome.results),
        failed=len(outcome.failed),
        rows=rows,
        attempts=attempts,
        begun=len(keys),
        runs_begun_again=sum(keys.count(key) > 1 for key in set(keys)),
        workers=len({line.split()[0] for line in lines}),
        is_same_table=tables[0] == tables[1],
    )


def log_begun(made: Any, log: Path) -> None:  # noqa: ANN401
    """Let each worker, those that come later too, write a line when a run begins."""

    class Logged(distributed.WorkerPlugin):
        """Defined here, so that it travels to workers that do not have this file."""

        def setup(self, worker: object) -> None:  # noqa: ARG002 Dask's
            import json  # noqa: PLC0415 on the worker
            import os  # noqa: PLC0415

            from venice.sweep import cluster  # noqa: PLC0415

            module: Any = cluster
            plain = module.run_scenario

            def logged(scenario: Any) -> Any:  # noqa: ANN401
                name = json.dumps(scenario, sort_keys=True)
                file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
                os.write(file, f"{os.getpid()} {name}\n".encode())
                os.close(file)
                return plain(scenario)

            module.run_scenario = logged

    client: Any = distributed.Client
    with client(made, set_as_default=False) as own:
        own.register_plugin(Logged())


def _counts(folder: Path) -> tuple[int, int]:
    with closing(sqlite3.connect(folder / "results.sqlite")) as database:
        rows = database.execute("SELECT count(*) FROM finished").fetchone()[0]
        return rows, database.execute("SELECT count(*) FROM attempts").fetchone()[0]


if __name__ == "__main__":
    main()
