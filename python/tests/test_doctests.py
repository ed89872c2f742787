"""Examples in docstrings, and in the README, do what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re

import pytest

import venice

from .conftest import REPOSITORY

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(venice.__path__, "venice.")
    if not module.name.endswith("__main__")
)


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder()
    found = [finder.find(importlib.import_module(name)) for name in MODULES]
    assert sum(len(test.examples) for tests in found for test in tests) > 0


@pytest.mark.parametrize("name", ["venice", *MODULES])
def test_the_examples_of_a_module_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("page", ["README.md", "docs/guide/tutorial.md", "docs/guide/explore.md"])
def test_the_python_of_a_page_runs(
    page: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("page"))
    blocks = re.findall(
        r"^```python\n(.*?)^```", (REPOSITORY / page).read_text(), re.MULTILINE | re.DOTALL
    )
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)  # noqa: S102 our own page


def test_links_of_the_readme_work_where_the_repository_is_not() -> None:
    ours = r"https://github\.com/venice-ssd/venice/(?:blob|tree|raw)/main/"
    targets = re.findall(r"\]\(([^)\s]+)\)", (REPOSITORY / "README.md").read_text())
    assert len(targets) > 10
    for target in targets:
        assert target.startswith("https://"), f"{target} leads nowhere on the package index"
        place = re.sub(ours, "", target)
        assert place == target or (REPOSITORY / place).exists(), f"{place} is not there"
