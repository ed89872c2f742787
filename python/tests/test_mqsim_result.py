"""Result file and logs in MQSim's formats, read as scripts for MQSim read them."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from .test_mqsim import config_text, workload_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome


def tree(path: Path) -> ET.Element:
    return ET.parse(path).getroot()  # noqa: S314 our own file


HOST = """<Host_Parameter_Set><Enable_ResponseTime_Logging>true</Enable_ResponseTime_Logging>
<ResponseTime_Logging_Period_Length>1000000</ResponseTime_Logging_Period_Length>
</Host_Parameter_Set>"""


@pytest.fixture
def ran(tmp_path: Path, venice: Callable[..., Outcome]) -> Path:
    """Run two flows, the second with writes only, and write all optional files."""
    config = config_text().replace("<Device_Parameter_Set>", f"{HOST}<Device_Parameter_Set>", 1)
    (tmp_path / "ssdconfig.xml").write_text(config)
    flows: list[dict[str, object]] = [{"Seed": 5}, {"Seed": 6, "Read_Percentage": 0}]
    (tmp_path / "load.xml").write_text(workload_text(flows))
    outcome = venice(
        *("mqsim", "--config", str(tmp_path / "ssdconfig.xml")),
        *("--workload", str(tmp_path / "load.xml"), "--xml", str(tmp_path)),
        *("--json", str(tmp_path / "report.json")),
    )
    assert outcome.code == 0, outcome
    return tmp_path


def test_the_result_file_has_the_figures_of_each_flow(ran: Path) -> None:
    root = tree(ran / "load_scenario_1.xml")
    (report,) = json.loads((ran / "report.json").read_text())
    flows = root.findall("Host/Host.IO_Flow")
    assert [flow.findtext("Name") for flow in flows] == [
        "Host.IO_Flow.Synth.No_0",
        "Host.IO_Flow.Synth.No_1",
    ]
    for flow, queue in zip(flows, report["queues"], strict=True):
        times = queue["device_latency_us"]["all"]
        assert int(flow.findtext("Device_Response_Time", "")) == int(times["mean"])
        assert int(flow.findtext("Max_Device_Response_Time", "")) == int(times["max"])
        assert 0 < int(flow.findtext("Min_Device_Response_Time", "")) <= times["p50"]
        seconds = report["makespan_us"] / 1e6
        assert float(flow.findtext("IOPS", "")) == pytest.approx(500 / seconds)
        assert float(flow.findtext("Bytes_Transferred", "")) == 500 * 8 * 512
    reads = [int(flow.findtext("Read_Request_Count", "")) for flow in flows]
    assert 300 < reads[0] < 400
    assert reads[1] == 0
    assert float(flows[1].findtext("Bandwidth_Read", "")) == 0.0


def test_what_a_flow_has_not_done_is_absent(ran: Path) -> None:
    root = tree(ran / "load_scenario_1.xml")
    streams = root.findall("SSDDevice/SSDDevice.HostInterface/SSDDevice.IO_Stream")
    assert streams[0].find("Average_Read_Transaction_Execution_Time") is not None
    assert streams[1].find("Average_Read_Transaction_Execution_Time") is None
    whole = int(streams[1].findtext("Average_Write_Transaction_Turnaround_Time", ""))
    parts = ("Execution", "Transfer", "Waiting")
    sums = [streams[1].findtext(f"Average_Write_Transaction_{part}_Time", "") for part in parts]
    assert whole - 3 < sum(map(int, sums)) <= whole
    ftl = root.find("SSDDevice/SSDDevice.FTL")
    assert ftl is not None
    assert ftl.get("Average_Page_Movement_For_GC") is None
    queues = {queue.get("Name"): queue for queue in root.findall("SSDDevice/SSDDevice.TSU/*")}
    erases = queues["GC_Erase_TR_Queue@0@0"]
    assert erases.get("No_Of_Transactions_Enqueued") == "0"
    assert erases.get("Avg_Transaction_Waiting_Time") is None
    assert not [name for name in queues if str(name).startswith("Mapping_Write")]


def test_commands_and_look_ups_add_up(ran: Path) -> None:
    (report,) = json.loads((ran / "report.json").read_text())
    ftl = tree(ran / "load_scenario_1.xml").find("SSDDevice/SSDDevice.FTL")
    assert ftl is not None
    counts = {key: int(value) for key, value in ftl.items()}
    for name, pages in (("Read", "reads"), ("Program", "programs")):
        single = counts[f"Issued_Flash_{name}_CMD"]
        double = counts[f"Issued_Flash_Multiplane_{name}_CMD"]
        assert single + 2 * double == report["flash"][pages]
    assert counts["CMT_Hits_For_Read"] + counts["CMT_Hits_For_Write"] == counts["CMT_Hits"]
    assert counts["Total_CMT_Queries"] == 1000


def test_queues_and_chips_are_those_of_the_report_and_add_up(ran: Path) -> None:
    (report,) = json.loads((ran / "report.json").read_text())
    root = tree(ran / "load_scenario_1.xml")
    queues = root.findall("SSDDevice/SSDDevice.TSU/SSDDevice.TSU.User_Write_TR_Queue")
    places = ["@0@0", "@0@1", "@1@0", "@1@1"]
    assert [queue.get("Name") for queue in queues] == [
        f"User_Write_TR_Queue{place}" for place in places
    ]
    written = sum(int(queue.get("No_Of_Transactions_Dequeued", "")) for queue in queues)
    assert written == report["flash"]["programs"]
    for queue in queues:
        waits_us = float(queue.get("Avg_Transaction_Waiting_Time", "")) * int(
            queue.get("No_Of_Transactions_Dequeued", "")
        )
        # Little's law; waits are whole microseconds.
        length = float(queue.get("Avg_Queue_Length", ""))
        slack = int(queue.get("No_Of_Transactions_Dequeued", "")) + 1
        assert 0 <= length * report["energy_window_us"] - waits_us <= slack
        assert (
            0 < float(queue.get("STDev_Queue_Length", "")) < int(queue.get("Max_Queue_Length", ""))
        )
    chips = list(root.iter("SSDDevice.FlashChips"))
    assert [chip.get("ID") for chip in chips] == places
    shares = ("in_Execution", "in_DataXfer", "in_DataXfer_and_Execution", "Idle")
    for chip in chips:
        array, transfer, both, idle = (
            float(chip.get(f"Fraction_of_Time_{share}", "")) for share in shares
        )
        assert array + transfer - both + idle == pytest.approx(1.0, abs=3e-6)
        assert both == 0.0, "in MQSim's drives a chip does one thing at a time"
        assert 0 < transfer < array


def test_with_classes_the_hosts_queues_are_by_priority(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    config = config_text(Transaction_Scheduling_Policy="PRIORITY_OUT_OF_ORDER")
    (tmp_path / "ssdconfig.xml").write_text(config)
    (tmp_path / "load.xml").write_text(workload_text([{}, {"Seed": 6, "Priority_Class": "LOW"}]))
    outcome = venice(
        *("mqsim", "--config", str(tmp_path / "ssdconfig.xml")),
        *("--workload", str(tmp_path / "load.xml"), "--xml", str(tmp_path)),
    )
    assert outcome.code == 0, outcome
    tsu = tree(tmp_path / "load_scenario_1.xml").find("SSDDevice/SSDDevice.TSU")
    assert tsu is not None
    classes = ("URGENT", "HIGH", "MEDIUM", "LOW")
    assert [queue.tag for queue in tsu][:4] == [
        f"SSDDevice.TSU.User_Read_TR_Queue.Priority.{name}" for name in classes
    ]
    served = {
        name: sum(
            int(queue.get("No_Of_Transactions_Dequeued", ""))
            for queue in tsu.iter(f"SSDDevice.TSU.User_Read_TR_Queue.Priority.{name}")
        )
        for name in classes
    }
    assert served["URGENT"] == served["MEDIUM"] == 0
    assert served["HIGH"] > 300
    assert served["LOW"] > 300


def test_it_is_read_as_scripts_read_mqsims_results(ran: Path) -> None:
    """Such scripts search the file for flows, read numbers by tag, and add up commands by name."""
    root = tree(ran / "load_scenario_1.xml")
    (report,) = json.loads((ran / "report.json").read_text())
    tags = (
        "Request_Count",
        "IOPS",
        "Bandwidth",
        "Device_Response_Time",
        "Max_Device_Response_Time",
    )
    flows = [
        {tag: float(flow.findtext(tag, "x")) for tag in tags}
        for flow in root.findall(".//Host.IO_Flow")
    ]
    assert [flow["Request_Count"] for flow in flows] == [500, 500]
    ftl = root.find("SSDDevice/SSDDevice.FTL")
    assert ftl is not None
    reads = sum(
        int(value) for key, value in ftl.items() if "Read_CMD" in key and "For_Mapping" not in key
    )
    assert reads == report["flash"]["read_commands"]
    chips = root.findall("SSDDevice/SSDDevice.FlashChips")
    shares = [float(chip.get("Fraction_of_Time_in_Execution", "x")) for chip in chips]
    assert len(shares) == 4
    assert all(0 < share <= 1 for share in shares)


def test_each_flow_has_a_log_with_a_line_for_each_period(ran: Path) -> None:
    (report,) = json.loads((ran / "report.json").read_text())
    for flow, queue in enumerate(report["queues"]):
        head, *lines = (ran / f"load.IO_Flow.No_{flow}.log").read_text().splitlines()
        assert head == "SimulationTime(us)\tReponseTime(us)\tEndToEndDelay(us)"
        rows = [tuple(map(int, line.split("\t"))) for line in lines]
        times = [row[0] for row in rows]
        assert all(after - before >= 1000 for before, after in pairwise(times))
        assert len(rows) > report["makespan_us"] / 1000 / 3
        assert max(row[1] for row in rows) <= queue["device_latency_us"]["all"]["max"]
