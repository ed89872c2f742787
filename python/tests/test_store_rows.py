"""Rows of a store that are not reused: those of another engine, and damaged ones."""

from __future__ import annotations

import json
import random
import re
import shutil
import sqlite3
import warnings
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

import pytest

from venice import Sweep, run_sweep, version
from venice.exploration import Exploration, Objective, Search, explore
from venice.papers import Size, choose, reproduce
from venice.sweep import StoreWarning
from venice.sweep.key import run_key
from venice.sweep.store import FILE_NAME, Store, StoreError
from venice.sweep.store.database import ADDED, sql_name
from venice.sweep.store.query import Query
from venice.sweep.store.status import status

from .slow import nightly_among

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from .conftest import Outcome

_BASE = {"workload": "random-read", "requests": 100}
_DEFINITION = (
    '[scenario]\nworkload = "random-read"\nrequests = 100\n'
    '[[axis]]\nfabric = ["bus", "venice"]\n[[axis]]\n"host.queue_depth" = [1, 4]\n'
)
_OTHER = "0123456789abcdef"
_long = [pytest.mark.nightly, pytest.mark.timeout(1800)]


def _change(folder: Path, *queries: str) -> None:
    with closing(sqlite3.connect(folder / FILE_NAME)) as database:
        for query in queries:
            database.execute(query)
        database.commit()


def _sweep(name: str = "s") -> Sweep:
    axes: list[dict[str, list[Any]]] = [{"fabric": ["bus", "venice"]}, {"seed": [1, 2]}]
    return Sweep.of(_BASE, axes, name=name)


