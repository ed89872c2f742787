"""Drives in Python: types, settings passed to the engine, reading and writing of TOML."""

from __future__ import annotations

import dataclasses
import inspect
import json
import pickle
import subprocess
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import venice
from venice import _native, config
from venice.config import Drive, Fabric, FabricMesh, Flash, Host, HostScheduler, Section, Sourced
from venice.exploration import Objective, Search
from venice.sweep.definition import SweepError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FEW: dict[str, Any] = {"workload": "random-read", "requests": 200}


def _mine() -> Drive:
    mesh = FabricMesh(link_width_bits=16)
    return Drive(flash=Flash(t_read_us=5), fabric=Fabric(name="venice", mesh=mesh))


def _figures(report: venice.Report) -> dict[str, Any]:
    return {key: value for key, value in report.to_dict().items() if key != "wall_s"}


def _values(drive: venice.ResolvedDrive) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(drive.to_json())
    return values


def test_every_parameter_of_the_schema_is_a_keyword_with_its_text() -> None:
    schema = json.loads(_native.schema())
    keys = set(_keys(schema, ""))
    assert len(keys) > 250
    assert keys - {"extends"} == set(_reachable(Drive(), "")) - {"base"}


def test_help_states_meaning_unit_default_and_source() -> None:
    text = inspect.getdoc(FabricMesh) or ""
    assert "Width of a link between routers [bits]." in text
    assert "1 to 1024; default 8. Source: " in text
    assert "link_width_bits" in inspect.signature(FabricMesh).parameters


def test_a_typed_drive_gives_the_same_report_as_the_same_settings() -> None:
    typed = venice.run(drive=_mine(), **_FEW)
    named = venice.run(drive="venice-performance", sets=_mine().changes(), **_FEW)
    assert typed.fabric == "venice"
    assert _figures(typed) == _figures(named)


def test_options_of_a_run_override_its_drive() -> None:
    sets = ["flash.t_read_us=7"]
    report = venice.run(drive=_mine(), fabric="bus", sets=sets, seed=3, **_FEW)
    assert report.fabric == "bus"
    assert report.config["flash"]["t_read_us"] == 7
    assert report.config["run"]["seed"] == 3


def test_comparisons_take_drives() -> None:
    rows = venice.compare(drive=_mine(), fabrics=["bus", "venice"], **_FEW)
    assert [row.fabric for row in rows] == ["bus", "venice"]
    rows = venice.compare(drives=[_mine(), "venice-cost", _mine().with_(name="mine")], **_FEW)
    assert [row.config["name"] for row in rows] == ["venice-performance", "venice-cost", "mine"]
    assert [row.fabric for row in rows] == ["venice", "bus", "venice"]


def test_a_drive_s_scheduler_is_left_out_where_there_is_none() -> None:
    scheduler = HostScheduler(scheme="deadline", read_expire_ms=3)
    drive = Drive("piq-128gb", host=Host(scheduler=scheduler))
    alone, other = venice.compare_schemes(drive=drive, schemes=["none", "deadline"], **_FEW)
    assert alone.scheduler is None
    assert other.config["host"]["scheduler"]["read_expire_ms"] == 3


