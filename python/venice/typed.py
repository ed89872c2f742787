"""What :mod:`typing` has, for modules that every command imports.

Type checkers see the library itself. To import it takes a fifth of a short run's instructions, 34
million beside 134; this is the little of it that does something then.
"""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
"""As :data:`typing.TYPE_CHECKING`: type checkers go by the name."""

if TYPE_CHECKING:
    from typing import Annotated as Annotated
    from typing import NamedTuple as NamedTuple
    from typing import TypedDict as TypedDict
    from typing import cast as cast
else:

    class Annotated:
        """A type and what is said of it: ``Annotated[int, "in metres"]``."""

        def __init__(self, origin, *metadata):
            self.__origin__ = origin
            self.__metadata__ = metadata

        def __class_getitem__(cls, said):
            return cls(*said)

    class _Named(type):
        """Makes a tuple of a class that says which fields it has."""

        def __new__(cls, name, bases, body):
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = body["__annotations__"]
            usual = [body.pop(field) for field in fields if field in body]
            made = namedtuple(name, fields, defaults=usual, module=body["__module__"])
            for key, value in body.items():
                setattr(made, key, value)
            return made

    class NamedTuple(metaclass=_Named):
        """A tuple whose fields have names."""

    class TypedDict(dict):
        """A dictionary of which is said what it holds."""

        def __init_subclass__(cls, *, total=True):
            cls.__total__ = total

    def cast(_type, value):
        """Give the value, which type checkers take to be of the type."""
        return value
