#!/usr/bin/env python3
"""Rename identifiers of the Rust workspace, as listed in `identifiers.toml`.

    python tools/rename_identifiers.py [--check | --duplicates] [--only OLD ...]

Types, variants and modules are resolved through `mod`, `use` and paths, so only the occurrences
that mean the listed definition change: in code, in the bodies of macros, and in code spans and
links of comments. Other kinds are whole words in the files of `scope`. Strings stay as they are,
except those of attributes that hold a path, such as `serde(into = "...")`. Moved files are renamed
with their `mod` lines. Run rustfmt afterwards.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)"""
    r"""|(?P<string>b?r(?P<hashes>\#*)".*?"(?P=hashes)|b?"(?:\\.|[^"\\])*")"""
    r"""|(?P<char>b?'(?:\\[^']*|[^\\'])')"""
    r"""|(?P<word>\$?[A-Za-z_]\w*)|(?P<mark>::|\.\.=?|[{}()\[\];,<>*=.])""",
    re.DOTALL,
)
LABEL = re.compile(r"\[`(?:\w+::)*(\w+)`\]\(([\w:]+)\)")
CODE_IN_COMMENT = re.compile(r"`([^`\n]+)`|\]\(([\w:]+)\)|\]: ([\w:]+)")
PATH = re.compile(r"(?<![\w.\"/-])[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*(?![\w\"/-])")
FORMATTED = re.compile(r"(?<=\{)[A-Za-z_]\w*(?=[:}])")
PATH_ATTRIBUTE = re.compile(
    r"\b(into|from|try_from|with|bound|serialize_with|deserialize_with|default) = $"
)
TYPES = {"struct", "enum", "trait", "type", "union"}
BLOCKS = ("mod", "impl", "trait", "enum", "fn")
CODE = "`"
"""Text of a token that stands for a path in a comment or an attribute."""

Parts = list[tuple[str, int]]
"""Segments of a path with their positions in the file; -1 for a segment that is not in it."""
ModulePath = tuple[str, ...]


class Module:
    """Types and imports of one module."""

    def __init__(self, file: str | None) -> None:
        self.file = file
        self.types: set[str] = set()
        self.imports: list[tuple[list[str], str]] = []


class Workspace:
    """Modules of the workspace, and paths of each file: (module, segments, is in a comment)."""

    def __init__(self, root: Path) -> None:
        command = ["git", "ls-files", "-co", "--exclude-standard", "*.rs"]
        listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
        names = [name for name in listed.stdout.split() if (root / name).is_file()]
        self.root = root
        self.texts = {name: (root / name).read_text() for name in names}
        homes = {name: self.module_of_file(Path(name)) for name in names}
        self.modules = {module: Module(name) for name, module in homes.items()}
        self.crates = {module[0] for module in self.modules}
        self.paths: dict[str, list[tuple[ModulePath, Parts, bool]]] = defaultdict(list)
        for name, module in homes.items():
            Scan(self, name, module).read()

    def module_of_file(self, file: Path) -> ModulePath:
        """Return the module of a file; its first part is the name of the crate."""
        homes = [p for p in file.parents if {f"{p}/lib.rs", f"{p}/main.rs"} & self.texts.keys()]
        if not homes:
            return (str(file),)
        manifest, crate = self.root / homes[0].parent / "Cargo.toml", str(homes[0])
        if homes[0].name == "src" and manifest.is_file():
            package = tomllib.loads(manifest.read_text())["package"]
            crate = package["name"].replace("-", "_")
        inner = file.relative_to(homes[0]).with_suffix("").parts
        return (crate, *(inner[:-1] if inner[-1] in {"lib", "main", "mod"} else inner))

    def file_of(self, module: ModulePath) -> str:
        """Return the file that contains a module."""
        while (file := self.modules[module].file) is None:
            module = module[:-1]
        return file

    def resolve(
        self, module: ModulePath, segments: list[str], seen: frozenset[Any] = frozenset()
    ) -> ModulePath | list[str] | None:
        """Return what a path means in a module: a module, a type (as a list), or nothing."""
        at = module
        for index, name in enumerate(segments):
            if name in {"crate", "$crate"}:
                at = module[:1]
            elif name == "super":
                at = at[:-1]
            elif name != "self":
                found = self.look_up(at, name, seen)
                if found is None and index == 0 and name in self.crates:
                    found = (name,)
                if not isinstance(found, tuple):
                    return found if index == len(segments) - 1 else None
                at = found
        return at

    def look_up(
        self, module: ModulePath, name: str, seen: frozenset[Any] = frozenset()
    ) -> ModulePath | list[str] | None:
        """Return what a name means in a module."""
        if module not in self.modules or (module, name) in seen:
            return None
        seen |= {(module, name)}
        data = self.modules[module]
        if name in data.types:
            return [*module, name]
        if (*module, name) in self.modules:
            return (*module, name)
        for segments, alias in data.imports:
            if alias == name and (found := self.resolve(module, segments, seen)):
                return found
        for segments, alias in data.imports:
            target = self.resolve(module, segments, seen) if alias == "*" else None
            if isinstance(target, tuple) and (found := self.look_up(target, name, seen)):
                return found
        return None


