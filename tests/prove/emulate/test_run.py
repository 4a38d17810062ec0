"""The run itself: budgets, arguments, repeatability, dependence on data."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from kernlint.prove.emulate import Budget, Buffer, FaultKind, LaunchSpec, Outcome, memory, run
from kernlint.source import Span
from kernlint.tree.nodes import Block, ExprStmt, FunctionDecl, FunctionKind, Opaque, OpaqueStmt
from kernlint.tree.types import UNKNOWN, VOID

Emulate = Callable[..., Outcome]

SPIN = "__global__ void spin(volatile int* flag) { while (flag[0] != 1234567) { } }"


def test_an_endless_loop_exhausts_the_budget(emulate: Emulate) -> None:
    outcome = emulate(SPIN, 32, budget=Budget(steps=2000))
    assert outcome.exhausted and not outcome.finished and outcome.unsupported is None
    assert 2000 < outcome.steps < 2100


def test_enormous_copies_exhaust_the_budget(emulate: Emulate) -> None:
    text = """__kernel void f(__global float* a, __local float* s, ulong n) {
      @
    }"""
    args = {"n": 1 << 60}
    for copy in ("event_t e = async_work_group_copy(s, a, n, 0); wait_group_events(1, &e);", "vstore4(0, n, a);"):
        outcome = emulate(text.replace("@", copy), 1, 1, args, language="opencl")
        assert outcome.exhausted or outcome.finished
    text = "__global__ void f(char* a, const char* b, size_t n) { memcpy(a, b, n); memset(a, 0, n); }"
    assert emulate(text, 1, 1, args).exhausted


def test_exponential_recursion_ends(emulate: Emulate) -> None:
    text = """__device__ int f(int n) { return n < 1 ? 1 : f(n - 1) + f(n - 1); }
    __global__ void g(int* a) { a[0] = f(60); }"""
    assert emulate(text, 1).exhausted


def test_endless_recursion_ends(emulate: Emulate) -> None:
    text = "__device__ int f(int n) { return f(n + 1) + 1; } __global__ void g(int* a) { a[0] = f(0); }"
    outcome = emulate(text, 1)
    assert not outcome.finished and "recursion" in (outcome.unsupported or "")


def test_a_missing_number_is_a_reason_not_a_guess(emulate: Emulate) -> None:
    text = "__global__ void f(int* a, int n) { a[n] = 1; }"
    assert "n" in (emulate(text, 1).unsupported or "")
    assert emulate(text, 1, 1, {"n": 1}).clean


def test_launches_that_make_no_sense(emulate: Emulate) -> None:
    text = "__global__ void f() {}"
    assert emulate(text, 2048).unsupported
    assert emulate(text, 32, 0).unsupported


def test_a_run_repeats_itself(emulate: Emulate) -> None:
    text = "__global__ void f(int* a, const int* b) { a[b[threadIdx.x]] += b[blockIdx.x]; }"
    assert emulate(text, 64, 3) == emulate(text, 64, 3)
    assert emulate(text, 64, 3, seed=1) != emulate(text, 64, 3)


def test_faults_that_depend_on_data_are_told_apart(emulate: Emulate) -> None:
    text = """__global__ void scatter(int* out, const int* to, int n) {
      __shared__ int s[64];
      s[threadIdx.x] = 0;
      out[threadIdx.x] = s[63 - threadIdx.x];
      if (to[0] == n) out[100] = threadIdx.x;
    }"""
    first = emulate(text, 64, 1, {"n": -1}, seeds=(0, 1, 2))
    assert first.finished and first.faults and all(fault.data_independent for fault in first.faults)
    seed = next(
        seed for seed in range(20) if len({f.name for f in emulate(text, 64, 1, {"n": 3}, seed=seed).faults}) == 2
    )
    mixed = emulate(text, 64, 1, {"n": 3}, seeds=(seed, *(other for other in range(20, 24))))
    assert {fault.name: fault.data_independent for fault in mixed.faults} == {"s": True, "out": False}


def test_chosen_blocks(kernel: Callable[..., FunctionDecl]) -> None:
    function = kernel("__global__ void f(int* a) { a[blockIdx.x] = threadIdx.x; }")
    launch = LaunchSpec((1, 1, 1), (1000, 1, 1), ((999, 0, 0), (5, 0, 0)))
    outcome = run(function, launch, {"a": Buffer(4 * 999)})
    assert outcome.blocks == ((999, 0, 0), (5, 0, 0))
    assert [fault.element for fault in outcome.faults] == [999]


def test_faults_are_limited(emulate: Emulate) -> None:
    lines = " ".join(f"s[{i}] = threadIdx.x;" for i in range(30))
    text = f"__global__ void f() {{ __shared__ int s[30]; {lines} }}"
    assert len(emulate(text, 64).faults) == 60  # in a warp, and between warps
    assert len(emulate(text, 64, budget=Budget(faults=7)).faults) == 7


def test_counts_add_up(emulate: Emulate) -> None:
    text = "__global__ void f(int* a) { a[-1 - (int)threadIdx.x] = 1; }"
    outcome = emulate(text, 64)
    assert [(fault.kind, fault.count) for fault in outcome.faults] == [(FaultKind.OUT_OF_BOUNDS, 64)]


def test_code_that_was_not_understood() -> None:
    at = Span("t.cu", 0, 1)
    for node in (OpaqueStmt(at, "why"), ExprStmt(at, Opaque(at, UNKNOWN, "why"))):
        function = FunctionDecl(at, "f", "f", FunctionKind.KERNEL, (), VOID, Block(at, (node,)))
        assert "why" in (run(function, LaunchSpec((1, 1, 1))).unsupported or "")


def test_a_function_without_a_body() -> None:
    at = Span("t.cu", 0, 1)
    function = FunctionDecl(at, "f", "f", FunctionKind.KERNEL, (), VOID, None)
    assert run(function, LaunchSpec((1, 1, 1))).unsupported


def test_a_value_that_fits_no_cell_is_a_reason(emulate: Emulate, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> bytes:
        raise struct.error("required argument is not a float")

    monkeypatch.setattr(memory, "pack", refuse)
    outcome = emulate("__global__ void k(char *x) { *(float *)(x + threadIdx.x) = 1.0f; }", 4)
    assert "not understood" in (outcome.unsupported or "") and not outcome.finished


def test_other_contents_go_no_further_than_the_first_that_did_not_end(emulate: Emulate) -> None:
    text = """__global__ void f(int* a, volatile int* flag) {
        a[1] = 0;
        while (flag[0] != 1234567) { }
    }"""
    outcome = emulate(text, 1, args={"a": Buffer(4)}, budget=Budget(steps=200_000), seeds=(0, 1, 2))
    assert outcome.exhausted and 200_000 < outcome.steps < 260_000
    (fault,) = outcome.of(FaultKind.OUT_OF_BOUNDS)
    assert fault.data_independent


def test_words_are_read_as_bytes_were_written(emulate: Emulate) -> None:
    text = """__global__ void f(int* out) {
        __shared__ unsigned char s[16];
        for (int i = 0; i < 16; ++i) s[i] = i + 1;
        unsigned* words = reinterpret_cast<unsigned*>(s);
        unsigned short* halves = reinterpret_cast<unsigned short*>(s);
        words[1] = 0x04030201u;
        halves[4] = 0x0506;
        out[0] = 0;
        if (words[0] != 0x04030201u || halves[2] != 0x0201 || s[7] != 4 || words[2] != 0x0c0b0506u) out[-1] = 0;
    }"""
    outcome = emulate(text, 1, args={"out": Buffer(4)})
    assert outcome.finished and not outcome.faults
