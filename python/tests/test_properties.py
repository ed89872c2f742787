"""With any options, the command ends with a known exit code and without a traceback."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import venice as api

from .conftest import COMMAND, environment

if TYPE_CHECKING:
    from pathlib import Path

VALUES = {
    "--drive": st.sampled_from([*api.drive_names(), "", "none.toml"]),
    "--fabric": st.sampled_from([*api.fabric_names(), "Bus", ""]),
    "--workload": st.sampled_from([*api.workload_names(), "none"]),
    "--closed-loop": st.integers(-1, 64).map(str),
    "--rate-scale": st.floats(width=16).map(str),
    "--requests": st.integers(-1, 500).map(str),
    "--seed": st.integers(-1, 2**65).map(str),
    "--set": st.sampled_from(
        ["array.rows=4", "array.cols=0", "flash.t_read_us=1e300", "=", "a=[["]
    ),
    "--format": st.sampled_from([name for name, _ in api.trace_formats()]),
}


@st.composite
def options(draw: st.DrawFn) -> list[str]:
    """Draw some options, most of them valid."""
    chosen = draw(st.sets(st.sampled_from(sorted(VALUES)), max_size=4)) | {"--workload"}
    if "--requests" not in chosen:
        return ["--requests=300", *(f"{name}={draw(VALUES[name])}" for name in sorted(chosen))]
    return [f"{name}={draw(VALUES[name])}" for name in sorted(chosen)]


@given(options())
@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_no_options_end_in_a_traceback(tmp_path: Path, arguments: list[str]) -> None:
    done = subprocess.run(
        [*COMMAND, "run", *arguments],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=False,
    )
    stderr = done.stderr.decode()
    assert done.returncode in {0, 2}, stderr
    assert "Traceback" not in stderr
    assert "bug" not in stderr
    assert bool(stderr) == (done.returncode == 2)
