"""Formats of scalar cells in emulated memory, and the conversions between them.

A format is a short interned string: a letter and the size in bytes.  ``i4`` is a signed, ``u4`` an unsigned integer,
``f4`` a float, ``b1`` a bool, ``p8`` a pointer, ``c1`` a lambda.  Pointers are pairs (memory object, byte offset).
Interned, because the hot path compares formats by identity.
"""

from __future__ import annotations

import math
import struct
import sys
from functools import lru_cache
from typing import Any, Protocol

from kernlint.record import dataclass
from kernlint.tree.types import (
    ArrayType,
    FloatType,
    IntType,
    OpaqueType,
    PointerType,
    StructType,
    Type,
    VectorType,
)

Value = Any
"""An emulated value: int, float, pointer pair, tuple of lanes, or a memory object that holds a struct."""


class Unsupported(Exception):
    """The kernel does something that the emulator does not model; the message says what."""


class Addresses(Protocol):
    """Gives memory objects numeric addresses, so that a pointer can be seen as an integer and back."""

    def number(self, pointer: Value) -> int: ...

    def pointer(self, number: int) -> Value: ...


POINTER = sys.intern("p8")
BOOLEAN = sys.intern("b1")
CLOSURE = sys.intern("c1")
EVENT = sys.intern("u8")
_FLOATS = {2: "<e", 4: "<f", 8: "<d"}


def cell_format(kind: Type) -> str | None:
    """The format of a scalar type; None for a type that is not one scalar cell of known size."""
    if isinstance(kind, IntType):
        if kind.bits == 1:
            return BOOLEAN
        return sys.intern(("i" if kind.signed else "u") + str(kind.size))
    if isinstance(kind, FloatType):
        return sys.intern("f" + str(kind.size)) if kind.size in _FLOATS else None
    if isinstance(kind, PointerType):
        return POINTER
    if is_lambda(kind):
        return CLOSURE
    return EVENT if isinstance(kind, OpaqueType) and kind.spelling == "event_t" else None


def is_lambda(kind: Type) -> bool:
    """Whether the type is a lambda's, whose value is one Python function whatever it captures."""
    return isinstance(kind, StructType) and "(lambda" in kind.name


def size_of(kind: Type) -> int | None:
    """Size in bytes; OpenCL's events, which have none of their own, are taken as 8 bytes."""
    if isinstance(kind, ArrayType):
        one = size_of(kind.element)
        return None if one is None or kind.extent is None else one * kind.extent
    return 8 if cell_format(kind) is EVENT else kind.size


@lru_cache(maxsize=64)
def cell_size(fmt: str) -> int:
    """Size in bytes of a cell of format ``fmt``."""
    return int(fmt[1:])


@dataclass(frozen=True, slots=True)
class Leaf:
    """One scalar cell of a composite type, ``offset`` bytes from its start."""

    offset: int
    format: str


MAX_LEAVES = 4096


def leaves(kind: Type) -> tuple[Leaf, ...]:
    """The scalar cells of ``kind`` in order of offset (of a union: those of its largest member).

    Raises :class:`Unsupported` for a type without a known layout, or one of more than :data:`MAX_LEAVES` cells.
    """
    fmt = cell_format(kind)
    if fmt is not None:
        return (Leaf(0, fmt),)
    parts: list[tuple[int, Type]] = []
    if isinstance(kind, VectorType) and kind.element.size:
        parts = [(lane * kind.element.size, kind.element) for lane in range(kind.lanes)]
    elif isinstance(kind, ArrayType) and kind.extent is not None and kind.element.size:
        if kind.extent > MAX_LEAVES:
            raise Unsupported("a struct with a very large array")
        parts = [(at * kind.element.size, kind.element) for at in range(kind.extent)]
    elif isinstance(kind, StructType) and kind.known and kind.size is not None:
        for field in kind.fields:
            if field.offset is None:
                raise Unsupported(f"layout of {kind.name} is not known")
            parts.append((field.offset, field.type))
        if kind.union and parts:
            parts = [max(parts, key=lambda part: part[1].size or 0)]
    else:
        raise Unsupported(f"layout of a type is not known ({describe(kind)})")
    found = tuple(Leaf(at + leaf.offset, leaf.format) for at, part in parts for leaf in leaves(part))
    if len(found) > MAX_LEAVES:
        raise Unsupported("a type of very many cells")
    return found


def describe(kind: Type) -> str:
    """A short name of a type for messages."""
    if isinstance(kind, StructType):
        return kind.name or "anonymous struct"
    spelling = getattr(kind, "spelling", None)
    return spelling if isinstance(spelling, str) else type(kind).__name__


def scalar_of(kind: Type) -> Type:
    """The innermost element type of arrays and vectors."""
    while isinstance(kind, (ArrayType, VectorType)):
        kind = kind.element
    return kind


def element_size(kind: Type) -> int:
    """Bytes of one scalar element of ``kind`` (1 when it is not known)."""
    return size_of(scalar_of(kind)) or 1


def uniform_format(kind: Type) -> str | None:
    """The format shared by all cells of ``kind``, None when they differ or are not known.

    Bytes are not taken at face value: an object declared in ``char`` is usually carved up by casts.
    """
    fmt = cell_format(scalar_of(kind))
    return None if fmt in ("i1", "u1") else fmt


def zero(fmt: str) -> Value:
    """What a cell without contents is taken to hold."""
    if fmt[0] == "f":
        return 0.0
    return None if fmt in (POINTER, CLOSURE) else 0


def pack(value: Value, fmt: str, addresses: Addresses) -> bytes:
    """The little-endian bytes of ``value``."""
    size = int(fmt[1:])
    if fmt[0] == "f":
        try:
            return struct.pack(_FLOATS[size], value)
        except OverflowError:
            return struct.pack(_FLOATS[size], math.copysign(math.inf, value))
    if fmt is POINTER and not isinstance(value, int):
        value = addresses.number(value)
    return (int(value) & ((1 << 8 * size) - 1)).to_bytes(size, "little")


def unpack(data: bytes, fmt: str, addresses: Addresses) -> Value:
    """The value of format ``fmt`` whose little-endian bytes are ``data``."""
    if fmt[0] == "f":
        return struct.unpack(_FLOATS[len(data)], data)[0]
    number = int.from_bytes(data, "little", signed=fmt[0] == "i")
    if fmt is BOOLEAN:
        return 1 if number else 0
    return addresses.pointer(number) if fmt is POINTER else number


def reinterpret(value: Value, have: str, want: str, addresses: Addresses) -> Value:
    """``value`` of a cell of format ``have``, seen as format ``want`` of the same size."""
    if have is want:
        return value
    if have[0] in "iu" and want[0] in "iu":
        bits = 8 * int(want[1:])
        value &= (1 << bits) - 1
        return value - (1 << bits) if want[0] == "i" and value >> (bits - 1) else value
    return unpack(pack(value, have, addresses), want, addresses)


def from_number(value: int | float, fmt: str) -> Value:
    """A number given by the caller, converted to a cell of format ``fmt``."""
    if fmt[0] == "f":
        return float(value)
    if fmt is POINTER:
        return None
    if fmt is BOOLEAN:
        return 1 if value else 0
    bits = 8 * int(fmt[1:])
    number = int(value) & ((1 << bits) - 1)
    return number - (1 << bits) if fmt[0] == "i" and number >> (bits - 1) else number
