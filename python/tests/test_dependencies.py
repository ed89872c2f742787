"""Dependencies are locked, come from one registry, and are audited and renewed."""

from __future__ import annotations

import re
import runpy
import tomllib
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from .conftest import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path

LOCK_FILES = ("Cargo.lock", "fuzz/Cargo.lock")
CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"
MANIFESTS = [
    path
    for folder in ("crates", "examples", "fuzz")
    for path in sorted((REPOSITORY / folder).rglob("Cargo.toml"))
]
# Commands that update a lock file unless they are called with `--locked`.
RESOLVING = re.compile(
    r"\bcargo (?:deny|build|check|test|bench|run|doc|clippy|fetch|metadata|install|tree)\b"
)
WITH_COMMANDS = (
    "Makefile",
    ".ci/run",
    "rtl/Makefile",
    "examples/*/run",
    "examples/*/check",
    ".github/workflows/*.yml",
)

each_lock_file = pytest.mark.parametrize("lock_file", LOCK_FILES)


def toml(path: Path) -> dict[str, Any]:
    """Return a parsed TOML file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def locked(lock_file: str) -> list[dict[str, Any]]:
    """Return the packages of a lock file."""
    packages: list[dict[str, Any]] = toml(REPOSITORY / lock_file)["package"]
    return packages


@each_lock_file
def test_each_crate_comes_from_crates_io_with_a_checksum(lock_file: str) -> None:
    for package in locked(lock_file):
        ours = package["name"] in {toml(path)["package"]["name"] for path in MANIFESTS}
        assert ours or (package["source"] == CRATES_IO and package["checksum"]), package["name"]


@each_lock_file
def test_a_lock_file_has_each_dependency_of_our_crates(lock_file: str) -> None:
    ours = {toml(path)["package"]["name"]: toml(path) for path in MANIFESTS}
    for package in locked(lock_file):
        manifest = ours.get(package["name"], {})
        named = {name.split(" ")[0] for name in package.get("dependencies", [])}
        assert set(manifest.get("dependencies", {})) <= named, package["name"]


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.parent.name)
def test_no_dependency_of_a_crate_has_a_wildcard_for_its_version(path: Path) -> None:
    manifest = toml(path)
    assert manifest["package"]["publish"] is False, "cargo-deny allows paths in private crates"
    for kind in ("dependencies", "dev-dependencies", "build-dependencies"):
        for name, rule in manifest.get(kind, {}).items():
            version = rule if isinstance(rule, str) else rule.get("version", "")
            assert "*" not in version, name
            assert version or "path" in rule, name


def test_each_cargo_command_takes_the_lock_file_as_it_is() -> None:
    lines = [
        f"{path.relative_to(REPOSITORY)}: {line.strip()}"
        for pattern in WITH_COMMANDS
        for path in sorted(REPOSITORY.glob(pattern))
        for line in path.read_text(encoding="utf-8").splitlines()
        if RESOLVING.search(line) and not line.lstrip().startswith(("#", "|| {", "@cargo deny"))
    ]
    assert lines
    assert [line for line in lines if "--locked" not in line] == []


def test_the_package_is_built_with_the_locked_crates_from_a_source_archive() -> None:
    assert toml(REPOSITORY / "pyproject.toml")["tool"]["maturin"]["locked"] is True


def test_the_source_archive_is_packed_after_its_lock_file_is_checked() -> None:
    workflow = yaml.safe_load((REPOSITORY / ".github/workflows/release.yml").read_text("utf-8"))
    for job in workflow["jobs"].values():
        commands = [step.get("with", {}).get("command", step.get("run")) for step in job["steps"]]
        if "sdist" in commands:
            assert "cargo fetch --locked" in commands[: commands.index("sdist")]


def test_the_audit_of_python_has_each_requirement_of_extras_and_groups() -> None:
    pyproject = toml(REPOSITORY / "pyproject.toml")
    listed = runpy.run_path(str(REPOSITORY / ".ci/requirements.py"))["requirements"](pyproject)
    extras = pyproject["project"]["optional-dependencies"].values()
    groups = pyproject["dependency-groups"].values()
    for requirements in [pyproject["project"]["dependencies"], *extras, *groups]:
        assert set(requirements) <= set(listed)


def test_dependabot_renews_the_pins_of_each_lock_file_and_workflow() -> None:
    updates = yaml.safe_load((REPOSITORY / ".github/dependabot.yml").read_text("utf-8"))["updates"]
    renewed = {
        (each["package-ecosystem"], directory)
        for each in updates
        for directory in each.get("directories", [each.get("directory")])
    }
    cargo = {("cargo", f"/{file.removesuffix('Cargo.lock').strip('/')}") for file in LOCK_FILES}
    assert renewed == cargo | {("pip", "/"), ("github-actions", "/"), ("docker", "/")}
