"""Multi-objective searches of design spaces.

>>> from venice.exploration import Exploration, Objective
>>> exploration = Exploration.of(
...     {"workload": "random-read", "requests": 100},
...     [{"fabric": ["bus", "venice"]}, {"fabric.mesh.link_width_bits": {"from": 4, "to": 24}}],
...     [Objective("latency_us.all.p99"), Objective("area.wires_in_channels")],
... )
>>> exploration.space.size
42
"""

from venice.exploration.definition import Exploration, Search
from venice.exploration.explorer import explore
from venice.exploration.goals import Constraint, Objective
from venice.exploration.result import Explored, Found

__all__ = ["Constraint", "Exploration", "Explored", "Found", "Objective", "Search", "explore"]
