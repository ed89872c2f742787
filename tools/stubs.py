"""Writes the type stubs that the engine's schemas define.

``python -m tools.stubs python`` writes them beside the modules of the source tree, from the
package that is installed. ``python -m tools.stubs dist/*.whl`` adds them to wheels, each from the
engine in it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

_CONFIG = "venice/config/__init__.pyi"
_WORKLOADS = "venice/workloads/__init__.pyi"
_REPORT = "venice/report/figure_types.pyi"


def main() -> None:
    """Write stubs into each folder or wheel that is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("places", metavar="FOLDER|WHEEL", type=Path, nargs="+")
    for place in parser.parse_args().places:
        if place.suffix == ".whl":
            add_to_wheel(place)
        else:
            write(place)


def write(folder: Path) -> None:
    """Write the stubs of the package that can be imported into a folder that holds a `venice`."""
    # A wheel's package is only importable in the process that `add_to_wheel` starts.
    from tools.report_stub import report_stub  # noqa: PLC0415
    from tools.section_stub import section_stub  # noqa: PLC0415
    from venice.config.definitions import drive_definitions  # noqa: PLC0415
    from venice.schema_classes.section import Section  # noqa: PLC0415
    from venice.schema_classes.values import Sourced  # noqa: PLC0415
    from venice.workloads.definitions import workload_definitions  # noqa: PLC0415

    texts = {
        _CONFIG: section_stub("Drives", drive_definitions(), [Section, Sourced]),
        _WORKLOADS: section_stub("Workloads and traces", workload_definitions(), []),
        _REPORT: report_stub(),
    }
    for name, text in texts.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def add_to_wheel(wheel: Path) -> None:
    """Add the stubs to a wheel, unless the source archive has brought them already."""
    if _CONFIG in ZipFile(wheel).namelist():
        return
    with TemporaryDirectory() as unpacked:
        _run("wheel", "unpack", wheel.resolve(), "--dest", unpacked)
        (package,) = Path(unpacked).iterdir()
        _run("tools.stubs", package, python_path=package)
        _run("wheel", "pack", package, "--dest-dir", wheel.parent.resolve())


def _run(module: str, *arguments: str | Path, python_path: Path | None = None) -> None:
    """Run a Python module in the repository, with a folder ahead of others on Python's path."""
    variables = {} if python_path is None else {"PYTHONPATH": str(python_path)}
    subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)],
        cwd=Path(__file__).parents[1],
        env={**os.environ, **variables},
        stdout=subprocess.DEVNULL,
        check=True,
    )


if __name__ == "__main__":
    main()
