"""The type stubs of the package agree with the engine."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest

import venice
from tools import stubs

if TYPE_CHECKING:
    from collections.abc import Iterator

_INFO = "venice_ssd-0.1.0.dist-info"


def _differences(*modules: str) -> Iterator[str]:
    """Yield the differences between modules and their stubs."""
    command = [sys.executable, "-m", "mypy.stubtest", *modules]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout
    return (line for line in done.stdout.splitlines() if line.startswith("error: "))


@pytest.mark.nightly
def test_the_stub_of_the_engine_agrees_with_it() -> None:
    assert list(_differences("venice._native")) == []


@pytest.mark.nightly
def test_the_stubs_of_drives_and_workloads_agree_with_the_classes() -> None:
    # Stubtest treats an alias of a single `Literal` as a union, and also checks submodules.
    unknown = re.compile(r"error: venice\.\w+\.([A-Z]\w* is not a Union|[a-z]\w*\.\w+ is .*)")
    found = _differences("venice.config", "venice.workloads")
    assert [line for line in found if not unknown.fullmatch(line)] == []


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the stubs that the engine defines."""
    folder = tmp_path_factory.mktemp("stubs")
    stubs.write(folder)
    return _stubs(folder)


def _stubs(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.pyi")}


def test_the_package_has_the_stubs_of_its_engine(written: dict[str, str]) -> None:
    package = Path(venice.__file__).parents[1]
    for name, text in written.items():
        assert (package / name).is_file(), f"{name} is missing: run `make stubs`"
        assert (package / name).read_text() == text, f"{name} is not of this engine: `make stubs`"


def _wheel(folder: Path, *names: str) -> Path:
    """Make a wheel with the given files."""
    pytest.importorskip("wheel")
    package = folder / "package"
    about = "Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    metadata = "Metadata-Version: 2.1\nName: venice-ssd\nVersion: 0.1.0\n"
    files = {f"{_INFO}/WHEEL": about, f"{_INFO}/METADATA": metadata, **dict.fromkeys(names, "old")}
    for name, text in files.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    command = [sys.executable, "-m", "wheel", "pack", str(package), "--dest-dir", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "venice_ssd-0.1.0-py3-none-any.whl"


def test_a_wheel_gets_the_stubs_and_records_them(tmp_path: Path, written: dict[str, str]) -> None:
    wheel = _wheel(tmp_path)
    stubs.add_to_wheel(wheel)
    assert list(tmp_path.glob("*.whl")) == [wheel]
    with ZipFile(wheel) as file:
        record = file.read(f"{_INFO}/RECORD").decode()
        for name, text in written.items():
            assert file.read(name).decode() == text
            assert f"\n{name},sha256=" in f"\n{record}"


def test_a_wheel_of_the_source_archive_keeps_its_stubs(
    tmp_path: Path, written: dict[str, str]
) -> None:
    wheel = _wheel(tmp_path, *written)
    before = wheel.read_bytes()
    stubs.add_to_wheel(wheel)
    assert wheel.read_bytes() == before
