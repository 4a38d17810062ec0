"""Guards that test the wrong thing: one of two indices, one index twice, another axis, elements for vectors, an
unsigned difference; and dynamic shared memory that is smaller than what the kernel touches."""

from __future__ import annotations

import pytest

from kernlint.finding import Finding
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.registry import load
from kernlint.run.engine import Engine
from kernlint.source import SourceFile


def findings(code: str, file: str = "k.cu", *, select: tuple[str, ...] = ("KL1", "KL4", "KL6")) -> list[Finding]:
    selection = Selection(load(), Config(select=select))
    outcome = Engine(load(), selection).check_source(SourceFile(file, code.encode()), selection)
    assert not [note for note in outcome.notifications if note.level.value == "error"], outcome.notifications
    return [result.finding for result in outcome.results if result.finding.severity.value != "note"]


def codes(code: str, file: str = "k.cu", *, select: tuple[str, ...] = ("KL1", "KL4", "KL6")) -> list[str]:
    return [found.code for found in findings(code, file, select=select)]


PLANE = """
__global__ void fade(float *image, int across, int down%(more)s) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  %(body)s
}
"""

AT = "image[y * across + x] *= 0.5f;"


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        (f"if (x < across || y < down) {AT}", True),
        (f"if (x >= across && y >= down) return; {AT}", True),
        (f"bool inside = x < across || y < down; if (!inside) return; {AT}", True),
        (f"if (y < across && y < down) {AT}", True),
        (f"if (x < across && y < down) {AT}", False),
        (f"if (!(x >= across || y >= down)) {AT}", False),
        (f"if ((x >= across) | (y >= down)) return; {AT}", False),
        (f"if (x >= across || y >= down) return; if (x < 2 || y < 2) {AT}", False),
        (f"if (x >= across || y >= down) return; if (x < across || y < down) {AT}", False),
        (f"if (x < across && y < down && y < across) {AT}", False),
        (f"if (x < across && y < across && y < x) {AT}", False),
    ],
)
def test_the_test_of_two_indices(body: str, wrong: bool) -> None:
    assert codes(PLANE % {"more": "", "body": body}) == (["KL102"] if wrong else [])


PITCHED = """
typedef struct { int across; int down; int step; } frame_t;
__kernel void fade(__global float *image, frame_t f, int left, int top) {
  const int x = get_global_id(0), y = get_global_id(1);
  %s
  image[(size_t)y * f.step + x] *= 0.5f;
}
"""


@pytest.mark.parametrize(
    ("test", "wrong"),
    [
        ("if (x >= f.across && y >= f.down) return;", True),
        ("const bool out = x >= f.across && y >= f.down; if (out) return;", True),
        ("if (x >= f.across || y >= f.down) return;", False),
        ("if (x >= f.across || y >= f.down) return; if (x >= left && y >= top) return;", False),
        ("if (x >= left && y >= left) return;", False),  # the rim
        ("if (x >= f.across && x >= f.down) return;", False),
    ],
)
def test_rows_longer_than_what_is_asked_of_both_indices(test: str, wrong: bool) -> None:
    assert codes(PITCHED % test, "k.cl", select=("KL102",)) == (["KL102"] if wrong else [])


VOLUME = """
__kernel void decay(__global float *cells, int nx, int ny, int nz) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  if (%s) cells[(z * ny + y) * nx + x] *= 0.5f;
}
"""


@pytest.mark.parametrize(
    ("test", "wrong"),
    [
        ("(x < nx || y < ny) && z < nz", True),
        ("x < nx || y < ny || z < nz", True),
        ("x < nx && y < ny && z < nz", False),
        ("(x < nx && y < ny) && (z < nz || z < 1)", False),
    ],
)
def test_three_indices(test: str, wrong: bool) -> None:
    assert codes(VOLUME % test, "k.cl") == (["KL102"] if wrong else [])


LAUNCHED = """
__global__ void turn(const float *in, float *out, int across, int down) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < across && y < %s) out[x * down + y] = in[y * across + x];
}
void run(const float *in, float *out, int across, int down) {
  dim3 block(16, 16), grid((%s + 15) / 16, (%s + 15) / 16);
  turn<<<grid, block>>>(in, out, across, down);
}
"""


