"""``venice bench-mqsim``: as fast as MQSim, and how many times."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from venice.bench_mqsim.bench import DEFAULT_REPETITIONS, DEFAULT_REQUESTS, bench
from venice.bench_mqsim.run import Program
from venice.cli import options
from venice.cli.results import STANDARD_OUTPUT, claim, write_json
from venice.cli.screen import say, say_table
from venice.report.layout import laid_out

if TYPE_CHECKING:
    from venice.bench_mqsim.cases import BenchCase
    from venice.bench_mqsim.result import CaseResult, Comparison
    from venice.bench_mqsim.run import Run

Binary = Annotated[Path, typer.Option("--mqsim", metavar="PATH", help="MQSim's binary.")]
Cases = Annotated[
    list[str] | None,
    typer.Option("--case", metavar="NAME", help="Only this case; may be given several times."),
]
Requests = Annotated[int, typer.Option("--requests", metavar="N", help="Requests of each run.")]
Repetitions = Annotated[
    int,
    typer.Option("--repetitions", metavar="N", help="Runs of each program on each case."),
]


def bench_mqsim(
    *,
    mqsim: Binary,
    cases: Cases = None,
    requests: Requests = DEFAULT_REQUESTS,
    repetitions: Repetitions = DEFAULT_REPETITIONS,
    json: options.Json = None,
) -> None:
    """Measure MQSim and `venice mqsim` on the same files."""
    with ExitStack() as claimed:
        json_file = claim(claimed, json)
        comparison = bench(
            mqsim, cases=cases or (), requests=requests, repetitions=repetitions, told=_tell
        )
        write_json(comparison.to_json(), json, json_file)
    _show(comparison, requests, repetitions, stderr=json == STANDARD_OUTPUT)


def _tell(case: BenchCase, repetition: int, program: Program, run: Run) -> None:
    used = run.used
    figures = f"{used.wall_s:.2f} s ({used.cpu_s:.2f} s of computing), {used.memory_mb:,.0f} MB"
    say(f"{case.name}, repetition {repetition + 1}: {program} {figures}", stderr=True)


def _show(comparison: Comparison, requests: int, repetitions: int, *, stderr: bool) -> None:
    say_table(table(comparison), stderr=stderr)
    say(
        f"{requests:,} requests · the least of {repetitions} wall times and the largest memory · "
        f"geometric means: {comparison.speed_up:.1f}× as fast, in 1/{comparison.memory_ratio:.0f} "
        "of the memory",
        stderr=stderr,
    )


def table(comparison: Comparison) -> str:
    """Lay out one row for each case; readable in 100 columns."""
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
    return laid_out(titles, ([case.case.name, *_cells(case)] for case in comparison.cases))


def _cells(case: CaseResult) -> list[str]:
    mean = [f"{case.runs[program][0].work.mean_us:,.0f}" for program in Program]
    return [
        *(f"{case.wall_s(program):.2f}" for program in Program),
        f"{case.speed_up:.1f}×",
        *(f"{case.memory_mb(program):,.0f}" for program in Program),
        f"{case.memory_ratio:.0f}×",
        *mean,
    ]
