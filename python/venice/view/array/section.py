"""Section of the page that shows the array at work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.sheet import html

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venice.report.report import Report

_STEPS = 20_000
"""Positions of the slider."""

_SPEEDS = {1: "1 µs a second", 10: "10 µs", 100: "100 µs", 1000: "1 ms", 10_000: "10 ms"}

_USUAL_SPEED_US = 100

_ON_MESH = "venice"


def section(report: Report, absence: str | None) -> Iterator[str]:
    """Write the section; the page's script draws into it, unless ``absence`` gives a reason."""
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
    yield '<div class="details"><div id="array-chip"></div>'
    yield '<div id="array-request"></div></div></div>'
    yield html.paragraph(_legend(report), "note")


def _options() -> Iterator[str]:
    for us, words in _SPEEDS.items():
        chosen = " selected" if us == _USUAL_SPEED_US else ""
        yield f'<option value="{us}"{chosen}>{html.text(words)}</option>'


def _legend(report: Report) -> str:
    chips = (
        "Chips: blue read, green program, pink erase, lilac copy or combination, grey settling "
        "for a suspension; blue frame: a transfer on its pins; dashed: read data waits for a path; "
        "underlined: a plane is being collected. Paths: blue data out, green data in, light blue a "
        "command"
    )
    mesh = (
        "; orange a circuit longer than a shortest path. Controllers: yellow with a scout out, "
        "orange frame if it fails. Scouts: dashed, there and back"
    )
    return f"{chips}{mesh if report.fabric == _ON_MESH else ''}."
