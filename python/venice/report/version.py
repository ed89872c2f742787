"""Version of reports, and error messages for reports of other versions.

A figure may have a different meaning in another version, so reports of two versions are not
compared.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from venice._native import SCHEMA_VERSION
from venice.text.quotation import quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def old_version(
    report: Mapping[str, Any], compared: Sequence[Mapping[str, Any]] = ()
) -> str | None:
    """Return why a report cannot be used; ``None`` if it is of this version.

    If the file contains a comparison, `compared` are all of its reports.

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
    if not isinstance(found, int):
        found = quote(repr(found))
    if isinstance(found, int) and found > SCHEMA_VERSION:
        return f"holds a report of version {found}, and this Venice reads {SCHEMA_VERSION}; update"
    command = command_of(compared or [report], is_comparison=bool(compared))
    return (
        f"holds a report of version {found}, whose figures have another meaning than those of "
        f"version {SCHEMA_VERSION}; run again: {command}"
    )


def validation_error(report: Mapping[str, Any]) -> str | None:
    """Return the keys that are missing or have a wrong type in a report of this version, if any.

    Examples
    --------
    >>> print(validation_error({"schema_version": SCHEMA_VERSION, "fabric": "bus"})[:82])
    holds a damaged report or one of another build: `after_last_completion` is missing
    """
    from venice.report.validation import faults_of  # noqa: PLC0415 for loaded reports alone

    faults = faults_of(report)
    if faults is None:
        return None
    command = command_of([report])
    return f"holds a damaged report or one of another build: {faults}; run again: {command}"


def command_of(reports: Sequence[Mapping[str, Any]], *, is_comparison: bool = False) -> str:
    """Return the command that repeats the runs of a file, as far as the reports record it.

    Reports do not record settings changed by ``--set``, nor the folder of a trace.

    Examples
    --------
    >>> load = {"name": "random-write", "synthetic": True, "loop": "closed", "queue_depth": 64}
    >>> report = {"fabric": "bus", "config": {"name": "venice-cost"}, "workload": load}
    >>> command_of([report])
    'venice run --drive venice-cost --fabric bus --workload random-write --closed-loop 64'
    >>> command_of([report, {**report, "fabric": "venice"}], is_comparison=True)
    'venice compare venice-cost:bus,venice --workload random-write --closed-loop 64'
    """
    if not is_comparison:
        return shlex.join(["venice", "run", *_drive(reports[0]), *_options(reports[0])])
    return shlex.join(["venice", "compare", *_drives(reports), *_options(reports[0])])


def _drive(report: Mapping[str, Any]) -> Iterator[str]:
    yield from _given("--drive", _group(report, "config").get("name"))
    yield from _given("--fabric", report.get("fabric"))


def _drives(reports: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the options of a comparison's drives and fabrics, each with its number of seeds."""
    fabrics: dict[str, dict[str, None]] = {}
    for report in reports:
        drive = str(_group(report, "config").get("name"))
        fabrics.setdefault(drive, {})[str(report.get("fabric"))] = None
    yield from (f"{drive}:{','.join(names)}" for drive, names in fabrics.items())
    seeds = len({one.get("seed") for one in reports})
    if seeds > 1:
        yield from ("--seeds", str(seeds))


def _options(report: Mapping[str, Any]) -> Iterator[str]:
    load = _group(report, "workload")
    kind = "--workload" if load.get("synthetic") else "--trace"
    values = {
        kind: load.get("name"),
        "--closed-loop": load.get("queue_depth") if load.get("loop") == "closed" else None,
        "--requests": _submitted(report),
        "--seed": report.get("seed"),
    }
    for option, value in values.items():
        yield from _given(option, value)


def _given(option: str, value: object) -> Iterator[str]:
    if isinstance(value, str | int):
        yield from (option, quote(str(value)))


def _group(report: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = report.get(name)
    return found if isinstance(found, dict) else {}


def _submitted(report: Mapping[str, Any]) -> int | None:
    try:
        return sum(phase["requests"] for phase in report["phases"]) or None
    except (KeyError, TypeError):
        return None
