"""Selection of the table and of the drawing function for a type of plot."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from venice._native import UsageError
from venice.plot.print_style import SCREEN, print_style
from venice.plot.results.bars import bar_table, draw_bar_table
from venice.plot.results.breakdown import breakdown_table, draw_breakdown_table
from venice.plot.results.cdf import cdf_table, draw_cdf_table
from venice.plot.results.chips import chips_table, draw_chips_table
from venice.plot.results.front import draw_front_table, front_table
from venice.plot.results.links import draw_links_table, links_table
from venice.plot.results.load import draw_load_table, load_table
from venice.plot.results.source import load_results, with_names
from venice.plot.results.tail import draw_tail_table, tail_table
from venice.plot.save import new_figure
from venice.report import Report
from venice.stats import CONFIDENCE_PCT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from matplotlib.axes import Axes

    from venice.plot.canvas import Entries
    from venice.plot.picture import Picture
    from venice.plot.print_style import PrintStyle
    from venice.plot.results.data_table import Table
    from venice.report.grouping import Result
    from venice.sweep import Point

    Kind = Literal["tail", "cdf", "bars", "breakdown", "load", "front", "chips", "links"]
    Source: TypeAlias = (
        str | PathLike[str] | Report | Iterable[Report] | Iterable[tuple[Point, Report]]
    )

USUAL_FIGURE = "latency_us.all.mean"


class FigureChoice(NamedTuple):
    """Options of a picture: figures, baseline and confidence level."""

    of: str = USUAL_FIGURE
    over: str | None = None
    baseline: str | None = None
    confidence_pct: float = CONFIDENCE_PCT


class _Parts(NamedTuple):
    table: Callable[[Sequence[Result], FigureChoice], Table]
    draw: Callable[[Axes, Table], Entries | None]


def _front(found: Sequence[Result], chosen: FigureChoice) -> Table:
    if chosen.over is None:
        raise UsageError("a front is one figure over another: give both, `of` and `over`")
    return front_table(found, chosen.of, chosen.over, chosen.confidence_pct)


_KINDS: dict[str, _Parts] = {
    "tail": _Parts(lambda found, _: tail_table(found), draw_tail_table),
    "cdf": _Parts(lambda found, _: cdf_table(found), draw_cdf_table),
    "bars": _Parts(
        lambda found, chosen: bar_table(found, chosen.of, chosen.baseline, chosen.confidence_pct),
        draw_bar_table,
    ),
    "breakdown": _Parts(
        lambda found, chosen: breakdown_table(found, chosen.confidence_pct), draw_breakdown_table
    ),
    "load": _Parts(
        lambda found, chosen: load_table(found, chosen.of, chosen.confidence_pct), draw_load_table
    ),
    "front": _Parts(_front, draw_front_table),
    "chips": _Parts(lambda found, _: chips_table(found), draw_chips_table),
    "links": _Parts(lambda found, _: links_table(found), draw_links_table),
}


def table_of(results: Sequence[Result], kind: str, chosen: FigureChoice) -> Table:
    """Return the data of a picture.

    Raises
    ------
    UsageError
        If the type of plot does not exist, or does not apply to the results.
    """
    if kind not in _KINDS:
        raise UsageError(f"`{kind}` is not a kind of picture; there are: {', '.join(_KINDS)}")
    return _KINDS[kind].table(results, chosen)


def draw_table(
    table: Table,
    kind: str,
    inches: tuple[float, float] | None = None,
    title: str | None = None,
    print_style: PrintStyle = SCREEN,
) -> Picture:
    """Draw a table that :func:`table_of` returned."""
    return new_figure(
        inches or (print_style.width_inches, print_style.height_inches),
        title,
        lambda axes: _KINDS[kind].draw(axes, table),
        note="" if print_style.is_print else table.note,
        print_style=print_style,
    )


def draw(  # noqa: PLR0913 each is a keyword of its own
    results: Source,
    kind: Kind = "tail",
    *,
    of: str = USUAL_FIGURE,
    over: str | None = None,
    baseline: str | None = None,
    confidence_pct: float = CONFIDENCE_PCT,
    inches: tuple[float, float] | None = None,
    title: str | None = None,
    style: str = SCREEN.name,
) -> Picture:
    """Draw results as ``venice plot`` does; a notebook shows the picture.

    Parameters
    ----------
    results
        One report; several reports, as :func:`venice.compare` returns them; the `results` of a
        sweep or an exploration; or a path that ``venice plot`` accepts.
    kind
        Kind of picture, as for ``--kind``.
    of
        Name of the figure for bars, load and front.
    over
        Name of the figure along the other axis of a front.
    baseline
        Name of the drive to which bars are relative.
    confidence_pct
        Confidence level of intervals over seeds, in %.
    inches
        Width and height [default: those of the style].
    title
        Text above the picture.
    style
        Style that sets size and fonts, as for ``--style``.

    Raises
    ------
    UsageError
        If there is no such kind, or it does not apply to the results.
    ReportError
        If a file holds no results.

    Examples
    --------
    >>> import venice
    >>> both = venice.compare(fabrics=["bus", "venice"], workload="random-read", requests=200)
    >>> picture = draw(both, "bars", of="latency_us.all.p99", baseline="bus")
    >>> picture.axes[0].get_ylabel()
    '99th percentile of latency relative to Bus'
    """
    chosen = FigureChoice(of, over, baseline, confidence_pct)
    table = table_of(_read(results), kind, chosen)
    return draw_table(table, kind, inches, title, print_style(style))


def _read(results: Source) -> list[Result]:
    if isinstance(results, str | PathLike):
        return load_results([Path(results)])
    if isinstance(results, Report):
        return with_names([(results, {})])
    return with_names(
        [(one, {}) if isinstance(one, Report) else (one[1], one[0].choices) for one in results]
    )
