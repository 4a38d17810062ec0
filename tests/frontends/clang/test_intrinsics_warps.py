"""Warp collectives, launch quantities, asynchronous copies and block collectives."""

from __future__ import annotations

import pytest

from kernlint.tree.nodes import (
    AddressOf,
    AsyncCopy,
    AsyncWait,
    Barrier,
    Binary,
    Call,
    Cast,
    Deref,
    Expr,
    IntLit,
    LaunchValue,
    Opaque,
    Quantity,
    Scope,
    WarpOp,
)
from kernlint.tree.types import F32, I32, U32, U64, VOID, ArrayType, OpaqueType, PointerType, Space
from tests.frontends.clang.intrinsic_calls import call, number, of_class, pointer, variable

CG = "cooperative_groups"


def warp_op(node: Expr | None) -> WarpOp:
    assert isinstance(node, WarpOp)
    return node


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("__shfl_sync", "shuffle"),
        ("__shfl_up_sync", "shuffle_up"),
        ("__shfl_down_sync", "shuffle_down"),
        ("__shfl_xor_sync", "shuffle_xor"),
    ],
)
def test_masked_shuffles(name: str, kind: str) -> None:
    mask, value, lane = number(-1), variable("x", F32), number(4)
    node = warp_op(call(name, mask, value, lane, number(16), type_=F32))
    assert (node.kind, node.scope, node.synchronising) == (kind, Scope.WARP, True)
    assert node.mask is mask and node.operands == (value, lane)
    assert isinstance(node.width, IntLit) and node.width.value == 16


def test_a_width_of_the_whole_warp_is_no_segment() -> None:
    assert warp_op(call("__shfl_sync", number(-1), variable(), number(0), number(32))).width is None
    assert warp_op(call("__shfl", variable(), number(0), number(64), language="hip")).width is None
    assert warp_op(call("__shfl", variable(), number(0), number(32), language="hip")).width is not None


def test_old_shuffles_have_no_mask_and_do_not_synchronise() -> None:
    node = warp_op(call("__shfl_down", variable(), number(1)))
    assert node.mask is None and not node.synchronising and len(node.operands) == 2


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("__ballot_sync", "ballot"),
        ("__any_sync", "any"),
        ("__all_sync", "all"),
        ("__reduce_add_sync", "reduce"),
        ("__match_any_sync", "match"),
    ],
)
def test_votes_and_reductions(name: str, kind: str) -> None:
    node = warp_op(call(name, number(-1), variable(), type_=U32))
    assert node.kind == kind and len(node.operands) == 1 and node.mask is not None


def test_activemask_does_not_synchronise() -> None:
    node = warp_op(call("__activemask", type_=U32))
    assert node.kind == "activemask" and not node.synchronising


def test_tiles_have_their_width() -> None:
    tile = of_class(f"{CG}::thread_block_tile<8>")
    node = warp_op(call("shfl_down", variable(), number(2), on=tile))
    assert node.scope is Scope.TILE and isinstance(node.width, IntLit) and node.width.value == 8
    total = warp_op(call("reduce", tile, variable(), of_class("plus"), namespace=CG))
    assert (total.kind, total.scope) == ("reduce", Scope.TILE)
    assert warp_op(call("inclusive_scan", tile, variable(), namespace=CG)).kind == "scan"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("sub_group_reduce_add", "reduce"),
        ("sub_group_scan_exclusive_max", "scan"),
        ("sub_group_broadcast", "broadcast"),
        ("sub_group_shuffle_xor", "shuffle_xor"),
        ("intel_sub_group_shuffle_down", "shuffle_down"),
        ("sub_group_non_uniform_broadcast", "broadcast"),
    ],
)
def test_sub_groups(name: str, kind: str) -> None:
    assert warp_op(call(name, variable(), number(0), language="opencl")).kind == kind


def test_amd_lane_instructions() -> None:
    assert warp_op(call("__builtin_amdgcn_readfirstlane", variable(), language="hip")).kind == "broadcast"
    assert warp_op(call("__builtin_amdgcn_ds_bpermute", number(4), variable(), language="hip")).kind == "shuffle"
    low = call("__builtin_amdgcn_mbcnt_lo", number(-1), number(0), type_=U32, language="hip")
    assert isinstance(low, Call) and low.pure_math and isinstance(low.args[-1], LaunchValue)
    lane = call("__builtin_amdgcn_mbcnt_hi", number(-1), low, type_=U32, language="hip")
    assert isinstance(lane, LaunchValue) and lane.quantity is Quantity.LANE_ID


