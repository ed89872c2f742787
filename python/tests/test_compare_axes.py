"""``venice compare`` over settings and seeds, and the differences of its rows."""

from __future__ import annotations

import json
import re
from functools import partial
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING

import pytest

import venice as api
from venice import plot
from venice.report.differences import difference, difference_pct
from venice.report.rows import rows_of
from venice.stats import Estimate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

FEW = ("--workload", "random-read", "--requests", 300)
short_runs = partial(api.compare, workload="random-read", requests=300)
T_READ = ("--vary", "flash.t_read_us=3,40")


def parts(stdout: str) -> list[str]:
    """Split the output at its empty lines."""
    return [part for part in stdout.split("\n\n") if part.strip()]


def names(part: str) -> list[str]:
    """Return the names of a table's rows."""
    return [line.strip().split("  ")[0] for line in part.split("──\n")[1].splitlines()]


def test_each_value_of_a_setting_is_a_row_on_the_drives_own_fabric(
    venice: Callable[..., Outcome],
) -> None:
    table = parts(venice("compare", *T_READ, *FEW).stdout)[0]
    assert names(table) == ["bus t_read_us=3", "bus t_read_us=40"]


def test_several_settings_are_combined_on_every_selected_fabric(
    venice: Callable[..., Outcome],
) -> None:
    more = ("--vary", "flash.dies_per_chip=1,2", "--fabrics", "bus,venice")
    table = parts(venice("compare", *T_READ, *more, *FEW).stdout)[0]
    assert len(names(table)) == 8
    assert names(table)[1] == "bus dies_per_chip=2 t_read_us=3"


def test_a_row_of_a_setting_is_what_set_gives() -> None:
    low, high = short_runs(fabrics=["bus"], vary={"flash.t_read_us": [3, 40]})
    (alone,) = short_runs(fabrics=["bus"], sets=["flash.t_read_us=40"])
    assert high.latency_us.all.mean == alone.latency_us.all.mean != low.latency_us.all.mean


def test_a_row_has_a_report_for_every_seed_from_its_own_on() -> None:
    reports = short_runs(fabrics=["bus", "venice"], seeds=2, seed=7)
    assert [(report.fabric, report.seed) for report in reports] == [
        ("bus", 7),
        ("bus", 8),
        ("venice", 7),
        ("venice", 8),
    ]
    (alone,) = short_runs(fabrics=["venice"], seed=8)
    assert reports[3].latency_us.all.mean == alone.latency_us.all.mean


def test_the_table_has_means_over_seeds(venice: Callable[..., Outcome], tmp_path: Path) -> None:
    outcome = venice(
        "compare", "--fabrics", "bus", "--seeds", 3, *FEW, "--json", tmp_path / "three.json"
    )
    means = [
        one["latency_us"]["all"]["mean"]
        for one in json.loads((tmp_path / "three.json").read_text())
    ]
    assert len(set(means)) == 3
    shown = re.search(r"bus +(\S+)", outcome.stdout)
    assert shown is not None
    assert float(shown[1]) == pytest.approx(sum(means) / 3, abs=0.006)
    assert "seeds 1 to 3" in outcome.stdout


def _report(seed: int, mean_us: float) -> api.Report:
    return api.Report({"seed": seed, "latency_us": {"all": {"mean": mean_us}}})


def test_differences_are_taken_seed_by_seed_with_their_interval() -> None:
    def mean_us(report: api.Report) -> float | None:
        return report.latency_us.all.mean

    one, other = (
        [_report(seed, mean) for seed, mean in enumerate(means)]
        for means in ([11.0, 22.0, 33.0], [10.0, 20.0, 30.0])
    )
    # Student's t for two degrees of freedom times the deviation of 1, 2, 3 over the root of three.
    assert difference(one, other, mean_us) == pytest.approx(Estimate(2.0, 4.302653 / sqrt(3), 3))
    shares = difference_pct(one, other, mean_us)
    assert shares is not None
    assert shares == pytest.approx((10.0, 0.0, 3), abs=1e-9)
    assert difference(one[:1], other[:1], mean_us) == Estimate(1.0, None)


