"""Kernels inside string literals of host code.

A program in a string is parsed as a text of the host file's length in which everything but the program is blank, so
that every offset is at once one of the host file: no span has to be moved.  Adjacent literals are one program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.frontends.clang.options import Language
from kernlint.patterns import pattern
from kernlint.record import dataclass

_TOKEN = pattern(
    rb"""//[^\n]*|/\*.*?\*/
    |(?P<raw>(?:u8|[uUL])?R"(?P<tag>[^\s()\\]{0,16})\((?P<body>.*?)\)(?P=tag)")
    |(?P<text>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
    |'(?:\\.|[^'\\\n])+'""",
    re.DOTALL | re.VERBOSE,
)
_OPENCL = pattern(rb"(?:^|[\s;}])(?:__kernel|kernel)\s+(?:__attribute__\s*\(\(.*?\)\)\s*)?void\s+\w+\s*\(", re.DOTALL)
_CUDA = pattern(rb"\b__global__\b[^;{}()]*\(")
_ESCAPE = pattern(rb"\\(?:\r?\n|.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Program:
    """A program found in a host file: its dialect and the text, blank where the host code is, of equal length.

    ``start`` and ``end`` are the byte offsets of its first and behind its last literal.
    """

    language: Language
    text: bytes
    start: int
    end: int


def programs(host: bytes) -> Iterator[Program]:
    """The OpenCL and CUDA programs in the string literals of ``host``, in order."""
    if not (_OPENCL.search(host) or _CUDA.search(host)):
        return
    group: list[re.Match[bytes]] = []
    at = 0  # behind the last literal or comment
    for match in _TOKEN.finditer(host):
        apart = host[at : match.start()].strip(b" \t\r\n\\")
        at = match.end()
        if apart and group:
            yield from _program(host, group)
            group = []
        if match.group("raw") is not None or match.group("text") is not None:
            group.append(match)
    yield from _program(host, group)


def _program(host: bytes, literals: list[re.Match[bytes]]) -> Iterator[Program]:
    if not literals:
        return
    pieces: list[tuple[int, bytes]] = []
    for literal in literals:
        if literal.group("raw") is not None:
            pieces.append((literal.start("body"), literal.group("body")))
        else:
            quote = literal.group().index(b'"')
            inner = literal.group()[quote + 1 : -1]
            pieces.append((literal.start() + quote + 1, _ESCAPE.sub(_unescape, inner)))
    joined = b" ".join(text for _, text in pieces)
    language = Language.OPENCL if _OPENCL.search(joined) else Language.CUDA if _CUDA.search(joined) else None
    if language is None or b"{" not in joined:
        return
    text = bytearray(b" " * len(host))
    for start, piece in pieces:
        text[start : start + len(piece)] = piece
    yield Program(language, bytes(text), literals[0].start(), literals[-1].end())


def _unescape(match: re.Match[bytes]) -> bytes:
    """What an escape stands for, in as many bytes as it is written with."""
    escape = match.group()
    if escape == b"\\n":
        return b" \n"
    if escape in (b"\\t", b"\\r") or escape[1:2] in (b"\n", b"\r"):
        return b" " * len(escape)
    return b" " + escape[1:2]
