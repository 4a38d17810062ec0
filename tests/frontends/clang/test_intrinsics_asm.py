"""Inline PTX and GCN."""

from __future__ import annotations

import pytest

from kernlint.frontends.clang.intrinsics.assembly import parse
from kernlint.frontends.clang.intrinsics.ptx import _HANDLERS
from kernlint.frontends.clang.intrinsics.ptx_tables import PURE
from kernlint.tree.nodes import (
    Asm,
    Assign,
    AsyncCopy,
    AsyncWait,
    Atomic,
    Barrier,
    Binary,
    Block,
    Cast,
    Deref,
    Expr,
    ExprStmt,
    Fence,
    If,
    InitList,
    IntLit,
    LaunchValue,
    Quantity,
    Scope,
    Stmt,
    Trap,
    WarpOp,
)
from kernlint.tree.types import F32, I32, U32, U64, PointerType, Space, VectorType
from tests.frontends.clang.intrinsic_calls import SPAN, asm, number, output, pointer, variable
from tests.frontends.clang.lower.trees import kernel


def expression(node: Stmt) -> Expr:
    assert isinstance(node, ExprStmt)
    return node.expr


def assigned(node: Stmt) -> Expr:
    """What a single output gets, conversions to its type removed."""
    made = expression(node)
    assert isinstance(made, Assign)
    return made.value.operand if isinstance(made.value, Cast) else made.value


# ------------------------------------------------------------------------------------------------------- parsing


def test_statements_operands_and_guards() -> None:
    found, labels = parse("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %0, 0; // test\n\t@!p mov.b32 %1, {%2, %3};\n}")
    assert not labels and [i.opcode[0] for i in found] == ["", "setp", "mov"]
    assert (found[2].guard, found[2].negated) == ("p", True)
    assert found[2].operands == ("%1", "{%2, %3}")


def test_quoted_templates_and_spaces_with_colons() -> None:
    found, _ = parse('"cp.async.cg.shared::cta.global [%0], [%1], 16;\\n"')
    assert found[0].opcode == ("cp", "async", "cg", "shared_cta", "global")
    assert found[0].operands == ("[%0]", "[%1]", "16")


def test_labels() -> None:
    found, labels = parse("L1: add.u32 %0, %0, 1; bra L1;")
    assert labels and [i.opcode[0] for i in found] == ["add", "bra"]


# ------------------------------------------------------------------------------------------- barriers and fences


def test_block_barrier_and_named_barriers() -> None:
    whole = expression(asm("bar.sync 0;"))
    assert isinstance(whole, Barrier) and whole.barrier_id is None and whole.scope is Scope.BLOCK
    some = expression(asm("barrier.sync.aligned %0, %1;", (), (number(2), number(96))))
    assert isinstance(some, Barrier) and isinstance(some.barrier_id, IntLit) and isinstance(some.count, IntLit)
    arrive = expression(asm("bar.arrive 1, 64;"))
    assert isinstance(arrive, Barrier) and arrive.part == "arrive"
    unknown = expression(asm("bar.sync mystery, 32;"))
    assert isinstance(unknown, Barrier) and unknown.barrier_id is not None


def test_other_barriers() -> None:
    warp = expression(asm("bar.warp.sync 0xffffffff;"))
    assert isinstance(warp, Barrier) and warp.scope is Scope.WARP and isinstance(warp.mask, IntLit)
    cluster = expression(asm("barrier.cluster.arrive.aligned;"))
    assert isinstance(cluster, Barrier) and (cluster.scope, cluster.part) == (Scope.CLUSTER, "arrive")
    predicate = variable("p")
    reduced = assigned(asm("bar.red.popc.u32 %0, 0, %1;", (output(),), (predicate,)))
    assert isinstance(reduced, Barrier) and reduced.predicate is predicate


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("membar.gl;", Scope.GRID),
        ("membar.cta;", Scope.BLOCK),
        ("fence.acq_rel.sys;", Scope.SYSTEM),
        ("fence.proxy.async;", Scope.BLOCK),
    ],
)
def test_fences(text: str, scope: Scope) -> None:
    node = expression(asm(text))
    assert isinstance(node, Fence) and node.scope is scope


def test_spinning_on_an_mbarrier_is_a_wait() -> None:
    text = "{.reg .pred P; W: mbarrier.try_wait.parity.shared.b64 P, [%0], %1; @P bra D; bra W; D: }"
    node = expression(asm(text, (), (variable("a", U32), variable("phase"))))
    assert isinstance(node, Barrier) and node.part == "wait" and node.barrier_id is not None


# ---------------------------------------------------------------------------------------------- asynchronous copies


