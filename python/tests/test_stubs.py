"""The types that Python is told are those that the engine has."""

from __future__ import annotations

import subprocess
import sys


def test_the_stubs_agree_with_the_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "venice._native"],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
