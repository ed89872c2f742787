"""Claims that a design, shape or mix is the best, and claims about the ideal drive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from venice.papers import Runs, Size
from venice.papers.card import STATED_LETTER, Card
from venice.papers.experiments import study, suite
from venice.papers.printed_claims import PRINTED_CLAIMS, Kind
from venice.report import Report
from venice.sweep import Point

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venice.papers.card import Score
    from venice.papers.experiments.study import Study

_SIZE = Size("all", 1)
_RIVALS = dict.fromkeys(("bus", "pssd", "pnssd", "nossd", "ideal"), 2.0)


def _runs(times: Mapping[tuple[str, str, str], float]) -> Runs:
    """Return reports of the stated regime with execution times by study, workload and design."""
    pairs = []
    for (on, workload, design), makespan_us in times.items():
        choices: dict[str, int | str] = {
            "study": on, "workload": workload, "regime": suite.TABLE.name, "fabric": design,
            "seed": 1,
        }  # fmt: skip
        values = {
            "workload": {"loop": "closed"},
            "latency_us": {"all": {"mean": 1.0}},
            "makespan_us": makespan_us,
            "iops": 1 / makespan_us,
        }
        pairs.append((Point(choices, {}), Report(values)))
    return Runs(pairs)


def _times(on: Study, venice: float = 1.0) -> dict[tuple[str, str, str], float]:
    """Return a study in which all rivals take twice as long as Venice."""
    designs = {**_RIVALS, "venice": venice}
    return {
        (on.name, workload, design): time
        for workload in on.workloads
        for design, time in designs.items()
        if design in on.designs
    }


def _score(runs: Runs, experiment: str, text: str) -> Score:
    claim = next(
        it for it in PRINTED_CLAIMS if it.experiment == experiment and it.text.startswith(text)
    )
    return Card(runs, _SIZE).scores(STATED_LETTER, [claim])[0]


def test_venice_has_to_be_the_fastest_on_every_workload() -> None:
    times = _times(study.PERFORMANCE)
    every = _score(_runs(times), "fig9a", "fastest")
    assert every.is_hit
    assert every.text == "19 of 19"
    # The ideal drive is not counted as a rival.
    times["performance", "hm_0", "ideal"] = 0.5
    assert _score(_runs(times), "fig9a", "fastest").is_hit
    times["performance", "hm_0", "nossd"] = 1.0
    tied = _score(_runs(times), "fig9a", "fastest")
    assert not tied.is_hit
    assert tied.text == "18 of 19"
    assert tied.value == pytest.approx(18 / 19)


def test_the_opposite_of_the_fastest_everywhere_is_the_slowest_everywhere() -> None:
    slowest = _score(_runs(_times(study.PERFORMANCE, venice=3.0)), "fig9a", "fastest")
    assert slowest.is_placebo_hit
    assert not slowest.is_hit


def test_one_mix_has_to_gain_more_than_each_other() -> None:
    times = _times(study.MIXES)
    assert _score(_runs(times), "fig12", "mix with").value == 0, "all gain alike"
    times["mixes", "mix6", "venice"] = 0.5
    assert _score(_runs(times), "fig12", "mix with").is_hit
    times["mixes", "mix2", "venice"] = 0.4
    assert _score(_runs(times), "fig12", "mix with").text == "4 of 5"


def test_one_shape_has_to_gain_more_over_each_rival_than_both_others() -> None:
    times = _times(study.PERFORMANCE, venice=0.5) | _times(study.WIDE) | _times(study.TALL)
    best = _score(_runs(times), "fig15", "shape")
    assert best.is_hit
    assert best.text == "6 of 6"
    times |= _times(study.TALL, venice=0.4)
    assert _score(_runs(times), "fig15", "shape").value == 0
    assert _score(_runs(_times(study.PERFORMANCE)), "fig15", "shape").value is None


@pytest.mark.parametrize(
    ("experiment", "on", "factor"),
    [
        ("fig9a", study.PERFORMANCE, 1.45),
        ("fig9b", study.COST, 1.25),
        ("fig10a", study.PERFORMANCE, 0.70),
        ("fig10b", study.COST, 0.90),
    ],
)
def test_within_a_share_of_the_ideal_is_the_ratio_that_it_bounds(
    experiment: str, on: Study, factor: float
) -> None:
    (claim,) = [
        it
        for it in PRINTED_CLAIMS
        if it.experiment == experiment and it.of == "ideal" and it.over == "venice"
    ]
    assert claim.factor == pytest.approx(factor)
    slower = factor if claim.metric == "time" else 1 / factor
    times = _times(on)
    times |= {(on.name, name, "venice"): slower for name in on.workloads}
    times |= {(on.name, name, "ideal"): 1.0 for name in on.workloads}
    score = _score(_runs(times), experiment, claim.text)
    assert score.value == pytest.approx(factor)
    assert score.is_hit


def test_the_gain_at_high_intensity_is_that_of_the_mixes_over_that_of_single_workloads() -> None:
    times = _times(study.PERFORMANCE) | _times(study.MIXES)
    for on, bus in ((study.PERFORMANCE, 4.0), (study.MIXES, 6.4)):
        times |= {(on.name, workload, "bus"): bus for workload in on.workloads}
    score = _score(_runs(times), "fig4", "ideal over Baseline, mixes")
    assert score.value == pytest.approx(1.6)
    assert score.is_hit


def test_rankings_have_no_logarithmic_error() -> None:
    first = next(it for it in PRINTED_CLAIMS if it.kind is Kind.FIRST)
    assert first.is_ranking
    assert (first.factor, first.inverse) == (1.0, -1.0)
