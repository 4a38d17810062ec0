"""Places that data pick: what says that several threads have the same one, and what they then lose."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from kernlint.finding import Severity
from tests.rules.marked import findings

FOUND = {
    "the row is searched for": """
__device__ int row_of(int k, int rows, const int *starts) {
    int low = 0, high = rows;
    while (high - low > 1) {
        int mid = (low + high) / 2;
        if (starts[mid] <= k) low = mid;
        else high = mid;
    }
    return low;
}
__global__ void dense(int rows, int n, const int *starts, const int *columns, const float *x, float *out, int pitch) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;
    float *cell = out + (size_t)row_of(k, rows, starts) * pitch + columns[k];
    *cell += x[k];
}
void whole(int rows, int n, const int *starts, const int *columns, const float *x, float *out, int pitch) {
    cudaMemset(out, 0, (size_t)rows * pitch * sizeof(float));
    dense<<<(n + 127) / 128, 128>>>(rows, n, starts, columns, x, out, pitch);
}
""",
    "the cell of a position": """
struct View { float scale, left; int width, height; };
__device__ bool seen(const View &v, float2 p, int &cell) {
    float x = floorf(p.x * v.scale + v.left), y = floorf(p.y * v.scale);
    if (x < 0 || y < 0 || x >= v.width || y >= v.height) return false;
    cell = (int)y * v.width + (int)x;
    return true;
}
__global__ void draw(View v, const float2 *points, const int *colours, int *image, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int cell;
    if (!seen(v, points[i], cell)) return;
    image[cell] = colours[i];
}
""",
    "least and who has it": """
__global__ void nearest(const int *cell, const int *distance, int *least, int *who, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (distance[i] < least[cell[i]]) {
        atomicMin(&least[cell[i]], distance[i]);
        who[cell[i]] = i;
    }
}
""",
    "least of all and who has it": """
__global__ void nearest(const int *distance, int *least, int *who, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int before = atomicMin(least, distance[i]);
    if (distance[i] < before) *who = i;
}
""",
    "heads of lists": """
__global__ void push(int *next, int *head, const int *bucket, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    next[i] = head[bucket[i]];
    head[bucket[i]] = i;
}
""",
    "exchanged after a look": """
__global__ void relax(const int *from, const int *to, const int *weight, const int *old, int *distance, int edges) {
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < edges; e += gridDim.x * blockDim.x) {
        int offer = old[from[e]] + weight[e];
        if (offer < distance[to[e]]) atomicExch(&distance[to[e]], offer);
    }
}
""",
    "in a lambda of the host": """
template <typename F> __global__ void each(int n, F f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) f(i);
}
void count(const unsigned char *pixels, unsigned *bins, int n) {
    each<<<(n + 255) / 256, 256>>>(n, [=] __device__(int i) { bins[pixels[i]]++; });
}
""",
    "what varies, wherever data are beyond a value": """
__global__ void step(const float *x, const int *mark, int *again, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && mark[i] > 3) *again = mark[i] > 5;
}
""",
}

SILENT = {
    "a permutation": """
__global__ void gather(const int *order, const float *x, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[order[i]] = x[i];
}
""",
    "whole numbers kept in floating point": """
__global__ void gather(const float *order, const float *x, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[(int)order[i]] = x[i];
}
""",
    "what hangs on the element alone": """
__global__ void spread(const int *to, const int *level, int *out, int *mark, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicMin(&out[to[i]], i);
    mark[to[i]] = level[to[i]];
}
""",
    "on from a place of its own": """
__global__ void pack(const int *x, const int *starts, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = starts[i];
    for (int j = 0; j < 8; ++j)
        if (x[i * 8 + j] > 0) out[at++] += x[i * 8 + j];
    out[at] += 1;
}
""",
    "a swap": """
__global__ void swap(const int *with, int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int old = x[with[i]];
    x[with[i]] = x[i];
    x[i] = old;
}
""",
    "exchanged until nothing better is lost": """
__global__ void best(const int *scores, int *top, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int mine = scores[i];
    while (mine > *top) mine = atomicExch(top, mine);
}
""",
    "a key that one thread has": """
__global__ void find(const int *keys, int key, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && keys[i] == key) *out = i;
}
""",
    "between two neighbours": """
