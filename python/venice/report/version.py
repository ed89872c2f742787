"""The version of reports, and the refusal of others.

Figures of one name have another meaning in reports of another version, so that reports of two
versions are neither compared nor drawn together.
"""

from __future__ import annotations

import shlex

from venice._native import SCHEMA_VERSION
from venice.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


def old_version(report: Mapping[str, Any]) -> str | None:
    """Explain why a report cannot be used; ``None`` if it is of this version.

    Examples
    --------
    >>> old_version({"schema_version": SCHEMA_VERSION}) is None
    True
    >>> old = {"schema_version": 1, "fabric": "bus", "config": {"name": "venice-cost"}, "seed": 3}
    >>> print(old_version(old))
    holds a report of version 1, whose figures have another meaning than those of version 2; run \
again: venice run --drive venice-cost --fabric bus --seed 3
    """
    found = report["schema_version"]
    if found == SCHEMA_VERSION:
        return None
    if isinstance(found, int) and found > SCHEMA_VERSION:
        return f"holds a report of version {found}, and this Venice reads {SCHEMA_VERSION}; update"
    return (
        f"holds a report of version {found}, whose figures have another meaning than those of "
        f"version {SCHEMA_VERSION}; run again: {command_of(report)}"
    )


def command_of(report: Mapping[str, Any]) -> str:
    """Write the command that repeats a run, as far as its report describes it.

    Settings that were changed by ``--set`` and the folder of a trace are not in a report.

    Examples
    --------
    >>> load = {"name": "random-write", "synthetic": True, "loop": "closed", "queue_depth": 64}
    >>> report = {"fabric": "bus", "config": {"name": "venice-cost"}, "workload": load}
    >>> command_of(report)
    'venice run --drive venice-cost --fabric bus --workload random-write --closed-loop 64'
    """
    return shlex.join(["venice", "run", *_options(report)])


def _options(report: Mapping[str, Any]) -> Iterator[str]:
    load, config = report.get("workload") or {}, report.get("config") or {}
    kind = "--workload" if load.get("synthetic") else "--trace"
    values = {
        "--drive": config.get("name"),
        "--fabric": report.get("fabric"),
        kind: load.get("name"),
        "--closed-loop": load.get("queue_depth") if load.get("loop") == "closed" else None,
        "--requests": _submitted(report),
        "--seed": report.get("seed"),
    }
    for option, value in values.items():
        if value is not None:
            yield from (option, str(value))


def _submitted(report: Mapping[str, Any]) -> int | None:
    phases = report.get("phases")
    return sum(phase["requests"] for phase in phases) if phases else None
