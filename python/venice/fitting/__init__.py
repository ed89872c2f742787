"""Fit of drives to measurements: parameters, search, and test with held-out measurements."""
