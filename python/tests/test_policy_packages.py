"""Packages with user-defined policies: the template, loading of their engine, and runs with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import venice
from venice import UsageError, _native
from venice.own_policies import contract_violation
from venice.own_policies.sources import find_sources
from venice.own_policies.template_files import KINDS, template_files

_ROOT = Path(__file__).parents[2]
_PACKAGE_PATH = Path(venice.__file__).parents[1]
_FAKE_ENGINE = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("_native", {engine!r})
engine = importlib.util.module_from_spec(spec)
spec.loader.exec_module(engine)
engine.own_policies = lambda: [("victim", {name!r}, "for a test")]
sys.modules[__name__] = engine
"""
"""Module whose engine is the built-in one, with the name of a policy that it lacks."""


def _add_distribution(folder: Path, name: str, version: str, entry_points: str) -> None:
    metadata = folder / f"{name}-{version}.dist-info"
    metadata.mkdir(parents=True)
    metadata.joinpath("METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    )
    metadata.joinpath("entry_points.txt").write_text(entry_points)


def _add_package(folder: Path, name: str, source: str | None = None) -> None:
    """Add a package with policies to a folder of Python's path."""
    _add_distribution(folder, name, "1.0", f"[venice.policies]\n{name} = {name}\n")
    text = _FAKE_ENGINE.format(engine=str(_native.__file__), name=f"victim_of_{name}")
    folder.joinpath(f"{name}.py").write_text(text if source is None else source)


def _venice(folder: Path, *words: str, selected: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command with a folder on Python's path."""
    return _python(folder, "-m", "venice", *words, selected=selected)


def _python(folder: Path, *words: str, selected: str = "") -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(folder), str(_PACKAGE_PATH)])
    variables = {**os.environ, "PYTHONPATH": path, "VENICE_POLICIES": selected}
    return subprocess.run(
        [sys.executable, *words], env=variables, capture_output=True, text=True, check=False
    )


def test_an_installed_package_provides_the_engine(tmp_path: Path) -> None:
    _add_package(tmp_path, "one")
    shown = _venice(tmp_path, "--version")
    assert "policies of one 1.0: victim_of_one (victim)" in shown.stdout, shown.stderr
    assert "one 1.0" not in _venice(tmp_path, "--version", selected="none").stdout


def test_two_packages_are_refused_unless_one_is_selected(tmp_path: Path) -> None:
    for name in ("one", "two"):
        _add_package(tmp_path, name)
    refused = _venice(tmp_path, "--version")
    assert refused.returncode == 2
    assert "one 1.0" in refused.stderr
    assert "two 1.0" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert "victim_of_two" in _venice(tmp_path, "--version", selected="two").stdout
    unknown = _venice(tmp_path, "--version", selected="three")
    assert (unknown.returncode, "one, two, none" in unknown.stderr) == (2, True)


def test_an_engine_that_cannot_be_loaded_is_reported_with_its_package(tmp_path: Path) -> None:
    _add_package(tmp_path, "one", "raise ImportError('undefined symbol')")
    refused = _venice(tmp_path, "list")
    assert refused.returncode == 2
    assert "one 1.0" in refused.stderr
    assert "undefined symbol" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_module_that_is_not_compiled_is_refused(tmp_path: Path) -> None:
    _add_package(tmp_path, "one", "")
    refused = _venice(tmp_path, "list")
    assert (refused.returncode, "no extension module" in refused.stderr) == (2, True)


def test_an_engine_of_another_version_is_refused(tmp_path: Path) -> None:
    _add_package(tmp_path, "one")
    _add_distribution(tmp_path, "venice_ssd", "99.0", "")
    refused = _venice(tmp_path, "list")
    assert refused.returncode == 2
    assert "99.0" in refused.stderr


def test_the_digest_of_the_engine_differs_with_its_file(tmp_path: Path) -> None:
    _add_package(tmp_path, "one")
    command = ("-c", "import venice.version as v; print(v.engine_digest())")
    with_package = _python(tmp_path, *command).stdout.strip()
    without = _python(tmp_path, *command, selected="none").stdout.strip()
    assert len(with_package) == len(without) == 16
    assert with_package != without


