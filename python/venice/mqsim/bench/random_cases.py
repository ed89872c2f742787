"""Random input files of MQSim, and smaller cases derived from them.

A case has the tags of the device, of the flash chips and of each flow, as in MQSim's files. The
cases cover the valid range of MQSim's parameters: one to sixteen channels, one to eight chips, one
to four dies and planes, pages of 4 to 32 KB, cells of one to three bits, the 24 orders of
allocation, both schedulers, six victim policies, all cache modes, both protocols, one to four flows
with separate resources and classes, traces, open loops, preconditioning.

Channel rates are chosen so that MQSim's rounding to whole nanoseconds hardly changes them. With
other rates the results of the programs differ by design, and Venice prints a warning.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import permutations
from typing import TYPE_CHECKING

from venice.mqsim.bench.cases import CONFIG, WORKLOAD

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from random import Random

    Value = str | int | float
    Tags = Mapping[str, Value]

FAMILIES = (
    ("plain", 12),
    ("cmt", 12),
    ("cache", 12),
    ("gc", 12),
    ("open", 10),
    ("sata", 8),
    ("preconditioned", 8),
    ("wild", 12),
    ("flows", 12),
)
"""Kinds of random cases, each with its weight out of 98."""

_RATES_MT_PER_S = (100, 200, 250, 333, 500, 1000)
_SECTOR_BYTES = 512
_TRACE = "input{}.trace"


@dataclass(frozen=True)
class DrawnCase:
    """Random case: the values of MQSim's tags."""

    name: str
    host: Tags
    device: Tags
    flash: Tags
    flows: tuple[Tags, ...]
    """Tags of each flow; a flow with `File_Path` replays a trace."""
    traces: tuple[tuple[str, ...], ...] = ()
    """Lines of each flow's trace, none for a synthetic flow."""

    def write(self, folder: Path) -> None:
        """Write MQSim's two input files, and the traces, to a folder."""
        device = _tags(self.device) + _element("Flash_Parameter_Set", _tags(self.flash))
        host = _element("Host_Parameter_Set", _tags(self.host))
        config = _element(
            "Execution_Parameter_Set", host + _element("Device_Parameter_Set", device)
        )
        flows = "".join(_element(f"IO_Flow_Parameter_Set_{kind(f)}", _tags(f)) for f in self.flows)
        workload = _element("MQSim_IO_Scenarios", _element("IO_Scenario", flows))
        (folder / CONFIG).write_text(config, encoding="ascii")
        (folder / WORKLOAD).write_text(workload, encoding="ascii")
        for number, lines in enumerate(self.traces):
            if lines:
                text = "".join(f"{line}\n" for line in lines)
                (folder / _TRACE.format(number)).write_text(text, encoding="ascii")

    def with_device(self, **tags: Value) -> DrawnCase:
        """Return a copy of the case with changed tags of the device."""
        return replace(self, device={**self.device, **tags})

    def with_flows(self, **tags: Value) -> DrawnCase:
        """Return a copy of the case with changed tags in each flow that has them."""
        changed = tuple(
            {**flow, **{tag: value for tag, value in tags.items() if tag in flow}}
            for flow in self.flows
        )
        return replace(self, flows=changed)


def kind(flow: Tags) -> str:
    """Return the kind of a flow, the suffix of its element's name."""
    return "Trace_Based" if "File_Path" in flow else "Synthetic"


def _element(name: str, content: str) -> str:
    return f"<{name}>\n{content}</{name}>\n"


def _tags(values: Tags) -> str:
    return "".join(f"<{tag}>{value}</{tag}>\n" for tag, value in values.items())


_HALF, _SOMETIMES, _RARELY = 0.5, 0.3, 0.2
"""Probabilities of drawing an optional element."""