class Scan:
    """Reads the modules, types, imports and paths of one file."""

    def __init__(self, workspace: Workspace, name: str, module: ModulePath) -> None:
        self.modules, self.found = workspace.modules, workspace.paths[name]
        self.module, self.text = module, workspace.texts[name]
        self.tokens: list[tuple[str, int]] = []
        self.spans: dict[int, Parts] = {}
        for token in TOKEN.finditer(self.text):
            start = token.start()
            if token["comment"]:
                self.read_comment(token[0], start)
            elif token["string"] and PATH_ATTRIBUTE.search(self.text[max(0, start - 30) : start]):
                self.add_code(token[0].replace('"', " "), start)
            elif not token["char"]:
                self.tokens.append((token[0], start))
                for field in FORMATTED.finditer(token["string"] or ""):
                    self.add([(".", -1), (field[0], start + field.start())])

    def read_comment(self, text: str, start: int) -> None:
        """Read the links and code spans of a comment."""
        for link in LABEL.finditer(text):  # the label means what the link leads to
            parts = [(name, -1) for name in link[2].split("::")[:-1]]
            self.add([*parts, (link[1], start + link.start(1))], in_comment=True)
        for span in CODE_IN_COMMENT.finditer(text):
            group = span.lastindex or 0
            self.add_code(span[group], start + span.start(group))

    def add_code(self, code: str, start: int) -> None:
        """Add the paths of a code span."""
        for path in PATH.finditer(code):
            at = start + path.start()
            self.spans[at] = [(m[0], at + m.start()) for m in re.finditer(r"\w+", path[0])]
            self.tokens.append((CODE, at))

    def read(self) -> None:
        """Read all tokens."""
        blocks: list[str] = []
        head: list[str] = []
        index = 0
        while index < len(self.tokens):
            text, start = self.tokens[index]
            if text == CODE:
                self.add(self.spans[start], in_comment=True)
            elif text == "use" and self.word(index + 1) != "<":
                index, head = self.read_use(index + 1, []), []
            elif re.match(r"[\w$]", text):
                first, parts = index, [(text, start)]
                while self.word(index + 1) == "::" and re.match(r"\w", self.word(index + 2)):
                    index += 2
                    parts.append(self.tokens[index])
                self.read_path(parts, head, first, blocks[-1:])
                head.append(parts[-1][0])
            else:
                self.read_mark(text, blocks, head)
            if text in {"{", "}", ";"}:
                head = []
            index += 1

    def read_mark(self, text: str, blocks: list[str], head: list[str]) -> None:
        """Open or close a block."""
        if text in {"{", "(", "["}:
            kind = next((word for word in reversed(head) if word in BLOCKS), "")
            blocks.append(kind if text == "{" else "")
            if blocks[-1] == "mod":
                self.module = (*self.module, head[-1])
                self.modules.setdefault(self.module, Module(None))
        elif text in {"}", ")", "]"} and blocks and blocks.pop() == "mod":
            self.module = self.module[:-1]

    def read_path(self, parts: Parts, head: list[str], index: int, block: list[str]) -> None:
        """Add the path at a token, by what stands before it."""
        last = self.word(index - 1) if index else ""
        # Macros declare variants as `"name" => Variant`.
        before = [self.word(i)[:1] for i in range(max(0, index - 3), index)]
        is_row = len(parts) == 1 and before == ['"', "=", ">"]
        is_associated = head[-1:] == ["type"] and block in (["impl"], ["trait"])
        is_value = len(parts) == 1 and parts[0][0][0].islower() and head[-1:] != ["mod"]
        if last in {".", "::"} or is_associated or is_value:
            self.add([(".", -1), *parts])  # it has no meaning as a path
        elif (block == ["enum"] and last in {"{", ",", "]"}) or is_row:
            self.add([("Self", -1), *parts])  # a variant
        else:
            if head and head[-1] in TYPES:
                self.modules[self.module].types.add(parts[0][0])
            self.add(parts)

    def read_use(self, index: int, prefix: Parts) -> int:
        """Read one tree of a `use` declaration; return the index of the token behind it."""
        path, alias = list(prefix), ""
        while (text := self.word(index)) not in {",", "}", ";", ""}:
            if text == "{":
                while self.word(index) not in {"}", ";", ""}:
                    index = self.read_use(index + 1, path)
                path = []
            elif text == "as":
                index += 1
                alias = self.word(index)
            elif text == "*" or re.match(r"[\w$]", text):
                path.append(self.tokens[index])
            index += 1
        if len(path) > len(prefix):
            self.add(path)
            names = [name for name, _ in path]
            last = names[-2] if names[-1] == "self" and len(names) > 1 else names[-1]
            taken = names[:-1] if last == "*" else names
            self.modules[self.module].imports.append((taken, alias or last))
        return index

    def word(self, index: int) -> str:
        """Return the text of a token; nothing after the last."""
        return self.tokens[index][0] if index < len(self.tokens) else ""

    def add(self, parts: Parts, *, in_comment: bool = False) -> None:
        """Add a path with the module in which it stands."""
        self.found.append((self.module, parts, in_comment))


