"""``venice view``: write an interactive page about a run."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from venice.cli import options
from venice.cli.command import command, option
from venice.cli.output_files import claim_page
from venice.cli.report_files import load_single_report
from venice.cli.screen import print_text
from venice.cli.value_types import InputFile, OutputFile


@command()
@options.argument(
    "report",
    metavar="RUN.json",
    type=InputFile(path_type=Path),
    help="Report of a run, written by run --json.",
)
@option(
    "-o",
    "--output",
    metavar="FILE.html",
    required=True,
    type=OutputFile(path_type=Path),
    help="HTML file of the page.",
)
def view(report: Path, *, output: Path) -> None:
    """Write an interactive page about one run.

    The page shows causes of the tail, plots and single requests. A full page needs a run with
    --interval 200 --slowest 1000 --distributions. `venice run --view` implies these options and
    adds a sample of all requests.
    """
    found = load_single_report(report)
    with ExitStack() as files:
        file = claim_page(files, output)
        from venice.view import page_of  # noqa: PLC0415 only here

        if file is not None:
            file.write(page_of(found).encode())
    print_text(f"{report} as a page in {output}")
