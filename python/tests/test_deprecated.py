"""Arguments of the Python API that will be removed still work, and warn once."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import venice
from venice.exploration import Objective
from venice.pif import Search

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Outcome

_SETS = ["flash.t_read_us=5"]
_FEW: dict[str, Any] = {"workload": "random-read", "requests": 20}


@pytest.mark.parametrize(
    "call",
    [
        lambda: venice.run(sets=_SETS, **_FEW),
        lambda: venice.compare(sets=_SETS, fabrics=["bus"], **_FEW),
        lambda: venice.compare_schemes(schemes=["noop"], drive="piq-128gb", sets=_SETS, **_FEW),
        lambda: venice.resolve("venice-cost", sets=_SETS),
        lambda: venice.Sweep.of({**_FEW, "sets": _SETS}, [{"fabric": ["bus"]}]),
        lambda: venice.Exploration.of(
            {**_FEW, "sets": _SETS}, [{"fabric": ["bus", "venice"]}], [Objective("iops")]
        ),
        lambda: Search(["cat"], sets=["pif.pe_cycles=2000"]),
    ],
)
def test_changes_as_texts_warn_and_name_the_typed_drive(call: Callable[[], object]) -> None:
    with pytest.warns(DeprecationWarning, match=r"drive=venice\.Drive\(.*Flash\(t_read_us=5\)"):
        call()


def test_the_warning_is_shown_to_the_program_that_is_run() -> None:
    program = 'import venice\nvenice.resolve("venice-cost", sets=["flash.t_read_us=5"])'
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stderr.count(b"`sets=` is deprecated") == 1


def test_the_option_of_the_command_does_not_warn(venice: Callable[..., Outcome]) -> None:
    done = venice("run", "--workload", "random-read", "--requests", 20, "--set", _SETS[0])
    assert (done.code, "deprecated" in done.stderr) == (0, False)


@pytest.mark.filterwarnings("error")
def test_a_typed_drive_does_not_warn() -> None:
    drive = venice.Drive("venice-performance", flash=venice.config.Flash(t_read_us=5))
    assert venice.run(drive=drive, **_FEW).config["flash"]["t_read_us"] == 5
