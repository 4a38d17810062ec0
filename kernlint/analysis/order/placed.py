"""Records of which the place is handed on before what has been put into them.

A thread draws a record from a pool, fills it and puts its number where others find it: the head of a list, a cell's
container.  Whoever reads the number goes to the record, with nothing to wait for.  A fence has to stand between the
filling and the putting; on the other side the number is needed to get there, which is order enough.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.order.broken import Broken
from kernlint.analysis.order.hand_overs import Order, Reason
from kernlint.analysis.order.words import field_of, releases, sources, tells
from kernlint.analysis.trace.events import Access, AccessKind
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import SymbolKind, Term, symbols
from kernlint.tree.nodes import Atomic
from kernlint.tree.types import Space

PUTS = frozenset({"cas", "exchange", "store"})
"""Operations that put a number where others find it."""

SETTLED = frozenset({Reason.LOCKED, Reason.HANDED_OVER, Reason.LAST})


def placed(order: Order) -> tuple[Broken, ...]:
    """One for each operation and object."""
    apart = [a for a in order.of.accesses if a.root.space is Space.GLOBAL and not a.asynchronous]
    puts = [a for a in apart if a.atomic_op in PUTS and not releases(a)]
    found: dict[tuple[int, int], Broken] = {}
    for put in puts:
        value = put.new if put.atomic_op == "cas" else put.value
        named = _moving(value) if value is not None else {}
        if not named:
            continue
        looks = [a for a in apart if a.root is put.root and (a.kind is AccessKind.ATOMIC or a.volatile)]
        for store in apart:
            if store.kind is not AccessKind.WRITE or store.order > put.order or not _its_record(store, named):
                continue
            if store.root is put.root or order.fenced(store, put) or not _one_way(store, put):
                continue
            for load, look in _found_there(apart, store, looks):
                if order.between_blocks(store, load) not in SETTLED:
                    key = (id(put.node), id(store.root))
                    found.setdefault(key, Broken(store, load, put, look, False, True, placed=True))
    return tuple(found.values())


def _moving(term: Term) -> dict[tuple[Term, ...], int]:
    """A number without what is constant in it, as far as each thread has one of its own: its index, or what an atomic
    operation has given out."""
    own = any(
        s.kind is SymbolKind.THREAD or (s.kind is SymbolKind.UNKNOWN and isinstance(s.origin, Atomic))
        for s in symbols(term)
    )
    return {mono: factor for mono, factor in polynomial(term).coefficients.items() if mono} if own else {}


def _its_record(store: Access, named: dict[tuple[Term, ...], int]) -> bool:
    """Whether a store is into the record that is named by a number."""
    size = store.root.element.size
    place = {mono: factor for mono, factor in polynomial(store.offset).coefficients.items() if mono}
    return size is not None and size > 0 and place == {mono: factor * size for mono, factor in named.items()}


def _one_way(store: Access, put: Access) -> bool:
    """Whether whoever puts the number has made the store before."""
    own = {guard.term for guard in put.guards}
    return all(guard.term in own for guard in store.guards) and store.loops == put.loops


def _found_there(apart: list[Access], store: Access, looks: list[Access]) -> Iterator[tuple[Access, Access]]:
    """Accesses to what was stored, at a place that somebody has found, with where he found it."""
    for load in apart:
        if load.root is not store.root or load.kind is AccessKind.WRITE or field_of(load) != field_of(store):
            continue
        for symbol in sources([load.offset]):
            look = next((one for one in looks if tells(symbol, one)), None)
            if look is not None:
                yield load, look
                break
