"""Seeds of a trace: those that change nothing are reported, and resampling makes them count."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import venice as api
from venice.papers.required_figures import require

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

REQUESTS = 600
NOTHING = "the seed changes nothing for these runs: "


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Write a bursty trace."""
    ns = 0
    lines = []
    for number in range(REQUESTS):
        ns += 200_000 if number % 20 == 0 else 500 + number * number % 977
        lines.append(f"{ns} 0 {number * 9_973 % 100_000 * 8} 8 {number % 3 % 2}\n")
    path = tmp_path / "bursts.txt"
    path.write_text("".join(lines))
    return path


def means(trace: Path, **keywords: object) -> list[float]:
    """Return the mean latency of three seeds."""
    runs = [
        api.run(trace=trace, format="mqsim-ascii", seed=seed, **keywords)  # type: ignore[arg-type]
        for seed in (1, 2, 3)
    ]
    return [require(run.latency_us.all.mean) for run in runs]


def test_an_offset_runs_every_request_and_each_seed_another_order(trace: Path) -> None:
    tables = []
    for seed in (1, 2):
        report = api.run(
            trace=trace,
            format="mqsim-ascii",
            trace_resample="offset",
            seed=seed,
            request_table=True,
        )
        assert report.request_table is not None
        tables.append(list(report.request_table["start_sector"]))
    assert tables[0] != tables[1]
    assert sorted(tables[0]) == sorted(tables[1])
    assert len(tables[0]) == REQUESTS


def test_each_seed_has_a_result_of_its_own_only_with_resampling(trace: Path) -> None:
    assert len(set(means(trace))) == 1
    for keywords in (
        {"trace_resample": "offset", "requests": 200},
        {"trace_resample": "blocks"},
        {"trace_resample": "blocks", "trace_block": 50},
        {"trace_resample": "blocks", "trace_block": "1ms"},
    ):
        found = means(trace, **keywords)
        assert len(set(found)) == 3, keywords
        assert means(trace, **keywords) == found, "the same seeds, the same results"
        assert len(set(means(trace, trace_seed=7, **keywords))) == 1, "the trace has its own seed"


def test_a_sweep_and_a_plot_report_a_seed_that_changes_nothing(
    trace: Path, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    scenario = f'[scenario]\ntrace = "{trace.name}"\nformat = "mqsim-ascii"\n'
    axes = '[[axis]]\nfabric = ["bus", "ideal"]\n[[axis]]\nseed = [1, 2, 3]\n'
    (tmp_path / "same.toml").write_text(scenario + axes)
    outcome = venice("sweep", "same.toml")
    assert outcome.code == 0, outcome.stderr
    assert f"{NOTHING}6 runs, 2 distinct results" in outcome.message
    assert "--trace-resample offset or blocks" in outcome.message
    drawn = venice("plot", "out/same", "--kind", "bars", "--output", "bars.svg")
    assert f"{NOTHING}6 runs, 2 distinct results" in drawn.stderr, drawn
    (tmp_path / "other.toml").write_text(f'{scenario}trace_resample = "blocks"\n{axes}')
    outcome = venice("sweep", "other.toml")
    assert outcome.code == 0, outcome.stderr
    assert NOTHING not in outcome.message


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--trace-seed", "7"), "(seed 7, random offset)"),
        (("--trace-resample", "blocks", "--trace-block", "1ms"), "(seed 1, block 1ms)"),
        (("--trace-resample", "blocks", "--trace-block", "50"), "(seed 1, block of 50 requests)"),
    ],
)
def test_the_screen_states_that_a_trace_is_resampled(
    trace: Path, venice: Callable[..., Outcome], options: tuple[str, ...], text: str
) -> None:
    load = ("--trace", trace, "--format", "mqsim-ascii")
    for command in (("run",), ("compare", "--fabrics", "bus,ideal")):
        assert f"The trace is resampled {text}" in venice(*command, *load, *options).stdout
    assert "resampled" not in venice("run", *load).stdout


def test_every_seed_of_a_resampled_trace_is_reported(
    trace: Path, venice: Callable[..., Outcome]
) -> None:
    load = ("--trace", trace, "--format", "mqsim-ascii", "--trace-resample", "offset")
    outcome = venice("compare", "--fabrics", "bus,ideal", *load, "--seeds", "3")
    assert "The trace is resampled (seeds 1 to 3, random offset)" in outcome.stdout


def test_resampling_is_an_axis(trace: Path, tmp_path: Path) -> None:
    sweep = api.Sweep.of(
        {"trace": str(trace), "format": "mqsim-ascii", "trace_resample": "blocks"},
        [{"trace_block": [20, "1ms"]}, {"trace_seed": [1, 2]}],
        name="blocks",
    )
    outcome = api.run_sweep(sweep, tmp_path / "out")
    found = {report.latency_us.all.mean for _, report in outcome.results}
    assert len(found) == 4
    assert outcome.seed_note is None


def test_an_outcome_reports_a_seed_without_effect(trace: Path, tmp_path: Path) -> None:
    scenario = {"trace": str(trace), "format": "mqsim-ascii", "requests": 50}
    outcome = api.run_sweep(api.Sweep.of(scenario, [{"seed": [1, 2]}]), tmp_path / "out")
    assert NOTHING in (outcome.seed_note or "")
    assert NOTHING in outcome._repr_html_()
    fabrics = api.run_sweep(api.Sweep.of(scenario, [{"fabric": ["bus"]}]), tmp_path / "fabrics")
    assert fabrics.seed_note is None


def test_a_comparison_over_seeds_reports_it(trace: Path, venice: Callable[..., Outcome]) -> None:
    options = ("--trace", trace, "--format", "mqsim-ascii", "--fabrics", "bus,ideal", "--seeds", 2)
    assert f"{NOTHING}4 runs, 2 distinct results" in venice("compare", *options).stdout
    outcome = venice("compare", *options, "--trace-resample", "blocks")
    assert (outcome.code, NOTHING in outcome.stdout) == (0, False)
    single = venice("compare", *options[:-2])
    assert NOTHING not in single.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--trace-resample", "shuffle"), "`--trace-resample` is `shuffle`; expected: offset or"),
        (("--trace-block", "50"), "`--trace-block` requires `--trace-resample blocks`"),
        (("--trace-resample", "blocks", "--trace-block", "0"), "a number of requests from 1"),
        (("--trace-resample", "blocks", "--trace-block", "5 years"), "a time from 1us with its"),
        (("--trace-resample", "blocks", "--trace-block", "601"), "a block of 601 requests does"),
        (("--trace-seed", "-1"), "`--trace-seed` is -1; expected: 0 or more"),
    ],
)
def test_what_cannot_be_resampled_is_refused(
    trace: Path, venice: Callable[..., Outcome], options: tuple[str, ...], message: str
) -> None:
    outcome = venice("run", "--trace", trace, "--format", "mqsim-ascii", *options)
    assert outcome.code == 2
    assert message in outcome.message


def test_a_seed_alone_begins_elsewhere(trace: Path, venice: Callable[..., Outcome]) -> None:
    run = ("run", "--trace", trace, "--format", "mqsim-ascii", "--requests", 100, "--json", "-")
    one, other, plain = (
        json.loads(venice(*run, *more).stdout)["latency_us"]
        for more in (("--trace-seed", 1), ("--trace-seed", 2), ())
    )
    assert one != other
    assert plain not in (one, other)
