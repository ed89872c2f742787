"""Workloads and traces in Python: a class for each table of a file and each distribution.

``venice.Workload("random-read", size=venice.workloads.FixedBytes(16384))`` is a built-in workload
with another request size. The classes are built from the schema of workload files; `help` shows the
meaning of each value, its unit and its range. Type checkers read the stub file in this folder,
which is generated when the package is built.
"""

from venice.schema_classes.definitions import ANNOTATION_NAMES, build_all
from venice.workloads.definitions import workload_definitions

_NAMES = build_all(workload_definitions(), __name__)
globals().update(ANNOTATION_NAMES | _NAMES)
__all__ = list(_NAMES)
