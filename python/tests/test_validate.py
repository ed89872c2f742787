"""Comparison of measured and simulated rows: reading, division, verdicts, the command."""

from __future__ import annotations

import csv
import json
import re
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import venice as api
from venice.api.run import run_drive
from venice.options.drives import drive_of
from venice.options.run_options import RunOptions
from venice.report.fio import fio_json
from venice.validation import simulation
from venice.validation.beside import parse_beside, words_of
from venice.validation.csv_file import csv_of
from venice.validation.csv_rows import read_csv
from venice.validation.fio_logs import read_logs
from venice.validation.halves import halves_of
from venice.validation.host import Host
from venice.validation.jobs import Length, job_file, length_of, parts_of
from venice.validation.kyber import Kyber, kyber_of
from venice.validation.load import SHORTEST_PAUSE_US, Load, Scene, Stream
from venice.validation.page import page_of
from venice.validation.rows import DataError
from venice.validation.simulation import simulate
from venice.validation.summary import unsteady_text
from venice.validation.validate import (
    Selection,
    names_of,
    read_data,
    rows_for,
    validate_drive,
)
from venice.validation.verdict import validations_as_json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from venice._native import Drive
    from venice.report import Report

    from .conftest import Outcome

DRIVE = """
name = "small-1tb"
extends = "samsung-970-pro"
[flash]
blocks_per_plane = 64
"""
COLUMNS = "drive,op,pattern,bs,qd,jobs,rwmix,preconditioned,iops,mean_us,p50_us,p99_us,p999_us"


