"""Pictures are written, not empty, equal for equal reports, and labelled."""

from __future__ import annotations

import io
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from matplotlib.patches import Rectangle

import venice as api
from venice import plot
from venice.cli.output_files import claim_picture

from .slow import nightly_among

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Outcome

PNG = b"\x89PNG\r\n\x1a\n"
FEW_BYTES = 20_000


@pytest.fixture(scope="module")
def reports() -> list[api.Report]:
    """Return reports of short runs on every fabric."""
    return api.compare(workload="random-read", requests=500)


@pytest.mark.parametrize(("name", "start"), [("out.png", PNG), ("out.SVG", b"<?xml")])
def test_a_comparison_draws_a_picture(
    name: str, start: bytes, tmp_path: Path, venice: Callable[..., Outcome]
) -> None:
    outcome = venice("compare", "--workload", "random-read", "--requests", 500, "--plot", name)
    assert (outcome.code, outcome.stderr) == (0, "")
    picture = (tmp_path / name).read_bytes()
    assert picture.startswith(start)
    assert len(picture) > FEW_BYTES


@pytest.mark.parametrize("suffix", nightly_among(plot.PLOT_SUFFIXES, (".pdf",)))
def test_the_same_reports_give_the_same_picture(suffix: str, reports: list[api.Report]) -> None:
    def picture() -> bytes:
        file = io.BytesIO()
        plot.save(plot.draw_comparison(reports), file, suffix)
        return file.getvalue()

    assert picture() == picture()


def test_the_title_states_that_a_workload_is_synthetic(reports: list[api.Report]) -> None:
    title = plot.draw_comparison(reports).get_suptitle()
    assert title == "venice-performance, synthetic workload random-read, 500 requests"


def test_the_stacks_add_up_to_the_means(reports: list[api.Report]) -> None:
    *_, axes = plot.draw_comparison(reports).axes
    uppermost = axes.patches[-len(reports) :]
    tops = [bar.get_y() + bar.get_height() for bar in uppermost if isinstance(bar, Rectangle)]
    assert tops == pytest.approx([report.latency_us.all.mean for report in reports])


def test_one_report_is_a_picture_too(reports: list[api.Report]) -> None:
    assert len(plot.draw_comparison(reports[:1]).axes) == 3


def test_without_matplotlib_the_message_states_the_package_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = tmp_path / "a.png"
    with ExitStack() as files:
        assert claim_picture(files, picture) is not None
    picture.unlink()
    monkeypatch.setattr("importlib.util.find_spec", lambda *_: None)
    with ExitStack() as files, pytest.raises(api.UsageError, match=r"venice-ssd\[plot\]"):
        claim_picture(files, picture)
    assert not picture.exists()
