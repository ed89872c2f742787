"""Claims of the Venice paper in each view: regime, measure and variant of Venice.

The first view was stated beforehand and follows the paper: the gaps of Table 2, data spread evenly,
execution time. The others show how many claims one setting can reach. Each count has a placebo: the
number of hits if the paper had claimed the opposite, 1/x for x.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.papers import card
from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import study
from venice.papers.printed_claims import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from venice.papers.card import Score, View
    from venice.papers.experiment import Runs
    from venice.papers.size import Size
    from venice.sweep import Point

_COLUMNS = (
    "regime", "measure", "venice", "claim", "where", "unit", "paper", "ours", "lowest", "highest",
    "log_error", "is_hit", "is_placebo_hit",
)  # fmt: skip


def _points(size: Size) -> Sequence[Point]:
    return [point for on in study.STUDIES for point in study.points(on, size)]


def _evaluate(runs: Runs, size: Size) -> Finding:
    found = card.Card(runs, size)
    scores = {view: found.scores(view) for view in card.VIEWS}
    rows = [_row(view, score) for view in card.VIEWS for score in scores[view]]
    return Finding(_COLUMNS, rows, text=_text(scores, size))


def _row(view: View, score: Score) -> list[object]:
    claim = score.claim
    is_order = claim.kind is Kind.ORDER
    ends = sorted(value if is_order else claim.shown(value) for value in score.values)
    ours = None if score.value is None else score.value if is_order else claim.shown(score.value)
    return [
        view.regime.name,
        view.measure,
        view.venice,
        claim.text,
        claim.where,
        claim.unit,
        claim.paper,
        ours,
        *((ends[0], ends[-1]) if ends else (None, None)),
        score.log_error,
        score.is_hit,
        score.is_placebo_hit,
    ]


def best_shared(scores: Mapping[View, Sequence[Score]]) -> View:
    """Return the view with most hits; of equals, that with the least median error."""
    return max(
        scores,
        key=lambda view: (card.hits(scores[view]), -(card.median_error(scores[view]) or 0.0)),
    )


def _seeds(size: Size) -> str:
    if size.seeds == 1:
        return "of one seed"
    return f"over {size.seeds} seeds, with the lowest and highest of them in brackets"


def _text(scores: Mapping[View, Sequence[Score]], size: Size) -> str:
    best = best_shared(scores)
    stated, other = card.STATED_LETTER, card.STATED_BEST
    lines = [
        f"## Venice: {len(scores[stated])} claims",
        "",
        f"1. **Stated beforehand** ({stated.text}): **{_count(scores[stated])}**;",
        f"   with the best documented Venice {_count(scores[other])}.",
        f"2. **Best setting shared by all claims** ({best.text}):",
        f"   **{_count(scores[best])}**.",
        "",
        "A hit is within 15 % of the paper, in logarithms; an order must equal the paper's.",
        f"Means are arithmetic, {_seeds(size)}. The placebo",
        "counts the hits of the inverted claims. – marks a mean of saturated open loops.",
        "",
        *_views(scores),
        "",
        *_each(scores, best),
        "",
    ]
    return "\n".join(lines)


def _count(scores: Sequence[Score]) -> str:
    hits, placebo = card.hits(scores), card.placebo_hits(scores)
    return f"{hits} of {len(scores)} (placebo {placebo})"


def _views(scores: Mapping[View, Sequence[Score]]) -> list[str]:
    lines = [
        "| regime; measure; Venice | hits | placebo | median error, factor | τ of the orders |",
        "| --- | ---: | ---: | ---: | --- |",
    ]
    for view, own in scores.items():
        orders = ", ".join(
            "–" if score.value is None else f"{score.value:.1f}"
            for score in own
            if score.claim.kind is Kind.ORDER
        )
        counts = f"{card.hits(own)} | {card.placebo_hits(own)}"
        lines.append(f"| {view.text} | {counts} | {_factor(card.median_error(own))} | {orders} |")
    return lines


def _factor(error: float | None) -> str:
    return "–" if error is None else f"{card.as_factor(error):.2f}"


def _each(scores: Mapping[View, Sequence[Score]], best: View) -> list[str]:
    titles = (
        "claim", "where printed", "paper", "stated beforehand", "error, factor", "hit", "placebo",
        "best shared", "hit",
    )  # fmt: skip
    lines = [
        f"| {' | '.join(titles)} |",
        "| --- | --- | ---: | ---: | ---: | --- | --- | ---: | --- |",
    ]
    for score, shared in zip(scores[card.STATED_LETTER], scores[best], strict=True):
        claim = score.claim
        is_order = claim.kind is Kind.ORDER
        paper = claim.paper if is_order else f"{claim.paper:.4g} {claim.unit}"
        cells = (
            claim.text,
            claim.where,
            paper,
            score.shown(),
            "–" if is_order else _factor(score.log_error),
            _yes(score.is_hit),
            _yes(score.is_placebo_hit),
            shared.shown(),
            _yes(shared.is_hit),
        )
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return lines


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


EXPERIMENT = Experiment(
    "claims", "venice", "All 57 claims in one regime at a time", "ours", _evaluate, _points
)
