"""Numba programs whose launch is at fault, or says what is at fault in the kernel.

See :mod:`tests.frontends.python.spellings_bounds` for the marks.
"""

from __future__ import annotations

from tests.frontends.python.spellings_bounds import GUARD, Spelling

ARGUMENTS = frozenset({"kernel-argument-mismatch"})
LIMITS = frozenset({"launch-limits"})
TAIL = frozenset({"uncovered-tail"})
BEYOND = frozenset({"array-index-out-of-range"})
UNSET = frozenset({"uninitialised-shared-memory"})

SPELLINGS: tuple[Spelling, ...] = (
    (
        "an argument left out in a method",
        ARGUMENTS,
        """
@cuda.jit
def blend(a, b, weight, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = weight * a[i] + (1.0 - weight) * b[i]

class Mixer:
    def __init__(self, a, b):
        self.a = cuda.to_device(a)
        self.b = cuda.to_device(b)

    def run(self, weight):
        out = cuda.device_array_like(self.a)
        blocks = (self.a.size + 127) // 128
        blend[blocks, 128](self.a, self.b, out)  # BAD
        blend[blocks, 128](self.a, self.b, weight, out)  # GOOD
        return out.copy_to_host()
""",
    ),
    (
        "an argument by its name",
        ARGUMENTS,
        """
@cuda.jit
def fill(out, value):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = value

def run(n):
    out = cuda.device_array(n)
    fill.forall(n)(out, value=3.0)  # BAD
    fill.forall(n)(out, 3.0)  # GOOD
    return out.copy_to_host()
""",
    ),
    (
        "a block that the constructor has by default",
        LIMITS,
        """
@cuda.jit
def negate(x):
    i, j, k = cuda.grid(3)
    if i < x.shape[0] and j < x.shape[1] and k < x.shape[2]:
        x[i, j, k] = -x[i, j, k]

class Volume:
    def __init__(self, shape, threads=(16, 16, 8)):  # BAD
    def __init__(self, shape, threads=(8, 8, 8)):  # GOOD
        self.threads = threads
        self.blocks = tuple(-(-s // t) for s, t in zip(shape, threads))

    def flip(self, x):
        negate[self.blocks, self.threads](x)  # FAULT
""",
    ),
    (
        "blocks of a flattened array, the default too small",
        GUARD,
        """
@cuda.jit
def smooth(x, out, n):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i >= n:  # GOOD
        return  # GOOD
    out[i] = 0.5 * x[i]  # FAULT

def run(x, *, threads=64):
    if x.dtype != np.float32:
        raise TypeError("float32 wanted")
    n = x.shape[0] * x.shape[1]
    out = cuda.device_array(n, np.float32)
    smooth[(n + threads - 1) // threads, threads](x.reshape(-1), out, n)
    return out
""",
    ),
    (
        "whole segments of a flattened array",
        TAIL,
        """
SEGMENT = 64

@cuda.jit
def scale(x, n):
    i = cuda.grid(1)
    if i < n:
        x[i] *= 2.0

def run(values):
    flat = np.ascontiguousarray(values, dtype=np.float32).reshape(-1)
    n = flat.size
    if n & (n - 1) or n < SEGMENT:  # GOOD
        raise ValueError("a power of two is wanted")  # GOOD
    d = cuda.to_device(flat)
    scale[n // SEGMENT, SEGMENT](d, n)  # FAULT
    return d.copy_to_host()
""",
    ),
    (
        "shared memory by the number in the grid",
        BEYOND,
        """
@cuda.jit
def mirrored(x, out):
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    tile = cuda.shared.array(128, dtype=float32)
    if i < x.shape[0]:
        tile[i] = x[i]  # BAD
        tile[t] = x[i]  # GOOD
    else:
        tile[t] = 0.0
    cuda.syncthreads()
    if i < x.shape[0]:
        out[i] = tile[127 - t]

def run(x):
    out = cuda.device_array_like(x)
    mirrored[(x.shape[0] + 127) // 128, 128](x, out)
    return out.copy_to_host()
""",
    ),
    (
        "a column as long as its object, with forall",
        GUARD,
        """
@cuda.jit
def halve(values, out):
    row = cuda.grid(1)
    if row < values.size:  # GOOD
        out[row] = values[row] / 2.0  # GOOD
    out[row] = values[row] / 2.0  # BAD

class Column:
    def __init__(self, values):
        self.values = cuda.to_device(values)

    def __len__(self):
        return self.values.size

    def half(self):
        out = cuda.device_array(len(self))
        if len(self):
            halve.forall(len(self))(self.values, out)
        return out.copy_to_host()
""",
    ),
    (
        "a kernel that a function makes and another one compiles",
        UNSET,
        """
def summing(cuda):
    def kernel(x, size, out):
        tile = cuda.shared.array(64, numba.float32)
        t = cuda.threadIdx.x
        i = cuda.blockIdx.x * cuda.blockDim.x + t
        if i < size:
            tile[t] = x[i]
        else:  # GOOD
            tile[t] = 0.0  # GOOD
        cuda.syncthreads()
        half = 32
        while half > 0:
            if t < half:
                tile[t] += tile[t + half]  # FAULT
            cuda.syncthreads()
            half //= 2
        if t == 0:
            out[cuda.blockIdx.x] = tile[0]

    return kernel

class Problem:
    def __init__(self, make):
        self.kernel = cuda.jit(make(cuda))

    def run(self, x):
        blocks = (x.size + 63) // 64
        out = cuda.device_array(blocks, np.float32)
        self.kernel[blocks, 64](x, x.size, out)
        return out.copy_to_host().sum()

print(Problem(summing).run(np.ones(100, dtype=np.float32)))
""",
    ),
    (
        "the grid of one tile for two fields that are exchanged",
        TAIL,
        """
@cuda.jit
def spread(now, then):
    i, j = cuda.grid(2)
    if 0 < i < now.shape[0] - 1 and 0 < j < now.shape[1] - 1:
        then[i, j] = 0.25 * (now[i - 1, j] + now[i + 1, j] + now[i, j - 1] + now[i, j + 1])

def main():
    n = 1000
    a = cuda.to_device(np.ones((n, n)))
    b = cuda.device_array((n, n))
    for _ in range(100):
        spread[(8, 8), (16, 16)](a, b)  # BAD
        spread[(63, 63), (16, 16)](a, b)  # GOOD
        a, b = b, a
    return a.copy_to_host()
""",
    ),
)
