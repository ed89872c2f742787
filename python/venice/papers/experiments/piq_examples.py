"""PIQ, Figures 5, 6 and 7: the worked examples, as traces with the location vectors of the paper.

The drive has a chip with one plane for each unit of the example. Each operation takes a tenth of a
second and each chip has its own path, so that other times are negligible. All requests arrive at
the same time. In Figures 6 and 7 reads and writes alternate, and each conflicts with the previous
one, as the text states. The text gives the vectors of the reads; those of the writes are only
drawn, and are assumed to be the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from venice.papers.experiment import Experiment, Finding
from venice.papers.experiments import piq_suite
from venice.papers.experiments.suite import point
from venice.papers.required_figures import require
from venice.papers.scorecard import Claim

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venice.papers.experiment import Runs
    from venice.papers.size import Size
    from venice.report import Report
    from venice.sweep import Point

_TRACES = Path(__file__).parent / "piq_traces"
_CYCLE_US = 100_000
_SCHEMES = ("noop", "piq")


@dataclass(frozen=True)
class _Example:
    """Worked example of the paper.

    Attributes
    ----------
    name
        Name of the experiment.
    title
        Title of the experiment.
    trace
        File with the requests.
    units
        Number of parallel units.
    stated
        Statements of the paper: text, scheme, and the value of :func:`_figures`.
    """

    name: str
    title: str
    trace: str
    units: int
    stated: tuple[tuple[str, str, str, float], ...]
    section: str

    def points(self, _size: Size) -> Sequence[Point]:
        sets = (
            "array.rows=1",
            f"array.cols={self.units}",
            "flash.dies_per_chip=1",
            "flash.planes_per_die=1",
            f"flash.t_read_us={_CYCLE_US}",
            f"flash.t_prog_us={_CYCLE_US}",
        )
        return [
            point(
                {"example": self.trace, "scheme": scheme},
                drive=piq_suite.DRIVE,
                fabric="ideal",
                trace=str(_TRACES / f"{self.trace}.trace"),
                format="mqsim-ascii",
                sets=(*sets, f"host.scheduler.scheme={scheme}"),
            )
            for scheme in _SCHEMES
        ]

    def evaluate(self, runs: Runs, _size: Size) -> Finding:
        found = {
            scheme: _figures(runs.find(example=self.trace, scheme=scheme)) for scheme in _SCHEMES
        }
        rows = [
            [scheme, name, value] for scheme in _SCHEMES for name, value in found[scheme].items()
        ]
        claims = [
            Claim(
                self.name, text, paper, found[scheme].get(figure), "", self.section,
                "the printed requests at one instant",
            )
            for text, scheme, figure, paper in self.stated
        ]  # fmt: skip
        return Finding(("scheme", "figure", "value"), rows, claims)

    @property
    def experiment(self) -> Experiment:
        source = f"PIQ, {self.section}"
        return Experiment(self.name, "piq", self.title, source, self.evaluate, self.points)


def _figures(report: Report | None) -> dict[str, float]:
    if report is None:
        return {}
    batches = require(report.scheduler)
    return {
        "cycles": round(report.makespan_us / _CYCLE_US, 1),
        "batches": float(batches["read_batches"] + batches["write_batches"]),
        "conflicts": float(batches["read_read_conflicts"]),
    }


_EXAMPLES = (
    _Example(
        "piq-fig5",
        "Five requests over eight units: their conflicts",
        "figure-5",
        8,
        (("requests that meet an earlier one", "noop", "conflicts", 3.0),),
        "§IV-A3, Figure 5",
    ),
    _Example(
        "piq-fig6",
        "Six requests over four units as they come",
        "figure-7",
        4,
        (("cycles under NOOP", "noop", "cycles", 6.0),),
        "§IV-B4, Figure 6",
    ),
    _Example(
        "piq-fig7",
        "Six requests over four units in batches",
        "figure-7",
        4,
        (("cycles under PIQ", "piq", "cycles", 4.0), ("batches", "piq", "batches", 4.0)),
        "§IV-B4, Figure 7",
    ),
)

EXPERIMENTS = tuple(example.experiment for example in _EXAMPLES)
