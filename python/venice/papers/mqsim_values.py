"""Settings of MQSim, for experiments that collect garbage as MQSim does."""

COLLECTION = (
    "ftl.gc_start_free_blocks_pct=5",
    "ftl.gc_start_free_blocks_min=2",
    "ftl.gc_yields_to_host=false",
    "ftl.gc_hard_free_blocks_pct=0.5",
    "ftl.gc_hard_free_blocks_min=2",
    "ftl.gc_moves_in_flight=65535",
    "ftl.scheduling=out_of_order",
    "fabric.first_on_path=data",
    "flash.suspend.operations=none",
)
"""Garbage collection, scheduling and suspension as in the drive of MQSim's ssdconfig.xml."""
