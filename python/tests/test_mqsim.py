"""``venice mqsim`` and ``venice config import``: MQSim's own files are read without changes."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING

import pytest

import venice as api
from venice.cli.commands import VENICE
from venice.cli.options import Observing, RunFiles
from venice.mqsim.run import Mqsim, MqsimWarning, import_config, mqsim
from venice.papers.required_figures import require

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

DEVICE = {
    "Seed": 3,
    "Enabled_Preconditioning": "false",
    "Ideal_Mapping_Table": "true",
    "Preemptible_GC_Enabled": "false",
    "Flash_Channel_Count": 2,
    "Channel_Transfer_Rate": 500,
    "Chip_No_Per_Channel": 2,
}
FLASH = {
    "Die_No_Per_Chip": 1,
    "Plane_No_Per_Die": 2,
    "Block_No_Per_Plane": 64,
    "Page_No_Per_Block": 64,
    "Page_Capacity": 4096,
}
FLOW = {
    "Priority_Class": "HIGH",
    "Device_Level_Data_Caching_Mode": "TURNED_OFF",
    "Initial_Occupancy_Percentage": 70,
    "Working_Set_Percentage": 50,
    "Synthetic_Generator_Type": "QUEUE_DEPTH",
    "Read_Percentage": 70,
    "Address_Distribution": "RANDOM_UNIFORM",
    "Percentage_of_Hot_Region": 0,
    "Generated_Aligned_Addresses": "true",
    "Address_Alignment_Unit": 8,
    "Request_Size_Distribution": "FIXED",
    "Average_Request_Size": 8,
    "Variance_Request_Size": 0,
    "Seed": 798,
    "Average_No_of_Reqs_in_Queue": 4,
    "Stop_Time": 0,
    "Total_Requests_To_Generate": 500,
}
TRACE = """<IO_Scenario><IO_Flow_Parameter_Set_Trace_Based>
<File_Path>gone.trace</File_Path></IO_Flow_Parameter_Set_Trace_Based></IO_Scenario>
"""
LIST = """flow,op,arrival_ns,enqueue_ns,completion_ns,start_sector,sectors
0,W,1,1,900000,0,8
0,R,1,1,90000,8,8
0,R,5,5,95000,16,16
"""


def element(name: str, content: str) -> str:
    return f"<{name}>\n{content}</{name}>\n"


def tags(values: dict[str, object]) -> str:
    return "".join(f"<{tag}>{value}</{tag}>\n" for tag, value in values.items())


def config_text(**changes: object) -> str:
    device = tags({**DEVICE, **changes}) + element("Flash_Parameter_Set", tags(dict(FLASH)))
    return element("Execution_Parameter_Set", element("Device_Parameter_Set", device))


def workload_text(*scenarios: list[dict[str, object]]) -> str:
    written = [
        "".join(
            element("IO_Flow_Parameter_Set_Synthetic", tags({**FLOW, **flow})) for flow in flows
        )
        for flows in scenarios
    ]
    return element(
        "MQSim_IO_Scenarios", "".join(element("IO_Scenario", flows) for flows in written)
    )


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write a configuration, workloads of one and of two scenarios, and a list of requests."""
    (tmp_path / "ssdconfig.xml").write_text(config_text())
    (tmp_path / "workload.xml").write_text(workload_text([{}]))
    two = workload_text([{}], [{"Read_Percentage": 100}, {"Read_Percentage": 0}])
    (tmp_path / "two.xml").write_text(two)
    (tmp_path / "requests.csv").write_text(LIST)
    return tmp_path


