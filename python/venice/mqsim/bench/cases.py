"""The five benchmark cases, written as MQSim's two input files.

All relevant parameters of MQSim's README are set. The others have MQSim's compiled-in values in
both programs. The drive has 8 channels of 4 chips, 2 dies each and 2 planes a die: 512 GiB of 8-KiB
pages.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    Tags = Mapping[str, object]

CONFIG, WORKLOAD = "ssdconfig.xml", "workload.xml"

_CHANNELS, _CHIPS, _DIES, _PLANES = 8, 4, 2, 2

_HOST = {"PCIe_Lane_Bandwidth": 1.0, "PCIe_Lane_Count": 4}
_DEVICE = {
    "Seed": 321,
    "Enabled_Preconditioning": "false",
    "HostInterface_Type": "NVME",
    "IO_Queue_Depth": 1024,
    "Queue_Fetch_Size": 512,
    "Caching_Mechanism": "ADVANCED",
    "Data_Cache_Sharing_Mode": "SHARED",
    "Data_Cache_Capacity": 256 << 20,
    "Data_Cache_DRAM_Row_Size": 8192,
    "Data_Cache_DRAM_Data_Rate": 800,
    "Data_Cache_DRAM_Data_Busrt_Size": 4,
    "Data_Cache_DRAM_tRCD": 13,
    "Data_Cache_DRAM_tCL": 13,
    "Data_Cache_DRAM_tRP": 13,
    "Address_Mapping": "PAGE_LEVEL",
    "Ideal_Mapping_Table": "true",
    "CMT_Capacity": 2 << 20,
    "CMT_Sharing_Mode": "SHARED",
    "Plane_Allocation_Scheme": "CWDP",
    "Transaction_Scheduling_Policy": "PRIORITY_OUT_OF_ORDER",
    "Overprovisioning_Ratio": 0.07,
    "GC_Exec_Threshold": 0.05,
    "GC_Block_Selection_Policy": "RGA",
    "Preemptible_GC_Enabled": "false",
    "Flash_Channel_Count": _CHANNELS,
    "Flash_Channel_Width": 1,
    "Channel_Transfer_Rate": 333,
    "Chip_No_Per_Channel": _CHIPS,
    "Flash_Comm_Protocol": "NVDDR2",
}
_FLASH = {
    "Flash_Technology": "MLC",
    "Page_Read_Latency_LSB": 75_000,
    "Page_Read_Latency_CSB": 75_000,
    "Page_Read_Latency_MSB": 75_000,
    "Page_Program_Latency_LSB": 750_000,
    "Page_Program_Latency_CSB": 750_000,
    "Page_Program_Latency_MSB": 750_000,
    "Block_Erase_Latency": 3_800_000,
    "Die_No_Per_Chip": _DIES,
    "Plane_No_Per_Die": _PLANES,
    "Block_No_Per_Plane": 2048,
    "Page_No_Per_Block": 256,
    "Page_Capacity": 8192,
}
_FLOW = {
    "Priority_Class": "HIGH",
    "Device_Level_Data_Caching_Mode": "TURNED_OFF",
    "Channel_IDs": ",".join(map(str, range(_CHANNELS))),
    "Chip_IDs": ",".join(map(str, range(_CHIPS))),
    "Die_IDs": ",".join(map(str, range(_DIES))),
    "Plane_IDs": ",".join(map(str, range(_PLANES))),
    "Initial_Occupancy_Percentage": 70,
    "Working_Set_Percentage": 50,
    "Synthetic_Generator_Type": "QUEUE_DEPTH",
    "Read_Percentage": 100,
    "Address_Distribution": "RANDOM_UNIFORM",
    "Percentage_of_Hot_Region": 0,
    "Generated_Aligned_Addresses": "true",
    "Address_Alignment_Unit": 16,
    "Request_Size_Distribution": "FIXED",
    "Average_Request_Size": 16,
    "Variance_Request_Size": 0,
    "Seed": 798,
    "Average_No_of_Reqs_in_Queue": 16,
    "Stop_Time": 0,
}
_SECTORS_OF_4_KIB = 8


@dataclass(frozen=True)
class BenchCase:
    """Benchmark case: the drive and its flows, as changes to the default drive and flow."""

    name: str
    title: str
    flows: Sequence[Tags]
    device: Tags = field(default_factory=dict)

    def write(self, folder: Path, requests: int) -> None:
        """Write MQSim's two input files to a folder; the flows have equal numbers of requests."""
        (folder / CONFIG).write_text(self.config(), encoding="ascii")
        (folder / WORKLOAD).write_text(self.workload(requests), encoding="ascii")

    def config(self) -> str:
        """Return the text of ``ssdconfig.xml``, MQSim's description of the drive."""
        device = _tags({**_DEVICE, **self.device}) + _element("Flash_Parameter_Set", _tags(_FLASH))
        return _element(
            "Execution_Parameter_Set",
            _element("Host_Parameter_Set", _tags(_HOST)) + _element("Device_Parameter_Set", device),
        )

    def workload(self, requests: int) -> str:
        """Return the text of ``workload.xml``, MQSim's description of the flows."""
        return _element("MQSim_IO_Scenarios", _element("IO_Scenario", self._flows(requests)))

    def _flows(self, requests: int) -> str:
        share, rest = divmod(requests, len(self.flows))
        counts = [share + (number < rest) for number in range(len(self.flows))]
        return "".join(
            _element(
                "IO_Flow_Parameter_Set_Synthetic",
                _tags({**_FLOW, **flow, "Total_Requests_To_Generate": count}),
            )
            for flow, count in zip(self.flows, counts, strict=True)
        )


def _element(name: str, content: str) -> str:
    return f"<{name}>\n{content}</{name}>\n"


def _tags(values: Tags) -> str:
    return "".join(f"<{tag}>{value}</{tag}>\n" for tag, value in values.items())


_DEMAND_PAGED = {"Ideal_Mapping_Table": "false", "CMT_Capacity": 64 << 10}

CASES = (
    BenchCase(
        "random-read",
        "random reads, 4 KiB, depth 16",
        [{"Average_Request_Size": _SECTORS_OF_4_KIB}],
    ),
    BenchCase("random-write", "random writes, 8 KiB, depth 16", [{"Read_Percentage": 0}]),
    BenchCase(
        "mapping",
        "70 % reads, 8 KiB, depth 32, 64-KiB mapping table",
        [{"Read_Percentage": 70, "Average_No_of_Reqs_in_Queue": 32}],
        _DEMAND_PAGED,
    ),
    BenchCase(
        "write-cache",
        "writes, 4 KiB, depth 16, advanced write cache, 64-KiB mapping table",
        [
            {
                "Read_Percentage": 0,
                "Average_Request_Size": _SECTORS_OF_4_KIB,
                "Device_Level_Data_Caching_Mode": "WRITE_CACHE",
            }
        ],
        _DEMAND_PAGED,
    ),
    BenchCase(
        "two-flows",
        "random reads, 4 KiB, beside random writes, 8 KiB, depth 16 each",
        [
            {"Priority_Class": "URGENT", "Average_Request_Size": _SECTORS_OF_4_KIB},
            {"Read_Percentage": 0, "Seed": 6533},
        ],
    ),
)
"""All cases; the flows of a case share its number of requests."""
