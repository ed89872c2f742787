"""The store of a sweep: concurrent use, refusals, and queries."""

from __future__ import annotations

import csv
import json
import pickle
import resource
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

import venice as api
from venice import Sweep, UsageError, run_sweep
from venice.files.output import OutputError
from venice.sweep import runner
from venice.sweep.key import run_key
from venice.sweep.outcome import RunOutcome
from venice.sweep.store import FILE_NAME, Store, StoreError, claims
from venice.sweep.store.database import explained
from venice.sweep.store.query import Query
from venice.sweep.store.status import Status, status

from .conftest import COMMAND, environment

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from venice.options.run_options import RunOptions
    from venice.report import Report

    from .conftest import Outcome

_BASE = {"workload": "random-read", "requests": 100}
_DEFINITION = (
    '[scenario]\nworkload = "random-read"\nrequests = 100\n'
    '[[axis]]\nfabric = ["bus", "venice"]\n[[axis]]\n"host.queue_depth" = [1, 4]\n'
)


def _rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / FILE_NAME)) as database:
        rows = database.execute(query).fetchall()
        database.commit()
        return rows


def _fabrics() -> Sweep:
    return Sweep.of(_BASE, [{"fabric": ["bus", "ideal"]}])


def test_a_report_comes_out_of_the_store_as_it_went_in(tmp_path: Path) -> None:
    reports = [api.run(fabric="bus", workload="mixed-70-30", requests=300, seed=n) for n in (1, 2)]
    with Store(tmp_path) as store:
        for place, report in enumerate(reports):
            store.put(str(place), report)
        kept = [store.get(str(place)) for place in range(3)]
    assert [report and report.to_json() for report in kept] == [
        *(report.to_json() for report in reports),
        None,
    ]


def test_the_engine_writes_a_report_as_python_would_so_that_its_text_is_kept(
    tmp_path: Path,
) -> None:
    report = api.run(fabric="venice", requests=100, workload="random-read")
    again = api.Report(report.to_dict())
    assert report.to_text() == again.to_text()
    assert "e-09" in report.to_text(), "no number that the two could write differently"
    sent = pickle.loads(pickle.dumps(report))  # noqa: S301 our own
    assert (sent.to_text(), sent) == (report.to_text(), report)
    with Store(tmp_path) as store:
        store.put("one", report)
        store.put("two", again)
        one, two = map(store.get, ("one", "two"))
    assert one == two == report


def test_reports_of_one_store_share_what_they_have_in_common(tmp_path: Path) -> None:
    run_sweep(Sweep.of(_BASE, [{"seed": [1, 2, 3]}]), tmp_path)
    sizes = [size for (size,) in _rows(tmp_path, "SELECT length(report) FROM reports")]
    whole = len((tmp_path / "results.json").read_bytes()) / 3
    assert max(sizes) < whole / 6


