"""Causes of the effects of searches on the host, measured by runs without each cause.

The causes and the settings that remove them are those of ``venice compare --why``; the limit of
requests in the drive is a cause of the host's scheduler.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from venice.api.explanation import CAUSES, Counterfactual
from venice.papers.experiments import together_grid as grid
from venice.papers.experiments.together_grid import NO_SEARCH, Cell
from venice.papers.experiments.together_results import READ_MEAN, READ_P99
from venice.stats import mean_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venice.papers.experiment import Runs
    from venice.papers.experiments.together_results import Results
    from venice.papers.size import Size
    from venice.stats import Estimate
    from venice.sweep import Point

PATHS, LINK, DECODERS = "waits for paths", "host link", "read errors"
LIMIT = "limit of requests"
_UNLIMITED = ("host.scheduler.drive_slots=65536",)
_BY_LABEL = {cause.label: cause for cause in CAUSES}
REMOVED = (PATHS, DECODERS, LINK)
"""Causes that are removed from runs under the reference condition."""
LABELS = {PATHS: "waits for paths", DECODERS: "decoders", LINK: "host link"}
LIMITED = (Cell("", "pis", "PIQ+", grid.LOADS[-1]), Cell("", "pif", "PIQ+", gc=grid.GC))
"""Conditions, without a design, under which the limit of requests in the drive is removed."""


class Effect(NamedTuple):
    """Change of the location of a search, whose effect on the host is explained."""

    label: str
    search: str
    base: str


EFFECTS = (
    Effect("chips against no search", "pif", NO_SEARCH),
    Effect("controller against chips", "pis", "pif"),
    Effect("host against controller", "host", "pis"),
)


class Part(NamedTuple):
    """Part of an effect that is due to a cause, in µs.

    Attributes
    ----------
    attributed
        Difference of the cause's stages of the mean read.
    measured
        Decrease of the difference of the mean read if the cause is removed from both runs.
    measured_p99
        The same decrease for the 99th percentile of reads.
    """

    attributed: Estimate
    measured: Estimate
    measured_p99: Estimate


def follow(runs: Runs, size: Size) -> list[Point]:
    """Return the runs in which one cause at a time is removed."""
    points: list[Point] = []
    for design in grid.designs(size):
        for search in grid.LOCATIONS:
            cell = Cell(design.name, search)
            report = runs.find(**cell._asdict(), seed=1)
            if report is None:
                continue
            config = {"rate_mb_per_s": report.content["path"]["rate_mb_per_s"]}
            for label in REMOVED:
                sets, fabric = _without(label, config)
                points += grid.repeated(cell._replace(without=label), size, sets, fabric)
        for limited in LIMITED:
            cell = limited._replace(design=design.name, without=LIMIT)
            points += grid.repeated(cell, size, _UNLIMITED)
    return points


def _without(label: str, config: dict[str, float]) -> Counterfactual:
    without = _BY_LABEL[label].without
    return without(config, config) if without else Counterfactual(())


def parts(results: Results, effect: Effect, design: str) -> Iterator[tuple[str, Part | None]]:
    """Yield the part of an effect that is due to each cause."""
    pair = (Cell(design, effect.search), Cell(design, effect.base))
    for label in REMOVED:
        without = tuple(cell._replace(without=label) for cell in pair)
        if not all(results.reports(cell) for cell in (*pair, *without)):
            yield label, None
            continue
        differences = [
            [
                own - other
                for own, other in zip(*(results.values(name, cell) for cell in cells), strict=True)
            ]
            for cells in (pair, without)
            for name in (READ_MEAN, READ_P99)
        ]
        mean, p99, mean_without, p99_without = differences
        yield (
            label,
            Part(
                mean_of(_attributed(results, label, pair)),
                mean_of([one - other for one, other in zip(mean, mean_without, strict=True)]),
                mean_of([one - other for one, other in zip(p99, p99_without, strict=True)]),
            ),
        )


def _attributed(results: Results, label: str, pair: tuple[Cell, Cell]) -> list[float]:
    """Return the difference of the mean read latency in the stages of a cause, for each seed."""
    keys = _BY_LABEL[label].parts
    own, other = (
        [
            sum(report.breakdown("read").get(key, 0.0) for key in keys)
            for report in results.reports(cell)
        ]
        for cell in pair
    )
    return [one - two for one, two in zip(own, other, strict=True)]