@pytest.mark.usefixtures("files")
def test_every_scenario_runs_and_leaves_a_report(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    arguments = "mqsim --config ssdconfig.xml --workload two.xml --json out.json"
    outcome = venice(*arguments.split())
    assert outcome.code == 0, outcome.stderr
    reports = json.loads((tmp_path / "out.json").read_text())
    assert [report["requests"]["completed"] for report in reports] == [500, 1000]
    queues = [[queue["queue"] for queue in report["queues"]] for report in reports]
    assert queues == [[0], [0, 1]]
    second = reports[1]["queues"]
    assert [queue["latency_us"]["read"]["count"] for queue in second] == [500, 0]
    assert [queue["latency_us"]["write"]["count"] for queue in second] == [0, 500]


@pytest.mark.usefixtures("files")
def test_the_table_has_a_row_for_each_flow_and_operation(venice: Callable[..., Outcome]) -> None:
    arguments = "mqsim --config ssdconfig.xml --workload two.xml --scenario 2"
    outcome = venice(*arguments.split())
    assert outcome.code == 0, outcome.stderr
    rows = [line.split()[:3] for line in outcome.stdout.splitlines() if line.strip()[:1].isdigit()]
    assert rows == [["0", "read", "500"], ["1", "write", "500"]]
    assert "scenario 2 · makespan " in outcome.stdout
    assert "500 page reads" in outcome.stdout
    assert "500 page programs" in outcome.stdout


@pytest.mark.usefixtures("files")
def test_listed_requests_replace_the_generators(venice: Callable[..., Outcome]) -> None:
    arguments = "mqsim --config ssdconfig.xml --workload workload.xml --requests requests.csv"
    outcome = venice(*arguments.split(), "--json", "-")
    assert outcome.code == 0, outcome.stderr
    (report,) = json.loads(outcome.stdout)
    assert report["requests"] == {
        "submitted": 3,
        "completed": 3,
        "reads": 2,
        "writes": 1,
        "read_bytes": 12288,
        "written_bytes": 4096,
    }
    assert (report["flash"]["reads"], report["flash"]["programs"]) == (3, 1)
    assert report["workload"]["name"] == "requests.csv"
    assert not report["workload"]["synthetic"]


@pytest.mark.usefixtures("files")
def test_the_fabric_may_be_another_than_mqsims(venice: Callable[..., Outcome]) -> None:
    arguments = "mqsim --config ssdconfig.xml --workload workload.xml --fabric venice --json -"
    outcome = venice(*arguments.split())
    assert outcome.code == 0, outcome.stderr
    (report,) = json.loads(outcome.stdout)
    assert report["fabric"] == "venice"


@pytest.mark.usefixtures("files")
def test_the_same_files_give_the_same_report(tmp_path: Path) -> None:
    def reports() -> list[dict[str, object]]:
        found = mqsim(tmp_path / "ssdconfig.xml", tmp_path / "two.xml")
        return [{**report.to_dict(), "wall_s": 0} for report in found]

    assert reports() == reports()


@pytest.mark.usefixtures("files")
def test_a_stop_time_ends_a_flow(tmp_path: Path) -> None:
    stopped = workload_text([{"Stop_Time": 10_000_000, "Total_Requests_To_Generate": 0}])
    (tmp_path / "stopped.xml").write_text(stopped)
    (report,) = mqsim(tmp_path / "ssdconfig.xml", tmp_path / "stopped.xml")
    assert report.requests.submitted == report.requests.completed > 4
    assert 10_000 < report.makespan_us < 13_000


def test_flows_determine_the_modes_of_the_data_cache(files: Path) -> None:
    few: dict[str, object] = {"Read_Percentage": 0, "Total_Requests_To_Generate": 4}
    cached = {**few, "Device_Level_Data_Caching_Mode": "WRITE_CACHE"}
    (files / "both.xml").write_text(workload_text([few], [cached]))
    plain, quick = mqsim(files / "ssdconfig.xml", files / "both.xml")
    assert (plain.config.cache.mode, quick.config.cache.mode) == ("off", "write")
    assert require(plain.latency_us.write.mean) > 750
    assert require(quick.latency_us.write.mean) < 50


@pytest.mark.usefixtures("files")
def test_unsupported_settings_are_reported_and_the_run_continues(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    (tmp_path / "ssdconfig.xml").write_text(config_text(Channel_Transfer_Rate=400))
    arguments = "mqsim --config ssdconfig.xml --workload workload.xml"
    outcome = venice(*arguments.split())
    assert outcome.code == 0
    warnings = [line for line in outcome.stderr.splitlines() if line.startswith("warning: ")]
    assert len(warnings) == 1
    assert warnings[0].startswith("warning: ssdconfig.xml:8: Channel_Transfer_Rate = 400: ")
    assert "note: parameters without effect, as in MQSim" in outcome.message
    with pytest.warns(MqsimWarning, match="Channel_Transfer_Rate"):
        mqsim(tmp_path / "ssdconfig.xml", tmp_path / "workload.xml")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--config nowhere.xml --workload workload.xml", "no such file: `nowhere.xml`"),
        ("--config workload.xml --workload workload.xml", "`Execution_Parameter_Set` is missing"),
        ("--config ssdconfig.xml --workload workload.xml --scenario 2", "there is no scenario 2"),
        ("--config ssdconfig.xml --workload two.xml --requests requests.csv", "choose one with"),
        ("--config ssdconfig.xml --workload workload.xml --requests nowhere.csv", "file not found"),
        ("--config ssdconfig.xml --workload workload.xml --fabric idael", "mean `ideal`?"),
        ("--config ssdconfig.xml --workload trace.xml", "searched: `gone.trace`"),
        ("--config bad.xml --workload workload.xml", "`Page_Capacity` is `big`"),
        ("--config ssdconfig.xml --workload workload.xml --json no/out.json", "does not exist"),
    ],
)
def test_a_wrong_request_ends_in_one_clear_message(
    files: Path, arguments: str, message: str, venice: Callable[..., Outcome]
) -> None:
    (files / "trace.xml").write_text(workload_text([{}]).replace("</MQSim", TRACE + "</MQSim"))
    (files / "bad.xml").write_text(config_text().replace(">4096<", ">big<"))
    outcome = venice("mqsim", *arguments.split())
    assert (outcome.code, outcome.stdout) == (2, "")
    assert message in outcome.message
    assert "Traceback" not in outcome.message