__global__ void find(const int *sums, int least, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n && sums[i] >= least && sums[i - 1] < least) *out = i;
}
""",
}


def loud(code: str) -> list[str]:
    return [f.message for f in findings(GlobalMemoryRace, code) if f.severity is not Severity.NOTE]


@pytest.mark.parametrize("name", FOUND)
def test_found(name: str) -> None:
    assert loud(FOUND[name])


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    assert not loud(SILENT[name])


ONE = """
__global__ void k(const int *best, int *same, float *score, int n) {
    if (@one) same[blockIdx.x] = same[blockIdx.x] + 1;
    score[blockIdx.x * blockDim.x + threadIdx.x] = n;
}
"""


@pytest.mark.parametrize(
    ("one", "told"),
    [
        ("best[blockIdx.x] == threadIdx.x", False),
        ("best[blockIdx.x] != threadIdx.x", True),
        ("best[threadIdx.x] == threadIdx.x", True),
        ("best[blockIdx.x] == threadIdx.x / 2", True),
    ],
)
def test_an_index_that_memory_names_is_of_one_thread(one: str, told: bool) -> None:
    assert bool(findings(GlobalMemoryRace, ONE.replace("@one", one))) is told


GROUPS = """
#include <vector>
__global__ void add_pairs(const float *in, float *out, int planes, const int *pair, int n) {
    for (int k = blockIdx.x * blockDim.y + threadIdx.y; k < n; k += gridDim.x * blockDim.y) {
        const int from = pair[2 * k] * planes, to = pair[2 * k + 1] * planes;
        for (int p = threadIdx.x; p < planes; p += blockDim.x) out[to + p] += in[from + p];
    }
}
void all(const float *in, float *out, int planes, const std::vector<std::vector<int>> &pairs,
         const std::vector<int> &keys, const int *start, int groups, int *buffer) {
    for (int g = 0; g < groups; ++g) {
        HANDED
    }
}
"""
LAUNCH, COPY, TO = "add_pairs<<<32, dim3(32, 8)>>>", "cudaMemcpy", "cudaMemcpyHostToDevice"


@pytest.mark.parametrize(
    ("handed", "told"),
    [
        (f"auto &one = pairs[g]; {COPY}(buffer, &one[0], 8192, {TO}); {LAUNCH}(in, out, planes, buffer, 1024);", False),
        (f"{LAUNCH}(in, out, planes, buffer + 2 * start[g], start[g + 1] - start[g]);", False),
        (f"{COPY}(buffer, &keys[2048 * g], 8192, {TO}); {LAUNCH}(in, out, planes, buffer, 1024);", True),
        (f"{LAUNCH}(in, out, planes, buffer + 2048 * g, 1024);", True),
        (f"{LAUNCH}(in, out, planes, buffer, 1024);", True),
        (f"{LAUNCH}(in, out + start[g], planes, buffer + 2 * start[g], 1024);", True),
    ],
    ids=["copied", "by a table", "parts copied", "parts", "the same again", "an object for each"],
)
def test_lists_that_the_host_hands_over_one_by_one(handed: str, told: bool) -> None:
    found = findings(GlobalMemoryRace, GROUPS.replace("HANDED", handed))
    assert any(one.severity is not Severity.NOTE for one in found) is told


@pytest.mark.parametrize(
    ("update", "told"),
    [("if (out[to + p] < in[from + p]) out[to + p] = in[from + p];", False), ("out[to + p] += 1.0f;", True)],
    ids=["the larger one stays", "pairs are counted"],
)
def test_what_is_made_of_a_list_of_its_own(update: str, told: bool) -> None:
    code = GROUPS.replace("HANDED", f"{LAUNCH}(in, out, planes, buffer + 2 * start[g], start[g + 1] - start[g]);")
    found = findings(GlobalMemoryRace, code.replace("out[to + p] += in[from + p];", update))
    assert any(one.severity is not Severity.NOTE for one in found) is told


PARTS = """
__global__ void add(float *a, const float *b, const int *rows, const int *columns, int n, int m) {
    const int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
    if (i >= m || j >= m) return;
    a[ROW * n + columns[j]] += b[i * m + j];
}
void run(float *a, const float *b, const int *rows, const int *columns, int n, int m) {
    ZERO
    add<<<dim3((m + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, rows, columns, n, m);
}
"""
SET = "cudaMemset(a, 0, sizeof(float) * n * n);"


@pytest.mark.parametrize(("row", "zero", "told"), [("columns[i]", SET, False), ("rows[i]", SET, True)])
def test_one_list_that_picks_rows_and_columns(row: str, zero: str, told: bool) -> None:
    found = findings(GlobalMemoryRace, PARTS.replace("ROW", row).replace("ZERO", zero))
    assert any(one.severity is not Severity.NOTE for one in found) is told


TREES = """
__global__ void sweep(const int *begin, const int *parent, const float *u, float *x, float *y, int trees) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= trees) return;
    for (int i = begin[t + 1] - 1; i > begin[t]; --i) x[parent[i]] -= u[i] * OF[i];
    for (int i = begin[t] + 1; i < begin[t + 1]; ++i) x[i] -= u[i] * x[parent[i]];
}
"""


@pytest.mark.parametrize(("of", "told"), [("x", False), ("y", True)])
def test_items_of_a_row_that_name_one_another(of: str, told: bool) -> None:
    """``x[parent[i]] -= x[i]`` stays within the thread's row; of another array nothing says so."""
    found = findings(GlobalMemoryRace, TREES.replace("OF", of))
    assert any(one.severity is not Severity.NOTE for one in found) is told


