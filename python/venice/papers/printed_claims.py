"""The 67 distinct claims that the Venice paper and its talk state, each once.

Claims that follow from others are omitted: Figure 15's 8x8, which is Figure 9(a) rounded; Table 4's
44 % and 8 %, which are products of its own inputs (`tab4` calculates them); §3.1's 57 %, which is
11.01 over 7.01. A ranking of designs follows from the paper's means over the workloads of a figure.
A bound such as "within 45 % of path-conflict-free" counts as a claim about that ratio.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from venice.papers.experiments import study
from venice.papers.experiments.suite import RIVALS, TITLES
from venice.papers.scorecard import Compared
from venice.papers.standing import Others

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from venice.papers.experiments.study import Study


class Kind(enum.Enum):
    """Type of the value that a claim states."""

    FACTOR = enum.auto()
    """Ratio of two designs."""
    CHANGE = enum.auto()
    """Ratio of two designs, stated as a change in per cent."""
    SHARE = enum.auto()
    """Share of requests without conflict in per cent; evaluated as the share with conflicts."""
    ORDER = enum.auto()
    """Ranking of designs, the fastest first; compared by Kendall's tau."""
    FIRST = enum.auto()
    """Winner against all others; compared as the share of comparisons won minus the share lost."""


TIME = "time"
"""Placeholder for the measure of a speed-up, which the view determines."""
IOPS, P99, LATENCY = "iops", "latency_us.all.p99", "latency_us.all.mean"
CONFLICTS = "path.requests_conflict_pct"
POWER, ENERGY = "energy_paper.power_mw", "energy_paper.energy_uj"
"""Power and energy as the paper computes them: mean power × execution time."""


@dataclass(frozen=True)
class PrintedClaim:
    """Value or ranking that the paper states.

    Attributes
    ----------
    experiment
        Name of the experiment that draws the figure.
    text
        Text of the claim.
    where
        Section or figure of the paper.
    paper
        Value in the paper.
    kind
        Kind of the value.
    study
        Workloads, drive and array.
    metric
        Figure of the report.
    over, of
        Designs of the ratio: the figure of `over` divided by that of `of`.
    is_most
        True for the maximum over the workloads, false for their mean.
    workload
        Workload of the claim; ``None`` for all.
    over_study
        Study whose mean divides that of `study`; ``None`` without a division.
    others
        Alternatives that the winner of a claim of kind `FIRST` beats; ``None`` for other kinds.
    """

    experiment: str
    text: str
    where: str
    paper: float | str
    kind: Kind
    study: Study
    metric: str = TIME
    over: str = "bus"
    of: str = "venice"
    is_most: bool = False
    workload: str | None = None
    over_study: Study | None = None
    others: Others | None = None

    @property
    def is_ranking(self) -> bool:
        """True if the claim has no number: a ranking, or the winner of a comparison."""
        return self.kind in {Kind.ORDER, Kind.FIRST}

    @property
    def factor(self) -> float:
        """Value as a ratio, or as a share of requests with conflicts; 1 for a ranking."""
        if isinstance(self.paper, str):
            return 1.0
        if self.kind is Kind.FACTOR:
            return self.paper
        share = self.paper / 100
        return 1 - share if self.kind is Kind.SHARE else 1 + share

    @property
    def inverse(self) -> float:
        """Value of the opposite claim: 1/x for a ratio, 1 - x for a share."""
        if self.is_ranking:
            return -1.0
        return 1 - self.factor if self.kind is Kind.SHARE else 1 / self.factor

    @property
    def unit(self) -> str:
        """Unit of the value in the paper."""
        return {Kind.FACTOR: "×", Kind.ORDER: "", Kind.FIRST: ""}.get(self.kind, "%")

    def shown(self, factor: float) -> float:
        """Return a ratio or share in the unit that the paper uses for the claim."""
        if self.kind is Kind.CHANGE:
            return (factor - 1) * 100
        return (1 - factor) * 100 if self.kind is Kind.SHARE else factor

    def compared(self, factor: float | None) -> Compared | None:
        """Return the compared quantities, unless the paper compares the ratio itself (``None``)."""
        what = _COMPARED.get(self.kind)
        return None if what is None or factor is None else Compared(what, self.factor, factor)


