"""Venice simulates solid-state drives whose flash chips are joined by a bus, a mesh or better.

>>> import venice
>>> report = venice.run(drive="venice-performance", fabric="venice", workload="random-read")
>>> report.latency_us.all.mean  # doctest: +SKIP
"""

from venice._native import (
    ConfigError,
    Drive,
    SimulationError,
    StateError,
    TraceError,
    UsageError,
    VeniceError,
    WorkloadError,
    drive_names,
    fabric_names,
    paper_fabric_names,
    resolve,
    trace_formats,
    workload_names,
    written_formats,
)
from venice.compare import compare
from venice.report import Report, load_reports, save_reports
from venice.run import run
from venice.scenario import Scenario
from venice.sweep import Sweep, run_sweep
from venice.trace import (
    Converted,
    Recording,
    TraceEdit,
    TraceInfo,
    convert_trace,
    record_trace,
    trace_info,
)
from venice.version import __version__

__all__ = [
    "ConfigError",
    "Converted",
    "Drive",
    "Recording",
    "Report",
    "Scenario",
    "SimulationError",
    "StateError",
    "Sweep",
    "TraceEdit",
    "TraceError",
    "TraceInfo",
    "UsageError",
    "VeniceError",
    "WorkloadError",
    "__version__",
    "compare",
    "convert_trace",
    "drive_names",
    "fabric_names",
    "load_reports",
    "paper_fabric_names",
    "record_trace",
    "resolve",
    "run",
    "run_sweep",
    "save_reports",
    "trace_formats",
    "trace_info",
    "workload_names",
    "written_formats",
]
