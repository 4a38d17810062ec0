"""The parts of an index, each with the extent that belongs to it, by the extents that an array is said to have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.extent.limits import elements, split
from kernlint.analysis.extent.places import Place, is_pitch, moves
from kernlint.analysis.trace.events import Access
from kernlint.symbolic.polynomial import Monomial, Polynomial, number, polynomial
from kernlint.symbolic.terms import Term, binary, symbols
from kernlint.tree.types import I64


def parts_of(access: Access, sizes: Sequence[Term | None], known: Sequence[Place]) -> Iterator[tuple[Polynomial, Term]]:
    """The parts of an index with the extent that each belongs to, as far as that is known."""
    found = elements(access)
    if found is None:
        if len(sizes) == 2:
            yield from _in_bytes(access, sizes)
        return
    whole, extra = found
    if len(sizes) == 1:
        if sizes[0] is not None:
            yield whole + number(extra), sizes[0]
        return
    told = {symbol for size in sizes if size is not None for symbol in symbols(size)}
    own = known[0].pitch.atoms if known else set()
    if len(known) == len(sizes) and known[-1].pitch == number(1) and not any(told & set(symbols(a)) for a in own):
        yield from ((p.index + number(p.extra), size) for p, size in zip(known, sizes, strict=True) if size is not None)
    elif None not in sizes[1:]:
        yield from _divided(whole, extra, sizes)


def _in_bytes(access: Access, sizes: Sequence[Term | None]) -> Iterator[tuple[Polynomial, Term]]:
    """The row, and the place in it, of an access to rows that are so many bytes apart."""
    size = access.root.element.size
    parts = list(split(polynomial(access.offset), moves, is_pitch))
    if not size or size != access.size or len(parts) != 2 or parts[1][1] != number(1):
        return
    (row, _), (inner, _) = parts
    if any(value % size for value in inner.coefficients.values()):
        return
    place = Polynomial({mono: value // size for mono, value in inner.coefficients.items()})
    yield from ((index, told) for index, told in zip((row, place), sizes, strict=True) if told is not None)


def _divided(whole: Polynomial, extra: int, sizes: Sequence[Term | None]) -> Iterator[tuple[Polynomial, Term]]:
    """The parts by division with the products of the extents that are inside; what the index does not tell apart is
    one part."""
    out: list[tuple[Polynomial, Term | None]] = []
    rest = whole
    open_: Term | None = None
    pending = False
    for at, size in enumerate(sizes):
        room = size if not pending else (None if open_ is None or size is None else binary("mul", open_, size, I64))
        pitch = number(1)
        for inner in sizes[at + 1 :]:
            assert inner is not None
            pitch = pitch * polynomial(inner)
        if at == len(sizes) - 1:
            out.append((rest + number(extra), room))
            break
        quotient = _quotient(rest, pitch)
        if quotient is None:
            return
        if not quotient.coefficients:
            open_, pending = room, True
            continue
        pending = False
        out.append((quotient, room))
        rest = rest - quotient * pitch
    for at, (index, told) in enumerate(out):
        if told is not None and (told.value is None or not at):  # within rows of fixed length nobody tests
            yield index, told


def _quotient(whole: Polynomial, pitch: Polynomial) -> Polynomial | None:
    """What a pitch is multiplied by in a sum; None where that is not plain."""
    lead = max((mono for mono in pitch.coefficients), key=len)
    factor = pitch.coefficients[lead]
    found: dict[Monomial, int] = {}
    for mono, value in whole.coefficients.items():
        rest = list(mono)
        for atom in lead:
            if atom not in rest:
                break
            rest.remove(atom)
        else:
            if not lead and not (value % factor == 0 and mono):
                continue
            if value % factor:
                return None
            if any(moves(atom) for atom in rest) or not rest:
                found[tuple(rest)] = value // factor
    quotient = Polynomial(found)
    return None if any(_has(mono, lead) for mono in (whole - quotient * pitch).coefficients if lead) else quotient


def _has(mono: Monomial, lead: Monomial) -> bool:
    left = list(mono)
    for atom in lead:
        if atom not in left:
            return False
        left.remove(atom)
    return True
