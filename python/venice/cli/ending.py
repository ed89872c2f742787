"""Exit codes: 0 done, 1 the run failed or was interrupted, 2 the request was wrong.

`venice grep` ends with 2 where others end with 1, because its 1 means that no line was found.
"""

from __future__ import annotations

import contextlib
import os
import sys

import click

from venice._native import SimulationError
from venice.cli.commands import exit_code_of_failure, run_command
from venice.cli.interruption import InterruptedRunError
from venice.cli.problem import LocatedError, Problem, lay_out
from venice.cli.usage import problem_of
from venice.output import OutputError

WRONG_REQUEST = 2
_LONGEST_CERTAIN = 200
"""Characters up to which no quotation in a message can be too long."""


def run_to_end() -> int:
    """Run the command that the process was started with and give the exit code."""
    failed = exit_code_of_failure(sys.argv[1:])
    try:
        code = _run(failed)
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_stdout()
        return failed
    except OSError as error:
        _discard_stdout()
        # What is written to standard output has no name.
        what = "standard output could not be written" if error.filename is None else error.filename
        return _tell(lay_out(f"{what}: {error.strerror}"), failed)
    return code


def _run(failed: int) -> int:
    try:
        return run_command(sys.argv[1:])
    except click.exceptions.NoArgsIsHelpError as error:
        return _tell(error.message, WRONG_REQUEST)
    except click.UsageError as error:
        return _tell(str(problem_of(error)), WRONG_REQUEST)
    except (KeyboardInterrupt, InterruptedRunError) as interruption:
        return _tell(str(interruption) or "interrupted; nothing was written", failed)
    except LocatedError as error:
        has_failed = isinstance(error.error, (SimulationError, OutputError))
        return _tell(str(error), failed if has_failed else WRONG_REQUEST)
    except OSError:
        raise
    except BaseException as error:  # nothing may end in a traceback
        if not (isinstance(error, Exception) or _is_panic(error)):
            raise
        return _tell(_unforeseen(error), failed)


def _is_panic(error: BaseException) -> bool:
    from venice.panics import is_panic  # noqa: PLC0415 a run that ends well needs it not

    return is_panic(error)


def _unforeseen(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "error: memory does not suffice\n   = nothing was written"
    what = f"{type(error).__name__}: {error}"
    return str(Problem(what, notes=["this is a bug in Venice: please report it with the command"]))


def _tell(text: str, code: int) -> int:
    if len(text) > _LONGEST_CERTAIN:
        from venice.quoted import with_short_quotations  # noqa: PLC0415 for mistakes alone

        text = with_short_quotations(text)
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)  # noqa: T201 the one place that tells errors
    return code


def _discard_stdout() -> None:
    """Keep the interpreter from trying once more, and complaining, when it shuts down."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
