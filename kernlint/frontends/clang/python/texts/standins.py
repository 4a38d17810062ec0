"""What stands in a text for what is not known: the grammar around it says of which kind that is.

A type becomes a name of numbers, an expression a constant, both declared nowhere, so that what is known of them is what
the build gives; a statement, a declaration or a list of parameters is left out, so that nothing else is lost, and the
text says so (:data:`~kernlint.frontends.clang.embedded.OPEN_CODE`).
"""

from __future__ import annotations

import re

from kernlint.frontends.clang.embedded import OPEN_CODE, OPEN_NUMBER, OPEN_TYPE
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
_LINE = pattern(rb"[^\n]*")


def closed(text: Text) -> Text:
    """A text with something in place of all that is not known."""
    found = list(marks(text.data))
    if not found:
        return text
    data = text.data
    bare = blank(data)
    parts: list[Text] = []
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
            elif kind == "number":
                given = OPEN_NUMBER + name.upper()
        start = max(start, last)
        parts += [text.cut(last, start), made(given)]
        last = max(end, last)
    parts.append(text.cut(last, len(data)))
    if code:
        parts.append(made("\n" + OPEN_CODE.decode() + "\n"))
    return joined(parts)


def _kind(text: bytes, start: int, end: int, is_type: bool) -> str:
    """``code``, ``parameters``, ``type``, ``number`` or ``name``, a part of which stands in the text."""
    before, after = text[:start].rstrip(), text[end:].lstrip()
    glued = re.match(rb"\w", text[start - 1 : start]) or re.match(rb"[\w\x01]", text[end : end + 1])
    if glued or text[start - 1 : start] == b"\x02":
        return "name"
    line_start = text.rfind(b"\n", 0, start) + 1
    line = text[line_start:start].lstrip()
    if line.startswith(b"#"):
        return "type" if is_type else "code" if line.startswith((b"#include", b"#pragma")) else "number"
    alone = not line and not _LINE.match(text, end).group().strip()  # type: ignore[union-attr]
    depth = before.count(b"{") - before.count(b"}")
    previous = text[: line_start - 1].rpartition(b"\n")[2] if line_start else b""
    starts = not before or before[-1:] in b";{}" or (not line and previous.lstrip().startswith(b"#"))
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
        if before[-1:] in b"(," and after[:1] in b",)":
            return "parameters"
        return "type" if _DECLARED.match(text, end) else "number" if not is_type else "type"
    if is_type:
        return "type"
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
    if before.endswith((b".", b"->")) or (after.startswith(b"(") and not before.endswith(b"#")):
        return "name"
    if word and not is_type and word not in (b"return", b"else", b"case") and before[-1:].isalnum() and depth <= 0:
        return "name"
    if depth <= 0 and before.endswith(b")") and after.startswith(b"{"):
        return "code"
    return "number"


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
