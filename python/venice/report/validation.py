"""Validation of loaded reports against the engine's schema.

The schema uses few keywords of JSON Schema, so loading a report does not need a library for all of
them.
"""

from __future__ import annotations

import json
from functools import cache
from itertools import chain, islice, repeat
from typing import TYPE_CHECKING, Any

from venice import _native
from venice.text.quotation import quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    _Schema = Mapping[str, Any]
    _Faults = Iterator[tuple[str, str]]
    """Problems, each with the key of a value relative to that of the rule."""

OF_THE_COMPUTER = frozenset({"wall_s", "build"})
"""Keys for data on the computer and the build, which a report may lack."""
_MOST_NAMED = 4
_FILES_OF_A_DRIVE = ("chip", "extends", "measured_as")
"""Keys of drive files that resolved configurations lack."""
_NAMES: Mapping[type, str] = {
    list: "a list",
    bool: "true or false",
    int: "a whole number",
    type(None): "null",
    float: "a number",
    dict: "an object",
    str: "a text",
}
_TYPES: Mapping[str, tuple[type, ...]] = {
    "array": (list,),
    "boolean": (bool,),
    "integer": (int,),
    "null": (type(None),),
    "number": (float, int),
    "object": (dict,),
    "string": (str,),
}


def faults_of(report: Mapping[str, Any]) -> str | None:
    """Return the keys that are missing or have a wrong type; ``None`` if the report is valid.

    Examples
    --------
    >>> faults_of({"schema_version": "2"})[:38]
    '`after_last_completion` is missing, `a'
    """
    found = [f"`{key}` {fault}" for key, fault in islice(_rule().faults(report), _MOST_NAMED + 1)]
    if len(found) > _MOST_NAMED:
        found[_MOST_NAMED] = "and more"
    return ", ".join(found) or None


@cache
def _rule() -> _Rule:
    schema = json.loads(_native.report_schema())
    schema["required"] = [key for key in schema["required"] if key not in OF_THE_COMPUTER]
    schema["properties"]["config"] = _complete(_with_any_name(json.loads(_native.schema())))
    return _Rule(schema, schema["$defs"])


def _with_any_name(schema: Any) -> Any:  # noqa: ANN401 any part of a schema
    """Return the schema, changed to accept any policy name, since policies may be user-defined."""
    if isinstance(schema, list):
        return [_with_any_name(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if all(isinstance(name, str) for name in schema.get("enum", [None])):
        return {"type": "string"}
    return {key: _with_any_name(one) for key, one in schema.items()}


def _complete(section: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a drive, changed to require all keys, as reports do."""
    parts = section["properties"]
    for part in parts.values():
        if "properties" in part:
            _complete(part)
    section["required"] = [key for key in parts if key not in _FILES_OF_A_DRIVE]
    return section


class _Rule:
    """Schema in a form that is quick to check."""

    def __init__(self, schema: _Schema, groups: _Schema) -> None:
        if "$ref" in schema:
            schema = groups[schema["$ref"].rpartition("/")[2]]
        kinds = schema.get("type", [])
        kinds = kinds if isinstance(kinds, list) else [kinds]
        self.types = tuple(kind for name in kinds for kind in _TYPES[name])
        self.choices = schema.get("enum", [schema["const"]] if "const" in schema else None)
        self.least, self.most = schema.get("minimum"), schema.get("maximum")
        self.required = frozenset(schema.get("required", ()))
        self.either = [_Rule(one, groups) for one in schema.get("anyOf", ())]
        self.parts = {
            name: _Rule(one, groups) for name, one in schema.get("properties", {}).items()
        }
        self.first = [_Rule(one, groups) for one in schema.get("prefixItems", ())]
        others = [*schema.get("patternProperties", {}).values(), *_others(schema)]
        self.others = _Rule(others[0], groups) if others else None

    def faults(self, value: Any) -> _Faults:  # noqa: ANN401 any JSON value
        """Yield the problems of a value and of its contents."""
        if self.either:
            yield from self._faults_of_any(value)
        elif not self.fits(value):
            yield "", f"is {quote(json.dumps(value))} (expected {self.expected})"
        elif isinstance(value, dict):
            for name in sorted(self.required - value.keys()):
                yield name, "is missing"
            for name, one in value.items():
                yield from _within(name, self.parts.get(name, self.others), one)
        elif isinstance(value, list):
            if len(value) < len(self.first):
                yield "", f"has {len(value)} values (expected {len(self.first)})"
            rules = chain(self.first, repeat(self.others))
            for place, (rule, one) in enumerate(zip(rules, value, strict=False)):
                yield from _within(f"[{place}]", rule, one)

    def is_met(self, value: Any) -> bool:  # noqa: ANN401 any JSON value
        """Return true if a value needs no further check."""
        kind = type(value)
        if kind is list and self.others is not None and not self.first:
            return all(map(self.others.is_met, value))
        return kind is not dict and kind is not list and self.fits(value)

    def fits(self, value: Any) -> bool:  # noqa: ANN401 any JSON value
        """Return true if a value matches the schema, regardless of its contents."""
        if self.either:
            return any(one.fits(value) for one in self.either)
        if self.types and type(value) not in self.types:
            return False
        if self.choices is not None:
            return value in self.choices
        if isinstance(value, int | float):
            return (self.least is None or value >= self.least) and (
                self.most is None or value <= self.most
            )
        return True

    @property
    def expected(self) -> str:
        """Description of valid values, for error messages."""
        if self.either:
            return " or ".join(dict.fromkeys(one.expected for one in self.either))
        if self.choices is not None:
            return ", ".join(map(json.dumps, self.choices))
        least = "" if self.least is None else f" from {self.least}"
        most = "" if self.most is None else f" to {self.most}"
        kinds = [kind for kind in self.types if not (kind is int and float in self.types)]
        return f"{' or '.join(_NAMES[kind] for kind in kinds)}{least}{most}"

    def _faults_of_any(self, value: Any) -> _Faults:  # noqa: ANN401 any JSON value
        fitting = [one for one in self.either if one.fits(value)]
        if not fitting:
            yield "", f"is {quote(json.dumps(value))} (expected {self.expected})"
        elif isinstance(value, dict | list):
            yield from min(([*one.faults(value)] for one in fitting), key=len)


def _others(schema: _Schema) -> list[_Schema]:
    """Return the schema of a list's items, or of an object's additional keys."""
    found = [schema.get("items"), schema.get("additionalProperties")]
    return [one for one in found if isinstance(one, dict)]


def _within(name: str, rule: _Rule | None, value: Any) -> _Faults:  # noqa: ANN401 any JSON value
    if rule is None or rule.is_met(value):
        return
    for key, fault in rule.faults(value):
        dot = "." if key and not key.startswith("[") else ""
        yield quote(f"{name}{dot}{key}"), fault
