"""fio job files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...conftest import REPOSITORY
from ..case import Case
from ..damage import damage_text
from ..material import SMALL
from ..values import number, text

if TYPE_CHECKING:
    from random import Random

    from ..material import Material

_RUN = ("run", *SMALL, "--json", "out.json", "--requests", "200", "--workload", "job.fio")
_JOB = """[global]
bs=4k
size=1m
number_ios=50
[readers]
rw=randread
iodepth=16
numjobs=2
random_distribution=zipf:0.99
[log]
rw=randrw
rwmixread=30
bssplit=4k/10:64k/50:32k/40
offset=64k
rate_iops=5000
rate_process=poisson
"""
_SECTIONS = ("[" + "x" * 100_000 + "]", "[", "[]", "[global", "[a]\n" * 5000, "[a]rw=read", "\0")
_SPLITS = ("4k/50:" * 20_000, "4k/101", "/", "4k/-1", "0/100", "4k/50:8k/60", "4k/nan")
_VALUES = (
    "${HOME}",
    "${UNSET_VARIABLE}",
    "$jobname",
    "zipf:1e309",
    "pareto:nan",
    "1e9%",
    "4k-4k",
    "0",
    "-1",
    "9e99g",
)


def draw(draw: Random, material: Material) -> Case:  # noqa: ARG001 the shape of entrances
    """Draw a job file."""
    return Case(_RUN, {"job.fio": _file(draw)}, outputs=("out.json",))


def _file(draw: Random) -> bytes:
    kind = draw.random()
    if kind < 0.25:
        return damage_text(draw, _JOB.encode())
    if kind < 0.35:
        return (_JOB + draw.choice(_SECTIONS)).encode()
    if kind < 0.45:
        return _JOB.replace("4k/10:64k/50:32k/40", draw.choice(_SPLITS)).encode()
    value = draw.choice([number(draw), text(draw), draw.choice(_VALUES)])
    return f"{_JOB}{draw.choice(_options())}={value}\n".encode()


def _options() -> list[str]:
    """List options of fio; simulated ones are repeated, so that they are drawn more often."""
    simulated = (
        "rw",
        "bs",
        "iodepth",
        "size",
        "rate",
        "thinktime",
        "loops",
        "offset",
        "ss",
        "runtime",
    )
    listed = (REPOSITORY / "conformance" / "fio_options.txt").read_text().split()
    return [*simulated * 10, *(name for name in listed if name.isidentifier())]