@pytest.fixture
def drive(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(DRIVE)
    return path


def data_of(folder: Path, *rows: str, columns: str = COLUMNS) -> Path:
    """Write measurements and return their folder."""
    folder.mkdir(exist_ok=True)
    (folder / "drive.csv").write_text("\n".join([columns, *rows]) + "\n")
    return folder


def loads_of(folder: Path) -> list[Load | str]:
    return [row.load for row in read_data(folder)]


streams = st.builds(
    Stream,
    st.sampled_from([0.0, 100.0]),
    st.booleans(),
    st.sampled_from([512, 4096, 131072]),
    st.integers(1, 256),
    st.integers(1, 8),
    st.one_of(st.none(), st.integers(1, 200_000).map(float)),
    st.just(value=False),
    zipf=st.none(),
    region_pct=st.just(100.0),
    weight=st.none(),
    flow_pause_us=st.just(SHORTEST_PAUSE_US),
)


@given(streams, st.lists(streams, max_size=3), st.sampled_from([None, 30.0, 70.0]))
def test_a_load_has_words_that_describe_it(
    own: Stream, others: list[Stream], mix: float | None
) -> None:
    own = own if mix is None else own._replace(read_pct=mix)
    words = words_of(Load(Scene((own, *others))))
    assert words is not None
    found = parse_beside(words, own.size_bytes, own.jobs)
    assert found is not None
    assert list(found.others) == others
    assert (found.read_pct, found.iops) == (mix, own.iops)


def test_an_open_loop_can_run_with_background_arrivals() -> None:
    words = "w99 open loop 30001/s + probe 5k reads/s 5k writes/s"
    found = parse_beside(words, 4096, 7)
    assert found is not None
    assert found.probe_iops == (5000, 5000)
    assert sum(one.iops or 0 for one in found.others) == pytest.approx(25_000)
    # Rates of repetitions differ by a few requests per second; they count as one load.
    assert parse_beside(words.replace("30001", "30000"), 4096, 7) == found


def test_a_queue_that_was_not_full_had_a_rate(tmp_path: Path) -> None:
    folder = data_of(
        tmp_path / "data",
        "d,write,seq,131072,1,1,beside randread 4k qd4,,1000,100,,,",
        "d,write,seq,131072,1,1,beside randread 4k qd4,,9800,100,,,",
    )
    slow, full = loads_of(folder)
    assert isinstance(slow, Load)
    assert isinstance(full, Load)
    assert (slow.stream.iops, full.stream.iops) == (1000, None)


def test_a_row_has_the_host_of_its_columns_or_of_the_first_rule(tmp_path: Path) -> None:
    columns = f"{COLUMNS},source_file,scheduler,host_cores,host_request_ns"
    row = "d,read,rand,4096,{depth},{jobs},,,9000,100,,,,{file},{scheduler},{cores},{ns}".format
    folder = data_of(
        tmp_path / "data",
        row(depth=32, jobs=1, file="one/a", scheduler="kyber", cores="", ns=""),
        row(depth=1, jobs=16, file="one/b", scheduler=" Kyber ", cores="", ns=""),
        row(depth=32, jobs=8, file="two/c", scheduler="none", cores="", ns=""),
        row(depth=32, jobs=1, file="one/a", scheduler="kyber", cores=3, ns=1500),
        columns=columns,
    )
    (folder / "hosts.toml").write_text(
        '[[host]]\nwhere = { source_file = "one/.*", scheduler = "kyber|bfq" }\n'
        "cores = 1\nrequest_ns = 3000\nswitch_ns = 500\n"
        "[[host]]\ncores = 4\nrequest_ns = 2000\nvariation_pct = 40\n"
    )
    loads = [load for load in loads_of(folder) if isinstance(load, Load)]
    expected = [
        Host(1, 3000),
        Host(1, 5500),
        Host(4, 2000, variation_pct=40),
        Host(3, 1500),
    ]
    assert [load.scene.host._replace(kyber=None) for load in loads] == expected
    halves = halves_of(load.scene for load in loads)
    assert halves[loads[0].scene] == halves[loads[3].scene]


def test_times_of_the_scheduler_remain_with_a_rows_own_cores_or_without_cores(
    tmp_path: Path,
) -> None:
    cells = ["a,,", "a,3,1500", "a,0,", "b,,", "b,3,1500"]
    rows = [f"d,read,rand,4096,8,1,r50,,9000,100,,,,kyber,{cell}" for cell in cells]
    columns = f"{COLUMNS},scheduler,source_file,host_cores,host_request_ns"
    folder = data_of(tmp_path / "data", *rows, columns=columns)
    (folder / "hosts.toml").write_text(
        '[[host]]\nwhere = { source_file = "a" }\n'
        "cores = 1\nrequest_ns = 3000\nwake_ns = 700\ndispatch_ns = 6000\n"
        "[[host]]\nwake_ns = 800\n"
    )
    hosts = [load.scene.host for load in loads_of(folder) if isinstance(load, Load)]
    expected = [
        Host(1, 3000, wake_ns=700, dispatch_ns=6000),
        Host(3, 1500, wake_ns=700, dispatch_ns=6000),
        Host(wake_ns=700),
        Host(wake_ns=800),
        Host(3, 1500, wake_ns=800),
    ]
    assert [host._replace(kyber=None) for host in hosts] == expected


@pytest.mark.parametrize(
    "text",
    [
        "host = 1",
        "[[host]]\ncores = -1",
        "[[host]]\nns = 1",
        "[[host]]\nvariation_pct = 101",
        '[[host]]\nwhere = { a = "(" }',
        "[[host]]\nvariation_pct = 40",
        "[[host]]\ncores = 1\ndispatch_ns = 6000",
        "[[host]]\nrequest_ns = 3000\ndispatch_ns = 6000",
        "[[host]]\nslice_us = 3000",
        "[[host]]\ncores = 1\nrequest_ns = 3000\nslice_us = 1000001",
        "[[host]]\ncores = 1\nrequest_ns = 3000\npolling = true",
        "[[host]]\nwrite_ns = 900",
        "[[host]]\ncores = 2\nrequest_ns = 3000\noverrun_ppm = 21",
        '[[host]]\ncores = 1\nrequest_ns = 3000\nslice_us = 3000\nlock = "yes"',
    ],
)
def test_an_invalid_description_of_hosts_is_refused(tmp_path: Path, text: str) -> None:
    folder = data_of(tmp_path / "data", "d,read,rand,4096,1,1,,,9000,100,,,")
    (folder / "hosts.toml").write_text(text)
    with pytest.raises(DataError, match=r"hosts\.toml"):
        read_data(folder)


@pytest.mark.parametrize(
    ("host", "words"),
    [
        (Host(2, 3000), "2 x 3 µs of the host"),
        (Host(2, 3000, variation_pct=40), "2 x 3 µs (40 % exponential) of the host"),
        (Host(2, 0, variation_pct=40), ""),
        (Host(2, 3000, write_ns=900), "2 x 3 µs of the host, 0.9 µs more for a write"),
        (Host(2, 3000, slice_us=12_000), "2 x 3 µs of the host in slices of 12 ms"),
        (Host(kyber=Kyber()), "kyber with targets of 2 and 10 ms"),
        (Host(1, 500, kyber=Kyber()), "1 x 0.5 µs of the host, kyber with targets of 2 and 10 ms"),
        (Host(), ""),
    ],
)
def test_a_host_has_words_if_it_takes_time(host: Host, words: str) -> None:
    assert str(host) == words


def test_a_host_core_limits_the_simulated_rate(drive: Path) -> None:
    stream = Stream(100.0, is_random=True, size_bytes=4096, depth=64)
    scenes = [Scene((stream,), host=host) for host in (Host(), Host(1, 20_000))]
    results = simulate(RunOptions(drive=str(drive)), {scene: {} for scene in scenes}, workers=1)
    free, limited = (results[scene].figures[0, "read"] for scene in scenes)
    assert limited.iops == pytest.approx(50_000, rel=0.01)
    assert (free.iops or 0) > 2 * (limited.iops or 0)


def test_jobs_share_cores_in_time_slices_if_there_are_more_jobs_than_cores(tmp_path: Path) -> None:
    row = "d,read,rand,4096,8,{},,,9000,100,,,,{}".format
    rows = [row(jobs, file) for file in "ab" for jobs in (2, 3)]
    folder = data_of(tmp_path / "data", *rows, columns=f"{COLUMNS},source_file")
    (folder / "hosts.toml").write_text(
        "[[host]]\ncores = 2\nrequest_ns = 3000\nslice_us = 12000\n"
        'where = { source_file = "a" }\npolling = true\n'
        "[[host]]\ncores = 2\nrequest_ns = 3000\nslice_us = 12000\nlock = true\n"
    )
    hosts = [load.scene.host for load in loads_of(folder) if isinstance(load, Load)]
    assert hosts == [
        Host(2, 3000),
        Host(2, 3000, slice_us=12_000, is_polling=True),
        Host(1, 3000),
        Host(2, 3000, slice_us=12_000, has_lock=True),
    ]


def test_outstanding_reads_of_a_job_wait_for_the_time_slice_of_the_other(drive: Path) -> None:
    stream = Stream(100.0, is_random=True, size_bytes=4096, depth=64, jobs=2)
    hosts = [Host(1, 5000, slice_us=slice_us) for slice_us in (0, 2000)]
    scenes = [Scene((stream,), host=host) for host in hosts]
    results = simulate(RunOptions(drive=str(drive)), {scene: {} for scene in scenes}, workers=1)
    in_turns, in_slices = (results[scene].figures[0, "read"] for scene in scenes)
    assert in_slices.iops == pytest.approx(in_turns.iops, rel=0.03)
    assert in_slices.mean_us == pytest.approx(in_turns.mean_us, rel=0.06)
    assert (in_turns.p99_us or 0) < 900
    assert 2000 < (in_slices.p99_us or 0) < 2500


def test_loads_of_deep_jobs_with_time_slices_last_for_forty_slices() -> None:
    deep, shallow = (
        Stream(100.0, is_random=True, size_bytes=4096, depth=depth, jobs=4) for depth in (8, 1)
    )
    host = Host(2, 3000, slice_us=12_000)
    assert length_of(Scene((deep,), host=host), {}) == Length(None, None, 480_000, 120_000)
    assert length_of(Scene((shallow,), host=host), {}).runtime_us is None
    assert length_of(Scene((deep,)), {}).runtime_us is None


def test_a_host_with_a_core_for_each_job_limits_the_jobs_separately(drive: Path) -> None:
    streams = tuple(
        Stream(100.0, is_random=True, size_bytes=4096, depth=depth) for depth in (1, 64)
    )
    scenes = [Scene(streams, host=Host(2, 20_000, per_job)) for per_job in (False, True)]
    results = simulate(RunOptions(drive=str(drive)), {scene: {} for scene in scenes}, workers=1)
    shared, own = (results[scene].figures for scene in scenes)
    assert own[1, "read"].iops == pytest.approx(50_000, rel=0.02)
    assert (shared[1, "read"].iops or 0) > 1.5 * (own[1, "read"].iops or 0)


def test_a_row_has_the_scheduler_that_it_names_and_targets_are_different_loads(
    tmp_path: Path,
) -> None:
    names = ["kyber", "kyber r_r_0_w_1s", "kyber r_50us_w_20ms", "none", "bfq"]
    rows = [f"d,read,rand,4096,8,1,r50,,9000,100,,,,a,{name}" for name in names]
    folder = data_of(tmp_path / "data", *rows, columns=f"{COLUMNS},source_file,scheduler")
    (folder / "hosts.toml").write_text(
        "[[host]]\ncores = 1\nrequest_ns = 3000\nwake_ns = 700\ndispatch_ns = 6000\n"
    )
    scenes = [load.scene for load in loads_of(folder) if isinstance(load, Load)]
    expected = [Kyber(2000, 10_000), Kyber(0, 1e6), Kyber(50, 20_000), None, None]
    assert [scene.host.kyber for scene in scenes] == expected
    times = [(scene.host.wake_ns, scene.host.dispatch_ns) for scene in scenes]
    assert times == [(700, 6000)] * 3 + [(0, 0)] * 2
    assert len({str(scene) for scene in scenes}) == len(set(scenes)) == 4
    assert len(set(halves_of(scenes).values())) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("kyber fast", "in us, ms or s"),
        ("kyber r_2s_w_0", "at most 1s"),
        ("kyber r_1h_w_0", "with us, ms or s in place of `1h`"),
        ("kyber r_1ms", "in us, ms or s"),
        ("kyber r_0_w_10", "in place of `10`"),
        ("Kyber r_2000000_w_0", "in place of `2000000`"),
        ("kyber r_1.ms_w_0", "in place of `1.ms`"),
    ],
)
def test_an_unknown_target_latency_is_refused(tmp_path: Path, name: str, text: str) -> None:
    row = f"d,read,rand,4096,8,1,r50,,9000,100,,,,a,{name}"
    data_of(tmp_path / "data", row, columns=f"{COLUMNS},source_file,scheduler")
    with pytest.raises(DataError, match=f"scheduler.*{re.escape(text)}"):
        read_data(tmp_path / "data")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (" kyber ", Kyber()),
        ("KYBER", Kyber()),
        ("Kyber R_2ms_W_10MS", Kyber()),
        ("kyber r_2.3ms_w_0", Kyber(2300, 0)),
        ("kyber r_0s_w_0.5us", Kyber(0, 0.5)),
        ("kyber2", None),
        ("", None),
        ("bfq", None),
    ],
)
def test_a_scheduler_is_known_by_its_name_in_any_case(name: str, expected: Kyber | None) -> None:
    assert kyber_of(name) == expected


