"""``venice ocp``: suites of fio jobs, unsupported jobs, and targets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from venice.workloads.fio_suite import Suite, SuiteJob

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

READS = """\
# ${NOWHERE} in a comment asks for nothing
[global]
direct=1
time_based
runtime=${TIME}
ramp_time=2s
filename=${DEV}
ioengine=${IOENGINE}
[one]
rw=randread
norandommap
bssplit=${BLKSIZE}/100
iodepth=${DEPTH}
"""
MIXED = "[a]\nrw=randrw\nrwmixread=70\nbs=4k\nsize=50%\nruntime=1s\nrate_iops=2000,500\n"
REFUSED = "[gone]\nrw=read\nbs=64k\nsize=1m\nverify=crc32c\n"
SHORT = ("--shorten", 1000)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Write a suite of three jobs, of which the last is refused."""
    (tmp_path / "wkldsuites").mkdir()
    (tmp_path / "jobfiles").mkdir()
    for name, text in (("reads", READS), ("mixed", MIXED), ("refused", REFUSED)):
        (tmp_path / "jobfiles" / f"{name}.fio").write_text(text)
    values = {"TIME": "10", "BLKSIZE": "8K", "DEPTH": 4}
    jobs = [
        {"alias": alias, "template": f"{alias}.fio", "values": values}
        for alias in ("reads", "mixed", "refused")
    ]
    path = tmp_path / "wkldsuites" / "Small"
    path.write_text(json.dumps({"pre": [], "def": jobs}))
    return path


