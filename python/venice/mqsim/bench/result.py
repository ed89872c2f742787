"""Results of the benchmark: wall times and memory, their ratios, and the geometric means."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import dataclass
from statistics import geometric_mean, median
from typing import TYPE_CHECKING, Any

from venice.mqsim.bench.run import Program
from venice.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from venice.mqsim.bench.cases import BenchCase
    from venice.mqsim.bench.run import Run

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class CaseResult:
    """Runs of one case by MQSim and by Venice, in the order of the repetitions."""

    case: BenchCase
    runs: Mapping[Program, Sequence[Run]]

    def wall_s(self, program: Program) -> float:
        """Return a program's shortest wall time, since disturbances only lengthen a run."""
        return min(run.used.wall_s for run in self.runs[program])

    def median_wall_s(self, program: Program) -> float:
        """Return a program's median wall time."""
        return median(run.used.wall_s for run in self.runs[program])

    def memory_mb(self, program: Program) -> float:
        """Return a program's largest peak memory over its runs."""
        return max(run.used.memory_mb for run in self.runs[program])

    @property
    def speed_up(self) -> float:
        """Ratio of MQSim's wall time to Venice's, from the shortest run of each."""
        return self.wall_s(Program.MQSIM) / self.wall_s(Program.VENICE)

    @property
    def paired_speed_up(self) -> float:
        """Median ratio of the wall times of paired runs."""
        pairs = zip(self.runs[Program.MQSIM], self.runs[Program.VENICE], strict=True)
        return median(mqsim.used.wall_s / venice.used.wall_s for mqsim, venice in pairs)

    @property
    def memory_ratio(self) -> float:
        """Ratio of MQSim's memory to Venice's."""
        return self.memory_mb(Program.MQSIM) / self.memory_mb(Program.VENICE)

    def to_dict(self) -> dict[str, Any]:
        """Return the results of the case as a JSON object."""
        return {
            "case": self.case.name,
            "title": self.case.title,
            "speed_up": self.speed_up,
            "paired_speed_up": self.paired_speed_up,
            "memory_ratio": self.memory_ratio,
            **{program.lower(): self._program(program) for program in Program},
        }

    def _program(self, program: Program) -> dict[str, Any]:
        work = self.runs[program][0].work
        return {
            "requests": work.requests,
            "mean_response_us": work.mean_us,
            "wall_s_min": self.wall_s(program),
            "wall_s_median": self.median_wall_s(program),
            "wall_s": [run.used.wall_s for run in self.runs[program]],
            "cpu_s": [run.used.cpu_s for run in self.runs[program]],
            "memory_mb": self.memory_mb(program),
        }


@dataclass(frozen=True)
class Comparison:
    """Results of all benchmark cases."""

    cases: Sequence[CaseResult]

    @property
    def speed_up(self) -> float:
        """Geometric mean over the cases of the ratio of wall times."""
        return geometric_mean([case.speed_up for case in self.cases])

    @property
    def memory_ratio(self) -> float:
        """Geometric mean over the cases of the ratio of memory."""
        return geometric_mean([case.memory_ratio for case in self.cases])

    def to_json(self) -> str:
        """Return all results as JSON."""
        comparison = {
            "schema_version": SCHEMA_VERSION,
            "venice_version": __version__,
            "machine": {
                "system": platform.system(),
                "architecture": platform.machine(),
                "processors": os.cpu_count(),
            },
            "speed_up_geometric_mean": self.speed_up,
            "memory_ratio_geometric_mean": self.memory_ratio,
            "cases": [case.to_dict() for case in self.cases],
        }
        return json.dumps(comparison, indent=2) + "\n"
