"""Kernels that numba's own simulator runs too: names, source, launch, and the arrays that are passed.

Run as a program under ``NUMBA_ENABLE_CUDASIM=1`` it prints, for each, what the arrays hold afterwards, or that an
access was out of range.
"""

from __future__ import annotations

import json
import sys

HEAD = "import math\nimport numpy as np\nfrom numba import cuda, float32, float64, int32, int64\n\n"

Case = tuple[str, tuple[int, int], tuple[tuple[str, tuple[int, ...]], ...]]
"""Source, (blocks, threads), and (type, shape) of each array; element ``k`` holds ``(7 * k + 3) % 11``."""

WHOLE, REAL, NARROW, BYTE = "int64", "float64", "int32", "uint8"


def _k(*lines: str, args: str = "x, y", before: str = "") -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return f"{before}@cuda.jit\ndef k({args}):\n{body}\n"


TWO = ((WHOLE, (32,)), (WHOLE, (32,)))

CASES: dict[str, Case] = {
    "copy": (_k("i = cuda.grid(1)", "if i < x.size:", "    y[i] = x[i]"), (2, 16), TWO),
    "reverse with negative indices": (_k("i = cuda.grid(1)", "y[i] = x[-1 - i]"), (2, 16), TWO),
    "neighbour that wraps": (_k("i = cuda.grid(1)", "y[i] = x[i - 1] + x[i - 3]"), (1, 32), TWO),
    "floor of negatives": (_k("i = cuda.grid(1)", "v = x[i] - 5", "y[i] = v // 3 + 100 * (v % 3)"), (1, 32), TWO),
    "floor by a power of two": (_k("i = cuda.grid(1)", "v = i - 9", "y[i] = v // 4 + 100 * (v % 4)"), (1, 32), TWO),
    "true division": (_k("i = cuda.grid(1)", "y[i] = x[i] / 4"), (1, 32), ((WHOLE, (32,)), (REAL, (32,)))),
    "strided loop": (
        _k("for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):", "    y[i] = 2 * x[i] + i"), (1, 8), TWO,
    ),
    "shared reversal": (
        _k("s = cuda.shared.array(16, int64)", "t = cuda.threadIdx.x", "i = cuda.grid(1)", "s[t] = x[i]",
           "cuda.syncthreads()", "y[i] = s[15 - t]"), (2, 16), TWO,
    ),
    "tree sum": (
        _k("s = cuda.shared.array(32, int64)", "t = cuda.threadIdx.x", "s[t] = x[t]", "cuda.syncthreads()",
           "h = 16", "while h > 0:", "    if t < h:", "        s[t] += s[t + h]", "    cuda.syncthreads()",
           "    h //= 2", "if t == 0:", "    y[0] = s[0]"), (1, 32), TWO,
    ),
    "two axes": (
        _k("i = cuda.grid(1)", "r, c = i // 8, i % 8", "y[c, r] = x[r, c]"), (1, 32),
        ((WHOLE, (4, 8)), (WHOLE, (8, 4))),
    ),
    "rows as views": (
        _k("i = cuda.grid(1)", "row = x[i]", "t = 0", "for j in range(row.shape[0]):", "    t += row[j]", "y[i] = t"),
        (1, 4), ((WHOLE, (4, 8)), (WHOLE, (4,))),
    ),
    "slices": (_k("i = cuda.grid(1)", "part = x[4:20]", "y[i] = part[i] + part.size"), (1, 16), TWO),
    "device function": (
        _k("i = cuda.grid(1)", "a, b = both(x, i)", "y[i] = a - b",
           before="@cuda.jit(device=True)\ndef both(v, j):\n    return v[j] * 3, v[j] + j\n\n"), (1, 32), TWO,
    ),
    "atomics": (_k("i = cuda.grid(1)", "cuda.atomic.add(y, x[i], 1)", "cuda.atomic.max(y, 20, x[i])"), (2, 16), TWO),
    "break and continue": (
        _k("i = cuda.grid(1)", "n = 0", "for j in range(10):", "    if j == x[i]:", "        continue",
           "    if j > 6:", "        break", "    n += j", "y[i] = n"), (1, 32), TWO,
    ),
    "chained tests": (_k("i = cuda.grid(1)", "if 2 <= x[i] < 8 and not x[i] == 5:", "    y[i] = -1"), (1, 32), TWO),
    "local array": (
        _k("i = cuda.grid(1)", "a = cuda.local.array(4, int64)", "for j in range(4):", "    a[j] = x[i] + j",
           "y[i] = a[3] * a[-4]"), (1, 32), TWO,
    ),
    "mathematics": (
        _k("i = cuda.grid(1)", "y[i] = math.sqrt(x[i]) + max(x[i], 4) + abs(x[i] - 6) + x[i] ** 2"),
        (1, 32), ((WHOLE, (32,)), (REAL, (32,))),
    ),
    "array by a branch": (
        _k("i = cuda.grid(1)", "for j in range(3):", "    if j % 2 == 0:", "        src = x", "        dst = y",
           "    else:", "        src = y", "        dst = x", "    dst[i] = src[i] + j"), (1, 32), TWO,
    ),
    "arrays that change places": (
        _k("i = cuda.grid(1)", "a = x", "b = y", "for j in range(3):", "    b[i] = a[i] * 2 + j", "    a, b = b, a"),
        (1, 32), TWO,
    ),
    "arrays that change places for some": (
        _k("i = cuda.grid(1)", "a, b = x, y", "if i > 4:", "    a, b = b, a", "b[i] = a[i] + 1"), (1, 32), TWO,
    ),
    "array by a choice": (_k("i = cuda.grid(1)", "a = x if i % 2 else y", "y[i] = a[i] + 1"), (1, 32), TWO),
    "enumerate and zip": (
        _k("i = cuda.grid(1)", "n = 0", "for k, v in enumerate(x):", "    n += k * v", "for a, b in zip(x, x):",
           "    n += a - 2 * b", "if i == 0:", "    y[0] = n"), (1, 4), TWO,
    ),
    "narrow numbers wrap when they are stored": (
        _k("i = cuda.grid(1)", "y[i] = x[i] * 40 + i", "x[i] -= 5"), (1, 32), ((BYTE, (32,)), (BYTE, (32,))),
    ),
    "numbers of 32 bits": (
        _k("i = cuda.grid(1)", "v = x[i] * 1000", "y[i] = (v * 1000) // 1003 + (v << 3) % 1001"),
        (1, 32), ((NARROW, (32,)), (WHOLE, (32,))),
    ),
    "negative divisors": (
        _k("i = cuda.grid(1)", "v = x[i] - 5",
           "y[i] = v // -3 + 100 * (v % -3) + 1000 * ((i - 16) // 5)"),
        (1, 32), TWO,
    ),
    "floors of reals": (
        _k("i = cuda.grid(1)", "v = (x[i] - 5) / 2.0", "y[i] = v // 1.5 + 100 * (v % 1.5) + int(v) + math.floor(v)"),
        (1, 32), ((WHOLE, (32,)), (REAL, (32,))),
    ),
    "a loop downwards": (
        _k("i = cuda.grid(1)", "n = 0", "for j in range(x.size - 1, i, -3):", "    n = n * 2 + x[j]", "y[i] = n % 997"),
        (1, 32), TWO,
    ),
    "loops with an else": (
        _k("i = cuda.grid(1)", "for j in range(i):", "    if x[j] == 9:", "        y[i] = j", "        break",
           "else:", "    y[i] = -1", "n = i", "while n > 3:", "    n -= 2", "else:", "    y[i] += 100 * n"),
        (1, 32), TWO,
    ),
    "two-dimensional shared tile": (
        _k("s = cuda.shared.array((4, 8), int64)", "t = cuda.threadIdx.x", "s[t // 8, t % 8] = x[t]",
           "cuda.syncthreads()", "y[t] = s[t % 4, t // 4]"), (1, 32), TWO,
    ),
    "shape taken apart": (
        _k("rows, cols = x.shape", "i = cuda.grid(1)", "if i < rows * cols:", "    r, c = divmod(i, cols)",
           "    y[r * cols + c] = x[r, c] + x.ndim"), (2, 20), ((WHOLE, (4, 8)), (WHOLE, (32,))),
    ),
    "votes of the block": (
        _k("i = cuda.grid(1)", "n = cuda.syncthreads_count(x[i] > 4)", "a = cuda.syncthreads_and(x[i] >= 0)",
           "o = cuda.syncthreads_or(x[i] > 99)", "y[i] = n * 100 + a * 10 + o"), (2, 16), TWO,
    ),
    "bits": (
        _k("i = cuda.grid(1)", "v = x[i]", "y[i] = (v & 6) | (v << 4) ^ (~v & 15) + (-v >> 1)", "y[i] += v % 2 == 0"),
        (1, 32), TWO,
    ),
    "a bounds test that wraps": (
        _k("i = cuda.grid(1)", "j = i - 1", "if j < x.size:", "    y[i] = x[j]"), (1, 32), TWO,
    ),
    "tuples in tuples": (
        _k("i = cuda.grid(1)", "(a, b), c = both(x, i)", "y[i] = a * 100 + b * 10 + c",
           before="@cuda.jit(device=True)\ndef both(v, j):\n    return (v[j], v[j - 1]), j\n\n"), (1, 32), TWO,
    ),
    "constants of the module": (
        _k("i = cuda.grid(1)", "y[i] = TABLE[i % 3] * SCALE + x[min(i, LAST)]",
           before="TABLE = (5, 7, 11)\nSCALE = 3\nLAST = SCALE * 4\n\n"), (1, 32), TWO,
    ),
    "constant array": (
        _k("c = cuda.const.array_like(TABLE)", "i = cuda.grid(1)", "y[i] = c[i % 4] + c.size + x[i]",
           before="TABLE = np.array([2, 3, 5, 7])\n\n"), (1, 32), TWO,
    ),
    "a factory's kernel": (
        "def make(n, f):\n    @cuda.jit\n    def k(x, y):\n        i = cuda.grid(1)\n        if i < x.size:\n"
        "            y[i] = f(x[i]) * n\n        # end\n    return k\n\n"
        "@cuda.jit(device=True)\ndef plus(v):\n    return v + 1\n\nk = make(3, plus)\n", (2, 20), TWO,
    ),
    "early return": (
        _k("i = cuda.grid(1)", "if i >= x.size // 2:", "    return", "y[i] = x[2 * i + 1] - x[2 * i]"), (2, 20), TWO,
    ),
    "compare and swap": (
        _k("i = cuda.grid(1)", "old = cuda.atomic.cas(y, i % 4, contents_of(i % 4), 50 + i)",
           "cuda.atomic.sub(x, 3, 2)", "cuda.atomic.min(x, 5, -i)", "cuda.atomic.exch(y, 10, 7)",
           before="@cuda.jit(device=True)\ndef contents_of(q):\n    return (7 * q + 3) % 11\n\n"), (1, 16), TWO,
    ),
    "array of the tail": (
        _k("i = cuda.grid(1)", "tail = x[-8:]", "head = x[:-24]", "every = x[::4]",
           "y[i] = tail[i] * 100 + head[i] + every[i]"), (1, 8), TWO,
    ),
    "past the end of a row": (
        _k("i = cuda.grid(1)", "for j in range(x.shape[0]):",
           "    y[i] += x[i, j]"),
        (1, 8), ((WHOLE, (8, 4)), (WHOLE, (8,))),
    ),
    "before the start": (_k("i = cuda.grid(1)", "y[i] = x[i - 40]"), (1, 32), TWO),
    "past a local array": (
        _k("a = cuda.local.array(4, int64)", "i = cuda.grid(1)", "for j in range(5):", "    a[j] = x[i]",
           "y[i] = a[0]"),
        (1, 4), TWO,
    ),
    "past a shared array": (
        _k("s = cuda.shared.array(16, int64)", "t = cuda.threadIdx.x", "s[t] = x[t]", "cuda.syncthreads()",
           "y[t] = s[0]"),
        (1, 32), TWO,
    ),
    "no guard": (_k("i = cuda.grid(1)", "y[i] = x[i]"), (2, 20), TWO),
    "one past the end": (_k("i = cuda.grid(1)", "if i <= 31:", "    y[i] = x[i + 1]"), (1, 32), TWO),
    "other axis": (_k("i = cuda.grid(1)", "y[i] = x[0, i]"), (1, 32), ((WHOLE, (4, 4)), (WHOLE, (32,)))),
}  # fmt: skip


def contents(index: int) -> int:
    """What an element holds before the launch."""
    return (7 * index + 3) % 11


def main() -> None:
    """Print the simulator's results as JSON."""
    import numpy as np

    out: dict[str, object] = {}
    for name, (code, (blocks, threads), arrays) in CASES.items():
        space: dict[str, object] = {}
        exec(compile(HEAD + code, name, "exec"), space)
        made = [np.array([contents(k) for k in range(int(np.prod(s)))], dtype=t).reshape(s) for t, s in arrays]
        try:
            space["k"][blocks, threads](*made)  # type: ignore[index]
            out[name] = [array.ravel().tolist() for array in made]
        except IndexError:
            out[name] = "out of range"
    json.dump(out, sys.stdout)


if __name__ == "__main__":
    main()
