"""Random sample of the project's texts, for readers who grade them.

``python -m tools.sample_texts`` draws equal numbers of comments, option helps, errors and
paragraphs of the documentation. The seed is the first eight hexadecimal digits of the commit, so
the sample is not chosen by hand. Readers grade each text alone, beside the name of its item or its
headings but without the code: clear, odd or unclear.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT = Path(__file__).resolve().parents[1]
_PARAMETER = re.compile(r"^\s*\w+( as \w+)?: .*(= |unit )")
_FEWEST_WORDS = 5
_ERROR_ATTRIBUTE = re.compile(r'#\[error\(\s*"((?:[^"\\]|\\.)*)"')


class Text(NamedTuple):
    """A text with its location."""

    place: str
    """File and line, from the root of the repository."""
    words: str
    """The text itself."""
    item: str = ""
    """First line of the documented item, as an editor shows it beside a comment, or the headings
    of a paragraph."""


def comments() -> Iterator[Text]:
    """Yield doc comments of Rust and docstrings of Python."""
    for path in _files("crates/*/src/**/*.rs"):
        yield from (text for text, after in _doc_comments(path) if not _PARAMETER.match(after))
    for path in _files("python/venice/**/*.py"):
        yield from _docstrings(path)


def helps() -> Iterator[Text]:
    """Yield helps of parameters and of command-line options."""
    for path in _files("crates/*/src/**/*.rs"):
        yield from (text for text, after in _doc_comments(path) if _PARAMETER.match(after))
    for path in _files("python/venice/cli/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "help":
                yield from _constants(path, node.value)


def errors() -> Iterator[Text]:
    """Yield errors: whole messages of the golden files, and the sentences of error types."""
    for path in _files("conformance/golden/messages/*.txt"):
        yield Text(_name(path), path.read_text(encoding="utf-8").strip())
    for path in _files("crates/*/src/**/*.rs"):
        source = path.read_text(encoding="utf-8")
        for match in _ERROR_ATTRIBUTE.finditer(source):
            if _has_words(re.sub(r"\{.*?\}", "", match[1])):
                yield Text(f"{_name(path)}:{source.count(chr(10), 0, match.start()) + 1}", match[1])


def paragraphs() -> Iterator[Text]:
    """Yield paragraphs of the documentation, without tables and code."""
    for path in _files("docs/**/*.md", "README.md", "CONTRIBUTING.md"):
        source = re.sub(r"```.*?```", _blank, path.read_text(encoding="utf-8"), flags=re.DOTALL)
        before = ""
        for match in re.finditer(r"(?:^[^\n|#].*\n?)+", source, flags=re.MULTILINE):
            words = match[0].strip()
            if _has_words(words):
                line = source.count("\n", 0, match.start()) + 1
                led = f"{before}\n\n{words}" if _is_list(words) and before.endswith(":") else words
                yield Text(f"{_name(path)}:{line}", led, _headings(source[: match.start()]))
            before = words


KINDS = {"comment": comments, "help": helps, "error": errors, "docs": paragraphs}


def sample(seed: str, count: int) -> Iterator[tuple[str, Text]]:
    """Draw ``count`` texts in equal parts of each kind."""
    for kind, texts in KINDS.items():
        found = sorted(set(texts()))
        draw = random.Random(f"{seed} {kind}")  # noqa: S311
        drawn = draw.sample(found, count // len(KINDS))
        yield from ((kind, text) for text in drawn)


def main() -> None:
    """Print the sample."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", help="seed [default: first eight digits of the commit]")
    parser.add_argument("--count", type=int, default=60, help="texts [default: %(default)s]")
    arguments = parser.parse_args()
    seed = arguments.seed or _commit()[:8]
    sys.stdout.write(f"seed {seed}\n")
    for number, (kind, text) in enumerate(sample(seed, arguments.count), 1):
        item = f", `{text.item}`" if text.item else ""
        sys.stdout.write(f"\n{number}. {kind}, {text.place}{item}\n{text.words}\n")


def _doc_comments(path: Path) -> Iterator[tuple[Text, str]]:
    """Yield each doc comment with the line after it."""
    lines = path.read_text(encoding="utf-8").splitlines()
    begun = 0
    for number, line in enumerate(lines):
        is_comment = re.match(r"\s*//[/!]", line)
        if is_comment and not begun:
            begun = number + 1
        elif not is_comment and begun:
            words = "\n".join(
                re.sub(r"^\s*//[/!] ?", "", text) for text in lines[begun - 1 : number]
            )
            if words.strip():
                after = (
                    text.strip() for text in lines[number:] if not text.strip().startswith("#")
                )
                yield Text(f"{_name(path)}:{begun}", words.strip(), next(after, "")), line
            begun = 0


def _docstrings(path: Path) -> Iterator[Text]:
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            words = ast.get_docstring(node)
            item = "" if isinstance(node, ast.Module) else lines[node.lineno - 1].strip()
            if words:
                yield Text(f"{_name(path)}:{node.body[0].lineno}", words, item)


def _constants(path: Path, node: ast.expr) -> Iterator[Text]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield Text(f"{_name(path)}:{node.lineno}", node.value)


def _is_list(text: str) -> bool:
    return re.match(r"([-*]|\d+\.) ", text) is not None


def _headings(source: str) -> str:
    """Return the headings above the end of a page's text, the title first."""
    open_headings: list[tuple[int, str]] = []
    for match in re.finditer(r"^(#+) (.*)$", source, flags=re.MULTILINE):
        depth = len(match[1])
        open_headings = [heading for heading in open_headings if heading[0] < depth]
        open_headings.append((depth, match[2]))
    return " > ".join(title for _, title in open_headings)


def _has_words(text: str) -> bool:
    """Return true for a text, not for a template or a heading of few words."""
    return len(re.findall(r"[A-Za-z]{2,}", text)) >= _FEWEST_WORDS


def _files(*patterns: str) -> Iterator[Path]:
    """Yield the files of patterns that git has; generated pages are texts of other files."""
    for pattern in patterns:
        yield from (path for path in sorted(_ROOT.glob(pattern)) if path in _tracked())


@cache
def _tracked() -> frozenset[Path]:
    command = ["git", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=_ROOT, check=True, capture_output=True, text=True).stdout
    return frozenset(_ROOT / name for name in listed.split("\0"))


def _name(path: Path) -> str:
    return path.relative_to(_ROOT).as_posix()


def _blank(code: re.Match[str]) -> str:
    return "\n" * code[0].count("\n")


def _commit() -> str:
    command = ["git", "rev-parse", "HEAD"]
    return subprocess.run(command, cwd=_ROOT, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
