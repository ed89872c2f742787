"""Access to the Vega library, which draws the page's plots."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from venice._native import UsageError
from venice.files.output import OutputError

LANGUAGE = "6.1"
"""Version of Vega-Lite in which the specifications are written."""

NOTICE = (
    "The next script draws the plots: Vega, Vega-Lite and vega-embed (https://vega.github.io), "
    "copyright University of Washington Interactive Data Lab and contributors, BSD 3-clause "
    "licence, with D3 (https://d3js.org), copyright Mike Bostock, ISC licence; bundled by "
    "vl-convert."
)
"""Copyright notice of Vega's script."""

_BUNDLE = """
import sys
import vl_convert
sys.stdout.write(
    vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=sys.argv[1])
)
"""


def require_vega() -> None:
    """Raise an error if the library for the page's plots is not installed.

    Raises
    ------
    UsageError
        The message names the command that installs it.
    """
    if find_spec("vl_convert") is None:
        raise UsageError(
            "the plots of a page are Vega's, which vl-convert-python brings; it is not installed: "
            "pip install 'venice-ssd[view]'"
        )


@cache
def script() -> str:
    """Return Vega as the text of a script module, which sets ``window.vegaEmbed``.

    Raises
    ------
    OutputError
        If the library fails.
    """
    # Run in a process, because vl-convert holds the interpreter lock for seconds, during which
    # Ctrl-C has no effect.
    made = subprocess.run(  # noqa: S603 its words are ours
        [sys.executable, "-X", "utf8", "-c", _BUNDLE, LANGUAGE],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        check=False,
        encoding="utf-8",
        errors="replace",
    )
    if made.returncode:
        raise OutputError(f"the page could not be made: vl-convert failed: {_reason(made.stderr)}")
    return made.stdout


def _reason(stderr: str) -> str:
    """Return the last line of a traceback, which describes the exception."""
    last = (stderr.splitlines() or ["it printed nothing"])[-1]
    lacks_proc = sys.platform == "linux" and not Path("/proc/self").exists()
    return f"{last}; it may need /proc, which is not mounted here" if lacks_proc else last
