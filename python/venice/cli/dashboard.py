"""``venice sweep dashboard``: live page of the progress of sweeps and searches."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from venice.cli.command import command, option
from venice.cli.screen import print_text
from venice.cli.sweep_store import find_store, where
from venice.cli.value_types import Integer

if TYPE_CHECKING:
    from collections.abc import Iterator


@command()
@where
@option(
    "--port",
    metavar="N",
    type=Integer(0),
    default=0,
    help="TCP port of the page, 0 to 65535; 0: any free port.",
)
def dashboard(where: Path | None, *, port: int) -> None:
    """Serve a live page of the runs.

    The page shows the progress of sweeps and searches, including those of other processes. Ctrl-C
    ends it.
    """
    from venice.dashboard.server import serving  # noqa: PLC0415 with its command alone

    with serving(find_store(where), port) as server:
        print_text(f"live page until Ctrl-C: {server.address}", stderr=True)
        with suppress(KeyboardInterrupt):
            Event().wait()


@contextmanager
def shown_live(folder: Path, *, is_wanted: bool) -> Iterator[None]:
    """Serve the live page of a folder while the ``with`` block runs, if requested."""
    if not is_wanted:
        yield
        return
    from venice.dashboard.server import serving  # noqa: PLC0415 seldom wanted

    with serving(folder) as server:
        print_text(f"live page until the end: {server.address}", stderr=True)
        yield
