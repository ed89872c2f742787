"""PIQ, Figures 14 to 19: parallel units, allocation, advanced commands, queue, estimates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import piq_suite
from venice.papers.experiments.piq_suite import IN_ORDER, TITLES, Schemes, mean
from venice.papers.experiments.suite import change, ratio
from venice.papers.scorecard import Claim

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.size import Size
    from venice.report import Report
    from venice.sweep import Point
    from venice.sweep.definition import Value

    Measure = Callable[[Report], float | None]

_KINDS = ("read", "write")
_LATENCY: dict[str, Measure] = {kind: partial(piq_suite.latency, way=kind) for kind in _KINDS}
_PLACES: dict[str, Measure] = {"chip": piq_suite.busy_chips, "plane": piq_suite.busy_planes}
_COMMANDS = ("multiplane_reads", "multiplane_programs", "interleaved")


@dataclass(frozen=True)
class _Axis:
    """Setting that an experiment varies.

    Attributes
    ----------
    key
        Key of the setting.
    values
        Values of the setting.
    schemes
        Schemes that are run at each value.
    more
        Further settings of all runs.
    along
        Keys of other settings that take the same value.
    variant
        Name of the variant, if the setting has several.
    """

    key: str
    values: tuple[Value, ...]
    schemes: tuple[str, ...]
    more: tuple[str, ...] = ()
    variant: str = "regime"
    along: tuple[str, ...] = ()

    def points(self, size: Size) -> Sequence[Point]:
        return [
            point
            for value in size.some(self.values)
            for point in piq_suite.points(
                size,
                self.schemes,
                (IN_ORDER,),
                (*(f"{key}={value}" for key in (self.key, *self.along)), *self.more),
                choices=self._choices(value),
            )
        ]

    def found(self, runs: Runs, size: Size, value: Value) -> Schemes:
        return Schemes.of(runs, size, IN_ORDER, self._choices(value))

    def _choices(self, value: Value) -> dict[str, Value]:
        return {self.key: value, "variant": self.variant}

    def over(
        self, runs: Runs, size: Size, scheme: str, measure: Measure, pair: tuple[Value, Value]
    ) -> list[float | None]:
        """Return, for each load, the ratio of a scheme's figure at two values of the setting.

        Loads with few reads or few writes have no value.
        """
        found = [self.found(runs, size, value) for value in pair]
        own, other = (of.figures(scheme, measure) for of in found)
        kept = found[0].of_both_kinds(self.schemes[0])
        triples = zip(own, other, kept, strict=True)
        return [ratio(one, two) if is_kept else None for one, two, is_kept in triples]


def _regime(size: Size, note: str = "") -> str:
    return f"{piq_suite.regime(size)}; {IN_ORDER.text}{note}"


_SCHEMES_OF_LEVEL = ("noop", "piq_r", "piq_w", "piq_plus")
_LEVEL = _Axis(
    "host.scheduler.level",
    ("chip", "plane"),
    _SCHEMES_OF_LEVEL,
    along=("host.scheduler.drive_level",),
)
"""Unit of the location vectors, with a drive for each: the smallest unit is the plane if advanced
commands are enabled, otherwise the chip (§IV-A2)."""
_PLANE = ("plane", "chip")
_BY_PLANES = ", in order by planes where planes are units"


def _bars(
    groups: Sequence[str], content: dict[str, dict[str, list[float | None]]], y: str
) -> Callable[[], Figure]:
    def draw() -> Figure:
        from venice.papers.draw import Panel, panels_of_bars  # noqa: PLC0415 matplotlib is slow

        return panels_of_bars(groups, content, Panel("", y=y))

    return draw


def _left_out(ratios: Sequence[float | None]) -> str:
    """Return a text with the range of the mean change when one trace at a time is left out."""
    known = [value for value in ratios if value is not None]
    rest = [mean([*known[:place], *known[place + 1 :]]) for place in range(len(known))]
    changes = [value for value in map(change, rest) if value is not None]
    if len(known) < 2:  # noqa: PLR2004 nothing would be left
        return f"{len(known)} traces"
    return f"{len(known)} traces; leaving one out: {min(changes):.3g} to {max(changes):.3g}"


def _names(size: Size) -> list[str]:
    return [load.name for load in piq_suite.loads(size)]


def _finding(
    size: Size, series: dict[str, list[float | None]], claims: Sequence[Claim], y: str
) -> Finding:
    """Return the result of an experiment: a row for each load, their mean, and a bar chart."""
    loads = _names(size)
    rows = [[load, *(of[place] for of in series.values())] for place, load in enumerate(loads)]
    rows.append(["mean", *map(mean, series.values())])
    return Finding(("load", *series), rows, claims, _bars(loads, {y: series}, y))


def _planes(runs: Runs, size: Size) -> Finding:
    series = {
        f"{kind}_plane_over_chip": _LEVEL.over(runs, size, "piq_plus", measure, _PLANE)
        for kind, measure in _LATENCY.items()
    }
    claims = [
        Claim(
            "piq-fig14",
            f"{kind} latency, PIQ+ with planes as units against chips",
            paper,
            change(mean(series[f"{kind}_plane_over_chip"])),
            "%",
            "§V-B2, Figure 14",
            _regime(size, _BY_PLANES),
            _left_out(series[f"{kind}_plane_over_chip"]),
        )
        for kind, paper in (("read", -1.8), ("write", -4.6))
    ]
    return _finding(size, series, claims, "PIQ+ with planes as units, × chips")


def _use(runs: Runs, size: Size) -> Finding:
    paper = {("chip", "piq_r"): 3.5, ("chip", "piq_w"): 4.1}
    paper |= {("plane", "piq_r"): 11.2, ("plane", "piq_w"): 12.1}
    series = {
        f"{TITLES[scheme]}_{place}s": _LEVEL.over(runs, size, scheme, _PLACES[place], _PLANE)
        for place, scheme in paper
    }
    claims = [
        Claim(
            "piq-fig15",
            f"{place}s at work, {TITLES[scheme]} with planes as units against chips",
            value,
            change(mean(series[f"{TITLES[scheme]}_{place}s"])),
            "%",
            "§V-B2, Figure 15",
            _regime(size, _BY_PLANES),
            _left_out(series[f"{TITLES[scheme]}_{place}s"]),
        )
        for (place, scheme), value in paper.items()
    ]
    return _finding(size, series, claims, "at work with planes as units, × chips")


def _advanced(report: Report) -> float | None:
    """Return the share of page operations that are part of advanced commands [%]."""
    commands = piq_suite.scheduled(report, "advanced_commands")
    pages = report.flash.reads + report.flash.programs
    return 100 * sum(commands[name] for name in _COMMANDS) / pages if pages else None


def _commands(runs: Runs, size: Size) -> Finding:
    """Return the experiment's result on the share of pages in advanced commands."""
    found = {value: _LEVEL.found(runs, size, value) for value in _LEVEL.values}
    series = {f"PIQ+_{value}_pct": of.figures("piq_plus", _advanced) for value, of in found.items()}
    known = [value for value in series["PIQ+_plane_pct"] if value is not None]
    few = sum(value < 50 for value in known)  # noqa: PLR2004 half of them
    ours = None if not known else "most" if 2 * few > len(known) else "not most"
    text = "traces that do not make full use of advanced commands, PIQ+ with planes as units"
    note = f"less than half of the pages on {few} of {len(known)} traces"
    regime = _regime(size, _BY_PLANES)
    claims = [
        Claim("piq-fig17", text, "most", ours, "", "§V-B2, Figure 17", regime, note),
    ]
    return _finding(size, series, claims, "pages by advanced commands, %")