def _is_rerun(folder: Path, sweep: Sweep) -> int:
    """Return the number of runs that a sweep repeats; warnings are ignored."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StoreWarning)
        return len(sweep.points) - run_sweep(sweep, folder).found


def _made_by(monkeypatch: pytest.MonkeyPatch, digest: str, make: Callable[[], object]) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(version, "engine_digest", lambda: digest)
        make()


def _a_sweep(folder: Path) -> None:
    run_sweep(_sweep(), folder)


def _an_exploration(folder: Path) -> None:
    exploration = Exploration.of(
        _BASE,
        [{"fabric": ["bus", "pssd", "venice"]}, {"host.queue_depth": [1, 4, 16]}],
        [Objective("latency_us.all.p99"), Objective("area.wires_in_channels")],
        search=Search(runs=6),
    )
    explore(exploration, folder)


def _a_reproduction(folder: Path) -> None:
    reproduce(choose(["fig11"]), folder, Size("tiny", 20), pictures=False)


def test_the_digest_is_that_of_the_build() -> None:
    assert re.fullmatch("[0-9a-f]{16}", version.engine_digest())


def test_two_engines_of_one_version_have_no_run_in_common(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = _sweep().points[0].scenario
    keys = []
    for digest in (_OTHER, _OTHER[::-1]):
        _made_by(monkeypatch, digest, lambda: keys.append(run_key(scenario)))
    assert len(set(keys)) == 2


@pytest.mark.parametrize(
    "make", nightly_among([_a_sweep, _an_exploration, _a_reproduction], (_a_reproduction,))
)
def test_runs_of_another_engine_are_done_again_with_one_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None]
) -> None:
    _made_by(monkeypatch, _OTHER, lambda: make(tmp_path))
    before = status(tmp_path)
    assert [(one.digest, one.is_current) for one in before.engines] == [(_OTHER, False)]
    assert before.stale == before.engines[0].runs >= 4
    assert all(sweep.stale == sweep.left and sweep.done == 0 for sweep in before.sweeps)
    with pytest.warns(StoreWarning, match=f"of another engine .{_OTHER}") as received:
        make(tmp_path)
    assert len(received) == 1
    after = status(tmp_path)
    assert [one.runs for one in after.engines] == [before.stale, before.stale]
    assert after.engines[0].is_current
    assert all(sweep.stale == sweep.left == 0 for sweep in after.sweeps)
    make(tmp_path)  # must not warn, since warnings are errors in tests


def test_runs_of_the_first_of_two_engines_are_found_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for digest in (_OTHER, _OTHER[::-1]):
        _made_by(monkeypatch, digest, lambda: _is_rerun(tmp_path, _sweep()))
    again: list[int] = []
    _made_by(monkeypatch, _OTHER, lambda: again.append(_is_rerun(tmp_path, _sweep())))
    assert again == [0]


def test_the_commands_list_the_engines_of_a_store(
    venice: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "s.toml").write_text(_DEFINITION)
    folder = tmp_path / "out" / "s"
    sweep = Sweep.load(tmp_path / "s.toml")
    _made_by(monkeypatch, _OTHER, lambda: run_sweep(sweep, folder))
    assert f"engine {_OTHER}, stale: 4 runs" in venice("sweep", "status").stdout
    reported = json.loads(venice("sweep", "status", "--json").stdout)
    assert reported["engines"] == [{"digest": _OTHER, "runs": 4, "is_current": False}]
    assert (reported["stale"], reported["sweeps"][0]["stale"]) == (4, 4)
    read = venice("sweep", "sql", "SELECT DISTINCT engine FROM runs", "--csv")
    assert (read.code, read.stdout) == (0, f"engine\n{_OTHER}\n")
    assert "stale runs are read as they are" in read.stderr
    again = venice("sweep", "s.toml")
    assert again.stderr.startswith("warning: out/s/results.sqlite: 4 runs of another engine")
    assert "found there" not in again.stdout
    assert venice("sweep", "s.toml").stderr == ""


def _as_format_1(folder: Path) -> None:
    """Convert a store to the format version without engines and checksums."""
    drops = [
        f"ALTER TABLE {table} DROP COLUMN {column}"
        for table, columns in ADDED.items()
        for column in columns
    ]
    renamed = [f"UPDATE {table} SET key = 'old ' || key" for table in ("finished", "points")]  # noqa: S608
    sweep = "UPDATE sweeps SET fingerprint = 'old'"
    _change(folder, "DROP VIEW runs", *drops, *renamed, sweep, "PRAGMA user_version = 1")


def test_runs_without_a_checksum_are_read_and_done_again_with_a_warning(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    (tmp_path / "s.toml").write_text(_DEFINITION)
    venice("sweep", "s.toml")
    table = (tmp_path / "out" / "s" / "results.csv").read_bytes()
    _as_format_1(tmp_path / "out" / "s")
    assert "engine not recorded, stale: 4 runs" in venice("sweep", "status").stdout
    read = venice("sweep", "sql", "SELECT fabric, report ->> '$.iops' = iops FROM runs", "--csv")
    assert read.stdout.count(",1\n") == 4, read.stderr
    assert "(not recorded, whose runs have no checksum)" in read.stderr
    again = venice("sweep", "s.toml")
    assert again.code == 0
    assert "(not recorded, whose runs have no checksum)" in again.stderr
    assert "stale runs are done again" in again.stderr
    assert "found there" not in again.stdout
    assert (tmp_path / "out" / "s" / "results.csv").read_bytes() == table
    assert venice("sweep", "s.toml").stderr == ""


def _columns(folder: Path, table: str) -> Sequence[tuple[str, Any]]:
    with closing(sqlite3.connect(folder / FILE_NAME)) as database:
        cursor = database.execute(f"SELECT * FROM {table} LIMIT 1")  # noqa: S608
        names = [column[0] for column in cursor.description]
        return list(zip(names, cursor.fetchone(), strict=True))


def _other(value: object) -> str:
    """Return a different value of the same type as an SQL literal."""
    if isinstance(value, int | float):
        return str(value + 1000)
    if isinstance(value, bytes):
        return f"x'{(value[:-1] + bytes([value[-1] ^ 1])).hex()}'"
    return "'" + str(value or "")[:-1].replace("'", "''") + "~'"


_ROWS = "id = 1"
_DAMAGED = [("finished", _ROWS), ("reports", _ROWS), ("points", "place = 0"), ("sweeps", _ROWS)]


@pytest.mark.parametrize(("table", "row"), _DAMAGED)
def test_another_value_in_any_column_is_found_named_and_replaced(
    tmp_path: Path, table: str, row: str
) -> None:
    whole = tmp_path / "whole"
    run_sweep(_sweep(), whole)
    for name, value in _columns(whole, table):
        if (table, name) in {("sweeps", "points"), ("sweeps", "used"), ("sweeps", "fingerprint")}:
            continue  # columns that contain neither figures nor their identification
        if (table, name) in {("points", "sweep"), ("sweeps", "id")}:
            continue  # tested by the next test
        folder = tmp_path / name
        shutil.copytree(whole, folder)
        _change(folder, f"UPDATE {table} SET {sql_name(name)} = {_other(value)} WHERE {row}")  # noqa: S608
        with suppress(StoreError):
            _read_all(folder)
            pytest.fail(f"{table}.{name} is damaged, and was read")
        with pytest.warns(StoreWarning, match=r"damaged (runs|lists of points): .*(bus|run 1|s)"):
            Store(folder).close()
    assert _is_rerun(folder, _sweep()) == (0 if table in ("points", "sweeps") else 1)
    assert _read_all(folder) == _read_all(whole)


def test_the_status_names_damaged_runs(venice: Callable[..., Outcome], tmp_path: Path) -> None:
    folder = tmp_path / "out" / "s"
    run_sweep(_sweep(), folder)
    assert venice("sweep", "status").stderr == ""
    _change(folder, "UPDATE finished SET iops = iops + 1 WHERE id = 1")
    assert "damaged runs: fabric = " in venice("sweep", "status").stderr
    reported = json.loads(venice("sweep", "status", "--json").stdout)
    assert (len(reported["damage"]["runs"]), reported["damage"]["sweeps"]) == (1, [])


def _read_all(folder: Path) -> list[dict[str, Any]]:
    """Read all runs with an SQL query, without their date and duration."""
    with Query(folder) as query:
        names, rows = query.sql("SELECT * FROM runs ORDER BY place")
        found = [dict(zip(names, row, strict=True)) for row in rows]
    for row in found:
        row["finished_at"] = None
        row["report"] = re.sub(r'"wall_s":[^,}]*', "", row["report"])
    return [{name: value for name, value in row.items() if value is not None} for row in found]


def test_a_schema_that_is_no_text_is_damage(tmp_path: Path) -> None:
    run_sweep(_sweep(), tmp_path)
    content = (tmp_path / FILE_NAME).read_bytes()
    (tmp_path / FILE_NAME).write_bytes(content.replace(b"CREATE TABLE", b"CR\xc2ATE TABLE"))
    with pytest.raises(StoreError, match=r"results\.sqlite: is damaged"):
        _read_all(tmp_path)


@pytest.mark.parametrize("version", ["x", "\xb2", ""])
def test_a_version_of_reports_that_is_no_number_is_damage(tmp_path: Path, version: str) -> None:
    run_sweep(_sweep(), tmp_path)
    _change(tmp_path, f"UPDATE notes SET value = '{version}'")  # noqa: S608
    with pytest.raises(StoreError, match=r"results\.sqlite: is damaged"):
        _read_all(tmp_path)


@pytest.mark.parametrize("damages", [20, pytest.param(1000, marks=_long)])
@pytest.mark.parametrize("kind", ["bit", "byte"])
def test_a_damaged_file_never_shows_other_figures(tmp_path: Path, kind: str, damages: int) -> None:
    whole = tmp_path / "whole"
    run_sweep(_sweep(), whole)
    table, shown = (whole / "results.csv").read_bytes(), _read_all(whole)
    content = (whole / FILE_NAME).read_bytes()
    draw = random.Random(f"damage {kind}")  # noqa: S311 places, no secrets
    outcomes = {"whole": 0, "refused": 0}
    for number in range(damages):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        damaged = bytearray(content)
        place = draw.randrange(len(damaged))
        damaged[place] = damaged[place] ^ 1 << draw.randrange(8) if kind == "bit" else 0
        (folder / FILE_NAME).write_bytes(damaged)
        read = _attempt(lambda folder=folder: _read_all(folder))  # type: ignore[misc]
        assert read in (None, shown), place
        if _attempt(lambda folder=folder: _is_rerun(folder, _sweep())) is None:  # type: ignore[misc]
            outcomes["refused"] += 1
        else:
            outcomes["whole"] += 1
            assert (folder / "results.csv").read_bytes() == table, place
    assert outcomes["whole"] > outcomes["refused"], outcomes


def _attempt(action: Callable[[], Any]) -> Any:  # noqa: ANN401 what the action returns
    """Return the result of an action; ``None`` if the action refuses the store."""
    with suppress(StoreError):
        return action()
    return None
