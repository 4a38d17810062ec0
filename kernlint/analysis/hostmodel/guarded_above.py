"""Devices that are chosen further up, in other files: launchers are called by functions that are called by others.

Of other files the text alone is read.  A name is followed to the functions in which it stands, and through macros at
the level of a file that are given it together with another one (``REGISTER(clear_impl, CUDA, clear_cuda)``): who calls
that one calls this.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from kernlint.analysis.hostmodel.lifetimes.once import HEAD, QUIET
from kernlint.text.patterns import pattern

CHOOSING = pattern(rb"\b\w*(?:Device|CUDA|HIP|Stream)Guard\b|\bDEVICE_GUARD\b|\b\w*[Ss]et_?[Dd]evice\s*\(")
"""How a device is chosen in a text."""

_STEPS = 3
"""Files on the way up."""

_ASKED = 8
"""Names that are looked for; each costs a look into every file."""

_REGISTERED = rb"\b[A-Za-z_]\w*\s*\(([^;{}()]*\bNAME\b[^;{}()]*)\)"


def guarded_above(name: str, namers_of: Callable[[str], tuple[bytes, ...]]) -> bool:
    """Whether one of the callers of a function in other files chooses a device before it calls, or is called under
    one.  (Next to the launchers, any function of a file that chooses one counts: they are called alike.)"""
    names, met = [name], {name}
    for step in range(_STEPS):
        above: list[str] = []
        for one in names:
            for text in namers_of(one):
                if not step and CHOOSING.search(text) is not None:
                    return True
                for caller, before in _uses(text, one):
                    if CHOOSING.search(before) is not None:
                        return True
                    if caller not in met and len(met) < _ASKED:
                        met.add(caller)
                        above.append(caller)
        names = above
    return False


def _uses(text: bytes, name: str) -> Iterator[tuple[str, bytes]]:
    """Where a name stands in a text: the function around it with what stands there before, or the other names that a
    macro is given."""
    word = re.escape(name.encode("utf-8", "surrogateescape"))
    bare = QUIET.sub(lambda found: b" " * len(found[0]), text)
    functions = list(_functions(bare))
    for found in re.finditer(rb"\b" + word + rb"\b", bare):
        at = found.start()
        around = next(((head, start) for head, start, end in functions if start <= at < end), None)
        if around is not None:
            yield around[0], bare[around[1] : at]
    for found in re.finditer(_REGISTERED.replace(b"NAME", word), bare):
        if not any(start <= found.start() < end for _, start, end in functions) and _is_macro(bare, found.end()):
            given = [part.strip() for part in found[1].split(b",")]
            yield from ((one.decode(), b"") for one in given if re.fullmatch(rb"[A-Za-z_]\w{3,}", one))


def _is_macro(bare: bytes, end: int) -> bool:
    """Whether what ends there is a whole line of a file: no declaration with a body or a type before it."""
    return re.match(rb"[ \t]*;?[ \t]*\r?(?:\n|$)", bare[end:]) is not None


def _functions(bare: bytes) -> Iterator[tuple[str, int, int]]:
    """The functions of a text without comments: name, and where their bodies begin and end."""
    scopes: list[tuple[str, int]] = []
    inside = start = 0
    for found in re.finditer(rb"[{};]", bare):
        if found[0] == b"{":
            head = None if inside else HEAD.search(bare, start, found.start())
            scopes.append((head[1].decode() if head is not None else "", found.start()))
            inside += head is not None
        elif found[0] == b"}" and scopes:
            name, begin = scopes.pop()
            if name:
                inside -= 1
                yield name, begin, found.start()
        if not inside:
            start = found.end()
