"""What expressions and variables of a kernel's own text are, as the polynomials that the walk of it speaks in.

The walk keeps values by access and condition, not by variable; a guard has to be written with the variables that are
there.  Only what is plain is followed: variables that are set once, counters of ``for`` loops, launch quantities.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.launching.admitted import parameters_among, symbols_of
from kernlint.analysis.trace.events import Trace
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, GRID_DIM, THREAD, Symbol, Term, binary, cast, const, negative
from kernlint.tree.nodes import (
    AddressOf,
    Assign,
    Binary,
    Cast,
    DeclStmt,
    Expr,
    For,
    FunctionDecl,
    IncDec,
    IntLit,
    LaunchValue,
    Member,
    Node,
    ParamDecl,
    Quantity,
    Ref,
    Subscript,
    Unary,
    VarDecl,
)
from kernlint.tree.types import U32, IntType, PointerType
from kernlint.tree.walk import walk

_OPS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod", "<<": "shl", ">>": "shr", "&": "and"}
_PLACES = {
    Quantity.THREAD_ID: THREAD,
    Quantity.BLOCK_ID: BLOCK,
    Quantity.BLOCK_DIM: BLOCK_DIM,
    Quantity.GRID_DIM: GRID_DIM,
}


def changed(root: Node) -> frozenset[VarDecl]:
    """Variables that something below ``root`` assigns to, or takes the address of."""
    found: set[VarDecl] = set()
    for node in walk(root):
        target: Expr | None = None
        if isinstance(node, Assign | IncDec):
            target = node.target
        elif isinstance(node, AddressOf):
            target = node.operand
        if target is not None and (decl := _object(target)) is not None:
            found.add(decl)
    return frozenset(found)


def _object(target: Expr) -> VarDecl | None:
    """The variable that an lvalue is, or is a part of; None for what a pointer points to."""
    while not isinstance(target, Ref):
        inner: Expr | None = None
        if isinstance(target, Subscript) and not isinstance(target.base.type, PointerType):
            inner = target.base
        if isinstance(target, Member) and not target.arrow:
            inner = target.base
        if isinstance(target, Cast):
            inner = target.operand
        if inner is None:
            return None
        target = inner
    return target.decl


def used(root: Node) -> Iterator[VarDecl]:
    """Variables that something below ``root`` mentions."""
    return (node.decl for node in walk(root) if isinstance(node, Ref))


@dataclass(frozen=True, slots=True)
class Values:
    """The values of one kernel variant: its parameters and loops as the walk named them."""

    function: FunctionDecl
    params: dict[str, Symbol]
    counters: dict[VarDecl, tuple[For, Symbol]]
    set_again: frozenset[VarDecl]

    @classmethod
    def of(cls, facts: Facts, kernel: Trace) -> Values:
        """Those of the variant that ``facts`` are of, which ``kernel`` is the walk of."""
        function = facts.function
        loops: dict[Span, Symbol] = {loop.span: loop.counter for loop in kernel.loops}
        counters: dict[VarDecl, tuple[For, Symbol]] = {}
        body = function.body
        assert body is not None
        for node in walk(body):
            if isinstance(node, For) and node.span in loops and isinstance(node.init, DeclStmt):
                for decl in node.init.decls:
                    counters[decl] = (node, loops[node.span])
        return cls(function, parameters_among(symbols_of(kernel)), counters, changed(body))

    def polynomial(self, expr: Expr) -> Polynomial | None:
        """The value of ``expr``; None where it is not plain."""
        term = self.term(expr)
        return None if term is None else polynomial(term)

    def term(self, expr: Expr, depth: int = 0) -> Term | None:
        """As :meth:`polynomial`, before it is brought into normal form."""
        if depth > 40:
            return None
        kind = expr.type
        if isinstance(expr, IntLit):
            return const(expr.value, kind if isinstance(kind, IntType) else U32)
        if not isinstance(kind, IntType):
            return None
        if isinstance(expr, Cast):
            inner = self.term(expr.operand, depth + 1)
            return None if inner is None else cast(inner, kind)
        if isinstance(expr, Ref):
            return self._variable(expr.decl, depth)
        if isinstance(expr, LaunchValue):
            return self._quantity(expr, kind)
        if isinstance(expr, Unary) and expr.op in "+-":
            inner = self.term(expr.operand, depth + 1)
            return inner if inner is None or expr.op == "+" else negative(inner, kind)
        if isinstance(expr, Binary) and expr.op in _OPS:
            left, right = self.term(expr.lhs, depth + 1), self.term(expr.rhs, depth + 1)
            return None if left is None or right is None else binary(_OPS[expr.op], left, right, kind)
        return None

    def _variable(self, decl: VarDecl, depth: int) -> Term | None:
        kind = decl.type
        if not isinstance(kind, IntType) or decl.synthesised:
            return None
        if decl.value is not None:
            return const(decl.value, kind)
        if isinstance(decl, ParamDecl):
            symbol = self.params.get(decl.name) if decl in self.function.params else None
            return None if symbol is None or decl in self.set_again else symbol.term
        if decl in self.counters:
            return self._counter(decl, kind, depth)
        if decl.init is None or decl.is_global or decl in self.set_again:
            return None
        value = self.term(decl.init, depth + 1)
        return None if value is None else cast(value, kind)

    def _counter(self, decl: VarDecl, kind: IntType, depth: int) -> Term | None:
        loop, symbol = self.counters[decl]
        if decl.init is None or loop.step is None or decl in changed(loop.body):
            return None
        start, step = self.term(decl.init, depth + 1), loop.step
        if isinstance(step, IncDec) and _is(step.target, decl):
            amount: Term | None = const(1 if step.op == "++" else -1, kind)
        elif isinstance(step, Assign) and step.op in ("+", "-") and _is(step.target, decl):
            amount = self.term(step.value, depth + 1)
            if amount is not None and step.op == "-":
                amount = binary("sub", const(0, kind), amount, kind)
        else:
            return None
        if start is None or amount is None:
            return None
        return binary("add", cast(start, kind), binary("mul", cast(symbol.term, kind), amount, kind), kind)

    def _quantity(self, expr: LaunchValue, kind: IntType) -> Term | None:
        axis = expr.axis
        if axis is None or not 0 <= axis <= 2:
            return None
        if expr.quantity in _PLACES:
            return cast(_PLACES[expr.quantity][axis].term, kind)
        size = cast(BLOCK_DIM[axis].term, kind)
        if expr.quantity is Quantity.GLOBAL_ID:
            start = binary("mul", cast(BLOCK[axis].term, kind), size, kind)
            return binary("add", start, cast(THREAD[axis].term, kind), kind)
        if expr.quantity is Quantity.GLOBAL_SIZE:
            return binary("mul", cast(GRID_DIM[axis].term, kind), size, kind)
        return None


def _is(expr: Expr, decl: VarDecl) -> bool:
    return isinstance(expr, Ref) and expr.decl is decl
