"""Coordinates that nothing keeps inside at one end, where another one says that something has to.

Two say so.  Another coordinate *of the same index*, made in the same way (``oy * stride - pad + ky`` beside ``ox *
stride - pad + kx``), is kept at that end by a test or a clamp: who asks there knows of places outside.  Or *another
access to the array* is kept at that end of the very coordinate, and this one lies as far out, or farther.  What tests
let get past is told with them (`let_past.py`).

Silent where anything else is asked of what the coordinate is made of, or of data, and where the other one is kept
farther inside than its last place: what is known of it then is no end of the array.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.alike import alike, farther, kind_of, made, shape, together
from kernlint.analysis.extent.asking import Past, kept
from kernlint.analysis.extent.bounds import bounds_above
from kernlint.analysis.extent.doubts import DIGITS, OPAQUE
from kernlint.analysis.extent.ends import (
    CLAMPS,
    Coordinate,
    End,
    coordinate,
    coordinates,
    factor_of,
    tested_forms,
)
from kernlint.analysis.extent.let_past import (
    TESTS,
    Coordinates,
    crossed,
    of_fields,
    of_launches,
    of_neighbours,
    of_peers,
    of_positions,
    of_rows,
    of_sizes,
    of_steps,
    of_wholes,
)
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.open_coordinate import OpenCoordinate
from kernlint.analysis.extent.places import chosen, moves
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, GuardKind, Root, RootKind
from kernlint.record import replace
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import Polynomial, divided, number, polynomial, term_of
from kernlint.symbolic.terms import SymbolKind, Term, negate, plain, subterms, symbols

MOST = 96
"""Accesses to one array that are looked at."""

_DATA = frozenset({SymbolKind.LOAD, SymbolKind.PHI, SymbolKind.UNKNOWN})
_GRID = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM})


# ------------------------------------------------------------------------------------------- in the same index


def _left_over(access: Access, found: Sequence[Coordinate], like: Coordinate) -> Coordinate | None:
    """The coordinate of an index that is made as ``like`` is, of what no test speaks of."""
    form = elements(access)
    if form is None:
        return None
    told = {mono for one in found for mono in (one.pitch * one.moving).coefficients}
    rest = {m: v for m, v in form[0].coefficients.items() if m not in told and any(map(moves, m))}
    wanted = made(like.core)
    hits = []
    for sizes in dict.fromkeys(factor_of(mono) for mono in rest):
        quotients = [(left, v, m) for m, v in rest.items() if (left := divided(m, sizes)) is not None]
        mine = [(left, v, m) for left, v, m in quotients if kind_of(left, v) in wanted]
        others = set(rest) - {m for _, _, m in mine}
        apart = not any(factor_of(m) == factor_of(n) for m in others for _, _, n in mine)
        if apart and sorted(kind_of(left, v) for left, v, _ in mine) == wanted:
            hits.append((sizes, {left: v for left, v, _ in mine}))
    if len(hits) != 1:
        return None
    sizes, parts = hits[0]
    times = min(parts.values())
    if times <= 0 or any(value % times for value in parts.values()):
        return None
    pitch, moving = Polynomial({sizes: times}), Polynomial({left: value // times for left, value in parts.items()})
    if any(moving.atoms & {a for a in one.moving.atoms if moves(a)} for one in found):
        return None
    fixed = {
        left: value // times
        for mono, value in form[0].coefficients.items()
        if not any(map(moves, mono)) and (left := divided(mono, sizes)) is not None and not value % times
    }
    alone = pitch == number(1) and len(form[0].coefficients) > len(parts)
    if alone and (set(fixed) - {()} or abs(fixed.get((), 0)) > 1) and Polynomial(fixed) != like.base:
        return None  # rows back and forth, perhaps
    return coordinate(access, moving, Polynomial(fixed), pitch, number(form[1]) if alone else number(0))


def _of_others(one: Coordinate, other: Coordinate) -> bool:
    """Whether two coordinates are not sums of the same."""
    mine, theirs = ({atom for atom in form.core.atoms if moves(atom)} for form in (one, other))
    return not mine <= theirs and not theirs <= mine


def _of_grid(one: Coordinate) -> bool:
    return {symbol.kind for atom in one.moving.atoms for symbol in symbols(atom)} <= _GRID


def _in_index(access: Access) -> Iterator[tuple[Coordinate, Coordinate, bool]]:
    """(coordinate that is open, one that is kept, whether at 0) of one index."""
    found = coordinates(access, tested_forms(access))
    for other in found:
        for below in (True, False):
            end, clamped = other.end(below), other.clamped(below)
            tested = end.guard is not None and end.kept and end.exact and end.guard.kind is not GuardKind.AFTER_LOOP
            if not tested and not clamped:
                continue
            both = all(o.kept and o.exact for o in (other.low, other.high))
            for one in found:
                missing = _lacks(one, other, below) or (not below and _of_fewer(one.high, other.high))
                if missing and _of_others(one, other) and alike(one, other) and farther(one, other, below):
                    yield one, other, below
            one_ = _left_over(access, found, other)
            if one_ is None or not _lacks(one_, other, below) or not alike(one_, other):
                continue
            data = any(symbol.kind in _DATA for atom in one_.moving.atoms for symbol in symbols(atom))
            if farther(one_, other, below) and (not data or (both and together(one_, other))):
                yield one_, other, below


def _lacks(one: Coordinate, other: Coordinate, below: bool) -> bool:
    """Whether nothing keeps a coordinate at an end at which its like is kept by a test or clamp.

    What is asked of both alike is no reason: the other one is kept besides."""
    mine, bare = one.end(below), other.bare[not below]
    theirs = {shape(part): part for part in bare.doubts}
    common = {s for atom in one.core.atoms for s in symbols(atom)} & {s for a in other.core.atoms for s in symbols(a)}
    alike_ = {
        part
        for part in mine.doubts
        if (like := theirs.get(shape(part))) is not None
        and (like != part or all(s in common for s in symbols(part) if moves(s.term)))
    }
    if not other.clamped(below):
        return mine.open(alike_)
    if not below and _half(one):
        return True
    past = mine.guard is not None and bare.guard is not None and 0 < (mine.reach or 0) == bare.reach
    return mine.open(alike_) or (past and mine.doubts <= alike_)


def _half(one: Coordinate) -> bool:
    """Whether a coordinate is clamped to 0, and a test alone speaks of its end, which it lets it past."""
    return one.clamped(True) and not one.clamped(False) and (one.high.reach or 0) > 0 and not one.high.doubts


def _of_fewer(mine: End, theirs: End) -> bool:
    """Whether a coordinate is kept below the like of some of the sizes that another one is kept below, and of none
    else: the rim that ``min(x + k, width + pad)`` lets pass is cut off by ``min(x, width)`` there, and here by
    nothing."""
    own, other = ({str(made): Counter(made) for made in map(made, end.sizes)} for end in (mine, theirs))
    if not own or not own.keys() < other.keys() or len(theirs.sizes) != len(other):
        return False
    return all(
        any(parts != whole and parts <= whole for whole in own.values())
        for name, parts in other.items()
        if name not in own
    )


# ------------------------------------------------------------------------------------------------ of the array


def _no_more_asked(access: Access, other: Access, own: Sequence[Coordinate], settled: Set[Term]) -> bool:
    """Whether an access stands under no condition on data that the other does not stand under, but for tests of its own
    coordinates, and what is ``settled``."""
    theirs = {part for guard in other.guards for part in conjuncts(guard.term)} | settled
    mine = {one.end(below).part for one in own for below in (True, False)}
    return not any(
        part not in theirs
        and part not in mine
        and any(symbol.kind in _DATA or symbol.kind in OPAQUE for symbol in symbols(part))
        for guard in access.guards
        for part in conjuncts(guard.term)
    )


def _weaker(mine: End, theirs: End, below: bool, known: frozenset[Term]) -> bool:
    """Whether one end is open where another one is kept just inside, under truths that are ``known`` there."""
    if mine.open(known):
        return True
    return not below and mine.size is not None and mine.size == theirs.size and (mine.reach or 0) > 0


def _at_first_outside(one: Coordinate) -> frozenset[Term]:
    """What is asked besides of a thread's place that holds where a coordinate is -1, or does if two numbers in memory
    differ: ``(s & 1) && label[s / 2] != label[s / 2 - 1]`` before ``row[s - 2]``."""
    at = one.fixed.constant
    threads = [mono[0].symbol for mono, value in one.moving.coefficients.items() if len(mono) == 1 and value == 1]
    thread = next((s for s in threads if s is not None and s.kind is SymbolKind.THREAD), None)
    if thread is None or at is None or at > -1:
        return frozenset()
    others = {s for atom in one.moving.atoms for s in symbols(atom)} - {thread}
    env = {s: 32 if s.kind is SymbolKind.BLOCK_DIM else 0 for s in others} | {thread: -1 - at}
    return frozenset(part for part in one.low.doubts if evaluate(part, env) or _differ(part))


def _differ(part: Term) -> bool:
    """Whether two numbers in memory are compared with one another."""
    held = [plain(side).symbol for side in part.args] if part.op in ("eq", "ne") else []
    return bool(held) and all(symbol is not None and symbol.kind is SymbolKind.LOAD for symbol in held)


def _fails(part: Term, access: Access) -> bool:
    """Whether an access is made where a test fails."""
    opposite = negate(part)
    return any(opposite == other for guard in access.guards for other in conjuncts(guard.term))


def _coordinates_of(group: Sequence[Access]) -> Coordinates:
    forms = tuple(dict.fromkeys(form for access in group for form in tested_forms(access)))
    return {access: coordinates(access, forms) for access in group} if forms else {}


def _of_array(every: Coordinates) -> Iterator[tuple[Coordinate, Coordinate, bool]]:
    known: dict[tuple[Polynomial, Polynomial, bool], list[Coordinate]] = {}
    for found in every.values():
        for one in found:
            for below in (True, False):
                end = one.end(below)
                if end.kept and end.exact and end.guard is not None and end.guard.kind in TESTS:
                    known.setdefault((one.moving, one.pitch, below), []).append(one)
    for access, found in every.items():
        for one in found:
            for below in (True, False):
                for other in known.get((one.moving, one.pitch, below), ()):
                    apart = (one.fixed - other.fixed).constant
                    if apart is None or (apart > 0 if below else apart < 0) or other.access is access:
                        continue
                    mine, theirs = one.end(below), other.end(below)
                    if not below and apart == 0 and crossed(one, other, found):
                        yield one, other, below
                        break
                    if not below and _of_grid(one):
                        continue  # threads past the end are looked for elsewhere
                    if theirs.guard in access.guards:
                        continue  # a neighbour of the place that the test is made for
                    if theirs.part is not None and _fails(theirs.part, access):
                        continue  # the test chooses how the place is used
                    holds = _at_first_outside(one) if below else frozenset()
                    known_ = holds.union(part for guard in other.access.guards for part in conjuncts(guard.term))
                    if _weaker(mine, theirs, below, known_) and _no_more_asked(access, other.access, found, holds):
                        yield one, other, below
                        break


# ---------------------------------------------------------------------------------------------------- the whole


def _of(facts: Facts) -> Iterator[OpenCoordinate]:
    groups: dict[Root, dict[tuple[Term, tuple[Term, ...], bool], Access]] = {}
    for access in facts[trace].accesses:
        if access.guards and access.size and _of_rows(access):
            key = (access.offset, tuple(guard.term for guard in access.guards), access.writes)
            groups.setdefault(access.root, {}).setdefault(key, access)
    context = facts[launch_context]
    for found in groups.values():
        group = list(found.values())[:MOST]
        every = _coordinates_of(group)
        for one, other, below in _of_array(every):
            if _stands(one, other, below, facts):
                tested = None if below or one.high.open() else one.high.guard
                yield OpenCoordinate(one.access, other.access, other.end(below).guard, below, tested=tested)
        for one, other in of_neighbours(every):
            if _stands(one, other, False, facts):
                yield OpenCoordinate(one.access, other.access, other.high.guard, False, beside=one.high.guard)
        for one, at in of_positions(every):
            if not context.launches or one.high.size is None or not kept(_past(one, one.high.size), facts):
                yield OpenCoordinate(one.access, at or one.access, one.high.guard, False, position=True)
        for access, beside, end in of_fields(group, every):
            yield OpenCoordinate(access, beside, end.guard, False, field=True)
        for one, rows, whole in of_wholes(every):
            if not context.launches or not kept(_past(one, rows), facts):
                yield OpenCoordinate(one.access, whole, one.high.guard, False, row=rows, last=one.low.guard)
        for one, other in of_sizes(every):
            if _stands(one, other, False, facts):
                yield OpenCoordinate(one.access, other.access, other.high.guard, False, tested=one.high.guard)
        for access in group:
            for one, other, below in _in_index(access):
                if _stands(one, other, below, facts):
                    yield OpenCoordinate(access, access, other.end(below).guard, below, at=one)
        for access, coordinates_ in every.items():
            yield from _past_own(access, coordinates_, facts)


def _past_own(access: Access, found: Sequence[Coordinate], facts: Facts) -> Iterator[OpenCoordinate]:
    """Coordinates that get past the end of their own row, or what a launch is made for."""
    context = facts[launch_context]
    for one, row, below in of_steps(access, found):
        yield OpenCoordinate(access, access, one.end(not below).guard, below, row=row, steps=True)
    for one, row in of_rows(access, found):
        if not context.launches or not kept(_past(one, row), facts):
            yield OpenCoordinate(access, access, one.high.guard, False, row=row)
    for one, row in of_peers(access, found):
        yield OpenCoordinate(access, access, one.high.guard, False, row=row)
    for one, count in of_launches(found, context) if not context.all_exact else ():
        if not kept(_past(one, count), facts):
            yield OpenCoordinate(access, access, one.high.guard, False, count=count)


def _of_rows(access: Access) -> bool:
    """Whether an array has rows, as far as its kind says: arrays of one dimension that are declared are looked at by
    their extent."""
    if access.root.kind is not RootKind.VARIABLE:
        return True
    return any(symbol.kind is SymbolKind.LOAD for symbol in symbols(access.offset)) and "add" in {
        p.op for p in subterms(access.offset)
    }


def _past(one: Coordinate, size: Polynomial) -> Past:
    return Past(one.access, term_of(one.moving + one.fixed), term_of(size))


def _stands(one: Coordinate, other: Coordinate, below: bool, facts: Facts) -> bool:
    """Whether no launch in sight keeps a coordinate inside by what it passes."""
    context = facts[launch_context]
    if other.clamped(below) and one.access is other.access:
        if not below and _half(one) and one.high.size is not None:
            return not kept(_past(one, one.high.size), facts)
        if not _acts(other, below, facts):
            return False
    if below:
        return not _counts_up(one.moving + one.fixed)
    if one.access is other.access and context.launches and _of_places(one) and not _of_grid(one):
        size = _mirrored(one, other)
        return size is not None and not kept(_past(one, size), facts)
    if one.access is other.access and _of_grid(one):
        return not context.launches and not context.stated and _of_threads(one) and _surplus(one, facts)
    size = other.high.size
    if not context.launches or size is None or one.access is other.access:
        return True
    return not kept(Past(one.access, term_of(one.moving + one.fixed), term_of(size)), facts)


def _counts_up(form: Polynomial) -> bool:
    """Whether a sum is made of places in the grid, their digits and multiples, none of which is negative."""
    return all(value > 0 and all(map(_is_place, mono)) for mono, value in form.coefficients.items()) and all(
        not mono or any(map(moves, mono)) for mono in form.coefficients
    )


def _is_place(atom: Term) -> bool:
    atom = plain(atom)
    if atom.symbol is not None:
        return atom.symbol.kind in _GRID or atom.symbol.kind in (SymbolKind.PARAM, SymbolKind.TEMPLATE)
    if atom.op in DIGITS:
        return _counts_up(polynomial(atom.args[0])) and chosen(atom.args[1])
    return False


def _of_places(one: Coordinate) -> bool:
    """Whether a coordinate is made of places in the grid, rounds and arguments: launches say how far it gets."""
    return not any(s.kind in _DATA for atom in one.core.atoms for s in symbols(atom))


def _mirrored(one: Coordinate, other: Coordinate) -> Polynomial | None:
    """What a coordinate has to stay below, where its like is kept below the very size that a test asks about for both:
    ``x < w && y < h`` before ``min(y + k, h - 1)`` and ``x + k``."""
    size = other.clamps.size if other.clamps is not None else other.high.size
    if one.high.size is not None and (one.high.reach or 0) > 0 and other.bare[1].size == size:
        return one.high.size
    theirs = {shape(part) for part in other.bare[1].doubts if part.op == "lt" and polynomial(part.args[1]) == size}
    mine = {polynomial(part.args[1]) for part in one.end(False).doubts if part.op == "lt" and shape(part) in theirs}
    return mine.pop() if len(mine) == 1 else None


def _acts(one: Coordinate, below: bool, facts: Facts) -> bool:
    """Whether a clamp is known of nothing that would keep what it clamps inside anyway."""
    index, size = one.core + one.base, one.clamps.size if one.clamps is not None else None
    if below:
        index, size = number(0) - index, number(1)
    return size is None or not kept(Past(one.access, term_of(index), term_of(size)), facts)


def _of_threads(one: Coordinate) -> bool:
    """Whether a coordinate is a thread's place along an axis of the grid, other than z: there blocks are often one
    thread deep."""
    found = {symbol for atom in one.moving.atoms for symbol in symbols(atom)}
    axes = {symbol.axis for symbol in found if symbol.kind is SymbolKind.BLOCK}
    threads = any(symbol.kind is SymbolKind.THREAD for symbol in found)
    return (
        threads
        and len(axes) == 1
        and axes <= {0, 1}
        and not any(p.op in CLAMPS | DIGITS for a in one.moving.atoms for p in subterms(a))
    )


def _surplus(one: Coordinate, facts: Facts) -> bool:
    """Whether threads past the end are known of along the axis of a coordinate: in OpenCL, where there may be as many
    work items as elements along each, by a test of the kernel."""
    if facts.module.language != "opencl":
        return True
    axes = {s.axis for atom in one.moving.atoms for s in symbols(atom) if s.kind is SymbolKind.BLOCK}
    guards = (guard.term for access in facts[trace].accesses for guard in access.guards)
    return any(bounds_above(term, axis) for term in dict.fromkeys(guards) for axis in axes if axis is not None)


def _same(low: OpenCoordinate, high: OpenCoordinate) -> bool:
    """Whether two findings are of both ends of one coordinate."""
    if low.at is None or high.at is None or high.below or not low.below:
        return False
    return low.at.moving == high.at.moving and (low.guard is None) is (high.guard is None)


def _compute(facts: Facts) -> tuple[OpenCoordinate, ...]:
    out: dict[tuple[Root, bool, object], OpenCoordinate] = {}
    for one in _of(facts):
        key = (one.access.root, one.below, one.guard.span if one.guard is not None else None)
        low = next((k for k, o in out.items() if one.at is not None and o.access is one.access and _same(o, one)), None)
        if low is not None:
            del out[low]
            one = replace(one, both=True)
        out.setdefault(key, one)
    return tuple(out.values())


open_coordinates = KernelAnalysis("open_coordinates", _compute, needs=(trace, launch_context))
"""Each :class:`OpenCoordinate` of a kernel variant, one for each array, end and test, in order of the walk."""
