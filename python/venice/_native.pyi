"""Types of the engine's module; checked against it by ``mypy.stubtest``."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, TypedDict, final, type_check_only

from venice.config import DriveName, FabricName, FtlVictim, HostSchedulerScheme
from venice.options.engine_options import EngineOptions
from venice.schema_classes import WorkloadText
from venice.workloads import WorkloadName

__all__ = [
    "SCHEMA_VERSION",
    "CandidateBlock",
    "Column",
    "ConfigError",
    "Drive",
    "MqsimFiles",
    "OfferedTransfer",
    "PifPages",
    "PifSearch",
    "Preparations",
    "RequestSink",
    "Simulation",
    "SimulationError",
    "StateError",
    "Table",
    "TraceError",
    "UsageError",
    "VeniceError",
    "WorkloadError",
    "build_info",
    "check_policy",
    "complete_workload",
    "drive_names",
    "explain",
    "explain_figure",
    "fabric_names",
    "figures_page",
    "fio_options_page",
    "host_scheduler_names",
    "import_mqsim",
    "own_policies",
    "paper_fabric_names",
    "parameters_page",
    "pif_timing",
    "pif_wear",
    "renamed_keys",
    "report_schema",
    "request_columns",
    "resolve",
    "schema",
    "scout_search",
    "trace_columns",
    "trace_formats",
    "trace_info",
    "victim_policy_names",
    "workload_names",
    "workload_remarks",
    "workload_schema",
    "workloads",
    "write_trace",
    "written_formats",
]

@type_check_only
class Observing(TypedDict):
    audit: bool
    warmup: tuple[int, float]
    intervals: tuple[int, int] | None
    slowest: int
    distributions: bool
    causes: bool
    slices: tuple[int, int, int] | None
    until: tuple[str, str, int] | None
    chips: bool

@type_check_only
class EditOptions(TypedDict):
    reads: bool | None
    arrival_us: tuple[float, float] | None
    queues: Sequence[int]
    sectors: tuple[int, int] | None
    start_sector: tuple[int, int] | None
    rate_scale: float | None
    mean_gap_us: float | None
    fold_into: Drive | None
    requests: int | None

class VeniceError(Exception):
    """Base class of all errors of Venice."""

class UsageError(VeniceError):
    """An argument or option is invalid."""

class ConfigError(VeniceError):
    """A drive is invalid; the message has every problem with its place."""

class TraceError(VeniceError):
    """A trace is invalid; the message has the line."""

class WorkloadError(VeniceError):
    """A workload or fio job file is invalid."""

class StateError(VeniceError):
    """A saved state is damaged, or of another drive or version."""

class SimulationError(VeniceError):
    """The simulation failed."""

def fabric_names() -> list[FabricName]:
    """Return the names of all fabrics."""

def paper_fabric_names() -> list[FabricName]:
    """Return the names of the six fabrics that the Venice paper compares."""

def host_scheduler_names() -> list[HostSchedulerScheme]:
    """Return the names of the host schedulers."""

def victim_policy_names() -> list[FtlVictim]:
    """Return the names of the victim policies."""

def own_policies() -> list[tuple[str, str, str]]: ...
def check_policy(name: str) -> str | None: ...
def drive_names() -> list[DriveName]:
    """Return the names of the built-in drives."""

def workload_names() -> list[WorkloadName]:
    """Return the names of the built-in workloads."""

def workloads() -> list[tuple[str, str, str]]: ...
def trace_formats() -> list[tuple[str, str]]:
    """Return the name and the description of each trace format that can be read."""

def written_formats() -> list[str]:
    """Return the names of the trace formats that can be written."""

SCHEMA_VERSION: int

def build_info() -> tuple[str, str, str]: ...
def complete_workload(workload: str | WorkloadText) -> str: ...

@final
class CandidateBlock:
    """Block that is eligible for garbage collection."""

    @property
    def index(self) -> int:
        """Number of the block within its plane."""

    @property
    def valid(self) -> int:
        """Valid pages, which garbage collection would have to relocate."""

    @property
    def age(self) -> int:
        """Number of blocks of the drive that have become full since this block did."""

    @property
    def erases(self) -> int:
        """Number of erases of the block."""

@final
class OfferedTransfer:
    """Transfer that is offered to a fabric written in Python."""

    @property
    def die(self) -> int:
        """Number of the die, which identifies a transfer in progress."""

    @property
    def chip(self) -> int:
        """Number of the chip."""

    @property
    def row(self) -> int:
        """Row of the chip."""

    @property
    def column(self) -> int:
        """Column of the chip."""

    @property
    def to_chip(self) -> bool:
        """True for a transfer to the chip."""

    @property
    def size_bytes(self) -> int:
        """Bytes of data; 0 for a command without data."""

    @property
    def command_us(self) -> float:
        """Time of the command cycles, in microseconds."""

    @property
    def channel_us(self) -> float:
        """Time of the transfer on an idle bus channel, in microseconds."""

@final
class Drive:
    """A drive whose configuration is complete and checked."""

    def to_toml(self) -> str:
        """Return the complete configuration as TOML, with the source of each value."""

    def to_json(self) -> str:
        """Return the complete configuration as JSON."""

    @property
    def fabric(self) -> str:
        """Name of the fabric."""

    @property
    def remarks(self) -> list[str]:
        """Requested settings that have no effect on runs of this drive, a sentence each."""

    @property
    def remarks_on_file_searches(self) -> list[str]:
        """Requested settings that have no effect on searches of files, a sentence each."""

    @property
    def flash_pages(self) -> int:
        """Number of physical flash pages."""

    @property
    def over_provisioning_pct(self) -> tuple[float, float]:
        """Over-provisioning, in % of the host's capacity: all of it, and the part usable by GC."""

    @property
    def expected_pages_per_written_page(self) -> float | None:
        """Pages programmed per page written at random over the whole capacity, in closed form.

        ``None`` if the victim policy has none.
        """

    @property
    def is_filled(self) -> bool:
        """True if the drive is filled before the run."""

    @property
    def capacity_bytes(self) -> int:
        """Capacity that the host can address [bytes]."""

