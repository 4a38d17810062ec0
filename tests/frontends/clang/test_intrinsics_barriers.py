"""Barriers, fences, cooperative groups and libcu++ barriers."""

from __future__ import annotations

import pytest

from kernlint.tree.nodes import (
    AsyncWait,
    Barrier,
    Binary,
    Call,
    Cast,
    Expr,
    Fence,
    InitList,
    IntLit,
    LaunchValue,
    Opaque,
    Quantity,
    Scope,
    StringLit,
    WarpOp,
)
from kernlint.tree.types import I32, U32, U64, VOID, OpaqueType, Space
from tests.frontends.clang.intrinsic_calls import SPAN, call, number, of_class, pointer, variable

CG = "cooperative_groups"
BOTH = {Space.SHARED, Space.GLOBAL}


def barrier(node: Expr | None) -> Barrier:
    assert isinstance(node, Barrier)
    return node


@pytest.mark.parametrize(
    ("name", "args", "scope"),
    [
        ("__syncthreads", (), Scope.BLOCK),
        ("__syncwarp", (), Scope.WARP),
        ("__builtin_amdgcn_s_barrier", (), Scope.BLOCK),
        ("__builtin_amdgcn_wave_barrier", (), Scope.WARP),
    ],
)
def test_plain_barriers_order_all_memory(name: str, args: tuple[Expr, ...], scope: Scope) -> None:
    node = barrier(call(name, *args, type_=VOID))
    assert (node.scope, node.fences, node.part) == (scope, BOTH, "both")
    assert node.predicate is node.mask is node.barrier_id is node.count is None


def test_reducing_barrier_keeps_its_predicate() -> None:
    condition = variable()
    for name in ("__syncthreads_or", "__syncthreads_and", "__syncthreads_count"):
        assert barrier(call(name, condition)).predicate is condition


def test_warp_barrier_keeps_its_mask() -> None:
    mask = number(0xFFFF, U32)
    assert barrier(call("__syncwarp", mask, type_=VOID)).mask is mask


def test_named_barriers() -> None:
    zero = barrier(call("__barrier_sync", number(0), type_=VOID))
    assert zero.barrier_id is None  # barrier 0 of all threads is __syncthreads
    one = barrier(call("__barrier_sync_count", number(1), number(64), type_=VOID))
    assert isinstance(one.barrier_id, IntLit) and one.barrier_id.value == 1
    assert isinstance(one.count, IntLit) and one.count.value == 64


@pytest.mark.parametrize(
    ("flags", "fences"),
    [(1, {Space.SHARED}), (2, {Space.GLOBAL}), (3, BOTH), (0, set()), (4, set())],
)
def test_opencl_barrier_flags(flags: int, fences: set[Space]) -> None:
    assert barrier(call("barrier", number(flags), type_=VOID, language="opencl")).fences == fences
    assert barrier(call("work_group_barrier", number(flags), number(2), type_=VOID, language="opencl")).fences == fences


def test_flags_are_folded_and_unknown_ones_order_everything() -> None:
    folded = Cast(SPAN, U32, Binary(SPAN, I32, "|", number(1), number(2)), explicit=False)
    assert barrier(call("barrier", folded, type_=VOID, language="opencl")).fences == BOTH
    assert barrier(call("barrier", variable("flags"), type_=VOID, language="opencl")).fences == BOTH
    local = variable("flags", value=1)  # a constant
    assert barrier(call("barrier", local, type_=VOID, language="opencl")).fences == {Space.SHARED}


def test_a_function_called_barrier_is_no_barrier_outside_opencl() -> None:
    assert call("barrier", number(1), type_=VOID) is None


def test_sub_group_barrier() -> None:
    node = barrier(call("sub_group_barrier", number(1), type_=VOID, language="opencl"))
    assert (node.scope, node.fences) == (Scope.WARP, {Space.SHARED})