def test_every_job_that_can_be_run_has_a_row_and_the_others_a_reason(
    suite: Path, venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    outcome = venice("ocp", suite, *SHORT, "--json", tmp_path / "all.json")
    assert outcome.code == 0
    assert "2 of 3 jobs of Small" in outcome.stdout
    assert "refused is not run: line 5: `verify`" in outcome.message
    reads, mixed = json.loads((tmp_path / "all.json").read_text())
    assert reads["workload"]["name"] == "reads/one"
    assert reads["workload"]["queue_depth"] == 4
    # 10 ms are measured, after a warm-up of 2 ms.
    warm_up, measured = reads["phases"]
    assert warm_up["start_us"] == 0
    assert measured["start_us"] == pytest.approx(2_000, abs=200)
    assert measured["end_us"] == pytest.approx(12_000, abs=200)
    assert (
        sum(queue["read_bytes"] for queue in reads["queues"]) == 8192 * reads["requests"]["reads"]
    )
    # Requests issued within 1 ms at rates of 2,000 and 500 requests/s.
    assert (mixed["requests"]["reads"], mixed["requests"]["writes"]) == (3, 1)


def test_jobs_whose_trims_are_not_measured_are_named(
    suite: Path, venice: Callable[..., Outcome]
) -> None:
    often, rarely = "thinktime=1ms\n", "ramp_time=1s\nthinktime=10s\n"
    for name, think_time in (("reads", often), ("mixed", rarely)):
        trims = f"[trims]\nrw=trim\nbs=64k\nsize=1g\nruntime=20s\n{think_time}"
        (suite.parent.parent / "jobfiles" / f"{name}.fio").write_text(f"{MIXED}{trims}")
    outcome = venice("ocp", suite, *SHORT)
    assert outcome.code == 0
    (note,) = [line for line in outcome.stdout.splitlines() if "measured no trims" in line]
    assert note.startswith("mixed ")


@pytest.mark.parametrize(
    ("target", "verdict", "code"),
    [
        ('"latency_us.read.p99" = {at_most = 10000}', "met", 0),
        ('"latency_us.read.p99" = {at_most = 1}', "MISSED", 1),
        ("iops = {at_least = 1, at_most = 1e12}", "met", 0),
        ("iops = {at_least = 1e12}", "MISSED", 1),
    ],
)
def test_the_exit_code_states_whether_targets_are_met(
    target: str,
    verdict: str,
    code: int,
    suite: Path,
    venice: Callable[..., Outcome],
    tmp_path: Path,
) -> None:
    (tmp_path / "targets.toml").write_text(f"[reads]\n{target}\n")
    outcome = venice("ocp", suite, *SHORT, "--targets", tmp_path / "targets.toml")
    assert outcome.code == code, outcome.stderr
    (row,) = [line for line in outcome.stdout.splitlines() if "met " in line or "MISSED" in line]
    assert verdict in row


def test_jobs_with_equal_names_are_numbered_and_have_targets_of_their_own(
    suite: Path, venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    content = json.loads(suite.read_text())
    content["def"] = [content["def"][0]] * 2
    suite.write_text(json.dumps(content))
    target = '["reads #2"]\n"latency_us.read.p99" = {at_most = 1}\n'
    (tmp_path / "targets.toml").write_text(target)
    outcome = venice("ocp", suite, *SHORT, "--targets", tmp_path / "targets.toml")
    assert outcome.code == 1, outcome.stderr
    (row,) = [line for line in outcome.stdout.splitlines() if "MISSED" in line]
    assert row.startswith(" reads #2 ")


def test_the_target_of_a_job_that_cannot_be_run_is_missed(
    suite: Path, venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    (tmp_path / "targets.toml").write_text("[refused]\niops = {at_least = 1}\n")
    assert venice("ocp", suite, *SHORT, "--targets", tmp_path / "targets.toml").code == 1


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ("[other]\niops = {at_least = 1}", "the suite has no job `other`; it has reads, mixed"),
        ("[reads]\niops = 5", "[reads] iops: expected a figure of the report in quotes"),
        ('[reads]\niops = {at_least = "5"}', "[reads] iops: expected a figure"),
        ("[reads]\niobs = {at_least = 5}", "iops"),
        ("[reads", "targets.toml"),
    ],
)
def test_targets_that_are_none_are_refused(
    targets: str, message: str, suite: Path, venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    (tmp_path / "targets.toml").write_text(targets)
    outcome = venice("ocp", suite, "--targets", tmp_path / "targets.toml")
    assert outcome.code == 2
    assert message in outcome.message


def test_what_is_no_suite_is_refused(venice: Callable[..., Outcome], tmp_path: Path) -> None:
    (tmp_path / "none").write_text("[]")
    assert "expected: a suite in JSON, with a list `def`" in venice("ocp", tmp_path / "none").stderr
    assert "there is no such file" in venice("ocp", tmp_path / "nowhere").stderr


def test_a_job_with_a_variable_without_a_value_is_not_run(
    suite: Path, venice: Callable[..., Outcome]
) -> None:
    content = json.loads(suite.read_text().replace('"DEPTH": 4', '"DEEP": 4'))
    suite.write_text(json.dumps(content))
    missing = "reads.fio has a variable ${DEPTH}, to which the suite gives no value"
    outcome = venice("ocp", suite, *SHORT)
    assert outcome.code == 0
    assert "1 of 3 jobs of Small" in outcome.stdout
    assert f"reads is not run: {missing}" in outcome.message
    content["def"] = content["def"][:1]
    suite.write_text(json.dumps(content))
    outcome = venice("ocp", suite, *SHORT)
    assert outcome.code == 2
    assert missing in outcome.stderr


def test_a_template_of_global_options_alone_is_one_job(suite: Path) -> None:
    template = suite.parent.parent / "jobfiles" / "reads.fio"
    template.write_text("[global]\nrw=read\nruntime=1\n")
    assert Suite.load(suite).jobs[0].text() == "[global]\nrw=read\nruntime=1\n[device]\n"


def test_times_are_shortened_and_think_times_are_not(suite: Path) -> None:
    (suite.parent.parent / "jobfiles" / "reads.fio").write_text(
        "[a]\nrw=read\nruntime=${TIME}\nramp_time=1m\nstartdelay=30s\nthinktime=500\n"
    )
    text = Suite.load(suite).jobs[0].text(shorten=100)
    assert text.splitlines()[2:] == [
        "runtime=100000us",
        "ramp_time=600000us",
        "startdelay=300000us",
        "thinktime=500",
    ]


def test_a_job_that_ends_when_it_is_steady_is_shortened_with_its_window(tmp_path: Path) -> None:
    (tmp_path / "steady.fio").write_text("[a]\nss=bw:1%\nss_dur=300\nss_ramp=1m\n")
    job = SuiteJob("steady", tmp_path / "steady.fio", {})
    assert job.text() == "[a]\nss=bw:1%\nss_dur=300\nss_ramp=1m\n"
    shorter = "[a]\nss=bw:1%\nss_dur=300000us\nss_interval=1000us\nss_ramp=60000us\n"
    assert job.text(1000) == shorter.rstrip()
    (tmp_path / "steady.fio").write_text("[a]\nss_interval=10s\nss_dur=300\n")
    assert job.text(1000) == "[a]\nss_interval=10000us\nss_dur=300000us"
