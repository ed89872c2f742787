"""Catalogue of all recipes; a recipe is imported when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from venice._native import UsageError
from venice.text.suggestions import suggestion

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venice.figures.recipe import Recipe


class Entry(NamedTuple):
    """A recipe in the catalogue of figures."""

    module: str
    """Name of the module in :mod:`venice.figures.recipes` that defines the recipe."""
    summary: str
    """Description of the figure."""


FIGURES: Mapping[str, Entry] = {
    "load-tail": Entry("load_tail", "latency percentiles over offered load"),
    "speedup": Entry("speedup", "gain over a baseline, for several workloads"),
    "cdf": Entry("cdf", "distribution of the latency and its tail"),
    "breakdown": Entry("breakdown", "parts of the mean latency"),
    "time": Entry("time", "latency, throughput and garbage collection over time"),
    "wa-op": Entry("wa_op", "write amplification over over-provisioning, by victim policy"),
    "heat": Entry("heat", "utilisation of each chip and path"),
    "fairness": Entry("fairness", "slowdown of each tenant, and Jain's index"),
    "tornado": Entry("tornado", "sensitivity of a gain to assumed parameters"),
    "front": Entry("front", "latency over board wires, with the Pareto front"),
}
"""Every recipe, by name."""


def recipe_of(name: str) -> Recipe:
    """Import and return the recipe of a figure.

    Raises
    ------
    UsageError
        If there is no recipe of this name.
    """
    if name not in FIGURES:
        known = ", ".join(FIGURES)
        raise UsageError(f"`{name}` is not a figure; there are: {known}{suggestion(name, FIGURES)}")
    module = import_module(f"venice.figures.recipes.{FIGURES[name].module}")
    found: Recipe = module.RECIPE
    return found
