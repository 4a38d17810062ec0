"""Places and conditions that data decide: what may meet all the same."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from kernlint.finding import Severity
from kernlint.rule import RuleClass
from tests.rules.marked import findings

RELAX = """
__global__ void relax(int *dist, int n) {
  __shared__ int d[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  d[y][x] = dist[y * n + x];
  __syncthreads();
  for (int k = 0; k < 32; ++k) {
    int through = d[y][k] + d[k][x];
    @
    if (through < d[y][x]) d[y][x] = through;
    @
  }
  dist[y * n + x] = d[y][x];
}
void go(int *d, int n) { relax<<<1, dim3(32, 32)>>>(d, n); }
"""

ANGLES = """
__global__ void angles(const float2 *grad, const int *count, float *out) {
  __shared__ float bins[36];
  for (int k = threadIdx.x; k < 36; k += blockDim.x) bins[k] = 0.0f;
  @
  for (int i = threadIdx.x; i < count[blockIdx.x]; i += blockDim.x) {
    float2 g = grad[i];
    atomicAdd(&bins[(int)(atan2f(g.y, g.x) * 5.73f + 36.0f) % 36], 1.0f);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 36; k += blockDim.x) out[blockIdx.x * 36 + k] = bins[k];
}
"""


@pytest.mark.parametrize("code", [RELAX, ANGLES])
def test_shared(code: str) -> None:
    assert [f.severity for f in findings(SharedMemoryRace, code.replace("@", ""))] == [Severity.WARNING]
    assert findings(SharedMemoryRace, code.replace("@", "__syncthreads();")) == []


SORT = """
__global__ void pairs(int *a, int n) {
  int i = %s;
  for (int round = 0; round < n; ++round) {
    int l = 2 * i + (round & 1);
    if (l + 1 < n && a[l] > a[l + 1]) {
      int t = a[l];
      a[l] = a[l + 1];
      a[l + 1] = t;
    }
    __syncthreads();
  }
}
void go(int *a, int n) { pairs<<<%s, 256>>>(a, n); }
"""

MISSING = """
__global__ void missing(const signed char *mask, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && mask[i] != 0) %s;
}
"""

ONE_WINNER = """
__global__ void winner(const int *chosen, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i == chosen[0]) *count += 1;
}
"""

CELLS = """
__global__ void cells(const float *x, const float *y, int *count, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int cell = int(y[i] * 0.5f) * width + int(x[i] * 0.5f);
  %s
}
"""

CORNERS = """
struct Tri { int a, b, c; };
__global__ void normals(const float3 *pos, const Tri *tris, float3 *nrm, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  Tri f = tris[t];
  float z = pos[f.a].x * pos[f.b].y - pos[f.c].x;
  int v[3] = {f.a, f.b, f.c};
  for (int k = 0; k < 3; ++k) %s;
}
"""

OF_THE_BLOCK = """
__global__ void seen(const int *list, int *count, int n) {
  __shared__ int ids[64];
  ids[threadIdx.x] = list[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  for (int j = 0; j < 64; ++j) %s;
}
"""

DOUBLED = """
__global__ void doubled(const int *index, float *x, const float *w, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[index[i]] = x[index[i]] * w[index[i]];
}
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (SORT % ("blockIdx.x * blockDim.x + threadIdx.x", "(n / 2 + 255) / 256"), True),
        (SORT % ("threadIdx.x", "1"), False),
        (MISSING % "*count = *count + 1", True),
        (MISSING % "atomicAdd(count, 1)", False),
        (MISSING % "*count = 1", False),
        (ONE_WINNER, False),
        (CELLS % "int slot = count[cell]; count[cell] = slot + 1;", True),
        (CELLS % "atomicAdd(&count[cell], 1);", False),
        (CORNERS % "nrm[v[k]].z += z", True),
        (CORNERS % "atomicAdd(&nrm[v[k]].z, z)", False),
        (OF_THE_BLOCK % "count[ids[j]]++", True),
        (OF_THE_BLOCK % "if (threadIdx.x == j) count[ids[j]]++", True),  # two blocks may have one of them
        (OF_THE_BLOCK % "atomicAdd(&count[ids[j]], 1)", False),
        (DOUBLED, False),  # written for indices that differ
    ],
)
def test_global(code: str, expected: bool) -> None:
    rule: RuleClass = GlobalMemoryRace
    assert any(f.severity is not Severity.NOTE for f in findings(rule, code)) is expected


COLUMNS = """
__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void letters(__global const uchar *text, const int n, __global int *out) {
  __local int seen[26 * 32];
  const int me = get_local_id(0);
  for (int letter = 0; letter < 26; letter++) seen[letter * 32 + me] = 0;
  for (int i = me; i < n; i += 32) seen[%s]++;
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 0;
  for (int other = 0; other < 32; other++) sum += me < 26 ? seen[me * 32 + other] : 0;
  out[get_global_id(0)] = sum;
}
"""


