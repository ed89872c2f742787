"""Training runs for profile-guided optimisation: ``make tuned`` runs them on an instrumented build.

Built-in workloads on every fabric, with the parts of a drive that are off by default, one after
another; about a minute. None of the cases in which speed is compared is among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import venice

if TYPE_CHECKING:
    from collections.abc import Sequence

REQUESTS = 50_000
WORKLOADS = ("random-read", "random-write", "mixed-70-30", "zipf-mixed", "poisson-read-16k")
AS_MQSIM = (
    'host.protocol = "nvme"',
    'flash.die_work = "one_at_a_time"',
    'ftl.scheduling = "priority_out_of_order"',
    'ftl.page_allocation = "at_arrival_any_order"',
    'ftl.unwritten_data = "mapped_on_read"',
    'ftl.gc_trigger = "full_block"',
)
PARTS = {
    "the map on flash": ('ftl.mapping = "cached"',),
    "a write cache": ('cache.mode = "write"',),
    # Small drives: otherwise preconditioning would dominate the profile, and the code that serves
    # requests would count as cold.
    "steady state": ('precondition.mode = "steady_state"', "flash.blocks_per_plane = 64"),
    "the queues of NVMe and priorities": (
        'host.protocol = "nvme"',
        'ftl.scheduling = "priority_out_of_order"',
    ),
    "pages given out at arrival": ('ftl.page_allocation = "at_arrival"',),
    "as MQSim does it": AS_MQSIM,
    "as MQSim does it, with the map on flash": (*AS_MQSIM, 'ftl.mapping = "cached"'),
    "as MQSim does it, with the map on flash and a write cache": (
        *AS_MQSIM,
        'ftl.mapping = "cached"',
        'cache.mode = "write"',
    ),
}


def main() -> None:
    """Run everything once."""
    for fabric in venice.fabric_names():
        for workload in WORKLOADS[:3]:
            run("venice-performance", workload, fabric=fabric)
    for workload in WORKLOADS:
        run("mqsim-default", workload)
        for changes in PARTS.values():
            run("mqsim-default", workload, changes)


def run(base: str, workload: str, changes: Sequence[str] = (), fabric: str | None = None) -> None:
    """Run a workload on a drive with changes, which are lines of its file."""
    drive = venice.Drive.from_toml("\n".join([f'extends = "{base}"', *changes]))
    venice.run(drive=drive, workload=workload, fabric=fabric, requests=REQUESTS)


if __name__ == "__main__":
    main()
