"""Recipes of figures: data, pictures, captions, and the store that they share."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import venice as api
from venice.cli.picture_options import STYLES
from venice.figures import FIGURES, Bench, FigureRequest, Source, make
from venice.papers.required_figures import require
from venice.plot.print_style import PRINT_STYLES, print_style
from venice.report.fabric_looks import FABRICS, fabric_label, looks_of
from venice.stats import mean_of

from .slow import nightly_among

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from venice.figures import Made
    from venice.plot.picture import Picture

    from .conftest import Outcome

_SMALL = {
    "wa-op": ("--set", "array.rows=2", "--set", "array.cols=2", "--requests", "3000"),
    "time": ("--set", "array.rows=2", "--set", "array.cols=2", "--requests", "1000"),
}
"""Changed parameters that make the runs of a figure short."""


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def load_tail(folder: Path, **changes: object) -> Made:
    """Draw a small figure of latency over load."""
    request = FigureRequest(
        fabrics="bus,venice",
        sources=(Source(workload="poisson-read-4k"),),
        seeds=3,
        requests=300,
        loads=3,
        style=print_style("ieee-1col"),
    )
    return make("load-tail", request, Bench(folder, "load-tail", **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", nightly_among(FIGURES, ("wa-op", "tornado")))
def test_a_figure_is_a_picture_with_its_data_and_a_caption(
    name: str, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    sizes = _SMALL.get(name, ("--requests", 200))
    outcome = venice("figure", name, "-o", "out.pdf", "--style", "ieee-2col", "--seeds", 2, *sizes)
    assert (outcome.code, outcome.stderr) == (0, "")
    assert "Caption: " in outcome.stdout
    assert len(rows_of(tmp_path / "out.csv")) >= 2
    content = (tmp_path / "out.pdf").read_bytes()
    assert b"/Type3" not in content
    assert b"venice figure" in content
    assert b"MediaBox [ 0 0 515.52 " in content, "7.16 inches"


def test_points_are_means_over_seeds_of_the_runs_at_their_load(tmp_path: Path) -> None:
    made = load_tail(tmp_path)
    rows = [dict(zip(made.table.titles, row, strict=True)) for row in made.table.rows]
    assert [row["fabric"] for row in rows] == ["bus"] * 3 + ["venice"] * 3
    for row in (rows[0], rows[-1]):
        reports = [
            api.run(
                fabric=row["fabric"],  # type: ignore[arg-type]
                workload="poisson-read-4k",
                rate_scale=row["rate_scale"],  # type: ignore[arg-type]
                requests=330,
                warmup=30,
                seed=seed,
            )
            for seed in (1, 2, 3)
        ]
        expected = mean_of([report.latency_us.all.p99 or 0.0 for report in reports])
        assert (row["mean"], row["half_of_95_pct_interval"]) == pytest.approx(expected[:2])


def test_loads_are_evenly_spaced_up_to_what_the_best_fabric_sustains(tmp_path: Path) -> None:
    made = load_tail(tmp_path)
    scales = [float(row[2] or 0) for row in made.table.rows[:3]]
    assert scales[1] == pytest.approx(2 * scales[0], rel=0.02)
    assert scales[2] == pytest.approx(3 * scales[0], rel=0.02)
    served = max(float(row[4] or 0) for row in made.table.rows)
    assert float(made.table.rows[-1][3] or 0) == pytest.approx(served, rel=0.25)


def test_a_figure_is_taken_up_again_and_is_the_same_file(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    def draw(name: str) -> str:
        sizes = ("--requests", 200, "--seeds", 2, "--fabrics", "bus,venice", "--loads", 2)
        return venice("figure", "load-tail", "-o", name, *sizes).stdout

    assert "found there" not in draw("a.pdf")
    # One run for the pace, two for the capacity, and two fabrics × two loads × two seeds.
    assert "11 runs in out/figures, 11 of them found there" in draw("b.pdf")
    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()


def test_runs_with_observations_are_kept_apart_from_those_without(tmp_path: Path) -> None:
    scenario = {"workload": "random-read", "requests": 200}
    axes = [{"fabric": ["bus"]}]
    plain = Bench(tmp_path, "one").sweep("runs", scenario, axes)
    first, second = (Bench(tmp_path, "one") for _ in range(2))
    (observed,) = first.observed("runs", scenario, axes, interval=5)
    (again,) = second.observed("runs", scenario, axes, interval=5)
    assert plain[0].report.time_series is None
    assert observed.report.time_series is not None
    assert again.report.to_dict() == observed.report.to_dict()
    assert (first.found, second.found) == (0, 1)


def test_a_trace_begins_at_another_instant_with_each_seed(tmp_path: Path) -> None:
    text = "".join(
        f"{1000 * place},host,0,{'Read' if place % 3 else 'Write'},{4096 * (place * 7919 % 999)},"
        "4096,0\n"
        for place in range(600)
    )
    (tmp_path / "disk.csv").write_text(text)
    request = FigureRequest(
        fabrics="bus",
        sources=(Source(trace=str(tmp_path / "disk.csv")),),
        reading={"format": "msr-csv"},
        seeds=4,
        requests=200,
    )
    made = make("breakdown", request, Bench(tmp_path, "breakdown"))
    assert "4 random start offsets of the trace" in made.caption
    assert float(made.table.rows[-1][4] or 0) > 0, "seeds differ"


@pytest.mark.parametrize("name", ["breakdown", "cdf", "load-tail"])
def test_fabrics_that_the_array_does_not_allow_are_left_out(name: str, tmp_path: Path) -> None:
    request = FigureRequest(
        sets=("array.rows=4", "array.cols=8"),
        fabrics="bus,pnssd",
        sources=(Source(workload="random-read"),),
        seeds=1,
        requests=60,
        loads=2 if name == "load-tail" else 8,
    )
    bench = Bench(tmp_path, name)
    made = make(name, request, bench)
    assert list(bench.left_out) == ["pnssd"]
    assert {row[0] for row in made.table.rows} == {"bus"}
    with pytest.raises(api.UsageError, match="no run is possible"):
        make(name, replace(request, fabrics="pnssd"), Bench(tmp_path, name))


def test_the_waits_of_the_breakdown_are_split_by_cause(tmp_path: Path) -> None:
    request = FigureRequest(
        fabrics="bus,ideal", sources=(Source(workload="strided-read"),), seeds=2, requests=300
    )
    rows = make("breakdown", request, Bench(tmp_path, "breakdown")).table.rows
    held = {row[0]: float(row[2] or 0) for row in rows if row[1] == "wait: chip held for a path"}
    assert held["bus"] > 1
    assert held["ideal"] == 0
    for fabric in ("bus", "ideal"):
        *parts, total = (float(row[2] or 0) for row in rows if row[0] == fabric)
        assert sum(parts) == pytest.approx(total)


def test_the_gain_is_the_mean_ratio_paired_by_seed(tmp_path: Path) -> None:
    sources = tuple(Source(workload=name) for name in ("random-read", "strided-read"))
    request = FigureRequest(fabrics="bus,venice", sources=sources, seeds=2, requests=200, warmup=0)
    made = make("speedup", request, Bench(tmp_path, "speedup"))
    gains = []
    for source in sources:
        means = [
            [
                require(
                    api.run(
                        fabric=fabric, **source.scenario, requests=200, seed=seed
                    ).latency_us.all.mean
                )
                for seed in (1, 2)
            ]
            for fabric in ("bus", "venice")
        ]
        gains.append([base / own for base, own in zip(*means, strict=True)])
    assert [row[2] for row in made.table.rows[:2]] == pytest.approx([sum(one) / 2 for one in gains])
    roots = [(one * other) ** 0.5 for one, other in zip(*gains, strict=True)]
    assert made.table.rows[2][2] == pytest.approx(sum(roots) / 2)


def _covered(picture: Picture) -> list[str]:
    """Return the texts of legends that overlap axes or extend beyond the picture."""
    picture.dpi = 200  # twice the resolution of a screen
    renderer = picture.canvas.get_renderer()  # type: ignore[attr-defined]
    panels = [axes.get_window_extent(renderer) for axes in picture.axes]
    found = []
    for legend in picture.legends:
        box = legend.get_window_extent(renderer)
        if box.x0 < 0 or box.x1 > picture.bbox.x1 or box.y1 > picture.bbox.y1:
            found.append("beyond the picture")
        found += ["over data" for panel in panels if box.overlaps(panel)]
    for axes in picture.axes:
        drawn = axes.get_tightbbox(renderer)
        assert drawn is not None
        if drawn.x0 < -1 or drawn.y0 < -1 or drawn.x1 > picture.bbox.x1 + 1:
            found.append(f"label of {axes.get_ylabel()} beyond the picture")
    return found


@pytest.mark.parametrize("style", nightly_among(STYLES, {*STYLES} - {"ieee-1col"}))
@pytest.mark.parametrize("name", ["cdf", "breakdown", "load-tail"])
def test_legends_and_labels_cover_nothing(name: str, style: str, tmp_path: Path) -> None:
    request = FigureRequest(fabrics="all", seeds=1, requests=100, loads=2, style=print_style(style))
    if name != "load-tail":
        request = FigureRequest(fabrics="all", seeds=1, requests=100, style=print_style(style))
    assert _covered(make(name, request, Bench(tmp_path, name)).picture) == []


def test_the_styles_of_the_command_are_those_there_are() -> None:
    assert list(STYLES) == list(PRINT_STYLES)


def test_every_fabric_has_a_look_of_its_own() -> None:
    assert set(FABRICS) == set(api.fabric_names())
    for part in ("label", "colour", "marker"):
        assert len({getattr(look, part) for look in FABRICS.values()}) == len(FABRICS), part
    assert looks_of(["venice"])["venice"] == looks_of(["bus", "venice"])["venice"]
    names = ["bus", "bus, rate_scale=8", "bus my-drive", "my-drive", "other"]
    looks = looks_of(names)
    assert len({look.colour for look in looks.values()}) == len(names)
    assert fabric_label("busy-drive") == "busy-drive"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("load-tale -o a.pdf", "one of `load-tail`"),
        ("cdf -o a.jpg", "unsupported picture format"),
        ("cdf -o a.pdf --loads 4", "`--loads` was given"),
        ("cdf -o a.pdf --style ieee", "one of `screen`"),
        ("cdf -o a.pdf --workload hm_0 --workload usr_0", "takes one"),
        (
            "cdf -o a.pdf --workload hm_0 --trace t.csv",
            "`--trace` and `--workload` cannot be combined",
        ),
        ("speedup -o a.pdf --fabrics bus,venice --baseline pssd", "the fabrics are: bus, venice"),
        ("tornado -o a.pdf --fabrics bus,venice,ideal", "compares two fabrics"),
        ("wa-op -o a.pdf --fabrics bus", "does not compare fabrics"),
        ("fairness -o a.pdf --workload random-read", "only one"),
        ("wa-op -o a.pdf --requests 8000 --seeds 1", "expected: at least 8200"),
        ("load-tail -o a.pdf --of p99 --requests 50 --loads 2 --seeds 1", "latency_us.all.p99"),
    ],
)
def test_what_is_no_figure_is_refused_and_leaves_nothing(
    options: str, message: str, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    outcome = venice("figure", *options.split())
    assert (outcome.code, outcome.stdout) == (2, "")
    assert message in outcome.message
    assert not list(tmp_path.glob("a.*"))


def test_too_few_writes_for_write_amplification_are_refused_before_the_first_run(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    small = ("--set", "array.rows=2", "--set", "array.cols=2", "--seeds", 1)
    store = tmp_path / "runs"
    for options, least in (((), 600), (("--workload", "mixed-70-30"), 1800)):
        command = ("figure", "wa-op", "-o", "a.svg", "--out", store, *small, *options)
        refused = venice(*command, "--requests", 500)
        assert refused.code == 2
        assert f"at least {least}" in refused.message
        assert not store.exists()
    enough = venice("figure", "wa-op", "-o", "a.svg", "--out", store, *small, "--requests", 600)
    assert enough.code == 0, enough.message


def test_the_command_in_a_picture_draws_it_again(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    sizes = ("--requests", 100, "--seeds", 1, "--fabrics", "bus,ideal")
    assert venice("figure", "cdf", "-o", "a.svg", *sizes).code == 0
    found = re.search(r"venice figure [^<]*", (tmp_path / "a.svg").read_text())
    assert found is not None
    assert venice(*found[0].split()[1:], "-o", "b.svg").code == 0
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
