"""Slots drawn from a counter, and data before the test that they are in their segment."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.late_bounds_guard import LateBoundsGuard
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from tests.rules.marked import findings

BINS = """
__global__ void sort_in(const unsigned *hash, unsigned *fill, unsigned *bins, unsigned *lost, int n, unsigned room) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned bin = hash[i] % 1024u;
    const unsigned slot = atomicAdd(&fill[bin], 1u);
    BODY
}
"""


@pytest.mark.parametrize(
    "body, bad",
    [
        ("bins[bin * 64 + slot] = i; if (slot >= 64) atomicAdd(lost, 1u);", True),
        ("bins[bin * room + slot] = i; if (slot >= room) atomicAdd(lost, 1u);", True),
        ("if (slot < 64) bins[bin * 64 + slot] = i; else atomicAdd(lost, 1u);", False),
        ("bins[bin * 64 + slot] = i; if (slot == 63) atomicAdd(lost, 1u);", False),
        ("bins[bin * 64 + slot] = i; if (slot >= 48) atomicAdd(lost, 1u);", False),
        ("bins[bin * 64 + slot] = i;", False),
    ],
)
def test_a_slot_is_tested_against_its_row_when_it_has_been_used(body: str, bad: bool) -> None:
    assert bool(findings(LateBoundsGuard, BINS.replace("BODY", body))) is bad


KEPT = """
__global__ void keep(const float *x, int n, int *list, float *values, int *count, int room) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || x[i] <= 0.0f) return;
    const int slot = atomicAdd(count, 1);
    BODY
}
"""


@pytest.mark.parametrize(
    "body, bad",
    [
        ("if (slot < room) list[slot] = i; values[slot] = x[i];", True),
        ("if (slot < room) { list[slot] = i; values[slot] = x[i]; }", False),
        ("if (slot >= room) return; list[slot] = i; values[slot] = x[i];", False),
        ("if (slot < n) list[slot] = i; if (slot < room) values[slot] = x[i];", False),
    ],
)
def test_one_of_two_arrays_is_stored_to_at_a_slot_that_is_not_tested(body: str, bad: bool) -> None:
    assert bool(findings(MissingBoundsGuard, KEPT.replace("BODY", body))) is bad


SEGMENTS = """
__global__ void lengths(const int *first, const int *start, int *length, int each) {
    const int begin = first[blockIdx.x], end = first[blockIdx.x + 1];
    int share = 1;
    while (share * 2 * (end - begin) <= 128) share *= 2;
    const int row = begin + threadIdx.x / share;
    READ
    if (row < end && threadIdx.x % share == 0) length[row] = size;
}
"""


@pytest.mark.parametrize(
    "read, bad",
    [
        ("const int size = start[row + 1] - start[row];", True),
        ("int size = 0; if (row < end) size = start[row + 1] - start[row];", False),
    ],
)
def test_rows_of_a_segment_are_read_before_they_are_tested(read: str, bad: bool) -> None:
    assert bool(findings(LateBoundsGuard, SEGMENTS.replace("READ", read))) is bad


PACKED = """
__global__ void unpack(const unsigned *words, const float *scales, float *out, int rows, int cols) {
    const int lane = threadIdx.x % 8, r = blockIdx.x * 16 + threadIdx.x / 8;
    const unsigned word = r < rows ? words[(size_t)r * (cols / 8) + lane] : 0u;
    const float scale = SCALE;
    if (r < rows) out[(size_t)r * cols + lane] = scale * (word & 15u);
}
LAUNCH
"""
ROUNDED = """void run(const unsigned *w, const float *s, float *o, int rows, int cols) {
    unpack<<<(rows + 15) / 16, 128>>>(w, s, o, rows, cols);
}"""


def test_rows_of_one_matrix_packed_in_two_ways_are_as_many() -> None:
    code = PACKED.replace("SCALE", "scales[(size_t)r * (cols / 64)]")
    (found,) = findings(MissingBoundsGuard, code.replace("LAUNCH", ROUNDED))
    assert "scales" in found.message
    safe = PACKED.replace("SCALE", "r < rows ? scales[(size_t)r * (cols / 64)] : 0.0f")
    assert not findings(MissingBoundsGuard, safe.replace("LAUNCH", ROUNDED))


QUEUE = """
__kernel void drain(__global const int4 *job, const int jobs, __global int *head, __global int *done) {
    int at = atomic_inc(head);
    FIRST
    while (at < jobs) {
        SECOND
        done[at] = now.x + now.y;
        at = atomic_inc(head);
        NEXT
    }
}
"""


@pytest.mark.parametrize(
    ("first", "second", "next_", "found"),
    [
        ("int4 now = job[at];", "", "now = job[at];", {"KL103", "KL101"}),
        ("", "const int4 now = job[at];", "", set()),
        ("int4 now = at < jobs ? job[at] : 0;", "", "if (at < jobs) now = job[at];", set()),
    ],
)
def test_items_of_a_queue_that_are_read_before_the_test_of_the_loop(
    first: str, second: str, next_: str, found: set[str]
) -> None:
    from tests.rules.bounds.test_wrong_axes import codes

    code = QUEUE.replace("FIRST", first).replace("SECOND", second).replace("NEXT", next_)
    assert set(codes(code, "k.cl")) == found


BLOCKS = """
struct Task { int row, kind; };
__global__ void drain(const Task *tasks, int count, int *head, const float *x, float *y, int length) {
    __shared__ int mine;
    __shared__ Task task;
    if (threadIdx.x == 0) {
        mine = atomicAdd(head, 1);
        FIRST
    }
    __syncthreads();
    while (mine < count) {
        const float *row = x + (size_t)task.row * length;
        for (int i = threadIdx.x; i < length; i += blockDim.x) y[(size_t)mine * length + i] = row[i] + task.kind;
        __syncthreads();
        if (threadIdx.x == 0) {
            mine = atomicAdd(head, 1);
            NEXT
        }
        __syncthreads();
    }
}
void run(const Task *tasks, int count, int *head, const float *x, float *y, int length, int blocks) {
    if (cudaMemset(head, 0, sizeof(int)) != cudaSuccess) return;
    drain<<<blocks, 128>>>(tasks, count, head, x, y, length);
}
"""


@pytest.mark.parametrize(
    ("first", "next_", "found"),
    [
        ("task = tasks[mine];", "task = tasks[mine];", {"KL103", "KL101"}),
        ("if (mine < count) task = tasks[mine];", "if (mine < count) task = tasks[mine];", set()),
        ("if (mine < count) task = tasks[mine];", "task = tasks[mine];", {"KL101"}),
        ("task = tasks[mine < count ? mine : 0];", "task = tasks[min(mine, count - 1)];", set()),
        ("task = tasks[0];", "task = tasks[1];", set()),
    ],
)
def test_items_that_one_thread_draws_for_its_block(first: str, next_: str, found: set[str]) -> None:
    from tests.rules.bounds.test_wrong_axes import codes

    assert set(codes(BLOCKS.replace("FIRST", first).replace("NEXT", next_), "k.cu")) == found


GROUPS = """
__kernel void blend(__global const int *order, const int tiles, __global int *next, __global float *out,
                    const int few) {
    __local int at;
    for (;;) {
        if (get_local_id(0) == 0) at = atomic_inc(next);
        barrier(CLK_LOCAL_MEM_FENCE);
        BEFORE
        if (END) break;
        AFTER
        out[tile * 64 + get_local_id(0)] += 1.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
"""


@pytest.mark.parametrize(
    ("before", "end", "after", "bad"),
    [
        ("const int tile = order[at];", "at >= tiles", "", True),
        ("", "at >= tiles", "const int tile = order[at];", False),
        ("const int tile = order[at]; if (at < few) out[0] = 1.0f;", "tile < 0", "", False),
        ("const int tile = at < tiles ? order[at] : 0;", "at >= tiles", "", False),
    ],
)
def test_tiles_that_a_group_reads_before_it_asks_whether_there_are_any(
    before: str, end: str, after: str, bad: bool
) -> None:
    from tests.rules.bounds.test_wrong_axes import codes

    text = GROUPS.replace("BEFORE", before).replace("END", end).replace("AFTER", after)
    assert bool({"KL101", "KL103"} & set(codes(text, "k.cl"))) is bad
