"""Entrances of hostile inputs: a module for each, with a function that draws an input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import (
    api,
    bundles,
    columns,
    drive_keys,
    drives,
    explorations,
    fio,
    grep,
    measurements,
    mqsim,
    options,
    paths,
    policies,
    reports,
    schedulers,
    sheets,
    sql,
    states,
    stores,
    sweeps,
    traces,
    workloads,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random

    from ..case import Case
    from ..material import Material

ENTRANCES: Mapping[str, Callable[[Random, Material], Case]] = {
    "api": api.draw,
    "bundles": bundles.draw,
    "drive-keys": drive_keys.draw,
    "explorations": explorations.draw,
    "fio": fio.draw,
    "grep": grep.draw,
    "html": sheets.draw,
    "measurements": measurements.draw,
    "mqsim": mqsim.draw,
    "options": options.draw,
    "parquet": columns.draw,
    "paths": paths.draw,
    "policies": policies.draw,
    "random-drives": drives.draw,
    "reports": reports.draw,
    "schedulers": schedulers.draw,
    "sql": sql.draw,
    "states": states.draw,
    "stores": stores.draw,
    "sweeps": sweeps.draw,
    "traces": traces.draw,
    "workloads": workloads.draw,
}
