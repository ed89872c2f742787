"""Workloads and traces in Python: a class for each table of a workload's file and for each law.

``venice.Workload("random-read", size=venice.workloads.FixedBytes(16384))`` is a built-in workload
with a change. The classes are generated from the schema, which is
``docs/reference/workload.schema.json``; `help` tells what a value means, its unit and its range.
"""

from venice.workloads.declared import *  # noqa: F403 as declared