def test_asynchronous_copies() -> None:
    shared = pointer("s", F32, Space.SHARED)
    address = Cast(SPAN, U32, Cast(SPAN, U64, shared, explicit=True), explicit=True)
    source = pointer("x")
    copy = expression(asm("cp.async.cg.shared.global [%0], [%1], 16;", (), (address, source)))
    assert isinstance(copy, AsyncCopy) and copy.destination is shared and copy.source is source
    assert isinstance(copy.size, IntLit) and copy.size.value == 16
    commit = expression(asm("cp.async.commit_group;"))
    assert isinstance(commit, AsyncWait) and commit.commit
    two = expression(asm("cp.async.wait_group 2;"))
    assert isinstance(two, AsyncWait) and isinstance(two.pending, IntLit) and two.pending.value == 2
    everything = expression(asm("cp.async.wait_all;"))
    assert (
        isinstance(everything, AsyncWait) and isinstance(everything.pending, IntLit) and everything.pending.value == 0
    )


def test_a_predicated_copy_is_conditional() -> None:
    text = "{ .reg .pred p; setp.ne.b32 p, %0, 0; @p cp.async.ca.shared.global [%1], [%2], 4; }"
    flag = variable("flag")
    node = asm(text, (), (flag, variable("s", U32), pointer("x")))
    assert isinstance(node, If) and isinstance(node.cond, Binary) and node.cond.lhs is flag and node.cond.op == "!="
    assert isinstance(node.then, Block) and isinstance(expression(node.then.body[0]), AsyncCopy)


def test_bulk_copies() -> None:
    tile, source = pointer("tile"), pointer("x")
    size, bar = variable("size", U32), pointer("bar")
    text = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
    node = expression(asm(text, (), (tile, source, size, bar)))
    assert isinstance(node, AsyncCopy) and node.mechanism == "bulk" and node.size is size
    assert node.destination is not node.source
    out = expression(asm("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;", (), (source, tile, size)))
    assert isinstance(out, AsyncCopy) and out.mechanism == "bulk"
    wait = expression(asm("cp.async.bulk.wait_group.read 0;"))
    assert isinstance(wait, AsyncWait) and wait.mechanism == "bulk" and not wait.commit
    fence = expression(asm("fence.proxy.async.shared::cta;"))
    assert isinstance(fence, Fence) and "proxy" in fence.name


# ------------------------------------------------------------------------------------------------------- memory


def test_constraints_that_a_macro_holds() -> None:
    source = """
    #define ADDRESS(p) "l"(p)
    #define COUNT "r"(n)
    __global__ void k(unsigned* o, const unsigned* q, int n) {
        unsigned a, b;
        asm("ld.global.nc.u32 %0, [%1];" : "=r"(a) : ADDRESS(q));
        asm volatile("mov.u32 %0, %1;" : "=r"(b) : COUNT);
        o[threadIdx.x] = a + b;
    }"""
    text = "\n".join(line.lstrip() if "#" in line else line for line in source.split("\n"))
    assert not kernel(text).function.losses


def test_loads_and_stores() -> None:
    at = pointer("x")
    load = assigned(asm("ld.global.cg.f32 %0, [%1];", (output("o", F32),), (at,)))
    assert isinstance(load, Deref) and load.pointer is at
    store = expression(asm("st.global.f32 [%0], %1;", (), (at, variable("v", F32))))
    assert isinstance(store, Assign) and isinstance(store.target, Deref) and store.target.pointer is at


def test_offsets_are_bytes() -> None:
    load = assigned(asm("ld.shared.f32 %0, [%1 + 8];", (output("o", F32),), (pointer("s", F32, Space.SHARED),)))
    assert isinstance(load, Deref) and isinstance(load.pointer, Cast)
    moved = load.pointer.operand
    assert isinstance(moved, Binary) and isinstance(moved.type, PointerType) and moved.type.pointee.size == 1


def test_braces_around_one_register_are_none() -> None:
    load = assigned(asm("ld.shared.u32 {%0}, [%1];", (output("o", U32),), (pointer("s", U32, Space.SHARED),)))
    assert isinstance(load, Deref) and load.type == U32


def test_outputs_that_nothing_sets_are_not_known() -> None:
    done = asm("bar.sync 0;", (output("o", U32),), ())
    assert isinstance(done, Block)
    rest = done.body[-1]
    assert isinstance(rest, Asm) and len(rest.outputs) == 1


def test_a_declaration_of_shared_memory_does_nothing() -> None:
    declared = asm(".shared .align 16 .b32 pool[1024];", (), ())
    assert isinstance(declared, Asm) and not declared.may_sync and not declared.writes_memory


