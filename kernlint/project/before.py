"""What a file defines and includes before it includes a header."""

from __future__ import annotations

import re
from collections.abc import Callable

from kernlint.text.patterns import pattern

_DIRECTIVE = pattern(
    rb"^[ \t]*#[ \t]*(include|define|undef|if|ifdef|ifndef|endif)\b[ \t]*((?:[^\n\\]|\\\r?\n|\\.)*)", re.M
)
_INCLUDED = pattern(rb"([\"<])([^\">\n]+)[\">]")
_MACRO = pattern(rb"([A-Za-z_]\w*)(\([^()]*\))?(?:\s+(.*))?\Z", re.S)
_COMMENT = pattern(rb"/\*.*?\*/|//[^\n]*", re.S)
_WORD = pattern(rb"[A-Za-z_]\w*")


def defines_before(text: bytes, header: bytes, meant: Callable[[str], bool]) -> tuple[str, ...]:
    """Macros, ``NAME``, ``NAME=VALUE`` or ``NAME(PARAMETERS)=VALUE``, that ``text`` defines outside of conditions
    before the first include that ``meant`` says yes to (given what is included, behind its quote), and that the text
    ``header`` mentions.  A guard against second inclusion is no condition."""
    defined: dict[bytes, bytes] = {}
    depth = guard = 0
    for match in _DIRECTIVE.finditer(text):
        word, rest = match.groups()
        if word.startswith(b"if"):
            guarding = (
                word == b"ifndef"
                and not depth
                and re.match(
                    rb"\s*#[ \t]*define[ \t]+" + re.escape(rest.strip()) + rb"\b", text[match.end() : match.end() + 300]
                )
            )
            depth, guard = depth + 1, guard + bool(guarding)
        elif word == b"endif":
            depth = max(0, depth - 1)
            guard = min(guard, depth)
        elif word == b"include":
            included = _INCLUDED.match(rest)
            if included is not None and meant(
                (included.group(1) + included.group(2)).decode("utf-8", "surrogateescape")
            ):
                mentioned = set(_WORD.findall(header))
                return tuple(made.decode("utf-8", "replace") for name, made in defined.items() if name in mentioned)
        elif depth == guard:
            plain = _COMMENT.sub(b" ", rest.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ")).strip()
            macro = _MACRO.match(plain)
            if word == b"undef":
                defined.pop(plain, None)
            elif macro is not None:
                name, parameters, value = macro.groups()
                defined[name] = name + (parameters or b"") + b"=" + (value or b"").strip()
    return ()


def stands_alone(header: bytes) -> bool:
    """Whether a header includes something; one that does not may count on those who include it."""
    return any(match.group(1) == b"include" for match in _DIRECTIVE.finditer(header))


def includes_before(text: bytes, meant: Callable[[str], bool]) -> tuple[str, ...]:
    """What ``text`` includes, with the quote before it, under no condition before the first include that ``meant`` says
    yes to; nothing where it has none."""
    found: dict[str, None] = {}
    depth = 0
    for match in _DIRECTIVE.finditer(text):
        word, rest = match.groups()
        if word.startswith(b"if"):
            depth += 1
        elif word == b"endif":
            depth = max(0, depth - 1)
        included = _INCLUDED.match(rest) if word == b"include" else None
        if included is None:
            continue
        written = (included.group(1) + included.group(2)).decode("utf-8", "surrogateescape")
        if meant(written):
            return tuple(found)
        if not depth:
            found[written] = None
    return ()
