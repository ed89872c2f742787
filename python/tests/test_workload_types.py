"""Workloads and traces in Python: types, reading by the engine, identification by content."""

from __future__ import annotations

import dataclasses
import inspect
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import venice
from venice import _native, workloads
from venice.exploration import Objective, Search
from venice.sweep.cluster import connected
from venice.sweep.definition import SweepError
from venice.sweep.key import run_key
from venice.workloads import (
    Address,
    Bursts,
    ByOperation,
    Choice,
    Choices,
    DrivePct,
    FixedBytes,
    Hyperexponential,
    Mix,
    NormalSizes,
    OpenLoop,
    ReadAfterWrite,
    Trace,
    Workload,
    Zipf,
)

_SCHEMA = json.loads(_native.workload_schema())["$defs"]
_FEW: dict[str, Any] = {"fabric": "ideal", "requests": 200}
_FULL = Workload(
    name="full",
    requests=300,
    read_pct=50,
    size=ByOperation(
        read=NormalSizes(mean_bytes=8192, deviation_bytes=1024),
        write=Choices([Choice(bytes=512, weight=3), Choice(bytes=4096, weight=1)]),
    ),
    read_after_write=ReadAfterWrite(pct=20, within_writes=8),
    address=Address(pattern=Zipf(theta=0.9), footprint=DrivePct(50), align_bytes=4096),
    open_loop=OpenLoop(
        mb_per_s=500,
        gaps=Hyperexponential(long_pct=20, short_mean_pct=5),
        bursts=Bursts(on_us=500, off_us=2000, lengths="exponential"),
    ),
)


def _figures(report: venice.Report) -> dict[str, Any]:
    return {key: value for key, value in report.to_dict().items() if key != "wall_s"}


def _trace(folder: Path) -> Path:
    path = folder / "mine.csv"
    lines = [f"{1000 * number},h,0,Read,{4096 * number},4096,1" for number in range(50)]
    path.write_text("\n".join([*lines[:20], "damaged", *lines[20:]]) + "\n")
    return path


def test_every_key_of_the_schema_is_a_keyword_with_its_text() -> None:
    keys = 0
    for name, part in _SCHEMA.items():
        kind = getattr(workloads, name, None)
        for key in part.get("properties", {}):
            if key in ("extends", "synthetic"):
                continue
            assert kind is not None
            assert key in {field.name for field in dataclasses.fields(kind)}
            assert f"\n{key}\n    " in (inspect.getdoc(kind) or "")
            keys += 1
    assert keys > 45


def test_help_states_meaning_unit_and_range() -> None:
    text = inspect.getdoc(OpenLoop) or ""
    assert "Mean time between arrivals" in text
    assert "[µs].\n    From 0.001 to 1000000000." in text


def test_a_typed_workload_gives_the_requests_of_the_same_file(tmp_path: Path) -> None:
    file = tmp_path / "full.toml"
    _FULL.save(file)
    typed = venice.run(workload=_FULL, **_FEW)
    assert typed.workload.name == "full"
    assert _figures(typed) == _figures(venice.run(workload=file, **_FEW))
    assert Workload.load(file).complete() == _FULL.complete()
    assert Workload.from_toml(_FULL.to_toml()).complete() == _FULL.complete()


def test_a_built_in_workload_with_changes_is_not_called_by_its_name() -> None:
    report = venice.run(workload=Workload("random-read", read_pct=0), **_FEW)
    assert report.workload.name == "random-read read_pct=0"
    assert report.requests.writes == 200
    same = venice.run(workload=Workload("random-read"), **_FEW)
    assert _figures(same) == _figures(venice.run(workload="random-read", **_FEW))


@pytest.mark.parametrize("name", venice.workload_names())
def test_every_built_in_workload_is_complete_as_a_type(name: str) -> None:
    kind = Mix if name in {f"mix{number}" for number in range(1, 7)} else Workload
    # Searches are 4,096 times as long as other requests.
    few = {**_FEW, "requests": 8} if name == "search" else _FEW
    complete = kind(name).complete()
    assert (complete.base, complete.name) == ("", name)
    named = venice.run(workload=name, **few)
    assert _figures(venice.run(workload=complete, **few)) == _figures(named)
    assert eval(repr(complete), vars(workloads)) == complete  # noqa: S307 our own text
    assert pickle.loads(pickle.dumps(complete)) == complete  # noqa: S301 our own


