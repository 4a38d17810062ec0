"""Clang's types as kernel-tree types.

Canonical types only: typedefs vanish, enums become their integer, CUDA's vector structs and the 16-bit float
classes become vectors and floats.  Sizes and offsets come from clang, so they are those of the device ABI.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.kinds import CursorKind, TypeKind
from kernlint.frontends.clang.native import LIB, CXCursor
from kernlint.frontends.clang.types import Type as ClangType
from kernlint.text.patterns import pattern
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
    VOID,
    ArrayType,
    Field,
    FloatType,
    FunctionType,
    IntType,
    OpaqueType,
    PointerType,
    Space,
    StructType,
    Type,
    VectorType,
)

if TYPE_CHECKING:
    from kernlint.frontends.clang.lower.context import Lowering

_SCALARS: dict[int, Type] = {
    TypeKind.VOID: VOID,
    TypeKind.BOOL: BOOL,
    TypeKind.CHAR_U: U8,
    TypeKind.UCHAR: U8,
    TypeKind.CHAR_S: I8,
    TypeKind.SCHAR: I8,
    TypeKind.CHAR16: U16,
    TypeKind.CHAR32: U32,
    TypeKind.WCHAR: I32,
    TypeKind.USHORT: U16,
    TypeKind.SHORT: I16,
    TypeKind.UINT: U32,
    TypeKind.INT: I32,
    TypeKind.ULONG: U64,
    TypeKind.LONG: I64,
    TypeKind.ULONGLONG: U64,
    TypeKind.LONGLONG: I64,
    TypeKind.UINT128: IntType(128, False),
    TypeKind.INT128: IntType(128, True),
    TypeKind.HALF: F16,
    TypeKind.FLOAT16: F16,
    TypeKind.BFLOAT16: F16,
    TypeKind.FLOAT: F32,
    TypeKind.DOUBLE: F64,
    TypeKind.LONGDOUBLE: FloatType(128),
    TypeKind.FLOAT128: FloatType(128),
    TypeKind.NULLPTR: PointerType(VOID),
}

_SPACES = {1: Space.GLOBAL, 2: Space.SHARED, 3: Space.CONSTANT, 4: Space.PRIVATE, 5: Space.GENERIC}

_HALF = frozenset({"__half", "half", "__nv_bfloat16", "hip_bfloat16", "__hip_bfloat16", "nv_bfloat16", "__hip_fp16"})
_HALF2 = frozenset({"__half2", "half2", "__nv_bfloat162", "nv_bfloat162", "__hip_bfloat162"})
_VECTOR_NAME = pattern(r"(?:u?(?:char|short|int|long|longlong)|float|double)([1-4])$")
_QUALIFIER = pattern(r"\b(?:const|volatile|__private|__global|__local|__constant|__generic)\s+")
_LANES = ("x", "y", "z", "w")


class TypeTable:
    """Tree types by clang type, each converted once.  Types that were made up for missing headers are opaque."""

    def __init__(self, lowering: Lowering) -> None:
        self._lowering = lowering
        self._opencl = lowering.opencl
        self._done: dict[int, Type] = {}
        self._records: dict[int, Type] = {}

    def of(self, clang: ClangType) -> Type:
        """The tree type of ``clang``; qualifiers of the object itself are dropped."""
        found = self._done.get(clang.raw.d0)
        if found is None:
            found = self._done[clang.raw.d0] = self._convert(clang)
        return found

    def _convert(self, clang: ClangType) -> Type:
        canonical = clang.canonical
        kind = canonical.kind
        if (scalar := _SCALARS.get(kind)) is not None:
            return scalar
        if canonical is not clang:
            return self._with_sugar(clang) if self._lowering.synthesised else self.of(canonical)
        if kind == TypeKind.POINTER or kind == TypeKind.BLOCK_POINTER:
            return self._pointer(canonical, False)
        if kind in (TypeKind.LVALUE_REFERENCE, TypeKind.RVALUE_REFERENCE):
            return self._pointer(canonical, True)
        if kind == TypeKind.ENUM:
            return self._enum(canonical)
        if kind == TypeKind.RECORD:
            return self._record(canonical)
        if kind == TypeKind.CONSTANT_ARRAY:
            return ArrayType(self.of(canonical.element), canonical.count)
        if kind in (TypeKind.INCOMPLETE_ARRAY, TypeKind.VARIABLE_ARRAY, TypeKind.DEPENDENT_SIZED_ARRAY):
            return ArrayType(self.of(canonical.element), None)
        if kind in (TypeKind.EXT_VECTOR, TypeKind.VECTOR):
            return VectorType(self.of(canonical.element), canonical.count, kind == TypeKind.EXT_VECTOR)
        if kind == TypeKind.ATOMIC:
            return self.of(canonical.atomic_value)
        if kind in (TypeKind.FUNCTION_PROTO, TypeKind.FUNCTION_NO_PROTO):
            return FunctionType(self.of(canonical.result), tuple(self.of(p) for p in canonical.parameters))
        if (argument := _plain_type(canonical)) is not None:
            return argument
        return OpaqueType(_QUALIFIER.sub("", canonical.spelling) or "?")

    def _with_sugar(self, clang: ClangType) -> Type:
        """A type that may be spelled with a made-up typedef, which says nothing about what it is."""
        kind = clang.kind
        if kind == TypeKind.ELABORATED:
            return self.of(clang.named)
        if kind == TypeKind.TYPEDEF:
            declaration = clang.declaration
            if declaration is None:
                return self.of(clang.canonical)
            if self._lowering.is_made_up(declaration):
                return OpaqueType(declaration.spelling)
            return self.of(declaration.underlying_type)
        if kind == TypeKind.POINTER:
            return self._pointer(clang, False)
        if kind in (TypeKind.LVALUE_REFERENCE, TypeKind.RVALUE_REFERENCE):
            return self._pointer(clang, True)
        if kind == TypeKind.CONSTANT_ARRAY:
            return ArrayType(self.of(clang.element), clang.count)
        return self.of(clang.canonical)

    def of_parameter(self, clang: ClangType) -> Type:
        """The type that a parameter has: one written as an array is a pointer to the first element, where that is."""
        found = self.of(clang)
        if not isinstance(found, ArrayType):
            return found
        return self._to(clang.canonical, found.element)

    def _pointer(self, clang: ClangType, reference: bool) -> Type:
        pointee = clang.pointee
        return self._to(pointee, self.of(pointee), restrict=clang.is_restrict, reference=reference)

    def _to(self, clang: ClangType, pointee: Type, *, restrict: bool = False, reference: bool = False) -> Type:
        """A pointer to ``pointee``, which ``clang`` qualifies."""
        space = _SPACES.get(clang.address_space, Space.GENERIC) if self._opencl else Space.GENERIC
        return PointerType(
            pointee,
            space,
            const=is_const(clang),
            volatile=is_volatile(clang),
            restrict=restrict,
            reference=reference,
        )

    def _enum(self, clang: ClangType) -> Type:
        declaration = clang.declaration
        if declaration is None:
            return I32
        underlying = declaration.unit.type_of(LIB.getEnumDeclIntegerType(declaration.raw))
        scalar = self.of(underlying)
        return scalar if isinstance(scalar, IntType) else I32

    def _record(self, clang: ClangType) -> Type:
        declaration = clang.declaration
        if declaration is None:
            return OpaqueType(clang.spelling)
        key = declaration.key
        if (found := self._records.get(key)) is None:
            name = declaration.spelling
            self._records[key] = OpaqueType(name)  # what a member that points back at the record sees
            found = self._records[key] = self._struct(clang, declaration, name)
        return found

    def _struct(self, clang: ClangType, declaration: Cursor, name: str) -> Type:
        if name in _HALF:
            return F16
        if name in _HALF2:
            return VectorType(F16, 2)
        if name == "__kl_any" or self._lowering.is_made_up(declaration):
            return OpaqueType(name)
        qualified = _unqualified(clang.spelling)
        if name == "array" and declaration.qualified_name in ("std::array", "cuda::std::array"):
            (_, element), (_, count) = declaration.template_argument(0), declaration.template_argument(1)
            if isinstance(element, ClangType) and isinstance(count, int):
                return ArrayType(self.of(element), count)
        size = clang.size
        if size < 0:
            return OpaqueType(qualified)
        fields = tuple(self._fields(declaration, 0))
        if (match := _VECTOR_NAME.match(name)) and not declaration.in_main_file:
            lanes = int(match.group(1))
            kinds = {f.type for f in fields}
            if len(kinds) == 1 and tuple(f.name for f in fields) == _LANES[:lanes]:
                return VectorType(fields[0].type, lanes)
        union = declaration.kind == CursorKind.UNION_DECL
        if any(f.type.size is None for f in fields):
            return StructType(qualified, fields, None, None, union)
        return StructType(qualified, fields, size, clang.alignment, union)

    def _fields(self, declaration: Cursor, base: int) -> list[Field]:
        """Fields with byte offsets; those of bases and of unnamed members are the record's own."""
        found: list[Field] = []
        end = base
        for inherited in _bases(declaration):
            parent = inherited.declaration
            fields = () if parent is None else self._fields(parent, end + -end % max(inherited.alignment, 1))
            if fields:
                end += -end % max(inherited.alignment, 1) + max(inherited.size, 0)
            found.extend(fields)
        certain = True  # until a field whose size is made up
        for clang_field in _own_fields(declaration):
            bits = clang_field.field_offset
            at = None if bits < 0 else base + bits // 8
            inner = clang_field.type.canonical.declaration
            if (not clang_field.spelling or "(" in clang_field.spelling) and inner is not None and at is not None:
                found.extend(self._fields(inner, at))
                continue
            width = clang_field.bit_width
            kind = self.of(clang_field.type)
            if width is not None and isinstance(kind, IntType) and bits % 8:
                at = None
            if self._lowering.mentions_made_up(clang_field):
                kind, certain = without_extents(kind), False
            volatile = is_volatile(clang_field.type)
            found.append(Field(clang_field.spelling, kind, at if certain or not bits else None, volatile))
        return found


