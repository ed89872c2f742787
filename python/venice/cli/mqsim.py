"""``venice mqsim`` and ``venice config import``: run or convert MQSim's input files."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from venice.cli import options
from venice.cli.command import OUTPUT, REQUESTS, command, option
from venice.cli.files import STANDARD_STREAM, of_mqsim
from venice.cli.options import RunFiles
from venice.cli.output_files import claim, claimed_files, write_json
from venice.cli.results import show_notes, show_slowest
from venice.cli.run_outputs import ObservedRun, check_files, with_scenario_number
from venice.cli.screen import print_table, print_text, warn
from venice.cli.value_types import FileType, InputFile, OutputStream
from venice.mqsim.run import Mqsim, MqsimOptions, Remark, import_config
from venice.report.percentiles import key_of, title
from venice.report.summary_table import caption
from venice.report.work import flash_of_run
from venice.text.layout import format_table
from venice.text.units import column_texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, BinaryIO, TextIO

    from venice.config import FabricName
    from venice.mqsim.result_files import ResponseTimeLogs
    from venice.mqsim.run import MqsimLoad
    from venice.report import Report


def _numbered_files(workload: str, values: Mapping[str, Any]) -> Iterator[str | Path]:
    """Yield the output files of each scenario: results, logs, and those of other options."""
    named = RunFiles(**{one.name: values[one.name] for one in fields(RunFiles)})
    folder: Path | None = values["xml"]
    if folder is None and not any(vars(named).values()):
        return
    files = Mqsim(values["config"], workload)
    chosen = files.chosen(values["scenario"], values["requests"])
    for number in chosen:
        if folder is not None:
            result, logs = _result_paths(files, number, workload, folder)
            yield from (result, *logs)
        if len(chosen) > 1:
            yield from with_scenario_number(named, number + 1).paths.values()


_MAXIMUM = 100.0
"""Percentile for the maximum, the last column of the table of flows."""

_COMMANDS = (
    ("reads", "page reads"),
    ("multiplane_reads", "multi-plane read commands"),
    ("programs", "page programs"),
    ("multiplane_programs", "multi-plane program commands"),
    ("erases", "erases"),
    ("gc_moves", "pages moved"),
)


@command()
@option(
    "--config",
    metavar="ssdconfig.xml",
    required=True,
    type=InputFile(),
    help="MQSim's configuration file of the drive, such as ssdconfig.xml.",
)
@option(
    "--workload",
    metavar="workload.xml",
    required=True,
    type=FileType(reads=of_mqsim, writes=_numbered_files),
    help="MQSim's workload file, which lists scenarios and their flows.",
)
@option("--scenario", metavar="N", type=int, help="Scenario to run, from 1 [default: all].")
@options.fabric
@options.sets
@options.load_state
@option(
    "--requests",
    metavar="requests.csv.zst",
    group=REQUESTS,
    type=InputFile(path_type=Path),
    help="Trace file whose requests replace those of the flows.",
)
@options.measuring
@options.seed
@options.percentiles("50,99")
@options.json
@option(
    "--xml",
    metavar="FOLDER",
    group=OUTPUT,
    type=FileType(path_type=Path),
    help=(
        "Folder for result files in MQSim's format (<workload>_scenario_N.xml) and for MQSim's "
        "logs."
    ),
)
@options.run_files
@options.observing
@options.audit
@options.gather(observing=options.Observing, files=RunFiles)
def mqsim(
    observing: options.Observing,
    files: RunFiles,
    *,
    config: str,
    workload: str,
    requests: Path | None,
    scenario: int | None,
    fabric: FabricName | None,
    sets: tuple[str, ...],
    seed: int | None,
    percentiles: tuple[float, ...],
    json: str | None,
    xml: Path | None,
    **given: Unpack[MqsimOptions],
) -> None:
    """Run MQSim's own files, scenario by scenario.

    If the workload has several scenarios, the names of output files have `_scenario_N` before their
    suffix. The JSON is a list with one report per scenario.
    """
    for one in percentiles:
        key_of(one)
    check_files(observing, files)
    opened = Mqsim(config, workload, fabric=fabric, sets=sets, seed=seed)
    chosen = opened.chosen(scenario, requests)
    loads = [opened.load(number, requests, **given) for number in chosen]
    for number in chosen:
        opened.check(number, requests)
    print_remarks(opened.remarks(chosen))
    with claimed_files() as claimed:
        json_file = claim(claimed, json)
        results = [Results(claimed, opened, number, workload, xml) for number in chosen]
        each = [
            with_scenario_number(files, number + 1) if len(chosen) > 1 else files
            for number in chosen
        ]
        observed = [ObservedRun(claimed, observing, one) for one in each]
        reports = [_run(*one) for one in zip(loads, results, observed, strict=True)]
        write_json(lambda: _as_json(reports), json, json_file)
    for number, report in zip(chosen, reports, strict=True):
        name = f"scenario {number + 1}"
        _show(report, name, percentiles, observing.slowest, stderr=json == STANDARD_STREAM)


def _run(load: MqsimLoad, results: Results, observed: ObservedRun) -> Report:
    report = observed.run(
        load,
        f"scenario {results.number + 1}",
        log=results.logs,
        watch_chips=results.are_wanted,
    )
    results.write(report)
    return report


@command("import")
@options.argument(
    "config",
    metavar="ssdconfig.xml",
    type=InputFile(),
    help="MQSim's configuration file of the drive, such as ssdconfig.xml.",
)
@option(
    "-o",
    "--output",
    metavar="FILE.toml",
    default=STANDARD_STREAM,
    type=OutputStream(),
    help="Drive file to write; - for standard output.",
)
def import_(config: str, *, output: str) -> None:
    """Convert MQSim's configuration to TOML."""
    text, remarks = import_config(config)
    with ExitStack() as claimed:
        write_json(lambda: text, output, claim(claimed, output))
    print_remarks(remarks)


