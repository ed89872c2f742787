"""Vega, which draws the page's plots."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

from venice import panics
from venice._native import UsageError

LANGUAGE = "6.1"
"""The version of Vega-Lite in which plots are described."""

NOTICE = (
    "The next script draws the plots: Vega, Vega-Lite and vega-embed (https://vega.github.io), "
    "copyright University of Washington Interactive Data Lab and contributors, BSD 3-clause "
    "licence, with D3 (https://d3js.org), copyright Mike Bostock, ISC licence; bundled by "
    "vl-convert."
)
"""Whose work the script is."""


def require_vega() -> None:
    """Refuse what writes a page where the library for its plots is not installed.

    Raises
    ------
    UsageError
        Saying how to install it.
    """
    if find_spec("vl_convert") is None:
        raise UsageError(
            "the plots of a page are Vega's, which vl-convert-python brings; it is not installed: "
            "pip install 'venice-ssd[view]'"
        )


@cache
def script() -> str:
    """Give Vega as the text of a script module, which sets ``window.vegaEmbed``.

    Raises
    ------
    OutputError
        If the library that makes it fails.
    """
    with panics.told_as("the page", "vl-convert"):
        import vl_convert  # noqa: PLC0415 80 MB, and needed by few

        return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=LANGUAGE)
