"""HTML of the live page that shows the progress of sweeps and searches."""

from __future__ import annotations

import json
from importlib.resources import files

from venice.report.fabric_looks import FABRICS
from venice.sheet import html
from venice.view import vega

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'"
)
"""Content security policy: the page may run its own script and contact its own server only."""


def page_of(title: str) -> str:
    """Return the HTML of the live page, with a folder's name as title.

    Raises
    ------
    UsageError
        If the library that draws the plot is not installed.
    """
    vega.require_vega()
    colours = {name: look.colour for name, look in FABRICS.items()}
    return "\n".join(
        (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
            f'<title>{html.text(title)}</title><link rel="icon" href="data:,">',
            f"<style>{html.STYLE}{_own('page.css')}</style></head>\n<body>",
            f"<h1>{html.text(title)}</h1>",
            _own("page.html"),
            f'<script type="application/json" id="fabrics">{json.dumps(colours)}</script>',
            f"<!-- {vega.NOTICE} -->",
            *(
                f'<script type="module">{text}</script>'
                for text in (vega.script(), _own("page.js"))
            ),
            "</body></html>\n",
        )
    )


def _own(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")
