"""What stands in a text for what is not known: the grammar around it says of which kind that is.

A type becomes a name of numbers, an expression a constant, both declared nowhere, so that what is known of them is what
the build gives; a statement, a declaration or a list of parameters is left out, so that nothing else is lost, and the
text says so (:data:`~kernlint.frontends.clang.embedded.OPEN_CODE`).
"""

from __future__ import annotations

import re

from kernlint.frontends.clang.embedded import OPEN_CODE, OPEN_NUMBER, OPEN_TYPE
from kernlint.frontends.clang.intrinsics import maths
from kernlint.frontends.clang.lower.heads import blank, matching
from kernlint.frontends.clang.python.text import Text, joined, made
from kernlint.frontends.clang.python.texts.values import marks
from kernlint.text.patterns import pattern

_MARK = rb"\x01[te]\w+\x02"
_WORD_AT_END = pattern(rb"(\w+)\s*\Z")
_DECLARED = pattern(
    rb"\s*(?:(?:const|volatile|restrict|__restrict__|__restrict)\b\s*|[*&]\s*)*(?:[A-Za-z_]\w*|\x01[te]\w+\x02)"
    rb"\s*(?:[,;)=({\[:]|\x01|\w)"
)
_POINTER_CAST = pattern(rb"\s*(?:const\s*|volatile\s*)*\*[\s*]*\)")
_AFTER_CAST = pattern(rb"\)\s*(?:[A-Za-z_(\x01.~&!]|-?\d)")
_BEFORE_TYPE = frozenset({
    b"const", b"unsigned", b"signed", b"static", b"typedef", b"volatile", b"extern", b"__global", b"global", b"__local",
    b"local", b"__constant", b"constant", b"__private", b"__shared__", b"__device__", b"__constant__", b"inline",
    b"__inline__", b"__forceinline__", b"__host__", b"restrict", b"sizeof", b"new", b"typename", b"struct", b"enum",
    b"register", b"read_only", b"write_only", b"__managed__",
})  # fmt: skip
_TYPE_TEMPLATES = frozenset({b"texture", b"complex", b"surface", b"vector", b"reinterpret_cast", b"static_cast"})
_CONTROL = frozenset({b"if", b"for", b"while", b"switch"})
_OPERAND = pattern(rb"[\w\])\x02]\Z")
_NO_OPERANDS = frozenset({b"return", b"case", b"else", b"in"})
_OPERAND_BEGINS = pattern(rb"[\w(\x01]")
_CONTINUES = pattern(rb"[;,)\]:?]|[-+*/%<>=!&|^.]|\Z")
_LINE_ENDS = pattern(rb"[ \t]*\r?\n")
_SUFFIXED = frozenset(maths.TABLE) | frozenset(maths.EFFECT_FREE)
_ALONE = pattern(rb"(?:(?:^|\n)[ \t]*(?:\x01[te]\w+\x02[ \t]*)+\s*)+\Z")
_LINE = pattern(rb"[^\n]*")


def closed(text: Text) -> Text:
    """A text with something in place of all that is not known."""
    found = list(marks(text.data))
    if not found:
        return text
    data = text.data
    bare = blank(data)
    parts: list[Text] = []
    declared = {  # outside of functions: where it is used it is the same name
        name for start, end, name, _ in found
        if _glued(data, start, end) and bare.count(b"{", 0, start) <= bare.count(b"}", 0, start)
    }  # fmt: skip
    last, code = 0, False
    for start, end, name, is_type in found:
        given = name
        if bare[start : start + 1] == b"\x01":
            kind = _kind(bare, start, end, is_type)
            if kind in ("code", "parameters"):
                code = True
                if kind == "parameters":
                    start, end = _with_comma(bare, start, end)
                given = b"".join(b"\n" for char in data[start:end] if char == 0x0A).decode()
            elif kind == "type":
                given = OPEN_TYPE + name
            elif kind in ("number", "last"):
                given = OPEN_NUMBER + name.upper() + (";" if kind == "last" else "")
            elif kind == "operator":
                code, given = True, "+"
            elif kind == "suffix":
                given = ""
            elif _glued(data, start, end) and name not in declared:
                given = OPEN_NUMBER + name.upper()
        start = max(start, last)
        parts += [text.cut(last, start), made(given)]
        last = max(end, last)
    parts.append(text.cut(last, len(data)))
    if code:
        parts.append(made("\n" + OPEN_CODE.decode() + "\n"))
    return joined(parts)


