"""Agreement with claims of the Venice paper, for a view: load, measure and variant of Venice."""

from __future__ import annotations

import itertools
import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from venice.papers.experiments import study, suite, windows
from venice.papers.experiments.designs import BEST, LETTER, TITLES
from venice.papers.experiments.study import StudyRatios, seeds_of
from venice.papers.printed_claims import PRINTED_CLAIMS, RANKED_DESIGNS, TIME, Kind, order
from venice.papers.scorecard import CLOSE, Claim
from venice.papers.standing import Judge, Others

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from venice.papers.experiment import Runs
    from venice.papers.experiments.study import Study
    from venice.papers.experiments.suite import Regime
    from venice.papers.printed_claims import PrintedClaim
    from venice.papers.size import Size
    from venice.papers.standing import Standing

LOG_CLOSE = math.log(1 + CLOSE)
"""Logarithm of the largest ratio, 1.15 in either direction, that counts as agreement."""
FEWEST_SHARE = 0.5
"""Minimum share of workloads with a value for a mean; the others are saturated open loops."""


@dataclass(frozen=True)
class View:
    """Choices under which all claims of the paper are evaluated.

    Attributes
    ----------
    regime
        Load and settings of the runs.
    measure
        Quantity whose ratio is the speed-up.
    venice
        Design that represents Venice.
    """

    regime: Regime
    measure: str
    venice: str

    @property
    def text(self) -> str:
        """Return a description of the view."""
        return f"{self.regime.text}; {self.measure}; {TITLES[self.venice]}"


STATED_LETTER = View(suite.TABLE, suite.STATED, LETTER.name)
STATED_BEST = View(suite.TABLE, suite.STATED, BEST.name)


def _views_of(regimes: Iterable[Regime]) -> tuple[View, ...]:
    return tuple(
        View(regime, measure, venice)
        for regime in regimes
        for measure in suite.MEASURES
        for venice in (LETTER.name, BEST.name)
    )


def views(size: Size) -> tuple[View, ...]:
    """Return the views with the loads (regimes) of this size of the experiment."""
    return _views_of(suite.regimes_of(size))


def real_views(size: Size) -> tuple[View, ...]:
    """Return the views with named traces; none if there are no such traces."""
    return _views_of([windows.regime(size)] if windows.traces(size) else [])


@dataclass(frozen=True)
class Score:
    """Result of a claim in a view.

    Attributes
    ----------
    claim
        Claim of the paper.
    values
        Simulated values, one for each seed: ratios, shares with conflicts, Kendall's tau of
        rankings,
        or shares of comparisons won minus those lost.
    text
        Simulated ranking with the first seed, or the number of comparisons won.
    """

    claim: PrintedClaim
    values: Sequence[float]
    text: str = ""

    @property
    def value(self) -> float | None:
        """Mean of the value over the seeds; ``None`` without values."""
        return statistics.fmean(self.values) if self.values else None

    def error(self, target: float) -> float | None:
        """Return the logarithmic error of the value; for a ranking, the distance from `target`."""
        if self.value is None:
            return None
        if self.claim.is_ranking:
            return abs(self.value - target)
        return abs(math.log(self.value / target)) if self.value > 0 else math.inf

    @property
    def log_error(self) -> float | None:
        """Logarithm of the ratio of the simulated value to the paper's."""
        return self.error(self.claim.factor)

    @property
    def is_hit(self) -> bool:
        """True if the simulated value is within 15 % of the paper's, or the rankings are equal."""
        return self._is_near(self.claim.factor)

    @property
    def is_placebo_hit(self) -> bool:
        """True if the simulated value agrees with the inverted claim (a control)."""
        return self._is_near(self.claim.inverse)

    def _is_near(self, target: float) -> bool:
        error = self.error(target)
        most = 0.0 if self.claim.is_ranking else LOG_CLOSE
        return error is not None and error <= most

    def shown(self) -> str:
        """Return the simulated value in the claim's unit, with its range over the seeds."""
        if self.value is None:
            return "–"
        if self.claim.kind is Kind.ORDER:
            return f"τ = {self.value:.2f}"
        if self.claim.kind is Kind.FIRST:
            return self.text
        ends = sorted(self.claim.shown(value) for value in self.values)
        middle = f"{self.claim.shown(self.value):.4g}"
        spread = f" ({ends[0]:.4g} to {ends[-1]:.4g})" if len(ends) > 1 else ""
        return f"{middle}{spread}"


