"""Stages of a request's latency, with names and labels."""

from __future__ import annotations

from typing import NamedTuple


class Stage(NamedTuple):
    """Stage of a request's latency."""

    key: str
    """Name of the stage in reports."""
    label: str
    """Name of the stage in figures."""


STAGES = (
    Stage("queue", "queue"),
    Stage("mapping", "mapping"),
    Stage("chip_wait", "chip wait"),
    Stage("path_wait", "path wait"),
    Stage("transfer", "transfer"),
    Stage("array", "flash array"),
    Stage("host_link", "host link"),
    Stage("cache", "data cache"),
    Stage("firmware", "controller cores"),
    Stage("decoding", "decoding"),
)
"""All stages, in the order of stacked bars."""
