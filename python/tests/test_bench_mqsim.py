"""``venice bench-mqsim``, with a stand-in for MQSim's binary."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING

import pytest

from venice import SimulationError, UsageError
from venice.mqsim.bench import CASES, Program, bench
from venice.mqsim.bench.bench import program_order
from venice.mqsim.bench.run import parse_mqsim
from venice.mqsim.run import Mqsim

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from venice.mqsim.bench import BenchCase

    from .conftest import Outcome

SUMMARY = """\
Flow Host.IO_Flow.Synth.No_0 - total requests generated: 300 total requests serviced:300
                   - device response time: 100 (us) end-to-end request delay:101 (us)
Flow Host.IO_Flow.Synth.No_1 - total requests generated: 100 total requests serviced:100
                   - device response time: 500 (us) end-to-end request delay:501 (us)
Simulation complete; Press any key to exit.
"""
STAND_IN = """\
#!/bin/sh
test "$1 $2 $3 $4" = "-i ssdconfig.xml -w workload.xml" || exit 9
asked='s/<Total_Requests_To_Generate>\\(.*\\)<.*/\\1/p'
count=0
for share in $(sed -n "$asked" workload.xml); do count=$((count + share)); done
echo "Flow 0 - total requests generated: $count total requests serviced:$count"
echo "    - device response time: 120 (us) end-to-end request delay:120 (us)"
"""


@pytest.fixture
def binary(tmp_path: Path) -> Callable[[str], Path]:
    """Write a script that stands in for MQSim's binary."""

    def write(script: str) -> Path:
        path = tmp_path / "MQSim"
        path.write_text(script)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    return write


def test_requests_and_their_mean_are_those_of_all_flows() -> None:
    work = parse_mqsim(SUMMARY)
    assert (work.requests, work.mean_us) == (400, (300 * 100 + 100 * 500) / 400)


