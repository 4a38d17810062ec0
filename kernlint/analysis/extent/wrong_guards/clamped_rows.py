"""Coordinates that are clamped to the length of the row they stand in: ``cells[y * w + min(x, w)]``.

What says how long a row is is the index itself, by what it multiplies the next coordinate with.  A clamp to just that,
of whole numbers or of floating-point ones that are made whole later (``(int)fminf(x, w)``, ``(int)(saturate(u) * w)``),
lets through the one place that is the first of the next row, and past the end in the last one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.excuses.runs_of_data import ends_a_run
from kernlint.analysis.extent.limits import counter_ranges, elements
from kernlint.analysis.extent.places import Place, Places, moves
from kernlint.analysis.extent.wrong_guards.faults import Fault, Overreach
from kernlint.analysis.trace.events import Access, Root
from kernlint.symbolic.intervals import interval, refine
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, subterms
from kernlint.tree.nodes import Cast, Expr, FloatLit, IntLit, Ref
from kernlint.tree.types import IntType

DEPTH = 12

_WHOLE = frozenset({"floor", "floorf", "trunc", "truncf", "rint", "rintf", "round", "roundf", "ceil", "ceilf"})
_SATURATE = frozenset({"__saturatef", "saturate"})
_LESS = frozenset({"min", "fmin", "fminf"})
_MORE = frozenset({"max", "fmax", "fmaxf"})


def clamped_to_rows(found: Places, accesses: Sequence[Access]) -> Iterator[Overreach]:
    """Accesses with such a coordinate.

    Excused: rows that are one element longer than the clamp (``y * (w + 1) + min(x, w)``); a test of the coordinate
    after it.  Still bad: ``(z * n + y) * n + x`` with all three clamped to n; ``min(x, n - 1) + 1``.
    """
    for access, places in found.items():
        for place in places:
            row, found_alone = place.row, _alone(place)
            if row is None or found_alone is None or place.extra or any(limit.slack < 0 for limit in place.limits):
                continue
            if row.constant is not None or not access.guards or _tested(access, found_alone[0], None):
                continue
            coordinate, step = found_alone
            most = _most(coordinate)
            if most is not None and most + number(step) == row and not ends_a_run(access, accesses):
                guard = access.guards[-1]
                yield Overreach(access, Fault.CLAMPED, guard, guard.term, row, 1, "it is the pitch of a dimension")
                break
    for access in accesses:
        size = _numbered(access) if access.guards else None
        if size is not None and not ends_a_run(access, accesses):
            guard = access.guards[-1]
            yield Overreach(access, Fault.CLAMPED, guard, guard.term, size, 1, "it is the pitch of a dimension")


def _alone(place: Place) -> tuple[Term, int] | None:
    """(the only part of an index that is no loop's counter, what is added to it), of one of the channels of a pixel
    where the index counts these."""
    parts = {mono: factor for mono, factor in place.index.coefficients.items() if mono}
    inside = [mono for mono in parts if len(mono) == 1 and _counter(mono[0])]
    ranges = counter_ranges(place.access) if inside else {}
    reached = 0
    for counter in inside:
        symbol = counter[0].symbol
        if symbol not in ranges:
            return None
        reached += parts.pop(counter) * ranges[symbol][1]
    if len(parts) != 1:
        return None
    mono, factor = next(iter(parts.items()))
    step, channel = divmod(place.index.coefficients.get((), 0), factor)
    if len(mono) != 1 or factor < 1 or not 0 <= reached + channel < factor:
        return None
    return mono[0], step


def _counter(atom: Term) -> bool:
    return atom.symbol is not None and atom.symbol.kind is SymbolKind.COUNTER


def _numbered(access: Access) -> Polynomial | None:
    """The length of a row, a number, that a coordinate of an access is clamped to."""
    found = elements(access)
    if found is None or found[1]:
        return None
    form = _bits(found[0])
    digits = [(value, mono) for mono, value in form.coefficients.items() if mono and any(map(moves, mono))]
    if len(digits) < 2 or any(value <= 0 for value, _ in digits):
        return None
    steps = sorted({value for value, _ in digits})
    for value, mono in digits:
        further = next((step for step in steps if step > value), None)
        if further is None or further % value or len(mono) != 1 or sum(v == value for v, _ in digits) != 1:
            continue
        row, most = further // value, _most(mono[0])
        added = number(form.coefficients.get((), 0) // value)
        if row > 1 and most is not None and most + added == number(row) and not _tested(access, mono[0], row):
            return number(row)
    return None


def _bits(index: Polynomial) -> Polynomial:
    """Which bit, or smaller part, is meant by an index that several of them share: ``bits[cell >> 3]``."""
    (mono, *more) = index.coefficients or ((),)
    atom = plain(mono[0]) if len(mono) == 1 and not more and index.coefficients[mono] == 1 else None
    if atom is not None and atom.op in ("shr", "div") and (atom.args[1].value or 0) > 0:
        return polynomial(atom.args[0])
    return index


def _tested(access: Access, atom: Term, row: int | None) -> bool:
    """Whether a test keeps a coordinate below a row's length, or asks for the last place."""
    bare = plain(atom)
    if any(bare in _compared(guard.term) for guard in access.guards):
        return True
    high = interval(atom, refine([guard.term for guard in access.guards]))[1] if row is not None else None
    return row is not None and high is not None and high < row


@lru_cache(maxsize=4096)
def _compared(guard: Term) -> frozenset[Term]:
    """What a guard compares, and what that is made of: of what has to be less, or equal."""
    parts = (part for part in conjuncts(guard) if part.op in ("lt", "le", "eq", "ne"))
    sides = (side for part in parts for side in (part.args[:1] if part.op in ("lt", "le") else part.args))
    return frozenset(plain(inner) for side in sides for inner in subterms(side))


def _most(term: Term, depth: int = DEPTH) -> Polynomial | None:
    """What a clamp keeps a value at or below, where it can get there: a number or an argument."""
    op = term.op
    if depth == 0:
        return None
    if op == "const":
        value = term.args[0]
        return number(int(value)) if value == int(value) else None
    if isinstance(term.type, IntType) and not moves(term):
        return polynomial(term)
    if op == "cast":
        return _most(term.args[0], depth - 1)
    if op == "sym":
        return _of_symbol(term.args[0])
    if op == "call":
        return _called(term, depth)
    if op in ("min", "max"):
        return _chosen(op == "min", term.args[0], term.args[1], depth)
    if op in ("mul", "add", "sub"):
        one, other = (_most(arg, depth - 1) for arg in term.args)
        if one is None or other is None or (op == "sub" and other.constant is None):
            return None
        return one * other if op == "mul" else one + other if op == "add" else one - other
    if op == "select":
        return _selected(term, depth)
    return None


def _of_symbol(symbol: Symbol) -> Polynomial | None:
    """The value of a constant of the file, in floating point maybe."""
    origin = symbol.origin
    if symbol.kind is SymbolKind.LOAD and isinstance(origin, tuple) and isinstance(origin[0], Root):
        decl = origin[0].decl
        if decl is not None and decl.is_global and decl.const:
            return _literal(decl.init)
    return None


def _literal(expr: Expr | None) -> Polynomial | None:
    while isinstance(expr, Cast):
        expr = expr.operand
    if isinstance(expr, Ref) and expr.decl.value is not None:
        return number(expr.decl.value)
    if isinstance(expr, (IntLit, FloatLit)) and expr.value == int(expr.value):
        return number(int(expr.value))
    return None


def _called(term: Term, depth: int) -> Polynomial | None:
    name, *args = term.args
    if name in _SATURATE:
        return number(1)
    if name in _WHOLE and len(args) == 1:
        return _most(args[0], depth - 1)
    if name == "clamp" and len(args) == 3:
        return _most(args[2], depth - 1)
    if (name in _LESS or name in _MORE) and len(args) == 2:
        return _chosen(name in _LESS, args[0], args[1], depth)
    return None


def _chosen(least: bool, one: Term, other: Term, depth: int) -> Polynomial | None:
    """Of the smaller of two values the bound that one of them is; of the larger one that of both."""
    first, second = _most(one, depth - 1), _most(other, depth - 1)
    if least:
        if first is None or second is None:
            # the other may be anything, but a size that is not known may be the smaller one
            rest, known = (one, second) if first is None else (other, first)
            return known if moves(rest) else None
        apart = (first - second).constant
        return None if apart is None else first if apart <= 0 else second
    if first is None or second is None:
        return None
    if first.constant is not None and second.constant is not None:
        return max(first, second, key=lambda size: size.constant or 0)
    return second if first.constant is not None and first.constant <= 1 else first if second.constant == 0 else None


def _selected(term: Term, depth: int) -> Polynomial | None:
    """``x < c ? x : c`` and ``x < 0 ? 0 : ...``."""
    cond, then, other = term.args
    if cond.op not in ("lt", "le"):
        return None
    for limit, value, chosen, rest in (
        (cond.args[1], cond.args[0], other, then),
        (cond.args[0], cond.args[1], then, other),
    ):
        if plain(chosen) == plain(limit) and plain(rest) == plain(value):
            return _most(limit, depth - 1)  # the smaller one
    one, two = _most(then, depth - 1), _most(other, depth - 1)
    if one is None or two is None or one.constant is None:
        return None
    return two if two.constant is None or two.constant >= one.constant else one