@pytest.mark.parametrize("kinds", [[kind] for kind in KINDS] + [[*KINDS]])
def test_the_template_contains_each_kind(kinds: list[str]) -> None:
    texts = template_files("mine", kinds, _ROOT)
    cargo = tomllib.loads(texts["Cargo.toml"])
    engine = Path(cargo["dependencies"]["venice-engine"]["path"])
    assert tomllib.loads(engine.joinpath("Cargo.toml").read_text())["package"]["name"] == (
        "venice-engine"
    )
    crates = {path.parent.name for path in _ROOT.glob("crates/*/Cargo.toml")}
    assert {name.removeprefix("venice-") for name in cargo["profile"]["dev"]["package"]} - {
        "*"
    } <= crates
    module = cargo["lib"]["name"]
    project = tomllib.loads(texts["pyproject.toml"])
    assert project["project"]["entry-points"]["venice.policies"] == {module: f"{module}.{module}"}
    assert {path for path in texts if path.startswith("src/")} == {
        "src/lib.rs",
        *(f"src/{kind}.rs" for kind in kinds),
    }
    left = [
        word for text in texts.values() for word in ("NAME", "MODULE", "SOURCE") if word in text
    ]
    assert not left


def test_a_new_package_is_written_once(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    words = ("policy", "new", "mine", "-o", str(folder), "--source", str(_ROOT))
    assert _venice(tmp_path, *words).returncode == 0
    assert folder.joinpath("src/victim.rs").is_file()
    again = _venice(tmp_path, *words)
    assert (again.returncode, "exists" in again.stderr) == (2, True)


@pytest.mark.parametrize("name", ["", "Mine", "my-policy", "1st"])
def test_a_name_that_no_policy_can_have_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="not a name"):
        template_files(name, ["victim"], _ROOT)


@pytest.mark.parametrize(
    ("kind", "name"), [("victim", "greedy"), ("fabric", "bus"), ("host_scheduler", "noop")]
)
def test_the_name_of_a_built_in_policy_is_refused_for_its_kind(kind: str, name: str) -> None:
    with pytest.raises(UsageError, match="built-in"):
        template_files(name, [kind], _ROOT)
    others = [other for other in KINDS if other != kind]
    assert template_files(name, others, _ROOT)


def test_the_sources_are_those_of_the_checkout_of_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout = tmp_path / "checkout"
    engine = checkout / "crates" / "engine"
    engine.mkdir(parents=True)
    engine.joinpath("Cargo.toml").touch()
    monkeypatch.setattr("venice.own_policies.sources.__file__", str(tmp_path / "sources.py"))
    monkeypatch.chdir(engine)
    assert find_sources(None) == checkout
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="--source"):
        find_sources(None)


def test_a_folder_without_sources_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not contain"):
        find_sources(tmp_path)


def test_a_contract_is_checked_of_own_policies_alone() -> None:
    with pytest.raises(UsageError, match="not a user-defined policy"):
        contract_violation("greedy")


def _reports(folder: Path, file: Path) -> list[dict[str, Any]]:
    """Run a drive with a package's engine, and return the report in a list."""
    words = ("run", "--workload", "random-read", "--requests", "100", "--json", str(file))
    assert _venice(folder, *words).returncode == 0
    content = json.loads(file.read_text())
    return content if isinstance(content, list) else [content]


@pytest.mark.nightly
@pytest.mark.timeout(1200)
def test_the_template_builds_and_its_tests_pass(tmp_path: Path) -> None:
    for module in ("maturin", "pip"):
        pytest.importorskip(module)
    package, target = tmp_path / "mine", tmp_path / "site"
    kinds = [word for kind in KINDS for word in ("--kind", kind)]
    words = ("policy", "new", "mine", "-o", str(package), "--source", str(_ROOT), *kinds)
    assert _venice(tmp_path, *words).returncode == 0
    install = ("pip", "install", "--no-build-isolation", "--no-deps", "--target", str(target))
    # Maturin is called by name.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    command = [sys.executable, "-m", *install, str(package)]
    subprocess.run(command, env={**os.environ, "PATH": path}, check=True)
    assert "keeps its contract" in _venice(target, "policy", "check").stdout
    tests = _python(target, "-m", "pytest", "-q", str(package))
    assert tests.returncode == 0, tests.stdout
    listed = _venice(target, "list").stdout
    assert listed.count("(mine-policies 0.1.0)") == len(KINDS)
    sweep = tmp_path / "sweep.toml"
    sweep.write_text(
        '[scenario]\nworkload = "random-write"\nrequests = 500\n'
        '[[axis]]\n"ftl.victim" = ["greedy", "mine"]\n[[axis]]\nfabric = ["bus", "mine"]\n'
    )
    out = tmp_path / "out"
    ran = _venice(target, "sweep", str(sweep), "--workers", "2", "--out", str(out))
    assert ran.returncode == 0, ran.stderr
    (report,) = _reports(target, tmp_path / "report.json")
    assert report["build"]["policies"] == "mine-policies 0.1.0"
    assert out.joinpath("results.csv").read_text().count("mine") >= 3
