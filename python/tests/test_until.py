"""``--until``: the length of a run by a criterion."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import venice as api
from venice.report.steadiness import steadiness_notes
from venice.sweep import Sweep, run_sweep
from venice.workloads import Address, AtMostBytes, Mix, Workload

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from venice.api.scenario import Scenario

    from .conftest import Outcome

SMALL = ("flash.blocks_per_plane=16", "flash.pages_per_block=32", "ftl.over_provisioning_pct=20")


def end(report: api.Report) -> dict[str, Any]:
    """Return the criterion of a run and its outcome."""
    found: dict[str, Any] = report.to_dict()["until"]
    return found


def test_a_level_load_is_steady_in_its_first_window() -> None:
    report = api.run(workload="random-read", until="steady")
    assert report.steadiness.verdict == "settled"
    assert end(report)["reached"]
    assert 5_000 <= report.requests.completed < 5_100
    assert end(report)["requests"] == report.requests.submitted


def test_windows_that_are_not_steady_become_warm_up() -> None:
    report = api.run(
        sets=[*SMALL, "precondition.mode=steady_state"],
        workload="random-write",
        closed_loop=16,
        until="steady",
    )
    assert end(report)["reached"]
    assert report.steadiness.verdict == "settled"
    assert report.steadiness.blocks_written_per_plane >= 1
    phases = report.to_dict()["phases"]
    assert [phase["name"] for phase in phases] == ["warmup", "measure"]
    assert end(report)["requests"] == phases[0]["requests"] + report.requests.submitted


def test_a_load_that_never_settles_ends_at_the_bound(tmp_path: Path) -> None:
    # Reads whose size increases all the time.
    lines = [f"{n * 500_000} 0 {n * 100} {1 + n // 20} 1\n" for n in range(12_000)]
    (tmp_path / "trace.txt").write_text("".join(lines))
    report = api.run(trace=tmp_path / "trace.txt", format="mqsim-ascii", until="steady")
    assert not end(report)["reached"]
    assert end(report)["requests"] == 12_000
    assert report.steadiness.verdict == "not_settled"


def test_writes_that_the_write_buffer_takes_alone_are_not_settled() -> None:
    report = api.run(drive="qlc-4tb", workload="random-write", requests=5_000)
    assert report.flash.programs == 0
    assert report.steadiness.verdict == "not_settled"
    assert report.steadiness.unprogrammed_rise_pct == pytest.approx(100, abs=1)
    (note,) = steadiness_notes([report], ["qlc-4tb"])
    assert note.startswith("Not settled: the write buffer filled with 100 % of the data"), note


def test_a_buffer_that_absorbs_a_rewritten_working_set_is_settled() -> None:
    address = Address(footprint=AtMostBytes(4 * 2**20))
    rewriting = Workload("random-write", address=address)
    report = api.run(drive="qlc-4tb", workload=rewriting, requests=5_000)
    assert report.flash.programmed_bytes < 0.2 * 5_000 * 4096
    assert abs(report.steadiness.unprogrammed_rise_pct or 0) < 10
    assert report.steadiness.verdict == "settled"


def test_reads_do_not_fill_the_write_buffer() -> None:
    report = api.run(drive="qlc-4tb", workload="random-read", requests=5_000)
    assert report.steadiness.unprogrammed_rise_pct is None
    assert report.steadiness.verdict == "settled"


@pytest.mark.parametrize("figure", ["latency_us.all.mean", "latency_us.read.p99", "iops"])
def test_the_interval_is_narrower_than_required(figure: str) -> None:
    report = api.run(workload="random-read", until=f"ci({figure}) < 3%")
    found = end(report)
    assert found["reached"]
    assert 0 < found["half_width_pct"] < 3
    exact = {
        "latency_us.all.mean": report.latency_us.all.mean,
        "latency_us.read.p99": report.latency_us.read.p99,
        "iops": report.iops,
    }[figure]
    assert found["estimate"] == pytest.approx(exact, rel=0.06)


def test_nineteen_of_twenty_intervals_hold_the_mean_of_a_long_run() -> None:
    """Poisson arrivals at a drive with one chip, which is a single server with a queue."""
    load: Scenario = {
        "sets": ["array.rows=1", "array.cols=1"],
        "workload": "poisson-read-4k",
        "rate_scale": 0.4,
    }
    long: Scenario = {**load, "requests": 200_000}
    mean: float = api.run(**long).to_dict()["latency_us"]["all"]["mean"]
    held = 0
    for seed in range(1, 21):
        one: Scenario = {**load, "seed": seed, "until": "ci(latency_us.all.mean) < 4%"}
        found = end(api.run(**one))
        estimate: float = found["estimate"]
        held += abs(estimate - mean) <= found["half_width_pct"] / 100 * estimate
    assert held >= 16, "19 on average; fewer than 16 have a probability of 0.3 %"


def test_a_narrower_interval_takes_more_requests() -> None:
    wide, narrow = (
        end(api.run(workload="mixed-70-30", until=f"ci(latency_us.all.mean) < {pct}%"))
        for pct in (10, 1)
    )
    assert wide["requests"] < narrow["requests"]


def test_the_length_does_not_depend_on_how_closely_a_run_is_observed() -> None:
    plain = api.run(workload="mixed-70-30", until="ci(latency_us.all.mean) < 5%")
    again = api.run(workload="mixed-70-30", until="ci(latency_us.all.mean) < 5%")
    watched = api.run(
        workload="mixed-70-30", until="ci(latency_us.all.mean) < 5%", interval=20, slowest=5
    )
    assert {**plain.to_dict(), "wall_s": 0} == {**again.to_dict(), "wall_s": 0}
    assert end(watched)["requests"] == end(plain)["requests"]
    assert watched.latency_us.all.mean == plain.latency_us.all.mean


@pytest.mark.parametrize(
    ("until", "message"),
    [
        ("soon", "`; expected: `steady` or a bound on a confidence interval"),
        ("ci(latency_us.read.p99)", "`; expected: `steady` or a bound on a confidence interval"),
        ("ci(latency_us.read.p95) < 2%", "`latency_us.read.p95` cannot end a run"),
        ("ci(write_amplification) < 2%", "`write_amplification` cannot end a run"),
        ("ci(iops) < 0%", "expected: above 0 and at most 100 %"),
    ],
)
def test_what_is_no_criterion_is_refused(
    until: str, message: str, venice: Callable[..., Outcome]
) -> None:
    outcome = venice("run", "--workload", "random-read", "--until", until)
    assert (outcome.code, outcome.stdout) == (2, "")
    assert message in outcome.message


READS = ("run", "--workload", "random-read", "--until")
NO_WRITES = "ci(latency_us.write.p99) < 2%"


def test_a_figure_of_requests_that_the_workload_does_not_have_is_refused(
    venice: Callable[..., Outcome],
) -> None:
    outcome = venice(*READS, NO_WRITES)
    assert (outcome.code, outcome.stdout) == (2, "")
    assert "but the workload has no writes" in outcome.message
    assert "such as latency_us.read.p99" in outcome.message
    mixed = Mix(flows=["random-read", "random-write"], requests=4_000)
    for until in (NO_WRITES, "ci(latency_us.read.p99) < 2%"):
        api.run(workload=mixed, requests=4_000, until=until)


def test_a_run_without_requests_of_the_figure_names_the_operation(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    job = tmp_path / "reads.fio"
    job.write_text("[reads]\nrw=randread\nbs=4k\nnumber_ios=2000\nsize=64m\n")
    options = ("--requests", "2000", "--until", NO_WRITES)
    screen = venice("run", "--workload", str(job), *options).stdout
    assert "not reached in 2,000 requests: the run has no writes. Choose a figure of" in screen
    assert "Raise" not in screen


def test_the_screen_states_whether_the_criterion_was_reached(
    venice: Callable[..., Outcome],
) -> None:
    options = ("run", "--workload", "random-read", "--until")
    assert "Steady state was reached after 5,0" in venice(*options, "steady").stdout
    precise = venice(*options, "ci(iops) < 3%").stdout
    assert "The precision was reached after " in precise
    assert " % (at most 3 % requested) by " in precise
    short = venice(*options, "ci(latency_us.all.p999) < 0.001%", "--requests", "3000").stdout
    assert "not reached in 3,000 requests: too few for the 20 batches of an interval." in short


@pytest.mark.parametrize(
    ("figure", "way"),
    [("latency_us.read.p99", ("latency_us", "read", "p99")), ("iops", ("iops",))],
)
@pytest.mark.parametrize("requests", ["3000", "30000"])
def test_a_precision_that_was_not_reached_gives_the_estimate_and_what_to_do(
    figure: str, way: tuple[str, ...], requests: str, venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    options = ("--until", f"ci({figure}) < 0.001%", "--requests", requests, "--json", "r.json")
    outcome = venice("run", "--workload", "random-read", *options)
    value = json.loads((tmp_path / "r.json").read_text())
    for step in way:
        value = value[step]
    text = f"{value:,.0f} IOPS" if figure == "iops" else f"{figure} = {value:.4g} µs"
    assert f"The estimate so far is {text}, without that precision." in outcome.stdout
    assert "Raise --requests, take a longer trace, or allow a wider interval." in outcome.stdout


@pytest.mark.parametrize("until", ["soon", "ci(iops) < 0%", "ci(latency_us.read.p95) < 2%"])
def test_the_python_api_names_the_argument(until: str) -> None:
    with pytest.raises(api.UsageError, match="`until=`") as refused:
        api.run(workload="random-read", until=until)
    assert "--until" not in str(refused.value)


def test_a_sweep_may_run_until_steady(tmp_path: Path) -> None:
    sweep = Sweep.of({"workload": "random-read", "until": "steady"}, [{"fabric": ["bus", "ideal"]}])
    outcome = run_sweep(sweep, tmp_path)
    verdicts = [report.to_dict()["steadiness"]["verdict"] for _, report in outcome.results]
    assert verdicts == ["settled", "settled"]


def test_comparisons_end_by_the_criterion(tmp_path: Path, venice: Callable[..., Outcome]) -> None:
    outcome = venice(
        *("compare", "--workload", "random-read", "--fabrics", "bus,ideal"),
        *("--until", "steady", "--json", "out.json"),
    )
    assert "are steady over five rounds in all 2 runs." in outcome.stdout
    reports = json.loads((tmp_path / "out.json").read_text())
    assert all(report["until"]["reached"] for report in reports)