def test_a_mix_has_flows_by_name_and_by_type() -> None:
    half = Workload("hm_0", name="half", read_pct=50)
    report = venice.run(workload=Mix("mix1", name="m", flows=[half, "proj_3"]), **_FEW)
    assert report.workload.name == "m/half + m/proj_3"
    with pytest.raises(venice.UsageError, match=r"not a workload of one flow; venice\.Mix reads"):
        Workload("mix1").complete()
    with pytest.raises(venice.UsageError, match=r"not a mix; venice\.Workload reads"):
        Mix("hm_0").complete()


def test_a_mix_with_flows_described_in_python_is_saved_and_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("bases", "mixes", "elsewhere"):
        Path(folder).mkdir()
    Path("bases/base.toml").write_text('extends = "random-read"\nread_pct = 30\n')
    flows: list[Any] = [
        Workload("bases/base.toml", requests=7, size=FixedBytes(512)),
        _FULL,
        Path("bases/base.toml"),
        "hm_0",
    ]
    mix = Mix(name="m", requests=200, flows=flows)
    mix.save("mixes/mix.toml")
    again = Mix.load("mixes/mix.toml")
    assert again.complete() == mix.complete()
    reported = venice.run(workload=mix, **_FEW)
    named = "bases/base requests=7 size={ fixed_bytes = 512 }"
    assert reported.workload.name == f"m/{named.removeprefix('bases/')} + m/full + m/base + m/hm_0"
    assert _figures(venice.run(workload="mixes/mix.toml", **_FEW)) == _figures(reported)
    # Read from another folder, and once more after it was saved there.
    monkeypatch.chdir("elsewhere")
    elsewhere = Mix.load("../mixes/mix.toml")
    elsewhere.save("again.toml")
    for one in (elsewhere, "../mixes/mix.toml", "again.toml"):
        assert _figures(venice.run(workload=one, **_FEW)) == _figures(reported)


def test_what_a_saved_workload_extends_is_found_from_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loads").mkdir()
    Path("base.toml").write_text('extends = "random-read"\nread_pct = 30\n')
    mine = Workload("base.toml", name="mine", requests=7)
    mine.save("loads/mine.toml")
    assert 'extends = "../base.toml"' in Path("loads/mine.toml").read_text()
    assert Workload.load("loads/mine.toml").complete() == mine.complete()


def test_comparisons_and_sweeps_take_workloads(tmp_path: Path) -> None:
    rows = venice.compare(workload=_FULL, fabrics=["bus", "ideal"], requests=100)
    assert [row.workload.name for row in rows] == ["full", "full"]
    loads: list[Any] = ["random-read", Workload("random-read", read_pct=50), _FULL]
    sweep = venice.Sweep.of(_FEW, [{"workload": loads}])
    outcome = venice.run_sweep(sweep, tmp_path)
    names = {report.workload.name for _, report in outcome.results}
    assert names == {"random-read", "random-read read_pct=50", "full"}
    assert (outcome.found, venice.run_sweep(sweep, tmp_path).found) == (0, 3)
    with pytest.raises(SweepError, match="that belongs on an axis `workload`"):
        venice.Sweep.of(_FEW, [{"drive": [_FULL]}])
    with pytest.raises(SweepError, match="several workloads are called `full`"):
        venice.Sweep.of(_FEW, [{"workload": [_FULL, _FULL.with_(read_pct=3)]}])


def test_a_search_takes_workloads_and_traces_on_an_axis(tmp_path: Path) -> None:
    loads = ["random-read", _FULL, Workload("random-read", read_pct=50)]
    space = venice.Exploration.of(
        _FEW, [{"workload": loads}], [Objective("latency_us.all.p99")], search=Search(runs=3)
    )
    found = venice.explore(space, tmp_path)
    assert found.points[0].point.choices["workload"] in [
        "random-read",
        "full",
        "random-read read_pct=50",
    ]


def test_a_run_is_identified_by_the_content_of_its_workload(tmp_path: Path) -> None:
    base = tmp_path / "base.toml"
    base.write_text('extends = "random-read"\nread_pct = 30\n')
    mine = Workload(base, requests=10)
    first = run_key({"workload": mine})
    assert first == run_key({"workload": Workload(str(base), requests=10)})
    assert first != run_key({"workload": mine.with_(requests=11)})
    base.write_text('extends = "random-read"\nread_pct = 31\n')
    assert first != run_key({"workload": mine})


