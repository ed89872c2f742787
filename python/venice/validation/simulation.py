"""Simulation of scenes, which are concurrent streams, on a drive in threads of this process."""

from __future__ import annotations

import json
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from venice._native import ConfigError, SimulationError, UsageError, WorkloadError
from venice.api.run import run_drive
from venice.execution.pool import LOOK_S, StoppedError, stoppable_pool, worker_count
from venice.options.drives import drive_of
from venice.report.steadiness import is_latency_steady
from venice.validation.jobs import job_file, length_of, parts_of, settings_of
from venice.validation.rows import Figures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from venice.execution.pool import SharedResources
    from venice.options.run_options import RunOptions
    from venice.report import Report
    from venice.validation.jobs import Length
    from venice.validation.load import Load, Operation, Scene

    Rates = Mapping[int, tuple[float, float]]
    """Measured rate [requests/s] and mean latency [µs] of a scene's streams, by index."""


class SimulatedScene(NamedTuple):
    """Result of simulating a scene: figures by stream and direction, or the reason for none."""

    figures: Mapping[tuple[int, str], Figures]
    refusal: str = ""
    is_steady: bool | None = None
    """True if the latency of the last run is steady; ``None`` if the run was too short to tell."""

    def of(self, load: Load, operation: Operation) -> Figures | None:
        """Return the figures of the measured stream; for appends, the figures of its writes."""
        return self.figures.get((load.measured, "read" if operation == "read" else "write"))


def simulate(
    drive: RunOptions,
    scenes: Mapping[Scene, Rates],
    *,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> dict[Scene, SimulatedScene]:
    """Simulate each scene once.

    Parameters
    ----------
    drive
        Drive and its settings.
    scenes
        Scenes with the measured rates of their streams.
    workers
        Parallel runs [default: one per processor].
    progress
        Function called with the number of finished runs and the number of all runs.
    """
    results: dict[Scene, SimulatedScene] = {}
    if not scenes:
        return results
    with (
        TemporaryDirectory(prefix="venice-validate-") as folder,
        stoppable_pool(worker_count(workers, len(scenes))) as (pool, shared),
    ):
        ordered = sorted(scenes, key=_preparation)
        futures = {
            pool.submit(
                _run, drive, scene, scenes[scene], Path(folder, f"{number}.fio"), shared
            ): scene
            for number, scene in enumerate(ordered)
        }
        waiting = set(futures)
        while waiting:
            done, waiting = wait(waiting, LOOK_S, FIRST_COMPLETED)
            shared.signals.check()
            results |= {futures[future]: future.result() for future in done}
            if progress is not None and done:
                progress(len(results), len(scenes))
    return {scene: results[scene] for scene in scenes}


def _preparation(scene: Scene) -> tuple[str, float, bool]:
    """Return a sort key that places scenes with equal preparation next to each other."""
    return scene.condition, scene.used_pct, scene.writes


def _run(
    options: RunOptions, scene: Scene, rates: Rates, path: Path, shared: SharedResources
) -> SimulatedScene:
    def watch(_completed: int, _total: int | None, _simulated_us: float) -> None:
        if shared.stop.is_set():
            raise StoppedError

    def run(length: Length) -> Report:
        path.write_text(job_file(scene, length, drive.capacity_bytes), encoding="utf-8")
        timed = replace(own, workload=str(path), warmup=length.warmup)
        return run_drive(drive, timed, progress=watch, preparations=shared.preparations)

    length = length_of(scene, rates)
    try:
        own = options.with_sets(*settings_of(scene, *_geometry(options)))
        drive = drive_of(own)
        report = run(length)
        if not scene.is_controlled and is_latency_steady(report) is False:
            report = run(length.lengthened)
    except (ConfigError, WorkloadError, SimulationError, UsageError) as error:
        if isinstance(error, UsageError) and length.runtime_us is not None:
            # On a very slow drive, all requests may end during the warm-up.
            return SimulatedScene(_unfinished(scene, length.runtime_us))
        lines = str(error).replace(str(path), "the load").splitlines()
        return SimulatedScene({}, lines[0].removeprefix("error: "))
    return SimulatedScene(_figures(report, scene), is_steady=is_latency_steady(report))


def _unfinished(scene: Scene, run_us: float) -> dict[tuple[int, str], Figures]:
    """Return figures for streams without a completed request: the latency is the run's length."""
    figures = Figures(run_us, run_us, run_us, run_us, 0.0)
    return {
        (part.stream, kind): figures
        for part in parts_of(scene)
        for kind in _directions(part.read_pct)
    }


def _geometry(options: RunOptions) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return the sections ``flash`` and ``array`` of a drive."""
    drive = json.loads(drive_of(options).to_json())
    return drive["flash"], drive["array"]


def _figures(report: Report, scene: Scene) -> dict[tuple[int, str], Figures]:
    """Return the figures of each stream, combined from the figures of its queues."""
    queues = {queue["queue"]: queue for queue in report.content["queues"]}
    found: dict[tuple[int, str], list[Mapping[str, float]]] = {}
    place = 0
    for part in parts_of(scene):
        for queue in range(place, place + part.jobs):
            for kind in ("read", "write"):
                latency = queues.get(queue, {}).get("latency_us", {}).get(kind) or {}
                if latency.get("count"):
                    found.setdefault((part.stream, kind), []).append(latency)
        place += part.jobs
        for kind in _directions(part.read_pct):
            found.setdefault((part.stream, kind), [])
    span_us = report.content["makespan_us"]
    totals = report.content["latency_us"]
    result = {}
    for (stream, kind), latencies in found.items():
        if not latencies:
            # The first requests of the stream took longer than the run.
            result[stream, kind] = Figures(span_us, span_us, span_us, span_us, 0.0)
            continue
        count = sum(latency["count"] for latency in latencies)
        is_alone = count == totals[kind]["count"]
        pooled = [totals[kind]] if is_alone else latencies
        result[stream, kind] = Figures(
            mean_us=_mean(pooled, "mean"),
            p50_us=_mean(pooled, "p50"),
            p99_us=_mean(pooled, "p99"),
            p999_us=_mean(pooled, "p999"),
            iops=count / span_us * 1e6,
            write_amplification=report.content.get("write_amplification"),
        )
    return result


def _directions(read_pct: float) -> Sequence[str]:
    return [*(["read"] if read_pct > 0 else []), *(["write"] if read_pct < 100 else [])]  # noqa: PLR2004 percent


def _mean(latencies: Sequence[Mapping[str, float]], key: str) -> float:
    """Return the mean of a figure over queues with equal jobs, weighted by their requests."""
    total = sum(latency["count"] for latency in latencies)
    return sum(latency[key] * latency["count"] for latency in latencies) / total


def rates_of(rows: Iterable[tuple[Load, Figures]]) -> dict[Scene, dict[int, tuple[float, float]]]:
    """Return the scenes of measured rows, with their measured rates and mean latencies."""
    scenes: dict[Scene, dict[int, tuple[float, float]]] = {}
    for load, figures in rows:
        measured = scenes.setdefault(load.scene, {})
        if figures.iops is not None and figures.mean_us is not None:
            rate = max(figures.iops, measured.get(load.measured, (0.0, 0.0))[0])
            measured[load.measured] = (rate, figures.mean_us)
    return scenes
