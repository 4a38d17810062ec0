"""Inline assembly and atomic builtins that come out of macros: clang shows their operands, not their names."""

from __future__ import annotations

from pathlib import Path

from kernlint.frontends.clang.frontend import ClangFrontend
from kernlint.source import SourceFile
from kernlint.tree.dump import module_text
from kernlint.tree.nodes import FunctionDecl


def lower(text: str, path: str = "macros.cu") -> tuple[str, FunctionDecl]:
    """The printed module, and its only kernel."""
    (module,) = ClangFrontend().parse_file(SourceFile(path, text.encode()))
    return module_text(module), module.kernels[0].function


def test_assembly_in_a_macro() -> None:
    text, kernel = lower(
        """
#define WAIT_GROUP(n) asm volatile("cp.async.wait_group %0;\\n" :: "n"(n))
#define LANE(x)                     \\
    do {                            \\
        asm("mov.u32 %0, %%laneid;" \\
            : "=r"(x));             \\
    } while (0)
#define OUTER(x) LANE(x)
__global__ void k(int* p) {
    unsigned lane;
    OUTER(lane);
    WAIT_GROUP(2);
    p[lane] = 0;
}
"""
    )
    assert "lane = @lane_id" in text
    assert "AsyncWait" in text and "pending=2" in text
    assert not kernel.losses


def test_a_macro_with_several_instructions_of_unknown_order_is_lost() -> None:
    _, kernel = lower(
        """
#define BOTH(x) asm("mov.u32 %0, %%laneid;" : "=r"(x)); asm volatile("bar.sync 0;")
__global__ void k(int* p) {
    unsigned lane;
    BOTH(lane);
    p[lane] = 0;
}
"""
    )
    assert any(loss.kind == "statement" for loss in kernel.losses)


def test_atomic_builtins_with_and_without_a_macro() -> None:
    text, kernel = lower(
        """
#define LOAD(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
__global__ void k(unsigned* p, unsigned v) {
    __atomic_store_n(p, v, __ATOMIC_RELEASE);
    while (LOAD(p) != v) {}
}
"""
    )
    assert "Atomic:__atomic_store_n(op=store, pointer=p, operands=(v)" in text
    assert "order=acquire" in text
    assert not kernel.losses


def test_assert_is_an_assumption() -> None:
    text, _ = lower("__global__ void k(int* p, int n) { assert(n > 0); p[0] = n; }")
    assert "Assume(cond=(n > 0), checked=True)" in text


def test_shuffles_have_no_width_by_default() -> None:
    text, kernel = lower("__global__ void k(int* p) { p[0] = __shfl_down_sync(0xffffffffu, p[1], 4); }")
    assert "kind=shuffle_down" in text and "width" not in text
    assert not kernel.losses
    hip, kernel = lower("__global__ void k(int* p) { p[0] = __shfl_down(p[1], 4); }", "shuffle.hip")
    assert "kind=shuffle_down" in hip and "width" not in hip
    assert not kernel.losses


def test_files_are_read_from_disk_too(tmp_path: Path) -> None:
    header = tmp_path / "macros.h"
    header.write_text('#define SYNC_ALL() asm volatile("bar.sync 0;")\n')
    source = tmp_path / "a.cu"
    source.write_text('#include "macros.h"\n__global__ void k(int* p) { p[0] = 1; SYNC_ALL(); p[1] = p[0]; }\n')
    text, kernel = lower(source.read_text(), str(source))
    assert "Barrier:bar.sync" in text and not kernel.losses


def test_reading_an_atomic_object_is_an_atomic_load() -> None:
    text, _ = lower(
        """
#include <cuda/atomic>
__global__ void k(cuda::atomic<int, cuda::thread_scope_device>* counter, int* out) {
    int seen = *counter;
    counter->fetch_add(1, cuda::memory_order_relaxed);
    out[0] = seen;
}
"""
    )
    assert "Atomic:operator int(op=load, pointer=counter, scope=grid, order=seq_cst)" in text
    assert "Atomic:fetch_add(op=add, pointer=counter, operands=(1), scope=grid, order=relaxed)" in text
