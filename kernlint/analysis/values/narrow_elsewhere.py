"""Products in 32 bits that make no place: they say how far a loop goes, or where a stream of numbers begins.

``const int64_t pairs = n * (n - 1) / 2`` has wrapped before it is widened, and so has ``offset = i * dim`` that a
helper gets as its position in 64 bits.  No address has a part in it, and nothing but numbers says that it is too large:
what a launch in sight passes or checks.  What is multiplied by a large constant (a hash), or has no sign and is made a
number in floating point (a random one), wraps on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.trace.events import Trace
from kernlint.analysis.values.narrow_part import Narrow
from kernlint.analysis.values.products import bits, products, signed
from kernlint.analysis.values.reach import Reach
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.terms import SymbolKind, Term, symbols
from kernlint.tree.nodes import Binary, Cast, Expr, FunctionDecl, Ref, VarDecl
from kernlint.tree.types import FloatType, IntType
from kernlint.tree.walk import walk

TERMS = 4000
"""Terms of one kernel that are looked at."""

MIXING = 1 << 16
"""Constants from here on mix bits, and count nothing."""


def elsewhere(of: Trace, reach: Reach, function: FunctionDecl) -> Iterator[Narrow]:
    """Narrow products that conditions and values rest on, where a launch in sight lets them be too large."""
    seen: set[Term] = set()
    written: list[Written] | None = None
    for access in of.accesses:
        for term in (*(guard.term for guard in access.guards), *((access.value,) if access.value is not None else ())):
            for part in _parts(term, seen):
                if not any(product.narrow is not None for product in products(part)) or _mixes(part):
                    continue
                found = reach.exceeded(access, part) or reach.beyond_admitted(access, part)
                if found is not None:
                    written = [*written_in(function)] if written is None else written
                    span = place_of(part, written)
                    if span is not None:
                        yield Narrow(part, span, "elsewhere", use=access, values=found.values, value=found.value)


def _parts(term: Term, seen: set[Term]) -> Iterator[Term]:
    """The sums of products in 32 bits that are widened somewhere in a term, or in what its variables hold."""
    for at in terms_of(term, seen):
        for inner in _ends(at):
            while inner.op in ("div", "shr", "cast") and bits(inner) == 32:
                inner = inner.args[0]
            if inner.op in ("add", "sub", "mul") and bits(inner) == 32:
                yield inner


def terms_of(term: Term, seen: set[Term]) -> Iterator[Term]:
    """What a term is made of, and what its variables hold, but for what was ``seen`` before."""
    todo = [term]
    while todo and len(seen) < TERMS:
        at = todo.pop()
        if at in seen:
            continue
        seen.add(at)
        symbol = at.symbol
        if symbol is not None:
            if symbol.kind is SymbolKind.PHI:
                todo += [part for part in (symbol.init, symbol.step) if part is not None]
            continue
        yield at
        todo.extend(at.terms)


def _ends(term: Term) -> Iterator[Term]:
    """What in a term is done in 32 bits, and is too late to widen: what is converted, or compared."""
    if term.op == "cast" and bits(term.args[0]) == 32:
        if bits(term) == 64 or (isinstance(term.type, FloatType) and signed(term.args[0])):
            yield term.args[0]
    elif term.op in ("lt", "le"):
        yield from (side for side in term.args if bits(side) == 32 and signed(side))


def _mixes(part: Term) -> bool:
    """Whether a number is made to be spread over the bits, and not to count."""
    return any(abs(product.scale) >= MIXING for product in products(part))


@dataclass(frozen=True, slots=True)
class Written:
    """A product in 32 bits at ``span``, with the names of what it is made of; whether it is ``widened`` there."""

    span: Span
    names: frozenset[str]
    widened: bool


def written_in(function: FunctionDecl) -> Iterator[Written]:
    """The products in 32 bits of a kernel's text."""
    late: set[int] = set()
    for node in walk(function.body) if function.body is not None else ():
        if isinstance(node, Cast) and node.operand.type != node.type:
            late.update(id(part) for part in walk(node.operand) if part is not node)
        if isinstance(node, Binary) and node.op == "*" and isinstance(node.type, IntType) and node.type.bits == 32:
            yield Written(node.span, frozenset(_names(node, 4)), id(node) in late)


def _names(expr: Expr, deep: int) -> Iterator[str]:
    for node in walk(expr):
        if isinstance(node, Ref):
            yield node.decl.name
            if deep and isinstance(node.decl, VarDecl) and node.decl.init is not None:
                yield from _names(node.decl.init, deep - 1)


def place_of(part: Term, written: list[Written]) -> Span | None:
    """Where a product of the arguments that ``part`` is made of is written."""
    names = {s.name.partition(".")[0] for s in symbols(part) if s.kind is SymbolKind.PARAM}
    found = [one for one in written if names and names <= one.names]
    return min(found, key=lambda one: (not one.widened, len(one.names))).span if found else None
