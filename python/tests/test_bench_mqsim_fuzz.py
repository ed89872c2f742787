"""``venice bench-mqsim --fuzz``: random files, and reduction of the cases that differ."""

from __future__ import annotations

import json
import sys
from random import Random
from typing import TYPE_CHECKING

from venice.mqsim.bench.fuzz import fuzz
from venice.mqsim.bench.random_cases import DrawnCase, draw, smaller
from venice.mqsim.run import Mqsim

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

STAND_IN = """#!{python}
# Answers with this program's own results, but for mean times of flows of writes alone.
import pathlib, re, sys
from venice.mqsim.run import Mqsim
from venice.mqsim.result_files import result_xml
files = Mqsim("ssdconfig.xml", "workload.xml")
report = files.run(0)
text = result_xml(report, files.result_names(0))
if {fails}:
    sys.exit(1)
if {differs}:
    def off(match):
        flow = match.group(0)
        if "<Read_Request_Count>0<" not in flow:
            return flow
        later = lambda m: f"{{m.group(1)}}{{int(m.group(2)) * 2}}<"
        return re.sub(r"(<Device_Response_Time>)(\\d+)<", later, flow)
    text = re.sub(r"(?s)<Host.IO_Flow>.*?</Host.IO_Flow>", off, text)
pathlib.Path("workload_scenario_1.xml").write_text(text)
for queue in report.queues:
    n = queue.latency_us["all"]["count"]
    print(f"Flow - total requests generated: {{n}} total requests serviced:{{n}}")
"""


def stand_in(folder: Path, *, differs: bool, fails: bool = False) -> Path:
    path = folder / "MQSim"
    path.write_text(STAND_IN.format(python=sys.executable, differs=differs, fails=fails))
    path.chmod(0o755)
    return path


def drawn(count: int) -> list[DrawnCase]:
    random = Random(3)  # noqa: S311 no secret
    return [draw(random, number) for number in range(count)]


def test_equal_seeds_draw_equal_cases() -> None:
    assert drawn(40) == drawn(40)


def test_pictures_are_readable_and_span_the_data(tmp_path: Path) -> None:
    cases = drawn(80)
    for case in cases:
        case.write(tmp_path)
        files = Mqsim(tmp_path / "ssdconfig.xml", tmp_path / "workload.xml")
        assert files.flows == [len(case.flows)]
        files.check(0)
    assert {len(case.flows) for case in cases} == {1, 2, 3, 4}
    for tag in ("HostInterface_Type", "Transaction_Scheduling_Policy", "Enabled_Preconditioning"):
        assert len({case.device[tag] for case in cases}) == 2, tag
    assert any(any(case.traces) for case in cases)


def test_smaller_cases_are_simpler_each_in_one_respect() -> None:
    for case in drawn(20):
        for less in smaller(case):
            assert less != case
            assert len(less.flows) <= len(case.flows)
            assert len(less.flows) == len(less.traces)


def test_equal_results_of_both_programs_agree(tmp_path: Path) -> None:
    result = fuzz(stand_in(tmp_path, differs=False), 3, seed=2)
    assert len(result.verdicts) == 3
    assert not result.differing


def test_a_difference_is_found_and_shrunk_to_what_shows_it(tmp_path: Path) -> None:
    result = fuzz(stand_in(tmp_path, differs=True), 4, seed=8)
    assert result.differing, "no case of the four has a flow of writes alone"
    for verdict in result.differing:
        least = result.smallest[verdict.case.name].case
        assert len(least.flows) == 1
        assert least.flows[0].get("Read_Percentage", 0) == 0
        assert least.device["Plane_Allocation_Scheme"] == "CWDP"
        assert least.device["Enabled_Preconditioning"] == "false"
    shown = json.loads(result.to_json())["cases"]
    assert sum(1 for case in shown if case["outside"]) == len(result.differing)


def test_cases_that_mqsim_does_not_serve_are_left_out(tmp_path: Path) -> None:
    seen: list[str] = []

    def stop(text: str) -> None:
        seen.append(text)
        if len(seen) == 2:
            stand_in(tmp_path, differs=False)

    result = fuzz(stand_in(tmp_path, differs=False, fails=True), 1, seed=2, on_result=stop)
    assert len(result.failed) == 2
    assert "MQSim ended with code 1" in seen[0]
    assert len(result.verdicts) == 1


def test_mqsim_has_so_much_time_of_the_processor_and_may_wait_longer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("venice.mqsim.bench.fuzz.TIME_LIMIT_S", 1)
    path = tmp_path / "MQSim"
    seen: list[str] = []

    def reported(text: str) -> None:
        seen.append(text)
        stand_in(tmp_path, differs=False)
        late = path.read_text().replace(
            "import pathlib", "import time\ntime.sleep(1.5)\nimport pathlib"
        )
        path.write_text(late)

    path.write_text(f"#!{sys.executable}\nwhile True:\n    pass\n")
    path.chmod(0o755)
    result = fuzz(path, 1, seed=2, on_result=reported)
    assert "took more than 1 s of the processor" in seen[0]
    assert len(result.verdicts) == 1
