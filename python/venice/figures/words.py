"""Parts of the sentences in captions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice.report.fabric_looks import fabric_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.figures.request import FigureRequest


def listed(names: Sequence[str]) -> str:
    """Join names to a list as in a sentence.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last


def fabrics_of(names: Sequence[str]) -> str:
    """Join the display names of fabrics to a list."""
    return listed([fabric_label(name) for name in dict.fromkeys(names)])


def load_of(request: FigureRequest) -> str:
    """Return the part of a caption that describes the drive and its requests."""
    sources = request.sources
    kind = "trace" if sources[0].trace is not None else "workload"
    kind += "s" if len(sources) > 1 else ""
    names = listed([source.name for source in sources])
    changed = f" with {listed(request.sets)}" if request.sets else ""
    return f"drive {request.drive}{changed}, {kind} {names}"


def runs_of(request: FigureRequest) -> str:
    """Return the part of a caption that states the number of requests of each run."""
    warmup = request.warmup_requests
    after = f" after {warmup:,} of warm-up" if warmup else ""
    return f"{request.measured:,} measured requests a run{after}."


def intervals_of(request: FigureRequest, what: str = "Means", method: str = "") -> str:
    """Return the part of a caption on the seeds of means and intervals; empty for one seed."""
    if request.seeds == 1:
        return ""
    of_trace = any(source.trace is not None for source in request.sources)
    over = "random start offsets of the trace" if of_trace else "seeds"
    return (
        f"{what} over {request.seeds} {over} with {request.confidence_pct:g} % confidence "
        f"intervals (Student's t{method})."
    )


def paragraph(*sentences: str) -> str:
    """Join the sentences that are not empty to a paragraph."""
    return " ".join(sentence for sentence in sentences if sentence)
