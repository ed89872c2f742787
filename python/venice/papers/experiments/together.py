"""Search in chips, controller or host beside host requests, on each fabric, with and without PIQ+.

The host reads and writes pages at a fixed rate, while searches of another part of the drive arrive
at a fixed rate. The reference is the host alone, with the same requests. The work of all designs is
thus equal; they differ in the time of a search, and in the quantiles of the host's reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import together_causes as causes
from venice.papers.experiments import together_grid as grid
from venice.papers.experiments.together_expectations import EXPECTATIONS, Verdict, combined
from venice.papers.experiments.together_grid import GC, LOCATIONS, NO_SEARCH, OLD, TITLES, Cell
from venice.papers.experiments.together_results import (
    FIGURES,
    READ_P99,
    READ_P999,
    SEARCH_MEAN,
    Results,
)
from venice.papers.markdown import section, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from venice.papers.experiment import Runs
    from venice.papers.size import Size
    from venice.stats import Estimate

_COLUMNS = (
    "design", "search", "scheduler", "host_mb_per_s", "wear", "gc",
    *(f"{name.replace(' ', '_')}_{part}" for name in FIGURES for part in ("us", "half_us")),
    "saturated", "searches_pile_up",
)  # fmt: skip
_VERDICT_TITLES = (
    "expectation", "range", "ratios", "confirmed", "refuted", "undecided", "verdict",
)  # fmt: skip


def _evaluate(runs: Runs, size: Size) -> Finding:
    results = Results(runs, grid.seeds(size))
    names = [design.name for design in grid.designs(size)]
    rows = [_row(results, cell) for cell in grid.cells(size)]
    verdicts = [_verdict_row(results, names, number) for number in range(len(EXPECTATIONS))]
    decided = [row[-1] for row in verdicts]
    counts = ", ".join(f"{decided.count(it.value)} {it.value}" for it in Verdict)
    text = "\n".join(_sections(results, names, size, verdicts))
    summary = f"{len(verdicts)} expectations: {counts}."
    return Finding(_COLUMNS, rows, (), lambda: _draw(results, names), text, summary)


def _row(results: Results, cell: Cell) -> list[Any]:
    estimates = [results.estimate(name, cell) for name in FIGURES]
    figures = [value for it in estimates for value in ((it.mean, it.half) if it else (None, None))]
    overloaded = [results.is_overloaded(name, cell) for name in (READ_P99, SEARCH_MEAN)]
    return [*cell[:-1], *figures, *overloaded]


def _verdict_row(results: Results, designs: Sequence[str], place: int) -> list[Any]:
    expectation = EXPECTATIONS[place]
    ratios = [ratio for _, _, ratio in expectation.ratios(results, designs)]
    verdicts = [expectation.assess(ratio) for ratio in ratios]
    known = [ratio.mean for ratio in ratios if ratio]
    return [
        f"{expectation.number}. {expectation.text}",
        f"{expectation.low:.3g} to {expectation.high:.3g}",
        f"{min(known):.3g} to {max(known):.3g}" if known else None,
        *(verdicts.count(verdict) for verdict in Verdict),
        combined(verdicts).value,
    ]


def _sections(
    results: Results, names: Sequence[str], size: Size, verdicts: Sequence[Sequence[Any]]
) -> Iterator[str]:
    yield section("Searches: expectations", table(_VERDICT_TITLES, verdicts))
    yield section("Searches: each comparison", _comparisons(results, names))
    conditions = dict.fromkeys(cell[2:-1] for cell in grid.cells(size))
    for figure in (READ_P99, READ_P999, SEARCH_MEAN):
        tables = [_figures(results, names, figure, condition) for condition in conditions]
        yield section(f"Searches: {figure}, µs", "s: depends on the length of the run.", *tables)
    yield section("Searches: causes, µs of a read", *_causes(results, names))


def _comparisons(results: Results, names: Sequence[str]) -> str:
    rows = [
        [
            expectation.number,
            TITLES[design],
            ", ".join(map(str, condition.values())) or "reference",
            _text(ratio, digits=3),
            expectation.assess(ratio).value,
        ]
        for expectation in EXPECTATIONS
        for design, condition, ratio in expectation.ratios(results, names)
    ]
    return table(("expectation", "design", "condition", "ratio", "verdict"), rows)


def _figures(
    results: Results, names: Sequence[str], figure: str, condition: tuple[Any, ...]
) -> str:
    scheduler, load, wear, gc = condition
    title = f"{load} MB/s, scheduler {scheduler}, {wear}, {gc}"
    rows = []
    for name in names:
        each = [Cell(name, search, *condition) for search in LOCATIONS]
        texts = [
            f"{_text(results.estimate(figure, cell))}"
            f"{' s' if results.is_overloaded(figure, cell) else ''}"
            for cell in each
        ]
        rows.append([TITLES[name], *texts])
    return table((title, *LOCATIONS.values()), rows)


def _causes(results: Results, names: Sequence[str]) -> Iterator[str]:
    titles = ("design", "cause", "attributed, mean", "measured, mean", "measured, p99")
    for effect in causes.EFFECTS:
        rows = [
            [TITLES[name], causes.LABELS[label], *map(_text, part or (None,) * 3)]
            for name in names
            for label, part in causes.parts(results, effect, name)
        ]
        yield table((f"{effect.label}: {titles[0]}", *titles[1:]), rows)
    yield from (_limit(results, names, cell) for cell in causes.LIMITED)


def _limit(results: Results, names: Sequence[str], limited: Cell) -> str:
    """Return the tail latency without a scheduler, with PIQ+, and with PIQ+ without its limit."""
    changes: tuple[dict[str, Any], ...] = (
        {"scheduler": "none"},
        {},
        {"without": causes.LIMIT},
    )
    title = f"p99 of reads, {limited.load} MB/s, {limited.gc}, {LOCATIONS[limited.search]}"
    rows = [
        [
            TITLES[name],
            *(
                _text(results.estimate(READ_P99, limited._replace(design=name, **change)))
                for change in changes
            ),
        ]
        for name in names
    ]
    return table((title, "no scheduler", "PIQ+", "PIQ+ without limit"), rows)


def _text(estimate: Estimate | None, digits: int = 1) -> str:
    if estimate is None:
        return "–"
    half = "" if estimate.half is None else f" ± {estimate.half:,.{digits}f}"
    return f"{estimate.mean:,.{digits}f}{half}"


_SEARCHED = tuple(LOCATIONS)[1:]
_SHOWN: tuple[tuple[str, dict[str, Any]], ...] = (
    ("1 GB/s", {}),
    ("1 GB/s, cells after 6 months", {"wear": OLD}),
    ("1 GB/s, garbage collection", {"gc": GC}),
)
"""Conditions of the figure's lower panels, with their titles."""


