"""Exit codes: 0 success, 1 failed run, 2 invalid request, 130 interrupt.

A failed `venice grep` exits with 2, because its 1 means that no line matched.
"""

from __future__ import annotations

import contextlib
import sys

import click

from venice._native import SimulationError
from venice.cli.commands import exit_code_of_failure, run_command
from venice.cli.interruption import INTERRUPTED, InterruptedRunError, raise_interrupts
from venice.cli.problem import LocatedError, Problem, error_layout
from venice.cli.screen import discard_stdout
from venice.cli.usage import problem_of
from venice.files.output import OutputError

WRONG_REQUEST = 2
_SURELY_SHORT = 200
"""Length up to which a message is printed without shortening its quotations, in characters."""


def run_to_end() -> int:
    """Run the command line of this process and return its exit code."""
    failed = exit_code_of_failure(sys.argv[1:])
    try:
        code = _run(failed)
        sys.stdout.flush()
    except BrokenPipeError:
        discard_stdout()
        return failed
    except OSError as error:
        discard_stdout()
        # Standard output has no file name.
        what = "standard output could not be written" if error.filename is None else error.filename
        return _report(error_layout(f"{what}: {error.strerror}"), failed)
    return code


def _run(failed: int) -> int:
    try:
        raise_interrupts()
        return run_command(sys.argv[1:])
    except click.exceptions.NoArgsIsHelpError as error:
        return _report(error.message, WRONG_REQUEST)
    except click.UsageError as error:
        return _report(str(problem_of(error)), WRONG_REQUEST)
    except (KeyboardInterrupt, InterruptedRunError) as interruption:
        return _report(str(interruption) or "interrupted; nothing was written", INTERRUPTED)
    except LocatedError as error:
        has_failed = isinstance(error.error, (SimulationError, OutputError))
        return _report(str(error), failed if has_failed else WRONG_REQUEST)
    except OSError:
        raise
    except BaseException as error:  # no traceback reaches the user
        if not (isinstance(error, Exception) or _is_panic(error)):
            raise
        return _report(_unexpected(error), failed)


def _is_panic(error: BaseException) -> bool:
    from venice.cli.panics import is_panic  # noqa: PLC0415 only after an unexpected error

    return is_panic(error)


def _unexpected(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "error: memory does not suffice\n   = nothing was written"
    what = f"{type(error).__name__}: {error}"
    return str(Problem(what, notes=["this is a bug in Venice: please report it with the command"]))


def _report(text: str, code: int) -> int:
    """Print a message and return the exit code."""
    if len(text) > _SURELY_SHORT:
        from venice.text.quotation import with_short_quotations  # noqa: PLC0415 only for long messages

        text = with_short_quotations(text)
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)  # noqa: T201 the only place that prints errors
    return code