def test_work_group_collectives() -> None:
    value = variable()
    total = barrier(call("work_group_reduce_add", value, language="opencl"))
    assert total.scope is Scope.BLOCK and total.predicate is value
    # A scan's result differs between threads: no predicate, or it would count as uniform.
    scan = barrier(call("work_group_scan_inclusive_add", value, language="opencl"))
    assert scan.predicate is None and scan.args == (value,)
    assert barrier(call("work_group_broadcast", value, number(0), language="opencl")).predicate is value


@pytest.mark.parametrize(
    ("name", "scope"),
    [("__threadfence", Scope.GRID), ("__threadfence_block", Scope.BLOCK), ("__threadfence_system", Scope.SYSTEM)],
)
def test_cuda_fences(name: str, scope: Scope) -> None:
    node = call(name, type_=VOID)
    assert isinstance(node, Fence) and node.scope is scope and node.spaces == BOTH


def test_opencl_fences() -> None:
    node = call("mem_fence", number(1), type_=VOID, language="opencl")
    assert isinstance(node, Fence) and node.spaces == {Space.SHARED} and node.scope is Scope.BLOCK
    item = call("atomic_work_item_fence", number(2), number(4), number(2), type_=VOID, language="opencl")
    assert isinstance(item, Fence) and item.spaces == {Space.GLOBAL} and item.scope is Scope.GRID


@pytest.mark.parametrize(
    ("text", "scope"),
    [("workgroup", Scope.BLOCK), ("agent", Scope.GRID), ("wavefront-one-as", Scope.WARP), ("", Scope.SYSTEM)],
)
def test_amd_fence_scopes(text: str, scope: Scope) -> None:
    node = call("__builtin_amdgcn_fence", number(4), StringLit(SPAN, VOID, text), type_=VOID, language="hip")
    assert isinstance(node, Fence) and node.scope is scope


# ------------------------------------------------------------------------------------------- cooperative groups


@pytest.mark.parametrize(
    ("spelling", "language", "scope"),
    [
        (f"{CG}::thread_block", "cuda", Scope.BLOCK),
        (f"const {CG}::grid_group", "cuda", Scope.GRID),
        (f"{CG}::thread_block_tile<32>", "cuda", Scope.WARP),
        (f"{CG}::thread_block_tile<32, {CG}::thread_block>", "cuda", Scope.WARP),
        (f"{CG}::thread_block_tile<16U>", "cuda", Scope.TILE),
        (f"{CG}::thread_block_tile<32>", "hip", Scope.TILE),
        (f"{CG}::thread_block_tile<64>", "hip", Scope.WARP),
        (f"{CG}::cluster_group", "cuda", Scope.CLUSTER),
        (f"{CG}::coalesced_group", "cuda", Scope.WARP),
    ],
)
def test_group_sync_scope(spelling: str, language: str, scope: Scope) -> None:
    group = of_class(spelling)
    assert barrier(call("sync", on=group, type_=VOID, language=language)).scope is scope
    assert barrier(call("sync", group, namespace=CG, type_=VOID, language=language)).scope is scope


def test_static_sync_of_a_block() -> None:
    assert barrier(call("sync", namespace=f"{CG}::thread_block", type_=VOID)).scope is Scope.BLOCK


def test_coalesced_group_is_a_part_of_the_warp() -> None:
    mask = barrier(call("sync", on=of_class(f"{CG}::coalesced_group"), type_=VOID)).mask
    assert isinstance(mask, WarpOp) and mask.kind == "activemask"


def test_a_plain_thread_group_is_what_it_was_made_of() -> None:
    made = Call(SPAN, OpaqueType(f"{CG}::thread_block"), "this_thread_block", None, (), None, True)
    block = of_class(f"{CG}::thread_group", init=made)
    assert barrier(call("sync", on=block, type_=VOID)).scope is Scope.BLOCK
    parts = Call(SPAN, OpaqueType(f"{CG}::thread_group"), "tiled_partition", None, (block, number(8)), None, True)
    tile = of_class(f"{CG}::thread_group", init=parts)
    assert barrier(call("sync", on=tile, type_=VOID)).scope is Scope.TILE


