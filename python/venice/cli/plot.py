"""``venice plot``: pictures of results that are kept."""

from __future__ import annotations

from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from venice._native import UsageError
from venice.cli.screen import say
from venice.cli.written import claim, claim_picture
from venice.report.over_time import write_series

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes

    from venice.plot.results import Result, Table

_LARGEST_INCHES = 100.0
_USUAL_SIZE = "6x4"


class Kind(StrEnum):
    """What is drawn."""

    TAIL = "tail"
    BARS = "bars"
    LOAD = "load"
    TIME = "time"


def plot(
    results: Annotated[
        list[Path],
        typer.Argument(
            metavar="RESULTS...",
            help="Files of run --json and compare --json, and folders of sweeps.",
        ),
    ],
    *,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="The picture: .pdf, .png or .svg; what it shows is beside it as .csv.",
        ),
    ],
    kind: Annotated[
        Kind,
        typer.Option(
            "--kind",
            help="tail: share of requests that take longer, logarithmic; bars: one figure for "
            "each workload, with intervals over seeds; load: latency over throughput; time: what "
            "happened when, of one run with --interval.",
        ),
    ] = Kind.TAIL,
    of: Annotated[
        str | None,
        typer.Option(
            "--of",
            metavar="FIGURE",
            help="Which figure of the reports, for bars and load; latency_us.all.mean by default.",
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", metavar="NAME", help="Draw bars over this run's."),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(
            "--size",
            metavar="WxH",
            help="Width and height in inches; 6x4 by default, and of --kind time what is needed.",
        ),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="What is written above.")] = None,
) -> None:
    """Draw results that are kept, and write the data beside the picture."""
    if baseline is not None and kind is not Kind.BARS:
        raise UsageError("a baseline is for bars: --kind bars")
    if of is not None and kind is Kind.TAIL:
        raise UsageError("the tail is of all latencies; --of is for --kind bars and load")
    if of is not None and kind is Kind.TIME:
        raise UsageError("a run over time has its own panels; --of is for --kind bars and load")
    if kind is Kind.TIME:
        _plot_over_time(results, output, size, title)
        return
    inches = _inches(size or _USUAL_SIZE)
    with ExitStack() as files:
        picture = claim_picture(files, output)
        data = claim(files, output.with_suffix(".csv"))
        # Matplotlib takes a second to load.
        from venice.plot.results import load_results  # noqa: PLC0415
        from venice.plot.save import new_figure, save  # noqa: PLC0415

        found = load_results(results)
        table, draw = _parts(kind, found, of or "latency_us.all.mean", baseline)
        if picture is not None and data is not None:
            save(new_figure(inches, title, lambda axes: draw(axes, table)), picture, output.suffix)
            data.write(table.to_csv().encode())
    say(f"{len(found)} runs in {output}, and what it shows in {output.with_suffix('.csv')}")


def _plot_over_time(
    results: Sequence[Path], output: Path, size: str | None, title: str | None
) -> None:
    inches = None if size is None else _inches(size)
    with ExitStack() as files:
        picture = claim_picture(files, output)
        data = claim(files, output.with_suffix(".csv"))
        # Matplotlib takes a second to load.
        from venice.plot.over_time import draw_over_time  # noqa: PLC0415
        from venice.plot.results import load_results  # noqa: PLC0415
        from venice.plot.save import save  # noqa: PLC0415

        found = load_results(results)
        if len(found) != 1:
            raise UsageError(f"there are {len(found)} runs; --kind time draws one")
        report = found[0].report
        if picture is not None and data is not None:
            save(draw_over_time(report, title, inches), picture, output.suffix)
            write_series(report, data, ".csv")
    say(f"a run over time in {output}, and what it shows in {output.with_suffix('.csv')}")


def _parts(
    kind: Kind, found: Sequence[Result], of: str, baseline: str | None
) -> tuple[Table, Callable[[Axes, Table], None]]:
    from venice.plot import results  # noqa: PLC0415 as above

    if kind is Kind.TAIL:
        return results.tail_table(found), results.draw_tail_table
    if kind is Kind.BARS:
        return results.bar_table(found, of, baseline), results.draw_bar_table
    return results.load_table(found, of), results.draw_load_table


def _inches(text: str) -> tuple[float, float]:
    try:
        width, height = (float(part) for part in text.lower().split("x"))
    except ValueError:
        width = height = 0.0
    if not (1 <= width <= _LARGEST_INCHES and 1 <= height <= _LARGEST_INCHES):
        raise UsageError(f"--size {text}: it should be width x height in inches: 6x4, 3.5x2.5")
    return width, height
