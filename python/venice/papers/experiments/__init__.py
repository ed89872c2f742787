"""Experiments, one per file."""
