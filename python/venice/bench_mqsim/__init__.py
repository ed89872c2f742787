"""MQSim and this program on the same files: how long each takes, and in how much memory.

The cases are in :mod:`venice.bench_mqsim.cases`, one run of a program in
:mod:`venice.bench_mqsim.run`, and what is made of the runs in :mod:`venice.bench_mqsim.result`.
"""

from venice.bench_mqsim.bench import bench
from venice.bench_mqsim.cases import CASES, BenchCase
from venice.bench_mqsim.result import CaseResult, Comparison
from venice.bench_mqsim.run import Program, Run

__all__ = ["CASES", "BenchCase", "CaseResult", "Comparison", "Program", "Run", "bench"]
