"""The claims of the Venice paper: how they are scored, the fit, wires and pins."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import venice as venice_api
from venice._native import resolve
from venice.papers import Finding, Runs, Size, choose, reproduce
from venice.papers.card import (
    LOG_CLOSE,
    STATED_LETTER,
    Card,
    Score,
    hits,
    median_error,
    placebo_hits,
    scored_row,
    tau,
)
from venice.papers.experiment import Experiment
from venice.papers.experiments import equal_wires, fit, fit_choices, holds, study, suite
from venice.papers.experiments.designs import BEST, LETTER, NAMES
from venice.papers.experiments.hot_channel import offered_gb_per_s
from venice.papers.printed_claims import PRINTED_CLAIMS, Kind
from venice.report import Report
from venice.sweep import Point

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from venice.papers.experiments.wires import WiredDesign
    from venice.papers.printed_claims import PrintedClaim

_TINY = Size("tiny", 30, most_values=2)


def _claim(kind: Kind) -> PrintedClaim:
    return next(claim for claim in PRINTED_CLAIMS if claim.kind is kind)


def _score(claim: PrintedClaim, *values: float) -> Score:
    return Score(claim, values)


def test_a_factor_is_a_hit_within_15_percent_in_logarithms() -> None:
    claim = replace(_claim(Kind.FACTOR), paper=2.0)
    found = [_score(claim, ours).is_hit for ours in (2 / 1.151, 2 / 1.149, 2 * 1.149, 2 * 1.151)]
    assert found == [False, True, True, False]
    assert _score(claim, 1.0).log_error == pytest.approx(math.log(2))


def test_a_change_is_compared_as_the_factor_that_it_is() -> None:
    power = replace(_claim(Kind.CHANGE), paper=-4.0)
    assert power.factor == pytest.approx(0.96)
    assert _score(power, 0.983).is_hit, "-1.7 % beside -4 % differ by 2.4 %"
    assert not _score(replace(power, paper=-61.0), 0.61).is_hit


def test_shares_are_compared_as_shares_with_a_conflict() -> None:
    share = replace(_claim(Kind.SHARE), paper=99.98)
    assert share.factor == pytest.approx(0.0002)
    assert not _score(share, 0.15).is_hit, "85 % without conflict have 750 times the conflicts"
    assert _score(share, 0.00021).is_hit
    assert _score(share, 0.0).log_error == math.inf
    assert _score(share, 0.0002).shown() == "99.98"


def test_an_order_is_a_hit_only_if_every_pair_is_as_printed() -> None:
    claim = _claim(Kind.ORDER)
    assert _score(claim, 1.0, 1.0).is_hit
    assert not _score(claim, 1.0, 0.8).is_hit
    assert _score(claim, -1.0).is_placebo_hit
    ranks = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0, "e": 5.0}
    assert tau(ranks, ranks) == 1
    assert tau(ranks, {name: -rank for name, rank in ranks.items()}) == -1
    assert tau(ranks, {**ranks, "a": 2.5}) == pytest.approx(0.8)


def test_the_placebo_counts_the_inverted_claims() -> None:
    claim = replace(_claim(Kind.FACTOR), paper=2.0)
    both = [_score(claim, 2.0), _score(claim, 0.5), _score(claim, 1.0)]
    assert (hits(both), placebo_hits(both)) == (1, 1)
    close = replace(claim, paper=1.05)
    assert _score(close, 1.0).is_hit
    assert _score(close, 1.0).is_placebo_hit


def test_a_claim_that_nothing_was_found_for_is_missed_and_infinitely_far() -> None:
    missing = _score(_claim(Kind.FACTOR))
    assert not missing.is_hit
    assert missing.log_error is None
    assert median_error([missing]) == math.inf


def _report(loop: str, mean_us: float, makespan_us: float) -> Report:
    return Report(
        {
            "workload": {"loop": loop},
            "latency_us": {"all": {"mean": mean_us}},
            "makespan_us": makespan_us,
        }
    )


def test_an_open_loop_is_saturated_when_a_fortieth_of_its_requests_wait_at_once() -> None:
    assert study.is_saturated(_report("open", 2.51, 100.0))
    assert not study.is_saturated(_report("open", 2.49, 100.0))
    assert not study.is_saturated(_report("closed", 50.0, 100.0))


def _made_up(times: Mapping[str, Sequence[float]], workloads: Sequence[str]) -> Runs:
    """Return reports of the stated regime with these execution times by design."""
    pairs = []
    for design, values in times.items():
        for workload, makespan_us in zip(workloads, values, strict=True):
            choices: dict[str, int | str] = {
                "study": "performance", "workload": workload, "regime": suite.TABLE.name,
                "fabric": design, "seed": 1,
            }  # fmt: skip
            pairs.append((Point(choices, {}), _report("closed", 1.0, makespan_us)))
    return Runs(pairs)


def test_means_are_arithmetic_means_of_each_workload_s_ratio() -> None:
    size = Size("two", 1, most_values=2)
    workloads = list(size.some(suite.WORKLOADS))
    times = {name: [1.0, 1.0] for name in NAMES}
    times["bus"] = [1.0, 4.3]
    card = Card(_made_up(times, workloads), size)
    claims = [
        it
        for it in PRINTED_CLAIMS
        if it.text == "Venice over Baseline" and it.experiment == "fig9a"
    ]
    scores = card.scores(STATED_LETTER, claims)
    assert [score.value for score in scores] == [pytest.approx(2.65)]
    assert scores[0].is_hit
    found = study.StudyRatios(_made_up(times, workloads), study.PERFORMANCE, workloads)
    geometric = found.geometric_gain("makespan_us", suite.TABLE, "bus", "venice")
    assert geometric == pytest.approx(math.sqrt(4.3))


def test_an_order_requires_values_of_half_of_the_workloads() -> None:
    size = Size("three", 1, most_values=3)
    claims = [it for it in PRINTED_CLAIMS if it.kind is Kind.ORDER and it.experiment == "fig9a"]

    def tau_of(known: int) -> float | None:
        workloads = list(size.some(suite.WORKLOADS))[:known]
        times = {name: [1.0 + place] * known for place, name in enumerate(NAMES)}
        (score,) = Card(_made_up(times, workloads), size).scores(STATED_LETTER, claims)
        return score.value

    assert tau_of(1) is None
    assert tau_of(2) == tau_of(3)
    assert tau_of(3) is not None


def test_every_figure_shows_venice_by_the_letter_and_at_its_best() -> None:
    assert LETTER.sets != BEST.sets
    for name in ("fig4", "fig9a", "fig9b", "fig10a", "fig10b", "fig11", "fig12", "fig13", "fig14a",
                 "fig14b", "fig15", "load", "skew", "collection"):  # fmt: skip
        points = choose([name])[0].points(_TINY)
        assert {LETTER.name, BEST.name} <= {point.choices["fabric"] for point in points}, name


def test_a_search_s_second_step_sees_the_first_and_is_run(tmp_path: Path) -> None:
    def point(requests: int) -> Point:
        return Point({"n": requests}, {"workload": "random-read", "requests": requests})

    def follow(runs: Runs, _size: Size) -> list[Point]:
        report = runs.find(n=2)
        assert report is not None
        return [point(report.requests.completed + 1)]

    def evaluate(runs: Runs, _size: Size) -> Finding:
        return Finding(("runs",), [[len(runs)]])

    experiment = Experiment("x", "x", "", "", evaluate, lambda _size: [point(2)], follow)
    first = reproduce([experiment], tmp_path, _TINY)
    again = reproduce([experiment], tmp_path, _TINY)
    assert first.findings["x"].rows == again.findings["x"].rows == [[2]]
    assert again.outcome is not None
    assert again.outcome.found == 2


def test_a_fit_has_no_choice_for_a_single_workload() -> None:
    points = choose(["fit"])[0].points(Size("some", 1, most_values=2))
    grid = [point for point in points if "design" in point.choices]
    by_workload: dict[str, set[tuple[str, ...]]] = {}
    for point in grid:
        name = str(point.choices["workload"])
        by_workload.setdefault(name, set()).add(tuple(point.scenario["sets"]))
    assert len(by_workload) == 2
    first, second = by_workload.values()
    assert first == second
    assert set(by_workload) <= set(fit.WORKLOADS)


def test_each_value_of_the_fit_is_stated_by_the_paper_or_counted_as_a_choice() -> None:
    options = itertools.chain(*fit.OPTIONS.values())
    values = {*itertools.chain(*fit.AXES), *options, *suite.MEASURES, LETTER.name, BEST.name}
    presets = {"all channels", "channels first"}
    assert set(fit_choices.BASES) == values
    assert {value for value, basis in fit_choices.BASES.items() if not any(basis)} == presets


def test_the_choices_of_a_fitted_setting_are_those_that_no_text_states() -> None:
    stated = ("the request", "1.0 GB/s", "8 GB/s", "any bus", "venice")
    assert fit_choices.chosen(stated) == ()
    assert len(fit_choices.stated(stated)) == len(stated)
    open_loop = ("Poisson gaps of Table 2", "the operation", "mean latency")
    assert fit_choices.stated(open_loop) == ("Table 2's gaps",)
    assert len(fit_choices.chosen(open_loop)) == len(open_loop)


def test_wires_and_pins_are_the_paper_s_arithmetic() -> None:
    venice = {
        wired.design.name: wired for wired in equal_wires.DESIGNS if wired.family == BEST.title
    }
    paper, equal = venice["Venice, best, 8 bits"], venice["Venice, best, 14 bits"]
    assert paper.wires * 8 == pytest.approx(112 * 0.04)
    assert paper.router_pins == 40
    assert equal.wires * 8 == pytest.approx(7.84)
    assert equal.router_pins == 70
    others = {wired.design.name: wired for wired in equal_wires.DESIGNS}
    assert others["pSSD, 8 bits"].wires == others["pnSSD, 8 bits"].wires == 1.0
    assert others["NoSSD, home, 8 bits"].chip_pins == 4 * others["Baseline, 8 bits"].chip_pins


@pytest.mark.parametrize("wired", equal_wires.JOINED, ids=lambda wired: wired.design.name)
def test_wires_and_routers_of_a_mesh_that_is_joined_otherwise_are_those_of_its_report(
    wired: WiredDesign,
) -> None:
    report = venice_api.run(
        drive="venice-performance",
        fabric="venice",
        workload="random-read",
        requests=20,
        sets=wired.design.sets,
        audit=True,
    )
    assert report.area["wires_in_channels"] == pytest.approx(8 * wired.wires)
    bits = float(wired.design.sets[4].partition("=")[2])
    beyond_five = (wired.router_pins / bits - 5) * 8
    if "column_0_links=2" in wired.design.sets[-1]:
        # In column 0, the first and the last router have one neighbour each.
        beyond_five -= 2
    assert report.area["routers_mm2"] == pytest.approx(bits * (64 + beyond_five / 5))


def test_the_drive_of_equal_wires_is_what_the_study_runs() -> None:
    wired = next(it for it in equal_wires.DESIGNS if it.design.name == "Venice, best, 14 bits")
    preset = venice_api.run(drive="venice-equal-wires", workload="random-read", requests=20)
    study_s = venice_api.run(
        fabric="venice", sets=wired.design.sets, workload="random-read", requests=20
    )
    assert preset.area["wires_in_channels"] == pytest.approx(7.84)
    for part in ("latency_us", "area", "energy_uj", "path"):
        assert preset.to_dict()[part] == study_s.to_dict()[part], part


def test_each_design_of_equal_wires_is_a_drive_of_its_own() -> None:
    drives = [
        resolve("venice-performance", wired.design.fabric, wired.design.sets).to_json()
        for wired in equal_wires.EVERY
    ]
    assert len(set(drives)) == len(drives)


def test_a_front_leaves_out_what_something_no_dearer_beats() -> None:
    costs = {"cheap": 1.0, "dear": 2.0, "beaten": 2.0, "twin": 1.0}
    gains = {"cheap": 1.0, "dear": 1.5, "beaten": 1.4, "twin": 1.0}
    assert equal_wires.front(costs, gains) == {"cheap", "dear", "twin"}


def test_a_load_of_one_erlang_on_eight_channels_is_their_rate() -> None:
    assert offered_gb_per_s(1.0, 8) == pytest.approx(8 * 1.2, rel=0.005)
    assert offered_gb_per_s(0.5, 2) == pytest.approx(offered_gb_per_s(0.25, 4))


def test_the_tolerance_is_the_same_both_ways() -> None:
    assert pytest.approx(math.log(1.15)) == LOG_CLOSE


def test_claims_are_compared_in_the_chosen_regimes_only(tmp_path: Path) -> None:
    size = replace(_TINY, regimes=("request-ways",))
    done = reproduce(choose(["claims"]), tmp_path, size, pictures=False)
    rows = done.findings["claims"].rows
    assert {row[0] for row in rows} == {"request-ways"}
    assert done.outcome is not None
    assert {point.choices["regime"] for point, _ in done.outcome.results} == {"request-ways"}
    text = done.findings["claims"].text
    assert "**Stated beforehand**: not run." in text
    widths = {
        line.count("|") for line in text.splitlines() if line.startswith("| ") and "Figure" in line
    }
    assert widths == {6}, "a value and a verdict for the regime, none for the stated view"


def test_speed_ups_by_hold_are_shown_as_in_the_table(tmp_path: Path) -> None:
    done = reproduce(choose(["holds"]), tmp_path, replace(_TINY, requests=20), pictures=False)
    finding = done.findings["holds"]
    gains = {tuple(row[:3]): row[-1] for row in finding.rows}
    lines = finding.summary.splitlines()
    for load in ("prxy_0", "LUN3"):
        for design in ("venice-best", "ideal"):
            shown = [f"{gains[load, hold, design]:.2f}" for hold in holds.HOLDS]
            assert any(load in line and line.split()[-3:] == shown for line in lines)


@pytest.mark.parametrize(
    ("kind", "paper", "value", "ratio"),
    [
        (Kind.SHARE, 80.65, 0.166, 0.166 / 0.1935),
        (Kind.CHANGE, -1.0, 0.939, 0.939 / 0.99),
        (Kind.FACTOR, 1.5, 1.2, 0.8),
    ],
)
def test_the_ratio_of_a_scorecard_row_is_the_judged_one(
    kind: Kind, paper: float, value: float, ratio: float
) -> None:
    printed = replace(_claim(kind), paper=paper)
    score = _score(printed, value)
    row = scored_row(score, score)
    assert row.ratio == pytest.approx(ratio)
    assert score.log_error == pytest.approx(abs(math.log(ratio)))
    assert (f"{value:.4g}" in row.row()["note"].partition("compared")[2]) == (kind != Kind.FACTOR)