@pytest.mark.nightly
def test_kyber_sends_one_at_a_time_of_the_kind_that_meets_its_target(drive: Path) -> None:
    streams = tuple(Stream(pct, is_random=True, size_bytes=4096, depth=32) for pct in (100.0, 0.0))
    targets = [
        None,
        kyber_of("kyber r_1s_w_1s"),
        kyber_of("kyber r_0_w_1s"),
        kyber_of("kyber r_1s_w_0"),
    ]
    scenes = [Scene(streams, host=Host(kyber=kyber, wake_ns=2000)) for kyber in targets]
    results = simulate(RunOptions(drive=str(drive)), {scene: {} for scene in scenes})
    free, met, writes_wait, reads_wait = (results[scene].figures for scene in scenes)
    for kind in ((0, "read"), (1, "write")):
        assert met[kind].mean_us == pytest.approx(free[kind].mean_us, rel=0.15)
    # 31 of 32 outstanding requests wait for those before them.
    assert (writes_wait[1, "write"].p50_us or 0) > 32 * 5
    assert (writes_wait[0, "read"].mean_us or 0) <= (free[0, "read"].mean_us or 0)
    assert (reads_wait[0, "read"].p50_us or 0) > 32 * 50
    assert (reads_wait[1, "write"].mean_us or 0) <= (free[1, "write"].mean_us or 0)


