"""Whether a run was in steady state as SNIA's Performance Test Specification defines it.

Performance Test Specification 2.0.2 (2020): over a measurement window of five rounds, the figure's
largest and smallest value differ by at most 20 % of the average (data excursion), and the best
line through them rises or falls by at most 10 % of it (slope excursion).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from venice.report.report import Report

ROUNDS = 5
"""Rounds of a measurement window."""
DATA_EXCURSION_PCT = 20.0
"""By how much of the average the rounds may lie apart."""
SLOPE_EXCURSION_PCT = 10.0
"""By how much of it the best line through them may rise or fall."""


@dataclass(frozen=True)
class Proof:
    """What five rounds say of one figure."""

    name: str
    unit: str
    rounds: tuple[float, ...]

    @property
    def average(self) -> float:
        """Mean of the rounds."""
        return fsum(self.rounds) / len(self.rounds)

    @property
    def data_excursion_pct(self) -> float:
        """How far the rounds lie apart, in % of the average."""
        return (max(self.rounds) - min(self.rounds)) / self.average * 100

    @property
    def slope_excursion_pct(self) -> float:
        """How far the best line through them rises or falls in the window, in % of the average.

        Examples
        --------
        >>> proof = Proof("IOPS", "1/s", (98.0, 99.0, 100.0, 101.0, 102.0))
        >>> proof.data_excursion_pct, proof.slope_excursion_pct, proof.is_met
        (4.0, 4.0, True)
        """
        middle = (len(self.rounds) - 1) / 2
        places = [place - middle for place in range(len(self.rounds))]
        rise = fsum(place * one for place, one in zip(places, self.rounds, strict=True))
        slope = rise / fsum(place * place for place in places)
        return abs(slope) * (len(self.rounds) - 1) / self.average * 100

    @property
    def is_met(self) -> bool:
        """Whether both are within the bounds."""
        return (
            self.data_excursion_pct <= DATA_EXCURSION_PCT
            and self.slope_excursion_pct <= SLOPE_EXCURSION_PCT
        )


@dataclass(frozen=True)
class Steadiness:
    """The measured phase as a measurement window: rounds of one length, one behind the other."""

    round_us: float
    proofs: tuple[Proof, ...]


def steadiness(report: Report) -> Steadiness | str:
    """Cut the measured phase into five rounds and look at them; or say why that cannot be done.

    Rounds are made of whole intervals; what does not make five equal rounds is left away at the
    beginning, and at the end what comes after the last request was issued.
    """
    series: Mapping[str, Any] | None = report.to_dict().get("time_series")
    if series is None:
        return "the run was not cut into intervals: run with --interval, as --interval 100"
    whole = _whole_intervals(series)
    if len(whole) < ROUNDS:
        return f"there are {len(whole)} whole intervals, and five rounds take as many at least"
    each = len(whole) // ROUNDS
    kept = whole[len(whole) - each * ROUNDS :]
    rounds = [kept[place : place + each] for place in range(0, len(kept), each)]
    found = [_proof(name, unit, rounds, series, of) for name, unit, of in _FIGURES]
    return Steadiness(
        series["interval_us"] * each, tuple(proof for proof in found if proof is not None)
    )


def _whole_intervals(series: Mapping[str, Any]) -> range:
    """Give the places of intervals of full length up to the last in which a request was issued."""
    starts, length_us = series["start_us"], series["interval_us"]
    count = len(starts)
    if count and series["end_us"] - starts[-1] < length_us:
        count -= 1
    while count and not series["issued"][count - 1]:
        count -= 1
    return range(count)


def _proof(
    name: str,
    unit: str,
    rounds: Sequence[range],
    series: Mapping[str, Any],
    of: Callable[[Mapping[str, Any], range], float | None],
) -> Proof | None:
    values = [of(series, one) for one in rounds]
    known = [value for value in values if value]
    return Proof(name, unit, tuple(known)) if len(known) == len(values) else None


def _completed(series: Mapping[str, Any], places: range) -> int:
    return sum(series[side]["count"][place] for side in ("read", "write") for place in places)


def _iops(series: Mapping[str, Any], places: range) -> float | None:
    length_us: float = series["interval_us"] * len(places)
    return _completed(series, places) / length_us * 1e6


def _mean_us(series: Mapping[str, Any], places: range) -> float | None:
    total = fsum(
        (series[side]["mean_us"][place] or 0.0) * series[side]["count"][place]
        for side in ("read", "write")
        for place in places
    )
    count = _completed(series, places)
    return total / count if count else None


def _amplification(series: Mapping[str, Any], places: range) -> float | None:
    flash = series["flash"]
    host = sum(flash["host_programs"][place] for place in places)
    programs: int = sum(flash["programs"][place] for place in places)
    return programs / host if host else None


_FIGURES: tuple[tuple[str, str, Callable[[Mapping[str, Any], range], float | None]], ...] = (
    ("IOPS", "requests/s", _iops),
    ("mean latency", "µs", _mean_us),
    ("write amplification", "pages/page", _amplification),
)
