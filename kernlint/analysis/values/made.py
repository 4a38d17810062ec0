"""Where the products of a place are written: in the access, or in what its variables and helpers are made of."""

from __future__ import annotations

from kernlint.source import Span
from kernlint.symbolic.terms import Term, subterms
from kernlint.tree.nodes import Binary, Call, Cast, DeclStmt, Expr, IntLit, Node, Ref, Return, VarDecl
from kernlint.tree.types import IntType, Type
from kernlint.tree.walk import strip_casts, walk

STEPS = 40
"""Variables and helpers that are looked into."""


def products_in(node: Node, narrow: bool = True, of: Term | None = None) -> tuple[Span, ...]:
    """The multiplications (``narrow``: of 32 bits) and powers of two that an expression is made of, its own first, then
    those of variables that are set where they are declared, and of helpers that it calls; of a product of products the
    whole.  ``of``: the value that is meant, for the numbers by which it is multiplied, and the powers that it has."""
    scales, shifted = _scales(of) if of is not None else (frozenset(), True)
    found: dict[tuple[str, int], Span] = {}
    todo: list[Node] = [node]
    seen: set[int] = set()
    steps = 0
    while todo and steps < STEPS:
        steps += 1
        for part in walk(todo.pop(0)):
            made = isinstance(part, Binary) and part.op == "*" and (_narrow(part, scales) or not narrow)
            if isinstance(part, Binary) and (made or (part.op == "<<" and shifted and _power(part))):
                found.setdefault((part.span.file, part.span.start), part.span)
            elif isinstance(part, Ref) and isinstance(part.decl, VarDecl) and id(part.decl) not in seen:
                seen.add(id(part.decl))
                if part.decl.init is not None:
                    todo.append(part.decl.init)
            elif isinstance(part, Call) and part.function is not None and id(part.function) not in seen:
                seen.add(id(part.function))
                body = part.function.body
                todo += [one for one in walk(body) if isinstance(one, (Return, DeclStmt))] if body is not None else []
    spans = [*found.values()]
    return tuple(one for one in spans if not any(_inside(one, other) for other in spans))


def _inside(one: Span, other: Span) -> bool:
    within = one.file == other.file and other.start <= one.start and one.end <= other.end
    return within and one.end - one.start < other.end - other.start


def made_for_more(node: Node) -> Span | None:
    """The declaration of a variable of 64 bits with a sign, in what an expression is made of, whose value is a sum of
    products of variables in 32 bits as a whole."""
    for part in walk(node):
        if not isinstance(part, Ref) or not isinstance(part.decl, VarDecl):
            continue
        decl, init = part.decl, part.decl.init
        if not isinstance(decl.type, IntType) or not decl.type.signed or decl.type.bits != 64:
            continue
        while isinstance(init, Cast) and init.type == decl.type:
            init = init.operand
        if init is None or not isinstance(init.type, IntType) or init.type.bits != 32 or not init.type.signed:
            continue
        if any(isinstance(one, Binary) and one.op == "*" and _narrow(one) for one in walk(init)):
            return decl.span
    return None


def widened_when_done(node: Node) -> Span | None:
    """Where, in what an expression is made of, a sum of products of variables in 32 bits is converted to 64 as a
    whole, by a word that somebody wrote: ``(size_t)(i * width + j)``, but not to be multiplied in 64."""
    todo, seen, factors = [node], set[int](), set[int]()
    while todo and len(seen) < STEPS:
        for part in walk(todo.pop()):
            if isinstance(part, Binary) and part.op == "*":
                factors.update((id(part.lhs), id(part.rhs)))
            if isinstance(part, Ref) and isinstance(part.decl, VarDecl) and part.decl.init is not None:
                if id(part.decl) not in seen:
                    seen.add(id(part.decl))
                    todo.append(part.decl.init)
            elif isinstance(part, Cast) and part.explicit and _bits(part.type) == 64 and id(part) not in factors:
                inside = strip_casts(part.operand)
                sum_ = _bits(inside.type) == 32 and isinstance(inside, Binary) and inside.op in ("+", "*")
                if sum_ and any(isinstance(one, Binary) and one.op == "*" and _narrow(one) for one in walk(inside)):
                    return part.span
    return None


def _bits(kind: Type) -> int:
    return kind.bits if isinstance(kind, IntType) else 0


def _narrow(product: Binary, scales: frozenset[int] = frozenset()) -> bool:
    kind = product.type
    sides = (product.lhs, product.rhs)
    literals = [side.value for side in sides if isinstance(side, IntLit)]
    return isinstance(kind, IntType) and kind.bits == 32 and scales.issuperset(literals) and len(literals) < len(sides)


def _scales(value: Term) -> tuple[frozenset[int], bool]:
    """The numbers by which a value is multiplied, and whether it is shifted."""
    parts = (*subterms(value),)
    times = [part for part in parts if part.op == "mul"]
    scales = frozenset(arg.value for part in times for arg in part.args if arg.value is not None)
    return scales, any(part.op == "shl" for part in parts)


def _power(shift: Binary) -> bool:
    """Whether a literal of 32 bits is shifted by what is none."""
    kind = shift.type
    return isinstance(kind, IntType) and kind.bits == 32 and _literal(shift.lhs) and not _literal(shift.rhs)


def _literal(expr: Expr) -> bool:
    return isinstance(expr, IntLit)
