"""Figure of each fabric's gain over a baseline, for workloads and their geometric mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice._native import UsageError
from venice.figures import words
from venice.figures.recipe import Recipe
from venice.plot.canvas import lay_out
from venice.plot.groups import draw_groups
from venice.plot.results.data_table import Table, number_of
from venice.plot.results.figures import half_title, interval_note, sample_of
from venice.report.fabric_looks import fabric_label, looks_of
from venice.report.figure_words import words_of
from venice.report.grouping import Groups
from venice.stats import geometric_mean, ratio

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venice.figures.bench import Bench
    from venice.figures.request import FigureRequest
    from venice.plot.picture import Picture
    from venice.plot.results.data_table import Cell
    from venice.stats import Sample

_FIGURE = "latency_us.all.mean"
_MORE_IS_BETTER = ("iops", "bandwidth_mb_per_s")
_MEAN = "geometric mean"
_WORKLOAD, _FABRIC, _GAIN, _HALF = range(4)


def _measure(request: FigureRequest, bench: Bench) -> Table:
    (path,) = request.figures or (_FIGURE,)
    found: dict[str, dict[str, tuple[Sample, Sample]]] = {}
    for source in request.sources:
        results = bench.sweep(source.name, request.scenario(source) | request.pace, request.axes)
        series = Groups(results).series
        samples = {one.drive: sample_of(one, path, _FIGURE) for one in series}
        if source.name in found:
            raise UsageError(f"two traces or workloads are called {source.name}; rename one")
        found[source.name] = _pairs(samples, request.base, path)
    rows = [
        (workload, fabric, *(ratio(*pair, request.confidence_pct) or (None, None, 0)))
        for workload, pairs in found.items()
        for fabric, pair in pairs.items()
    ]
    half = half_title(request.confidence_pct)
    return Table(
        ("workload", "fabric", f"gain_over_{request.base}", half, "seeds"),
        (*rows, *_means(found, request.confidence_pct)),
        interval_note([request.seeds], request.confidence_pct, of_ratios=True),
    )


def _pairs(samples: Mapping[str, Sample], base: str, path: str) -> dict[str, tuple[Sample, Sample]]:
    """Return two samples for each fabric, ordered so that a ratio above 1 is an improvement."""
    if base not in samples:
        raise UsageError(f"the baseline {base} is impossible on this drive")
    others = {fabric: own for fabric, own in samples.items() if fabric != base}
    if path in _MORE_IS_BETTER:
        return {fabric: (own, samples[base]) for fabric, own in others.items()}
    return {fabric: (samples[base], own) for fabric, own in others.items()}


def _means(
    found: Mapping[str, Mapping[str, tuple[Sample, Sample]]], confidence_pct: float
) -> list[tuple[Cell, ...]]:
    if len(found) == 1:
        return []
    rows: list[tuple[Cell, ...]] = []
    for fabric in next(iter(found.values())):
        pairs = [one[fabric] for one in found.values() if fabric in one]
        mean = geometric_mean(pairs, confidence_pct)
        if len(pairs) == len(found) and mean is not None:
            rows.append((_MEAN, fabric, *mean))
    return rows


def _draw(picture: Picture, table: Table, request: FigureRequest) -> None:
    axes = picture.subplots()
    groups = list(dict.fromkeys(str(row[_WORKLOAD]) for row in table.rows))
    looks = looks_of([str(row[_FABRIC]) for row in table.rows])
    bars = {
        (str(row[_WORKLOAD]), str(row[_FABRIC])): (number_of(row[_GAIN]), number_of(row[_HALF]))
        for row in table.rows
    }
    entries = draw_groups(axes, groups, looks, bars, bottom=1.0)
    axes.axhline(1.0, color="black", linewidth=0.8)
    if _MEAN in groups:
        axes.axvline(len(groups) - 1.5, color="0.6", linewidth=0.6, linestyle=":")
    axes.set_ylabel(f"Gain over {fabric_label(request.base)} (×)")
    lay_out(picture, *entries)


def _caption(request: FigureRequest, table: Table) -> str:
    path = request.figures[0] if request.figures else _FIGURE
    base = fabric_label(request.base)
    what = words_of(path).text
    how = f"{what} over that of {base}" if path in _MORE_IS_BETTER else f"{base}'s {what} over own"
    fabrics = words.fabrics_of([str(row[_FABRIC]) for row in table.rows])
    return words.paragraph(
        f"Gain of {fabrics} over {base} ({how}; {words.load_of(request)}).",
        words.intervals_of(request, "Mean ratios", ", paired by seed"),
        words.runs_of(request),
    )


RECIPE = Recipe(
    _measure,
    _draw,
    _caption,
    workloads=("hm_0", "mds_0", "prxy_0", "src1_0", "usr_0", "YCSB_B"),
    options=frozenset({"figures", "baseline", "rate_scale", "closed_loop"}),
    several_sources=True,
    requests=5_000,
)
