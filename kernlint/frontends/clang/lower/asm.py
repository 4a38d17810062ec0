"""Inline assembly: the template string and operands read from the source, since clang shows only the operands."""

from __future__ import annotations

import re

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.lower.context import Scope, is_expression
from kernlint.tree.nodes import Asm, Expr, Stmt

_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"\((?P<raw>.*?)\)"|"(?P<text>(?:\\.|[^"\\])*)"|[():\[\],]|[^\s():\[\],"]+', re.DOTALL
)


def split(source: str) -> tuple[str, list[list[str]]] | None:
    """The template text and the constraint strings of each section (outputs, inputs, clobbers) of an ``asm``."""
    start = source.find("(")
    if start < 0:
        return None
    sections: list[list[str]] = [[]]
    template: list[str] = []
    depth = 0
    for match in _TOKEN.finditer(source, start):
        token = match.group()
        if token.startswith(("//", "/*")):
            continue
        if token in "([":
            depth += 1
        elif token in ")]":
            depth -= 1
            if depth == 0:
                break
        elif depth == 1 and token == ":":
            sections.append([])
        elif depth == 1 and token.startswith(('"', "R")):
            text = match.group("raw") or _unescape(match.group("text") or "")
            (template if len(sections) == 1 else sections[-1]).append(text)
    return "".join(template), sections[1:]


def _unescape(text: str) -> str:
    return text.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"').replace("\\\\", "\\")


def inline_assembly(scope: Scope, cursor: Cursor) -> Stmt:
    """An ``asm`` statement as what it does where that is known, else as :class:`Asm`."""
    operands = tuple(scope.expression(c) for c in cursor.children if is_expression(c))
    parsed = split(scope.lowering.source(cursor))
    span = scope.span(cursor)
    if parsed is None or not parsed[0]:
        scope.lose("statement", "inline assembly whose text is not known", cursor)
        return Asm(span, "", (), operands, may_sync=True, writes_memory=True)
    text, sections = parsed
    outputs = sections[0] if sections else []
    inputs = sections[1] if len(sections) > 1 else []
    clobbers = tuple(sections[2]) if len(sections) > 2 else ()
    if len(outputs) + len(inputs) != len(operands):
        scope.lose("statement", "inline assembly whose operands could not be told apart", cursor)
        return Asm(span, text, (), operands, may_sync=True, writes_memory=True)
    out: tuple[Expr, ...] = operands[: len(outputs)]
    return known_assembly(scope, cursor, text, out, operands[len(outputs) :], tuple(outputs), tuple(inputs), clobbers)


def known_assembly(
    scope: Scope,
    cursor: Cursor,
    text: str,
    outputs: tuple[Expr, ...],
    inputs: tuple[Expr, ...],
    output_constraints: tuple[str, ...],
    input_constraints: tuple[str, ...],
    clobbers: tuple[str, ...],
) -> Stmt:
    """Hand the parts to the table of known instructions."""
    memory = "memory" in clobbers or any("m" in c for c in output_constraints)
    return Asm(scope.span(cursor), text, outputs, inputs, may_sync=True, writes_memory=memory)
