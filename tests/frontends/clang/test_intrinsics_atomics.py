"""Atomics of all dialects."""

from __future__ import annotations

import pytest

from kernlint.frontends.clang.intrinsics.atomics import written_order
from kernlint.tree.nodes import AddressOf, Assign, Atomic, Binary, Call, Deref, Expr, IntLit, Opaque, Scope
from kernlint.tree.types import BOOL, I32, U32, VOID, OpaqueType, PointerType, Space
from tests.frontends.clang.intrinsic_calls import SPAN, call, number, of_class, pointer, variable


def atomic(node: Expr | None) -> Atomic:
    assert isinstance(node, Atomic)
    return node


@pytest.mark.parametrize(
    ("name", "op", "scope"),
    [
        ("atomicAdd", "add", Scope.GRID),
        ("atomicAdd_block", "add", Scope.BLOCK),
        ("atomicMax_system", "max", Scope.SYSTEM),
        ("atomicExch", "exchange", Scope.GRID),
        ("atomicInc", "inc", Scope.GRID),
        ("unsafeAtomicAdd", "add", Scope.GRID),
        ("gpuAtomicAdd", "add", Scope.GRID),
        ("gpuAtomicMul", "mul", Scope.GRID),
    ],
)
def test_cuda_atomics(name: str, op: str, scope: Scope) -> None:
    at, value = pointer(to=I32), variable()
    node = atomic(call(name, at, value))
    assert (node.op, node.scope, node.order) == (op, scope, "relaxed")
    assert node.pointer is at and node.operands == (value,)


def test_compare_and_swap_has_two_operands() -> None:
    node = atomic(call("atomicCAS", pointer(to=I32), number(0), number(1)))
    assert node.op == "cas" and len(node.operands) == 2


def test_a_call_with_too_few_arguments_is_no_atomic() -> None:
    assert call("atomicAdd", pointer(to=I32)) is None


@pytest.mark.parametrize(
    ("name", "op", "operand"),
    [("atomic_inc", "add", 1), ("atomic_dec", "sub", 1), ("atom_inc", "add", 1)],
)
def test_opencl_steps_add_one_without_a_bound(name: str, op: str, operand: int) -> None:
    node = atomic(call(name, pointer(to=I32, space=Space.SHARED), language="opencl"))
    assert node.op == op
    (value,) = node.operands
    assert isinstance(value, IntLit) and value.value == operand


def test_opencl_1_and_2() -> None:
    old = atomic(call("atomic_add", pointer(to=I32), number(2), language="opencl"))
    assert (old.op, old.order, old.scope) == ("add", "relaxed", Scope.GRID)
    assert atomic(call("atomic_cmpxchg", pointer(to=I32), number(0), number(1), language="opencl")).op == "cas"
    new = atomic(call("atomic_fetch_add", pointer(to=I32), number(2), language="opencl"))
    assert (new.op, new.order) == ("add", "seq_cst")
    explicit = call("atomic_fetch_max_explicit", pointer(to=I32), number(2), number(0), number(1), language="opencl")
    assert (atomic(explicit).order, atomic(explicit).scope) == ("relaxed", Scope.BLOCK)
    load = atomic(call("atomic_load_explicit", pointer(to=I32), number(2), number(2), language="opencl"))
    assert (load.op, load.order, load.scope, load.operands) == ("load", "acquire", Scope.GRID, ())
    store = atomic(call("atomic_store", pointer(to=I32), number(1), type_=VOID, language="opencl"))
    assert store.op == "store" and len(store.operands) == 1


def test_opencl_init_is_a_plain_store_and_flags_are_atomic() -> None:
    node = call("atomic_init", pointer(to=I32), number(0), type_=VOID, language="opencl")
    assert isinstance(node, Assign) and isinstance(node.target, Deref)
    assert atomic(call("atomic_flag_test_and_set", pointer(to=I32), type_=BOOL, language="opencl")).op == "flag_set"
    assert atomic(call("atomic_flag_clear", pointer(to=I32), type_=VOID, language="opencl")).op == "store"


def test_hip_scopes_are_numbered_otherwise() -> None:
    node = atomic(call("__hip_atomic_fetch_add", pointer(to=I32), number(1), number(0), number(3), language="hip"))
    assert (node.scope, node.order) == (Scope.BLOCK, "relaxed")
    agent = atomic(call("__hip_atomic_load", pointer(to=I32), number(2), number(4), language="hip"))
    assert (agent.scope, agent.order) == (Scope.GRID, "acquire")