class Rename:
    """Old and new name of an entry in the list, and its kind: a module, a type, or a whole word."""

    def __init__(
        self, entry: dict[str, Any], workspace: Workspace, prefixes: dict[str, str]
    ) -> None:
        self.kind, self.new, self.attribute = entry["kind"], entry["new"], entry.get("attribute")
        self.old, self.name = entry["old"], entry["old"].split("::")[-1]
        paths = [entry["definition"], *entry.get("scope", [])]
        for old, new in prefixes.items():
            paths = [re.sub(f"^{re.escape(old)}(?=/|$)", new, path) for path in paths]
        self.file, *self.scope = paths
        self.meaning: ModulePath | list[str] | None = None
        self.gone, self.problem, self.note = False, "", ""
        if self.kind == "module":
            self.meaning = workspace.module_of_file(Path(self.file))
            self.gone = self.meaning not in workspace.modules
        elif self.kind in {"type", "variant"}:
            self.find_type(workspace)

    def find_type(self, workspace: Workspace) -> None:
        """Find the type in its file, in another of its crate, or in one of the same name."""
        name = self.old.split("::")[0]
        where = [m for m, data in workspace.modules.items() if name in data.types]
        files = {module: Path(workspace.file_of(module)) for module in where}
        file = Path(self.file)
        here = [m for m in where if files[m] == file]
        if not here and not any(self.new in data.types for data in workspace.modules.values()):
            here = [m for m in where if files[m].parts[:2] == file.parts[:2]]
            here = here or [m for m in where if files[m].name == file.name]
            self.note = f"{self.old} ({file}): found in {', '.join(str(files[m]) for m in here)}"
        self.gone = not here
        self.meaning = [*here[0], name] if here else None
        if len(here) > 1:
            self.problem = f"{self.old}: defined in {', '.join(str(files[m]) for m in here)}"

    @property
    def is_type(self) -> bool:
        """Return true for a rename of a type that exists."""
        return self.kind == "type" and not self.gone

    def is_meant(
        self, workspace: Workspace, file: str, module: ModulePath, names: list[str]
    ) -> bool:
        """Return true if the last of `names`, the start of a path, means this definition."""
        is_word = self.kind not in {"type", "variant", "module"}
        if any(fnmatch(file, glob) for glob in self.scope):
            found = workspace.resolve(module, names) if len(names) > 1 else None
            if is_word or (names[0] not in {".", "Self"} and found is None):
                return True
        if is_word or self.gone:
            return False
        if self.kind != "variant":
            return workspace.resolve(module, names) == self.meaning
        home = workspace.file_of(tuple(self.meaning or ())[:-1])
        own = names[-2:-1] == ["Self"] and workspace.file_of(module) == home
        return len(names) > 1 and (own or workspace.resolve(module, names[:-1]) == self.meaning)