WINDOWS = """
__global__ void back(const float *by, const int *winner, float *sum, int all, int side, int deep, int wide) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= all) return;
    float *plane = sum + (size_t)(k / (side * side) % deep) * wide * wide;
    UPDATE
}
void run(const float *by, const int *winner, float *sum, int parts, int side, int deep, int wide) {
    ZERO
    const int all = parts * deep * side * side;
    back<<<(all + 127) / 128, 128>>>(by, winner, sum, all, side, deep, wide);
}
"""
CLEAR = "cudaMemset(sum, 0, sizeof(float) * deep * wide * wide);"


@pytest.mark.parametrize(
    ("update", "zero", "told"),
    [
        ("plane[winner[k]] += by[k];", CLEAR, True),
        ("plane[winner[k]] += by[k];", "", False),
        ("atomicAdd(&plane[winner[k]], by[k]);", CLEAR, False),
        ("sum[k] += by[k];", CLEAR, False),
    ],
)
def test_planes_that_a_number_of_windows_shares(update: str, zero: str, told: bool) -> None:
    """What is multiplied to divide by it is a divisor, and no distance of rows."""
    found = findings(GlobalMemoryRace, WINDOWS.replace("UPDATE", update).replace("ZERO", zero))
    assert any(one.severity is not Severity.NOTE for one in found) is told


PACKED = """
__global__ void k(const int *packed, float *sum, const float *by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int at = packed[i];
    STORE
}
"""


@pytest.mark.parametrize(
    ("store", "told"),
    [
        ("sum[at >> 5] += by[i];", True),
        ("if ((at & 31) < 16) sum[at >> 5] += by[i];", True),
        ("if ((at & 3) == 2) sum[at >> 5] += by[i];", False),
        ("sum[(at >> 5) * 4 + (at & 3)] += by[i];", False),
        ("if ((at & 31) == 2) sum[at >> 2] += by[i];", True),
        ("unsigned *set = (unsigned *)sum; set[at >> 5] = set[at >> 5] | (((unsigned *)by)[i] << (at & 31));", True),
    ],
)
def test_a_field_of_a_record_merges_no_entries(store: str, told: bool) -> None:
    """A shift makes one of several entries but where the bits below are a code, or a part of the place."""
    found = [f for f in findings(GlobalMemoryRace, PACKED.replace("STORE", store)) if f.severity is not Severity.NOTE]
    assert bool(found) is told


COLOURED = """
__global__ void add(const int *nodes, float *sum, const float *by, int n, int coloured) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int at = nodes[i] - 1;
    if (@plain) sum[3 * at] += by[i];
    else atomicAdd(&sum[@place], by[i]);
}
"""


@pytest.mark.parametrize(
    ("plain", "place", "told"),
    [
        ("coloured", "3 * at", False),
        ("coloured > 1", "3 * at", False),
        ("by[i] > 1.0f", "3 * at", True),
        ("coloured", "3 * at + 1", True),
        ("i < coloured", "3 * at", True),
    ],
)
def test_an_argument_says_whether_atomic_operations_are_needed(plain: str, place: str, told: bool) -> None:
    code = COLOURED.replace("@plain", plain).replace("@place", place)
    found = [f for f in findings(GlobalMemoryRace, code) if f.severity is not Severity.NOTE]
    assert bool(found) is told


RECORDS = """
__global__ void leave(const float *object, const float *probe, float *wave, const int *item) {
    const int x = blockIdx.y, z = blockIdx.x * blockDim.x + threadIdx.x;
    const float v = object[item[z * 15 + 3] * 4096 + item[z * 15 + 4] * 64 + x] * @probe[item[z * 15] * 64 + x];
    wave[item[z * 15 + 6] * 64 + x] += v;
}
"""


@pytest.mark.parametrize(("probe", "told"), [("probe", False), ("object", True), ("wave", True)])
def test_fields_that_pick_from_arrays_of_their_own(probe: str, told: bool) -> None:
    """What an item has side by side are several of one kind only where they pick from one array."""
    code = RECORDS.replace("@probe", probe)
    found = [f for f in findings(GlobalMemoryRace, code) if f.severity is not Severity.NOTE and "updated" in f.message]
    assert bool(found) is told


QUEUE = """
struct Path { float3 at; int hit; float far; int length; };
__global__ void extend(Path *paths, const int *queue, const float *boxes, const int *count, int boxes_n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count[0]) return;
    int p = queue[i], hit = -1;
    float best = 1e30f;
    for (int b = 0; b < boxes_n; ++b) if (boxes[b] < best) { best = boxes[b]; hit = b; }
    paths[p].length += 1;
    LEFT
}
"""


@pytest.mark.parametrize(
    ("left", "told"),
    [
        ("paths[p].far = best; paths[p].hit = hit;", False),  # the record is the thread's
        ("paths[p].hit = i;", True),  # any will do
        ("paths[p].far += best;", True),
        ("", True),
    ],
)
def test_records_that_a_queue_picks(left: str, told: bool) -> None:
    assert bool(loud(QUEUE.replace("LEFT", left))) is told
