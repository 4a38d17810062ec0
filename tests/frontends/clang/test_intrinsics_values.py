"""Memory, mathematics, conversions, and what unknown calls may do."""

from __future__ import annotations

import pytest

from kernlint.frontends.clang.intrinsics import (
    FREE_FUNCTIONS,
    TRAPS,
    collectives,
    groups,
    known_pure,
    objects,
    unresolved_effect,
)
from kernlint.frontends.clang.intrinsics.base import constant, unqualify
from kernlint.tree.nodes import (
    AddressOf,
    Assign,
    Assume,
    Binary,
    Call,
    Cast,
    Conditional,
    Deref,
    Expr,
    ImageOp,
    InitList,
    Opaque,
    Unary,
)
from kernlint.tree.types import (
    F16,
    F32,
    F64,
    I32,
    I64,
    U8,
    U32,
    U64,
    UNKNOWN,
    VOID,
    OpaqueType,
    PointerType,
    Space,
    VectorType,
)
from tests.frontends.clang.intrinsic_calls import SPAN, call, number, of_class, pointer, variable


def pure(node: Expr | None) -> Call:
    assert isinstance(node, Call) and node.pure_math
    return node


# ------------------------------------------------------------------------------------------------------ memory


def test_cached_loads_and_stores_are_plain_ones() -> None:
    at = pointer()
    load = call("__ldg", at, type_=F32)
    assert isinstance(load, Deref) and load.pointer is at and load.type == F32
    store = call("__stcg", at, variable("x", F32), type_=VOID)
    assert isinstance(store, Assign) and isinstance(store.target, Deref)
    assert call("__ldg", variable(), type_=F32) is None  # no pointer


@pytest.mark.parametrize("lanes", [2, 3, 4, 8, 16])
def test_vector_loads_are_packed_and_unaligned(lanes: int) -> None:
    node = call(f"vload{lanes}", number(5, U64), pointer(), type_=VectorType(F32, lanes, True), language="opencl")
    assert isinstance(node, Deref) and node.unaligned and node.type == VectorType(F32, lanes)
    assert node.type.size == 4 * lanes
    assert isinstance(node.pointer, Cast) and isinstance(node.pointer.operand, Binary)
    assert constant(node.pointer.operand.rhs) == 5 * lanes


def test_vector_stores_and_halfs() -> None:
    value = variable("v", VectorType(F32, 4, True))
    store = call("vstore4", value, number(1, U64), pointer(), type_=VOID, language="opencl")
    assert isinstance(store, Assign) and isinstance(store.target, Deref) and store.value is value
    half = call("vload_half", number(2, U64), pointer("h", F16), type_=F32, language="opencl")
    assert isinstance(half, Cast) and half.type == F32 and half.operand.type == F16
    # The aligned form of three lanes steps by four.
    three = call("vloada_half3", number(2, U64), pointer("h", F16), type_=VectorType(F32, 3, True), language="opencl")
    assert isinstance(three, Cast) and isinstance(three.operand, Deref) and not three.operand.unaligned
    moved = three.operand.pointer
    assert isinstance(moved, Cast) and isinstance(moved.operand, Binary) and constant(moved.operand.rhs) == 8


def test_address_conversions_images_and_library_memory() -> None:
    shared = call("__cvta_generic_to_shared", pointer(space=Space.SHARED), type_=U64)
    assert isinstance(shared, Cast) and shared.explicit
    read = call("read_imagef", of_class("image2d_t"), number(0), language="opencl")
    assert isinstance(read, ImageOp) and not read.write
    written = call("surf2Dwrite", variable("x", F32), number(0), number(0), number(0), type_=VOID)
    assert isinstance(written, ImageOp) and written.write
    assert pure(call("get_image_width", of_class("image2d_t"), language="opencl")).name == "get_image_width"
    copied = call("__builtin_memcpy", pointer(), pointer(), number(400))
    assert isinstance(copied, Call) and copied.name == "memcpy" and not copied.pure_math


# -------------------------------------------------------------------------------------------------- mathematics


@pytest.mark.parametrize(
    ("name", "canonical", "type_"),
    [
        ("min", "min", I32),
        ("min", "fmin", F32),
        ("max", "fmax", F64),
        ("fminf", "fmin", F32),
        ("umax", "max", U32),
        ("abs", "abs", I32),
        ("fabsf", "fabs", F32),
        ("__popcll", "popcount", I32),
        ("__clz", "clz", I32),
        ("__ffsll", "ffs", I32),
        ("__umul24", "mul24", U32),
        ("mul_hi", "mulhi", I32),
        ("rotate", "rotate", U32),
        ("__brev", "bitreverse", U32),
        ("sqrtf", "sqrtf", F32),
        ("native_exp", "native_exp", F32),
        ("__vsubss4", "__vsubss4", U32),
        ("__fmaf_rn", "__fmaf_rn", F32),
    ],
)
def test_canonical_names(name: str, canonical: str, type_: object) -> None:
    operand = variable("a", type_)  # type: ignore[arg-type]
    args = (operand,) if name == "abs" else (operand, operand)
    assert pure(call(name, *args, type_=type_)).name == canonical  # type: ignore[arg-type]


