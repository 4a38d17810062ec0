"""What an expression of a kernel stands for while it is lowered: a scalar of the tree, an array with its extents,
several values at once, or something that exists only for the compiler (a module, a type, a function)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from kernlint.record import dataclass
from kernlint.tree.nodes import Expr, IntLit
from kernlint.tree.types import (
    BOOL,
    F16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    Field,
    FloatType,
    IntType,
    Space,
    StructType,
    Type,
    VectorType,
)

if TYPE_CHECKING:
    from kernlint.frontends.python.functions import Jitted


def _complex(bits: int) -> StructType:
    part = FloatType(bits // 2)
    fields = (Field("real", part, 0), Field("imag", part, bits // 16))
    return StructType(f"complex{bits}", fields, bits // 8, bits // 16)


COMPLEX64, COMPLEX128 = _complex(64), _complex(128)

SCALARS: dict[str, Type] = {
    "bool": BOOL, "bool_": BOOL, "boolean": BOOL, "b1": BOOL,
    "int8": I8, "i1": I8, "char": I8, "byte": U8, "uint8": U8, "u1": U8, "uchar": U8,
    "int16": I16, "i2": I16, "short": I16, "uint16": U16, "u2": U16, "ushort": U16,
    "int32": I32, "i4": I32, "int_": I64, "intc": I32, "uint32": U32, "u4": U32, "uintc": U32,
    "int64": I64, "i8": I64, "intp": I64, "longlong": I64, "long_": I64, "int": I64, "ssize_t": I64,
    "uint64": U64, "u8": U64, "uintp": U64, "ulonglong": U64, "size_t": U64, "uint": U64, "ulong": U64,
    "float16": F16, "f2": F16, "half": F16, "float32": F32, "f4": F32, "single": F32,
    "float64": F64, "f8": F64, "double": F64, "float_": F64, "float": F64,
    "complex64": COMPLEX64, "c8": COMPLEX64, "complex128": COMPLEX128, "c16": COMPLEX128, "complex": COMPLEX128,
}  # fmt: skip
"""Types by the names that numba and NumPy know them by."""


@dataclass(frozen=True, slots=True, eq=False)
class ArrayValue:
    """An array in sight: ``base`` is the array itself (of constant extents) or a pointer to its first element.

    ``shape``: elements along each axis, outermost first.  ``strides``: elements from one index of an axis to the next,
    None for an array without gaps in C's order.
    """

    base: Expr
    element: Type
    shape: tuple[Expr, ...]
    space: Space
    strides: tuple[Expr, ...] | None = None

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass(frozen=True, slots=True, eq=False)
class TupleValue:
    """Several values side by side: ``a.shape``, ``cuda.grid(2)``, ``(i, j)``."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """Something known by its full dotted name only: a module, a function of a library, a type."""

    path: str


@dataclass(frozen=True, slots=True, eq=False)
class Callee:
    """A function of the file that numba compiles."""

    function: Jitted


@dataclass(frozen=True, slots=True, eq=False)
class Host:
    """A value that only the host's Python has (a string, None, an object): ``node`` is what makes it."""

    node: ast.expr | None
    value: object = None


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A cooperative group; ``kind`` is how the source calls it."""

    kind: str


@dataclass(frozen=True, slots=True, eq=False)
class Rest:
    """What a parameter with a star takes, where nobody says how much that is: ``base`` is a pointer that stands for
    all the arrays in it."""

    base: Expr


Value = Expr | ArrayValue | TupleValue | Named | Callee | Host | Group | Rest


# ------------------------------------------------------------------------------------------------------------ types


def unified(a: Type | None, b: Type) -> Type:
    """The type of a variable that has values of both types; numba picks the least that holds both."""
    if a is None or a == b:
        return b
    if isinstance(a, (IntType, FloatType)) and isinstance(b, (IntType, FloatType)):
        if isinstance(a, IntType) and isinstance(b, IntType):
            return _both(a, b)
        return arithmetic_type(a, b)
    complexes = {COMPLEX64, COMPLEX128}
    if a in complexes or b in complexes:
        return COMPLEX128 if COMPLEX128 in (a, b) else a if a in complexes else b
    return a


def _both(a: IntType, b: IntType) -> IntType:
    if a.bits == 1 or b.bits == 1:
        return b if a.bits == 1 else a
    if a.signed == b.signed:
        return a if a.bits >= b.bits else b
    signed, unsigned = (a, b) if a.signed else (b, a)
    return signed if signed.bits > unsigned.bits else IntType(min(64, unsigned.bits * 2), True)


def arithmetic_type(a: Type, b: Type) -> Type:
    """The type in which numba carries out ``a op b``: integers in at least 64 bits, signed when one of them is; an
    integer of 32 or more bits with a float in double precision."""
    if a in (COMPLEX64, COMPLEX128) or b in (COMPLEX64, COMPLEX128):
        return COMPLEX64 if {a, b} <= {COMPLEX64, F32, F16} else COMPLEX128
    if isinstance(a, IntType) and isinstance(b, IntType):
        plain = (a.signed or a.bits == 1) or (b.signed or b.bits == 1)
        return I64 if plain else U64
    if isinstance(a, FloatType) and isinstance(b, FloatType):
        return a if a.bits >= b.bits else b
    if isinstance(a, FloatType) or isinstance(b, FloatType):
        number, other = (a, b) if isinstance(a, FloatType) else (b, a)
        if isinstance(number, FloatType) and isinstance(other, IntType):
            return number if other.bits <= 16 and number.bits >= 32 else F64
        return number
    if isinstance(a, VectorType):
        return a
    return b


def element_bytes(array: ArrayValue) -> int:
    """Bytes of an element; those of a double where the type does not tell."""
    return array.element.size or 8


def constant(expr: Value | None) -> int | None:
    """The number that a value is, when it is written as one."""
    return expr.value if isinstance(expr, IntLit) else None
