"""Conversion of fio's JSON output to rows: one for each job and direction with requests.

The jobs of a file ran concurrently, except after a `stonewall`. Jobs with the same name and group
are one stream. The percentiles of a job without any come from its latency log, if it is in the same
folder.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from venice.files.documents import MOST_REPORTS_BYTES, read_text
from venice.validation.fio_logs import figures_of_log
from venice.validation.load import SHORTEST_PAUSE_US, Load, Scene, Stream
from venice.validation.rows import DataError, Figures, Row, Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from venice.validation.load import Operation

    Job = Mapping[str, Any]
    Options = Mapping[str, str]

_SIZE = re.compile(r"(?P<number>\d+)(?P<unit>[kmg]?)i?b?")
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_PERCENTILES = {"p50_us": "50.000000", "p99_us": "99.000000", "p999_us": "99.900000"}
_LARGEST_WEIGHT = 1000
"""Largest weight of a job (fio 3.32, ``flow.h``: ``FLOW_MAX_WEIGHT``)."""
_DIRECTIONS: tuple[Operation, ...] = ("read", "write")
_CONDITION = "venice_condition="
"""Prefix in a job's `description` of the drive's condition: written, filled or steady."""


def is_fio_json(text: str) -> bool:
    """Return true if a text begins like fio's JSON output."""
    return '"fio version"' in text[:4096]


def read_fio_json(path: Path) -> list[Row]:
    """Return the rows of fio's JSON output; none if the file is of another kind.

    Raises
    ------
    DataError
        If a job option that should be a number is not.
    """
    text = read_text(path, MOST_REPORTS_BYTES)
    if not is_fio_json(text):
        return []
    # fio writes its warnings before the document.
    try:
        document = json.loads(text[max(text.find("{"), 0) :])
        common = document.get("global options") or {}
        scenes = _side_by_side(document.get("jobs") or [], common)
        return [row for jobs in scenes for row in _rows(path, jobs, common)]
    except json.JSONDecodeError as error:
        raise DataError(
            f"{path}: is not JSON ({error.msg}); expected: fio's JSON output; check that the file "
            "is complete"
        ) from None
    except KeyError as missing:
        raise DataError(
            f"{path}: has no key `{missing.args[0]}`; expected: fio's JSON output"
        ) from None
    except (ValueError, AttributeError, TypeError) as error:
        raise DataError(f"{path}: {error!s:.200}; expected: fio's JSON output") from None


def _side_by_side(jobs: Iterable[Job], common: Options) -> list[list[Job]]:
    """Return groups of jobs that ran concurrently, divided at each `stonewall`."""
    scenes: list[list[Job]] = []
    for job in jobs:
        options = {**common, **(job.get("job options") or {})}
        # An option in [global] applies to every job; copies of one job have the name of the first.
        is_copy = bool(scenes) and scenes[-1][-1].get("jobname") == job.get("jobname")
        has_wall = ("stonewall" in options or "wait_for_previous" in options) and not is_copy
        if has_wall or not scenes:
            scenes.append([])
        scenes[-1].append(job)
    return scenes


def _rows(path: Path, jobs: Sequence[Job], common: Options) -> Iterator[Row]:
    """Yield the rows of jobs that ran concurrently."""
    named: dict[tuple[object, object], list[Job]] = {}
    for job in jobs:
        named.setdefault((job.get("jobname"), job.get("groupid")), []).append(job)
    groups = list(named.values())
    options = [{**common, **(group[0].get("job options") or {})} for group in groups]
    try:
        scene: Scene | str = _scene(groups, options)
    except ValueError as error:
        scene = str(error)
    place = 0
    for number, group in enumerate(groups):
        for job in group:
            for operation in _DIRECTIONS:
                if not (job.get(operation) or {}).get("total_ios"):
                    continue
                load = scene if isinstance(scene, str) else Load(scene, number)
                figures = _figures(path, job, operation, options[number], len(group))
                line = place = place + 1
                source = Source(path.name, line, str(job.get("jobname", "")))
                drive = _drive_of(_description(job, options[number]))
                yield Row(drive, operation, load, figures, source)


