"""PIQ's experiments: which loads are run, and that the schemes differ as they must."""

from __future__ import annotations

from pathlib import Path

import pytest

from venice import UsageError
from venice.reproduce import Size, choose, reproduce
from venice.reproduce.experiments import piq_suite

_SMALL = Size("small", 2000, most_values=2)
_TRACES = Path(__file__).parents[2] / "conformance" / "traces"


def test_stand_ins_offer_the_share_of_the_bandwidth_that_is_asked_for() -> None:
    (first, last) = piq_suite.loads(_SMALL, share=0.25)
    assert (first.name, last.name) == ("hm_0", "web_1")
    for load in (first, last):
        size_kb, gap_us = piq_suite.STAND_INS[load.name]
        offered_mb_per_s = size_kb * 1024 / gap_us * load.scenario["rate_scale"]
        assert offered_mb_per_s == pytest.approx(0.25 * 8 * 40, rel=1e-3)


def test_traces_in_the_folder_that_the_environment_names_take_their_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("msr-csv.txt", "spc.txt"):
        (tmp_path / name).write_bytes((_TRACES / name).read_bytes())
    monkeypatch.setenv(piq_suite.FOLDER, str(tmp_path))
    assert [load.name for load in piq_suite.loads(_SMALL)] == ["msr-csv", "spc"]
    assert piq_suite.regime() == "traces at their own times"
    monkeypatch.setenv(piq_suite.FOLDER, str(tmp_path / "nowhere"))
    with pytest.raises(UsageError, match="which is no folder"):
        piq_suite.loads(_SMALL)
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv(piq_suite.FOLDER, str(tmp_path / "empty"))
    with pytest.raises(UsageError, match="which has no file"):
        piq_suite.loads(_SMALL)


def test_batches_use_more_chips_of_a_drive_in_order_and_none_more_of_one_that_lets_pass(
    tmp_path: Path,
) -> None:
    done = reproduce(choose(["piq-fig12", "piq-fig18"]), tmp_path, _SMALL, pictures=False)
    rows = {row[1]: row for row in done.findings["piq-fig12"].rows if row[0] == "mean"}
    piq = 2 + piq_suite.SCHEMES.index("piq")
    assert rows["in_order"][piq] > 1.03
    assert rows["passing"][piq] == pytest.approx(1, abs=0.01)
    assert rows["passing_drained"][piq] < 0.97
    (alone, *_) = done.findings["piq-fig18"].rows
    assert list(alone) == [1, 0.0, 0.0, 0.0, 0.0], "one entry leaves nothing to choose"


def test_on_every_fabric_batches_shorten_the_hosts_queue_of_a_drive_in_order(
    tmp_path: Path,
) -> None:
    size = Size("small", 400, most_values=2)
    done = reproduce(choose(["piq-fabrics-time"]), tmp_path, size, pictures=False)
    time = {tuple(row[:5]): row[5] for row in done.findings["piq-fabrics-time"].rows}
    fabrics = {key[3] for key in time}
    assert fabrics == {"bus", "pssd", "pnssd", "nossd", "venice", "ideal"}
    for fabric in fabrics:
        queue = {
            (way, scheme): time[way, scheme, "read", fabric, "queue"]
            for way, scheme in (("in_order", "noop"), ("in_order", "piq"), ("paq", "noop"))
        }
        in_order = queue["in_order", "noop"]
        assert queue["in_order", "piq"] < in_order / 2 > queue["paq", "noop"], fabric
    assert time["in_order", "noop", "read", "ideal", "path_wait"] == 0