@pytest.mark.timeout(100)
def test_a_cluster_is_sent_a_workload_that_says_all_itself(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    base = tmp_path / "base.toml"
    base.write_text('extends = "random-read"\nread_pct = 30\n')
    file = tmp_path / "drive.toml"
    file.write_text('extends = "venice-cost"\n')
    drive = venice.Drive(file, flash=venice.config.Flash(t_read_us=7))
    axis: dict[str, list[Any]] = {"workload": [Workload(base, name="sent", read_pct=0)]}
    sweep = venice.Sweep.of({**_FEW, "drive": drive}, [axis])
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        connected(cluster.scheduler_address) as executor,
    ):
        outcome = venice.run_sweep(sweep, tmp_path / "out", executor=executor)
    ((_, report),) = outcome.results
    assert (report.workload.name, report.requests.writes) == ("sent", 200)
    assert (report.config["flash"]["t_read_us"], report.config["name"]) == (7, "drive")


def test_a_typed_trace_is_read_as_its_options_say(tmp_path: Path) -> None:
    path = _trace(tmp_path)
    mine = Trace(path, format="msr-csv", skip_bad=1)
    named = venice.run(trace=path, format="msr-csv", skip_bad=1, fabric="ideal")
    assert _figures(venice.run(trace=mine, fabric="ideal")) == _figures(named)
    assert venice.trace_info(mine) == venice.trace_info(path, "msr-csv", skip_bad=1)
    converted = venice.convert_trace([mine, mine], tmp_path / "both.csv", "mqsim-ascii")
    assert (converted["requests"], converted["skipped_bad"]) == (100, 2)
    key = run_key({"trace": mine})
    assert key == run_key({"trace": str(path), "format": "msr-csv", "skip_bad": 1})
    rows = venice.compare(trace=mine, fabrics=["bus", "ideal"])
    assert [row.requests.completed for row in rows] == [50, 50]
    sweep = venice.Sweep.of({"fabric": "ideal"}, [{"trace": [mine]}])
    assert dict(sweep.points[0].choices) == {"trace": f"{path} format=msr-csv skip_bad=1"}
    assert eval(repr(mine), vars(workloads)) == mine  # noqa: S307 our own text


def test_how_a_trace_is_read_is_said_once(tmp_path: Path) -> None:
    path = _trace(tmp_path)
    with pytest.raises(
        venice.UsageError, match=r"`format` cannot be combined with a venice\.Trace"
    ):
        venice.run(trace=Trace(path), format="msr-csv")
    with pytest.raises(
        venice.UsageError, match=r"`skip_bad` cannot be combined with a venice\.Trace"
    ):
        venice.trace_info(Trace(path), skip_bad=1)
    with pytest.raises(venice.UsageError, match="`skip_bad=` is -1"):
        venice.run(trace=Trace(path, skip_bad=-1))
    with pytest.raises(venice.TraceError, match="unknown trace format"):
        venice.run(trace=Trace(path, format="nonsense"))  # type: ignore[arg-type]
    with pytest.raises(
        venice.UsageError, match=r"`workload=` is 3; it should be a text.*venice\.Mix"
    ):
        venice.run(workload=3)  # type: ignore[arg-type]


def test_values_are_refused_by_the_engine_with_the_key() -> None:
    for wrong, says in (
        (Workload("random-read", read_pct=101), "`read_pct` is 101\n"),
        (Workload("random-read", requests=1.5), "`requests` is 1.5\n"),  # type: ignore[arg-type]
        (Workload("random-raed"), "did you mean `random-read`"),
        (Workload(requests=3), "`read_pct`, `size`, `address`, `closed_loop_depth` or"),
        (Workload("random-read", think_us=1, open_loop=OpenLoop(gaps="constant")), "`think_us` is"),
        (
            Workload("random-read", open_loop=OpenLoop(gaps="constant")),
            r"`open_loop\.mean_gap_us` is m",
        ),
    ):
        with pytest.raises(venice.WorkloadError, match=says):
            venice.run(workload=wrong, **_FEW)


def test_a_misspelt_name_is_refused_when_it_is_said() -> None:
    with pytest.raises(venice.WorkloadError, match="unknown key `patern` in `address`"):
        Address(patern="uniform")  # type: ignore[call-arg]
    with pytest.raises(venice.WorkloadError, match="did you mean `read_pct`"):
        Workload(raed_pct=3)  # type: ignore[call-arg]
    with pytest.raises(venice.WorkloadError, match="unknown key `read_pct`"):
        Mix(read_pct=3)  # type: ignore[call-arg]
    with pytest.raises(venice.UsageError, match=r"`open_loop` is 3; it should be a venice\.workl"):
        Workload(open_loop=3)  # type: ignore[arg-type]


def test_importing_the_package_does_not_import_the_types() -> None:
    program = """
import sys, venice
print([one for one in sys.modules if "workloads" in one or "schema_classes.section" in one])
import venice.workloads
print([one for one in sys.modules if "venice.config" in one])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout == b"[]\n[]\n"