# ----------------------------------------------------------------------------------------------- launch quantities


@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        ("get_global_id", Quantity.GLOBAL_ID),
        ("get_local_id", Quantity.THREAD_ID),
        ("get_group_id", Quantity.BLOCK_ID),
        ("get_local_size", Quantity.BLOCK_DIM),
        ("get_num_groups", Quantity.GRID_DIM),
        ("get_global_size", Quantity.GLOBAL_SIZE),
        ("get_global_offset", Quantity.GLOBAL_OFFSET),
    ],
)
def test_opencl_ids(name: str, quantity: Quantity) -> None:
    node = call(name, number(1), type_=U64, language="opencl")
    assert isinstance(node, LaunchValue) and (node.quantity, node.axis, node.type) == (quantity, 1, U64)


def test_dimensions_that_do_not_exist_and_that_are_not_constant() -> None:
    beyond = call("get_global_id", number(3), type_=U64, language="opencl")
    assert isinstance(beyond, IntLit) and beyond.value == 0
    size = call("get_global_size", number(7), type_=U64, language="opencl")
    assert isinstance(size, IntLit) and size.value == 1
    dimension = variable("d")
    node = call("get_local_id", dimension, type_=U64, language="opencl")
    assert isinstance(node, LaunchValue) and node.axis is None and node.axis_expr is dimension


@pytest.mark.parametrize(
    ("name", "quantity", "axis"),
    [
        ("__builtin_amdgcn_workitem_id_y", Quantity.THREAD_ID, 1),
        ("__builtin_amdgcn_workgroup_id_x", Quantity.BLOCK_ID, 0),
        ("__nvvm_read_ptx_sreg_ntid_z", Quantity.BLOCK_DIM, 2),
        ("__lane_id", Quantity.LANE_ID, None),
        ("get_sub_group_local_id", Quantity.LANE_ID, None),
        ("get_local_linear_id", Quantity.LINEAR_THREAD_ID, None),
    ],
)
def test_other_launch_values(name: str, quantity: Quantity, axis: int | None) -> None:
    node = call(name, type_=U32)
    assert isinstance(node, LaunchValue) and (node.quantity, node.axis) == (quantity, axis)


# -------------------------------------------------------------------------------------------- asynchronous copies


def test_pipeline_primitives() -> None:
    to, source = pointer("s", F32, Space.SHARED), pointer("x")
    copy = call("__pipeline_memcpy_async", to, source, number(16), type_=VOID)
    assert isinstance(copy, AsyncCopy) and (copy.mechanism, copy.collective) == ("cp_async", False)
    assert copy.destination is to and copy.source is source
    commit = call("__pipeline_commit", type_=VOID)
    assert isinstance(commit, AsyncWait) and commit.commit
    wait = call("__pipeline_wait_prior", number(1), type_=VOID)
    assert isinstance(wait, AsyncWait) and isinstance(wait.pending, IntLit) and wait.pending.value == 1


def test_work_group_copies_count_elements() -> None:
    to, source, event = pointer("s", F32, Space.SHARED), pointer("x"), of_class("event_t")
    copy = call("async_work_group_copy", to, source, number(64), event, type_=event.type, language="opencl")
    assert isinstance(copy, AsyncCopy) and copy.collective and copy.event is event
    assert isinstance(copy.size, IntLit) and copy.size.value == 256
    strided = call(
        "async_work_group_strided_copy", to, source, number(64), number(2), event, type_=event.type, language="opencl"
    )
    assert isinstance(strided, AsyncCopy) and strided.size is None
    wait = call("wait_group_events", number(1), pointer("e", event.type), type_=VOID, language="opencl")
    assert isinstance(wait, AsyncWait) and wait.mechanism == "event"


def test_memcpy_async_of_both_libraries() -> None:
    to, source = pointer("s", F32, Space.SHARED), pointer("x")
    bar, block = of_class("cuda::barrier<cuda::thread_scope_block>"), of_class(f"{CG}::thread_block")
    one = call("memcpy_async", to, source, number(16), bar, namespace="cuda", type_=VOID)
    assert isinstance(one, AsyncCopy) and (one.mechanism, one.collective) == ("barrier", False) and one.event is bar
    all_ = call("memcpy_async", block, to, source, number(16), bar, namespace="cuda", type_=VOID)
    assert isinstance(all_, AsyncCopy) and all_.collective and all_.destination is to
    group = call("memcpy_async", block, to, source, number(16), namespace=CG, type_=VOID)
    assert isinstance(group, AsyncCopy) and group.mechanism == "group"


