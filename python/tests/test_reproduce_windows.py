"""Figure 13 and the scorecard of the Venice paper from real traces at their own times."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import venice as venice_api
from venice.papers import GOLDEN, Size, choose, reproduce, traces
from venice.papers.card import STATED_LETTER, Card, real_views
from venice.papers.experiments import suite, windows
from venice.papers.experiments.designs import LETTER, NAMES
from venice.papers.experiments.windows import spread

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Outcome
    from venice.config import FabricName

_TINY = Size("tiny", 200, most_values=2)
_TRACES = Path(__file__).parents[2] / "conformance" / "traces"
_PAGES = 16
"""Pages of a request; more than the array has rows."""


@pytest.fixture(autouse=True)
def no_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (traces.FOLDER, traces.SHARED):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a trace of wide requests and one of single pages, with long gaps."""
    home = tmp_path / "traces"
    home.mkdir()
    for name, pages in (("wide", _PAGES), ("single_1", 1)):
        _write(home / f"{name}.trace", pages, gap_ns=1_000_000)
    return home


def _write(path: Path, pages: int, gap_ns: int, requests: int = 40) -> None:
    lines = (f"{number * gap_ns} 0 {number * 4096} {pages * 8} 1" for number in range(requests))
    path.write_text("\n".join(lines) + "\n")


def test_traces_that_are_named_take_the_workloads_place_in_figure_13(folder: Path) -> None:
    synthetic = choose(["fig13"])[0].points(_TINY)
    real = choose(["fig13"])[0].points(replace(_TINY, traces=folder))
    assert {point.choices["workload"] for point in real} == {"wide", "single_1"}
    assert len(real) == 2 * len(NAMES)
    assert all("trace" in point.scenario for point in real)
    assert not any("trace" in point.scenario for point in synthetic)


def test_the_shared_folder_is_not_read_unless_it_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(traces.SHARED, str(folder.parent))
    assert not windows.traces(_TINY)
    monkeypatch.setenv(traces.FOLDER, str(folder))
    assert list(windows.traces(_TINY)) == ["single_1", "wide"]
    assert not windows.traces(GOLDEN), "pinned figures need no other files"


def test_shares_are_means_over_the_traces_with_their_range(folder: Path, tmp_path: Path) -> None:
    done = reproduce(choose(["fig13"]), tmp_path / "out", replace(_TINY, traces=folder))
    with (tmp_path / "out" / "fig13.csv").open() as file:
        rows = list(csv.DictReader(file))
    shares = {(row["workload"], row["fabric"]): float(row["requests_conflict_pct"]) for row in rows}
    assert shares["wide", "bus"] == 100.0
    assert shares["single_1", "bus"] == shares["wide", "ideal"] == 0.0
    assert shares["mean", "bus"] == 50.0
    ends = [shares[f"mean, one trace left out, {end}", "bus"] for end in ("least", "most")]
    assert sorted(ends) == [0.0, 100.0]
    ours = {claim.claim: claim.ours for claim in done.claims}
    assert ours["requests without path conflict, Baseline"] == pytest.approx(50.0)
    assert all("2 traces at their own times" in claim.regime for claim in done.claims)
    assert {path.suffix for path in (tmp_path / "out").glob("fig13.*")} == {".csv", ".png", ".svg"}


def test_a_mean_and_its_range_are_those_of_the_values_that_there_are() -> None:
    assert spread([70.0, 80.0, 90.0]) == (80.0, 75.0, 85.0)
    assert spread([70.0, None, 90.0]) == (80.0, 70.0, 90.0)
    assert spread([]) == spread([None]) == (None, None, None)


@pytest.mark.parametrize("fabric", ["bus", "pssd"])
def test_a_request_of_many_pages_meets_itself_at_any_pace_and_rate(
    tmp_path: Path, fabric: FabricName
) -> None:
    """Erlang's formulas do not apply: doubling the channel rate removes no conflict."""
    for gap_ns in (1_000_000, 100_000_000):
        path = tmp_path / f"{gap_ns}.trace"
        _write(path, _PAGES, gap_ns)
        for rate in (1000, 2000):
            sets = (f"fabric.channel_rate_mb_per_s={rate}",)
            report = venice_api.run(trace=str(path), fabric=fabric, sets=sets)
            assert report.path.requests_conflict_pct == 100.0


