"""Workflows of the repository run pinned actions with the least permissions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from .conftest import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GITHUB = REPOSITORY / ".github"
RELEASE = GITHUB / "workflows" / "release.yml"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.y*ml"))
# A commit, and in a comment its version.
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")

each_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)


def content(path: Path) -> dict[Any, Any]:
    """Return the parsed workflow."""
    parsed: dict[Any, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return parsed


def steps(job: dict[str, Any], action: str = "") -> list[dict[str, Any]]:
    """Return the steps of a job that use an action whose name begins with `action`."""
    return [step for step in job.get("steps", []) if step.get("uses", "").startswith(action)]


def used(value: object) -> Iterator[str]:
    """Yield each value of a key `uses`, at any depth: steps, reusable workflows."""
    if isinstance(value, dict):
        if isinstance(value.get("uses"), str):
            yield value["uses"]
        for each in value.values():
            yield from used(each)
    elif isinstance(value, list):
        for each in value:
            yield from used(each)


def unpinned(text: str) -> list[str]:
    """List the actions and containers of a workflow that are not pinned by a commit."""
    written = re.findall(r"uses:[ \t]*([^\n]*)", text)
    pins = {line.split(" ")[0] for line in written if PINNED.fullmatch(line.strip())}
    return [uses for uses in used(yaml.safe_load(text)) if uses not in pins]


def too_wide(permissions: object) -> bool:
    """Return true if the permissions of a whole workflow are missing or allow writing."""
    if not isinstance(permissions, dict):
        return True
    return any(access not in {"read", "none"} for access in permissions.values())


def uploads(workflow: dict[Any, Any]) -> set[str]:
    """Return the jobs that upload artifacts."""
    return {name for name, job in workflow["jobs"].items() if steps(job, "actions/upload-artifact")}


@pytest.mark.parametrize(
    "uses",
    [
        "actions/checkout@v4",
        "actions/checkout@v4 # v4.0.0",
        "actions/checkout@main",
        f"actions/checkout@{'a' * 39} # v4.0.0",
        f"actions/checkout@{'a' * 40}",
        f"actions/checkout@{'a' * 40} # v4",
        "docker://alpine:3",
    ],
)
def test_an_action_without_commit_and_version_is_found(uses: str) -> None:
    assert unpinned(f"jobs:\n  a:\n    steps:\n      - uses: {uses}\n") == [uses.partition(" ")[0]]


def test_an_action_in_braces_is_found() -> None:
    assert unpinned('{jobs: {a: {steps: [{"uses": "actions/checkout@v4"}]}}}')


@pytest.mark.parametrize("path", sorted(GITHUB.rglob("*.y*ml")), ids=lambda path: path.stem)
def test_each_action_is_pinned_by_its_commit(path: Path) -> None:
    assert unpinned(path.read_text(encoding="utf-8")) == []


def test_each_action_is_pinned_once() -> None:
    pins = {uses for path in WORKFLOWS for uses in used(content(path))}
    assert len(pins) == len({uses.split("@")[0] for uses in pins})


@pytest.mark.parametrize("permissions", [None, "write-all", "read-all", {"contents": "write"}])
def test_permissions_that_are_too_wide_are_found(permissions: object) -> None:
    assert too_wide(permissions)


@each_workflow
def test_a_workflow_only_reads_unless_a_job_declares_more(path: Path) -> None:
    assert not too_wide(content(path).get("permissions"))


@each_workflow
def test_a_job_that_may_write_runs_no_command_and_no_checkout(path: Path) -> None:
    for job in content(path)["jobs"].values():
        if "write" in job.get("permissions", {}).values():
            assert not steps(job, "actions/checkout")
            assert not any("run" in step for step in job["steps"])


@each_workflow
def test_a_checkout_leaves_no_credentials_behind(path: Path) -> None:
    for job in content(path)["jobs"].values():
        for step in steps(job, "actions/checkout"):
            assert step["with"]["persist-credentials"] is False


@each_workflow
def test_a_job_that_may_write_runs_for_tags_alone(path: Path) -> None:
    for job in content(path)["jobs"].values():
        if "write" in job.get("permissions", {}).values():
            assert job["if"] == "startsWith(github.ref, 'refs/tags/v')"


def test_each_uploaded_archive_has_provenance_before_it_is_published() -> None:
    jobs = content(RELEASE)["jobs"]
    signing = jobs["provenance"]
    assert uploads(content(RELEASE)) == set(signing["needs"])
    [download] = steps(signing, "actions/download-artifact")
    [attest] = steps(signing, "actions/attest-build-provenance")
    assert attest["with"]["subject-path"] == f"{download['with']['path']}/*"
    publishing = {name: job for name, job in jobs.items() if name.startswith("publish-")}
    assert publishing
    for job in publishing.values():
        assert "provenance" in job["needs"]


def test_a_release_has_profile_guided_wheels_of_each_platform() -> None:
    wheel = content(RELEASE)["jobs"]["wheel"]
    [build] = steps(wheel, "PyO3/maturin-action")
    assert "--pgo" in build["with"]["args"].split()
    assert "llvm-tools" in build["with"]["rustup-components"]
    required = {
        each["target"] for each in wheel["strategy"]["matrix"]["include"] if "optional" not in each
    }
    linux, macos = "unknown-linux-gnu", "apple-darwin"
    assert required == {f"{cpu}-{os}" for cpu in ("x86_64", "aarch64") for os in (linux, macos)}


def test_a_release_is_tried_on_pull_requests_that_change_how_it_is_built() -> None:
    on = content(RELEASE)[True]
    files = {"Dockerfile", "pyproject.toml", "Cargo.lock", ".github/workflows/release.yml"}
    assert files <= set(on["pull_request"]["paths"])
    for path in on["pull_request"]["paths"]:
        assert list(REPOSITORY.glob(path)), f"{path} is no file"


def test_every_change_is_tested_as_on_a_machine_of_a_developer() -> None:
    workflow = content(GITHUB / "workflows" / "ci.yml")
    assert {"push", "pull_request"} <= set(workflow[True])
    commands = [step["run"] for step in workflow["jobs"]["test"]["steps"] if "run" in step]
    assert commands == ["bash .ci/run"]


def test_the_audit_runs_on_a_schedule_and_on_changes_of_dependencies() -> None:
    on = content(GITHUB / "workflows" / "audit.yml")[True]  # YAML 1.1 reads `on` as a boolean
    assert on["schedule"]
    assert {"**/Cargo.lock", "pyproject.toml", "deny.toml"} <= set(on["pull_request"]["paths"])