def _own_fields(declaration: Cursor) -> list[Cursor]:
    found = []
    for child in declaration.children:
        if child.kind == CursorKind.FIELD_DECL:
            found.append(child)
        elif child.kind in (CursorKind.STRUCT_DECL, CursorKind.UNION_DECL) and child.is_anonymous:
            return _all_fields(declaration)
    return found or _all_fields(declaration)  # an implicit instance of a class template has no children


def _bases(declaration: Cursor) -> list[ClangType]:
    """The classes that a class is derived from, as far as an implicit instance of a template, which has no children,
    shows them: those that are no template's instance themselves, and those that are a type argument."""
    template = None if declaration.children else declaration.template
    inherited = [
        child.type.canonical
        for child in (declaration.children if template is None else template.children)
        if child.kind == CursorKind.CXX_BASE_SPECIFIER
    ]
    if template is None:
        return inherited
    given = declaration.type.template_arguments
    named = ((type_, _PARAMETER.fullmatch(type_.spelling)) for type_ in inherited)
    found = [given[int(n[1])].canonical if n and int(n[1]) < len(given) else type_ for type_, n in named]
    return found if all(type_.size >= 0 for type_ in found) else []


_PARAMETER = pattern(r"type-parameter-0-(\d+)")

_FIELD_VISITOR = ctypes.CFUNCTYPE(ctypes.c_int, CXCursor, ctypes.c_void_p)


