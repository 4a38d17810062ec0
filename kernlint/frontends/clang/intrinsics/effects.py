"""What a call that nobody knows may do, by the evidence of its name and arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kernlint.frontends.clang.intrinsics import maths
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import AddressOf, Expr, Member, Ref, Subscript
from kernlint.tree.types import ArrayType, OpaqueType, PointerType, Space, StructType, Type

KNOWN_WRITES: dict[str, tuple[int, ...]] = {
    "memcpy": (0,),
    "memset": (0,),
    "memmove": (0,),
    "strcpy": (0,),
    "memcmp": (),
    "strlen": (),
    "strcmp": (),
    "strncmp": (),
    "free": (),
    "swap": (0, 1),
    "curand_init": (-1,),
    "hiprand_init": (-1,),
    "rocrand_init": (-1,),
    "skipahead": (1,),
    "skipahead_sequence": (1,),
    "skipahead_subsequence": (1,),
    "__match_all_sync": (2,),
    "norm": (),
    "normf": (),
}
"""Functions whose writes are known: indices of the pointers that they store through, as subscripts of a list."""

for _prefix in ("curand", "hiprand", "rocrand"):
    for _draw in ("", "4", "_uniform", "_normal", "_log_normal", "_poisson", "_discrete"):
        for _kind in ("", "2", "4", "_double", "2_double", "4_double"):
            KNOWN_WRITES[f"{_prefix}{_draw}{_kind}"] = (0,)  # the state advances

_SYNC_WORDS = pattern(r"sync(?!hro)|synchroni[sz]e|barrier|(?:^|_)wait|[a-z]Wait|(?:^|_)join(?:_|$)|rendezvous", re.I)
# An asynchronous copy starts something, it does not wait.
_ASYNC_WORDS = pattern(r"async|_nosync", re.I)
_GROUP_TYPES = pattern(
    r"\b(thread_(?:block|group)|thread_block_tile|coalesced_group|grid_group|cluster_group|barrier|pipeline)\b"
)


def known_pure(name: str) -> bool:
    """True when a call of ``name`` (unqualified) is known to change nothing: no memory, no barrier."""
    if name in maths.EFFECT_FREE:
        return True
    return maths.TABLE.get(name) is not None and name not in _NOT_PURE


_NOT_PURE = frozenset(
    name
    for name, handler in maths.TABLE.items()
    if name.startswith(("sincos", "__sincos", "native_sincos", "modf", "frexp", "remquo", "fract", "lgamma_r"))
)


def may_sync_by_name(name: str) -> bool:
    """True when ``name`` speaks of waiting for other threads."""
    leaf = name.rpartition("::")[2]
    match = _SYNC_WORDS.search(_ASYNC_WORDS.sub("", leaf))
    return match is not None


def unresolved_effect(name: str, args: Sequence[Expr], language: str) -> tuple[tuple[int, ...], bool]:
    """Indices of the pointer arguments that a call may write through, and whether it may hold a barrier.

    Known names by table.  A name never seen may write through every pointer to what is not const; it may be a barrier
    when its name says so or when it is given shared memory, a group or a barrier object.
    """
    leaf = name.rpartition("::")[2].partition("<")[0]
    if leaf in KNOWN_WRITES:
        return tuple(i % len(args) for i in KNOWN_WRITES[leaf] if i < len(args) > 0), False
    if known_pure(leaf):
        return (), False
    writes = tuple(i for i, arg in enumerate(args) if _writable(arg))
    return writes, may_sync_by_name(leaf) or any(_shared(arg) or _group(arg.type) for arg in args)


def _writable(arg: Expr) -> bool:
    if isinstance(arg.type, ArrayType):
        return True
    return isinstance(arg.type, PointerType) and not arg.type.const


def _shared(arg: Expr) -> bool:
    expr = arg
    while True:
        if isinstance(expr.type, PointerType) and expr.type.space is Space.SHARED:
            return True
        if isinstance(expr, Ref):
            return expr.decl.space is Space.SHARED and isinstance(expr.type, (ArrayType, PointerType))
        if isinstance(expr, AddressOf):
            return _lives_in_shared(expr.operand)
        operand = getattr(expr, "operand", None) or getattr(expr, "lhs", None)
        if not isinstance(operand, Expr):
            return isinstance(expr, (Subscript, Member)) and isinstance(expr.type, ArrayType) and _lives_in_shared(expr)
        if not isinstance(arg.type, (PointerType, ArrayType)):
            return False
        expr = operand


def _lives_in_shared(expr: Expr) -> bool:
    while isinstance(expr, (Subscript, Member)):
        expr = expr.base
    if isinstance(expr, Ref):
        return expr.decl.space is Space.SHARED
    return isinstance(expr.type, PointerType) and expr.type.space is Space.SHARED


def _group(type_: Type) -> bool:
    if isinstance(type_, PointerType):
        return _group(type_.pointee)
    spelling = type_.name if isinstance(type_, StructType) else type_.spelling if isinstance(type_, OpaqueType) else ""
    return _GROUP_TYPES.search(spelling) is not None
