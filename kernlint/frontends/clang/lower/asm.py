"""Inline assembly: the template string and operands read from the source, since clang shows only the operands."""

from __future__ import annotations

import re

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.lower.context import Scope
from kernlint.frontends.clang.lower.printed import is_expression
from kernlint.record import dataclass
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import Asm, Stmt

_TOKEN = pattern(
    r'//[^\n]*|/\*.*?\*/|R"\((?P<raw>.*?)\)"|"(?P<text>(?:\\.|[^"\\])*)"|::|[():\[\],]|[^\s():\[\],"]+', re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Operands:
    """One section of an ``asm``: constraint strings and symbolic names (empty where there is none), in order."""

    constraints: list[str]
    names: list[str]


def split(source: str) -> tuple[str, list[Operands]] | None:
    """The template text and the sections (outputs, inputs, clobbers) of an ``asm``; None when it is not one."""
    start = source.find("(")
    if start < 0:
        return None
    sections: list[Operands] = []
    template: list[str] = []
    depth, name = 0, ""
    for match in _TOKEN.finditer(source, start):
        token = match.group()
        if token.startswith(("//", "/*")):
            continue
        if token in ("(", "["):
            depth += 1
        elif token in (")", "]"):
            depth -= 1
            if depth == 0:
                break
        elif depth == 1 and token in (":", "::"):
            sections.extend(Operands([], []) for _ in token)
        elif depth == 1 and (match.group("raw") is not None or match.group("text") is not None):
            text = match.group("raw") or _unescape(match.group("text") or "")
            if not sections:
                template.append(text)
            else:
                sections[-1].constraints.append(text)
                sections[-1].names.append(name)
                name = ""
        elif depth == 2 and sections and source[: match.start()].endswith("["):
            name = token
    return "".join(template), sections


def _operands(sections: list[Operands]) -> int:
    return sum(len(section.constraints) for section in sections[:2])


def _unescape(text: str) -> str:
    return text.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"').replace("\\\\", "\\")


_ASM = pattern(r"\s*(?:asm|__asm__|__asm)\b")
_ASM_WITHIN = pattern(r"\b(?:asm|__asm__|__asm)\b")
_INVOKED = pattern(r"\b([A-Za-z_]\w*)\b")
_STRING_OR_WORD = pattern(r'"(?:\\.|[^"\\])*"|\b([A-Za-z_]\w*)\b')
_PARAMETERS = pattern(r"\A\([^()]*\)")
_STRING = pattern(r'"(?:\\.|[^"\\])*"')


def _from_macro(scope: Scope, invocation: str, depth: int = 4) -> str:
    """The one ``asm`` in the body of the macro that ``invocation`` uses (or of a macro in there); empty where there are
    several, or where a ``#`` builds the text: the tree shows only the operands, which are those of the expansion."""
    head = _INVOKED.search(invocation)
    body = scope.lowering.macro_body(head.group(1)) if head is not None else ""
    if not body or depth == 0:
        return ""
    found = [body[match.start() :] for match in _ASM_WITHIN.finditer(body)]
    if not found:
        inner = (_from_macro(scope, match.group(1), depth - 1) for match in _INVOKED.finditer(body))
        found = [text for text in inner if text]
    if len(found) != 1 or "#" in _STRING.sub("", found[0]):
        return ""
    return found[0]


def _expanded(scope: Scope, source: str) -> str:
    """The text of an ``asm`` with the macros in it that hold constraints, as ``ADDRESS(p)`` does for ``"l"(p)``."""

    def body(match: re.Match[str]) -> str:
        found = scope.lowering.macro_body(match.group(1)) if match.group(1) else ""
        return _PARAMETERS.sub("", found) if '"' in found else match.group()

    return _STRING_OR_WORD.sub(body, source)


def inline_assembly(scope: Scope, cursor: Cursor) -> Stmt:
    """An ``asm`` statement as what it does where that is known, else as :class:`Asm`."""
    operands = tuple(scope.expression(c) for c in cursor.children if is_expression(c))
    source = scope.lowering.source(cursor)
    if not _ASM.match(source):
        source = _from_macro(scope, source) or source
    parsed = split(source)
    span = scope.span(cursor)
    if parsed is None or not (parsed[0] or parsed[1]):
        scope.lose("statement", "inline assembly whose text is not known", cursor)
        return Asm(span, "", (), operands, may_sync=True, writes_memory=True)
    text, sections = parsed
    if _operands(sections) != len(operands):
        text, sections = split(_expanded(scope, source)) or parsed
    outputs = len(sections[0].constraints) if sections else 0
    inputs = _operands(sections) - outputs
    if outputs + inputs != len(operands):
        scope.lose("statement", "inline assembly whose operands could not be told apart", cursor)
        return Asm(span, text, (), operands, may_sync=True, writes_memory=True)
    names = tuple(name for section in sections[:2] for name in section.names)
    volatile = "volatile" in source.partition("(")[0]
    from kernlint.frontends.clang.intrinsics.assembly import lower_asm  # few files hold assembly

    return lower_asm(text, operands[:outputs], operands[outputs:], span, volatile, names)