def _draw(results: Results, names: Sequence[str]) -> Figure:
    from venice.papers.draw import grid as panels  # noqa: PLC0415 matplotlib is slow
    from venice.papers.draw import legend_below  # noqa: PLC0415

    figure, axes = panels(2, len(_SEARCHED), 4.2, 3.6)
    for space, search in zip(axes[0], _SEARCHED, strict=True):
        _draw_loads(space, results, names, search)
    for space, (title, change) in zip(axes[1], _SHOWN, strict=True):
        _draw_locations(space, results, names, title, change)
    legend_below(figure, axes[0][0])
    return figure


def _draw_loads(space: Axes, results: Results, names: Sequence[str], search: str) -> None:
    from venice.papers.draw import Panel, draw_lines, label, logarithmic  # noqa: PLC0415

    lines = {}
    for name in names:
        known = [
            (load / 1000, estimate)
            for load in grid.LOADS
            if (estimate := results.estimate(READ_P99, Cell(name, search, load=load)))
        ]
        lines[TITLES[name]] = [(load, estimate.mean) for load, estimate in known]
        space.errorbar(
            [load for load, _ in known],
            [estimate.mean for _, estimate in known],
            [estimate.half or 0.0 for _, estimate in known],
            fmt="none",
            ecolor="0.5",
            elinewidth=0.8,
        )
    draw_lines(space, lines)
    title = f"search in {LOCATIONS[search]}"
    label(space, Panel(title, "host, GB/s", "99th percentile of reads, µs"))
    logarithmic(space)


def _draw_locations(
    space: Axes, results: Results, names: Sequence[str], title: str, change: dict[str, Any]
) -> None:
    from venice.papers.draw import Panel, draw_bars, label  # noqa: PLC0415 matplotlib is slow

    ratios = {
        TITLES[name]: [
            results.ratio(
                READ_P99, [Cell(name, search, **change)], [Cell(name, NO_SEARCH, **change)]
            )
            for search in _SEARCHED
        ]
        for name in names
    }
    heights = {name: [it.mean if it else None for it in of] for name, of in ratios.items()}
    draw_bars(space, [LOCATIONS[search] for search in _SEARCHED], heights)
    for bars, estimates in zip(list(space.containers), ratios.values(), strict=True):
        for bar, estimate in zip(bars, estimates, strict=True):
            if estimate:
                middle, half = bar.get_x() + bar.get_width() / 2, estimate.half or 0.0
                space.errorbar(middle, estimate.mean, half, ecolor="0.2", elinewidth=0.8)
    space.axhline(1, color="black", linewidth=0.8)
    label(space, Panel(title, "search in", "99th percentile of reads, × no search"))


EXPERIMENT = Experiment(
    "together",
    "together",
    "searches in chips, controller or host beside the host's requests, with and without PIQ+",
    "ours",
    _evaluate,
    grid.points,
    causes.follow,
)
