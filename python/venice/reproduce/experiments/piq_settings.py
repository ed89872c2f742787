"""PIQ, Figures 15 to 19: units that are planes, advanced commands, allocation, queue, belief."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from venice.reproduce.experiment import Experiment, Finding
from venice.reproduce.experiments import piq_suite
from venice.reproduce.experiments.piq_suite import IN_ORDER, Schemes, mean, scheduled
from venice.reproduce.experiments.suite import change, ratio
from venice.reproduce.scorecard import Claim

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.figure import Figure

    from venice.report import Report
    from venice.reproduce.experiment import Runs
    from venice.reproduce.size import Size
    from venice.sweep import Point
    from venice.sweep.definition import Value

_COMPARED = ("noop", "piq", "piq_plus")
_READ = partial(piq_suite.latency, way="read")
_WRITE = partial(piq_suite.latency, way="write")
_COMMANDS = ("multiplane_reads", "multiplane_programs", "interleaved")


@dataclass(frozen=True)
class _Axis:
    """A setting and its values; one of them is the drive's own.

    Attributes
    ----------
    number
        Of the figure.
    title
        What it shows.
    key
        The setting.
    values
        Its values.
    more
        What else is set.
    """

    number: int
    title: str
    key: str
    values: tuple[Value, ...]
    more: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"piq-fig{self.number}"

    def points(self, size: Size) -> Sequence[Point]:
        return [
            point
            for value in size.some(self.values)
            for point in piq_suite.points(
                size,
                _COMPARED,
                (IN_ORDER,),
                (f"{self.key}={value}", *self.more),
                choices={self.key: value},
            )
        ]

    def found(self, runs: Runs, size: Size, value: Value) -> Schemes:
        return Schemes.of(runs, size, IN_ORDER, {self.key: value})

    def gains(self, runs: Runs, size: Size, scheme: str, measure: Any) -> dict[Value, float | None]:  # noqa: ANN401 a measure
        """Give the mean change against NOOP for each value, in per cent."""
        return {
            value: self.found(runs, size, value).mean_change(scheme, measure)
            for value in size.some(self.values)
        }

    def tell(
        self, runs: Runs, size: Size, claims: Callable[[_Axis, Runs, Size], list[Claim]]
    ) -> Finding:
        series = {
            f"{scheme} {way}": self.gains(runs, size, scheme, measure)
            for scheme in _COMPARED[1:]
            for way, measure in (("reads", _READ), ("writes", _WRITE))
        }
        values = list(size.some(self.values))
        rows = [[value, *(of[value] for of in series.values())] for value in values]
        columns = (self.key, *(f"{name}, % against noop" for name in series))

        def draw() -> Figure:
            from venice.reproduce.draw import (  # noqa: PLC0415 matplotlib is slow
                Panel,
                panels_of_bars,
            )

            content = {name: [of[value] for value in values] for name, of in series.items()}
            panel = Panel(
                self.key.removeprefix("host.scheduler."), y="mean latency against NOOP, %"
            )
            return panels_of_bars([str(value) for value in values], {self.title: content}, panel)

        return Finding(columns, rows, claims(self, runs, size), draw)


_LEVEL = _Axis(
    15,
    "Planes as units",
    "host.scheduler.level",
    ("chip", "plane"),
    ("host.scheduler.drive_level=plane",),
)
_ALLOCATION = _Axis(
    17, "Static and dynamic allocation", "ftl.allocation_mode", ("static", "dynamic")
)
_LENGTH = _Axis(
    18,
    "Length of the I/O queue",
    "host.scheduler.queue_length",
    (1, 2, 4, 8, 16, 32, 64, 128, 256, 512),
    ("host.scheduler.drive_slots=512",),
)
_BELIEF = _Axis(19, "Believed number of units", "host.scheduler.units", (16, 32, 64, 128, 256))


def _claims_of_level(axis: _Axis, runs: Runs, size: Size) -> list[Claim]:
    """Further change by planes as units, against chips as units."""
    ours = {
        way: change(mean(_plane_over_chip(axis, runs, size, measure)))
        for way, measure in (("reads", _READ), ("writes", _WRITE))
    }
    return [
        Claim(
            axis.name,
            f"further change of {way} by planes as units, PIQ",
            paper,
            ours[way],
            "%",
            "§V",
            f"{piq_suite.regime()}; {IN_ORDER.text}",
            "the drive is in order by planes for both",
        )
        for way, paper in (("reads", -1.8), ("writes", -4.6))
    ]


def _plane_over_chip(
    axis: _Axis, runs: Runs, size: Size, measure: Callable[[Report], float | None]
) -> list[float | None]:
    plane, chip = (
        axis.found(runs, size, level).figures("piq", measure) for level in ("plane", "chip")
    )
    return [ratio(one, other) for one, other in zip(plane, chip, strict=True)]


def _claims_of_length(axis: _Axis, runs: Runs, size: Size) -> list[Claim]:
    gains = axis.gains(runs, size, "piq", _READ)
    return [
        _trend(axis, "gain of reads with a longer queue, PIQ", "grows", _is_falling(gains), gains)
    ]


def _claims_of_belief(axis: _Axis, runs: Runs, size: Size) -> list[Claim]:
    claims = []
    for way, measure in (("reads", _READ), ("writes", _WRITE)):
        gains = axis.gains(runs, size, "piq", measure)
        known = {value: gain for value, gain in gains.items() if gain is not None}
        best = str(min(known, key=lambda value: known[value])) if known else None
        text = f"believed number of units with most gain of {way}, PIQ"
        claims.append(_trend(axis, text, "64", best, gains))
    return claims


def _is_falling(gains: dict[Value, float | None]) -> str | None:
    known = [gain for gain in gains.values() if gain is not None]
    if len(known) < 2:  # noqa: PLR2004 a trend needs two
        return None
    return "grows" if known[-1] < known[0] and known[-1] <= min(known) + 1 else "does not grow"


def _trend(
    axis: _Axis, claim: str, paper: str, ours: str | None, gains: dict[Value, float | None]
) -> Claim:
    text = ", ".join(f"{value}: {gain:+.1f} %" for value, gain in gains.items() if gain is not None)
    regime = f"{piq_suite.regime()}; {IN_ORDER.text}"
    return Claim(axis.name, claim, paper, ours, "", f"Figure {axis.number}", regime, text)


def _experiment(axis: _Axis, claims: Callable[[_Axis, Runs, Size], list[Claim]]) -> Experiment:
    def tell(runs: Runs, size: Size) -> Finding:
        return axis.tell(runs, size, claims)

    source = f"PIQ, Figure {axis.number}" if axis in (_LENGTH, _BELIEF) else "PIQ, §V"
    return Experiment(axis.name, "piq", axis.title, source, tell, axis.points)


def _commands(runs: Runs, size: Size) -> Finding:
    found = {level: _LEVEL.found(runs, size, level) for level in _LEVEL.values}
    rows = [
        [load, level, scheme, *(_count(runs, load, level, scheme, name) for name in _COMMANDS)]
        for level, schemes in found.items()
        for load in schemes.loads
        for scheme in _COMPARED
    ]

    def draw() -> Figure:
        from venice.reproduce.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib is slow

        content = {
            f"units are {level}s": {
                f"{scheme} {name}": [_count(runs, load, level, scheme, name) for load in of.loads]
                for scheme in _COMPARED
                for name in _COMMANDS
            }
            for level, of in found.items()
        }
        loads = found["chip"].loads
        return panels_of_bars(loads, content, Panel("", y="advanced commands"))

    return Finding(("load", "level", "scheme", *_COMMANDS), rows, (), draw)


def _count(runs: Runs, load: str, level: Value, scheme: str, name: str) -> float | None:
    report: Report | None = runs.find(
        load=load, way=IN_ORDER.name, scheme=scheme, **{_LEVEL.key: level}
    )
    return None if report is None else scheduled(report, "advanced_commands")[name]


FIG16 = Experiment("piq-fig16", "piq", "Advanced commands", "PIQ, §V", _commands, _LEVEL.points)
FIG15, FIG17, FIG18, FIG19 = (
    _experiment(axis, claims)
    for axis, claims in (
        (_LEVEL, _claims_of_level),
        (_ALLOCATION, lambda _axis, _runs, _size: []),
        (_LENGTH, _claims_of_length),
        (_BELIEF, _claims_of_belief),
    )
)
