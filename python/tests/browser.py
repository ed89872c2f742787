"""Headless browser for tests of pages."""

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
    """An opened page, with its console output and the addresses that it requested."""

    page: Page
    message: list[str] = field(default_factory=list)
    """Lines on the console, and errors."""
    asked_for: list[str] = field(default_factory=list)
    """Requested addresses, including that of the page."""

    @property
    def address(self) -> str:
        """Address of the page."""
        return self.page.url


@contextmanager
def browser() -> Iterator[Browser]:
    """Start Chromium; skip the test if Chromium or Playwright is not installed."""
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
