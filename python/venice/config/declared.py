"""A drive and its sections, for editors and type checkers; generated from the schema.

To write it anew: ``pytest --bless python/tests/test_config_types.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Literal, Self, TypedDict, Unpack

from venice.config.drive import DriveDescription
from venice.described.section import Section, section
from venice.described.values import Value

__all__ = [
    "Area",
    "Array",
    "Cache",
    "CacheDramLongAccess",
    "CacheMechanism",
    "CacheMode",
    "CacheModes",
    "Drive",
    "DriveChanges",
    "DriveName",
    "Fabric",
    "FabricDecoupled",
    "FabricFaults",
    "FabricFirstOnPath",
    "FabricHlnand",
    "FabricHold",
    "FabricMesh",
    "FabricName",
    "FabricNossd",
    "FabricNossdArbitration",
    "FabricNossdController",
    "FabricNossdInjection",
    "FabricNossdReply",
    "FabricPnssd",
    "FabricPnssdPathChoice",
    "FabricPssd",
    "FabricVenice",
    "FabricVeniceController",
    "FabricVeniceControllerPorts",
    "FabricVeniceCopyId",
    "FabricVeniceOrder",
    "FabricVenicePathLoops",
    "FabricVenicePortChoice",
    "FabricVeniceReservation",
    "FabricVeniceRetry",
    "FabricVeniceRouting",
    "Flash",
    "FlashCommand",
    "FlashCommandTiming",
    "FlashDieWork",
    "FlashPageTypeOrder",
    "FlashSuspend",
    "FlashSuspendOperations",
    "FlashWear",
    "Ftl",
    "FtlAllocation",
    "FtlAllocationMode",
    "FtlFollowUpClass",
    "FtlGcDestination",
    "FtlGcTrigger",
    "FtlMapping",
    "FtlMappingTableSharing",
    "FtlMappingWriteback",
    "FtlPageAllocation",
    "FtlPageCuts",
    "FtlScheduling",
    "FtlSectorSets",
    "FtlUnwrittenData",
    "FtlUnwrittenPlace",
    "FtlUpdateTransfer",
    "FtlVictim",
    "FtlWearMeasure",
    "FtlWriteFrontiers",
    "Gather",
    "GatherPlacement",
    "GatherResult",
    "GatherTarget",
    "GatherWait",
    "Host",
    "HostArbitration",
    "HostProtocol",
    "HostQueuePriorities",
    "HostScheduler",
    "HostSchedulerBatches",
    "HostSchedulerDriveLevel",
    "HostSchedulerIssue",
    "HostSchedulerLevel",
    "HostSchedulerNextBatch",
    "HostSchedulerQueueCounts",
    "HostSchedulerScheme",
    "Partition",
    "Pif",
    "PifErrors",
    "PifExtraReads",
    "Power",
    "Precondition",
    "PreconditionFilledSectors",
    "PreconditionGcLoad",
    "PreconditionMode",
    "PreconditionPattern",
    "Run",
]

CacheDramLongAccess = Literal[
    "every_row",
    "mqsim",
]
CacheMechanism = Literal[
    "advanced",
    "simple",
]
CacheMode = Literal[
    "off",
    "write",
    "read",
    "read_write",
]
CacheModes = Literal[
    "off",
    "write",
    "read",
    "read_write",
]
DriveName = Literal[
    "venice-performance",
    "venice-performance-1000",
    "venice-letter",
    "venice-cost",
    "venice-equal-wires",
    "venice-open-router",
    "mqsim-default",
    "piq-128gb",
    "pif",
    "samsung-970-pro",
    "wd-zn540",
]
FabricFirstOnPath = Literal[
    "data",
    "commands",
]
FabricHold = Literal[
    "transfer",
    "operation",
]
FabricName = Literal[
    "bus",
    "pssd",
    "pnssd",
    "nossd",
    "venice",
    "ideal",
    "hlnand",
    "decoupled",
]
FabricNossdArbitration = Literal[
    "first_come",
    "oldest_first",
]
FabricNossdController = Literal[
    "nearest_free",
    "home",
    "least_loaded",
]
FabricNossdInjection = Literal[
    "oldest_first",
    "as_ready",
]
FabricNossdReply = Literal[
    "retrace",
    "x_then_y",
]
FabricPnssdPathChoice = Literal[
    "free",
    "by_chip",
]
FabricVeniceController = Literal[
    "nearest_free",
    "home",
    "least_loaded",
]
FabricVeniceControllerPorts = Literal[
    "one",
    "two",
    "both_sides",
]
FabricVeniceCopyId = Literal[
    "own",
    "lent",
]
FabricVeniceOrder = Literal[
    "first_come",
    "own_row_first",
]
FabricVenicePathLoops = Literal[
    "kept",
    "cut",
]
FabricVenicePortChoice = Literal[
    "random",
    "unbiased",
    "fixed",
]
FabricVeniceReservation = Literal[
    "atomic",
    "cycle_level",
]
FabricVeniceRetry = Literal[
    "at_once",
    "back_off",
    "on_release",
    "next_transfer",
]
FabricVeniceRouting = Literal[
    "non_minimal_adaptive",
    "minimal_adaptive",
    "dimension_order",
    "exhaustive",
]
FlashCommandTiming = Literal[
    "flat",
    "nvddr2",
]
FlashDieWork = Literal[
    "independent",
    "one_at_a_time",
]
FlashPageTypeOrder = Literal[
    "cyclic",
    "mqsim",
]
FlashSuspendOperations = Literal[
    "none",
    "erase",
    "program",
    "both",
]
FtlAllocation = Literal[
    "CWDP",
    "CWPD",
    "CDWP",
    "CDPW",
    "CPWD",
    "CPDW",
    "WCDP",
    "WCPD",
    "WDCP",
    "WDPC",
    "WPCD",
    "WPDC",
    "DCWP",
    "DCPW",
    "DWCP",
    "DWPC",
    "DPCW",
    "DPWC",
    "PCWD",
    "PCDW",
    "PWCD",
    "PWDC",
    "PDCW",
    "PDWC",
]
FtlAllocationMode = Literal[
    "static",
    "dynamic",
    "in_turn",
]
FtlFollowUpClass = Literal[
    "own",
    "high",
]
FtlGcDestination = Literal[
    "same_plane",
    "least_busy_plane",
    "least_busy_of_column",
    "cold_apart",
]
FtlGcTrigger = Literal[
    "shortage",
    "full_block",
]
FtlMapping = Literal[
    "ideal",
    "cached",
]
FtlMappingTableSharing = Literal[
    "shared",
    "equal",
    "whole",
]
FtlMappingWriteback = Literal[
    "flash",
    "read_only",
]
FtlPageAllocation = Literal[
    "at_start",
    "at_arrival",
    "at_arrival_any_order",
]
FtlPageCuts = Literal[
    "pages",
    "device",
]
FtlScheduling = Literal[
    "out_of_order",
    "priority_out_of_order",
    "paq",
    "priority_turns",
]
FtlSectorSets = Literal[
    "exact",
    "shifted",
]
FtlUnwrittenData = Literal[
    "present",
    "absent",
    "mapped_on_read",
]
FtlUnwrittenPlace = Literal[
    "as_written",
    "plane_by_die",
]
FtlUpdateTransfer = Literal[
    "merged",
    "new_sectors",
]
FtlVictim = Literal[
    "greedy",
    "rga",
    "random",
    "random_p",
    "random_pp",
    "fifo",
    "cost_benefit",
    "cost_age_times",
]
FtlWearMeasure = Literal[
    "erases",
    "block_numbers",
]
FtlWriteFrontiers = Literal[
    "separate",
    "shared",
]
GatherPlacement = Literal[
    "random",
    "consecutive",
]
GatherResult = Literal[
    "host",
    "flash",
]
GatherTarget = Literal[
    "first_operand",
    "most_operands",
]
GatherWait = Literal[
    "always",
    "while_idle",
    "never",
]
HostArbitration = Literal[
    "round_robin",
    "weighted_round_robin",
]
HostProtocol = Literal[
    "direct",
    "nvme",
    "sata",
]
HostQueuePriorities = Literal[
    "urgent",
    "high",
    "medium",
    "low",
]
HostSchedulerBatches = Literal[
    "open",
    "closed",
]
HostSchedulerDriveLevel = Literal[
    "chip",
    "plane",
]
HostSchedulerIssue = Literal[
    "freely",
    "without_conflicts",
]
HostSchedulerLevel = Literal[
    "chip",
    "plane",
]
HostSchedulerNextBatch = Literal[
    "after_completion",
    "as_slots_free",
]
HostSchedulerQueueCounts = Literal[
    "waiting",
    "waiting_by_kind",
    "outstanding",
]
HostSchedulerScheme = Literal[
    "none",
    "noop",
    "rws",
    "piq_r",
    "piq_w",
    "piq",
    "piq_plus",
    "deadline",
    "by_unit",
    "conflict_free",
    "kyber",
]
PifErrors = Literal[
    "functional",
    "statistical",
    "threshold",
]
PifExtraReads = Literal[
    "none",
    "two",
    "six",
]
PreconditionFilledSectors = Literal[
    "whole_page",
    "first_of_pieces",
]
PreconditionGcLoad = Literal[
    "measured",
    "light",
    "saturated",
]
PreconditionMode = Literal[
    "none",
    "fill",
    "steady_state",
    "mqsim",
]
PreconditionPattern = Literal[
    "uniform",
    "sequential",
    "hot_cold",
]


@section("area")
@dataclass(frozen=True, kw_only=True, repr=False)
class Area(Section):
    """Areas on the drive's board.

    Attributes
    ----------
    buffered_router_die_pct
        What a flash die is larger by that holds a router with buffers [%].
        0 to 1000000; default 8. Source: assumed: the pads of a router beside a chip (Nadig et al.,
        Venice, ISCA 2023, §6.6), without its buffers.
    chip_mm2
        Area of a flash chip [mm²].
        0.01 to 1000000; default 100. Source: Nadig et al., Venice, ISCA 2023, §6.6: a router's 8
        mm² are 8 %.
    link_per_channel
        Area of a link of eight bits between routers as a share of a shared channel's; it grows with
        the width [channels].
        0 to 1000; default 0.04. Source: Nadig et al., Venice, ISCA 2023, §6.6.
    packetised_die_pct
        What a flash die is larger by whose interface speaks packets [%].
        0 to 1000000; default 20. Source: Nadig et al., Venice, ISCA 2023, §1: 20 % of each die,
        citing Kim et al., Networked SSD, MICRO 2022.
    router_mm2
        Area of a router with links of eight bits beside a chip; it grows with their width, since
        pads make it [mm²].
        0 to 1000000; default 8. Source: Nadig et al., Venice, ISCA 2023, §6.6: for 40 pins.
    """

    buffered_router_die_pct: Value[float] = None
    chip_mm2: Value[float] = None
    link_per_channel: Value[float] = None
    packetised_die_pct: Value[float] = None
    router_mm2: Value[float] = None


@section("array")
@dataclass(frozen=True, kw_only=True, repr=False)
class Array(Section):
    """The array of flash chips.

    Attributes
    ----------
    cols
        Chips in a row [chips].
        1 to 256; no default. Source: Nadig et al., Venice, ISCA 2023, Figure 5.
    rows
        Rows of chips [rows]. One flash controller sits at the left end of each row. On a shared bus
        a row is a channel.
        1 to 256; no default. Source: Nadig et al., Venice, ISCA 2023, Figure 5.
    """

    cols: Value[int] = None
    rows: Value[int] = None


@section("cache")
@dataclass(frozen=True, kw_only=True, repr=False)
class Cache(Section):
    """The data cache: DRAM between the host interface and the flash translation layer.

    Attributes
    ----------
    capacity_bytes
        Size of the cache, in whole pages [bytes].
        512 to 1099511627776; default 268435456. Source: MQSim, Data_Cache_Capacity = 268435456.
    dram_burst_bytes
        Bytes that the memory moves in a transfer [bytes].
        1 to 4096; default 1. Source: MQSim, Data_Cache_DRAM_Data_Busrt_Size = 1.
    dram_long_access
        How long an access of more than a row takes. `every_row`: its rows one after another.
        `mqsim`: MQSim's formula, which takes every second row for nothing and nearly all of what is
        left over; for comparison with it.
        Default "every_row". Source: ours; MQSim, Data_Cache_Manager_Base.h.
    dram_rate_mt_per_s
        Transfers each second on the memory's data wires [MT/s].
        1 to 100000; default 200. Source: MQSim, Data_Cache_DRAM_Data_Rate = 100, each of which
        makes two transfers.
    dram_row_bytes
        Bytes of a row of the memory [bytes].
        512 to 16777216; default 8192. Source: MQSim, Data_Cache_DRAM_Row_Size = 8192.
    hot_window_ms
        Windows of time: a page that is written in one for the first time goes to flash at once
        [ms]. Written again in the same window, it stays in the cache until its room is needed.
        10 to 1000000000; default 1000. Source: MQSim, Data_Cache_Manager_Flash_Advanced.cpp: one
        second.
    in_flight_pages_per_plane
        Pages of each plane that may be on their way from the cache to flash before writes have to
        wait [pages]. Counted in sectors, and over all planes together: times the planes of the
        drive.
        1 to 1024; default 1. Source: MQSim, Data_Cache_Manager_Flash_Advanced.cpp: one page for
        each plane.
    mechanism
        How the cache treats its users. `advanced`: parts with their own room, one memory for all.
        `simple`: a buffer for writes, shared by all queues, which take turns when it is full and do
        not wait for each other at the memory.
        Default "advanced". Source: MQSim, Caching_Mechanism = ADVANCED.
    mode
        Which data the cache keeps. `off`: there is no cache. `write`: written data until it is on
        flash; a write is answered when the cache has it. `read`: data that was read from flash.
        `read_write`: both.
        Default "off". Source: ours; MQSim, Device_Level_Data_Caching_Mode.
    modes
        The mode of each address range of `[partition]`, the first one first. A range that the list
        does not reach has `mode`.
        Default []. Source: MQSim, Device_Level_Data_Caching_Mode.
    partitions
        Equal parts of the cache: 1 is shared by all host queues [parts]. With more, a queue's pages
        are in the part of its number modulo this.
        1 to 65536; default 1. Source: MQSim, Data_Cache_Sharing_Mode = SHARED.
    t_cl_ns
        From that command to the data (tCL) [ns].
        0 to 1000000; default 13. Source: MQSim, Data_Cache_DRAM_tCL = 13.
    t_rcd_ns
        From opening a row to its read or write command (tRCD) [ns].
        0 to 1000000; default 13. Source: MQSim, Data_Cache_DRAM_tRCD = 13.
    t_rp_ns
        Closing a row before the next one (tRP) [ns].
        0 to 1000000; default 13. Source: MQSim, Data_Cache_DRAM_tRP = 13.
    """

    capacity_bytes: Value[int] = None
    dram_burst_bytes: Value[int] = None
    dram_long_access: Value[CacheDramLongAccess] = None
    dram_rate_mt_per_s: Value[float] = None
    dram_row_bytes: Value[int] = None
    hot_window_ms: Value[int] = None
    in_flight_pages_per_plane: Value[int] = None
    mechanism: Value[CacheMechanism] = None
    mode: Value[CacheMode] = None
    modes: Value[Sequence[CacheModes]] = None
    partitions: Value[int] = None
    t_cl_ns: Value[float] = None
    t_rcd_ns: Value[float] = None
    t_rp_ns: Value[float] = None


@section("fabric.decoupled")
@dataclass(frozen=True, kw_only=True, repr=False)
class FabricDecoupled(Section):
    """The system bus and the network of controllers of `decoupled`.

    Attributes
    ----------
    global_copyback
        Whether pages that collection moves stay with the controllers. Without it they cross the
        system bus twice, as in a conventional drive.
        Default true. Source: Kim et al., Decoupled SSD, ISCA 2023; without it is the conventional
        drive.
    hop_latency_ns
        Time that a page's head takes from one controller to the next [ns].
        0 to 1000000; default 2. Source: assumed: two cycles at 1 GHz, on the controllers' die.
    link_rate_mb_per_s
        Data rate of each direction of a link between neighbouring controllers [MB/s].
        `twice_channel`: twice that of a channel (`fabric.channel_rate_mb_per_s`).
        1 to 1000000; default "twice_channel". Source: assumed: twice a channel, so that a copy is
        as fast as its channels.
    system_bus_rate_mb_per_s
        Data rate of the bus between the flash controllers and the drive's memory [MB/s].
        1 to 1000000; default 8000. Source: assumed: as fast as the host link, which alone it then
        never holds up.
    """

    global_copyback: Value[bool] = None
    hop_latency_ns: Value[float] = None
    link_rate_mb_per_s: Value[float | Literal["twice_channel"]] = None
    system_bus_rate_mb_per_s: Value[float] = None


@section("fabric.faults")
@dataclass(frozen=True, kw_only=True, repr=False)
class FabricFaults(Section):
    """What fails, on each fabric what it is made of; and what follows. Links and routers of a mesh:
    `[fabric.mesh]`.

    Attributes
    ----------
    at_us
        When what fails does so, here and in `[fabric.mesh]`; what has a path by then is finished
        [µs].
        0 to 1000000000000; default 0. Source: ours.
    channels
        Channels that fail, by the numbers of their rows: of `bus`, `pssd` and `decoupled`. Lists of
        numbers as everywhere: `[[0, 3]]` are those of rows 0 and 3, and so is `[[0], [3]]`.
        0 to 255; default []. Source: ours.
    chip_channels
        Direct channels that fail, each by row and column of its chip: of `ideal`.
        0 to 255; default []. Source: ours.
    column_buses
        Column buses that fail, by the numbers of their columns: of `pnssd`. Its chips are reached
        by the buses of their rows.
        0 to 255; default []. Source: ours.
    degraded_mode
        Whether the drive goes on when no controller reaches some chips any more; else it is
        refused. What fails at 0 makes it smaller. What fails later takes data with it: reads of it
        end with an error, which the report counts, and writes go to other chips while these have
        room.
        Default false. Source: ours.
    detection_us
        How long controllers take to find that something has failed: until then what needs it waits
        [µs]. What fails at 0 is known from the start.
        0 to 1000000000; default 100. Source: assumed: the papers speak of no failures; longer than
        a read of any preset, so that no chip at work is given up.
    ring_links
        Links of rings that fail, each by its row and its number: of `hlnand`. Link 0 leaves the
        controller, link *c* + 1 leaves the chip of column *c*. Links lead one way, so that a cut
        ring is lost whole, unless `fabric.hlnand.links_turn`.
        0 to 255; default []. Source: ours.
    row_buses
        Row buses that fail, by the numbers of their rows: of `pnssd`. Its chips are reached by the
        buses of their columns.
        0 to 255; default []. Source: ours.
    """

    at_us: Value[float] = None
    channels: Value[Sequence[Sequence[int]]] = None
    chip_channels: Value[Sequence[Sequence[int]]] = None
    column_buses: Value[Sequence[Sequence[int]]] = None
    degraded_mode: Value[bool] = None
    detection_us: Value[float] = None
    ring_links: Value[Sequence[Sequence[int]]] = None
    row_buses: Value[Sequence[Sequence[int]]] = None


@section("fabric.hlnand")
@dataclass(frozen=True, kw_only=True, repr=False)
class FabricHlnand(Section):
    """The rings of chips of `hlnand`.

    Attributes
    ----------
    hop_latency_ns
        Time that a chip takes to pass on what is not for it [ns].
        0 to 1000000; default 5. Source: assumed: two cycles of the 400 MHz clock of such a link, to
        take a byte in and to send it on.
    link_rate_mb_per_s
        Data rate of a link of a ring [MB/s]. `channel`: that of a channel
        (`fabric.channel_rate_mb_per_s`). Byte-wide DDR links of 800 MB/s are published (Gillingham
        et al., IEEE Access 2013).
        1 to 1000000; default "channel". Source: ours: the pins of a chip are as fast on a link as
        on a channel.
    links_turn
        Whether the links of a ring that was cut turn round as needed. Then its chips before the
        first cut are reached from one end, those behind the last from the other, one transfer on a
        link at a time. As published links lead one way, and a ring with a cut anywhere reaches none
        of its chips and hears none.
        Default false. Source: Gillingham et al., IEEE Access 2013 (links lead one way); turning is
        ours.
    """

    hop_latency_ns: Value[float] = None
    link_rate_mb_per_s: Value[float | Literal["channel"]] = None
    links_turn: Value[bool] = None


@section("fabric.mesh")
@dataclass(frozen=True, kw_only=True, repr=False)
class FabricMesh(Section):
    """The links between routers of `nossd` and `venice`.

    Attributes
    ----------
    fail_at_us
        When they fail; transfers that have a path by then are finished. `fabric.faults.at_us` says
        the same for every fabric [µs].
        0 to 1000000000000; default 0. Source: ours.
    failed_links
        Links that fail: for each the row and column of one of its ends, then those of the other.
        `[[0, 1, 0, 2]]` is the link between columns 1 and 2 of row 0. Of `nossd` and `venice`;
        other fabrics refuse it, and have what `[fabric.faults]` names.
        0 to 255; default []. Source: ours.
    failed_routers
        Routers that fail, each by its row and column. With one fail all of its links, the chip
        beside it, and in column 0 the controller. The chip must hold no data: `[partition]` says
        where data is; or the drive goes on without it (`fabric.faults.degraded_mode`).
        0 to 255; default []. Source: ours.
    link_latency_ns
        Time that a flit takes to cross a link [ns]. `channel`: as long as a channel takes for a
        byte (`fabric.channel_rate_mb_per_s`), so that a link of eight bits has the data rate of a
        channel.
        0.001 to 1000000; default "channel". Source: ours: the pins of a chip are as fast on a link
        as on a channel.
    link_width_bits
        Bits that cross a link at a time [bits].
        1 to 1024; default 8. Source: Nadig et al., Venice, ISCA 2023, §3.2, §5.
    """

    fail_at_us: Value[float] = None
    failed_links: Value[Sequence[Sequence[int]]] = None
    failed_routers: Value[Sequence[Sequence[int]]] = None
    link_latency_ns: Value[float | Literal["channel"]] = None
    link_width_bits: Value[int] = None


@section("fabric.nossd")
@dataclass(frozen=True, kw_only=True, repr=False)
class FabricNossd(Section):
    """The packet-switched mesh, `nossd`.

    Attributes
    ----------
    arbitration
        Which of the packets that wait for an output of a router goes next. `first_come`: the one
        whose head came first. `oldest_first`: the one whose transfer entered the mesh first.
        Default "first_come". Source: ours: neither is better in every regime, and this one is
        simpler.
    controller
        Which flash controller serves a transfer. `nearest_free`: the free controller nearest to the
        chip. `home`: the one of the chip's row. `least_loaded`: the free one that has carried the
        fewest transfers.
        Default "nearest_free". Source: ours: as for Venice, so that both meshes pool their
        controllers.
    header_bytes
        Header in front of each packet [bytes].
        0 to 4096; default 8. Source: assumed: the papers give no size.
    injection
        In which order data of chips enters the mesh. `oldest_first`: by how long its page has been
        asked for; with replies that retrace their commands, data whose row's controller is taken
        goes behind the others while another reply crosses its column. `as_ready`: as it became
        ready, so that chips near the controllers are served more often than far ones.
        Default "oldest_first". Source: ours: every column is served alike, and it suits the rival
        best.
    max_payload_bytes
        Most data bytes in a packet [bytes]. Longer transfers are cut into several packets.
        1 to 16777216; default 4096. Source: assumed: a 4 KB page, so that a port's buffer holds
        several packets.
    port_buffer_bytes
        Input buffer of each router port [bytes].
        1 to 16777216; default 16384. Source: Nadig et al., Venice, ISCA 2023, §3.2, §5 (16 KB for
        each port).
    reply
        Which way data from a chip takes; a command and data to a chip go along the row first, then
        along the column. `retrace`: back over the routers of the command, along the chip's column
        and then the controller's row. `x_then_y`: along the chip's row to column 0, then along that
        column, which all replies then share.
        Default "retrace". Source: ours: as deterministic and minimal as the paper's dimension
        order, and what suits the rival best.
    router_latency_ns
        Time that a router takes to forward a packet's head, besides the link's latency [ns].
        0 to 1000000; default 1. Source: assumed: one cycle at 1 GHz.
    """

    arbitration: Value[FabricNossdArbitration] = None
    controller: Value[FabricNossdController] = None
    header_bytes: Value[int] = None
    injection: Value[FabricNossdInjection] = None
    max_payload_bytes: Value[int] = None
    port_buffer_bytes: Value[int] = None
    reply: Value[FabricNossdReply] = None
    router_latency_ns: Value[float] = None


@section("fabric.pnssd")
@dataclass(frozen=True, kw_only=True, repr=False)
class FabricPnssd(Section):
    """The row and column buses of `pnssd`.

    Attributes
    ----------
    path_choice
        Which of a chip's two buses carries a transfer. `free`: that of its row if it is free, else
        that of its column. `by_chip`: always the same for a chip, that of its row where row +
        column is even, else that of its column; each bus then serves half of the chips on it.
        Default "free". Source: Nadig et al., Venice, ISCA 2023, §3.2: either a horizontal or a
        vertical channel; by_chip is ours.
    transfers_per_controller
        Buses that a controller may have in use at a time [transfers]. Controller *i* drives row bus
        *i* and column bus *i*: 2 are both at once, 1 either of them.
        1 to 2; default 2. Source: assumed: the Venice paper gives N + N channels and N controllers,
        not what these can do at once.
    """

    path_choice: Value[FabricPnssdPathChoice] = None
    transfers_per_controller: Value[int] = None


@section("fabric.pssd")
@dataclass(frozen=True, kw_only=True, repr=False)
class FabricPssd(Section):
    """The packetised channel of `pssd`.

    Attributes
    ----------
    header_bytes
        Header in front of each transfer that carries data [bytes].
        0 to 4096; default 8. Source: assumed: the papers give no size.
    speedup
        Data rate as a multiple of the channel's [times].
        1 to 64; default 2. Source: Nadig et al., Venice, ISCA 2023, §3.2, §5 (the control pins
        carry data too).
    """

    header_bytes: Value[int] = None
    speedup: Value[int] = None


@section("fabric.venice")
@dataclass(frozen=True, kw_only=True, repr=False)
class FabricVenice(Section):
    """The circuit-reserving mesh, `venice`.

    Attributes
    ----------
    back_off_ns
        Pause before a new scout, for `retry = "back_off"` [ns].
        0.001 to 1000000000; default 100. Source: assumed: a few round trips of a scout.
    circuits_per_controller
        Circuits, scouts included, that a flash controller may have at a time: at most one through
        each of its ports [circuits].
        1 to 2; default 1. Source: Nadig et al., Venice, ISCA 2023, §4.2 (1); 2 is ours.
    column_0_links
        Links between neighbouring routers of column 0, through which all controllers' circuits to
        other rows lead [links].
        1 to 2; default 1. Source: Nadig et al., Venice, ISCA 2023, Figure 5 (1); 2 is ours.
    controller
        Which flash controller serves a transfer. `nearest_free`: the free controller nearest to the
        chip. `home`: the one of the chip's row. `least_loaded`: the free one that has carried the
        fewest transfers.
        Default "nearest_free". Source: Nadig et al., Venice, ISCA 2023.
    controller_ports
        Where each flash controller has ports into the mesh; one circuit leads through a port at a
        time. `one`: at column 0 of its row. `two`: two there, so that these routers have one port
        more. `both_sides`: at column 0 and at the last column, in the right neighbour's place, with
        wires of a row's length.
        Default "one". Source: Nadig et al., Venice, ISCA 2023, Figure 5 (one); the others are ours.
    copy_id
        Whose id the packets of a circuit from chip to chip have, for `fabric.chip_to_chip`. `own`:
        the sending chip's, so that ids are longer. `lent`: that of a free controller, which serves
        nobody else until the circuit is released.
        Default "own". Source: ours.
    order
        Which of several transfers whose data waits a free controller serves. `first_come`: the
        first that came. `own_row_first`: the first of its own row, whose paths are shortest; if
        none waits, the first of all.
        Default "own_row_first". Source: ours: the paper lets a request choose its controller, and
        says nothing of several that wait.
    path_loops
        What becomes of the loops of a path, where a scout came through a router twice. `kept`: they
        are part of the circuit. `cut`: the scout gives them back on its way back.
        Default "cut". Source: Nadig et al., Venice, ISCA 2023, §4.2: the backward path is the
        forward one; `cut` is ours.
    port_choice
        How scouts choose among allowed ports. `random`: by the router's 2-bit LFSR, whose low bit
        takes the first of two ports, X, in two states of three. `unbiased`: by the LFSR, each of
        two ports equally often. `fixed`: right, left, up, down, so X first.
        Default "fixed". Source: ours: Nadig et al., Venice, ISCA 2023, Algorithm 1 has `random`,
        and §4.3 permits others.
    reservation
        How the reservation is simulated. `atomic`: decided at one instant, its time charged to the
        transfer. `cycle_level`: hop by hop, so that scouts in flight see each other's half-built
        paths.
        Default "atomic". Source: ours.
    retry
        When a new scout follows one that found no path. `at_once`: the controller stays with its
        transfer and sends the next scout as soon as the failed one is back, as in §4.2. Else it
        gives the transfer back: `back_off` (tried again after `back_off_ns`), `on_release` (when a
        circuit has been released), or `next_transfer` (it serves the next one in reach; no scout
        goes to a chip known to be out of reach before a link that stopped one is released).
        Default "next_transfer". Source: Nadig et al., Venice, ISCA 2023, §4.2; footnote 3 leaves
        open when to send again.
    routing
        How scouts find their way. `non_minimal_adaptive`: minimal ports, then misrouting, then
        back. `minimal_adaptive`: minimal ports, then back. `dimension_order`: one path, along the
        row first. `exhaustive`: a shortest free path, which no router could know; it bounds what
        routing can do.
        Default "non_minimal_adaptive". Source: Nadig et al., Venice, ISCA 2023, Algorithm 1.
    scout_takes_time
        Whether the scout's travel takes time.
        Default true. Source: Nadig et al., Venice, ISCA 2023; without it is an ablation.
    """

    back_off_ns: Value[float] = None
    circuits_per_controller: Value[int] = None
    column_0_links: Value[int] = None
    controller: Value[FabricVeniceController] = None
    controller_ports: Value[FabricVeniceControllerPorts] = None
    copy_id: Value[FabricVeniceCopyId] = None
    order: Value[FabricVeniceOrder] = None
    path_loops: Value[FabricVenicePathLoops] = None
    port_choice: Value[FabricVenicePortChoice] = None
    reservation: Value[FabricVeniceReservation] = None
    retry: Value[FabricVeniceRetry] = None
    routing: Value[FabricVeniceRouting] = None
    scout_takes_time: Value[bool] = None


@section("fabric")
@dataclass(frozen=True, kw_only=True, repr=False)
class Fabric(Section):
    """What joins the chips to the flash controllers.

    Attributes
    ----------
    channel_rate_mb_per_s
        Data rate of a channel: of a bus, and of each chip's own channel in `ideal` [MB/s].
        1 to 1000000; default 1200. Source: Nadig et al., Venice, ISCA 2023, Table 1.
    chip_to_chip
        Whether chips send pages that collection moves, and operands of gathers, to each other,
        without a controller, where the fabric can. `venice`: over a circuit from chip to chip.
        `pnssd`: between chips of a column, over its bus. Others cannot. Collection moves pages to
        other chips with `ftl.gc_destination` only.
        Default false. Source: Nadig et al., Venice, ISCA 2023, §8; Kim et al., Networked SSD, MICRO
        2022.
    first_on_path
        What goes first of several transfers that wait for a path. `data`: data that was read, then
        commands, as in MQSim. `commands`: commands without data, then data that was read, then
        commands with data. They take no time to speak of and set arrays to work, so that more chips
        have data waiting and fewer paths stay unused; every fabric carries more for it under a
        saturating load of reads.
        Default "commands". Source: ours (commands): a saturated channel then carries its rate;
        Tavakkol et al., MQSim, FAST 2018 (data).
    hold
        What a path is held for: a channel, a bus, a ring, a circuit. `transfer`: for one transfer,
        so that a read takes a path twice and others use it while its array works. `operation`: from
        a read's command to the end of its data. The packets of `nossd` hold no path.
        Default "transfer". Source: Nadig et al., Venice, ISCA 2023, §3.1, Figure 3 (transfer);
        §4.2, §6.5 (operation: for each I/O request).
    name
        Which fabric.
        Default "bus". Source: Nadig et al., Venice, ISCA 2023, §3.2, §5.
    decoupled
        The system bus and the network of controllers of `decoupled`.
    faults
        What fails, on each fabric what it is made of; and what follows. Links and routers of a
        mesh: `[fabric.mesh]`.
    hlnand
        The rings of chips of `hlnand`.
    mesh
        The links between routers of `nossd` and `venice`.
    nossd
        The packet-switched mesh, `nossd`.
    pnssd
        The row and column buses of `pnssd`.
    pssd
        The packetised channel of `pssd`.
    venice
        The circuit-reserving mesh, `venice`.
    """

    channel_rate_mb_per_s: Value[float] = None
    chip_to_chip: Value[bool] = None
    first_on_path: Value[FabricFirstOnPath] = None
    hold: Value[FabricHold] = None
    name: Value[FabricName] = None
    decoupled: FabricDecoupled = FabricDecoupled()
    faults: FabricFaults = FabricFaults()
    hlnand: FabricHlnand = FabricHlnand()
    mesh: FabricMesh = FabricMesh()
    nossd: FabricNossd = FabricNossd()
    pnssd: FabricPnssd = FabricPnssd()
    pssd: FabricPssd = FabricPssd()
    venice: FabricVenice = FabricVenice()


@section("flash.command")
@dataclass(frozen=True, kw_only=True, repr=False)
class FlashCommand(Section):
    """How long the command cycles occupy the path to a chip.

    Attributes
    ----------
    t_adl_ns
        From the last address cycle to data in (tADL) [ns].
        0 to 1000000; default 70. Source: MQSim, ONFI_Channel_NVDDR2.h.
    t_cals_ns
        Setup of the latch-enable signals (tCALS) [ns].
        0 to 1000000; default 15. Source: MQSim, ONFI_Channel_NVDDR2.h.
    t_cmd_ns
        Time of a command, for `timing = "flat"` [ns].
        0 to 1000000; default 10. Source: Nadig et al., Venice, ISCA 2023, §3.1.
    t_cs_ns
        Chip select setup (tCS), for `nvddr2` as all further ones [ns].
        0 to 1000000; default 20. Source: MQSim, ONFI_Channel_NVDDR2.h.
    t_dbsy_ns
        Busy time between the planes of a command (tDBSY) [ns].
        0 to 1000000; default 500. Source: MQSim, ONFI_Channel_NVDDR2.h.
    t_dqsre_ns
        From read enable to the data strobe (tDQSRE), in front of each plane's data out [ns].
        0 to 1000000; default 15. Source: MQSim, ONFI_Channel_NVDDR2.h.
    t_rpre_ns
        Data strobe's read preamble (tRPRE), in front of each plane's data out [ns].
        0 to 1000000; default 15. Source: MQSim, ONFI_Channel_NVDDR2.h.
    t_rr_ns
        From ready to data out (tRR) [ns].
        0 to 1000000; default 20. Source: MQSim, ONFI_Channel_NVDDR2.h.
    t_wb_ns
        From the last command cycle to busy (tWB) [ns].
        0 to 1000000; default 100. Source: MQSim, ONFI_Channel_NVDDR2.h.
    t_wc_ns
        Command or address cycle (tWC) [ns].
        0 to 1000000; default 25. Source: MQSim, ONFI_Channel_NVDDR2.h.
    t_wpst_ns
        Data strobe's write postamble (tWPST) [ns].
        0 to 1000000; default 6. Source: MQSim, ONFI_Channel_NVDDR2.h.
    t_wpsth_ns
        Hold time of the write postamble (tWPSTH) [ns].
        0 to 1000000; default 15. Source: MQSim, ONFI_Channel_NVDDR2.h.
    timing
        How command times are given. `flat`: `t_cmd_ns` for each read, program and erase of any
        number of planes, and nothing in front of data out. `nvddr2`: computed from the timing
        parameters of the interface, below.
        Default "flat". Source: Nadig et al., Venice, ISCA 2023, §3.1 (flat); MQSim,
        ONFI_Channel_NVDDR2 (nvddr2).
    """

    t_adl_ns: Value[float] = None
    t_cals_ns: Value[float] = None
    t_cmd_ns: Value[float] = None
    t_cs_ns: Value[float] = None
    t_dbsy_ns: Value[float] = None
    t_dqsre_ns: Value[float] = None
    t_rpre_ns: Value[float] = None
    t_rr_ns: Value[float] = None
    t_wb_ns: Value[float] = None
    t_wc_ns: Value[float] = None
    t_wpst_ns: Value[float] = None
    t_wpsth_ns: Value[float] = None
    timing: Value[FlashCommandTiming] = None


@section("flash.suspend")
@dataclass(frozen=True, kw_only=True, repr=False)
class FlashSuspend(Section):
    """Programs and erases that are suspended for others.

    Attributes
    ----------
    erase_for_read_us
        Array time that must be left of an erase to suspend it for a read [µs].
        0 to 1000000; default 25. Source: MQSim, Preferred_suspend_erase_time_for_read; 25 is ours:
        what a suspension costs.
    erase_for_write_us
        Array time that must be left of an erase to suspend it for a write, with `erase_for_writes`
        [µs].
        0 to 1000000; default 25. Source: MQSim, Preferred_suspend_erase_time_for_write; 25 is ours:
        what a suspension costs.
    erase_for_writes
        Whether erases are suspended for writes too.
        Default false. Source: MQSim, TSU_OutOfOrder.cpp, where it has no effect.
    max_commands
        How many commands a die does during one suspension [commands]. Those that wait when an
        operation is suspended, and those that come meanwhile.
        1 to 65535; default 16. Source: assumed.
    max_times
        How often one operation may be suspended [times]. Together with `max_commands`, so that it
        ends however many reads keep coming.
        1 to 65535; default 4. Source: assumed.
    operations
        Which operations of a die's array may be suspended. `none`, `erase`, `program`, or `both`.
        An operation is suspended for what the die would do next, if that is a read that the host or
        a look-up waits for.
        Default "none". Source: Wu, He, FAST 2012; MQSim, CMD_Suspension_Support, which has no
        effect there.
    program_for_read_us
        Array time that must be left of a program to suspend it for a read [µs].
        0 to 1000000; default 10. Source: MQSim, Preferred_suspend_write_time_for_read; 10 is ours:
        what a suspension costs.
    t_espd_us
        Time for an erase to come to rest (tESPD) [µs].
        0 to 1000000; default 20. Source: assumed: 2 % of an erase of 1 ms.
    t_pspd_us
        Time for a program to come to rest (tPSPD) [µs].
        0 to 1000000; default 5. Source: assumed: 5 % of a program of 100 µs.
    t_resume_us
        Time for either to get going again [µs].
        0 to 1000000; default 5. Source: assumed: as a program's coming to rest.
    """

    erase_for_read_us: Value[float] = None
    erase_for_write_us: Value[float] = None
    erase_for_writes: Value[bool] = None
    max_commands: Value[int] = None
    max_times: Value[int] = None
    operations: Value[FlashSuspendOperations] = None
    program_for_read_us: Value[float] = None
    t_espd_us: Value[float] = None
    t_pspd_us: Value[float] = None
    t_resume_us: Value[float] = None


@section("flash.wear")
@dataclass(frozen=True, kw_only=True, repr=False)
class FlashWear(Section):
    """Raw bit errors of the flash cells, read by searching drives: floor + cycling · PE^a +
    retention · PE^b · days^c + disturb · PE^d · reads^e.

    Attributes
    ----------
    cycling
        Scale of the program/erase cycles' part.
        0 to 1; default 3.9e-10. Source: attributed to Kim et al., FAST 2019; not checked.
    cycling_cycles_exponent
        Exponent of the cycles in their own part.
        0 to 10; default 2.05. Source: attributed to Kim et al., FAST 2019; not checked.
    disturb
        Scale of the reads' part.
        0 to 1; default 3.73e-09. Source: attributed to Kim et al., FAST 2019; not checked.
    disturb_cycles_exponent
        Exponent of the cycles in the reads' part.
        0 to 10; default 0.33. Source: attributed to Kim et al., FAST 2019; not checked.
    disturb_reads_exponent
        Exponent of the reads.
        0 to 10; default 1.71. Source: attributed to Kim et al., FAST 2019; not checked.
    floor
        Raw bit error rate of a page that was just programmed in a block without wear.
        0 to 0.5; default 0.00148. Source: attributed to Kim et al., FAST 2019, 72-layer TLC; not
        checked.
    retention
        Scale of the retention part.
        0 to 1; default 6.28e-05. Source: attributed to Kim et al., FAST 2019; not checked.
    retention_cycles_exponent
        Exponent of the cycles in the retention part.
        0 to 10; default 0.14. Source: attributed to Kim et al., FAST 2019; not checked.
    retention_days_exponent
        Exponent of the days of retention.
        0 to 10; default 0.54. Source: attributed to Kim et al., FAST 2019; the unit of time was not
        checked.
    """

    cycling: Value[float] = None
    cycling_cycles_exponent: Value[float] = None
    disturb: Value[float] = None
    disturb_cycles_exponent: Value[float] = None
    disturb_reads_exponent: Value[float] = None
    floor: Value[float] = None
    retention: Value[float] = None
    retention_cycles_exponent: Value[float] = None
    retention_days_exponent: Value[float] = None


@section("flash")
@dataclass(frozen=True, kw_only=True, repr=False)
class Flash(Section):
    """The flash chips: how they are built and how long their arrays take.

    Attributes
    ----------
    blocks_per_plane
        Blocks of a plane [blocks].
        4 to 1048576; no default. Source: ONFI.
    die_work
        Whether dies of a chip work at the same time. `independent`: each has a command of its own,
        and they share the pins. `one_at_a_time`: a chip takes no command before the last one of any
        of its dies is finished.
        Default "independent". Source: ONFI (interleaved die operations).
    dies_per_chip
        Dies of a chip [dies]. Dies work independently of each other.
        1 to 16; no default. Source: ONFI (a logical unit, LUN).
    multiplane
        Whether planes of a die may join in one command.
        Default true. Source: ONFI (multi-plane operations).
    multiplane_same_offset
        Whether joined planes must address the same page offset of their blocks.
        Default true. Source: MQSim, TSU_Base.cpp: joined transactions have the same page offset.
    page_bytes
        Data bytes of a page [bytes].
        512 to 32768; no default. Source: ONFI.
    page_type_order
        In which order the pages of a block have the types that the lists give. `cyclic`: page by
        page through the list. `mqsim`: with three types, six pages of the first, two of the second,
        and from then on two of each in turn; otherwise as `cyclic`.
        Default "cyclic". Source: MQSim, Flash_Chip.h; Yaakobi et al., ICNC 2012 (mqsim); ours
        (cyclic).
    pages_per_block
        Pages of a block [pages].
        1 to 65536; no default. Source: ONFI.
    planes_per_die
        Planes of a die [planes]. Planes of a die work together in multi-plane commands only.
        1 to 16; no default. Source: ONFI.
    t_bers_us
        Block erase time (tBERS) [µs].
        0.001 to 1000000; no default. Source: ONFI, tBERS.
    t_prog_us
        Array program time (tPROG) [µs]. One number, or a list as long as that of `t_read_us`.
        0.001 to 1000000; no default. Source: ONFI, tPROG.
    t_read_us
        Array read time (tR) [µs]. One number for every page, or a list by page type, least
        significant bit first; which pages of a block are of which type, `page_type_order` says.
        0.001 to 1000000; no default. Source: ONFI, tR.
    command
        How long the command cycles occupy the path to a chip.
    suspend
        Programs and erases that are suspended for others.
    wear
        Raw bit errors of the flash cells, read by searching drives: floor + cycling · PE^a +
        retention · PE^b · days^c + disturb · PE^d · reads^e.
    """

    blocks_per_plane: Value[int] = None
    die_work: Value[FlashDieWork] = None
    dies_per_chip: Value[int] = None
    multiplane: Value[bool] = None
    multiplane_same_offset: Value[bool] = None
    page_bytes: Value[int] = None
    page_type_order: Value[FlashPageTypeOrder] = None
    pages_per_block: Value[int] = None
    planes_per_die: Value[int] = None
    t_bers_us: Value[float] = None
    t_prog_us: Value[float | Sequence[float]] = None
    t_read_us: Value[float | Sequence[float]] = None
    command: FlashCommand = FlashCommand()
    suspend: FlashSuspend = FlashSuspend()
    wear: FlashWear = FlashWear()


@section("ftl")
@dataclass(frozen=True, kw_only=True, repr=False)
class Ftl(Section):
    """The flash translation layer.

    Attributes
    ----------
    allocation
        Order in which consecutive logical pages are spread over channel (C), way (W), die (D) and
        plane (P). The first letter varies fastest. The way is the chip's place in its row.
        Default "CWDP". Source: MQSim, Plane_Allocation_Scheme = CWDP.
    allocation_mode
        What decides the plane of a logical page. `static`: its number alone. `dynamic`: the least
        busy plane when the page is written, looked for in the order that `allocation` gives.
        `in_turn`: the next plane in that order, in which pages come to be written: a log, which
        fills the planes of a die together if they stand first.
        Default "static". Source: MQSim, Plane_Allocation_Scheme = CWDP.
    cold_apart_age_pct
        Blocks that became full since a victim did, as a share of the drive's, from which on its
        pages are cold, for `cold_apart` [%].
        0 to 100000; default 100. Source: assumed: a log that is overwritten evenly has come around
        once; Stoica, Ailamaki, PVLDB 2013.
    dynamic_wear_levelling
        Whether a plane opens its least worn free block next, rather than the one erased first.
        Default true. Source: MQSim, Dynamic_Wearleveling_Enabled = true.
    follow_up_class
        The class of what a request makes necessary without asking for it, for policies that know
        classes: reads of what an update does not cover, and writes of pages that leave the data
        cache. `own`: that of the request. `high`: high, whatever that of the request.
        Default "own". Source: ours (own); MQSim, Address_Mapping_Unit_Page_Level.cpp,
        TSU_Priority_OutOfOrder.cpp (high).
    gc_copyback
        Whether collection moves pages inside their plane, without crossing the fabric (copyback).
        Such a page is not checked for errors on its way.
        Default false. Source: ONFI (copyback); MQSim, Use_Copyback_for_GC = false.
    gc_destination
        Where collection moves the pages of a victim. Moves for wear and of pages of the map stay.
        `same_plane`: they stay. `least_busy_plane`: to the plane of the drive whose die has the
        fewest writes to do, of those with room that do not collect. `least_busy_of_column`:
        likewise among the chips of the same column. `cold_apart`: they stay, and those of victims
        that have rested fill blocks of their own.
        Default "same_plane". Source: MQSim, GC_and_WL_Unit_Page_Level.cpp; Kim et al., Decoupled
        SSD, ISCA 2023; Kim et al., Networked SSD, MICRO 2022; Stoica, Ailamaki, PVLDB 2013.
    gc_hard_free_blocks_min
        Fewest free blocks of a plane below which its collection goes before the host [blocks]. With
        2, it does when the host has no free block left.
        2 to 1024; default 3. Source: ours: one block for the host's writes, one for collection's
        moves, one in reserve.
    gc_hard_free_blocks_pct
        Share of a plane's blocks; with fewer free ones, its collection goes before the host, for
        `gc_yields_to_host` [%]. Rounded down to whole blocks, but never below
        `gc_hard_free_blocks_min`.
        0 to 50; default 0. Source: ours: as for gc_start_free_blocks_pct; MQSim, GC_Hard_Threshold
        = 0.005.
    gc_moves_in_flight
        Moves of a collection that are in flight at a time, from the read of a page to the end of
        its program [pages]. The controller holds as many pages for each plane that collects. With
        1, pages are moved one after another.
        1 to 65535; default 2. Source: ours: a page is read while the one before is programmed;
        MQSim, GC_and_WL_Unit_Page_Level.cpp: all of the victim.
    gc_start_free_blocks_min
        Fewest free blocks of a plane below which garbage collection starts [blocks]. With 2, it
        starts when the host has no room left.
        2 to 1024; default 6. Source: ours: the hard threshold and three blocks, which host writes
        may take before collection goes first; a Samsung PM9A3's reads beside random writes are met
        with it.
    gc_start_free_blocks_pct
        Share of a plane's blocks; with fewer free ones, garbage collection starts [%]. Rounded down
        to whole blocks, but never below `gc_start_free_blocks_min`. Blocks that are kept free hold
        no data, so a share of 5 % leaves 2 of 7 % over-provisioning in use. While the host has
        room, a plane waits whose invalid pages cannot make up the missing blocks.
        0 to 50; default 0. Source: ours: the reserve covers bursts, which do not grow with the
        drive; MQSim, GC_Exec_Threshold = 0.05.
    gc_stop_free_blocks
        With fewer free blocks than this, the host's writes to a plane wait for a collection that is
        on its way [blocks].
        0 to 1024; default 0. Source: ours: as long as there is room; MQSim,
        GC_and_WL_Unit_Base.cpp: 10.
    gc_trigger
        What makes a plane collect that has too few free blocks. `shortage`: that it has; it
        collects until it does not. `full_block`: that a block became full, which happens to
        collection's own too; it collects one for each, and opens the next block at once.
        Default "shortage". Source: ours (shortage); MQSim, Flash_Block_Manager.cpp (full_block).
    gc_yields_to_host
        Whether collection waits for host commands of its die while the plane has enough free
        blocks. Enough is `gc_hard_free_blocks_pct` and `gc_hard_free_blocks_min`. Collection then
        goes on page by page, between commands of the host.
        Default true. Source: Lee et al., TCAD 2013 (preemptible garbage collection); MQSim,
        Preemptible_GC_Enabled = false.
    mapping
        What it costs to look up a page in the map. `ideal`: nothing, the whole map is in memory.
        `cached`: a part of it is, and what is not is read from flash, where the map takes pages of
        every plane.
        Default "ideal". Source: MQSim, Ideal_Mapping_Table; Gupta et al., DFTL, ASPLOS 2009.
    mapping_page_entry_bytes
        Room that it takes in a page of the map on flash [bytes].
        1 to 512; default 6. Source: MQSim, Address_Mapping_Unit_Page_Level.cpp: a page number and a
        bit for each sector.
    mapping_table_bytes
        Memory for the cached part of the map, with `mapping = "cached"` as all `mapping_`
        parameters [bytes].
        1 to 1099511627776; default 2097152. Source: MQSim, CMT_Capacity = 2 MiB.
    mapping_table_entry_bytes
        Memory that the entry of a logical page takes there [bytes].
        1 to 512; default 9. Source: MQSim, Address_Mapping_Unit_Page_Level.cpp: both page numbers
        and a bit for each sector.
    mapping_table_sharing
        Whose entries compete for that memory. `shared`: those of all address ranges. `equal`: each
        range has an equal part. `whole`: each has a table of the full size.
        Default "shared". Source: ours; MQSim, CMT_Sharing_Mode, whose SHARED makes a whole table
        for each flow.
    mapping_writeback
        What becomes of changed entries that leave memory. `flash`: their page of the map is read,
        changed and programmed. `read_only`: it is read and costs nothing from then on, and entries
        of pages read before they were ever written count as changed.
        Default "flash". Source: Gupta et al., DFTL, ASPLOS 2009 (flash); MQSim, which never
        programs them (read_only).
    over_provisioning_pct
        Share of the raw pages that the host cannot address [%].
        0 to 90; default 7. Source: MQSim, Overprovisioning_Ratio = 0.07.
    page_allocation
        When a write gets its physical page and the map changes. `at_start`: when its die starts the
        program. `at_arrival`: when it joins the die's queue; programs of a block start in the order
        of its pages. `at_arrival_any_order`: likewise, but they start in any order, which flash
        does not take.
        Default "at_start". Source: ours (at_start); MQSim, Address_Mapping_Unit_Page_Level.cpp
        (at_arrival_any_order).
    page_cuts
        Where requests are cut into pages, with MQSim's files. `pages`: where pages end. `device`:
        where pages of MQSim's device end, in which a flow's sectors may begin within a page; a
        piece belongs to the page of the flow in which its first sector lies.
        Default "pages". Source: ours (pages); MQSim, Host_Interface_NVMe.cpp (device).
    paq_most_passes
        How often a group may pass over the transaction that has waited longest for its die, for
        `paq`; one more than that may lead a group, and twice as many are looked at [commands].
        0 to 65535; default 7. Source: ours: so that groups of more planes go first and nothing
        starves.
    random_pp_bound_pct
        Most valid pages of a block that is drawn, of the average of the plane's candidates, for
        `random_pp` [%].
        1 to 1000; default 100. Source: Van Houdt, SIGMETRICS 2013 (Random++); 100 is ours: the
        average.
    rga_choices
        Blocks of a sample (d), for `rga`; 0: ⌊log₂(blocks of the plane)⌋ [blocks].
        0 to 256; default 0. Source: Van Houdt, SIGMETRICS 2013 (d-choices); MQSim,
        GC_and_WL_Unit_Base.cpp (the logarithm).
    scheduling
        In which order a die serves what waits for it. `out_of_order`: reads before writes before
        collection. `priority_out_of_order`: the same, and within the host's reads, and within its
        writes, urgent ones first and the others in proportion to `host.weight_high`, `medium` and
        `low` by the class of their queue (`host.queue_priorities`). `paq`: the host's reads and
        writes in order of arrival, in groups that use as many planes of the die as may be.
        `priority_turns`: as `priority_out_of_order`, with turns that go by whenever MQSim's
        scheduler looks, so that work of a low class alone waits, possibly for good.
        Default "paq". Source: Jung et al., PAQ, ISCA 2012 (host commands of a die by arrival);
        MQSim, Transaction_Scheduling_Policy (out_of_order: reads first).
    sector_sets
        Which sectors of a page a request is taken to touch when a page is overwritten, or read
        before it was ever written. `exact`: those that it touches. `shifted`: as in a number of 64
        bits, all of which are none, and in which what `page_cuts` puts beyond a page's end stays
        beyond it, and is lost of pages of 64 sectors. The data cache has exact sets.
        Default "exact". Source: ours (exact); MQSim, Host_Interface_NVMe.cpp (shifted).
    static_wear_levelling
        Whether a full block that has worn much less than others of its plane is moved and erased.
        Default true. Source: MQSim, Static_Wearleveling_Enabled = true.
    static_wear_levelling_threshold
        Difference of erase counts in a plane from which a block is moved, for
        `static_wear_levelling` [erases].
        1 to 1000000; default 100. Source: MQSim, Static_Wearleveling_Threshold = 100.
    unwritten_data
        What a page holds that the host never wrote in this run. `present`: data from before the
        run, where static allocation puts it, so that a partial write reads it first. `absent`:
        nothing. `mapped_on_read`: nothing, but the first read of the page gives it one of the
        plane's, at no cost, as if the sectors that it reads had been written.
        Default "present". Source: ours; MQSim, Address_Mapping_Unit_Page_Level.cpp
        (mapped_on_read).
    unwritten_place
        Where `unwritten_data = "mapped_on_read"` puts a page. `as_written`: where a write of it
        would go. `plane_by_die`: on the same die, on the plane whose number stands in the list of
        dies at the place of the page's own in the list of planes (plane 0 behind the end of the
        list), if it is one of the flow's.
        Default "as_written". Source: ours (as_written); MQSim, Address_Mapping_Unit_Page_Level.cpp,
        with DWCP (plane_by_die).
    update_transfer
        What goes to the chip when a write covers part of a page that holds more. `merged`: the
        whole page, with what was read of the old one. `new_sectors`: the written sectors alone,
        though the page that is programmed holds the others too.
        Default "merged". Source: ours (merged); MQSim, Address_Mapping_Unit_Page_Level.cpp
        (new_sectors).
    victim
        How a garbage collection victim is chosen. Among a plane's full blocks with an invalid page.
        `greedy`: fewest valid pages. `rga`: greedy in a random sample (d-choices). `random`: any
        block, full or not, until it is worth collecting. `random_p`: any full one. `random_pp`: any
        with no more valid pages than the average, or a share of it. `fifo`: the one that became
        full first. `cost_benefit`: most age times invalid pages for its valid ones.
        `cost_age_times`: the same for its valid pages times its erases.
        Default "greedy". Source: Gao et al., PIQ, TCAD 2017, §V-A; MQSim,
        GC_Block_Selection_Policy; each policy's own file.
    wear_measure
        What static wear levelling compares. `erases`: the erase counts of a plane's blocks.
        `block_numbers`: the numbers of its first and its first most worn block, and moves only the
        former, once.
        Default "erases". Source: Chang, Hsieh, Kuo, DAC 2007 (erases); MQSim,
        Flash_Block_Manager_Base.cpp (block_numbers).
    write_frontiers
        Whether the host's writes and the moves of collection fill blocks of their own. `separate`:
        they do, as long as a plane has three blocks to spare: when the host has no block left, it
        waits until collection has made it one. `shared`: it fills what collection's open block can
        spare, so that data that was just written and data that has rested share blocks. It is so
        wherever `gc_destination` lets moves leave their plane.
        Default "separate". Source: Van Houdt, Performance Evaluation 70 (2013); MQSim,
        Flash_Block_Manager.cpp: Data_wf, GC_wf.
    write_streams
        Streams of the host's writes: in every plane each fills blocks of its own [streams]. A
        write's stream is the number of its host queue modulo this. When no block is free, streams
        share those that are open.
        1 to 256; default 1. Source: ours; MQSim, Flash_Block_Manager.cpp: one for each flow.
    """

    allocation: Value[FtlAllocation] = None
    allocation_mode: Value[FtlAllocationMode] = None
    cold_apart_age_pct: Value[float] = None
    dynamic_wear_levelling: Value[bool] = None
    follow_up_class: Value[FtlFollowUpClass] = None
    gc_copyback: Value[bool] = None
    gc_destination: Value[FtlGcDestination] = None
    gc_hard_free_blocks_min: Value[int] = None
    gc_hard_free_blocks_pct: Value[float] = None
    gc_moves_in_flight: Value[int] = None
    gc_start_free_blocks_min: Value[int] = None
    gc_start_free_blocks_pct: Value[float] = None
    gc_stop_free_blocks: Value[int] = None
    gc_trigger: Value[FtlGcTrigger] = None
    gc_yields_to_host: Value[bool] = None
    mapping: Value[FtlMapping] = None
    mapping_page_entry_bytes: Value[int] = None
    mapping_table_bytes: Value[int] = None
    mapping_table_entry_bytes: Value[int] = None
    mapping_table_sharing: Value[FtlMappingTableSharing] = None
    mapping_writeback: Value[FtlMappingWriteback] = None
    over_provisioning_pct: Value[float] = None
    page_allocation: Value[FtlPageAllocation] = None
    page_cuts: Value[FtlPageCuts] = None
    paq_most_passes: Value[int] = None
    random_pp_bound_pct: Value[float] = None
    rga_choices: Value[int] = None
    scheduling: Value[FtlScheduling] = None
    sector_sets: Value[FtlSectorSets] = None
    static_wear_levelling: Value[bool] = None
    static_wear_levelling_threshold: Value[int] = None
    unwritten_data: Value[FtlUnwrittenData] = None
    unwritten_place: Value[FtlUnwrittenPlace] = None
    update_transfer: Value[FtlUpdateTransfer] = None
    victim: Value[FtlVictim] = None
    wear_measure: Value[FtlWearMeasure] = None
    write_frontiers: Value[FtlWriteFrontiers] = None
    write_streams: Value[int] = None


@section("gather")
@dataclass(frozen=True, kw_only=True, repr=False)
class Gather(Section):
    """Gathers: requests that have a chip combine pages from all over the drive.

    Attributes
    ----------
    operands
        Pages that a gather combines, the one that the request names among them [pages].
        2 to 64; default 4. Source: assumed; Park et al., Flash-Cosmos, MICRO 2022, combines tens of
        pages.
    placement
        Which pages they are, besides the one that the request names. `random`: any of its address
        range, the same ones whenever it is named. `consecutive`: those that follow it.
        Default "random". Source: assumed: operands lie where they were written.
    result
        What becomes of the result. `host`: the host is sent it. `flash`: it stays in the chip, and
        the host is told that it is there.
        Default "host". Source: ours.
    t_operation_us
        Time in which a chip combines a page with those before [us].
        0 to 1000000; default 1. Source: assumed: latches of a page buffer work beside each other,
        in far less than a read.
    target
        Which chip combines them. `first_operand`: that of the page that the request names.
        `most_operands`: that on which most of them lie.
        Default "first_operand". Source: ours.
    wait
        How long an operand stays in its register for a target that is busy, where it can go from
        chip to chip. `always`: until the target can take it. `while_idle`: until something else
        waits for its die. `never`: not at all. Then it goes by a controller.
        Default "while_idle". Source: ours.
    """

    operands: Value[int] = None
    placement: Value[GatherPlacement] = None
    result: Value[GatherResult] = None
    t_operation_us: Value[float] = None
    target: Value[GatherTarget] = None
    wait: Value[GatherWait] = None


@section("host.scheduler")
@dataclass(frozen=True, kw_only=True, repr=False)
class HostScheduler(Section):
    """The scheduler between the host's I/O queue and the drive.

    Attributes
    ----------
    batches
        Which requests a batch takes in. `open`: all that share no unit with it, until it is
        complete. `closed`: those that come before the first of it goes.
        Default "open". Source: Gao et al., PIQ, TCAD 2017, §IV-A1 and §IV-B2: outstanding requests
        count, new ones are added to the batch.
    drive_level
        The units of the drive for which requests wait, with `issue = "without_conflicts"`.
        Default "chip". Source: ours: the paper's drive has chips.
    drive_slots
        Requests handed to the drive and not complete [requests].
        1 to 65536; default 32. Source: assumed: the tags of native command queueing.
    fifo_batch
        Requests in order of their sectors before expiry is looked at again, for `deadline`
        [requests].
        1 to 65536; default 16. Source: Linux, block/deadline-iosched.
    history_points
        Intervals in which the report tells how long the queue was and how many chips were at work,
        at most [intervals].
        2 to 65536; default 256. Source: ours: as many as a figure shows.
    issue
        What happens to a request that touches a unit which one in the drive touches. `freely`: it
        is handed over; the drive's own scheduler lets others pass it. `without_conflicts`: it waits
        in the host, and what the scheme puts behind it, as on a drive that takes requests in order.
        Default "freely". Source: ours: today's drives; Gao et al., PIQ, TCAD 2017, Figures 6 and 7
        have a drive in order.
    kyber_patience_ms
        Time after which fewer samples are enough, for `kyber` [ms].
        0 to 1000000; default 1000. Source: Linux, block/kyber-iosched.c (HZ).
    kyber_read_batch
        Reads in a batch, for `kyber` [requests].
        1 to 65536; default 16. Source: Linux, block/kyber-iosched.c.
    kyber_read_depth
        Most reads in the drive, for `kyber` [requests].
        1 to 65536; default 256. Source: Linux, block/kyber-iosched.c.
    kyber_read_target_us
        Target latency of reads, for `kyber` [µs].
        0.001 to 1000000; default 2000. Source: Linux, block/kyber-iosched.c (2 ms).
    kyber_samples
        Samples of a kind that are enough, for `kyber` [requests].
        1 to 1000000; default 500. Source: Linux, block/kyber-iosched.c.
    kyber_window_ms
        Time from a completion until depths are considered, for `kyber` [ms].
        0.001 to 1000000; default 100. Source: Linux, block/kyber-iosched.c (HZ / 10).
    kyber_write_batch
        Writes in a batch, for `kyber` [requests].
        1 to 65536; default 8. Source: Linux, block/kyber-iosched.c.
    kyber_write_depth
        Most writes in the drive, for `kyber` [requests].
        1 to 65536; default 128. Source: Linux, block/kyber-iosched.c.
    kyber_write_target_us
        Target latency of writes, for `kyber` [µs].
        0.001 to 1000000; default 10000. Source: Linux, block/kyber-iosched.c (10 ms).
    level
        What the scheduler takes for units that work in parallel.
        Default "chip". Source: Gao et al., PIQ, TCAD 2017, §IV-A (chip, or plane with advanced
        commands).
    next_batch
        When the batch after the one that is being handed over begins. `after_completion`: when
        every request of the last one is complete. `as_slots_free`: as soon as there is room.
        Default "as_slots_free". Source: Gao et al., PIQ, TCAD 2017, §IV-A1: outstanding requests
        are there while others are scheduled.
    queue_counts
        Which requests have an entry. `waiting`: those that wait in the host. `waiting_by_kind`: as
        many reads and as many writes, as Linux's `nr_requests` limits each. `outstanding`: those in
        the drive, too.
        Default "waiting". Source: Gao et al., PIQ, TCAD 2017, Figure 18: one entry leaves the drive
        its other requests; Linux, block/queue-sysfs.
    queue_length
        Entries of the I/O queue, for every scheme but `none`, as all that follows [requests]. The
        scheduler chooses from those that wait in them; further requests wait behind, in order.
        1 to 65536; default 64. Source: Gao et al., PIQ, TCAD 2017, §V (64; Figure 18: 1 to 512).
    read_expire_ms
        Age at which a read goes next, for `deadline` [ms].
        0 to 1000000; default 500. Source: Linux, block/deadline-iosched.
    scheme
        In which order requests go to the drive. `none`: there is no I/O queue in the host. `noop`:
        as they came. `rws`: reads before writes. `piq_r`: besides, reads in batches that touch no
        unit twice. `piq_w`: besides, writes in such batches. `piq`: besides, both in such batches.
        `piq_plus`: as `piq`, and a batch of writes that has waited long goes first. `deadline`: by
        sector, with expiry. `by_unit`: as they came, past those that wait for other units.
        `conflict_free`: as they came, each moved to idle units: an ideal that no drive can be.
        `kyber`: reads and writes by turns, each with as many in the drive as two latency targets
        allow.
        Default "none". Source: Gao et al., PIQ, TCAD 2017, §III and §IV; Linux,
        block/deadline-iosched, block/kyber-iosched; by_unit is ours.
    units
        How many of them it believes there are; 0: as many as there are [units].
        0 to 65536; default 0. Source: Gao et al., PIQ, TCAD 2017, Figure 19 (a wrong number on
        purpose).
    write_expire_ms
        Age at which a write goes next when it is the writes' turn, for `deadline` [ms].
        0 to 1000000; default 5000. Source: Linux, block/deadline-iosched.
    write_threshold_us
        Age at which a batch of writes goes first, for `piq_plus` [µs].
        0 to 1000000; default 1000. Source: Gao et al., PIQ, TCAD 2017, §V-B1 (1 ms).
    writes_starved
        Turns that reads may take while writes wait, for `deadline` [turns].
        1 to 65536; default 2. Source: Linux, block/deadline-iosched.
    """

    batches: Value[HostSchedulerBatches] = None
    drive_level: Value[HostSchedulerDriveLevel] = None
    drive_slots: Value[int] = None
    fifo_batch: Value[int] = None
    history_points: Value[int] = None
    issue: Value[HostSchedulerIssue] = None
    kyber_patience_ms: Value[float] = None
    kyber_read_batch: Value[int] = None
    kyber_read_depth: Value[int] = None
    kyber_read_target_us: Value[float] = None
    kyber_samples: Value[int] = None
    kyber_window_ms: Value[float] = None
    kyber_write_batch: Value[int] = None
    kyber_write_depth: Value[int] = None
    kyber_write_target_us: Value[float] = None
    level: Value[HostSchedulerLevel] = None
    next_batch: Value[HostSchedulerNextBatch] = None
    queue_counts: Value[HostSchedulerQueueCounts] = None
    queue_length: Value[int] = None
    read_expire_ms: Value[float] = None
    scheme: Value[HostSchedulerScheme] = None
    units: Value[int] = None
    write_expire_ms: Value[float] = None
    write_threshold_us: Value[float] = None
    writes_starved: Value[int] = None


@section("host")
@dataclass(frozen=True, kw_only=True, repr=False)
class Host(Section):
    """The link between host and drive, and the drive's command queue.

    Attributes
    ----------
    adapter_delay_ns
        Time that a request, or a completion, takes in the host's adapter, with `protocol = "sata"`
        [ns]. One at a time each way.
        0 to 1000000000; default 0. Source: MQSim, SATA_Processing_Delay.
    arbitration
        Which queue is next when the drive may take a command and several queues have some.
        `round_robin`: queues in turn. `weighted_round_robin`: urgent queues first, then the other
        classes by weight; queues of a class in turn. It matters only where `drive_depth` is
        reached.
        Default "round_robin". Source: NVM Express Base Specification 1.4, §4.13.
    arbitration_burst
        Most commands taken from a queue in its turn [commands].
        1 to 65535; default 1. Source: NVM Express Base Specification 1.4, §4.13 (Arbitration
        Burst).
    command_bytes
        Link bytes that a command costs besides its data [bytes].
        0 to 65536; default 64. Source: NVM Express: a submission queue entry.
    completion_bytes
        Link bytes that a completion costs besides its data [bytes].
        0 to 65536; default 16. Source: NVM Express: a completion queue entry.
    doorbell_bytes
        Bytes of a doorbell, with `protocol = "nvme"` or `"sata"` [bytes].
        0 to 4096; default 4. Source: NVM Express: doorbell registers have 32 bits.
    drive_depth
        Commands of all queues together that the drive works on at once [commands].
        1 to 1048576; default 1048576. Source: ours: MQSim limits each queue only.
    link_latency_ns
        Time from the end of a message on one side to its arrival on the other [ns].
        0 to 1000000000; default 0. Source: assumed: MQSim has none.
    link_rate_mb_per_s
        Data rate of each direction of the link [MB/s].
        1 to 1000000; default 8000. Source: Nadig et al., Venice, ISCA 2023, Table 1, §3.1 (PCIe
        Gen4 x4).
    packet_header_bytes
        Bytes on the link for each packet besides its payload [bytes].
        0 to 4096; default 0. Source: ours: by default the link's rate is net of packet headers.
    packet_payload_bytes
        Most bytes of a message in one packet of the link [bytes].
        1 to 65536; default 128. Source: PCI Express; 128 bytes as in MQSim.
    protocol
        Which messages a command exchanges over the link. `direct`: the command goes in with its
        data, the completion comes back with its data. `nvme`: doorbells, fetched submission
        entries, data and completion entries are messages of their own, on a pair of rings for each
        queue. `sata`: the same messages on one pair of rings for all queues, behind the host's
        adapter.
        Default "direct". Source: ours.
    queue_depth
        Commands of one queue that the drive works on at once [commands]. Further ones wait in their
        queue. A queue is a device number of a trace, or a flow.
        1 to 65535; default 512. Source: MQSim, Queue_Fetch_Size = 512.
    queue_entries
        Entries of a queue's submission ring, and of its completion ring, with `protocol = "nvme"`
        or `"sata"` [entries]. One entry stays empty. Requests that find no entry wait in the host.
        With `sata`, of the one command queue.
        2 to 65536; default 1024. Source: MQSim, IO_Queue_Depth = 1024.
    queue_priorities
        The class of each queue, the one with number 0 first: `urgent`, `high`, `medium` or `low`. A
        queue that the list does not reach is `high`.
        Default []. Source: NVM Express Base Specification 1.4, §4.13; MQSim, Priority_Class.
    read_request_bytes
        Bytes of the drive's request to read the host's memory, with `protocol = "nvme"` [bytes].
        0 to 4096; default 4. Source: MQSim, PCIe_Link.h.
    weight_high
        Commands that the class `high` gets in a round of `weighted_round_robin` [commands].
        1 to 256; default 4. Source: MQSim, Host_Interface_NVMe_Priorities.h.
    weight_low
        Commands that the class `low` gets in a round [commands].
        1 to 256; default 1. Source: MQSim, Host_Interface_NVMe_Priorities.h.
    weight_medium
        Commands that the class `medium` gets in a round [commands].
        1 to 256; default 2. Source: MQSim, Host_Interface_NVMe_Priorities.h.
    scheduler
        The scheduler between the host's I/O queue and the drive.
    """

    adapter_delay_ns: Value[float] = None
    arbitration: Value[HostArbitration] = None
    arbitration_burst: Value[int] = None
    command_bytes: Value[int] = None
    completion_bytes: Value[int] = None
    doorbell_bytes: Value[int] = None
    drive_depth: Value[int] = None
    link_latency_ns: Value[float] = None
    link_rate_mb_per_s: Value[float | Literal["unlimited"]] = None
    packet_header_bytes: Value[int] = None
    packet_payload_bytes: Value[int] = None
    protocol: Value[HostProtocol] = None
    queue_depth: Value[int] = None
    queue_entries: Value[int] = None
    queue_priorities: Value[Sequence[HostQueuePriorities]] = None
    read_request_bytes: Value[int] = None
    weight_high: Value[int] = None
    weight_low: Value[int] = None
    weight_medium: Value[int] = None
    scheduler: HostScheduler = HostScheduler()


@section("partition")
@dataclass(frozen=True, kw_only=True, repr=False)
class Partition(Section):
    """The address ranges into which the drive is divided, and what each of them lives on.

    Attributes
    ----------
    channels
        The channels (rows) that hold a range's pages: a list of numbers for each range.
        0 to 255; default []. Source: MQSim, Channel_IDs.
    count
        Address ranges [ranges]. The requests of a queue go to the range of its number modulo this.
        Ranges that name the same plane have equal shares of it. The following lists have an entry
        for each range, or are empty: then each range has everything.
        1 to 256; default 1. Source: MQSim: each flow has a range of its own.
    dies
        The dies of each of these chips, likewise.
        0 to 15; default []. Source: MQSim, Die_IDs.
    planes
        The planes of each of these dies, likewise.
        0 to 15; default []. Source: MQSim, Plane_IDs.
    ways
        The ways (places of chips in their rows) that do, likewise.
        0 to 255; default []. Source: MQSim, Chip_IDs.
    """

    channels: Value[Sequence[Sequence[int]]] = None
    count: Value[int] = None
    dies: Value[Sequence[Sequence[int]]] = None
    planes: Value[Sequence[Sequence[int]]] = None
    ways: Value[Sequence[Sequence[int]]] = None


@section("pif")
@dataclass(frozen=True, kw_only=True, repr=False)
class Pif(Section):
    """Processing in flash: what searching drives have been through and are made of. Other runs do
    not look at it.

    Attributes
    ----------
    accelerators
        Decoders and matchers of the controller; 0: one for each channel. A controller in which they
        do not grow with the channels has a fixed number of them.
        0 to 65536; default 0. Source: assumed: the paper does not say; none shall hold its PiS
        drive back.
    answer_bytes
        Bytes of a chip's answer on a page without a match: status and the matcher's state [bytes].
        0 to 4096; default 4. Source: ours: the state of four machines.
    block_reads
        Reads of each block since then [reads].
        0 to 1000000000000; default 0. Source: a choice of the run.
    controller_pj_per_byte
        Energy of the controller's decoder and matcher for each byte of data [pJ/B]. 80 pJ are those
        of a chip made for it. Logic of an FPGA takes some 1,800: 1.9 W at the rate of a channel, an
        assumption with which the paper's gain per watt comes out (`venice reproduce pif-fit`).
        0 to 1000000; default 80. Source: assumed: 10 pJ for each bit, common for LDPC decoders.
    controller_rate_mb_per_s
        Rate at which each of them decodes and matches [MB/s].
        1 to 1000000; default 1200. Source: assumed: as fast as the channel, one byte a cycle.
    decoder_mm2
        Area of a chip's decoder [mm²].
        0 to 1000000; default 0.78. Source: Chun et al., PiF, HotStorage 2022, Table 1.
    decoder_mw
        Power of a chip's decoder at work [mW].
        0 to 1000000; default 17.6. Source: Chun et al., PiF, HotStorage 2022, Table 1.
    ecc_s_failing_checks
        Failing checks of a sub-page beyond which the controller has its page read again without
        decoding it first; 1024: it always decodes.
        0 to 1024; default 296. Source: ours, measured: with more, two of three sub-pages or more
        fail.
    ecc_w_failing_checks
        Failing checks of a sub-page beyond which a chip hands its page on without decoding any of
        it; 1024: it always decodes.
        0 to 1024; default 296. Source: ours, measured: with more, two of three sub-pages or more
        fail.
    ecc_w_iterations
        Iterations after which a chip's decoder gives a sub-page up, and with it the page.
        1 to 300; default 300. Source: ours: with these the decoder reaches the paper's 72 errors.
    errors
        How errors come about. `functional`: bytes are corrupted and decoded. `statistical`:
        failures are drawn from measured curves. `threshold`: the chip's decoder fails on every page
        beyond a mean of 72 errors per codeword, and on none before.
        Default "functional". Source: ours; the paper's rule (threshold).
    extra_reads
        How many reads around the threshold the controller adds for a page that it cannot correct.
        `two`: two. `six`: two, and if that is not enough, six more.
        Default "six". Source: ours.
    free_mm2
        Area under a chip's array that is free for both [mm²].
        0 to 1000000; default 100. Source: Chun et al., PiF, HotStorage 2022, §2.2: about 100 of a
        die's 135 mm².
    head_bytes
        Bytes of a page's head that finds matches across the border before it [bytes].
        0 to 4096; default 31. Source: ours: the longest pattern less one.
    host_mw
        Power of the host's cores while they search [mW].
        0 to 1000000; default 15000. Source: assumed: one busy core and its memory.
    host_rate_mb_per_s
        Rate at which the host searches, all its cores together [MB/s].
        1 to 1000000; default 4000. Source: assumed: half of what the host link carries.
    matcher_mm2
        Area of a chip's matcher with its tables [mm²].
        0 to 1000000; default 0.07. Source: Chun et al., PiF, HotStorage 2022, Table 1.
    matcher_mw
        Power of a chip's matcher at work [mW].
        0 to 1000000; default 1.06. Source: Chun et al., PiF, HotStorage 2022, Table 1.
    out_pages
        Pages with something to send that a chip keeps while it goes on [pages].
        1 to 64; default 1. Source: assumed: one cache register.
    pe_cycles
        Program/erase cycles of all blocks [cycles].
        0 to 1000000; default 0. Source: a choice of the run.
    raw_page_bytes
        Bytes of a page as cells hold it and a channel carries it: sixteen codewords of 1,152 bytes
        [bytes].
        1 to 65536; default 18432. Source: Chun et al., PiF, HotStorage 2022: a (9216, 8192) code of
        16 sub-pages.
    retention_days
        Days since the pages were programmed; a year has 365 [days].
        0 to 1000000; default 0. Source: a choice of the run.
    t_iteration_ns
        Time of an iteration of a chip's decoder over a sub-page [ns].
        0 to 1000000; default 175.8. Source: assumed: 72 block columns, one each cycle, at 16,384
        bytes of the matcher in 40 µs.
    t_match_us
        Time that a chip's decoder and matcher take for a page, at work while the next one is
        sensed, unless decoding takes longer [µs].
        0 to 1000000; default 40. Source: Chun et al., PiF, HotStorage 2022, §3.2: both, on average.
    table_bytes
        Bytes of the tables that `set_pattern` sends to each chip before a search and each further
        pass [bytes].
        0 to 65536; default 5120. Source: Chun et al., PiF, HotStorage 2022, §3.2: four tables of
        about 1.2 KB; 1,280 bytes by their entries.
    """

    accelerators: Value[int] = None
    answer_bytes: Value[int] = None
    block_reads: Value[float] = None
    controller_pj_per_byte: Value[float] = None
    controller_rate_mb_per_s: Value[float] = None
    decoder_mm2: Value[float] = None
    decoder_mw: Value[float] = None
    ecc_s_failing_checks: Value[int] = None
    ecc_w_failing_checks: Value[int] = None
    ecc_w_iterations: Value[int] = None
    errors: Value[PifErrors] = None
    extra_reads: Value[PifExtraReads] = None
    free_mm2: Value[float] = None
    head_bytes: Value[int] = None
    host_mw: Value[float] = None
    host_rate_mb_per_s: Value[float] = None
    matcher_mm2: Value[float] = None
    matcher_mw: Value[float] = None
    out_pages: Value[int] = None
    pe_cycles: Value[float] = None
    raw_page_bytes: Value[int] = None
    retention_days: Value[float] = None
    t_iteration_ns: Value[float] = None
    t_match_us: Value[float] = None
    table_bytes: Value[int] = None


@section("power")
@dataclass(frozen=True, kw_only=True, repr=False)
class Power(Section):
    """What the drive's parts take: power while they work, power at any time, energy of each byte.

    Attributes
    ----------
    array_erase_mw
        Power of a plane's array while it erases [mW].
        0 to 1000000; default 180. Source: assumed: as much as programming.
    array_program_mw
        Power of a plane's array while it programs [mW].
        0 to 1000000; default 180. Source: Chun et al., PiF, HotStorage 2022, §3.3: a chip that
        programs; assumed of one plane.
    array_read_mw
        Power of a plane's array while it reads [mW].
        0 to 1000000; default 160. Source: Chun et al., PiF, HotStorage 2022, §3.3: a chip that
        reads; assumed of one plane.
    buffer_pj_per_byte
        Energy of the buffers of a router for each byte that is written to them and read again,
        where it has some [pJ/B].
        0 to 1000000; default 2.5. Source: Horowitz, ISSCC 2014: 10 pJ for eight bytes of an 8-KB
        SRAM, once in and once out; assumed of NoSSD's 16 KB.
    channel_pj_per_byte
        Energy of a shared channel for each byte that crosses it, at any rate and width [pJ/B].
        0 to 1000000; default 9. Source: Nadig et al., Venice, ISCA 2023, §6.6: ten times a link's
        power, 10.8 mW, at Table 1's 1.2 GB/s.
    channel_static_mw
        Power of a shared channel with the baseline's pins at any time [mW].
        0 to 1000000; default 0. Source: assumed: Table 4's figure is that of a transfer, and no
        other is published.
    chip_static_mw
        Power of a chip at any time [mW].
        0 to 1000000; default 0.165. Source: assumed: a standby current of 50 µA at 3.3 V.
    controller_mw
        Power of the drive's controller at any time [mW].
        0 to 1000000; default 2000. Source: assumed: the papers give none; a few watts are common
        for PCIe drives.
    dram_pj_per_byte
        Energy of the drive's memory for each byte written to it or read from it [pJ/B].
        0 to 1000000; default 160. Source: assumed: the papers give none; 20 pJ for each bit of
        DDR4.
    dram_static_mw
        Power of the drive's memory at any time [mW].
        0 to 1000000; default 150. Source: assumed: the papers give none; self refresh and standby
        of a gigabyte.
    host_link_pj_per_byte
        Energy of the host link for each byte on it [pJ/B].
        0 to 1000000; default 40. Source: assumed: the papers give none; 5 pJ for each bit.
    host_link_static_mw
        Power of the host link at any time [mW].
        0 to 1000000; default 200. Source: assumed: the papers give none; four lanes in L0.
    link_pj_per_byte
        Energy of a link between routers for each byte that crosses it, at any rate and width
        [pJ/B].
        0 to 1000000; default 1.08. Source: Nadig et al., Venice, ISCA 2023, Table 4: 1.08 mW during
        a 4-KB transfer, at Table 1's 1 GB/s.
    link_static_mw
        Power of a link of eight bits between routers at any time [mW].
        0 to 1000000; default 0. Source: assumed: Table 4's figure is that of a transfer, and no
        other is published.
    router_pj_per_byte
        Energy of a router for each byte that goes through it [pJ/B].
        0 to 1000000; default 0.241. Source: Nadig et al., Venice, ISCA 2023, Table 4: 0.241 mW, at
        Table 1's 1 GB/s.
    router_static_mw
        Power of a router at any time [mW].
        0 to 1000000; default 0. Source: assumed: Table 4's figure is taken to be that of a router
        in use.
    """

    array_erase_mw: Value[float] = None
    array_program_mw: Value[float] = None
    array_read_mw: Value[float] = None
    buffer_pj_per_byte: Value[float] = None
    channel_pj_per_byte: Value[float] = None
    channel_static_mw: Value[float] = None
    chip_static_mw: Value[float] = None
    controller_mw: Value[float] = None
    dram_pj_per_byte: Value[float] = None
    dram_static_mw: Value[float] = None
    host_link_pj_per_byte: Value[float] = None
    host_link_static_mw: Value[float] = None
    link_pj_per_byte: Value[float] = None
    link_static_mw: Value[float] = None
    router_pj_per_byte: Value[float] = None
    router_static_mw: Value[float] = None


@section("precondition")
@dataclass(frozen=True, kw_only=True, repr=False)
class Precondition(Section):
    """What the drive holds before the run.

    Attributes
    ----------
    end_pct
        Where they end [%].
        0 to 100; default 100. Source: ours.
    filled_sectors
        Of a page that requests touch before the run, what holds data, for `mqsim`. `whole_page`:
        all of it. `first_of_pieces`: the first sector of each piece of a request that lies in the
        page; the rest of it was never written.
        Default "whole_page". Source: ours (whole_page); MQSim, FTL.cpp (first_of_pieces).
    gc_load
        The load that garbage collection kept pace with before the run, for `steady_state`: how many
        blocks are free at its start, and how many planes collect. `measured`: that of the run,
        measured on its first `gc_load_requests` requests. `light`: every collection was over before
        the next write. `saturated`: collection moved pages only when it had to go before the host.
        Default "measured". Source: ours: free blocks settle near the start threshold below
        saturation and near the hard one above it.
    gc_load_requests
        Requests that `gc_load = "measured"` is measured on, at most. With 0, as `light` [requests].
        0 to 10000000; default 50000. Source: ours: some thousand writes, from which a share is
        known within a few %.
    hot_region_pct
        Share of the pages that are hot, for `pattern = "hot_cold"` [%].
        0 to 100; default 20. Source: Rosenblum, Ousterhout, The design and implementation of a
        log-structured file system, TOCS 1992, assumed value.
    hot_traffic_pct
        Share of the writes that they got [%].
        0 to 100; default 80. Source: Rosenblum, Ousterhout, as above, assumed value.
    mode
        How the drive is filled before the run. `none`: every block is erased. `fill`: pages are
        written once, in order. `steady_state`: pages are written, then overwritten as `pattern`
        says until garbage collection has settled. `mqsim`: as MQSim does it, with its formulas.
        Default "none". Source: SNIA, Solid State Storage Performance Test Specification (fill,
        steady state); MQSim, Enabled_Preconditioning.
    occupancy_pct
        Share of the pages between `start_pct` and `end_pct` that hold data [%].
        0 to 100; default 100. Source: ours; MQSim, Initial_Occupancy_Percentage.
    pattern
        Which of these pages were overwritten, for `steady_state` and `mqsim`. `uniform`: any, as
        often as another. `sequential`: one after another. `hot_cold`: the first `hot_region_pct` of
        them got `hot_traffic_pct` of the writes; with 100, the rest was never overwritten.
        Default "uniform". Source: ours; MQSim, Address_Distribution.
    settling_turns
        How often the pages that hold data are overwritten on average, for `steady_state` [turns]. A
        block lives for about one such turn. Parts that get few of the writes are given more turns,
        up to 24, so that their own pages are overwritten twice.
        0 to 1000; default 4. Source: ours: after three turns less than a part in a hundred is left
        of the first fill (tests/preconditioning.rs).
    start_pct
        Where the pages that are filled begin, as a share of what the host can address [%].
        0 to 100; default 0. Source: ours.
    """

    end_pct: Value[float] = None
    filled_sectors: Value[PreconditionFilledSectors] = None
    gc_load: Value[PreconditionGcLoad] = None
    gc_load_requests: Value[int] = None
    hot_region_pct: Value[float] = None
    hot_traffic_pct: Value[float] = None
    mode: Value[PreconditionMode] = None
    occupancy_pct: Value[float] = None
    pattern: Value[PreconditionPattern] = None
    settling_turns: Value[float] = None
    start_pct: Value[float] = None


@section("run")
@dataclass(frozen=True, kw_only=True, repr=False)
class Run(Section):
    """The run itself.

    Attributes
    ----------
    seed
        Seed of every random choice.
        0 to 9.22337203685478e+18; default 1. Source: ours.
    """

    seed: Value[int] = None


class DriveChanges(TypedDict, total=False):
    """What :meth:`Drive.with_` takes."""

    base: DriveName | str | PathLike[str]
    chip: Value[str]
    description: Value[str]
    name: Value[str]
    source: Value[str]
    area: Area
    array: Array
    cache: Cache
    fabric: Fabric
    flash: Flash
    ftl: Ftl
    gather: Gather
    host: Host
    partition: Partition
    pif: Pif
    power: Power
    precondition: Precondition
    run: Run


@section("")
@dataclass(frozen=True, kw_only=True, repr=False)
class Drive(DriveDescription):
    """A drive: what it starts from, and what is said of it here.

    Attributes
    ----------
    base
        A preset's name, or the path of a drive's file; empty for a drive that says all itself.
    chip
        Chip preset or file that the `[flash]` tables begin with. A preset's name, or a path
        relative to the file that says it.
        Default empty. Source: ours.
    description
        What the drive is, for people.
        Default empty. Source: ours.
    name
        Name of the drive, as reports print it. Without one, the name of the preset or file.
        Default empty. Source: ours.
    source
        Where the drive's numbers come from.
        Default empty. Source: ours.
    area
        Areas on the drive's board.
    array
        The array of flash chips.
    cache
        The data cache: DRAM between the host interface and the flash translation layer.
    fabric
        What joins the chips to the flash controllers.
    flash
        The flash chips: how they are built and how long their arrays take.
    ftl
        The flash translation layer.
    gather
        Gathers: requests that have a chip combine pages from all over the drive.
    host
        The link between host and drive, and the drive's command queue.
    partition
        The address ranges into which the drive is divided, and what each of them lives on.
    pif
        Processing in flash: what searching drives have been through and are made of. Other runs do
        not look at it.
    power
        What the drive's parts take: power while they work, power at any time, energy of each byte.
    precondition
        What the drive holds before the run.
    run
        The run itself.
    """

    base: DriveName | str | PathLike[str] = field(default="venice-performance", kw_only=False)
    chip: Value[str] = None
    description: Value[str] = None
    name: Value[str] = None
    source: Value[str] = None
    area: Area = Area()
    array: Array = Array()
    cache: Cache = Cache()
    fabric: Fabric = Fabric()
    flash: Flash = Flash()
    ftl: Ftl = Ftl()
    gather: Gather = Gather()
    host: Host = Host()
    partition: Partition = Partition()
    pif: Pif = Pif()
    power: Power = Power()
    precondition: Precondition = Precondition()
    run: Run = Run()

    def with_(self, **changes: Unpack[DriveChanges]) -> Self:
        """Give the drive with changes: what a section says wins, value by value.

        Examples
        --------
        >>> drive = Drive(flash=Flash(t_read_us=5, t_prog_us=200))
        >>> drive.with_(flash=Flash(t_read_us=3))
        Drive('venice-performance', flash=Flash(t_prog_us=200, t_read_us=3))
        """
        said: DriveChanges = {"base": self.base, **changes}
        return self | type(self)(**said)