def draw(random: Random, number: int) -> DrawnCase:
    """Return the random case with the given number."""
    families = [name for name, weight in FAMILIES for _ in range(weight)]
    family = random.choice(families)
    flash = _flash(random, family)
    device = _device(random, family, flash)
    most = {"flows": 4, "wild": 3, "cmt": 2, "cache": 2, "open": 3, "sata": 2}.get(family, 1)
    count = random.randint(2 if family == "flows" else 1, most)
    flows = tuple(_flow(random, family, flow, (device, flash)) for flow in range(count))
    traces = tuple(_trace(random, flow, (device, flash, count)) for flow in flows)
    host = {
        "PCIe_Lane_Bandwidth": random.choice((0.5, 1.0, 2.0)),
        "PCIe_Lane_Count": 4,
        "SATA_Processing_Delay": random.choice((5_000, 20_000, 50_000)),
    }
    return DrawnCase(f"{family}-{number}", host, device, flash, flows, traces)


def _flash(random: Random, family: str) -> Tags:
    read = random.choice((45_000, 50_000, 75_000))
    program = random.choice((300_000, 500_000, 650_000, 750_000))
    steps = random.choice((0, 5_000, 15_000)), random.choice((0, 300_000, 600_000))
    page = random.choice((4096, 8192, 8192, 16_384, 16_384, 32_768))
    return {
        "Flash_Technology": random.choice(("SLC", "MLC", "TLC")),
        "Page_Read_Latency_LSB": read,
        "Page_Read_Latency_CSB": read + steps[0],
        "Page_Read_Latency_MSB": read + 2 * steps[0],
        "Page_Program_Latency_LSB": program,
        "Page_Program_Latency_CSB": program + steps[1],
        "Page_Program_Latency_MSB": program + 2 * steps[1],
        "Block_Erase_Latency": random.choice((3_500_000, 3_800_000, 5_000_000, 10_000_000)),
        "Die_No_Per_Chip": random.choice((1, 1, 2, 4)),
        "Plane_No_Per_Die": random.choice((1, 2, 2, 4)),
        "Block_No_Per_Plane": 64 if family == "gc" else random.choice((128, 256, 512)),
        "Page_No_Per_Block": random.choice((64, 128, 256)),
        "Page_Capacity": page,
    }


def _device(random: Random, family: str, flash: Tags) -> Tags:
    has_table = family in {"cmt", "cache"} or (
        family in {"wild", "flows"} and random.random() < _HALF
    )
    is_small = family == "gc"
    dies = int(flash["Die_No_Per_Chip"]) * int(flash["Plane_No_Per_Die"])
    most = 2 if is_small or dies > 8 else 16  # noqa: PLR2004 so that a run stays short
    return {
        "Seed": random.randint(1, 1_000_000),
        "Enabled_Preconditioning": "true" if _fills(random, family) else "false",
        "HostInterface_Type": "SATA" if family == "sata" else "NVME",
        "IO_Queue_Depth": random.choice((256, 1024, 65_535)),
        "Queue_Fetch_Size": random.choice((16, 64, 512, 1024)),
        "Caching_Mechanism": "ADVANCED",
        "Data_Cache_Sharing_Mode": random.choice(("SHARED", "EQUAL_PARTITIONING")),
        "Data_Cache_Capacity": random.choice((1, 2, 8, 32, 128)) << 19,
        "Data_Cache_DRAM_Row_Size": random.choice((4096, 8192, 16_384)),
        "Data_Cache_DRAM_Data_Rate": random.choice((800, 1600, 2400)),
        "Data_Cache_DRAM_Data_Busrt_Size": random.choice((4, 8)),
        "Ideal_Mapping_Table": "false" if has_table else "true",
        "CMT_Capacity": random.choice((4, 16, 64, 256, 2048)) << 10,
        "CMT_Sharing_Mode": random.choice(("SHARED", "EQUAL_PARTITIONING")),
        "Plane_Allocation_Scheme": "".join(random.choice(list(permutations("CWDP")))),
        "Transaction_Scheduling_Policy": random.choice(("OUT_OF_ORDER", "PRIORITY_OUT_OF_ORDER")),
        "Overprovisioning_Ratio": random.choice((0.07, 0.15)),
        "GC_Exec_Threshold": random.choice((0.05, 0.1, 0.15)),
        "GC_Block_Selection_Policy": random.choice(
            ("GREEDY", "RGA", "RANDOM", "RANDOM_P", "RANDOM_PP", "FIFO")
        ),
        "Preemptible_GC_Enabled": random.choice(("true", "false")),
        "GC_Hard_Threshold": random.choice((0.005, 0.01, 0.02)),
        "Flash_Channel_Count": random.choice([n for n in (1, 2, 4, 8, 16) if n <= most]),
        "Flash_Channel_Width": 1,
        "Channel_Transfer_Rate": random.choice(_RATES_MT_PER_S),
        "Chip_No_Per_Channel": random.choice([n for n in (1, 2, 4, 8) if n <= most]),
        "Flash_Comm_Protocol": "NVDDR2",
    }


