"""Values of a Python program as far as a launch needs them: numbers over sizes, and the tests that stand before."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from kernlint.apis.python_numbers import WIDTHS
from kernlint.frontends.clang.python.buffers import Buffers
from kernlint.frontends.clang.python.checks import each, leaves, of_kind, several
from kernlint.frontends.clang.python.entered import written_out
from kernlint.frontends.clang.python.hosts import HostBuilder
from kernlint.frontends.clang.python.kept import entry_of
from kernlint.frontends.clang.python.literals import items_of
from kernlint.frontends.clang.python.objects import returned_anywhere
from kernlint.frontends.clang.python.program import Called, PythonProgram, Scope, dotted
from kernlint.source import Span
from kernlint.tree.nodes import Call, Expr, IntLit
from kernlint.tree.types import I64

DEPTH = 24
"""Expressions inside each other that are followed."""

_NUMBERS = frozenset({"int", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "intp", "uintp"})
MODULES = frozenset({"numpy", "cupy", "pycuda", "pyopencl", "math", "numba"})
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "/",
    ast.Mod: "%",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


class Reader(Buffers):
    """Reads what one launch is given."""

    def __init__(self, program: PythonProgram, called: Called, path: str) -> None:
        self.program = program
        self.called = called
        span = Span(path, program.start(called.node), program.end(called.node))
        owner = called.scope.node
        self.host = HostBuilder(span, getattr(owner, "name", "module"))
        self.known: frozenset[str] = frozenset()
        self.ranks: dict[str, int] = {}
        self.arrays = {}
        self.types = {}
        self.results = {}

    def product(self, factors: Sequence[Expr]) -> Expr:
        out = factors[0]
        for factor in factors[1:]:
            out = self.arithmetic("*", out, factor)
        return out

    def quotient(self, above: Expr, below: Expr) -> Expr:
        return self.arithmetic("/", above, below)

    def arithmetic(self, op: str, left: Expr, right: Expr) -> Expr:
        """``left op right``, worked out where both are numbers."""
        if isinstance(left, IntLit) and isinstance(right, IntLit):
            a, b = left.value, right.value
            if op == "*":
                return self.host.number(a * b)
            if op == "+":
                return self.host.number(a + b)
            if op == "-":
                return self.host.number(a - b)
            if op in ("/", "%") and a >= 0 and b > 0:
                return self.host.number(a // b if op == "/" else a % b)
            if op in ("&", "|", "^") and a >= 0 and b >= 0:
                return self.host.number(a & b if op == "&" else a | b if op == "|" else a ^ b)
            if op in ("<<", ">>") and a >= 0 and 0 <= b < 40:
                return self.host.number(a << b if op == "<<" else a >> b)
        return self.host.binary(op, left, right)

    def sizes(self, expr: ast.expr | None, scope: Scope, alone: bool = False) -> list[Expr] | None:
        """Up to three sizes; None when not even their number is known.  One that is not followed is unknown.
        ``alone``: one size may stand without a tuple around it."""
        if expr is None:
            return None
        whole, where = expr, scope
        expr, scope = self.followed(expr, scope)
        expr = written_out(self.program, expr, scope)
        if isinstance(expr, ast.BinOp) and isinstance(expr.op, ast.Mult):  # ``(16,) * 2``
            part, count = self.followed(expr.left, scope)[0], self.number(expr.right, scope)
            if isinstance(part, ast.Tuple) and isinstance(count, IntLit) and 1 <= count.value * len(part.elts) <= 3:
                expr = ast.copy_location(ast.Tuple(part.elts * count.value, ast.Load()), expr)
        if isinstance(expr, (ast.Tuple, ast.List)):
            if not 1 <= len(expr.elts) <= 3 or any(isinstance(part, ast.Starred) for part in expr.elts):
                return None
            return [self.number(part, scope) or self.host.unknown() for part in expr.elts]
        if isinstance(expr, ast.Attribute) and expr.attr == "shape":
            array = self.array(expr.value, scope)
            return list(array.shape) if array is not None and array.shape and len(array.shape) <= 3 else None
        if isinstance(expr, ast.Constant) and isinstance(expr.value, int) and not isinstance(expr.value, bool):
            return [self.host.number(expr.value)]
        if alone:
            one = self.number(whole, where)
            return [one] if one is not None else None
        return None

    def followed(self, expr: ast.expr, scope: Scope) -> tuple[ast.expr, Scope]:
        """What an expression stands for, through names and what functions of the file return."""
        for _ in range(DEPTH):
            expr, scope = self.program.resolved(expr, scope)
            if isinstance(expr, ast.Subscript) and not isinstance(expr.slice, ast.Slice):
                found = self._item(expr, scope)
            else:
                found = returned_anywhere(self.program, expr, scope, self.results)
            if found is None:
                return expr, scope
            expr, scope = found
        return expr, scope

    def _item(self, expr: ast.Subscript, scope: Scope) -> tuple[ast.expr, Scope] | None:
        """An item of a tuple, or of a table, that is in sight."""
        at = expr.slice.value if isinstance(expr.slice, ast.Constant) else None
        if not isinstance(at, int):
            return entry_of(self.program, expr, scope)
        whole, where = self.followed(expr.value, scope)
        if isinstance(whole, (ast.Tuple, ast.List)) and -len(whole.elts) <= at < len(whole.elts):
            return whole.elts[at], where
        if isinstance(whole, ast.Attribute) and whole.attr == "shape" and whole is not expr.value:
            return ast.copy_location(ast.Subscript(whole, expr.slice, ast.Load()), expr), where
        return None

    # numbers

    def number(self, expr: ast.expr, scope: Scope, depth: int = 0) -> Expr | None:
        """The value of an expression as a number or a term over sizes; None when it is not followed."""
        if depth > DEPTH:
            return None
        first, where = expr, scope
        expr, scope = self.followed(expr, scope)
        found = self._number(expr, scope, depth)
        if found is None and isinstance(first, ast.Name) and (isinstance(expr, ast.Subscript) or self._asked(expr)):
            return self._named(first, where)  # taken out of something: a size of its own
        return found

    def _asked(self, expr: ast.expr) -> bool:
        """Whether a number comes from outside the program: ``int(sys.argv[1])``, ``int(input())``."""
        if not isinstance(expr, ast.Call) or dotted(expr.func) not in _NUMBERS:
            return False
        names = {at.id for at in ast.walk(expr) if isinstance(at, ast.Name)} - {"int", "input"}
        return all(name in self.program.imports for name in names)

    def _number(self, expr: ast.expr, scope: Scope, depth: int) -> Expr | None:
        if isinstance(expr, ast.Constant):
            if isinstance(expr.value, int) and not isinstance(expr.value, bool) and abs(expr.value) < 1 << 62:
                return self.host.number(expr.value)
            return None
        if isinstance(expr, ast.UnaryOp) and isinstance(expr.op, ast.USub):
            return self._negative(expr.operand, scope, depth)
        if isinstance(expr, ast.BinOp):
            return self._operation(expr, scope, depth)
        if isinstance(expr, ast.Call):
            return self._called(expr, scope, depth)
        if isinstance(expr, ast.Compare):
            one = self.truth(expr, scope)
            return self.host.counted(one) if one is not None else None
        if isinstance(expr, ast.Subscript):
            shape, inner = self.program.resolved(expr.value, scope)
            if isinstance(shape, ast.Attribute) and shape.attr == "shape":
                return self._axis(shape, expr.slice, inner)
            return None
        if isinstance(expr, ast.Attribute):
            found = self._attribute(expr, scope)
            if found is not None:
                return found
        return self._named(expr, scope)

    def _named(self, expr: ast.expr, scope: Scope) -> Expr | None:
        """A size that is known by name only: bound once, to something not followed."""
        name = dotted(expr)
        if name is None:
            return None
        first = name.partition(".")[0]
        holder = scope.holder(name) or scope.holder(first)
        if holder is None:
            known = (scope.home or self.program).imports.get(first)
            return self.host.size(name) if known is not None and known.partition(".")[0] not in MODULES else None
        bound = holder.bound.get(name) or holder.bound.get(first) or []
        return self.host.size(name) if len(bound) == 1 or self.same(first, bound) else None

    def _negative(self, operand: ast.expr, scope: Scope, depth: int) -> Expr | None:
        """``-x``; ``-(-a // b)`` rounds up."""
        inner, where = self.program.resolved(operand, scope)
        if (
            isinstance(inner, ast.BinOp)
            and isinstance(inner.op, ast.FloorDiv)
            and isinstance(inner.left, ast.UnaryOp)
            and isinstance(inner.left.op, ast.USub)
        ):
            return self._ceiling(inner.left.operand, inner.right, where, depth)
        value = self.number(inner, where, depth + 1)
        return self.arithmetic("-", self.host.number(0), value) if value is not None else None

    def _ceiling(self, left: ast.expr, right: ast.expr, scope: Scope, depth: int) -> Expr | None:
        above, below = self.number(left, scope, depth + 1), self.number(right, scope, depth + 1)
        if above is None or below is None:
            return None
        top = self.arithmetic("-", self.arithmetic("+", above, below), self.host.number(1))
        return self.arithmetic("/", top, below)

    def _operation(self, expr: ast.BinOp, scope: Scope, depth: int) -> Expr | None:
        op = _OPERATORS.get(type(expr.op))
        if isinstance(expr.op, ast.Pow):
            base, power = self.number(expr.left, scope, depth + 1), self.number(expr.right, scope, depth + 1)
            if isinstance(base, IntLit) and isinstance(power, IntLit) and 0 <= power.value < 62 and base.value >= 0:
                return self.host.number(base.value**power.value) if base.value < 1 << 20 else None
            return None
        if op is None:
            return None
        left, right = self.number(expr.left, scope, depth + 1), self.number(expr.right, scope, depth + 1)
        return self.arithmetic(op, left, right) if left is not None and right is not None else None

    def _called(self, expr: ast.Call, scope: Scope, depth: int) -> Expr | None:
        name = (dotted(expr.func) or "").rpartition(".")[2]
        if name == "len" and len(expr.args) == 1:
            array = self.array(expr.args[0], scope)
            if array is not None and array.shape:
                return array.shape[0]
            if (items := items_of(self.program, expr.args[0], scope)) is not None:
                return self.host.number(items)
            inner = dotted(expr.args[0])
            named = self._named(expr.args[0], scope) if inner is not None else None
            return self.host.size(f"len({inner})") if named is not None else None
        if name in ("min", "max") and len(expr.args) == 2:
            values = [self.number(arg, scope, depth + 1) for arg in expr.args]
            if values[0] is None or values[1] is None:
                return None
            if isinstance(values[0], IntLit) and isinstance(values[1], IntLit):
                numbers = values[0].value, values[1].value
                return self.host.number(min(numbers) if name == "min" else max(numbers))
            args = (values[0], values[1])
            return Call(self.host.span, I64, name, None, args, pure_math=True)
        if name in ("astype", "item") and isinstance(expr.func, ast.Attribute):
            return self.number(expr.func.value, scope, depth + 1)
        if name in ("cdiv", "ceil_div", "divup") and len(expr.args) == 2:
            return self._ceiling(expr.args[0], expr.args[1], scope, depth)
        if len(expr.args) != 1 or expr.keywords:
            return None
        (inner_expr,) = expr.args
        if name == "ceil" or name in _NUMBERS:
            quotient = self._quotient(inner_expr, scope, depth)
            if quotient is not None:
                left, right, where, up = quotient
                if up or name == "ceil":
                    return self._ceiling(left, right, where, depth)
                above, below = self.number(left, where, depth + 1), self.number(right, where, depth + 1)
                return self.arithmetic("/", above, below) if above is not None and below is not None else None
        return self.number(inner_expr, scope, depth + 1) if name in _NUMBERS else None

    def _quotient(self, expr: ast.expr, scope: Scope, depth: int) -> tuple[ast.expr, ast.expr, Scope, bool] | None:
        """Both sides of ``a / b``, and whether ``ceil`` is around it; ``float`` around a side is left out."""
        expr, scope = self.program.resolved(expr, scope)
        if isinstance(expr, ast.Call) and len(expr.args) == 1 and depth < DEPTH:
            if (dotted(expr.func) or "").rpartition(".")[2] == "ceil":
                found = self._quotient(expr.args[0], scope, depth + 1)
                return (*found[:3], True) if found is not None else None
            return None
        if isinstance(expr, ast.BinOp) and isinstance(expr.op, ast.Div):
            return _whole(expr.left), _whole(expr.right), scope, False
        return None

    def _axis(self, shape: ast.Attribute, at: ast.expr, scope: Scope) -> Expr | None:
        """``array.shape[k]``."""
        index = at.value if isinstance(at, ast.Constant) else None
        if isinstance(at, ast.UnaryOp) and isinstance(at.op, ast.USub) and isinstance(at.operand, ast.Constant):
            index = -at.operand.value if isinstance(at.operand.value, int) else None
        if not isinstance(index, int):
            return None
        array = self.array(shape.value, scope)
        if array is not None and array.shape:
            return array.shape[index] if -len(array.shape) <= index < len(array.shape) else None
        named = self._named(shape, scope)
        return self.host.size(f"{dotted(shape)}[{index}]") if named is not None else None

    def _attribute(self, expr: ast.Attribute, scope: Scope) -> Expr | None:
        if expr.attr not in ("size", "nbytes", "itemsize"):
            return None
        owner = expr.value
        if isinstance(owner, ast.Call) and (width := self._width(owner, scope)):
            return self.host.number(width) if expr.attr != "size" else None
        if isinstance(owner, ast.Attribute) and owner.attr == "dtype":
            owner = owner.value
        array = self.array(owner, scope)
        if array is None:
            return None
        if expr.attr == "itemsize":
            return self.host.number(array.width) if array.width else None
        if expr.attr == "nbytes":
            return self.bytes(array)
        return self.product(array.shape) if array.shape else None

    def _width(self, made: ast.Call, scope: Scope) -> int | None:
        """Bytes of a type or number of NumPy: ``np.dtype(np.float32)``, ``np.float32(1)``."""
        full = self.program.imported(dotted(made.func) or "", scope)
        if full == "numpy.dtype" and len(made.args) == 1:
            return WIDTHS.get(self.dtype(made.args[0], scope))
        return WIDTHS.get(full.removeprefix("numpy.")) if full.startswith("numpy.") else None

    # checks

    def checked(self) -> bool:
        """Take the host's checks before the launch along; False when one of them, about a name that the sizes rest on,
        is not understood."""
        called: Called | None = self.called
        while called is not None:
            for cond, holds in self._conditions(called):
                value = self.truth(cond, called.scope)
                if value is not None:
                    self.host.leave_if(self.host.refuse(value) if holds else value)
                elif self._concerns(cond):
                    return False
            called = called.by
        return True

    def _concerns(self, cond: ast.expr) -> bool:
        """Whether a condition speaks of something that the launch's sizes rest on and that is not a number."""
        names = self._spoken_of(cond)
        symbols = {name.partition(".")[0].removeprefix("len(").rstrip(")") for name in self.host.params}
        return bool(names & symbols)

    def _spoken_of(self, cond: ast.expr) -> set[str]:
        """The names in a condition, and those in what they stand for."""
        names: set[str] = set()
        open_: list[tuple[ast.AST, Scope]] = [(cond, self.called.scope)]
        while open_ and len(names) < DEPTH:
            expr, scope = open_.pop()
            if isinstance(expr, ast.Name) and expr.id not in names:
                names.add(expr.id)
                found = self.program.binding(expr, scope)
                open_ += [found] if found is not None else []
            elif not of_kind(expr):
                open_ += [(part, scope) for part in ast.iter_child_nodes(expr)]
        return names

    def _conditions(self, called: Called) -> Iterator[tuple[ast.expr, bool]]:
        """Conditions that hold, or do not, where a call is."""
        program = called.scope.home or self.program
        at = program.start(called.node)
        body: list[ast.stmt] = getattr(called.scope.node, "body", [])
        while isinstance(body, list):
            inner: list[ast.stmt] | None = None
            for statement in body:
                start, end = program.start(statement), program.end(statement)
                if start <= at < end:
                    for part in ("body", "orelse", "finalbody"):
                        block = getattr(statement, part, None)
                        if block and program.start(block[0]) <= at < program.end(block[-1]):
                            inner = block
                            if isinstance(statement, ast.If):
                                yield from each(statement.test, part == "body")
                    break
                if isinstance(statement, ast.Assert):
                    yield from each(statement.test, True)
                elif isinstance(statement, ast.If) and not statement.orelse and leaves(statement.body):
                    yield from each(statement.test, False)
            if inner is None:
                return
            body = inner

    def truth(self, expr: ast.expr, scope: Scope) -> Expr | None:
        """A condition as a truth; None when it is not followed."""
        if isinstance(expr, ast.BoolOp):
            parts = [self.truth(part, scope) for part in expr.values]
            out: Expr | None = None
            for part in parts:
                if part is None:
                    return None
                op = "&&" if isinstance(expr.op, ast.And) else "||"
                out = part if out is None else self.host.compare(op, out, part)
            return out
        if isinstance(expr, ast.UnaryOp) and isinstance(expr.op, ast.Not):
            inner = self.truth(expr.operand, scope)
            return self.host.refuse(inner) if inner is not None else None
        taken = several(expr) if isinstance(expr, ast.Compare) else None
        if taken is not None:
            return self.truth(taken, scope)
        if isinstance(expr, ast.Compare) and len(expr.ops) == 1:
            op = _COMPARISONS.get(type(expr.ops[0]), "")
            left, right = self.number(expr.left, scope), self.number(expr.comparators[0], scope)
            return self.host.compare(op, left, right) if op and left is not None and right is not None else None
        counted = isinstance(expr, ast.BinOp) or (isinstance(expr, ast.Call) and dotted(expr.func) == "len")
        if counted or (isinstance(expr, (ast.Name, ast.Attribute)) and self._concerns(expr)):
            value = self.number(expr, scope)
            return self.host.compare("!=", value, self.host.number(0)) if value is not None else None
        return None


def _whole(expr: ast.expr) -> ast.expr:
    """An operand without ``float()`` around it; ``128.0`` as ``128``."""
    if isinstance(expr, ast.Call) and dotted(expr.func) == "float" and len(expr.args) == 1:
        return expr.args[0]
    if isinstance(expr, ast.Constant) and isinstance(expr.value, float) and expr.value.is_integer():
        return ast.copy_location(ast.Constant(int(expr.value)), expr)
    return expr
