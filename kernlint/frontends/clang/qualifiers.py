"""Macros that say on which side a function runs, of headers that a source does not reach: ``DI void f()``.

Without a definition clang takes such a word for a type and drops the function behind it: no kernel is seen, and nothing
that is missing is noticed.  The project's own definition is taken where it has one; else the word means the device
where a function behind it does what only threads of the device can.  That such a function is a kernel is never made
up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kernlint.frontends.base import Defined
from kernlint.text.patterns import pattern

MOST_BEHIND = 200
"""Functions behind one word that are looked at."""

_DEVICE_WORK = pattern(
    r"\bthreadIdx\b|\bblockIdx\b|\b__sync\w+\s*\(|\b__shared__\b|\b__shfl\w*\s*\(|\batomic[A-Z]\w*\s*\("
)
_SIDE = pattern(r"\b__(?:global|device|host)__\b")


def qualifiers(text: str, words: Iterable[str], found: Iterable[Defined]) -> tuple[str, ...]:
    """Definitions, as lines, of those ``words`` that qualify functions of ``text``; none where no function behind one
    of them is one of the device.  ``found``: what the project says of the words."""
    own: dict[str, str] = {}
    for one in found:
        match = _DEFINED.match(one.text)
        if match and _SIDE.search(one.text):
            own[match.group(1)] = one.text
    lines, any_device = [], False
    for word in words:
        bodies = list(_bodies(text, word))
        if not bodies:
            continue
        device = any(_DEVICE_WORK.search(body) for body in bodies)
        any_device = any_device or device or "__global__" in own.get(word, "")
        lines.append(own.get(word) or f"#define {word} {'' if device else '__host__ '}__device__")
    return tuple(lines) if any_device else ()


_DEFINED = pattern(r"#define ([A-Z_]\w*)")


def _bodies(text: str, word: str) -> Iterator[str]:
    """The bodies of functions whose declaration begins with ``word``."""
    head = re.compile(
        rf"(?<![\w#]){word}\s+(?:static\s+|inline\s+)*[A-Za-z_][\w:<>,&*\s]*?[\s&*]\w+\s*\([^;{{}}]*\)\s*\{{"
    )
    for match in list(head.finditer(text))[:MOST_BEHIND]:
        depth, end = 1, match.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        yield text[match.end() : end]