def test_mqsim_takes_every_observing_option_of_run() -> None:
    shared = {one.name for kind in (Observing, RunFiles) for one in fields(kind)}
    shared |= {"warmup", "warmup_us", "until", "percentiles", "seed", "audit", "load_state"}
    for name in ("run", "mqsim"):
        assert shared <= {param.name for param in VENICE.load(name).params}


@pytest.mark.usefixtures("files")
def test_the_files_of_each_scenario_have_its_number(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    arguments = (
        "mqsim --config ssdconfig.xml --workload two.xml --json out.json --interval 20 "
        "--intervals-out series.csv --trace-events events.pftrace --request-log log.parquet "
        "--save-state drive.state --slowest 3 --distributions"
    )
    outcome = venice(*arguments.split())
    assert outcome.code == 0, outcome.stderr
    for stem, suffix in (
        ("series", "csv"),
        ("events", "pftrace"),
        ("log", "parquet"),
        ("drive", "state"),
    ):
        found = {path.name for path in tmp_path.glob(f"{stem}*.{suffix}")}
        assert found == {f"{stem}_scenario_1.{suffix}", f"{stem}_scenario_2.{suffix}"}
    for report in json.loads((tmp_path / "out.json").read_text()):
        assert min(report["time_series"]["flash"]["free_blocks"]) > 0
        assert len(report["slowest"]) == 3
        assert report["distributions"]
    assert outcome.stdout.count("dominant cause") == 2


@pytest.mark.usefixtures("files")
def test_the_files_of_a_single_scenario_keep_their_names(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    arguments = "mqsim --config ssdconfig.xml --workload two.xml --scenario 2"
    outcome = venice(*arguments.split(), "--interval", "9", "--intervals-out", "series.csv")
    assert outcome.code == 0, outcome.stderr
    assert (tmp_path / "series.csv").exists()


@pytest.mark.usefixtures("files")
def test_a_scenario_is_drawn_and_viewed_like_any_run(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    arguments = "mqsim --config ssdconfig.xml --workload workload.xml --interval 20"
    outcome = venice(*arguments.split(), "--plot", "run.svg", "--view", "run.html")
    assert outcome.code == 0, outcome.stderr
    assert "<svg" in (tmp_path / "run.svg").read_text()
    assert "The array at work" in (tmp_path / "run.html").read_text()


def test_warm_up_requests_of_a_scenario_are_not_measured(files: Path) -> None:
    whole = mqsim(files / "ssdconfig.xml", files / "workload.xml")[0]
    (measured,) = mqsim(files / "ssdconfig.xml", files / "workload.xml", warmup=100)
    assert (whole.requests.completed, measured.requests.completed) == (500, 400)
    assert [phase["name"] for phase in measured.to_dict()["phases"]] == ["warmup", "measure"]


@pytest.mark.usefixtures("files")
def test_the_table_of_flows_shows_the_requested_percentiles(
    venice: Callable[..., Outcome],
) -> None:
    arguments = "mqsim --config ssdconfig.xml --workload workload.xml --percentiles"
    outcome = venice(*arguments.split(), "90,99.9")
    (titles,) = (line for line in outcome.stdout.splitlines() if "operation" in line)
    words = "mean µs p90 µs p99.9 µs max µs"
    assert titles.split()[3:] == words.split()
    refused = venice(*arguments.split(), "95")
    assert (refused.code, refused.stdout) == (2, "")
    assert "50, 90, 99, 99.9 and 100" in refused.message


@pytest.mark.usefixtures("files")
def test_a_refused_file_is_reported_with_its_warnings(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    text = config_text(Flash_Chanel_Count=4).replace(">4096<", ">big<")
    (tmp_path / "ssdconfig.xml").write_text(text)
    outcome = venice("mqsim", "--config", "ssdconfig.xml", "--workload", "workload.xml")
    assert outcome.code == 2
    assert "`Page_Capacity` is `big`" in outcome.message
    assert "did you mean `Flash_Channel_Count`?" in outcome.message


def _of_the_device(text: str) -> object:
    """Return the drive without the classes of queues, which belong to the scenario."""
    drive = json.loads(text)
    drive["host"].pop("queue_priorities")
    return drive


def test_an_imported_drive_is_the_drive_that_is_run(
    files: Path, venice: Callable[..., Outcome]
) -> None:
    outcome = venice("config", "import", "ssdconfig.xml", "-o", "drive.toml")
    assert (outcome.code, outcome.stdout) == (0, ""), outcome.stderr
    assert outcome.stderr.startswith("note: ")
    imported = api.resolve(str(files / "drive.toml"))
    run = Mqsim(files / "ssdconfig.xml", files / "workload.xml").drive(0)
    assert _of_the_device(imported.to_json()) == _of_the_device(run.to_json())
    text = (files / "drive.toml").read_text()
    assert 'rows = { value = 2, source = "ssdconfig.xml, Flash_Channel_Count = 2" }' in text
    assert venice("config", "import", "ssdconfig.xml").stdout == text
    assert import_config(files / "ssdconfig.xml")[0].splitlines()[0] == text.splitlines()[0]
