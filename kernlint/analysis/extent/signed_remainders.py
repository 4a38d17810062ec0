"""Places that are remainders of signed numbers, which are negative where these are.

``%`` keeps the sign of what it divides.  A hash that is mixed in a signed type has any sign: a product with a large odd
number wraps.  ``floor`` is of use for negative numbers alone, and so is what is taken from data before the division:
where another place of the file adds the same divisor first, or to what came out, that is known of it.  So it is where
another coordinate of the same index, made in the same way, has its own divisor added.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts
from kernlint.analysis.extent.alike import made
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.types import FloatType, IntType

DEPTH = 24
"""Operations of a hash that are looked through."""

_FLOORS = frozenset({"floor", "floorf"})
_PLAIN = frozenset({"sym", "const", "add", "sub", "mul", "div", "cast", "neg"})
"""What keeps a number in floating point any number, unlike parts of it, clamps and amounts."""

_SUMS = frozenset({"add", "sub", "xor", "neg"})
_MOVING = frozenset({SymbolKind.LOAD, SymbolKind.THREAD, SymbolKind.PHI, SymbolKind.UNKNOWN})


@dataclass(frozen=True, slots=True, eq=False)
class SignedRemainder:
    """An access at a remainder that may be negative: of a hash (``other`` is None), or of a number that is brought into
    range at ``other`` by adding the divisor."""

    access: Access
    other: Span | None


def signed(term: Term) -> bool:
    """Whether a term is a remainder in a signed type."""
    return term.op == "mod" and isinstance(term.type, IntType) and term.type.signed


def _remainders(access: Access) -> Iterator[tuple[Term, Term]]:
    """(what an index has of it, the remainder) of the signed remainders that are added to make an index, or that a
    variable in it begins with."""
    found = elements(access)
    for mono, value in found[0].coefficients.items() if found is not None else ():
        for atom in mono if value > 0 else ():
            inner = plain(atom)
            if inner.symbol is not None and inner.symbol.kind is SymbolKind.PHI and inner.symbol.init is not None:
                inner = plain(inner.symbol.init)
            if signed(inner):
                yield atom, inner


def _mixed(term: Term, depth: int = DEPTH) -> bool:
    """Whether a product with a large odd number, which wraps, gives a number any sign."""
    kind = term.type
    if not depth or not isinstance(kind, IntType):
        return False
    if term.op == "cast":
        inner = term.args[0].type
        return (
            isinstance(inner, IntType) and (inner.signed or inner.bits >= kind.bits) and _mixed(term.args[0], depth - 1)
        )
    if term.op == "mul":
        return any(_wraps(one, other.value, kind) for one, other in (term.args, term.args[::-1]))
    if term.op == "shr":
        return kind.signed and _mixed(term.args[0], depth - 1)
    return term.op in _SUMS and any(_mixed(part, depth - 1) for part in term.terms)


def _wraps(value: Term, factor: int | None, kind: IntType) -> bool:
    if factor is None or not factor % 2 or abs(factor) < 1 << kind.bits // 2:
        return False
    low, high = interval(value)
    reach = max(abs(low or 0), abs(high or 0)) if low is not None and high is not None else 1 << kind.bits
    return reach * abs(factor) >= 1 << (kind.bits - 1) and any(s.kind in _MOVING for s in symbols(value))


def _below_zero(term: Term) -> bool:
    """Whether a number that data choose is made as only negative ones need it: rounded down, or less something."""
    inner = plain(term)
    if inner.op == "call" and inner.args[0] in _FLOORS:
        plainly = all(part.op in _PLAIN for argument in inner.terms for part in subterms(argument))
        return plainly and any(s.kind is SymbolKind.LOAD and isinstance(s.type, FloatType) for s in symbols(inner))
    form = polynomial(term)
    data = any(value > 0 and _of_data(mono) for mono, value in form.coefficients.items() if mono)
    more = any(value > 0 and not any(map(_moves, mono)) for mono, value in form.coefficients.items() if mono)
    return data and not more and any(value < 0 for value in form.coefficients.values())


def _of_data(mono: tuple[Term, ...]) -> bool:
    return any(
        atom.symbol is not None and atom.symbol.kind is SymbolKind.LOAD and interval(atom)[0] != 0 for atom in mono
    )


def _moves(atom: Term) -> bool:
    return any(s.kind in _MOVING or s.kind is SymbolKind.COUNTER for s in symbols(atom))


def _names(term: Term) -> frozenset[str]:
    return frozenset(s.name for s in symbols(term) if s.kind is SymbolKind.PARAM)


def _corrected(access: Access) -> Iterator[tuple[Term, Polynomial]]:
    """(remainder, what is brought into range) where a divisor is added to what is divided by it, or to a remainder."""
    for part in subterms(access.offset) if access.offset.value is None else ():
        if signed(part):
            form, by = polynomial(part.args[0]), polynomial(part.args[1])
            if all(form.coefficients.get(mono, 0) >= value for mono, value in by.coefficients.items()):
                inner = next((atom for atom in form.atoms if signed(plain(atom))), None)
                again = inner is not None and form - by == polynomial(inner)  # (x % n + n) % n
                yield part, polynomial(plain(inner).args[0]) if again and inner is not None else form - by
        elif part.op == "select":
            for arm in part.args[1:]:
                inside = [one for one in subterms(arm) if signed(one)]
                if arm.op == "add" and inside and plain(inside[0].args[1]) in map(plain, arm.terms):
                    yield inside[0], polynomial(inside[0].args[0])


def _beside(access: Access, remainder: Term) -> bool:
    """Whether another coordinate of an index, made in the same way and no farther back, is brought into range.

    Silent: ``(x + 1) % w`` beside ``(y - 1 + h) % h``, and places of threads, none of which is negative."""
    mine = polynomial(remainder.args[0])
    low = interval(remainder.args[0])[0]
    kinds = {symbol.kind for atom in mine.atoms for symbol in symbols(atom)}
    if not kinds & _CHOSEN or (low is not None and low >= 0):
        return False
    return any(
        other is not remainder
        and form != mine
        and (made(form) == made(mine) or (_floored(mine) and _floored(form)))
        and mine.coefficients.get((), 0) <= form.coefficients.get((), 0)
        for other, form in _corrected(access)
    )


def _floored(form: Polynomial) -> bool:
    """Whether a sum is a number in floating point, rounded down."""
    atoms = [plain(atom) for atom in form.atoms]
    return len(atoms) == 1 and atoms[0].op == "call" and atoms[0].args[0] in _FLOORS


_CHOSEN = frozenset({SymbolKind.LOAD, SymbolKind.PHI, SymbolKind.UNKNOWN})


def _divisor(remainder: Term) -> object:
    by = remainder.args[1]
    return by.value if by.value is not None else _names(by)


def _compute(facts: ModuleFacts) -> dict[object, list[tuple[str, Span]]]:
    found: dict[object, list[tuple[str, Span]]] = {}
    for kernel, of in facts[kernel_traces].compared():
        for access in of.accesses:
            for remainder, _ in _corrected(access):
                found.setdefault(_divisor(remainder), []).append((kernel.function.name, access.span))
    return found


corrected_elsewhere = ModuleAnalysis("corrected_elsewhere", _compute, needs=(kernel_traces,))
"""The divisors that kernels of a file add to keep remainders from being negative: names of kernels and places."""


def _tested(access: Access, atom: Term, remainder: Term) -> bool:
    """Whether a test asks something of the remainder, or of the data that it is made of."""
    data = {s for s in symbols(remainder.args[0]) if s.kind is SymbolKind.LOAD}
    return any(
        part in (plain(atom), remainder) or (part.symbol in data and test.op in ("lt", "le"))
        for guard in access.guards
        for test in subterms(guard.term)
        if test.op in ("lt", "le")
        for part in subterms(test.args[1])
    )


def _of(facts: Facts) -> tuple[SignedRemainder, ...]:
    found: dict[Term, SignedRemainder] = {}
    for access in facts[trace].accesses:
        for atom, remainder in _remainders(access) if access.offset.value is None else ():
            if remainder in found or _tested(access, atom, remainder):
                continue
            if _mixed(remainder.args[0]):
                found[remainder] = SignedRemainder(access, None)
            elif _below_zero(remainder.args[0]):
                known: dict[object, list[tuple[str, Span]]] = facts[corrected_elsewhere]
                beside = [span for _, span in known.get(_divisor(remainder), ()) if span != access.span]
                if beside and _divisor(remainder):
                    found[remainder] = SignedRemainder(access, beside[0])
            if remainder not in found and _beside(access, remainder):
                found[remainder] = SignedRemainder(access, access.span)
    return tuple({one.access.span: one for one in found.values()}.values())


signed_remainders = KernelAnalysis("signed_remainders", _of, needs=(trace, corrected_elsewhere))
"""A :class:`SignedRemainder` for each remainder of a kernel variant that is such a place, in order of the walk."""
