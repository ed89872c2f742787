"""``venice mqsim`` and ``venice config import``: MQSim's own files."""

from __future__ import annotations

from contextlib import ExitStack

from venice._native import UsageError
from venice.cli import options
from venice.cli.declared import Argument, File, Option
from venice.cli.progress import shown
from venice.cli.screen import say, say_table, warn
from venice.cli.written import STANDARD_OUTPUT, claim, log_columns, log_in, write_json
from venice.mqsim import Mqsim, Remark, import_config
from venice.report.layout import laid_out
from venice.report.table import caption, column_texts, notes
from venice.request_columns import AllOf
from venice.typed import TYPE_CHECKING, Annotated, TypedDict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO, TextIO

    from venice.mqsim_result import ResponseTimeLogs
    from venice.report import Report
    from venice.request_log import RequestLog

Config = Annotated[
    str, Option("--config", metavar="ssdconfig.xml", help="MQSim's device configuration.")
]
Workload = Annotated[str, Option("--workload", metavar="workload.xml", help="MQSim's scenarios.")]
Requests = Annotated[
    File | None,
    Option(
        "--requests",
        metavar="requests.csv.zst",
        help="Issue exactly these recorded requests, in place of the flows' own.",
    ),
]
Scenario = Annotated[
    int | None, Option("--scenario", metavar="N", help="Only this scenario, from 1.")
]

Xml = Annotated[
    File | None,
    Option(
        "--xml",
        metavar="FOLDER",
        help="Write MQSim's result files, <workload>_scenario_N.xml, and its logs to this folder.",
    ),
]

SaveState = Annotated[
    File | None,
    Option("--save-state", metavar="FILE", help="Save the drive at the end of the run."),
]


class Keywords(TypedDict):
    """What all scenarios are run with."""

    audit: bool
    watch_chips: bool
    load_state: Path | None
    save_state: Path | None


_COMMANDS = (
    ("reads", "page reads"),
    ("multiplane_reads", "multi-plane read commands"),
    ("programs", "page programs"),
    ("multiplane_programs", "multi-plane program commands"),
    ("erases", "erases"),
    ("gc_moves", "pages moved"),
)


def mqsim(
    *,
    config: Config,
    workload: Workload,
    requests: Requests = None,
    scenario: Scenario = None,
    fabric: options.Fabric = None,
    sets: options.Sets = None,
    json: options.Json = None,
    xml: Xml = None,
    request_log: options.RequestLog = None,
    request_columns: options.RequestColumns = None,
    audit: options.Audit = False,
    load_state: options.LoadState = None,
    save_state: SaveState = None,
) -> None:
    """Run MQSim's own files, scenario by scenario."""
    files = Mqsim(config, workload, fabric=fabric, sets=sets or ())
    chosen = files.chosen(scenario, requests)
    _check_single("a drive's state", save_state, len(chosen))
    _check_single("a request log", request_log, len(chosen))
    columns = log_columns(request_log, request_columns)
    for number in chosen:
        files.check(number, requests)
    tell(files.remarks(chosen))
    with ExitStack() as claimed:
        json_file, log_file = claim(claimed, json), claim(claimed, request_log)
        results = [Results(claimed, files, number, workload, xml) for number in chosen]
        keywords = Keywords(
            audit=audit, watch_chips=xml is not None, load_state=load_state, save_state=save_state
        )
        opened = log_in(log_file, columns)
        log = None if opened is None else claimed.enter_context(opened)
        reports = [_run_shown(files, result, requests, (log, keywords)) for result in results]
        write_json(lambda: _as_json(reports), json, json_file)
    for number, report in zip(chosen, reports, strict=True):
        _show(report, f"scenario {number + 1}", stderr=json == STANDARD_OUTPUT)


def import_(
    config: Annotated[str, Argument(metavar="ssdconfig.xml", help="MQSim's configuration.")],
    output: Annotated[
        str,
        Option("-o", "--output", metavar="FILE.toml", help="Write the drive to this file."),
    ] = STANDARD_OUTPUT,
) -> None:
    """Turn MQSim's configuration into a drive file."""
    text, remarks = import_config(config)
    with ExitStack() as claimed:
        write_json(lambda: text, output, claim(claimed, output))
    tell(remarks)


