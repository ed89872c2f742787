"""Search for markup in pages that comes from a name or text of the input."""

from __future__ import annotations

from html.parser import HTMLParser

from .values import MARK

_LINKS = ("href", "src", "action")


def injections(page: str) -> list[str]:
    """Name the elements, attributes and links of a page that an input has brought in.

    >>> injections(f'<p title="&lt;{MARK}&gt;">$</p>')
    []
    >>> injections(f'<p title=""><{MARK}>')
    ['the element hostile-mark']
    """
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return reader.found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == MARK:
            self.found.append(f"the element {tag}")
        for name, value in attrs:
            if MARK in (value or "") and (name.startswith("on") or _is_code(name, value)):
                self.found.append(f"the attribute {name} of {tag}")

    def handle_data(self, data: str) -> None:
        # After `<!--<script>`, `</script>` does not end the script that contains it.
        if self.cdata_elem == "script" and f"<!--<script><{MARK}" in data.lower():
            self.found.append("an open comment in a script")


def _is_code(name: str, value: str | None) -> bool:
    return name in _LINKS and (value or "").lower().lstrip().startswith("javascript:")
