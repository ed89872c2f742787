"""Confidence level of statistical intervals."""

CONFIDENCE_PCT = 95.0
"""Default confidence level of all intervals, in %."""
