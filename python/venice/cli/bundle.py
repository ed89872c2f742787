"""``venice bundle``: a paper's commands, inputs and results in a folder, to run them again."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from venice._native import SimulationError, UsageError
from venice.bundles.commands import read_commands, to_script
from venice.bundles.digests import digest_of, digest_of_result, files_in, is_picture
from venice.bundles.environment import environment, requirements
from venice.bundles.manifest import (
    CONFIGURATIONS,
    LOG,
    MANIFEST,
    OWN_FILES,
    README,
    REQUIREMENTS,
    SCRIPT,
    Manifest,
)
from venice.bundles.readme import readme_of
from venice.bundles.runs import runs_of
from venice.cli import options
from venice.cli.bundle_files import check_outputs, plan_of
from venice.cli.command import command, option
from venice.cli.progress import progress_count
from venice.cli.screen import print_text, warn
from venice.cli.value_types import FileType, InputFile
from venice.files.output import OutputError
from venice.report.files import save, to_json
from venice.text import counts
from venice.text.layout import format_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from venice.bundles.commands import ListedCommand
    from venice.cli.bundle_files import BundlePlan

_DIFFERS = 3
"""Exit code if results differ, as for a failed assertion."""
_EQUAL, _OTHER, _MISSING, _NEW = "equal", "DIFFERS", "MISSING", "new"


@command("make")
@options.argument(
    "folder",
    metavar="BUNDLE",
    type=FileType(path_type=Path),
    help="Folder to create for the bundle.",
)
@options.argument(
    "listed",
    metavar="COMMANDS",
    type=InputFile(path_type=Path),
    help="File with one command of Venice in each line.",
)
def make(folder: Path, listed: Path) -> None:
    """Run commands and store them with their inputs and results.

    The same command resumes an interrupted bundle.
    """
    plan = plan_of(read_commands(listed))
    _begin(folder, to_script(plan.commands))
    _copy(plan.inputs, folder)
    log = _run(plan.commands, folder)
    manifest = _describe(folder, plan)
    save(log, folder / LOG)
    manifest.save(folder)
    print_text(
        f"{folder}: {counts.of(len(manifest.commands), 'command')}, "
        f"{counts.of(len(manifest.inputs), 'input')}, "
        f"{counts.of(len(manifest.results), 'result')} of {counts.of(manifest.runs, 'run')}"
    )
    print_text(f"To run it again and compare: venice bundle redo {folder}")


def _describe(folder: Path, plan: BundlePlan) -> Manifest:
    """Write the manifest, the README and the other files about a bundle; return the manifest."""
    found = runs_of(folder)
    manifest = Manifest(
        commands=[str(one) for one in plan.commands],
        inputs={name: digest_of(folder / name) for name in plan.inputs},
        results=_results_of(folder, plan.inputs),
        runs=found["runs"],
        seeds=found["seeds"],
        environment=environment(),
    )
    save(to_json(found["configurations"]), folder / CONFIGURATIONS)
    save(requirements(), folder / REQUIREMENTS)
    save(readme_of(manifest), folder / README)
    return manifest


def _copy(inputs: Mapping[str, Path], folder: Path) -> None:
    for name, source in inputs.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, folder / name)


@command("redo")
@options.argument(
    "folder",
    metavar="BUNDLE",
    type=FileType(path_type=Path),
    help="Folder that contains the bundle.",
)
@option(
    "--out",
    metavar="FOLDER",
    type=FileType(path_type=Path),
    help="New folder for the new results [default: a temporary one].",
)
def redo(folder: Path, *, out: Path | None) -> int:
    """Run a bundle again and compare the results.

    The exit code is 3 if data other than wall times differ. Differences between pictures are
    reported.
    """
    manifest = Manifest.load(folder)
    if changed := manifest.changed_inputs(folder):
        raise UsageError(
            f"{folder}: {changed[0]} is missing or has changed since the bundle was made; "
            "expected: the original inputs"
        )
    commands = read_commands(folder / SCRIPT)
    if [str(one) for one in commands] != manifest.commands:
        raise UsageError(
            f"{folder / SCRIPT}: differs from the commands in {MANIFEST}; expected: the original "
            "commands"
        )
    check_outputs(commands)
    if out is not None:
        return _redone(folder, manifest, commands, out)
    with TemporaryDirectory(prefix="venice-") as scratch:
        return _redone(folder, manifest, commands, Path(scratch) / "bundle")


def _redone(folder: Path, manifest: Manifest, commands: Sequence[ListedCommand], out: Path) -> int:
    _begin(out, to_script(commands))
    _copy({name: folder / name for name in manifest.inputs}, out)
    _run(commands, out)
    found = _results_of(out, manifest.inputs)
    verdicts = {
        name: _verdict(manifest.results.get(name), found.get(name))
        for name in sorted({*manifest.results, *found})
    }
    print_text(format_table(["result", "found"], verdicts.items(), left=2))
    _warn_of_versions(manifest)
    differing = [name for name, verdict in verdicts.items() if verdict != _EQUAL]
    data = [name for name in differing if not is_picture(name)]
    print_text(
        f"{counts.of(len(verdicts) - len(differing), 'result')} of {len(verdicts)} equal"
        + (f"; data differ: {', '.join(data)}" if data else "")
    )
    return _DIFFERS if data else 0


def _verdict(expected: str | None, found: str | None) -> str:
    if expected is None:
        return _NEW
    if found is None:
        return _MISSING
    return _EQUAL if found == expected else _OTHER


def _warn_of_versions(manifest: Manifest) -> None:
    """Warn of packages whose installed version differs from the bundle's."""
    here, there = environment(), manifest.environment
    pairs = [(name, there.get(name), here[name]) for name in ("venice", "engine", "python")]
    packages = there.get("packages", {})
    pairs += [(name, packages.get(name), at) for name, at in here["packages"].items()]
    for name, before, now in pairs:
        if before not in (None, now):
            warn(f"the bundle was made with {name} {before}, and this is {now}")


