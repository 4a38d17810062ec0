"""Numba programs that do the wrong thing with their arrays between launches.

See :mod:`tests.frontends.python.spellings_bounds` for the marks.
"""

from __future__ import annotations

from tests.frontends.python.spellings_bounds import Spelling

COPIES = frozenset({"implicit-array-copy"})
EARLY = frozenset({"unsynchronised-host-read"})
STALE = frozenset({"stale-captured-global"})

KERNEL = """
@cuda.jit
def step(u, v, by):
    i = cuda.grid(1)
    if i < u.size:
        v[i] = u[i] + by
"""

SPELLINGS: tuple[Spelling, ...] = (
    (
        "arrays of a helper, exchanged in each round",
        COPIES,
        KERNEL
        + """
def fields(n):
    u = np.linspace(0.0, 1.0, n)
    return u, np.zeros_like(u)

def run(n, rounds):
    now, then = fields(n)
    now = cuda.to_device(now)  # GOOD
    then = cuda.to_device(then)  # GOOD
    for _ in range(rounds):
        step[(n + 63) // 64, 64](now, then, 0.1)  # FAULT
        now, then = then, now
    return now
""",
    ),
    (
        "attributes of an object that loops elsewhere",
        COPIES,
        KERNEL
        + """
class Model:
    def __init__(self, n):
        self.n = n
        self.u = np.random.default_rng(1).random(n)
        self.v = np.zeros(n)
        self.u = cuda.to_device(self.u)  # GOOD
        self.v = cuda.to_device(self.v)  # GOOD

    def advance(self):
        step[(self.n + 63) // 64, 64](self.u, self.v, 0.1)  # FAULT

    def run(self, rounds):
        while rounds > 0:
            self.advance()
            rounds -= 1
""",
    ),
    (
        "flags in mapped memory that a class looks at",
        EARLY,
        KERNEL
        + """
class Watch:
    def __init__(self, n):
        self.n = n
        self.seen = cuda.mapped_array(n, dtype=np.float64)
        self.x = cuda.device_array(n, dtype=np.float64)

    def high(self, limit):
        step[(self.n + 63) // 64, 64](self.x, self.seen, 0.0)
        cuda.synchronize()  # GOOD
        return np.flatnonzero(self.seen > limit)  # FAULT
""",
    ),
    (
        "a pinned array that a function is given",
        EARLY,
        KERNEL
        + """
def largest(values):
    return values.max()

def run(n):
    stream = cuda.stream()
    over = cuda.event()
    out = cuda.pinned_array(n, dtype=np.float64)
    x = cuda.device_array(n)
    y = cuda.device_array(n)
    step[(n + 63) // 64, 64, stream](x, y, 1.0)
    y.copy_to_host(out, stream=stream)
    over.record(stream=stream)
    over.synchronize()  # GOOD
    return largest(out)  # FAULT
""",
    ),
    (
        "what the kernel has written stays on the device",
        EARLY,
        KERNEL
        + """
def shifted(x, y, by):
    d_x = cuda.to_device(x)
    d_y = cuda.to_device(y)
    step[(x.size + 63) // 64, 64](d_x, d_y, by)
    d_y.copy_to_host(y)  # GOOD
    return y  # FAULT
""",
    ),
)

SPELLINGS_OF_CONSTANTS: tuple[Spelling, ...] = (
    (
        "a table that another function changes in its loop",
        STALE,
        """
WEIGHTS = np.ones(4)

@cuda.jit
def weighted(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] * WEIGHTS[i % 4]  # FAULT

class Filter:
    def __init__(self, x):
        self.x = cuda.to_device(x)
        self.out = cuda.device_array_like(x)

    def apply(self):
        weighted[(self.x.size + 63) // 64, 64](self.x, self.out)
        return self.out.copy_to_host()

def sweep(x, tables):
    filtered = Filter(x)
    for table in tables:
        np.copyto(WEIGHTS, table)  # BAD
        print(filtered.apply())
    np.copyto(WEIGHTS, tables[0])  # GOOD
""",
    ),
    (
        "a parameter of the function around the kernel",
        STALE,
        """
def relax(x, rate, rounds):
    d = cuda.to_device(x)

    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] -= rate * x[i]  # FAULT

    for _ in range(rounds):
        kernel[(x.size + 63) // 64, 64](d)
        rate *= 0.5  # BAD
    rate = 0.0  # GOOD
    return d.copy_to_host()
""",
    ),
)

SILENT = (
    # each round needs the array on the host
    """
def run(n, rounds):
    u, v = np.zeros(n), np.zeros(n)
    for k in range(rounds):
        u[0] = k
        step[(n + 63) // 64, 64](u, v, 0.1)
        print(v.sum())
""",
    # the block ends with a wait
    """
def run(x, n):
    stream = cuda.stream()
    out = cuda.pinned_array(n, dtype=np.float64)
    with stream.auto_synchronize():
        d = cuda.to_device(x, stream)
        step[(n + 63) // 64, 64, stream](d, d, 1.0)
        d.copy_to_host(out, stream)
    return out.sum()
""",
    # somebody else has the array on the device
    """
def run(x, keep):
    d_x = cuda.to_device(x)
    step[(x.size + 63) // 64, 64](d_x, d_x, 1.0)
    keep.append(d_x)
    return x
""",
    # the input is compared with, the result has been copied
    """
def run(x):
    d_x = cuda.to_device(x)
    step[(x.size + 63) // 64, 64](d_x, d_x, 1.0)
    want = x + 1.0
    return np.allclose(want, d_x.copy_to_host())
""",
)
