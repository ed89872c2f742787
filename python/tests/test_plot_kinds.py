"""Drawn values, read back from the axes, equal those of the reports."""

from __future__ import annotations

import csv
import io
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex

import venice as api
from venice import save_reports
from venice.exploration.front import is_as_good
from venice.papers.required_figures import require
from venice.plot import results as drawn
from venice.plot.save import new_figure
from venice.report import STAGES
from venice.report.fabric_looks import FABRICS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.axes import Axes

    from venice.config import FabricName

    from .conftest import Outcome


@pytest.fixture(scope="module")
def found() -> list[drawn.Result]:
    """Return the results of two fabrics with two seeds."""
    return [
        drawn.Result(
            fabric, api.run(workload="mixed-70-30", requests=400, fabric=fabric, seed=seed)
        )
        for fabric in ("bus", "venice")
        for seed in (1, 2)
    ]


def _axes(draw: Callable[[Axes, drawn.Table], Any], table: drawn.Table) -> Axes:
    return new_figure((3.5, 2.5), None, lambda axes: draw(axes, table)).axes[0]


def _points(line: Any) -> list[tuple[float, float]]:  # noqa: ANN401 matplotlib's
    return [(float(x), float(y)) for x, y in line.get_xydata()]


def test_a_curve_of_the_distribution_is_that_of_its_report(found: list[drawn.Result]) -> None:
    axes = _axes(drawn.draw_cdf_table, drawn.cdf_table(found))
    assert axes.get_xscale() == "log"
    assert axes.get_ylim() == (0, 100)
    for line, result in zip(axes.get_lines(), found, strict=True):
        reported = [(latency, percent) for percent, latency in result.report.latency_cdf if percent]
        assert _points(line) == reported
        assert reported[-1] == (result.report.latency_us.all.max, 100.0)
    shades = [to_hex(line.get_color()) for line in axes.get_lines()]
    assert shades == [FABRICS[fabric].colour for fabric in ("bus", "venice") for _ in (1, 2)]
    figure = axes.get_figure()
    assert figure is not None
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["Bus", "Venice"]


def test_stacks_are_stages_of_time_and_as_high_as_the_mean(found: list[drawn.Result]) -> None:
    axes = _axes(drawn.draw_breakdown_table, drawn.breakdown_table(found))
    labels = axes.get_legend_handles_labels()[1]
    stages = [stage for stage in STAGES if stage.label in labels]
    for at, fabric in enumerate(("bus", "venice")):
        reports = [one.report for one in found if one.name == fabric]
        bars = [container.patches[at] for container in axes.containers]  # type: ignore[attr-defined]
        for bar, stage in zip(bars, stages, strict=True):
            reported = [report.breakdown()[stage.key] for report in reports]
            assert bar.get_height() == pytest.approx(sum(reported) / 2)
        means = [require(report.latency_us.all.mean) for report in reports]
        assert bars[-1].get_y() + bars[-1].get_height() == pytest.approx(sum(means) / 2)
        assert all(
            above.get_y() == pytest.approx(below.get_y() + below.get_height())
            for below, above in pairwise(bars)
        )


def test_stacks_of_runs_with_causes_are_their_causes() -> None:
    load: dict[str, Any] = {"workload": "strided-read", "requests": 2000}
    reports = api.compare(fabrics=["bus", "ideal"], **load)
    table = drawn.breakdown_table([drawn.Result(one.fabric, one) for one in reports])
    for report in reports:
        parts = {str(row[1]): float(row[2] or 0) for row in table.rows if row[0] == report.fabric}
        assert sum(parts.values()) == pytest.approx(require(report.latency_us.all.mean))
        assert parts["chip wait"] == 0
        assert parts["wait: array of others"] > 0
        held = parts["wait: chip held for a path"]
        assert (held > 0) == (report.fabric == "bus")


def test_the_map_of_chips_has_each_chip_in_its_place(found: list[drawn.Result]) -> None:
    oblong = api.run(workload="random-read", requests=300, sets=["array.rows=4", "array.cols=16"])
    axes = _axes(drawn.draw_chips_table, drawn.chips_table([drawn.Result("bus", oblong)]))
    (image,) = axes.get_images()
    shown = np.asarray(image.get_array())
    assert shown.shape == (4, 16)
    busy = oblong.utilisation["chip_pct_by_chip"]
    assert len(set(busy)) > 1
    assert shown.ravel().tolist() == pytest.approx(busy)
    numbers = {text.get_position(): text.get_text() for text in axes.texts}
    assert numbers[15, 3] == f"{busy[-1]:.0f}"
    assert len(numbers) == 64
    # Row 0 is drawn at the top, row 3 at the bottom.
    bottom, top = axes.get_ylim()
    assert bottom > top
    with pytest.raises(api.UsageError, match='there are 4 runs; `kind="chips"` draws one'):
        drawn.chips_table(found)


