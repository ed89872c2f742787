"""MQSim's result file and response-time logs, written for a run of Venice.

The elements and attributes are those that MQSim writes (Tavakkol et al., FAST 2018; commit
7ec40e3), in its order and its units: whole microseconds, bytes, counts of commands. Figures that
Venice does not measure are absent.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from venice.report.work import flash_of_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from venice.observation.table import Table
    from venice.report import Report

_US_PER_S = 1e6
_PS_PER_US = 1_000_000
_PS_PER_NS = 1_000

Values = dict[str, str]
"""Values by name: those of a flow, or the attributes of an element."""


class Flow(NamedTuple):
    """Results of a flow, with its name in MQSim's result file."""

    number: int
    name: str


def result_xml(report: Report, names: Sequence[str]) -> str:
    """Return the text of MQSim's result file.

    Parameters
    ----------
    report
        Report of the run. Queues and chips are absent unless the run had `watch_chips`.
    names
        Names of the scenario's flows in MQSim's result file, in their order.
    """
    lines = ['<?xml version="1.0" encoding="us-ascii"?>', "<MQSim_Results>", "\t<Host>"]
    queues = {queue.queue: queue for queue in report.queues}
    for number, name in enumerate(names):
        flow = _flow(Flow(number, name), queues.get(number), report.makespan_us)
        lines += _element("Host.IO_Flow", flow, depth=2)
    lines += ["\t</Host>", "\t<SSDDevice>", "\t\t<SSDDevice.HostInterface>"]
    lines.append(_value("Name", "SSDDevice.HostInterface", 3))
    for number in range(len(names)):
        lines += _element("SSDDevice.IO_Stream", _stream(number, queues.get(number)), depth=3)
    lines.append("\t\t</SSDDevice.HostInterface>")
    lines.append(f"\t\t<SSDDevice.FTL {_attributes(_ftl(report))}/>")
    if chips := report.get("chips"):
        lines += [
            "\t\t<SSDDevice.TSU>",
            *_queues(chips, report.config["ftl"]),
            "\t\t</SSDDevice.TSU>",
        ]
        lines += [f"\t\t<SSDDevice.FlashChips {_attributes(_chip(chip))}/>" for chip in chips]
    lines += ["\t</SSDDevice>", "</MQSim_Results>"]
    return "\n".join(lines) + "\n"


def _element(name: str, values: Values, *, depth: int) -> list[str]:
    tabs = "\t" * depth
    inner = [_value(key, value, depth + 1) for key, value in values.items()]
    return [f"{tabs}<{name}>", *inner, f"{tabs}</{name}>"]


def _value(name: str, value: str, depth: int) -> str:
    """Return a line with a value, indented as by MQSim."""
    return "\t" * (depth + 1) + f" <{name}>{escape(value, quote=False)}</{name}>"


def _attributes(values: Values) -> str:
    return " ".join(f'{key}="{escape(value)}"' for key, value in values.items())


def _flow(flow: Flow, queue: Any, makespan_us: float) -> Values:  # noqa: ANN401 a part of a report
    host = queue.latency_us if queue else None
    counts = {key: host[key]["count"] if host else 0 for key in ("all", "read", "write")}
    read, written = (queue.read_bytes, queue.written_bytes) if queue else (0, 0)
    moved = {"all": read + written, "read": read, "write": written}
    per_second = _US_PER_S / makespan_us if makespan_us else 0.0
    kinds = (("", "all"), ("_Read", "read"), ("_Write", "write"))
    values = {"Name": flow.name, "Request_Count": str(counts["all"])}
    values["Read_Request_Count"] = str(counts["read"])
    values["Write_Request_Count"] = str(counts["write"])
    values |= {f"IOPS{end}": f"{counts[kind] * per_second:.6f}" for end, kind in kinds}
    values |= {f"Bytes_Transferred{end}": f"{moved[kind]:.6f}" for end, kind in kinds}
    values |= {f"Bandwidth{end}": f"{moved[kind] * per_second:.6f}" for end, kind in kinds}
    if queue and host:
        device = queue.device_latency_us["all"]
        values |= _times("Device_Response_Time", device, queue.min_device_latency_us)
        values |= _times("End_to_End_Request_Delay", host["all"], queue.min_latency_us)
    return values


