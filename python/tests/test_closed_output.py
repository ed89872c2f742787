"""Commands whose standard output is closed by its reader."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

_LOAD = ("--drive", "slc-low-latency", "--workload", "mixed-70-30", "--requests", "2000")


@pytest.mark.parametrize(
    "command",
    [("run", "--slowest", "500"), ("compare", "--fabrics", "bus,ideal")],
    ids=lambda command: command[0],
)
def test_files_are_complete_if_the_reader_of_the_table_has_gone(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    reader, writer = os.pipe()
    os.close(reader)
    # Without a buffer, the first line of the table fails.
    run = [sys.executable, "-u", "-m", "venice", *command, *_LOAD, "--json", str(report)]
    done = subprocess.run(run, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "Broken" not in done.stderr
    assert json.loads(report.read_text())


def test_listing_ends_with_its_reader() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    run = [sys.executable, "-u", "-m", "venice", "config", "show"]
    done = subprocess.run(run, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert done.returncode == 1
    assert done.stderr == ""
