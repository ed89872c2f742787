"""Draws inputs from a seed, runs them and judges them."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from .entrances import ENTRANCES
from .forks import import_heavy, run_case
from .material import Material, make
from .verdict import contents, faults

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .case import Case

_WORKERS = 2


class Input(NamedTuple):
    """Identification of an input: its entrance, seed and number."""

    seed: int
    entrance: str
    number: int


@dataclass(frozen=True)
class Judged:
    """An input that broke rules, or none."""

    input: Input
    faults: Sequence[str]
    command: str

    def __str__(self) -> str:
        seed, entrance, number = self.input
        again = (
            f"python -m python.tests.hostile --seed {seed} --entrance {entrance} --number {number}"
        )
        reported = "\n".join(f"  {fault[:400]}" for fault in self.faults[:5])
        return (
            f"{entrance} {number}:\n{reported}\n  command: {self.command[:400]}\n  again: {again}"
        )


def spread(seed: int, inputs: int, entrances: Sequence[str]) -> list[Input]:
    """Return the inputs to draw, distributed evenly over the entrances."""
    return [Input(seed, entrances[n % len(entrances)], n // len(entrances)) for n in range(inputs)]


def judge_all(inputs: Sequence[Input], keep: Path | None = None) -> Iterator[Judged]:
    """Judge inputs in order; folders of inputs that broke a rule are kept in `keep`."""
    with tempfile.TemporaryDirectory(prefix="venice-hostile-") as name:
        import_heavy()
        (folder := Path(name) / "material").mkdir()
        material = make(folder)
        # Workers are forked before any thread is started.
        with ProcessPoolExecutor(_WORKERS, mp_context=get_context("fork")) as workers:
            jobs = [(one, material, keep or Path(name)) for one in inputs]
            yield from workers.map(_judge, jobs, chunksize=4)


def case_of(drawn: Input, material: Material) -> Case:
    """Draw an input."""
    draw = Random(f"{drawn.seed}/{drawn.entrance}/{drawn.number}")  # noqa: S311 no secret
    return ENTRANCES[drawn.entrance](draw, material)


def _judge(job: tuple[Input, Material, Path]) -> Judged:
    drawn, material, home = job
    case = case_of(drawn, material)
    folder = home / f"{drawn.entrance}-{drawn.seed}-{drawn.number}"
    _lay_out(case, folder / "work")
    before = contents(folder)
    says = folder.with_name(f"{folder.name}-says")
    found = faults(case, run_case(case, folder / "work", says), folder, before)
    if not found:
        shutil.rmtree(folder, ignore_errors=True)
        for path in folder.parent.glob(f"{says.name}.*"):
            path.unlink()
    return Judged(drawn, found, _command(case))


def _lay_out(case: Case, folder: Path) -> None:
    """Write the files of a case."""
    folder.mkdir(parents=True)
    for name, content in case.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    for kind, name, target in case.links:
        path = folder / name
        with suppress(FileExistsError):
            if kind == "fifo":
                os.mkfifo(path)
            elif kind == "symlink":
                path.symlink_to(target)
            else:
                path.hardlink_to(folder / target)


def _command(case: Case) -> str:
    if case.script:
        return f"python -c {shlex.quote(case.script)}"
    words = (word if isinstance(word, str) else f"$'{_escaped(word)}'" for word in case.arguments)
    return " ".join(["venice", *(w if w.startswith("$'") else shlex.quote(w) for w in words)])


def _escaped(word: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word)
