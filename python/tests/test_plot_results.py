"""Pictures of stored results, and the files of their data."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pytest

import venice as api
from venice import save_reports
from venice.papers.required_figures import require
from venice.plot.results import Result, bar_table, load_results, load_table, tail_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from .conftest import Outcome

BEGINNINGS = {".png": b"\x89PNG\r\n\x1a\n", ".svg": b"<?xml", ".pdf": b"%PDF"}


def kept(folder: Path, name: str = "out.json", seeds: Sequence[int] = (1,)) -> Path:
    """Run two fabrics with some seeds and store the reports."""
    reports = [
        api.run(workload="random-read", requests=300, fabric=fabric, seed=seed)
        for fabric in ("bus", "venice")
        for seed in seeds
    ]
    save_reports(reports, folder / name)
    return folder / name


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text())))


@pytest.mark.parametrize("suffix", BEGINNINGS)
def test_a_picture_is_what_its_name_says_of_the_size_asked_for_and_always_the_same(
    suffix: str, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    kept(tmp_path)
    pictures = []
    for name in ("a", "b"):
        outcome = venice("plot", "out.json", "-o", name + suffix, "--size", "3.5x2.5")
        assert (outcome.code, outcome.stderr) == (0, "")
        pictures.append((tmp_path / (name + suffix)).read_bytes())
    assert pictures[0].startswith(BEGINNINGS[suffix])
    assert pictures[0] == pictures[1]
    if suffix == ".png":
        width, height = (int.from_bytes(pictures[0][at : at + 4], "big") for at in (16, 20))
        assert (width, height) == (455, 325)


def test_the_tail_beside_the_picture_is_that_of_the_reports(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    file = kept(tmp_path)
    assert venice("plot", "out.json", "-o", "tail.svg").code == 0
    rows = rows_of(tmp_path / "tail.csv")
    for report in api.load_reports(file):
        shares = {
            float(row["share_longer"]): float(row["latency_us"])
            for row in rows
            if row["run"] == report.fabric
        }
        assert shares[0.01] == report.latency_us.all.p99
        assert shares[0.001] == report.latency_us.all.p999
        assert shares[0.0] == report.latency_us.all.max


def test_bars_are_means_over_seeds_with_their_interval_over_the_baseline(tmp_path: Path) -> None:
    results = load_results([kept(tmp_path, seeds=(1, 2, 3))])
    assert [result.name for result in results] == ["bus"] * 3 + ["venice"] * 3
    plain = bar_table(results, "latency_us.all.mean", None)
    means = [require(result.report.latency_us.all.mean) for result in results[:3]]
    assert plain.rows[0][2] == pytest.approx(sum(means) / 3)
    # Student's t of two degrees of freedom, over the square root of three.
    centre = sum(means) / 3
    deviation = (sum((mean - centre) ** 2 for mean in means) / 2) ** 0.5
    assert plain.rows[0][3] == pytest.approx(4.302653 * deviation / 3**0.5)
    over = bar_table(results, "latency_us.all.mean", "bus")
    assert over.rows[0][2] == pytest.approx(1.0)
    others = [require(result.report.latency_us.all.mean) for result in results[3:]]
    ratios = [own / base for own, base in zip(others, means, strict=True)]
    assert over.rows[1][2] == pytest.approx(sum(ratios) / 3)


def test_several_workloads_over_a_baseline_have_a_geometric_mean(tmp_path: Path) -> None:
    reports = [
        api.run(workload=workload, requests=300, fabric=fabric)
        for workload in ("random-read", "strided-read")
        for fabric in ("bus", "venice")
    ]
    save_reports(reports, tmp_path / "out.json")
    table = bar_table(load_results([tmp_path / "out.json"]), "iops", "bus")
    ratios = [float(row[2] or 0) for row in table.rows if row[1] == "venice"]
    assert [row[0] for row in table.rows[-2:]] == ["geometric mean"] * 2
    assert ratios[2] == pytest.approx((ratios[0] * ratios[1]) ** 0.5)


def test_a_sweep_is_drawn_as_latency_over_throughput(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    (tmp_path / "sweep.toml").write_text(
        '[scenario]\nworkload = "random-read"\nrequests = 300\n'
        '[[axis]]\nfabric = ["bus", "ideal"]\n[[axis]]\nclosed_loop = [16, 1, 4]\n'
    )
    assert venice("sweep", "sweep.toml", "--out", "out").code == 0
    outcome = venice(
        *("plot", "out", "--kind", "load", "--of", "latency_us.all.p99", "-o", "load.png")
    )
    assert (outcome.code, outcome.stderr) == (0, "")
    rows = rows_of(tmp_path / "load.csv")
    assert [row["run"] for row in rows] == ["bus"] * 3 + ["ideal"] * 3
    served = [float(row["iops"]) for row in rows[:3]]
    assert served == sorted(served)


def test_a_tail_has_no_point_that_a_logarithm_has_not(tmp_path: Path) -> None:
    table = tail_table(load_results([kept(tmp_path)]))
    assert any(row[3] == 0 for row in table.rows)
    from matplotlib.figure import Figure  # noqa: PLC0415

    from venice.plot.results import draw_tail_table  # noqa: PLC0415

    axes = Figure().subplots()
    draw_tail_table(axes, table)
    for line in axes.get_lines():
        assert min(map(float, line.get_ydata())) > 0  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("nowhere.json -o a.png", "nowhere.json: there is no such file"),
        ("other.json -o a.png", "other.json: holds no report of Venice"),
        ("out.json -o a.jpg", "unsupported picture format"),
        ("out.json -o a.png --size 6", "width x height in inches"),
        ("out.json -o a.png --size 0x4", "width x height in inches"),
        ("out.json -o a.png --baseline bus", "`--baseline` requires `--kind bars`"),
        ("out.json -o a.png --of iops", "the tail is of all latencies"),
        (
            "out.json -o a.png --kind bars --baseline pssd",
            "no run is called `pssd`; there are: bus",
        ),
        ("out.json -o a.png --kind bars --of flash", "`flash` is not a figure of the report"),
        ("out.json -o a.png --kind load", "a curve takes several"),
    ],
)
def test_what_cannot_be_drawn_is_refused_and_leaves_nothing(
    options: str, message: str, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    kept(tmp_path)
    (tmp_path / "other.json").write_text("{}")
    outcome = venice("plot", *options.split())
    assert (outcome.code, outcome.stdout) == (2, "")
    assert message in outcome.message
    assert not list(tmp_path.glob("a.*"))
    assert not list(tmp_path.glob(".*"))


def test_a_run_past_saturation_is_marked() -> None:
    reports = [
        api.Report(
            {
                "fabric": "bus",
                "seed": 1,
                "workload": {"name": "w"},
                "iops": iops,
                "latency_us": {"all": {"mean": 5.0}},
                "demand": {"offered_iops": offered, "saturated": offered > iops},
            }
        )
        for iops, offered in ((90.0, 200.0), (50.0, 50.0))
    ]
    runs = [Result("bus", one, {"rate_scale": one.demand.offered_iops}) for one in reports]
    table = load_table(runs, "latency_us.all.mean")
    assert [row[4] for row in table.rows] == [False, True]
