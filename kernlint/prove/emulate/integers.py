"""Translation of integer expressions and conditions.

Integers are exact machine integers.  Since reduction modulo 2^n commutes with ``+ - *`` and left shifts, a tree of
those is reduced once, at its top, and only when the range of its result can leave the type.
"""

from __future__ import annotations

from kernlint.prove.emulate.frame import Range, result_type
from kernlint.prove.emulate.quantities import Quantities
from kernlint.tree.nodes import (
    Binary,
    Call,
    Cast,
    Conditional,
    Expr,
    IntLit,
    LaunchValue,
    Ref,
    Unary,
)
from kernlint.tree.types import (
    ArrayType,
    FloatType,
    IntType,
    OpaqueType,
    PointerType,
    VectorType,
)

_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_LIMIT = 1 << 160
_FULL: Range = (-(1 << 63), (1 << 64) - 1)


class Integers(Quantities):
    """Integer arithmetic, comparisons and conversions to integers."""

    # ------------------------------------------------------------------------------------------ entry points

    def value(self, expr: Expr) -> str:
        kind = result_type(expr.type)
        if isinstance(kind, IntType):
            return self.number(expr)[0]
        return self.other(expr)

    def number(self, expr: Expr) -> tuple[str, int, int]:
        kind = result_type(expr.type)
        if not isinstance(kind, IntType):
            return self.other(expr), *_FULL
        code, low, high, arithmetic = self.ring(expr, kind)
        if kind.low <= low and high <= kind.high:
            return code, low, high
        return self.wrapped(code, kind, arithmetic, expr), kind.low, kind.high

    def wrapped(self, code: str, kind: IntType, arithmetic: bool, expr: Expr) -> str:
        """``code`` reduced into ``kind``; overflow of signed arithmetic is told to the machine."""
        if kind.bits == 1:
            return f"(1 if {code} else 0)"
        if not kind.signed:
            return f"({code} & {kind.high})"
        if arithmetic:
            return f"(w_ if {kind.low} <= (w_ := {code}) <= {kind.high} else OV(T, w_, {kind.bits}, {self.site(expr)}))"
        return f"(w_ if {kind.low} <= (w_ := {code}) <= {kind.high} else WRAP(w_, {kind.bits}))"

    def ring(self, expr: Expr, kind: IntType) -> tuple[str, int, int, bool]:
        """Code congruent to ``expr`` modulo 2^bits, its range, and whether signed arithmetic made it."""
        if isinstance(expr, Binary) and expr.op in ("+", "-", "*") and kind.bits > 1:
            left, right = expr.lhs, expr.rhs
            if _same_bits(left, kind) and _same_bits(right, kind):
                return self._ring_operation(expr.op, left, right, kind)
        if isinstance(expr, Binary) and expr.op == "<<" and kind.bits > 1 and _same_bits(expr.lhs, kind):
            count = expr.rhs
            while isinstance(count, Cast):
                count = count.operand
            if isinstance(count, IntLit) and 0 <= count.value < kind.bits:
                code, low, high, arithmetic = self._bounded_ring(expr.lhs, kind)
                if arithmetic:  # what a shift drops is no overflow (C++20, [expr.shift]), what comes before it is
                    code, low, high = self.number(expr.lhs)
                by = 1 << count.value
                return f"({code} << {count.value})", low * by, high * by, False
        if isinstance(expr, Unary) and expr.op == "-" and kind.bits > 1 and _same_bits(expr.operand, kind):
            code, low, high = self._operand(expr.operand, kind)
            return f"(-{code})", -high, -low, kind.signed
        if isinstance(expr, Cast) and not expr.bits:
            have = result_type(expr.operand.type)
            if isinstance(have, IntType) and 1 < kind.bits <= have.bits:
                code, low, high, arithmetic = self._bounded_ring(expr.operand, have)
                if arithmetic and kind.bits == have.bits and not (have.low <= low and high <= have.high):
                    return *self.number(expr.operand), False  # the overflow is to be told
                return code, low, high, False
        return *self.plain(expr, kind), False

    def _bounded_ring(self, expr: Expr, kind: IntType) -> tuple[str, int, int, bool]:
        code, low, high, arithmetic = self.ring(expr, kind)
        if low < -_LIMIT or high > _LIMIT:
            return self.wrapped(code, kind, arithmetic, expr), kind.low, kind.high, False
        return code, low, high, arithmetic

    def _operand(self, expr: Expr, kind: IntType) -> tuple[str, int, int]:
        """An operand of signed arithmetic keeps only what may overflow: a conversion or a shift wraps by right."""
        code, low, high, arithmetic = self._bounded_ring(expr, kind)
        if kind.signed and not arithmetic and not (kind.low <= low and high <= kind.high):
            return self.number(expr)
        return code, low, high

    def _ring_operation(self, op: str, left: Expr, right: Expr, kind: IntType) -> tuple[str, int, int, bool]:
        a, a_low, a_high = self._operand(left, kind)
        b, b_low, b_high = self._operand(right, kind)
        if op == "+":
            low, high = a_low + b_low, a_high + b_high
        elif op == "-":
            low, high = a_low - b_high, a_high - b_low
        else:
            corners = (a_low * b_low, a_low * b_high, a_high * b_low, a_high * b_high)
            low, high = min(corners), max(corners)
        return f"({a} {op} {b})", low, high, kind.signed

    def plain(self, expr: Expr, kind: IntType) -> tuple[str, int, int]:
        """Code and range, within the type, of an integer expression that is no ring operation."""
        if isinstance(expr, IntLit):
            value = kind.wrap(expr.value)
            return (str(value) if value >= 0 else f"({value})"), value, value
        if isinstance(expr, LaunchValue):
            return self.launch_value(expr, kind)
        if isinstance(expr, Ref):
            if expr.decl.value is not None and expr.decl.const and not expr.decl.synthesised:
                value = kind.wrap(expr.decl.value)
                return (str(value) if value >= 0 else f"({value})"), value, value
            code = self.other(expr)
            low, high = self.range_of(expr.decl)
            return code, max(low, kind.low), min(high, kind.high)
        if isinstance(expr, Binary) and not isinstance(expr.lhs.type, VectorType):
            return self._integer_binary(expr, kind)
        if isinstance(expr, Unary):
            if expr.op == "!":
                return f"(not {self.truth(expr.operand)})", 0, 1
            code, low, high = self.number(expr.operand)
            if expr.op == "~":
                return self._fit(f"(~{code})", ~high, ~low, kind)
            return self._fit(
                code if expr.op == "+" else f"(-{code})", *((low, high) if expr.op == "+" else (-high, -low)), kind
            )
        if isinstance(expr, Cast):
            return self._integer_cast(expr, kind)
        if isinstance(expr, Conditional):
            a, a_low, a_high = self.number(expr.then)
            b, b_low, b_high = self.number(expr.other)
            return f"({a} if {self.truth(expr.cond)} else {b})", min(a_low, b_low), max(a_high, b_high)
        if isinstance(expr, Call) and expr.pure_math and len(expr.args) == 2 and expr.name in ("min", "max"):
            return self._extreme(expr)
        return self.other(expr), kind.low, kind.high

    def _fit(self, code: str, low: int, high: int, kind: IntType) -> tuple[str, int, int]:
        if kind.low <= low and high <= kind.high:
            return code, low, high
        if not kind.signed:
            return f"({code} & {kind.high})", kind.low, kind.high
        return f"WRAP({code}, {kind.bits})", kind.low, kind.high

    def _extreme(self, expr: Call) -> tuple[str, int, int]:
        a, a_low, a_high = self.number(expr.args[0])
        b, b_low, b_high = self.number(expr.args[1])
        pick = min if expr.name == "min" else max
        if self.simple(a) and self.simple(b):
            code = f"({a} if {a} {'<' if expr.name == 'min' else '>'} {b} else {b})"
        else:
            code = f"{expr.name}({a}, {b})"
        return code, pick(a_low, b_low), pick(a_high, b_high)

    # ------------------------------------------------------------------------------------------ operations

    def _integer_binary(self, expr: Binary, kind: IntType) -> tuple[str, int, int]:
        op = expr.op
        if op in _COMPARISONS or op in ("&&", "||"):
            truth = self.truth(expr)
            return (f"(1 if {truth} else 0)" if op in ("&&", "||") else f"({truth})"), 0, 1
        if op == ",":
            left = self.value(expr.lhs)
            right, low, high = self.number(expr.rhs)
            return f"({left}, {right})[1]", low, high
        if isinstance(expr.lhs.type, (PointerType, ArrayType)):
            return self._pointer_difference(expr), kind.low, kind.high
        a, a_low, a_high = self.number(expr.lhs)
        b, b_low, b_high = self.number(expr.rhs)
        if op in ("/", "%"):
            return self._division(op, (a, a_low, a_high), (b, b_low, b_high), kind, expr)
        if op == ">>":
            if b_low >= 0 and b_high < kind.bits:
                return f"({a} >> {b})", min(a_low, a_low >> b_high), max(a_high >> b_low, a_high >> b_high)
            return f"SHR(T, {a}, {b}, {kind.bits}, {self.site(expr)})", kind.low, kind.high
        if op == "<<":
            return f"SHL(T, {a}, {b}, {kind.bits}, {kind.signed}, {self.site(expr)})", kind.low, kind.high
        if op == "&":
            if b_low >= 0 or a_low >= 0:
                high = min((bound for bound, least in ((a_high, a_low), (b_high, b_low)) if least >= 0))
                return f"({a} & {b})", 0, high
            return f"({a} & {b})", kind.low, kind.high
        if op in ("|", "^"):
            if a_low >= 0 and b_low >= 0:
                return f"({a} {op} {b})", 0, (1 << max(a_high.bit_length(), b_high.bit_length())) - 1
            return f"({a} {op} {b})", kind.low, kind.high
        # a ring operation on operands of another width
        low, high = {
            "+": (a_low + b_low, a_high + b_high),
            "-": (a_low - b_high, a_high - b_low),
        }.get(op, (-_LIMIT, _LIMIT))
        return self._fit(f"({a} {op} {b})", low, high, kind)

    def _division(
        self, op: str, a: tuple[str, int, int], b: tuple[str, int, int], kind: IntType, expr: Expr
    ) -> tuple[str, int, int]:
        """C's division truncates, Python's floors; they agree when neither side is negative."""
        python = "//" if op == "/" else "%"
        high = a[2] if op == "/" else max(min(a[2], b[2] - 1), 0)
        if a[1] >= 0 and b[1] > 0:
            return f"({a[0]} {python} {b[0]})", 0, high
        name = "DIV" if op == "/" else "MOD"
        code = f"{name}(T, {a[0]}, {b[0]}, {kind.bits if kind.signed else 0}, {self.site(expr)})"
        return (code, 0, high) if a[1] >= 0 and b[1] >= 0 else (code, kind.low, kind.high)

    def _pointer_difference(self, expr: Binary) -> str:
        a, b = self.value_of_pointer(expr.lhs), self.value_of_pointer(expr.rhs)
        pointee = expr.lhs.type.pointee if isinstance(expr.lhs.type, PointerType) else expr.lhs.type
        if isinstance(pointee, ArrayType) and isinstance(expr.lhs.type, ArrayType):
            pointee = pointee.element
        return f"DIFF(T, {a}, {b}, {pointee.size or 1})"

    def truth(self, expr: Expr) -> str:
        if isinstance(expr, Binary):
            if expr.op in ("&&", "||"):
                word = "and" if expr.op == "&&" else "or"
                return f"({self.truth(expr.lhs)} {word} {self.truth(expr.rhs)})"
            if expr.op in _COMPARISONS and not isinstance(expr.lhs.type, VectorType):
                return self._comparison(expr)
        if isinstance(expr, Unary) and expr.op == "!":
            return f"(not {self.truth(expr.operand)})"
        if isinstance(expr, Cast) and not expr.bits and isinstance(expr.type, IntType):
            have = result_type(expr.operand.type)
            if expr.type.bits == 1 or (isinstance(have, IntType) and have.bits <= expr.type.bits):
                return self.truth(expr.operand)
        if isinstance(result_type(expr.type), (PointerType, ArrayType)):
            return f"({self.value_of_pointer(expr)} != {self.null()})"
        return self.value(expr)

    def _comparison(self, expr: Binary) -> str:
        left, right = result_type(expr.lhs.type), result_type(expr.rhs.type)
        if isinstance(left, (PointerType, ArrayType)) or isinstance(right, (PointerType, ArrayType)):
            a, b = self.value_of_pointer(expr.lhs), self.value_of_pointer(expr.rhs)
            if expr.op in ("==", "!="):
                return f"({a} {expr.op} {b})"
            return f"(DIFF(T, {a}, {b}, 1) {expr.op} 0)"
        return f"({self.value(expr.lhs)} {expr.op} {self.value(expr.rhs)})"

    def value_of_pointer(self, expr: Expr) -> str:
        """A pointer, array or null constant as a pair."""
        kind = result_type(expr.type)
        if isinstance(kind, ArrayType):
            obj, off = self.place(expr)
            return f"({obj}, {off})"
        inner = expr
        while isinstance(inner, Cast) and isinstance(inner.type, (IntType, PointerType)):
            inner = inner.operand
        if isinstance(inner, IntLit) and inner.value == 0:
            return self.null()
        if isinstance(kind, IntType):
            return f"PTR(T, {self.value(expr)})"
        return self.value(expr)

    # ------------------------------------------------------------------------------------------ conversions

    def _integer_cast(self, expr: Cast, kind: IntType) -> tuple[str, int, int]:
        operand = expr.operand
        have = result_type(operand.type)
        if isinstance(have, IntType):
            if kind.bits == 1:
                return f"(1 if {self.truth(operand)} else 0)", 0, 1
            code, low, high = self.number(operand)
            return self._fit(code, low, high, kind)
        if expr.bits:
            return self.same_bits(expr), kind.low, kind.high
        if isinstance(have, FloatType):
            if kind.bits == 1:
                return f"(1 if {self.value(operand)} else 0)", 0, 1
            return f"F2I({self.value(operand)}, {kind.low}, {kind.high})", kind.low, kind.high
        if isinstance(have, (PointerType, ArrayType)):
            if kind.bits == 1:
                return f"(1 if {self.truth(operand)} else 0)", 0, 1
            return self._fit(f"ADDR(T, {self.value_of_pointer(operand)})", 0, 1 << 80, kind)
        if isinstance(have, (OpaqueType, VectorType)):
            return f"ASINT(T, {self.value(operand)}, {kind.bits}, {kind.signed})", kind.low, kind.high
        return self.unsupported(f"a conversion to an integer from {type(have).__name__}"), kind.low, kind.high


def _same_bits(expr: Expr, kind: IntType) -> bool:
    have = result_type(expr.type)
    return isinstance(have, IntType) and have.bits == kind.bits and have.signed == kind.signed
