"""Execution of notebooks, for tests of the output of their cells."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

import nbformat
from nbclient import NotebookClient

from tools import notebooks

if TYPE_CHECKING:
    from pathlib import Path


def notebook_at(path: Path) -> Any:  # noqa: ANN401 nbformat has no types
    """Read a notebook."""
    return nbformat.reads(path.read_text(), 4)  # type: ignore[no-untyped-call]


def notebook_of_script(path: Path) -> Any:  # noqa: ANN401 nbformat has no types
    """Make the notebook of a script of the documentation."""
    text = json.dumps(notebooks.notebook_of(path.read_text()))
    return nbformat.reads(text, 4)  # type: ignore[no-untyped-call]


def notebook_of(*programs: str) -> Any:  # noqa: ANN401 nbformat has no types
    """Make a notebook of cells."""
    cells: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": f"cell-{place}",
            "metadata": {},
            "outputs": [],
            "source": program,
        }
        for place, program in enumerate(programs)
    ]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    return nbformat.reads(text, 4)  # type: ignore[no-untyped-call]


def run_notebook(notebook: Any) -> list[dict[str, Any]]:  # noqa: ANN401 nbformat has no types
    """Run a notebook with this Python and return all messages that its cells sent."""
    received: list[dict[str, Any]] = []

    class Client(NotebookClient):
        def process_message(self, message: dict[str, Any], *others: Any) -> Any:  # noqa: ANN401
            received.append(message)
            return super().process_message(message, *others)

    with warnings.catch_warnings():
        # Warnings of Jupyter's libraries.
        warnings.simplefilter("ignore")
        Client(notebook, timeout=100, kernel_name="python3").execute()
    return received
