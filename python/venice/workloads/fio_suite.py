"""Suites of fio jobs in FioSynth's format: templates, and values for their variables.

The Open Compute Project publishes its flash workloads in this format. A suite is a JSON file with
names of templates, which are fio job files, and values for their variables.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venice._native import UsageError
from venice.files.documents import DocumentError, read_json, read_text
from venice.files.open_errors import unreadable
from venice.text.quotation import quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


TEMPLATES = "jobfiles"
"""Name of the folder of templates, which is next to the folder of suites."""

_SUITE = (
    "a suite in JSON, with a list `def` of jobs, each with an `alias`, a `template` and `values`"
)
_TIMES = (
    *("runtime", "ramp_time", "startdelay"),
    *("ss_dur", "steadystate_duration", "ss_ramp", "steadystate_ramp_time"),
    *("ss_interval", "steadystate_check_interval"),
)
"""Options for the duration of a job, in seconds if no unit is given."""

_WINDOW = r"(?m)^\s*(?:ss_dur|steadystate_duration)\s*=.*$"
_LOOKS = r"(?m)^\s*(?:ss_interval|steadystate_check_interval)\s*="

_TRIMS = r"(?m)^\s*(?:rw|readwrite)\s*=\s*\w*trim"

_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True)
class SuiteJob:
    """Job of a suite: a template with the values of its variables."""

    name: str
    template: Path
    values: Mapping[str, str]

    def text(self, shorten: float = 1.0) -> str:
        """Return the job file with values in place of variables, with times divided by `shorten`.

        Raises
        ------
        UsageError
            If the template does not exist, or a variable has no value.
        """
        try:
            text = read_text(self.template)
        except OSError as error:
            expected = f"the fio job file of {self.name}"
            raise UsageError(f"{self.template}: {unreadable(error, expected)}") from None
        except DocumentError as error:
            raise UsageError(f"{self.template}: {error}") from None
        filled = re.sub(r"\$\{(\w+)\}", self._value, _without_comments(text))
        return _with_a_job(_shortened(filled, shorten))

    @property
    def has_trims(self) -> bool:
        """True if a job of the template issues trims."""
        return re.search(_TRIMS, self.text()) is not None

    def _value(self, variable: re.Match[str]) -> str:
        # Values that FioSynth itself supplies; device and I/O engine have no effect here.
        own = {"DEV": "/dev/nvme0n1", "JOBS": "1", "RAMPTIME": "30", "IOENGINE": "io_uring"}
        known = {**own, **self.values}
        found = known.get(variable[1])
        if found is None:
            raise UsageError(
                f"{self.name}: {self.template.name} has a variable {variable[0]}, "
                "to which the suite gives no value"
            )
        return found


@dataclass(frozen=True)
class Suite:
    """Suite of fio jobs, run one after another."""

    name: str
    jobs: tuple[SuiteJob, ...]

    @classmethod
    def load(cls, path: Path, templates: Path | None = None) -> Suite:
        """Read a suite; the default folder of its templates is ``jobfiles`` next to its folder.

        The suite's preconditioning (``pre``) is ignored, because the drive's configuration defines
        the preconditioning.

        Raises
        ------
        UsageError
            If the file cannot be read, or is not a suite.
        """
        folder = templates or path.resolve().parent.parent / TEMPLATES
        found = _jobs(path)
        jobs = [
            SuiteJob(
                name,
                folder / _file_name(path, str(one["template"])),
                {key: str(value) for key, value in one["values"].items()},
            )
            for name, one in zip(_names([str(one["alias"]) for one in found]), found, strict=True)
        ]
        return cls(path.stem, tuple(jobs))


def _names(aliases: Sequence[str]) -> Iterator[str]:
    """Yield a name for each alias, with a number appended to repeated ones.

    Examples
    --------
    >>> list(_names(["a", "b", "a"]))
    ['a', 'b', 'a #2']
    """
    for index, alias in enumerate(aliases):
        number = aliases[: index + 1].count(alias)
        yield f"{alias} #{number}" if number > 1 else alias


def _file_name(suite: Path, template: str) -> str:
    """Return the name of the job file for a template, which must be in the folder of templates."""
    if Path(template).is_absolute() or ".." in Path(template).parts:
        raise UsageError(
            f"{suite}: `{quote(template)}` is outside the folder of job files; "
            "expected: the name of a file in it"
        )
    return template


def _jobs(path: Path) -> list[Mapping[str, Any]]:
    try:
        jobs = read_json(path)["def"]
        if all(
            isinstance(one["values"], dict) and one["alias"] and one["template"] for one in jobs
        ):
            return list(jobs)
    except OSError as error:
        raise UsageError(f"{path}: {unreadable(error, _SUITE)}") from None
    except (DocumentError, KeyError, TypeError):
        pass
    raise UsageError(f"{path}: is not a suite; expected: {_SUITE}")


def _without_comments(text: str) -> str:
    return re.sub(r"(?m)^\s*[#;].*\n?", "", text)


def _with_a_job(text: str) -> str:
    """Add a job to a file that has only global options; FioSynth adds one for each device."""
    sections = re.findall(r"(?m)^\s*\[(.*?)\]", text)
    return text if set(sections) - {"global"} else f"{text.rstrip()}\n[device]\n"


def _shortened(text: str, by: float) -> str:
    """Return a job file with times divided by `by`."""
    if by == 1:
        return text

    def shorter(option: re.Match[str]) -> str:
        seconds = float(option[2]) * _SECONDS[option[3]] / by
        return f"{option[1]}{max(round(seconds * 1e6), 1)}us"

    times = rf"(?m)^(\s*(?:{'|'.join(_TIMES)})\s*=\s*)([\d.]+)([smh]?)\s*$"
    shortened = re.sub(times, shorter, text)
    if re.search(_LOOKS, shortened):
        return shortened
    # fio's default, a second, would be longer than the window.
    looks = f"ss_interval={max(round(1e6 / by), 1)}us"
    return re.sub(_WINDOW, lambda window: f"{window[0]}\n{looks}", shortened)
