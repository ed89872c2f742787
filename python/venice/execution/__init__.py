"""Execution of runs: thread pools, memory limits, signals and progress."""
