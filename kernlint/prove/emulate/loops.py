"""Translation of counted loops: those that Python's ``range`` can run."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from kernlint.prove.emulate.frame import by_value, is_reference, root, weight
from kernlint.prove.emulate.gatherings import Gatherings
from kernlint.record import dataclass
from kernlint.tree.nodes import (
    Assign,
    Binary,
    Break,
    Cast,
    DeclStmt,
    Expr,
    FloatLit,
    For,
    IncDec,
    IntLit,
    LaunchValue,
    Ref,
    Return,
    Stmt,
    Unary,
    VarDecl,
)
from kernlint.tree.types import IntType, Space
from kernlint.tree.walk import walk


@dataclass(slots=True)
class Loop:
    """What encloses a statement: a loop, or a switch (``flag`` set when something in it continues the loop)."""

    on_continue: Callable[[], None]
    flag: str | None = None
    flagged: bool = False


class Loops(Gatherings):
    """Counted loops, and the charge for all loops."""

    loops: list[Loop]

    @abstractmethod
    def statement(self, node: Stmt | None) -> None:
        """Emit the lines of one statement."""

    def charge(self, steps: int, times: str = "") -> None:
        """Emit the charge for some steps, and the end of the run when the budget is spent."""
        self.emit(f"K.left -= {steps}{times}")
        self.emit("if K.left < 0: STOP()")

    def counted(self, node: For) -> tuple[VarDecl, Expr, str, Expr, int] | None:
        """Variable, start, comparison, bound and step of a loop that Python's ``range`` can run."""
        init = node.init
        if not isinstance(init, DeclStmt) or len(init.decls) != 1 or node.cond is None or node.step is None:
            return None
        decl = init.decls[0]
        if decl in self.boxed or decl.init is None or not isinstance(decl.type, IntType) or decl.type.bits < 32:
            return None
        step = _step_of(node.step, decl)
        if step is None or _changes(node.body, decl):
            return None
        cond = node.cond
        if not isinstance(cond, Binary) or cond.op not in ("<", "<=", ">", ">="):
            return None
        if (cond.op in ("<", "<=")) != (step > 0) or (step < 0 and not decl.type.signed):
            return None
        left = cond.lhs
        casts: list[IntType] = []
        while isinstance(left, Cast) and isinstance(left.type, IntType) and not left.bits:
            casts.append(left.type)
            left = left.operand
        if not isinstance(left, Ref) or left.decl is not decl or not self._invariant(cond.rhs, node):
            return None
        low = self.number(decl.init)[1]
        for kind in casts:
            if kind.bits < decl.type.bits or (not kind.signed and decl.type.signed and (low < 0 or step < 0)):
                return None
        return decl, decl.init, cond.op, cond.rhs, step

    def _invariant(self, expr: Expr, node: For) -> bool:
        """Whether ``expr`` has the same value in every iteration and no effect."""
        for item in walk(expr):
            if isinstance(item, Ref):
                decl = item.decl
                if is_reference(decl) and not by_value(decl):
                    return False
                if self.variable_object(decl) is not None and decl.value is None:
                    return False
                if decl in self.mutated and (_changes(node.body, decl) or _changes(node.step, decl)):
                    return False
                if decl.space is Space.SHARED:
                    return False
            elif not isinstance(item, (IntLit, FloatLit, LaunchValue, Binary, Unary, Cast)):
                return False
        return True

    def counted_for(self, node: For, decl: VarDecl, start: Expr, op: str, bound: Expr, step: int) -> None:
        assert isinstance(decl.type, IntType)
        name = self.name_of(decl)
        self.assigned.add(name)
        first, low, _ = self.number(start)
        last, last_low, last_high = self.number(bound)
        by = {"<": 0, "<=": 1, ">": 0, ">=": -1}[op]
        stop = last if not by else f"{last} {'+' if by > 0 else '-'} 1"
        if step > 0:
            values = (low, max(low, last_high + by - 1))
        else:
            values = (min(last_low + by + 1, decl.type.high), decl.type.high)
        runs = f"range({first}, {stop}, {step})"
        if last_high + by - 1 + step > decl.type.high or last_low + by + step < decl.type.low:
            runs = f"RANGE({first}, {stop}, {step}, {decl.type.low}, {decl.type.high})"
        outer = self.ranges.get(decl)
        self.ranges[decl] = (max(values[0], decl.type.low), min(values[1], decl.type.high))
        steps = weight(node.body) + 1
        early = any(isinstance(item, (Break, Return)) for item in walk(node.body))
        if early:
            self.emit(f"for {name} in {runs}:")
        else:
            span = self.temporary()
            self.emit(f"{span} = {runs}")
            self.charge(steps, f" * len({span})")
            self.emit(f"for {name} in {span}:")
        self.depth += 1
        if early:
            self.charge(steps)
        before = len(self.lines)
        self.loops.append(Loop(lambda: self.emit("continue")))
        self.statement(node.body)
        self.loops.pop()
        if len(self.lines) == before:
            self.emit("pass")
        self.depth -= 1
        if outer is None:
            del self.ranges[decl]
        else:
            self.ranges[decl] = outer


def _step_of(step: Expr, decl: VarDecl) -> int | None:
    """The constant by which ``step`` changes ``decl``."""
    if isinstance(step, IncDec) and isinstance(step.target, Ref) and step.target.decl is decl:
        return 1 if step.op == "++" else -1
    if isinstance(step, Assign) and isinstance(step.target, Ref) and step.target.decl is decl and step.op in ("+", "-"):
        value = step.value
        while isinstance(value, Cast):
            value = value.operand
        if isinstance(value, IntLit) and 0 < value.value < 1 << 30:
            return value.value if step.op == "+" else -value.value
    return None


def _changes(node: Stmt | Expr | None, decl: VarDecl) -> bool:
    """Whether something in ``node`` assigns to ``decl``."""
    if node is None:
        return False
    return any(isinstance(item, (Assign, IncDec)) and root(item.target) is decl for item in walk(node))