def print_remarks(remarks: Sequence[Remark]) -> None:
    """Print remarks about the files to standard error."""
    for remark in remarks:
        if remark.level == "warning":
            warn(remark.text)
        else:
            print_text(f"{remark.level}: {remark.text}", stderr=True)


class Results:
    """MQSim's result file of a scenario, and the response-time logs of its flows, if requested."""

    def __init__(
        self, claimed: ExitStack, files: Mqsim, number: int, workload: str, folder: Path | None
    ) -> None:
        self.number = number
        self._names = files.result_names(number)
        self._file: BinaryIO | None = None
        self.logs: ResponseTimeLogs | None = None
        if folder is None:
            return
        from venice.mqsim.result_files import ResponseTimeLogs  # noqa: PLC0415 seldom wanted

        result, logs = _result_paths(files, number, workload, folder)
        self._file = claim(claimed, result)
        if (period_ns := files.log_period_ns) is not None:
            self.logs = ResponseTimeLogs([_log_file(claimed, log) for log in logs], period_ns)

    @property
    def are_wanted(self) -> bool:
        """True if MQSim's files were requested."""
        return self._file is not None

    def write(self, report: Report) -> None:
        """Write the result file, if requested."""
        if self._file is not None:
            from venice.mqsim.result_files import result_xml  # noqa: PLC0415 seldom wanted

            self._file.write(result_xml(report, self._names).encode("ascii", "xmlcharrefreplace"))


def _result_paths(
    files: Mqsim, number: int, workload: str, folder: Path
) -> tuple[Path, list[Path]]:
    """Return the paths of a scenario's result file and of the logs of its flows, if any."""
    name = Path(workload).stem
    numbered_name = f"{name}_scenario_{number + 1}"
    stem = name if len(files.flows) == 1 else numbered_name
    flows = range(0 if files.log_period_ns is None else files.flows[number])
    logs = [folder / f"{stem}.IO_Flow.No_{flow}.log" for flow in flows]
    return folder / f"{numbered_name}.xml", logs


def _log_file(claimed: ExitStack, path: Path) -> TextIO:
    from io import TextIOWrapper  # noqa: PLC0415 few want it

    from venice.files.output import create  # noqa: PLC0415 seldom wanted

    return claimed.enter_context(TextIOWrapper(claimed.enter_context(create(path)), "ascii"))


def _as_json(reports: Sequence[Report]) -> str:
    from venice.report.report_lists import reports_to_json  # noqa: PLC0415 what writes none does without

    return reports_to_json(reports)


def _show(
    report: Report,
    name: str,
    percentiles: Sequence[float],
    most_slowest: int | None,
    *,
    stderr: bool,
) -> None:
    print_table(_table(report, percentiles), stderr=stderr)
    flash = flash_of_run(report)
    counts = [f"{flash[key]:,} {name}" for key, name in _COMMANDS]
    print_text(
        f"{name} · makespan {report.makespan_us:,.1f} µs · {', '.join(counts)}", stderr=stderr
    )
    show_slowest(report, most_slowest, stderr=stderr)
    print_text(caption([report]), stderr=stderr)
    show_notes([report], stderr=stderr)


def _table(report: Report, percentiles: Sequence[float]) -> str:
    """Return a table with MQSim's device response time for each flow and operation."""
    shown = {**{one: key_of(one) for one in percentiles}, _MAXIMUM: "max"}
    titles = ("mean µs", *(f"{title(one)} µs" for one in shown))
    rows = list(_rows(report))
    figures = [column_texts([row[key] for _, _, row in rows]) for key in ("mean", *shown.values())]
    cells = (
        (str(flow), operation, f"{row['count']:,}", *texts)
        for (flow, operation, row), *texts in zip(rows, *figures, strict=True)
    )
    return format_table(("flow", "operation", "requests", *titles), cells, left=2)


def _rows(report: Report) -> Iterator[tuple[int, str, dict[str, float]]]:
    for queue in report.queues:
        for operation in ("read", "write"):
            latency = queue.latency_us[operation]
            if latency["count"]:
                yield queue.queue, operation, latency