# ---------------------------------------------------------------------------------------------- block collectives


def test_block_reduce_is_a_barrier_over_shared_memory() -> None:
    value = variable("x", F32)
    node = call("Sum", value, on=of_class("cub::BlockReduce<float, 256>"), type_=F32)
    assert isinstance(node, Barrier) and (node.scope, node.fences) == (Scope.BLOCK, {Space.SHARED})
    assert node.name == "BlockReduce::Sum" and node.args == (value,)
    assert node.predicate is None  # only thread 0 has the total


def test_what_a_scan_stores_follows_its_barrier() -> None:
    given, result = variable("given"), variable("result")
    node = call("ExclusiveSum", given, result, on=of_class("hipcub::BlockScan<int, 128>"), type_=VOID)
    assert isinstance(node, Binary) and isinstance(node.lhs, Barrier) and isinstance(node.rhs, Call)
    assert any(isinstance(arg, AddressOf) and arg.operand is result for arg in node.rhs.args)


@pytest.mark.parametrize(
    ("algorithm", "is_barrier"),
    [("", False), (", cub::BLOCK_LOAD_DIRECT", False), (", cub::BLOCK_LOAD_TRANSPOSE", True)],
)
def test_block_load_has_barriers_only_when_it_transposes(algorithm: str, is_barrier: bool) -> None:
    items = variable("items", ArrayType(I32, 4))
    loader = of_class(f"cub::BlockLoad<int, 128, 4{algorithm}>")
    node = call("Load", pointer(to=I32), items, on=loader, type_=VOID)
    if is_barrier:
        assert isinstance(node, Binary) and isinstance(node.lhs, Barrier)
        node = node.rhs
    assert isinstance(node, Call)
    assert isinstance(node.args[0].type, PointerType) and node.args[0].type.const


def test_block_load_of_unknown_algorithm_may_synchronise() -> None:
    loader = of_class("cub::BlockLoad<T, 128, 4, Algorithm>")
    node = call("Load", pointer(to=I32), variable("items", ArrayType(I32, 4)), on=loader, type_=VOID)
    assert isinstance(node, Binary) and isinstance(node.lhs, Opaque) and node.lhs.may_sync


def test_warp_reduce_and_constructors() -> None:
    node = warp_op(call("Sum", variable(), on=of_class("cub::WarpReduce<int, 16>")))
    assert node.kind == "reduce" and isinstance(node.width, IntLit) and node.width.value == 16
    storage = of_class("cub::BlockReduce<float, 256>::TempStorage")
    assert call("BlockReduce", storage, namespace="cub::BlockReduce", type_=OpaqueType("cub::BlockReduce")) is None


def test_matrix_tiles_are_gaps_and_no_barriers() -> None:
    fragment = of_class("nvcuda::wmma::fragment")
    store = call("store_matrix_sync", pointer(), fragment, number(16), number(0), namespace="nvcuda::wmma", type_=VOID)
    assert isinstance(store, Opaque) and store.writes and not store.may_sync


def test_functions_of_cub() -> None:
    lane = call("LaneId", namespace="cub", type_=U32)
    assert isinstance(lane, LaunchValue) and lane.quantity is Quantity.LANE_ID
    value = variable("x", F32)
    down = warp_op(
        call("ShuffleDown", value, number(1), number(31), number(-1), namespace="cub", type_=F32, templates=("16",))
    )
    assert down.kind == "shuffle_down" and isinstance(down.width, IntLit) and down.width.value == 16
    loaded = call("ThreadLoad", pointer(), namespace="cub", type_=F32)
    assert isinstance(loaded, Deref)


def test_functions_of_composable_kernel() -> None:
    warp = call("get_warp_id", namespace="ck_tile")
    assert isinstance(warp, LaunchValue) and warp.quantity is Quantity.WARP_ID
    synced = call("block_sync_lds", namespace="ck", type_=VOID)
    assert isinstance(synced, Barrier) and synced.scope is Scope.BLOCK
    assert warp_op(call("warp_shuffle_down", variable(), number(1), namespace="ck_tile")).kind == "shuffle_down"
    converted = call("type_convert", variable("x", F32), namespace="ck_tile", type_=I32)
    assert isinstance(converted, Cast) and converted.explicit and not converted.bits