def _times(name: str, figures: Mapping[str, float], least_us: float) -> Values:
    return {
        name: _whole(figures["mean"]),
        f"Min_{name}": _whole(least_us),
        f"Max_{name}": _whole(figures["max"]),
    }


def _whole(us: float) -> str:
    """Return a time in whole microseconds, rounded down as by MQSim."""
    return str(int(us))


def _stream(number: int, queue: Any) -> Values:  # noqa: ANN401 a part of a report
    """Return the mean times of a flow's flash transactions, without values if there are none."""
    values = {"Stream_ID": str(number)}
    for operation, name in (("read", "Read"), ("write", "Write")):
        pages = (queue.pages if queue else {}).get(operation)
        if not pages:
            continue
        start = f"Average_{name}_Transaction"
        waiting = pages["turnaround_us"] - pages["array_us"] - pages["transfer_us"]
        values[f"{start}_Turnaround_Time"] = _whole(pages["turnaround_us"])
        values[f"{start}_Execution_Time"] = _whole(pages["array_us"])
        values[f"{start}_Transfer_Time"] = _whole(pages["transfer_us"])
        values[f"{start}_Waiting_Time"] = _whole(waiting)
    return values


def _ftl(report: Report) -> Values:
    """Return the numbers of commands, single-plane and multi-plane separately, as MQSim does."""
    # MQSim's counts include the work after the last completion, until the drive is idle.
    flash, mapping = flash_of_run(report), report.mapping
    counts: dict[str, int] = {}
    for name, commands, several in (
        ("Read", flash["read_commands"], flash["multiplane_reads"]),
        ("Program", flash["program_commands"], flash["multiplane_programs"]),
        ("Erase", flash["erase_commands"], flash["multiplane_erases"]),
    ):
        counts[f"Issued_Flash_{name}_CMD"] = commands - several
        counts[f"Issued_Flash_Multiplane_{name}_CMD"] = several
    counts["Issued_Flash_Suspend_Program_CMD"] = flash["suspended_programs"]
    counts["Issued_Flash_Suspend_Erase_CMD"] = flash["suspended_erases"]
    counts["Issued_Flash_Read_CMD_For_Mapping"] = flash["mapping_reads"]
    counts["Issued_Flash_Program_CMD_For_Mapping"] = flash["mapping_write_backs"]
    lookups = {
        "CMT_Hits": (mapping.hits, mapping.read_hits),
        "CMT_Misses": (mapping.misses, mapping.read_misses),
        "Total_CMT_Queries": (
            mapping.hits + mapping.misses,
            mapping.read_hits + mapping.read_misses,
        ),
    }
    for name, (all_, reads) in lookups.items():
        plural = "s" if name == "Total_CMT_Queries" else ""
        counts[name] = all_
        counts[f"{name}_For_Read{plural}"] = reads
        counts[f"{name}_For_Write{plural}"] = all_ - reads
    values = {key: str(count) for key, count in counts.items()}
    for key, runs, moves in (
        ("GC", flash["gc_executions"], flash["gc_moves"]),
        ("WL", flash["wear_executions"], flash["wear_moves"]),
    ):
        values[f"Total_{key}_Executions"] = str(runs)
        if runs:
            values[f"Average_Page_Movement_For_{key}"] = f"{moves / runs:.6f}"
    return values


_QUEUES = {
    "host_reads": "User_Read",
    "host_writes": "User_Write",
    "mapping_reads": "Mapping_Read",
    "mapping_writes": "Mapping_Write",
    "gc_reads": "GC_Read",
    "gc_writes": "GC_Write",
    "erases": "GC_Erase",
}
"""Names of a chip's queues in MQSim's result file, in its order."""


