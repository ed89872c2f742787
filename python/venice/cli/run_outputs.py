"""Run of a drive with its output files, shared by the commands that run a drive."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from venice.api.run import run_load, watch
from venice.cli.output_files import claim, claim_page, claim_picture, log_columns, log_in
from venice.cli.progress import progress_lines
from venice.cli.run_page import check_view_window, page_bytes
from venice.cli.screen import warn
from venice.cli.usage import OptionError
from venice.observation.listeners import CombinedLog
from venice.observation.trace_events import TraceEvents, check_window
from venice.report.over_time import check_suffix, write_series

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

    from venice.api.run import Load, Watch
    from venice.cli.options import Observing, RunFiles
    from venice.observation.listeners import Log
    from venice.report import Report
    from venice.view import Sample

_PAGE_INTERVALS = "200"
"""Default of --interval with --view."""
_PAGE_SLOWEST = 1000
"""Default of --slowest with --view."""


def check_files(observing: Observing, files: RunFiles) -> None:
    """Refuse conflicting options before the run.

    Raises
    ------
    OptionError
        The message names the missing option.
    UsageError
        The message names the invalid value.
    """
    for option, path in (("--intervals-out", files.intervals_out), ("--plot", files.plot)):
        if path is not None and observing.interval is None:
            raise OptionError(option, f"`{option}` requires `--interval`", "add --interval 100ms")
    if files.intervals_out is not None:
        check_suffix(files.intervals_out)
    check_window(files.trace_events is not None, files.trace_events_window)
    check_view_window(files.view is not None, files.view_window)
    log_columns(files.request_log, files.request_columns)
    watch_of(observing, files)


def watch_of(
    observing: Observing, files: RunFiles | None = None, *, usual_causes: bool = False
) -> Watch:
    """Return the observations that the options request; --view implies those that its page needs.

    `usual_causes` is the value of --causes if the option is absent.

    Raises
    ------
    UsageError
        If a value is out of range.
    """
    interval, slowest, distributions = (
        observing.interval,
        observing.slowest,
        observing.distributions,
    )
    if files is not None and files.view is not None:
        interval = interval or _PAGE_INTERVALS
        slowest = _PAGE_SLOWEST if slowest is None else slowest
        distributions = True
    causes = usual_causes if observing.causes is None else observing.causes
    return watch(interval, slowest, distributions=distributions, causes=causes)


def with_scenario_number(files: RunFiles, scenario: int) -> RunFiles:
    """Return the files for one of several scenarios, with `_scenario_N` before the suffix."""
    suffix = f"_scenario_{scenario}"
    own = {name: path.with_stem(f"{path.stem}{suffix}") for name, path in files.paths.items()}
    return replace(files, **own)  # type: ignore[arg-type]  # all are paths


class ObservedRun:
    """A run and its output files, opened before the run; `claimed` moves them into place."""

    def __init__(self, claimed: ExitStack, observing: Observing, files: RunFiles) -> None:
        self._files = files
        self._watch = watch_of(observing, files)
        self._columns = log_columns(files.request_log, files.request_columns)
        self._log = claim(claimed, files.request_log)
        self._picture = claim_picture(claimed, files.plot)
        self._rows = claim(claimed, files.intervals_out)
        self._page = claim_page(claimed, files.view)
        self._events_file = claim(claimed, files.trace_events)

    def run(
        self,
        load: Load,
        title: str,
        *,
        log: Log | None = None,
        watch_chips: bool = False,
    ) -> Report:
        """Run a load and write its files; `log` also receives tables of completed requests."""
        from_slices = TraceEvents(self._events_file, self._files.trace_events_window)
        events = from_slices if self._events_file else None
        sample = None if self._page is None else _new_sample()
        with ExitStack() as stack:
            opened = log_in(self._log, self._columns)
            own = None if opened is None else stack.enter_context(opened)
            logs = [one for one in (own, sample, log) if one is not None]
            lines = stack.enter_context(progress_lines([title]))

            def progress(completed: int, total: int | None, simulated_us: float) -> None:
                lines.update(0, completed, total, simulated_us)

            report = run_load(
                load,
                progress=progress,
                log=CombinedLog(logs) if logs else None,
                save_state=self._files.save_state,
                watch=self._watch._replace(chips=watch_chips),
                events=events,
            )
        self._write(report)
        if self._page is not None:
            self._page.write(page_bytes(load, report, sample, self._files.view_window))
        if events is not None and events.remark is not None:
            warn(events.remark)
        return report

    def _write(self, report: Report) -> None:
        if self._rows is not None and self._files.intervals_out is not None:
            write_series(report, self._rows, self._files.intervals_out.suffix)
        if self._picture is not None and self._files.plot is not None:
            _draw(report, self._picture, self._files.plot)


def _draw(report: Report, picture: BinaryIO, path: Path) -> None:
    # Matplotlib takes a second to load.
    from venice.plot.over_time import draw_over_time  # noqa: PLC0415
    from venice.plot.save import save  # noqa: PLC0415

    save(draw_over_time(report), picture, path.suffix)


def _new_sample() -> Sample:
    from venice.view import Sample  # noqa: PLC0415 seldom wanted

    return Sample()
