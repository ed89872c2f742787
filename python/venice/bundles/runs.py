"""Runs of a bundle: their seeds, and the distinct configurations of drives."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

from venice.bundles.digests import files_in, stores_in
from venice.report.files import ReportError, load_objects
from venice.sweep.store.database import open_to_read
from venice.sweep.store.results import read_report

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def runs_of(folder: Path) -> dict[str, Any]:
    """Return the number of runs, their seeds, and their distinct configurations.

    Each configuration, apart from its seed, is listed with its workloads and its number of runs.
    """
    count = 0
    seeds: set[int] = set()
    configurations: dict[str, dict[str, Any]] = {}
    for report in _reports(folder):
        count += 1
        seeds.add(int(report["seed"]))
        config = _without_seed(report["config"])
        key = json.dumps(config, sort_keys=True)
        entry = configurations.setdefault(key, {"workloads": {}, "runs": 0, "config": config})
        entry["runs"] += 1
        entry["workloads"][report["workload"]["name"]] = None
    listed = [{**one, "workloads": [*one["workloads"]]} for one in configurations.values()]
    return {"runs": count, "seeds": sorted(seeds), "configurations": listed}


def _without_seed(config: dict[str, Any]) -> dict[str, Any]:
    run = {key: value for key, value in config.get("run", {}).items() if key != "seed"}
    return {**config, "run": run}


def _reports(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the reports of all databases, and of report files in folders without a database."""
    stores = stores_in(folder)
    for store in stores:
        with closing(open_to_read(store)) as database:
            rows = database.execute("SELECT id FROM finished ORDER BY key").fetchall()
            for (row,) in rows:
                yield json.loads(read_report(database, row))
    for name in files_in(folder):
        path = folder / name
        if path.suffix == ".json" and path.parent not in stores:
            try:
                yield from load_objects(path)
            except ReportError:
                continue
