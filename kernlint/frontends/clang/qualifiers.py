"""Macros that say on which side a function runs, of headers that a source does not reach: ``DI void f()``.

Without a definition clang takes such a word for a type and drops the function behind it: no kernel is seen, and nothing
that is missing is noticed.  The project's own definition is taken where it has one; else the word means the device
where a function behind it does what only threads of the device can, and a kernel where one is launched or has launch
bounds.  Without either, that such a function is a kernel is never made up.

Names that a macro of the build makes for another language's linker, ``void FC_FUNC_(sum, SUM)(int *n)``, are taken as
they are written.
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
        functions = list(_functions(text, word))
        if not functions:
            continue
        device = any(_DEVICE_WORK.search(body) for _, body, _ in functions)
        kernels = any(bounded or _launched(name, text) for name, _, bounded in functions)
        any_device = any_device or device or kernels or "__global__" in own.get(word, "")
        side = "static __global__" if kernels else "__device__" if device else "__host__ __device__"
        lines.append(own.get(word) or f"#define {word} {side}")
    return tuple(lines) if any_device else ()


def linked_names(text: str, words: Iterable[str]) -> tuple[str, ...]:
    """Definitions, as lines, of the macros that make names of functions of ``text`` out of pairs of the same name in
    small letters and in capitals, where nothing defines them: ``words``, the names, are taken for types then."""
    unknown = frozenset(words)
    names = dict.fromkeys(
        match.group(1)
        for match in _LINKED.finditer(text)
        if match.group(2).upper() == match.group(3) and unknown.issuperset(match.group(2, 3))
    )
    return tuple(f"#ifndef {name}\n#define {name}(name, NAME) name\n#endif" for name in names)


_LINKED = pattern(r"\b([A-Z]\w*)\s*\(\s*([a-z_]\w*)\s*,\s*([A-Z_]\w*)\s*\)\s*\(")


def _launched(name: str, text: str) -> bool:
    """Whether a host function of ``text`` launches what is called ``name``."""
    return re.search(rf"\b{name}\s*(?:<[^;{{}}()]*>\s*)?<\s*<\s*<", text) is not None


_DEFINED = pattern(r"#define ([A-Z_]\w*)")


def _functions(text: str, word: str) -> Iterator[tuple[str, str, bool]]:
    """The names and bodies of functions whose declaration begins with ``word``, and whether launch bounds stand beside
    it."""
    bounds = r"__launch_bounds__\s*\([^;{}()]*\)\s*"
    head = re.compile(
        rf"({bounds})?(?<![\w#]){word}\s+(?:static\s+|inline\s+)*({bounds})?[A-Za-z_][\w:<>,&*\s]*?[\s&*](\w+)\s*\([^;{{}}]*\)\s*\{{"
    )
    for match in list(head.finditer(text))[:MOST_BEHIND]:
        depth, end = 1, match.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        yield match.group(3), text[match.end() : end], bool(match.group(1) or match.group(2))
