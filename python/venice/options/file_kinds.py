"""Detection of the type of a definition file (drive or workload), for error messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from venice._native import drive_names, schema


def kind_of_file(path: str) -> Literal["drive", "workload"] | None:
    """Return the type of a definition file by its name and first keys; ``None`` if unknown."""
    from venice.files.documents import DocumentError, is_file, read_toml  # noqa: PLC0415 likewise

    file = Path(path)
    if not is_file(file):
        return None
    if file.suffix.lower() == ".fio":
        return "workload"
    if file.suffix.lower() != ".toml":
        return None
    try:
        content = read_toml(file)
    except (OSError, DocumentError):
        return None
    return "drive" if _is_drive(content) else "workload"


def _is_drive(content: dict[str, Any]) -> bool:
    """Return true if a definition extends a drive or has a table that only drives contain."""
    parts = json.loads(schema())["properties"]
    tables = {name for name, part in parts.items() if "properties" in part}
    return content.get("extends") in drive_names() or not tables.isdisjoint(content)
