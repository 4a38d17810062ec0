"""Inline assembly: PTX and AMD's GCN.

About twenty instructions that matter to a kernel's threads become tree nodes; those known to compute in registers
become an :class:`Asm` without effects; text that holds anything else is an :class:`Asm` that may synchronise and write.
A label that stands alone is a :class:`Label`: other assembly jumps there.
"""

from __future__ import annotations

import re

from kernlint.frontends.clang.intrinsics import gcn
from kernlint.frontends.clang.intrinsics.ptx import PtxLowering
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import Asm, Block, Expr, Label, Stmt

_COMMENT = pattern(r"//[^\n]*|/\*.*?\*/", re.S)
_LITERAL = pattern(r'"((?:[^"\\]|\\.)*)"')
_LABEL = pattern(r"^[A-Za-z_$%][\w$%={}\[\]]*:(?!:)\s*")
_OPCODE = pattern(r"[\w.:$]+")
_GUARD = pattern(r"^@\s*(!?)\s*([%\w$.]+)\s+")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: ``opcode`` with its modifiers split at the dots, ``operands`` as text, and the predicate
    register that guards it (``negated`` when ``@!p``)."""

    opcode: tuple[str, ...]
    operands: tuple[str, ...]
    guard: str = ""
    negated: bool = False


def parse(text: str) -> tuple[list[Instruction], bool]:
    """Instructions of an assembly template, and whether it has labels."""
    if '"' in text:
        text = "".join(_LITERAL.findall(text))
    text = text.replace("\\\n", " ").replace("\\n", "\n").replace("\\t", " ").replace("\\r", " ").replace('\\"', '"')
    text = text.rstrip("\\ ")
    text = _COMMENT.sub(" ", text)
    found: list[Instruction] = []
    labels = False
    for piece in _pieces(text):
        piece = piece.strip(" \t\n{}") if not _has_vector(piece) else piece.strip(" \t\n").lstrip("{} \t\n")
        while label := _LABEL.match(piece):
            labels = True
            piece = piece[label.end() :].lstrip("{} \t\n")
        guard, negated = "", False
        if matched := _GUARD.match(piece):
            guard, negated = matched.group(2), bool(matched.group(1))
            piece = piece[matched.end() :]
        if not piece:
            continue
        opcode = _OPCODE.match(piece)
        head, rest = (opcode.group(), piece[opcode.end() :].strip()) if opcode else (piece, "")
        found.append(Instruction(tuple(head.replace("::", "_").split(".")), _operands(rest), guard, negated))
    return found, labels


def _pieces(text: str) -> list[str]:
    # PTX ends every statement with a semicolon and may break lines; GCN has one statement a line.
    separators = r"[;\n]" if gcn.looks_like(text) else r";"
    return [re.sub(r"\s+", " ", piece) for piece in re.split(separators, text)]


def _has_vector(piece: str) -> bool:
    return re.search(r"\{[^{}]*[,%][^{}]*\}", piece) is not None


def _operands(text: str) -> tuple[str, ...]:
    parts: list[str] = []
    depth, start = 0, 0
    for index, char in enumerate(text):
        if char in "[{(":
            depth += 1
        elif char in "]})":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:index].strip())
            start = index + 1
    parts.append(text[start:].strip())
    return tuple(_alone(part) for part in parts if part)


def _alone(operand: str) -> str:
    """An operand without the braces of a vector of one (``{%0}``)."""
    inside = operand[1:-1].strip() if operand[:1] == "{" and operand[-1:] == "}" else ""
    return inside if inside and "," not in inside else operand


def lower_asm(
    text: str,
    outputs: tuple[Expr, ...],
    inputs: tuple[Expr, ...],
    span: Span,
    volatile: bool,
    names: tuple[str, ...] = (),
) -> Stmt:
    """The statement that an ``asm`` stands for.

    ``text`` is the template, decoded or as quoted in the source; ``outputs`` then ``inputs`` are its operands ``%0``,
    ``%1``...; ``names`` their symbolic names (``%[name]``) in the same order, empty where there is none.  ``volatile``
    says nothing about threads and is only kept for the signature of the statement.
    """
    for index, name in enumerate(names):
        if name:
            text = text.replace(f"%[{name}]", f"%{index}")
    instructions, labels = parse(text)
    if not instructions and labels:  # what else leads there is out of sight
        return Label(span, text.strip('"\\n \t\n:'))
    if not instructions:
        return Asm(span, text, outputs, inputs, may_sync=False, writes_memory=False)
    if gcn.looks_like(text):
        return gcn.lower([(".".join(i.opcode), i.operands) for i in instructions], text, outputs, inputs, span)
    lowered = PtxLowering(text, outputs, inputs, span).run(
        [(i.opcode, i.operands, i.guard, i.negated) for i in instructions], labels
    )
    if len(lowered) == 1:
        return lowered[0]
    return Block(span, tuple(lowered))
