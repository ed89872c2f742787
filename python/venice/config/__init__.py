"""Drives in Python: a class for each section of the configuration, a type for each choice.

``venice.Drive("venice-performance", flash=venice.config.Flash(t_read_us=5))`` is a preset with a
change. What is not said is the preset's. The classes are generated from the schema, which is
``docs/reference/config.schema.json``; `help` tells what a value means, its unit, its default and
its source.
"""

from venice.config.declared import *  # noqa: F403 as declared
from venice.described.section import Section as Section
from venice.described.values import Sourced as Sourced
