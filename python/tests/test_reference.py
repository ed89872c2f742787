"""Reference pages and schemas, which are generated with the site."""

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

_LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
"""A link to a file of the repository."""


def test_links_of_the_docs_lead_to_files_that_are_kept(tmp_path: Path) -> None:
    """Pages that are generated with the site do not exist on GitHub."""
    reference.write(tmp_path)
    generated = {REPOSITORY / "docs/reference" / path.name for path in tmp_path.iterdir()}
    pages = [page for page in (REPOSITORY / "docs").rglob("*.md") if page not in generated]
    linked = {
        (page.parent / name).resolve()
        for page in pages
        for name in _LINK.findall(page.read_text(encoding="utf-8"))
    }
    assert len(linked) > len(pages) / 2
    # Pictures of the gallery are generated with the site, as their page states.
    kept = {path for path in linked if path.parent != REPOSITORY / "docs/images/gallery"}
    assert [path for path in kept if not path.exists() or path in generated] == []


@pytest.mark.parametrize("of", ["config", "report"])
def test_the_schema_of_the_site_is_what_the_command_prints(
    of: str, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    reference.write(tmp_path)
    written = json.loads((tmp_path / f"{of}.schema.json").read_text())
    assert json.loads(venice(of, "schema").stdout) == written