def resolve(
    drive: str,
    fabric: str | None = None,
    sets: Sequence[str] = ...,
    seed: int | None = None,
    said: Sequence[str] = ...,
    typed: str | None = None,
) -> Drive: ...
def explain(key: str) -> str: ...
def explain_figure(name: str) -> str: ...
def renamed_keys() -> dict[str, dict[str, str]]: ...
def schema() -> str: ...
def report_schema() -> str: ...
def workload_remarks(workload: str | tuple[str, str]) -> list[str]: ...
def workload_schema() -> str: ...
def parameters_page() -> str: ...
def figures_page() -> str: ...
def fio_options_page() -> str: ...
def trace_info(trace: EngineOptions, drive: Drive | None = None) -> str: ...
def write_trace(
    inputs: Sequence[EngineOptions],
    edit: EditOptions,
    format: str | None,
    compression: str,
    write: Callable[[bytes], object] | Callable[[Table], object],
) -> str: ...
def trace_columns() -> Table: ...
def request_columns() -> list[tuple[str, bool]]: ...

@final
class Preparations:
    def __new__(cls, most_bytes: int) -> Preparations: ...
    def __len__(self) -> int: ...

@final
class RequestSink:
    def __new__(cls, write: Callable[[Table], object], columns: Sequence[str]) -> RequestSink: ...
    def __arrow_c_schema__(self) -> object: ...
    def end(self) -> None: ...
    def leave(self) -> None: ...

