"""The page of the gallery states a command for each of its pictures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools import gallery

PAGE = Path(__file__).resolve().parents[2] / "docs" / "gallery.md"
FOUND = gallery.read(PAGE.read_text(encoding="utf-8"))
FEWEST = 12


def test_the_gallery_has_enough_pictures() -> None:
    assert len(set(FOUND.pictures)) == len(FOUND.pictures) >= FEWEST


@pytest.mark.parametrize("picture", FOUND.pictures)
def test_one_command_writes_the_picture(picture: str) -> None:
    assert sum(picture in command for command in FOUND.commands) == 1


@pytest.mark.parametrize("section", PAGE.read_text(encoding="utf-8").split("\n## ")[1:])
def test_a_section_has_a_command_a_picture_and_one_sentence(section: str) -> None:
    assert section.count("```bash") == 1
    assert section.count("![") == 1
    assert len(re.findall(r"\.$", section.strip().splitlines()[-1])) == 1


def test_pictures_are_made_from_a_page(tmp_path: Path) -> None:
    page = """
```toml title="one.toml"
extends = "venice-performance"
```

```bash
venice compare one.toml:bus,venice --workload random-read --requests 20 --plot both.png
```

![Both](images/gallery/both.png)
"""
    gallery.make(gallery.read(page), tmp_path)
    assert (tmp_path / "both.png").read_bytes().startswith(b"\x89PNG")


def test_a_command_that_fails_ends_the_build(tmp_path: Path) -> None:
    page = "```bash\nvenice run --workload none\n```\n"
    with pytest.raises(SystemExit, match="venice run --workload none"):
        gallery.make(gallery.read(page), tmp_path)