@pytest.mark.parametrize(
    ("place", "count"),
    [("text[i] % 26 * 32 + me", 0), ("text[i] % 26 * 32 + (me ^ 1)", 1), ("text[i] % 26 * 31 + me", 1)],
)
def test_what_data_choose_a_row_of_moves_by_whole_rows(place: str, count: int) -> None:
    assert bool(findings(SharedMemoryRace, COLUMNS % place, language="opencl")) is bool(count)


PARTS = """
__global__ void lookup(const unsigned *hash, const unsigned long long *keys, int *hits, int room, int n) {
  extern __shared__ unsigned long long table[];
  int *tally = reinterpret_cast<int *>(table + room);
  for (int i = threadIdx.x; i < room; i += blockDim.x) table[i] = keys[i];
  if (threadIdx.x < 2) tally[threadIdx.x] = 0;
  __syncthreads();
  for (int r = threadIdx.x; r < n; r += blockDim.x) {
    unsigned at = hash[r] & (room - 1);
    while (table[at] != 0 && table[at] != hash[r]) at = (at + 1) & (room - 1);
    atomicAdd(&tally[table[at] == 0 ? 1 : 0], 1);
  }
  @
  if (threadIdx.x == 0) *hits = tally[0];
}
void go(const unsigned *hash, const unsigned long long *keys, int *hits, int n) {
  lookup<<<1, 128, 1024 * 8 + 2 * 4>>>(hash, keys, hits, 1024, n);
}
"""


def test_a_part_of_shared_memory_begins_where_the_one_before_ends_whatever_data_choose_in_it() -> None:
    assert findings(SharedMemoryRace, PARTS.replace("@", "__syncthreads();")) == []
    assert len(findings(SharedMemoryRace, PARTS.replace("@", ""))) == 1


SHRINKING = """
__kernel void largest(__global const int *in, __global int *out, const int n) {
  __local int s[128];
  const int me = get_local_id(0), size = get_local_size(0), at = get_global_id(0);
  if (size > 128) return;
  s[me] = at < n ? in[at] : -1;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int left = size; left > 1;) {
    int upper = (left + 1) / 2;
    if (me + upper < %s) s[me] = max(s[me], s[me + upper]);
    barrier(CLK_LOCAL_MEM_FENCE);
    left = upper;
  }
  if (me == 0) out[get_group_id(0)] = s[0];
}
"""


def test_a_number_that_all_share_is_the_same_in_places_and_in_conditions() -> None:
    assert findings(SharedMemoryRace, SHRINKING % "left", language="opencl") == []
    assert len(findings(SharedMemoryRace, SHRINKING % "size", language="opencl")) == 1


FIXED = """
__kernel void heat(__global float *t, __global const uchar *held, const int w, const int h, const int turn) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  if (((x + y + turn) & 1) != 0) return;
  if (%s) return;
  __global float *at = t + (y + 1) * (w + 2) + x + 1;
  *at = 0.25f * (%s);
}
"""

CROSS = "at[-1] + at[1] + at[-w - 2] + at[w + 2]"
CORNERS = "at[-w - 3] + at[-w - 1] + at[w + 1] + at[w + 3]"


@pytest.mark.parametrize(
    ("mark", "read", "found"),
    [
        ("held[y * w + x]", CORNERS, 1),
        ("held[y * w + x] != 0", CORNERS, 1),
        ("!held[y * w + x]", CORNERS, 1),
        ("held[y * w + x]", CROSS, 0),
        ("held[y * w + x] != turn", CORNERS, 0),  # colours that the host gives to cells
    ],
)
def test_cells_that_a_mark_leaves_out(mark: str, read: str, found: int) -> None:
    assert len(findings(GlobalMemoryRace, FIXED % (mark, read), "opencl")) == found


LABELLED = """
template <typename Label>
__global__ void backward(int count, int classes, int pixels, const float *dy, const Label *label, float *dx) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x)
        dx[PLACE] += dy[i];
}
template __global__ void backward<TYPE>(int, int, int, const float *, const TYPE *, float *);
void run(int count, const float *dy, const TYPE *label, float *dx) {
    backward<TYPE><<<(count + 255) / 256, 256>>>(count, 10, 64, dy, label, dx);
}
"""


@pytest.mark.parametrize("kind", ["int", "float"])
@pytest.mark.parametrize(
    ("place", "bad"),
    [("(int)(i / pixels * classes * pixels + label[i] * pixels + i % pixels)", False), ("(int)(label[i] * 2)", True)],
)
def test_labels_in_floating_point_in_parts_of_the_threads_own(kind: str, place: str, bad: bool) -> None:
    code = LABELLED.replace("TYPE", kind).replace("PLACE", place)
    assert any("an index read from memory" in one.message for one in findings(GlobalMemoryRace, code)) is bad
