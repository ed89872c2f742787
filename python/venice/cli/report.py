"""``venice report``: what a report can say, and reports in other shapes."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

from venice import _native, counts
from venice._native import UsageError
from venice.cli.declared import Argument, Option
from venice.cli.files import each, itself
from venice.cli.screen import say
from venice.cli.written import (
    STANDARD_OUTPUT,
    claim,
    require_html,
    require_matplotlib,
    write_json,
)
from venice.report import Report, to_json
from venice.report.endurance import RATED_PE_CYCLES, WARRANTY_YEARS
from venice.report.fio import fio_json
from venice.report.several import load_reports

Reports = Annotated[
    list[Path],
    Argument(metavar="REPORT.json...", help="Files of run --json and compare --json.", reads=each),
]


def explain(
    name: Annotated[
        str,
        Argument(metavar="NAME", help="For instance latency_us.all.p99; none lists the top."),
    ] = "",
) -> None:
    """Say what a figure of a report means, and its unit; of a group, what is in it."""
    say(_native.explain_figure(name))


def schema() -> None:
    """Print the JSON schema of reports."""
    say(to_json(json.loads(_native.report_schema())), end="")


def sheet(
    reports: Reports,
    *,
    output: Annotated[
        Path, Option("-o", "--output", metavar="FILE.html", help="The page.", writes=itself)
    ],
    rated_pe_cycles: Annotated[
        int,
        Option(
            "--rated-pe-cycles",
            metavar="N",
            help="Program/erase cycles that the chips are rated for.",
            least=1,
        ),
    ] = RATED_PE_CYCLES,
    warranty_years: Annotated[
        float,
        Option("--warranty-years", metavar="Y", help="DWPD is over so long.", least=0.01),
    ] = WARRANTY_YEARS,
) -> None:
    """Write a report to send: one HTML file with figures, endurance and proof of steady state.

    It says most of runs with --interval 100 --distributions.
    """
    require_html(output, "a sheet")
    require_matplotlib()
    found = [report for path in reports for report in _loaded(path)]
    with ExitStack() as files:
        file = claim(files, output)
        # Matplotlib takes a second to load.
        from venice.plot.sheet import draw  # noqa: PLC0415
        from venice.sheet import sheet_of  # noqa: PLC0415

        page = sheet_of(found, draw, rated_pe_cycles=rated_pe_cycles, warranty_years=warranty_years)
        if file is not None:
            file.write(page.encode())
    say(f"{counts.of(len(found), 'run')} in {output}")


def fio(
    report: Annotated[
        Path,
        Argument(metavar="REPORT.json", help="Of run --distributions --json.", reads=itself),
    ],
    *,
    output: Annotated[
        str,
        Option("-o", "--output", metavar="FILE.json", help="- for standard output.", writes=itself),
    ] = STANDARD_OUTPUT,
    bins: Annotated[
        bool, Option("--bins", help="Give the bins of latencies, as fio's json+ does.")
    ] = False,
    options: Annotated[
        list[str] | None,
        Option(
            "--option",
            metavar="KEY=VALUE",
            help="An option of the job that readers ask for: rw=randread, iodepth=32.",
        ),
    ] = None,
) -> None:
    """Write a report in the layout of fio's JSON, for scripts that read that."""
    given = dict(map(_option, options or ()))
    found = _loaded(report)
    if len(found) != 1:
        raise UsageError(f"{report}: holds {len(found)} reports; fio's JSON is of one run")
    with ExitStack() as files:
        file = claim(files, output)
        write_json(lambda: to_json(fio_json(found[0], bins=bins, options=given)), output, file)


def _loaded(path: Path) -> list[Report]:
    try:
        return load_reports(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None


def _option(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise UsageError(f"--option {text}: it should be KEY=VALUE, such as rw=randread")
    return key, value
