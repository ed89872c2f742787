"""``venice policy``: packages with user-defined policies."""

from __future__ import annotations

from pathlib import Path

from venice._native import SimulationError, UsageError, own_policies
from venice.cli import options
from venice.cli.command import OUTPUT, command, option
from venice.cli.screen import print_text
from venice.cli.value_types import InputFile, Keyword, OutputFile, Text
from venice.own_policies import contract_violation
from venice.own_policies.sources import find_sources
from venice.own_policies.template_files import KINDS, template_files


@command("new")
@options.argument(
    "name",
    metavar="NAME",
    type=Text(),
    help="Name of the policy, such as oldest_first.",
)
@option(
    "--kind",
    "kinds",
    metavar="KIND",
    multiple=True,
    type=Keyword([*KINDS]),
    help=f"{', '.join([*KINDS][:-1])} or {[*KINDS][-1]}; repeatable [default: victim].",
)
@option(
    "--source",
    metavar="DIR",
    type=InputFile(path_type=Path, reads=lambda *_: ()),
    help="Folder of Venice's source code [default: the checkout of this package].",
)
@option(
    "-o",
    "--output",
    metavar="DIR",
    group=OUTPUT,
    type=OutputFile(path_type=Path, writes=lambda *_: ()),
    help="New folder of the package [default: NAME].",
)
def new(name: str, *, kinds: tuple[str, ...], source: Path | None, output: Path | None) -> None:
    """Write a package with a policy in Rust.

    `pip install` builds the package: a complete engine with the policy, which `venice` loads in
    place of its own.
    """
    folder = output or Path(name)
    texts = template_files(name, [*dict.fromkeys(kinds)] or ["victim"], find_sources(source))
    if folder.exists():
        raise UsageError(f"`{folder}` exists; expected: a new folder")
    for path, text in texts.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    print_text(f"{folder}: edit {', '.join(path for path in texts if path.startswith('src/'))}")
    print_text(
        f"build it with `pip install ./{folder}`"
        if not folder.is_absolute()
        else f"build it with `pip install {folder}`"
    )


@command("check")
@options.argument(
    "names",
    metavar="[NAME]...",
    nargs=-1,
    type=Text(lambda: [name for _, name, _ in own_policies()]),
    help="Names of the policies to check [default: all policies of the installed package].",
)
def check(names: tuple[str, ...]) -> None:
    """Check policies against the rules of their interfaces.

    The policies are those of the installed package, with the defaults of their parameters.
    """
    names = names or tuple(dict.fromkeys(name for _, name, _ in own_policies()))
    if not names:
        raise UsageError(
            "no package with policies is installed; expected: one of `venice policy new`"
        )
    kinds = {name: [kind for kind, named, _ in own_policies() if named == name] for name in names}
    for name in names:
        violation = contract_violation(name)
        if violation is not None:
            raise SimulationError(f"`{name}` violates its contract: {violation}")
        print_text(f"{name} ({', '.join(kinds[name])}): keeps its contract")
