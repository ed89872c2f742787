"""Damaged, endless or malicious files and arguments are refused with one message."""

from __future__ import annotations

import json
import os
import socket
import threading
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest

import venice as api
from venice import plot
from venice.files import documents, pipes
from venice.files.documents import DocumentError, parse_toml
from venice.report.files import ReportError
from venice.report.validation import faults_of
from venice.view import page_of, vega

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from .conftest import Outcome


def assert_refused(outcome: Outcome, *parts: str) -> None:
    assert outcome.code == 2, outcome
    assert "this is a bug" not in outcome.stderr
    assert len(outcome.stderr) < 2500
    for part in parts:
        assert part in outcome.stderr


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    """Return the JSON values of a report with every optional part that a short run has."""
    made = api.run(workload="mixed-70-30", requests=200, interval=4, slowest=2, distributions=True)
    values: dict[str, Any] = json.loads(made.to_json())
    return values


def keys_of(values: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, value in values.items():
        yield (*above, name)
        if isinstance(value, dict):
            yield from keys_of(value, (*above, name))


def without(values: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    copy = deepcopy(values)
    inner = copy
    for name in path[:-1]:
        inner = inner[name]
    del inner[path[-1]]
    return copy


def test_requests_at_one_instant_are_an_overload(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    (tmp_path / "z").write_text("".join(f"0 0 {8 * n} 8 1\n" for n in range(100)))
    options = ("--trace", "z", "--format", "mqsim-ascii")
    for command in (("run",), ("compare", "--fabrics", "bus,venice")):
        outcome = venice(*command, *options)
        assert (outcome.code, outcome.stderr) == (0, "")
        assert "Overloaded: all 100 requests arrive at one instant" in outcome.stdout


def test_a_report_that_the_engine_wrote_is_valid(report: dict[str, Any]) -> None:
    assert faults_of(report) is None


def test_every_key_that_is_missing_is_named_or_not_needed(
    report: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The plot library takes seconds to embed itself in a page.
    monkeypatch.setattr(vega, "script", lambda: "")
    paths = list(keys_of(report))
    named = 0
    for path in paths:
        damaged = without(report, path)
        faults = faults_of(damaged)
        if faults is not None:
            named += f"`{'.'.join(path)}` is missing" in faults
            continue
        page_of(api.Report(damaged))
    assert named > len(paths) * 3 // 4


@pytest.mark.parametrize(
    ("key", "value"),
    [("config", {}), ("config", None), ("seed", -1), ("iops", "x" * 10**6), ("queues", {"a": 1})],
)
def test_a_value_of_another_type_is_named_in_short(
    report: dict[str, Any], key: str, value: object
) -> None:
    faults = faults_of({**report, key: value})
    assert faults is not None
    assert f"`{key}" in faults
    assert len(faults) < 1000


@pytest.mark.parametrize(
    "command",
    [
        ("view", "r.json", "-o", "o.html"),
        ("report", "sheet", "r.json", "-o", "o.html"),
        ("report", "fio", "r.json"),
        ("plot", "r.json", "-o", "o.png"),
    ],
)
def test_whatever_loads_a_report_refuses_a_damaged_one(
    report: dict[str, Any],
    command: tuple[str, ...],
    tmp_path: Path,
    venice: Callable[..., Outcome],
) -> None:
    (tmp_path / "r.json").write_text(json.dumps(without(report, ("config", "array"))))
    assert_refused(venice(*command), "--> r.json", "`config.array` is missing", "run again: venice")


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "[" * 100_000,
        '{"schema_version": 2, "workload": 3}',
        '{"schema_version": {}}',
        "\xff",
    ],
)
def test_a_file_that_is_no_report_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(text, encoding="latin-1")
    with pytest.raises(ReportError, match=r"r\.json: (is not|holds)"):
        api.load_reports(tmp_path / "r.json")


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("a" + ".a" * 50_000 + " = 1", "a key of more than 16 parts in line 1"),
        ("[" + "a." * 50_000 + "a]", "a key of more than 16 parts"),
        ("b = 1\na" + ' . "a"' * 17 + " = 1", "16 parts in line 2"),
        ("a = " + "[" * 100_000, "nested deeper than 16 levels"),
        ("a = " + "{a = " * 100_000, "nested deeper than 16 levels"),
        ("a = " + "9" * 5000, "is not TOML"),
        ("#" * (documents.MOST_DEFINITION_BYTES + 1), "larger than 4 MiB"),
    ],
)
def test_toml_beyond_the_bounds_is_refused_at_once(
    text: str, reported: str, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    with pytest.raises(DocumentError, match=reported):
        parse_toml(text)
    (tmp_path / "s.toml").write_text(text)
    assert_refused(venice("sweep", "s.toml"), "--> s.toml", reported)


def test_brackets_and_dots_in_texts_and_comments_are_no_nesting() -> None:
    deep = "[{" * 20 + "a" + ".a" * 20
    text = f'x = "{deep}" # {deep}\ny = \'{deep}\'\nz = """\n{deep}\n\\""" "{deep}"""\n'
    assert set(parse_toml(text)) == {"x", "y", "z"}


NOT_UTF_8 = b"a=\xff"


@pytest.mark.parametrize(
    "words",
    [
        *(("run", "--trace", "z", option) for option in ("--drive", "--fabric", "--set")),
        *(("run", "--trace", "z", option) for option in ("--format", "--columns", "--event")),
        ("run", "--workload"),
        ("config", "explain"),
        ("report", "explain"),
        ("trace", "convert", "z", "-o", "x", "--to"),
        ("grep", "x", "z", "--set"),
    ],
)
def test_bytes_that_are_no_text_are_refused_by_the_option_that_has_them(
    words: tuple[str, ...], venice: Callable[..., Outcome]
) -> None:
    outcome = venice(*words, os.fsdecode(NOT_UTF_8))
    assert_refused(outcome, "is not UTF-8 text (byte 0xff at character 3)")


@pytest.mark.parametrize(
    "key", ["drive", "fabric", "sets", "workload", "load_state", "save_state", "until"]
)
def test_lone_surrogates_are_refused_by_the_keyword_that_has_them(key: str) -> None:
    value: Any = ["\ud800"] if key == "sets" else "\ud800"
    given: dict[str, Any] = {"workload": "random-read", "requests": 1, key: value}
    with pytest.raises(api.UsageError, match=rf"`{key}=`: .* U\+D800"):
        api.run(**given)


def test_a_pipe_without_a_writer_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipes, "PATIENCE_S", 0.2)
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    for load in (
        lambda: api.run(trace=pipe),
        lambda: api.run(drive=pipe, workload="random-read"),
        lambda: api.trace_info(pipe),
        lambda: api.Sweep.load(pipe),
        lambda: api.load_reports(pipe),
    ):
        with pytest.raises(api.UsageError, match="a named pipe to which no program writes"):
            load()


