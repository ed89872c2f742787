"""Options of a run: types, bounds and defaults, for the command line and the Python API."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from venice.schema_classes import DescribedDrive, DescribedTrace, DescribedWorkload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Literal, TypeAlias

    from venice.options.host_scheduler import HostScheduler
    from venice.options.policies import FabricModel, FabricSettings, VictimPolicy
    from venice.options.request import Request

    TraceEvent: TypeAlias = Literal["D", "Q"]

DEFAULT_DRIVE = "venice-performance"
"""Default drive."""
POLICY_OPTIONS = ("host_scheduler", "victim_policy", "fabric_model")
"""Options whose values are Python classes of policies."""
_DEEPEST_QUEUE = 65_535
"""Maximum number of outstanding commands in one queue: NVM Express Base Specification 1.4, §4.1.3.
"""
_LARGEST = 2**64 - 1


class Kind(NamedTuple):
    """Python types of a value, and the description of the value in messages."""

    types: tuple[type, ...]
    text: str


TEXT, WHOLE = Kind((str,), "a text"), Kind((int,), "a whole number")
NUMBER, SWITCH = Kind((int, float), "a number"), Kind((bool,), "true or false")
FILE = Kind((str, PathLike), "a text: a name or the path of a file")
_DRIVE = Kind((*FILE.types, DescribedDrive), f"{FILE.text}, or a venice.Drive")
_TRACE = Kind((*FILE.types, DescribedTrace), f"{FILE.text}, or a venice.Trace")
_WORKLOAD = Kind(
    (*FILE.types, DescribedWorkload), f"{FILE.text}, a venice.Workload or a venice.Mix"
)
_NUMBERS = Kind((list, tuple), "a list of numbers: [100.0, …]")
_TEXTS = Kind((list, tuple), 'a list of texts: ["key=value", …]')
_DEVICES = Kind((str, int), "a text: side-by-side, overlay or the name of a device")
_BLOCK = Kind((str, int), 'a time with its unit ("100ms") or a number of requests')


def _of(
    kind: Kind, *, bounds: tuple[int, int] | None = None, of_trace: bool = False
) -> dict[str, object]:
    """Return the dataclass field of an option; `of_trace` marks options for reading a trace."""
    return {"kind": kind, "bounds": bounds, "of_trace": of_trace}


_ANY_COUNT, _SOME = (0, _LARGEST), (1, _LARGEST)


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """Options of a run; :class:`venice.Scenario` documents the fields.

    Examples
    --------
    >>> RunOptions.of({"workload": "random-read", "seed": 3}).seed
    3
    """

    drive: str | PathLike[str] | DescribedDrive | None = field(default=None, metadata=_of(_DRIVE))
    fabric: str | None = field(default=None, metadata=_of(TEXT))
    sets: Sequence[str] = field(default=(), metadata=_of(_TEXTS))
    trace: str | PathLike[str] | DescribedTrace | None = field(default=None, metadata=_of(_TRACE))
    format: str | None = field(default=None, metadata=_of(TEXT, of_trace=True))
    columns: str | None = field(default=None, metadata=_of(TEXT, of_trace=True))
    event: TraceEvent | None = field(default=None, metadata=_of(TEXT, of_trace=True))
    skip_bad: int | None = field(
        default=None, metadata=_of(WHOLE, bounds=_ANY_COUNT, of_trace=True)
    )
    devices: str | int | None = field(default=None, metadata=_of(_DEVICES, of_trace=True))
    trace_resample: Literal["offset", "blocks"] | str | None = field(
        default=None, metadata=_of(TEXT, of_trace=True)
    )
    trace_block: str | int | None = field(default=None, metadata=_of(_BLOCK, of_trace=True))
    trace_seed: int | None = field(
        default=None, metadata=_of(WHOLE, bounds=_ANY_COUNT, of_trace=True)
    )
    fold: bool = field(default=False, metadata=_of(SWITCH))
    most_folded_pct: float | None = field(default=None, metadata=_of(NUMBER, of_trace=True))
    workload: str | PathLike[str] | DescribedWorkload | None = field(
        default=None, metadata=_of(_WORKLOAD)
    )
    source: Callable[[], Iterable[Request]] | Iterable[Request] | None = None
    host_scheduler: Callable[[], HostScheduler] | None = None
    victim_policy: Callable[[], VictimPolicy] | None = None
    fabric_model: Callable[[FabricSettings], FabricModel] | None = None
    closed_loop: int | None = field(default=None, metadata=_of(WHOLE, bounds=(1, _DEEPEST_QUEUE)))
    rate_scale: float | None = field(default=None, metadata=_of(NUMBER))
    requests: int | None = field(default=None, metadata=_of(WHOLE, bounds=_SOME))
    until: str | None = field(default=None, metadata=_of(TEXT))
    warmup: int | None = field(default=None, metadata=_of(WHOLE, bounds=_ANY_COUNT))
    warmup_us: float | None = field(default=None, metadata=_of(NUMBER))
    seed: int | None = field(default=None, metadata=_of(WHOLE, bounds=_ANY_COUNT))
    load_state: str | PathLike[str] | None = field(default=None, metadata=_of(FILE))
    audit: bool = field(default=False, metadata=_of(SWITCH))
    power_loss_us: Sequence[float] = field(default=(), metadata=_of(_NUMBERS))

    @classmethod
    def of(cls, scenario: Mapping[str, Any]) -> RunOptions:
        """Return the options from the keywords of :func:`venice.run`.

        Raises
        ------
        TypeError
            If a keyword does not exist.
        """
        for name in scenario:
            if name not in NAMES:
                near = get_close_matches(name, NAMES, n=1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise TypeError(f"unexpected keyword argument {name!r}{hint}")
        return cls(**scenario)

    def with_sets(self, *sets: str) -> RunOptions:
        """Return a copy of the options with further settings of the drive."""
        return replace(self, sets=(*self.sets, *sets))


NAMES = tuple(one.name for one in fields(RunOptions))
KINDS: dict[str, Kind] = {
    "save_state": FILE,
    **{one.name: one.metadata["kind"] for one in fields(RunOptions) if one.metadata},
}
BOUNDS: dict[str, tuple[int, int]] = {
    one.name: one.metadata["bounds"]
    for one in fields(RunOptions)
    if one.metadata.get("bounds") is not None
}
OF_A_TRACE = tuple(one.name for one in fields(RunOptions) if one.metadata.get("of_trace"))
"""Names of the options for reading a trace."""