def test_a_run_with_kyber_is_measured_after_its_depths_have_settled() -> None:
    window_us = 100_000
    mixed, reads = (Stream(pct, is_random=True, size_bytes=4096, depth=8) for pct in (50.0, 100.0))
    for stream, settles in ((mixed, True), (reads, False)):
        length = length_of(Scene((stream,), host=Host(kyber=Kyber())), {0: (1e5, 100.0)})
        assert ((length.warmup_us or 0) >= 10 * window_us) == settles
    assert length_of(Scene((mixed,)), {0: (1e5, 100.0)}).warmup_us is None


def test_jobs_in_sequence_begin_on_different_parts_of_their_regions() -> None:
    stream = Stream(100.0, is_random=False, size_bytes=4096, depth=1, jobs=3)
    text = job_file(Scene((stream,)), Length(requests=30), 300 << 20)
    lines = [line for line in text.splitlines() if line.startswith("offset=")]
    offsets = [int(line.removeprefix("offset=")) for line in lines]
    assert offsets == [0, (100 << 20) + (640 << 10), (200 << 20) + (256 << 10)]


@pytest.mark.parametrize("region_mib", [1, 2, 3])
def test_jobs_in_sequence_remain_in_small_regions(region_mib: int) -> None:
    jobs = 8
    stream = Stream(100.0, is_random=False, size_bytes=4096, depth=1, jobs=jobs)
    text = job_file(Scene((stream,)), Length(requests=80), jobs * region_mib << 20)
    offsets, sizes = (
        [int(line.partition("=")[2]) for line in text.splitlines() if line.startswith(key)]
        for key in ("offset=", "size=")
    )
    assert len(offsets) == len(sizes) == jobs
    for place, (offset, size) in enumerate(zip(offsets, sizes, strict=True)):
        assert place * region_mib << 20 <= offset
        assert offset + size <= (place + 1) * region_mib << 20
    starts = {offset % (1 << 20) for offset in offsets}
    assert len(starts) == (1 if region_mib == 1 else jobs)


def test_rows_that_cannot_be_simulated_have_a_reason(tmp_path: Path) -> None:
    folder = data_of(
        tmp_path / "data",
        "d,read,rand,4096,1,1,beside erase qd1,,9000,100,,,",
        "d,read,rand,1000,1,1,,,9000,100,,,",
        "d,read,rand,4096,,1,,,9000,100,,,",
        "d,read,rand,4096,1,1,,,9000,,,,",
    )
    assert all(isinstance(load, str) for load in loads_of(folder))


def test_a_series_of_writes_is_one_row_of_its_settled_end(tmp_path: Path) -> None:
    columns = "drive,pattern,details,used_gib,bs,qd,jobs,drive_writes,write_iops,w_p99_us,wa,run"
    rows = [f"d-800,uniform,,372.5,4096,128,4,{n},{300_000 - 1000 * n},9,{n},a" for n in range(30)]
    data_of(tmp_path / "data", *rows, columns=columns)
    (row,) = read_csv(tmp_path / "data" / "drive.csv")
    assert isinstance(row.load, Load)
    assert row.load.scene.used_pct == 50
    assert row.figures.iops == pytest.approx(300_000 - 1000 * 24.5)
    assert row.figures.write_amplification == pytest.approx(24.5)
    # Little's law: 512 outstanding.
    assert row.figures.mean_us == pytest.approx(512e6 / (300_000 - 1000 * 24.5))


@given(st.sets(streams, min_size=2, max_size=40))
def test_halves_are_even_and_depend_on_the_loads_alone(found: set[Stream]) -> None:
    scenes = [Scene((stream,)) for stream in found]
    halves = halves_of(scenes)
    assert halves == halves_of(list(reversed(scenes)) * 2)
    counts = [list(halves.values()).count(half) for half in ("fitted", "held-out")]
    assert abs(counts[0] - counts[1]) <= 1


