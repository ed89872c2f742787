"""Statistics over seeds, and the grouping of runs that all pictures share."""

from __future__ import annotations

import csv
import io
import re
from math import sqrt, tan
from random import Random
from statistics import NormalDist, geometric_mean
from typing import TYPE_CHECKING, Any

import pytest

import venice as api
from venice import stats
from venice.plot.results import bar_table, breakdown_table, load_table
from venice.report import Report
from venice.report.differences import difference_pct
from venice.report.grouping import Groups, Result
from venice.report.repeats import distinct_results
from venice.report.rows import rows_of
from venice.text.units import column_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from .conftest import Outcome

_T_TABLE = {
    # Degrees of freedom: quantiles for 90, 95 and 99 % on both sides, NIST/SEMATECH e-Handbook of
    # Statistical Methods, §1.3.6.7.2.
    1: (6.314, 12.706, 63.657),
    2: (2.920, 4.303, 9.925),
    3: (2.353, 3.182, 5.841),
    4: (2.132, 2.776, 4.604),
    9: (1.833, 2.262, 3.250),
    30: (1.697, 2.042, 2.750),
    100: (1.660, 1.984, 2.626),
}


@pytest.mark.parametrize("degrees", _T_TABLE)
def test_quantiles_of_t_are_those_of_the_published_table(degrees: int) -> None:
    found = [stats.quantile(level, degrees) for level in (90, 95, 99)]
    assert found == pytest.approx(_T_TABLE[degrees], abs=0.0006)


@pytest.mark.parametrize("level", [50, 80, 95, 99.9])
def test_quantiles_of_t_have_their_closed_forms_and_their_limit(level: float) -> None:
    share = level / 100
    assert stats.quantile(level, 1) == pytest.approx(tan(share * 3.141592653589793 / 2))
    assert stats.quantile(level, 2) == pytest.approx(share * sqrt(2 / (1 - share**2)))
    normal = NormalDist().inv_cdf((1 + share) / 2)
    assert stats.quantile(level, 20_000) == pytest.approx(normal, rel=3e-4)


def test_a_ratio_is_paired_by_seed_whatever_the_seeds_do_to_both() -> None:
    base = {1: 10.0, 2: 100.0, 3: 1000.0}
    own = {3: 1110.0, 1: 11.0, 2: 112.0}
    # Student's t for two degrees of freedom times the deviation of 1.10, 1.12, 1.11 over √3.
    assert stats.ratio(own, base) == pytest.approx((1.11, 4.302653 * 0.01 / sqrt(3), 3))
    assert stats.ratio(base, base) == (1.0, 0.0, 3)
    assert stats.difference({1: 5.0, 9: 1.0}, {1: 3.0, 2: 7.0}) == (2.0, None, 1)
    assert stats.ratio({1: 5.0}, {2: 5.0}) is stats.ratio({1: 5.0}, {1: 0.0}) is None


@pytest.mark.parametrize("level", [80, 95])
@pytest.mark.parametrize("seeds", [3, 8])
def test_intervals_cover_the_true_ratio_as_often_as_they_say(seeds: int, level: float) -> None:
    random, trials, covered = Random(seeds), 4000, 0  # noqa: S311 no secret
    for _ in range(trials):
        base = {seed: random.lognormvariate(3, 1) for seed in range(seeds)}
        own = {seed: value * random.gauss(1.2, 0.05) for seed, value in base.items()}
        found = stats.ratio(own, base, level)
        assert found is not None
        covered += found.low <= 1.2 <= found.high  # type: ignore[operator]
    # Four standard deviations of a binomial share.
    share = level / 100
    assert covered / trials == pytest.approx(share, abs=4 * sqrt(share * (1 - share) / trials))


def test_a_geometric_mean_over_workloads_has_an_interval_over_their_common_seeds() -> None:
    one = ({1: 2.0, 2: 4.0}, {1: 1.0, 2: 1.0})
    other = ({1: 9.0, 2: 8.0, 3: 1.0}, {1: 2.0, 2: 2.0, 3: 1.0})
    found = stats.geometric_mean([one, other])
    by_seed = [geometric_mean([2.0, 4.5]), geometric_mean([4.0, 4.0])]
    assert found == pytest.approx(
        (sum(by_seed) / 2, 12.7062047 * abs(by_seed[0] - by_seed[1]) / 2, 2)
    )
    assert stats.geometric_mean([({1: 0.0}, {1: 1.0})]) is None