def test_namespaces() -> None:
    assert pure(call("max", number(1), number(2), namespace="std")).name == "max"
    assert call("max", number(1), number(2), namespace="mine") is None
    assert call("swap", variable(), variable(), namespace="std", type_=VOID) is None
    # Algorithms that share a name with an OpenCL function or a cast.
    assert call("rotate", pointer(), pointer(), pointer(), namespace="std", type_=VOID) is None
    assert call("move", pointer(), pointer(), pointer(), namespace="std", type_=VOID) is None


def test_standard_min_of_references_has_a_value_type() -> None:
    node = pure(call("min", number(1), number(2), namespace="std", type_=PointerType(I32, const=True, reference=True)))
    assert node.type == I32


def test_conversions() -> None:
    down = call("__float2int_rd", variable("x", F32))
    assert isinstance(down, Cast) and down.explicit and not down.bits and down.type == I32
    same = call("__float_as_int", variable("x", F32))
    assert isinstance(same, Cast) and same.bits
    opencl = call("convert_int_rte", variable("x", F32), language="opencl")
    assert isinstance(opencl, Cast) and not opencl.bits
    assert pure(call("convert_uchar_sat", variable("x"), type_=U8, language="opencl")).name == "convert_sat"
    raw = call("as_uint", variable("x", F32), type_=U32, language="opencl")
    assert isinstance(raw, Cast) and raw.bits


def test_scalar_select_is_a_conditional_with_its_arguments_turned() -> None:
    no, yes, cond = variable("no"), variable("yes"), variable("cond")
    node = call("select", no, yes, cond, language="opencl")
    assert isinstance(node, Conditional) and (node.cond, node.then, node.other) == (cond, yes, no)
    lanes = VectorType(I32, 4)
    assert pure(call("select", no, yes, variable("c", lanes), type_=lanes, language="opencl")).name == "select"


def test_vector_constructors() -> None:
    kind = VectorType(F32, 4)
    full = call("make_float4", *(number(i) for i in range(4)), type_=kind)
    assert isinstance(full, InitList) and len(full.elements) == 4
    assert pure(call("make_float4", variable("v", VectorType(F32, 3)), number(0), type_=kind)).name == "make_float4"


def test_results_through_pointers_are_assignments() -> None:
    sine, cosine = variable("s", F32), variable("c", F32)
    both = call(
        "sincosf",
        variable("x", F32),
        AddressOf(SPAN, PointerType(F32), sine),
        AddressOf(SPAN, PointerType(F32), cosine),
        type_=VOID,
    )
    assert isinstance(both, Binary) and isinstance(both.lhs, Assign) and both.lhs.target is sine
    assert isinstance(both.rhs, Assign) and both.rhs.target is cosine
    opencl = call("sincos", variable("x", F32), AddressOf(SPAN, PointerType(F32), cosine), type_=F32, language="opencl")
    assert isinstance(opencl, Binary) and pure(opencl.rhs).name == "sin"


def test_assumptions_and_transparent_calls() -> None:
    cond = variable("c")
    assumed = call("__builtin_assume", cond, type_=VOID)
    assert isinstance(assumed, Assume) and not assumed.checked and assumed.cond is cond
    checked = call("__kl_assert", cond, type_=VOID)
    assert isinstance(checked, Assume) and checked.checked
    assert call("__builtin_expect", cond, number(1)) is cond
    assert call("move", cond, namespace="std") is cond


def test_traps_are_left_to_the_lowering() -> None:
    assert {"__trap", "abort", "__builtin_unreachable"} <= TRAPS
    assert all(call(name, type_=VOID) is None for name in TRAPS)


def test_printing_and_clocks_are_calls_without_effect() -> None:
    for name in ("printf", "clock64"):
        node = call(name, type_=I64)
        assert isinstance(node, Call) and not node.pure_math and known_pure(name)


# --------------------------------------------------------------------------------------------- what is not known


def test_effects_of_calls_never_seen() -> None:
    scalar, to, of_const = variable(), pointer(), pointer(const=True)
    assert unresolved_effect("mystery", (scalar,), "cuda") == ((), False)
    assert unresolved_effect("mystery", (scalar, to, of_const), "cuda") == ((1,), False)
    assert unresolved_effect("mystery", (pointer(space=Space.SHARED),), "cuda") == ((0,), True)
    assert unresolved_effect("blockReduceSync", (scalar,), "cuda") == ((), True)
    assert unresolved_effect("mine::wait_for_all", (scalar,), "cuda") == ((), True)
    assert unresolved_effect("load_async", (scalar,), "cuda") == ((), False)
    group = of_class("cooperative_groups::thread_block")
    assert unresolved_effect("mystery", (group,), "cuda") == ((), True)


def test_effects_of_known_calls() -> None:
    assert unresolved_effect("memcpy", (pointer(), pointer(), number(4)), "cuda") == ((0,), False)
    assert unresolved_effect("curand_uniform", (pointer(),), "cuda") == ((0,), False)
    assert unresolved_effect("printf", (pointer(),), "cuda") == ((), False)
    assert known_pure("sqrtf") and not known_pure("sincosf") and not known_pure("mystery")


