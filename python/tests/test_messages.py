"""Every wrong command ends with exit code 2, one message, and no other output."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome


class Mistake(NamedTuple):
    """A command that is wrong; its message is in ``conformance/golden/messages/<name>.txt``."""

    name: str
    arguments: str


WORKLOAD = "--workload random-read"
LAYOUT = ("error: ", "  --> ", "   |", "   = ", "     ", " 4 | ", "1 problem in ", "2 problems in ")
"""Beginnings of the lines of a message: where, an excerpt, notes and their lists."""

MISTAKES = (
    Mistake("unknown_key", f"run --drive bad_key.toml {WORKLOAD}"),
    Mistake("unknown_key_in_option", f"run --set flash.t_raed_us=45 {WORKLOAD}"),
    Mistake("unknown_fabric", f"run --fabric vencie {WORKLOAD}"),
    Mistake("unknown_fabric_among_several", f"compare --fabrics bus,vencie {WORKLOAD}"),
    Mistake("unknown_drive", f"run --drive venice-performence {WORKLOAD}"),
    Mistake("unknown_workload", "run --workload random-raed"),
    Mistake("unknown_format", "run --trace good.txt --format msr"),
    Mistake("unknown_key_to_explain", "config explain flash.t_raed_us"),
    Mistake("oblong_pnssd", f"run --fabric pnssd --drive oblong.toml {WORKLOAD}"),
    Mistake("oblong_pnssd_by_name", f"compare --fabrics bus,pnssd --drive oblong.toml {WORKLOAD}"),
    Mistake(
        "no_such_link",
        f"run --fabric venice --set fabric.mesh.failed_links=[[0,1,0,3]] {WORKLOAD}",
    ),
    Mistake(
        "unreachable_chips",
        f"run --fabric nossd --set fabric.nossd.reply=x_then_y "
        f"--set fabric.mesh.failed_links=[[0,1,0,2]] {WORKLOAD}",
    ),
    Mistake(
        "failure_of_another_fabric",
        f"run --fabric bus --set fabric.mesh.failed_links=[[0,1,0,2]] {WORKLOAD}",
    ),
    Mistake("missing_trace", "run --trace nowhere.csv"),
    Mistake("workload_as_trace", "run --trace random-read"),
    Mistake("drive_as_fabric", f"run --fabric pif {WORKLOAD}"),
    Mistake("missing_trace_info", "trace info nowhere.csv"),
    Mistake("missing_drive", f"run --drive nowhere.toml {WORKLOAD}"),
    Mistake("missing_workload", "run --workload nowhere.toml"),
    Mistake("drive_as_workload", "run --workload oblong.toml"),
    Mistake("missing_state", f"run {WORKLOAD} --load-state nowhere.state"),
    Mistake("state_is_a_folder", f"run {WORKLOAD} --load-state ."),
    Mistake("bad_line", "run --trace bad_line.txt"),
    Mistake("bad_line_in_comparison", "compare --trace bad_line.txt"),
    Mistake("unknown_contents", "run --trace oblong.toml"),
    Mistake("devices_that_coincide", "run --trace devices.txt --format spc"),
    Mistake("no_such_device", "run --trace devices.txt --format spc --devices sdb"),
    Mistake("devices_without_trace", f"run --devices overlay {WORKLOAD}"),
    Mistake("block_without_blocks", "run --trace good.txt --trace-block 1s"),
    Mistake("unknown_resampling", "run --trace good.txt --trace-resample shuffle"),
    Mistake("empty_trace", "run --trace empty.txt"),
    Mistake("trace_and_workload", f"run --trace good.txt {WORKLOAD}"),
    Mistake("neither_trace_nor_workload", "run"),
    Mistake("format_without_trace", f"run {WORKLOAD} --format msr-csv"),
    Mistake("columns_without_trace", f"run {WORKLOAD} --columns time:us"),
    Mistake("skip_bad_without_trace", f"compare {WORKLOAD} --skip-bad 3"),
    Mistake("negative_skip_bad", "run --trace good.txt --skip-bad -1"),
    Mistake("negative_skip_bad_info", "trace info good.txt --skip-bad -1"),
    Mistake("unknown_criterion", f"run {WORKLOAD} --until nonsense"),
    Mistake("blocks_without_trace", f"run {WORKLOAD} --trace-block 1s"),
    Mistake("unknown_unit_of_a_header", "run --trace header.csv"),
    Mistake("binary_trace", "run --trace binary"),
    Mistake("unknown_event", "trace info good.txt --event C"),
    Mistake("unknown_columns", "run --trace good.txt --columns time:h,op,offset,size"),
    Mistake("format_and_columns", "run --trace good.txt --columns time:us --format spc"),
    Mistake("loop_and_rate", f"run {WORKLOAD} --closed-loop 4 --rate-scale 2"),
    Mistake("rate_of_a_closed_loop", f"run {WORKLOAD} --rate-scale 2"),
    Mistake("rate_out_of_range", "run --workload bursty-oltp --rate-scale 0"),
    Mistake("queue_depth_of_zero", f"run {WORKLOAD} --closed-loop 0"),
    Mistake("no_requests", f"run {WORKLOAD} --requests 0"),
    Mistake("warmup_of_everything", f"run {WORKLOAD} --requests 10 --warmup 10"),
    Mistake("warmup_beyond_the_trace", "run --trace good.txt --warmup 2000"),
    Mistake("warmup_before_time", f"run {WORKLOAD} --warmup-us -1"),
    Mistake("job_with_a_wrong_option", "run --workload bad.fio"),
    Mistake("job_without_an_end", "run --workload endless.fio"),
    Mistake("negative_seed", f"run {WORKLOAD} --seed -1"),
    Mistake("no_fabric", f"compare {WORKLOAD} --fabrics ,"),
    Mistake("no_workers", f"compare {WORKLOAD} --workers 0"),
    Mistake("json_in_no_folder", f"run {WORKLOAD} --json nowhere/out.json"),
    Mistake("json_is_a_folder", f"run {WORKLOAD} --json ."),
    Mistake("picture_of_unknown_kind", f"compare {WORKLOAD} --plot out.jpg"),
)

GOOD_LINES = "".join(f"{number * 1000} 0 {number * 8} 8 1\n" for number in range(2000))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write the files that the commands use."""
    (tmp_path / "bad_key.toml").write_text(
        'extends = "venice-performance"\n\n[flash]\nt_raed_us = 45\n'
    )
    (tmp_path / "oblong.toml").write_text(
        'extends = "venice-performance"\n\n[array]\nrows = 4\ncols = 16\n'
    )
    (tmp_path / "good.txt").write_text(GOOD_LINES)
    (tmp_path / "bad_line.txt").write_text(f"{GOOD_LINES}2000000 0 16000 eight 1\n{GOOD_LINES}")
    (tmp_path / "devices.txt").write_text("0,0,4096,r,0.0\n1,0,4096,w,0.5\n")
    (tmp_path / "header.csv").write_text("arrival_foo,op,start_sector,sectors\n1,read,3,4\n")
    (tmp_path / "binary").write_bytes(bytes(range(256)) * 9)
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "bad.fio").write_text("[one]\nrw=read\nsize=1m\nprio=1\nrwmixreed=30\n")
    (tmp_path / "endless.fio").write_text("[one]\nrw=read\n")
    return tmp_path


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
@pytest.mark.usefixtures("files")
def test_a_wrong_request_gets_one_clear_message(
    mistake: Mistake,
    venice: Callable[..., Outcome],
    golden: Callable[[str, str], None],
) -> None:
    outcome = venice(*mistake.arguments.split())
    golden(f"messages/{mistake.name}.txt", outcome.stderr)
    assert (outcome.code, outcome.stdout) == (2, "")
    assert "Traceback" not in outcome.message
    first, *others = outcome.stderr.splitlines()
    assert first.startswith("error: ")
    assert all(line.startswith(LAYOUT) for line in others)


