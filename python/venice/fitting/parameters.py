"""Parameters of a drive that a fit may change."""

from __future__ import annotations

import json
from functools import cache
from math import exp, log
from typing import TYPE_CHECKING, Any, NamedTuple

from venice._native import UsageError, schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_WIDE = 3.0
"""Default search range, as a factor below and above the base's value."""
_READ_KEYS = (
    "flash.t_read_us",
    "host.link_latency_ns",
    "host.link_rate_mb_per_s",
    "host.command_bytes",
    "fabric.channel_rate_mb_per_s",
)
"""Default parameters of reads. ``host.command_bytes`` models a serial stage with a constant time
per request."""
_WRITE_KEYS = ("flash.t_prog_us", "ftl.over_provisioning_pct")
_SMALLEST = {
    "host.link_latency_ns": 1000.0,
    "host.command_bytes": 16.0,
    "ftl.over_provisioning_pct": 2.0,
}
"""Smallest upper end of the search range by key, for base values of 0 or nearly 0."""
_USUAL_ENDS = {"host.command_bytes": (16.0, 32768.0)}
"""Search ranges that do not depend on the base's value."""


class Parameter(NamedTuple):
    """Numeric parameter of the drive, with a search range on a logarithmic scale."""

    key: str
    low: float
    high: float
    base: tuple[float, ...]
    """Values of the base drive; for a list of values, a fit scales all by one factor."""
    is_whole: bool = False

    @property
    def start(self) -> float:
        """Mean value of the base drive, limited to the search range."""
        return min(max(self.mean, self.low), self.high)

    @property
    def mean(self) -> float:
        """Mean of the base drive's values."""
        return sum(self.base) / len(self.base)

    def at(self, share: float) -> float:
        """Return the value at a position from 0 to 1 of the range, on a logarithmic scale."""
        return exp(log(self.low) + share * log(self.high / self.low))

    def text(self, value: float) -> str:
        """Return a value as TOML text; a list is scaled so that its mean is the value.

        Examples
        --------
        >>> Parameter("flash.t_read_us", 10, 90, (20.0, 40.0)).text(60)
        '[40, 80]'
        """
        factor = value / self.mean if self.mean else 1.0
        values = [one * factor for one in self.base] if len(self.base) > 1 else [value]
        texts = [f"{one:.0f}" if self.is_whole else f"{one:.5g}" for one in values]
        return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"

    def setting(self, value: float) -> str:
        """Return a value as a setting ``"key=value"``."""
        return f"{self.key}={self.text(value)}"


def parameters_of(
    config: Mapping[str, Any], asked: Sequence[str], *, reads: bool, writes: bool
) -> list[Parameter]:
    """Return the parameters to fit.

    Parameters
    ----------
    config
        Configuration of the base drive.
    asked
        Keys, each with or without ``=LOW..HIGH``; empty for the default parameters.
    reads, writes
        Operations in the measurements, which determine the default parameters.

    Raises
    ------
    UsageError
        If a key is not a number of the drive, or a range lacks an end.
    """
    keys = asked or (*(_READ_KEYS if reads else ()), *(_WRITE_KEYS if writes else ()))
    known = [key for key in keys if asked or key in _numbers()]
    parameters = [_parameter(config, key) for key in known]
    names = [one.key for one in parameters]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"`--param` names {twice} twice; expected: every key once")
    return parameters


def _parameter(config: Mapping[str, Any], asked: str) -> Parameter:
    key, equals, ends = asked.partition("=")
    numbers = _numbers()
    if key not in numbers:
        raise UsageError(
            f"`--param` is `{asked}`, which is not a numeric key of a drive; expected: a key such "
            "as flash.t_read_us, with a range such as flash.t_read_us=20..90"
        )
    value: Any = config
    for part in key.split("."):
        value = value.get(part, 0) if isinstance(value, dict) else 0
    base = tuple(map(float, value if isinstance(value, list) else [_number(value)]))
    least, most, is_whole = numbers[key]
    low, high = _ends(asked, ends) if equals else _usual_ends(key, base, least, most)
    if not least <= low < high <= most:
        raise UsageError(
            f"`--param` is `{asked}`; expected: a range within {least:g}..{most:g}, above 0"
        )
    return Parameter(key, low, high, base if sum(base) else (low,), is_whole)


def _number(value: object) -> float:
    """Return a number; words such as ``unlimited`` become 0."""
    return float(value) if isinstance(value, int | float) else 0.0


def _ends(asked: str, text: str) -> tuple[float, float]:
    low, _, high = text.partition("..")
    try:
        return float(low), float(high)
    except ValueError:
        raise UsageError(
            f"`--param` is `{asked}`; expected: KEY=LOW..HIGH, such as flash.t_read_us=20..90"
        ) from None


def _usual_ends(key: str, base: Iterable[float], least: float, most: float) -> tuple[float, float]:
    if key in _USUAL_ENDS:
        return _USUAL_ENDS[key]
    values = list(base)
    middle = max(sum(values) / len(values), _SMALLEST.get(key, 0.0), least)
    return max(middle / _WIDE, least), min(middle * _WIDE, most)


@cache
def _numbers() -> dict[str, tuple[float, float, bool]]:
    """Return the minimum (above 0) and maximum of each number of the drive; true marks integers."""
    found: dict[str, tuple[float, float, bool]] = {}
    _collect(json.loads(schema()), "", found)
    return found


def _collect(
    part: Mapping[str, Any], key: str, found: dict[str, tuple[float, float, bool]]
) -> None:
    for name, inner in part["properties"].items():
        full = f"{key}.{name}".removeprefix(".")
        if inner.get("type") == "object":
            _collect(inner, full, found)
            continue
        plain = inner["anyOf"][0]
        one = plain.get("anyOf", [plain])[0]
        if one.get("type") in ("number", "integer"):
            least = max(float(one["minimum"]), 1e-3)
            found[full] = (least, float(one["maximum"]), one["type"] == "integer")