def test_an_interrupted_run_counts_once_however_often_it_was_tried(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    run_sweep(_fabrics(), tmp_path / "out")
    for _ in range(3):
        _rows(
            tmp_path / "out",
            "INSERT INTO attempts (key, process, begun, ended, outcome) "
            "SELECT key, process, begun, ended, 'lost' FROM attempts WHERE id = 1",
        )
    assert "1 run interrupted at least once" in venice("sweep", "status", "out").stdout


def test_two_processes_share_a_sweep_without_repeated_runs(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(
        '[scenario]\nworkload = "random-read"\nrequests = 300\n'
        f"[[axis]]\nseed = {list(range(60))}\n"
    )
    command = [*COMMAND, "sweep", "s.toml", "--workers", "1"]
    both = [
        subprocess.Popen(command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    reported = [process.communicate(timeout=60)[0].decode() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert all("60 runs in out/s/results.csv" in text for text in reported)
    folder = tmp_path / "out" / "s"
    assert _rows(folder, "SELECT count(*), count(DISTINCT key) FROM attempts") == [(60, 60)]
    shares = [count for (count,) in _rows(folder, "SELECT count(*) FROM attempts GROUP BY process")]
    assert len(shares) == 2, "one process did everything"


def test_a_run_of_another_process_that_lives_is_waited_for(tmp_path: Path) -> None:
    sweep = _fabrics()
    keys = [run_key(point.scenario) for point in sweep.points]
    with Store(tmp_path) as other:
        other_claims = other.claims()
        # Another process from the store's point of view: this one with a different identifier.
        claimed = other_claims.claim(keys)
        assert set(claimed) == set(keys)
        done: list[runner.Outcome] = []
        waiting = threading.Thread(target=lambda: done.append(run_sweep(sweep, tmp_path)))
        waiting.start()
        time.sleep(1)
        assert waiting.is_alive()
        for point in sweep.points:
            other.put(run_key(point.scenario), api.run(**point.scenario))
        waiting.join(timeout=30)
    assert (done[0].found, len(done[0].results)) == (2, 2)


def test_the_claim_of_a_process_that_is_gone_is_taken_over_at_once(tmp_path: Path) -> None:
    script = (
        "import os, pathlib, sys\n"
        "from venice.sweep.store import Store\n"
        "Store(pathlib.Path(sys.argv[1])).claims().claim(sys.argv[2:])\n"
        "os.kill(os.getpid(), 9)\n"
    )
    sweep = _fabrics()
    keys = [run_key(point.scenario) for point in sweep.points]
    done = subprocess.run([sys.executable, "-c", script, tmp_path, *keys], check=False)
    assert done.returncode == -9
    assert len(_rows(tmp_path, "SELECT 1 FROM attempts WHERE ended IS NULL")) == 2
    began = time.monotonic()
    assert len(run_sweep(sweep, tmp_path).results) == 2
    assert time.monotonic() - began < claims.LEASE_S / 4
    assert _rows(tmp_path, "SELECT outcome, count(*) FROM attempts GROUP BY 1 ORDER BY 1") == [
        ("done", 2),
        ("lost", 2),
    ]


@pytest.mark.parametrize(("beats", "is_taken"), [(False, True), (True, False)])
def test_a_claim_of_another_machine_is_taken_over_when_its_beat_has_stopped_for_a_lease(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beats: bool, is_taken: bool
) -> None:
    monkeypatch.setattr(claims, "LEASE_S", 0.4)
    with Store(tmp_path) as store, Store(tmp_path) as elsewhere:
        far, near = elsewhere.claims(), store.claims()
        _rows(tmp_path, "UPDATE processes SET host = 'far', pid = 1 WHERE id = 1")
        assert far.claim(["a"])
        assert near.claim(["a"]) == {}
        for _ in range(6):
            time.sleep(0.1)
            if beats:
                _rows(tmp_path, "UPDATE processes SET beat = beat + 1 WHERE id = 1")
            taken = near.claim(["a"])
            if taken:
                break
        assert bool(taken) == is_taken
        near.leave()
        far.leave()


def test_the_report_of_a_process_that_was_asleep_comes_late_and_changes_nothing(
    tmp_path: Path,
) -> None:
    report = api.run(fabric="bus", **_BASE)  # type: ignore[arg-type]
    with Store(tmp_path) as store:
        store.put("a", report)
        _rows(tmp_path, "INSERT INTO attempts (key, process, begun) VALUES ('a', 1, 0)")
        store.end([RunOutcome(1, "a", report)])
    assert _rows(tmp_path, "SELECT outcome FROM attempts") == [("late",)]
    assert _rows(tmp_path, "SELECT count(*) FROM finished") == [(1,)]


def test_no_more_runs_are_handed_out_than_there_may_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once, most = 0, 0
    lock = threading.Lock()
    plain = runner.run_options

    def counted(options: RunOptions) -> Report:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        report = plain(options)
        with lock:
            at_once -= 1
        return report

    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    monkeypatch.setattr(runner, "run_options", counted)
    with ThreadPoolExecutor(8) as executor:
        sweep = Sweep.of(_BASE, [{"seed": list(range(20))}])
        outcome = run_sweep(sweep, tmp_path, executor=executor, in_flight=3)
    assert len(outcome.results) == 20
    assert 2 <= most <= 3


def test_a_sweep_that_is_taken_up_again_is_not_planned_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = Sweep.of(_BASE, [{"seed": list(range(40))}])
    run_sweep(sweep, tmp_path)

    def refuse(_self: object, _scenario: object) -> str:
        raise AssertionError("a key was computed again")

    monkeypatch.setattr("venice.sweep.key.Keys.all_of", refuse)
    assert run_sweep(sweep, tmp_path).found == 40


def test_the_status_shows_the_progress_of_a_sweep(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    (tmp_path / "good.trace").write_text("0 0 0 8 1\n")
    (tmp_path / "bad.trace").write_text("0 0 0 8 1\nwhat is this\n")
    (tmp_path / "s.toml").write_text(
        '[scenario]\nformat = "mqsim-ascii"\nsets = ["array.rows=4", "array.cols=16"]\n'
        '[[axis]]\ntrace = ["good.trace", "bad.trace"]\n[[axis]]\nfabric = ["bus", "pnssd"]\n'
    )
    venice("sweep", "s.toml")
    reported = venice("sweep", "status", "--json")
    assert reported.code == 0, reported.stderr
    (sweep,) = json.loads(reported.stdout)["sweeps"]
    assert sweep == {
        "name": "s",
        "points": 4,
        "done": 1,
        "failed": 1,
        "impossible": 2,
        "running": 0,
        "stale": 0,
        "left": 0,
    }
    assert "no process works on it" in venice("sweep", "status", "s.toml").stdout


def test_the_rate_and_remaining_time_of_a_sweep_are_shown(tmp_path: Path) -> None:
    seen: list[Status] = []

    def look(done: int, _all: int) -> None:
        if done == 10 and not seen:
            # The store as another process would see it.
            _rows(tmp_path, "UPDATE processes SET pid = 1, host = 'far'")
            seen.append(status(tmp_path))

    run_sweep(Sweep.of(_BASE, [{"seed": list(range(30))}]), tmp_path, workers=1, progress=look)
    (now,) = seen
    assert now.processes == 1
    assert now.sweeps[0].done + now.sweeps[0].running + now.sweeps[0].left == 30
    # The tenth may be reported after all begun runs have ended and before the next ones begin.
    assert now.sweeps[0].running in (0, 1, 2)
    assert now.runs_per_s > 0
    # Up to two begun runs may end after the tenth is reported and before the status is read.
    assert now.sweeps[0].done in (10, 11, 12)
    assert now.left_s == pytest.approx((30 - now.sweeps[0].done) / now.runs_per_s)


@pytest.mark.parametrize("suffix", [".csv", ".json", ".parquet"])
def test_what_is_exported_is_the_table_of_results(
    venice: Callable[..., Outcome], tmp_path: Path, suffix: str
) -> None:
    (tmp_path / "s.toml").write_text(_DEFINITION)
    venice("sweep", "s.toml")
    outcome = venice("sweep", "export", "-o", f"t{suffix}")
    assert outcome.stdout == f"4 runs of out/s in t{suffix}\n", outcome.stderr
    with (tmp_path / "out" / "s" / "results.csv").open() as file:
        expected = [{"sweep": "s", **row} for row in csv.DictReader(file)]
    assert _read(tmp_path / f"t{suffix}") == expected


def _read(path: Path) -> list[dict[str, str]]:
    if path.suffix == ".csv":
        with path.open() as file:
            return list(csv.DictReader(file))
    if path.suffix == ".json":
        rows = json.loads(path.read_text())
    else:
        from pyarrow import parquet  # noqa: PLC0415 large

        rows = parquet.read_table(path).to_pylist()
    return [{key: "" if cell is None else str(cell) for key, cell in row.items()} for row in rows]


def test_sql_has_choices_figures_and_whole_reports_as_columns(tmp_path: Path) -> None:
    axes: list[dict[str, list[Any]]] = [
        {"fabric": ["bus", "venice"]},
        {"flash.multiplane": [True, False]},
    ]
    outcome = run_sweep(Sweep.of(_BASE, axes, name="mine"), tmp_path)
    with Query(tmp_path) as query:
        names, rows = query.sql(
            "SELECT sweep, fabric, flash.multiplane, runs.latency_us.all.p99, "
            "report ->> '$.latency_us.all.p99' AS again FROM runs ORDER BY place"
        )
        found = list(rows)
    assert names == ["sweep", "fabric", "flash.multiplane", "latency_us.all.p99", "again"]
    assert found == [
        ("mine", *point.choices.values(), report.latency_us.all.p99, report.latency_us.all.p99)
        for point, report in outcome.results
    ]


def test_any_client_reads_the_runs_from_the_file(tmp_path: Path) -> None:
    run_sweep(_fabrics(), tmp_path)
    rows = _rows(tmp_path, 'SELECT fabric, "latency_us.all.p99" FROM runs ORDER BY place')
    with Query(tmp_path) as asked:
        _, expected = asked.sql("SELECT fabric, latency_us.all.p99 FROM runs ORDER BY place")
        assert rows == [*expected]
    run_sweep(Sweep.of(_BASE, [{"host.queue_depth": [2, 8]}], "depths"), tmp_path)
    rows = _rows(tmp_path, 'SELECT sweep, fabric, "host.queue_depth" FROM runs ORDER BY 1, 3, 2')
    assert [row[1:] for row in rows] == [(None, 2), (None, 8), ("bus", None), ("ideal", None)]


def test_a_choice_with_a_quote_in_its_name_is_a_column_for_any_client(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.listed("odd", "content", ["it's"], 1).put([(0, "key", {"it's": 3}, None)])
        store.put("key", api.run(requests=20, workload="random-read"))
    assert _rows(tmp_path, 'SELECT "it\'s" FROM runs') == [(3,)]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT fabrik FROM runs", "`fabrik` is not a column; did you mean fabric?"),
        ("SELECT latency_us.all.p9 FROM runs", "did you mean latency_us.all.p99"),
        ('SELECT "latency_us.all.p9" FROM runs', "did you mean latency_us.all.p99"),
        ("SELECT fabric FROM run", "`run` is not a table; expected: one SELECT"),
        ("SELEKT 1", "`SELEKT 1` is not valid SQL"),
        ("DELETE FROM finished", "would change the results; expected: one SELECT"),
        ("DROP VIEW runs", "would change the results; expected: one SELECT"),
        ("ATTACH 'x' AS x", "would change the results; expected: one SELECT"),
        ("PRAGMA journal_mode = DELETE", "would change the results; expected: one SELECT"),
        ("SELECT 1; SELECT 2", "one statement"),
        ("", "is an empty query"),
    ],
)
def test_a_query_that_is_wrong_is_one_message(tmp_path: Path, query: str, message: str) -> None:
    run_sweep(_fabrics(), tmp_path)
    with Query(tmp_path) as requested, pytest.raises(UsageError, match=message.replace("?", "[?]")):
        requested.sql(query)


def test_the_command_prints_rows_as_a_table_as_csv_or_as_json(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    (tmp_path / "s.toml").write_text(_DEFINITION)
    venice("sweep", "s.toml")
    query = "SELECT fabric, count(*) AS n FROM runs GROUP BY fabric ORDER BY 1"
    assert venice("sweep", "sql", query).stdout.splitlines()[2:] == [" bus      2", " venice   2"]
    assert venice("sweep", "sql", query, "--csv").stdout == "fabric,n\nbus,2\nvenice,2\n"
    assert json.loads(venice("sweep", "sql", query, "out/s", "--json").stdout) == [
        {"fabric": "bus", "n": 2},
        {"fabric": "venice", "n": 2},
    ]
    wrong = venice("sweep", "sql", "SELECT fabrik FROM runs")
    assert (wrong.code, wrong.errors) == (2, 1)


def test_a_store_of_a_newer_version_is_left_alone(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    (tmp_path / "s.toml").write_text(_DEFINITION)
    venice("sweep", "s.toml")
    _rows(tmp_path / "out" / "s", "PRAGMA user_version = 3")
    for command in (("s.toml",), ("status",), ("sql", "SELECT 1")):
        outcome = venice("sweep", *command)
        assert outcome.code == 2
        assert outcome.message == (
            "error: out/s/results.sqlite: was written by a newer Venice (format 3, and this one "
            "reads up to 2); use that one, or give another folder with --out\n"
        )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"what is this " * 100, "is not a store of Venice: it is not SQLite"),
        (b"", "is not a store of Venice"),
    ],
)
def test_a_file_that_is_no_store_is_left_alone(
    tmp_path: Path, content: bytes, message: str
) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises(StoreError, match=message):
        run_sweep(_fabrics(), tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes() == content


def test_a_folder_without_a_store_and_a_folder_that_cannot_be_made_are_one_message(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    (tmp_path / "s.toml").write_text(_DEFINITION)
    (tmp_path / "file").write_text("")
    for arguments, message in (
        (("status",), "there are no results in out/; expected: the folder of the results, or"),
        (("status", "file"), "file: has no results.sqlite; expected: the folder of a sweep"),
        (("s.toml", "--out", "file"), "file: is not a folder; expected: a folder for the results"),
        (("export", "-o", "t.xls", "out/s"), "t.xls: unknown kind of table"),
    ):
        outcome = venice("sweep", *arguments)
        assert (outcome.code, outcome.errors) == (2, 1), outcome.stderr
        assert message in outcome.message


def test_a_full_disk_ends_the_sweep_in_one_line_and_keeps_finished_runs(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    (tmp_path / "s.toml").write_text(_DEFINITION + f"[[axis]]\nseed = {list(range(25))}\n")
    ended = subprocess.run(
        [*COMMAND, "sweep", "s.toml"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=False,
        # No file may grow further, to simulate a full disk.
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000)),
    )
    text = ended.stderr.decode()
    assert ended.returncode == 1, text
    assert "Traceback" not in text
    assert "could not be written" in text
    (kept,) = _rows(tmp_path / "out" / "s", "SELECT count(*) FROM finished")[0]
    assert 0 < kept < 100
    again = venice("sweep", "s.toml")
    assert f"100 runs in out/s/results.csv and results.json, {kept} of them found" in again.stdout


@pytest.mark.parametrize(
    ("code", "kind", "message"),
    [
        (sqlite3.SQLITE_READONLY, StoreError, "cannot be written; give another folder"),
        (sqlite3.SQLITE_READONLY_DIRECTORY, StoreError, "cannot be written"),
        (sqlite3.SQLITE_CANTOPEN, StoreError, "its folder has to be writable"),
        (sqlite3.SQLITE_CORRUPT, StoreError, "is damaged"),
        (sqlite3.SQLITE_FULL, OutputError, "the disk is full; runs that were finished are kept"),
        (sqlite3.SQLITE_BUSY, OutputError, "another process has been writing for 60 s"),
    ],
)
def test_what_sqlite_complains_of_is_said_in_words(
    tmp_path: Path, code: int, kind: type[Exception], message: str
) -> None:
    error = sqlite3.OperationalError("in SQLite's words")
    error.sqlite_errorcode = code
    with pytest.raises(kind, match=message), explained(tmp_path / FILE_NAME):
        raise error


def test_a_store_that_is_damaged_is_said_to_be(tmp_path: Path) -> None:
    outcome = run_sweep(_fabrics(), tmp_path)
    _rows(tmp_path, "UPDATE reports SET report = substr(report, 1, 50) WHERE id = 1")
    with pytest.raises(StoreError, match=r"the report of run 1 is damaged"):
        list(outcome.results)


def test_a_store_on_a_file_system_of_the_network_has_no_log_that_needs_shared_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_sweep(_fabrics(), tmp_path / "local")
    assert _rows(tmp_path / "local", "PRAGMA journal_mode") == [("wal",)]
    monkeypatch.setattr("venice.sweep.store.database._is_of_network", lambda _folder: True)
    for folder in ("network", "local"):
        run_sweep(_fabrics(), tmp_path / folder)
        assert _rows(tmp_path / folder, "PRAGMA journal_mode") == [("delete",)]
    assert not list((tmp_path / "network").glob("*-wal"))


def test_a_sweep_that_has_changed_replaces_what_it_was_and_keeps_its_runs(tmp_path: Path) -> None:
    run_sweep(Sweep.of(_BASE, [{"fabric": ["bus", "ideal"]}], name="s"), tmp_path)
    run_sweep(Sweep.of(_BASE, [{"fabric": ["bus"]}], name="s"), tmp_path)
    assert [sweep.points for sweep in status(tmp_path).sweeps] == [1]
    assert _rows(tmp_path, "SELECT count(*) FROM finished") == [(2,)]


def test_folding_that_was_insisted_on_is_no_run_of_a_sweep_that_does_not() -> None:
    trace = {"trace": "t", "fold": True}
    plain = {"trace": "t"}
    assert run_key(trace) != run_key(plain)  # type: ignore[arg-type]


def test_the_help_and_a_run_import_neither_sqlite_nor_dask() -> None:
    for arguments in (["--help"], ["run", "--workload", "random-read", "--requests", "1"]):
        script = (
            f"import sys; sys.argv = ['venice', *{arguments}]\n"
            "from venice.cli import main\n"
            "try: main()\n"
            "except SystemExit: print('imported', {'sqlite3', 'distributed'} & set(sys.modules))\n"
        )
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
        assert done.stdout.decode().endswith("imported set()\n")
