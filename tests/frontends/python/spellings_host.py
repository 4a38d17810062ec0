"""Faults of the program around numba's kernels, and of the language that they may use, each in several spellings.

See :mod:`tests.frontends.python.spellings_bounds` for the marks.
"""

from __future__ import annotations

from tests.frontends.python.spellings_bounds import Spelling

SPELLINGS: tuple[Spelling, ...] = (
    # implicit copies
    (
        "table of which the host copies a part in each round",
        ("implicit-array-copy",),
        """
@cuda.jit
def nearest(places, towns, owner):
    i = cuda.grid(1)
    if i < places.shape[0]:
        owner[i] = 0
        for t in range(towns.shape[0]):
            if abs(places[i] - towns[t]) < abs(places[i] - towns[owner[i]]):
                owner[i] = t

def settle(given, towns, rounds):
    places = np.asarray(given, dtype=np.float64)
    d_places = places
    d_places = cuda.to_device(places)  # GOOD
    owner = cuda.device_array(len(places), dtype=np.int32)
    for _ in range(rounds):
        d_towns = cuda.to_device(towns)
        nearest[(len(places) + 127) // 128, 128](d_places, d_towns, owner)  # FAULT
        mine = owner.copy_to_host()
        for t in range(len(towns)):
            towns[t] = places[mine == t].mean()
    return towns
""",
    ),
    (
        "arrays of NumPy in a while loop",
        ("implicit-array-copy",),
        """
@cuda.jit
def relax(u, v):
    i = cuda.grid(1)
    if 0 < i < u.size - 1:
        v[i] = 0.5 * (u[i - 1] + u[i + 1])

def solve(n, tol):
    u = np.random.rand(n)
    v = np.zeros(n)
    u = cuda.to_device(u)  # GOOD
    v = cuda.to_device(v)  # GOOD
    it = 0
    while it < 1000:
        relax[(n + 127) // 128, 128](u, v)  # FAULT
        relax[(n + 127) // 128, 128](v, u)  # FAULT
        it += 1
    return u
""",
    ),
    (
        "constant table passed in every step",
        ("implicit-array-copy",),
        """
@cuda.jit
def lookup(idx, table, out):
    i = cuda.grid(1)
    if i < idx.size:
        out[i] = table[idx[i]]

def run(batches):
    table = np.arange(1 << 16, dtype=np.float32)  # BAD
    table = cuda.to_device(np.arange(1 << 16, dtype=np.float32))  # GOOD
    results = []
    for batch in batches:
        idx = cuda.to_device(batch)
        out = cuda.device_array(batch.shape[0], dtype=np.float32)
        lookup[(batch.shape[0] + 255) // 256, 256](idx, table, out)  # FAULT
        results.append(out.copy_to_host())
    return results
""",
    ),
    (
        "fields of an object in a loop",
        ("implicit-array-copy",),
        """
@cuda.jit
def advance(x, v, dt):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += v[i] * dt

class Simulation:
    def __init__(self, n):
        self.n = n
        self.x = np.zeros(n)  # BAD
        self.v = np.ones(n)  # BAD
        self.x = cuda.to_device(np.zeros(n))  # GOOD
        self.v = cuda.to_device(np.ones(n))  # GOOD

    def run(self, steps, dt):
        blocks = (self.n + 127) // 128
        for _ in range(steps):
            advance[blocks, 128](self.x, self.v, dt)  # FAULT
""",
    ),
    # syntax that a kernel cannot have
    (
        "list comprehension",
        ("unsupported-python",),
        """
@cuda.jit
def lists(x, out):
    i = cuda.grid(1)
    if i < x.size:
        parts = [x[i] * k for k in range(4)]  # BAD
        out[i] = parts[0] + parts[3]  # BAD
        out[i] = x[i] * 3  # GOOD
""",
    ),
    (
        "with and try",
        ("unsupported-python",),
        """
@cuda.jit
def safe(x, out):
    i = cuda.grid(1)
    if i < x.size:
        try:  # BAD
            out[i] = 1 / x[i]  # BAD
        except ZeroDivisionError:  # BAD
            out[i] = 0  # BAD
        out[i] = 1 / x[i] if x[i] != 0 else 0  # GOOD
""",
    ),
    (
        "dictionary",
        ("unsupported-python",),
        """
@cuda.jit
def named(x, out):
    i = cuda.grid(1)
    if i < x.size:
        scale = {"a": 2.0, "b": 3.0}  # BAD
        out[i] = x[i] * scale["a"]  # BAD
        out[i] = x[i] * 2.0  # GOOD
""",
    ),
    (
        "f-string and yield",
        ("unsupported-python",),
        """
@cuda.jit
def gen(x):
    i = cuda.grid(1)
    if i < x.size:
        yield x[i]  # BAD
        x[i] = 0  # GOOD
""",
    ),
    (
        "array made in a kernel",
        ("unsupported-python",),
        """
@cuda.jit
def scratch(x, out):
    i = cuda.grid(1)
    if i < x.size:
        tmp = np.zeros(4)  # BAD
        tmp = cuda.local.array(4, float64)  # GOOD
        for k in range(4):
            tmp[k] = x[i] * k
        out[i] = tmp[3]
""",
    ),
    (
        "array operation of NumPy",
        ("unsupported-python",),
        """
@cuda.jit
def product(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = np.dot(a[i], b[i])  # BAD
        acc = 0.0  # GOOD
        for k in range(a.shape[1]):  # GOOD
            acc += a[i, k] * b[i, k]  # GOOD
        out[i] = acc  # GOOD
""",
    ),
    # a kernel that returns
    (
        "returns what it computed",
        ("kernel-returns-value",),
        """
@cuda.jit
def norm(x):
    i = cuda.grid(1)
    s = 0.0
    for k in range(i, x.size, cuda.gridsize(1)):
        s += x[k] * x[k]
    return math.sqrt(s)  # BAD
    x[i] = math.sqrt(s)  # GOOD

def run(x):
    norm[1, 32](x)
""",
    ),
    (
        "signature with a result",
        ("kernel-returns-value",),
        """
@cuda.jit("float32(float32[:])")  # BAD
@cuda.jit("void(float32[:])")  # GOOD
def first(x):
    if cuda.grid(1) == 0:
        x[0] = 1
    return x[0]  # BAD
""",
    ),
    # a captured global is changed later
    (
        "set by a setter",
        ("stale-captured-global",),
        """
threshold = 0.5

@cuda.jit
def binarise(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = 1.0 if x[i] > threshold else 0.0  # BAD
        x[i] = 1.0 if x[i] > 0.5 else 0.0  # GOOD

def set_threshold(t):
    global threshold
    threshold = t
""",
    ),
    (
        "changed between two launches at module level",
        ("stale-captured-global",),
        """
SCALE = 1

@cuda.jit
def mul(x, scale):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= SCALE  # BAD
        x[i] *= scale  # GOOD

x = cuda.to_device(np.ones(64))
mul[1, 64](x, SCALE)
SCALE = 3
mul[1, 64](x, SCALE)
""",
    ),
    (
        "counted up in a loop",
        ("stale-captured-global",),
        """
STEP = 0

@cuda.jit
def record(x, step):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += STEP  # BAD
        x[i] += step  # GOOD

def run(x):
    global STEP
    for _ in range(10):
        STEP += 1
        record[1, 64](x, STEP)
""",
    ),
    (
        "array of the module that is changed",
        ("stale-captured-global",),
        """
weights = np.ones(16)

@cuda.jit
def weigh(x, w):
    i = cuda.grid(1)
    if i < 16:
        x[i] *= weights[i]  # BAD
        x[i] *= w[i]  # GOOD

def train(x):
    for epoch in range(10):
        weigh[1, 16](x, weights)
        weights[:] = weights * 0.9
""",
    ),
    # launch configuration
    (
        "configuration left out with the arguments in a method",
        ("missing-launch-configuration",),
        """
@cuda.jit
def shift(x, by):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += by

class Model:
    def step(self, x):
        shift(x, 1.5)  # BAD
        shift[(x.size + 31) // 32, 32](x, 1.5)  # GOOD
""",
    ),
    (
        "one number in the brackets",
        ("missing-launch-configuration",),
        """
@cuda.jit
def zero(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = 0

def run(x):
    zero[256](x)  # BAD
    zero[1, 256](x)  # GOOD
""",
    ),
    (
        "kernel with signature called",
        ("missing-launch-configuration",),
        """
@cuda.jit("void(int32[:], int32[:])")
def copy(src, dst):
    i = cuda.grid(1)
    if i < dst.size:
        dst[i] = src[i]

src = np.arange(100, dtype=np.int32)
dst = np.zeros_like(src)
copy(src, dst)  # BAD
copy[4, 32](src, dst)  # GOOD
""",
    ),
    # floats in the launch configuration
    (
        "quotient in a tuple",
        ("float-launch-configuration",),
        """
@cuda.jit
def blank(img):
    x, y = cuda.grid(2)
    if x < img.shape[0] and y < img.shape[1]:
        img[x, y] = 0

def run(img):
    blank[(img.shape[0] / 16 + 1, img.shape[1] / 16 + 1), (16, 16)](img)  # BAD
    blank[(img.shape[0] // 16 + 1, img.shape[1] // 16 + 1), (16, 16)](img)  # GOOD
""",
    ),
    (
        "np.ceil of a quotient",
        ("float-launch-configuration",),
        """
@cuda.jit
def one(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = 1

def run(x):
    threads = 64
    blocks = np.ceil(len(x) / threads)  # BAD
    blocks = int(np.ceil(len(x) / threads))  # GOOD
    one[blocks, threads](x)  # FAULT
""",
    ),
    (
        "a helper that divides",
        ("float-launch-configuration",),
        """
@cuda.jit
def one(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = 1

def grid_for(n, block):
    return (n + block - 1) / block  # BAD
    return (n + block - 1) // block  # GOOD

def run(x):
    one[grid_for(x.size, 64), 64](x)  # FAULT
""",
    ),
    # types that do not fit
    (
        "float64 for a signature of float32",
        ("signature-mismatch",),
        """
@cuda.jit("void(float32[:], float32[:])")
def half(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i] / 2

def run():
    x = np.random.rand(1000)  # BAD
    x = np.random.rand(1000).astype(np.float32)  # GOOD
    y = np.zeros(1000, dtype=np.float32)
    half[8, 128](x, y)  # FAULT
""",
    ),
    (
        "integers for a signature of floats",
        ("signature-mismatch",),
        """
@cuda.jit("(float32[:,:],)")
def norm(m):
    i, j = cuda.grid(2)
    if i < m.shape[0] and j < m.shape[1]:
        m[i, j] /= 255

def run():
    m = cuda.to_device(np.zeros((64, 64), dtype=np.uint8))  # BAD
    m = cuda.to_device(np.zeros((64, 64), dtype=np.float32))  # GOOD
    norm[(4, 4), (16, 16)](m)  # FAULT
""",
    ),
    (
        "another number of axes than the signature",
        ("signature-mismatch",),
        """
@cuda.jit("void(float64[:,:], float64[:])")
def rows(m, out):
    i = cuda.grid(1)
    if i < m.shape[0]:
        out[i] = m[i, 0]

def run():
    m = np.zeros(64)  # BAD
    m = np.zeros((64, 4))  # GOOD
    out = np.zeros(64)
    rows[1, 64](m, out)  # FAULT
""",
    ),
    (
        "shared integers for an array of floats",
        ("truncated-element",),
        """
@cuda.jit("void(float32[:], float32[:])")
def reversed_blocks(x, y):
    s = cuda.shared.array(64, int32)  # BAD
    s = cuda.shared.array(64, float32)  # GOOD
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = x[i] if i < x.size else 0.0  # FAULT
    cuda.syncthreads()
    if i < y.size:
        y[i] = s[63 - t]

def run(x, y):
    reversed_blocks[(x.size + 63) // 64, 64](x, y)
""",
    ),
    (
        "local integers for quotients",
        ("truncated-element",),
        """
@cuda.jit
def ratios(x, out):
    part = cuda.local.array(4, int64)  # BAD
    part = cuda.local.array(4, float64)  # GOOD
    i = cuda.grid(1)
    if i < out.size:
        for k in range(4):
            part[k] = (i + k) / 4  # FAULT
        out[i] = part[0] + part[3]
""",
    ),
    # results that are read too early
    (
        "a stream's copy read before it is waited for",
        ("unsynchronised-host-read",),
        """
@cuda.jit
def inc(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1

def run(host):
    stream = cuda.stream()
    d = cuda.to_device(host, stream=stream)
    inc[8, 128, stream](d)
    d.copy_to_host(host, stream=stream)
    stream.synchronize()  # GOOD
    return host.sum()  # FAULT
""",
    ),
    (
        "copy under another name",
        ("unsynchronised-host-read",),
        """
@cuda.jit
def inc(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1

def run(n):
    s = cuda.stream()
    d = cuda.device_array(n, dtype=np.float32, stream=s)
    out = cuda.pinned_array(n, dtype=np.float32)
    inc[(n + 127) // 128, 128, s](d)
    d.copy_to_host(out, s)
    cuda.synchronize()  # GOOD
    print(out[0])  # FAULT
""",
    ),
    (
        "managed memory read at once",
        ("unsynchronised-host-read",),
        """
@cuda.jit
def inc(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1

def run(n):
    a = cuda.managed_array(n, dtype=np.float32)
    a[:] = 0
    inc[(n + 127) // 128, 128](a)
    cuda.synchronize()  # GOOD
    return float(a[0])  # FAULT
""",
    ),
)
