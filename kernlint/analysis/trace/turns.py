"""Pointers into different objects of which a number says which it is: those that a loop passes on from one variable to
the next, such as those of two buffers that are read and filled in turn, and those in an array of the thread's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kernlint.analysis.trace.events import Root, RootKind
from kernlint.analysis.trace.values import MOST_CHOICES, NULL, PointerValue, Value, same, unknown_root
from kernlint.record import dataclass, replace
from kernlint.symbolic.terms import Term, binary, const, substitute, symbols, unknown
from kernlint.symbolic.uniformity import uniformity
from kernlint.tree.nodes import VarDecl
from kernlint.tree.types import BOOL, I64, Type


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """What a variable points to before each round of a loop: the first of ``ways`` before the first one, then the next
    one, and so on in a ring.  ``after``: the variable whose pointer it takes over in each round."""

    ways: tuple[PointerValue, ...]
    after: VarDecl

    def at(self, counter: Term) -> PointerValue:
        """The pointer before the round with the number ``counter``."""
        many = len(self.ways)
        turn = binary("and", counter, const(1), I64) if many == 2 else binary("mod", counter, const(many), I64)
        return one_of(turn, dict(enumerate(self.ways)), self.ways[0].pointee)


def one_of(which: Term, ways: Mapping[int, PointerValue], pointee: Type) -> PointerValue:
    """The pointer that is the one of ``ways`` with the number ``which``."""
    level = max(uniformity(term) for term in (which, *(way.offset for way in ways.values())))
    base = unknown("pointer", I64, level, origin=which)
    kind = which.type
    root = Root(
        "?pointer",
        RootKind.UNKNOWN,
        next(iter(ways.values())).root.space,
        None,
        pointee,
        candidates=tuple(dict.fromkeys(way.root for way in ways.values())),
        choices=tuple(
            (binary("eq", which, const(number, kind), BOOL), way.root, way.offset) for number, way in ways.items()
        ),
        base=base.symbol,
    )
    return PointerValue(root, base, pointee)


class Pointers:
    """The pointers that an array of a thread's own holds: ``held``, by the byte at which each stands, or None when they
    are not known."""

    def __init__(self, held: dict[int, PointerValue] | None) -> None:
        self.held = held

    def put(self, at: Term, value: Value, once: bool) -> None:
        """A pointer is stored ``at`` a byte; ``once``: on every way, and not again."""
        if self.held is None:
            return
        if not once or at.value is None or at.value in self.held or not plain(value):
            self.held = None
        elif isinstance(value, PointerValue):
            self.held[at.value] = value

    def at(self, place: Term, pointee: Type) -> PointerValue | None:
        """The pointer ``place`` bytes into the array; None when it is not known."""
        if not self.held:
            return None
        if place.value is not None:
            return self.held[place.value].typed(pointee) if place.value in self.held else None
        if len(self.held) > MOST_CHOICES:
            return None
        return one_of(place, self.held, pointee)


def behind(pointer: PointerValue, last: Callable[[Term], Term], serial: int) -> PointerValue:
    """A pointer whose object a condition chooses, behind a loop: ``last`` says what a term is there, symbols made
    after ``serial`` belong to the loop."""
    root, base = pointer.root, pointer.root.base
    assert base is not None
    choices = tuple((last(cond), one, last(offset)) for cond, one, offset in root.choices)
    if any(symbol.serial > serial for cond, _, at in choices for symbol in (*symbols(cond), *symbols(at))):
        root = unknown_root(root.space, pointer.pointee, "pointer", root.candidates)
    else:
        root = replace(root, choices=choices)
    offset = last(substitute(pointer.offset, {base: const(0)}))
    return PointerValue(root, binary("add", base.term, offset, I64), pointer.pointee)


def turns(
    heads: Mapping[VarDecl, Value], tail: Mapping[VarDecl, Value], entry: Mapping[VarDecl, Value]
) -> dict[VarDecl, Turn]:
    """The variables that pass on their pointers in a ring of at most :data:`MOST_CHOICES`, by their values at the
    head of a loop, at its ``tail`` and before it (``entry``)."""
    giver: dict[VarDecl, VarDecl] = {}
    for decl in heads:
        after = tail.get(decl)
        if plain(entry.get(decl)) and isinstance(after, PointerValue):
            givers = [other for other, head in heads.items() if other is not decl and same(head, after)]
            giver.update(zip([decl], givers, strict=False))
    out: dict[VarDecl, Turn] = {}
    for decl in giver:
        ring = [decl]
        while len(ring) <= MOST_CHOICES and giver.get(ring[-1]) not in (None, decl):
            ring.append(giver[ring[-1]])
        ways = tuple(way for one in ring if isinstance(way := entry[one], PointerValue))
        if giver.get(ring[-1]) is decl and len(ways) == len(ring) <= MOST_CHOICES:
            out[decl] = Turn(ways, giver[decl])
    return out


def plain(value: Value | None) -> bool:
    """Whether a value is a pointer into one object that is known."""
    return isinstance(value, PointerValue) and value.root.kind is not RootKind.UNKNOWN and value.root.name != NULL
