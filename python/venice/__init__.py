"""Venice simulates solid-state drives with flash chips on a bus, a mesh or another fabric.

>>> import venice
>>> report = venice.run(drive="venice-performance", fabric="venice", workload="random-read")
>>> report.latency_us.all.mean  # doctest: +SKIP
"""

from __future__ import annotations

from venice.engine.loading import install_finder as _install_finder

TYPE_CHECKING = False  # importing `typing` takes longer than the rest of this module

if TYPE_CHECKING:
    from typing import Any

    from venice import config as config
    from venice import workloads as workloads
    from venice._native import (
        CandidateBlock,
        ConfigError,
        OfferedTransfer,
        SimulationError,
        StateError,
        TraceError,
        UsageError,
        VeniceError,
        WorkloadError,
        drive_names,
        fabric_names,
        paper_fabric_names,
        trace_formats,
        workload_names,
        written_formats,
    )
    from venice._native import Drive as ResolvedDrive
    from venice.api.compare import Comparison, compare
    from venice.api.run import run
    from venice.api.scenario import Scenario, resolve
    from venice.api.schemes import compare_schemes
    from venice.config import Drive
    from venice.exploration import Exploration, Explored, explore
    from venice.observation.table import Table
    from venice.options.host_scheduler import HostScheduler, QueuedRequest, ServedRequest
    from venice.options.policies import FabricModel, FabricSettings, VictimPolicy
    from venice.options.request import Request, trim_of_ranges
    from venice.report import Report, load_reports, save_reports
    from venice.report.frame import Frame
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
    from venice.workloads import Mix, Trace, Workload

__all__ = [
    "CandidateBlock",
    "Comparison",
    "ConfigError",
    "Converted",
    "Drive",
    "Exploration",
    "Explored",
    "FabricModel",
    "FabricSettings",
    "Frame",
    "HostScheduler",
    "Mix",
    "OfferedTransfer",
    "QueuedRequest",
    "Recording",
    "Report",
    "Request",
    "ResolvedDrive",
    "Scenario",
    "ServedRequest",
    "SimulationError",
    "StateError",
    "Sweep",
    "Table",
    "Trace",
    "TraceEdit",
    "TraceError",
    "TraceInfo",
    "UsageError",
    "VeniceError",
    "VictimPolicy",
    "Workload",
    "WorkloadError",
    "__version__",
    "compare",
    "compare_schemes",
    "config",
    "convert_trace",
    "drive_names",
    "explore",
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
    "trim_of_ranges",
    "workload_names",
    "workloads",
    "written_formats",
]

_install_finder()

_HOMES = {
    "CandidateBlock": "_native",
    "Comparison": "api.compare",
    "ConfigError": "_native",
    "Converted": "trace",
    "Drive": "config",
    "Exploration": "exploration",
    "Explored": "exploration",
    "FabricModel": "options.policies",
    "FabricSettings": "options.policies",
    "Frame": "report.frame",
    "HostScheduler": "options.host_scheduler",
    "Mix": "workloads",
    "OfferedTransfer": "_native",
    "QueuedRequest": "options.host_scheduler",
    "Recording": "trace",
    "Report": "report",
    "Request": "options.request",
    "ResolvedDrive": "_native",
    "Scenario": "api.scenario",
    "ServedRequest": "options.host_scheduler",
    "SimulationError": "_native",
    "StateError": "_native",
    "Sweep": "sweep",
    "Table": "observation.table",
    "Trace": "workloads",
    "TraceEdit": "trace",
    "TraceError": "_native",
    "TraceInfo": "trace",
    "UsageError": "_native",
    "VeniceError": "_native",
    "VictimPolicy": "options.policies",
    "Workload": "workloads",
    "WorkloadError": "_native",
    "__version__": "version",
    "compare": "api.compare",
    "compare_schemes": "api.schemes",
    "convert_trace": "trace",
    "drive_names": "_native",
    "explore": "exploration",
    "fabric_names": "_native",
    "load_reports": "report",
    "paper_fabric_names": "_native",
    "record_trace": "trace",
    "resolve": "api.scenario",
    "run": "api.run",
    "run_sweep": "sweep",
    "save_reports": "report",
    "trace_formats": "_native",
    "trace_info": "trace",
    "trim_of_ranges": "options.request",
    "workload_names": "_native",
    "written_formats": "_native",
}
"""Module of each name that is imported on first access (PEP 562).

Importing all of them would take as long as simulating tens of thousands of requests. No module may
have the name of an exported object: importing the module would hide the object.
"""


_RENAMED = {"ResolvedDrive": "Drive"}
"""Names that differ from those in their modules."""


def __getattr__(name: str) -> Any:  # noqa: ANN401 whatever it is
    from importlib import import_module  # noqa: PLC0415 as above

    home = name if name in ("config", "workloads") else _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'venice' has no attribute {name!r}")
    if home == name:
        return import_module(f"venice.{name}")
    found = globals()[name] = getattr(import_module(f"venice.{home}"), _RENAMED.get(name, name))
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
