"""Map of the gain of Venice with 14-bit links over designs of equal wire, by load and skew."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import suite
from venice.papers.experiments.designs import BEST
from venice.papers.experiments.equal_wires import DESIGNS, EQUAL, Load, point
from venice.papers.experiments.study import FIRST_SEED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.size import Size
    from venice.sweep import Point

_DEPTHS, _CHANNELS, _SIZES_KIB = (1, 4, 16, 64, 256), (8, 4, 2, 1), (4, 16)
_VENICE, _IDEAL = f"{BEST.title}, 14 bits", "ideal"
_WIRED = tuple(wired for wired in DESIGNS if wired.design.name in EQUAL)
_RIVALS = tuple(name for name in EQUAL if not name.startswith("Venice"))
_BUILDABLE = tuple(name for name in _RIVALS if name != _IDEAL)
_LEVEL = 1.02
"""Factor on the best result, up to which a design counts as equally good."""
_METRIC = "latency_us.all.mean"


def _load(kib: int, channels: int, depth: int) -> Load:
    name = f"{kib} KiB, {depth} outstanding on {channels} channels"
    return Load(name, f"poisson-read-{kib}k", depth=depth, channels=channels)


def _places(size: Size) -> list[tuple[int, int, int]]:
    return list(itertools.product(size.some(_SIZES_KIB), _CHANNELS, size.some(_DEPTHS)))


def _points(size: Size) -> Sequence[Point]:
    return [
        point(_load(*place), wired, size, FIRST_SEED) for place in _places(size) for wired in _WIRED
    ]


def _mean_us(runs: Runs, place: tuple[int, int, int], design: str) -> float | None:
    return runs.figure(_METRIC, load=_load(*place).name, design=design, seed=FIRST_SEED)


def _evaluate(runs: Runs, size: Size) -> Finding:
    places = _places(size)
    rows: list[list[Any]] = [
        [*place, *(_mean_us(runs, place, name) for name in EQUAL), _best(runs, place)]
        for place in places
    ]
    columns = (
        "kib",
        "channels",
        "depth",
        *(f"{name}: mean_us" for name in EQUAL),
        "best_buildable",
    )
    return Finding(columns, rows, draw=lambda: _draw(runs, size), text=_text(runs, places))


def _best(runs: Runs, place: tuple[int, int, int]) -> str:
    times = {name: _mean_us(runs, place, name) for name in (*_BUILDABLE, _VENICE)}
    known = {name: time for name, time in times.items() if time is not None}
    return min(known, key=lambda name: known[name], default="")


def _text(runs: Runs, places: Sequence[tuple[int, int, int]]) -> str:
    lines = ["## Equal wires over load and skew", ""]
    for rival in (*_RIVALS, "every buildable design"):
        rivals = _BUILDABLE if rival not in _RIVALS else (rival,)
        ratios = [ratio for place in places if (ratio := _gain(runs, place, rivals)) is not None]
        won = sum(ratio >= _LEVEL for ratio in ratios)
        even = sum(1 / _LEVEL < ratio < _LEVEL for ratio in ratios)
        lines.append(
            f"- Against {rival}: better at {won} of {len(ratios)} places, within 2 % at {even}, "
            f"worse at {len(ratios) - won - even}; from {min(ratios):.2f} to {max(ratios):.2f}."
        )
    return "\n".join(lines) + "\n"


def _gain(runs: Runs, place: tuple[int, int, int], rivals: Sequence[str]) -> float | None:
    """Return the ratio of the lowest mean latency among `rivals` to that of Venice."""
    times = [time for name in rivals if (time := _mean_us(runs, place, name)) is not None]
    return suite.ratio(min(times), _mean_us(runs, place, _VENICE)) if times else None


def _draw(runs: Runs, size: Size) -> Figure:
    from venice.papers.draw import Panel, contour, draw_map, grid, label  # noqa: PLC0415 slow

    kibs, depths = size.some(_SIZES_KIB), size.some(_DEPTHS)
    figure, axes = grid(len(_RIVALS), len(kibs), 5.0, 2.9)
    for down, rival in enumerate(_RIVALS):
        for right, kib in enumerate(kibs):
            values = [
                [_gain(runs, (kib, channels, depth), (rival,)) or 1.0 for depth in depths]
                for channels in _CHANNELS
            ]
            space = axes[down][right]
            draw_map(space, [str(n) for n in _CHANNELS], [str(n) for n in depths], values)
            contour(space, values, 1.0)
            title = f"Venice, 14 bits, over {rival}: {kib} KiB"
            label(space, Panel(title, "outstanding", "channels with data"))
    return figure


EXPERIMENT = Experiment(
    "equal-wires-map",
    "venice",
    "Venice with links of 14 bits against each design, over load and skew",
    "ours",
    _evaluate,
    _points,
)