def test_the_channels_are_those_of_the_drive_of_the_paper_s_example(folder: Path) -> None:
    size = replace(_TINY, traces=folder)
    (preset,) = venice_api.compare(
        drive="venice-performance-1000", fabrics=["bus"], trace=str(folder / "wide.trace")
    )
    sets = windows.regime(size).sets()
    ours = venice_api.run(
        drive=suite.PERFORMANCE, fabric="bus", trace=str(folder / "wide.trace"), sets=sets
    )
    assert ours.latency_us.all.mean == preset.latency_us.all.mean


def test_the_scorecard_has_real_traces_as_a_view_of_their_own(folder: Path, tmp_path: Path) -> None:
    size = replace(_TINY, traces=folder, seeds=2)
    assert real_views(_TINY) == ()
    points = [point for on in windows.STUDIES for point in windows.points(on, size)]
    assert {point.choices["study"] for point in points} == {"performance", "cost", "4x16", "16x4"}
    done = reproduce(choose(["fig13"]), tmp_path, size, pictures=False)
    assert done.outcome is not None
    from venice.papers.experiment import Runs  # noqa: PLC0415 one use

    card = Card(Runs(done.outcome.results), size)
    view = next(it for it in real_views(size) if it.venice == LETTER.name)
    by_text = {score.claim.text: score for score in card.scores(view)}
    assert by_text["requests without path conflict, Baseline"].value == pytest.approx(0.5)
    assert by_text["p99 of src1_0, Venice against Baseline"].value is None, "no such trace"
    assert all(score.value is None for score in card.scores(STATED_LETTER)), "none was run"


def test_a_volume_is_found_by_the_names_of_its_windows(folder: Path) -> None:
    size = replace(_TINY, traces=folder)
    assert windows.names(size, "single") == ["single_1"]
    assert windows.names(size, "wide") == ["wide"]
    assert windows.names(size, "wid") == []


def test_a_saturated_trace_counts_for_shares_and_not_for_latencies(
    folder: Path, tmp_path: Path
) -> None:
    _write(folder / "burst.trace", _PAGES, gap_ns=1)
    size = replace(_TINY, traces=folder)
    done = reproduce(choose(["fig13"]), tmp_path / "out", size, pictures=False)
    rows = {(row[0], row[2]): row for row in done.findings["fig13"].rows}
    assert rows["burst", "bus"][3] == 100.0
    assert rows["burst", "bus"][-1] is None
    assert rows["wide", "pssd"][-1] > 1
    assert "saturated runs: burst" in done.findings["fig13"].summary


@pytest.mark.parametrize("kind", ["missing", "empty", "other files", "a file"])
def test_a_folder_without_traces_ends_with_one_message_and_code_2(
    venice: Callable[..., Outcome], tmp_path: Path, kind: str
) -> None:
    home = tmp_path / "home"
    if kind == "a file":
        home.write_text("x\n")
    elif kind != "missing":
        home.mkdir()
    if kind == "other files":
        (home / "notes.txt").write_text("what these traces are\n")
    outcome = venice("reproduce", "fig13", "--quick", "--traces", home, "--out", tmp_path / "out")
    assert (outcome.code, outcome.errors, outcome.stdout) == (2, 1, "")
    assert str(home) in outcome.stderr


def test_the_command_prints_shares_and_latencies(
    venice: Callable[..., Outcome], folder: Path, tmp_path: Path
) -> None:
    words = ("reproduce", "fig13", "--size", "golden", "--traces", folder, "--out", tmp_path / "x")
    outcome = venice(*words)
    assert outcome.code == 0, outcome.stderr
    assert "Means are over 2 traces: single_1, wide." in outcome.stdout