@given(st.lists(streams, min_size=1, max_size=3))
def test_each_job_of_a_scene_has_its_queue_and_jobs_in_sequence_their_own_region(
    found: list[Stream],
) -> None:
    scene = Scene(tuple(found))
    text = job_file(scene, length_of(scene, {0: (1000.0, 100.0)}), 1 << 40)
    jobs = [
        dict(line.split("=") for line in part.splitlines()[1:]) for part in text.split("[s")[1:]
    ]
    assert sum(int(job["numjobs"]) for job in jobs) == sum(part.jobs for part in parts_of(scene))
    regions = sorted(
        (int(job["offset"]), int(job["size"])) for job in jobs if not job["rw"].startswith("rand")
    )
    ends = [offset + size for offset, size in regions]
    assert all(end <= start for end, (start, _) in zip(ends, regions[1:], strict=False))


def measured_rows(drive: Path, depths: Sequence[int]) -> list[str]:
    """Simulate random reads and return them as measurements."""
    rows = []
    for depth in depths:
        report = api.run(
            drive=str(drive), workload="random-read", closed_loop=depth, requests=20_000
        )
        read = report.latency_us.read
        figures = f"{report.iops},{read.mean},{read.p50},{read.p99},{read.p999}"
        rows.append(f"small-1tb,read,rand,4096,{depth},1,,no,{figures}")
    return rows