_ALLOCATION = _Axis("ftl.allocation_mode", ("static", "dynamic"), ("noop", "piq_plus"))


def _allocation(runs: Runs, size: Size) -> Finding:
    static, dynamic = (_ALLOCATION.found(runs, size, value) for value in _ALLOCATION.values)
    kept = static.of_both_kinds()
    series = {
        f"{name}_{kind}_us": [
            value if is_kept else None
            for value, is_kept in zip(found.figures(scheme, measure), kept, strict=True)
        ]
        for kind, measure in _LATENCY.items()
        for name, found, scheme in (
            ("static", static, "noop"),
            ("dynamic", dynamic, "noop"),
            ("piq_plus", static, "piq_plus"),
        )
    }
    pairs = zip(series["static_read_us"], series["dynamic_read_us"], strict=True)
    known = [(one, two) for one, two in pairs if one is not None and two is not None]
    better = sum(one < two for one, two in known)
    share = 100 * better / len(known) if known else None
    best = {kind: _best(series, kind) for kind in _KINDS}
    texts = (
        ("traces whose reads static allocation serves faster, NOOP", 100 * 8 / 15, share, "%"),
        ("best for reads", "piq_plus", best["read"], ""),
        ("best for writes", "dynamic", best["write"], ""),
    )
    note = f"static is faster on {better} of {len(known)} traces"
    claims = [
        Claim("piq-fig16", text, paper, ours, unit, "§V-B1, Figure 16", _regime(size), note)
        for text, paper, ours, unit in texts
    ]
    return _finding(size, series, claims, "mean latency, µs")