def _queues(chips: Sequence[Any], ftl: Mapping[str, Any]) -> Iterator[str]:
    """Yield the elements of the transaction queues, by kind and chip.

    MQSim's queues of mapping writes fill up and are never served; they are absent if Venice writes
    no mapping pages either.
    """
    without = {"mapping_writes"} if ftl["mapping_writeback"] == "read_only" else set()
    for work, name in _QUEUES.items():
        of_all = [] if work in without else chips
        for chip in of_all:
            for queue in chip["queues"]:
                if queue["work"] == work:
                    yield _queue(f"{name}_TR_Queue", _place(chip), queue)


def _queue(name: str, place: str, queue: Mapping[str, Any]) -> str:
    priority = queue.get("priority", "").upper()
    values = {
        "Name": f"{name}{place}@{priority}" if priority else name + place,
        "No_Of_Transactions_Enqueued": str(queue["enqueued"]),
        "No_Of_Transactions_Dequeued": str(queue["dequeued"]),
        "Avg_Queue_Length": f"{queue['mean_length']:.6f}",
        "Max_Queue_Length": str(queue["max_length"]),
        "STDev_Queue_Length": f"{queue['stdev_length']:.6f}",
    }
    if queue["dequeued"]:
        values["Avg_Transaction_Waiting_Time"] = _whole(queue["mean_wait_us"])
        values["Max_Transaction_Waiting_Time"] = _whole(queue["max_wait_us"])
    tag = f"SSDDevice.TSU.{name}" + (f".Priority.{priority}" if priority else "")
    return f"\t\t\t<{tag} {_attributes(values)}/>"


def _place(chip: Mapping[str, Any]) -> str:
    return f"@{chip['row']}@{chip['col']}"


def _chip(chip: Mapping[str, Any]) -> Values:
    fractions = {
        "in_Execution": "array_pct",
        "in_DataXfer": "transfer_pct",
        "in_DataXfer_and_Execution": "array_and_transfer_pct",
        "Idle": "idle_pct",
    }
    values = {"ID": _place(chip)}
    return values | {
        f"Fraction_of_Time_{name}": f"{chip[key] / 100:.6f}" for name, key in fractions.items()
    }


class ResponseTimeLogs:
    """Writer of MQSim's response-time logs, one for each flow, from the table of requests.

    At the first completion after each period, a line has the time, and the mean device response
    time and end-to-end delay of the requests completed since the previous line, in whole
    microseconds.

    Parameters
    ----------
    files
        Open file of each flow; not closed.
    period_ns
        Minimum time between two lines [ns].
    """

    columns = ("queue", "arrival_ps", "fetched_ps", "completed_ps")
    """Columns of the request table that the log needs."""

    def __init__(self, files: Sequence[TextIO], period_ns: int) -> None:
        self._logs = [_ResponseTimeLog(file, period_ns * _PS_PER_NS) for file in files]

    def __call__(self, rows: Table) -> None:
        """Add a table of completed requests."""
        queue, *keys = self.columns
        times = [memoryview(rows.to_bytes(key)).cast("Q") for key in keys]
        flows = memoryview(rows.to_bytes(queue)).cast("H")
        for flow, arrival_ps, fetched_ps, completed_ps in zip(flows, *times, strict=True):
            self._logs[flow].add(completed_ps, completed_ps - fetched_ps, completed_ps - arrival_ps)


class _ResponseTimeLog:
    def __init__(self, file: TextIO, period_ps: int) -> None:
        self._file = file
        self._period_ps = period_ps
        self._next_ps = period_ps
        self._sums = [0, 0, 0]
        file.write("SimulationTime(us)\tReponseTime(us)\tEndToEndDelay(us)\n")

    def add(self, now_ps: int, device_ps: int, host_ps: int) -> None:
        self._sums = [self._sums[0] + 1, self._sums[1] + device_ps, self._sums[2] + host_ps]
        if now_ps > self._next_ps:
            count, device, host = self._sums
            means = (device // count // _PS_PER_US, host // count // _PS_PER_US)
            self._file.write(f"{now_ps // _PS_PER_US}\t{means[0]}\t{means[1]}\n")
            self._sums = [0, 0, 0]
            self._next_ps = now_ps + self._period_ps
