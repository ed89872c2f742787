"""``venice view``: a page of a run to look into."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

from venice._native import UsageError
from venice.cli.declared import Argument, Option
from venice.cli.files import itself
from venice.cli.screen import say
from venice.cli.written import claim_page
from venice.report.several import load_reports


def view(
    report: Annotated[
        Path, Argument(metavar="RUN.json", help="A file of run --json.", reads=itself)
    ],
    *,
    output: Annotated[
        Path, Option("-o", "--output", metavar="FILE.html", help="The page.", writes=itself)
    ],
) -> None:
    """Write a page to look into a run: who made the tail, plots, requests one by one.

    It shows most of runs with --interval 200 --slowest 1000 --distributions. `venice run --view`
    asks for these, and writes the page itself, with a sample of all requests.
    """
    try:
        found = load_reports(report)
    except OSError as error:
        raise UsageError(f"{report}: cannot be read: {error.strerror}") from None
    if len(found) != 1:
        raise UsageError(f"{report}: holds {len(found)} reports; a page is of one run")
    with ExitStack() as files:
        file = claim_page(files, output)
        from venice.view import page_of  # noqa: PLC0415 only here

        if file is not None:
            file.write(page_of(found[0]).encode())
    say(f"{report} as a page in {output}")
