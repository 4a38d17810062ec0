"""Arrays whose room the kernel is told and does not ask for."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from tests.rules.marked import findings

GATHER = """
struct Settings { int most_items; int most_cells; };
__global__ void gather(const float *value, const int *rank, const int *first, float *out, int items, int cells) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= items || first[i] == 0) return;
    int cell = rank[i] - 1;
    TEST out[cell] = value[i];
}
class Cells {
public:
    explicit Cells(const Settings &settings) : settings_(settings) {
        cudaMalloc(&out_, ALLOCATED * sizeof(float));
    }
    ~Cells() { cudaFree(out_); }
    void run(const float *value, const int *rank, const int *first, int items) {
        if (items > 0) gather<<<(items + 127) / 128, 128>>>(value, rank, first, out_, items, PASSED);
    }
private:
    Settings settings_;
    float *out_ = nullptr;
};
"""


@pytest.mark.parametrize(
    ("allocated", "passed", "test", "bad"),
    [
        ("settings_.most_cells", "settings_.most_cells", "", True),
        ("settings_.most_cells", "settings_.most_cells", "if (cell < cells)", False),
        ("settings_.most_items", "settings_.most_cells", "", False),
        ("settings_.most_cells", "items", "", False),
    ],
)
def test_the_room_is_passed_and_put_to_no_use(allocated: str, passed: str, test: str, bad: bool) -> None:
    source = GATHER.replace("ALLOCATED", allocated).replace("PASSED", passed).replace("TEST", test)
    assert bool([f for f in findings(MissingBoundsGuard, source) if "room" in f.message]) is bad


GRAPH = """
__global__ void reach(const int *queue, int length, int *seen, const int *first, int nodes) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= length) return;
    const int node = queue[i];
    seen[node] = first[node + STEP] - first[node];
}
void run(const int *queue, int length, const int *first, int nodes) {
    int *seen;
    cudaMalloc(&seen, nodes * sizeof(int));
    reach<<<(length + 127) / 128, 128>>>(queue, length, seen, first, nodes);
    cudaFree(seen);
}
"""


@pytest.mark.parametrize(("step", "bad"), [("1", False), ("7", True)])
def test_there_is_a_place_for_each_row(step: str, bad: bool) -> None:
    """``first[node]`` to ``first[node + 1]``: the numbers in the queue are of nodes."""
    found = findings(MissingBoundsGuard, GRAPH.replace("STEP", step))
    assert bool([f for f in found if "room" in f.message]) is bad


BROAD = """
struct Contacts { int2 *pair; int *made; int most; float4 *patch; int *patches; int most_patches; };
__global__ void touch(Contacts c, const float *depth, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || depth[i] > 0.0f) return;
    const int at = atomicAdd(c.made, 1);
    if (at < c.most) c.pair[at] = make_int2(i, i + 1);
}
__global__ void gather(Contacts c, const float4 *plane, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (plane[i].w < 0.5f) return;
    const int at = atomicAdd(c.patches, 1);
    STORE
}
"""


@pytest.mark.parametrize(
    ("store", "bad"),
    [
        ("c.patch[at] = plane[i];", True),
        ("if (at < c.most_patches) c.patch[at] = plane[i];", False),
        ("c.patch[at % c.most_patches] = plane[i];", False),
    ],
)
def test_the_room_in_the_struct_of_a_list_and_its_counter(store: str, bad: bool) -> None:
    found = findings(MissingBoundsGuard, BROAD.replace("STORE", store))
    assert any("comes with the list" in one.message for one in found) is bad, [one.message for one in found]


FLAT = """
__kernel void pick(__global const float *score, __global int *best, PARAMETERS, const int n) {
    const int i = get_global_id(0);
    if (i >= n) return;
    if (score[i] > 0.9f) best[atomic_inc(found)] = i;
}
"""


@pytest.mark.parametrize(
    ("parameters", "bad"),
    [
        ("__global int *found, const int room", True),
        ("__global int *found", False),
        ("const int reserved, __global int *found", False),
    ],
)
def test_the_number_behind_a_list_and_its_counter(parameters: str, bad: bool) -> None:
    found = findings(MissingBoundsGuard, FLAT.replace("PARAMETERS", parameters), "opencl")
    assert any("comes with the list" in one.message for one in found) is bad, [one.message for one in found]


TREE = """
struct Node { float lo, hi; int left, right; };
__global__ void look(const Node *tree, const int *start, const float *at, int *out, int n, int nodes) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int stack[64], top = 0, found = 0;
    stack[top++] = FIRST;
    while (top > 0) {
        const Node &one = tree[stack[--top]];
        if (at[i] < one.lo || at[i] > one.hi) continue;
        if (one.left == -1) { found++; continue; }
        if (top < 62) { stack[top++] = one.left; stack[top++] = one.right; }
    }
    out[i] = found;
}
void run(const int *start, const float *at, int *out, int n, int nodes) {
    Node *tree;
    cudaMalloc(&tree, nodes * sizeof(Node));
    look<<<(n + 255) / 256, 256>>>(tree, start, at, out, n, nodes);
    cudaFree(tree);
}
"""


@pytest.mark.parametrize(("first", "bad"), [("0", False), ("start[i]", True)])
def test_elements_that_name_others_are_believed(first: str, bad: bool) -> None:
    source = TREE.replace("FIRST", first)
    assert bool([f for f in findings(MissingBoundsGuard, source) if "room" in f.message]) is bad


KEPT = """
struct Lists { float4 *corner; int *owner; int room; };
__global__ void keep(const float4 *in, const int *opens, const int *sum, int n, int room, float4 *corner, int *owner) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || !opens[i]) return;
    const int at = sum[i] - 1;
    TEST
    corner[at] = in[i];
    owner[at] = i;
}
HEAD {
    keep<<<(n + 255) / 256, 256>>>(in, opens, sum, n, PASSED, lists.corner, lists.owner);
    int found = 0;
    if (cudaMemcpy(&found, sum + n - 1, sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) FAIL;
    BACK
}
"""
INT, VOID = (f"{kind} run(const float4 *in, const int *opens, const int *sum, int n, " for kind in ("int", "void"))
OWN, APART = "const Lists &lists)", "Lists lists, int *kept)"


@pytest.mark.parametrize(
    ("head", "fail", "passed", "back", "test", "bad"),
    [
        (INT + OWN, "return -1", "lists.room", "return found < lists.room ? found : lists.room;", "", True),
        (INT + OWN, "return -1", "lists.room", "return min(found, lists.room);", "if (at >= room) return;", False),
        (INT + OWN, "return -1", "lists.room", "return found;", "", False),
        (INT + OWN, "return -1", "n", "return min(found, n);", "", False),
        (VOID + APART, "return", "lists.room", "if (found > lists.room) found = lists.room; *kept = found;", "", True),
        (VOID + APART, "return", "lists.room", "*kept = min(found, n);", "", False),
    ],
)
def test_the_host_holds_what_it_reads_back_down(
    head: str, fail: str, passed: str, back: str, test: str, bad: bool
) -> None:
    text = KEPT.replace("HEAD", head).replace("FAIL", fail).replace("PASSED", passed).replace("BACK", back)
    assert bool(findings(MissingBoundsGuard, text.replace("TEST", test))) is bad
