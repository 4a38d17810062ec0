"""Errors of the compiler that no missing header, macro or gap of the preludes can have brought about.

What the grammar does not allow stays so whatever the names mean, as long as each name is known: an unknown one may be
a macro that stands for anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.kinds import Severity
from kernlint.frontends.clang.lower.heads import blank, kernel_definitions
from kernlint.frontends.clang.session import ParseResult
from kernlint.frontends.clang.stubs import served
from kernlint.frontends.clang.unknowns import IDENTIFIER
from kernlint.source import Span
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import CompilerNote

_GRAMMAR = pattern(
    r"^(?:expected (?:';'|'\)'|'\]'|'\}'|'\('|expression|statement|unqualified-id|identifier|parameter declarator)"
    r"|extraneous closing brace|unterminated|expected body of|#(?:else|elif|endif) without #if)"
)
_CALLED = re.compile(r"\b(_*[A-Z][A-Z0-9_]+)\s*\(")
_MACRO = re.compile(rb"_*[A-Z][A-Z0-9_]+\b")
OPEN = pattern(rb"[$@`]|\{[{%]|<%")
"""What a template leaves open for a generator to fill in (``${n}``, ``@T@``): it is no program yet."""
_PARTS = (".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".def", ".in")
_ENDS = re.compile(rb"[;{}]|^[ \t]*#[^\n]*\n", re.MULTILINE)
_PAIRS = {b")"[0]: b"("[0], b"]"[0]: b"["[0], b"}"[0]: b"{"[0]}


def is_program(parsed: ParseResult) -> bool:
    """Whether a text with all of its headers can be asked for errors.

    A file that others include may be any part of a program, and one without kernels another language.
    """
    if parsed.path.lower().endswith(_PARTS) or any(not served(name, parsed.language) for name in parsed.missing):
        return False
    return any(kernel_definitions(parsed.text, parsed.language.value == "opencl"))


def grammar_errors(parsed: ParseResult, *, piece: bool) -> Iterator[CompilerNote]:
    """The first error of the main file, where it is one of grammar and all that stands around it is known.

    ``piece``: the text may be a part of a program only, so that brackets that do not match are nobody's fault.
    """
    first = next(parsed.errors(), None)
    if first is None or first.file != parsed.path or first.offset > len(parsed.text):
        return
    grave = first.severity >= Severity.ERROR and _GRAMMAR.search(first.message)
    if not grave or (piece and not balanced(parsed.text)):
        return
    around = parsed.text[slice(*sentence_around(parsed.text, first.offset))].decode("latin-1")
    at = parsed.text[first.offset : first.offset + 1]
    if at in (b"%", b"\\") or OPEN.search(line_of(parsed.text, first.offset)):
        return
    if _handed_in(parsed, first.offset):
        return
    if parsed.synthesised.isdisjoint(IDENTIFIER.findall(around)) and not _may_be_macros(parsed, around):
        yield CompilerNote("error", first.message, Span(parsed.path, first.offset, first.offset + 1))


def line_of(text: bytes, at: int) -> bytes:
    """The line in which a place is."""
    end = text.find(b"\n", at)
    return text[text.rfind(b"\n", 0, at) + 1 : end if end >= 0 else len(text)]


def _may_be_macros(parsed: ParseResult, around: str) -> bool:
    """Whether something is called there by a name such as macros have that no file in sight defines."""
    called = set(_CALLED.findall(around))
    return bool(called) and not called <= _defined(parsed)


def _defined(parsed: ParseResult) -> set[str]:
    """The macros that the source and its headers define."""
    return {cursor.spelling for cursor in parsed.unit.preprocessing((K.MACRO_DEFINITION,), main_only=False)}


def _handed_in(parsed: ParseResult, at: int) -> bool:
    """Whether the compiler stumbles over a name such as macros have, which stands there alone of all the text: the host
    program defines it when it builds the source."""
    word = _MACRO.match(parsed.text, at)
    if word is None or len(re.findall(rb"\b" + re.escape(word.group()) + rb"\b", parsed.text)) > 1:
        return False
    return word.group().decode() not in _defined(parsed)


def sentence_around(text: bytes, at: int) -> tuple[int, int]:
    """The range from the end of the last statement but one before ``at`` to the end of the one around it."""
    before = [match.end() for match in _ENDS.finditer(text, 0, at)]
    after = _ENDS.search(text, at)
    return (before[-2] if len(before) > 1 else 0), (after.end() if after is not None else len(text))


def balanced(text: bytes) -> bool:
    """Whether each bracket of a program has its partner."""
    opened: list[int] = []
    for char in blank(text):
        if char in _PAIRS.values():
            opened.append(char)
        elif char in _PAIRS and (not opened or opened.pop() != _PAIRS[char]):
            return False
    return not opened
