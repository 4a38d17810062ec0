"""Templates of Jinja and Mako, rendered as far as what they ask for is known.

Both are made into one list of steps: text, expressions, loops, choices, assignments, definitions.  A choice that is
not known takes its first branch; a loop over what is not known goes round once.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Protocol

from kernlint.frontends.clang.python.text import Text, joined
from kernlint.frontends.clang.python.texts.values import Frame, Open, items_of, text_of
from kernlint.record import dataclass
from kernlint.text.patterns import pattern

_JINJA = pattern(rb"\{\{[-+]?(?P<expr>.*?)[-+]?\}\}|[ \t]*\{%[-+]?(?P<word>.*?)[-+]?%\}(?:\r?\n)?|\{#.*?#\}", re.DOTALL)
_MAKO = pattern(
    rb"\\\r?\n|^[ \t]*##[^\n]*\n|^[ \t]*%(?P<percent>%)|^[ \t]*%(?P<line>(?:\\\r?\n|[^\n])*)(?:\n|\Z)"
    rb"|<%def\s+name=[\"'](?P<def>[^\"']*)[\"'][^>]*>|</%(?P<close>\w+)>|<%doc>.*?</%doc>|<%(?P<tag>\w+)[^>]*>"
    rb"|<%!?(?P<code>.*?)%>|\$\{(?P<expr>[^{}]*)\}",
    re.DOTALL | re.MULTILINE,
)
_FILTER = pattern(r"(?<!\|)\|(?!\|)")

ROUNDS = 64
"""Rounds of a template's loop."""

MOST = 4000
"""Steps of one rendering."""


@dataclass(frozen=True, slots=True)
class _Step:
    """A part of a template: ``kind`` is ``text``, ``expr``, ``for``, ``if``, ``elif``, ``else``, ``end``, ``set``,
    ``code`` or ``def``."""

    kind: str
    text: Text
    said: str = ""


class Evaluator(Protocol):
    """What follows Python's own expressions and statements."""

    def expression(self, text: str, frame: Frame) -> object: ...

    def statements(self, text: str, frame: Frame) -> None: ...

    def bind(self, target: ast.expr, value: object, frame: Frame) -> None: ...

    def truth(self, value: object) -> bool | None: ...


class Defined:
    """A part of a template that is called by name."""

    def __init__(self, signature: str, steps: list[_Step], frame: Frame) -> None:
        name, _, rest = signature.partition("(")
        self.name = name.strip()
        self.names = [one.partition("=")[0].strip() for one in rest.rstrip(") ").split(",") if one.strip()]
        self.steps = steps
        self.frame = frame


def _jinja(text: Text) -> Iterator[_Step]:
    last = 0
    for match in _JINJA.finditer(text.data):
        yield _Step("text", text.cut(last, match.start()))
        last = match.end()
        here = text.cut(match.start(), match.end())
        if match.group("expr") is not None:
            yield _Step("expr", here, match.group("expr").decode("utf-8", "replace").strip())
        elif match.group("word") is not None:
            word, _, rest = match.group("word").decode("utf-8", "replace").strip().partition(" ")
            if word in ("for", "if", "elif", "else", "set"):
                yield _Step(word, here, rest.strip())
            elif word == "macro":
                yield _Step("def", here, rest.strip())
            elif word.startswith("end"):
                yield _Step("end", here)
    yield _Step("text", text.cut(last, len(text.data)))


def _mako(text: Text) -> Iterator[_Step]:
    last = 0
    for match in _MAKO.finditer(text.data):
        yield _Step("text", text.cut(last, match.start()))
        last = match.end()
        here = text.cut(match.start(), match.end())
        said = {name: found.decode("utf-8", "replace") for name, found in match.groupdict().items() if found}
        if "percent" in said:
            yield _Step("text", text.cut(match.end() - 1, match.end()))
        elif "line" in said:
            line = said["line"].strip().rstrip(":")
            word, _, rest = line.partition(" ")
            if word in ("for", "if", "elif", "else"):
                yield _Step(word, here, rest.strip())
            elif word.startswith("end"):
                yield _Step("end", here)
        elif "def" in said:
            yield _Step("def", here, said["def"])
        elif said.get("close") == "def":
            yield _Step("end", here)
        elif "code" in said:
            yield _Step("code", here, said["code"])
        elif "expr" in said:
            yield _Step("expr", here, said["expr"].strip())
    yield _Step("text", text.cut(last, len(text.data)))


