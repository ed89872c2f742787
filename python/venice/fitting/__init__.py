"""Drives fitted to measurements: parameters, search, and test on the other half."""