def _fills(random: Random, family: str) -> bool:
    return family == "preconditioned" or (family == "wild" and random.random() < _HALF)


def _flow(random: Random, family: str, number: int, parts: tuple[Tags, Tags]) -> Tags:
    device, flash = parts
    cache = ("TURNED_OFF", "WRITE_CACHE", "READ_CACHE", "WRITE_READ_CACHE")
    common: dict[str, Value] = {
        "Priority_Class": random.choice(("URGENT", "HIGH", "MEDIUM", "LOW"))
        if family == "wild" or (family == "flows" and random.random() < _SOMETIMES)
        else "HIGH",
        "Device_Level_Data_Caching_Mode": random.choice(cache)
        if family in {"cache", "wild"}
        else "TURNED_OFF",
        **_lists(device, flash),
        "Initial_Occupancy_Percentage": random.choice((40, 60, 70, 80)),
    }
    if family in {"open", "sata", "wild"} and random.random() < _SOMETIMES:
        trace: dict[str, Value] = {
            "File_Path": _TRACE.format(number),
            "Percentage_To_Be_Executed": 100,
        }
        return {**common, **trace, "Relay_Count": 1, "Time_Unit": "NANOSECOND"}
    sectors = random.choice((8, 8, 16, 16, 32, 64))
    is_open = family == "open" or (family in {"sata", "wild"} and random.random() < _SOMETIMES)
    spread = random.random() < _RARELY and sectors >= 16  # noqa: PLR2004 with room below the mean
    return {
        **common,
        "Working_Set_Percentage": random.choice((10, 50, 85, 100)),
        "Synthetic_Generator_Type": "BANDWIDTH" if is_open else "QUEUE_DEPTH",
        "Read_Percentage": random.choice((0, 30, 50, 70, 100)),
        "Address_Distribution": random.choice(
            ("RANDOM_UNIFORM", "RANDOM_UNIFORM", "RANDOM_HOTCOLD", "STREAMING")
        ),
        "Percentage_of_Hot_Region": random.choice((10, 20, 30)),
        "Generated_Aligned_Addresses": random.choice(("true", "true", "false")),
        "Address_Alignment_Unit": random.choice((8, 16, 32)),
        "Request_Size_Distribution": "NORMAL" if spread else "FIXED",
        "Average_Request_Size": sectors,
        "Variance_Request_Size": sectors // 4 if spread else 0,
        "Seed": random.randint(1, 1_000_000),
        "Average_No_of_Reqs_in_Queue": random.choice((1, 4, 16, 32, 128)),
        "Bandwidth": random.choice((2, 5, 10)) * 1_000_000 // _SECTOR_BYTES * _SECTOR_BYTES,
        "Stop_Time": 0,
        "Total_Requests_To_Generate": random.randint(2_000, 6_000),
    }


def _lists(device: Tags, flash: Tags) -> Tags:
    counts = {
        "Channel_IDs": device["Flash_Channel_Count"],
        "Chip_IDs": device["Chip_No_Per_Channel"],
        "Die_IDs": flash["Die_No_Per_Chip"],
        "Plane_IDs": flash["Plane_No_Per_Die"],
    }
    return {tag: ",".join(map(str, range(int(count)))) for tag, count in counts.items()}


