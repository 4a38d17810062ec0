"""Arrays of a length that one number from memory is tested against, which a loop goes through as far as another says.

``if (query > 150) return;`` before ``short row[151]``, and then ``for (j = 0; j <= target; ++j) row[j] = 0;``: who
refuses queries that the array has no room for knows that lengths may be larger, and nobody asks for the target's.  So
it is with two counts in one element, of which one is brought down to the length of its array: ``min(job.turns, 48)``.
"""

from __future__ import annotations

from functools import lru_cache

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.alike import one_element
from kernlint.analysis.extent.pushed import element_of, last_of_run
from kernlint.analysis.extent.told import Told
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, GuardKind, LoopContext, Root, RootKind
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, subterms, symbols


@dataclass(frozen=True, slots=True, eq=False)
class Untested:
    """An ``access`` in a loop that goes as far as a number of ``name`` says, in an array of ``room`` elements: the one
    that ``other``, in another loop, goes as far as is kept to that by ``guard``."""

    access: Access
    name: str
    room: int
    guard: Guard | None
    other: Access

    @property
    def told(self) -> Told:
        """What to say."""
        if self.guard is None:
            return Told(
                f"{element(self.access)} is {verb(self.access)} as far as a number of {self.name} says, which nothing "
                f"keeps to the {self.room} elements there are: another number of the same element is brought down to "
                f"the length of {self.other.root.name}",
                [Related(self.other.span, "that array is used as far as the smaller of its length and the number")],
                f"numbers of {self.name} may be larger than the arrays, as the clamp says",
                "clamp this number too",
            )
        return Told(
            f"{element(self.access)} is {verb(self.access)} as far as a number of {self.name} says, which nothing "
            f"keeps to the {self.room} elements there are: another loop goes through them by a number that is tested",
            [
                Related(self.guard.span, "that number is tested against the length of the array"),
                Related(self.other.span, "and the array is used that far here"),
            ],
            f"numbers of {self.name} may be as large as those that are refused",
            f"test the number of {self.name} too, or go as far as the other one",
        )


def _length(access: Access) -> tuple[Symbol, int] | None:
    """(number from an argument's memory, how much more) of the last element that a loop gets to."""
    last = last_of_run(access, element_of(access))
    moving = [mono for mono in last.coefficients if mono] if last is not None else []
    if last is None or len(moving) != 1 or len(moving[0]) != 1 or last.coefficients[moving[0]] != 1:
        return None
    symbol = plain(moving[0][0]).symbol
    if symbol is None or symbol.kind is not SymbolKind.LOAD or not isinstance(symbol.origin, tuple):
        return None
    held = symbol.origin[0].kind in (RootKind.PARAM, RootKind.LOADED)
    return (symbol, last.coefficients.get((), 0)) if held else None


def _clamped(access: Access, room: int) -> Symbol | None:
    """The number from an argument's memory that a loop through an array goes as far as, or as far as there is room."""
    last = last_of_run(access, element_of(access))
    moving = [mono for mono in last.coefficients if mono] if last is not None else []
    if last is None or len(moving) != 1 or len(moving[0]) != 1 or last.coefficients[moving[0]] != 1:
        return None
    atom = plain(moving[0][0])
    ends = [part.value for part in _lesser_of(atom) if part.value is not None]
    held = [s for s in symbols(atom) if s.kind is SymbolKind.LOAD and isinstance(s.origin, tuple)]
    return held[0] if len(held) == 1 and ends == [room - 1 - last.coefficients.get((), 0)] else None


def _lesser_of(atom: Term) -> tuple[Term, ...]:
    """What a number is the lesser of, also by a choice: ``a < b ? a : b``."""
    if atom.op == "min":
        return atom.terms
    cond = atom.args[0] if atom.op == "select" else None
    return atom.args[1:] if cond is not None and cond.op in ("lt", "le") and cond.args == atom.args[1:] else ()


def _cap(access: Access, symbol: Symbol) -> tuple[int, Guard] | None:
    """What a test keeps a number at or below."""
    for guard in access.guards:
        for part in conjuncts(guard.term) if guard.kind is not GuardKind.LOOP else ():
            slack = slack_of(part)
            most = (slack[0] + polynomial(symbol.term)).constant if slack is not None else None
            if slack is not None and most is not None:
                return most - slack[1], guard
    return None


def _asked(access: Access, symbol: Symbol) -> bool:
    """Whether anything but the loop that goes that far speaks of a number."""
    inner = access.loops[-1]
    others = [g for g in access.guards if g.loop is not inner and g.kind is not GuardKind.AFTER_LOOP]
    return any(symbol in symbols(guard.term) for guard in others)


@lru_cache(maxsize=4096)
def _refuses(test: Term) -> bool:
    return any(map(_refused, subterms(test)))


def _refused(part: Term) -> bool:
    """Whether a number from memory is compared with a constant."""
    sides = part.terms if part.op in ("lt", "le") else ()
    held = any(one.symbol is not None and one.symbol.kind is SymbolKind.LOAD for one in map(plain, sides))
    return held and any(side.value is not None for side in sides)


def _compute(facts: Facts) -> tuple[Untested, ...]:
    refused = any(_refuses(test.term) for test in facts[trace].conditions)
    if not refused and not any(_cut(loop) for loop in facts[trace].loops):
        return ()
    clamped: list[tuple[Access, Symbol]] = []
    by_root: dict[Root, list[tuple[Access, Symbol, int]]] = {}
    for access in facts[trace].accesses:
        root = access.root
        if root.kind is RootKind.VARIABLE and root.extent and root.element.size and access.loops:
            found = _length(access)
            if found is not None:
                by_root.setdefault(root, []).append((access, *found))
            elif (held := _clamped(access, root.extent // root.element.size)) is not None:
                clamped.append((access, held))
    out: dict[Symbol, Untested] = {}
    for root, lengths in by_root.items():
        room = (root.extent or 0) // (root.element.size or 1)
        kept = [
            (access, symbol, cap) for access, symbol, more in lengths if (cap := _fitting(access, symbol, more, room))
        ]
        for access, symbol, _ in lengths:
            beside = (other for other, held in clamped if other.root is not root and one_element({symbol}, {held}))
            other = next(beside, None)
            if other is not None and symbol.origin[0].kind in _MEMORY and not _asked(access, symbol):
                out.setdefault(symbol, Untested(access, symbol.origin[0].name, room, None, other))
        if not kept:
            continue
        other, tested, guard = kept[0]
        for access, symbol, _ in lengths:
            if symbol is not tested and symbol.origin[0] is not tested.origin[0] and not _asked(access, symbol):
                out.setdefault(symbol, Untested(access, symbol.origin[0].name, room, guard, other))
                break
    return tuple(out.values())


_MEMORY = (RootKind.PARAM, RootKind.LOADED)


def _cut(loop: LoopContext) -> bool:
    """Whether a loop goes as far as the lesser of a number and another one."""
    return loop.condition is not None and any(map(_lesser_of, subterms(loop.condition)))


def _fitting(access: Access, symbol: Symbol, more: int, room: int) -> Guard | None:
    """The test that lets a loop get to the last element of an array and no further."""
    cap = _cap(access, symbol)
    return cap[1] if cap is not None and cap[0] + more == room - 1 else None


untested_lengths = KernelAnalysis("untested_lengths", _compute, needs=(trace,))
"""An :class:`Untested` for each array of a kernel variant that has one."""
