"""Types of a parsed translation unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernlint.frontends.clang.kinds import TypeKind
from kernlint.frontends.clang.lazy import lazy
from kernlint.frontends.clang.native import LIB, CXType, take

if TYPE_CHECKING:
    from kernlint.frontends.clang.cursor import Cursor
    from kernlint.frontends.clang.unit import Unit


class Type:
    """A type with its qualifiers; one object per type and unit, so identity is equality of the written type."""

    raw: CXType
    kind: int
    unit: Unit

    def __init__(self, raw: CXType, unit: Unit) -> None:
        self.raw = raw
        self.kind = raw.kind
        self.unit = unit

    def __repr__(self) -> str:
        return f"<Type {self.spelling}>"

    @lazy
    def spelling(self) -> str:
        """The type as C++ text."""
        return take(LIB.getTypeSpelling(self.raw))

    @lazy
    def canonical(self) -> Type:
        """The type with typedefs and sugar removed at every level."""
        return self.unit.type_of(LIB.getCanonicalType(self.raw))

    @lazy
    def pointee(self) -> Type:
        """What a pointer or reference points at (kind INVALID otherwise)."""
        return self.unit.type_of(LIB.getPointeeType(self.raw))

    @lazy
    def non_reference(self) -> Type:
        """The type without a reference around it."""
        return self.unit.type_of(LIB.getNonReferenceType(self.raw))

    @lazy
    def unqualified(self) -> Type:
        """The type without its outermost const, volatile and restrict."""
        return self.unit.type_of(LIB.getUnqualifiedType(self.raw))

    @lazy
    def result(self) -> Type:
        """The return type of a function type."""
        return self.unit.type_of(LIB.getResultType(self.raw))

    @lazy
    def parameters(self) -> list[Type]:
        """The parameter types of a function type."""
        count = LIB.getNumArgTypes(self.raw)
        return [self.unit.type_of(LIB.getArgType(self.raw, i)) for i in range(max(count, 0))]

    @lazy
    def element(self) -> Type:
        """The element type of an array, vector or complex type."""
        return self.unit.type_of(LIB.getElementType(self.raw))

    @lazy
    def count(self) -> int:
        """The number of elements of an array or vector; -1 where there is no constant number."""
        return int(LIB.getNumElements(self.raw))

    @lazy
    def named(self) -> Type:
        """The type an ELABORATED type stands for."""
        return self.unit.type_of(LIB.Type_getNamedType(self.raw))

    @lazy
    def atomic_value(self) -> Type:
        """The value type of an ATOMIC type."""
        return self.unit.type_of(LIB.Type_getValueType(self.raw))

    @lazy
    def declaration(self) -> Cursor | None:
        """The declaration of a record, enum or typedef type."""
        return self.unit.declaration(LIB.getTypeDeclaration(self.raw))

    @lazy
    def address_space(self) -> int:
        """The number of the address space (``AddressSpace`` for OpenCL)."""
        return int(LIB.getAddressSpace(self.raw))

    @lazy
    def is_const(self) -> bool:
        """Whether const-qualified at the outermost level."""
        return bool(LIB.isConstQualifiedType(self.raw))

    @property
    def is_plain_data(self) -> bool:
        """Whether it is a type as C has it, whose objects come to be without any code of their class."""
        return bool(LIB.isPODType(self.raw))

    @lazy
    def is_volatile(self) -> bool:
        """Whether volatile-qualified at the outermost level."""
        return bool(LIB.isVolatileQualifiedType(self.raw))

    @lazy
    def is_restrict(self) -> bool:
        """Whether restrict-qualified at the outermost level."""
        return bool(LIB.isRestrictQualifiedType(self.raw))

    @lazy
    def size(self) -> int:
        """Size in bytes; negative where it is not known (incomplete or dependent)."""
        return int(LIB.Type_getSizeOf(self.raw))

    @lazy
    def alignment(self) -> int:
        """Alignment in bytes; negative where it is not known."""
        return int(LIB.Type_getAlignOf(self.raw))

    @lazy
    def template_arguments(self) -> list[Type]:
        """The template arguments of a specialisation; those that are not types have kind INVALID."""
        count = LIB.Type_getNumTemplateArguments(self.raw)
        return [self.unit.type_of(LIB.Type_getTemplateArgumentAsType(self.raw, i)) for i in range(max(count, 0))]


def is_scalar(kind: int) -> bool:
    """Whether a type kind is an arithmetic type, an enum or a pointer."""
    return TypeKind.BOOL <= kind <= TypeKind.NULLPTR or kind in (
        TypeKind.HALF,
        TypeKind.FLOAT16,
        TypeKind.BFLOAT16,
        TypeKind.ENUM,
        TypeKind.POINTER,
    )