@final
class Simulation:
    def __new__(
        cls,
        drive: Drive,
        options: EngineOptions,
        observing: Observing | None = None,
        *,
        preparations: Preparations | None = None,
    ) -> Simulation: ...
    def run(
        self,
        progress: Callable[[int, int | None, float], object] | None = None,
        log: Callable[[Table], object] | None = None,
        save_state: str | PathLike[str] | None = None,
        *,
        columns: Sequence[str] = ...,
        whole_log: bool = False,
        files: Sequence[RequestSink] = ...,
        events: Callable[[bytes, int, int | None], object] | None = None,
        slices: Callable[[Table, Table, int | None], object] | None = None,
    ) -> str: ...
    def look(
        self,
        slices: Callable[[Table, Table, int | None], object],
        progress: Callable[[int, int | None, float], object] | None = None,
    ) -> None: ...

@final
class Table:
    def __new__(cls, columns: dict[str, list[Any]]) -> Table: ...
    def __len__(self) -> int: ...
    def schema(self) -> list[tuple[str, str, str]]: ...
    def column(self, name: str) -> Column: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...
    def __arrow_c_schema__(self) -> object: ...

@final
class Column:
    def __len__(self) -> int: ...
    def words(self) -> list[str] | None: ...
    @property
    def has_gaps(self) -> bool: ...
    def to_list(self) -> list[Any]: ...
    def to_bytes(self) -> bytes: ...
    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...

@final
class MqsimFiles:
    def __new__(
        cls,
        config: str | PathLike[str],
        workload: str | PathLike[str],
        *,
        fabric: str | None = None,
        sets: Sequence[str] = ...,
        seed: int | None = None,
    ) -> MqsimFiles: ...
    def remarks(self, scenarios: Sequence[int]) -> list[tuple[str, str]]: ...
    def drive(self, scenario: int) -> Drive: ...
    def scenarios(self) -> list[int]: ...
    def result_names(self, scenario: int) -> list[str]: ...
    def log_period_ns(self) -> int | None: ...
    def check(self, scenario: int, requests: str | PathLike[str] | None = None) -> None: ...
    def simulation(
        self,
        scenario: int,
        requests: str | PathLike[str] | None = None,
        observing: Observing | None = None,
        *,
        load_state: str | PathLike[str] | None = None,
    ) -> Simulation: ...

def import_mqsim(config: str | PathLike[str]) -> tuple[str, list[tuple[str, str]]]: ...

@final
class PifSearch:
    def __new__(
        cls,
        drive: Drive,
        patterns: Sequence[bytes],
        *,
        wanted: str = "lines",
        extended: bool = False,
        ignore_case: bool = False,
        invert: bool = False,
        words: bool = False,
        unicode_words: bool = False,
        whole_lines: bool = False,
        with_name: bool = False,
        with_number: bool = False,
        with_offset: bool = False,
        around: tuple[int, int] | None = None,
        at_most: int | None = None,
    ) -> PifSearch: ...
    def begin(self, name: bytes) -> None: ...
    def feed(self, data: bytes, is_last: bool) -> tuple[bytes, bool]: ...
    def open(self, path: str | PathLike[str], name: bytes) -> None: ...
    def read(self) -> tuple[bytes, bool, bool]: ...
    def end(self) -> tuple[int, list[int]]: ...
    def report(self) -> str: ...

@final
class PifPages:
    def __new__(cls, drive: Drive) -> PifPages: ...
    def store(self, data: bytes) -> int: ...
    def search(
        self, pages: Sequence[int], groups: Sequence[Sequence[bytes]]
    ) -> tuple[list[int], bytes, list[int]]: ...
    def report(self) -> str: ...

def pif_timing(
    drive: Drive,
    place: str,
    *,
    pages: int,
    selectivity: float,
    failure: float = 0.0,
    seed: int = 1,
) -> str: ...
def pif_wear(drive: Drive) -> tuple[float, float, float]: ...
def scout_search(
    drive: Drive,
    circuits: Sequence[tuple[int, Sequence[int]]],
    request: tuple[int, int],
) -> tuple[list[int], list[int]]: ...
