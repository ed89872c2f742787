"""MQSim's device and workload files, and lists of requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...test_mqsim import DEVICE, FLASH, FLOW, LIST, TRACE, config_text, element, workload_text
from ..case import Case
from ..damage import damage_text
from ..values import few, number, text

if TYPE_CHECKING:
    from random import Random

    from ..material import Material

_RUN = ("mqsim", "--config", "ssd.xml", "--workload", "load.xml", "--json", "out.json")
_COUNT = "Total_Requests_To_Generate"
_BOMB = """<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "{0}">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><MQSim_IO_Scenarios>&b;</MQSim_IO_Scenarios>"""
_OUTSIDE = """<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]>
<MQSim_IO_Scenarios><IO_Scenario>&a;</IO_Scenario></MQSim_IO_Scenarios>"""
_ODD = (
    _BOMB.format("x" * 10_000),
    _OUTSIDE,
    "<a>" * 100_000 + "</a>" * 100_000,
    "".join(f"<t{n}>1</t{n}>" for n in range(50_000)),
    "<" + "x" * 1_000_000 + "/>",
    element("MQSim_IO_Scenarios", TRACE),
    element("MQSim_IO_Scenarios", ""),
    "<!-- " * 1000,
)


def draw(draw: Random, material: Material) -> Case:  # noqa: ARG001 the shape of entrances
    """Draw a device, a workload, and sometimes a list of requests."""
    files = {"ssd.xml": config_text(), "load.xml": _load({}), "list.csv": LIST}
    words = draw.choice(
        [
            _RUN,
            _RUN,
            (*_RUN, "--requests", "list.csv"),
            ("config", "import", "ssd.xml", "-o", "out.toml"),
        ]
    )
    kind = draw.random()
    if kind < 0.35:
        files["ssd.xml"] = config_text(**{draw.choice([*DEVICE, *FLASH]): _value(draw)})
    elif kind < 0.6:
        files["load.xml"] = _load({draw.choice(sorted(FLOW)): _value(draw)})
    written = {name: content.encode() for name, content in files.items()}
    if kind >= 0.6:
        name = draw.choice(sorted(written))
        written[name] = (
            draw.choice(_ODD).encode() if kind > 0.85 else damage_text(draw, written[name])
        )
    return Case(words, written, outputs=("out.json", "out.toml"))


def _load(changes: dict[str, object]) -> str:
    flow: dict[str, object] = {_COUNT: 50, **changes}
    flow[_COUNT] = few(str(flow[_COUNT]))
    return workload_text([flow])


def _value(draw: Random) -> str:
    value = draw.choice([number, text])(draw)
    return value.replace("&", "&amp;").replace("<", "&lt;") if draw.random() < 0.8 else value
