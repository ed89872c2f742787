"""Trims through the public interface, and against the independent page-mapped model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import venice
from page_mapped_ftl import Plane, fifo_amplification, share_in_use, trimmed_requests, work
from venice.observation.request_log import RequestLog
from venice.papers.required_figures import require
from venice.report.over_time import columns_over_time
from venice.report.summary_table import notes_of_each

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BLOCKS, PAGES = 64, 32
TURNS = 10
PAGE_BYTES = 4096
#: 1 - over-provisioning, rounded to whole pages.
USABLE = {7: 0.93, 15: 0.85, 28: 0.72}

_PLANE = {
    "array.rows": 1,
    "array.cols": 1,
    "flash.dies_per_chip": 1,
    "flash.planes_per_die": 1,
    "flash.blocks_per_plane": BLOCKS,
    "flash.pages_per_block": PAGES,
    "ftl.gc_start_free_blocks_pct": 0.0,
    "ftl.gc_start_free_blocks_min": 2,
    "ftl.static_wear_levelling": "false",
    "ftl.gc_yields_to_host": "false",
}


def _engine(requests: list[tuple[str, int]], warmup: int, **ftl: object) -> venice.Report:
    def source() -> Iterator[venice.Request]:
        for operation, page in requests:
            yield venice.Request(operation, page * PAGE_BYTES, PAGE_BYTES)  # type: ignore[arg-type]

    settings = _PLANE | {f"ftl.{key}": value for key, value in ftl.items()}
    return venice.run(
        drive="venice-performance",
        fabric="bus",
        source=source,
        closed_loop=1,
        warmup=warmup,
        audit=True,
        sets=[f"{key}={value}" for key, value in settings.items()],
    )


def _agrees(spare: int, trimmed: float, victim: str, turns: int = TURNS) -> None:
    logical = int(BLOCKS * PAGES * USABLE[spare])
    requests = trimmed_requests(logical, trimmed, turns, seed=3)
    settled = len(requests) // 2
    plane = Plane(BLOCKS, PAGES, logical, 2, victim=victim)
    programs, writes, in_use, in_use_at_end = work(plane, requests, settled)
    report = _engine(requests, settled, victim=victim, over_provisioning_pct=spare)
    flash, after = report.flash, report.after_last_completion.flash
    assert report.requests.writes == writes
    assert require(report.deallocation).units_in_use == in_use_at_end
    found = (flash.programs + after.programs) / writes
    assert found == pytest.approx(programs / writes, rel=0.03)
    assert in_use == pytest.approx(share_in_use(trimmed), rel=0.03)
    # Equal writes without trims, on a plane whose logical pages are as many as those with data
    # here.
    alike = Plane(BLOCKS, PAGES, round(logical * share_in_use(trimmed)), 2, victim=victim)
    alike_programs, alike_writes, *_ = work(
        alike, trimmed_requests(alike.logical, 0.0, 2 * turns, seed=4), turns * alike.logical
    )
    assert programs / writes == pytest.approx(alike_programs / alike_writes, rel=0.03)


def test_trims_leave_data_and_amplification_of_the_independent_model() -> None:
    _agrees(15, 0.2, "greedy")
    _agrees(28, 0.1, "fifo")


@pytest.mark.nightly
@pytest.mark.parametrize("victim", ["greedy", "fifo"])
@pytest.mark.parametrize("trimmed", [0.05, 0.1, 0.2, 0.3])
@pytest.mark.parametrize("spare", USABLE)
def test_grid_of_trims_agrees_with_the_independent_model(
    spare: int, trimmed: float, victim: str
) -> None:
    _agrees(spare, trimmed, victim, turns=3 * TURNS)


@pytest.mark.nightly
def test_independent_model_meets_the_closed_form_of_fifo() -> None:
    for trimmed in (0.1, 0.2, 0.3):
        logical = int(256 * PAGES * 0.85)
        requests = trimmed_requests(logical, trimmed, TURNS, seed=5)
        plane = Plane(256, PAGES, logical, 2, victim="fifo")
        programs, writes, *_ = work(plane, requests, len(requests) // 2)
        spare = 256 * PAGES / (logical * share_in_use(trimmed))
        assert programs / writes == pytest.approx(fifo_amplification(spare), rel=0.05)


def _with_ranges() -> Iterator[venice.Request]:
    yield venice.Request("write", 0, 65536)
    yield from venice.trim_of_ranges([(0, 8192), (16384, 4096), (33280, 1024)])
    yield venice.Request("read", 16384, 4096)


def test_trim_with_several_ranges_is_one_request_that_its_log_repeats(tmp_path: Path) -> None:
    file = tmp_path / "requests.parquet"
    with RequestLog(file) as log:
        report = venice.run(source=_with_ranges, closed_loop=1, audit=True, log=log)
    freed = require(report.deallocation)
    assert (report.requests.submitted, report.requests.trims) == (3, 1)
    assert (freed.ranges, freed.bytes, freed.units_kept) == (3, 13312, 1)
    again = require(venice.run(trace=file, closed_loop=1, audit=True).deallocation)
    assert (again.ranges, again.bytes, again.units_kept) == (3, 13312, 1)


def test_more_ranges_than_a_trim_may_have_are_an_error() -> None:
    with pytest.raises(venice.UsageError, match="257 ranges; expected: from 1 to 256"):
        venice.trim_of_ranges([(0, 512)] * 257)


def test_ranges_of_fio_jobs_and_workloads_are_counted(tmp_path: Path) -> None:
    job = tmp_path / "trims.fio"
    job.write_text("[trims]\nrw=randtrim\nbs=4k\nsize=1m\nnum_range=8\n")
    report = venice.run(workload=job)
    assert (report.requests.trims, require(report.deallocation).ranges) == (32, 256)
    mine = tmp_path / "trims.toml"
    mine.write_text('extends = "mixed-70-30"\ntrim_pct = 50\ntrim_ranges = 4\n')
    report = venice.run(workload=mine, requests=100)
    assert report.requests.submitted == 100
    assert require(report.deallocation).ranges == 4 * require(report.requests.trims)


def _with_refused_reads() -> Iterator[venice.Request]:
    for page in range(40):
        yield venice.Request("write", page * PAGE_BYTES, PAGE_BYTES)
    yield venice.Request("trim", 0, 30 * PAGE_BYTES)
    for page in range(40):
        yield venice.Request("read", page * PAGE_BYTES, PAGE_BYTES)


def test_refused_reads_are_counted_apart_and_noted() -> None:
    sets = ["ftl.dulbe=true", "ftl.trim_partial_units=zeroed"]
    load: dict[str, Any] = {"source": _with_refused_reads, "closed_loop": 1, "audit": True}
    report = venice.run(**load, sets=sets, interval="100us", distributions=True)
    requests = report.requests
    assert (requests.submitted, requests.completed, requests.failed) == (81, 51, 30)
    assert (requests.reads, requests.writes, requests.trims) == (10, 40, 1)
    assert sum(columns_over_time(report)["failed"]) == 30
    [note] = notes_of_each([report])
    assert note.startswith("30 requests failed, which latencies and rates do not include: they")
    served = venice.run(**load)
    assert (served.requests.reads, served.requests.failed) == (40, None)
    assert notes_of_each([served]) == []


def test_traces_with_trims_are_run_and_counted(tmp_path: Path) -> None:
    lines = ["fio version 3 iolog", "0 /dev/x add", "0 /dev/x open"]
    lines += [
        f"{number * 1000} /dev/x {operation} {offset} {size}"
        for number, (operation, offset, size) in enumerate(
            [("write", 0, 65536), ("trim", 0, 32768), ("read", 4096, 4096), ("read", 40960, 4096)]
        )
    ]
    (tmp_path / "trims.log").write_text("\n".join(lines))
    report = venice.run(trace=tmp_path / "trims.log", audit=True)
    requests, freed = report.requests, require(report.deallocation)
    assert (requests.reads, requests.writes, requests.trims) == (2, 1, 1)
    assert (requests.written_bytes, freed.bytes, freed.units_kept) == (65536, 32768, 0)
    assert freed.reads_without_flash == 1
    assert require(report.latency_us.trim).count == 1
    assert require(report["latency_us"]["trim"]["mean"]) < require(report.latency_us.read.mean)
    info = venice.trace_info(tmp_path / "trims.log")
    assert (info["requests"], info["trims"], info["trims_skipped"]) == (3, 1, 0)
    # Formats that have no trims omit them; the trace's own format keeps them.
    converted = venice.convert_trace(tmp_path / "trims.log", tmp_path / "ascii.txt", "mqsim-ascii")
    assert (converted["requests"], converted["left_out"]) == (3, 1)
    venice.convert_trace(tmp_path / "trims.log", tmp_path / "again.log")
    assert venice.trace_info(tmp_path / "again.log")["trims"] == 1


@pytest.mark.parametrize("rw", ["trim", "randtrim", "trimwrite", "randtrimwrite"])
def test_jobs_trim(tmp_path: Path, rw: str) -> None:
    (tmp_path / "job.fio").write_text(f"[job]\nrw={rw}\nbs=64k\nsize=1m\niodepth=4\n")
    report = venice.run(workload=str(tmp_path / "job.fio"), audit=True)
    writes = 16 if "write" in rw else 0
    assert (report.requests.trims, report.requests.writes) == (16, writes)
    assert require(report.latency_us.trim).count == 16
    assert report.iops == pytest.approx((16 + writes) / report.makespan_us * 1e6)


@pytest.mark.parametrize(("fsync", "flushes"), [(1, 15), (5, 3)])
def test_flushes_are_additional_requests_of_jobs_that_trim(
    tmp_path: Path, fsync: int, flushes: int
) -> None:
    (tmp_path / "job.fio").write_text(f"[job]\nrw=trimwrite\nbs=64k\nsize=1m\nfsync={fsync}\n")
    requests = venice.run(workload=str(tmp_path / "job.fio")).requests
    assert (requests.trims, requests.writes, requests.flushes) == (16, 16, flushes)
