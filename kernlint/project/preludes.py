"""Texts that a host program puts before an OpenCL program.

A program may lie in several files that the host joins: it includes them one after the other into a string (they are
written as raw literals then).  What it includes before a file, in the same statement, is that file's beginning; a host
file may join several programs.  A part that a host joins elsewhere, without a kernel of its own, comes first where it
defines a name that the program uses and does not define, as no other part does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kernlint.text.patterns import pattern

OPENCL = (".cl", ".clh", ".ocl", ".opencl")
"""Suffixes of OpenCL text."""

MOST = 16
"""Files that are put before one."""

_DEFINED = pattern(
    rb"#[ \t]*define[ \t]+([A-Za-z_]\w*)|\btypedef\b[^;{}]*?(?:\{[^{}]*\})?[^;{}]*?\b([A-Za-z_]\w*)[ \t]*;"
)
_FUNCTION = pattern(rb"\b([A-Za-z_]\w*)[ \t]*\([^;{}()]*\)\s*\{")
_WORD = pattern(rb"[A-Za-z_]\w*")
_COMMENT = pattern(rb"//[^\n]*|/\*.*?\*/", 16)
_PIECE = pattern(
    rb'//[^\n]*|/\*.*?\*/|\bR"([^()\s]*)\(.*?\)\1"|^[ \t]*#[ \t]*include[ \t]*(["<][^">\n]+)[">]|"(?:\\.|[^"\\\n])*"'
    rb"|'(?:\\.|[^'\\\n])+'|(;)",
    16 | 8,
)


def statements(host: bytes) -> list[list[str]]:
    """OpenCL files, as written behind a quote, that each statement of a host file includes, in order."""
    found: list[list[str]] = [[]]
    for match in _PIECE.finditer(host):
        if match.group(3) and found[-1]:
            found.append([])
        elif match.group(2):
            written = match.group(2).decode("utf-8", "surrogateescape")
            if written.lower().endswith(OPENCL):
                found[-1].append(written)
    return [parts for parts in found if parts]


def joined_before(path: str, joins: Iterable[Sequence[str]]) -> list[str]:
    """Files that a host includes before ``path``; ``joins``: the OpenCL files that each statement of a host includes,
    in order.

    Of several statements the one counts that puts most before it."""
    best: list[str] = []
    for parts in joins:
        if path in parts:
            before = list(parts[: parts.index(path)])
            if len(before) > len(best):
                best = before
    return best[-MOST:]


def common_parts(texts: Sequence[bytes], parts: Mapping[str, bytes]) -> list[str]:
    """Those of ``parts`` (text by path) that define names which ``texts`` use and do not define."""
    plain = [_COMMENT.sub(b" ", text) for text in texts]
    used = {word for text in plain for word in _WORD.findall(text)}
    used -= {name for text in plain for name in _defined(text)}
    holders: dict[bytes, list[str]] = {}
    for path, text in sorted(parts.items()):
        for name in _defined(_COMMENT.sub(b" ", text)) & used:
            holders.setdefault(name, []).append(path)
    return sorted({paths[0] for paths in holders.values() if len(paths) == 1})[:MOST]


def _defined(text: bytes) -> set[bytes]:
    names = {name for pair in _DEFINED.findall(text) for name in pair if name}
    return names | set(_FUNCTION.findall(text))
