"""Ctrl-C during a run."""


class InterruptedRunError(Exception):
    """Ctrl-C ended a run; the text says how far it had come."""
