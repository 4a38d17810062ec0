"""Loads, stores and address conversions that look like calls, images, and the C library's memory functions."""

from __future__ import annotations

from kernlint.frontends.clang.intrinsics.base import (
    U64,
    CallContext,
    Handler,
    as_pointer,
    assign,
    constant,
    deref,
    literal,
    pure,
    words,
)
from kernlint.tree.nodes import Binary, Call, Cast, Expr, ImageOp, InitList
from kernlint.tree.types import F16, U8, ArrayType, IntType, PointerType, Type, VectorType
from kernlint.tree.walk import strip_casts

# ------------------------------------------------------------------------------------- one object at a pointer


def _load(ctx: CallContext) -> Expr | None:
    if not ctx.args or as_pointer(ctx.args[0]) is None:
        return None
    return deref(ctx.args[0])


def _store(ctx: CallContext) -> Expr | None:
    if len(ctx.args) < 2 or as_pointer(ctx.args[0]) is None:
        return None
    return assign(deref(ctx.args[0]), ctx.args[1], ctx.span)


def _store_value_first(ctx: CallContext) -> Expr | None:
    if len(ctx.args) < 2 or as_pointer(ctx.args[1]) is None:
        return None
    return assign(deref(ctx.args[1]), ctx.args[0], ctx.span)


# --------------------------------------------------------------------------------------------- vloadn, vstoren


def _offset_by(pointer: Expr, kind: PointerType, offset: Expr, stride: int) -> Expr:
    """``pointer + offset * stride`` in elements."""
    index_type: Type = offset.type if isinstance(offset.type, IntType) else U64
    if stride != 1:
        offset = Binary(offset.span, index_type, "*", offset, literal(stride, index_type, offset.span))
    return Binary(pointer.span, kind, "+", pointer, offset)


def _at(
    pointer: Expr, offset: Expr, lanes: int, stride: int, aligned: bool, element: Type | None = None
) -> Expr | None:
    """The vector of ``lanes`` elements at ``pointer + offset * stride``; three lanes are packed in memory."""
    found = as_pointer(pointer)
    if found is None:
        return None
    start, kind = found
    place = _offset_by(start, kind, offset, stride)
    if lanes == 1 and element is None:
        return deref(place, kind.pointee)
    object_type: Type = element or kind.pointee
    if lanes > 1:
        object_type = VectorType(object_type, lanes)
    target = PointerType(object_type, kind.space, kind.const, kind.volatile)
    return deref(Cast(place.span, target, place, explicit=True), object_type, unaligned=not aligned)


def _vload(lanes: int) -> Handler:
    def make(ctx: CallContext) -> Expr | None:
        return _at(ctx.args[1], ctx.args[0], lanes, lanes, False) if len(ctx.args) == 2 else None

    return make


def _vstore(lanes: int) -> Handler:
    def make(ctx: CallContext) -> Expr | None:
        target = _at(ctx.args[2], ctx.args[1], lanes, lanes, False) if len(ctx.args) == 3 else None
        return assign(target, ctx.args[0], ctx.span) if target else None

    return make


def _half_stride(lanes: int, aligned: bool) -> int:
    # vloada_half3 and vstorea_half3 step by four halves (OpenCL C 3.0, 6.15.7).
    return 4 if aligned and lanes == 3 else lanes


def _vload_half(lanes: int, aligned: bool) -> Handler:
    def make(ctx: CallContext) -> Expr | None:
        if len(ctx.args) != 2:
            return None
        read = _at(ctx.args[1], ctx.args[0], lanes, _half_stride(lanes, aligned), aligned, F16)
        return Cast(ctx.span, ctx.type, read, explicit=False) if read else None

    return make


def _vstore_half(lanes: int, aligned: bool) -> Handler:
    def make(ctx: CallContext) -> Expr | None:
        if len(ctx.args) != 3:
            return None
        target = _at(ctx.args[2], ctx.args[1], lanes, _half_stride(lanes, aligned), aligned, F16)
        if target is None:
            return None
        return assign(target, Cast(ctx.span, target.type, ctx.args[0], explicit=False), ctx.span)

    return make


def _block_read(ctx: CallContext) -> Expr | None:
    """Intel's ``intel_sub_group_block_read`` on buffers: lane ``i`` of the sub-group reads element ``i`` of each row.

    Which elements depends on the sub-group's size, so the access keeps its pointer and loses its index.
    """
    return Call(ctx.span, ctx.type, ctx.name, None, ctx.args)


# ------------------------------------------------------------------------------------------- address conversion


def _address_cast(ctx: CallContext) -> Expr | None:
    return Cast(ctx.span, ctx.type, ctx.args[0], explicit=True) if ctx.args else None


_MOST_BYTES = 256
"""Longest copy of constant size that becomes an assignment; a longer one is a loop in all but name."""


def _bytes(pointer: Expr, size: int, type_: Type | None) -> Expr | None:
    """The ``size`` bytes at ``pointer`` as an object of ``type_``, else as a vector of bytes; no alignment claimed."""
    found = as_pointer(strip_casts(pointer))
    if found is None:
        return None
    start, kind = found
    object_type = type_ or VectorType(U8, size)
    if kind.pointee == object_type:
        return deref(start, object_type, unaligned=True)
    target = PointerType(object_type, kind.space, kind.const, kind.volatile)
    return deref(Cast(pointer.span, target, start, explicit=True), object_type, unaligned=True)


def _object_of(pointer: Expr, size: int) -> Type | None:
    """The type of what is pointed to, where it has that size and is assigned as one (an array is not)."""
    found = as_pointer(strip_casts(pointer))
    type_ = found[1].pointee if found else None
    return type_ if type_ is not None and type_.size == size and not isinstance(type_, ArrayType) else None


