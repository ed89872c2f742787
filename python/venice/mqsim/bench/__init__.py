"""Benchmark against MQSim with the same input files: time, memory and results.

The cases are in :mod:`venice.mqsim.bench.cases`, one run of a program in
:mod:`venice.mqsim.bench.run`, and the evaluation in :mod:`venice.mqsim.bench.result`.
"""

from venice.mqsim.bench.bench import bench
from venice.mqsim.bench.cases import CASES, BenchCase
from venice.mqsim.bench.result import CaseResult, Comparison
from venice.mqsim.bench.run import Program, Run

__all__ = ["CASES", "BenchCase", "CaseResult", "Comparison", "Program", "Run", "bench"]