def _run(name: str, p99: float, seed: int, scale: float = 1.0, **other: Any) -> Result:  # noqa: ANN401 a report
    content = {
        "schema_version": 1,
        "fabric": name,
        "seed": seed,
        "config": {"name": "drive", "run": {"seed": seed}},
        "workload": {"name": "hm_0", "queue_depth": None},
        "demand": {"offered_iops": 100 * scale + seed},
        "iops": 100 * scale + seed,
        "latency_us": {"all": {"p99": p99, "mean": p99 / 2}},
    }
    return Result(name, Report({**content, **other}), {"rate_scale": scale})


def test_a_seed_that_changes_nothing_has_one_distinct_result() -> None:
    runs = [_run("bus", 5.0, seed).report.to_dict() for seed in (1, 2, 3)]
    same = [Report({**run, "iops": 1.0, "demand": {}, "wall_s": run["seed"]}) for run in runs]
    assert distinct_results(same) == 1
    assert distinct_results([*same, _run("bus", 6.0, 4).report]) == 2


def test_a_run_that_is_there_twice_is_one_seed() -> None:
    (series,) = Groups([_run("bus", 5.0, 1), _run("bus", 5.0, 1), _run("bus", 6.0, 2)]).series
    assert series.seeds == 2


def test_runs_that_differ_in_what_they_do_not_state_are_refused_by_name() -> None:
    one, other = _run("bus", 5.0, 1), _run("bus", 6.0, 1, demand={"offered_iops": 900.0})
    message = r"`bus` has two different runs of hm_0 with seed 1 \(offered: 101 .* and 900 req"
    with pytest.raises(api.UsageError, match=message):
        bar_table([one, other], "latency_us.all.p99", None)
    with pytest.raises(api.UsageError, match=message):
        load_table([one, other], "latency_us.all.p99")


def test_bars_of_several_loads_are_each_over_the_baseline_under_that_load() -> None:
    runs = [
        _run(name, p99 * scale, seed, scale)
        for name, p99 in (("bus", 10.0), ("venice", 11.0))
        for scale in (1.0, 8.0)
        for seed in (1, 2)
    ]
    table = bar_table(runs, "latency_us.all.p99", "bus")
    assert [(row[1], row[2], row[4]) for row in table.rows] == [
        ("bus, rate_scale=1", 1.0, 2),
        ("bus, rate_scale=8", 1.0, 2),
        ("venice, rate_scale=1", 1.1, 2),
        ("venice, rate_scale=8", 1.1, 2),
    ]
    assert {row[3] for row in table.rows} == {0.0}
    assert "95 % intervals (Student's t, paired by seed)" in table.note


def test_a_point_of_a_load_curve_is_a_mean_over_seeds_with_its_interval() -> None:
    runs = [
        _run("bus", p99 * scale, seed, scale)
        for seed, p99 in ((1, 10.0), (2, 12.0), (3, 14.0))
        for scale in (8.0, 1.0)
    ]
    table = load_table(runs, "latency_us.all.p99")
    assert [row[2] for row in table.rows] == [102.0, 802.0]
    low, high = table.rows
    assert (low[3], low[6]) == (12.0, 3)
    assert low[5] == pytest.approx(4.302653 * 2 / sqrt(3))
    assert high[3] == 8 * 12.0
    assert high[5] == pytest.approx(8 * float(low[5] or 0))


def _csv(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text())))


def _compare(venice: Callable[..., Outcome], file: str, *options: object) -> str:
    done = venice(
        *("compare", "--fabrics", "bus,venice", "--workload", "hm_0"), *options, "--json", file
    )
    assert done.code == 0, done.stderr
    return done.stdout


