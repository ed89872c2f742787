"""Fit of the settings that the Venice paper does not state to two figures, tested on others.

The first step is a grid of settings, the same for every workload, evaluated on every third workload
of Table 2. It varies the arrivals (open loop with bursts or Poisson gaps, or 1 to 16 outstanding
requests), the placement of the data, the order of allocation, the time for which a path is held,
the channel's rate and the host link. Options of single designs, Venice's retry and the measure are
varied too, without further runs of the other designs. The error is the mean of |ln(ours / paper)|
over the eight means of Figures 4 and 9(a).

Each setting is named by what it takes from the paper's text, with the number of choices that no
text states (:mod:`venice.papers.experiments.fit_choices`).

In the second step, the best setting by any measure, the best by the paper's measure, the nearly
best with the fewest choices, and the best for each hold are run completely, with all seeds, and
scored on Figures 9(b), 10 to 13 and 15, which the search did not use.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

from venice.papers import card
from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import study, suite
from venice.papers.experiments.designs import BEST, LETTER, Design
from venice.papers.experiments.fit_choices import chosen, stated
from venice.papers.experiments.unstated_settings import (
    BY_CHIP,
    CIRCUITS,
    COMMITTED,
    FREE_BUS,
    HOLD_OPERATION,
    HOLD_REQUEST,
    HOME,
    NO_HOST_LIMIT,
    PLANES_FIRST,
    POOLED,
    RETRACE,
    SLOW_CHANNEL,
    WAYS_FIRST,
    X_THEN_Y,
)
from venice.papers.printed_claims import PRINTED_CLAIMS, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from venice.papers.card import Score, View
    from venice.papers.experiment import Runs
    from venice.papers.printed_claims import PrintedClaim
    from venice.papers.size import Size
    from venice.sweep import Point

WORKLOADS = suite.WORKLOADS[::3]
"""Workloads of the search: every third one of Table 2."""


class _Pace(NamedTuple):
    """Arrivals of requests: a number of outstanding requests, or a distribution of gaps."""

    depth: int | None = None
    gaps: suite.Gaps | None = None


_PACES = {
    "bursts at the gaps of Table 2": _Pace(),
    "Poisson gaps of Table 2": _Pace(gaps="exponential"),
    **{f"{depth} outstanding": _Pace(depth) for depth in (1, 2, 4, 16)},
}
_SHARES = {"all channels": 1, "1/4 of the channels": 4}
_ORDERS: dict[str, tuple[str, ...]] = {
    "channels first": (),
    "planes first": (PLANES_FIRST,),
    "ways first": (WAYS_FIRST,),
}
_HOLDS: dict[str, tuple[str, ...]] = {
    "a transfer": (),
    "the operation": (HOLD_OPERATION,),
    "the request": (HOLD_REQUEST,),
}
_RATES: dict[str, tuple[str, ...]] = {"1.2 GB/s": (), "1.0 GB/s": (SLOW_CHANNEL,)}
_LINKS: dict[str, tuple[str, ...]] = {"8 GB/s": (), "no limit": (NO_HOST_LIMIT,)}
AXES = (_PACES, _SHARES, _ORDERS, _HOLDS, _RATES, _LINKS)
"""Values of each setting that all designs have in common."""
OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "pnssd": {
        "any bus": FREE_BUS,
        "a bus for each chip": BY_CHIP,
    },
    "nossd": {
        "packets, home": (HOME,),
        "packets, pooled, retrace": (POOLED, RETRACE),
        "packets, pooled, X then Y": (POOLED, X_THEN_Y),
        "circuits, home": (CIRCUITS, HOME),
        "circuits, pooled": (CIRCUITS, POOLED),
        "circuits, committed": (COMMITTED, POOLED),
    },
}
"""Options of single designs."""
_VENICES = (LETTER, BEST)
_FITTED = ("fig4", "fig9a")
_TESTED = ("fig9b", "fig10a", "fig10b", "fig11", "fig12", "fig13", "fig15")
_TARGETS = tuple(
    claim
    for claim in PRINTED_CLAIMS
    if claim.experiment in _FITTED
    and claim.kind is Kind.FACTOR
    and not claim.is_most
    and claim.over_study is None
)
"""Mean speed-ups of the paper that the fit has to reach."""
_FEWEST = 100
_NEARLY_BEST = 1.05
"""Ratio of a candidate's error to the smallest up to which it is nearly the best."""
_COLUMNS = (
    "pace", "data_on", "allocation_order", "path_held_for", "channel", "host_link", "measure",
    "pnssd", "nossd", "venice", "unstated_choices", "mean_abs_log_error",
    "mean_abs_log_error_of_inverse",
    *(claim.text for claim in _TARGETS),
)  # fmt: skip


