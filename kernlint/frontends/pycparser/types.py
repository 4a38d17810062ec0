"""OpenCL C's types as types of the tree: built-in names, declarators, records with their layout.

Sizes and layout are those of SPIR-64, in bytes (OpenCL C 3.0, 6.3): pointers and ``size_t`` have 8, three lanes of a
vector take the room of four.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pycparser import c_ast

from kernlint.frontends.pycparser.parser import BUILT_IN_TYPES, SPACES
from kernlint.record import dataclass, replace
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
    FunctionType,
    IntType,
    OpaqueType,
    PointerType,
    Space,
    StructType,
    Type,
    VectorType,
)

_SPACE_OF = {
    "global": Space.GLOBAL,
    "local": Space.SHARED,
    "constant": Space.CONSTANT,
    "private": Space.PRIVATE,
    "generic": Space.GENERIC,
}

SCALARS: dict[str, Type] = {
    "void": VOID,
    "bool": BOOL,
    "_Bool": BOOL,
    "char": I8,
    "uchar": U8,
    "short": I16,
    "ushort": U16,
    "int": I32,
    "uint": U32,
    "long": I64,
    "ulong": U64,
    "float": F32,
    "double": F64,
    "half": F16,
    "size_t": U64,
    "ptrdiff_t": I64,
    "intptr_t": I64,
    "uintptr_t": U64,
    "cl_mem_fence_flags": U32,
    "memory_order": U32,
    "memory_scope": U32,
    "int8_t": I8,
    "uint8_t": U8,
    "int16_t": I16,
    "uint16_t": U16,
    "int32_t": I32,
    "uint32_t": U32,
    "int64_t": I64,
    "uint64_t": U64,
    "atomic_int": I32,
    "atomic_uint": U32,
    "atomic_long": I64,
    "atomic_ulong": U64,
    "atomic_float": F32,
    "atomic_double": F64,
    "atomic_flag": I32,
    "atomic_size_t": U64,
}
"""Scalar types by name; types of one word that C and OpenCL C have."""

_VECTOR = re.compile(r"(u?(?:char|short|int|long)|float|double|half)(2|3|4|8|16)\Z")


def built_in(name: str) -> Type | None:
    """The type that OpenCL C calls ``name``, None for one it does not know."""
    if (scalar := SCALARS.get(name)) is not None:
        return scalar
    if (match := _VECTOR.match(name)) is not None:
        return VectorType(SCALARS[match[1]], int(match[2]), True)
    return None


def words_of(names: list[str]) -> Type | None:
    """The type of several words of C (``unsigned long int``); None when they make none."""
    words = set(names)
    if len(names) == 1:
        return built_in(names[0]) or {"unsigned": U32, "signed": I32}.get(names[0])
    unsigned = "unsigned" in words
    if "char" in words:
        return U8 if unsigned else I8
    if "short" in words:
        return U16 if unsigned else I16
    if "long" in words:
        return F64 if "double" in words else U64 if unsigned else I64
    return (U32 if unsigned else I32) if words <= {"unsigned", "signed", "int"} else None


@dataclass(frozen=True, slots=True)
class Qualified:
    """A type with what qualifies the object that has it."""

    type: Type
    space: Space | None = None
    const: bool = False
    volatile: bool = False
    restrict: bool = False

    def with_words(self, words: list[str]) -> Qualified:
        """The same under further qualifiers."""
        space = next((_SPACE_OF[SPACES[word]] for word in words if word in SPACES), self.space)
        return replace(
            self,
            space=space,
            const=self.const or "const" in words,
            volatile=self.volatile or "volatile" in words,
            restrict=self.restrict or bool({"restrict", "__restrict"} & set(words)),
        )


class UnknownType(Exception):
    """A declaration names a type that nobody declared; the message is its name."""


class TypeTable:
    """Typedefs, records and enumerators of a file.

    ``constant`` gives the value of a constant expression, None where it has none.
    """

    def __init__(self, constant: Callable[[c_ast.Node], int | None]) -> None:
        self.typedefs: dict[str, Qualified] = {}
        self.records: dict[str, Type] = {}
        self.enumerators: dict[str, tuple[int, Type]] = {}
        self.enumerations: dict[str, Type] = {}
        self.unknown: dict[str, None] = {}
        self.packed = False
        self._constant = constant

    def of(self, node: c_ast.Node, words: list[str] | None = None) -> Qualified:
        """The type of a declarator.  Raises :class:`UnknownType`."""
        if isinstance(node, c_ast.Typename):
            return self.of(node.type).with_words(list(node.quals or ()))
        if isinstance(node, c_ast.TypeDecl):
            return self._base(node.type).with_words([*(node.quals or ()), *(words or ())])
        if isinstance(node, c_ast.PtrDecl):
            inner = self.of(node.type)
            kind = inner.type
            space = inner.space or Space.GENERIC
            const = inner.const and not isinstance(kind, ArrayType)  # of an array the elements are
            restrict = bool({"restrict", "__restrict"} & set(node.quals or ()))
            pointer = PointerType(kind, space, const, inner.volatile, restrict)
            return Qualified(pointer).with_words(list(node.quals or ()))
        if isinstance(node, c_ast.ArrayDecl):
            inner = self.of(node.type)
            extent = self._constant(node.dim) if node.dim is not None else None
            return replace(inner, type=ArrayType(inner.type, extent))
        if isinstance(node, c_ast.FuncDecl):
            result = self.of(node.type)
            params = tuple(
                self.of(one.type).type
                for one in (node.args.params if node.args is not None else ())
                if isinstance(one, c_ast.Decl | c_ast.Typename)
            )
            return replace(result, type=FunctionType(result.type, params))
        return self._base(node)

    def _base(self, node: c_ast.Node) -> Qualified:
        if isinstance(node, c_ast.IdentifierType):
            if len(node.names) == 1 and (found := self.typedefs.get(node.names[0])) is not None:
                return found
            kind = words_of(list(node.names))
            if kind is not None:
                return Qualified(kind)
            name = " ".join(node.names)
            if name not in BUILT_IN_TYPES:
                self.unknown[name] = None
            return Qualified(OpaqueType(name))
        if isinstance(node, c_ast.Struct | c_ast.Union):
            return Qualified(self._record(node))
        if isinstance(node, c_ast.Enum):
            return Qualified(self._enum(node))
        raise UnknownType(type(node).__name__)

    def _record(self, node: c_ast.Struct | c_ast.Union) -> Type:
        union = isinstance(node, c_ast.Union)
        key = f"{'union' if union else 'struct'} {node.name}"
        if node.decls is None:
            return self.records.get(key, OpaqueType(key))
        if node.name:
            self.records[key] = OpaqueType(key)  # what a member that points back at the record sees
        fields, size, alignment = self._layout(node.decls, union)
        result = StructType(key if node.name else "", fields, size, alignment, union)
        if node.name:
            self.records[key] = result
        return result

    def _layout(self, decls: list[c_ast.Node], union: bool) -> tuple[tuple[Field, ...], int | None, int | None]:
        """Fields with offsets, size and alignment, in bytes; unknown from the first bit-field or unknown size on."""
        fields: list[Field] = []
        at: int | None = 0
        size, alignment = 0, 1
        for decl in decls:
            if not isinstance(decl, c_ast.Decl):
                continue
            declared = self.of(decl.type)
            kind = declared.type
            one, align = kind.size, 1 if self.packed else kind.align
            if decl.bitsize is not None or one is None or align is None or at is None:
                at = None
            else:
                at = 0 if union else -(-at // align) * align
                alignment = max(alignment, align)
            if decl.name is None and isinstance(kind, StructType):
                fields += [
                    replace(f, offset=at + f.offset if at is not None and f.offset is not None else None)
                    for f in kind.fields
                ]
            elif decl.name is not None:
                fields.append(Field(decl.name, kind, at, declared.volatile))
            if at is not None and one is not None:
                size = max(size, at + one)
                at = 0 if union else at + one
        if at is None:
            return tuple(replace(f, offset=0 if union else f.offset) for f in fields), None, None
        return tuple(fields), -(-size // alignment) * alignment, alignment

    def _enum(self, node: c_ast.Enum) -> Type:
        """Remember enumerators, of type ``int`` as long as their values are; the type of the enumeration itself is one
        that holds them all, unsigned where none is negative."""
        value = -1
        values: list[int] = []
        for one in node.values.enumerators if node.values is not None else ():
            given = self._constant(one.value) if one.value is not None else value + 1
            value = given if given is not None else value + 1
            kind = next((kind for kind in (I32, U32, I64) if kind.wrap(value) == value), U64)
            self.enumerators[one.name] = value, kind
            values.append(value)
        wide = (U64, I64) if any(abs(value) >= 1 << 32 for value in values) else (U32, I32)
        if values or node.name not in self.enumerations:
            self.enumerations[node.name or ""] = wide[any(value < 0 for value in values)]
        return self.enumerations[node.name or ""]

    def typedef(self, node: c_ast.Typedef) -> None:
        """Remember a typedef.  Raises :class:`UnknownType`."""
        found = self.of(node.type)
        kind = found.type
        if isinstance(kind, StructType) and not kind.name:
            kind = replace(kind, name=node.name)
        self.typedefs[node.name] = replace(found, type=kind)


def parameter(kind: Qualified) -> Type:
    """The type of a parameter: an array is a pointer to its first element, in the array's address space."""
    if isinstance(kind.type, ArrayType):
        return PointerType(kind.type.element, kind.space or Space.PRIVATE, False, kind.volatile)
    return kind.type


def lanes_of(field: str, lanes: int) -> tuple[int, ...] | None:
    """The lanes of a vector that ``.field`` names (OpenCL C 3.0, 6.3.7); None when it is no such name."""
    halves = {"lo": range((lanes + 1) // 2), "hi": range((lanes + 1) // 2, 2 * ((lanes + 1) // 2))}
    if field in halves:
        return tuple(lane for lane in halves[field] if lane < lanes)
    if field in ("even", "odd"):
        return tuple(range(field == "odd", lanes, 2))
    if re.fullmatch(r"[sS][0-9a-fA-F]+", field):
        found = tuple(int(digit, 16) for digit in field[1:])
    elif re.fullmatch(r"[xyzw]+", field):
        found = tuple("xyzw".index(letter) for letter in field)
    elif re.fullmatch(r"[rgba]+", field):
        found = tuple("rgba".index(letter) for letter in field)
    else:
        return None
    return found if all(lane < lanes for lane in found) else None


def signed_like(kind: Type) -> Type:
    """What comparing operands of ``kind`` gives: ``int``, or a vector of integers as wide as the lanes."""
    if not isinstance(kind, VectorType):
        return I32
    return VectorType(IntType(8 * (kind.element.size or 4), True), kind.lanes, kind.padded)
