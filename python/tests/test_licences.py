"""The licence of each crate is one that deny.toml allows."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from functools import cache
from typing import Any

import pytest

from .conftest import REPOSITORY

METADATA = ("metadata", "--locked", "--offline", "--all-features", "--format-version", "1")


@cache
def rules() -> dict[str, Any]:
    """Return the section of deny.toml about licences."""
    text = (REPOSITORY / "deny.toml").read_text(encoding="utf-8")
    licenses: dict[str, Any] = tomllib.loads(text)["licenses"]
    return licenses


def is_satisfied(licence: str, allow: set[str]) -> bool:
    """Return true if the allowed licences satisfy an SPDX expression (`/` is an older OR)."""
    licence = licence.replace("/", " OR ")
    while "(" in licence:
        licence = re.sub(
            r"\(([^()]*)\)",
            lambda group: "yes" if is_satisfied(group[1], allow) else "no",
            licence,
        )
    return any(
        all(term.strip() in allow | {"yes"} for term in choice.split(" AND "))
        for choice in licence.split(" OR ")
    )


@cache
def licences() -> dict[str, str]:
    """Return the licence of each package of Cargo.lock by its name and version."""
    cargo = shutil.which("cargo")
    if cargo is None:
        pytest.skip("cargo is not installed: the licences of crates are not checked")
    done = subprocess.run(
        (cargo, *METADATA),
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    if "--offline" in done.stderr and "--locked" not in done.stderr:
        pytest.skip("crates are not downloaded: their licences are not checked")
    assert done.returncode == 0, done.stderr
    packages = json.loads(done.stdout)["packages"]
    return {f"{package['name']}@{package['version']}": package["license"] for package in packages}


def allowed(name: str) -> set[str]:
    """Return the licences that deny.toml allows for a package."""
    extra = [each["allow"] for each in rules()["exceptions"] if each["crate"] == name]
    return set(rules()["allow"]).union(*extra)


@pytest.mark.parametrize(
    ("licence", "expected"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("MIT/GPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("(GPL-3.0-only OR MIT) AND Zlib", True),
        ("(GPL-3.0-only OR MPL-2.0) AND Zlib", False),
        ("GPL-3.0-only OR (MIT AND (Zlib OR MPL-2.0))", True),
        ("MIT WITH LLVM-exception", False),
    ],
)
def test_a_licence_expression_is_read_as_spdx_defines_it(licence: str, expected: bool) -> None:
    assert is_satisfied(licence, {"MIT", "Zlib"}) is expected


def test_the_licence_of_each_crate_is_allowed() -> None:
    known = licences()
    lock_file = tomllib.loads((REPOSITORY / "Cargo.lock").read_text(encoding="utf-8"))
    packages = [f"{package['name']}@{package['version']}" for package in lock_file["package"]]
    refused = [
        f"{package}: {known[package]}"
        for package in packages
        if not is_satisfied(known[package] or "none", allowed(package.split("@")[0]))
    ]
    assert refused == []


def test_each_allowed_licence_is_needed() -> None:
    every = set(rules()["allow"])
    for licence in sorted(every):
        rest = every - {licence}
        assert not all(is_satisfied(each, rest) for each in licences().values()), licence
