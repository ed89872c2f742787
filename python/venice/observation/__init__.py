"""Data recorded during a run: tables of requests, request logs, intervals, trace events."""