def _best(series: dict[str, list[float | None]], kind: str) -> str | None:
    """Return the design whose mean latency, relative to static NOOP on each trace, is lowest."""
    base = series[f"static_{kind}_us"]
    means = {
        name: mean(
            ratio(one, two) for one, two in zip(series[f"{name}_{kind}_us"], base, strict=True)
        )
        for name in ("static", "dynamic", "piq_plus")
    }
    known = {name: value for name, value in means.items() if value is not None}
    return min(known, key=lambda name: known[name]) if known else None


_LENGTH = _Axis(
    "host.scheduler.queue_length",
    (1, 2, 4, 8, 16, 32, 64, 128, 256, 512),
    ("piq_plus",),
    ("host.scheduler.drive_slots=512",),
)
_ONE_LINE = _Axis(
    _LENGTH.key,
    _LENGTH.values,
    _LENGTH.schemes,
    (*_LENGTH.more, "host.scheduler.queue_counts=waiting"),
    "one_line",
)
_COUNTS = {"by_kind": _LENGTH, "one_line": _ONE_LINE}
"""Settings of the queue's length: entries for reads and for writes each, or for both together."""


def _change_over(
    axis: _Axis, runs: Runs, size: Size, kind: str, pair: tuple[Value, Value]
) -> float | None:
    return change(mean(axis.over(runs, size, "piq_plus", _LATENCY[kind], pair)))


def _length_points(size: Size) -> Sequence[Point]:
    return [point for axis in _COUNTS.values() for point in axis.points(size)]


def _length(runs: Runs, size: Size) -> Finding:
    values = list(size.some(_LENGTH.values))
    gains = {
        (name, kind): [_change_over(axis, runs, size, kind, (value, values[0])) for value in values]
        for name, axis in _COUNTS.items()
        for kind in _KINDS
    }
    rows: list[list[str | float | None]] = [
        [float(str(value)), *(of[place] for of in gains.values())]
        for place, value in enumerate(values)
    ]
    claims = [
        Claim(
            "piq-fig18",
            f"{kind} latency, PIQ+ with 512 entries against 1",
            paper,
            _change_over(_LENGTH, runs, size, kind, (512, 1)),
            "%",
            "§V-B3, Figure 18",
            _regime(size),
            _in_one_line(runs, size, kind),
        )
        for kind, paper in (("read", -19.0), ("write", -37.0))
    ]
    claims.append(_flat(runs, size))
    columns = ("entries", *(f"{name}_{kind}_change_pct" for name, kind in gains))
    content = {
        f"against one entry, {name}": {f"{kind}s": gains[name, kind] for kind in _KINDS}
        for name in _COUNTS
    }
    names = [str(value) for value in values]
    return Finding(columns, rows, claims, _bars(names, content, "mean latency, PIQ+, %"))


