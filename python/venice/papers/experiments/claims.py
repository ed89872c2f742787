"""Claims of the Venice paper under several views: regime, measure and variant of Venice.

The first view was chosen before the runs and follows the paper: the gaps of Table 2, evenly spread
data, execution time. The other views show how many claims a single setting can reach. Each number
of agreeing claims has a control: the number that would agree if the paper had claimed the opposite:
1/x in place of a ratio x, 1 - x in place of a share x, the reversed order in place of a ranking.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.papers import card
from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import study, suite, windows
from venice.papers.experiments.designs import TITLES
from venice.papers.printed_claims import PRINTED_CLAIMS, Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from venice.papers.card import Score, View
    from venice.papers.experiment import Runs
    from venice.papers.printed_claims import PrintedClaim
    from venice.papers.size import Size
    from venice.sweep import Point

_COLUMNS = (
    "regime", "measure", "venice", "claim", "where", "unit", "paper", "ours", "lowest", "highest",
    "log_error", "is_hit", "is_placebo_hit",
)  # fmt: skip


def _points(size: Size) -> Sequence[Point]:
    regimes = suite.regimes_of(size)
    synthetic = [point for on in study.STUDIES for point in study.points(on, size, regimes)]
    return [*synthetic, *(point for on in windows.STUDIES for point in windows.points(on, size))]


def _evaluate(runs: Runs, size: Size) -> Finding:
    found = card.Card(runs, size)
    scores = {view: found.scores(view) for view in card.views(size)}
    real = {view: found.scores(view) for view in card.real_views(size)}
    rows = [_row(view, score) for view, own in {**scores, **real}.items() for score in own]
    return Finding(_COLUMNS, rows, text=_text(scores, real, size))


def _row(view: View, score: Score) -> list[object]:
    claim = score.claim
    values = [value if claim.is_ranking else claim.shown(value) for value in score.values]
    ends = sorted(values)
    return [
        view.regime.name,
        view.measure,
        view.venice,
        claim.text,
        claim.where,
        claim.unit,
        claim.paper,
        suite.mean(values),
        *((ends[0], ends[-1]) if ends else (None, None)),
        score.log_error,
        score.is_hit,
        score.is_placebo_hit,
    ]


def best_shared(scores: Mapping[View, Sequence[Score]]) -> View:
    """Return the view with most agreeing claims; on a tie, the smaller median error decides."""
    return max(
        scores,
        key=lambda view: (card.hits(scores[view]), -(card.median_error(scores[view]) or 0.0)),
    )


def _seeds(size: Size) -> str:
    if size.seeds == 1:
        return "of one seed"
    return f"over {size.seeds} seeds, with the lowest and highest of them in brackets"


def _text(
    scores: Mapping[View, Sequence[Score]], real: Mapping[View, Sequence[Score]], size: Size
) -> str:
    best = best_shared(scores)
    lines = [
        f"## Venice: {len(PRINTED_CLAIMS)} claims",
        "",
        *_stated(scores),
        f"2. **Best setting shared by all claims** ({best.text}):",
        f"   **{_count(scores[best])}**.",
        *_of_real_traces(real),
        "",
        "A hit is within 15 % of the paper, in logarithms; an order must equal the paper's.",
        f"Means are arithmetic, {_seeds(size)}. The placebo",
        "counts the hits of the inverted claims. – marks a mean of saturated open loops.",
        "",
        *_views({**scores, **real}),
        "",
        *_each(scores, best),
        "",
    ]
    return "\n".join(lines)


def _stated(scores: Mapping[View, Sequence[Score]]) -> list[str]:
    """Return a sentence with the number of agreeing claims in the view stated beforehand."""
    stated, other = card.STATED_LETTER, card.STATED_BEST
    if stated not in scores:
        return ["1. **Stated beforehand**: not run."]
    return [
        f"1. **Stated beforehand** ({stated.text}): **{_count(scores[stated])}**;",
        f"   with the best documented Venice {_count(scores[other])}.",
    ]


def _of_real_traces(real: Mapping[View, Sequence[Score]]) -> list[str]:
    """Return a sentence with the number of agreeing claims in the best view of real traces."""
    if not real:
        return []
    best = best_shared(real)
    known = [score for score in real[best] if score.value is not None]
    return [
        f"3. **Real traces** ({best.text}): **{_count(known)}**.",
        f"   The other {len(real[best]) - len(known)} claims are of workloads that no trace stands",
        "   for, or of saturated runs.",
    ]


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
    """Return a table with a row for each claim."""
    if card.STATED_LETTER not in scores:
        return _each_by_regime(scores)
    titles = ["claim", "where printed", "paper", "stated beforehand", "error, factor", "hit"]
    titles += ["placebo", "best shared", "hit"]
    lines = [
        f"| {' | '.join(titles)} |",
        "| --- | --- | ---: | ---: | ---: | --- | --- | ---: | --- |",
    ]
    for score, shared in zip(scores[card.STATED_LETTER], scores[best], strict=True):
        claim = score.claim
        cells = (
            *_printed(claim),
            score.shown(),
            "–" if claim.is_ranking else _factor(score.log_error),
            _yes(score.is_hit),
            _yes(score.is_placebo_hit),
            shared.shown(),
            _yes(shared.is_hit),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _each_by_regime(scores: Mapping[View, Sequence[Score]]) -> list[str]:
    """Return a table with a row for each claim, and the best view of each regime."""
    views: dict[str, dict[View, Sequence[Score]]] = {}
    for view, own in scores.items():
        views.setdefault(view.regime.name, {})[view] = own
    bests = {name: best_shared(of) for name, of in views.items()}
    shown = ", ".join(
        f"`{name}` by {view.measure} ({TITLES[view.venice]})" for name, view in bests.items()
    )
    lines = [
        f"Columns show each regime by the measure and with the Venice of its most hits: {shown}.",
        "",
        f"| claim | where printed | paper | {' | '.join(f'`{name}` | hit' for name in bests)} |",
        f"| --- | --- | ---: |{' ---: | --- |' * len(bests)}",
    ]
    for of_claim in zip(*(scores[view] for view in bests.values()), strict=True):
        values = (cell for score in of_claim for cell in (score.shown(), _yes(score.is_hit)))
        lines.append(f"| {' | '.join((*_printed(of_claim[0].claim), *values))} |")
    return lines


def _printed(claim: PrintedClaim) -> tuple[str, str, str]:
    """Return the cells of a claim: text, location, and the paper's value."""
    value = str(claim.paper) if claim.is_ranking else f"{claim.paper:.4g} {claim.unit}"
    return (claim.text, claim.where, value)


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


EXPERIMENT = Experiment(
    "claims",
    "venice",
    f"All {len(PRINTED_CLAIMS)} claims in one regime at a time",
    "ours",
    _evaluate,
    _points,
)
