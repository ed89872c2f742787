"""Names of the optional figures of reports."""

from __future__ import annotations

import json
from functools import cache

from venice import _native


@cache
def optional_figures() -> frozenset[str]:
    """Return the names of all figures that the schema of reports does not require."""
    schema = json.loads(_native.report_schema())
    groups = [schema, *schema["$defs"].values()]
    return frozenset(
        name
        for group in groups
        for name in group.get("properties", {})
        if name not in group.get("required", ())
    )
