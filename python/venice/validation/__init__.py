"""Validation: measurements of real drives, repeated on a simulated drive and compared."""