def _scene(groups: Sequence[Sequence[Job]], options: Sequence[Options]) -> Scene:
    streams = tuple(_stream(group, own) for group, own in zip(groups, options, strict=True))
    weighted = [own for own in options if _flow_weight(own) is not None]
    if len({own.get("flow_id", "0") for own in weighted}) > 1:
        raise ValueError("several groups of jobs with `flow`")
    writes = any(stream.read_pct < 100 for stream in streams)  # noqa: PLR2004 percent
    stated = " ".join(
        _description(group[0], own) for group, own in zip(groups, options, strict=True)
    )
    found = re.search(rf"{_CONDITION}(written|filled|steady)", stated)
    condition = found[1] if found else "steady" if writes else "written"
    return Scene(streams, condition)  # type: ignore[arg-type] # a word of the expression


def _stream(group: Sequence[Job], options: Options) -> Stream:
    """Return the stream of a job and its copies.

    Raises
    ------
    ValueError
        The message states the reason why a drive cannot simulate the stream.
    """
    rw = options.get("rw") or options.get("readwrite") or "read"
    if "trim" in rw:
        raise ValueError("trims")
    reads = float(options.get("rwmixread", 100 - float(options.get("rwmixwrite", 50))))
    kind = rw.split(":")[0].removeprefix("rand")
    read_pct = {"read": 100.0, "write": 0.0, "rw": reads, "readwrite": reads}.get(kind)
    if read_pct is None:
        raise ValueError(f"unknown `rw={rw}`")
    if "bssplit" in options or "bsrange" in options:
        raise ValueError("several request sizes")
    jobs = len(group) if len(group) > 1 else int(options.get("numjobs", "1"))
    rates = [float(part) for part in options.get("rate_iops", "").split(",") if part]
    law = options.get("random_distribution", "")
    weight = _flow_weight(options)
    if weight is not None and rates:
        raise ValueError("`flow` and a rate")
    return Stream(
        read_pct,
        rw.startswith("rand"),
        _size(options.get("bs") or options.get("blocksize") or "4k"),
        int(options.get("iodepth", "1")),
        jobs,
        iops=jobs * sum(rates) if rates else None,
        is_poisson=options.get("rate_process") == "poisson",
        zipf=float(law.removeprefix("zipf:")) if law.startswith("zipf:") else None,
        weight=weight,
        flow_pause_us=int(options.get("flow_sleep", "0")) if weight else SHORTEST_PAUSE_US,
    )


def _flow_weight(options: Options) -> int | None:
    """Return the job's weight in its group (``flow``); ``None`` for a job without weight."""
    weight = int(options.get("flow", "0"))
    if not 0 <= weight <= _LARGEST_WEIGHT:
        raise ValueError(f"`flow={weight}`")
    return weight or None


def _size(text: str) -> int:
    """Return a size in fio's notation as bytes; if there are several, the first.

    Examples
    --------
    >>> [_size(text) for text in ("4k", "131072", "4k,8k", "1M", "512B")]
    [4096, 131072, 4096, 1048576, 512]
    """
    found = _SIZE.fullmatch(text.split(",", maxsplit=1)[0].strip().lower())
    if found is None:
        raise ValueError(f"request size `{text}`")
    return int(found["number"]) * _UNITS[found["unit"]]


def _figures(path: Path, job: Job, operation: Operation, options: Options, copies: int) -> Figures:
    side = job[operation]
    latency = side.get("lat_ns") or side.get("clat_ns") or {}
    shares: dict[str, float] = {}
    for name in ("lat_ns", "clat_ns"):
        shares = (side.get(name) or {}).get("percentile") or shares
    known = {name: shares[key] / 1000 for name, key in _PERCENTILES.items() if key in shares}
    if not known:
        log = options.get("write_lat_log") or str(job.get("jobname", ""))
        known = figures_of_log(path.parent, log, operation)
    iops = side.get("iops")
    return Figures(
        mean_us=latency["mean"] / 1000 if latency.get("mean") else None,
        iops=None if iops is None else copies * float(iops),
        **known,
    )


def _description(job: Job, options: Options) -> str:
    """Return the job's `description`, which fio writes in two places."""
    return str(job.get("desc") or options.get("description") or "")


def _drive_of(description: str) -> str:
    """Return the drive named in a `description` as ``drive=NAME``; usually there is none."""
    found = re.search(r"\bdrive=([^\s,]+)", description)
    return found[1] if found else ""