@pytest.mark.parametrize(
    ("test", "along_x", "along_y", "wrong"),
    [
        ("across", "across", "down", {"KL102"}),
        ("down", "down", "across", {"KL617"}),  # the kernel is right, and what it gets is exchanged
        ("down", "across", "down", set()),
        ("across", "across", "across", set()),
    ],
)
def test_the_axis_that_the_launch_covers(test: str, along_x: str, along_y: str, wrong: set[str]) -> None:
    assert set(codes(LAUNCHED % (test, along_x, along_y))) == wrong


VALID = """
__kernel void blur(__global const float *in, __global float *out, const int width, const int height, const int taps) {
  const int across = width - taps + 1, down = height - taps + 1;
  const int x = get_global_id(0), y = get_global_id(1);
  if (%s) return;
  out[(size_t)y * across + x] = in[(size_t)y * width + x];
}
"""


@pytest.mark.parametrize(
    ("test", "wrong"), [("x >= down || y >= across", {"KL403"}), ("x >= across || y >= down", set())]
)
def test_swapped_extents_that_the_kernel_computes(test: str, wrong: set[str]) -> None:
    found = findings(VALID % test, "k.cl")
    assert {one.code for one in found} == wrong
    assert all("width - taps + 1" in one.message for one in found)


def test_swapped_extents_are_told_once() -> None:
    [found] = findings(PLANE % {"more": "", "body": f"if (x < down && y < across) {AT}"})
    assert found.code == "KL403" and found.witness is not None


VECTORS = """
__global__ void twice(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < %s) {
    float4 v = reinterpret_cast<float4 *>(x)[i];
    v.x *= 2; v.y *= 2; v.z *= 2; v.w *= 2;
    reinterpret_cast<float4 *>(x)[i] = v;
  }
  %s
}
"""

TAIL = "if (i < %s) x[n - %s + i] *= 2;"


@pytest.mark.parametrize(
    ("test", "rest", "wrong"),
    [
        ("n", TAIL % ("n % 4", "n % 4"), True),
        ("n", TAIL % ("(n & 3)", "(n & 3)"), True),
        ("n / 4", TAIL % ("n % 4", "n % 4"), False),
        ("(n >> 2)", TAIL % ("(n & 3)", "(n & 3)"), False),
        ("n", "", False),  # may count vectors
    ],
)
def test_a_size_that_counts_elements(test: str, rest: str, wrong: bool) -> None:
    found = [one for one in findings(VECTORS % (test, rest)) if "vectors" in one.message]
    assert len(found) == (1 if wrong else 0)


@pytest.mark.parametrize(("passed", "wrong"), [("n", True), ("n / 4", False)])
def test_a_launch_for_every_vector(passed: str, wrong: bool) -> None:
    code = VECTORS % ("n", "") + (f"void run(float *x, int n) {{ twice<<<(n / 4 + 255) / 256, 256>>>(x, {passed}); }}")
    assert codes(code) == (["KL102"] if wrong else [])


WINDOW = """
__global__ void window(const float *in, float *out, unsigned n, unsigned r) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (unsigned k = 0; k <= r; ++k) {
    %s j = i - k;
    if (%s) sum += in[j];
  }
  out[i] = sum;
}
"""


@pytest.mark.parametrize(
    ("kind", "test", "wrong"),
    [
        ("unsigned", "j >= 0", True),
        ("unsigned", "j < n", False),
        ("int", "j >= 0", False),
        ("unsigned", "k <= i", False),
    ],
)
def test_an_unsigned_difference(kind: str, test: str, wrong: bool) -> None:
    assert ("KL102" in codes(WINDOW % (kind, test))) is wrong


SHARED = """
__global__ void edges(const float *in, float *out, int n) {
  extern __shared__ float tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x + 1] = i < n ? in[i] : 0;
  if (threadIdx.x == 0) {
    tile[0] = i > 0 && i <= n ? in[i - 1] : 0;
    tile[blockDim.x + 1] = i + blockDim.x < n ? in[i + blockDim.x] : 0;
  }
  __syncthreads();
  if (i < n) out[i] = tile[threadIdx.x] + tile[threadIdx.x + 2];
}
void run(const float *in, float *out, int n) {
  const int block = %s;
  edges<<<(n + block - 1) / block, block, %s>>>(in, out, n);
}
"""


