"""Records of a run: tables of requests, request logs, intervals, trace events."""
