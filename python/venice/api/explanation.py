"""Causes of a difference between rows of a comparison, each verified by runs without the cause.

A cause is a group of parts of the mean latency. Its *attributed* part of the difference comes from
the latency breakdowns. Its *measured* part is the decrease of the difference when both rows run
again without the cause (a counterfactual). The two disagree where causes interact.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from venice._native import ConfigError, UsageError
from venice.api.compare import Lineup, run_lineup
from venice.report.demand import is_saturated
from venice.report.parts import DATA_UPKEEP_CAUSES, OWN_WORK_CAUSES, has_causes, parts_us
from venice.report.rows import firsts, rows_of
from venice.report.summary_table import names_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from venice.api.compare import Progress
    from venice.api.compare import Row as Planned
    from venice.report.report import Report
    from venice.report.rows import Row

    Config = dict[str, Any]

LEAST_SHARE = 0.02
"""Smallest share of the difference for which a cause is verified by a run."""

AGREEMENT_SHARE = 0.1
"""Share of the difference by which an attributed and a measured part may differ and still agree."""

_SHORTEST_US = 0.001
"""Shortest time of an array operation (``flash.t_read_us``), in µs."""

_MB_PER_S_OF_A_BIT_PER_NS = 125.0


class Counterfactual(NamedTuple):
    """Changed settings that remove a cause from a row."""

    sets: tuple[str, ...]
    fabric: str | None = None

    def __str__(self) -> str:
        fabric = () if self.fabric is None else (f"fabric {self.fabric}",)
        return ", ".join((*fabric, *self.sets)) or "unchanged"


class Cause(NamedTuple):
    """Cause of a difference, with the parts of the latency that it accounts for."""

    label: str
    parts: tuple[str, ...]
    without: Callable[[Config, Config], Counterfactual] | None
    """Function that returns the settings without the cause, from the configurations of the row and
    of the first row; ``None`` if no settings remove the cause."""


def _without_paths(own: Config, _base: Config) -> Counterfactual:
    """Return settings that give each chip its own channel, at the data rate of the row's paths."""
    return Counterfactual((f"fabric.channel_rate_mb_per_s={rate_mb_per_s(own):.10g}",), "ideal")


def _at_equal_rates(own: Config, base: Config) -> Counterfactual:
    """Return settings with the data rate of the first row."""
    rate, fabric = rate_mb_per_s(base), own["fabric"]
    if rate_mb_per_s(own) == rate:
        return Counterfactual(())
    if fabric["name"] in ("venice", "nossd"):
        latency_ns = fabric["mesh"]["link_width_bits"] * _MB_PER_S_OF_A_BIT_PER_NS / rate
        return Counterfactual((f"fabric.mesh.link_latency_ns={latency_ns:.10g}",))
    if fabric["name"] == "hlnand":
        return Counterfactual((f"fabric.hlnand.link_rate_mb_per_s={rate:.10g}",))
    speedup = fabric["pssd"]["speedup"] if fabric["name"] == "pssd" else 1
    return Counterfactual((f"fabric.channel_rate_mb_per_s={rate / speedup:.10g}",))


def _without_own_work(_own: Config, _base: Config) -> Counterfactual:
    return Counterfactual(
        ("precondition.mode=none", "ftl.mapping=ideal", "ftl.static_wear_levelling=false")
    )


def _without_upkeep(_own: Config, _base: Config) -> Counterfactual:
    names = ("read_reclaim_reads", "refresh_age_days", "refresh_errors_pct", "scrub_pages_per_s")
    return Counterfactual(tuple(f"ftl.{name}=0" for name in names))


def _without_array(_own: Config, _base: Config) -> Counterfactual:
    names = ("t_read_us", "t_prog_us", "t_bers_us")
    return Counterfactual(tuple(f"flash.{name}={_SHORTEST_US}" for name in names))


def _without_host_link(_own: Config, _base: Config) -> Counterfactual:
    return Counterfactual(("host.link_rate_mb_per_s=unlimited",))