def test_requests_that_mqsim_leaves_unserved_are_a_failure() -> None:
    with pytest.raises(SimulationError, match="399 of 400 requests served"):
        parse_mqsim(SUMMARY.replace("serviced:100", "serviced:99"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_tag_of_a_case_is_known_and_all_its_requests_run(
    case: BenchCase, tmp_path: Path
) -> None:
    case.write(tmp_path, 203)
    files = Mqsim(tmp_path / "ssdconfig.xml", tmp_path / "workload.xml")
    assert not [text for _, text in files.remarks([0]) if "mean `" in text or "ignored" in text]
    report = files.run(0)
    assert report.requests.completed == 203
    assert report.flash.reads + report.flash.programs > 0


def test_the_cases_are_the_ones_that_are_documented(tmp_path: Path) -> None:
    found = {}
    for case in CASES:
        case.write(tmp_path, 400)
        report = Mqsim(tmp_path / "ssdconfig.xml", tmp_path / "workload.xml").run(0)
        found[case.name] = (
            report.requests.reads,
            len(report.queues),
            report.config.cache.mode,
            report.config.ftl.mapping,
        )
    assert found["random-read"] == (400, 1, "off", "ideal")
    assert found["random-write"] == (0, 1, "off", "ideal")
    assert found["mapping"][1:] == (1, "off", "cached")
    assert 240 < found["mapping"][0] < 320
    assert found["write-cache"] == (0, 1, "write", "cached")
    assert found["two-flows"] == (200, 2, "off", "ideal")


def test_the_programs_take_turns_at_going_first() -> None:
    assert program_order(0) == [Program.MQSIM, Program.VENICE]
    assert program_order(1) == [Program.VENICE, Program.MQSIM]


def test_every_run_is_counted(binary: Callable[[str], Path]) -> None:
    reported = []
    comparison = bench(
        binary(STAND_IN),
        cases=["two-flows", "mapping"],
        requests=101,
        repetitions=2,
        on_result=lambda case, repetition, program, _: reported.append(
            (case.name, repetition, program)
        ),
    )
    first, then = Program.MQSIM, Program.VENICE
    assert reported == [
        ("two-flows", 0, first),
        ("two-flows", 0, then),
        ("mapping", 0, first),
        ("mapping", 0, then),
        ("two-flows", 1, then),
        ("two-flows", 1, first),
        ("mapping", 1, then),
        ("mapping", 1, first),
    ]
    flows = comparison.cases[0]
    assert [run.work.requests for run in flows.runs[first]] == [101, 101]
    assert flows.runs[first][0].work.mean_us == 120
    least = min(run.used.wall_s for run in flows.runs[first])
    assert flows.wall_s(first) == least
    assert flows.speed_up == least / flows.wall_s(then)
    assert all(run.used.memory_mb > 1 for runs in flows.runs.values() for run in runs)
    product = comparison.cases[0].speed_up * comparison.cases[1].speed_up
    assert comparison.speed_up == pytest.approx(product**0.5)


def test_the_table_has_a_row_for_each_case_and_the_json_every_run(
    binary: Callable[[str], Path], tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    binary(STAND_IN)
    arguments = "bench-mqsim --mqsim ./MQSim --case random-read --requests 50 --repetitions 2"
    outcome = venice(*arguments.split(), "--json", "out.json")
    assert outcome.code == 0, outcome.stderr
    rows = [line.split() for line in outcome.stdout.splitlines() if "×" in line]
    assert rows[0][0] == "random-read"
    assert "random-read, repetition 2: Venice" in outcome.message
    found = json.loads((tmp_path / "out.json").read_text())
    (case,) = found["cases"]
    assert (case["mqsim"]["requests"], case["venice"]["requests"]) == (50, 50)
    assert len(case["mqsim"]["wall_s"]) == len(case["venice"]["wall_s"]) == 2
    assert found["speed_up_geometric_mean"] == pytest.approx(case["speed_up"])


@pytest.mark.parametrize(
    ("script", "code", "message"),
    [
        ("#!/bin/sh\necho ERROR:no such tag\nexit 1\n", 1, "exit code 1; its last words: ERROR:no"),
        ("#!/bin/sh\nkill -9 $$\n", 1, "MQSim was ended by signal 9"),
        ("#!/bin/sh\necho hello\n", 1, "without MQSim's summary"),
        ("no program\n", 1, "MQSim could not be started"),
        (
            STAND_IN.replace("count=0", "count=1"),
            1,
            "MQSim served 51 requests of case `random-read`",
        ),
    ],
)
def test_a_binary_that_fails_ends_in_one_clear_message(
    binary: Callable[[str], Path],
    script: str,
    code: int,
    message: str,
    venice: Callable[..., Outcome],
) -> None:
    binary(script)
    outcome = venice("bench-mqsim", "--mqsim", "MQSim", "--requests", "50", "--repetitions", "1")
    assert (outcome.code, outcome.stdout) == (code, "")
    assert message in outcome.message
    assert "Traceback" not in outcome.message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--mqsim nowhere/MQSim", "there is no file `nowhere/MQSim`"),
        ("--mqsim notes.txt", "`notes.txt` cannot be executed"),
        (
            "--mqsim MQSim --case sequential",
            "there is no case `sequential`; expected: one of random-read",
        ),
        ("--mqsim MQSim --requests 0", "is 0; expected: 1 or more"),
        ("--mqsim MQSim --json no/out.json", "does not exist"),
        ("", "missing option `--mqsim`"),
    ],
)
def test_a_wrong_request_ends_in_one_clear_message(
    binary: Callable[[str], Path],
    tmp_path: Path,
    arguments: str,
    message: str,
    venice: Callable[..., Outcome],
) -> None:
    binary(STAND_IN)
    (tmp_path / "notes.txt").write_text("not a program\n")
    outcome = venice("bench-mqsim", *arguments.split())
    assert (outcome.code, outcome.stdout) == (2, "")
    assert message in outcome.message
    assert "Traceback" not in outcome.message


def test_a_case_that_there_is_not_is_refused_before_any_run(
    binary: Callable[[str], Path],
) -> None:
    with pytest.raises(UsageError, match="no case"):
        bench(binary("#!/bin/sh\nexit 1\n"), cases=["x"])
