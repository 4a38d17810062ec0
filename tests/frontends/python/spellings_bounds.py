"""Faults of bounds and launches in numba programs, each in several spellings.

A line that ends in ``# BAD`` stands in the faulty program alone, one that ends in ``# GOOD`` in the cured one alone;
``# FAULT`` marks a line of both.  A finding of one of the named rules counts at the lines marked ``BAD`` and ``FAULT``.
They were written before anything was run on them.
"""

from __future__ import annotations

Spelling = tuple[str, tuple[str, ...], str]
"""Name, rules that may find the fault, program."""

GUARD = ("missing-bounds-guard", "wrong-bounds-guard", "late-bounds-guard", "array-index-out-of-range")

SPELLINGS: tuple[Spelling, ...] = (
    # no guard with forall
    (
        "forall over an attribute",
        GUARD,
        """
@cuda.jit
def squash(values):
    k = cuda.grid(1)
    if k < len(values):  # GOOD
        values[k] = 1.0 / (1.0 + math.exp(-values[k]))  # GOOD
    values[k] = 1.0 / (1.0 + math.exp(-values[k]))  # BAD

class Layer:
    def __init__(self, n):
        self.n = n
        self.buffer = cuda.device_array(n, dtype=np.float32)

    def forward(self):
        squash.forall(self.buffer.size)(self.buffer)
""",
    ),
    (
        "forall with a block of its own",
        GUARD,
        """
@cuda.jit("void(float64[:], float64[:], float64)")
def axpy(y, x, a):
    idx = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    if idx >= y.shape[0]:  # GOOD
        return  # GOOD
    y[idx] = a * x[idx] + y[idx]  # FAULT

def main():
    n = 1000
    x = cuda.to_device(np.random.rand(n))
    y = cuda.to_device(np.random.rand(n))
    axpy.forall(n, tpb=256)(y, x, 2.0)
""",
    ),
    (
        "forall under a name, by a device function",
        GUARD,
        """
@cuda.jit(device=True)
def bump(arr, at):
    arr[at] += 1  # FAULT

@cuda.jit
def bump_all(arr):
    i = cuda.grid(1)
    if i < arr.shape[0]:  # GOOD
        bump(arr, i)  # GOOD
    bump(arr, i)  # BAD

def go(host):
    dev = cuda.to_device(host)
    launch = bump_all.forall(dev.shape[0])
    launch(dev)
    return dev.copy_to_host()
""",
    ),
    # past the end by one
    (
        "guard by len() plus one",
        GUARD,
        """
@cuda.jit
def relu(a, b):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i > len(a):  # BAD
        return  # BAD
    if i >= len(a):  # GOOD
        return  # GOOD
    b[i] = max(a[i], 0.0)  # FAULT

def run(a):
    b = np.empty_like(a)
    relu[(len(a) + 63) // 64, 64](a, b)
    return b
""",
    ),
    (
        "backward difference becomes forward",
        GUARD,
        """
@cuda.jit
def gradient(field, out, h):
    i, j = cuda.grid(2)
    if 0 < i < field.shape[0] and 0 < j < field.shape[1]:  # BAD
        out[i, j] = (field[i + 1, j] - field[i - 1, j]) / (2 * h)  # BAD
    if 0 < i < field.shape[0] - 1 and 0 < j < field.shape[1]:  # GOOD
        out[i, j] = (field[i + 1, j] - field[i - 1, j]) / (2 * h)  # GOOD
""",
    ),
    (
        "loop to the length and one more",
        GUARD,
        """
@cuda.jit
def row_sums(m, sums):
    r = cuda.grid(1)
    if r < m.shape[0]:
        total = 0.0
        for c in range(m.shape[1] + 1):  # BAD
            total += m[r, c]  # BAD
        for c in range(m.shape[1]):  # GOOD
            total += m[r, c]  # GOOD
        sums[r] = total
""",
    ),
    (
        "last bin of a histogram",
        GUARD,
        """
@cuda.jit
def edges(data, starts, out):
    i = cuda.grid(1)
    n = starts.size
    while i < n:
        out[i] = starts[i + 1] - starts[i]  # BAD
        if i + 1 < n:  # GOOD
            out[i] = starts[i + 1] - starts[i]  # GOOD
        i += cuda.gridsize(1)
""",
    ),
    # shared array smaller than the launch
    (
        "tile of 16 and a block of 32 by 32",
        ("array-index-out-of-range",),
        """
TPB = 16

@cuda.jit
def stage(a, out):
    tile = cuda.shared.array((TPB, TPB), dtype=float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    x, y = cuda.grid(2)
    v = 0.0
    if x < a.shape[0] and y < a.shape[1]:
        v = a[x, y]
    tile[tx, ty] = v  # FAULT
    cuda.syncthreads()
    if x < out.shape[0] and y < out.shape[1]:
        out[x, y] = tile[ty, tx]

def main():
    a = cuda.to_device(np.ones((512, 512), dtype=np.float32))
    out = cuda.device_array_like(a)
    threads = (32, 32)  # BAD
    threads = (TPB, TPB)  # GOOD
    blocks = (math.ceil(512 / threads[0]), math.ceil(512 / threads[1]))
    stage[blocks, threads](a, out)
""",
    ),
    (
        "partial sums of 128 for 256 threads",
        ("array-index-out-of-range",),
        """
@cuda.jit
def partials(x, out):
    cache = cuda.shared.array(128, float64)  # BAD
    cache = cuda.shared.array(256, float64)  # GOOD
    lane = cuda.threadIdx.x
    acc = 0.0
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        acc += x[i]
    cache[lane] = acc  # FAULT
    cuda.syncthreads()
    if lane == 0:
        total = 0.0
        for k in range(cuda.blockDim.x):
            total += cache[k]
        out[cuda.blockIdx.x] = total

def total(x):
    blocks = 64
    out = np.zeros(blocks)
    partials[blocks, 256](x, out)
    return out.sum()
""",
    ),
    (
        "halo that the tile has no room for",
        ("array-index-out-of-range",),
        """
BLOCK = 128
R = 3

@cuda.jit
def smooth(x, y):
    s = cuda.shared.array(BLOCK + R, float32)  # BAD
    s = cuda.shared.array(BLOCK + 2 * R, float32)  # GOOD
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t + R] = x[i] if i < x.size else 0.0
    if t < R:
        s[t] = x[i - R] if i >= R and i - R < x.size else 0.0
        s[t + R + BLOCK] = x[i + BLOCK] if i + BLOCK < x.size else 0.0  # FAULT
    cuda.syncthreads()
    if i < x.size:
        acc = 0.0
        for k in range(2 * R + 1):
            acc += s[t + k]  # FAULT
        y[i] = acc / (2 * R + 1)

def run(x):
    y = np.zeros_like(x)
    smooth[(x.size + BLOCK - 1) // BLOCK, BLOCK](x, y)
    return y
""",
    ),
    # shapes that are known at run time only
    (
        "shape by blockDim",
        ("run-time-array-shape",),
        """
@cuda.jit
def norms(v, out):
    buf = cuda.shared.array(shape=cuda.blockDim.x, dtype=float32)  # BAD
    buf = cuda.shared.array(shape=128, dtype=float32)  # GOOD
    t = cuda.threadIdx.x
    buf[t] = v[t] * v[t]
    cuda.syncthreads()
    if t == 0:
        s = 0.0
        for k in range(cuda.blockDim.x):
            s += buf[k]
        out[0] = math.sqrt(s)

def run(v, out):
    norms[1, 128](v, out)
""",
    ),
    (
        "shape by the length of an argument",
        ("run-time-array-shape",),
        """
@cuda.jit
def weights_of(w, x, y):
    n = w.shape[0]  # BAD
    local = cuda.local.array(n, float64)  # BAD
    n = 8  # GOOD
    local = cuda.local.array(8, float64)  # GOOD
    i = cuda.grid(1)
    if i < x.size:
        acc = 0.0
        for k in range(n):
            local[k] = w[k] * x[i]
            acc += local[k]
        y[i] = acc
""",
    ),
    (
        "shape by an argument in a tuple",
        ("run-time-array-shape",),
        """
@cuda.jit
def blocks_of(a, rows, out):
    t = cuda.shared.array((rows, 16), dtype=numba.float32)  # BAD
    t = cuda.shared.array((16, 16), dtype=numba.float32)  # GOOD
    x = cuda.threadIdx.x
    y = cuda.threadIdx.y
    t[y, x] = a[y, x]
    cuda.syncthreads()
    out[x, y] = t[y, x]
""",
    ),
    # limits of a launch
    (
        "block of two axes with too many threads",
        ("launch-limits",),
        """
@cuda.jit
def clear(img):
    x, y = cuda.grid(2)
    if x < img.shape[0] and y < img.shape[1]:
        img[x, y] = 0

def run(img):
    threadsperblock = (64, 32)  # BAD
    threadsperblock = (32, 32)  # GOOD
    bx = (img.shape[0] + threadsperblock[0] - 1) // threadsperblock[0]
    by = (img.shape[1] + threadsperblock[1] - 1) // threadsperblock[1]
    clear[(bx, by), threadsperblock](img)  # FAULT
""",
    ),
    (
        "threads and blocks the wrong way round",
        ("launch-limits", "swapped-launch-arguments"),
        """
@cuda.jit
def inc(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] += 1

def main():
    a = np.zeros(1 << 20, dtype=np.int32)
    threads = 256
    blocks = (a.size + threads - 1) // threads
    inc[threads, blocks](a)  # BAD
    inc[blocks, threads](a)  # GOOD
""",
    ),
    (
        "one block for all",
        ("launch-limits",),
        """
@cuda.jit
def double(v):
    i = cuda.threadIdx.x
    if i < v.shape[0]:
        v[i] *= 2

def main():
    v = np.arange(4096, dtype=np.float64)
    double[1, 4096](v)  # BAD
    double[1, 1024](v)  # GOOD
""",
    ),
    (
        "grid with too many rows",
        ("launch-limits",),
        """
@cuda.jit
def fill(a, value):
    row = cuda.blockIdx.y  # BAD
    row = cuda.blockIdx.x  # GOOD
    col = cuda.threadIdx.x
    if row < a.shape[0] and col < a.shape[1]:
        a[row, col] = value

def main():
    a = cuda.device_array((100000, 64), dtype=np.float32)
    fill[(1, 100000), 64](a, 0.5)  # BAD
    fill[100000, 64](a, 0.5)  # GOOD
""",
    ),
    # grid too small
    (
        "length divided down into a variable",
        ("uncovered-tail",),
        """
@cuda.jit
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]

def run(a, b):
    n = a.size
    c = np.zeros(n)
    threads = 128
    blocks = n // threads  # BAD
    blocks = (n - 1) // threads + 1  # GOOD
    add[blocks, threads](a, b, c)  # FAULT
    return c
""",
    ),
    (
        "int() of a quotient",
        ("uncovered-tail",),
        """
@cuda.jit
def scale(img, factor):
    x, y = cuda.grid(2)
    if x < img.shape[0] and y < img.shape[1]:
        img[x, y] *= factor

def run(img):
    tpb = (16, 16)
    bpg = (int(img.shape[0] / tpb[0]), int(img.shape[1] / tpb[1]))  # BAD
    bpg = (math.ceil(img.shape[0] / tpb[0]), math.ceil(img.shape[1] / tpb[1]))  # GOOD
    scale[bpg, tpb](img, 0.5)  # FAULT
""",
    ),
    (
        "ten blocks for 10,000 elements",
        ("uncovered-tail",),
        """
@cuda.jit
def cube(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i] ** 3

def main():
    x = np.linspace(0, 1, 10000)
    y = np.zeros(10000)
    cube[10, 256](x, y)  # BAD
    cube[40, 256](x, y)  # GOOD
""",
    ),
    # swapped indices, axes in another order than the shape
    (
        "column before row in the output",
        (*GUARD, "swapped-axes"),
        """
@cuda.jit
def brighten(img, out, by):
    r, c = cuda.grid(2)
    if r < img.shape[0] and c < img.shape[1]:
        out[c, r] = img[r, c] + by  # BAD
        out[r, c] = img[r, c] + by  # GOOD

def run(by):
    img = cuda.to_device(np.zeros((480, 640), dtype=np.float32))
    out = cuda.device_array((480, 640), dtype=np.float32)
    brighten[(30, 40), (16, 16)](img, out, by)
""",
    ),
    (
        "guards the other way round",
        (*GUARD, "swapped-axes"),
        """
@cuda.jit
def invert(img):
    x, y = cuda.grid(2)
    if x < img.shape[1] and y < img.shape[0]:
        img[x, y] = 255 - img[x, y]  # BAD
        img[y, x] = 255 - img[y, x]  # GOOD
""",
    ),
    (
        "grid of width and height, guard of rows and columns",
        ("uncovered-tail", "swapped-axes"),
        """
@cuda.jit
def gray(img):
    i, j = cuda.grid(2)
    if i < img.shape[0] and j < img.shape[1]:
        img[i, j] = 0.5 * img[i, j]

def run():
    img = cuda.to_device(np.zeros((1080, 1920), dtype=np.float32))
    tpb = (16, 16)
    bpg = (math.ceil(1920 / tpb[0]), math.ceil(1080 / tpb[1]))  # BAD
    bpg = (math.ceil(1080 / tpb[0]), math.ceil(1920 / tpb[1]))  # GOOD
    gray[bpg, tpb](img)  # FAULT
""",
    ),
    (
        "flat index by the height",
        (*GUARD, "swapped-axes"),
        """
@cuda.jit
def unroll(flat, width, height, out):
    x, y = cuda.grid(2)
    if x < width and y < height:
        out[y, x] = flat[y * height + x]  # BAD
        out[y, x] = flat[y * width + x]  # GOOD

def run():
    width, height = 800, 600
    flat = cuda.to_device(np.arange(width * height, dtype=np.float32))
    out = cuda.device_array((height, width), dtype=np.float32)
    unroll[((width + 15) // 16, (height + 15) // 16), (16, 16)](flat, width, height, out)
""",
    ),
    # one axis of two is tested
    (
        "only rows are tested",
        GUARD,
        """
@cuda.jit
def matmul(A, B, C):
    i, j = cuda.grid(2)
    if i < C.shape[0]:  # BAD
        tmp = 0.0  # BAD
        for k in range(A.shape[1]):  # BAD
            tmp += A[i, k] * B[k, j]  # BAD
        C[i, j] = tmp  # BAD
    if i < C.shape[0] and j < C.shape[1]:  # GOOD
        tmp = 0.0  # GOOD
        for k in range(A.shape[1]):  # GOOD
            tmp += A[i, k] * B[k, j]  # GOOD
        C[i, j] = tmp  # GOOD

def run(A, B):
    C = np.zeros((A.shape[0], B.shape[1]))
    tpb = (16, 16)
    bpg = (math.ceil(C.shape[0] / 16), math.ceil(C.shape[1] / 16))
    matmul[bpg, tpb](A, B, C)
""",
    ),
)
