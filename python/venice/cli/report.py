"""``venice report``: explanations of figures, and reports in other formats."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

from venice import _native
from venice._native import UsageError
from venice.cli import options
from venice.cli.command import command, flag, option
from venice.cli.files import STANDARD_STREAM, each
from venice.cli.keys import figures
from venice.cli.output_files import claim, require_html, require_matplotlib, write_json
from venice.cli.report_files import load_single_report, reports_in
from venice.cli.screen import print_text
from venice.cli.usage import OptionError
from venice.cli.value_types import InputFile, Integer, Number, OutputFile, OutputStream, Text
from venice.report import to_json
from venice.report.changes import changes, markdown_of, table_of
from venice.report.endurance import RATED_PE_CYCLES, WARRANTY_YEARS
from venice.report.figure_paths import STAGE_FIGURES
from venice.report.fio import fio_json
from venice.text import counts
from venice.text.suggestions import path_suggestion


@command()
@options.argument(
    "name",
    metavar="[NAME]",
    required=False,
    default="",
    type=Text(figures),
    help=(
        "Figure or group of figures of a report, such as latency_us.all.p99 [default: the top "
        "level]."
    ),
)
def explain(name: str) -> None:
    """Explain a figure of a report.

    A figure is explained by its meaning and unit, a group by a list of its figures.
    """
    try:
        print_text(_native.explain_figure(name))
    except UsageError as error:
        # The engine suggests by spelling alone, without regard to the parts of a path.
        near = path_suggestion(name, [*figures(), *STAGE_FIGURES])
        raise UsageError(f"unknown figure `{name}`{near}" if near else str(error)) from None


@command()
def schema() -> None:
    """Print the JSON schema of reports."""
    print_text(to_json(json.loads(_native.report_schema())), end="")


@command()
@options.argument(
    "reports",
    metavar="REPORT.json...",
    nargs=-1,
    required=True,
    type=InputFile(reads=each, path_type=Path),
    help="JSON files written by run --json or compare --json.",
)
@option(
    "-o",
    "--output",
    metavar="FILE.html",
    required=True,
    type=OutputFile(path_type=Path),
    help="HTML file of the data sheet.",
)
@option(
    "--rated-pe-cycles",
    metavar="N",
    type=Integer(1),
    default=RATED_PE_CYCLES,
    help="Rated program/erase cycles of a block, 1 or more.",
)
@option(
    "--warranty-years",
    metavar="YEARS",
    type=Number(0.01),
    default=WARRANTY_YEARS,
    help="Warranty period in years, for drive writes per day (DWPD); 0.01 or more.",
)
def sheet(
    reports: tuple[Path, ...], *, output: Path, rated_pe_cycles: int, warranty_years: float
) -> None:
    """Write a data sheet as one HTML file.

    The sheet shows figures, endurance and proof of steady state. A full sheet needs a run with
    --interval 100 --distributions.
    """
    require_html(output, "a sheet")
    require_matplotlib()
    found = [report for path in reports for report in reports_in(path)]
    with ExitStack() as files:
        file = claim(files, output)
        # Matplotlib takes a second to load.
        from venice.plot.sheet import draw  # noqa: PLC0415
        from venice.sheet import sheet_of  # noqa: PLC0415

        page = sheet_of(found, draw, rated_pe_cycles=rated_pe_cycles, warranty_years=warranty_years)
        if file is not None:
            file.write(page.encode())
    print_text(f"{counts.of(len(found), 'run')} in {output}")


@command()
@options.argument(
    "report",
    metavar="REPORT.json",
    type=InputFile(path_type=Path),
    help="JSON report, written by `venice run --distributions --json`.",
)
@option(
    "-o",
    "--output",
    metavar="FILE.json",
    default=STANDARD_STREAM,
    type=OutputStream(),
    help="JSON file; - for standard output.",
)
@flag("--bins", help="Bins of the latency histograms, as in fio's json+.")
@option(
    "--option",
    "job_options",
    metavar="KEY=VALUE",
    multiple=True,
    help="Job option to add to the output, such as rw=randread or iodepth=32; repeatable.",
)
def fio(report: Path, *, output: str, bins: bool, job_options: tuple[str, ...]) -> None:
    """Write a report in the layout of fio's JSON."""
    given = dict(map(_option, job_options))
    found = load_single_report(report)
    with ExitStack() as files:
        file = claim(files, output)
        write_json(lambda: to_json(fio_json(found, bins=bins, options=given)), output, file)


@command()
@options.argument(
    "before",
    metavar="BEFORE.json",
    type=InputFile(path_type=Path),
    help="JSON file written by `venice run --json` or `venice compare --json`.",
)
@options.argument(
    "after",
    metavar="AFTER.json",
    type=InputFile(path_type=Path),
    help="Second JSON file written by run or compare, which is compared with the first.",
)
@option(
    "--of",
    metavar="FIGURE",
    multiple=True,
    type=Text(figures),
    help="Report figure to compare; repeatable [default: mean, p99, IOPS and write amplification].",
)
@flag("--markdown", help="Table in Markdown, with significant changes in bold.")
@options.confidence
def diff(
    before: Path, after: Path, *, of: tuple[str, ...], markdown: bool, confidence: float
) -> None:
    """Compare the runs of two files of reports.

    Runs are matched by drive, fabric and workload, and paired by seed.
    """
    found = changes(reports_in(before), reports_in(after), of, options.confidence_pct(confidence))
    print_text(markdown_of(found) if markdown else table_of(found), end="" if markdown else "\n")


def _option(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise OptionError(
            "--option", f"`--option` is `{text}`", "expected: KEY=VALUE, such as rw=randread"
        )
    return key, value
