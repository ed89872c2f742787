"""Section of the page with the animation of the array."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.sheet import html

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venice.report.report import Report

_STEPS = 20_000
"""Number of positions of the slider."""

_SPEEDS = {1: "1 µs a second", 10: "10 µs", 100: "100 µs", 1000: "1 ms", 10_000: "10 ms"}

_USUAL_SPEED_US = 100

_ON_MESH = "venice"


def section(report: Report, absence: str | None) -> Iterator[str]:
    """Yield the section into which the page's script draws, or the reason ``absence`` instead."""
    yield "<h2>The array at work</h2>"
    if absence is not None:
        yield html.paragraph(absence, "note")
        return
    yield html.paragraph(
        "A window of the run. Move the slider, play it, or step through conflicts: chips whose "
        "data waits for a path, and scouts that find none. Click a chip, or a request below."
    )
    yield '<div class="controls"><button id="array-play">Play</button>'
    yield f'<select id="array-speed" aria-label="speed">{"".join(_options())}</select>'
    yield f'<input id="array-slider" type="range" min="0" max="{_STEPS}" aria-label="time">'
    yield '<span id="array-clock"></span>'
    yield '<button id="array-previous-conflict">Conflict before</button>'
    yield '<button id="array-next-conflict">Next conflict</button>'
    yield '<button id="array-next-scout">Next scout</button></div>'
    yield '<p id="array-counts" aria-live="polite"></p>'
    yield '<div class="array"><div id="array-drawing" class="drawing"></div>'
    yield '<div class="told"><div id="array-chip"></div><div id="array-request"></div></div></div>'
    yield _legend(report)


def _options() -> Iterator[str]:
    for us, words in _SPEEDS.items():
        chosen = " selected" if us == _USUAL_SPEED_US else ""
        yield f'<option value="{us}"{chosen}>{html.text(words)}</option>'


_CHIP_KEYS = (
    ("fill:#9ecae9", "read"),
    ("fill:#a6dba0", "program"),
    ("fill:#e8a6c8", "erase"),
    ("fill:#d9c8ec", "copy or combination"),
    ("fill:#ccc", "settling for a suspension"),
    ("frame:#0072b2", "transfer on the pins"),
    ("dashed:#d55e00", "read data waits for a path"),
)
_PATH_KEYS = (
    ("line:#0072b2", "data out"),
    ("line:#009e73", "data in"),
    ("line:#56b4e9", "command"),
)
_MESH_KEYS = (
    ("line:#d55e00", "misrouted circuit, each in a shade of its own"),
    ("fill:#f0e442", "controller with a scout out"),
    ("frame:#d55e00", "failing scout"),
)
_STYLES = {
    "fill": "background:{}",
    "frame": "border:2px solid {}",
    "dashed": "border:2px dashed {}",
    "line": "background:{};height:.3em;margin-bottom:.2em",
}
"""Style of the legend's swatch for each kind of activity, with a placeholder for its colour."""


def _legend(report: Report) -> str:
    """Return a legend with a swatch for each colour of the drawing."""
    groups = [("Chips", _CHIP_KEYS), ("Paths", _PATH_KEYS)]
    if report.fabric == _ON_MESH:
        groups.append(("Mesh", _MESH_KEYS))
    lines = "".join(
        f"<div><b>{title}</b> {' '.join(_swatch(*key) for key in keys)}</div>\n"
        for title, keys in groups
    )
    note = "A chip with an underlined number collects garbage."
    return f'<div class="keys">\n{lines}<div>{note}</div></div>'


def _swatch(key: str, words: str) -> str:
    kind, _, colour = key.partition(":")
    return f'<span><i style="{_STYLES[kind].format(colour)}"></i>{html.text(words)}</span>'