@pytest.mark.parametrize(
    ("arguments", "what", "where", "note"),
    [
        ("run --colour red", "unknown option `--colour`", "--colour", "venice run [OPTIONS]"),
        ("run --workload", "`--workload` has no value", "--workload", "a value behind"),
        ("run --requests many", "`--requests` is `many`", "--requests many", "a whole number"),
        ("frobnicate", "unknown command `frobnicate`", "frobnicate", "venice [OPTIONS] COMMAND"),
        ("--colour", "unknown option `--colour`", "--colour", "venice [OPTIONS] COMMAND"),
        ("trace info", "missing argument `FILE`", "venice trace info", "[OPTIONS] FILE"),
        ("trace inf", "unknown command `inf`", "inf", "did you mean `info`?"),
        ("trace head a b", "unexpected argument `b`", "b", "venice trace head [OPTI"),
        ("trace head a -n x", "`-n` / `--requests` is `x`", "-n x", "a whole number"),
        ("run --fold=yes", "`--fold` takes no value", "--fold", "venice run [OPTIONS]"),
        ("run --drivee pif", "unknown option `--drivee`", "--drivee", "mean `--drive`?"),
        ("run --work a", "unknown option `--work`", "--work", "venice run [OPTIONS]"),
        ("compare --seeds 0", "`--seeds` is `0`", "--seeds 0", "of 1 or more"),
        ("plot out.json", "missing option `-o` / `--output`", "venice plot", "[OPTIONS] RES"),
        ("compare --fabric bus", "unknown option `--fabric`", "--fabric", "--fabrics`?"),
        ("compare --fabrics --json x", "`--fabrics` has no value", "--fabrics", "a value"),
        ("run --percentiles 101", "`--percentiles` is `101`", "--percentiles 101", "99.99 and"),
        ("sweep stauts", "unknown command `stauts`", "stauts", "did you mean `status`?"),
        ("sweep --dry s.toml", "unknown option `--dry`", "--dry", "mean `--dry-run`?"),
    ],
)
def test_words_that_no_command_takes_get_the_layout_of_every_error(
    arguments: str, what: str, where: str, note: str, venice: Callable[..., Outcome]
) -> None:
    outcome = venice(*arguments.split())
    assert (outcome.code, outcome.stdout) == (2, "")
    first, second, *notes = outcome.stderr.splitlines()
    assert (first, second) == (f"error: {what}", f"  --> {where}")
    assert any(note in line for line in notes)
    assert all(line.startswith("   = ") for line in notes)


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        (f"run {WORKLOAD} --interval 0ms", "--interval 0ms"),
        (f"run {WORKLOAD} --slowest -1", "--slowest -1"),
        (f"run {WORKLOAD} --until ci(x)<2%", "--until ci(x)<2%"),
        (f"run {WORKLOAD} --intervals-out x.csv", "--intervals-out x.csv"),
        (f"run {WORKLOAD} --rate-scale 0", "--rate-scale 0"),
        ("run --workload bursty-oltp --rate-scale 0", "--rate-scale 0"),
        (f"run {WORKLOAD} --view-window 1ms..2ms", "--view-window 1ms..2ms"),
        (f"run {WORKLOAD} --request-columns all", "--request-columns all"),
        (f"compare {WORKLOAD} --confidence 150", "--confidence 150"),
        (f"compare {WORKLOAD} --why-plot x.png", "--why-plot x.png"),
        (f"compare {WORKLOAD} --schemes noop --why", "--why"),
        (f"compare {WORKLOAD} --vary x", "--vary x"),
        ("plot out.json -o x.png --size 3", "--size 3"),
        ("plot out.json -o x.png --over seed", "--over seed"),
        ("reproduce all --size huge", "--size huge"),
        ("reproduce all --quick --size full", "--size full"),
        ("grep -P x y", "-P"),
        ("config explain nowhere", "nowhere"),
    ],
)
def test_every_option_error_has_its_place(
    arguments: str, where: str, venice: Callable[..., Outcome]
) -> None:
    outcome = venice(*arguments.split())
    assert (outcome.code, outcome.stdout) == (2, "")
    assert outcome.stderr.splitlines()[1] == f"  --> {where}"


