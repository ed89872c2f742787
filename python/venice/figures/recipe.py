"""Contract of a recipe.

1. `measure` runs what the figure needs on the bench and lists the data. It takes every run from the
   bench, so that an interrupted figure is resumed.
2. `draw` draws the table and nothing else, so that the picture shows what the CSV holds. It takes
   the look of a fabric from :mod:`venice.report.fabric_looks` and ends with
   :func:`venice.plot.canvas.lay_out`.
3. `caption` is one paragraph: what is shown, of which drive and requests, the method of the
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
    """Description of how a figure is measured, drawn and captioned.

    Attributes
    ----------
    measure
        Runs and lists the data.
    draw
        Draws the data into an empty picture.
    caption
        Describes the picture.
    workloads
        Workloads of a request that names none.
    drive, sets
        Drive of a request that names none.
    fabrics
        Fabrics of a request that names none; empty if the figure does not compare fabrics.
    options
        Fields of the request that the recipe uses besides the common ones.
    several_sources
        True if the figure compares workloads.
    height
        Factor on the height of the style.
    requests
        Measured requests of a run.
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