def test_bars_do_not_average_different_loads(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    for rate in (1, 8):
        _compare(venice, f"r{rate}.json", "--requests", 1000, "--rate-scale", rate)
    done = venice(
        *("plot", "r1.json", "r8.json", "--kind", "bars"),
        *("--of", "latency_us.all.p99", "-o", "p.pdf"),
    )
    assert done.code == 2
    assert "`bus` has two different runs of hm_0 with seed 1" in done.message
    assert "venice sweep" in done.message
    assert not (tmp_path / "p.pdf").exists()


def test_bars_of_a_sweep_over_loads_are_one_for_each(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    (tmp_path / "sweep.toml").write_text(
        '[scenario]\nworkload = "hm_0"\nrequests = 500\n[[axis]]\nfabric = ["bus", "venice"]\n'
        "[[axis]]\nrate_scale = [1.0, 8.0]\n[[axis]]\nseed = [1, 2]\n"
    )
    assert venice("sweep", "sweep.toml", "--out", "out").code == 0
    done = venice(
        *("plot", "out", "--kind", "bars", "--of", "latency_us.all.p99"),
        *("--baseline", "bus", "-o", "p.pdf"),
    )
    assert (done.code, done.stderr) == (0, "")
    rows = _csv(tmp_path / "p.csv")
    assert [(row["run"], row["seeds"]) for row in rows] == [
        (f"{fabric}, rate_scale={rate}", "2") for fabric in ("bus", "venice") for rate in (1, 8)
    ]


def test_compare_and_plot_agree_on_a_difference_and_its_interval(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    stdout = _compare(venice, "s5.json", "--rate-scale", 12, "--requests", 4000, "--seeds", 5)
    (line,) = re.findall(r"% more than.*\n bus .*\n─+\n venice +(.*)", stdout)
    mean, half = re.findall(r"([+−][\d.]+) ±([\d.]+)", line)[2]
    done = venice(
        *("plot", "s5.json", "--kind", "bars", "--of", "latency_us.all.p99"),
        *("--baseline", "bus", "-o", "p.png"),
    )
    assert (done.code, done.stderr) == (0, "")
    bus, own = _csv(tmp_path / "p.csv")
    title = "latency_us.all.p99 over bus"
    pct = (float(own[title]) - 1) * 100
    assert float(mean.replace("−", "-")) == pytest.approx(pct, abs=0.006)
    assert float(half) == pytest.approx(100 * float(own["half_of_95_pct_interval"]), abs=0.006)
    assert (bus[title], bus["half_of_95_pct_interval"]) == ("1.0", "0.0")
    method = "95 % confidence interval over 5 seeds (Student's t, rows paired by seed)"
    assert method in stdout
    assert "mean ratios over 5 seeds, 95 % intervals (Student's t, paired by seed)" in done.stdout


@pytest.mark.parametrize("level", [90, 99])
def test_the_level_of_confidence_is_chosen(
    level: int, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    options = ("--requests", 500, "--seeds", 3, "--confidence", level)
    assert f"{level} % confidence interval over 3 seeds" in _compare(venice, "s.json", *options)
    done = venice(
        *("plot", "s.json", "--kind", "bars", "--confidence", level, "-o", "p.svg"),
        *("--of", "latency_us.all.mean"),
    )
    assert done.code == 0, done.stderr
    found = float(_csv(tmp_path / "p.csv")[0][f"half_of_{level}_pct_interval"])
    bus = api.load_reports(tmp_path / "s.json")[:3]
    means = [report.latency_us.all.mean or 0.0 for report in bus]
    assert found == stats.mean_of(means, level).half


@pytest.mark.parametrize("level", [0, 100, -5, "nan"])
def test_a_level_that_no_interval_has_is_refused(
    level: object, venice: Callable[..., Outcome]
) -> None:
    done = venice("compare", "--workload", "random-read", f"--confidence={level}")
    assert done.code == 2
    assert "more than 0 and less than 100" in done.message


def test_tables_bars_and_frames_of_one_comparison_give_the_same_ratio() -> None:
    runs = api.compare(fabrics=["bus", "venice"], workload="random-read", requests=500, seeds=4)
    bus, venice = rows_of(runs, 4)
    table = difference_pct(venice, bus, lambda report: report.latency_us.all.p99)
    assert table is not None
    results = [Result(report.fabric, report) for report in runs]
    (_, bar) = bar_table(results, "latency_us.all.p99", "bus").rows
    assert (table.mean / 100 + 1, table.half) == pytest.approx((bar[2], 100 * float(bar[3] or 0)))
    speed_up = stats.ratio(_means(bus), _means(venice))
    assert speed_up is not None
    assert f"{speed_up.mean:.2f}×" in runs._repr_html_()
    (*_, stages) = breakdown_table(results).rows
    assert stages[3] == 4


def _means(row: Sequence[Report]) -> stats.Sample:
    return stats.sample(row, lambda report: report.latency_us.all.mean) or {}


def test_a_sheet_of_several_seeds_begins_with_their_means(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    _compare(venice, "s.json", "--requests", 300, "--seeds", 3)
    assert venice("report", "sheet", "s.json", "-o", "s.html").code == 0
    page = (tmp_path / "s.html").read_text()
    assert page.count(": 3 seeds</h1>") == 2
    iops = stats.mean_of([run.iops or 0.0 for run in api.load_reports(tmp_path / "s.json")[:3]])
    row = re.search(r"IOPS, requests/s</td><td>([\d,.]+)</td><td>([\d,.]+)</td>", page)
    assert row is not None
    assert column_texts([iops.mean, iops.half]) == list(row.groups())
