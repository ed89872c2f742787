"""Scorecard: claims compared with simulated values, with a row for each claim and regime."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from venice.report.files import to_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.papers.size import Size

CLOSE = 0.15
"""Maximum relative difference between a simulated and a published value for a reproduced claim."""

COLUMNS = (
    "experiment", "claim", "unit", "paper", "section", "ours", "ratio", "log_error",
    "within_15_pct", "regime", "note",
)  # fmt: skip


@dataclass(frozen=True)
class Compared:
    """Quantities that are compared in place of the values of a claim.

    Attributes
    ----------
    what
        Name of the quantity.
    paper
        Value that follows from the paper's.
    ours
        Value that follows from the simulated one.
    """

    what: str
    paper: float
    ours: float

    def __str__(self) -> str:
        """Return the quantities with four digits.

        Examples
        --------
        >>> print(Compared("share with a conflict", 0.1935, 0.16604))
        compared: share with a conflict, paper 0.1935, ours 0.166
        """
        return f"compared: {self.what}, paper {self.paper:.4g}, ours {self.ours:.4g}"


@dataclass(frozen=True)
class Claim:
    """Published claim with the simulated value.

    Attributes
    ----------
    experiment
        Name of the experiment.
    claim
        Text of the claim.
    paper
        Published value: a number, or a text such as a ranking of designs.
    ours
        Simulated value under `regime`; ``None`` if there is none.
    unit
        Unit of both values.
    section
        Section or figure of the publication.
    regime
        Load and measure of the simulated value.
    note
        Reason for the difference, or a remark.
    log_error
        Logarithm of the ratio of the simulated value to the paper's.
    verdict
        Verdict, if the ratio alone does not determine it.
    compared
        Quantities that are compared, if they are not the values themselves.
    """

    experiment: str
    claim: str
    paper: float | str
    ours: float | str | None
    unit: str
    section: str
    regime: str
    note: str = ""
    log_error: float | None = None
    verdict: bool | None = None
    compared: Compared | None = None

    @property
    def ratio(self) -> float | None:
        """Ratio of the compared simulated value to the paper's; ``None`` if undefined."""
        if self.compared is not None:
            return self.compared.ours / self.compared.paper
        if isinstance(self.paper, str) or isinstance(self.ours, str) or self.ours is None:
            return None
        return self.ours / self.paper if self.paper else None

    @property
    def is_reproduced(self) -> bool:
        """True if the simulated value is within 15 % of the paper's, or equals the paper's text."""
        if self.verdict is not None:
            return self.verdict
        if self.ratio is not None:
            return abs(self.ratio - 1) <= CLOSE
        return self.ours is not None and self.ours == self.paper

    @property
    def distance(self) -> float:
        """Relative difference between the two values; 0 or infinity for texts."""
        if self.ratio is not None:
            return abs(self.ratio - 1)
        return 0.0 if self.is_reproduced else math.inf

    def row(self) -> dict[str, Any]:
        """Return the values of the claim by column, numbers with four digits."""
        return {
            "experiment": self.experiment,
            "claim": self.claim,
            "unit": self.unit,
            "paper": self.paper,
            "section": self.section,
            "ours": digits(self.ours),
            "ratio": digits(self.ratio),
            "log_error": digits(self.log_error),
            "within_15_pct": self.is_reproduced,
            "regime": self.regime,
            "note": "; ".join(str(part) for part in (self.note, self.compared) if part),
        }


def digits(value: Any) -> Any:  # noqa: ANN401 a cell of a table
    """Round numbers to four significant digits, so that reviewed files change less often.

    Examples
    --------
    >>> digits(2.654321), digits(12345.6), digits("bus")
    (2.654, 12350.0, 'bus')
    """
    return float(f"{value:.4g}") if isinstance(value, float) else value


def nearest(claims: Sequence[Claim]) -> list[Claim]:
    """Return, for each claim, the row nearest to the paper's value; on a tie, the first row."""
    found: dict[tuple[str, str], Claim] = {}
    for claim in claims:
        key = (claim.experiment, claim.claim)
        if key not in found or claim.distance < found[key].distance:
            found[key] = claim
    return list(found.values())


def as_csv(claims: Sequence[Claim]) -> str:
    """Return the scorecard as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(claim.row() for claim in claims)
    return text.getvalue()


def as_json(claims: Sequence[Claim], size: Size) -> str:
    """Return the scorecard as JSON."""
    return to_json(
        {
            "size": size.name,
            "requests": size.requests,
            "claims": len(claims),
            "within_15_pct": sum(claim.is_reproduced for claim in claims),
            "rows": [claim.row() for claim in claims],
        }
    )


def as_markdown(claims: Sequence[Claim], size: Size, texts: Sequence[str] = ()) -> str:
    """Return the scorecard as Markdown: summaries, a row for each claim, all regimes."""
    lines = [
        "# Scorecard",
        "",
        f"Size `{size.name}`: {size.requests:,} requests in an ordinary run.",
        _workloads(claims),
        "",
        *(line for text in texts for line in [*text.splitlines(), ""]),
    ]
    best = nearest(claims)
    if best:
        lines += ["## Each claim", "", _counted(claims, best), "", *_head(), *map(_line, best)]
    for experiment in dict.fromkeys(claim.experiment for claim in claims):
        own = [claim for claim in claims if claim.experiment == experiment]
        if len(own) > len(nearest(own)):
            lines += ["", f"## {experiment}, all regimes", "", *_head(), *map(_line, own)]
    return "\n".join(lines).rstrip() + "\n"


def _workloads(claims: Sequence[Claim]) -> str:
    """Return a note that all workloads other than named traces are synthetic."""
    is_real = any(" own times" in claim.regime for claim in claims)
    return f"Workloads are synthetic stand-ins{', but for the traces named' if is_real else ''}."


def _counted(claims: Sequence[Claim], best: Sequence[Claim]) -> str:
    close = sum(claim.is_reproduced for claim in best)
    where = "the one regime stated" if len(claims) == len(best) else "the regime that is nearest"
    return f"Of {len(best)} claims {close} are within 15 % of the paper, each in {where}."


def _head() -> list[str]:
    titles = ("claim", "where", "paper", "ours", "ratio", "within 15 %", "regime", "note")
    marks = ("---", "---", "---:", "---:", "---:", "---", "---", "---")
    return [f"| {' | '.join(titles)} |", f"| {' | '.join(marks)} |"]


def _line(claim: Claim) -> str:
    row = claim.row()
    cells = (
        claim.claim,
        claim.section,
        _cell(claim.paper, claim.unit),
        _cell(row["ours"], claim.unit),
        _cell(row["ratio"], ""),
        "yes" if claim.is_reproduced else "no",
        claim.regime,
        row["note"],
    )
    return f"| {' | '.join(cells)} |"


def _cell(value: float | str | None, unit: str) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else f"{value:.4g}{' ' if unit else ''}{unit}"