def test_vector_accesses_are_one_access() -> None:
    outputs = tuple(output(f"o{i}", F32) for i in range(4))
    loaded = asm("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];", outputs, (pointer("x"),))
    assert isinstance(loaded, Block)
    access, rest = loaded.body
    read = expression(access)
    assert isinstance(read, Deref) and read.type == VectorType(F32, 4)
    assert isinstance(rest, Asm) and len(rest.outputs) == 4 and not rest.may_sync and not rest.writes_memory
    values = tuple(variable(f"v{i}", F32) for i in range(2))
    stored = expression(asm("st.global.v2.f32 [%0], {%1, %2};", (), (pointer("x"), *values)))
    assert isinstance(stored, Assign) and isinstance(stored.value, InitList) and stored.value.elements == values


def test_orders_make_accesses_atomic() -> None:
    load = assigned(asm("ld.acquire.gpu.u32 %0, [%1];", (output(),), (pointer("f", U32),)))
    assert isinstance(load, Atomic) and (load.op, load.order, load.scope) == ("load", "acquire", Scope.GRID)
    store = expression(asm("st.release.sys.u32 [%0], %1;", (), (pointer("f", U32), number(1))))
    assert isinstance(store, Atomic) and (store.op, store.scope) == ("store", Scope.SYSTEM)


def test_atomics() -> None:
    old = assigned(asm("atom.global.cas.b32 %0, [%1], %2, %3;", (output(),), (pointer("p", U32), number(0), number(1))))
    assert isinstance(old, Atomic) and old.op == "cas" and len(old.operands) == 2
    added = expression(asm("red.release.cta.shared.add.u32 [%0], %1;", (), (pointer("p", U32), number(1))))
    assert isinstance(added, Atomic) and (added.op, added.scope, added.order) == ("add", Scope.BLOCK, "release")


def test_ldmatrix_reads_the_rows_of_the_lanes_that_name_them() -> None:
    outputs = tuple(output(f"o{i}") for i in range(2))
    text = "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
    node = asm(text, outputs, (pointer("s", U32, Space.SHARED),))
    assert isinstance(node, Block)
    meeting, guarded = node.body[:2]  # the lanes wait for each other, then some of them name rows
    assert isinstance(meeting, ExprStmt) and isinstance(meeting.expr, Barrier) and meeting.expr.scope is Scope.WARP
    assert isinstance(guarded, If)
    limit = guarded.cond
    assert isinstance(limit, Binary) and isinstance(limit.rhs, IntLit) and limit.rhs.value == 16
    read = expression(guarded.then) if guarded.then else None
    assert isinstance(read, Deref) and read.type.size == 16


# ------------------------------------------------------------------------------------------- registers and warps


@pytest.mark.parametrize(
    ("register", "quantity", "axis"),
    [
        ("%%tid.x", Quantity.THREAD_ID, 0),
        ("%ctaid.y", Quantity.BLOCK_ID, 1),
        ("%%nctaid.z", Quantity.GRID_DIM, 2),
        ("%%laneid", Quantity.LANE_ID, None),
    ],
)
def test_special_registers(register: str, quantity: Quantity, axis: int | None) -> None:
    value = assigned(asm(f"mov.u32 %0, {register};", (output(),)))
    assert isinstance(value, LaunchValue) and (value.quantity, value.axis) == (quantity, axis)


def test_warp_instructions() -> None:
    shuffled = assigned(asm("shfl.sync.bfly.b32 %0, %1, 16, 0x1f, -1;", (output("o", I32),), (variable(),)))
    assert isinstance(shuffled, WarpOp) and shuffled.kind == "shuffle_xor" and shuffled.synchronising
    votes = assigned(asm("vote.sync.ballot.b32 %0, %1, 0xffffffff;", (output(),), (variable(),)))
    assert isinstance(votes, WarpOp) and votes.kind == "ballot" and isinstance(votes.mask, IntLit)
    total = assigned(asm("redux.sync.add.s32 %0, %1, 0xffffffff;", (output("o", I32),), (variable(),)))
    assert isinstance(total, WarpOp) and total.kind == "reduce"


def test_simple_arithmetic_is_kept_and_the_rest_has_no_effect() -> None:
    total = assigned(asm("add.s32 %0, %1, %2;", (output("o", I32),), (variable("a"), variable("b"))))
    assert isinstance(total, Binary) and total.op == "+"
    logic = asm("lop3.b32 %0, %1, %2, %3, 0xea;", (output(),), tuple(variable() for _ in range(3)))
    assert isinstance(logic, Asm) and not logic.may_sync and not logic.writes_memory
    text = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
    matrix = asm(text, tuple(output(f"d{i}", F32) for i in range(4)), tuple(variable() for _ in range(6)))
    assert isinstance(matrix, Asm) and not matrix.may_sync and len(matrix.outputs) == 4