def _without_cache(own: Config, _base: Config) -> Counterfactual:
    sets = {"mode": "off"}
    if own["cache"]["modes"]:
        sets["modes"] = "[]"
    if own["cache"]["read_ahead_bytes"]:
        sets["read_ahead_bytes"] = "0"
    return Counterfactual(tuple(f"cache.{key}={value}" for key, value in sets.items()))


def _without_cores(_own: Config, _base: Config) -> Counterfactual:
    return Counterfactual(("controller.cores=0",))


def _without_errors(_own: Config, _base: Config) -> Counterfactual:
    return Counterfactual(("ecc.decoders=0",))


_OWN_WORK = tuple(cause for cause in OWN_WORK_CAUSES if cause not in DATA_UPKEEP_CAUSES)

CAUSES = (
    Cause("waits for paths", ("path_wait", "path_held"), _without_paths),
    Cause("transfers", ("transfer", "host_transfer"), _at_equal_rates),
    Cause("flash arrays", ("array", "host_array"), _without_array),
    Cause("the drive's own work", ("mapping", *_OWN_WORK), _without_own_work),
    Cause("read reclaim, refresh and scrub", DATA_UPKEEP_CAUSES, _without_upkeep),
    Cause("host link", ("host_link",), _without_host_link),
    Cause("data cache", ("cache",), _without_cache),
    Cause("controller cores", ("firmware",), _without_cores),
    Cause("read errors", ("decoding",), _without_errors),
    Cause("queues before the drive", ("queue", "chip_wait"), None),
)
"""All causes; each part of the latency belongs to one of them."""


def rate_mb_per_s(config: Config) -> float:
    """Return the data rate of a drive's paths, in 10^6 bytes per second."""
    return float(config["rate_mb_per_s"])


def _config(row: Planned, report: Report) -> Config:
    rate = report.content["path"]["rate_mb_per_s"]
    return {**json.loads(row.drive().to_json()), "rate_mb_per_s": rate}


@dataclass(frozen=True)
class Finding:
    """Cause of a difference with its attributed and its measured part, in microseconds."""

    cause: Cause
    attributed_us: float
    """Difference of the cause's parts of the latency, first row minus this row [µs]."""
    measured_us: float | None = None
    """Decrease of the difference if both rows run without the cause [µs]; ``None`` if not run."""
    without: str = ""
    """The settings of the runs without the cause, or the reason why there are none."""
    leaves_no_difference: bool = False
    """True if both rows are the same drive without the cause. The measured part is then the whole
    difference, even if there are other causes.
    """

    @property
    def is_checked(self) -> bool:
        """Return true if the effect of the cause was measured by runs without the cause."""
        return self.measured_us is not None and not self.leaves_no_difference

    def agrees(self, difference_us: float) -> bool | None:
        """Return true if attributed and measured part agree; ``None`` if the cause is unchecked."""
        if self.measured_us is None or not self.is_checked:
            return None
        return abs(self.measured_us - self.attributed_us) <= AGREEMENT_SHARE * abs(difference_us)


@dataclass(frozen=True)
class Explanation:
    """Causes of the difference between a row's mean latency and the first row's."""

    name: str
    base: str
    mean_us: float
    base_us: float
    findings: tuple[Finding, ...]

    @property
    def difference_us(self) -> float:
        """Difference of the mean latencies: first row minus this row [µs]."""
        return self.base_us - self.mean_us

    def share_us(self, part_us: float) -> float:
        """Return a part of the difference [µs], positive if it contributes to the difference."""
        return part_us if self.difference_us >= 0 else -part_us


