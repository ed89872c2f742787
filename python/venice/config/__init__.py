"""Drives in Python: a class for each section of the configuration, a type for each choice.

``venice.Drive("venice-performance", flash=venice.config.Flash(t_read_us=5))`` is a preset with a
change. Values that are left out are the preset's. The classes are built from the schema that
``venice config schema`` prints; `help` shows the meaning of each value, its unit, its default and
its source. Type checkers read the stub file in this folder, which is generated when the package is
built.
"""

from venice.config.definitions import drive_definitions
from venice.schema_classes.definitions import ANNOTATION_NAMES, build_all
from venice.schema_classes.section import Section as Section
from venice.schema_classes.values import Sourced as Sourced

_NAMES = build_all(drive_definitions(), __name__)
globals().update(ANNOTATION_NAMES | _NAMES)
__all__ = list(_NAMES)