def test_a_drive_keeps_what_it_says_of_a_scheduler_that_it_has_not_chosen(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    Drive("venice-cost", host=Host(scheduler=HostScheduler(read_expire_ms=3))).save(file)
    loaded = Drive.load(file)
    assert loaded.complete().host.scheduler.read_expire_ms == 3
    assert _values(loaded.resolved()) == _values(venice.resolve(file))
    chosen = venice.resolve(loaded, sets=["host.scheduler.scheme=deadline"])
    assert _values(chosen)["host"]["scheduler"]["read_expire_ms"] == 3
    with pytest.raises(
        venice.ConfigError, match=r"`host\.scheduler\.read_expire_ms` has no effect"
    ):
        venice.resolve(loaded, sets=["host.scheduler.read_expire_ms=4"])


def test_drives_are_values_on_an_axis_of_a_sweep(tmp_path: Path) -> None:
    drives: list[Any] = [
        "venice-cost",
        _mine(),
        _mine().with_(name="mine", flash=Flash(t_read_us=40)),
    ]
    sweep = venice.Sweep.of(_FEW, [{"drive": drives}, {"fabric": ["bus", "venice"]}])
    outcome = venice.run_sweep(sweep, tmp_path)
    assert len(outcome.results) == 6
    table = (tmp_path / "results.csv").read_text()
    assert "\nmine,bus," in table
    again = venice.run_sweep(sweep, tmp_path)
    assert again.found == 6


def test_drives_of_one_name_are_refused_on_an_axis() -> None:
    with pytest.raises(SweepError, match="several drives are called"):
        venice.Sweep.of(_FEW, [{"drive": [_mine(), _mine()]}])
    with pytest.raises(SweepError, match="belongs on an axis `drive`"):
        venice.Sweep.of(_FEW, [{"workload": [_mine()]}])


def test_explorations_take_drives(tmp_path: Path) -> None:
    axes: list[dict[str, Any]] = [
        {"drive": ["venice-cost", _mine().with_(name="mine")]},
        {"flash.t_read_us": {"from": 3, "to": 9}},
    ]
    goals = [Objective("latency_us.all.p99")]
    searched = venice.Exploration.of(_FEW, axes, goals, search=Search(runs=4))
    outcome = venice.explore(searched, tmp_path)
    assert {found.point.choices["drive"] for found in outcome.points} == {"venice-cost", "mine"}
    assert len(searched.fingerprint()) == 24


@pytest.mark.parametrize("name", venice.drive_names())
def test_a_complete_drive_has_all_values_of_its_preset(name: str) -> None:
    complete = Drive(name).complete()
    assert complete.base == ""
    assert complete.flash.t_read_us is not None
    assert _values(complete.resolved()) == _values(venice.resolve(name))


def test_a_file_is_read_as_the_engine_reads_it(tmp_path: Path) -> None:
    base = tmp_path / "base.toml"
    base.write_text('extends = "venice-cost"\ndescription = "told"\n[host]\nqueue_depth = 8\n')
    file = tmp_path / "mine.toml"
    file.write_text(
        'extends = "base.toml"\n[flash]\nt_read_us = { value = 7, source = "a sheet" }\n'
        "[host.scheduler]\nread_expire_ms = 3\n"
    )
    drive = Drive.load(file)
    assert drive.flash.t_read_us == Sourced(7, "a sheet")
    assert _values(drive.resolved()) == _values(venice.resolve(file))
    drive.save(tmp_path / "again.toml")
    assert Drive.load(tmp_path / "again.toml") == drive


def test_what_a_saved_drive_extends_is_found_from_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "drives").mkdir()
    (tmp_path / "base.toml").write_text('extends = "venice-cost"\n')
    mine = Drive("base.toml", name="mine", flash=Flash(t_read_us=7))
    mine.save("drives/mine.toml")
    assert 'extends = "../base.toml"' in (tmp_path / "drives/mine.toml").read_text()
    assert _values(Drive.load("drives/mine.toml").resolved()) == _values(mine.resolved())


def test_a_file_with_a_mistake_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('extends = "venice-cost"\n[flash]\nt_red_us = 7\n')
    with pytest.raises(venice.ConfigError, match=r"mine\.toml:3"):
        Drive.load(file)
    with pytest.raises(venice.ConfigError, match="the text is not TOML"):
        Drive.from_toml("[flash")


def test_a_misspelt_name_is_refused_by_one_message_when_it_is_said() -> None:
    with pytest.raises(venice.ConfigError, match=r"did you mean `flash\.t_read_us`") as caught:
        Flash(t_red_us=5)  # type: ignore[call-arg]
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    with pytest.raises(venice.ConfigError, match="did you mean `flash`"):
        Drive(flahs=Flash())  # type: ignore[call-arg]