def test_a_pipe_whose_writer_has_ended_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    feed = threading.Thread(target=lambda: pipe.write_text("0 0 0 8 1\n1000 0 8 8 1\n"))
    feed.start()
    assert api.run(trace=pipe, format="mqsim-ascii").requests.completed == 2
    feed.join()


def test_a_listener_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    from venice.sweep import cluster  # noqa: PLC0415 half a second

    monkeypatch.setattr(cluster, "_PATIENCE_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"tcp://127.0.0.1:{listener.getsockname()[1]}"
        with (
            pytest.raises(api.UsageError, match=f"no Dask scheduler answers at {address}"),
            cluster.connected(address),
        ):
            pass


@pytest.mark.parametrize("name", ["${", "a$b$c", "$x_{$", r"\$\frac"])
def test_names_with_dollar_signs_are_drawn_as_they_stand(
    report: dict[str, Any], name: str, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    values = deepcopy(report)
    values["config"]["name"] = values["workload"]["name"] = name
    figure = plot.draw_comparison([api.Report(values)])
    figure.savefig(tmp_path / "c.svg")
    assert name in (tmp_path / "c.svg").read_text()


def test_powers_on_logarithmic_axes_are_plain_text() -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure  # noqa: PLC0415 it takes a second

    from venice.plot.log_scale import set_log_scale  # noqa: PLC0415 as above

    axes = Figure().subplots()
    set_log_scale(axes.yaxis)
    axes.set_ylim(0.001, 1000)
    assert [axes.yaxis.get_major_formatter()(10.0**n) for n in (-3, 3)] == ["10⁻³", "10³"]


def test_a_message_quotes_two_hundred_characters_at_most(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    (tmp_path / "j.fio").write_text(f"[{'x' * 100_000}\n")
    (tmp_path / "t").write_text("x" * 100_000 + "\n")
    for words in (
        ("run", "--workload", "j.fio"),
        ("run", "--trace", "t"),
        ("run", "--trace", "t", "--columns", "x" * 100_000),
        ("run", "--workload", "y" * 5000),
        ("run", "--drive", "y" * 5000, "--workload", "random-read"),
    ):
        outcome = venice(*words)
        assert_refused(outcome)
        assert max(map(len, outcome.stderr.splitlines())) < 1000


def test_a_report_may_name_a_policy_of_its_own() -> None:
    report = api.run(workload="random-read", requests=20).to_dict()
    report["config"]["fabric"]["name"] = "two_buses"
    report["config"]["ftl"]["victim"] = "youngest"
    assert faults_of(report) is None