def tell(remarks: Sequence[Remark]) -> None:
    """Say on standard error what there is to know of the files."""
    for remark in remarks:
        if remark.level == "warning":
            warn(remark.text)
        else:
            say(f"{remark.level}: {remark.text}", stderr=True)


def _check_single(what: str, file: Path | None, scenarios: int) -> None:
    if file is not None and scenarios > 1:
        raise UsageError(
            f"{what} is that of one run, and the workload has {scenarios} scenarios: "
            f"choose one with --scenario, from 1 to {scenarios}"
        )


class Results:
    """MQSim's result file of one scenario and its logs of response times, where they are wanted."""

    def __init__(
        self, claimed: ExitStack, files: Mqsim, number: int, workload: str, folder: Path | None
    ) -> None:
        self.number = number
        self._names = files.result_names(number)
        self._file: BinaryIO | None = None
        self.logs: ResponseTimeLogs | None = None
        if folder is None:
            return
        from pathlib import Path  # noqa: PLC0415 few want it

        from venice.mqsim_result import ResponseTimeLogs  # noqa: PLC0415 the same

        name = Path(workload).stem
        self._file = claim(claimed, folder / f"{name}_scenario_{number + 1}.xml")
        stem = name if len(files.flows) == 1 else f"{name}_scenario_{number + 1}"
        if (period_ns := files.log_period_ns) is not None:
            self.logs = ResponseTimeLogs(
                [_log_file(claimed, folder / stem, flow) for flow in range(len(self._names))],
                period_ns,
            )

    def write(self, report: Report) -> None:
        """Write the result file, if it is wanted."""
        if self._file is not None:
            from venice.mqsim_result import result_xml  # noqa: PLC0415 the same

            self._file.write(result_xml(report, self._names).encode("ascii", "xmlcharrefreplace"))


def _log_file(claimed: ExitStack, stem: Path, flow: int) -> TextIO:
    from io import TextIOWrapper  # noqa: PLC0415 few want it

    from venice.output import create  # noqa: PLC0415 the same

    path = stem.with_name(f"{stem.name}.IO_Flow.No_{flow}.log")
    return claimed.enter_context(TextIOWrapper(claimed.enter_context(create(path)), "ascii"))


def _run_shown(
    files: Mqsim,
    results: Results,
    requests: Path | None,
    log_and_keywords: tuple[RequestLog | None, Keywords],
) -> Report:
    request_log, keywords = log_and_keywords
    logs = [log for log in (request_log, results.logs) if log is not None]

    with shown([f"scenario {results.number + 1}"]) as lines:

        def progress(completed: int, total: int | None, simulated_us: float) -> None:
            lines.update(0, completed, total, simulated_us)

        log = AllOf(logs) if logs else None
        report = files.run(results.number, requests, progress=progress, log=log, **keywords)
    results.write(report)
    return report


def _as_json(reports: Sequence[Report]) -> str:
    from venice.report.several import reports_to_json  # noqa: PLC0415 what writes none does without

    return reports_to_json(reports)


def _show(report: Report, title: str, *, stderr: bool) -> None:
    say_table(_table(report), stderr=stderr)
    counts = [f"{report.flash[key]:,} {name}" for key, name in _COMMANDS]
    say(f"{title} · makespan {report.makespan_us:,.1f} µs · {', '.join(counts)}", stderr=stderr)
    say(caption([report]), stderr=stderr)
    for note in notes(report):
        say(note, stderr=stderr)


def _table(report: Report) -> str:
    """Lay out one row for each flow and operation: what MQSim calls device response time."""
    titles = ("flow", "operation", "requests", "mean µs", "p50 µs", "p99 µs", "max µs")
    rows = list(_rows(report))
    figures = [
        column_texts([row[key] for _, _, row in rows]) for key in ("mean", "p50", "p99", "max")
    ]
    cells = (
        (str(flow), operation, f"{row['count']:,}", *texts)
        for (flow, operation, row), *texts in zip(rows, *figures, strict=True)
    )
    return laid_out(titles, cells, left=2)


def _rows(report: Report) -> Iterator[tuple[int, str, dict[str, float]]]:
    for queue in report.queues:
        for operation in ("read", "write"):
            latency = queue.latency_us[operation]
            if latency["count"]:
                yield queue.queue, operation, latency
