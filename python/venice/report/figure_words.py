"""Names in words and units of figures, for the axes and captions of pictures."""

from __future__ import annotations

from typing import NamedTuple


class Words(NamedTuple):
    """Name of a figure in words, and its unit."""

    text: str
    unit: str = ""

    @property
    def axis(self) -> str:
        """Title of an axis that shows the figure: its name and its unit."""
        title = self.text[:1].upper() + self.text[1:]
        return f"{title} ({self.unit})" if self.unit else title


def fitting(words: Words, least: float) -> tuple[Words, float]:
    """Return the words with the unit of time that suits the smallest value of an axis.

    Returns
    -------
    tuple
        Words with that unit, and the factor by which values are multiplied.

    Examples
    --------
    >>> fitting(Words("mean latency", "µs"), 3_700.0)
    (Words(text='mean latency', unit='ms'), 0.001)
    """
    if words.unit == "µs":
        for unit, us in (("s", 1e6), ("ms", 1e3)):
            if least >= us:
                return words._replace(unit=unit), 1 / us
    return words, 1.0


_STATISTICS = {
    "mean": "mean",
    "p50": "median",
    "p90": "90th percentile",
    "p99": "99th percentile",
    "p999": "99.9th percentile",
    "p9999": "99.99th percentile",
    "max": "maximum",
    "min": "minimum",
}
_KNOWN = {
    "iops": Words("throughput", "requests/s"),
    "bandwidth_mb_per_s": Words("bandwidth", "MB/s"),
    "makespan_us": Words("makespan", "µs"),
    "write_amplification": Words("write amplification"),
    "pages_per_written_page": Words("pages programmed per page written"),
    "path.conflict_pct": Words("transfers that waited for a path", "%"),
    "path.requests_conflict_pct": Words("requests that waited for a path", "%"),
    "path.mean_hops": Words("mean number of hops"),
    "utilisation.chip_pct": Words("chips busy", "% of time"),
    "utilisation.plane_pct": Words("planes busy", "% of time"),
    "utilisation.channel_pct": Words("paths busy", "% of time"),
    "energy_uj.total": Words("energy", "µJ"),
    "energy_paper.energy_uj": Words("energy, formula of the paper", "µJ"),
    "energy_paper.power_mw": Words("power, formula of the paper", "mW"),
    "mean_power_mw": Words("mean power", "mW"),
    "area.wires_in_channels": Words("board wires", "bus channels"),
    "requests.completed": Words("completed requests"),
    "demand.offered_iops": Words("offered load", "requests/s"),
    "fairness.slowdown.jain": Words("Jain's index of slowdowns"),
    "fairness.throughput.jain": Words("Jain's index of throughput"),
}
_UNITS = {
    "_mb_per_s": "MB/s",
    "_us": "µs",
    "_ms": "ms",
    "_pct": "%",
    "_mw": "mW",
    "_uj": "µJ",
    "_bytes": "bytes",
}
_SIZE_OF_LATENCY = 3


def words_of(path: str) -> Words:
    """Return the name in words and the unit of a figure, by its path in a report.

    Examples
    --------
    >>> words_of("latency_us.read.p99").axis
    '99th percentile of read latency (µs)'
    >>> words_of("latency_us.all.mean").axis, words_of("iops").axis
    ('Mean latency (µs)', 'Throughput (requests/s)')
    >>> words_of("cache.hit_pct").axis
    'Cache hit (%)'
    """
    if path in _KNOWN:
        return _KNOWN[path]
    parts = path.split(".")
    if parts[0] == "latency_us" and len(parts) == _SIZE_OF_LATENCY and parts[2] in _STATISTICS:
        return Words(_latency(parts[1], _STATISTICS[parts[2]]), "µs")
    ending = next((end for end in _UNITS if path.endswith(end)), "")
    text = path.removesuffix(ending).replace(".", " ").replace("_", " ")
    return Words(text, _UNITS.get(ending, ""))


def relative_words(path: str, baseline: str) -> Words:
    """Return the words for the ratio of a figure to the figure of a baseline."""
    return Words(f"{words_of(path).text} relative to {baseline}")


def _latency(operation: str, statistic: str) -> str:
    subject = "latency" if operation == "all" else f"{operation} latency"
    joint = " of " if "percentile" in statistic else " "
    return f"{statistic}{joint}{subject}"