@pytest.mark.parametrize(
    ("block", "size", "wrong"),
    [
        ("128", "block * sizeof(float)", True),
        ("128", "block + 2", True),
        ("128", "(block + 1) * sizeof(float)", True),
        ("n > 500 ? 128 : 64", "block * sizeof(float)", True),
        ("128", "(block + 2) * sizeof(float)", False),
        ("128", "1024", False),
        ("n > 500 ? 128 : 64", "(block + 2) * sizeof(float)", False),
    ],
)
def test_dynamic_shared_memory_is_large_enough(block: str, size: str, wrong: bool) -> None:
    found = findings(SHARED % (block, size))
    assert [one.code for one in found] == (["KL607"] if wrong else [])
    assert not wrong or (found[0].witness is not None and "bytes of dynamic shared memory" in found[0].message)


ROWS = """
__global__ void rank(const float *in, float *out, int cols) {
  extern __shared__ float row[];
  for (int c = threadIdx.x; c < cols; c += blockDim.x) row[c] = in[blockIdx.x * cols + c];
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = row[cols - 1];
}
void run(const float *in, float *out, int rows, int cols) {
  rank<<<rows, 128, %s>>>(in, out, cols);
}
"""


def test_how_many_columns_fit_is_known_to_the_host() -> None:
    assert codes(ROWS % "4096") == []
    assert codes(ROWS % "cols * sizeof(float)") == []
    assert codes(ROWS % "cols * sizeof(short)") == ["KL607"]


EDGES = """
__global__ void slope(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float here = in[i];
  if (i < 1 || i >= n - 1) return;
  out[i] = here - in[i - 1];
}
"""


def test_the_witness_gets_past_the_array_and_not_only_past_the_test() -> None:
    [found] = findings(EDGES)
    assert found.code == "KL103" and found.witness is not None
    assert found.witness.steps[0].index == dict(found.witness.values)["n"]


HEAT = """
__kernel void heat(__global const float *a, __global float *b, int nx, int ny, int nz) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  if (x >= nx || y >= ny || %s) return;
  b[(z * ny + y) * nx + x] = a[((z + 1) * ny + y) * nx + x] - a[((z - 1) * ny + y) * nx + x] + a[(z * ny + y) * nx + x];
}
"""


@pytest.mark.parametrize(("test", "wrong"), [("z < 1 || z >= nz", True), ("z < 1 || z >= nz - 1", False)])
def test_planes_beside_the_last(test: str, wrong: bool) -> None:
    assert codes(HEAT % test, "k.cl") == (["KL102"] if wrong else [])


BACKWARDS = """
__global__ void mirror(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = %s;
}
"""


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ("in[n - i - 2]", True),
        ("in[n - 3 - i]", True),
        ("in[n - 1 - i]", False),
        ("i < n - 1 ? in[n - 2 - i] : 0", False),
        ("in[max(n - 2 - i, 0)]", False),
    ],
)
def test_counting_from_the_end(value: str, wrong: bool) -> None:
    found = findings(BACKWARDS % value)
    assert [one.code for one in found] == (["KL102"] if wrong else [])
    assert not wrong or "by the last thread" in found[0].message


DOUBLED = """
__global__ void sort(const float *in, float *out, int padded) {
  extern __shared__ int order[];
  float *sums = (float *)(order + padded);
  order[threadIdx.x] = threadIdx.x;
  if (threadIdx.x %% 32 == 0) sums[threadIdx.x / 32] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = sums[threadIdx.x / 32] + order[threadIdx.x];
}
void run(const float *in, float *out, int n) {
  int padded = 32;
  while (padded < n) padded *= 2;
  sort<<<1, padded, %s>>>(in, out, padded);
}
"""


@pytest.mark.parametrize(
    ("size", "wrong"),
    [("padded * sizeof(int)", True), ("(padded + padded / 32) * sizeof(int)", False)],
)
def test_a_size_that_the_host_doubles_until_it_is_enough(size: str, wrong: bool) -> None:
    assert codes(DOUBLED % size) == (["KL607"] if wrong else [])


EDGED = """
__global__ void peaks(const float *score, float *peak, int across, int down) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 4, y = blockIdx.y * blockDim.y + threadIdx.y + 4;
  if (x >= %s - 4 || y >= %s - 4) return;
  peak[y * across + x] = score[y * across + x] - score[y * across + x - 1];
}
"""


@pytest.mark.parametrize(
    ("first", "second", "wrong"), [("across", "down", False), ("down", "across", True), ("across", "across", False)]
)
def test_swapped_extents_with_a_border(first: str, second: str, wrong: bool) -> None:
    assert ("KL403" in codes(EDGED % (first, second))) is wrong


