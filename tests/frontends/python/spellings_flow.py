"""What real programs do around their kernels: names bound anew, decorated callers, neighbourhoods, warps."""

from __future__ import annotations

from tests.frontends.python.spellings_bounds import Spelling

SPELLINGS: tuple[Spelling, ...] = (
    (
        "an array under a name that stands for several in turn",
        ("missing-bounds-guard",),
        """
@cuda.jit
def fill(x):
    i = cuda.grid(1)
    x[i] = i  # FAULT

def test_all():
    count = 64
    x = cuda.to_device(np.zeros(count))
    fill[2, 32](x)
    x = cuda.to_device(np.zeros(count - 10))  # BAD
    x = cuda.to_device(np.zeros(count))  # GOOD
    fill[2, 32](x)
""",
    ),
    (
        "an array made in a branch is not followed",
        ("missing-bounds-guard",),
        """
@cuda.jit
def fill(x):
    i = cuda.grid(1)
    x[i] = i  # FAULT

def test_all(small):
    x = np.zeros(64)
    if small:  # GOOD
        x = np.zeros(32)  # GOOD
    x = np.zeros(32)  # BAD
    fill[2, 32](x)
""",
    ),
    (
        "a decorated function around a kernel is host code",
        ("kernel-returns-value",),
        """
import functools

@functools.lru_cache
def made(rank):
    table = np.arange(rank)
    with cuda.defer_cleanup():
        print(table)

    @cuda.jit
    def fill(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = i
        return x  # BAD

    return fill

def run(x):
    made(2).forall(x.size)(x)
    return np.ones(3)
""",
    ),
    (
        "an image and a result that lies as the image does",
        ("wrong-bounds-guard",),
        """
@cuda.jit
def blur(data, out):
    i, j = cuda.grid(2)
    rows, cols = data.shape
    if i >= rows or j >= cols:
        return
    s = 0.0
    for k in range(-1, 2):
        jj = j + k
        if 0 <= jj and jj < cols:  # GOOD
            s += data[i, jj]  # GOOD
        s += data[k, i]  # BAD
    out[i, j] = s  # FAULT
""",
    ),
    (
        "ends of a row, in numbers",
        ("wrong-bounds-guard",),
        """
@cuda.jit
def slope(x, out):
    i = cuda.grid(1)
    if i >= len(x):
        return
    if i == 0:
        out[i] = x[i + 1]
    elif i == len(x) - 1:  # GOOD
        out[i] = x[i - 1]  # GOOD
    else:
        out[i] = x[i - 1] + x[i + 1]  # FAULT

def run():
    x = cuda.to_device(np.zeros(1001))
    out = cuda.device_array_like(x)
    slope.forall(len(x))(x, out)
""",
    ),
    (
        "a warp that is told by its first lane",
        ("global-memory-race",),
        """
@cuda.jit
def tell(x, out):
    i = cuda.grid(1)
    if i == 0:
        x[0] = 42  # FAULT
    cuda.syncwarp()
    out[i] = x[0]  # FAULT

def run():
    x = cuda.device_array(1, dtype=np.int32)
    out = cuda.device_array(64, dtype=np.int32)
    tell[1, 32](x, out)  # GOOD
    tell[1, 64](x, out)  # BAD
""",
    ),
    (
        "a fraction of what nobody knows, kept in integers",
        ("truncated-element",),
        """
@cuda.jit
def halves(x):
    s = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    s[t] = x[t] * 0.5  # BAD
    s[t] = int(x[t] * 0.5)  # GOOD
    cuda.syncthreads()
    x[t] = s[31 - t]
""",
    ),
    (
        "a private table and a loop that goes on past it",
        ("array-index-out-of-range",),
        """
@cuda.jit
def first(x):
    i = cuda.grid(1)
    best = cuda.local.array(8, float32)
    if i < x.shape[0]:
        for j in range(x.shape[1]):
            if j <= 8:  # BAD
                best[j] = x[i, j]  # BAD
            if j < 8:  # GOOD
                best[j] = x[i, j]  # GOOD
        x[i, 0] = best[0]
""",
    ),
    (
        "fewer states of random numbers than threads",
        ("wrong-bounds-guard", "missing-bounds-guard"),
        """
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32

@cuda.jit
def draw(states, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = xoroshiro128p_uniform_float32(states, i)  # FAULT

def run():
    states = create_xoroshiro128p_states(64, seed=1)  # BAD
    states = create_xoroshiro128p_states(64 * 24, seed=1)  # GOOD
    out = np.zeros(64 * 24, dtype=np.float32)
    draw[24, 64](states, out)
""",
    ),
    (
        "a state of random numbers that all threads of a block draw from",
        ("global-memory-race",),
        """
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_normal_float64

@cuda.jit
def draw(states, out):
    i = cuda.grid(1)
    at = cuda.blockIdx.x  # BAD
    at = i  # GOOD
    if i < out.size:
        out[i] = xoroshiro128p_normal_float64(states, at)  # FAULT
""",
    ),
    (
        "a game on a torus",
        ("global-memory-race",),
        """
@cuda.jit
def life(g, h):
    x, y = cuda.grid(2)
    n, m = g.shape
    if x < n and y < m:
        s = 0
        for i in range(-1, 2):
            for j in range(-1, 2):
                s += g[(x + i) % n, (y + j) % m]  # FAULT
        g[x, y] = 1 if s == 3 else 0  # BAD
        h[x, y] = 1 if s == 3 else 0  # GOOD
""",
    ),
    (
        "one function that is compiled for several types",
        ("signature-mismatch",),
        """
def put(r):
    i = cuda.grid(1)
    if i < r.size:
        r[i] = 1

some = cuda.jit(put)  # GOOD
some = cuda.jit("void(float32[:])")(put)  # BAD
other = cuda.jit(["void(int32[:])", "void(float32[:])"])(put)

def run():
    r = np.zeros(64, dtype=np.uint32)
    r = np.zeros(64, dtype=np.complex128)
    some[2, 32](r)  # FAULT
""",
    ),
)
