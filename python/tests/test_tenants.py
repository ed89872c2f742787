"""Tenants: queues by name, slowdown against running alone, fairness."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import venice as api
from venice.report.summary_table import notes_of_each
from venice.report.tenants import jain_index, tenant_cells, time_notes, with_alone

if TYPE_CHECKING:
    from collections.abc import Callable

    from venice.report.figure_types import AloneReport, EvennessReport, FairnessReport, QueueReport

    from .conftest import Outcome

_READER = """
[{name}]
rw=randread
bs={size}
iodepth={depth}
size=64m
offset={offset}m
number_ios=1500
"""
_ONE_DIE = (
    "array.rows=1",
    "array.cols=1",
    "flash.dies_per_chip=1",
    "host.link_rate_mb_per_s=unlimited",
)


def _jobs(folder: Path, *jobs: tuple[str, str, int]) -> str:
    file = folder / "shared.fio"
    readers = (
        _READER.format(name=name, size=size, depth=depth, offset=64 * place)
        for place, (name, size, depth) in enumerate(jobs)
    )
    file.write_text("[global]\nioengine=libaio\ndirect=1\n" + "".join(readers))
    return str(file)


def _alone(queue: QueueReport) -> AloneReport:
    assert queue.alone is not None
    return queue.alone


def _fairness(report: api.Report) -> FairnessReport:
    assert report.fairness is not None
    return report.fairness


def _slowdown(report: api.Report) -> EvennessReport:
    slowdown = _fairness(report).slowdown
    assert slowdown is not None
    return slowdown


def _shared(workload: str, *, alone: bool = True) -> api.Report:
    return api.run(workload=workload, sets=_ONE_DIE, alone=alone)


def test_queues_have_the_names_of_their_jobs(tmp_path: Path) -> None:
    report = _shared(_jobs(tmp_path, ("web", "4k", 1), ("backup", "4k", 1)), alone=False)
    assert [(queue.queue, queue.name) for queue in report.queues] == [(0, "web"), (1, "backup")]


def test_a_single_tenant_has_the_name_of_its_workload() -> None:
    report = api.run(workload="random-read", requests=100)
    assert [queue.name for queue in report.queues] == ["random-read"]
    assert report.fairness is None


def test_equal_flows_have_different_names() -> None:
    report = api.run(workload=api.Mix(flows=["hm_0", "hm_0"], requests=500))
    assert [queue.name for queue in report.queues] == ["hm_0", "hm_0 2"]


def test_equal_tenants_on_one_die_are_slowed_down_by_two_and_share_fairly(tmp_path: Path) -> None:
    report = _shared(_jobs(tmp_path, ("left", "4k", 1), ("right", "4k", 1)))
    for queue in report.queues:
        # Each read waits for one read of the other tenant; the die is the only resource.
        assert _alone(queue).slowdown_mean == pytest.approx(2, rel=0.1)
        assert _alone(queue).throughput_ratio == pytest.approx(1 / 2, rel=0.1)
    assert _fairness(report).throughput.jain == pytest.approx(1, abs=1e-3)
    assert _slowdown(report).jain == pytest.approx(1, abs=1e-3)
    assert _slowdown(report).max_over_min == pytest.approx(1, abs=0.02)


def test_a_deep_tenant_takes_throughput_by_depth(tmp_path: Path) -> None:
    report = _shared(_jobs(tmp_path, ("deep", "4k", 3), ("shallow", "4k", 1)))
    deep, shallow = report.queues
    # The die serves three reads of the tenant with the deep queue for one of the shallow one, which
    # waits for all of them until the deep one has finished: 500 reads take four services, the other
    # 1,000 one.
    assert _alone(shallow).slowdown_mean == pytest.approx(2, rel=0.02)
    assert _alone(deep).slowdown_mean == pytest.approx(4 / 3, rel=0.02)
    assert _slowdown(report).max_over_min == pytest.approx(3 / 2, rel=0.02)
    assert _slowdown(report).jain == pytest.approx(25 / 26, rel=0.02)


@pytest.mark.parametrize(
    ("depths", "end", "is_noted"),
    [
        ((1, 4), "number_ios=1500", True),
        ((4, 4), "number_ios=1500", False),
        ((1, 4), "runtime=20ms", False),
    ],
)
def test_tenants_that_end_at_different_times_are_noted(
    depths: tuple[int, int], end: str, is_noted: bool, tmp_path: Path
) -> None:
    jobs = Path(_jobs(tmp_path, *((f"depth{depth}", "4k", depth) for depth in depths)))
    jobs.write_text(jobs.read_text().replace("number_ios=1500", end))
    shared, *alone = (_shared(str(jobs), alone=alone) for alone in (True, False))
    assert bool(time_notes([*alone, shared])) == is_noted
    assert not time_notes(alone)


def test_tenants_that_seldom_meet_are_as_fast_as_alone() -> None:
    mix = api.Mix(flows=["poisson-read-4k", "poisson-read-16k"], requests=2000)
    report = api.run(workload=mix, rate_scale=0.001, alone=True)
    for queue in report.queues:
        assert _alone(queue).slowdown_mean == pytest.approx(1, abs=0.01)


def test_queues_of_a_trace_are_tenants(tmp_path: Path) -> None:
    trace = tmp_path / "two.txt"
    trace.write_text("".join(f"{n * 10_000} {n % 2} {n * 8} 8 1\n" for n in range(200)))
    report = api.run(trace=str(trace), format="mqsim-ascii", alone=True)
    assert [queue.name for queue in report.queues] == ["queue 0", "queue 1"]
    assert [_alone(queue).latency_us.count for queue in report.queues] == [100, 100]


def test_slowdowns_are_ratios_of_means_and_percentiles() -> None:
    def of(mean: float, p99: float, rate: float, number: int = 0) -> dict[str, Any]:
        latency = {"all": {"mean": mean, "p99": p99}}
        return {"queue": number, "latency_us": latency, "bandwidth_mb_per_s": rate}

    shared = api.Report({"queues": [of(30, 90, 5), of(20, 40, 6, 1)], "fairness": {}})
    alone = {
        0: api.Report({"queues": [of(10, 30, 10)]}),
        1: api.Report({"queues": [of(20, 20, 6)]}),
    }
    first, second = with_alone(shared, alone).to_dict()["queues"]
    assert (first["alone"]["slowdown_mean"], first["alone"]["slowdown_p99"]) == (3, 3)
    assert first["alone"]["throughput_ratio"] == 0.5
    assert (second["alone"]["slowdown_mean"], second["alone"]["slowdown_p99"]) == (1, 2)


def test_jain_s_index_ranges_from_one_over_n_to_one() -> None:
    assert jain_index([7.0] * 5) == pytest.approx(1)
    assert jain_index([1.0, 0, 0, 0]) == pytest.approx(1 / 4)
    assert jain_index([]) is None


def test_table_report_and_sheet_name_tenants_and_their_fairness(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    jobs = _jobs(tmp_path, ("web", "4k", 4), ("backup", "64k", 1))
    done = venice("run", "--workload", jobs, "--alone", "--json", "out.json")
    assert done.code == 0, done.stderr
    for text in ("tenant", "web", "backup", "slowdown", "throughput over tenants: Jain's index"):
        assert text in done.stdout, done.stdout
    report = json.loads((tmp_path / "out.json").read_text())
    assert report["fairness"]["slowdown"]["jain"] <= 1
    assert venice("report", "sheet", "out.json", "-o", "sheet.html").code == 0
    sheet = (tmp_path / "sheet.html").read_text()
    assert "<h2>Tenants</h2>" in sheet
    assert "mean slowdown over tenants: Jain&#x27;s index" in sheet


def test_requests_of_a_tenant_are_a_whole_number() -> None:
    report = api.run(workload=api.Mix(flows=["hm_0", "hm_0"], requests=300))
    titles, rows = tenant_cells(report)
    place = titles.index("requests")
    assert sum(int(row[place]) for row in rows) == 300


def test_a_single_tenant_cannot_be_compared_with_itself_alone(
    venice: Callable[..., Outcome],
) -> None:
    done = venice("run", "--workload", "random-read", "--requests", 100, "--alone")
    assert done.code == 2
    assert "there is only one; expected: a workload of several flows" in done.message


def _with_searches(*names: str) -> api.Report:
    flows = [api.Workload(name, requests=100) for name in names]
    mix = api.Mix(flows=flows, requests=100 * len(names))
    return api.run(drive="pif", workload=mix, requests=100 * len(names))


def test_tenants_that_only_search_are_left_out_of_the_fairness_of_throughput() -> None:
    fairness = _fairness(_with_searches("random-read", "random-read", "search")).throughput
    assert fairness.jain == pytest.approx(1, abs=0.01)
    assert fairness.max_over_min == pytest.approx(1, abs=0.1)
    alone = _fairness(_with_searches("random-read", "search")).throughput
    assert (alone.jain, alone.max_over_min) == (None, None)


_LOST_CHANNEL = (
    "fabric.faults.channels=[[0, 0]]",
    "fabric.faults.at_us=20",
    "fabric.faults.detection_us=1",
    "fabric.faults.degraded_mode=true",
)


def test_searches_that_fail_have_no_rate() -> None:
    found, lost = (
        api.run(drive="pif", workload="search", requests=20, sets=sets)
        for sets in ((), _LOST_CHANNEL)
    )
    (note,) = notes_of_each([found])
    assert re.fullmatch(r"20 searches in the chips: 81,920 pages at [\d,]+ MB/s, .*", note), note
    assert lost.requests.failed == 20
    assert notes_of_each([lost])[1] == "20 searches in the chips: none was completed"


def test_pages_that_cannot_be_read_are_left_out_of_the_rate_of_searches() -> None:
    search = {"location": "pif", "searches": 2, "pages": 30, "pages_failed": 10}
    report = api.run(drive="pif", workload="search", requests=2)
    content = {**report.content, "search": search, "makespan_us": 100.0}
    (note,) = notes_of_each([report.with_content(content)])
    rate = 20 * 16384 / 100
    assert note.startswith(f"2 searches in the chips: 20 pages at {rate:,.0f} MB/s"), note
    assert note.endswith("; 10 pages could not be read")
