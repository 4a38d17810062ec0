"""Where kernels are defined, by the text alone: what a front end's kernels are counted against."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.text.patterns import pattern

_BLANKED = pattern(
    rb'//[^\n]*|/\*.*?\*/|R"([^\s()\\]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL
)
_DIRECTIVE = pattern(rb"^[ \t]*#(?:\\\r?\n|[^\n])*", re.MULTILINE)
_CUDA_KERNEL = pattern(rb"\b__global__\b")
_OPENCL_KERNEL = pattern(rb"(?<![\w.>])(?:__kernel|kernel)\b")
_PAREN = pattern(rb"[()]")
_NAME = pattern(rb"([A-Za-z_]\w*)\s*(?:<[^<>;{}]*>\s*)?\Z")


_NOT_NAMES = (b"vec_type_hint", b"alignas", b"decltype", b"requires")


def blank(text: bytes) -> bytes:
    """``text`` with comments and literals overwritten by spaces; line breaks and offsets stay."""
    return _BLANKED.sub(_spaces, text)


def _spaces(match: re.Match[bytes]) -> bytes:
    return re.sub(rb"[^\n]", b" ", match.group())


def kernel_definitions(text: bytes, opencl: bool) -> Iterator[tuple[str, int, int]]:
    """Name and byte range of the head of everything in ``text`` that looks like the definition of a kernel."""
    plain = _DIRECTIVE.sub(_spaces, blank(text))
    for match in (_OPENCL_KERNEL if opencl else _CUDA_KERNEL).finditer(plain):
        head = _head(plain, match.end())
        if head is not None:
            yield head[0], head[1], head[2]


def _head(text: bytes, start: int) -> tuple[str, int, int] | None:
    """The name before the parameter list that a body follows."""
    at, limit = start, min(len(text), start + 8000)
    name: tuple[str, int] | None = None
    while at < limit:
        char = text[at : at + 1]
        if char == b"(":
            before = _NAME.search(text[max(start, at - 200) : at])
            close = matching(text, at, limit)
            if close is None:
                return None
            if before is not None:
                found = before.group(1)
                if found not in _NOT_NAMES and not (found.startswith(b"__") and found.endswith(b"__")):
                    name = (found.decode(), max(start, at - 200) + before.start(1))
            at = close
        elif char == b"{":
            return (name[0], name[1], at) if name is not None else None
        elif char in b";#}":
            return None
        at += 1
    return None


def matching(text: bytes, at: int, limit: int) -> int | None:
    """Where the parenthesis closes that opens at ``at``; None where it does not before ``limit``."""
    depth = 0
    for match in _PAREN.finditer(text, at, limit):
        depth += 1 if match.group() == b"(" else -1
        if depth == 0:
            return match.start()
    return None