_COMPARED = {Kind.SHARE: "share with a path conflict", Kind.CHANGE: "ratio"}
"""Quantities that are compared in place of shares without a conflict and of changes."""
_GAINS: dict[str, tuple[Study, str, dict[str, float]]] = {
    "fig4": (
        study.PERFORMANCE,
        "§3.3, Figure 4",
        {"pssd": 1.27, "pnssd": 1.30, "nossd": 1.35, "ideal": 4.0},
    ),
    "fig9a": (
        study.PERFORMANCE,
        "§6.1, Figure 9(a)",
        {"bus": 2.65, "pssd": 2.10, "pnssd": 2.00, "nossd": 1.92},
    ),
    "fig9b": (
        study.COST,
        "§6.1, Figure 9(b)",
        {"bus": 1.67, "pssd": 1.52, "pnssd": 1.55, "nossd": 1.47},
    ),
    "fig12": (
        study.MIXES,
        "§6.2, Figure 12",
        {"bus": 1.83, "pssd": 1.81, "pnssd": 1.80, "nossd": 1.63},
    ),
}
_MOST = {
    "fig9a": (study.PERFORMANCE, {"bus": 7.10, "nossd": 4.30}),
    "fig9b": (study.COST, {"bus": 3.68, "nossd": 2.90}),
}
_SHAPES = {
    study.WIDE: {"bus": 2.0, "pssd": 1.7, "nossd": 1.5},
    study.TALL: {"bus": 1.9, "pssd": 1.8, "nossd": 1.7},
}
_THROUGHPUT = {
    "fig10a": (
        study.PERFORMANCE,
        {"bus": 176.0, "pssd": 120.0, "pnssd": 113.0, "nossd": 102.0, "ideal": -30.0},
    ),
    "fig10b": (
        study.COST,
        {"bus": 76.0, "pssd": 58.0, "pnssd": 61.0, "nossd": 51.0, "ideal": -10.0},
    ),
}
"""Change of IOPS from each design to Venice [%]; "within 30 %" of the ideal drive's is -30 %."""
_WITHIN = {"fig9a": (study.PERFORMANCE, 45.0), "fig9b": (study.COST, 25.0)}
"""Excess of Venice's execution time over the ideal drive's [%], stated as "within 45 %"."""
_MORE_AT_HIGH_INTENSITY = 1.6
_TALK = 'talk of ISCA 2023, "Delay Caused by Path Conflicts"'
_TAIL = {
    "src1_0": {"bus": -32.0, "pssd": -31.0, "pnssd": -30.0, "nossd": -27.0},
    "hm_0": {"bus": -22.0, "pssd": -21.0, "pnssd": -18.0, "nossd": -17.0},
}
_POWER = {"bus": -4.0, "nossd": -1.0}
_ENERGY = {"bus": -61.0, "pssd": -54.0, "pnssd": -53.0, "nossd": -46.0}
CONFLICT_FREE_PCT = {"bus": 76.40, "pssd": 78.47, "pnssd": 77.88, "nossd": 80.65, "venice": 99.98}
"""Share of requests without conflicts by design, mean over the paper's workloads [%] (§6.3, Figure
13)."""


def _speed_ups() -> Iterator[PrintedClaim]:
    for figure, (where_from, where, values) in _GAINS.items():
        for design, paper in values.items():
            over, of = ("bus", design) if figure == "fig4" else (design, "venice")
            text = f"{TITLES[of]} over {TITLES[over]}"
            yield PrintedClaim(
                figure, text, where, paper, Kind.FACTOR, where_from, over=over, of=of
            )
    yield PrintedClaim(
        "fig4", "ideal over Baseline, most", "§3.3", 11.74, Kind.FACTOR, study.PERFORMANCE,
        of="ideal", is_most=True,
    )  # fmt: skip
    for figure, (where_from, values) in _MOST.items():
        for rival, paper in values.items():
            text = f"Venice over {TITLES[rival]}, most"
            yield PrintedClaim(
                figure, text, "§1", paper, Kind.FACTOR, where_from, over=rival, is_most=True
            )
    for shape, values in _SHAPES.items():
        for rival, paper in values.items():
            text = f"{shape.name}: Venice over {TITLES[rival]}"
            yield PrintedClaim(
                "fig15", text, "§6.5, Figure 15", paper, Kind.FACTOR, shape, over=rival
            )


