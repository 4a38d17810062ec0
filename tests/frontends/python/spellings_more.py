"""More numba programs with a fault each, written after those of the other modules, before any run.

See :mod:`tests.frontends.python.spellings_bounds` for the marks.
"""

from __future__ import annotations

from tests.frontends.python.spellings_bounds import GUARD, Spelling
from tests.frontends.python.spellings_sync import DIVERGED, GLOBAL, SHARED

SPELLINGS: tuple[Spelling, ...] = (
    (
        "mandelbrot without a test of the row",
        GUARD,
        """
@cuda.jit(device=True)
def iterations(cr, ci, limit):
    zr, zi = cr, ci
    for n in range(limit):
        if zr * zr + zi * zi > 4.0:
            return n
        zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
    return 0

@cuda.jit
def mandelbrot(out, x0, y0, dx, dy, limit):
    col, row = cuda.grid(2)
    if col < out.shape[1] and row < out.shape[0]:  # GOOD
        out[row, col] = iterations(x0 + col * dx, y0 + row * dy, limit)  # GOOD
    if col < out.shape[1]:  # BAD
        out[row, col] = iterations(x0 + col * dx, y0 + row * dy, limit)  # BAD

def render(width, height):
    out = cuda.device_array((height, width), dtype=np.int32)
    block = (32, 8)
    grid = ((width + 31) // 32, (height + 7) // 8)
    mandelbrot[grid, block](out, -2.0, -1.0, 3.0 / width, 2.0 / height, 256)
    return out.copy_to_host()
""",
    ),
    (
        "number of elements as an argument, off by one",
        GUARD,
        """
@cuda.jit
def clip(values, n, low, high):
    tid = cuda.grid(1)
    if tid > n:  # BAD
        return  # BAD
    if tid >= n:  # GOOD
        return  # GOOD
    values[tid] = min(max(values[tid], low), high)  # FAULT

def run(values):
    d = cuda.to_device(values)
    n = len(values)
    clip[(n + 255) // 256, 256](d, n, 0.0, 1.0)
""",
    ),
    (
        "convolution that forgets the edge",
        GUARD,
        """
@cuda.jit
def conv(img, k, out):
    r, c = cuda.grid(2)
    h, w = img.shape
    if r < h and c < w:  # BAD
        s = 0.0  # BAD
        for i in range(3):  # BAD
            for j in range(3):  # BAD
                s += k[i, j] * img[r + i, c + j]  # BAD
        out[r, c] = s  # BAD
    if r < h - 2 and c < w - 2:  # GOOD
        s = 0.0  # GOOD
        for i in range(3):  # GOOD
            for j in range(3):  # GOOD
                s += k[i, j] * img[r + i, c + j]  # GOOD
        out[r, c] = s  # GOOD
""",
    ),
    (
        "every other element",
        GUARD,
        """
@cuda.jit
def pairs(x, y):
    i = cuda.grid(1)
    if i < x.size:  # BAD
        y[i] = x[2 * i] + x[2 * i + 1]  # BAD
    if 2 * i + 1 < x.size:  # GOOD
        y[i] = x[2 * i] + x[2 * i + 1]  # GOOD

def run(n):
    x = cuda.to_device(np.random.rand(2 * n))
    y = cuda.device_array(n)
    pairs[(2 * n + 63) // 64, 64](x, y)
""",
    ),
    (
        "best candidate by comparison",
        GLOBAL,
        """
@cuda.jit
def best(score, top):
    i = cuda.grid(1)
    if i < score.size:
        if score[i] > top[0]:  # BAD
            top[0] = score[i]  # BAD
        cuda.atomic.max(top, 0, score[i])  # GOOD
""",
    ),
    (
        "compaction by a counter",
        GLOBAL,
        """
@cuda.jit
def compact(x, out, counter):
    i = cuda.grid(1)
    if i < x.size and x[i] > 0:
        slot = counter[0]  # BAD
        counter[0] += 1  # BAD
        slot = cuda.atomic.add(counter, 0, 1)  # GOOD
        if slot < out.size:
            out[slot] = x[i]
""",
    ),
    (
        "in-place smoothing",
        GLOBAL,
        """
@cuda.jit
def smooth(x, y):
    i = cuda.grid(1)
    if 0 < i < x.size - 1:
        x[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1]  # BAD
        y[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1]  # GOOD

def run(x, y):
    smooth[(x.size + 127) // 128, 128](x, y)
""",
    ),
    (
        "scan of a block read too early",
        SHARED,
        """
@cuda.jit
def scan(x, out):
    buf = cuda.shared.array(256, int32)
    t = cuda.threadIdx.x
    buf[t] = x[cuda.blockIdx.x * 256 + t]
    cuda.syncthreads()
    d = 1
    while d < 256:
        v = 0
        if t >= d:
            v = buf[t - d]  # FAULT
        cuda.syncthreads()  # GOOD
        buf[t] += v  # FAULT
        cuda.syncthreads()
        d *= 2
    out[cuda.blockIdx.x * 256 + t] = buf[t]

def run(x, out):
    scan[x.size // 256, 256](x, out)
""",
    ),
    (
        "largest value of a block by comparison",
        SHARED,
        """
@cuda.jit
def largest(x, out):
    m = cuda.shared.array(1, float32)
    t = cuda.threadIdx.x
    if t == 0:
        m[0] = -1e30
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < x.size:
        if x[i] > m[0]:  # BAD
            m[0] = x[i]  # BAD
        cuda.atomic.max(m, 0, x[i])  # GOOD
    cuda.syncthreads()
    if t == 0:
        out[cuda.blockIdx.x] = m[0]
""",
    ),
    (
        "flag of the block raised and read",
        SHARED,
        """
@cuda.jit
def any_negative(x, out):
    flag = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    if t == 0:
        flag[0] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < x.size and x[i] < 0:
        flag[0] = 1  # FAULT
    cuda.syncthreads()  # GOOD
    if t == 0:
        out[cuda.blockIdx.x] = flag[0]  # FAULT
""",
    ),
    (
        "barrier in a device function that some call",
        DIVERGED,
        """
@cuda.jit(device=True)
def publish(s, t, v):
    s[t] = v
    cuda.syncthreads()  # FAULT

@cuda.jit
def k(x, out):
    s = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    if x[t] > 0:  # BAD
        publish(s, t, x[t])  # BAD
    publish(s, t, max(x[t], 0.0))  # GOOD
    out[t] = s[63 - t]

def run(x, out):
    k[1, 64](x, out)
""",
    ),
    (
        "loop until the own value has settled",
        DIVERGED,
        """
@cuda.jit
def settle(x, tol):
    s = cuda.shared.array(128, float64)
    t = cuda.threadIdx.x
    err = 1.0
    s[t] = x[t]
    cuda.syncthreads()
    while err > tol:  # BAD
    for _ in range(100):  # GOOD
        v = 0.5 * (s[t] + s[(t + 1) % 128])
        cuda.syncthreads()  # FAULT
        err = abs(v - s[t])
        s[t] = v
        cuda.syncthreads()  # FAULT
    x[t] = s[t]

def run(x):
    settle[1, 128](x, 1e-6)
""",
    ),
    (
        "tile one column short",
        ("array-index-out-of-range",),
        """
W = 32

@cuda.jit
def shift(a, b):
    tile = cuda.shared.array((W, W), float32)  # BAD
    tile = cuda.shared.array((W, W + 1), float32)  # GOOD
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    x, y = cuda.grid(2)
    tile[ty, tx + 1] = a[y, x] if y < a.shape[0] and x < a.shape[1] else 0.0  # FAULT
    if tx == 0:
        tile[ty, 0] = 0.0
    cuda.syncthreads()
    if y < b.shape[0] and x < b.shape[1]:
        b[y, x] = tile[ty, tx]

def run(a, b):
    shift[(4, 4), (W, W)](a, b)
""",
    ),
    (
        "local array shorter than the loop",
        ("array-index-out-of-range",),
        """
@cuda.jit
def taps(x, out):
    window = cuda.local.array(8, float32)  # BAD
    window = cuda.local.array(9, float32)  # GOOD
    i = cuda.grid(1)
    if i + 8 < x.size:
        for k in range(9):
            window[k] = x[i + k]  # FAULT
        s = 0.0
        for k in range(9):
            s += window[k]  # FAULT
        out[i] = s / 9
""",
    ),
    (
        "shape from a global that nobody knows, and one from gridDim",
        ("run-time-array-shape",),
        """
@cuda.jit
def per_block(x, out):
    sums = cuda.shared.array(cuda.gridDim.x, float32)  # BAD
    sums = cuda.shared.array(64, float32)  # GOOD
    t = cuda.threadIdx.x
    if t < 64:
        sums[t] = x[t]
    cuda.syncthreads()
    if t == 0:
        out[0] = sums[0] + sums[1]
""",
    ),
    (
        "block of three axes",
        ("launch-limits",),
        """
@cuda.jit
def zero(v):
    x, y, z = cuda.grid(3)
    if x < v.shape[0] and y < v.shape[1] and z < v.shape[2]:
        v[x, y, z] = 0

def run(v):
    zero[(8, 8, 8), (16, 16, 8)](v)  # BAD
    zero[(8, 8, 8), (16, 8, 8)](v)  # GOOD
""",
    ),
    (
        "block deeper than 64",
        ("launch-limits",),
        """
@cuda.jit
def zero(v):
    x, y, z = cuda.grid(3)
    if x < v.shape[0] and y < v.shape[1] and z < v.shape[2]:
        v[x, y, z] = 0

def run(v):
    zero[(8, 8, 1), (1, 1, 128)](v)  # BAD
    zero[(8, 8, 2), (1, 1, 64)](v)  # GOOD
""",
    ),
    (
        "48 KB and a bit",
        ("oversized-shared-memory",),
        """
TILE = 80

@cuda.jit
def gram(a, g):
    left = cuda.shared.array((TILE, TILE), float32)
    right = cuda.shared.array((TILE, TILE), float32)  # BAD
    right = cuda.shared.array((TILE, 16), float32)  # GOOD
    t = cuda.threadIdx.x
    for k in range(16):
        left[t, k] = a[t, k]
        right[t, k] = a[t, k]
    cuda.syncthreads()
    s = float32(0)
    for k in range(16):
        s += left[t, k] * right[TILE - 1 - t, k]
    g[t] = s

def run(a, g):
    gram[1, TILE](a, g)
""",
    ),
    (
        "capped grid without a loop",
        ("uncovered-tail",),
        """
@cuda.jit
def log1p(x):
    i = cuda.grid(1)
    if i < x.size:  # BAD
        x[i] = math.log(1.0 + x[i])  # BAD
    for k in range(i, x.size, cuda.gridsize(1)):  # GOOD
        x[k] = math.log(1.0 + x[k])  # GOOD

def run(x):
    threads = 256
    blocks = min(1024, (x.size + threads - 1) // threads)  # FAULT
    log1p[blocks, threads](x)  # FAULT
""",
    ),
    (
        "sixteen by sixteen threads for an image of 100 by 100",
        ("uncovered-tail",),
        """
@cuda.jit
def halve(img):
    i, j = cuda.grid(2)
    if i < img.shape[0] and j < img.shape[1]:
        img[i, j] *= 0.5

def main():
    img = np.ones((100, 100), dtype=np.float32)
    d = cuda.to_device(img)
    halve[(6, 6), (16, 16)](d)  # BAD
    halve[(7, 7), (16, 16)](d)  # GOOD
""",
    ),
    (
        "rows launched along x, tested along y",
        ("swapped-axes", "wrong-bounds-guard", "uncovered-tail"),
        """
@cuda.jit
def gamma(img, g):
    x, y = cuda.grid(2)
    if x < img.shape[0] and y < img.shape[1]:  # FAULT
        img[x, y] = img[x, y] ** g

def run(img, g):
    tpb = (16, 16)
    bx = math.ceil(img.shape[1] / tpb[0])  # BAD
    by = math.ceil(img.shape[0] / tpb[1])  # BAD
    bx = math.ceil(img.shape[0] / tpb[0])  # GOOD
    by = math.ceil(img.shape[1] / tpb[1])  # GOOD
    gamma[(bx, by), tpb](img, g)  # FAULT
""",
    ),
    (
        "transpose into its own shape",
        (*GUARD, "swapped-axes"),
        """
@cuda.jit
def transpose(a, b):
    i, j = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        b[j, i] = a[i, j]  # FAULT

def main():
    a = cuda.to_device(np.ones((128, 512), dtype=np.float32))
    b = cuda.device_array((128, 512), dtype=np.float32)  # BAD
    b = cuda.device_array((512, 128), dtype=np.float32)  # GOOD
    transpose[(8, 32), (16, 16)](a, b)
""",
    ),
    (
        "lambda and append",
        ("unsupported-python",),
        """
@cuda.jit
def gather(x, out):
    i = cuda.grid(1)
    if i < x.size:
        parts = []  # BAD
        parts.append(x[i])  # BAD
        out[i] = len(parts)  # BAD
        out[i] = 1  # GOOD
""",
    ),
    (
        "context manager",
        ("unsupported-python",),
        """
@cuda.jit
def guarded(x, lock):
    i = cuda.grid(1)
    with lock:  # BAD
        x[i % x.size] = 1.0  # BAD
    if i < x.size:  # GOOD
        x[i] = 1.0  # GOOD
""",
    ),
    (
        "random numbers of NumPy",
        ("unsupported-python",),
        """
from numba.cuda.random import xoroshiro128p_uniform_float32

@cuda.jit
def noise(x, states):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += np.random.rand()  # BAD
        x[i] += xoroshiro128p_uniform_float32(states, i)  # GOOD
""",
    ),
    (
        "index by the middle",
        ("float-array-index",),
        """
@cuda.jit
def middle(x, out):
    i = cuda.grid(1)
    if i < out.size:
        m = x.shape[1] / 2  # BAD
        m = x.shape[1] // 2  # GOOD
        out[i] = x[i, m]  # FAULT
""",
    ),
    (
        "threads as a float",
        ("float-launch-configuration",),
        """
@cuda.jit
def one(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = 1

def run(x):
    threads = 1e2  # BAD
    threads = 100  # GOOD
    one[math.ceil(x.size / 100), threads](x)  # FAULT
""",
    ),
    (
        "blocks by a quotient plus one",
        ("float-launch-configuration",),
        """
@cuda.jit
def one(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = 1

class Runner:
    threads = 64

    def run(self, x):
        blocks = x.size / self.threads + 1  # BAD
        blocks = x.size // self.threads + 1  # GOOD
        one[blocks, self.threads](x)  # FAULT
""",
    ),
    (
        "factor captured in a sweep",
        ("stale-captured-global",),
        """
rate = 0.1

@cuda.jit
def decay(x, r):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 1.0 - rate  # BAD
        x[i] *= 1.0 - r  # GOOD

data = cuda.to_device(np.ones(256))
for rate in (0.1, 0.2, 0.3):
    decay[1, 256](data, rate)
""",
    ),
    (
        "images copied for every frame",
        ("implicit-array-copy",),
        """
@cuda.jit
def blend(a, b, out, w):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = w * a[i, j] + (1 - w) * b[i, j]

def fade(frames):
    a = np.zeros((480, 640), dtype=np.float32)
    b = np.ones((480, 640), dtype=np.float32)
    a = cuda.to_device(a)  # GOOD
    b = cuda.to_device(b)  # GOOD
    out = cuda.device_array((480, 640), dtype=np.float32)
    for f in range(frames):
        blend[(30, 40), (16, 16)](a, b, out, f / frames)  # FAULT
    return out.copy_to_host()
""",
    ),
    (
        "called by its name in a list",
        ("missing-launch-configuration",),
        """
@cuda.jit
def init(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = 0

def run(arrays):
    for x in arrays:
        init(x)  # BAD
        init[(x.size + 63) // 64, 64](x)  # GOOD
""",
    ),
    (
        "complex array for a signature of floats",
        ("signature-mismatch",),
        """
from numba import complex64

@cuda.jit((float32[:], float32[:]))  # BAD
@cuda.jit((complex64[:], float32[:]))  # GOOD
def energy(z, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = abs(z[i])

def run(n):
    z = np.ones(n, dtype=np.complex64)
    out = np.zeros(n, dtype=np.float32)
    energy[(n + 31) // 32, 32](z, out)  # FAULT
""",
    ),
    (
        "pinned buffer read while it is filled",
        ("unsynchronised-host-read",),
        """
@cuda.jit
def add(x, v):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += v

def run(n, chunks):
    stream = cuda.stream()
    buffer = cuda.pinned_array(n, dtype=np.float64)
    total = 0.0
    for c in range(chunks):
        d = cuda.to_device(np.full(n, float(c)), stream=stream)
        add[(n + 127) // 128, 128, stream](d, 1.0)
        d.copy_to_host(buffer, stream=stream)
        stream.synchronize()  # GOOD
        total += np.sum(buffer)  # FAULT
    return total
""",
    ),
)