class Card:
    """Scores of claims, computed from the reports of studies."""

    def __init__(self, runs: Runs, size: Size) -> None:
        self._runs, self._size = runs, size

    def scores(self, view: View, claims: Iterable[PrintedClaim] = PRINTED_CLAIMS) -> list[Score]:
        """Return the scores of some claims in a view."""
        return [self._score(claim, view) for claim in claims]

    def _score(self, claim: PrintedClaim, view: View) -> Score:
        seeds = seeds_of(self._size)
        if claim.kind is Kind.FIRST:
            standings = [self._standing(claim, view, seed) for seed in seeds]
            counted = [it for it in standings if it is not None]
            text = f"{counted[0].ahead} of {counted[0].of}" if counted else ""
            return Score(claim, [it.value for it in counted], text)
        if claim.kind is Kind.ORDER:
            found = (self._found(claim.study, view, seed) for seed in seeds)
            orders = [gains for it in found if (gains := _gains(it, view)) is not None]
            published = dict(zip(str(claim.paper).split(" > "), itertools.count(), strict=False))
            values = [tau(published, gains) for gains in orders]
            return Score(claim, values, order(_by_name(orders[0])) if orders else "")
        known = [self._value(claim, view, seed) for seed in seeds]
        return Score(claim, [value for value in known if value is not None])

    def _value(self, claim: PrintedClaim, view: View, seed: int) -> float | None:
        """Return a claim's simulated value with one seed: a ratio or a share of conflicts."""
        value = _value(self._found(claim.study, view, seed, claim.workload), claim, view)
        if claim.over_study is None:
            return value
        return suite.ratio(value, _value(self._found(claim.over_study, view, seed), claim, view))

    def _standing(self, claim: PrintedClaim, view: View, seed: int) -> Standing | None:
        judge = Judge(_metric(claim, view), view.regime, view.venice)
        own = self._found(claim.study, view, seed)
        if claim.others is Others.DESIGNS:
            return judge.on_each_workload(own, FEWEST_SHARE)
        if claim.others is Others.SHAPES:
            shapes = (study.WIDE, study.TALL)
            return judge.of_shape(own, [self._found(it, view, seed) for it in shapes])
        return judge.of_workload(own, claim.workload or "")

    def _found(self, on: Study, view: View, seed: int, workload: str | None = None) -> StudyRatios:
        if view.regime.name == windows.NAME:
            return StudyRatios(self._runs, on, windows.names(self._size, workload), seed)
        workloads = (workload,) if workload else self._size.some(on.workloads)
        return StudyRatios(self._runs, on, workloads, seed)

    def stated(self, experiment: str) -> list[Claim]:
        """Return the scorecard rows of a figure's claims, in the regime chosen before the runs."""
        claims = [claim for claim in PRINTED_CLAIMS if claim.experiment == experiment]
        pairs = zip(
            self.scores(STATED_LETTER, claims), self.scores(STATED_BEST, claims), strict=True
        )
        return [scored_row(letter, other) for letter, other in pairs]


def scored_row(score: Score, other: Score) -> Claim:
    """Return the scorecard row of a score, with the score of tuned Venice in its note."""
    claim = score.claim
    value = score.value
    ours = score.text if claim.is_ranking else None if value is None else claim.shown(value)
    return Claim(
        claim.experiment,
        claim.text,
        claim.paper,
        ours,
        claim.unit,
        claim.where,
        f"{suite.TABLE.text}; {suite.STATED}",
        f"{score.shown()}; best: {other.shown()}",
        log_error=score.log_error,
        verdict=score.is_hit,
        compared=claim.compared(value),
    )


def _metric(claim: PrintedClaim, view: View) -> str:
    return suite.MEASURES[view.measure] if claim.metric == TIME else claim.metric


def _name(design: str, view: View) -> str:
    return view.venice if design == LETTER.name else design


def _value(found: StudyRatios, claim: PrintedClaim, view: View) -> float | None:
    """Return a claim's value in one study: a ratio or a share of conflicts."""
    of, over = _name(claim.of, view), _name(claim.over, view)
    metric = _metric(claim, view)
    if claim.kind is Kind.SHARE:
        shares = (found.figure(metric, name, view.regime, of) for name in found.workloads)
        share = suite.mean(shares)
        return None if share is None else share / 100
    gains = _known_gains(found, metric, view, over, of)
    if gains is None:
        return None
    return max(gains) if claim.is_most else suite.mean(gains)


def _known_gains(
    found: StudyRatios, metric: str, view: View, over: str, of: str
) -> list[float] | None:
    """Return the gains on workloads without saturated runs; ``None`` if these are too few."""
    gains = [gain for gain in found.gains(metric, view.regime, over, of) if gain is not None]
    return gains if gains and len(gains) >= FEWEST_SHARE * len(found.workloads) else None


def _gains(found: StudyRatios, view: View) -> dict[str, float] | None:
    """Return the speed-up of Venice over each design, by title; ``None`` if unknown."""
    metric = suite.MEASURES[view.measure]
    known: dict[str, float] = {}
    for name in RANKED_DESIGNS:
        gains = _known_gains(found, metric, view, _name(name, view), view.venice)
        if gains is None:
            return None
        known[suite.TITLES[name]] = statistics.fmean(gains)
    return known


def _by_name(gains: Mapping[str, float]) -> dict[str, float]:
    names = {title: name for name, title in suite.TITLES.items()}
    return {names[title]: gain for title, gain in gains.items()}


def tau(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """Return Kendall's tau of two rankings; ties count as neither agreement nor disagreement.

    Examples
    --------
    >>> tau({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 3, "c": 2})
    0.3333333333333333
    """
    pairs = list(itertools.combinations(first, 2))
    signs = [(first[a] - first[b]) * (second[a] - second[b]) for a, b in pairs]
    return sum((sign > 0) - (sign < 0) for sign in signs) / len(pairs)


def hits(scores: Sequence[Score]) -> int:
    """Return the number of claims with which the simulated values agree."""
    return sum(score.is_hit for score in scores)


def placebo_hits(scores: Sequence[Score]) -> int:
    """Return the number of inverted claims with which simulated values agree."""
    return sum(score.is_placebo_hit for score in scores)


def median_error(scores: Sequence[Score]) -> float | None:
    """Return the median logarithmic error; a claim without a value counts as infinite."""
    errors = [
        math.inf if (error := score.log_error) is None else error
        for score in scores
        if not score.claim.is_ranking
    ]
    return statistics.median(errors) if errors else None


def as_factor(error: float) -> float:
    """Return a logarithmic error as a ratio of at least 1."""
    return math.exp(error) if error < math.inf else math.inf