def _small(size: int | None) -> bool:
    return size is not None and 0 < size <= _MOST_BYTES


def _copy(name: str) -> Handler:
    """``memcpy``, ``memmove``: an assignment when the size is a small constant, else a call under the plain name."""

    def make(ctx: CallContext) -> Expr | None:
        if len(ctx.args) < 3:
            return None
        size = constant(ctx.args[2])
        if size is not None and _small(size):
            type_ = _object_of(ctx.args[0], size) or _object_of(ctx.args[1], size)
            target, source = _bytes(ctx.args[0], size, type_), _bytes(ctx.args[1], size, type_)
            if target is not None and source is not None:
                return assign(target, source, ctx.span)
        return Call(ctx.span, ctx.type, name, None, ctx.args)

    return make


def _fill(ctx: CallContext) -> Expr | None:
    """``memset``: an assignment of equal bytes when value and size are small constants, else a call."""
    if len(ctx.args) < 3:
        return None
    value, size = constant(ctx.args[1]), constant(ctx.args[2])
    if value is not None and size is not None and _small(size):
        type_ = _object_of(ctx.args[0], size)
        whole = type_ if isinstance(type_, IntType) else None
        target = _bytes(ctx.args[0], size, whole)
        if target is not None:
            byte = value & 0xFF
            filled: Expr
            if whole is not None:
                filled = literal(whole.wrap(int.from_bytes(bytes([byte] * size), "little")), whole, ctx.span)
            else:
                one = literal(byte, U8, ctx.span)
                filled = InitList(ctx.span, target.type, (one,) * size)
            return assign(target, filled, ctx.span)
    return Call(ctx.span, ctx.type, "memset", None, ctx.args)


def _image(write: bool) -> Handler:
    def handle(ctx: CallContext) -> Expr:
        out = as_pointer(ctx.args[0]) if ctx.args and not write else None
        if out is None:
            return ImageOp(ctx.span, ctx.type, write, ctx.name, ctx.args)
        # ``surf2Dread(&value, surface, x, y)`` and ``tex2D(&value, texture, x, y)`` store what they read
        return assign(deref(ctx.args[0]), ImageOp(ctx.span, out[1].pointee, write, ctx.name, ctx.args[1:]), ctx.span)

    return handle


_LANES = (2, 3, 4, 8, 16)
_ROUNDINGS = ("", "_rte", "_rtz", "_rtp", "_rtn")
_TEXTURES = ("1D", "2D", "3D", "1DLayered", "2DLayered", "Cubemap", "CubemapLayered")
_TEXTURE_READS = (
    *(f"tex{shape}{suffix}" for shape in _TEXTURES for suffix in ("", "Lod", "Grad")),
    "tex1Dfetch",
    "tex2Dgather",
    "texCubemapSeamless",
)
_IMAGE_TYPES = ("f", "i", "ui", "h")
_IMAGE_QUERIES = words("width height depth dim array_size channel_data_type channel_order num_mip_levels num_samples")


TABLE: dict[str, Handler] = {
    **dict.fromkeys(("__ldg", "__ldca", "__ldcg", "__ldcs", "__ldcv", "__ldlu"), _load),
    **dict.fromkeys(("__stcg", "__stcs", "__stwb", "__stwt"), _store),
    "__builtin_nontemporal_load": _load,
    "__builtin_nontemporal_store": _store_value_first,
    **{f"vload{lanes}": _vload(lanes) for lanes in _LANES},
    **{f"vstore{lanes}": _vstore(lanes) for lanes in _LANES},
    "vload_half": _vload_half(1, True),
    **{f"vload_half{lanes}": _vload_half(lanes, False) for lanes in _LANES},
    **{f"vloada_half{lanes}": _vload_half(lanes, True) for lanes in _LANES},
    **{f"vstore_half{mode}": _vstore_half(1, True) for mode in _ROUNDINGS},
    **{f"vstore_half{lanes}{mode}": _vstore_half(lanes, False) for lanes in _LANES for mode in _ROUNDINGS},
    **{f"vstorea_half{lanes}{mode}": _vstore_half(lanes, True) for lanes in _LANES for mode in _ROUNDINGS},
    **{f"__cvta_generic_to_{space}": _address_cast for space in ("shared", "global", "constant", "local")},
    **{f"__cvta_{space}_to_generic": _address_cast for space in ("shared", "global", "constant", "local")},
    "to_global": _address_cast,
    "to_local": _address_cast,
    "to_private": _address_cast,
    "__to_global": _address_cast,
    "__to_local": _address_cast,
    "__to_private": _address_cast,
    **{f"__is{space}": pure for space in ("Global", "Shared", "Constant", "Local", "GridConstant", "ClusterShared")},
    "get_fence": pure,
    **{f"{prefix}{name}": _copy(name) for name in ("memcpy", "memmove") for prefix in ("", "__builtin_")},
    "__builtin_memcpy_inline": _copy("memcpy"),
    **dict.fromkeys(("memset", "__builtin_memset", "__builtin_memset_inline"), _fill),
    **{f"read_image{kind}": _image(False) for kind in _IMAGE_TYPES},
    **{f"write_image{kind}": _image(True) for kind in _IMAGE_TYPES},
    **{f"get_image_{query}": pure for query in _IMAGE_QUERIES},
    **{name: _image(False) for name in _TEXTURE_READS},
    **{f"surf{shape}read": _image(False) for shape in _TEXTURES},
    **{f"surf{shape}write": _image(True) for shape in _TEXTURES},
    **{
        f"intel_sub_group_block_{way}{width}{lanes}": _block_read
        for way in ("read", "write")
        for width in ("", "_uc", "_us", "_ui", "_ul")
        for lanes in ("", "2", "4", "8", "16")
    },
}