def test_a_value_moved_through_a_register() -> None:
    text = "{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }"
    given = pointer("s", F32, Space.SHARED)
    value = assigned(asm(text, (output(),), (given,)))
    while isinstance(value, Cast):
        value = value.operand
    assert value is given


def test_unknown_text_may_do_anything_and_no_text_nothing() -> None:
    unknown = asm("frobnicate.sync %0;", (output(),))
    assert isinstance(unknown, Asm) and unknown.may_sync and unknown.writes_memory
    mixed = asm("bar.sync 0; frobnicate;")
    assert isinstance(mixed, Asm) and mixed.may_sync
    empty = asm("")
    assert isinstance(empty, Asm) and not empty.may_sync and not empty.writes_memory
    assert isinstance(asm("trap;"), Trap)


def test_loops_of_arithmetic_have_no_effect_and_other_loops_are_not_known() -> None:
    harmless = asm("L: add.u32 %0, %0, 1; setp.lt.u32 p, %0, 9; @p bra L;", (output(),))
    assert isinstance(harmless, Asm) and not harmless.may_sync
    spinning = asm("L: ld.acquire.gpu.u32 %0, [%1]; setp.ne.u32 p, %0, 1; @p bra L;", (output(),), (pointer("f", U32),))
    assert isinstance(spinning, Asm) and spinning.may_sync


def test_tensor_memory() -> None:
    loaded = asm(
        "tcgen05.ld.sync.aligned.32x32b.x2.b32{%0, %1}, [%2];", (output("a"), output("b")), (variable("t", U32),)
    )
    assert isinstance(loaded, Asm) and not loaded.may_sync and len(loaded.outputs) == 2
    alloc = asm("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;", (), (variable(), variable()))
    before, stored, after = alloc.body
    for meeting in (before, after):
        assert isinstance(meeting.expr, Barrier) and meeting.expr.scope is Scope.WARP
    assert isinstance(stored, If)  # one lane stores for the warp
    assert isinstance(stored.then.expr, Assign) and isinstance(stored.then.expr.target, Deref)
    multiply = asm("tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3;", (), tuple(variable() for _ in range(4)))
    assert isinstance(multiply, Asm) and multiply.may_sync


def test_lines_continued_inside_a_string() -> None:
    node = expression(asm("\\\n s_waitcnt lgkmcnt(0) \\n \\\n s_barrier \\n"))
    assert isinstance(node, Barrier)


# ------------------------------------------------------------------------------------------------------------ GCN


@pytest.mark.parametrize(
    ("text", "may_sync", "writes"),
    [
        ("v_add_f32 %0, %1, %2", False, False),
        ("s_waitcnt vmcnt(0)", False, False),
        ("global_load_dwordx4 %0, %1, off\\n\\ts_waitcnt vmcnt(0)", False, False),
        ("buffer_store_dword %0, %1, %2, 0 offen", False, True),
        ("ds_write_b32 %0, %1", False, True),
        ("s_cbranch_scc0 L", True, True),
    ],
)
def test_gcn_effects(text: str, may_sync: bool, writes: bool) -> None:
    node = asm(text, (output(),), (variable(), variable()))
    assert isinstance(node, Asm) and (node.may_sync, node.writes_memory) == (may_sync, writes)


def test_gcn_barrier() -> None:
    node = expression(asm("s_waitcnt lgkmcnt(0)\\n s_barrier"))
    assert isinstance(node, Barrier) and node.scope is Scope.BLOCK


def test_no_text_makes_the_lowering_fail() -> None:
    """Every known instruction with every small number of operands, well formed or not."""
    opcodes = [*_HANDLERS, *PURE, "s_barrier", "v_add", "ds_write_b32", "", "@", "{", "L:"]
    modifiers = [
        "",
        ".sync",
        ".async",
        ".async.ca",
        ".sync.bfly.b32",
        ".u32",
        ".v4.f32",
        ".red.popc.u32",
        ".try_wait.b64",
        ".x4.b16",
    ]
    operands = ["", "%0", "[%0]", "%9", "{%0, %1}", "[%0 + 4]", "p|q", "!p", "0x1f", "[]", "{}"]
    for opcode in opcodes:
        for modifier in modifiers:
            for count in range(5):
                for start in range(len(operands)):
                    parts = [operands[(start + i) % len(operands)] for i in range(count)]
                    node = asm(f"@p {opcode}{modifier} {', '.join(parts)};", (output(),), (pointer(), variable()))
                    assert isinstance(node, Stmt)
