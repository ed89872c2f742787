"""Assertions about figures of reports, for scripts and continuous integration."""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree as ET

from venice._native import UsageError
from venice.report.figure_paths import figure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from venice.report.report import Report

_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}
_TEXT = re.compile(r"\s*([\w.\[\]]+)\s*(<=|>=|==|!=|<|>)\s*(\S+)\s*")
_EXPECTED = "expected: FIGURE, a comparison (<, <=, >, >=, ==, !=) and a number, such as"
_EXAMPLE = "'latency_us.read.p99 < 500'"


class Assertion(NamedTuple):
    """Comparison of a figure with a number, as a user writes it."""

    path: str
    """Name of the figure in a report."""
    comparison: str
    bound: float

    def __str__(self) -> str:
        return f"{self.path} {self.comparison} {self.bound:.15g}"

    def holds(self, value: float | None) -> bool:
        """Return true if the report contains the figure and it satisfies the comparison."""
        return value is not None and _COMPARISONS[self.comparison](value, self.bound)


class Verdict(NamedTuple):
    """Result of an assertion on one run."""

    run: str
    assertion: Assertion
    value: float | None

    @property
    def holds(self) -> bool:
        """True if the assertion holds."""
        return self.assertion.holds(self.value)

    def __str__(self) -> str:
        found = "there is no such figure" if self.value is None else f"{self.value:,.10g}"
        return f"{self.run}: {self.assertion} ({found})"


def parse_assertion(text: str) -> Assertion:
    """Parse an assertion, such as ``latency_us.read.p99 < 500``.

    Raises
    ------
    UsageError
        If the text is not an assertion.

    Examples
    --------
    >>> str(parse_assertion("latency_us.read.p99<500"))
    'latency_us.read.p99 < 500'
    """
    found = _TEXT.fullmatch(text)
    try:
        bound = float(found[3].replace("_", "")) if found else None
    except ValueError:
        bound = None
    if found is None or bound is None:
        raise UsageError(f"`{text}` is not an assertion; {_EXPECTED} {_EXAMPLE}")
    return Assertion(found[1], found[2], bound)


def verdicts_of(
    assertions: Sequence[Assertion], names: Sequence[str], reports: Sequence[Report]
) -> list[Verdict]:
    """Return the result of every assertion on every run."""
    return [
        Verdict(name, assertion, _number(report, assertion.path))
        for name, report in zip(names, reports, strict=True)
        for assertion in assertions
    ]


def _number(report: Report, path: str) -> float | None:
    value = figure(report, path)
    return float(value) if isinstance(value, int | float) else None


def junit_xml(suite: str, verdicts: Iterable[Verdict]) -> str:
    """Return the results as a JUnit file with a test case for each.

    Examples
    --------
    >>> verdict = Verdict("bus", parse_assertion("iops > 10"), 7.0)
    >>> 'failures="1"' in junit_xml("venice run", [verdict])
    True
    """
    cases = [*verdicts]
    failures = sum(not one.holds for one in cases)
    root = ET.Element("testsuite", name=suite, tests=str(len(cases)), failures=str(failures))
    for one in cases:
        case = ET.SubElement(root, "testcase", classname=one.run, name=str(one.assertion))
        if not one.holds:
            ET.SubElement(case, "failure", message=str(one))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'
