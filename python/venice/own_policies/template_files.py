"""Files of a new package with user-defined policies, created from a template."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from venice._native import (
    UsageError,
    fabric_names,
    host_scheduler_names,
    own_policies,
    victim_policy_names,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path


class PolicyTemplate(NamedTuple):
    """Template of one kind of policy."""

    model: str
    """Name of the policy's Rust type."""
    about: str
    """Description of the example policy."""
    key: str
    """Configuration key that selects the policy."""
    command: str
    """Command that compares the policy with the built-in ones."""


KINDS: Mapping[str, PolicyTemplate] = {
    "victim": PolicyTemplate(
        "Victim",
        "the fewest valid pages among the oldest blocks",
        "ftl.victim",
        "venice figure wa-op -o NAME-wa.pdf",
    ),
    "fabric": PolicyTemplate(
        "Fabric",
        "several buses for each row",
        "fabric.name",
        "venice figure speedup --fabrics bus,NAME,ideal -o NAME-speedup.pdf",
    ),
    "host_scheduler": PolicyTemplate(
        "HostScheduler",
        "the shortest request first, with an age limit",
        "host.scheduler.scheme",
        "venice run --set host.scheduler.scheme=NAME --workload hm_0",
    ),
}
"""Templates by kind of policy."""

_OPTIMISED = ("drive", "ecc", "engine", "fabric", "host", "kernel", "nand", "pif", "sim")
"""Crates that execute for each event of a run, built with full optimisation."""
_HALF_OPTIMISED = ("requests",)
"""Crates that read traces, built with less optimisation."""


_NAMES: Mapping[str, Callable[[], Sequence[str]]] = {
    "victim": victim_policy_names,
    "fabric": fabric_names,
    "host_scheduler": host_scheduler_names,
}


def _built_in_names(kind: str) -> set[str]:
    own = {name for of, name, _ in own_policies() if of == kind}
    return {*_NAMES[kind]()} - own


def template_files(name: str, kinds: Sequence[str], source: Path) -> dict[str, str]:
    """Return the files of a package with a policy of each of these kinds, by path.

    Raises
    ------
    UsageError
        If the name is not valid for a policy, or a built-in policy of the same kind has
        this name.
    """
    if not re.fullmatch("[a-z][a-z0-9_]*", name):
        raise UsageError(
            f"`{name}` is not a name of a policy; expected: letters a-z, digits and _, such as"
            " `oldest_first`"
        )
    for kind in kinds:
        if name in _built_in_names(kind):
            raise UsageError(
                f"`{name}` is the name of a built-in policy of kind {kind}; expected: another name"
            )
    words = {
        "NAME": name,
        "MODULE": f"{name}_policies",
        "PACKAGE": f"{name}-policies".replace("_", "-"),
        "SOURCE": source.as_posix(),
        **_lists(name, kinds),
    }
    written = {
        "Cargo.toml": "Cargo.toml",
        "pyproject.toml": "pyproject.toml",
        "README.md": "README.md",
        "lib.rs": "src/lib.rs",
        **{f"{kind}.rs": f"src/{kind}.rs" for kind in kinds},
        "test_policies.py.txt": "tests/test_policies.py",
    }
    folder = files("venice.own_policies").joinpath("template")
    texts = {path: folder.joinpath(file).read_text("utf-8") for file, path in written.items()}
    result = {path: _filled(text, words) for path, text in texts.items()}
    return {**result, "Cargo.lock": source.joinpath("Cargo.lock").read_text("utf-8")}


def _lists(name: str, kinds: Sequence[str]) -> dict[str, str]:
    """Return the parts of the template that list the kinds of policies."""
    templates = {kind: KINDS[kind] for kind in kinds}
    rows = [f"| `{it.key} = {name}` | {it.about} |" for it in templates.values()]
    return {
        "MODULES": "".join(f"mod {kind};\n" for kind in kinds),
        "POLICIES": "\n".join(
            f'        .{kind}("{name}", "{it.about}", {kind}::{it.model}::new)'
            for kind, it in templates.items()
        ),
        "DRIVE_LINES": "\n".join(
            f'    "{kind}": \'{it.key} = "{name}"\\n\',' for kind, it in templates.items()
        ),
        "COMMANDS": "\n".join(it.command for it in templates.values()).replace("NAME", name),
        "TABLE": "\n".join(["| setting | policy |", "| --- | --- |", *rows]),
        "PROFILES": _profiles(),
    }


def _profiles() -> str:
    levels = {**dict.fromkeys(_OPTIMISED, 2), **dict.fromkeys(_HALF_OPTIMISED, 1)}
    return "".join(
        f"[profile.dev.package.venice-{crate}]\nopt-level = {level}\n\n"
        for crate, level in levels.items()
    )


def _filled(text: str, words: Mapping[str, str]) -> str:
    return re.sub("|".join(rf"\b{word}\b" for word in words), lambda found: words[found[0]], text)
