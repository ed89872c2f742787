"""The reference pages and schemas that are made with the site."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tools import reference

from .conftest import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

_LINK = re.compile(r"\]\((?:\.\./)?reference/([\w.-]+)")


def test_each_page_of_the_reference_that_the_docs_link_to_is_written(tmp_path: Path) -> None:
    reference.write(tmp_path)
    there = {path.name for path in tmp_path.iterdir()}
    ignored = (REPOSITORY / ".gitignore").read_text()
    kept = {
        path.name
        for path in (REPOSITORY / "docs/reference").iterdir()
        if f"/docs/reference/{path.name}\n" not in ignored
        and not path.name.endswith(".schema.json")
    }
    pages = (REPOSITORY / "docs").rglob("*.md")
    linked = {name for page in pages for name in _LINK.findall(page.read_text(encoding="utf-8"))}
    assert len(linked) >= 6
    assert linked <= there | kept
    assert not there & kept, "a generated page is in git"


@pytest.mark.parametrize("of", ["config", "report"])
def test_the_schema_of_the_site_is_what_the_command_prints(
    of: str, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    reference.write(tmp_path)
    written = json.loads((tmp_path / f"{of}.schema.json").read_text())
    assert json.loads(venice(of, "schema").stdout) == written