def _kind(text: bytes, start: int, end: int, is_type: bool) -> str:
    """``code``, ``parameters``, ``type``, ``number``, ``last`` (one that ends a statement), ``operator``, ``suffix`` of
    a function's name, or ``name``, as which it stands in the text."""
    before, after = text[:start].rstrip(), text[end:].lstrip()
    low, high = _run(text, start, end)
    if (low, high) != (start, end):
        together = _kind(text[:low] + text[start:end] + text[high:], low, low + end - start, is_type)
        return together if together in ("code", "parameters") else "name"
    if _glued(text, start, end):
        return "suffix" if _base(text, start) in _SUFFIXED and not re.match(rb"\w", text[end : end + 1]) else "name"
    line_start = text.rfind(b"\n", 0, start) + 1
    line = text[line_start:start].lstrip()
    if line.startswith(b"#"):
        return "type" if is_type else "code" if line.startswith((b"#include", b"#pragma")) else "number"
    alone = not line and not _LINE.match(text, end).group().strip()  # type: ignore[union-attr]
    depth = before.count(b"{") - before.count(b"}")
    previous = text[: line_start - 1].rpartition(b"\n")[2] if line_start else b""
    if alone:
        before = _ALONE.sub(b"", before).rstrip()
    behind = before[-1:] == b"\x02" and _DECLARED.match(text, end) is not None
    starts = (
        not before
        or before[-1:] in b";{}"
        or (not line and behind)
        or (not line and previous.lstrip().startswith(b"#"))
    )
    word = _last_word(before)
    if word in _BEFORE_TYPE and not after.startswith((b";", b",", b")")):
        return "type"
    if before.endswith(b"(") and word_before(before[:-1]) == b"sizeof":
        return "type"
    if starts:
        if not after or after[:1] in b";}" or alone:
            return "type" if is_type and not alone else "code"
        if _DECLARED.match(text, end):
            return "type"
        return "type" if is_type else "number"
    if depth <= 0 and alone:
        return "code"
    if depth <= 0 and word == b"void" and after.startswith(b"("):
        return "name"
    inside = _opener(before)
    if inside is not None and (depth <= 0 or _is_head(text, inside)):
        whole = len(before[max(inside, before.rfind(b",")) + 1 :].split()) > 1  # a parameter stands there already
        if after[:1] in b",)" and before[-1:] in b"(,":
            return "parameters"
        if after[:1] in b",)" and whole and before[-1:] != b"*":
            return "code"
        return "type" if _DECLARED.match(text, end) else "number" if not is_type else "type"
    if is_type:
        return "type"
    return _in_body(text, start, end, depth)


def _in_body(text: bytes, start: int, end: int, depth: int) -> str:
    """The same where no declaration begins."""
    before, after = text[:start].rstrip(), text[end:].lstrip()
    word = _last_word(before)
    called = re.search(rb"[\w\x02]\s*\(\Z", before) is not None
    cast = after.startswith(b")") and not called and _AFTER_CAST.match(after) is not None
    if before.endswith(b"(") and (cast or _POINTER_CAST.match(text, end)):
        return "type"
    if before.endswith(b"<") and word_before(before[:-1]) in _TYPE_TEMPLATES:
        return "type"
    if before.endswith(b"(") and word_before(before[:-1]) == b"for" and _DECLARED.match(text, end):
        return "type"
    if after.startswith(b";") and (word == b"else" or (before.endswith(b")") and _controls(before))):
        return "code"
    between = _OPERAND.search(before) and word not in _NO_OPERANDS and _OPERAND_BEGINS.match(after)
    if between and b"\n" not in text[len(before) : start] and not _LINE_ENDS.match(text, end):
        return "operator"
    if before.endswith((b".", b"->")):
        return "name"
    if not _CONTINUES.match(after) and _LINE_ENDS.match(text, end) and re.search(rb"[-+*/%=<>&|^(,?:]\Z", before):
        return "last"
    if word and word not in (b"return", b"else", b"case") and before[-1:].isalnum() and depth <= 0:
        return "name"
    if depth <= 0 and before.endswith(b")") and after.startswith(b"{"):
        return "code"
    return "number"


def _glued(text: bytes, start: int, end: int) -> bool:
    """Whether a mark is a part of a word."""
    return re.match(rb"\w", text[start - 1 : start]) is not None or re.match(rb"\w", text[end : end + 1]) is not None


def _run(text: bytes, start: int, end: int) -> tuple[int, int]:
    """The range of marks that stand side by side."""
    while text[start - 1 : start] == b"\x02":
        start = text.rfind(b"\x01", 0, start)
    while text[end : end + 1] == b"\x01":
        end = text.find(b"\x02", end) + 1
    return start, end


def _base(text: bytes, start: int) -> str:
    """The part of a word that stands before a mark."""
    return _last_word(text[:start]).decode("utf-8", "replace")


def word_before(text: bytes) -> bytes:
    """The word at the end of a text."""
    return _last_word(text.rstrip())


def _last_word(text: bytes) -> bytes:
    match = _WORD_AT_END.search(text, max(0, len(text) - 60))
    return match.group(1) if match is not None else b""


def _opener(text: bytes) -> int | None:
    """Where the parenthesis is that is open at the end of a text; None where there is none since the last brace."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        char = text[at]
        if char == 0x29:
            depth += 1
        elif char == 0x28:
            if not depth:
                return at
            depth -= 1
        elif char in b"{};":
            return None
    return None


def _is_head(text: bytes, opener: int) -> bool:
    """Whether a parenthesis opens the parameters of a function that is defined there."""
    close = matching(text, opener, len(text))
    if close is None or not text[close + 1 :].lstrip().startswith(b"{"):
        return False
    word = word_before(text[:opener])
    return bool(word) and word not in _CONTROL


def _controls(text: bytes) -> bool:
    """Whether the parenthesis at the end of a text is that of a condition or loop."""
    opener = _opener(text[:-1])
    return opener is not None and word_before(text[:opener]) in _CONTROL


def _with_comma(text: bytes, start: int, end: int) -> tuple[int, int]:
    """The range of a parameter with a comma beside it."""
    after = re.match(rb"\s*,", text[end:])
    if after is not None:
        return start, end + after.end()
    before = re.search(rb",\s*\Z", text[:start])
    return (before.start(), end) if before is not None else (start, end)
