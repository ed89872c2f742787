"""Checks of the options of a run and of their combinations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from venice._native import UsageError
from venice.options.criterion_load import check_criterion_load
from venice.options.misplaced_names import check_names
from venice.options.resampling import check_resampling
from venice.options.run_options import OF_A_TRACE, POLICY_OPTIONS, RunOptions
from venice.options.trace_options import with_trace_options
from venice.options.value_checks import check_ranges, check_types


def check(options: RunOptions, *, may_be_empty: bool = False) -> None:
    """Refuse options that are out of range or conflict.

    With `may_be_empty`, a run may have no requests, for example to save the state of the drive.

    Raises
    ------
    UsageError
        The message names the option and the expected value.
    """
    check_types(vars(options))
    options = with_trace_options(options)
    _check_source(options)
    check_names(vars(options))
    _check_policies(options)
    _check_folding(options)
    check_resampling(options)
    is_empty = may_be_empty and options.requests == 0
    check_ranges(replace(options, requests=None) if is_empty else options)
    _check_warmup(options)
    check_criterion_load(options)


def _check_folding(options: RunOptions) -> None:
    share = options.most_folded_pct
    if share is not None and not 0 <= share <= 100:  # noqa: PLR2004 percent
        raise UsageError(f"`most_folded_pct=` is {share}; it should be from 0 to 100 %")
    if share is not None and options.fold:
        raise UsageError("`fold=` and `most_folded_pct=` cannot be combined; expected: one of them")


def _check_source(options: RunOptions) -> None:
    trace, workload = options.trace, options.workload
    if options.source is not None:
        _check_made(options)
    elif trace is None and workload is None:
        raise UsageError(
            "there is nothing to run; expected: `trace=` or `workload=`; "
            "`venice list` names the workloads"
        )
    if trace is not None and workload is not None:
        raise UsageError("`trace=` and `workload=` cannot be combined; expected: one of them")
    for key in OF_A_TRACE:
        if trace is None and getattr(options, key) is not None:
            raise UsageError(
                f"`{key}=` requires a trace; expected: `trace=` as well; "
                f"name a trace, or leave `{key}=` out"
            )
    if options.closed_loop is not None and options.rate_scale is not None:
        raise UsageError(
            "`closed_loop=` and `rate_scale=` cannot be combined; expected: one of them; "
            "a closed loop has no arrival times to scale"
        )


def _check_made(options: RunOptions) -> None:
    """Refuse requests made in Python that conflict with other sources or cannot be repeated."""
    source = options.source
    for key in ("trace", "workload"):
        if getattr(options, key) is not None:
            raise UsageError(f"`{key}=` and `source=` cannot be combined; expected: one of them")
    if isinstance(source, Iterator):
        raise UsageError(
            f"`source` is {source!r}, which gives its requests once only; give the function that "
            "makes it, without calling it, or a list"
        )
    if not callable(source) and not isinstance(source, Iterable):
        raise UsageError(
            f"`source` is {source!r}; it should be a list of requests, or a function that gives "
            "them"
        )


def _check_policies(options: RunOptions) -> None:
    for name in POLICY_OPTIONS:
        policy = getattr(options, name)
        if policy is not None and not callable(policy):
            raise UsageError(
                f"`{name}` is {policy!r}; give the class, or a function that makes one: "
                "each run makes its own"
            )
    if options.fabric_model is not None and options.fabric is not None:
        raise UsageError(
            "`fabric=` and `fabric_model=` cannot be combined; expected: one of them; "
            "a fabric in Python replaces the drive's"
        )


def _check_warmup(options: RunOptions) -> None:
    warmup, requests = options.warmup, options.requests
    if warmup is not None and requests is not None and warmup >= requests:
        raise UsageError(
            f"`warmup=` is {warmup}, so none of the {requests} requests is measured; "
            "it should be below `requests=`"
        )
