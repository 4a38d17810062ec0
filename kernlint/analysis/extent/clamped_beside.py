"""Places that one access to an array clamps to its end, and another, to the same array under more tests, does not.

Blocks that reach over an edge are gathered with ``a[min(z0 + z, nz - 1)]``, the others without.  The test that tells
them apart asks for x and y: who clamps z knows that it gets too large, and nothing here asks for that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.asking import Past, kept
from kernlint.analysis.extent.places import Place, Places, moves, places
from kernlint.analysis.extent.siblings import Key, key_of, of_arguments
from kernlint.analysis.extent.told import Told
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, GuardKind, LoopContext, Trace, WarpEvent
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import SymbolKind, Term, plain, subterms, symbols

MOST = 512
"""Parts of what is computed from an element that are looked at."""

_PLACES = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK})
_OPAQUE = frozenset({SymbolKind.LOAD, SymbolKind.PHI, SymbolKind.UNKNOWN, SymbolKind.EXIT})
_LOOPS = frozenset({GuardKind.LOOP, GuardKind.AFTER_LOOP})


@dataclass(frozen=True, slots=True, eq=False)
class Unclamped:
    """A ``place`` that ``clamped``, another access to the array, holds below ``size``."""

    place: Place
    clamped: Access
    size: Polynomial

    @property
    def access(self) -> Access:
        """The access itself."""
        return self.place.access

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        size = words(term_of(self.size))
        return Told(
            f"{element(self.access)} is {verb(self.access)} at an index that may reach {size}: another access clamps "
            "it to the last place, and the tests that tell the two apart do not ask for it",
            [Related(self.clamped.span, f"here the same index is clamped to {size} - 1")],
            f"there are blocks that reach beyond {size}, as the clamp says",
            f"test this index against {size} too",
        )


def _clamp(index: Polynomial) -> tuple[Polynomial, Polynomial] | None:
    """(what is clamped, the size) of an index that is the smaller of a place and one less than a size."""
    ((mono, times), *more) = index.coefficients.items() if index.coefficients else (((), 0),)
    atom = plain(mono[0]) if len(mono) == 1 and times == 1 and not more else None
    for one, end in (atom.args, atom.args[::-1]) if atom is not None and atom.op == "min" else ():
        size = polynomial(end) + number(1)
        if not size.coefficients.get((), 0) and of_arguments(size):
            return polynomial(one), size
    return None


def _of_other_places(part: Term, own: Sequence[Term]) -> bool:
    """Whether a truth speaks of places alone, and not of what an index is made of."""
    kinds = {symbol.kind for symbol in symbols(part)}
    return bool(kinds & _PLACES) and not kinds & _OPAQUE and not any(atom in own for atom in subterms(part))


def _tests(access: Access) -> list[Term]:
    return [part for guard in access.guards if guard.kind not in _LOOPS for part in conjuncts(guard.term)]


def _of_last(part: Term, clamped: Access, size: Polynomial, of: Trace) -> bool:
    """Whether a truth is about what is computed from the clamped element, which a thread beyond the end has in common
    with the last one, and about nothing that tells the two apart: not the size, not its place, nothing that the kernel
    stores."""
    written = {one.root for one in of.accesses if one.writes}
    sizes = {symbol for atom in size.atoms for symbol in symbols(atom)}
    ends = {atom for atom in polynomial(clamped.offset).atoms if atom.op == "min"}
    blocks = any(symbol.kind is SymbolKind.BLOCK for atom in ends for symbol in symbols(atom))
    place = SymbolKind.BLOCK if blocks else SymbolKind.THREAD
    todo, seen, found = [part], set[Term](), False
    while todo:
        term = todo.pop()
        if term in seen:
            continue
        seen.add(term)
        if len(seen) > MOST:
            return False
        if term in ends:
            found = True
            continue
        symbol = term.symbol
        if symbol is None:
            todo += term.terms
            continue
        if (
            symbol in sizes
            or symbol.kind is place
            or (symbol.kind is SymbolKind.UNKNOWN and not isinstance(symbol.origin, WarpEvent))
        ):
            return False
        origin = symbol.origin
        if symbol.kind is SymbolKind.LOAD:
            if not isinstance(origin, tuple) or origin[0] in written:
                return False
            todo.append(origin[1])
        elif symbol.kind is SymbolKind.PHI:
            todo += [value for value in (symbol.init, symbol.step) if value is not None]
        if isinstance(origin, LoopContext):
            todo += origin.ends
        elif isinstance(origin, WarpEvent):
            todo += origin.operands
    return found


def _found(every: Places, of: Trace) -> Iterator[Unclamped]:
    clamps: dict[tuple[int, Polynomial, Key], tuple[Access, Polynomial]] = {}
    for access, mine in every.items():
        for place in mine:
            if _clamp(place.index) is None:
                continue
            index, conditions = key_of(place)
            found = _clamp(index)
            if found is not None:
                key = id(access.root), place.pitch, (found[0], conditions)
                clamps.setdefault(key, (access, found[1]))
    roots = {root for root, _, _ in clamps}
    for access, mine in every.items() if clamps else ():
        for place in mine:
            asked = bool(place.limits) or id(access.root) not in roots
            other = None if asked else clamps.get((id(access.root), place.pitch, key_of(place)))
            if other is None or place.extra:
                continue
            own = [atom for atom in place.index.atoms if moves(atom)]
            theirs = _tests(other[0])
            more = [part for part in _tests(access) if part not in theirs]
            if more and all(_of_other_places(part, own) or _of_last(part, *other, of) for part in more):
                yield Unclamped(place, *other)
                break


def _compute(facts: Facts) -> tuple[Unclamped, ...]:
    out: dict[object, Unclamped] = {}
    for one in _found(facts[places], facts[trace]):
        past = Past(one.access, term_of(one.place.index), term_of(one.size))
        if one.access.root not in out and not (facts[launch_context].launches and kept(past, facts)):
            out[one.access.root] = one
    return tuple(out.values())


clamped_beside = KernelAnalysis("clamped_beside", _compute, needs=(places, trace, launch_context))
"""An :class:`Unclamped` for each array of a kernel variant that has one."""
