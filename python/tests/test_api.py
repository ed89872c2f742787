"""Objects of the Python API: reports, progress, exceptions."""

from __future__ import annotations

import pickle
import time
from typing import TYPE_CHECKING, Any

import pytest

import venice
from venice._native import Simulation
from venice.observation.request_log import RequestLog
from venice.options.engine_options import EngineOptions
from venice.options.run_options import RunOptions
from venice.papers.required_figures import require
from venice.report.files import ReportError
from venice.report.over_time import columns_over_time

if TYPE_CHECKING:
    from pathlib import Path

    from venice.config import FabricName


@pytest.fixture(scope="module")
def report() -> venice.Report:
    """Return the report of a short run with reads and writes."""
    return venice.run(workload="mixed-70-30", requests=2000, fabric="venice")


def test_figures_are_attributes_and_keys(report: venice.Report) -> None:
    assert report.fabric == "venice"
    assert report.requests.completed == report["requests"]["completed"] == 2000
    assert report.latency_us.read.count + report.latency_us.write.count == 2000
    assert report.queues[0].latency_us.all.count == 2000


def test_matcher_beyond_the_power_of_a_chip_is_refused_for_searches_only() -> None:
    sets = ["pif.matcher_mw=50"]
    with pytest.raises(venice.ConfigError, match=r"`match` \(50.00 mW\) needs 227.60 mW"):
        venice.run(drive="pif", workload="search", requests=2, sets=sets)
    report = venice.run(drive="pif", workload="random-read", requests=2, sets=sets)
    assert report.requests.reads == 2


def test_searches_of_any_source_need_a_drive_that_can_execute_them(tmp_path: Path) -> None:
    """Searches of workloads, request lists and replayed logs are refused for the same reasons."""
    search = [venice.Request("read", 0, 4096), venice.Request("search", 0, 65536)]
    log = tmp_path / "log.parquet"
    with RequestLog(log) as rows:
        venice.run(source=search, drive="pif", log=rows)
    sources = ({"workload": "search"}, {"source": search}, {"trace": log})
    cached = venice.Drive("pif", cache=venice.config.Cache(mode="write"))
    hot = venice.Drive("pif", pif=venice.config.Pif(matcher_mw=50))
    for source in sources:
        with pytest.raises(venice.WorkloadError, match="cannot be combined with a write cache"):
            venice.run(drive=cached, requests=2, **source)
        with pytest.raises(venice.ConfigError, match=r"`match` \(50.00 mW\) needs 227.60 mW"):
            venice.run(drive=hot, requests=2, **source)
        assert venice.run(drive="pif", requests=1, **source).requests.completed == 1
    assert venice.run(source=search[:1], drive=cached).requests.reads == 1


def test_whatever_a_caller_changes_is_its_own_copy(report: venice.Report) -> None:
    before = report.to_json()
    content = report.to_dict()
    content["iops"] = -1
    content["latency_us"]["all"]["mean"] = -1
    content["queues"][0]["read_bytes"] = -1
    content["queues"].clear()
    report.queues.clear()
    report.breakdown().clear()
    assert report.to_json() == before
    assert venice.Report(report.to_dict()).to_json() == before
    assert report.to_dict()["queues"][0]["read_bytes"] >= 0


def test_columns_over_time_are_copies() -> None:
    report = venice.run(workload="random-read", requests=200, interval=4)
    before = report.to_dict()
    for column in columns_over_time(report).values():
        column.clear()
    assert report.to_dict() == before


def test_a_figure_that_is_none_names_those_there_are(report: venice.Report) -> None:
    with pytest.raises(AttributeError, match=r"no figure is called 'p98'; there are: count, mean"):
        _ = report.latency_us.all.p98  # type: ignore[attr-defined]


@pytest.mark.parametrize("operation", ["all", "read", "write"])
def test_a_breakdown_adds_up_to_the_mean(report: venice.Report, operation: str) -> None:
    parts = report.breakdown(operation)
    assert sum(parts.values()) == pytest.approx(report.latency_us[operation].mean, rel=1e-9)


def test_a_report_survives_its_file(report: venice.Report, tmp_path: Path) -> None:
    report.save(tmp_path / "one.json")
    assert venice.Report.load(tmp_path / "one.json").to_json() == report.to_json()


def test_a_report_survives_pickling(report: venice.Report) -> None:
    assert pickle.loads(pickle.dumps(report)).to_json() == report.to_json()  # noqa: S301 our own


def test_several_reports_survive_their_file(report: venice.Report, tmp_path: Path) -> None:
    venice.save_reports([report, report], tmp_path / "two.json")
    assert len(venice.load_reports(tmp_path / "two.json")) == 2
    with pytest.raises(ReportError, match="holds 2 reports"):
        venice.Report.load(tmp_path / "two.json")


