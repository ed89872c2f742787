"""Parallel runs: threads, memory, signals and progress."""
