"""Types of the values of OpenCL C's built-in functions, by name and arguments (OpenCL C 3.0, 6.15).

What the functions *do* stands with the other front ends' knowledge (:mod:`kernlint.frontends.clang.intrinsics`); here
is only what a compiler would learn from their declarations.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kernlint.frontends.clang.intrinsics.base import words
from kernlint.frontends.clang.lower.conversions import common_type
from kernlint.frontends.pycparser.types import SCALARS, built_in, signed_like
from kernlint.record import replace
from kernlint.tree.types import (
    F32,
    I32,
    U32,
    U64,
    VOID,
    FloatType,
    IntType,
    OpaqueType,
    PointerType,
    Type,
    VectorType,
)

_SIZE = re.compile(r"get_(?:global|local|group|enqueued|num)_\w+|get_work_dim")
_CONVERSION = re.compile(r"(?:convert|as)_(\w+?)(?:_sat)?(?:_rt[ezpn])?\Z")
_LOAD = re.compile(r"vloada?(?:_half)?(2|3|4|8|16)?\Z")
_VOID = frozenset(
    words(
        "barrier work_group_barrier mem_fence read_mem_fence write_mem_fence atomic_work_item_fence prefetch "
        "wait_group_events atomic_store atomic_store_explicit atomic_init write_imagef write_imagei write_imageui "
        "write_imageh sub_group_barrier atomic_flag_clear"
    )
)
_RELATIONAL = frozenset(
    words(
        "isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isfinite isinf isnan "
        "isnormal isordered isunordered signbit"
    )
)
_SCALAR_OF_VECTOR = frozenset(words("dot distance length fast_distance fast_length"))
_IMAGES = {"f": "float4", "i": "int4", "ui": "uint4", "h": "half4"}
_SUB_GROUP_NUMBERS = frozenset(
    words("get_sub_group_size get_max_sub_group_size get_num_sub_groups get_sub_group_id get_sub_group_local_id")
)
_OF_FIRST = frozenset(
    words(
        "acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi atan2pi cbrt ceil copysign cos cosh cospi "
        "erf erfc exp exp2 exp10 expm1 fabs fdim floor fma fmax fmin fmod fract frexp hypot ldexp lgamma lgamma_r "
        "log log2 log10 log1p logb mad maxmag minmag modf nextafter pow pown powr remainder remquo rint rootn "
        "round rsqrt sin sincos sinh sinpi sqrt tan tanh tanpi tgamma trunc abs_diff add_sat hadd rhadd clamp clz "
        "ctz mad_hi mad_sat max min mul_hi rotate sub_sat popcount mad24 mul24 degrees mix radians step "
        "smoothstep sign cross normalize fast_normalize bitselect select work_group_broadcast "
        "work_group_reduce_add work_group_reduce_min work_group_reduce_max work_group_scan_exclusive_add "
        "work_group_scan_inclusive_add sub_group_broadcast sub_group_reduce_add sub_group_reduce_min "
        "sub_group_reduce_max sub_group_shuffle sub_group_shuffle_xor sub_group_scan_exclusive_add "
        "sub_group_scan_inclusive_add sub_group_shuffle_up sub_group_shuffle_down work_group_scan_exclusive_min "
        "work_group_scan_exclusive_max work_group_scan_inclusive_min work_group_scan_inclusive_max "
        "intel_sub_group_shuffle intel_sub_group_shuffle_down intel_sub_group_shuffle_up "
        "intel_sub_group_shuffle_xor nan"
    )
)
_INTS = frozenset(
    words(
        "ilogb printf any all work_group_any work_group_all sub_group_any sub_group_all get_image_width "
        "get_image_height get_image_depth get_image_channel_data_type get_image_channel_order"
    )
)


def known(name: str) -> bool:
    """Whether OpenCL C has a function called ``name`` whose result is told here."""
    return result_of(name, ()) is not None or name in _OF_FIRST or name in _SCALAR_OF_VECTOR or name in _RELATIONAL


def result_of(name: str, args: Sequence[Type]) -> Type | None:
    """The type of ``name(args)``; None for a function that is not known."""
    first = args[0] if args else None
    if name == "get_work_dim" or name in _SUB_GROUP_NUMBERS:
        return U32
    if _SIZE.match(name):
        return U64
    if name in _VOID or name.startswith(("vstore", "write_pipe", "intel_sub_group_block_write")):
        return VOID
    if (match := _CONVERSION.match(name)) is not None:
        return built_in(match[1])
    if (match := _LOAD.match(name)) is not None:
        return _loaded(name, match[1], args)
    if (match := re.match(r"read_image(f|ui|i|h)\Z", name)) is not None:
        return built_in(_IMAGES[match[1]])
    if name.startswith("async_work_group") or name == "create_user_event":
        return OpaqueType("event_t")
    if name.startswith(("atomic_", "atom_", "atomic_fetch_")):
        return _atomic(name, first)
    if name in _INTS:
        return I32
    if name == "get_image_dim":
        return built_in("int2")
    if first is None:
        return None
    if name in _RELATIONAL:
        return signed_like(first)
    if name in _SCALAR_OF_VECTOR:
        return first.element if isinstance(first, VectorType) else first
    if name == "abs" and isinstance(first, IntType):
        return replace(first, signed=False)
    if name == "abs" and isinstance(first, VectorType) and isinstance(first.element, IntType):
        return replace(first, element=replace(first.element, signed=False))
    if name == "upsample":
        return _upsampled(first)
    if name in ("shuffle", "shuffle2"):
        return _shuffled(first, args[-1])
    if name.startswith(("native_", "half_")) or name in _OF_FIRST:
        return _generic(name, args)
    return None


def _loaded(name: str, lanes: str | None, args: Sequence[Type]) -> Type:
    pointer = args[1] if len(args) > 1 else None
    element: Type = pointer.pointee if isinstance(pointer, PointerType) else F32
    if "half" in name:
        element = F32
    return VectorType(element, int(lanes), True) if lanes else element


def _atomic(name: str, first: Type | None) -> Type:
    if "compare_exchange" in name or "test_and_set" in name:
        return SCALARS["bool"]
    return first.pointee if isinstance(first, PointerType) else I32


def _upsampled(first: Type) -> Type:
    if isinstance(first, VectorType):
        return replace(first, element=_upsampled(first.element))
    return replace(first, bits=2 * first.bits) if isinstance(first, IntType) else first


def _shuffled(first: Type, mask: Type) -> Type:
    if isinstance(first, VectorType) and isinstance(mask, VectorType):
        return replace(first, lanes=mask.lanes)
    return first


def _generic(name: str, args: Sequence[Type]) -> Type:
    """A function of one type for all: that of a vector argument, else the scalars' common one."""
    vectors = [one for one in args if isinstance(one, VectorType)]
    if vectors:
        return vectors[0]
    if name in ("ldexp", "pown", "rootn", "select", "bitselect", "clz", "popcount", "rotate", "frexp", "sincos"):
        return args[0]
    result = args[0]
    for one in args[1:]:
        if isinstance(one, (IntType, FloatType)):
            result = common_type(result, one) or result
    return result


def of_one_type(name: str) -> bool:
    """Whether all scalar arguments of a function have the type of its result."""
    unlike = ("ldexp", "pown", "rootn", "select", "bitselect", "clz", "popcount", "rotate", "frexp", "sincos", "modf")
    return (name in _OF_FIRST or name.startswith(("native_", "half_"))) and name not in (
        *unlike,
        "fract",
        "remquo",
        "lgamma_r",
        "work_group_broadcast",
        "sub_group_broadcast",
        "sub_group_shuffle",
        "sub_group_shuffle_xor",
        "nan",
    )
