"""Sweeps: combinations, stored results, and errors."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import sqlite3
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import venice
from venice import Sweep, run_sweep
from venice.options.run_options import RunOptions
from venice.report.figure_paths import figure
from venice.sweep import FIGURES, SweepError
from venice.sweep.key import Keys, run_key
from venice.workloads import Mix

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import BufferedReader

    from tests.conftest import Outcome
    from venice import Scenario

_BASE = {"workload": "random-read", "requests": 200}


def _rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "results.sqlite")) as database:
        return database.execute(query).fetchall()


def _choices(sweep: Sweep) -> list[tuple[object, ...]]:
    return [tuple(point.choices.values()) for point in sweep.points]


def test_axes_combine_and_the_last_varies_fastest() -> None:
    sweep = Sweep.of(_BASE, [{"fabric": ["bus", "venice"]}, {"closed_loop": [1, 4]}])
    assert _choices(sweep) == [("bus", 1), ("bus", 4), ("venice", 1), ("venice", 4)]
    assert sweep.points[3].scenario["closed_loop"] == 4
    assert sweep.keys == ("fabric", "closed_loop")


def test_keys_of_one_axis_advance_together() -> None:
    axis = {"closed_loop": [1, 4], "requests": [10, 40]}
    sweep = Sweep.of({"workload": "random-read"}, [axis])
    assert _choices(sweep) == [(1, 10), (4, 40)]


def test_a_key_with_a_dot_changes_the_drive() -> None:
    axes: list[dict[str, list[int]]] = [{"host.queue_depth": [1, 2]}, {"flash.multiplane": [True]}]
    sweep = Sweep.of({**_BASE, "sets": ["run.seed=7"]}, axes)
    assert sweep.points[1].scenario["sets"] == (
        "run.seed=7",
        "host.queue_depth=2",
        "flash.multiplane=true",
    )


def test_each_point_reports_what_a_run_of_its_own_does(tmp_path: Path) -> None:
    sweep = Sweep.of(_BASE, [{"fabric": ["bus", "nossd"]}, {"closed_loop": [2]}])
    outcome = run_sweep(sweep, tmp_path)
    for point, report in outcome.results:
        alone = venice.run(**point.scenario)
        assert {**report.to_dict(), "wall_s": 0} == {**alone.to_dict(), "wall_s": 0}
    with (tmp_path / "results.csv").open() as file:
        table = list(csv.DictReader(file))
    assert [row["fabric"] for row in table] == ["bus", "nossd"]
    mean = outcome.results[1][1].latency_us.all.mean
    assert float(table[1]["latency_us.all.mean"]) == mean
    content = json.loads((tmp_path / "results.json").read_text())
    assert content[1]["point"] == {"fabric": "nossd", "closed_loop": 2}


def test_every_figure_of_the_table_exists_in_reports() -> None:
    report = venice.run(drive="venice-performance", workload="mixed-70-30", requests=500)
    missing = [way for way in FIGURES if figure(report, way) is None]
    assert missing == []


def test_a_second_call_executes_new_runs_only(tmp_path: Path) -> None:
    first = Sweep.of(_BASE, [{"fabric": ["bus"]}])
    assert run_sweep(first, tmp_path).found == 0
    kept = _rows(tmp_path, "SELECT key, at FROM finished")
    both = run_sweep(Sweep.of(_BASE, [{"fabric": ["bus", "ideal"]}]), tmp_path)
    assert (both.found, len(both.results)) == (1, 2)
    assert set(kept) < set(_rows(tmp_path, "SELECT key, at FROM finished"))


def test_a_changed_trace_file_is_another_run(tmp_path: Path) -> None:
    trace = tmp_path / "t.trace"
    trace.write_text("0 0 0 8 1\n")
    sweep = Sweep.of({"trace": str(trace), "format": "mqsim-ascii"}, [{"fabric": ["bus"]}])
    run_sweep(sweep, tmp_path / "out")
    trace.write_text("0 0 0 8 1\n100000 0 8 8 1\n")
    again = run_sweep(sweep, tmp_path / "out")
    assert (again.found, again.results[0][1].requests.completed) == (0, 2)


def test_equal_traces_identify_the_same_run_at_any_time(
    tmp_path: Path,
) -> None:
    trace = tmp_path / "t.trace"
    trace.write_text("0 0 0 8 1\n")
    sweep = Sweep.of({"trace": str(trace), "format": "mqsim-ascii"}, [{"fabric": ["bus"]}])
    run_sweep(sweep, tmp_path / "out")
    os.utime(trace, ns=(1, 1))
    assert run_sweep(sweep, tmp_path / "out").found == 1
    # A file of equal size and time is read again, because its time is too recent to be reliable.
    trace.write_text("0 0 0 8 1\n")
    status = trace.stat()
    first = run_key({"trace": trace})
    trace.write_text("0 0 0 8 0\n")
    os.utime(trace, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert run_key({"trace": trace}) != first


def test_every_option_that_changes_a_report_is_in_its_key() -> None:
    plain: Scenario = {"workload": "random-read", "requests": 1000}
    changes: list[Scenario] = [
        {"until": "steady"},
        {"until": "ci(latency_us.all.mean) < 4%"},
        {"warmup": 10},
        {"audit": True},
        {"closed_loop": 3},
        {"seed": 2},
        {"load_state": __file__},
    ]
    keys = [run_key(plain), *(run_key({**plain, **change}) for change in changes)]
    assert len(set(keys)) == len(keys)


def test_a_run_has_the_drive_by_which_it_is_known_though_its_file_has_changed(
    tmp_path: Path,
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('extends = "venice-performance"\n')
    options = RunOptions(drive=str(file), workload="random-read")
    keys = Keys()
    assert keys.drive_of(options) is None
    key = keys.of(options)
    file.write_text('extends = "venice-cost"\n')
    drive = keys.drive_of(options)
    assert drive is not None
    assert "venice-performance" in drive.to_toml()
    assert keys.of(options) == key != Keys().of(options)


def test_a_trace_is_read_once_for_all_keys_of_a_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = tmp_path / "t.trace"
    trace.write_text("0 0 0 8 1\n")
    os.utime(trace, ns=(1, 1))
    read: list[object] = []
    digest = hashlib.file_digest

    def counted(file: BufferedReader, name: str) -> object:
        read.append(Path(file.name))
        return digest(file, name)

    monkeypatch.setattr(hashlib, "file_digest", counted)
    for closed_loop in ([1, 2], [1, 2, 3]):
        sweep = Sweep.of(
            {"trace": str(trace)}, [{"fabric": ["bus", "ideal"]}, {"closed_loop": closed_loop}]
        )
        run_sweep(sweep, tmp_path / "out")
    assert read == [trace]
    os.utime(trace, ns=(2, 2))
    run_sweep(sweep, tmp_path / "out")
    assert read == [trace, trace]


def test_a_workload_is_identified_by_the_content_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text('extends = "bursty-oltp"\nread_pct = 30\n')
    (tmp_path / "flow.toml").write_text('extends = "base.toml"\n')
    mix = tmp_path / "mix.toml"
    mix.write_text('extends = "mix1"\nflows = ["flow.toml", "hm_0"]\nrequests = 50\n')
    sweep = Sweep.of({"workload": str(mix), "fabric": "ideal"}, [{"closed_loop": [4]}])
    run_sweep(sweep, tmp_path / "out")
    mix.write_text("# A note.\n" + mix.read_text())
    assert run_sweep(sweep, tmp_path / "out").found == 1
    assert run_key({"workload": mix}) == run_key({"workload": Mix.load(mix)})
    (tmp_path / "elsewhere").mkdir()
    for name in ("base", "flow", "mix"):
        text = (tmp_path / f"{name}.toml").read_text()
        (tmp_path / "elsewhere" / f"{name}.toml").write_text(text)
    assert run_key({"workload": mix}) == run_key({"workload": tmp_path / "elsewhere/mix.toml"})
    (tmp_path / "base.toml").write_text('extends = "bursty-oltp"\nread_pct = 31\n')
    assert run_sweep(sweep, tmp_path / "out").found == 0


def test_a_job_file_is_known_by_its_text_and_the_variables_that_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = tmp_path / "job.fio"
    job.write_text("[one]\nrw=randread\nbs=${MINE}\nsize=1m\n")
    monkeypatch.setenv("MINE", "4k")
    first = run_key({"workload": job})
    monkeypatch.setenv("OTHER", "8k")
    os.utime(job, ns=(1, 1))
    assert run_key({"workload": job}) == first
    monkeypatch.setenv("MINE", "8k")
    second = run_key({"workload": job})
    job.write_text(job.read_text() + "iodepth=2\n")
    assert len({first, second, run_key({"workload": job})}) == 3


def test_a_workload_with_a_fault_fails_its_runs_alone(tmp_path: Path) -> None:
    (tmp_path / "wrong.toml").write_text("requests = 5\n")
    loads = ["random-read", str(tmp_path / "wrong.toml")]
    outcome = run_sweep(Sweep.of({"requests": 50}, [{"workload": loads}]), tmp_path / "out")
    assert len(outcome.results) == 1
    ((_, reason),) = outcome.failed
    assert "the keys `description`, `source`, " in reason


@pytest.mark.parametrize(
    ("axis", "message"),
    [
        ({"drive": ["pif", "venice-cost", "pif"]}, "axis 1: `drive` has `pif` more than once; "),
        (
            {"ftl.over_provisioning_pct": [3, 10, 3.0]},
            "axis 1: `ftl.over_provisioning_pct` has `3` more than once (also as `3.0`); ",
        ),
        ({"seed": [1, 1], "rate_scale": [2, 2.0]}, "`seed`, `rate_scale` has `1`, `2` more than"),
    ],
)
def test_repeated_values_of_an_axis_are_refused(axis: dict[str, Any], message: str) -> None:
    with pytest.raises(SweepError, match=re.escape(message)):
        Sweep.of({"workload": "random-read"}, [axis])


def test_steps_with_one_different_value_are_not_repeated() -> None:
    axis = {"seed": [1, 1, 2], "rate_scale": [1, 2, 2]}
    assert len(Sweep.of({"workload": "random-read"}, [axis]).points) == 3


def test_axes_that_are_no_list_are_refused() -> None:
    axes: Any = {"fabric": ["bus"]}
    with pytest.raises(SweepError, match="axes should be a list of mappings"):
        Sweep.of(_BASE, axes)


def test_a_name_that_no_drive_or_fabric_has_is_refused_by_the_place_where_it_stands(
    tmp_path: Path,
) -> None:
    for key, value, meant in (("fabric", "vence", "venice"), ("drive", "venice-kost", "venice-c")):
        known = {"fabric": "bus", "drive": "venice-performance"}[key]
        message = (
            f"`{key}` is `{value}`, which is not a {key}; there are: [^@]*; did you mean `{meant}"
        )
        with pytest.raises(SweepError, match=f"axis 1: {message}"):
            Sweep.of(_BASE, [{key: [known, value]}])
        file = tmp_path / "mine.toml"
        file.write_text(f'[scenario]\nworkload = "random-read"\n{key} = "{value}"\n')
        with pytest.raises(SweepError, match=f"mine.toml: scenario: {message}"):
            Sweep.load(file)


def test_interruption_keeps_finished_runs(tmp_path: Path) -> None:
    sweep = Sweep.of(_BASE, [{"seed": [1, 2, 3, 4]}])

    def stop_after_two(done: int, _all: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_sweep(sweep, tmp_path, workers=1, progress=stop_after_two)
    rest = run_sweep(sweep, tmp_path)
    assert len(rest.results) == 4
    assert rest.found >= 2


def test_any_executor_gives_the_same(tmp_path: Path) -> None:
    sweep = Sweep.of(_BASE, [{"fabric": ["bus", "venice"]}])
    with ProcessPoolExecutor(2) as executor:
        elsewhere = run_sweep(sweep, tmp_path / "processes", executor=executor)
    here = run_sweep(sweep, tmp_path / "threads", workers=1)
    for (_, one), (_, other) in zip(elsewhere.results, here.results, strict=True):
        assert one.latency_us.all.mean == other.latency_us.all.mean


def test_an_impossible_drive_is_left_out(tmp_path: Path) -> None:
    axes = [{"fabric": ["bus", "pnssd"]}]
    sweep = Sweep.of({**_BASE, "sets": ["array.rows=4", "array.cols=16"]}, axes)
    outcome = run_sweep(sweep, tmp_path)
    assert [point.choices["fabric"] for point, _ in outcome.results] == ["bus"]
    ((point, reason),) = outcome.left_out
    assert point.choices["fabric"] == "pnssd"
    assert "4" in reason


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ([{}], "axis 1 has no key"),
        ([{"fabric": []}], "one value or more"),
        ([{"fabric": "bus"}], "should be a list"),
        ([{"fabric": ["bus"], "seed": [1, 2]}], "advance together"),
        ([{"fabric": ["bus"]}, {"fabric": ["ideal"]}], "given twice"),
        ([{"fabirc": ["bus"]}], "`fabirc` is unknown"),
        ([{"sets": ["a=b"]}], "`sets` is unknown"),
        ([{"fabric": [["bus"]]}], "texts, numbers or booleans"),
        ([{"seed": list(range(2000))}, {"closed_loop": list(range(1, 2000))}], "combine to"),
    ],
)
def test_wrong_axes_are_refused(axes: list[dict[str, list[int]]], message: str) -> None:
    with pytest.raises(SweepError, match=message):
        Sweep.of(_BASE, axes)


def test_the_command_prints_a_table_and_keeps_results(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    (tmp_path / "load.toml").write_text(
        '[scenario]\nworkload = "random-read"\nrequests = 100\n'
        '[[axis]]\nfabric = ["bus", "ideal"]\n[[axis]]\nclosed_loop = [1, 8]\n'
    )
    first = venice("sweep", "load.toml")
    assert first.code == 0, first.stderr
    assert "4 runs in out/load/results.csv" in first.stdout
    second = venice("sweep", "load.toml")
    assert "4 of them found there" in second.stdout
    listed = venice("sweep", "load.toml", "--dry-run")
    assert listed.stdout.splitlines()[0] == "fabric = bus, closed_loop = 1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("axis = 1", "list of tables"),
        ("[scenario]\nworkload = 1\nx = 2", "`x` is unknown"),
        ("what = 1", "`what` is unknown"),
        ("[", "is not TOML"),
        ('[scenario]\nrequests = 10\n[[axis]]\nfabric = ["bus"]', "nothing to run"),
        ('[scenario]\nworkload = "random-read"\n[[axis]]\nseed = [-1]', "`seed` is -1; expected:"),
        ('[scenario]\nworkload = "random-read"\nrequests = "x"', "`requests` is 'x'; expected:"),
        (
            '[scenario]\nworkload = "random-read"\n[[axis]]\n"array.rwos" = [4]',
            "not array.rwos = 4: unknown key `array.rwos`",
        ),
    ],
)
def test_a_wrong_file_is_one_message(
    venice: Callable[..., Outcome], tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "s.toml").write_text(text)
    outcome = venice("sweep", "s.toml")
    assert outcome.code == 2
    assert message in outcome.message
    assert "s.toml: " in outcome.message


def test_a_missing_file_is_one_message(venice: Callable[..., Outcome]) -> None:
    outcome = venice("sweep", "none.toml")
    assert outcome.code == 2
    assert outcome.message == (
        "error: none.toml: there is no such file; expected: a sweep in TOML, with [scenario] and "
        "[[axis]]; check the path\n"
    )


def test_a_failed_run_is_named_and_the_others_are_kept(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    (tmp_path / "good.trace").write_text("0 0 0 8 1\n")
    (tmp_path / "bad.trace").write_text("0 0 0 8 1\nwhat is this\n")
    (tmp_path / "s.toml").write_text(
        '[scenario]\nformat = "mqsim-ascii"\n[[axis]]\ntrace = ["good.trace", "bad.trace"]\n'
    )
    outcome = venice("sweep", "s.toml")
    assert outcome.code == 1
    assert "failed: trace = bad.trace" in outcome.message
    assert "1 of 2 runs failed" in outcome.message
    assert "1 run in out/s/results.csv" in outcome.stdout


class _LostError(Exception):
    """Error of an executor whose workers have died during a run."""


class _DeadlyExecutor(ThreadPoolExecutor):
    """Executor whose workers die during runs of one fabric."""

    lost_errors = (_LostError,)

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401
        if args[0].fabric != "venice":
            return super().submit(fn, *args, **kwargs)
        future: Future[Any] = Future()
        future.set_exception(_LostError("killed four workers"))
        return future


def test_a_run_that_its_workers_did_not_survive_is_named_and_others_go_on(tmp_path: Path) -> None:
    sweep = Sweep.of(_BASE, [{"fabric": ["bus", "venice", "ideal"]}])
    with _DeadlyExecutor(1) as executor:
        outcome = run_sweep(sweep, tmp_path, executor=executor)
    assert [point.choices["fabric"] for point, _ in outcome.results] == ["bus", "ideal"]
    ((point, reason),) = outcome.failed
    assert (point.choices["fabric"], reason) == ("venice", "killed four workers")