class Plan:
    """The edits that a list of renames makes."""

    def __init__(self, workspace: Workspace, data: dict[str, Any], only: list[str]) -> None:
        self.workspace = workspace
        self.edits: dict[str, dict[int, tuple[str, str]]] = defaultdict(dict)
        prefixes = data.get("prefixes", {})
        entries = [entry for entry in data["rename"] if not only or entry["old"] in only]
        self.renames = [Rename(entry, workspace, prefixes) for entry in entries]
        self.problems = {rename.problem for rename in self.renames if rename.problem}
        self.by_name: dict[str, list[Rename]] = defaultdict(list)
        for rename in sorted(self.renames, key=lambda rename: rename.meaning is None):
            self.by_name[rename.name].append(rename)
        self.definitions = Counter(n for data in workspace.modules.values() for n in data.types)
        self.hits: set[Rename] = set()
        for file, paths in workspace.paths.items():
            for module, parts, in_comment in paths:
                self.visit(file, module, parts, in_comment=in_comment)
        for rename in self.renames:
            for file in rename.scope:
                if file.endswith(".md"):
                    self.visit_document(file, rename)
        self.notes = [r.note for r in self.renames if r.note and not r.gone]
        self.notes += [f"{r.old} ({r.file}): not found" for r in self.renames if r not in self.hits]

    def visit(self, file: str, module: ModulePath, parts: Parts, *, in_comment: bool) -> None:
        """Plan the edits of a path."""
        names = [name for name, _ in parts]
        for index, (name, position) in enumerate(parts):
            if position < 0 or name not in self.by_name or position in self.edits[file]:
                continue
            path = names[: index + 1]
            for rename in self.by_name[name]:
                # In a comment, a name that is not imported means the only type of this name.
                alone = in_comment and rename.is_type and self.definitions[name] == 1
                alone = alone and index == 0 and self.workspace.resolve(module, path) is None
                if alone or rename.is_meant(self.workspace, file, module, path):
                    self.hits.add(rename)
                    self.edits[file][position] = (name, rename.new)
                    self.check(file, module, rename, path)
                    break

    def check(self, file: str, module: ModulePath, rename: Rename, path: list[str]) -> None:
        """Report a new name that means something else in the same module."""
        taken = self.workspace.look_up(module, rename.new)
        if rename.kind == "type" and len(path) == 1 and taken and taken[-1] not in self.by_name:
            self.problems.add(f"{file}: {rename.new}, for {rename.old}, has a meaning already")

    def visit_document(self, file: str, rename: Rename) -> None:
        """Plan the edits of the code spans of a Markdown file."""
        text = self.workspace.texts[file] = (self.workspace.root / file).read_text()
        for span in CODE_IN_COMMENT.finditer(text):
            for word in re.finditer(rf"\b{rename.name}\b", span[1] or ""):
                self.edits[file][span.start(1) + word.start()] = (rename.name, rename.new)

    def lines(self) -> list[str]:
        """Return one line for each change."""
        lines = []
        for file, edits in sorted(self.edits.items()):
            for position, (old, new) in sorted(edits.items()):
                line = self.workspace.texts[file].count("\n", 0, position) + 1
                lines.append(f"{file}:{line}: {old} -> {new}")
        return lines

    def apply(self) -> None:
        """Write the files, and move those of renamed modules."""
        root = self.workspace.root
        for file, edits in self.edits.items():
            text = self.workspace.texts[file]
            for position, (old, new) in sorted(edits.items(), reverse=True):
                text = text[:position] + new + text[position + len(old) :]
            (root / file).write_text(text)
        for rename in self.hits:
            if rename.attribute:
                path = root / self.workspace.file_of(tuple(rename.meaning or ())[:-1])
                head = rf"(?m)^( *)((?:pub(?:\([a-z: ]+\))? )?(?:struct|enum) {rename.new}\b)"
                line = rf"\1{rename.attribute}\n\1\2"
                path.write_text(re.sub(head, line, path.read_text(), count=1))
        modules = [rename for rename in self.hits if rename.kind == "module"]
        for rename in sorted(modules, key=lambda rename: rename.file, reverse=True):
            self.move(rename)

    def move(self, rename: Rename) -> None:
        """Rename the files of a module, and their paths in other texts."""
        root, file = self.workspace.root, Path(rename.file)
        old = file.parent if file.name == "mod.rs" else file
        for path in {old, old.with_suffix("")}:
            if (root / path).exists():
                new = path.with_name(rename.new).with_suffix(path.suffix)
                run(root, "git", "mv", str(path), str(new))
                without = (":!CHANGELOG.md", ":!tools/identifiers.toml")
                for name in run(root, "git", "grep", "-lF", str(path), "--", *without).split():
                    text = (root / name).read_text()
                    (root / name).write_text(text.replace(str(path), str(new)))


