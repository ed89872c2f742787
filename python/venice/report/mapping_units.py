"""Size of a drive's mapping units, the entries of its page map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def unit_bytes(config: Mapping[str, Any]) -> int:
    """Return the size of a mapping unit, by default a page.

    Examples
    --------
    >>> unit_bytes({"ftl": {"mapping_unit_bytes": 0}, "flash": {"page_bytes": 16384}})
    16384
    """
    size: int = config["ftl"].get("mapping_unit_bytes") or config["flash"]["page_bytes"]
    return size


def pages_per_unit(config: Mapping[str, Any]) -> float:
    """Return the number of pages that a mapping unit takes.

    Examples
    --------
    >>> pages_per_unit({"ftl": {"mapping_unit_bytes": 4096}, "flash": {"page_bytes": 16384}})
    0.25
    """
    return unit_bytes(config) / float(config["flash"]["page_bytes"])
