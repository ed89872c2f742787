"""A browser without a window, for tests of pages."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass
class Opened:
    """A page, and what it said and asked for."""

    page: Page
    message: list[str] = field(default_factory=list)
    """Lines on the console, and errors."""
    asked_for: list[str] = field(default_factory=list)
    """Addresses, its own among them."""

    @property
    def address(self) -> str:
        """Where the page is."""
        return self.page.url


@contextmanager
def browser() -> Iterator[Browser]:
    """Start Chromium; a test is skipped where it, or what drives it, is not installed."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        pytest.skip("Chromium is not installed (Debian, Ubuntu: apt install chromium)")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=list(_ARGUMENTS))
        yield started
        started.close()


def open_page(started: Browser, path: Path) -> Opened:
    """Open a file, and wait until its scripts have run."""
    page = started.new_page(viewport={"width": 1400, "height": 1000})
    opened = Opened(page)
    page.on("console", lambda message: opened.message.append(message.text))
    page.on("pageerror", lambda error: opened.message.append(str(error)))
    page.on("request", lambda request: opened.asked_for.append(request.url))
    page.goto(path.as_uri())
    return opened
