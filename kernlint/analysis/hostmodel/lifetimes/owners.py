"""Owning pointers with a function of their own that gives back what they hold (C++, [unique.ptr], [util.smartptr]).

Which functions that comes to is read from the deleter that the constructor is given, or from the owner's type: a
lambda, a function, or a class whose template arguments or call operator name one.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.hostmodel.lifetimes.endings import to_the_wrong
from kernlint.analysis.hostmodel.lifetimes.machine import Machine
from kernlint.analysis.hostmodel.lifetimes.model import At, State, Value
from kernlint.apis import ENDS, known_name
from kernlint.text.patterns import pattern
from kernlint.tree import nodes as n
from kernlint.tree.types import StructType
from kernlint.tree.walk import strip_casts, walk

_OWNER = pattern(r"(?:struct |class )?std::(?:unique|shared)_ptr<.*>")
_MADE = frozenset({"unique_ptr", "shared_ptr"})
_WORD = pattern(r"[A-Za-z_][\w:]*")


def owns(e: n.Call) -> bool:
    """Whether a call constructs an owning pointer from a pointer."""
    kind = e.type
    owner = isinstance(kind, StructType) and _OWNER.fullmatch(kind.name) is not None
    return owner and bool(e.args) and e.receiver is None and e.name.rpartition("::")[2] in _MADE


def owned(m: Machine, e: n.Call, given: Value, s: State) -> None:
    """Take note of memory that an owner gets, and of one that it gives to another allocator's function."""
    if not isinstance(given, At) or given.path:
        return
    m.owned[given.thing] = e.span
    ends = set(_ends(m, e))
    if len(ends) == 1:  # of several, the deleter chooses
        to_the_wrong(m, given.thing, ends.pop(), e.span, s)


def _ends(m: Machine, e: n.Call) -> Iterator[str]:
    """The functions of the runtimes that the owner's deleter calls."""
    if len(e.args) > 1:
        given = strip_casts(e.args[1])
        given = strip_casts(given.operand) if isinstance(given, n.AddressOf) else given
        if isinstance(given, n.Lambda):
            yield from _called(given.body)
        elif isinstance(given, n.FunctionRef):
            yield from _by(given.name, given.function)
        return
    kind = e.type
    arguments = kind.name.partition(",")[2] if isinstance(kind, StructType) else ""
    words = {word.rpartition("::")[2] for word in _WORD.findall(arguments)}
    for word in words:
        yield from _by(word, None)
    for function in m.program.functions:
        owner = function.qualified.rpartition("::")[0].rpartition("::")[2]
        if function.name in words or (function.name == "operator()" and owner in words):
            yield from _by(function.name, function)


def _by(name: str, function: n.FunctionDecl | None) -> Iterator[str]:
    plain = known_name(name)
    if function is not None and function.body is not None:
        yield from _called(function.body)
    elif plain in ENDS:
        yield plain


def _called(body: n.Node) -> Iterator[str]:
    for node in walk(body):
        plain = known_name(node.name) if isinstance(node, n.Call) else None
        if plain in ENDS:
            yield plain
