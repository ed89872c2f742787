"""Exit codes: 0 done, 1 the run failed or was interrupted, 2 the request was wrong.

`venice grep` ends with 2 where others end with 1, because its 1 means that no line was found.
"""

from __future__ import annotations

import contextlib
import os
import sys

from venice._native import SimulationError, VeniceError
from venice.cli.app import exit_code_of_failure, run_command
from venice.cli.interruption import InterruptedRunError
from venice.cli.words import WrongWordsError
from venice.output import OutputError
from venice.report.files import ReportError

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
        return _tell(_laid_out(f"{what}: {error.strerror}"), failed)
    return code


def _run(failed: int) -> int:
    try:
        return run_command(sys.argv[1:])
    except WrongWordsError as error:
        return _tell(_wrong_words(error), WRONG_REQUEST)
    except (KeyboardInterrupt, InterruptedRunError) as interruption:
        return _tell(str(interruption) or "interrupted; nothing was written", failed)
    except (SimulationError, OutputError) as error:
        return _tell(_laid_out(str(error)), failed)
    except (VeniceError, ReportError) as error:
        return _tell(_laid_out(str(error)), WRONG_REQUEST)
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
    from venice.cli.problem import Problem  # noqa: PLC0415 for mistakes alone

    what = f"{type(error).__name__}: {error}"
    return str(Problem(what, notes=["this is a bug in Venice: please report it with the command"]))


def _wrong_words(error: WrongWordsError) -> str:
    from venice.cli.problem import Problem  # noqa: PLC0415 for mistakes alone

    return str(Problem(str(error), error.where, error.notes))


def _laid_out(message: str) -> str:
    from venice.cli.problem import lay_out  # noqa: PLC0415 for mistakes alone

    return lay_out(message, sys.argv[1:])


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