def test_a_group_without_a_command_shows_its_help(venice: Callable[..., Outcome]) -> None:
    outcome = venice("trace")
    assert (outcome.code, outcome.stdout) == (2, "")
    assert "Commands:" in outcome.message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("compare venice", "is a fabric, not a drive; list fabrics with commas, as `--fab"),
        ("compare --fabrics all,bus", "`all` cannot be combined with other fabrics"),
        ("compare venice-cost:bus,vencie", "1 problem in venice-cost:bus,vencie; nothing was run"),
    ],
)
def test_messages_quote_the_typed_fabrics(
    arguments: str, message: str, venice: Callable[..., Outcome]
) -> None:
    outcome = venice(*arguments.split(), *WORKLOAD.split())
    assert (outcome.code, outcome.stdout) == (2, "")
    assert message in outcome.message


def test_blanks_between_fabrics_are_none_of_their_names(venice: Callable[..., Outcome]) -> None:
    outcome = venice("compare", "--fabrics", "bus, ideal", *WORKLOAD.split(), "--requests", 9)
    assert outcome.code == 0
    assert " ideal " in outcome.stdout


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("raed_pct = 70", "read_pct"),
        ("[adress]\npattern = 'uniform'", "address"),
        ("size = { fixed_byte = 4096 }", "fixed_bytes"),
        ("[address]\npattern = 'unifrom'", "uniform"),
    ],
)
def test_an_unknown_key_of_a_workload_gets_a_suggestion(
    text: str, meant: str, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    (tmp_path / "mine.toml").write_text(f"extends = 'random-read'\n{text}\n")
    outcome = venice("run", "--workload", "mine.toml")
    assert (outcome.code, outcome.stdout) == (2, "")
    assert outcome.stderr.endswith(f"\n   = did you mean `{meant}`?\n")


@pytest.mark.parametrize(
    ("old", "new", "meant"),
    [
        ("requests = 9", "requets = 9", "requests"),
        ("fabric =", "fabirc =", "fabric"),
        ("[[axis]]", "[[axes]]", "axis"),
    ],
)
def test_an_unknown_key_of_a_sweep_gets_a_suggestion(
    old: str, new: str, meant: str, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    text = "[scenario]\nworkload = 'random-read'\nrequests = 9\n[[axis]]\nfabric = ['bus']\n"
    assert old in text
    (tmp_path / "s.toml").write_text(text.replace(old, new))
    outcome = venice("sweep", "s.toml")
    assert (outcome.code, outcome.stdout) == (2, "")
    assert outcome.stderr.endswith(f"\n   = did you mean `{meant}`?\n")


@pytest.mark.usefixtures("files")
def test_a_failed_run_leaves_the_old_file_alone(
    tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    (tmp_path / "out.json").write_text("old")
    before = sorted(tmp_path.iterdir())
    assert venice("run", "--trace", "bad_line.txt", "--json", "out.json").code == 2
    assert (tmp_path / "out.json").read_text() == "old"
    assert sorted(tmp_path.iterdir()) == before


def test_all_fabrics_skips_and_reports_impossible_ones(
    files: Path, venice: Callable[..., Outcome]
) -> None:
    outcome = venice(
        *f"compare --drive {files}/oblong.toml --requests 200 {WORKLOAD}".split(),
    )
    assert outcome.code == 0
    assert outcome.stderr == (
        "warning: pnssd is not run: pnSSD needs equal numbers of rows and columns, since each "
        "controller drives one row bus and one column bus (found 4 rows × 16 columns)\n"
    )
    rows = [line.split()[0] for line in outcome.stdout.splitlines() if "×" in line]
    assert rows == ["bus", "pssd", "nossd", "venice", "ideal"]


def test_what_has_no_effect_on_a_fabric_is_said_and_the_run_goes_on(
    venice: Callable[..., Outcome],
) -> None:
    remark = "warning: `fabric.hold` has no effect: packets of nossd hold no path\n"
    hold = f"--set fabric.hold=operation --requests 200 {WORKLOAD}".split()
    assert venice("run", "--fabric", "nossd", *hold)[::2] == (0, remark)
    assert venice("compare", "--fabrics", "nossd", *hold)[::2] == (0, remark)
    code, _, stderr = venice("compare", "--fabrics", "bus,nossd", *hold)
    assert code == 0
    assert stderr.startswith("warning: nossd (1 of 2 rows): ")
    assert stderr.endswith(remark.removeprefix("warning: "))
    assert venice("run", "--fabric", "bus", *hold)[::2] == (0, "")


def test_error_settings_of_files_and_of_requests_are_not_mixed_up(
    venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    """Requests have errors by `ecc`, searches of files by `pif`; other settings are named."""
    table = tmp_path / "t.csv"
    table.write_text("a,b\n1,x\n")
    ecc = ["--set", "ecc.pe_cycles=2000", "--set", "ecc.decoders=1"]
    pif = ["--set", "pif.pe_cycles=2000", "--set", "pif.retention_days=1"]
    searches = (["grep", "x", str(table)], ["sql", str(table), "--where", "b = 'x'"])
    for search in searches:
        outcome = venice(*search, *ecc)
        remark = "warning: `ecc.decoders`, `ecc.pe_cycles` have no effect: errors in searches"
        assert outcome.code == 0
        assert outcome.stderr.startswith(remark), outcome.stderr
        assert venice(*search, *pif)[::2] == (0, "")
    run = f"run --drive pif --requests 20 {WORKLOAD}".split()
    remark = "warning: `pif.pe_cycles`, `pif.retention_days` have no effect: only searches of files"
    assert venice(*run, *pif).stderr.startswith(remark)
    assert venice(*run, *ecc)[::2] == (0, "")


FULL = "error: `/dev/full` could not be written: No space left on device\n  --> /dev/full\n"


@pytest.mark.parametrize("option", ["--json", "--request-log"])
def test_a_full_disk_is_one_message(option: str, venice: Callable[..., Outcome]) -> None:
    outcome = venice(*f"run {WORKLOAD} --requests 2000 {option} /dev/full".split())
    assert outcome == (1, "", FULL)


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        ("run", "venice run"),
        ("reproduce", "venice reproduce"),
        ("sweep status", "venice sweep status"),
        ("sweep failing.toml", "failing.toml"),
        ("sql table.csv --where nowhere=1", "--where nowhere=1"),
        ("sql table.csv --query SELECT", "--query SELECT"),
        ("sql table.csv", "venice sql"),
    ],
)
def test_every_error_has_a_place_and_advice(
    arguments: str, where: str, venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    (tmp_path / "failing.toml").write_text('[scenario]\nworkload = "nowhere.toml"\n')
    (tmp_path / "table.csv").write_text("a,b\n1,x\n")
    outcome = venice(*arguments.split())
    _, _, error = outcome.stderr.rpartition("error: ")
    lines = error.splitlines()
    assert outcome.code == 2
    assert lines[1] == f"  --> {where}"
    assert all(line.startswith("   = ") for line in lines[2:])
    assert len(lines) > 2


@pytest.mark.parametrize(
    "arguments",
    [
        *("sweep run {}", "sweep status {}.toml", "explore {}", "plot {} -o x.png"),
        *("view {} -o x.html", "report sheet {} -o x.html", "report fio {}", "ocp {}"),
        *("sql {} --where a=1", "grep -f {} x"),
    ],
)
@pytest.mark.parametrize("kind", ["missing", "folder"])
def test_every_command_reports_missing_files_and_folders_in_one_layout(
    arguments: str, kind: str, venice: Callable[..., Outcome], tmp_path: Path
) -> None:
    for folder in ("folder", "folder.toml"):
        (tmp_path / folder).mkdir()
    outcome = venice(*arguments.format(kind).split())
    what, where, *notes = outcome.stderr.splitlines()
    assert outcome.code == 2
    assert what in {
        "error: there is no such file",
        "error: `folder` is a folder",
        "error: `folder.toml` is a folder",
    }
    assert where.startswith(f"  --> {kind}")
    assert [note[:15] for note in notes[:1]] == ["   = expected: "]
    assert len(notes) == 2
