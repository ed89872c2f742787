"""Drives fitted to measurements: parameters, search, test on the other half."""
