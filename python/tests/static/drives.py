"""Drives as a user writes them, and mistakes in their names and values."""

from typing import assert_type

import venice
from venice.config import Fabric, FabricMesh, Flash, Sourced


def a_drive_of_parts() -> None:
    drive = venice.Drive(
        "venice-performance",
        flash=Flash(t_read_us=[3, 5.5], multiplane=False),
        fabric=Fabric(name="venice", mesh=FabricMesh(link_width_bits=Sourced(16, "ours"))),
    )
    wide = drive.with_(flash=Flash(page_bytes=8192))
    venice.run(drive=wide, workload="random-read", fabric="bus")
    venice.compare(drives=[drive, "venice-cost"], workload="random-read")
    assert_type(drive.fabric.mesh, FabricMesh)


def mistakes() -> None:
    Flash(t_red_us=[3, 5.5])  # type: ignore[call-arg]
    Flash(multiplane="no")  # type: ignore[arg-type]
    FabricMesh(link_width=16)  # type: ignore[call-arg]
    Fabric(name="venise")  # type: ignore[arg-type]
    venice.Drive("venice-performance", flsh=Flash())  # type: ignore[call-arg]