def test_values_are_refused_by_the_engine_with_the_key() -> None:
    with pytest.raises(venice.ConfigError, match=r"`flash\.t_read_us` is out of range"):
        venice.run(drive=Drive(flash=Flash(t_read_us=-1)), **_FEW)
    with pytest.raises(venice.UsageError, match=r"`flash` is 3; it should be a venice\.config\."):
        Drive(flash=3)  # type: ignore[arg-type]
    with pytest.raises(venice.UsageError, match="TOML has no value <object"):
        Drive(flash=Flash(t_read_us=object())).resolved()  # type: ignore[arg-type]


def test_parts_are_laid_over_each_other_value_by_value() -> None:
    assert Flash(t_read_us=5, t_prog_us=9) | Flash(t_read_us=3) == Flash(t_read_us=3, t_prog_us=9)
    wide = _mine().with_(fabric=Fabric(mesh=FabricMesh(link_latency_ns=2)))
    assert wide.fabric == Fabric(
        name="venice", mesh=FabricMesh(link_width_bits=16, link_latency_ns=2)
    )
    assert wide.with_(base="venice-cost").base == "venice-cost"
    assert wide.with_(name="wide").base == "venice-performance"
    assert wide != _mine()
    assert eval(repr(wide), vars(config)) == wide  # noqa: S307 our own text


def test_importing_the_package_does_not_import_the_types() -> None:
    program = "import sys, venice; print([one for one in sys.modules if 'venice.config' in one])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout == b"[]\n"


def _keys(part: dict[str, Any], before: str) -> Iterator[str]:
    for name, inner in part["properties"].items():
        if inner.get("type") == "object":
            yield from _keys(inner, f"{before}{name}.")
        else:
            yield f"{before}{name}"


def _reachable(part: Section, before: str) -> Iterator[str]:
    """Yield every key of a section and of its subsections."""
    text = inspect.getdoc(part) or ""
    for field in dataclasses.fields(part):
        assert f"\n{field.name}\n    " in text
        inner = getattr(part, field.name)
        if isinstance(inner, Section):
            yield from _reachable(inner, f"{before}{field.name}.")
        else:
            yield f"{before}{field.name}"


_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    int: st.integers(-(2**63), 2**63 - 1),
    float: st.floats(allow_nan=False),
    bool: st.booleans(),
    str: _TEXTS,
}


def _of_type(kind: Any) -> st.SearchStrategy[Any]:  # noqa: ANN401 a type
    """Return a strategy for values of a type, whether the engine accepts them or not."""
    if kind in _PLAIN:
        return _PLAIN[kind]
    if get_origin(kind) is Literal:
        return st.sampled_from(get_args(kind))
    if get_origin(kind) is Sequence:
        return st.lists(_of_type(get_args(kind)[0]), max_size=3)
    if get_origin(kind) is Sourced:
        return st.builds(Sourced, _of_type(get_args(kind)[0]), _TEXTS)
    if kind is type(None):
        return st.none()
    return st.one_of(*map(_of_type, get_args(kind)))


def _of_section(kind: type[Section]) -> st.SearchStrategy[Any]:
    hints = get_type_hints(kind)
    parts = {}
    for field in dataclasses.fields(kind):
        if field.name == "base":
            parts["base"] = st.sampled_from(["", *venice.drive_names()])
        elif isinstance(field.default, Section):
            parts[field.name] = _of_section(type(field.default))
        else:
            parts[field.name] = _of_type(hints[field.name])
    return st.fixed_dictionaries({}, optional=parts).map(lambda values: kind(**values))


@settings(deadline=None, max_examples=30)
@given(drive=_of_section(Drive))
@example(drive=Drive("", name='\x7f\x00\n\\"µ'))
def test_any_drive_is_the_same_after_a_trip_through_toml(drive: Drive) -> None:
    assert Drive.from_toml(drive.to_toml()) == drive
    assert pickle.loads(pickle.dumps(drive)) == drive  # noqa: S301 our own