def test_stages_of_a_row_add_up_to_the_difference_of_its_mean(
    venice: Callable[..., Outcome],
) -> None:
    tables = parts(venice("compare", "--fabrics", "bus,venice", *FEW).stdout)
    (stages,) = [table for table in tables if "µs more than" in table]
    cells = [float(cell.replace("−", "-")) for cell in re.findall(r"[+−][\d.]+", stages)]
    assert sum(cells[1:]) == pytest.approx(cells[0], abs=0.005 * len(cells))
    assert cells[0] != 0


def test_two_rows_are_explained_by_default_and_more_on_request(
    venice: Callable[..., Outcome],
) -> None:
    def has_why(*arguments: str) -> bool:
        return "more than" in venice("compare", *arguments, *FEW).stdout

    assert has_why("--fabrics", "bus,venice")
    assert not has_why("--fabrics", "bus,venice", "--no-why")
    assert not has_why("--fabrics", "bus,venice,ideal")
    assert has_why("--fabrics", "bus,venice,ideal", "--why")


def test_latencies_past_saturation_are_not_compared(venice: Callable[..., Outcome]) -> None:
    stdout = venice(
        "compare", "--fabrics", "bus,venice", "--workload", "poisson-read-4k", "--rate-scale", 100,
        "--requests", 3000,
    ).stdout  # fmt: skip
    (table,) = [part for part in parts(stdout) if "% more than" in part]
    assert "IOPS" in table
    assert "p99" not in table


def test_a_picture_has_a_curve_for_every_seed_and_intervals_on_its_bars() -> None:
    reports = short_runs(fabrics=["bus", "venice"], seeds=3)
    picture = plot.draw_comparison(reports, seeds=3)
    curves, bars, _ = picture.axes
    assert len(curves.lines) == 6
    (legend,) = picture.legends
    assert [text.get_text() for text in legend.texts] == ["Bus", "Venice"]
    assert len(bars.collections) == 2  # the intervals of means and of tails
    assert [len(row) for row in rows_of(reports, 3)] == [3, 3]
    assert all(one.seed < other.seed for one, other in pairwise(rows_of(reports, 3)[0]))


@pytest.mark.parametrize(
    ("key", "value", "argument"),
    [
        ("flash.t_read_us", -1, 'vary={"flash.t_read_us": [-1]}'),
        ("flash.t_reed_us", 3, 'vary={"flash.t_reed_us": [3]}'),
        ("fabric.hold", "both", 'vary={"fabric.hold": ["both"]}'),
    ],
)
def test_an_invalid_value_is_located_at_the_argument(
    key: str, value: object, argument: str
) -> None:
    with pytest.raises(api.ConfigError) as refused:
        api.compare(workload="random-read", requests=100, vary={key: [value]})
    assert f"\n  --> {argument}\n" in str(refused.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--vary", "flash.dies"), "`--vary` is `flash.dies`"),
        (("--vary", "flash.dies=1,,2"), "a setting and its values"),
        (("--vary", "flash.dyes=1,2"), "dies_per_chip"),
        (("--vary", "flash.dies_per_chip=1,0"), "flash.dies_per_chip"),
        (("--vary", "flash.dies_per_chip=1,2,1"), "--vary flash.dies_per_chip=1,2,1"),
        (("--fabrics", "bus,venice,bus"), "--fabrics bus,venice,bus"),
        (("venice-performance:bus,bus",), "venice-performance:bus,bus"),
        (("--seeds", 0), "--seeds"),
        (("--schemes", "noop,piq", "--seeds", 2), "--vary host.scheduler.scheme=noop,piq"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    arguments: tuple[str, ...], message: str, venice: Callable[..., Outcome]
) -> None:
    outcome = venice("compare", *arguments, *FEW)
    assert outcome.code == 2
    assert message in outcome.message
