"""Pictures of a data sheet, as SVG."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from venice.plot.erases import draw_erases
from venice.plot.over_time import draw_over_time
from venice.plot.results import Result, draw_tail_table, tail_table
from venice.plot.save import new_figure, save
from venice.report.over_time import columns_over_time
from venice.report.summary_table import names_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from venice.report import Report
    from venice.report.endurance import Endurance

_SIZE_INCHES = (6.0, 3.4)


def draw(report: Report, name: str, life: Endurance) -> bytes | None:
    """Draw a picture of a data sheet; ``None`` if it is empty.

    Parameters
    ----------
    report
        Report of the run.
    name
        ``tail``, ``time`` or ``erases``.
    life
        Endurance of the drive under the load.
    """
    figure = _figure(report, name, life)
    if figure is None:
        return None
    file = BytesIO()
    save(figure, file, ".svg")
    return file.getvalue()


def _figure(report: Report, name: str, life: Endurance) -> Figure | None:
    if name == "time":
        is_there = report.content.get("time_series") and columns_over_time(report)["start_us"]
        return draw_over_time(report) if is_there else None
    if name == "erases":
        blocks = life.blocks_by_erases
        return (
            new_figure(_SIZE_INCHES, None, lambda axes: draw_erases(axes, blocks))
            if blocks
            else None
        )
    if not report.requests.completed:
        return None
    table = tail_table([Result(names_of([report])[0], report)])
    return new_figure(_SIZE_INCHES, "Latency tail", lambda axes: draw_tail_table(axes, table))
