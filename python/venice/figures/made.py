"""Creation of a figure from a request: data, picture and caption."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import fields, replace
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from venice._native import UsageError
from venice.figures.catalogue import recipe_of
from venice.figures.request import FigureRequest, Source
from venice.plot.picture import Picture
from venice.plot.style import style

if TYPE_CHECKING:
    from venice.figures.bench import Bench
    from venice.figures.recipe import Recipe
    from venice.plot.results.data_table import Table

_SPECIFIC = ("rate_scale", "closed_loop", "loads", "figures", "baseline")
"""Fields of a request that only some recipes use, and others refuse."""


class Made(NamedTuple):
    """Finished figure, shown with its caption in notebooks."""

    picture: Picture
    table: Table
    caption: str

    def _repr_html_(self) -> str:
        content = b64encode(self.picture._repr_png_()).decode()
        caption = escape(self.caption)
        return f'<img alt="{caption}" src="data:image/png;base64,{content}"><p>{caption}</p>'


def make(
    name: str,
    request: FigureRequest,
    bench: Bench,
    *,
    inches: tuple[float, float] | None = None,
    title: str | None = None,
) -> Made:
    """Run the simulations that a figure needs, and draw it.

    Parameters
    ----------
    name
        Name of the recipe.
    request
        Content and look of the figure.
    bench
        Executor of the runs.
    inches
        Width and height [default: those of the style].
    title
        Text above the picture [default: none].

    Raises
    ------
    UsageError
        If the recipe does not use an option of the request, or the request is impossible.
    SimulationError
        If a run fails.
    """
    chosen = recipe_of(name)
    asked = completed(name, chosen, request)
    table = chosen.measure(asked, bench)
    size = inches or (asked.style.width_inches, asked.style.height_inches * chosen.height)
    with style(asked.style):
        picture = Picture(figsize=size, print_style=asked.style, heading=title)
        chosen.draw(picture, table, asked)
    return Made(picture, table, chosen.caption(asked, table))


def completed(name: str, chosen: Recipe, request: FigureRequest) -> FigureRequest:
    """Return a request with the recipe's defaults filled in.

    Raises
    ------
    UsageError
        If the recipe does not use an option of the request.
    """
    usual = {one.name: one.default for one in fields(FigureRequest)}
    for option in _SPECIFIC:
        if option not in chosen.options and getattr(request, option) != usual[option]:
            raise UsageError(f"`{option}=` was given, which the figure {name} does not use")
    if len(request.sources) > 1 and not chosen.several_sources:
        raise UsageError(
            f"{len(request.sources)} traces or workloads were given; the figure {name} takes one"
        )
    if request.fabrics is not None and not chosen.fabrics:
        raise UsageError(f"`fabrics=` was given; the figure {name} does not compare fabrics")
    request = _with_drive(chosen, request)
    if request.baseline is not None and request.baseline not in request.fabric_names:
        listed = ", ".join(request.fabric_names)
        raise UsageError(f"`baseline=` is `{request.baseline}`; the fabrics are: {listed}")
    sources = request.sources or tuple(Source(workload=one) for one in chosen.workloads)
    return replace(request, sources=sources, requests=request.requests or chosen.requests)


def _with_drive(chosen: Recipe, request: FigureRequest) -> FigureRequest:
    """Return a request in which the recipe's drive and fabrics replace missing ones."""
    fabrics = chosen.fabrics if request.fabrics is None else request.fabrics
    if request.drive is not None:
        return replace(request, fabrics=fabrics)
    sets = (*chosen.sets, *request.sets)
    return replace(request, fabrics=fabrics, drive=chosen.drive, sets=sets)