MEMBERS = """
struct Shape { int width, height; float step; };
__global__ void back(float *out, const float *in, const Shape shape) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < shape.width && y < shape.height) out[y * shape.width + x] = in[y * shape.width + x] * shape.step;
}
void run(float *out, const float *in, const Shape &shape) {
  dim3 block(16, 16), grid((shape.%s + 15) / 16, (shape.%s + 15) / 16);
  back<<<grid, block>>>(out, in, shape);
}
"""


@pytest.mark.parametrize(("along_x", "along_y", "wrong"), [("height", "width", True), ("width", "height", False)])
def test_extents_in_one_object_are_named_and_the_grid_is_what_is_exchanged(
    along_x: str, along_y: str, wrong: bool
) -> None:
    told = findings(MEMBERS % (along_x, along_y))
    assert [one.code for one in told] == (["KL602"] if wrong else [])
    assert not wrong or "made for shape.height along x and shape.width along y" in told[0].message


FIELDS = """
__global__ void sums(const unsigned long long *list, const int *first, short *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int last[4] = {0, 0, 0, 0};
  for (int k = first[i]; k < first[i + 1]; ++k) {
    const unsigned long long word = list[k];
    out[%s] = last[word & 127]++;
  }
}
"""


@pytest.mark.parametrize(
    ("other", "wrong"),
    [("word >> 8", False), ("k", True), ("(word >> 7) & 127", True)],  # what fields of one width hold is not told
)
def test_the_width_of_a_field_in_a_record_says_nothing_of_its_values(other: str, wrong: bool) -> None:
    assert codes(FIELDS % other, select=("KL104",)) == (["KL104"] if wrong else [])


CARRIED = """
__global__ void carried(float *signal, const float *carry, int n) {
  __shared__ float start[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  if (blockIdx.x > 0) {
    start[t] = carry[%s];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 256; ++k) sum += start[k];
    if (i < n) signal[i] += sum;
  }
}
"""


@pytest.mark.parametrize(
    ("at", "wrong"),
    [
        ("(blockIdx.x - 1) * 256 + t", False),  # the blocks before the last one are full
        ("blockIdx.x * 256 - 256 + t", False),
        ("blockIdx.x * 256 - 128 + t", True),
        ("blockIdx.x * 256 + t", True),
    ],
)
def test_the_block_before_is_full(at: str, wrong: bool) -> None:
    assert codes(CARRIED % at, select=("KL1",)) == (["KL103"] if wrong else [])


BEHIND = """
__global__ void smooth(const float *x, float *y, int n) {
  __shared__ float ahead[256], here[256];
  const int t = threadIdx.x, i = blockIdx.x * 128 + t;
  if (t < %s) {
    const int j = blockIdx.x * 128 - 48 + t;
    ahead[t] = j >= 0 ? x[j] : 0.0f;
  }
  here[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  if (i < n) y[i] = here[t] + ahead[t & 31];
}
void run(const float *x, float *y, int n) { smooth<<<(n + 127) / 128, 128>>>(x, y, n); }
"""


@pytest.mark.parametrize(("width", "wrong"), [("48", False), ("40", False), ("64", True)])
def test_what_lies_before_a_part_is_there(width: str, wrong: bool) -> None:
    assert codes(BEHIND % width, select=("KL1",)) == (["KL101"] if wrong else [])


COLUMNS = """
struct Interval { float low, high; };
__global__ void crossings(const Interval *spans, unsigned *hits, int count, int blocks) {
  __shared__ Interval tile[64];
  const int rows = blockIdx.y * 64, columns = blockIdx.x * 64, t = threadIdx.x;
  const int high = min(count - rows, 64), wide = min(count - columns, 64);
  if (t < %s) tile[t] = spans[columns + t];
  __syncthreads();
  if (t < high) {
    const Interval mine = spans[rows + t];
    unsigned found = 0;
    for (int k = 0; k < wide; ++k) found += tile[k].low < mine.high;
    hits[(rows + t) * blocks + blockIdx.x] = found;
  }
}
void run(const Interval *spans, unsigned *hits, int count) {
  const int blocks = (count + 63) / 64;
  crossings<<<dim3(blocks, blocks), 64>>>(spans, hits, count, blocks);
}
"""


@pytest.mark.parametrize(("limit", "wrong"), [("64", True), ("wide", False)])
def test_rows_of_blocks_that_are_one_row_of_items(limit: str, wrong: bool) -> None:
    assert codes(COLUMNS % limit, select=("KL1",)) == (["KL101"] if wrong else [])