@pytest.mark.parametrize(
    ("fabric", "stretches"),
    [("venice", 24), ("bus", 16), ("nossd", 48), ("pnssd", 32), ("hlnand", 20)],
)
def test_the_map_of_links_has_each_in_its_place(fabric: FabricName, stretches: int) -> None:
    report = api.run(
        fabric=fabric,
        workload="random-read",
        requests=500,
        sets=["array.rows=4", "array.cols=4"],
        distributions=True,
    )
    axes = _axes(drawn.draw_links_table, drawn.links_table([drawn.Result(fabric, report)]))
    found = [one for one in axes.collections if isinstance(one, LineCollection)]
    (lines,) = (one for one in found if one.get_array() is not None)
    busy = np.asarray(lines.get_array())
    assert len(busy) == len(lines.get_segments()) == stretches
    reported = {place["name"]: place["busy_pct"] for place in report.to_dict()["places"]}
    assert max(busy) == max(pct for pct in reported.values() if pct is not None)
    courses = [tuple(map(tuple, course)) for course in lines.get_segments()]
    assert len(set(courses)) == stretches, "no place hides another"
    if fabric == "venice":
        first = courses.index(((1.0, 0.0), (2.0, 0.0)))
        assert busy[first] == reported["link 1-2"]
        down = courses.index(((3.0, 1.0), (3.0, 2.0)))
        assert busy[down] == reported["link 7-11"]
    if fabric == "bus":
        assert busy[courses.index(((-1.0, 2.0), (0.0, 2.0)))] == reported["channel 2"]


def test_the_front_is_what_no_run_is_better_than_in_both_figures() -> None:
    widths = (4, 8, 16)
    reports = [
        api.run(
            workload="random-read",
            requests=300,
            fabric=fabric,
            sets=[f"fabric.mesh.link_width_bits={width}"],
        )
        for fabric in ("bus", "venice", "nossd")
        for width in widths
    ]
    names = [f"{report.fabric} {width}" for report, width in zip(reports, widths * 3, strict=True)]
    found = [drawn.Result(name, report) for name, report in zip(names, reports, strict=True)]
    table = drawn.front_table(found, "latency_us.all.p99", "area.wires_in_channels")
    axes = _axes(drawn.draw_front_table, table)
    behind, stair, *front = axes.get_lines()
    reported = [
        (report.to_dict()["area"]["wires_in_channels"], require(report.latency_us.all.p99))
        for report in reports
    ]
    best = [points for line in front for points in _points(line)]
    assert sorted(_points(behind) + best) == sorted(reported)
    assert _points(stair) == best == sorted(best)
    assert 2 <= len(best) < len(set(reported))
    for point in reported:
        assert any(is_as_good(one, point) for one in best)
    for one in best:
        assert sum(is_as_good(other, one) for other in best) == 1
    by_name = dict(zip(names, reported, strict=True))
    for line in front:
        assert _points(line) == [by_name[str(line.get_label())]]
    assert stair.get_drawstyle() == "steps-post"


def test_each_kind_has_a_picture_and_its_data_beside_it(
    found: list[drawn.Result], tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    save_reports([one.report for one in found], tmp_path / "out.json")
    save_reports([found[0].report], tmp_path / "one.json")
    for kind, file, more, rows in (
        ("cdf", "out.json", (), sum(len(one.report.latency_cdf) for one in found)),
        ("breakdown", "out.json", (), 2 * len(STAGES)),
        ("front", "out.json", ("--over", "mean_power_mw"), 2),
        ("chips", "one.json", (), 64),
    ):
        done = venice("plot", file, "--kind", kind, *more, "-o", f"{kind}.png")
        assert (done.code, done.stderr) == (0, "")
        assert (tmp_path / f"{kind}.png").read_bytes().startswith(b"\x89PNG")
        text = (tmp_path / f"{kind}.csv").read_text()
        assert len(list(csv.DictReader(io.StringIO(text)))) == rows


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--kind chips", "there are 2 runs"),
        ("--kind front", "`--kind front` requires `--over`"),
        ("--over iops", "`--over` requires `--kind front`"),
        ("--kind front --over flash", "`flash` is not a figure of the report of bus"),
        ("--kind cdf --of iops", "the distribution is of all latencies"),
        ("--kind breakdown --of iops", "the breakdown is of the mean latency"),
        ("--kind links", "there are 2 runs"),
        ("--kind links --of iops", "the map is of the time that links are in use"),
        ("--kind chips --of iops", "the map is of the time that chips work"),
    ],
)
def test_what_a_kind_does_not_draw_is_refused(
    options: str,
    message: str,
    found: list[drawn.Result],
    tmp_path: Path,
    venice: Callable[..., Outcome],
) -> None:
    save_reports([found[0].report, found[2].report], tmp_path / "out.json")
    outcome = venice("plot", "out.json", "-o", "a.png", *options.split())
    assert (outcome.code, outcome.stdout) == (2, "")
    assert message in outcome.message
    assert not list(tmp_path.glob("a.*"))
