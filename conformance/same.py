"""Comparison of the reports of ``reports.toml`` with those of this engine.

Run by ``make same``; CONTRIBUTING.md describes it.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equal_reports.canonical import Names
from equal_reports.comparison import added, differing_figures, from_row
from equal_reports.rows import ReportsFile
from equal_reports.scenarios import INPUTS, Failure, outcomes_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from equal_reports.canonical import Figures
    from equal_reports.rows import Row

ROWS = INPUTS / "reports.toml"
RENAMES = INPUTS / "renames.toml"


def main() -> int:
    """Run the command and return its exit code: 1 if a report differs."""
    parser = _parser()
    options = parser.parse_args()
    file = ReportsFile(options.rows)
    named = options.names or options.bless
    for name in named:
        if name not in file.rows:
            near = difflib.get_close_matches(name, file.rows, n=1)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            parser.error(f"{options.rows} has no row `{name}`{hint}")
    rows = [file.rows[name] for name in named or file.rows]
    reports = _run(rows, options.workers)
    if reports is None:
        return 1
    if options.save:
        options.save.write_text(json.dumps(reports))
        return 0
    names = Names.read(RENAMES)
    canonical = {name: names.canonical(report) for name, report in reports.items()}
    if options.bless or options.bless_all:
        return _bless(file, canonical)
    if options.base:
        reports_of_base = _reports_of_base(options.base, options.rows, list(canonical))
        return _compare_with_base(canonical, reports_of_base, names)
    return _conclude({row.name: from_row(row, canonical[row.name]) for row in rows})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="same.py", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="ROW", help="rows to run [default: all]")
    parser.add_argument(
        "--rows", type=Path, default=ROWS, metavar="FILE", help="file of the rows [default: ours]"
    )
    parser.add_argument(
        "--workers", type=int, metavar="N", help="processes [default: one for each core]"
    )
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--bless", nargs="+", default=[], metavar="ROW", help="rows to replace")
    action.add_argument("--bless-all", action="store_true", help="replace all rows")
    action.add_argument("--base", type=Path, metavar="DIR", help="build to compare with")
    action.add_argument("--save", type=Path, metavar="FILE", help="file to write the reports to")
    return parser


def _run(rows: Sequence[Row], workers: int | None) -> dict[str, dict[str, Any]] | None:
    """Return the reports of rows; ``None`` if a scenario fails, which is printed."""
    reports = {}
    failed = False
    for row, outcome in zip(rows, outcomes_of(rows, workers), strict=True):
        if isinstance(outcome, Failure):
            failed = True
            _print(f"{row.name} fails: {outcome.message}")
        else:
            reports[row.name] = outcome
    return None if failed else reports


def _bless(file: ReportsFile, reports: Mapping[str, Figures]) -> int:
    for name, report in reports.items():
        file.put(file.rows[name].filled(report))
    file.save()
    _print(f"rows replaced: {len(reports)}")
    return 0


def _compare_with_base(
    new: Mapping[str, Figures], reports: Mapping[str, Any] | None, names: Names
) -> int:
    if reports is None:
        return 1
    old = {name: names.canonical(reports[name]) for name in new if name in reports}
    if missing := sorted(new.keys() - old.keys()):
        _print(f"not compared: {', '.join(missing)}")
    for path in sorted({path for name in old for path in added(old[name], new[name])}):
        _print(f"new figure: {path}")
    _print(f"figures compared: {sum(map(len, old.values()))}")
    return _conclude({name: differing_figures(old[name], new[name]) for name in old})


def _reports_of_base(
    base: Path, rows: Path, names: Sequence[str]
) -> dict[str, dict[str, Any]] | None:
    """Run the scenarios with the package of another build: those of its own list if it has one."""
    script = base / "source" / "conformance" / "same.py"
    own = [sys.executable, str(script)]
    ours = [sys.executable, __file__, *names, "--rows", str(rows)]
    file = base.resolve() / "reports.json"
    command = [*(own if script.exists() else ours), "--save", str(file)]
    first = [str(base.resolve() / "package"), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(first)}
    done = subprocess.run(command, env=environment, check=False)  # noqa: S603 this command
    reports: dict[str, dict[str, Any]] | None = None
    if done.returncode == 0:
        reports = json.loads(file.read_text())
    return reports


def _conclude(differences: Mapping[str, Sequence[str]]) -> int:
    differing = {name: lines for name, lines in differences.items() if lines}
    for name, lines in differing.items():
        _print("\n    ".join([f"{name} differs:", *lines]))
    _print(f"reports compared: {len(differences)}, of which differ: {len(differing)}")
    return 1 if differing else 0


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
