"""Comparison of host schedulers: the command, its table and picture, and the notes of a run."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pyarrow.compute as pc
import pytest
from pyarrow import parquet

import venice as api
from venice._native import host_scheduler_names
from venice.observation.request_log import RequestLog
from venice.papers import Size, choose, reproduce
from venice.papers.required_figures import require
from venice.report.tenants import jain_index

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Outcome

_RUN = ("--drive", "piq-128gb", "--workload", "mixed-70-30", "--requests", "3000")
_SCHEME = "host.scheduler.scheme"


def test_compare_schemes_has_a_row_for_each_and_piq_gains_on_the_example_of_the_readme(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    schemes = ("none", "noop", "rws", "piq", "piq_plus")
    done = venice(
        "compare", *_RUN, "--schemes", ",".join(schemes), "--json", "out.json", "--plot", "out.png"
    )
    assert (done.code, done.stderr) == (0, "")
    rows = [line.split()[0] for line in done.stdout.splitlines() if line.startswith(" ")][-5:]
    assert tuple(rows) == schemes
    reports = json.loads((tmp_path / "out.json").read_text())
    assert [report["scheduler"] and report["scheduler"]["scheme"] for report in reports] == [
        None,
        *schemes[1:],
    ]
    mean = dict(zip(schemes, (of["latency_us"]["all"]["mean"] for of in reports), strict=True))
    assert mean["piq"] < mean["rws"] < mean["noop"]
    assert mean["piq_plus"] < mean["noop"] * 0.85
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


def test_all_schemes_have_each_tenant_s_slowdown_against_its_own_run_and_jain_s_index(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    run = ("--drive", "piq-128gb", "--workload", "mix1", "--requests", "300")
    done = venice("compare", *run, "--schemes", "all", "--json", "out.json")
    assert done.code == 0
    reports = json.loads((tmp_path / "out.json").read_text())
    schemes = [report["scheduler"]["scheme"] for report in reports]
    assert schemes == host_scheduler_names()
    for report in reports:
        slowdowns = [queue["alone"]["slowdown_mean"] for queue in report["queues"]]
        assert report["fairness"]["slowdown"]["jain"] == pytest.approx(jain_index(slowdowns))
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith(" ")]
    last = rows[-len(schemes) :]
    assert [row[0] for row in last] == schemes
    jain = [f"{report['fairness']['slowdown']['jain']:.3f}" for report in reports]
    assert [row[-1] for row in last] == jain


def test_a_tenant_s_own_run_is_under_the_same_scheme() -> None:
    (report,) = api.compare_schemes(
        schemes=["piq"], drive="piq-128gb", workload="mix1", requests=300
    )
    alone = api.run(
        alone=True, sets=[f"{_SCHEME}=piq"], drive="piq-128gb", workload="mix1", requests=300
    )
    assert report.content["queues"] == alone.content["queues"]


def test_schemes_and_fabrics_together_are_all_schemes_of_each_fabric(
    venice: Callable[..., Outcome],
) -> None:
    chosen = ("--schemes", "noop,piq", "--fabrics", "bus,venice")
    done = venice("compare", *_RUN, *chosen)
    rows = [line.split()[:2] for line in done.stdout.splitlines() if line.startswith(" ")][-4:]
    assert rows == [["bus", "noop"], ["bus", "piq"], ["venice", "noop"], ["venice", "piq"]]


@pytest.mark.parametrize(
    ("schemes", "reported"),
    [("noop,piqq", "did you mean `piq`"), (",", "names no host scheduler")],
)
def test_a_scheme_that_is_none_is_refused(
    venice: Callable[..., Outcome], schemes: str, reported: str
) -> None:
    done = venice("compare", *_RUN, "--schemes", schemes)
    assert done.code == 2
    assert reported in done.message


@pytest.mark.parametrize(
    "typed",
    [
        "--schemes piq,noop,piq",
        "--schemes noop,piqq",
        "--vary host.scheduler.scheme=noop,piqq",
        "--vary flash.t_read_us=[3,4],x",
        "--vary flash.t_reed_us=3,4",
        '--vary fabric.hold=transfer,"operation',
    ],
)
def test_an_error_in_a_value_of_an_axis_is_located_at_the_option_that_was_typed(
    venice: Callable[..., Outcome], typed: str
) -> None:
    done = venice("compare", *_RUN, *typed.split())
    assert done.code == 2
    assert f"\n  --> {typed}\n" in done.stderr
    assert "--set " not in done.stderr


def test_an_unknown_scheme_is_located_at_its_argument() -> None:
    for schemes in (["noop", "piqq"], "piqq"):
        with pytest.raises(api.ConfigError, match=r'--> schemes=\["piqq"\]'):
            api.compare_schemes(schemes=schemes, drive="piq-128gb", workload="mix1")  # type: ignore[arg-type]


def test_a_single_scheme_needs_no_list() -> None:
    found = api.compare_schemes(schemes="piq", drive="piq-128gb", workload="mix1", requests=100)
    assert [require(report.scheduler).scheme for report in found] == ["piq"]


def test_schemes_are_compared_once_each() -> None:
    with pytest.raises(api.UsageError):
        api.compare_schemes(schemes=["piq", "piq"], drive="piq-128gb", workload="mix1")


def test_a_run_reports_its_host_scheduler_if_it_has_one(
    venice: Callable[..., Outcome],
) -> None:
    with_one = venice("run", *_RUN, "--set", f"{_SCHEME}=piq")
    assert "host scheduler piq, drive in order · " in with_one.stdout
    assert "batches of reads (mean" in with_one.stdout
    assert "waiting in the host: reads" in with_one.stdout
    assert "host scheduler" not in venice("run", *_RUN).stdout


def test_only_a_growing_queue_is_reported() -> None:
    def backlog(rate_scale: float) -> bool:
        report = api.run(
            drive="piq-128gb",
            workload="hm_0",
            requests=5000,
            rate_scale=rate_scale,
            sets=[f"{_SCHEME}=noop"],
        )
        return require(report.scheduler).backlog.grows

    assert (backlog(2.0), backlog(0.2)) == (True, False)


def test_the_history_of_the_queue_adds_up_to_the_time_that_requests_waited() -> None:
    report = api.run(
        drive="piq-128gb",
        workload="mixed-70-30",
        requests=4000,
        sets=[f"{_SCHEME}=piq", "host.scheduler.history_points=64"],
    )
    found = require(report.scheduler)
    history = require(found.history)
    assert 32 <= len(history.waiting) <= 64
    # All intervals except the last have full length.
    lengths = [history.interval_us] * (len(history.waiting) - 1)
    lengths.append(history.start_us + report.makespan_us - sum(lengths))
    waited = sum(level * time for level, time in zip(history.waiting, lengths, strict=True))
    reported = sum(
        require(found.waiting_us[kind].mean) * found.waiting_us[kind].count
        for kind in ("read", "write")
    )
    assert waited == pytest.approx(reported, rel=1e-6)
    chips = sum(level * time for level, time in zip(history.chip_pct, lengths, strict=True))
    assert chips == pytest.approx(
        require(report.utilisation.chip_pct) * report.makespan_us, rel=1e-6
    )


def test_batches_of_the_log_are_those_of_the_report_and_share_no_chip() -> None:
    file = io.BytesIO()
    with RequestLog(file) as log:
        report = api.run(
            drive="piq-128gb",
            workload="mixed-70-30",
            requests=3000,
            sets=[f"{_SCHEME}=piq"],
            log=log,
        )
    table = parquet.read_table(file)
    for kind in ("read", "write"):
        rows = table.filter(pc.equal(table["op"].cast("string"), kind))
        chips: dict[int, list[int]] = {}
        for batch, start, sectors in zip(
            *(rows[name].to_pylist() for name in ("batch", "start_sector", "sectors")), strict=True
        ):
            first, last = start // 8, (start + sectors - 1) // 8
            chips.setdefault(batch, []).extend(page % 64 for page in range(first, last + 1))
        assert min(chips) == 1
        assert all(len(set(used)) == len(used) for used in chips.values())
        sizes = require(report.scheduler).batch_sizes[kind]
        assert (len(chips), rows.num_rows / len(chips)) == (sizes.count, pytest.approx(sizes.mean))


def test_equal_flows_have_equal_slowdowns() -> None:
    report = api.run(
        drive="piq-128gb", workload="mixed-70-30", requests=2000, sets=[f"{_SCHEME}=piq"]
    )
    scheduler = require(report.scheduler)
    (flow,) = scheduler.flows
    assert flow["slowdown"] > 1
    assert flow["requests"] == 2000
    assert scheduler.jain_index == 1


@pytest.mark.nightly
@pytest.mark.timeout(600)
def test_on_real_traces_piq_gains_as_the_paper_says_within_a_third(
    published_traces: Path, tmp_path: Path
) -> None:
    size = Size("real", 2000, most_values=2, traces=published_traces / "msr")
    done = reproduce(choose(["piq-fig18", "piq-claims"]), tmp_path, size, pictures=False)
    ours = {claim.claim: claim.ours for claim in done.claims}
    for claim, paper in {
        "read latency, PIQ against NOOP": -41.7,
        "write latency, PIQ against NOOP": -33.8,
        "waiting of reads, PIQ against NOOP": -51.3,
        "waiting of writes, PIQ against NOOP": -46.3,
        "write latency, PIQ+ with 512 entries against 1": -37.0,
    }.items():
        found = ours[claim]
        assert isinstance(found, float)
        assert found / paper == pytest.approx(1, abs=1 / 3), claim
