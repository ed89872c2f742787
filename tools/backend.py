"""Builds packages with maturin and adds the generated type stubs to wheels.

Maturin has no hook between the compilation of the engine and the creation of the wheel.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import maturin
from maturin import (
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]


def build_wheel(
    wheel_directory: str,
    config_settings: Mapping[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Build a wheel and return its name (PEP 517)."""
    name: str = maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
    wheel = Path(wheel_directory, name).resolve()
    command = [sys.executable, "-m", "tools.stubs", str(wheel)]
    subprocess.run(command, cwd=Path(__file__).parents[1], check=True)
    return name
