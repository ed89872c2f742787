"""The worked extensions are as small as CONTRIBUTING says.

Each is a file of its own with its test, and two lines elsewhere at most.
"""

from __future__ import annotations

from pathlib import Path

import pytest

EXTENSIONS = Path(__file__).resolve().parents[2] / "examples" / "extensions"
PATCHES = sorted(EXTENSIONS.glob("*.patch"))
MOST_LINES_ELSEWHERE = 2


def parts(patch: Path) -> list[str]:
    """Tell what a patch does to each file."""
    text = patch.read_text(encoding="utf-8")
    return ["diff --git " + part for part in text.split("diff --git ")[1:]]


def changed(part: str, sign: str) -> list[str]:
    """List the lines that a patch adds to a file, or takes from it."""
    body = part[part.index("\n@@") :].splitlines()
    return [line[1:] for line in body if line.startswith(sign)]


def test_there_is_one_for_each_seam() -> None:
    seams = {
        "fabric",
        "victim",
        "destination",
        "transaction-scheduling",
        "host-scheduler",
        "trace-format",
        "report-figure",
        "probe",
    }
    assert {patch.stem for patch in PATCHES} == seams


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_an_extension_is_one_file_with_its_test_and_two_lines_elsewhere(patch: Path) -> None:
    new = [part for part in parts(patch) if "\nnew file mode" in part]
    elsewhere = [part for part in parts(patch) if "\nnew file mode" not in part]
    assert len(new) == 1
    assert "#[test]" in "\n".join(changed(new[0], "+"))
    assert sum(len(changed(part, "+")) for part in elsewhere) <= MOST_LINES_ELSEWHERE
    assert not any(changed(part, "-") for part in elsewhere), "an extension takes nothing away"


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_the_readme_names_each_extension(patch: Path) -> None:
    assert f"`{patch.name}`" in (EXTENSIONS / "README.md").read_text(encoding="utf-8")