def _trace(random: Random, flow: Tags, parts: tuple[Tags, Tags, int]) -> tuple[str, ...]:
    if "File_Path" not in flow:
        return ()
    device, flash, flows = parts
    planes = int(device["Flash_Channel_Count"]) * int(device["Chip_No_Per_Channel"])
    planes *= int(flash["Die_No_Per_Chip"]) * int(flash["Plane_No_Per_Die"])
    page = int(flash["Page_Capacity"]) // _SECTOR_BYTES
    sectors = planes * int(flash["Block_No_Per_Plane"]) * int(flash["Page_No_Per_Block"]) * page
    space = sectors // flows // 2
    mean_gap_ns = random.choice((100_000, 300_000, 1_000_000))
    reads = random.choice((0.3, 0.7, 1.0))
    lines, now = [], 0
    for _ in range(random.randint(1_000, 3_000)):
        now += 1 + int(random.expovariate(1 / mean_gap_ns))
        start = random.randrange(max(space // 8, 1)) * 8
        operation = 1 if random.random() < reads else 0
        lines.append(f"{now} 0 {start} {random.choice((8, 16, 32))} {operation}")
    return tuple(lines)


def smaller(case: DrawnCase) -> Iterator[DrawnCase]:
    """Yield simpler cases, each with one simplification, the largest first."""
    for number in range(len(case.flows) if len(case.flows) > 1 else 0):
        yield _without_flow(case, number)
    yield from _fewer_requests(case)
    simple_device: dict[str, Value] = {
        "Enabled_Preconditioning": "false",
        "Ideal_Mapping_Table": "true",
        "HostInterface_Type": "NVME",
        "Transaction_Scheduling_Policy": "OUT_OF_ORDER",
        "Plane_Allocation_Scheme": "CWDP",
        "Data_Cache_Sharing_Mode": "SHARED",
        "CMT_Sharing_Mode": "SHARED",
        "Queue_Fetch_Size": 1024,
        "IO_Queue_Depth": 1024,
        "GC_Block_Selection_Policy": "RGA",
    }
    for tag, value in simple_device.items():
        if case.device[tag] != value:
            yield case.with_device(**{tag: value})
    simple_flow: dict[str, Value] = {
        "Device_Level_Data_Caching_Mode": "TURNED_OFF",
        "Priority_Class": "HIGH",
        "Address_Distribution": "RANDOM_UNIFORM",
        "Request_Size_Distribution": "FIXED",
        "Generated_Aligned_Addresses": "true",
        "Synthetic_Generator_Type": "QUEUE_DEPTH",
        "Average_No_of_Reqs_in_Queue": 1,
        "Read_Percentage": 100,
    }
    for tag, value in simple_flow.items():
        changed = case.with_flows(**{tag: value})
        if changed != case:
            yield changed
    if case.flash["Flash_Technology"] != "SLC":
        yield replace(case, flash={**case.flash, "Flash_Technology": "SLC"})


def _without_flow(case: DrawnCase, number: int) -> DrawnCase:
    flows = case.flows[:number] + case.flows[number + 1 :]
    traces = case.traces[:number] + case.traces[number + 1 :]
    renamed = tuple(
        {**flow, "File_Path": _TRACE.format(place)} if "File_Path" in flow else flow
        for place, flow in enumerate(flows)
    )
    return replace(case, flows=renamed, traces=traces)


def _fewer_requests(case: DrawnCase) -> Iterator[DrawnCase]:
    tag = "Total_Requests_To_Generate"
    counts = [int(flow.get(tag, 0)) for flow in case.flows]
    if max([*counts, *map(len, case.traces)]) < 100:  # noqa: PLR2004 too few to mean anything
        return
    flows = tuple(
        {**flow, tag: max(count // 2, 1)} if count else flow
        for flow, count in zip(case.flows, counts, strict=True)
    )
    yield replace(
        case, flows=flows, traces=tuple(lines[: len(lines) // 2] for lines in case.traces)
    )
