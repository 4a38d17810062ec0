"""Translation of scalar and vector expressions.

Integers are exact machine integers.  Since reduction modulo 2^n commutes with ``+ - *`` and left shifts, a tree of
those is reduced once, at its top, and only when the range of its result can leave the type.
"""

from __future__ import annotations

from kernlint.prove.emulate.formats import cell_format
from kernlint.prove.emulate.frame import Frame, Range
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
    Quantity,
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
_LIMIT = 1 << 160
_FULL: Range = (-(1 << 63), (1 << 64) - 1)

_AXIS = {
    Quantity.THREAD_ID: ("T.tx", "T.ty", "T.tz"),
    Quantity.BLOCK_ID: ("T.block.bx", "T.block.by", "T.block.bz"),
    Quantity.BLOCK_DIM: ("T.k.dx", "T.k.dy", "T.k.dz"),
    Quantity.GRID_DIM: ("T.k.gx", "T.k.gy", "T.k.gz"),
    Quantity.GLOBAL_ID: (
        "T.block.bx * T.k.dx + T.tx + T.k.ox",
        "T.block.by * T.k.dy + T.ty + T.k.oy",
        "T.block.bz * T.k.dz + T.tz + T.k.oz",
    ),
    Quantity.GLOBAL_SIZE: ("T.k.gx * T.k.dx", "T.k.gy * T.k.dy", "T.k.gz * T.k.dz"),
    Quantity.GLOBAL_OFFSET: ("T.k.ox", "T.k.oy", "T.k.oz"),
}
_BEYOND = {Quantity.BLOCK_DIM: 1, Quantity.GRID_DIM: 1, Quantity.GLOBAL_SIZE: 1}
"""What OpenCL says of an axis beyond the third; 0 for the others."""
_PLAIN = {
    Quantity.LINEAR_THREAD_ID: "T.lin",
    Quantity.LINEAR_BLOCK_ID: "T.block.linear",
    Quantity.LINEAR_GLOBAL_ID: "T.k.linear_global(T)",
    Quantity.BLOCK_THREADS: "T.k.block_threads",
    Quantity.GRID_THREADS: "T.k.block_threads * T.k.grid_blocks",
    Quantity.GRID_BLOCKS: "T.k.grid_blocks",
    Quantity.LANE_ID: "T.lane",
    Quantity.WARP_ID: "T.warp",
    Quantity.WARP_SIZE: "T.k.warp_size",
    Quantity.WARPS: "T.k.warps",
    Quantity.WORK_DIM: "T.k.dimensions",
}
_RANGES: dict[Quantity, Range] = {
    Quantity.THREAD_ID: (0, 1023),
    Quantity.BLOCK_DIM: (1, 1024),
    Quantity.BLOCK_ID: (0, (1 << 31) - 1),
    Quantity.GRID_DIM: (1, (1 << 31) - 1),
    Quantity.LINEAR_THREAD_ID: (0, 1023),
    Quantity.BLOCK_THREADS: (1, 1024),
    Quantity.LANE_ID: (0, 63),
    Quantity.WARP_ID: (0, 63),
    Quantity.WARP_SIZE: (1, 64),
    Quantity.WARPS: (1, 64),
}


def result_type(kind: Type) -> Type:
    """The type of the object when ``kind`` is a reference."""
    return kind.pointee if isinstance(kind, PointerType) and kind.reference else kind


class Numbers(Frame):
    """Arithmetic, comparisons, conversions and launch quantities."""

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
            return self._launch_value(expr, kind)
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

    def null(self) -> str:
        """The null pointer."""
        return self.need("NULL", "T.k.null")

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

    # ---------------------------------------------------------------------------------------- launch values

    def _launch_value(self, expr: LaunchValue, kind: IntType) -> tuple[str, int, int]:
        quantity = expr.quantity
        low, high = _RANGES.get(quantity, (0, kind.high))
        high = min(high, kind.high)
        if quantity in _AXIS:
            codes = _AXIS[quantity]
            if expr.axis is not None:
                if not 0 <= expr.axis < 3:
                    value = _BEYOND.get(quantity, 0)
                    return str(value), value, value
                return self.need(f"{quantity.value}_{'xyz'[expr.axis]}", codes[expr.axis]), low, high
            if expr.axis_expr is not None:
                axis = self.value(expr.axis_expr)
                beyond = _BEYOND.get(quantity, 0)
                return f"AXIS(({', '.join(codes)}), {axis}, {beyond})", 0, kind.high
        if quantity in (Quantity.TILE_RANK, Quantity.TILE_ID):
            size = str(expr.extent) if expr.extent else "T.k.warp_size"
            op = "%" if quantity is Quantity.TILE_RANK else "//"
            return self.need(f"{quantity.value}_{expr.extent or 'warp'}", f"T.lin {op} {size}"), 0, 1023
        code = _PLAIN.get(quantity)
        if code is None:
            return self.unsupported(f"the launch quantity {quantity.value}"), kind.low, kind.high
        return self.need(quantity.value, code), low, high

    # ----------------------------------------------------------------------------------- everything else

    def other(self, expr: Expr) -> str:
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
            return self._launch_value(expr, IntType(64, False))[0]
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

    def unsupported(self, what: str) -> str:
        """Code that ends the run with a reason, if it is ever reached."""
        return f"UNSUPPORTED({what!r})"

    @staticmethod
    def _float_literal(value: float) -> str:
        if value != value or value in (float("inf"), float("-inf")):
            return f"float({str(value)!r})"
        return repr(value) if value >= 0 else f"({value!r})"

    def _conditional(self, expr: Conditional) -> str:
        if isinstance(expr.cond.type, VectorType):
            return self.unsupported("a choice by vector")
        if isinstance(result_type(expr.type), (PointerType, ArrayType)):
            then, other = self.value_of_pointer(expr.then), self.value_of_pointer(expr.other)
        else:
            then, other = self.value(expr.then), self.value(expr.other)
        return f"({then} if {self.truth(expr.cond)} else {other})"

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


def _same_bits(expr: Expr, kind: IntType) -> bool:
    have = result_type(expr.type)
    return isinstance(have, IntType) and have.bits == kind.bits and have.signed == kind.signed
