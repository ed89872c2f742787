"""Print the Python requirements of pyproject.toml, one per line.

pip-audit reads `dependencies` alone. The list has the build system, extras and groups, too.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def requirements(pyproject: dict[str, Any]) -> list[str]:
    """Return all requirements, sorted, each once."""
    project = pyproject["project"]
    lists = [
        pyproject["build-system"]["requires"],
        project["dependencies"],
        *project["optional-dependencies"].values(),
        *pyproject["dependency-groups"].values(),
    ]
    return sorted({requirement for each in lists for requirement in each})


if __name__ == "__main__":
    lines = requirements(tomllib.loads(PYPROJECT.read_text(encoding="utf-8")))
    sys.stdout.write("".join(f"{line}\n" for line in lines))