def _beside_ideal() -> Iterator[PrintedClaim]:
    """Yield claims about the ideal drive: distance to Venice, gains on busy workloads."""
    for figure, (where_from, paper) in _WITHIN.items():
        yield from _against(figure, "§6.1", "time", where_from, TIME, {"ideal": paper})
    yield PrintedClaim(
        "fig4", "ideal over Baseline, mixes over single workloads", _TALK,
        _MORE_AT_HIGH_INTENSITY, Kind.FACTOR, study.MIXES, of="ideal",
        over_study=study.PERFORMANCE,
    )  # fmt: skip


def _firsts() -> Iterator[PrintedClaim]:
    """Yield claims that a design, a shape of the array or a mix is best."""
    for figure in ("fig9a", "fig9b", "fig12"):
        where_from, where, _ = _GAINS[figure]
        text = "fastest buildable design on each workload"
        yield PrintedClaim(
            figure, text, where, "Venice on all", Kind.FIRST, where_from, others=Others.DESIGNS
        )
    yield PrintedClaim(
        "fig12", "mix with the largest gain over Baseline", "§6.2, Figure 12", "mix6, ahead of all",
        Kind.FIRST, study.MIXES, workload="mix6", others=Others.WORKLOADS,
    )  # fmt: skip
    yield PrintedClaim(
        "fig15", "shape with the largest gains", "§6.5, Figure 15", "8x8, ahead of both",
        Kind.FIRST, study.PERFORMANCE, others=Others.SHAPES,
    )  # fmt: skip


def _orders() -> Iterator[PrintedClaim]:
    for figure in ("fig9a", "fig9b", "fig12"):
        where_from, where, values = _GAINS[figure]
        paper = order({"venice": 1.0, **values})
        yield PrintedClaim(figure, "order of the designs", where, paper, Kind.ORDER, where_from)


def _changes() -> Iterator[PrintedClaim]:
    for figure, (where_from, values) in _THROUGHPUT.items():
        yield from _against(
            figure, f"§6.1, Figure 10({figure[-1]})", "IOPS", where_from, IOPS, values
        )
    for workload, values in _TAIL.items():
        what = f"p99 of {workload}"
        yield from _against(
            "fig11", "§6.1, Figure 11", what, study.PERFORMANCE, P99, values, workload
        )
    yield from _against("fig14a", "§6.4, Figure 14(a)", "power", study.PERFORMANCE, POWER, _POWER)
    yield from _against(
        "fig14b", "§6.4, Figure 14(b)", "energy", study.PERFORMANCE, ENERGY, _ENERGY
    )


def _against(  # noqa: PLR0913, PLR0917 the parts of a claim
    figure: str,
    where: str,
    what: str,
    where_from: Study,
    metric: str,
    values: Mapping[str, float],
    workload: str | None = None,
) -> Iterator[PrintedClaim]:
    """Return the claims about the difference between Venice and each rival."""
    for rival, paper in values.items():
        text = f"{what}, Venice against {TITLES[rival]}"
        yield PrintedClaim(
            figure, text, where, paper, Kind.CHANGE, where_from, metric,
            over="venice", of=rival, workload=workload,
        )  # fmt: skip


def _shares() -> Iterator[PrintedClaim]:
    for design, paper in CONFLICT_FREE_PCT.items():
        text = f"requests without path conflict, {TITLES[design]}"
        yield PrintedClaim(
            "fig13", text, "§6.3, Figure 13", paper, Kind.SHARE, study.PERFORMANCE, CONFLICTS,
            of=design,
        )  # fmt: skip


def order(slowness: Mapping[str, float]) -> str:
    """Return the ranking of designs as text, the fastest first."""
    return " > ".join(TITLES[name] for name in sorted(slowness, key=lambda name: slowness[name]))


PRINTED_CLAIMS = (
    *_speed_ups(), *_beside_ideal(), *_orders(), *_firsts(), *_changes(), *_shares(),
)  # fmt: skip
RANKED_DESIGNS = ("venice", *RIVALS)
"""Designs that a ranking contains."""
