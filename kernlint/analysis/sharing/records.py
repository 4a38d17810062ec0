"""Entries of index arrays that are records: several fields in the bits of one number, or side by side."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.trace.events import Access, Trace
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, Uniformity, plain
from kernlint.tree.types import IntType


def is_entry(symbol: Symbol) -> bool:
    """Whether a number is data that may differ between the threads of a warp."""
    return symbol.kind is SymbolKind.LOAD and symbol.uniformity > Uniformity.WARP


def parts(term: Term) -> Iterator[Term]:
    """``term`` and all that it is made of, each once."""
    seen: set[Term] = set()
    left = [term]
    while left:
        part = left.pop()
        if part not in seen:
            seen.add(part)
            yield part
            left.extend(part.terms)


def packed(entry: Symbol, access: Access) -> bool:
    """Whether an entry is a record of several fields: the bits that a shift takes off the place's are a part of the
    place too (``links[at >> 5][at & 3]``), or a code that is compared with constants (``(at & 3) == LEFT``).  Taking a
    field out merges no entries.

    Still merging: ``cells[key >> 5]`` of which nobody asks for the bits below, or asks which bit it is to set.
    """
    low = {t: _field(t, entry) for t in parts(access.offset)}
    dropped = [bits for field in low.values() if field is not None and (bits := field[0])]
    if not dropped:
        return False
    below = 1 << min(dropped)

    def apart(term: Term) -> bool:
        field = _field(term, entry)
        return field is not None and field[0] == 0 and field[1] < below

    if any(map(apart, low)):
        return True
    asked = [part for guard in access.guards for part in parts(guard.term)]
    asked += parts(access.value) if access.value is not None else ()
    return any(
        part.op in ("eq", "ne") and part.args[1].value is not None and any(map(apart, parts(part.args[0])))
        for part in asked
    )


def _field(term: Term, entry: Symbol) -> tuple[int, int] | None:
    """The bits of an entry below those that a term is made of, and the most that these make: ``(5, ...)`` of ``entry >>
    5``, ``(0, 3)`` of ``entry & 3``; None of anything else."""
    if term.op not in ("shr", "and") or not isinstance(by := term.args[1].value, int) or by < 0:
        return None
    inner = plain(term.args[0])
    if term.op == "shr":
        return (by, -1) if inner.symbol is entry else None
    if inner.symbol is entry:
        return 0, by
    return None


def of_record(entry: Symbol, access: Access, of: Trace) -> bool:
    """Whether the entries that an item has side by side are fields of a record: each picks elements of an array of its
    own, and there are at least three such arrays (the layer of the probe, that of the object, that of the wave).

    Still several: corners, which all pick from one array, and the two ends of an edge.
    """
    mine = polynomial(entry.origin[1])
    arrays: dict[int, set[int]] = {}
    for other in of.accesses:
        for symbol in other.offset.symbols:
            if is_entry(symbol) and symbol.origin[0] is entry.origin[0] and isinstance(symbol.type, IntType):
                apart = (polynomial(symbol.origin[1]) - mine).constant
                if apart is None:
                    return False
                arrays.setdefault(apart, set()).add(id(other.root))
    others = [found for apart, found in arrays.items() if apart]
    elsewhere = set().union(*others)
    return arrays.get(0) == {id(access.root)} and id(access.root) not in elsewhere and len(elsewhere) > 1
