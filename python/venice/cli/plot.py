"""``venice plot``: plots of stored results."""

from __future__ import annotations

from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from venice._native import UsageError
from venice.cli import options, picture_options
from venice.cli.command import command, option
from venice.cli.files import of_results
from venice.cli.output_files import claim, claim_picture
from venice.cli.screen import print_text, warn
from venice.cli.usage import OptionError
from venice.cli.value_types import InputFile, Keyword, OutputFile, Text
from venice.report.over_time import write_series
from venice.text import counts

if TYPE_CHECKING:
    from collections.abc import Sequence

_USUAL_FIGURE = "latency_us.all.mean"


class Kind(StrEnum):
    """Type of plot that ``venice plot`` draws."""

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
"""Kinds of plots that can show any figure of the reports."""
_OWN = {
    Kind.TAIL: "the tail is of all latencies",
    Kind.CDF: "the distribution is of all latencies",
    Kind.BREAKDOWN: "the breakdown is of the mean latency",
    Kind.CHIPS: "the map is of the time that chips work",
    Kind.LINKS: "the map is of the time that links are in use",
    Kind.TIME: "a run over time has its own panels",
}
"""Content of the kinds of plots without a free figure, for error messages."""
_OF_KINDS = "expected: --kind bars, load or front"


def _figures() -> Sequence[str]:
    from venice.report.figure_paths import FIGURES  # noqa: PLC0415 a tenth of a second, for shells alone

    return FIGURES


@command()
@options.argument(
    "results",
    metavar="RESULTS...",
    nargs=-1,
    required=True,
    type=InputFile(reads=of_results, path_type=Path),
    help="JSON files written by run --json or compare --json, and folders of sweeps.",
)
@option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    type=OutputFile(writes=picture_options.with_data, path_type=Path),
    help="Picture file to write, .pdf, .png or .svg; its data is written next to it as .csv.",
)
@option(
    "--kind",
    type=Keyword([one.value for one in Kind]),
    default=Kind.TAIL.value,
    help="Content of the plot. tail: share of requests with a latency above x, on logarithmic "
    "axes; cdf: share of requests with a latency of at most x; bars: the --of figure of "
    "each workload, with confidence intervals over seeds; breakdown: parts of the mean "
    "latency; load: the --of figure over throughput; front: the --of figure over the --over "
    "figure, with the Pareto front. Plots of a single run: chips: utilisation of each chip; "
    "links: utilisation of each channel, bus or link (needs a report with --distributions); "
    "time: throughput, latency and utilisation over time (needs a report with --interval).",
)
@option(
    "--of",
    metavar="FIGURE",
    type=Text(_figures),
    help="Report figure shown by the kinds bars, load and front [default: latency_us.all.mean].",
)
@option(
    "--over",
    metavar="FIGURE",
    type=Text(_figures),
    help="Report figure on the x axis; required by --kind front.",
)
@option(
    "--baseline",
    metavar="NAME",
    help="Name of the run by whose figure each bar is divided [default: none].",
)
@picture_options.style_name
@picture_options.size
@picture_options.title
@options.confidence
def plot(
    results: tuple[Path, ...],
    *,
    output: Path,
    kind: str,
    of: str | None,
    over: str | None,
    baseline: str | None,
    style: str,
    size: str | None,
    title: str | None,
    confidence: float,
) -> None:
    """Plot results, with the data as CSV next to the picture."""
    _check_kind(Kind(kind), of=of, over=over, baseline=baseline)
    level = options.confidence_pct(confidence)
    if kind == Kind.TIME:
        _plot_over_time(results, output, size, title)
        return
    inches = picture_options.inches_of(size)
    with ExitStack() as files:
        picture = claim_picture(files, output)
        data = claim(files, output.with_suffix(".csv"))
        # Matplotlib takes a second to load.
        from venice.plot.print_style import print_style  # noqa: PLC0415
        from venice.plot.results import load_results, note_of_repeats  # noqa: PLC0415
        from venice.plot.results.draw import FigureChoice, draw_table, table_of  # noqa: PLC0415
        from venice.plot.save import save  # noqa: PLC0415

        found = load_results(results)
        note = note_of_repeats(found)
        if note is not None:
            warn(note)
        table = table_of(
            found, Kind(kind), FigureChoice(of or _USUAL_FIGURE, over, baseline, level)
        )
        if picture is not None and data is not None:
            drawn = draw_table(table, Kind(kind), inches, title, print_style(style))
            save(drawn, picture, output.suffix)
            data.write(table.to_csv().encode())
    runs = counts.of(len(found), "run")
    print_text(f"{runs} in {output}, and its data in {output.with_suffix('.csv')}")
    if table.note:
        print_text(table.note)


def _check_kind(kind: Kind, *, of: str | None, over: str | None, baseline: str | None) -> None:
    """Refuse options that do not apply to a kind of plot."""
    if baseline is not None and kind is not Kind.BARS:
        raise OptionError("--baseline", "`--baseline` requires `--kind bars`", "add --kind bars")
    if of is not None and kind not in _WITH_FIGURE:
        raise OptionError(
            "--of", f"`--of` and `--kind {kind}` cannot be combined: {_OWN[kind]}", _OF_KINDS
        )
    if over is not None and kind is not Kind.FRONT:
        raise OptionError("--over", "`--over` requires `--kind front`", "add --kind front")
    if over is None and kind is Kind.FRONT:
        raise OptionError("--kind", "`--kind front` requires `--over`", "add --over FIGURE")


def _plot_over_time(
    results: Sequence[Path], output: Path, size: str | None, title: str | None
) -> None:
    inches = picture_options.inches_of(size)
    with ExitStack() as files:
        picture = claim_picture(files, output)
        data = claim(files, output.with_suffix(".csv"))
        # Matplotlib takes a second to load.
        from venice.plot.over_time import draw_over_time  # noqa: PLC0415
        from venice.plot.results import load_results  # noqa: PLC0415
        from venice.plot.save import save  # noqa: PLC0415

        found = load_results(results)
        if len(found) != 1:
            raise UsageError(
                f"`--kind time` was given for {len(found)} runs; expected: the report of one run"
            )
        report = found[0].report
        if picture is not None and data is not None:
            save(draw_over_time(report, title, inches), picture, output.suffix)
            write_series(report, data, ".csv")
    print_text(f"a run over time in {output}, and its data in {output.with_suffix('.csv')}")
