"""Arrays that a loop fills or reads as far as data say, where another kernel of the file clamps the same data to their
length.

``for (k < min(taps[y], 32)) ring[k] = ...`` in one kernel says that there may be more taps than 32; another one with
``ring[32]`` and ``k < taps[y]`` asks nothing of them.  Rows of 32 elements in memory, ``ring[y * 32 + k]``, are such
arrays too.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.pushed import element_of, last_of_run
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, GuardKind, Root, RootKind
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.types import Space

Clamp = tuple[str, int]
"""The name of an array of numbers, and what they are held down to."""


@dataclass(frozen=True, slots=True, eq=False)
class Clamped:
    """``kernel`` holds numbers down, by ``guard``."""

    kernel: str
    guard: Guard


@dataclass(frozen=True, slots=True, eq=False)
class Unclamped:
    """An ``access`` as far as a number of ``array`` says, in an array of ``room`` elements; ``other``: its clamp."""

    access: Access
    array: str
    room: int
    other: Clamped


def _number(term: Term) -> Symbol | None:
    """The whole number from an argument's memory that a term is."""
    symbol = plain(term).symbol
    held = symbol is not None and symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple)
    return symbol if held and symbol is not None and symbol.origin[0].kind is RootKind.PARAM else None


def _clamps(term: Term) -> Iterator[Clamp]:
    """The numbers from memory that parts of a condition hold down to a constant."""
    for part in subterms(term):
        sides = part.args if part.op == "min" else part.args[1:] if part.op == "select" else ()
        for one, limit in (sides, sides[::-1]) if len(sides) == 2 else ():
            symbol = _number(one)
            if symbol is not None and limit.value is not None and limit.value > 1:
                lesser = part.op == "min" or symbol in symbols(part.args[0])
                if lesser:
                    yield symbol.origin[0].name, limit.value


def _compute(facts: ModuleFacts) -> dict[Clamp, Clamped]:
    found: dict[Clamp, Clamped] = {}
    for kernel, of in facts[kernel_traces].compared():
        for access in of.accesses:
            for guard in access.guards:
                if guard.kind is GuardKind.LOOP:
                    for clamp in _clamps(guard.term):
                        found.setdefault(clamp, Clamped(kernel.function.name, guard))
    return found


clamped_elsewhere = ModuleAnalysis("clamped_elsewhere", _compute, needs=(kernel_traces,))
"""The numbers from memory that kernels of a file clamp before loops go as far as they say."""


def _end(access: Access) -> Symbol | None:
    """The number from memory that all of a loop over an array goes as far as, of which nothing else is said."""
    last = last_of_run(access, element_of(access))
    moving = [mono for mono in last.coefficients if mono] if last is not None else []
    if (
        last is None
        or len(moving) != 1
        or len(moving[0]) != 1
        or last.coefficients != Polynomial({moving[0]: 1, (): -1}).coefficients
    ):
        return None
    symbol = _number(moving[0][0])
    inner = access.loops[-1]
    others = (guard for guard in access.guards if guard.loop is not inner and guard.kind is not GuardKind.AFTER_LOOP)
    return None if symbol is None or any(symbol in symbols(guard.term) for guard in others) else symbol


def _in_row(access: Access) -> Iterator[tuple[Symbol, Polynomial]]:
    """(the number from memory that a loop goes as far as, where in the array the row begins that it goes along) of an
    access whose place in the row is what the loop compares."""
    found = elements(access) if access.loops else None
    if found is None or found[1]:
        return
    inner = access.loops[-1]
    for guard in access.guards:
        for part in conjuncts(guard.term) if guard.kind is GuardKind.LOOP and guard.loop is inner else ():
            symbol = _number(part.args[1]) if part.op == "lt" else None
            others = (one for one in access.guards if one.loop is not inner and one.kind is not GuardKind.AFTER_LOOP)
            if symbol is not None and not any(symbol in symbols(one.term) for one in others):
                yield symbol, found[0] - polynomial(part.args[0])


def _rows(facts: Facts) -> Iterator[Unclamped]:
    """Rows of a constant number of elements that a loop goes along as far as data say."""
    for access in facts[trace].accesses:
        if access.root.kind is not RootKind.PARAM or access.root.space is not Space.GLOBAL:
            continue
        for symbol, row in _in_row(access):
            known: dict[Clamp, Clamped] = facts[clamped_elsewhere]
            for (name, room), other in known.items():
                whole = bool(row.atoms) and all(times % room == 0 for times in row.coefficients.values())
                if name == symbol.origin[0].name and whole and other.kernel != facts.kernel.function.name:
                    yield Unclamped(access, name, room, other)
                    return


def _of(facts: Facts) -> tuple[Unclamped, ...]:
    found: dict[Root, Unclamped] = {one.access.root: one for one in _rows(facts)}
    for access in facts[trace].accesses:
        root = access.root
        if root.kind is not RootKind.VARIABLE or not root.extent or not root.element.size or root in found:
            continue
        symbol, room = _end(access), root.extent // root.element.size
        if symbol is None:
            continue
        known: dict[Clamp, Clamped] = facts[clamped_elsewhere]
        other = known.get((symbol.origin[0].name, room))
        if other is not None and other.kernel != facts.kernel.function.name:
            found[root] = Unclamped(access, symbol.origin[0].name, room, other)
    return tuple(found.values())


unclamped = KernelAnalysis("unclamped", _of, needs=(trace, clamped_elsewhere))
"""An :class:`Unclamped` for each array of a kernel variant that has one."""
