"""Traces: characteristics, conversion, and recording."""

from venice.trace.convert import Converted, TraceEdit, convert_trace
from venice.trace.info import TraceInfo, trace_info
from venice.trace.record import Recording, record_trace

__all__ = [
    "Converted",
    "Recording",
    "TraceEdit",
    "TraceInfo",
    "convert_trace",
    "record_trace",
    "trace_info",
]
