"""Converts the notebooks of the documentation from their scripts.

``python -m tools.notebooks docs/notebooks`` writes a notebook without results beside each script.
A script has its cells between lines ``# %%``, those of text between lines ``# %% [markdown]``.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

_CELL = re.compile(r"^# %%(?P<kind>.*)\n", re.MULTILINE)
_COMMENT = re.compile(r"^# ?", re.MULTILINE)


def main() -> None:
    """Write the notebooks of a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    for script in sorted(parser.parse_args().folder.glob("*.py")):
        notebook = notebook_of(script.read_text(encoding="utf-8"))
        text = json.dumps(notebook, indent=1, ensure_ascii=False)
        script.with_suffix(".ipynb").write_text(f"{text}\n", encoding="utf-8")


def notebook_of(text: str) -> dict[str, Any]:
    r"""Return the notebook of a script.

    Examples
    --------
    >>> cells = notebook_of("# %% [markdown]\n# # Title\n\n# %%\n1 + 1\n")["cells"]
    >>> [(cell["cell_type"], cell["source"]) for cell in cells]
    [('markdown', '# Title'), ('code', '1 + 1')]
    """
    parts = _CELL.split(text)[1:]
    cells = [
        _cell(place, kind.strip(), source.strip("\n"))
        for place, (kind, source) in enumerate(zip(parts[::2], parts[1::2], strict=True))
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _cell(place: int, kind: str, source: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"id": f"cell-{place}", "metadata": {}}
    if kind == "[markdown]":
        return {"cell_type": "markdown", **cell, "source": _COMMENT.sub("", source)}
    return {"cell_type": "code", **cell, "source": source, "execution_count": None, "outputs": []}


if __name__ == "__main__":
    main()
