"""Typical questions about kernels, each with the verdict that is right.  Not a test."""

from __future__ import annotations

from typing import NamedTuple

from kernlint.prove.query import Query
from tests.prove.language import (
    BDX,
    BDY,
    BX,
    BY,
    GDX,
    GX,
    GY,
    PLANE,
    TX,
    TY,
    E,
    bounds,
    counter,
    loaded,
    param,
    race,
    side,
)


class Problem(NamedTuple):
    name: str
    safe: bool
    query: Query


def problems() -> list[Problem]:
    """64 queries; ``safe``: the fault is impossible (given that nothing overflows and sizes are positive)."""
    return [*_shared(), *_global(), *_bounds(), *_library()]


def _shared() -> list[Problem]:
    out: list[Problem] = []

    def add(name: str, safe: bool, query: Query) -> None:
        out.append(Problem(name, safe, query))

    s, r, m, k = param("s"), param("r"), param("m", 0), param("k", 0)
    j = counter("j")
    add("shift: write t, read t+1", False, race(side(TX), side(TX + 1)))
    add("tree reduction, one step", True, race(side(TX, s > TX), side(TX + s, s > TX)))
    half = s // 2
    add("tree reduction without barrier", False, race(side(TX, s > TX), side(TX + half, half > TX)))
    strided = (TX % (2 * s)).eq(0)
    add("strided reduction by modulo", True, race(side(TX, strided), side(TX + s, strided)))
    index = 2 * s * TX
    add("strided reduction by index", True, race(side(index, index < BDX), side(index + s, index < BDX)))
    off, d = param("off"), param("d")
    left, right = off * (2 * TX + 1) - 1, off * (2 * TX + 2) - 1
    add("work-efficient scan", True, race(side(left, d > TX), side(right, d > TX)))
    tile = TY * 16 + TX
    add("16x16 tile, stores", True, race(side(tile), side(tile), block=(16, 16, 1)))
    row = side(TY * 16 + j, loops=((j, 16),))
    add("16x16 tile, store and load without barrier", False, race(side(tile), row, block=(16, 16, 1)))
    wide = TY * BDX + TX
    add("TxT tile, stores", True, race(side(wide), side(wide), block=PLANE))
    row = side(TY * BDX + j, loops=((j, j < BDX),))
    add("TxT tile, store and load without barrier", False, race(side(wide), row, block=PLANE))
    cell = side((TY + 8 * j) * 33 + TX, loops=((j, 4),))
    add("padded transpose, stores", True, race(cell, cell, block=(32, 8, 1)))
    turned = side(TX * 33 + TY + 8 * j, loops=((j, 4),))
    add("padded transpose without barrier", False, race(cell, turned, block=(32, 8, 1)))
    add("padded transpose, block not known", False, race(cell, cell, block=PLANE))
    stride = TX + j * BDX
    clear = side(stride, loops=((j, stride < 256),))
    add("block-stride clear", True, race(clear, clear))
    centre, low, high = side(TX + r), side(TX, r > TX), side(TX + r + BDX, r > TX)
    add("stencil: centre and left halo", True, race(centre, low))
    add("stencil: centre and right halo", True, race(centre, high))
    window = side(TX + j, loops=((j, j < 2 * r + 1),))
    add("stencil: load without barrier", False, race(centre, window))
    leader = side(TX >> 5, (TX & 31).eq(0))
    add("one slot per warp", True, race(leader, leader))
    padded = side((TX >> 5) * 33 + (TX & 31))
    add("padded rows per warp", True, race(padded, padded))
    add("xor permutation", True, race(side(TX ^ m), side(TX ^ m)))
    add("butterfly without barrier", False, race(side(TX), side(TX ^ m)))
    partner = TX ^ s
    add("bitonic step", True, race(side(TX, partner > TX), side(partner, partner > TX)))
    ring = side((TX + k) % 256)
    add("ring of 256", True, race(ring, ring, block=(256, 1, 1)))
    ring = side((TX + k) % BDX)
    add("ring of the block's size", True, race(ring, ring))
    i = param("i", 1)
    other = side(((i - 1) & 1) * BDX + j, loops=((j, j < BDX),))
    add("double buffer", True, race(side((i & 1) * BDX + TX), other))
    quad = side(4 * TX + j, loops=((j, 4),))
    add("four per thread", True, race(quad, quad))
    n = param("n")
    own = side(TX * n + j, loops=((j, j < n),))
    add("row per thread", True, race(own, own))
    corner = side(TX * (TX + 1) // 2 + j, loops=((j, j < TX + 1),))
    add("triangle", True, race(corner, corner))
    return out


def _global() -> list[Problem]:
    w, h = param("w"), param("h")
    r, c = loaded("r", 0), loaded("c", 0)
    k, z = counter("k"), loaded("z", 0)
    stride = GX + k * (BDX * GDX)
    col, row = GX, GY
    col16, row16 = BX * 16 + TX, BY * 16 + TY
    flat = side(GX)
    grid_stride = side(stride, loops=((k, 4096),))
    cell = side(row * w + col, col < w, row < h)
    cell16 = side(row16 * w + col16, col16 < w, row16 < h)
    bare = side(row * w + col)
    own = side(GX * w + c, c < w)
    deep = side((GX * h + r) * w + c, c < w, r < h)
    return [
        Problem("one element per thread", True, race(flat, flat, "grid")),
        Problem("element and its neighbour", False, race(flat, side(GX + 1), "grid")),
        Problem("grid stride", True, race(grid_stride, grid_stride, "grid")),
        Problem("row per thread, any column", True, race(own, own, "grid")),
        Problem("two dimensions, guarded", True, race(cell, cell, "grid", PLANE, PLANE)),
        Problem("two dimensions, no guard", False, race(bare, bare, "grid", PLANE, PLANE)),
        Problem("two dimensions of 16x16", True, race(cell16, cell16, "grid", (16, 16, 1), PLANE)),
        Problem("three levels", True, race(deep, deep, "grid")),
        Problem("scatter", False, race(side(z), side(z), "grid")),
    ]


def _bounds() -> list[Problem]:
    n, kk, mm, nn, t = param("n"), param("K"), param("M"), param("N"), param("T")
    w, h = param("w"), param("h")
    k, c, ch, m = counter("k"), counter("c"), counter("ch"), counter("m")
    ceil = GDX.eq((n + BDX - 1) // BDX)
    exact = n.eq(GDX * BDX)
    inner = side(GX + 1, GX >= 1, n - 1 > GX)
    tile = side(GX * nn + m * t + TX, nn > GX, t > TX, loops=((m, m < nn // t),))
    pixel = side((GX * w + c) * 3 + ch, h > GX, loops=((c, c < w), (ch, 3)))
    return [
        Problem("bounds: i < n, a[i + 1]", False, bounds(side(GX + 1, n > GX), n)),
        Problem("bounds: 1 <= i < n - 1, a[i + 1]", True, bounds(inner, n)),
        Problem("bounds: row * K + k", True, bounds(side(GX * kk + k, mm > GX, loops=((k, k < kk),)), mm * kk)),
        Problem("bounds: pitch swapped", False, bounds(side(GX * mm + k, mm > GX, loops=((k, k < kk),)), mm * kk)),
        Problem("bounds: ceiling grid, no guard", False, bounds(side(GX), n, premises=(ceil,))),
        Problem("bounds: exact grid", True, bounds(side(GX), n, premises=(exact,))),
        Problem("bounds: tile of a row", True, bounds(tile, nn * nn)),
        Problem("bounds: shared, t + 1", False, bounds(side(TX + 1), BDX)),
        Problem("bounds: one slot per warp", True, bounds(side(TX >> 5), 32)),
        Problem("bounds: pixel of three", True, bounds(pixel, h * w * 3)),
    ]


def _library() -> list[Problem]:
    c, h, w, n = param("C"), param("H"), param("W"), param("n")
    nn, kk, p = param("N"), param("K"), param("pitch")
    g = GX

    def planes(index: E) -> E:
        return (((index // (c * h * w)) * c + (index // (h * w)) % c) * h + (index // w) % h) * w + index % w

    whole = side(planes(TX), n > TX)
    again = side((g // w) * w + g % w, g < n)
    flipped = side((g % w) * h + g // w, g < h * w)
    row, col = loaded("row", 0), GX
    pitched = side(GY * p + col, w > GX, h > GY)
    ns = param("Ns")
    first = (TX // ns) * 2 * ns + TX % ns
    wide = param("wB")
    product = side(wide * 16 * BY + 16 * BX + wide * TY + TX)
    j = counter("j")
    chunk = (n + BDX - 1) // BDX
    mine = side(TX * chunk + j, loops=((j, j < chunk),))
    d = param("d")
    sums = side(BX, TX.eq(0))
    k, ty = counter("k"), TY
    tiles = (kk + 15) // 16
    loose = side((k * 16 + ty) * nn + TX, nn > TX, loops=((k, k < tiles),))
    tight = side((k * 16 + ty) * nn + TX, nn > TX, k * 16 + ty < kk, loops=((k, k < tiles),))
    square = (16, 16, 1)
    grid = (None, None, 1)
    return [
        Problem("planes, rows, columns and back", True, race(whole, whole)),
        Problem("row and column and back", True, race(again, again, "grid")),
        Problem("transposed by row and column", True, race(flipped, flipped, "grid")),
        Problem("pitch >= width", True, race(pitched, pitched, "grid", PLANE, grid, premises=(p >= w,))),
        Problem("pitch of no relation", False, race(pitched, pitched, "grid", PLANE, grid)),
        Problem("Fourier step, halves", True, race(side(first), side(first + ns))),
        Problem("Fourier step, stores", True, race(side(first), side(first))),
        Problem(
            "tile of a product",
            True,
            race(product, product, "grid", square, grid, premises=(wide.eq(GDX * 16),)),
        ),
        Problem("chunk per thread", True, race(mine, mine)),
        Problem("naive scan without barrier", False, race(side(TX), side(TX - d, d <= TX))),
        Problem("sum per block", True, race(sums, sums, "grid")),
        Problem("every thread stores the sum", False, race(side(BX), side(BX), "grid")),
        Problem("thread index across blocks", False, race(side(TX), side(TX), "grid")),
        Problem("bounds: column guard only", False, bounds(side(GY * w + GX, w > GX), h * w, block=PLANE, grid=grid)),
        Problem(
            "bounds: clamped neighbour", True, bounds(side(row * w + GX + 1, w > GX + 1, row < h), h * w, grid=grid)
        ),
        Problem("bounds: planes", True, bounds(side(planes(GX), nn * c * h * w > GX), nn * c * h * w)),
        Problem("bounds: last tile, no guard", False, bounds(loose, kk * nn, block=square)),
        Problem("bounds: last tile, guard", True, bounds(tight, kk * nn, block=square)),
        Problem("bounds: two rows of a block", True, bounds(side(TY * BDX + TX), BDX * BDY, block=PLANE)),
    ]
