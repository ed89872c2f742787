"""Conversion of scenes, which are concurrent streams, to fio job files and drive settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from venice.validation.load import Scene, Stream

_ALL_PCT = 100.0
_UNIT_BYTES = 4096
"""Size of a request that counts as one request in the length of a run [bytes]."""
_FEWEST, _MOST = 20_000, 60_000
"""Numbers of requests of a closed loop, for one outstanding request and for many."""
_PER_OUTSTANDING = 300
_FEWEST_LARGE = 3_000
"""Minimum number of requests of a closed loop with large requests."""
_SLICES = 40
"""Minimum length of a closed loop of jobs with a queue depth above 1 that share cores of the host,
in time slices. The jobs have different rates, so that they would not end together after equal
numbers of requests."""
_SAMPLES = 10_000
"""Number of requests of the slowest measured stream, for scenes with several streams."""
_BUDGET = 120_000
"""Number of requests of all streams in a scene with several streams, without warm-up."""
_MOST_BUDGETS = 4
"""Factor by which that number may be exceeded in a scene with long latencies."""
_LONGER = 4
"""Factor by which a run is lengthened if its latency is not steady, the advice of that test."""
_WARMUP = 0.25
"""Warm-up of a scene with several streams, as a share of the measured time."""
_WARMUP_ROUNDS = 3
"""Length of the warm-up of a closed loop, in multiples of its outstanding requests."""
_TYPICAL_US = 100.0
"""Latency assumed for a stream whose rate is unknown [µs]."""
_ALIGNMENT_BYTES = 1 << 20
"""Granularity of adjacent address regions [bytes], a multiple of request sizes."""
_STEP_BYTES = _ALIGNMENT_BYTES // 8
"""Granularity of the starts of jobs in sequence within their regions [bytes]."""
_STEPS = 5
"""Steps between the starts of adjacent jobs, so that not all jobs begin on the same die and keep
pace there."""
_MOST_PAGES = 1 << 18
"""Maximum number of pages of a preconditioned plane, whose preparation takes half a second."""
_MOST_PAGES_IN_ALL = 1 << 25
"""Maximum number of pages of a preconditioned drive, unless the minimum number of blocks requires
more."""
_FEWEST_BLOCKS = 256
"""Minimum number of blocks of a preconditioned plane, of which a few are reserved."""
_SHORTEST_US = 100_000.0
"""Minimum length of a run with several streams [µs]."""
_FEWEST_MEANS = 30.0
"""Minimum length of a run, in multiples of the mean latency."""
_SETTLING_US = 2_000_000.0
"""Warm-up of a scene whose I/O scheduler limits reads or writes [µs], 20 of its windows. A depth of
128 falls to 1 in four windows if its kind takes a quarter of its target latency, and in 13 windows
if it takes three quarters. Windows with fewer than 500 requests count in part."""
_CONTROLLED_US = 1_000_000.0
"""Minimum length of the run of such a scene, after the warm-up [µs]."""
_OVERRUN_US = 6_000.0
"""Minimum time for which the deepest job of a scene runs alone at the end [µs], several times the
latency of hundreds of outstanding reads."""
_LEAST_OVERRUN, _MOST_OVERRUN = 2e-4, 0.5
"""Shares of a run: the smallest for which the run is lengthened to that time, and the largest."""


class Part(NamedTuple):
    """Job of fio: the requests of a stream, with a separate queue for each copy of the job."""

    stream: int
    """Index of the stream in its scene."""
    rw: str
    read_pct: float
    iops: float | None
    jobs: int


class Length(NamedTuple):
    """Length of a run and of its warm-up, in requests or in µs."""

    requests: int | None = None
    warmup: int | None = None
    runtime_us: float | None = None
    warmup_us: float | None = None

    @property
    def lengthened(self) -> Length:
        """Length of the run after one whose latency is not steady, with the same warm-up."""
        if self.requests is not None:
            warmup = self.warmup or 0
            return self._replace(requests=warmup + _LONGER * (self.requests - warmup))
        return self._replace(runtime_us=_LONGER * (self.runtime_us or 0.0))


def parts_of(scene: Scene) -> list[Part]:
    """Return the fio jobs of a scene, in the order of their host queues."""
    return [_part(index, stream) for index, stream in enumerate(scene.streams)]


def _part(index: int, stream: Stream) -> Part:
    random = "rand" if stream.is_random else ""
    kind = {_ALL_PCT: "read", 0.0: "write"}.get(stream.read_pct, "rw")
    return Part(index, f"{random}{kind}", stream.read_pct, stream.iops, stream.jobs)


def length_of(scene: Scene, measured: Mapping[int, tuple[float, float]]) -> Length:
    """Return the length of a scene's run.

    Parameters
    ----------
    scene
        Scene to simulate.
    measured
        Measured rate [requests/s] and mean latency [µs] of streams, by index.
    """
    if len(scene.streams) == 1 and scene.streams[0].iops is None and not scene.is_controlled:
        if scene.host.slice_us and scene.streams[0].depth > 1:
            mean = max((mean for _, mean in measured.values()), default=_TYPICAL_US)
            runtime = max(_SLICES * scene.host.slice_us, _SHORTEST_US, _FEWEST_MEANS * mean)
            return Length(runtime_us=runtime, warmup_us=_WARMUP * runtime)
        return _closed_length(scene.streams[0])
    rates = [_rate(scene, index, measured) for index in range(len(scene.streams))]
    weights = [_weight(stream.size_bytes) for stream in scene.streams]
    directions = [
        rate * _smaller_share(stream) for rate, stream in zip(rates, scene.streams, strict=True)
    ]
    slowest = min(directions[index] for index in measured) if measured else min(directions)
    total = sum(rate * weight for rate, weight in zip(rates, weights, strict=True))
    seconds = min(_SAMPLES / slowest, _BUDGET / total)
    longest = max((mean for _, mean in measured.values()), default=_TYPICAL_US)
    runtime = max(seconds * 1e6, _FEWEST_MEANS * longest, _SHORTEST_US)
    runtime = min(runtime, _MOST_BUDGETS * _BUDGET / total * 1e6)
    overrun = max(_overrun(scene, stream) for stream in scene.streams)
    if overrun > _LEAST_OVERRUN:
        runtime = max(runtime, _OVERRUN_US / overrun)
    if scene.is_controlled:
        return Length(runtime_us=max(runtime, _CONTROLLED_US), warmup_us=_SETTLING_US)
    return Length(runtime_us=runtime, warmup_us=_WARMUP * runtime)


def _closed_length(stream: Stream) -> Length:
    outstanding = stream.outstanding
    wanted = min(_MOST, _FEWEST + _PER_OUTSTANDING * outstanding)
    measured = max(_FEWEST_LARGE, int(wanted / _weight(stream.size_bytes)), 2 * outstanding)
    warmup = min(_WARMUP_ROUNDS * outstanding, measured)
    return Length(requests=measured + warmup, warmup=warmup)


def _rate(scene: Scene, index: int, measured: Mapping[int, tuple[float, float]]) -> float:
    """Return the expected rate of a stream [requests/s]."""
    stream = scene.streams[index]
    if stream.iops is not None:
        return max(stream.iops, 1.0)
    if index in measured:
        return max(measured[index][0], 1.0)
    for other, (iops, _) in measured.items():
        weight = scene.streams[other].weight
        if weight and stream.weight:
            return max(iops * stream.weight / weight, 1.0)
    return stream.outstanding / _TYPICAL_US * 1e6


def _smaller_share(stream: Stream) -> float:
    """Return the smaller of the shares of reads and of writes in a stream that is not zero."""
    read = stream.read_pct / _ALL_PCT
    return 1.0 if read in (0.0, 1.0) else min(read, 1.0 - read)


def _weight(size_bytes: int) -> float:
    return max(1.0, size_bytes / _UNIT_BYTES / 2)


def job_file(scene: Scene, length: Length, capacity_bytes: int) -> str:
    """Return a scene as the text of a fio job file."""
    lines = ["[global]", "direct=1", "norandommap=1"]
    if length.runtime_us is not None and length.warmup_us is not None:
        lines += ["time_based=1", f"ramp_time={length.warmup_us:.0f}us"]
        lines += [f"runtime={length.runtime_us:.0f}us"]
    space = capacity_bytes * scene.used_pct / _ALL_PCT
    parts = parts_of(scene)
    sequential = sum(part.jobs for part in parts if not scene.streams[part.stream].is_random)
    place = 0
    for number, part in enumerate(parts):
        stream = scene.streams[part.stream]
        if stream.is_random:
            region = int(space * stream.region_pct / _ALL_PCT)
            lines += _job(f"s{number}", part, stream, 0, region, part.jobs)
            lines += _end(length, part)
            lines += _early_end(scene, length, stream)
            continue
        # Jobs in sequence have regions side by side.
        for copy in range(part.jobs):
            size = max(int(space / sequential) // _ALIGNMENT_BYTES, 1) * _ALIGNMENT_BYTES
            start, length_bytes = _within(size, place)
            offset = place * size + start
            lines += _job(f"s{number}-{copy}", part, stream, offset, length_bytes, 1)
            lines += _end(length, part)
            lines += _early_end(scene, length, stream)
            place += 1
    return "\n".join(lines) + "\n"


def _within(region: int, place: int) -> tuple[int, int]:
    """Return start and length of a job in sequence within its region [bytes].

    A region of one unit of alignment has no space for different starts.
    """
    if region <= _ALIGNMENT_BYTES:
        return 0, region
    return place * _STEPS * _STEP_BYTES % _ALIGNMENT_BYTES, region - _ALIGNMENT_BYTES


def _job(name: str, part: Part, stream: Stream, offset: int, size: int, jobs: int) -> Sequence[str]:
    unit = stream.size_bytes
    lines = [
        f"[{name}]",
        f"rw={part.rw}",
        f"bs={unit}",
        f"iodepth={stream.depth}",
        f"numjobs={jobs}",
        f"offset={offset // unit * unit}",
        f"size={max(size // unit, 1) * unit}",
    ]
    if part.rw.endswith("rw"):
        lines.append(f"rwmixread={part.read_pct:.0f}")
    if part.iops is not None:
        lines.append(f"rate_iops={_rates(part)}")
        lines += ["rate_process=poisson"] if stream.is_poisson else []
    if stream.weight is not None:
        lines += [f"flow={stream.weight}", f"flow_sleep={stream.flow_pause_us}"]
    if stream.zipf is not None:
        lines.append(f"random_distribution=zipf:{max(stream.zipf, 0.01):g}")
    return lines


def _rates(part: Part) -> str:
    """Return the rate option of each copy of a job; fio has separate rates for reads and writes."""
    each = (part.iops or 0.0) / part.jobs
    reads = each * part.read_pct / _ALL_PCT
    shares = (reads, each - reads) if part.rw.endswith("rw") else (each,)
    return ",".join(str(max(1, round(share))) for share in shares)


def _end(length: Length, part: Part) -> Sequence[str]:
    if length.requests is None:
        return ()
    return (f"number_ios={-(-length.requests // part.jobs)}",)


def _overrun(scene: Scene, stream: Stream) -> float:
    """Return the share of the run that is left when a job with a weight ends.

    In fio 3.32, the runtime of a job begins when the job has prepared its requests, so a job of
    greater depth also ends later. When the main thread has reaped an ended job, the job's weight
    no longer counts (``flow_exit_job``), and others do not wait for it.
    """
    if stream.weight is None:
        return 0.0
    deepest = max(other.depth for other in scene.streams)
    return min(scene.host.overrun_ppm * 1e-6 * (deepest - stream.depth), _MOST_OVERRUN)


def _early_end(scene: Scene, length: Length, stream: Stream) -> Sequence[str]:
    """Return the runtime of a job that ends before the deepest one."""
    overrun = _overrun(scene, stream)
    if length.runtime_us is None or not overrun:
        return ()
    return (f"runtime={length.runtime_us * (1 - overrun):.0f}us",)


def settings_of(scene: Scene, flash: Mapping[str, Any], array: Mapping[str, Any]) -> list[str]:
    """Return the settings of host and drive that a scene requires."""
    return [*scene.host.settings, *_condition_settings(scene, flash, array)]


def _condition_settings(
    scene: Scene, flash: Mapping[str, Any], array: Mapping[str, Any]
) -> list[str]:
    """Return the settings of the drive for the condition that a scene requires.

    Random reads of single pages do not depend on the location of data, so they need no
    preconditioning. A preconditioned drive is simulated with fewer blocks in the same proportions,
    which takes less time.

    Parameters
    ----------
    scene
        Scene to simulate.
    flash, array
        Sections with these names in the drive's configuration.
    """
    is_indifferent = not scene.writes and all(
        stream.is_random and stream.size_bytes <= flash["page_bytes"] for stream in scene.streams
    )
    if scene.condition == "written" or is_indifferent:
        return ["precondition.mode=none", "ftl.unwritten_data=present"]
    planes = array["rows"] * array["cols"] * flash["dies_per_chip"] * flash["planes_per_die"]
    pages = min(_MOST_PAGES, _MOST_PAGES_IN_ALL // planes)
    most = max(_FEWEST_BLOCKS, pages // flash["pages_per_block"])
    sets = [
        f"flash.blocks_per_plane={min(flash['blocks_per_plane'], most)}",
        f"precondition.mode={'fill' if scene.condition == 'filled' else 'steady_state'}",
        "precondition.start_pct=0",
        f"precondition.end_pct={scene.used_pct:g}",
        "precondition.occupancy_pct=100",
    ]
    return sets + _pattern(scene) if scene.condition == "steady" else sets


def _pattern(scene: Scene) -> list[str]:
    """Return the settings for the pattern of overwrites: uniform, or one region among several."""
    region = min(stream.region_pct for stream in scene.streams)
    if region == _ALL_PCT:
        return ["precondition.pattern=uniform"]
    return [
        "precondition.pattern=hot_cold",
        f"precondition.hot_region_pct={region:g}",
        "precondition.hot_traffic_pct=100",
    ]
