"""Sources of kernels that a build makes of templates (``sums.cu.in``): ``@NAME@``, ``${NAME}`` and ``#cmakedefine``
with what the build puts there, once for each file that it makes.  What is not known is as unknown as what a Python
program fills in (:mod:`~kernlint.frontends.clang.python.texts.standins`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.frontends.base import Filled, Surroundings
from kernlint.frontends.clang.embedded import Program
from kernlint.frontends.clang.options import Language
from kernlint.frontends.clang.python.text import Text, joined, made
from kernlint.frontends.clang.python.texts.standins import closed
from kernlint.frontends.clang.python.texts.values import Open, mark
from kernlint.project.headers import is_on
from kernlint.record import dataclass
from kernlint.text.patterns import pattern

_HOLE = pattern(
    rb"@(\w+)@|\$\{(\w+)\}|^(?P<head>[ \t]*#[ \t]*)cmakedefine(?P<one>01)?[ \t]+(?P<name>\w+)(?P<rest>[^\n]*)$",
    re.M,
)


@dataclass(frozen=True, slots=True)
class Nothing:
    """A template of which nothing is known."""

    values: tuple[tuple[str, str], ...] = ()
    only: bool = False


def made_of(path: str, data: bytes, language: Language, around: Surroundings | None) -> Iterator[tuple[Program, str]]:
    """The programs that a build makes of a template, each with the values that tell it from the others, in words."""
    fillings = around.made_of(path) if around is not None else ()
    fillings = fillings or [Nothing()]
    seen: set[bytes] = set()
    for filling in fillings:
        text = closed(_filled(data, filling))
        if text.data in seen:
            continue
        seen.add(text.data)
        told = [
            f"{name} = {value}"
            for name, value in filling.values
            if any((name, value) not in other.values for other in fillings)
        ]
        program = Program(language, text.data, 0, len(data), places=text.places, assembled=True)
        yield program, ", ".join(told) if len(fillings) > 1 else ""


def _filled(data: bytes, filling: Filled) -> Text:
    """A template with what is put into it."""
    whole, values = Text(data, ((0, len(data), 0),)), dict(filling.values)
    parts, last = [], 0
    for match in _HOLE.finditer(data):
        head = match.group("head")
        if filling.only and match.group(2) is not None:
            continue
        parts.append(whole.cut(last, match.start()))
        last = match.end()
        if head is None:
            name = (match.group(1) or match.group(2)).decode()
            parts.append(made(values[name]) if name in values else mark(Open(name)))
            continue
        value = values.get(match.group("name").decode())
        if match.group("one"):
            parts += [whole.cut(match.start(), match.end("head")), made("define "), whole.cut(*match.span("name"))]
            parts.append(made(f" {int(is_on(value))}") if value is not None else made(" 0"))
        elif value is not None and is_on(value):
            rest = Text(match.group("rest"), ((0, len(match.group("rest")), match.start("rest")),))
            parts += [whole.cut(match.start(), match.end("head")), made("define "), whole.cut(*match.span("name"))]
            parts.append(_put(rest, values))
    parts.append(whole.cut(last, len(data)))
    return joined(parts)


def _put(rest: Text, values: dict[str, str]) -> Text:
    """The rest of a definition with what is put into it."""
    parts, last = [], 0
    for match in _HOLE.finditer(rest.data):
        name = (match.group(1) or match.group(2) or b"").decode()
        parts += [rest.cut(last, match.start()), made(values[name]) if name in values else mark(Open(name))]
        last = match.end()
    return joined([*parts, rest.cut(last, len(rest.data))])
