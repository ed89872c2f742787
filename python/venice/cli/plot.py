"""``venice plot``: pictures of results that are kept."""

from __future__ import annotations

from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from venice import counts
from venice._native import UsageError
from venice.cli import options
from venice.cli.declared import Argument, Option
from venice.cli.files import of_results
from venice.cli.screen import say, warn
from venice.cli.written import claim, claim_picture
from venice.report.over_time import write_series

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LARGEST_INCHES = 100.0
_USUAL_FIGURE = "latency_us.all.mean"
_USUAL_SIZE = "6x4"


class Kind(StrEnum):
    """What is drawn."""

    TAIL = "tail"
    CDF = "cdf"
    BARS = "bars"
    BREAKDOWN = "breakdown"
    LOAD = "load"
    FRONT = "front"
    CHIPS = "chips"
    LINKS = "links"
    TIME = "time"


_WITH_FIGURE = (Kind.BARS, Kind.LOAD, Kind.FRONT)
"""Kinds that draw any figure of the reports."""
_OWN = {
    Kind.TAIL: "the tail is of all latencies",
    Kind.CDF: "the distribution is of all latencies",
    Kind.BREAKDOWN: "the breakdown is of the mean latency",
    Kind.CHIPS: "the map is of the time that chips work",
    Kind.LINKS: "the map is of the time that links are in use",
    Kind.TIME: "a run over time has its own panels",
}
"""What the others draw."""


def _with_data(picture: Path, _: object) -> Iterator[Path]:
    yield from {picture, picture.with_suffix(".csv")} if picture.name else ()


def plot(
    results: Annotated[
        list[Path],
        Argument(
            metavar="RESULTS...",
            help="Files of run --json and compare --json, and folders of sweeps.",
            reads=of_results,
        ),
    ],
    *,
    output: Annotated[
        Path,
        Option(
            "-o",
            "--output",
            metavar="FILE",
            help="The picture: .pdf, .png or .svg; what it shows is beside it as .csv.",
            writes=_with_data,
        ),
    ],
    kind: Annotated[
        Kind,
        Option(
            "--kind",
            help="tail: share of requests that take longer, logarithmic; cdf: share that take no "
            "longer; bars: one figure for each workload, with intervals over seeds; breakdown: "
            "where the mean latency goes; load: latency over throughput; front: one figure over "
            "another, and what is best in both; chips: how busy each chip was, of one run; links: "
            "how busy each channel, bus or link was, of one run with --distributions; time: what "
            "happened when, of one run with --interval.",
        ),
    ] = Kind.TAIL,
    of: Annotated[
        str | None,
        Option(
            "--of",
            metavar="FIGURE",
            help="Which figure of the reports, for bars, load and front; latency_us.all.mean by "
            "default.",
        ),
    ] = None,
    over: Annotated[
        str | None,
        Option("--over", metavar="FIGURE", help="Over which figure the front is drawn."),
    ] = None,
    baseline: Annotated[
        str | None,
        Option("--baseline", metavar="NAME", help="Draw bars over this run's."),
    ] = None,
    size: Annotated[
        str | None,
        Option(
            "--size",
            metavar="WxH",
            help="Width and height in inches; 6x4 by default, and of --kind time what is needed.",
        ),
    ] = None,
    title: Annotated[
        str | None, Option("--title", metavar="TEXT", help="What is written above.")
    ] = None,
    confidence: options.Confidence = None,
) -> None:
    """Draw results that are kept, and write the data beside the picture."""
    if baseline is not None and kind is not Kind.BARS:
        raise UsageError("a baseline is for bars: --kind bars")
    if of is not None and kind not in _WITH_FIGURE:
        raise UsageError(f"{_OWN[kind]}; --of is for --kind bars, load and front")
    if (over is not None) != (kind is Kind.FRONT):
        raise UsageError("a front is one figure over another: --kind front --of … --over …")
    level = options.confidence_pct(confidence)
    if kind is Kind.TIME:
        _plot_over_time(results, output, size, title)
        return
    inches = _inches(size or _USUAL_SIZE)
    with ExitStack() as files:
        picture = claim_picture(files, output)
        data = claim(files, output.with_suffix(".csv"))
        # Matplotlib takes a second to load.
        from venice.plot.results import load_results, note_of_repeats  # noqa: PLC0415
        from venice.plot.results.draw import Chosen, draw_table, table_of  # noqa: PLC0415
        from venice.plot.save import save  # noqa: PLC0415

        found = load_results(results)
        note = note_of_repeats(found)
        if note is not None:
            warn(note)
        table = table_of(found, kind, Chosen(of or _USUAL_FIGURE, over, baseline, level))
        if picture is not None and data is not None:
            save(draw_table(table, kind, inches, title), picture, output.suffix)
            data.write(table.to_csv().encode())
    drawn = counts.of(len(found), "run")
    say(f"{drawn} in {output}, and what it shows in {output.with_suffix('.csv')}")
    if table.note:
        say(table.note)


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


def _inches(text: str) -> tuple[float, float]:
    try:
        width, height = (float(part) for part in text.lower().split("x"))
    except ValueError:
        width = height = 0.0
    if not (1 <= width <= _LARGEST_INCHES and 1 <= height <= _LARGEST_INCHES):
        raise UsageError(f"--size {text}: it should be width x height in inches: 6x4, 3.5x2.5")
    return width, height
