"""Remarks on settings that have no effect on a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venice._native import WorkloadError, workload_remarks
from venice.options.engine_options import EngineOptions

if TYPE_CHECKING:
    from venice._native import Drive
    from venice.options.run_options import RunOptions


def remarks(drive: Drive, options: RunOptions) -> list[str]:
    """Return a remark for each reason why settings of a run have no effect.

    A setting without effect changes no result, so it is not an error.
    """
    return [*drive.remarks, *_of_state(options), *_of_workload(options)]


def _of_state(options: RunOptions) -> list[str]:
    keys = [text.partition("=")[0] for text in options.sets if text.startswith("precondition.")]
    if options.load_state is None or not keys:
        return []
    listed, verb = ", ".join(f"`{key}`" for key in keys), "has" if len(keys) == 1 else "have"
    return [f"{listed} {verb} no effect on the drive, whose state is loaded"]


def _of_workload(options: RunOptions) -> list[str]:
    try:
        workload = EngineOptions(options).workload
        return [] if workload is None else workload_remarks(workload)
    except WorkloadError:
        # The run reports it, with advice.
        return []
