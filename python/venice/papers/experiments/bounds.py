"""Upper bounds on the throughput of a drive: host link, controllers' paths, chips."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

HOSTS = {"8 GB/s": (), "without limit": ("host.link_rate_mb_per_s=unlimited",)}
"""Rates of the host link: the paper's, and unlimited."""

_BITS = 8
_NS_PER_US = 1000.0
_MB_PER_GB = 1000.0


def placement(channels: int) -> tuple[str, ...]:
    """Return settings that place all data on the chips of the first `channels` channels."""
    return (f"partition.channels=[{list(range(channels))}]",)


@dataclass(frozen=True)
class Bounds:
    """Maximum read throughput of each part of a drive [GB/s].

    Attributes
    ----------
    host
        Link to the host.
    paths
        All paths that the fabric can use at the same time, at their data rate.
    chips
        All planes of the chips that hold data, each reading page after page.
    """

    host: float
    paths: float
    chips: float

    @classmethod
    def of(cls, report: Mapping[str, Any], fabric: str, channels: int) -> Bounds:
        """Return the bounds for the configuration in a report."""
        config = report["config"]
        host = config["host"]["link_rate_mb_per_s"]
        flash, array = config["flash"], config["array"]
        planes = channels * array["cols"] * flash["dies_per_chip"] * flash["planes_per_die"]
        return cls(
            host=math.inf if host == "unlimited" else host / _MB_PER_GB,
            paths=_paths(config, fabric, channels),
            chips=planes * flash["page_bytes"] / _read_us(flash["t_read_us"]) / _NS_PER_US,
        )


def _read_us(times: float | list[float]) -> float:
    return sum(times) / len(times) if isinstance(times, list) else times


def _paths(config: Mapping[str, Any], fabric: str, channels: int) -> float:
    array, link = config["array"], config["fabric"]["mesh"]
    channel = config["fabric"]["channel_rate_mb_per_s"] / _MB_PER_GB
    circuit = link["link_width_bits"] / _BITS / link["link_latency_ns"]
    bounds: dict[str, float] = {
        "bus": channels * channel,
        "pssd": channels * channel * config["fabric"]["pssd"]["speedup"],
        "pnssd": (channels + array["cols"]) * channel,
        "nossd": min(channels, array["rows"]) * circuit,  # X first: all data leaves through its row
        "venice": array["rows"] * circuit,
        "ideal": channels * array["cols"] * channel,
        "hlnand": channels * config["fabric"]["hlnand"]["link_rate_mb_per_s"] / _MB_PER_GB,
        "decoupled": min(channels * channel, _system_bus(config)),
    }
    return bounds[fabric]


def _system_bus(config: Mapping[str, Any]) -> float:
    rate: float = config["fabric"]["decoupled"]["system_bus_rate_mb_per_s"]
    return rate / _MB_PER_GB