class _Setting(NamedTuple):
    """Settings that all designs have in common."""

    pace: str
    data_on: str
    order: str
    held_for: str
    channel: str
    host_link: str

    @property
    def drive(self) -> tuple[str, ...]:
        changes = _RATES[self.channel], _LINKS[self.host_link], _ORDERS[self.order]
        return (*_HOLDS[self.held_for], *itertools.chain(*changes))

    def regime(self, own: tuple[tuple[str, tuple[str, ...]], ...] = ()) -> suite.Regime:
        text = (
            f"{self.pace}, data on {self.data_on}, {self.order}, paths held for {self.held_for}, "
            f"channels of {self.channel}, host link {self.host_link}"
        )
        return suite.Regime(
            f"fit: {text}; {own}" if own else text,
            text,
            _PACES[self.pace].depth,
            _SHARES[self.data_on],
            self.drive,
            own,
            _PACES[self.pace].gaps,
        )


class Candidate(NamedTuple):
    """Settings of one candidate: common settings, settings of each design, and the measure."""

    setting: _Setting
    measure: str
    pnssd: str
    nossd: str
    venice: Design
    error: float
    placebo: float
    gains: tuple[float | None, ...]

    @property
    def view(self) -> View:
        """Return the load, measure and variant of Venice with which the candidate is evaluated."""
        own = (
            ("pnssd", OPTIONS["pnssd"][self.pnssd]),
            ("nossd", OPTIONS["nossd"][self.nossd]),
        )
        return card.View(self.setting.regime(own), self.measure, self.venice.name)

    @property
    def text(self) -> str:
        """Return a description of the candidate."""
        return f"{self.view.text}; pnSSD: {self.pnssd}; NoSSD: {self.nossd}"

    @property
    def _values(self) -> tuple[str, ...]:
        return (*self.setting, self.measure, self.pnssd, self.nossd, self.venice.name)

    @property
    def stated(self) -> tuple[str, ...]:
        """Parts of the candidate that the paper states."""
        return stated(self._values)

    @property
    def choices(self) -> tuple[str, ...]:
        """Choices of the candidate that no text states."""
        return chosen(self._values)


def _settings(size: Size) -> list[_Setting]:
    return list(size.some([_Setting(*values) for values in itertools.product(*AXES)]))


