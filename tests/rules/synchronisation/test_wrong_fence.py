"""Fences and scopes that are too narrow."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.wrong_fence import WrongFence

from tests.rules.marked import assert_marked, findings

OPENCL = {
    "local data behind a global fence": """
__kernel void k(__global float *o, __local float *s) {
    int t = get_local_id(0);
    s[t] = o[t];
    barrier(CLK_GLOBAL_MEM_FENCE); // bad
    o[t] = s[get_local_size(0) - 1 - t];
}
""",
    "global data behind a local fence": """
__kernel void k(__global float *o, __global float *p) {
    int t = get_local_id(0), g = get_group_id(0) * get_local_size(0);
    p[g + t] = o[g + t];
    barrier(CLK_LOCAL_MEM_FENCE); // bad
    if (t > 0) o[g + t] = p[g + t - 1];
}
""",
    "both": """
__kernel void k(__global float *o, __local float *s) {
    int t = get_local_id(0);
    s[t] = o[t];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    o[t] = s[get_local_size(0) - 1 - t];
}
""",
    "rounds behind a global fence": """
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void k(__global const float *e, __global float *o) {
    __local float s[64];
    const int l = get_local_id(0);
    s[l] = e[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int h = 32; h > 0; h >>= 1) {
        if (l < h) s[l] += s[l + h];
        barrier(CLK_GLOBAL_MEM_FENCE); // bad
    }
    if (l == 0) o[get_group_id(0)] = s[0];
}
""",
    "the first of many rounds": """
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void k(__global const float *e, __global float *o) {
    __local float s[64];
    const int l = get_local_id(0);
    s[l] = e[get_global_id(0)];
    barrier(CLK_GLOBAL_MEM_FENCE); // bad
    for (int h = 32; h > 0; h >>= 1) {
        if (l < h) s[l] += s[l + h];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) o[get_group_id(0)] = s[0];
}
""",
    "global data handed on to the next round": """
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void k(__global float *e, const int n) {
    const int l = get_local_id(0), g = get_group_id(0) * 64;
    for (int b = 0; b < n; b++) {
        const float v = e[g + (l + 1) % 64];
        barrier(CLK_GLOBAL_MEM_FENCE);
        e[g + l] = v * 0.5f;
        barrier(CLK_LOCAL_MEM_FENCE); // bad
    }
}
""",
    "rounds behind a local fence": """
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void k(__global const float *e, __global float *o, int n) {
    __local float s[64];
    const int l = get_local_id(0);
    float sum = 0.0f;
    for (int b = 0; b < n; b += 64) {
        s[l] = e[b + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 64; i++) sum += s[i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[get_global_id(0)] = sum;
}
""",
    "own data needs no fence": """
__kernel void k(__global float *o, __local float *s) {
    int t = get_local_id(0);
    s[t] = o[t];
    barrier(CLK_GLOBAL_MEM_FENCE);
    o[t] = s[t];
}
""",
}

CUDA = {
    "a narrow fence before the ticket": """
__device__ unsigned done;
__global__ void k(const float *a, float *part, float *o) {
    if (threadIdx.x != 0) return;
    part[blockIdx.x] = a[blockIdx.x]; // bad
    __threadfence_block();
    if (atomicAdd(&done, 1u) == gridDim.x - 1) {
        float s = 0;
        for (int b = 0; b < gridDim.x; ++b) s += part[b];
        *o = s;
    }
}
""",
    "block scope across blocks": """
__global__ void k(int *count, const int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd_block(count, 1); // bad
}
""",
    "block scope within a block": """
__global__ void k(int *count, const int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd_block(&count[blockIdx.x], 1);
}
""",
}


@pytest.mark.parametrize("name", OPENCL)
def test_opencl(name: str) -> None:
    assert_marked(WrongFence, OPENCL[name], "opencl")


@pytest.mark.parametrize("name", CUDA)
def test_cuda(name: str) -> None:
    assert_marked(WrongFence, CUDA[name])


def test_the_emulator_sees_barriers_that_leave_a_space_out_and_scopes_that_are_too_narrow() -> None:
    for name in ("local data behind a global fence", "global data behind a local fence"):
        [found] = findings(WrongFence, OPENCL[name], "opencl")
        assert found.witness is not None and found.witness.replayed, name
    [found] = findings(WrongFence, CUDA["block scope across blocks"])
    assert found.witness is not None and found.witness.replayed


RETIRED = """
__device__ unsigned done;
__global__ void totals(const float *in, float *part, float *out) {
    __shared__ bool last;
    int t = threadIdx.x;
    @store
    __threadfence();
    @wait
    if (t == 0) last = atomicAdd(&done, 1u) == gridDim.x - 1; @mark
    __syncthreads();
    if (last) {
        float sum = 0.0f;
        for (int b = 0; b < gridDim.x; ++b) sum += part[b * blockDim.x + t];
        out[t] = sum;
    }
}
"""
ALL = "part[blockIdx.x * blockDim.x + t] = in[blockIdx.x * blockDim.x + t];"
ONE = "if (t == 0) part[blockIdx.x * blockDim.x] = in[blockIdx.x];"


@pytest.mark.parametrize(
    ("store", "wait", "mark"),
    [(ALL, "", "// bad"), (ALL, "__syncthreads();", ""), (ONE, "", "")],
)
def test_a_ticket_waits_for_all_threads(store: str, wait: str, mark: str) -> None:
    assert_marked(WrongFence, RETIRED.replace("@store", store).replace("@wait", wait).replace("@mark", mark))


STRIPS = """
__global__ void strips(const float *in, float *part, int *done, float *out, int width, int rows) {
    __shared__ float sums[1024];
    __shared__ bool last;
    int c = blockIdx.x * blockDim.x + threadIdx.x, at = threadIdx.y * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < rows; r += blockDim.y * gridDim.y)
        sum += c < width ? in[r * width + c] : 0.0f;
    sums[at] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && @who) {
        for (int k = 1; k < blockDim.y; ++k) sum += sums[k * blockDim.x + threadIdx.x];
        part[blockIdx.y * width + c] = sum;
    }
    __threadfence();
    @wait
    if (threadIdx.x == 0 && threadIdx.y == 0)
        last = atomicAdd(&done[blockIdx.x], 1) == gridDim.y - 1; @mark
    __syncthreads();
    if (last && threadIdx.y == 0 && c < width) {
        sum = 0;
        for (int b = 0; b < gridDim.y; ++b) sum += part[b * width + c];
        out[c] = sum;
    }
}
"""


@pytest.mark.parametrize(
    ("who", "wait", "mark"),
    [("c < width", "", "// bad"), ("c < width", "__syncthreads();", ""), ("threadIdx.x == 0 && c < width", "", "")],
)
def test_a_ticket_for_each_strip_waits_for_its_row_of_threads(who: str, wait: str, mark: str) -> None:
    assert_marked(WrongFence, STRIPS.replace("@who", who).replace("@wait", wait).replace("@mark", mark))


TAKEN = """
__global__ void push(TYPE *rest, float *sum, float *seen, const int *work, const int *to, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int at = work[i];
        TYPE got = atomicExch(&rest[at], 0); @mark
        if (got == 0) continue;
        seen[at] = sum[at] + 1.0f;
        sum[at] = seen[at] * 0.5f;
        atomicAdd(&rest[to[at]], got);
    }
}
"""


@pytest.mark.parametrize(("kind", "told"), [("float", False), ("int", True)])
def test_an_amount_that_is_taken_tells_nothing(kind: str, told: bool) -> None:
    text = TAKEN.replace("TYPE", kind).replace("@mark", "")
    assert bool(findings(WrongFence, text)) is told


GIVEN_BACK = """
__global__ void ranks(int *locks, float *best, const int *cell, const float *x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int c = cell[i];
    while (atomicCAS(&locks[c], 0, 1)) {}
    __threadfence();
    if (x[i] > best[c]) best[c] = x[i];
    %s
}
"""


@pytest.mark.parametrize(
    ("given", "bad"),
    [
        ("locks[c] = 0;", True),
        ("__threadfence(); locks[c] = 0;", False),
        ("__threadfence(); atomicExch(&locks[c], 0);", False),
    ],
)
def test_locks_that_a_plain_store_gives_back(given: str, bad: bool) -> None:
    assert bool(findings(WrongFence, GIVEN_BACK % given)) is bad


QUEUE = """
__global__ void walk(int *state, float *spare, float *sums, int n, int parts) {
    __shared__ int part;
    while (true) {
        if (threadIdx.x == 0) part = atomicAdd(&state[n], 1);
        __syncthreads();
        const int mine = part;
        __syncthreads();
        if (mine >= parts) return;
        if (mine % 7 == 0) {
            if (threadIdx.x == 0)
                while (atomicExch(&state[n + 1], 1) != 0) { }
            __syncthreads();
            spare[threadIdx.x] = spare[threadIdx.x] + mine;
            __syncthreads();
            FENCE
            if (threadIdx.x == 0) atomicExch(&state[n + 1], 0);
        }
        sums[mine * blockDim.x + threadIdx.x] += 1.0f;
        state[mine] = 1;
        __syncthreads();
    }
}
"""


def test_a_lock_is_given_back_where_and_as_it_was_free() -> None:
    """Neither a mark in another element, nor one like that of who takes it, gives it back; a queue is no wait."""
    kept = findings(WrongFence, QUEUE.replace("FENCE", "__threadfence();"))
    assert not [one for one in kept if "sums" in one.message]
    bare = findings(WrongFence, QUEUE.replace("FENCE", ""))
    assert [one.message.split()[0] for one in bare] == ["spare"]


SEVERAL = """
__global__ void drain(int *gate, const int *order, float *heap, float *sums, float *marks, int n) {
    for (int k = blockIdx.x; k < n; k += gridDim.x) {
        const int mine = order[k];
        if (threadIdx.x == 0)
            while (atomicExch(gate, 1) != 0) { }
        __syncthreads();
        HEAP
        sums[mine] = sums[mine] + 1.0f;
        marks[mine] = marks[mine] * 0.5f;
        __syncthreads();
        if (threadIdx.x == 0) atomicExch(gate, 0);
    }
}
"""


@pytest.mark.parametrize(
    ("heap", "first", "more"),
    [("heap[threadIdx.x] = heap[threadIdx.x] + mine;", "heap", 0), ("", "sums", 1)],
)
def test_one_fence_that_a_lock_lacks_is_told_once(heap: str, first: str, more: int) -> None:
    """What lies at a place of the kernel's own goes before what data pick; without it, these are named together."""
    (found,) = findings(WrongFence, SEVERAL.replace("HEAP", heap))
    assert found.message.startswith(first)
    assert sum(one.message.startswith("so is") for one in found.related) == more


UNSEEN_TYPE = """
#include "types.h"
__global__ void deposit(const int *cell, const Real *m, Real *momentum, Real *density, int n, Real most) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    for (int i = 0; i < 3; i++) {
        const int c = cell[t] + i;
        if (abs(momentum[c] / density[c]) >= most) printf("%f", momentum[c] / density[c]);
        atomicAdd(&momentum[c], ADDED);
        density[c] = m[t];
        if (abs(momentum[c] / density[c]) >= most) printf("%f", momentum[c] / density[c]);
    }
}
"""


@pytest.mark.parametrize(("added", "told"), [("m[t]", False), ("1", True)])
def test_a_sum_of_a_type_out_of_sight_counts_nobody(added: str, told: bool) -> None:
    assert bool(findings(WrongFence, UNSEEN_TYPE.replace("ADDED", added))) is told
