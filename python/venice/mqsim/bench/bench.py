"""Benchmark against MQSim: cases and repetitions, with alternating runs of both programs."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from venice._native import SimulationError, UsageError
from venice.mqsim.bench.cases import CASES
from venice.mqsim.bench.result import CaseResult, Comparison
from venice.mqsim.bench.run import Program, checked_binary, run_mqsim, run_venice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    from venice.mqsim.bench.cases import BenchCase
    from venice.mqsim.bench.run import Run

DEFAULT_REQUESTS = 1_000_000
DEFAULT_REPETITIONS = 3


def bench(
    mqsim: str | PathLike[str],
    *,
    cases: Sequence[str] = (),
    requests: int = DEFAULT_REQUESTS,
    repetitions: int = DEFAULT_REPETITIONS,
    on_result: Callable[[BenchCase, int, Program, Run], None] | None = None,
) -> Comparison:
    """Run MQSim and Venice on the same files, alternately, one run at a time.

    Each repetition of a case runs both programs back to back, in alternating order.

    Parameters
    ----------
    mqsim
        MQSim's binary.
    cases
        Names of cases; empty for all.
    requests
        Number of requests of each run.
    repetitions
        Number of runs of each program on each case.
    on_result
        Function called after each run with the case, the repetition from 0, the program and its
        figures.

    Raises
    ------
    UsageError
        If the binary cannot be run, a case does not exist, or there is nothing to run.
    SimulationError
        If a run fails or serves a wrong number of requests.
    """
    if requests < 1 or repetitions < 1:
        raise UsageError("the number of requests or repetitions is 0; expected: 1 or more")
    chosen = chosen_cases(cases)
    binary = checked_binary(Path(mqsim))
    runs: dict[str, dict[Program, list[Run]]] = {
        case.name: {program: [] for program in Program} for case in chosen
    }
    with tempfile.TemporaryDirectory(prefix="venice-bench-mqsim-") as scratch:
        for repetition in range(repetitions):
            for case in chosen:
                for program in program_order(repetition):
                    run = _run(case, program, binary, Path(scratch), requests)
                    runs[case.name][program].append(run)
                    if on_result is not None:
                        on_result(case, repetition, program, run)
    return Comparison([CaseResult(case, runs[case.name]) for case in chosen])


def chosen_cases(names: Sequence[str]) -> list[BenchCase]:
    """Return the cases with the given names, or all.

    Raises
    ------
    UsageError
        If there is no such case.
    """
    known = {case.name: case for case in CASES}
    for name in names:
        if name not in known:
            raise UsageError(f"there is no case `{name}`; expected: one of {', '.join(known)}")
    return [known[name] for name in dict.fromkeys(names)] if names else list(CASES)


def program_order(repetition: int) -> list[Program]:
    """Return the order of the two programs in a repetition; it alternates."""
    programs = list(Program)
    return programs if repetition % 2 == 0 else programs[::-1]


def _run(case: BenchCase, program: Program, binary: Path, scratch: Path, requests: int) -> Run:
    """Run one program in a separate folder, to which its files are written."""
    with tempfile.TemporaryDirectory(dir=scratch) as name:
        folder = Path(name)
        case.write(folder, requests)
        run = run_mqsim(binary, folder) if program is Program.MQSIM else run_venice(folder)
    if run.work.requests != requests:
        raise SimulationError(
            f"{program} served {run.work.requests:,} requests of case `{case.name}` "
            f"instead of {requests:,}"
        )
    return run
