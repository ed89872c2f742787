"""Configuration of the drive in a report, for comparisons between runs."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def config_without_seed(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of the drive's configuration without its seed."""
    config = copy.deepcopy(content.get("config", {}))
    config.get("run", {}).pop("seed", None)
    return dict(config)


def drive_key(content: Mapping[str, Any]) -> str:
    """Return a text that identifies the drive: its configuration without the seed."""
    return json.dumps([content.get("fabric"), config_without_seed(content)], sort_keys=True)
