"""Types of the kernel tree: machine integers, floats, pointers with address spaces, arrays, vectors, structs.

Sizes and alignments are in bytes and follow the 64-bit device ABI that CUDA, HIP and SPIR-64 share.
``None`` stands for *not known* everywhere (a dependent type, an array without extent, a missing header).
"""

from __future__ import annotations

from enum import Enum

from kernlint.record import dataclass


class Space(Enum):
    """Address space of an object or of what a pointer points to."""

    __hash__ = object.__hash__  # that of an Enum is a call in Python, and sets of kinds are asked all the time

    PRIVATE = "private"
    SHARED = "shared"  # OpenCL local
    GLOBAL = "global"
    CONSTANT = "constant"
    GENERIC = "generic"  # a CUDA pointer, whose space only its origin tells; OpenCL generic
    HOST = "host"


@dataclass(frozen=True, slots=True)
class Type:
    """Base of all types.  ``spelling`` is how the source spells it, for people only."""

    @property
    def size(self) -> int | None:
        """Size in bytes, or None when it is not known."""
        return None

    @property
    def align(self) -> int | None:
        """Natural alignment in bytes, or None when it is not known."""
        return self.size


@dataclass(frozen=True, slots=True)
class VoidType(Type):
    """``void``."""


@dataclass(frozen=True, slots=True)
class IntType(Type):
    """A machine integer of ``bits`` bits.  ``bool`` has 1 bit (and a size of one byte), is unsigned."""

    bits: int
    signed: bool

    @property
    def size(self) -> int | None:
        return max(1, self.bits // 8)

    @property
    def low(self) -> int:
        """Least value of the type."""
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        """Greatest value of the type."""
        return (1 << (self.bits - (1 if self.signed else 0))) - 1

    def wrap(self, value: int) -> int:
        """``value`` reduced into the type's range, as two's complement hardware does."""
        if self.bits == 1:
            return 1 if value else 0
        value &= (1 << self.bits) - 1
        return value - (1 << self.bits) if self.signed and value >> (self.bits - 1) else value


@dataclass(frozen=True, slots=True)
class FloatType(Type):
    """A floating-point number of ``bits`` bits (16 also for bfloat16)."""

    bits: int

    @property
    def size(self) -> int | None:
        return self.bits // 8


@dataclass(frozen=True, slots=True)
class PointerType(Type):
    """A pointer or (``reference``) a reference to ``pointee`` in ``space``.

    ``const``, ``volatile`` qualify the pointee; ``restrict`` the pointer.
    """

    pointee: Type
    space: Space = Space.GENERIC
    const: bool = False
    volatile: bool = False
    restrict: bool = False
    reference: bool = False

    @property
    def size(self) -> int | None:
        return 8


@dataclass(frozen=True, slots=True)
class ArrayType(Type):
    """``extent`` elements, outermost dimension first; extent None: ``[]`` or dependent."""

    element: Type
    extent: int | None

    @property
    def size(self) -> int | None:
        one = self.element.size
        return None if one is None or self.extent is None else one * self.extent

    @property
    def align(self) -> int | None:
        return self.element.align


@dataclass(frozen=True, slots=True)
class VectorType(Type):
    """``lanes`` elements side by side (``float4``); three lanes take the room of four only in OpenCL,
    where ``padded`` is true.  CUDA's ``float4`` and its like are vectors too, though spelled as structs."""

    element: Type
    lanes: int
    padded: bool = False

    @property
    def size(self) -> int | None:
        one = self.element.size
        return None if one is None else one * (4 if self.lanes == 3 and self.padded else self.lanes)


@dataclass(frozen=True, slots=True)
class Field:
    """One member of a struct or union, ``offset`` bytes from its start (None: not known), ``volatile`` as declared."""

    name: str
    type: Type
    offset: int | None
    volatile: bool = False


@dataclass(frozen=True, slots=True)
class StructType(Type):
    """A struct, class or union named ``name``; unions have all offsets 0.

    Recursive types end in a :class:`OpaqueType` of the same name.  ``known`` is false for a type that the
    front end had to make up for a missing header.
    """

    name: str
    fields: tuple[Field, ...]
    bytes: int | None
    alignment: int | None = None
    union: bool = False
    known: bool = True

    @property
    def size(self) -> int | None:
        return self.bytes

    @property
    def align(self) -> int | None:
        return self.alignment

    def field(self, name: str) -> Field | None:
        """The member called ``name``, or None."""
        return next((f for f in self.fields if f.name == name), None)


@dataclass(frozen=True, slots=True)
class FunctionType(Type):
    """A function or a pointer's target that is one."""

    result: Type
    params: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class OpaqueType(Type):
    """A type that is not known: dependent (``T``), incomplete, synthesised, or of a kind not modelled
    (image, sampler, event, barrier object).  ``spelling`` says which."""

    spelling: str


BOOL = IntType(1, False)
I8, U8 = IntType(8, True), IntType(8, False)
I16, U16 = IntType(16, True), IntType(16, False)
I32, U32 = IntType(32, True), IntType(32, False)
I64, U64 = IntType(64, True), IntType(64, False)
F16, F32, F64 = FloatType(16), FloatType(32), FloatType(64)
VOID = VoidType()
UNKNOWN = OpaqueType("?")