def run(root: Path, *command: str) -> str:
    """Run a command; return its output."""
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    return done.stdout


def duplicates(workspace: Workspace) -> list[str]:
    """Return the types that the crates define more than once, without those of tests."""
    where = defaultdict(list)
    for module, data in workspace.modules.items():
        if re.match(r"crates/\w+/src/", workspace.file_of(module)) and "tests" not in module:
            for name in data.types - {"$name"}:
                where[name].append("::".join(module))
    return [f"{name}: {', '.join(m)}" for name, m in sorted(where.items()) if len(m) > 1]


def main() -> int:
    """Run the program."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="List the changes; write nothing.")
    parser.add_argument("--duplicates", action="store_true", help="List types defined twice.")
    parser.add_argument("--only", nargs="+", default=[], metavar="OLD", help="Names to rename.")
    here = Path(__file__)
    parser.add_argument("--list", type=Path, default=here.with_name("identifiers.toml"))
    parser.add_argument("--root", type=Path, default=here.parents[1])
    options = parser.parse_args()
    workspace = Workspace(options.root)
    if options.duplicates:
        sys.stdout.writelines(f"{line}\n" for line in duplicates(workspace))
        return 0
    plan = Plan(workspace, tomllib.loads(options.list.read_text()), options.only)
    if options.check:
        sys.stdout.writelines(f"{line}\n" for line in plan.lines())
    sys.stderr.writelines(f"note: {note}\n" for note in plan.notes)
    sys.stderr.writelines(f"error: {problem}\n" for problem in sorted(plan.problems))
    if not options.check and not plan.problems:
        plan.apply()
    return 1 if plan.problems else 0


if __name__ == "__main__":
    sys.exit(main())
