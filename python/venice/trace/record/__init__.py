"""Recordings of what a program reads and writes."""

from venice.trace.record.run import Recording, record_trace

__all__ = ["Recording", "record_trace"]