def _all_fields(declaration: Cursor) -> list[Cursor]:
    """The fields of a record with unnamed members, which have no cursor among its children."""
    found: list[Cursor] = []

    def keep(raw: CXCursor, _: object) -> int:
        found.append(Cursor(raw, declaration.unit))
        return 1

    LIB.Type_visitFields(declaration.type.raw, _FIELD_VISITOR(keep), None)
    return found


def without_extents(type_: Type) -> Type:
    """An array type whose extents are not known after all."""
    return ArrayType(without_extents(type_.element), None) if isinstance(type_, ArrayType) else type_


def is_const(clang: ClangType) -> bool:
    """Whether an object, or the elements of an array, are const."""
    while clang.kind in (TypeKind.CONSTANT_ARRAY, TypeKind.INCOMPLETE_ARRAY):
        clang = clang.element
    return clang.is_const


def is_volatile(clang: ClangType) -> bool:
    """Whether an object, or the elements of an array, are volatile."""
    while clang.kind in (TypeKind.CONSTANT_ARRAY, TypeKind.INCOMPLETE_ARRAY):
        clang = clang.element
    return clang.is_volatile


_NAMED = {
    "bool": BOOL,
    "char": I8,
    "unsigned char": U8,
    "short": I16,
    "unsigned short": U16,
    "int": I32,
    "unsigned int": U32,
    "long": I64,
    "unsigned long": U64,
    "long long": I64,
    "unsigned long long": U64,
    "float": F32,
    "double": F64,
}


def _plain_type(clang: ClangType) -> Type | None:
    """Some sugar survives canonicalisation in dependent contexts; its spelling may still be a plain name."""
    return _NAMED.get(clang.spelling.removeprefix("const "))


def _unqualified(spelling: str) -> str:
    """The name of a record type without qualifiers: a record is kept under the first use's type."""
    while (match := _QUALIFIER.match(spelling)) is not None:
        spelling = spelling[match.end() :]
    return spelling
