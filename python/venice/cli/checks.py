"""Options for scripts: assertions about figures, and output without wall times."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from venice._native import UsageError
from venice.cli.command import OUTPUT, flag, option
from venice.cli.keys import figures
from venice.cli.options import combine
from venice.cli.screen import print_text
from venice.cli.usage import OptionError
from venice.cli.value_types import OutputFile, Text
from venice.report.assertions import junit_xml, parse_assertion, verdicts_of
from venice.report.figure_paths import STAGE_FIGURES
from venice.report.reproducible import reproducible
from venice.text import counts
from venice.text.suggestions import path_suggestion

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

    from venice.report import Report
    from venice.report.assertions import Assertion

ASSERTION_FAILED = 3
"""Exit code of a run whose figures do not meet an assertion."""

checking = combine(
    flag(
        "--reproducible",
        group=OUTPUT,
        help=(
            "JSON file without wall time and build information, so that equal runs write identical "
            "files."
        ),
    ),
    option(
        "--assert",
        "assertions",
        metavar="'FIGURE < VALUE'",
        multiple=True,
        group=OUTPUT,
        type=Text(figures),
        help="Condition on a figure of every run, such as 'latency_us.read.p99 < 500', with <, <=, "
        ">, >=, == or !=; repeatable. The exit code is 3 if a condition does not hold.",
    ),
    option(
        "--junit",
        metavar="FILE.xml",
        group=OUTPUT,
        type=OutputFile(path_type=Path),
        help="JUnit file with a test case for each --assert and run.",
    ),
)
"""Decorator that declares the options of :class:`Checking`."""


@dataclass(frozen=True, kw_only=True)
class Checking:
    """Options for scripts: assertions, their JUnit file, and reproducible JSON."""

    reproducible: bool
    assertions: tuple[str, ...]
    junit: Path | None

    def check(self, json: str | None) -> None:
        """Refuse options that conflict, and assertions about unknown figures.

        Raises
        ------
        OptionError
            The message names the first such option or assertion.
        """
        if self.reproducible and json is None:
            raise OptionError(
                "--reproducible", "`--reproducible` requires `--json`", "add --json FILE"
            )
        if self.junit is not None and not self.assertions:
            raise OptionError(
                "--junit",
                "`--junit` requires `--assert`",
                "add --assert 'latency_us.all.p99 < 500'",
            )
        known = [*figures(), *STAGE_FIGURES] if self.assertions else []
        for one in self._parsed():
            if one.path not in known:
                raise OptionError(
                    "--assert",
                    f"`{one.path}` is not a figure of a report{path_suggestion(one.path, known)}",
                    "`venice report explain` lists the figures",
                )

    def written(self, reports: Sequence[Report]) -> list[Report]:
        """Return the reports in the form written to files, without wall times if requested."""
        return [*map(reproducible, reports)] if self.reproducible else [*reports]

    def end(
        self,
        names: Sequence[str],
        reports: Sequence[Report],
        file: BinaryIO | None,
        *,
        stderr: bool,
    ) -> int:
        """Print the results of the assertions, write the JUnit file and return the exit code."""
        if not self.assertions:
            return 0
        verdicts = verdicts_of(self._parsed(), names, reports)
        if file is not None:
            file.write(junit_xml("venice", verdicts).encode())
        failed = [one for one in verdicts if not one.holds]
        for one in failed:
            print_text(f"assertion failed: {one}", stderr=True)
        held = counts.of(len(verdicts), "assertion")
        print_text(f"{len(verdicts) - len(failed)} of {held} hold", stderr=stderr)
        return ASSERTION_FAILED if failed else 0

    def _parsed(self) -> list[Assertion]:
        try:
            return [parse_assertion(text) for text in self.assertions]
        except UsageError as error:
            what, _, expected = str(error).partition("; ")
            raise OptionError("--assert", what, expected) from None
