"""What stands for `typing` in modules that every command imports does what the library does."""

from __future__ import annotations

import pickle
import typing
from typing import TYPE_CHECKING, get_type_hints

import pytest

from venice import typed
from venice.cli.declared import File
from venice.trace_events import Window

if TYPE_CHECKING:
    from collections.abc import Callable


class Ours(typed.NamedTuple):
    """A place."""

    row: int
    col: int = 3
    """Whose."""

    @property
    def sum(self) -> int:
        """Both."""
        return self.row + self.col

    @classmethod
    def first(cls) -> Ours:
        """Give the first one."""
        return cls(0, 0)


class Theirs(typing.NamedTuple):
    """A place."""

    row: int
    col: int = 3


def test_a_named_tuple_has_fields_defaults_methods_and_a_document() -> None:
    one = Ours(1)
    assert (one, one.col, one.sum, Ours.first()) == ((1, 3), 3, 4, (0, 0))
    assert repr(one) == "Ours(row=1, col=3)"
    assert one._replace(row=2) == Ours(2)
    assert (Ours.__doc__, Ours.__module__) == ("A place.", __name__)


@pytest.mark.parametrize(
    "of", [lambda kind: kind._fields, lambda kind: kind._field_defaults, get_type_hints]
)
def test_a_named_tuple_tells_what_that_of_typing_tells(of: Callable[[object], object]) -> None:
    assert of(Ours) == of(Theirs)


def test_a_named_tuple_can_be_sent_to_another_process() -> None:
    window = Window(5)
    sent = pickle.loads(pickle.dumps(window))  # noqa: S301 our own
    assert (sent, type(sent)) == (window, Window)


def test_a_typed_dictionary_is_one() -> None:
    class Some(typed.TypedDict, total=False):
        name: str

    given: Some = {"name": "a"}
    assert given == Some(name="a") == {"name": "a"}
    assert "name" in Some.__annotations__


def test_an_annotated_type_says_both() -> None:
    said = [getattr(of, "Annotated")[int | None, "x", 2] for of in (typed, typing)]  # noqa: B009 as it is at run time
    assert [(one.__origin__, one.__metadata__) for one in said] == [(int | None, ("x", 2))] * 2
    assert typed.cast("object", 5) == 5


def test_a_files_path_is_that_of_pathlib() -> None:
    path = File("some/file.toml")
    assert (path.suffix, path.parent.name) == (".toml", "some")
