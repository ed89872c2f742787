"""The commands of the tutorial work, in their order."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from .conftest import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

BLOCKS = re.compile(r"^```(console|toml)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_tutorial_leads_from_its_first_command_to_a_figure(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    page = (REPOSITORY / "docs/guide/tutorial.md").read_text()
    for kind, text in BLOCKS.findall(page):
        if kind == "toml":
            (tmp_path / text.splitlines()[0].removeprefix("# ")).write_text(text)
            continue
        for line in text.splitlines():
            prompt, command, *arguments = shlex.split(line)
            assert (prompt, command) == ("$", "venice"), line
            outcome = venice(*arguments)
            assert outcome.code == 0, f"{line}\n{outcome.stderr}"
    pictures = {picture.name for picture in tmp_path.glob("*.png")}
    assert pictures == {"strided.png", "bars.png", "mine.png"}
