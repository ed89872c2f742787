"""``venice bench-mqsim``: speed and results compared with MQSim."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from venice.cli import options
from venice.cli.command import command, flag, option
from venice.cli.files import STANDARD_STREAM
from venice.cli.output_files import claim, write_json
from venice.cli.screen import print_table, print_text
from venice.cli.value_types import InputFile, Integer, Text
from venice.mqsim.bench.bench import DEFAULT_REPETITIONS, DEFAULT_REQUESTS, bench
from venice.mqsim.bench.cases import CASES
from venice.mqsim.bench.fuzz import fuzz as run_fuzz
from venice.mqsim.bench.run import Program
from venice.text.layout import format_table

if TYPE_CHECKING:
    from venice.mqsim.bench.cases import BenchCase
    from venice.mqsim.bench.random_cases import DrawnCase
    from venice.mqsim.bench.result import CaseResult, Comparison
    from venice.mqsim.bench.run import Run


@command("bench-mqsim")
@option(
    "--mqsim",
    metavar="PATH",
    required=True,
    type=InputFile(path_type=Path),
    help="Executable of MQSim.",
)
@option(
    "--case",
    "cases",
    metavar="NAME",
    multiple=True,
    type=Text(lambda: [case.name for case in CASES]),
    help="Benchmark case to run; repeatable [default: all].",
)
@option(
    "--requests",
    metavar="N",
    type=int,
    default=DEFAULT_REQUESTS,
    help="Number of requests of each run.",
)
@option(
    "--repetitions",
    metavar="N",
    type=int,
    default=DEFAULT_REPETITIONS,
    help="Number of runs of MQSim and of Venice for each case.",
)
@option(
    "--fuzz",
    metavar="N",
    type=Integer(1),
    help="Number of random sets of input files for which the results of MQSim and Venice, not "
    "their speeds, are compared.",
)
@option("--seed", metavar="S", type=int, default=1, help="Seed of the random input files.")
@flag(
    "--shrink/--no-shrink",
    default=True,
    help="Reduce each set of input files whose results differ to the smallest one that still "
    "differs.",
)
@options.json
def bench_mqsim(
    *,
    mqsim: Path,
    cases: tuple[str, ...],
    requests: int,
    repetitions: int,
    fuzz: int | None,
    seed: int,
    shrink: bool,
    json: str | None,
) -> None:
    """Compare speed or results with MQSim on the same input files."""
    if fuzz is not None:
        _fuzz(mqsim, fuzz, seed, shrinks=shrink, json=json)
        return
    with ExitStack() as claimed:
        json_file = claim(claimed, json)
        comparison = bench(
            mqsim,
            cases=cases,
            requests=requests,
            repetitions=repetitions,
            on_result=_print_progress,
        )
        write_json(comparison.to_json, json, json_file)
    _show(comparison, requests, repetitions, stderr=json == STANDARD_STREAM)


def _fuzz(mqsim: Path, count: int, seed: int, *, shrinks: bool, json: str | None) -> None:
    stderr = json == STANDARD_STREAM
    with ExitStack() as claimed:
        json_file = claim(claimed, json)
        result = run_fuzz(mqsim, count, seed=seed, shrinks=shrinks, on_result=_print_to_stderr)
        write_json(result.to_json, json, json_file)
    for verdict in result.differing:
        print_text(f"{verdict.case.name}", stderr=stderr)
        for line in (*map(str, verdict.outside), *(f"by choice: {r}" for r in verdict.remarks)):
            print_text(f"  {line}", stderr=stderr)
        if (least := result.smallest.get(verdict.case.name)) is not None:
            print_text(f"  the smallest case that differs: {_case_text(least.case)}", stderr=stderr)
    near = len(result.verdicts) - len(result.differing)
    print_text(
        f"{near} of {len(result.verdicts)} cases agree within the bounds; MQSim itself did not "
        f"serve {len(result.failed)} further ones",
        stderr=stderr,
    )


def _print_to_stderr(text: str) -> None:
    print_text(text, stderr=True)


def _case_text(case: DrawnCase) -> str:
    parts = {**case.device, **case.flash}
    shown = ("Flash_Channel_Count", "Chip_No_Per_Channel", "Die_No_Per_Chip", "Plane_No_Per_Die")
    shape = " x ".join(str(parts[tag]) for tag in shown)
    return f"{len(case.flows)} flows on {shape} planes, {case.device['Plane_Allocation_Scheme']}"


def _print_progress(case: BenchCase, repetition: int, program: Program, run: Run) -> None:
    used = run.used
    figures = f"{used.wall_s:.2f} s ({used.cpu_s:.2f} s of computing), {used.memory_mb:,.0f} MB"
    print_text(f"{case.name}, repetition {repetition + 1}: {program} {figures}", stderr=True)


def _show(comparison: Comparison, requests: int, repetitions: int, *, stderr: bool) -> None:
    print_table(table(comparison), stderr=stderr)
    print_text(
        f"{requests:,} requests · the least of {repetitions} wall times and the largest memory · "
        f"geometric means: {comparison.speed_up:.1f}× as fast, in 1/{comparison.memory_ratio:.0f} "
        "of the memory",
        stderr=stderr,
    )


def table(comparison: Comparison) -> str:
    """Return a table with a row for each case, at most 100 columns wide."""
    titles = (
        "case",
        "MQSim\ns",
        "Venice\ns",
        "speed-\nup",
        "MQSim\nMB",
        "Venice\nMB",
        "less\nmemory",
        "MQSim\nmean µs",
        "Venice\nmean µs",
    )
    return format_table(titles, ([case.case.name, *_cells(case)] for case in comparison.cases))


def _cells(case: CaseResult) -> list[str]:
    mean = [f"{case.runs[program][0].work.mean_us:,.0f}" for program in Program]
    return [
        *(f"{case.wall_s(program):.2f}" for program in Program),
        f"{case.speed_up:.1f}×",
        *(f"{case.memory_mb(program):,.0f}" for program in Program),
        f"{case.memory_ratio:.0f}×",
        *mean,
    ]
