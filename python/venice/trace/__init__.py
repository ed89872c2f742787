"""Traces: what they are like, and others made from them."""

from venice.trace.convert import Converted, TraceEdit, convert_trace
from venice.trace.info import TraceInfo, trace_info

__all__ = ["Converted", "TraceEdit", "TraceInfo", "convert_trace", "trace_info"]
