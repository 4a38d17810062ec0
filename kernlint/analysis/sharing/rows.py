"""Arrays within an object: the rows of an array of several dimensions, the fields of a struct."""

from __future__ import annotations

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.extent.extents import inner_array
from kernlint.analysis.trace.events import Access, Root, RootKind
from kernlint.record import replace
from kernlint.symbolic.polynomial import Polynomial, polynomial, term_of
from kernlint.symbolic.terms import THREAD, SymbolKind, Term, binary, cast, const, symbols
from kernlint.tree.types import BOOL, I64, ArrayType, StructType

_MOVING = frozenset({SymbolKind.COUNTER, SymbolKind.PHI, SymbolKind.LOAD, SymbolKind.UNKNOWN})


def moving(index: Term) -> bool:
    """Whether a loop or data picks the element."""
    return any(symbol.kind in _MOVING for symbol in symbols(index))


def in_row(access: Access, guessed: bool = False) -> tuple[Term, ...]:
    """That an access to an array within an object (a field of a struct) stays inside it, where a loop, data or a test
    against an argument pick the element, or threads of a block that is ``guessed``: to leave it is a fault of another
    kind, and most often the host sees to it that nobody does.  So it is with each thread's own object in an array of
    them, where a pointer into it is all that a helper has."""
    count = inner_array(access)
    if count is None:
        return _in_object(access)
    if access.index is None or not (guessed or moving(access.index) or _measured(access)):
        return ()
    place = cast(access.index, I64)
    return binary("le", const(0), place, BOOL), binary("lt", place, const(count), BOOL)


def _measured(access: Access) -> bool:
    """Whether a test of what picks the element against an argument says how far an access goes."""
    assert access.index is not None
    picking = access.index.symbols
    return any(
        any(symbol in picking for symbol in guard.term.symbols)
        and any(symbol.kind is SymbolKind.PARAM for symbol in guard.term.symbols)
        for guard in access.guards
    )


def _in_object(access: Access) -> tuple[Term, ...]:
    """That an access to part of a thread's own struct, or row, in an array of them stays inside it."""
    whole, part = _own(access.root), access.size
    if not whole or not part or part >= whole:
        return ()
    form = polynomial(access.offset).coefficients
    inside = {mono: value for mono, value in form.items() if value % whole}
    if not any(symbol in THREAD for mono in form if mono not in inside for atom in mono for symbol in symbols(atom)):
        return ()
    place = term_of(Polynomial(inside))
    if not moving(place) or any(symbol in THREAD for symbol in symbols(place)):
        return ()
    return binary("le", const(0), place, BOOL), binary("le", place, const(whole - part), BOOL)


def _own(root: Root) -> int | None:
    """Bytes of each of the structs, or of the rows of an array declared with two dimensions, that an object is made
    of; None where it is made of neither."""
    if isinstance(root.element, StructType):
        return root.element.size
    declared = root.decl.type if root.decl is not None and root.kind is RootKind.VARIABLE else None
    if isinstance(declared, ArrayType) and isinstance(declared.element, ArrayType):
        return declared.element.size
    return None


def inside_rows(pair: Pair, guessed: bool = False) -> Pair:
    """The pair with each access inside the array of an object that it subscripts; ``guessed``: the block is."""
    first, second = in_row(pair.first, guessed), in_row(pair.second, guessed)
    if not first and not second:
        return pair
    a = replace(pair.a, guards=(*pair.a.guards, *first))
    return replace(pair, a=a, b=replace(pair.b, guards=(*pair.b.guards, *second)))