def _begin(folder: Path, script: str) -> None:
    """Create the folder, or resume an interrupted bundle of the same commands.

    Raises
    ------
    UsageError
        If the folder holds anything else.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        text = (folder / SCRIPT).read_text(encoding="utf-8") if (folder / SCRIPT).exists() else None
        is_free = text is None and not any(folder.iterdir())
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made: {error.strerror}") from None
    if (folder / MANIFEST).exists() or not (is_free or text == script):
        raise UsageError(f"{folder}: is not empty; expected: a new folder")
    save(script, folder / SCRIPT)


def _run(commands: Sequence[ListedCommand], folder: Path) -> str:
    """Run commands in a folder and return what they print.

    Raises
    ------
    SimulationError
        If a command fails.
    OutputError
        If the interpreter cannot be started.
    """
    log: list[str] = []
    with progress_count(str(folder), folder, len(commands)) as count:
        for place, one in enumerate(commands):
            done = _started(one, folder)
            if done.returncode:
                raise SimulationError(f"{one.where}: failed: {one}\n{done.stderr.rstrip()}")
            log.append(f"$ {one}\n{done.stdout}{done.stderr}")
            count.update(place + 1, len(commands))
    return "\n".join(log)


def _started(one: ListedCommand, folder: Path) -> subprocess.CompletedProcess[str]:
    # -P: the folder of the bundle is not searched for packages.
    words = [sys.executable, "-P", "-m", "venice", *one.words]
    try:
        return subprocess.run(  # noqa: S603 our own program
            words, cwd=folder, capture_output=True, text=True, check=False, encoding="utf-8"
        )
    except OSError as error:
        raise OutputError(f"{one.where}: cannot be started: {error.strerror}") from None


def _results_of(folder: Path, inputs: Iterable[str]) -> dict[str, str]:
    besides = (*OWN_FILES, *inputs)
    return {name: digest_of_result(folder / name) for name in files_in(folder, besides=besides)}
