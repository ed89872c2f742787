"""Writes the pages and schemas of the reference that the engine generates.

``python -m tools.reference docs/reference`` writes them for the site, from the package that is
installed.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from venice import _native

_PAGES = {
    "fio-options.md": _native.fio_options_page,
    "parameters.md": _native.parameters_page,
    "report.md": _native.figures_page,
}
_SCHEMAS = {
    "config.schema.json": _native.schema,
    "report.schema.json": _native.report_schema,
    "workload.schema.json": _native.workload_schema,
}


def main() -> None:
    """Write the pages and schemas into a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", metavar="FOLDER", type=Path)
    write(parser.parse_args().folder)


def write(folder: Path) -> None:
    """Write the pages and schemas into a folder."""
    for name, page in _PAGES.items():
        (folder / name).write_text(page(), encoding="utf-8")
    for name, schema in _SCHEMAS.items():
        text = json.dumps(json.loads(schema()), indent=2, ensure_ascii=False)
        (folder / name).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
