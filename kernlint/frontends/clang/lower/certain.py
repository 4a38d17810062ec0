"""Errors of the compiler about what a text says itself, all of whose words the same text declares.

A call with too few arguments, a constant without its value, an assignment to what is ``const``: where no header is
missing, no branch of an ``#if`` declares one of the words, and nothing was made up for them, there is no macro, header
or option of the build under which another compiler would accept the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.frontends.clang.compiler import Diagnostic
from kernlint.frontends.clang.conditions.directives import Branch, blanked, read_file
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.lower.faults import OPEN, balanced, grammar_errors, is_program, line_of, sentence_around
from kernlint.frontends.clang.session import ParseResult
from kernlint.frontends.clang.unknowns import IDENTIFIER, KEYWORDS
from kernlint.source import Span
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import CompilerNote

MOST = 8
"""Errors that are told of one file."""

_ANY = pattern(
    r"^(?:cannot assign to (?:variable|non-static data member) '\w+' (?:with const-qualified type|within const)"
    r"|read-only variable is not assignable"
    r"|'(?:break|continue)' statement not in"
    r"|use of undeclared label"
    r"|kernel must have void return type|kernel function type '.*' must have void return type"
    r"|variable in constant address space must be initialized"
    r"|pointer arguments to kernel functions must reside in"
    r"|function scope variable cannot be declared in global address space"
    r"|variable length arrays are not supported|cannot use variable-length arrays in"
    r"|too (?:few|many) elements in vector initialization"
    r"|vector component access exceeds type"
    r"|array subscript is not an integer"
    r"|implicit conversions between vector types"
    r"|scalar operand type has greater rank than the type of the vector element"
    r"|call to global function '\w+' not configured|kernel call to non-global function)"
)
"""Errors that rest on nothing but the words of the sentence they stand in."""

_DOUBLE = pattern(r"^scalar operand type has greater rank")
"""Constants are double, unless an option (``-cl-single-precision-constant``) says otherwise."""

_SPACES = pattern(
    r"(?:'(?P<from>[^']*)'.*'(?P<to>[^']*)'|'(?P<to_>[^']*)'.*'(?P<from_>[^']*)') changes address space of"
)
_SPACE = pattern(r"__(?:global|local|constant|generic|private)\b")
_UNLIKE = pattern(r"^(?:initializing|assigning to|passing|returning) .*incompatible type")
_PLAIN = pattern(
    r"'(?:const |volatile |__\w+ )*(?:unsigned |signed )?(?:float|double|half|int|uint|long|ulong|short|ushort|char"
    r"|uchar|bool)(?:2|3|4|8|16| __attribute__\(\(ext_vector_type\(\d+\)\)\))?(?: ?\*(?:const|restrict|__\w+| )*)*'"
)
_QUOTED = pattern(r"'[^']*'")
_SHARED = pattern(r"^initialization is not supported for __shared__")
_GIVEN = pattern(r"\w\s*(?:\[[^\]]*\]\s*)*=")
_CALL = pattern(
    r"^(?:too (?:few|many) arguments to function call|no matching (?:member )?function for call to '(\w+)')"
)
_COUNT = pattern(
    r"declared here|(?:requires|allows) (?:at (?:least|most) )?(?:\d+|single|exactly \d+)? ?(?:non-object )?argument"
    r"|deduced conflicting types for parameter|call to __host__ function from __(?:global|device)__ function"
    r"|call to __device__ function from __host__ function"
)
_AGAIN = pattern(r"^redefinition of '")
_MEMBER = pattern(
    r"^no member named '\w+' in '(?:struct )?(\w+)'|^member reference type '(?:struct )?(\w+)' is not a pointer"
)
_DECLARED = rb"\b([A-Za-z_]\w*)(?:[\s*&]|\bconst\b|\brestrict\b|__restrict__)+%s\b"


def errors_of_the_text(parsed: ParseResult, *, piece: bool, harmless: tuple[str, ...]) -> Iterator[CompilerNote]:
    """What no compiler accepts, of the grammar or of the words; ``harmless`` are beginnings of other messages."""
    if not is_program(parsed) or next(parsed.errors(), None) is None:
        return
    yield from grammar_errors(parsed, piece=piece)
    yield from _certain_errors(parsed, piece=piece, harmless=harmless)


def _certain_errors(parsed: ParseResult, *, piece: bool, harmless: tuple[str, ...]) -> Iterator[CompilerNote]:
    """The first errors of the main file, up to one that a thing out of sight may cure; one for a line.

    ``piece``: the text may be a part of a program only.  ``harmless``: beginnings of messages that neither count nor
    end the search.
    """
    if piece and not balanced(parsed.text):
        return
    asked = _Words(parsed)
    lines: set[int] = set()
    for error in parsed.errors():
        if error.file != parsed.path or error.offset >= len(parsed.text):
            return
        if _is_certain(parsed, asked, error, piece):
            if (
                error.line not in lines
                and len(lines) < MOST
                and OPEN.search(line_of(parsed.text, error.offset)) is None
            ):
                lines.add(error.line)
                kind = "error" if _DOUBLE.search(error.message) else "certain"
                yield CompilerNote(kind, error.message.rstrip("."), Span(parsed.path, error.offset, error.offset + 1))
        elif not error.message.startswith(harmless):
            return


def _is_certain(parsed: ParseResult, asked: _Words, error: Diagnostic, piece: bool) -> bool:
    message = error.message
    text = parsed.text
    sentence = text[slice(*sentence_around(text, error.offset))]
    if _AGAIN.search(message):
        known = not piece and bool(error.said)
    elif (match := _CALL.search(message)) is not None:
        known = bool(error.said) and all(_COUNT.search(each) for each in error.said)
    elif (match := _MEMBER.search(message)) is not None:
        name = match[1] or match[2]
        known = asked.whole_class(name)
    elif _SHARED.search(message):
        known = _GIVEN.search(sentence.decode("latin-1")) is not None
    elif (match := _SPACES.search(message)) is not None:
        known = _never(match["from"] or match["from_"], match["to"] or match["to_"])
    elif _UNLIKE.search(message):
        quoted = _QUOTED.findall(message)
        known = parsed.language.value == "opencl" and all(_PLAIN.search(each) for each in quoted)
    else:
        known = _ANY.search(message) is not None
    if not known:
        return False
    places = [error.offset]
    for file, offset in error.notes:
        if file != parsed.path or offset >= len(text):
            return False
        places.append(offset)
    return all(asked.settled(place) for place in places)


def _never(source: str, target: str) -> bool:
    """Whether no version of OpenCL C makes a pointer of one type one of the other.

    What is written without a space is generic since version 2, and private before.
    """
    a, b = (_SPACE.findall(each.partition("*")[0]) for each in (source, target))
    if len(a) != 1 or len(b) != 1 or a == b:
        return False
    return "__constant" in (a[0], b[0]) or not {a[0], b[0]} & {"__generic", "__private"}


class _Words:
    """What of a text's words is settled by the text itself."""

    def __init__(self, parsed: ParseResult) -> None:
        self.parsed = parsed
        self.text = blanked(parsed.text)
        self.branches = [
            each for each in read_file(parsed.path, parsed.text).branches if not _is_guard(each, self.text)
        ]
        self._open: frozenset[str] | None = None
        self._macros: dict[str, list[str]] | None = None

    @property
    def open(self) -> frozenset[str]:
        """The words that some branch of an ``#if`` holds, and what was made up."""
        if self._open is None:
            words = {
                word.decode()
                for each in self.branches
                for word in re.findall(rb"[A-Za-z_]\w*", self.text[each.start : each.end])
            }
            self._open = frozenset((words | self.parsed.synthesised) - KEYWORDS)
        return self._open

    def settled(self, at: int) -> bool:
        """Whether a place is in no branch and rests on no word of one."""
        if any(each.start <= at < each.end for each in self.branches):
            return False
        start, end = sentence_around(self.text, at)
        if any(start < each.end and each.start < end for each in self.branches):
            return False
        todo = set(IDENTIFIER.findall(self.text[start:end].decode("latin-1")))
        seen: set[str] = set()
        while todo:
            word = todo.pop()
            if word in seen or word in KEYWORDS:
                continue
            seen.add(word)
            bodies = self._bodies(word)
            if word in self.open or len(bodies) > 1:
                return False
            for body in bodies:
                todo.update(IDENTIFIER.findall(body))
            todo.update(match.decode() for match in re.findall(_DECLARED % word.encode(), self.text))
        return True

    def _bodies(self, name: str) -> list[str]:
        """What the user's macros of a name stand for."""
        if self._macros is None:
            self._macros = {}
            for cursor in self.parsed.unit.preprocessing((K.MACRO_DEFINITION,)):
                extent = cursor.extent
                body = self.parsed.text[extent.start : extent.end].decode("latin-1")
                self._macros.setdefault(cursor.spelling, []).append(body)
        return self._macros.get(name, [])

    def whole_class(self, name: str) -> bool:
        """Whether the text has the body of a class, once and without directives."""
        word = re.escape(name.encode())
        found = list(
            re.finditer(
                rb"\b(?:struct|class)\s+%s\s*\{([^{}]*)\}|\bstruct\s*\w*\s*\{([^{}]*)\}\s*%s\s*;" % (word, word),
                self.text,
            )
        )
        return len(found) == 1 and b"#" not in found[0].group() and name not in self.open


def _is_guard(branch: Branch, text: bytes) -> bool:
    """Whether a branch is all of a file, as one that keeps it from being read twice."""
    directive = text.rfind(b"\n", 0, max(0, branch.start - 1)) + 1
    before = text[:directive].strip()
    _, _, after = text[branch.end :].partition(b"\n")
    return branch.parent is None and not branch.earlier and not before and not after.strip()