def explain(
    lineup: Lineup,
    reports: Sequence[Report],
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[Explanation]:
    """Explain the difference of each row's mean latency from the first row's.

    Parameters
    ----------
    lineup
        The comparison.
    reports
        Reports of :func:`venice.api.compare.run_lineup`, with causes.
    workers, progress
        See :func:`venice.compare`.

    Raises
    ------
    UsageError
        If the runs did not record causes, or there is only one row.
    """
    rows = rows_of(reports, lineup.seeds)
    if len(rows) < 2 or not has_causes(reports):  # noqa: PLR2004 a row and the one it differs from
        raise UsageError(
            "`why=` was given for one row, or without causes of waits; expected: two rows or more"
        )
    if any(map(is_saturated, reports)):
        raise UsageError(
            "`why=` explains latencies, but the requests come faster than a drive serves them: its "
            "latencies measure the backlog; lower the load, for instance with `rate_scale=` or "
            "`closed_loop=`"
        )
    names = names_of(firsts(rows))
    first = rows[0]
    return [
        _explained(lineup, place, (names[place], names[0]), (row, first), workers, progress)
        for place, row in enumerate(rows)
        if place
    ]


def _explained(
    lineup: Lineup,
    place: int,
    names: tuple[str, str],
    rows: tuple[Row, Row],
    workers: int | None,
    progress: Progress | None,
) -> Explanation:
    row, base = rows
    own, other = (_mean_parts(one) for one in (row, base))
    found = Explanation(*names, _mean_us(row), _mean_us(base), ())
    attributed = [
        Finding(cause, sum(other[part] - own[part] for part in cause.parts)) for cause in CAUSES
    ]
    least = LEAST_SHARE * abs(found.difference_us)
    pair = (lineup.rows[place], lineup.rows[0])
    configs = [_config(one, reports[0]) for one, reports in zip(pair, rows, strict=True)]
    checked = [
        _checked(one, pair, configs, found.difference_us, lineup.seeds, (workers, progress))
        if abs(one.attributed_us) > least
        else one
        for one in attributed
    ]
    shown = sorted(checked, key=lambda one: -abs(one.attributed_us))
    return replace(found, findings=tuple(one for one in shown if abs(one.attributed_us) > least))


def _mean_parts(row: Row) -> dict[str, float]:
    each = [parts_us(report) for report in row]
    return {key: fmean(parts[key] for parts in each) for key in each[0]}


def _mean_us(row: Row) -> float:
    return fmean(report.content["latency_us"]["all"]["mean"] or 0.0 for report in row)


def _checked(
    finding: Finding,
    pair: tuple[Planned, Planned],
    configs: Sequence[Config],
    difference_us: float,
    seeds: int,
    how: tuple[int | None, Progress | None],
) -> Finding:
    """Return the finding with the effect of its cause, measured by runs without the cause."""
    if finding.cause.without is None:
        return replace(finding, without="not checked: no setting removes it")
    workers, progress = how
    changes = [finding.cause.without(config, configs[1]) for config in configs]
    if not any(change.fabric or change.sets for change in changes):
        return replace(finding, without="not checked: its setting is the same in both rows")
    try:
        planned = tuple(_changed(one, change) for one, change in zip(pair, changes, strict=True))
        for one in planned:
            one.drive()
    except ConfigError as error:
        reason = str(error).splitlines()[0].removeprefix("error: ")
        return replace(finding, without=f"not checked: {reason}")
    reports = run_lineup(Lineup(planned, seeds=seeds), workers=workers, progress=progress)
    own, other = (_mean_us(one) for one in rows_of(reports, seeds))
    measured = difference_us - (other - own)
    return replace(
        finding,
        measured_us=measured,
        without=_changes_text(changes),
        leaves_no_difference=_config_text(planned[0]) == _config_text(planned[1]),
    )


def _config_text(row: Planned) -> str:
    return str(row.drive().to_json())


def _changed(row: Planned, change: Counterfactual) -> Planned:
    options = row.options.with_sets(*change.sets)
    return replace(row, fabric=change.fabric or row.fabric, options=options)


def _changes_text(changes: Sequence[Counterfactual]) -> str:
    own, base = map(str, changes)
    return own if own == base else f"{own}; first row: {base}"
