"""Translation of values that are no integers: floats, vectors, pointers, conversions, choices."""

from __future__ import annotations

from kernlint.prove.emulate.formats import cell_format
from kernlint.prove.emulate.frame import result_type
from kernlint.prove.emulate.integers import Integers
from kernlint.tree.nodes import (
    AddressOf,
    Assign,
    Assume,
    AsyncCopy,
    AsyncWait,
    Atomic,
    Barrier,
    Binary,
    Call,
    Cast,
    Conditional,
    Deref,
    Expr,
    Fence,
    FloatLit,
    FunctionRef,
    ImageOp,
    IncDec,
    InitList,
    IntLit,
    Lambda,
    Launch,
    LaunchValue,
    Member,
    Opaque,
    Ref,
    SizeOf,
    StringLit,
    Subscript,
    Unary,
    WarpOp,
)
from kernlint.tree.types import (
    ArrayType,
    FloatType,
    IntType,
    OpaqueType,
    PointerType,
    StructType,
    Type,
    VectorType,
    VoidType,
)

_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})


class Values(Integers):
    """Everything that integer arithmetic does not compute."""

    def other(self, expr: Expr) -> str:  # noqa: C901 - a table of kinds, one line each
        """Code of an expression whose value is not computed by integer arithmetic."""
        if isinstance(expr, (Ref, Subscript, Deref, Member)):
            return self.read(expr)
        if isinstance(expr, FloatLit):
            return self._float_literal(expr.value)
        if isinstance(expr, IntLit):
            return str(expr.value)
        if isinstance(expr, Binary):
            return self._other_binary(expr)
        if isinstance(expr, Unary):
            return self._other_unary(expr)
        if isinstance(expr, Cast):
            return self.cast(expr)
        if isinstance(expr, Conditional):
            return self._conditional(expr)
        if isinstance(expr, Assign):
            return self.assign(expr)
        if isinstance(expr, IncDec):
            return self.step(expr)
        if isinstance(expr, AddressOf):
            if isinstance(expr.operand, FunctionRef):
                return self.unsupported("a pointer to a function")
            obj, off = self.place(expr.operand)
            return f"({obj}, {off})"
        if isinstance(expr, Call):
            return self.call(expr)
        if isinstance(expr, InitList):
            return self.braces(expr)
        if isinstance(expr, Lambda):
            return self.closure(expr)
        if isinstance(expr, (Barrier, Fence, Atomic, WarpOp, AsyncCopy, AsyncWait, Assume)):
            return self.special(expr)
        if isinstance(expr, LaunchValue):
            return self.launch_value(expr, IntType(64, False))[0]
        if isinstance(expr, Opaque):
            return self.unsupported(f"an expression that was not understood ({expr.reason})")
        if isinstance(expr, ImageOp):
            return self.image(expr)
        if isinstance(expr, Launch):
            return self.unsupported("a launch from the device")
        if isinstance(expr, StringLit):
            return self.null()
        if isinstance(expr, SizeOf):
            return self.unsupported("the size of a type that is not known")
        if isinstance(expr, FunctionRef):
            return self.unsupported("a pointer to a function")
        return self.unsupported(f"an expression of kind {type(expr).__name__}")

    def image(self, expr: ImageOp) -> str:
        """An image: a read gives some value that depends on the coordinates alone, a write changes nothing."""
        args = "".join(
            f"{self.value(arg)}, " for arg in expr.args if not isinstance(arg.type, (OpaqueType, StructType))
        )
        kind = result_type(expr.type)
        scalar = kind.element if isinstance(kind, VectorType) else kind
        lanes = kind.lanes if isinstance(kind, VectorType) else 0
        return f"ROUGH(T, {expr.name!r}, ({args}), {lanes}, {isinstance(scalar, IntType)})"

    @staticmethod
    def _float_literal(value: float) -> str:
        if value != value or value in (float("inf"), float("-inf")):
            return f"float({str(value)!r})"
        return repr(value) if value >= 0 else f"({value!r})"

    def _conditional(self, expr: Conditional) -> str:
        cond = result_type(expr.cond.type)
        if isinstance(cond, VectorType):
            return self.chosen(
                cond, self.value(expr.cond), self._lanes_of(expr.then, cond), self._lanes_of(expr.other, cond)
            )
        if isinstance(result_type(expr.type), (PointerType, ArrayType)):
            then, other = self.value_of_pointer(expr.then), self.value_of_pointer(expr.other)
        else:
            then, other = self.value(expr.then), self.value(expr.other)
        return f"({then} if {self.truth(expr.cond)} else {other})"

    @staticmethod
    def chosen(cond: VectorType, code: str, then: str, other: str) -> str:
        """OpenCL's choice by vector: a lane is taken from ``then`` where the condition's highest bit is set."""
        kind = cond.element
        test = f"c >> {kind.bits - 1}" if isinstance(kind, IntType) and not kind.signed else "c < 0"
        return f"MAP(lambda c, a, b: a if {test} else b, {code}, {then}, {other})"

    def _lanes_of(self, expr: Expr, like: VectorType) -> str:
        """A value as the lanes of a vector as long as ``like``."""
        code = self.value(expr)
        return code if isinstance(result_type(expr.type), VectorType) else f"({code},) * {like.lanes}"

    def _other_binary(self, expr: Binary) -> str:
        kind, op = result_type(expr.type), expr.op
        if op == ",":
            return f"({self.value(expr.lhs)}, {self.value(expr.rhs)})[1]"
        if op in ("&&", "||"):
            return f"(1 if {self.truth(expr)} else 0)"
        if isinstance(kind, PointerType) or isinstance(result_type(expr.lhs.type), ArrayType):
            obj, off = self.pointer(expr)
            return f"({obj}, {off})"
        if isinstance(kind, VectorType):
            return self._vector_binary(expr, kind)
        a, b = self.value(expr.lhs), self.value(expr.rhs)
        if op in _COMPARISONS:
            return f"({a} {op} {b})"
        if op == "/":
            if isinstance(expr.rhs, FloatLit) and expr.rhs.value:
                return f"({a} / {b})"
            return f"FDIV({a}, {b})"
        if op in ("+", "-", "*"):
            return f"({a} {op} {b})"
        return self.unsupported(f"the operator {op} on {type(kind).__name__}")

    def _vector_binary(self, expr: Binary, kind: VectorType) -> str:
        left, right = result_type(expr.lhs.type), result_type(expr.rhs.type)
        a, b = self.value(expr.lhs), self.value(expr.rhs)
        if not isinstance(left, VectorType):
            a = f"({a},) * {kind.lanes}"
        if not isinstance(right, VectorType):
            b = f"({b},) * {kind.lanes}"
        element = left.element if isinstance(left, VectorType) else kind.element
        lane = self.scalar_operation(expr.op, "x", "y", element, expr)
        if expr.op in _COMPARISONS:
            lane = f"-({lane})"
        return f"MAP(lambda x, y: {lane}, {a}, {b})"

    def scalar_operation(self, op: str, a: str, b: str, kind: Type, expr: Expr) -> str:
        """``a op b`` on scalars of type ``kind`` whose codes are simple."""
        if op in _COMPARISONS:
            return f"({a} {op} {b})"
        if isinstance(kind, IntType):
            signed = kind.bits if kind.signed else 0
            if op == "/":
                return f"DIV(T, {a}, {b}, {signed}, {self.site(expr)})"
            if op == "%":
                return f"MOD(T, {a}, {b}, {signed}, {self.site(expr)})"
            if op == ">>":
                return f"SHR(T, {a}, {b}, {kind.bits}, {self.site(expr)})"
            if op == "<<":
                return f"SHL(T, {a}, {b}, {kind.bits}, {kind.signed}, {self.site(expr)})"
            if op in ("&", "|", "^"):
                return f"({a} {op} {b})"
            if not kind.signed:
                return f"(({a} {op} {b}) & {kind.high})"
            return f"WRAP({a} {op} {b}, {kind.bits})"
        if op == "/":
            return f"FDIV({a}, {b})"
        if op in ("+", "-", "*"):
            return f"({a} {op} {b})"
        return self.unsupported(f"the operator {op} on floats")

    def _other_unary(self, expr: Unary) -> str:
        kind = result_type(expr.type)
        if expr.op == "!":
            return f"(not {self.truth(expr.operand)})"
        code = self.value(expr.operand)
        if expr.op == "+":
            return code
        if isinstance(kind, VectorType):
            lane = f"{expr.op}x"
            if isinstance(kind.element, IntType):
                lane = f"WRAP({lane}, {kind.element.bits}, {kind.element.signed})"
            return f"MAP(lambda x: {lane}, {code})"
        return f"({expr.op}{code})"

    # ------------------------------------------------------------------------------------------ conversions

    def cast(self, expr: Cast) -> str:
        """A conversion to something that is no integer."""
        kind, operand = expr.type, expr.operand
        have = result_type(operand.type)
        if isinstance(kind, VoidType):
            return self.value(operand)
        if isinstance(kind, PointerType) and not kind.reference:
            if isinstance(have, IntType):
                return self.value_of_pointer(expr.operand)
            if isinstance(have, (PointerType, ArrayType)):
                return self.value_of_pointer(operand)
            return self.value(operand)
        if expr.bits:
            return self.same_bits(expr)
        if isinstance(kind, FloatType):
            if isinstance(have, IntType):
                code, low, high = self.number(operand)
                return f"{code}.0" if low == high and code.isdigit() else code
            return self.value(operand)
        if isinstance(kind, VectorType):
            if isinstance(have, VectorType):
                lane = self.conversion("x", have.element, kind.element)
                return self.value(operand) if lane == "x" else f"MAP(lambda x: {lane}, {self.value(operand)})"
            return f"({self.conversion(self.value(operand), have, kind.element)},) * {kind.lanes}"
        return self.value(operand)

    def conversion(self, code: str, have: Type, want: Type) -> str:
        """``code`` of type ``have`` converted to the scalar type ``want``."""
        if have == want or not isinstance(want, IntType):
            return code
        if isinstance(have, IntType):
            if want.low <= have.low and have.high <= want.high:
                return code
            return f"(1 if {code} else 0)" if want.bits == 1 else f"WRAP({code}, {want.bits}, {want.signed})"
        if isinstance(have, FloatType):
            return f"F2I({code}, {want.low}, {want.high})"
        return f"ASINT(T, {code}, {want.bits}, {want.signed})"

    def same_bits(self, expr: Cast) -> str:
        """A value seen as another type of the same size."""
        have, want = result_type(expr.operand.type), expr.type
        a, b = cell_format(have), cell_format(want)
        code = self.value(expr.operand)
        if a is not None and b is not None:
            return code if a == b else f"BITS(T, {code}, {a!r}, {b!r})"
        if isinstance(have, StructType) or isinstance(want, StructType):
            return self.unsupported("a bit cast of a struct")
        cells = self.program.cells_of(have), self.program.cells_of(want)
        return f"LANEBITS(T, {code}, C[{cells[0]}], C[{cells[1]}])"

    # ------------------------------------------------------------------------------------- written elsewhere

    def read(self, expr: Expr) -> str:
        """Code that reads an lvalue."""
        raise NotImplementedError

    def assign(self, expr: Assign) -> str:
        """Code of an assignment."""
        raise NotImplementedError

    def step(self, expr: IncDec) -> str:
        """Code of an increment or decrement."""
        raise NotImplementedError

    def braces(self, expr: InitList) -> str:
        """Code of a value in braces."""
        raise NotImplementedError