def test_a_drive_agrees_with_itself_and_not_with_one_of_slower_flash(
    drive: Path, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    folder = data_of(
        tmp_path / "data", *measured_rows(drive, (1, 8, 64)), "small-1tb,read,rand,4096,,1,,,1,1,,,"
    )
    words = ("validate", str(drive), "--data", str(folder), "--json", "-")
    agreed = venice(*words, "--op", "read", "--require", "100,100")
    assert agreed.code == 0, agreed.stderr
    found = json.loads(agreed.stdout)
    assert found["share"] == {"mean": {"all": 100, "read": 100}, "p99": {"all": 100, "read": 100}}
    assert [point["passed"] for point in found["points"]] == [True] * 3
    assert [point["source_row"]["line"] for point in found["points"]] == [2, 3, 4]
    (refused,) = found["drives"][0]["refused"]
    assert (refused["rows"], refused["file"]) == (1, "drive.csv")
    slow = venice(*words, "--set", "flash.t_read_us=[90, 90]", "--require", "50,0")
    assert slow.code == 1
    assert json.loads(slow.stdout)["share"]["mean"]["all"] == 0


def test_the_halves_of_a_command_have_all_points_once(drive: Path, tmp_path: Path) -> None:
    rows = read_data(data_of(tmp_path / "data", *measured_rows(drive, (1, 2, 3, 4, 5))))
    scenario = RunOptions(drive=str(drive))
    parts = [
        validate_drive(scenario, rows, Selection(half=half)) for half in ("fitted", "held-out")
    ]
    lines = [point.row.source.line for part in parts for point in part.points]
    assert sorted(lines) == [2, 3, 4, 5, 6]


def test_data_of_other_drives_are_refused(drive: Path, tmp_path: Path) -> None:
    rows = read_data(data_of(tmp_path / "data", "other,read,rand,4096,1,1,,no,1,1,1,1,1"))
    with pytest.raises(DataError, match="measured_as"):
        rows_for(rows, ["small-1tb"])
    assert validate_drive(RunOptions(drive=str(drive)), [rows[0]._replace(drive="")]).points


def test_a_command_that_compares_no_row_fails(
    drive: Path, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    folder = data_of(tmp_path / "data", "small-1tb,read,rand,4096,1,1,,no,1,1,1,1,1")
    arguments = ("validate", str(drive), "--data", str(folder))
    assert venice(*arguments, "--op", "read").code == 0
    assert venice(*arguments, "--op", "write").code == 2


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_out_of_range_is_refused(
    seed: int, drive: Path, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    folder = data_of(tmp_path / "data", "small-1tb,read,rand,4096,1,1,,no,1,1,1,1,1")
    outcome = venice("validate", str(drive), "--data", str(folder), "--seed", str(seed))
    assert outcome.code == 2
    assert f"`--seed` is {seed}" in outcome.stderr


def fio_of(drive: Path, rw: str, depth: int, **more: str) -> dict[str, object]:
    """Return fio's JSON of a simulated job."""
    job = drive.parent / "job.fio"
    lines = [f"{name}={value}" for name, value in more.items()]
    job.write_text("\n".join(["[a]", f"rw={rw}", f"iodepth={depth}", "number_ios=8000", *lines]))
    report = api.run(drive=str(drive), workload=str(job), distributions=True)
    written = "drive=small-1tb,venice_condition=written"
    options = {"rw": rw, "iodepth": str(depth), "bs": "4k", "description": written, **more}
    return fio_json(report, options=options)


def test_fio_s_json_is_read_as_it_was_run(drive: Path, tmp_path: Path) -> None:
    folder = tmp_path / "fio"
    folder.mkdir()
    content = fio_of(drive, "randrw", 8, rwmixread="70")
    (folder / "mixed.json").write_text(f"fio: a warning\n{json.dumps(content)}")
    rows = read_data(folder)
    assert [row.operation for row in rows] == ["read", "write"]
    load = rows[0].load
    assert isinstance(load, Load)
    assert load.stream == Stream(70.0, True, 4096, 8)
    found = validate_drive(RunOptions(drive=str(drive)), rows)
    errors = [point.mean_error_pct for point in found.points if point.row.operation == "read"]
    assert errors[0] == pytest.approx(0, abs=10)
    text, left_out = csv_of(rows, "x")
    assert left_out == 0
    again = data_of(tmp_path / "csv", *text.splitlines()[1:], columns=text.splitlines()[0])
    converted = read_data(again)
    assert [row.load for row in converted] == [row.load for row in rows]
    assert [row.drive for row in converted] == ["small-1tb", "small-1tb"]


def test_jobs_behind_a_wall_are_another_load_and_others_run_side_by_side(tmp_path: Path) -> None:
    def job(name: str, **options: str) -> dict[str, object]:
        side = {"total_ios": 1, "iops": 1000.0, "lat_ns": {"mean": 1e5}}
        return {"jobname": name, "groupid": 0, "job options": options, "read": side, "write": {}}

    jobs = [
        job("a", rw="randread", iodepth="2"),
        job("b", rw="randread", bs="64k", rate_iops="100", rate_process="poisson"),
        job("c", rw="read", stonewall="", numjobs="4"),
        job("d", rw="randtrim", stonewall=""),
    ]
    (tmp_path / "x.json").write_text(json.dumps({"fio version": "fio-3.35", "jobs": jobs}))
    first, second, third, fourth = (row.load for row in read_data(tmp_path))
    assert isinstance(first, Load)
    assert isinstance(second, Load)
    assert isinstance(third, Load)
    assert first.scene == second.scene
    assert (first.measured, second.measured) == (0, 1)
    assert second.stream == Stream(100.0, True, 65536, 1, iops=100, is_poisson=True)
    assert third.scene.streams == (Stream(100.0, False, 4096, 1, 4),)
    assert fourth == "trims"


def weighted_jobs(folder: Path, *flows: dict[str, str]) -> Path:
    """Write fio's JSON of random readers of 4 KiB and of 64 KiB with these options."""
    side = {"total_ios": 1, "iops": 1000.0, "lat_ns": {"mean": 1e5}}
    jobs = [
        {"jobname": name, "groupid": 0, "job options": options | flow, "read": side, "write": {}}
        for name, options, flow in zip(
            "ab", ({"rw": "randread"}, {"rw": "randread", "bs": "64k"}), flows, strict=True
        )
    ]
    content = {"fio version": "fio-3.35", "global options": {"iodepth": "8"}, "jobs": jobs}
    (folder / "x.json").write_text(json.dumps(content))
    return folder


def test_weights_of_fio_s_json_are_those_of_the_jobs(tmp_path: Path) -> None:
    rows = read_data(weighted_jobs(tmp_path, {"flow": "3", "flow_sleep": "20"}, {"flow": "1"}))
    small, large = (row.load for row in rows)
    assert isinstance(small, Load)
    assert isinstance(large, Load)
    assert small.stream == Stream(100.0, True, 4096, 8, weight=3, flow_pause_us=20)
    assert large.stream == Stream(100.0, True, 65536, 8, weight=1, flow_pause_us=0)
    assert csv_of(rows, "x")[1] == 2


@pytest.mark.nightly
def test_jobs_of_fio_s_json_share_their_requests_by_their_weights(
    drive: Path, tmp_path: Path
) -> None:
    rows = read_data(weighted_jobs(tmp_path, {"flow": "3", "flow_sleep": "20"}, {"flow": "1"}))
    found = validate_drive(RunOptions(drive=str(drive)), rows)
    rates = [point.simulated.iops or 0 for point in found.points]
    assert rates[0] / rates[1] == pytest.approx(3, rel=0.02)


@pytest.mark.parametrize(
    ("flows", "reason"),
    [
        (({"flow": "3"}, {"flow": "1", "flow_id": "7"}), "several groups of jobs with `flow`"),
        (({"flow": "3", "rate_iops": "100"}, {"flow": "1"}), "`flow` and a rate"),
        (({"flow": "-3"}, {"flow": "1"}), "`flow=-3`"),
    ],
)
def test_weights_that_cannot_be_simulated_are_named(
    flows: tuple[dict[str, str], dict[str, str]], reason: str, tmp_path: Path
) -> None:
    assert [row.load for row in read_data(weighted_jobs(tmp_path, *flows))] == [reason, reason]


def test_a_load_beside_a_weight_is_not_written_as_csv(tmp_path: Path) -> None:
    rows = read_data(weighted_jobs(tmp_path, {"flow": "3"}, {}))
    assert csv_of(rows, "x")[1] == 2


def test_jobs_of_a_run_that_states_their_proportion_share_their_requests(
    drive: Path, tmp_path: Path
) -> None:
    source = "spdk/read_write_25_75_adjacent/8192bs/1zone/8.json"
    rows = [
        f"small-1tb,read,rand,4096,8,1,beside write qd2,no,9000,90,80,300,500,{source}",
        f"small-1tb,write,seq,8192,2,1,beside randread qd8,no,3000,15,12,30,50,{source}",
    ]
    folder = data_of(tmp_path / "data", *rows, columns=f"{COLUMNS},source_file")
    read, write = (row.load for row in read_data(folder))
    assert isinstance(read, Load)
    assert isinstance(write, Load)
    assert read.stream == Stream(100.0, True, 4096, 8, weight=75)
    assert write.stream == Stream(0.0, False, 8192, 2, weight=25)
    assert read.scene == write.scene
    assert words_of(read) is None
    found = simulate(RunOptions(drive=str(drive)), {read.scene: {read.measured: (9000, 90)}})
    reads, writes = found[read.scene].of(read, "read"), found[read.scene].of(write, "write")
    assert reads is not None
    assert writes is not None
    assert reads.iops is not None
    assert writes.iops is not None
    assert reads.iops / writes.iops == pytest.approx(3, rel=0.01)


def test_a_latency_log_gives_its_percentiles_unless_its_lines_are_averages(tmp_path: Path) -> None:
    lines = [f"{number}, {number * 1000}, 0, 4096, 0" for number in range(1, 2001)]
    log = tmp_path / "randread-8-2_lat.1.log"
    log.write_text("\n".join(lines))
    (row,) = read_logs([log])
    assert isinstance(row.load, Load)
    assert row.load.stream == Stream(100.0, True, 4096, 8, 2)
    assert (row.figures.p50_us, row.figures.p99_us, row.figures.p999_us) == (1000, 1980, 1998)
    log.write_text("\n".join(f"{1000 * n}, 5000, 0, 4096, 0" for n in range(9)))
    (row,) = read_logs([log])
    assert row.load == "latency log of averages"


def test_the_form_of_a_data_set_has_a_row_for_each_operation(tmp_path: Path) -> None:
    content = data_of(tmp_path / "data", "d,read,rand,4096,4,1,r70,no,9000,100,1,2,3")
    text, _ = csv_of(read_data(content), "d")
    (cells,) = csv.DictReader(StringIO(text))
    assert (cells["rwmix"], cells["qd"], cells["p99_us"]) == ("r70", "4", "2.00")


def test_a_run_of_coupled_jobs_has_the_weights_of_its_name(tmp_path: Path) -> None:
    columns = f"{COLUMNS},source_file"
    name = "spdk/read_writemq_10_def_90_strip_far/8192bs/1zone/4.json"
    row = "d,read,rand,4096,1,1,beside write qd4,,9000,105,,,"
    (load,) = loads_of(data_of(tmp_path / "data", f"{row},{name}", columns=columns))
    assert isinstance(load, Load)
    (writer,) = (stream for stream in load.scene.streams if stream != load.stream)
    assert (writer.size_bytes, writer.depth, writer.iops) == (8192, 4, None)
    assert (writer.weight, load.stream.weight) == (10, 90)


@pytest.mark.parametrize(
    ("run", "size_bytes"),
    [
        ("append_read_10_def_90_strip", 4096),
        ("append_read_10_opt_90_strip", 8192),
        ("writemq_read_optap_10_90_offset_far", 8192),
    ],
)
def test_writes_of_the_optimal_size_have_8_kib_beside_reads_of_another_size(
    tmp_path: Path, run: str, size_bytes: int
) -> None:
    row = f"d,read,rand,4096,8,1,beside write qd4,,9000,105,,,,spdk/lbaf2/{run}/4096bs/1zone/8.json"
    (load,) = loads_of(data_of(tmp_path / "data", row, columns=f"{COLUMNS},source_file"))
    assert isinstance(load, Load)
    (writer,) = (stream for stream in load.scene.streams if stream != load.stream)
    assert (load.stream.size_bytes, writer.size_bytes) == (4096, size_bytes)


def test_a_deeper_job_with_a_weight_ends_later(tmp_path: Path) -> None:
    row = "d,read,rand,4096,512,1,beside write qd1,,9000,105,,,,a/read_write_25_75_far/4096bs/1"
    folder = data_of(tmp_path / "data", row, columns=f"{COLUMNS},source_file")
    (folder / "hosts.toml").write_text(
        "[[host]]\ncores = 2\nrequest_ns = 1000\nwrite_ns = 500\noverrun_ppm = 2.5\n"
    )
    (load,) = loads_of(folder)
    assert isinstance(load, Load)
    length = length_of(load.scene, {load.measured: (9000.0, 105.0)})
    assert length.runtime_us is not None
    overrun = 2.5e-6 * 511
    assert length.runtime_us * overrun >= 6000
    runtimes = re.findall(r"runtime=(\d+)us", job_file(load.scene, length, 1 << 30))
    expected = [length.runtime_us, length.runtime_us * (1 - overrun)]
    assert [float(one) for one in runtimes] == pytest.approx(expected, abs=1)
    assert "host.core_write_ns=500" in load.scene.host.settings


@pytest.mark.parametrize("beside", ["write qd4", "write qd4 1000/s"])
def test_a_row_of_coupled_jobs_keeps_its_own_size_and_stated_rates(
    tmp_path: Path, beside: str
) -> None:
    name = "spdk/read_writemq_10_def_90_strip_far/8192bs/1zone/4.json"
    row = f"d,read,rand,16384,1,1,beside {beside},,9000,105,,,,{name}"
    (load,) = loads_of(data_of(tmp_path / "data", row, columns=f"{COLUMNS},source_file"))
    assert isinstance(load, Load)
    assert load.stream.size_bytes == 16384
    (writer,) = (stream for stream in load.scene.streams if stream != load.stream)
    is_paced = beside.endswith("/s")
    assert (writer.weight is None, writer.iops) == (is_paced, 1000 if is_paced else None)


def test_a_drive_stands_for_the_data_that_it_names_and_drives_that_extend_it_do_not(
    tmp_path: Path,
) -> None:
    base, extended = tmp_path / "base.toml", tmp_path / "extended.toml"
    base.write_text(f'measured_as = ["a", "b"]\n{DRIVE}')
    extended.write_text('name = "c"\nextends = "base.toml"\n')
    assert names_of(RunOptions(drive=str(base))) == ("small-1tb", ["a", "b"])
    assert names_of(RunOptions(drive=str(extended))) == ("c", ["c"])


def test_a_complete_file_has_the_names_of_measured_drives_if_there_are_any(
    drive: Path, tmp_path: Path
) -> None:
    measured = tmp_path / "measured.toml"
    measured.write_text(f'measured_as = ["a"]\n{DRIVE}')
    texts = [drive_of(RunOptions(drive=str(path))).to_toml() for path in (drive, measured)]
    assert ["measured_as" in text for text in texts] == [False, True]
    measured.write_text(texts[1])
    assert names_of(RunOptions(drive=str(measured)))[1] == ["a"]


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ("d,read,rand,4096,many,1,,,9000,100,,,", "qd"),
        ("d,read,rand,4k,1,1,,,9000,100,,,", "bs"),
        ("d,read,rand,4096,1,1,,,9000,fast,,,", "mean_us"),
        ("d,erase,rand,4096,1,1,,,9000,100,,,", "op"),
    ],
)
def test_a_cell_that_is_no_number_is_named_with_its_line(
    row: str, column: str, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    folder = data_of(tmp_path / "data", "d,read,rand,4096,1,1,,,9000,100,,,", row)
    outcome = venice("validate", "wd-zn540", "--data", str(folder))
    assert outcome.code == 2
    assert f"`{column}` is " in outcome.stderr
    assert "drive.csv, line 3" in outcome.stderr


def test_a_drive_that_completes_nothing_after_the_warm_up_is_a_miss() -> None:
    stream = Stream(0.0, is_random=True, size_bytes=4096, depth=1, iops=100_000.0)
    scene = Scene((stream,), condition="written")
    slow = RunOptions(drive="venice-cost").with_sets("flash.t_prog_us=[1000000]")
    (result,) = simulate(slow, {scene: {0: (100_000.0, 20.0)}}).values()
    figures = result.figures[0, "write"]
    assert figures.iops == 0
    assert figures.mean_us is not None
    assert figures.mean_us > 1000


def count_runs(
    monkeypatch: pytest.MonkeyPatch, is_steady: Callable[[Report], bool | None]
) -> list[int]:
    """Set the verdict on the latency of each simulated load; return the requests of all runs."""
    completed: list[int] = []

    def run(drive: Drive, options: RunOptions, **rest: object) -> Report:
        report = run_drive(drive, options, **rest)  # type: ignore[arg-type]
        report.content["steadiness"]["latency_us"]["steady"] = is_steady(report)
        completed.append(report.content["requests"]["completed"])
        return report

    monkeypatch.setattr(simulation, "run_drive", run)
    return completed


@pytest.mark.parametrize(("is_steady", "lengths"), [(True, [1]), (None, [1]), (False, [1, 4])])
def test_a_load_whose_latency_is_not_steady_is_run_again_for_longer(
    is_steady: bool | None, lengths: list[int], drive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    completed = count_runs(monkeypatch, lambda _report: is_steady)
    scene = Scene((Stream(100.0, is_random=True, size_bytes=4096, depth=4),))
    (result,) = simulate(RunOptions(drive=str(drive)), {scene: {}}).values()
    assert [count / completed[0] for count in completed] == lengths
    assert result.is_steady == is_steady


def test_rows_of_a_load_that_is_not_steady_in_its_last_run_are_marked(
    drive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = "small-1tb,read,rand,4096,{},1,,no,1,1,1,1,1".format
    rows = read_data(data_of(tmp_path / "data", row(1), row(1), row(8)))
    # Faster than at depth 1.
    count_runs(monkeypatch, lambda report: (report.iops or 0) > 30_000)
    found = validate_drive(RunOptions(drive=str(drive)), rows)
    steady = [point["latency_steady"] for point in validations_as_json([found])["points"]]
    assert steady == [False, False, True]
    assert "the latency of 1 run is" in unsteady_text(found)
    assert unsteady_text(found) in page_of([found], lambda _validation: b"")
    steady_rows = validate_drive(RunOptions(drive=str(drive)), rows[2:])
    assert steady_rows.unsteady_scenes == 0
    assert "is not steady" not in page_of([steady_rows], lambda _validation: b"")
