"""Indices that are counted from the end, clamped, wrapped or padded so that the guard does not hold them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.coverage import Cover, conjuncts, cover
from kernlint.analysis.excuses.runs_of_data import begins_of_runs
from kernlint.analysis.extent.bounds import Reach, mentions
from kernlint.analysis.extent.clamps import clamped_at
from kernlint.analysis.extent.limits import Indexed
from kernlint.analysis.extent.places import Place, Places
from kernlint.analysis.extent.places import moves as varies
from kernlint.analysis.extent.wrong_guards.faults import MOVING, Fault, Overreach, Supports, kind_of, moves
from kernlint.analysis.trace.events import Access, Guard
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import Monomial, Polynomial, number, polynomial
from kernlint.symbolic.terms import SymbolKind, Term, binary, negate, plain, symbols
from kernlint.tree.types import FloatType, IntType


def counted_down(indexed: Sequence[Indexed], supports: Supports) -> Iterator[Overreach]:
    """``in[n - i]`` beside ``out[i]`` with ``i < n``, or ``row[n - i]`` in rows of n."""
    for one in indexed:
        if len(one.dimensions) > 1:
            yield from _row_counted_down(one)
        if len(one.dimensions) != 1 or one.dimensions[0].extra or one.dimensions[0].limits:
            continue
        index = one.dimensions[0].index
        moving = {m: v for m, v in index.coefficients.items() if any(kind_of(a) in MOVING for a in m)}
        most = index - Polynomial(moving)
        if any(value > 0 for value in moving.values()) or most not in supports:
            continue
        support = supports[most]
        guards = [g for g in one.access.guards if g in support.guards]
        raised = [g for g in one.access.guards if _raises(g.term)]
        if guards and not raised:
            yield Overreach(
                one.access,
                Fault.REVERSED,
                guards[-1],
                guards[-1].term,
                most,
                1,
                "another access is kept below it",
                support,
            )


def _row_counted_down(one: Indexed) -> Iterator[Overreach]:
    """``x[row * n + n - i]`` under a test of ``i``: for 0 that is where the next row begins."""
    *_, outer, inner = one.dimensions
    moving = {m: v for m, v in inner.index.coefficients.items() if any(kind_of(a) in MOVING for a in m)}
    size = inner.index - Polynomial(moving)
    if inner.extra or inner.limits or inner.pitch.constant != 1 or outer.pitch != size or size.constant is not None:
        return
    if any(value > 0 for value in moving.values()) or any(_raises(guard.term) for guard in one.access.guards):
        return
    mine = {atom for mono in moving for atom in mono}
    guards = [g for g in one.access.guards if any(atom.symbol in symbols(g.term) for atom in mine)]
    if guards and not any(s.kind in _DATA for g in guards for s in symbols(g.term)):
        why = "it is the length of the rows"
        yield Overreach(one.access, Fault.REVERSED, guards[-1], guards[-1].term, size, 1, why)


_DATA = frozenset({SymbolKind.LOAD, SymbolKind.UNKNOWN, SymbolKind.PHI, SymbolKind.EXIT})


def backwards(indexed: Sequence[Indexed], supports: Supports) -> Iterator[Overreach]:
    """``in[n - 2 - i]`` where nothing but ``i < n`` is tested: the last thread gets to -1."""
    for one in indexed:
        if len(one.dimensions) != 1 or one.dimensions[0].extra or one.access.loops:
            continue
        index = one.dimensions[0].index
        last = {mono: -value for mono, value in index.coefficients.items() if any(kind_of(a) in MOVING for a in mono)}
        most = index + Polynomial(last)
        shift = most.coefficients.get((), 0)
        size = most - number(shift)
        if shift > -2 or size not in supports or any(value < 0 for value in last.values()):
            continue
        tests = [(g, part) for g in one.access.guards for part in conjuncts(g.term) if moves(part)]
        if len(tests) != 1 or tests[0][1].op != "lt":
            continue
        guard, part = tests[0]
        if (polynomial(part.args[0]), polynomial(part.args[1])) == (Polynomial(last), size):
            why = "another access is kept below it"
            yield Overreach(one.access, Fault.BACKWARDS, guard, part, size, shift + 1, why, supports[size])


def _raises(guard: Term) -> bool:
    """Whether a guard keeps the first threads away."""
    for part in conjuncts(guard):
        if part.op in ("lt", "le") and moves(part.args[1]) and not moves(part.args[0]):
            return True
        if part.op in ("ne", "eq") and moves(part):
            return True
    return False


def whole_of(indexed: Sequence[Indexed]) -> Supports:
    """The sizes of arrays whose rows tests fill: ``w * h`` of ``a[y * w + x]`` under ``x < w && y < h``, each with the
    first such access."""
    found: Supports = {}
    for one in indexed:
        pitch = number(1)
        for dimension in reversed(one.dimensions) if len(one.dimensions) > 1 else ():
            best = dimension.limits[0] if dimension.limits else None
            if best is None or best.slack != -1 or dimension.extra or dimension.pitch != pitch:
                break
            pitch = pitch * best.size
        else:
            if len(one.dimensions) > 1:
                found.setdefault(pitch, one.access)
    return found


def clamped(indexed: Sequence[Access], supports: Supports) -> Iterator[Overreach]:
    """``in[min(i, n)]``, in a dimension whose size is n, or in an array of n elements in rows.

    Excused: where runs begin that lie back to back, one after the last says where that ends.  Still bad: an element
    that nothing of the same array is taken from.
    """
    for access in indexed:
        size = access.root.element.size
        if not size or access.size != size:
            continue
        offset = polynomial(access.offset)
        for mono, value in offset.coefficients.items():
            caps = [atom for atom in mono if _cap(atom) is not None]
            if len(caps) != 1 or value != size:
                continue
            rest = tuple(atom for atom in mono if atom is not caps[0])
            if any(m != mono and _same_place(m, rest) for m in offset.coefficients):
                continue  # not the clamped value alone
            cap = polynomial(_cap(caps[0]) or caps[0])
            if cap.coefficients.get((), 0) or cap.constant is not None:
                continue
            guard = next((g for g in access.guards), None)
            support = supports.get(cap)
            alike = support is not None and (_alike(access, support, cap) or _other_to_last(offset, caps[0], support))
            if support is not None and alike and not begins_of_runs.holds(access, indexed):
                chosen = guard or support.guards[-1]
                why = "another access is kept below it"
                yield Overreach(access, Fault.CLAMPED, chosen, chosen.term, cap, 1, why, support)
                break


def _other_to_last(offset: Polynomial, clamped_: Term, support: Access) -> bool:
    """Whether another coordinate of a place is clamped to one less than a size: to its last value.  The one in question
    is counted by the threads that ``support`` has, whose size is the limit."""
    threads = {s for s in symbols(clamped_) if s.kind in (SymbolKind.THREAD, SymbolKind.BLOCK)}
    if not threads & set(symbols(support.offset)):
        return False
    caps = (_cap(atom) for mono in offset.coefficients for atom in mono)
    return any(cap is not None and polynomial(cap).coefficients.get((), 0) == -1 for cap in caps)


def _alike(access: Access, support: Access, size: Polynomial) -> bool:
    """Whether what ``support`` says of a size holds for the rows of ``access``: rows with a pitch of their own may be
    longer (n + 1 sums of n values)."""
    mine = _pitches(access)
    own = any(atom in pitch for pitch in mine for mono in size.coefficients for atom in mono)
    return not mine or own or support.root is access.root or bool(mine & _pitches(support))


def _pitches(access: Access) -> set[Monomial]:
    """What arguments multiply places by."""
    found = (mono for mono in polynomial(access.offset).coefficients if any(map(varies, mono)))
    pitches = (tuple(atom for atom in mono if kind_of(atom) is SymbolKind.PARAM) for mono in found)
    return {pitch for pitch in pitches if pitch}


def clamped_data(found: Places) -> Iterator[Overreach]:
    """``in[clamp(bin, 0, n)]``, wherever ``bin`` comes from, in an array of which another access is kept below n."""
    every = [place for places in found.values() for place in places]
    bounds = {(id(p.access.root), p.pitch, p.bound): p.access for p in every if p.bound is not None}
    for place in every:
        (mono,) = place.index.coefficients if len(place.index.coefficients) == 1 else ((),)
        cap = _cap(mono[0]) if len(mono) == 1 and place.index.coefficients[mono] == 1 else None
        if cap is None or place.extra or any(limit.slack < 0 for limit in place.limits):
            continue
        size = polynomial(cap)
        support = bounds.get((id(place.access.root), place.pitch, size))
        if support is not None and not begins_of_runs.holds(place.access, found):
            guard = support.guards[-1]
            why = "another access is kept below it"
            yield Overreach(place.access, Fault.CLAMPED, guard, guard.term, size, 1, why, support)


def clamped_numbers(found: Places) -> Iterator[Overreach]:
    """``lut[min(i, 256)]`` where another access to the table is made under ``i + 1 < 256`` for its own index."""
    every = [place for places in found.values() for place in places]
    tests: dict[tuple[int, Polynomial], list[tuple[int, Term, Guard, Access]]] = {}
    for place in every:
        for guard in place.access.guards:
            for part in conjuncts(guard.term):
                size = part.args[1].value if part.op == "lt" else None
                if size is not None and size > 1 and polynomial(part.args[0]) == place.index:
                    key = id(place.access.root), place.pitch
                    tests.setdefault(key, []).append((size, part, guard, place.access))
    for place in every if tests else ():
        for size, part, guard, support in tests.get((id(place.access.root), place.pitch), ()):
            mine = {own for one in place.access.guards for own in conjuncts(one.term)}
            if part not in mine and _highest(place) == size:
                why = "another access is kept below it"
                yield Overreach(place.access, Fault.CLAMPED, guard, guard.term, number(size), 1, why, support)
                break


def _highest(place: Place) -> int | None:
    """The largest value of an index that is clamped between numbers."""
    atoms = [mono for mono in place.index.coefficients if mono]
    if len(atoms) != 1 or len(atoms[0]) != 1 or place.index.coefficients[atoms[0]] != 1 or place.extra:
        return None
    whole = clamped_at(atoms[0][0]) if isinstance(plain(atoms[0][0]).type, FloatType) else None
    if whole is not None:
        return whole + place.index.coefficients.get((), 0)
    atom = plain(atoms[0][0])
    if atom.op not in ("min", "max") or not any(arg.value is not None for arg in atom.args):
        return None
    high = interval(atom)[1]
    return None if high is None else high + place.index.coefficients.get((), 0)


def _same_place(mono: Monomial, rest: Monomial) -> bool:
    """Whether a monomial belongs to the dimension whose pitch is ``rest``: the clamped value is moved by it."""
    if rest:
        return all(mono.count(atom) >= rest.count(atom) for atom in rest)
    return not any(kind_of(atom) is SymbolKind.PARAM for atom in mono)


def as_clamp(term: Term, given: tuple[Term, ...] = ()) -> Term:
    """A number that is chosen by a comparison of it with one of its ends (``v < low ? low : v > high ? high : v``), as
    the larger, or the smaller, of the two; other terms as they are.  ``given``: what is known to hold."""
    term = plain(term)
    if term.op != "select" or not isinstance(term.type, IntType):
        return term
    tests = [part for part in conjuncts(term.args[0]) if part not in given]
    if len(tests) != 1 or tests[0].op not in ("lt", "le"):
        return term
    (smaller, larger), (then, other) = map(plain, tests[0].args), map(plain, term.args[1:])
    for end, value, rest, op, holds in (
        (larger, smaller, other, "max" if then == larger else "", negate(tests[0])),
        (smaller, larger, other, "min" if then == smaller else "", negate(tests[0])),
        (larger, smaller, then, "min" if other == larger else "", tests[0]),
        (smaller, larger, then, "max" if other == smaller else "", tests[0]),
    ):
        inner = as_clamp(rest, (*given, holds)) if op else rest
        if op and value in (inner, *(map(plain, inner.args) if inner.op in ("min", "max") else ())):
            return binary(op, inner, end, term.type)
    return term


def _float_cap(atom: Term) -> Term | None:
    """The size that a number in floating point is clamped to before it is made whole: ``(int)fminf(x, (float)n)``."""
    name = str(atom.args[0]) if atom.op == "call" else atom.op
    ends = atom.terms[2:] if name == "clamp" and len(atom.terms) == 3 else atom.terms if name in _LESSER else ()
    caps = [plain(end) for end in ends if isinstance(plain(end).type, IntType)]
    if len(caps) == 1 and {s.kind for s in symbols(caps[0])} == {SymbolKind.PARAM} and varies(atom):
        return caps[0]
    return None


_LESSER = frozenset({"min", "fmin", "fminf"})


def _cap(atom: Term) -> Term | None:
    """The uniform upper bound of a minimum of something that moves, through a maximum with a number."""
    if isinstance(plain(atom).type, FloatType):
        return _float_cap(plain(atom))
    atom = as_clamp(atom)
    if atom.op == "max":
        for arg, other in (atom.args, atom.args[::-1]):
            if other.value is not None:
                return _cap(arg)
        return None
    if atom.op != "min":
        return None
    for arg, other in (atom.args, atom.args[::-1]):
        kinds = {s.kind for s in symbols(arg)}
        if kinds == {SymbolKind.PARAM} and varies(other):
            return arg  # type: ignore[no-any-return]
    return None


def capped(access: Access, size: Polynomial) -> Term | None:
    """The part of the index of a CLAMPED ``access`` that is clamped to ``size``."""
    for mono in polynomial(access.offset).coefficients:
        for atom in mono:
            cap = _cap(atom)
            if cap is not None and polynomial(cap) == size:
                return atom
    return None


def hollow(found: Sequence[Reach]) -> Iterator[Overreach]:
    for reach in found:
        if reach.vacuous and reach.open_axes:
            guard = reach.vacuous[0]
            yield Overreach(reach.access, Fault.VACUOUS, guard, guard.term, None, 0, "")


def padded(found: Sequence[Reach]) -> Iterator[Overreach]:
    """Reads that are bounded by a count rounded up to whole groups, but laid out without the groups."""
    for reach in found:
        if reach.access.writes:
            continue
        for guard in reach.access.guards:
            for part in conjuncts(guard.term):
                group = _rounded(part, reach)
                if group is None or any(s in group[1] for s in symbols(reach.access.offset)):
                    continue
                others = [other for other in found if other.access.root is not reach.access.root]
                laid = [o for o in others if o.access.writes and set(group[1]) & set(symbols(o.access.offset))]
                if laid and not _tested(reach.access, group[0], guard):
                    size = polynomial(group[0])
                    yield Overreach(
                        reach.access,
                        Fault.PADDED,
                        guard,
                        part,
                        size,
                        0,
                        "only the padded array is laid out in whole groups",
                        laid[0].access,
                    )


def _rounded(part: Term, reach: Reach) -> tuple[Term, tuple[object, ...]] | None:
    """(count, symbols of the group) of a truth ``i < ceil(count / group) * group * ...``."""
    if part.op != "lt" or not any(mentions(part.args[0], SymbolKind.BLOCK, axis) for axis in reach.axes):
        return None
    bound = polynomial(part.args[1])
    if len(bound.coefficients) != 1:
        return None
    (mono,) = bound.coefficients
    for atom in mono:
        if atom.op != "div":
            continue
        found = cover(atom)
        if found.kind is Cover.ROUNDED_UP and found.count is not None and found.unit is not None:
            group = tuple(symbols(found.unit))
            if group and all(s.term in mono for s in group):
                return found.count, group
    return None


def _tested(access: Access, count: Term, bound: Guard) -> bool:
    """Whether another guard of the access speaks of the real count."""
    mine = set(symbols(count))
    return any(mine & set(symbols(guard.term)) for guard in access.guards if guard is not bound)
