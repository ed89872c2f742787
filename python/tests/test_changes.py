"""``venice report diff``, and the action that comments its table on pull requests."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest
import yaml

import venice as api
from venice import UsageError
from venice.report.changes import changes, markdown_of, table_of

from .conftest import COMMAND, REPOSITORY, environment

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from venice import Report

    from .conftest import Outcome

_ACTION = REPOSITORY / ".github" / "actions" / "compare"
_GH = """#!/bin/sh
echo "$@" >> "$LOG"
case "$*" in
  *--jq*) cat "$IDS" ;;
  *) for word; do case "$word" in body=@*) cp "${word#body=@}" "$COMMENT" ;; esac; done ;;
esac
"""


def _reports(
    t_read_us: int, *, seeds: int = 1, fabrics: tuple[api.config.FabricName, ...] = ("bus",)
) -> list[Report]:
    drive = api.Drive("venice-performance", flash=api.config.Flash(t_read_us=t_read_us))
    return [
        api.run(drive=drive, fabric=fabric, workload="random-read", requests=300, seed=seed + 1)
        for fabric in fabrics
        for seed in range(seeds)
    ]


def test_equal_reports_have_no_change() -> None:
    found = changes(_reports(3, seeds=2), _reports(3, seeds=2))
    assert [one.figure for one in found] == ["latency_us.all.mean", "latency_us.all.p99", "iops"]
    assert not any(one.is_significant for one in found)
    assert all(one.change_pct and one.change_pct.mean == 0 for one in found)


def test_changes_are_paired_by_seed() -> None:
    before, after = _reports(3, seeds=3), _reports(9, seeds=3)
    (one,) = changes(before, after, ["latency_us.all.mean"])
    ratios = [
        new.content["latency_us"]["all"]["mean"] / old.content["latency_us"]["all"]["mean"]
        for old, new in zip(before, after, strict=True)
    ]
    assert one.change_pct is not None
    assert one.change_pct.mean == pytest.approx(100 * (sum(ratios) / 3 - 1))
    assert one.change_pct.seeds == 3
    assert one.is_significant


def test_runs_of_one_file_are_listed_without_a_change() -> None:
    found = changes(_reports(3), _reports(3, fabrics=("bus", "ideal")), ["iops"])
    assert [(one.run.fabric, one.before is None, one.change_pct is None) for one in found] == [
        ("bus", False, False),
        ("ideal", True, True),
    ]
    with pytest.raises(UsageError, match="no run is in both files"):
        changes(_reports(3), _reports(3, fabrics=("ideal",)))


def test_runs_that_share_a_name_are_matched_in_order() -> None:
    found = changes(_reports(3) + _reports(9), _reports(3) + _reports(9), ["iops"])
    assert [one.run.number for one in found] == [1, 2]
    assert not any(one.is_significant for one in found)


def test_a_misspelt_figure_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match=r"did you mean `latency_us\.all\.p99`"):
        changes(_reports(3), _reports(3), ["latency_us.al.p99"])


def test_the_table_in_markdown_has_the_same_cells() -> None:
    found = changes(_reports(3), _reports(9), ["iops", "latency_us.all.mean"])
    rows = markdown_of(found).splitlines()
    assert len({row.replace("\\|", "").count("|") for row in rows}) == 1
    plain = table_of(found)
    for row in rows[2:]:
        for cell in row.strip("| ").split(" | "):
            assert cell.strip("*`") in plain


def test_the_command_compares_two_files(tmp_path: Path, venice: Callable[..., Outcome]) -> None:
    for name, t_read_us in (("a.json", 3), ("b.json", 9)):
        (report,) = _reports(t_read_us)
        (tmp_path / name).write_text(report.to_json())
    shown = venice("report", "diff", "a.json", "b.json", "--of", "latency_us.read.p99")
    assert (shown.code, shown.stderr) == (0, "")
    assert "latency_us.read.p99" in shown.stdout
    assert venice("report", "diff", "a.json", "missing.json").code == 2


def _git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    command = ("/usr/bin/env", "git", *who, *words)
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def pull_request(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return a function that runs the action's script on a drive with a longer read time."""
    origin, clone = tmp_path / "origin", tmp_path / "clone"
    origin.mkdir()
    _git(origin, "init", "--quiet")
    _git(origin, "config", "uploadpack.allowAnySHA1InWant", "true")
    drive = 'extends = "venice-performance"\nname = "mine"\nflash.t_read_us = '
    (origin / "mine.toml").write_text(f"{drive}3\n")
    _git(origin, "add", ".")
    _git(origin, "commit", "--quiet", "-m", "base")
    _git(tmp_path, "clone", "--quiet", str(origin), str(clone))
    (clone / "mine.toml").write_text(f"{drive}9\n")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "gh").write_text(_GH)
    (programs / "venice").write_text(f'#!/bin/sh\nexec {" ".join(COMMAND)} "$@"\n')
    for program in programs.iterdir():
        program.chmod(0o755)
    (tmp_path / "ids").write_text("")
    own = environment()

    def run(**changed: str) -> subprocess.CompletedProcess[str]:
        given = {
            "ARGUMENTS": "--drive mine.toml --fabrics bus,venice --workload 'random-read' "
            "--requests 300",
            "BASE": _git(origin, "rev-parse", "HEAD"),
            "FIGURES": "latency_us.read.mean iops",
            "COMMENTS": "true",
            "NUMBER": "7",
            "GITHUB_REPOSITORY": "me/drives",
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
            "RUNNER_TEMP": str(tmp_path),
            "LOG": str(tmp_path / "log"),
            "IDS": str(tmp_path / "ids"),
            "COMMENT": str(tmp_path / "commented.md"),
            **own,
            "PATH": f"{programs}{os.pathsep}{own['PATH']}",
            **changed,
        }
        return subprocess.run(
            ["/bin/bash", str(_ACTION / "compare")],
            cwd=clone,
            env=given,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_the_action_comments_the_effect_of_a_pull_request(
    pull_request: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    done = pull_request()
    assert (done.returncode, done.stderr) == (0, "")
    comment = (tmp_path / "commented.md").read_text()
    assert comment.startswith("<!-- venice comparison -->")
    rows = [line for line in comment.splitlines() if line.startswith("| mine")]
    assert len(rows) == 4
    assert all("**" in row for row in rows)
    assert (tmp_path / "summary.md").read_text() == comment
    assert "POST repos/me/drives/issues/7/comments" in (tmp_path / "log").read_text()


def test_the_action_replaces_its_earlier_comment(
    pull_request: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    (tmp_path / "ids").write_text("42\n43\n")
    assert pull_request().returncode == 0
    assert "PATCH repos/me/drives/issues/comments/42 " in (tmp_path / "log").read_text()


def test_a_failed_assertion_is_commented_and_fails_the_action(
    pull_request: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    arguments = "--drive mine.toml --workload random-read --requests 300 --assert 'iops < 1'"
    done = pull_request(ARGUMENTS=arguments, COMMENTS="false")
    assert done.returncode == 3
    assert "| mine" in (tmp_path / "summary.md").read_text()
    assert not (tmp_path / "commented.md").exists()
    assert pull_request(ARGUMENTS="--drive none.toml", COMMENTS="false").returncode == 2


def test_inputs_reach_the_script_of_the_action_by_the_environment_alone() -> None:
    action = yaml.safe_load((_ACTION / "action.yml").read_text())
    (step,) = [step for step in action["runs"]["steps"] if "run" in step]
    assert "${{" not in step["run"]
    used = json.dumps(step["env"])
    assert all(f"inputs.{name}" in used for name in action["inputs"])