def test_unknown_scope_and_order_are_the_strongest() -> None:
    args = (pointer(to=I32), number(1), variable("order"), variable("scope"))
    node = atomic(call("__hip_atomic_fetch_add", *args, language="hip"))
    assert (node.scope, node.order) == (Scope.SYSTEM, "seq_cst")


def test_new_value_forms_compute_from_the_old_value() -> None:
    node = call("__atomic_add_fetch", pointer(to=I32), number(4), number(5))
    assert isinstance(node, Binary) and node.op == "+"
    assert atomic(node.lhs).op == "add" and isinstance(node.rhs, IntLit)


def test_compare_exchange_updates_what_was_expected() -> None:
    expected = variable("expected")
    address = AddressOf(SPAN, PointerType(I32), expected)
    node = call("atomic_compare_exchange_strong", pointer(to=I32), address, number(1), type_=BOOL, language="opencl")
    assert isinstance(node, Binary) and node.op == "==" and node.lhs is expected
    assert isinstance(node.rhs, Assign) and node.rhs.target is expected
    swap = atomic(node.rhs.value)
    assert swap.op == "cas" and swap.operands[0] is expected


def test_generic_gcc_load_stores_into_its_result() -> None:
    result = variable("result")
    node = call("__atomic_load", pointer(to=I32), AddressOf(SPAN, PointerType(I32), result), number(2), type_=VOID)
    assert isinstance(node, Assign) and node.target is result and atomic(node.value).order == "acquire"


@pytest.mark.parametrize(
    ("spelling", "scope"),
    [
        ("cuda::atomic<int, cuda::thread_scope_block>", Scope.BLOCK),
        ("cuda::atomic<int, cuda::thread_scope_device>", Scope.GRID),
        ("cuda::atomic<int, (cuda::thread_scope)1>", Scope.GRID),
        ("cuda::atomic<int>", Scope.SYSTEM),
        ("cuda::std::atomic<int>", Scope.SYSTEM),
    ],
)
def test_atomic_objects(spelling: str, scope: Scope) -> None:
    node = atomic(call("fetch_add", number(1), number(0), on=of_class(spelling)))
    assert (node.op, node.scope, node.order) == ("add", scope, "relaxed")
    assert isinstance(node.pointer, AddressOf)


def test_operators_of_atomic_objects() -> None:
    object_ = of_class("cuda::atomic<int, cuda::thread_scope_device>")
    before = call("operator++", on=object_)
    assert isinstance(before, Binary) and atomic(before.lhs).op == "add"
    assert atomic(call("operator++", number(0), on=object_)).op == "add"
    assert atomic(call("operator=", number(3), on=object_)).op == "store"
    assert atomic(call("operator int", on=object_)).op == "load"
    compound = call("operator-=", number(3), on=object_)
    assert isinstance(compound, Binary) and compound.op == "-" and atomic(compound.lhs).op == "sub"


def test_atomic_ref_leads_to_its_object() -> None:
    class_ = OpaqueType("cuda::atomic_ref<unsigned int, cuda::thread_scope_device>")
    place = Deref(SPAN, U32, pointer(to=U32))
    made = Call(SPAN, class_, "cuda::atomic_ref::atomic_ref", None, (place,))
    node = atomic(call("fetch_add", number(1), on=of_class(class_.spelling, init=made), type_=U32))
    assert node.pointer is place.pointer and node.scope is Scope.GRID
    unknown = atomic(call("fetch_add", number(1), on=of_class(class_.spelling), type_=U32))
    assert isinstance(unknown.pointer, Opaque)


@pytest.mark.parametrize(
    ("name", "kept", "written"),
    [
        ("__atomic_store_n", "pov", "pvo"),
        ("__atomic_load_n", "po", "po"),
        ("__hip_atomic_load", "pos", "pos"),
        ("__hip_atomic_fetch_add", "povs", "pvos"),
        ("__atomic_load", "pov", "pvo"),
        ("__atomic_exchange", "povw", "pvwo"),
        ("__atomic_compare_exchange_n", "poefdw", "pedwof"),
        ("__hip_atomic_compare_exchange_strong", "poefds", "pedofs"),
        ("atomicAdd", "pov", "pov"),
    ],
)
def test_operands_of_builtins_are_put_back_into_the_written_order(name: str, kept: str, written: str) -> None:
    parts = {letter: variable(letter) for letter in kept}
    ordered = written_order(name, tuple(parts[letter] for letter in kept))
    assert ordered == tuple(parts[letter] for letter in written)


def test_an_atomic_behind_a_pointer() -> None:
    class_ = "cuda::atomic<int, cuda::thread_scope_device>"
    at = pointer(to=OpaqueType(class_))
    assert atomic(call("fetch_add", number(1), on=at, of=class_)).pointer is at
