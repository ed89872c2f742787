"""Griffe extension that converts Sphinx roles in docstrings to Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from griffe import Extension

if TYPE_CHECKING:
    from griffe import Object

_ROLE = re.compile(r":(?:class|func|meth|mod|attr|data|exc):`(?P<short>~?)(?P<path>[^`]+)`")
_PUBLIC = re.compile(r"venice\.\w+")


class DocstringRoles(Extension):
    """Replaces ``:class:`venice.Report``` by a link, and roles of internal names by code."""

    def on_object(self, *, obj: Object, **_: Any) -> None:  # noqa: ANN401 as the base class
        """Convert the Sphinx roles in an object's docstring to Markdown."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(text: str) -> str:
    """Rewrite the roles of a text.

    Examples
    --------
    >>> as_markdown("see :class:`venice.Report` and :func:`~venice.text.counts.of`")
    'see [`venice.Report`][venice.Report] and `of`'
    """
    return _ROLE.sub(_replacement, text)


def _replacement(role: re.Match[str]) -> str:
    path = role["path"]
    shown = path.rpartition(".")[2] if role["short"] else path
    return f"[`{shown}`][{path}]" if _PUBLIC.fullmatch(path) else f"`{shown}`"