def rendered(text: Text, engine: str, frame: Frame, evaluator: Evaluator) -> Text:
    """A template with the variables of a frame."""
    steps = list(_jinja(text) if engine == "jinja2" else _mako(text))
    return _Rendering(evaluator, engine).run(steps, frame)


def called(part: Defined, args: list[object], evaluator: Evaluator, engine: str = "mako") -> Text:
    """What a part of a template gives."""
    frame = Frame(part.frame.program, part.frame, dict(zip(part.names, args, strict=False)))
    return _Rendering(evaluator, engine).run(part.steps, frame)


class _Rendering:
    def __init__(self, evaluator: Evaluator, engine: str) -> None:
        self.evaluator = evaluator
        self.engine = engine
        self.left = MOST

    def run(self, steps: list[_Step], frame: Frame) -> Text:
        """The text that steps give."""
        out: list[Text] = []
        at = 0
        while at < len(steps) and self.left > 0:
            self.left -= 1
            step = steps[at]
            if step.kind == "text":
                out.append(step.text)
            elif step.kind == "expr":
                out.append(self._said(step.said, frame))
            elif step.kind in ("for", "if", "def"):
                end = self._end(steps, at)
                inner = steps[at + 1 : end]
                if step.kind == "for":
                    out.append(self._loop(step.said, inner, frame))
                elif step.kind == "if":
                    out.append(self._choice(step.said, inner, frame))
                else:
                    part = Defined(step.said, inner, frame)
                    frame.names[part.name] = part
                at = end
            elif step.kind in ("set", "code"):
                self.evaluator.statements(step.said, frame)
            at += 1
        return joined(out)

    def _said(self, said: str, frame: Frame) -> Text:
        """What an expression gives; filters are passed over."""
        return text_of(self.evaluator.expression(_FILTER.split(said)[0].strip(), frame))

    @staticmethod
    def _end(steps: list[_Step], start: int) -> int:
        depth = 0
        for at in range(start, len(steps)):
            depth += (steps[at].kind in ("for", "if", "def")) - (steps[at].kind == "end")
            if not depth:
                return at
        return len(steps)

    def _loop(self, said: str, inner: list[_Step], frame: Frame) -> Text:
        try:
            loop = ast.parse(f"for {said}: pass").body[0]
        except SyntaxError:
            return self.run(inner, frame)
        assert isinstance(loop, ast.For)
        over = items_of(self.evaluator.expression(ast.unparse(loop.iter), frame))
        rounds = over if over is not None else [None]
        out = []
        for number, item in enumerate(rounds[:ROUNDS]):
            more = number + 1 < len(rounds)
            frame.names["loop"] = {"index0": number, "index": number + (self.engine == "jinja2"), "last": not more,
                                   "first": not number}  # fmt: skip
            self.evaluator.bind(loop.target, item if over is not None else Open(ast.unparse(loop.target)), frame)
            out.append(self.run(inner, frame))
        return joined(out)

    def _choice(self, said: str, inner: list[_Step], frame: Frame) -> Text:
        """The branch of a choice that is taken: the first that is not known to be left."""
        depth, start, condition = 0, 0, said
        branches: list[tuple[str, list[_Step]]] = []
        for at, step in enumerate(inner):
            depth += (step.kind in ("for", "if", "def")) - (step.kind == "end")
            if not depth and step.kind in ("elif", "else"):
                branches.append((condition, inner[start:at]))
                start, condition = at + 1, step.said if step.kind == "elif" else "True"
        branches.append((condition, inner[start:]))
        for said, steps in branches:
            if self.evaluator.truth(self.evaluator.expression(said, frame)) is not False:
                return self.run(steps, frame)
        return Text(b"")