def _requests(size: Size) -> int:
    return max(size.requests // 20, _FEWEST)


def _variants() -> Iterator[Design]:
    """Yield all variants of all designs."""
    for fabric in ("bus", "pssd", "ideal"):
        yield Design(fabric, fabric, fabric)
    for fabric, options in OPTIONS.items():
        for option, sets in options.items():
            yield Design(option, option, fabric, sets)
    yield from _VENICES


def _points(size: Size) -> Sequence[Point]:
    grid = [
        suite.point(
            {**setting._asdict(), "workload": workload, "design": design.name},
            drive=suite.PERFORMANCE,
            workload=setting.regime().workload(workload),
            fabric=design.fabric,
            requests=_requests(size),
            closed_loop=_PACES[setting.pace].depth,
            sets=(*design.sets, *setting.regime().sets(fabric=design.fabric)),
        )
        for setting in _settings(size)
        for workload in size.some(WORKLOADS)
        for design in _variants()
    ]
    # Settings with which the chosen ones are compared.
    return [*grid, *_whole((suite.TABLE, suite.HELD, suite.REQUEST), size)]


def _whole(regimes: Sequence[suite.Regime], size: Size) -> list[Point]:
    return [point for on in study.STUDIES for point in study.points(on, size, regimes)]


def _follow(runs: Runs, size: Size) -> Sequence[Point]:
    return _whole([candidate.view.regime for candidate in _chosen(_candidates(runs, size))], size)


class _Times:
    """Values of one measure (a time) with one setting, by design and workload."""

    def __init__(
        self, runs: Runs, setting: _Setting, measure: str, workloads: Sequence[str]
    ) -> None:
        self._times = {
            design.name: [
                _time(runs, setting, suite.MEASURES[measure], workload, design.name)
                for workload in workloads
            ]
            for design in _variants()
        }

    def gain(self, over: str, of: str) -> float | None:
        """Return the mean speed-up of one design over another, over the workloads."""
        pairs = zip(self._times[over], self._times[of], strict=True)
        ratios = [ratio for top, bottom in pairs if (ratio := suite.ratio(top, bottom))]
        is_enough = len(ratios) >= card.FEWEST_SHARE * len(self._times[of])
        return suite.mean(ratios) if is_enough else None


def _time(runs: Runs, setting: _Setting, metric: str, workload: str, design: str) -> float | None:
    report = runs.find(**setting._asdict(), workload=workload, design=design)
    if report is None or (metric.startswith("latency") and study.is_saturated(report)):
        return None
    return runs.figure(metric, **setting._asdict(), workload=workload, design=design)


def _candidates(runs: Runs, size: Size) -> list[Candidate]:
    return [
        candidate
        for setting in _settings(size)
        for measure in suite.MEASURES
        for candidate in _of_setting(
            setting, measure, _Times(runs, setting, measure, size.some(WORKLOADS))
        )
    ]


def _of_setting(setting: _Setting, measure: str, times: _Times) -> Iterator[Candidate]:
    choices = itertools.product(OPTIONS["pnssd"], OPTIONS["nossd"], _VENICES)
    for pnssd, nossd, venice in choices:
        names = {"pnssd": pnssd, "nossd": nossd, "venice": venice.name}
        gains = tuple(
            times.gain(names.get(claim.over, claim.over), names.get(claim.of, claim.of))
            for claim in _TARGETS
        )
        yield Candidate(
            setting,
            measure,
            pnssd,
            nossd,
            venice,
            _error(gains, [claim.factor for claim in _TARGETS]),
            _error(gains, [claim.inverse for claim in _TARGETS]),
            gains,
        )


def _error(gains: Sequence[float | None], targets: Sequence[float]) -> float:
    """Return the mean of |ln(ours / paper)|; infinite if a simulated value is missing."""
    pairs = zip(gains, targets, strict=True)
    errors = [math.inf if gain is None else abs(math.log(gain / target)) for gain, target in pairs]
    return math.fsum(errors) / len(errors)


def _chosen(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the best candidates: by any measure, by the paper's, with few choices, by hold."""
    groups = (
        candidates,
        [candidate for candidate in candidates if candidate.measure == suite.STATED],
        _with_few_choices(candidates),
        *([it for it in candidates if it.setting.held_for == held_for] for held_for in _HOLDS),
    )
    best = (min(group, key=lambda candidate: candidate.error) for group in groups if group)
    return list(dict.fromkeys(best))


def _with_few_choices(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates with the fewest choices among nearly optimal candidates."""
    most = min(candidate.error for candidate in candidates) + math.log(_NEARLY_BEST)
    near = [candidate for candidate in candidates if candidate.error <= most]
    fewest = min(len(candidate.choices) for candidate in near)
    return [candidate for candidate in near if len(candidate.choices) == fewest]


def _evaluate(runs: Runs, size: Size) -> Finding:
    candidates = _candidates(runs, size)
    rows = [
        [
            *candidate.setting, candidate.measure, candidate.pnssd, candidate.nossd,
            candidate.venice.name, len(candidate.choices), candidate.error, candidate.placebo,
            *candidate.gains,
        ]
        for candidate in candidates
    ]  # fmt: skip
    return Finding(_COLUMNS, rows, text=_text(runs, size, candidates))


def _text(runs: Runs, size: Size, candidates: Sequence[Candidate]) -> str:
    best = _chosen(candidates)
    least = min(candidate.placebo for candidate in candidates)
    views = {
        "stated beforehand": card.STATED_LETTER,
        "hypothesis after the fact": card.View(suite.HELD, "mean latency", BEST.name),
        "paths held for the request": card.View(suite.REQUEST, "mean latency", BEST.name),
        **{f"fitted, {number}": candidate.view for number, candidate in enumerate(best, start=1)},
    }
    found = card.Card(runs, size)
    lines = [
        "## Fitted settings",
        "",
        f"{len(candidates):,} settings on {len(size.some(WORKLOADS))} workloads,",
        f"{_requests(size):,} requests each, fitted on the {len(_TARGETS)} means of Figures 4 and",
        f"9(a). Smallest mean error: a factor of {math.exp(best[0].error):.2f}; the same search",
        f"for the inverted claims: {math.exp(least):.2f}.",
        "",
        *(_named(number, candidate) for number, candidate in enumerate(best, start=1)),
        "",
        *_by_choices(candidates),
        "",
        *_table(found, views),
        "",
        *_by_design(found, views),
        "",
    ]
    return "\n".join(lines)


def _named(number: int, candidate: Candidate) -> str:
    """Return the name of a candidate: the settings that it takes from the text, and its choices."""
    choices = candidate.choices
    return (
        f"- *Fitted, {number}*: {', '.join(candidate.stated)}; {len(choices)} choices that no text "
        f"states: {', '.join(choices)}. Error {math.exp(candidate.error):.2f}."
    )


def _by_choices(candidates: Sequence[Candidate]) -> list[str]:
    """Return the smallest errors by the number of choices that no text states, for each hold."""
    titles = (f"{held_for}: error | placebo" for held_for in _HOLDS)
    lines = [
        f"| choices that no text states, at most | {' | '.join(titles)} |",
        f"| ---: |{' ---: |' * (2 * len(_HOLDS))}",
    ]
    for most in range(max(len(candidate.choices) for candidate in candidates) + 1):
        allowed = [candidate for candidate in candidates if len(candidate.choices) <= most]
        cells = [cell for held_for in _HOLDS for cell in _smallest(allowed, held_for)]
        lines.append(f"| {most} | {' | '.join(cells)} |")
    return lines


def _smallest(candidates: Sequence[Candidate], held_for: str) -> tuple[str, str]:
    """Return the smallest error and the smallest placebo error with a hold, as factors."""
    own = [candidate for candidate in candidates if candidate.setting.held_for == held_for]
    errors = (
        min((candidate.error for candidate in own), default=math.inf),
        min((candidate.placebo for candidate in own), default=math.inf),
    )
    one, other = ("–" if math.isinf(error) else f"{math.exp(error):.2f}" for error in errors)
    return one, other


def _table(found: card.Card, views: Mapping[str, View]) -> list[str]:
    titles = (
        "setting", "error of the fitted means, factor", "held-out: median error, factor",
        "held-out hits", "placebo", *(name[3:] for name in _TESTED),
    )  # fmt: skip
    lines = [f"| {' | '.join(titles)} |", f"| --- |{' ---: |' * (len(titles) - 1)}"]
    tested = [claim for claim in PRINTED_CLAIMS if claim.experiment in _TESTED]
    for name, view in views.items():
        scores = found.scores(view, tested)
        cells = (
            name,
            _interval(found.scores(view, _TARGETS)),
            _as_text(card.median_error(scores)),
            f"{card.hits(scores)} of {len(scores)}",
            f"{card.placebo_hits(scores)}",
            *(_figure(found, view, tested, figure) for figure in _TESTED),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _figure(found: card.Card, view: View, tested: Sequence[PrintedClaim], figure: str) -> str:
    return _as_text(
        card.median_error(found.scores(view, [it for it in tested if it.experiment == figure]))
    )


def _as_text(error: float | None) -> str:
    return "–" if error is None or math.isinf(error) else f"{card.as_factor(error):.2f}"


def _interval(scores: Sequence[Score]) -> str:
    """Return the mean error as a ratio, with its range over the seeds, as text."""
    seeds = min(len(score.values) for score in scores)
    errors = [
        _error([score.values[place] for score in scores], [score.claim.factor for score in scores])
        for place in range(seeds)
    ]
    if not errors:
        return "–"
    low, high = (math.exp(end) for end in (min(errors), max(errors)))
    return f"{math.exp(math.fsum(errors) / len(errors)):.2f} ({low:.2f} to {high:.2f})"


def _by_design(found: card.Card, views: Mapping[str, View]) -> list[str]:
    lines = [
        f"| mean over the workloads | paper | {' | '.join(views)} |",
        f"| --- | ---: |{' ---: |' * len(views)}",
    ]
    scores = [found.scores(view, _TARGETS) for view in views.values()]
    for place, claim in enumerate(_TARGETS):
        cells = " | ".join(own[place].shown() for own in scores)
        lines.append(f"| {claim.text} | {claim.paper:.4g} | {cells} |")
    return lines


EXPERIMENT = Experiment(
    "fit",
    "venice",
    "Search over settings that the paper leaves open, with its error on other figures",
    "ours",
    _evaluate,
    _points,
    _follow,
)
