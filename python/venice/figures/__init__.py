"""Standard figures of papers on solid-state drives, including the simulations they need.

A recipe runs the simulations of a figure, tabulates the data, plots them and writes the caption.
The reports are kept in a folder's database: an interrupted figure resumes, and figures share runs.

>>> from venice.figures import FIGURES
>>> FIGURES["load-tail"].summary
'latency percentiles over offered load'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from venice.figures.catalogue import FIGURES, recipe_of

if TYPE_CHECKING:
    from venice.figures.bench import Bench
    from venice.figures.made import Made, make
    from venice.figures.request import FigureRequest, Source

__all__ = ["FIGURES", "Bench", "FigureRequest", "Made", "Source", "make", "recipe_of"]

_HOMES = {
    "Bench": "bench",
    "FigureRequest": "request",
    "Made": "made",
    "Source": "request",
    "make": "made",
}
"""Module of each name that is imported on first use, because matplotlib takes a second."""


def __getattr__(name: str) -> Any:  # noqa: ANN401 whatever it is
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'venice.figures' has no attribute {name!r}")
    return getattr(import_module(f"venice.figures.{home}"), name)
