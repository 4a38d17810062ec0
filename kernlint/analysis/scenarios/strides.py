"""Numbers of threads that a kernel's strides speak of.

* ``block * 256 + thread`` and ``thread + 256 * k`` say that 256 threads stand along that axis;
* ``s[thread]`` and ``s[thread + 64]``, both written by all threads, are two parts of 64 elements, for as many threads;
* ``tile[y][x]`` of 16 columns, or ``tile[16 * y + x]``, has room for 16 threads along x.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.trace.events import Access, Trace
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import BLOCK_DIM, THREAD, SymbolKind, Term, symbols
from kernlint.tree.types import ArrayType, Space


def coefficients(of: Trace, axis: int) -> list[int]:
    """Numbers of threads along ``axis`` that strides of blocks or iterations stand for."""
    found: list[int] = []
    done: set[Term] = set()
    thread = THREAD[axis].term
    for term in indices(of):
        if term in done:
            continue
        done.add(term)
        form = polynomial(term).coefficients
        unit = form.get((thread,))
        if not unit:
            continue
        alone = sum(any(s.kind is SymbolKind.THREAD for a in mono for s in symbols(a)) for mono in form) == 1
        counts = []
        for mono, value in form.items():
            if len(mono) == 1 and mono[0].op == "sym" and value % unit == 0:
                symbol = mono[0].args[0]
                of_block = symbol.kind is SymbolKind.BLOCK and symbol.axis == axis
                if of_block or (alone and symbol.kind in (SymbolKind.COUNTER, SymbolKind.BLOCK)):
                    counts.append(value // unit)
        found += [min(count for count in counts if count > 1)] if any(1 < c <= 1024 for c in counts) else []
    return found


def indices(of: Trace) -> Iterator[Term]:
    for access in of.accesses:
        yield access.offset
        for guard in access.guards:
            yield from _compared(guard.term)


def _compared(term: Term) -> Iterator[Term]:
    if term.op in ("lt", "le"):
        yield from term.args
    elif term.op in ("land", "lor", "lnot"):
        for arg in term.args:
            yield from _compared(arg)


def room_along(of: Trace) -> dict[int, int]:
    """How many threads fit along each axis when places in shared arrays, and those written in global memory, are told
    apart by mixed radix: with ``tile[y][x]`` of 16 columns, or ``tile[16 * y + x]``, there are at most 16 along x; a
    dimension of the array that an axis indexes bounds it too."""
    out: dict[int, int] = {}
    done: set[Term] = set()
    for access in of.accesses:
        told = access.root.space is Space.SHARED or (access.root.space is Space.GLOBAL and access.writes)
        if not told or access.offset in done:
            continue
        done.add(access.offset)
        form = polynomial(access.offset).coefficients
        steps = sorted({abs(value) for mono, value in form.items() if len(mono) == 1 and _chooses_row(mono[0])})
        steps += _strides(access)
        for axis in range(3):
            unit = abs(form.get((THREAD[axis].term,), 0))
            above = [step for step in steps if step > unit]
            guarded = any(THREAD[axis] in symbols(guard.term) for guard in access.guards)
            if unit and above and not guarded:
                out[axis] = min(out.get(axis, 1024), max(min(above) // unit, 1))
    for axis, size in parts_of(of).items():
        out[axis] = min(out.get(axis, 1024), size)
    return out


def _chooses_row(atom: Term) -> bool:
    """Whether a factor of a place says which row is meant: an argument says where a part of the array begins
    (``float* p = s + 2 * n; p[threadIdx.x]``), however long the part before it is."""
    return atom.op == "sym" and atom.args[0].kind is not SymbolKind.PARAM


PART = 16
"""Elements of a part of an array that is taken for one of several, which as many threads fill."""


def parts_of(of: Trace) -> dict[int, int]:
    """How many threads fit along each axis when each of them writes an element of several parts of one object, which
    are a constant number of elements apart: ``s[t]``, ``s[t + 64]``, ``s[t + 128]``."""
    starts: dict[tuple[int, Polynomial], set[int]] = {}
    for access in of.accesses:
        if not access.writes or access.root.space not in (Space.SHARED, Space.GLOBAL):
            continue
        if not any(symbol.kind is SymbolKind.THREAD for guard in access.guards for symbol in symbols(guard.term)):
            form = polynomial(access.offset).coefficients
            rest = Polynomial({mono: value for mono, value in form.items() if mono})
            starts.setdefault((id(access.root), rest), set()).add(form.get((), 0))
    out: dict[int, int] = {}
    for (_, shape), places in starts.items():
        first = min(places)
        step = min((place - first for place in places if place > first), default=0)
        for axis in range(3):
            unit = abs(shape.coefficients.get((THREAD[axis].term,), 0))
            if unit and step >= PART * unit and all((place - first) % step == 0 for place in places):
                out[axis] = min(out.get(axis, 1024), step // unit)
    return out


def _strides(access: Access) -> list[int]:
    """Bytes from one element to the next in each dimension of the array that is accessed, and its whole size."""
    decl, out = access.root.decl, []
    kind = decl.type if decl is not None and not access.root.path else None
    while isinstance(kind, ArrayType):
        if kind.size is not None:
            out.append(kind.size)
        kind = kind.element
    return out


def block_total(of: Trace) -> int | None:
    """Threads of a block for which a constant stride stands that is added to the linear index of a thread."""
    for index in indices(of):
        form = polynomial(index).coefficients
        unit = form.get((THREAD[0].term,), 0)
        row = next((v for m, v in form.items() if set(m) == {THREAD[1].term, BLOCK_DIM[0].term}), 0)
        if unit <= 0 or row != unit:
            continue
        for mono, value in form.items():
            kind = mono[0].args[0].kind if len(mono) == 1 and mono[0].op == "sym" else None
            steps = kind in (SymbolKind.COUNTER, SymbolKind.BLOCK) and value % unit == 0
            if steps and 1 < value // unit <= 1024:
                return value // unit
    return None