@pytest.mark.parametrize("text", ["", "[1]", '{"a": 1}'])
def test_a_file_without_reports_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "none.json").write_text(text)
    with pytest.raises(ReportError, match=r"none\.json: "):
        venice.load_reports(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("scenario", "kind"),
    [
        ({}, venice.UsageError),
        ({"workload": "nothing-known"}, venice.WorkloadError),
        ({"trace": "nowhere"}, venice.TraceError),
        ({"workload": "random-read", "fabric": "vencie"}, venice.ConfigError),
        ({"workload": "random-read", "fabrics": "all"}, TypeError),
        ({"workload": "random-read", "rate_scale": 2.0}, venice.UsageError),
    ],
)
def test_each_mistake_has_its_exception(scenario: dict[str, Any], kind: type[Exception]) -> None:
    with pytest.raises(kind):
        venice.run(**scenario)


def test_every_exception_of_ours_has_one_base() -> None:
    ours = (
        venice.UsageError,
        venice.ConfigError,
        venice.TraceError,
        venice.WorkloadError,
        venice.SimulationError,
    )
    for kind in ours:
        assert issubclass(kind, venice.VeniceError)
        assert isinstance(pickle.loads(pickle.dumps(kind("text"))), kind)  # noqa: S301 our own


def test_progress_is_reported_to_the_end() -> None:
    seen: list[tuple[int, int | None, float]] = []
    venice.run(workload="random-read", requests=200_000, progress=lambda *now: seen.append(now))
    assert seen == sorted(seen)
    assert seen[-1][:2] == (200_000, 200_000)


def test_an_exception_of_a_listener_ends_the_run() -> None:
    def stop(*_: object) -> None:
        raise ZeroDivisionError

    began = time.monotonic()
    with pytest.raises(ZeroDivisionError):
        venice.run(workload="random-read", requests=10**9, progress=stop)
    with pytest.raises(ZeroDivisionError):
        venice.compare(workload="random-read", requests=10**9, progress=stop)
    assert time.monotonic() - began < 30


def test_an_audited_run_reports_its_checks() -> None:
    audited = venice.run(workload="mixed-70-30", requests=2000, audit=True)
    assert require(audited.audit).reads_checked > 0
    plain = venice.run(workload="mixed-70-30", requests=2000)
    assert plain.audit is None
    assert plain.latency_us == audited.latency_us


def test_a_simulation_runs_once() -> None:
    options = EngineOptions(RunOptions(workload="random-read", requests=10))
    simulation = Simulation(venice.resolve("venice-performance"), options)
    simulation.run()
    with pytest.raises(venice.UsageError, match="already run"):
        simulation.run()


def test_a_closed_loop_keeps_its_depth_outstanding() -> None:
    alone = venice.run(workload="bursty-oltp", requests=500, closed_loop=1)
    assert alone.workload.queue_depth == 1
    assert alone.path.requests_conflict_pct == 0
    total_us = require(alone.latency_us.all.mean) * 500
    assert total_us == pytest.approx(alone.makespan_us, rel=1e-6)


def test_a_rate_scale_brings_arrivals_closer() -> None:
    slow, fast = (
        venice.run(workload="bursty-oltp", requests=2000, rate_scale=scale) for scale in (0.01, 0.1)
    )
    assert slow.makespan_us == pytest.approx(10 * fast.makespan_us, rel=0.01)


def test_what_takes_longest_begins_first_and_reports_keep_their_order() -> None:
    received: list[int] = []
    fabrics: list[FabricName] = ["bus", "ideal", "venice", "pssd", "nossd"]
    reports = venice.compare(
        fabrics=fabrics,
        workload="random-read",
        requests=50,
        workers=1,
        progress=lambda place, _completed, _total, _simulated: received.append(place),
    )
    assert [fabrics[place] for place in dict.fromkeys(received)] == [
        "venice",
        "nossd",
        "ideal",
        "bus",
        "pssd",
    ]
    assert [report.fabric for report in reports] == fabrics


def test_a_misspelt_keyword_gets_a_suggestion() -> None:
    wrong: Any = {"workload": "random-read", "request": 10}
    with pytest.raises(TypeError, match="'request'; did you mean 'requests'"):
        venice.run(**wrong)


def test_the_breakdown_of_what_is_no_operation_is_refused() -> None:
    report = venice.run(workload="random-read", requests=50)
    assert sum(report.breakdown("write").values()) == 0
    with pytest.raises(venice.UsageError, match="`reads` is not an operation; there are all"):
        report.breakdown("reads")
