"""Every error has one layout: what is wrong, where, what was expected, what to do."""

from __future__ import annotations

import re

import pytest

import venice as api
from venice.cli.problem import error_layout


@pytest.mark.parametrize(
    ("message", "laid_out"),
    [
        ("it failed", "error: it failed"),
        ("error: it failed", "error: it failed"),
        ("a.csv: holds no report", "error: `a.csv` holds no report\n  --> a.csv"),
        ("a.csv, line 3: no size", "error: no size\n  --> a.csv, line 3"),
        ("memory is short: 3 MiB", "error: memory is short: 3 MiB"),
        ("wrong `a; b`; it should be 3; mend it", None),
        ("bad\nlist:\n  one\n  two", "error: bad\n   = list:\n     one\n     two"),
        ("a: b\n  --> c", "error: a: b\n  --> c"),
        (
            "error: a, line 1: x\nerror: a, line 2: y\n2 problems in a",
            "error: x\n  --> a, line 1\nerror: y\n  --> a, line 2\n2 problems in a",
        ),
    ],
)
def test_a_sentence_becomes_what_where_and_notes(message: str, laid_out: str | None) -> None:
    expected = laid_out or "error: wrong `a; b`\n   = expected: 3\n   = mend it"
    assert error_layout(message) == expected


@pytest.mark.parametrize(
    ("message", "typed", "where"),
    [
        ("`until=` is `soon`", [("--until", "soon")], "--until soon"),
        ("`until=` is `soon`", [("", "soon")], "soon"),
        ("`until=` is `soon`", [("--seed", "3")], "venice run"),
        ("there is no `a`", [("--drive", "b"), ("--set", "a")], "--set a"),
        ("the rate scale is 0", [("--seed", "0"), ("--rate-scale", "0")], "--rate-scale 0"),
        ("the rate scale is 0", [("--seed", "0")], "venice run"),
        ("`fold=` needs a trace", [("--fold", "")], "--fold"),
    ],
)
def test_the_place_is_the_word_that_a_message_names(
    message: str, typed: list[tuple[str, str]], where: str
) -> None:
    lines = error_layout(message, "venice run", typed).splitlines()
    assert lines[1:] == [f"  --> {where}"]


def test_a_syntax_error_has_its_file_line_and_column() -> None:
    message = "`w.toml` is not TOML: extra `=` (at line 2, column 5)"
    first, place, *_ = error_layout(message).splitlines()
    assert re.match(r"error: .* is not (valid )?TOML", first)
    assert place == "  --> w.toml:2:5"


@pytest.mark.parametrize("path", ["venice sweep run", "venice explore"])
def test_files_of_scenarios_have_keys_instead_of_options(path: str) -> None:
    message = 's.toml: `seed=` is -1; add `trace_resample="blocks"`'
    assert error_layout(message, path) == (
        "error: `seed` is -1\n  --> s.toml\n   = add `trace_resample = blocks`"
    )


@pytest.mark.parametrize(
    ("scenario", "argument"),
    [
        ({"fabric": "nosuch"}, 'fabric="nosuch"'),
        ({"sets": ["flash.t_raed_us=1"]}, 'sets=["flash.t_raed_us=1"]'),
        ({"seed": -1}, "`seed=`"),
        ({"skip_bad": 1}, "`skip_bad=`"),
        ({"trace_block": 5}, "`trace_block=`"),
        ({"closed_loop": 2, "rate_scale": 2.0}, "`closed_loop=`"),
    ],
)
def test_the_python_api_names_its_arguments(scenario: api.Scenario, argument: str) -> None:
    with pytest.raises(api.VeniceError) as refused:
        api.run(**api.Scenario(workload="random-read") | scenario)
    assert argument in str(refused.value)
    assert "--" not in str(refused.value).replace("-->", "")
