"""What a Python program that is followed works with: numbers, texts, types of NumPy, functions, and what is not known.

Numbers, ``None``, lists, tuples and dicts are Python's own; a string is a :class:`Text`, which knows where its parts
stand in the file.  What is not known stands in a text as a mark, of which the grammar of C says later what it can be
(:mod:`~kernlint.frontends.clang.python.texts.standins`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from kernlint.frontends.clang.embedded import prefixed_literals
from kernlint.frontends.clang.python.program import PythonProgram
from kernlint.frontends.clang.python.text import Text, made
from kernlint.record import dataclass, field
from kernlint.text.patterns import pattern

OPENS, CLOSES = b"\x01", b"\x02"
"""Around the name of what is not known, in a text."""

_ESCAPE = pattern(rb"\\(?:\r?\n|x[0-9a-fA-F]{2}|[0-7]{1,3}|[abfnrtv\\'\"])")
_ESCAPED = {
    b"\\n": b"\n", b"\\t": b"\t", b"\\r": b"\r", b"\\a": b"\a", b"\\b": b"\b", b"\\f": b"\f", b"\\v": b"\v",
    b"\\\\": b"\\", b"\\'": b"'", b'\\"': b'"',
}  # fmt: skip
_NAME = pattern(r"\W+")


@dataclass(frozen=True, slots=True)
class Open:
    """Something that is not known, by the name that the program has for it; ``type``: it names a type of C."""

    name: str
    type: bool = False


@dataclass(frozen=True, slots=True)
class NumpyType:
    """A type of numbers, by NumPy's name for it."""

    name: str


@dataclass(frozen=True, slots=True)
class Named:
    """Something of a library, by its dotted name."""

    name: str


@dataclass(slots=True, eq=False)
class Frame:
    """The variables of a module or of a function's call, in front of those around it."""

    program: PythonProgram
    parent: Frame | None
    names: dict[str, object] = field(default_factory=dict)
    returned: object = None
    done: bool = False
    """Whether a statement has ended the function, or the round of a loop."""

    def module(self) -> Frame:
        """The frame of the module."""
        at = self
        while at.parent is not None:
            at = at.parent
        return at


@dataclass(slots=True, eq=False)
class Function:
    """A function of the program, with what is around it; ``owner``: the object whose method it is, ``home``: the class
    that it stands in."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    around: Frame
    owner: object = None
    static: bool = False
    home: Class | None = None


@dataclass(slots=True, eq=False)
class Class:
    """A class of the program with its attributes, and what its bases have."""

    name: str
    names: dict[str, object]
    bases: tuple[object, ...] = ()

    def find(self, name: str, depth: int = 0) -> object:
        """An attribute, of the class or a base; None where there is none."""
        if name in self.names:
            return self.names[name]
        bases = (base for base in self.bases if isinstance(base, Class) and depth < 8)
        return next((found for base in bases if (found := base.find(name, depth + 1)) is not None), None)


@dataclass(slots=True, eq=False)
class Instance:
    """An object of a class of the program."""

    of: Class
    names: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Super:
    """An object as the bases of a class see it."""

    owner: Instance
    home: Class


@dataclass(frozen=True, slots=True)
class Argument:
    """A ``VectorArg`` or ``ScalarArg``; ``offset``: PyOpenCL passes where in its buffer the array begins."""

    vector: bool
    type: object
    name: object
    offset: bool = False


@dataclass(frozen=True, slots=True)
class Template:
    """A template object: its text and whose it is (``string``, ``jinja2``, ``mako``)."""

    text: Text
    engine: str


def mark(value: Open) -> Text:
    """How what is not known stands in a text."""
    name = _NAME.sub("_", value.name).strip("_")[:40] or "value"
    return made(f"\x01{'t' if value.type else 'e'}{name}\x02")


def is_known(value: object) -> bool:
    """Whether a value is known, and a text throughout."""
    if isinstance(value, Text):
        return OPENS not in value.data
    if isinstance(value, (list, tuple)):
        return all(map(is_known, value))
    return isinstance(value, (int, float, str, dict, NumpyType)) or value is None


def literal(program: PythonProgram, node: ast.Constant, host: PythonProgram) -> Text:
    """A string that stands in a program; its places where that is the one that is looked at."""
    assert isinstance(node.value, str)
    if program is not host:
        return made(node.value)
    out = Text(b"")
    for at, data, prefix in prefixed_literals(program.data, program.start(node), program.end(node)):
        out = out + unescaped(data, at, b"r" in prefix)
    return out if out.data == node.value.encode("utf-8", "replace") else made(node.value)


def unescaped(data: bytes, at: int, raw: bool) -> Text:
    """What is written in a literal at an offset."""
    if raw or b"\\" not in data:
        return Text(data.replace(b"\r\n", b"\n"), ((0, len(data), at),) if data and b"\r" not in data else ())
    parts, places, size, last = [], [], 0, 0
    for match in _ESCAPE.finditer(data):
        plain, word = data[last : match.start()], match.group()
        given = _ESCAPED.get(word)
        if given is None:
            given = b"" if word[1:2] in b"\r\n" else bytes([int(word[2:], 16) if word[1:2] == b"x" else
                                                             int(word[1:], 8) & 255])  # fmt: skip
        for piece, place in ((plain, at + last), (given, at + match.start())):
            if piece:
                parts.append(piece)
                places.append((size, size + len(piece), place))
                size += len(piece)
        last = match.end()
    if data[last:]:
        parts.append(data[last:])
        places.append((size, size + len(data) - last, at + last))
    return Text(b"".join(parts), tuple(places))


def text_of(value: object) -> Text:
    """A value as ``str`` has it in a text."""
    if isinstance(value, Text):
        return value
    if isinstance(value, Open):
        return mark(value)
    if isinstance(value, (bool, int, float)) or value is None:
        return made(str(value))
    if isinstance(value, NumpyType):
        return made(value.name)
    if isinstance(value, (Named, Class)):
        return mark(Open(value.name.rpartition(".")[2]))
    return mark(Open("value"))


def plain(value: object) -> object:
    """A value with strings as Python's own."""
    if isinstance(value, Text):
        return value.data.decode("utf-8", "replace")
    return tuple(map(plain, value)) if isinstance(value, tuple) else value


def items_of(value: object) -> list[object] | None:
    """What a loop over a value goes through; None where that is not known."""
    if isinstance(value, (list, tuple)):
        return list(value)
    if isinstance(value, range):
        return list(value[:MOST_ITEMS])
    if isinstance(value, Mapping):
        return [made(key) if isinstance(key, str) else key for key in value]
    if isinstance(value, Text) and OPENS not in value.data and len(value.data) <= MOST_ITEMS:
        return [value.cut(at, at + 1) for at in range(len(value.data))]
    return None


MOST_ITEMS = 300
"""Rounds of a loop that are followed."""


def marks(data: bytes) -> Iterator[tuple[int, int, str, bool]]:
    """(start, end, name, type) of what is not known in a text."""
    for match in _MARK.finditer(data):
        yield match.start(), match.end(), match.group(2).decode(), match.group(1) == b"t"


_MARK = pattern(rb"\x01([te])(\w+)\x02")
