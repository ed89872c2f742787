"""Recording of the reads and writes of a program."""

from venice.trace.record.run import Recording, record_trace

__all__ = ["Recording", "record_trace"]