def test_sync_of_an_unknown_group_is_no_barrier_of_a_guessed_scope() -> None:
    for group in (of_class(f"{CG}::thread_group"), of_class(f"{CG}::thread_block_tile<N>")):
        node = call("sync", on=group, type_=VOID)
        if isinstance(node, Barrier):  # a tile of unknown size is a tile still
            assert node.scope is Scope.TILE
        else:
            assert isinstance(node, Opaque) and node.may_sync


def test_a_users_class_with_a_sync_method_is_left_alone() -> None:
    assert call("sync", on=of_class("mine::Pipeline"), type_=VOID) is None
    assert call("sync", namespace="mine", type_=VOID) is None


def test_group_ranks_and_sizes() -> None:
    block = of_class(f"{CG}::thread_block")
    rank = call("thread_rank", on=block, type_=U32)
    assert isinstance(rank, LaunchValue) and rank.quantity is Quantity.LINEAR_THREAD_ID
    size = call("size", on=block, type_=U32)
    assert isinstance(size, LaunchValue) and size.quantity is Quantity.BLOCK_THREADS
    index = call("group_index", on=block, type_=OpaqueType("dim3"))
    assert isinstance(index, InitList)
    first = index.elements[0]
    assert isinstance(first, LaunchValue) and (first.quantity, first.axis) == (Quantity.BLOCK_ID, 0)
    tile = of_class(f"{CG}::thread_block_tile<8>")
    in_tile = call("thread_rank", on=tile, type_=U32)
    assert isinstance(in_tile, LaunchValue) and (in_tile.quantity, in_tile.extent) == (Quantity.TILE_RANK, 8)
    lanes = call("num_threads", on=tile, type_=U32)
    assert isinstance(lanes, IntLit) and lanes.value == 8


def test_rank_in_the_grid_is_block_after_block() -> None:
    rank = call("thread_rank", on=of_class(f"{CG}::grid_group"), type_=U64)
    assert isinstance(rank, Binary) and rank.op == "+"
    assert isinstance(rank.rhs, LaunchValue) and rank.rhs.quantity is Quantity.LINEAR_THREAD_ID


def test_waiting_for_group_copies_synchronises_the_group() -> None:
    node = call("wait", of_class(f"{CG}::thread_block"), namespace=CG, type_=VOID)
    assert isinstance(node, Binary) and node.op == ","
    assert isinstance(node.lhs, AsyncWait) and node.lhs.mechanism == "group"
    assert barrier(node.rhs).scope is Scope.BLOCK


def test_group_constructor_is_no_barrier() -> None:
    other = of_class(f"{CG}::thread_block")
    assert call("thread_block", other, namespace=f"{CG}::thread_block", type_=other.type) is None


# ---------------------------------------------------------------------------------------------------- libcu++


@pytest.mark.parametrize(
    ("method", "part"),
    [("arrive", "arrive"), ("wait", "wait"), ("arrive_and_wait", "both"), ("arrive_and_drop", "arrive")],
)
def test_barrier_objects_are_split_and_keep_their_identity(method: str, part: str) -> None:
    object_ = of_class("cuda::barrier<cuda::thread_scope_block>")
    node = barrier(call(method, on=object_, type_=VOID))
    assert (node.part, node.scope) == (part, Scope.BLOCK) and node.barrier_id is object_


def test_pipelines() -> None:
    mine = of_class("cuda::pipeline<cuda::thread_scope_thread>")
    wait = call("consumer_wait", on=mine, type_=VOID)
    assert isinstance(wait, AsyncWait) and not wait.commit
    commit = call("producer_commit", on=mine, type_=VOID)
    assert isinstance(commit, AsyncWait) and commit.commit
    ours = of_class("cuda::pipeline<cuda::thread_scope_block>")
    shared = call("consumer_wait", on=ours, type_=VOID)
    assert isinstance(shared, Binary) and isinstance(shared.lhs, Opaque) and shared.lhs.may_sync


def test_mbarrier_primitives() -> None:
    handle = pointer("bar", U64, Space.SHARED)
    node = barrier(call("__mbarrier_arrive", handle, type_=U64))
    assert node.part == "arrive" and node.barrier_id is handle
    assert barrier(call("mbarrier_try_wait", handle, namespace="cuda::ptx")).part == "wait"