_MOST_POINTS = 2.0


def _in_one_line(runs: Runs, size: Size, kind: str) -> str:
    found = _change_over(_ONE_LINE, runs, size, kind, (512, 1))
    return "" if found is None else f"with one line of entries for both kinds: {found:.3g} %"


def _flat(runs: Runs, size: Size) -> Claim:
    """Return the claim that 512 queue entries are hardly faster than 32 (relative to one entry)."""
    ends = [_change_over(_LENGTH, runs, size, "read", (value, 1)) for value in (32, 512)]
    known = [value for value in ends if value is not None]
    apart = abs(known[0] - known[1]) if len(known) == len(ends) else None
    ours = None if apart is None else "yes" if apart <= _MOST_POINTS else "no"
    note = "" if apart is None else f"{apart:.2g} points"
    text = "from 32 to 512 entries reads gain no more than 2 points"
    return Claim("piq-fig18", text, "yes", ours, "", "§V-B3, Figure 18", _regime(size), note)


_BELIEF = _Axis("host.scheduler.units", (16, 32, 64, 128, 256), ("noop", "piq_plus"))


def _belief(runs: Runs, size: Size) -> Finding:
    values = list(size.some(_BELIEF.values))
    gains = {
        kind: {
            value: change(mean(_against_noop(_BELIEF.found(runs, size, value), measure)))
            for value in values
        }
        for kind, measure in _LATENCY.items()
    }
    rows = [[float(str(value)), *(gains[kind][value] for kind in _KINDS)] for value in values]
    claims = [_larger(size, kind, gains[kind]) for kind in _KINDS]
    content = {
        "64 chips": {f"{kind}s": [gains[kind][value] for value in values] for kind in _KINDS}
    }
    columns = ("believed_units", *(f"{kind}_change_pct" for kind in _KINDS))
    names = [str(value) for value in values]
    return Finding(columns, rows, claims, _bars(names, content, "PIQ+ against NOOP, %"))


def _against_noop(found: Schemes, measure: Measure) -> list[float | None]:
    pairs = zip(found.ratios("piq_plus", measure), found.of_both_kinds(), strict=True)
    return [value if is_kept else None for value, is_kept in pairs]


def _larger(size: Size, kind: str, gains: dict[Value, float | None]) -> Claim:
    few, many = gains.get(32), gains.get(128)
    ours = None if few is None or many is None else "yes" if many <= few else "no"
    note = "" if few is None or many is None else f"32: {few:.3g} %, 128: {many:.3g} %"
    text = f"{kind}s gain more with 128 units believed than with 32"
    return Claim("piq-fig19", text, "yes", ours, "", "§V-B3, Figure 19", _regime(size), note)


def _experiment(
    number: int,
    title: str,
    section: str,
    evaluate: Callable[[Runs, Size], Finding],
    points: Callable[[Size], Sequence[Point]],
) -> Experiment:
    source = f"PIQ, {section}, Figure {number}"
    return Experiment(f"piq-fig{number}", "piq", title, source, evaluate, points)


EXPERIMENTS = (
    _experiment(14, "PIQ+ with planes as units", "§V-B2", _planes, _LEVEL.points),
    _experiment(15, "Chips and planes at work with planes as units", "§V-B2", _use, _LEVEL.points),
    _experiment(
        16, "Static and dynamic allocation, and PIQ+", "§V-B1", _allocation, _ALLOCATION.points
    ),
    _experiment(17, "Advanced commands with planes as units", "§V-B2", _commands, _LEVEL.points),
    _experiment(18, "Length of the I/O queue", "§V-B3", _length, _length_points),
    _experiment(19, "Believed number of units", "§V-B3", _belief, _BELIEF.points),
)
