"""Functions that a program runs once: what they leave is given back when the program ends, soon after.

``main`` calls them, in no loop, and nobody else does; in other files that is read from the text alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.hostmodel.lifetimes.program import Program
from kernlint.text.patterns import pattern
from kernlint.tree import nodes as n
from kernlint.tree.walk import walk

_DEPTH = 4
"""Calls between ``main`` and a function that are followed."""

QUIET = pattern(
    rb"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:\\\r?\n|[^\n])*", re.S | re.M
)
"""Comments, texts and lines of the preprocessor."""

HEAD = pattern(rb"(\w+)\s*\([^;{}]*\)[^;{}()]*$")
"""What stands before the body of a function."""


def runs_once(program: Program, facts: ModuleFacts, function: n.FunctionDecl, depth: int = _DEPTH) -> bool:
    """Whether a function is called where a program begins, once, and nowhere else."""
    if function.name == "main":
        return True
    if not depth or function.this is not None:
        return False
    called = False
    for caller in program.functions:
        for node, looped in _calls(caller.body, False) if caller.body is not None and caller is not function else ():
            if node.function is function:
                if looped or not runs_once(program, facts, caller, depth - 1):
                    return False
                called = True
    for text in () if function.internal else facts.namers_of(function.name):
        for caller_name, looped in _from_elsewhere(text, function.name):
            if looped or not _begins(facts, caller_name, _BETWEEN):
                return False
            called = True
    return called


_BETWEEN = 2
"""Functions of other files between ``main`` and one that is asked about."""


def _begins(facts: ModuleFacts, caller: bytes, depth: int) -> bool:
    """Whether a function of another file is ``main``, or called there and in no loop, as far as texts say."""
    if caller == b"main":
        return True
    name = caller.decode("utf-8", "surrogateescape")
    calls = [call for text in facts.namers_of(name) for call in calls_in_text(text, name)] if depth else []
    return bool(calls) and all(not looped and _begins(facts, by, depth - 1) for by, looped in calls)


def _calls(node: n.Node, looped: bool) -> Iterator[tuple[n.Call | n.FunctionRef, bool]]:
    """The functions that a statement calls or names, and whether that is in a loop; of an address it is not known."""
    loops = {id(inner) for loop in walk(node) if isinstance(loop, (n.For, n.While, n.DoWhile)) for inner in walk(loop)}
    for each in walk(node):
        if isinstance(each, (n.Call, n.FunctionRef)):
            yield each, id(each) in loops or isinstance(each, n.FunctionRef)


def calls_in_text(text: bytes, name: str) -> Iterator[tuple[bytes, bool]]:
    """Where a text calls or names a function: in which function, and whether in a loop."""
    return ((caller, looped) for caller, looped in _scanned(text, name) if caller is not None)


def _from_elsewhere(text: bytes, name: str) -> list[tuple[bytes, bool]]:
    """Where a text calls or names a function of another file: nowhere, if it has one of the name itself."""
    own = any(caller is None for caller, _ in _scanned(text, name))
    return [] if own else list(calls_in_text(text, name))


def _scanned(text: bytes, name: str) -> Iterator[tuple[bytes | None, bool]]:
    """The calls in a text; None for the caller: the function is defined there."""
    word = re.escape(name.encode("utf-8", "surrogateescape"))
    bare = QUIET.sub(lambda found: b" " * len(found[0]), text)
    scopes: list[bytes] = []  # the function, "loop" or nothing of each brace that is open
    start = depth = 0  # of the statement; of parentheses
    head: int | None = None  # depth of the parentheses of a loop's head
    pending = False  # a loop whose body begins next
    for found in re.finditer(rb"[{}();]|\b(?:for|while|do)\b|\b" + word + rb"\b", bare):
        token, inside = found[0], [scope for scope in scopes if scope]
        if token == b"{":
            before = HEAD.search(bare, start, found.start()) if not inside else None
            scopes.append(b"loop" if pending and inside else before[1] if before is not None else b"")
            if before is not None and before[1] == name.encode("utf-8", "surrogateescape"):
                yield None, False
            pending, start = False, found.end()
        elif token == b"}":
            if scopes:
                scopes.pop()
            pending, start = False, found.end()
        elif token == b"(":
            depth += 1
        elif token == b")":
            depth -= 1
            if head is not None and depth == head:
                head, pending = None, True
        elif token == b";":
            if depth == 0:
                pending, start = False, found.end()
        elif token in (b"for", b"while"):
            head = depth
        elif token == b"do":
            pending = True
        elif inside and not (len(inside) == 1 and inside[0] == token):
            yield inside[0], pending or head is not None or b"loop" in inside
