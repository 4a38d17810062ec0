"""Races, barriers and memory in numba programs, each fault in several spellings.

See :mod:`tests.frontends.python.spellings_bounds` for the marks.
"""

from __future__ import annotations

from tests.frontends.python.spellings_bounds import Spelling

SHARED = ("shared-memory-race", "late-barrier", "missing-warp-sync")
GLOBAL = ("global-memory-race",)
DIVERGED = ("barrier-divergence",)

SPELLINGS: tuple[Spelling, ...] = (
    # syncthreads as a barrier of the grid
    (
        "neighbour's result behind a barrier of the block",
        GLOBAL,
        """
@cuda.jit
def two_steps(a, b, c):
    i = cuda.grid(1)
    n = a.size
    if i < n:
        b[i] = 2 * a[i]  # FAULT
    cuda.syncthreads()  # BAD
    if i < n:  # BAD
        c[i] = b[n - 1 - i]  # BAD
    if i < n:  # GOOD
        c[i] = 2 * a[n - 1 - i]  # GOOD

def run(a, b, c):
    two_steps[(a.size + 255) // 256, 256](a, b, c)
""",
    ),
    (
        "all blocks' partial sums",
        GLOBAL,
        """
@cuda.jit
def total(x, partial, out):
    t = cuda.threadIdx.x
    acc = 0.0
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        acc += x[i]
    cuda.atomic.add(partial, cuda.blockIdx.x, acc)  # FAULT
    cuda.syncthreads()  # BAD
    if cuda.grid(1) == 0:  # BAD
        s = 0.0  # BAD
        for b in range(cuda.gridDim.x):  # BAD
            s += partial[b]  # BAD
        out[0] = s  # BAD

def run(x):
    partial = cuda.to_device(np.zeros(32))
    out = cuda.device_array(1)
    total[32, 128](x, partial, out)
""",
    ),
    (
        "time steps inside one launch",
        GLOBAL,
        """
@cuda.jit
def heat(u, v, steps):
    i = cuda.grid(1)
    for s in range(steps):  # BAD
        if 0 < i < u.size - 1:  # BAD
            v[i] = u[i] + 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1])  # BAD
        cuda.syncthreads()  # BAD
        if 0 < i < u.size - 1:  # BAD
            u[i] = v[i]  # BAD
        cuda.syncthreads()  # BAD
    if 0 < i < u.size - 1:  # GOOD
        v[i] = u[i] + 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1])  # GOOD

def run(u, v):
    heat[64, 256](u, v, 100)
""",
    ),
    # barriers that some threads do not reach
    (
        "guard around the whole body",
        DIVERGED,
        """
@cuda.jit
def blur(x, y):
    s = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if i < x.size:  # BAD
        s[t] = x[i]  # BAD
        cuda.syncthreads()  # BAD
        y[i] = 0.5 * (s[t] + s[max(t - 1, 0)])  # BAD
    s[t] = x[i] if i < x.size else 0.0  # GOOD
    cuda.syncthreads()  # GOOD
    if i < x.size:  # GOOD
        y[i] = 0.5 * (s[t] + s[max(t - 1, 0)])  # GOOD

def run(x, y):
    blur[(x.size + 63) // 64, 64](x, y)
""",
    ),
    (
        "barrier in the loop over a thread's own share",
        DIVERGED,
        """
@cuda.jit
def strided(x, out):
    s = cuda.shared.array(128, float64)
    t = cuda.threadIdx.x
    acc = 0.0
    for i in range(t, x.size, cuda.blockDim.x):
        acc += x[i]
        cuda.syncthreads()  # BAD
    s[t] = acc
    cuda.syncthreads()
    if t == 0:
        total = 0.0
        for k in range(128):
            total += s[k]
        out[0] = total

def run(x, out):
    strided[1, 128](x, out)
""",
    ),
    (
        "continue past the barrier",
        DIVERGED,
        """
@cuda.jit
def rounds(x, flags, n):
    s = cuda.shared.array(256, int32)
    t = cuda.threadIdx.x
    for r in range(n):
        if flags[t] == 0:  # BAD
            continue  # BAD
        s[t] = x[t] + r
        cuda.syncthreads()  # FAULT
        x[t] = s[255 - t]
        cuda.syncthreads()  # FAULT
""",
    ),
    (
        "half of the threads leave the tree",
        DIVERGED,
        """
@cuda.jit
def tree(x, out):
    s = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    step = cuda.blockDim.x // 2
    while step > 0:
        if t < step:
            s[t] += s[t + step]
            cuda.syncthreads()  # BAD
        cuda.syncthreads()  # GOOD
        step //= 2
    if t == 0:
        out[cuda.blockIdx.x] = s[0]
""",
    ),
    # += of many threads
    (
        "bins in shared memory",
        SHARED,
        """
@cuda.jit
def bins(data, out):
    h = cuda.shared.array(16, int32)
    t = cuda.threadIdx.x
    if t < 16:
        h[t] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < data.size:
        h[data[i] & 15] += 1  # BAD
        cuda.atomic.add(h, data[i] & 15, 1)  # GOOD
    cuda.syncthreads()
    if t < 16:
        cuda.atomic.add(out, t, h[t])
""",
    ),
    (
        "flag count of a block",
        SHARED,
        """
@cuda.jit
def count(mask, out):
    c = cuda.shared.array(1, int32)
    if cuda.threadIdx.x == 0:
        c[0] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < mask.size and mask[i]:
        c[0] = c[0] + 1  # BAD
        cuda.atomic.add(c, 0, 1)  # GOOD
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        out[cuda.blockIdx.x] = c[0]
""",
    ),
    (
        "columns of a shared row",
        SHARED,
        """
@cuda.jit
def columns(m, out):
    acc = cuda.shared.array(8, float64)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    if ty == 0:
        acc[tx] = 0.0
    cuda.syncthreads()
    acc[tx] += m[ty, tx]  # BAD
    cuda.atomic.add(acc, tx, m[ty, tx])  # GOOD
    cuda.syncthreads()
    if ty == 0:
        out[tx] = acc[tx]

def run(m, out):
    columns[1, (8, 16)](m, out)
""",
    ),
    (
        "sum into one cell",
        GLOBAL,
        """
@cuda.jit
def mean(x, result):
    i = cuda.grid(1)
    if i < x.size:
        result[0] += x[i] / x.size  # BAD
        cuda.atomic.add(result, 0, x[i] / x.size)  # GOOD
""",
    ),
    (
        "histogram in global memory",
        GLOBAL,
        """
@cuda.jit
def histogram(x, xmin, xmax, hist):
    nbins = hist.shape[0]
    width = (xmax - xmin) / nbins
    start = cuda.grid(1)
    for i in range(start, x.shape[0], cuda.gridsize(1)):
        b = int((x[i] - xmin) / width)
        if b >= 0 and b < nbins:
            hist[b] += 1  # BAD
            cuda.atomic.add(hist, b, 1)  # GOOD
""",
    ),
    (
        "rows into columns",
        GLOBAL,
        """
@cuda.jit
def colsum(m, out):
    i, j = cuda.grid(2)
    if i < m.shape[0] and j < m.shape[1]:
        out[j] += m[i, j]  # BAD
        cuda.atomic.add(out, j, m[i, j])  # GOOD

def run(m):
    out = cuda.to_device(np.zeros(m.shape[1]))
    colsum[(m.shape[0] // 16 + 1, m.shape[1] // 16 + 1), (16, 16)](m, out)
""",
    ),
    (
        "forces on both partners",
        GLOBAL,
        """
@cuda.jit
def forces(pos, pairs, f):
    k = cuda.grid(1)
    if k < pairs.shape[0]:
        a = pairs[k, 0]
        b = pairs[k, 1]
        d = pos[a] - pos[b]
        f[a] -= d  # BAD
        f[b] += d  # BAD
        cuda.atomic.add(f, a, -d)  # GOOD
        cuda.atomic.add(f, b, d)  # GOOD
""",
    ),
    # a barrier is missing after the tile is loaded
    (
        "tiled product without the first barrier",
        SHARED,
        """
T = 16

@cuda.jit
def fast_matmul(A, B, C):
    sA = cuda.shared.array((T, T), dtype=float32)
    sB = cuda.shared.array((T, T), dtype=float32)
    x, y = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    acc = float32(0.0)
    for i in range(cuda.gridDim.x):
        sA[ty, tx] = 0
        sB[ty, tx] = 0
        if y < A.shape[0] and (tx + i * T) < A.shape[1]:
            sA[ty, tx] = A[y, tx + i * T]  # FAULT
        if x < B.shape[1] and (ty + i * T) < B.shape[0]:
            sB[ty, tx] = B[ty + i * T, x]  # FAULT
        cuda.syncthreads()  # GOOD
        for j in range(T):
            acc += sA[ty, j] * sB[j, tx]  # FAULT
        cuda.syncthreads()
    if y < C.shape[0] and x < C.shape[1]:
        C[y, x] = acc

def run(A, B, C):
    fast_matmul[(8, 8), (T, T)](A, B, C)
""",
    ),
    (
        "transposed tile read at once",
        SHARED,
        """
@cuda.jit
def transpose(a, b):
    tile = cuda.shared.array((32, 33), float32)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    bx = cuda.blockIdx.x * 32
    by = cuda.blockIdx.y * 32
    if by + ty < a.shape[0] and bx + tx < a.shape[1]:
        tile[ty, tx] = a[by + ty, bx + tx]  # FAULT
    cuda.syncthreads()  # GOOD
    if bx + ty < b.shape[0] and by + tx < b.shape[1]:
        b[bx + ty, by + tx] = tile[tx, ty]  # FAULT

def run(a, b):
    transpose[(4, 4), (32, 32)](a, b)
""",
    ),
    (
        "coefficients loaded by the first threads",
        SHARED,
        """
@cuda.jit
def polynomial(c, x, y):
    coefficients = cuda.shared.array(8, float64)
    t = cuda.threadIdx.x
    if t < 8:
        coefficients[t] = c[t]  # FAULT
    cuda.syncthreads()  # GOOD
    i = cuda.grid(1)
    if i < x.size:
        v = 0.0
        for k in range(8):
            v = v * x[i] + coefficients[k]  # FAULT
        y[i] = v

def run(c, x, y):
    polynomial[(x.size + 127) // 128, 128](c, x, y)
""",
    ),
    (
        "second barrier of the tile loop",
        SHARED,
        """
@cuda.jit
def nbody(pos, acc):
    tile = cuda.shared.array(128, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    a = float32(0)
    mine = pos[i] if i < pos.size else float32(0)
    for start in range(0, pos.size, 128):
        tile[t] = pos[start + t] if start + t < pos.size else float32(0)  # FAULT
        cuda.syncthreads()
        for k in range(128):
            a += tile[k] - mine  # FAULT
        cuda.syncthreads()  # GOOD
    if i < pos.size:
        acc[i] = a

def run(pos, acc):
    nbody[(pos.size + 127) // 128, 128](pos, acc)
""",
    ),
    (
        "reduction without a barrier between steps",
        SHARED,
        """
@cuda.jit
def block_max(x, out):
    s = cuda.shared.array(256, float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = x[i] if i < x.size else -1e300
    cuda.syncthreads()
    k = 128
    while k != 0:
        if t < k:
            s[t] = max(s[t], s[t + k])  # FAULT
        cuda.syncthreads()  # GOOD
        k //= 2
    if t == 0:
        out[cuda.blockIdx.x] = s[0]

def run(x, out):
    block_max[(x.size + 255) // 256, 256](x, out)
""",
    ),
    # more shared memory than 48 KB
    (
        "64 by 128 doubles",
        ("oversized-shared-memory",),
        """
@cuda.jit
def big(a):
    t = cuda.shared.array((64, 128), dtype=float64)  # BAD
    t = cuda.shared.array((32, 128), dtype=float64)  # GOOD
    t[0, cuda.threadIdx.x] = a[cuda.threadIdx.x]
    cuda.syncthreads()
    a[cuda.threadIdx.x] = t[0, 127 - cuda.threadIdx.x]

def run(a):
    big[1, 128](a)
""",
    ),
    (
        "two arrays together",
        ("oversized-shared-memory",),
        """
N = 96  # BAD
N = 48  # GOOD

@cuda.jit
def both(a, b):
    p = cuda.shared.array((N, N), float32)
    q = cuda.shared.array((N, N), float32)  # FAULT
    i = cuda.threadIdx.x
    for k in range(N):
        p[i, k] = a[i, k]
        q[i, k] = b[i, k]
    cuda.syncthreads()
    for k in range(N):
        a[i, k] = p[k, i] + q[k, i]

def run(a, b):
    both[1, N](a, b)
""",
    ),
    (
        "dynamic shared memory of the launch",
        ("launch-limits", "dynamic-shared-memory-omitted"),
        """
@cuda.jit
def dynamic(x):
    buf = cuda.shared.array(0, dtype=float32)
    t = cuda.threadIdx.x
    buf[t] = x[t]
    cuda.syncthreads()
    x[t] = buf[cuda.blockDim.x - 1 - t]

def run(x):
    dynamic[1, 1024, 0, 256 * 1024](x)  # BAD
    dynamic[1, 1024, 0, 4096](x)  # GOOD
""",
    ),
    (
        "dynamic shared memory left out",
        ("dynamic-shared-memory-omitted", "array-index-out-of-range"),
        """
@cuda.jit
def dynamic(x):
    buf = cuda.shared.array(shape=0, dtype=int32)  # FAULT
    t = cuda.threadIdx.x
    buf[t] = x[t]  # FAULT
    cuda.syncthreads()
    x[t] = buf[cuda.blockDim.x - 1 - t]

def run(x):
    dynamic[1, 256](x)  # BAD
    dynamic[1, 256, 0, 1024](x)  # GOOD
""",
    ),
    (
        "accumulator in shared memory never set",
        ("uninitialised-shared-memory",),
        """
@cuda.jit
def sums(x, out):
    total = cuda.shared.array(1, float64)
    if cuda.threadIdx.x == 0:  # GOOD
        total[0] = 0.0  # GOOD
    cuda.syncthreads()  # GOOD
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(total, 0, x[i])  # FAULT
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        out[cuda.blockIdx.x] = total[0]  # FAULT
""",
    ),
)
