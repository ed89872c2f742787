"""Interface of a recipe.

1. `measure` runs the simulations of the figure and tabulates the data. It executes every run with
   the bench, so that an interrupted figure resumes.

2. `draw` plots the table and nothing else, so that the picture shows exactly the data of the CSV.
   It takes the colours of a fabric from :mod:`venice.report.fabric_looks` and ends with
   :func:`venice.plot.canvas.lay_out`.

3. `caption` is one paragraph: the quantity shown, the drive and the requests, the method of the
   intervals, and the meaning of marks.

4. `options` names the fields of the request that the recipe uses besides the common ones; others
   are refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from venice.options.run_options import DEFAULT_DRIVE

if TYPE_CHECKING:
    from collections.abc import Callable

    from venice.figures.bench import Bench
    from venice.figures.request import FigureRequest
    from venice.plot.picture import Picture
    from venice.plot.results.data_table import Table


@dataclass(frozen=True)
class Recipe:
    """Functions and defaults that define how a figure is measured, drawn and captioned.

    Attributes
    ----------
    measure
        Function that runs the simulations and returns the table of data.
    draw
        Function that plots the table into an empty picture.
    caption
        Function that describes the picture.
    workloads
        Default workloads.
    drive, sets
        Default drive and its settings.
    fabrics
        Default fabrics; empty if the figure does not compare fabrics.
    options
        Fields of the request that the recipe uses besides the common ones.
    several_sources
        True if the figure compares workloads.
    height
        Factor on the height of the style.
    requests
        Default number of measured requests of a run.
    """

    measure: Callable[[FigureRequest, Bench], Table]
    draw: Callable[[Picture, Table, FigureRequest], None]
    caption: Callable[[FigureRequest, Table], str]
    workloads: tuple[str, ...] = ("mixed-70-30",)
    drive: str = DEFAULT_DRIVE
    sets: tuple[str, ...] = ()
    fabrics: str = "bus,pssd,nossd,venice,ideal"
    options: frozenset[str] = frozenset()
    several_sources: bool = False
    height: float = 1.0
    requests: int = 20_000
