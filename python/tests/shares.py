"""A check of every share in a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_CHANGES = frozenset({"drift_pct", "wires_saved_pct", "routers_pct", "die_overhead_pct"})
"""Figures in % that are changes, not shares of a whole."""
_NO_SHARES = frozenset({"config", "steadiness", "over_provisioning"})
"""Sections whose figures in % may be negative or above 100."""
_ROUNDING_PCT = 1e-6


def impossible_shares(report: Mapping[str, Any]) -> list[str]:
    """Name the shares outside 0 to 100 %; configuration and changes are left out.

    >>> impossible_shares({"utilisation": {"chip_pct": 242.8, "chip_pct_by_chip": [50, 101]}})
    ['utilisation.chip_pct = 242.8', 'utilisation.chip_pct_by_chip = 101']
    """
    content = {name: value for name, value in report.items() if name not in _NO_SHARES}
    return list(_walk("", content, of_shares=False))


def _walk(path: str, value: Any, *, of_shares: bool) -> Iterator[str]:  # noqa: ANN401 any JSON value
    if isinstance(value, dict):
        for name, one in value.items():
            whole = f"{path}.{name}" if path else name
            yield from _walk(whole, one, of_shares=of_shares or _is_share(name))
    elif isinstance(value, list):
        for one in value:
            yield from _walk(path, one, of_shares=of_shares)
    elif of_shares and isinstance(value, int | float) and not _is_possible(value):
        yield f"{path} = {value:g}"


def _is_share(name: str) -> bool:
    return (name.endswith("_pct") or "_pct_" in name) and name not in _CHANGES


def _is_possible(share: float) -> bool:
    return -_ROUNDING_PCT <= share <= 100 + _ROUNDING_PCT
