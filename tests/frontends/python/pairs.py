"""Pairs of numba programs, one with a fault that the field reports and one without it.

``# FAULT`` marks the lines at which a finding counts.  The pairs were written before anything was run on them.
"""

from __future__ import annotations

from kernlint.record import dataclass

HEAD = "import math\nimport numpy as np\nfrom numba import cuda, float32, float64, int32, int64\n\n"


@dataclass(frozen=True, slots=True)
class Pair:
    """``kinds``: names of the rules that may find the fault."""

    name: str
    kinds: tuple[str, ...]
    bad: str
    good: str


PAIRS: tuple[Pair, ...] = (
    Pair(
        "forall without a guard",
        ("missing-bounds-guard",),
        """
@cuda.jit
def halve(x):
    i = cuda.grid(1)
    x[i] = x[i] * 0.5  # FAULT

def run(host):
    d = cuda.to_device(host)
    halve.forall(len(d))(d)
    return d.copy_to_host()
""",
        """
@cuda.jit
def halve(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = x[i] * 0.5

def run(host):
    d = cuda.to_device(host)
    halve.forall(len(d))(d)
    return d.copy_to_host()
""",
    ),
    Pair(
        "grid of math.ceil without a guard",
        ("missing-bounds-guard",),
        """
@cuda.jit
def saxpy(a, x, y):
    tid = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    y[tid] += a * x[tid]  # FAULT

def run(a, x, y):
    tpb = 128
    bpg = math.ceil(x.shape[0] / tpb)
    saxpy[bpg, tpb](a, x, y)
""",
        """
@cuda.jit
def saxpy(a, x, y):
    tid = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    if tid >= x.shape[0]:
        return
    y[tid] += a * x[tid]

def run(a, x, y):
    tpb = 128
    bpg = math.ceil(x.shape[0] / tpb)
    saxpy[bpg, tpb](a, x, y)
""",
    ),
    Pair(
        "guard one too far",
        ("wrong-bounds-guard", "missing-bounds-guard"),
        """
@cuda.jit
def scale(x, out):
    i = cuda.grid(1)
    if i <= x.shape[0]:
        out[i] = 3.0 * x[i]  # FAULT

def run(n):
    x = cuda.to_device(np.ones(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    scale[(n + 255) // 256, 256](x, out)
""",
        """
@cuda.jit
def scale(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        out[i] = 3.0 * x[i]

def run(n):
    x = cuda.to_device(np.ones(n, dtype=np.float32))
    out = cuda.device_array(n, dtype=np.float32)
    scale[(n + 255) // 256, 256](x, out)
""",
    ),
    Pair(
        "neighbour past the end",
        ("wrong-bounds-guard",),
        """
@cuda.jit
def slope(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i + 1] - x[i]  # FAULT
""",
        """
@cuda.jit
def slope(x, out):
    i = cuda.grid(1)
    if i < x.size - 1:
        out[i] = x[i + 1] - x[i]
""",
    ),
    Pair(
        "syncthreads as a barrier of the grid",
        ("global-memory-race",),
        """
@cuda.jit
def smooth_twice(x, y, z):
    i = cuda.grid(1)
    n = x.shape[0]
    if 0 < i < n - 1:
        y[i] = 0.5 * (x[i - 1] + x[i + 1])  # FAULT
    cuda.syncthreads()
    if 0 < i < n - 1:
        z[i] = 0.5 * (y[i - 1] + y[i + 1])  # FAULT

def run(x):
    n = x.shape[0]
    y = cuda.device_array_like(x)
    z = cuda.device_array_like(x)
    smooth_twice[(n + 127) // 128, 128](x, y, z)
""",
        """
@cuda.jit
def smooth(x, y):
    i = cuda.grid(1)
    n = x.shape[0]
    if 0 < i < n - 1:
        y[i] = 0.5 * (x[i - 1] + x[i + 1])

def run(x):
    n = x.shape[0]
    y = cuda.device_array_like(x)
    z = cuda.device_array_like(x)
    smooth[(n + 127) // 128, 128](x, y)
    smooth[(n + 127) // 128, 128](y, z)
""",
    ),
    Pair(
        "barrier behind a return",
        ("barrier-divergence",),
        """
BLOCK = 128

@cuda.jit
def reverse_blocks(x):
    tile = cuda.shared.array(BLOCK, dtype=float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    if i >= x.shape[0]:
        return
    tile[t] = x[i]
    cuda.syncthreads()  # FAULT
    x[i] = tile[t]
""",
        """
BLOCK = 128

@cuda.jit
def reverse_blocks(x):
    tile = cuda.shared.array(BLOCK, dtype=float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    if i < x.shape[0]:
        tile[t] = x[i]
    cuda.syncthreads()
    if i < x.shape[0]:
        x[i] = tile[t]
""",
    ),
    Pair(
        "barrier in a branch of some threads",
        ("barrier-divergence",),
        """
@cuda.jit
def block_sums(x, out):
    s = cuda.shared.array(64, dtype=float64)
    t = cuda.threadIdx.x
    s[t] = x[cuda.blockIdx.x * 64 + t]
    cuda.syncthreads()
    step = 32
    while step > 0:
        if t < step:
            s[t] += s[t + step]
            cuda.syncthreads()  # FAULT
        step //= 2
    if t == 0:
        out[cuda.blockIdx.x] = s[0]

def run(x, out):
    block_sums[x.size // 64, 64](x, out)
""",
        """
@cuda.jit
def block_sums(x, out):
    s = cuda.shared.array(64, dtype=float64)
    t = cuda.threadIdx.x
    s[t] = x[cuda.blockIdx.x * 64 + t]
    cuda.syncthreads()
    step = 32
    while step > 0:
        if t < step:
            s[t] += s[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        out[cuda.blockIdx.x] = s[0]

def run(x, out):
    block_sums[x.size // 64, 64](x, out)
""",
    ),
    Pair(
        "all threads add to one shared cell",
        ("shared-memory-race",),
        """
@cuda.jit
def count_positive(x, out):
    total = cuda.shared.array(1, dtype=int32)
    if cuda.threadIdx.x == 0:
        total[0] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < x.size and x[i] > 0:
        total[0] += 1  # FAULT
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        cuda.atomic.add(out, 0, total[0])
""",
        """
@cuda.jit
def count_positive(x, out):
    total = cuda.shared.array(1, dtype=int32)
    if cuda.threadIdx.x == 0:
        total[0] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < x.size and x[i] > 0:
        cuda.atomic.add(total, 0, 1)
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        cuda.atomic.add(out, 0, total[0])
""",
    ),
    Pair(
        "tile read before the barrier",
        ("shared-memory-race",),
        """
TPB = 32

@cuda.jit
def transpose(a, out):
    tile = cuda.shared.array((TPB, TPB + 1), dtype=float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    if x < a.shape[1] and y < a.shape[0]:
        tile[ty, tx] = a[y, x]  # FAULT
    ox = cuda.blockIdx.y * TPB + tx
    oy = cuda.blockIdx.x * TPB + ty
    if ox < out.shape[1] and oy < out.shape[0]:
        out[oy, ox] = tile[tx, ty]  # FAULT
""",
        """
TPB = 32

@cuda.jit
def transpose(a, out):
    tile = cuda.shared.array((TPB, TPB + 1), dtype=float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    if x < a.shape[1] and y < a.shape[0]:
        tile[ty, tx] = a[y, x]
    cuda.syncthreads()
    ox = cuda.blockIdx.y * TPB + tx
    oy = cuda.blockIdx.x * TPB + ty
    if ox < out.shape[1] and oy < out.shape[0]:
        out[oy, ox] = tile[tx, ty]
""",
    ),
    Pair(
        "tile overwritten while others still read it",
        ("shared-memory-race", "late-barrier"),
        """
TPB = 16

@cuda.jit
def matmul(A, B, C):
    sA = cuda.shared.array((TPB, TPB), dtype=float32)
    sB = cuda.shared.array((TPB, TPB), dtype=float32)
    x, y = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    acc = float32(0.0)
    for i in range(cuda.gridDim.x):
        sA[ty, tx] = 0  # FAULT
        sB[ty, tx] = 0  # FAULT
        if y < A.shape[0] and (tx + i * TPB) < A.shape[1]:
            sA[ty, tx] = A[y, tx + i * TPB]  # FAULT
        if x < B.shape[1] and (ty + i * TPB) < B.shape[0]:
            sB[ty, tx] = B[ty + i * TPB, x]  # FAULT
        cuda.syncthreads()
        for j in range(TPB):
            acc += sA[ty, j] * sB[j, tx]  # FAULT
    if y < C.shape[0] and x < C.shape[1]:
        C[y, x] = acc
""",
        """
TPB = 16

@cuda.jit
def matmul(A, B, C):
    sA = cuda.shared.array((TPB, TPB), dtype=float32)
    sB = cuda.shared.array((TPB, TPB), dtype=float32)
    x, y = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    acc = float32(0.0)
    for i in range(cuda.gridDim.x):
        sA[ty, tx] = 0
        sB[ty, tx] = 0
        if y < A.shape[0] and (tx + i * TPB) < A.shape[1]:
            sA[ty, tx] = A[y, tx + i * TPB]
        if x < B.shape[1] and (ty + i * TPB) < B.shape[0]:
            sB[ty, tx] = B[ty + i * TPB, x]
        cuda.syncthreads()
        for j in range(TPB):
            acc += sA[ty, j] * sB[j, tx]
        cuda.syncthreads()
    if y < C.shape[0] and x < C.shape[1]:
        C[y, x] = acc
""",
    ),
    Pair(
        "shared array smaller than the block",
        ("array-index-out-of-range",),
        """
@cuda.jit
def stage(x, out):
    buf = cuda.shared.array(128, dtype=float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    buf[t] = x[i] if i < x.size else 0.0  # FAULT
    cuda.syncthreads()
    if i < out.size:
        out[i] = buf[255 - t]  # FAULT

def run(x, out):
    stage[(x.size + 255) // 256, 256](x, out)
""",
        """
@cuda.jit
def stage(x, out):
    buf = cuda.shared.array(256, dtype=float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    buf[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    if i < out.size:
        out[i] = buf[255 - t]

def run(x, out):
    stage[(x.size + 255) // 256, 256](x, out)
""",
    ),
    Pair(
        "shape of a shared array from an argument",
        ("run-time-array-shape",),
        """
@cuda.jit
def windowed(x, out, width):
    win = cuda.shared.array(width, dtype=float32)  # FAULT
    t = cuda.threadIdx.x
    win[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    out[cuda.grid(1)] = win[width - 1 - t]
""",
        """
WIDTH = 64

@cuda.jit
def windowed(x, out):
    win = cuda.shared.array(WIDTH, dtype=float32)
    t = cuda.threadIdx.x
    win[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    out[cuda.grid(1)] = win[WIDTH - 1 - t]
""",
    ),
    Pair(
        "more threads than a block may have",
        ("launch-limits",),
        """
@cuda.jit
def fill(img, value):
    x, y = cuda.grid(2)
    if x < img.shape[0] and y < img.shape[1]:
        img[x, y] = value

def run(img):
    threads = (64, 32)
    blocks = (math.ceil(img.shape[0] / threads[0]), math.ceil(img.shape[1] / threads[1]))
    fill[blocks, threads](img, 7)  # FAULT
""",
        """
@cuda.jit
def fill(img, value):
    x, y = cuda.grid(2)
    if x < img.shape[0] and y < img.shape[1]:
        img[x, y] = value

def run(img):
    threads = (32, 32)
    blocks = (math.ceil(img.shape[0] / threads[0]), math.ceil(img.shape[1] / threads[1]))
    fill[blocks, threads](img, 7)
""",
    ),
    Pair(
        "more shared memory than 48 KB",
        ("oversized-shared-memory",),
        """
@cuda.jit
def gather(x, out):
    lut = cuda.shared.array(shape=(100, 80), dtype=float64)  # FAULT
    t = cuda.threadIdx.x
    for k in range(t, 8000, cuda.blockDim.x):
        lut[k // 80, k % 80] = x[k]
    cuda.syncthreads()
    out[cuda.grid(1)] = lut[t % 100, 3]
""",
        """
@cuda.jit
def gather(x, out):
    lut = cuda.shared.array(shape=(50, 80), dtype=float64)
    t = cuda.threadIdx.x
    for k in range(t, 4000, cuda.blockDim.x):
        lut[k // 80, k % 80] = x[k]
    cuda.syncthreads()
    out[cuda.grid(1)] = lut[t % 50, 3]
""",
    ),
    Pair(
        "host arrays passed again and again",
        ("implicit-array-copy",),
        """
@cuda.jit
def relax(u, f):
    i = cuda.grid(1)
    if i < u.size:
        u[i] = 0.5 * (u[i] + f[i])

def solve(n, steps):
    u = np.zeros(n)
    f = np.ones(n)
    for _ in range(steps):
        relax[(n + 127) // 128, 128](u, f)  # FAULT
    return u
""",
        """
@cuda.jit
def relax(u, f):
    i = cuda.grid(1)
    if i < u.size:
        u[i] = 0.5 * (u[i] + f[i])

def solve(n, steps):
    u = cuda.to_device(np.zeros(n))
    f = cuda.to_device(np.ones(n))
    for _ in range(steps):
        relax[(n + 127) // 128, 128](u, f)
    return u.copy_to_host()
""",
    ),
    Pair(
        "grid rounded down",
        ("uncovered-tail", "grid-too-small"),
        """
@cuda.jit
def add_one(x):
    i = cuda.grid(1)
    if i < x.shape[0]:
        x[i] += 1

def run(x):
    n = x.shape[0]
    add_one[n // 256, 256](x)  # FAULT
""",
        """
@cuda.jit
def add_one(x):
    i = cuda.grid(1)
    if i < x.shape[0]:
        x[i] += 1

def run(x):
    n = x.shape[0]
    add_one[(n + 255) // 256, 256](x)
""",
    ),
    Pair(
        "exceptions handled in a kernel",
        ("unsupported-python",),
        """
@cuda.jit
def safe_divide(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        try:  # FAULT
            out[i] = a[i] / b[i]
        except ZeroDivisionError:
            out[i] = 0.0
""",
        """
@cuda.jit
def safe_divide(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        if b[i] != 0:
            out[i] = a[i] / b[i]
        else:
            out[i] = 0.0
""",
    ),
    Pair(
        "kernel that returns a value",
        ("kernel-returns-value",),
        """
@cuda.jit
def largest(x, out):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.max(out, 0, x[i])
    return out  # FAULT
""",
        """
@cuda.jit
def largest(x, out):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.max(out, 0, x[i])
""",
    ),
    Pair(
        "global changed after the kernel was compiled",
        ("stale-captured-global",),
        """
GAIN = 2.0

@cuda.jit
def amplify(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= GAIN  # FAULT

def set_gain(value):
    global GAIN
    GAIN = value  # FAULT

def run(x):
    amplify[(x.size + 63) // 64, 64](x)
""",
        """
@cuda.jit
def amplify(x, gain):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= gain

def run(x, gain):
    amplify[(x.size + 63) // 64, 64](x, gain)
""",
    ),
    Pair(
        "row and column swapped in the index",
        ("swapped-axes", "wrong-bounds-guard"),
        """
@cuda.jit
def brighten(img, out):
    row, col = cuda.grid(2)
    if row < img.shape[1] and col < img.shape[0]:
        out[row, col] = img[row, col] + 1.0  # FAULT

def run(h, w):
    img = cuda.to_device(np.zeros((h, w)))
    out = cuda.device_array((h, w))
    brighten[((h + 15) // 16, (w + 15) // 16), (16, 16)](img, out)
""",
        """
@cuda.jit
def brighten(img, out):
    row, col = cuda.grid(2)
    if row < img.shape[0] and col < img.shape[1]:
        out[row, col] = img[row, col] + 1.0

def run(h, w):
    img = cuda.to_device(np.zeros((h, w)))
    out = cuda.device_array((h, w))
    brighten[((h + 15) // 16, (w + 15) // 16), (16, 16)](img, out)
""",
    ),
    Pair(
        "index by true division",
        ("float-array-index",),
        """
@cuda.jit
def decimate(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i / 2] = x[i]  # FAULT
""",
        """
@cuda.jit
def decimate(x, out):
    i = cuda.grid(1)
    if i < x.size and i % 2 == 0:
        out[i // 2] = x[i]
""",
    ),
    Pair(
        "grid by true division",
        ("float-launch-configuration",),
        """
@cuda.jit
def clear(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = 0

def run(x):
    clear[x.size / 32, 32](x)  # FAULT
""",
        """
@cuda.jit
def clear(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = 0

def run(x):
    clear[(x.size + 31) // 32, 32](x)
""",
    ),
    Pair(
        "launch without a configuration",
        ("missing-launch-configuration",),
        """
@cuda.jit
def negate(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = -x[i]

def run(x):
    negate(x)  # FAULT
""",
        """
@cuda.jit
def negate(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = -x[i]

def run(x):
    negate[(x.size + 31) // 32, 32](x)
""",
    ),
    Pair(
        "shared accumulator never set",
        ("uninitialised-shared-memory",),
        """
@cuda.jit
def histogram(x, out):
    bins = cuda.shared.array(64, dtype=int32)
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(bins, x[i] & 63, 1)  # FAULT
    cuda.syncthreads()
    t = cuda.threadIdx.x
    if t < 64:
        cuda.atomic.add(out, t, bins[t])  # FAULT

def run(x, out):
    histogram[(x.size + 127) // 128, 128](x, out)
""",
        """
@cuda.jit
def histogram(x, out):
    bins = cuda.shared.array(64, dtype=int32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    if t < 64:
        bins[t] = 0
    cuda.syncthreads()
    if i < x.size:
        cuda.atomic.add(bins, x[i] & 63, 1)
    cuda.syncthreads()
    if t < 64:
        cuda.atomic.add(out, t, bins[t])

def run(x, out):
    histogram[(x.size + 127) // 128, 128](x, out)
""",
    ),
)
"""Each fault with its cure."""