def test_constants() -> None:
    shifted = Binary(SPAN, U32, "<<", number(1, U32), number(31))
    assert constant(shifted) == 1 << 31
    assert constant(Unary(SPAN, U32, "~", number(0, U32))) == 0xFFFFFFFF
    assert constant(Cast(SPAN, U8, number(300), explicit=False)) == 44
    assert constant(variable()) is None
    assert constant(Binary(SPAN, I32, "/", number(4), number(2))) is None


def test_unqualify() -> None:
    assert unqualify("const cub::BlockReduce<float, 256> &") == ("cub::BlockReduce", ("float", "256"))
    assert unqualify("struct A<B<1, 2>, f(3, 4)>::C") == ("A::C", ())
    assert unqualify("cuda::barrier<cuda::thread_scope_block>")[1] == ("cuda::thread_scope_block",)
    assert unqualify("") == ("", ())


def test_unknown_result_types_do_no_harm() -> None:
    assert pure(call("min", variable("a", F32), variable("b", F32), type_=UNKNOWN)).name == "fmin"


def test_buffer_accesses_of_amd_are_opaque() -> None:
    stored = call("__builtin_amdgcn_raw_buffer_store_b128", *(variable() for _ in range(5)), type_=VOID, language="hip")
    assert isinstance(stored, Opaque) and stored.writes and not stored.may_sync
    loaded = call("__builtin_amdgcn_raw_ptr_buffer_load_b32", variable(), type_=U32, language="hip")
    assert isinstance(loaded, Opaque) and not loaded.writes
    assert pure(call("__builtin_amdgcn_mfma_f32_32x32x8f16", variable(), language="hip")).pure_math
    assert call("__builtin_amdgcn_brand_new", variable(), language="hip") is None


def test_copies_of_a_few_bytes_are_assignments() -> None:
    word = variable("word", U32)
    hidden = Cast(SPAN, PointerType(VOID), AddressOf(SPAN, PointerType(U32), word), explicit=False)
    node = call("memcpy", hidden, pointer("raw", U8), number(4, U64))
    assert isinstance(node, Assign) and node.target is word
    assert isinstance(node.value, Deref) and node.value.unaligned and node.value.type == U32
    block = call("memcpy", pointer(), pointer(), number(24))
    assert isinstance(block, Assign) and block.target.type == VectorType(U8, 24)
    unknown = call("memmove", pointer(), pointer(), variable("n", U64))
    assert isinstance(unknown, Call) and unknown.name == "memmove"


def test_filling_a_few_bytes_is_an_assignment() -> None:
    node = call("memset", pointer(to=I32), number(-1), number(4))
    assert isinstance(node, Assign) and constant(node.value) == -1 and node.value.type == I32
    block = call("__builtin_memset", pointer(), number(0), number(16))
    assert isinstance(block, Assign) and isinstance(block.value, InitList) and len(block.value.elements) == 16
    assert isinstance(call("memset", pointer(), number(0), variable("n")), Call)


def test_no_call_makes_the_lowering_fail() -> None:
    """Every known name with any number of arguments of any kind: a node, or None."""
    kinds = [variable("i"), pointer(), variable("f", F32), variable("v", VectorType(F32, 4)), of_class("Thing")]
    places = {"": FREE_FUNCTIONS, "cooperative_groups": groups.FREE, "cuda": objects.FREE, "cub": collectives.FREE}
    for namespace, names in places.items():
        for name in names:
            for count in range(7):
                args = tuple(kinds[(len(name) + i) % len(kinds)] for i in range(count))
                node = call(name, *args, namespace=namespace, language="opencl" if not namespace else "cuda")
                assert node is None or isinstance(node, Expr)


def test_no_method_makes_the_lowering_fail() -> None:
    classes = [
        "cooperative_groups::thread_block_tile<8>",
        "cooperative_groups::thread_group",
        "cuda::atomic<int>",
        "cuda::atomic_ref<int>",
        "cuda::barrier<>",
        "cuda::pipeline<cuda::thread_scope_block>",
        "cub::BlockScan<int, 64>",
        "cub::BlockLoad<int, 64, 4>",
        "cub::WarpReduce<int>",
        "mine::Thing",
        "",
    ]
    methods = [
        "sync",
        "size",
        "shfl",
        "load",
        "store",
        "fetch_add",
        "compare_exchange_weak",
        "operator+=",
        "operator int",
    ]
    methods += [
        "arrive",
        "wait",
        "consumer_wait",
        "Sum",
        "ExclusiveSum",
        "Load",
        "meta_group_size",
        "operator=",
        "operator++",
    ]
    for class_ in classes:
        for method in methods:
            for count in range(5):
                args = tuple(variable(f"a{i}") for i in range(count))
                node = call(method, *args, on=variable("o", OpaqueType(class_)), of=class_ or "?")
                assert node is None or isinstance(node, Expr)
