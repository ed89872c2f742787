"""Regression tests of results: rows of ``reports.toml``, run and compared."""
