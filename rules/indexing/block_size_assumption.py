r"""The rule ``block-size-assumption``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.launching.launches import launches
from kernlint.analysis.trace import trace
from kernlint.analysis.values.index_terms import IndexSum, index_sums
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.symbolic.polynomial import Polynomial
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, THREAD, SymbolKind

AXES = "xyz"

MAX_THREADS = 1024
"""No block of a GPU has more threads: a larger constant is the pitch of something else."""


class BlockSizeAssumption(Rule):
    r"""A constant in the kernel stands for the block size, and the launch uses another.

    ``blockIdx.x * 32 + threadIdx.x`` covers every element once only when the block is 32 threads wide. Launched with
    16, half of every tile is never touched; the elements stay as they were and nobody reports an error.

    Reported when a launch in the same file has a constant block size along the axis that is smaller than the
    constant, and nothing in the kernel makes up for it: no loop over the tile, no second index a block further on.

    ```cuda bad
    __global__ void twice(float *x, int n) {
        int i = blockIdx.x * 32 + threadIdx.x;
        if (i < n) x[i] *= 2.0f;
    }
    void run(float *x, int n) {
        twice<<<(n + 31) / 32, 16>>>(x, n);  // expect: KL406
    }
    ```

    ```cuda bad
    #define TILE 32
    __global__ void shift(const float *in, float *out, int w, int h) {
        int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
        if (x < w && y < h) out[y * w + x] = in[y * w + x] + 1.0f;
    }
    void run(const float *in, float *out, int w, int h) {
        dim3 block(TILE, 8), grid((w + TILE - 1) / TILE, (h + TILE - 1) / TILE);
        shift<<<grid, block>>>(in, out, w, h);  // expect: KL406
    }
    ```

    ```cuda good
    #define TILE 32
    __global__ void shift(const float *in, float *out, int w, int h) {
        int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
        for (int j = 0; j < TILE && y + j < h; j += 8)
            if (x < w) out[(y + j) * w + x] = in[(y + j) * w + x] + 1.0f;
    }
    void run(const float *in, float *out, int w, int h) {
        dim3 block(TILE, 8), grid((w + TILE - 1) / TILE, (h + TILE - 1) / TILE);
        shift<<<grid, block>>>(in, out, w, h);
    }
    ```

    ```cuda good
    __global__ void boards(float *x, int n) {
        const int at = threadIdx.y * 8 + threadIdx.x;
        x[blockIdx.x * 64 + at] *= 2.0f;
        x[64 * n + blockIdx.x * 4096 + at] = 0.0f;
    }
    void run(float *x, int n) { boards<<<n, dim3(8, 8)>>>(x, n); }
    ```

    ```opencl good
    __kernel __attribute__((reqd_work_group_size(64, 1, 1)))
    void twice(__global float *x, const int n) {
        const int i = get_group_id(0) * 64 + get_local_id(0);
        if (i < n) x[i] *= 2.0f;
    }
    ```
    """

    meta = Meta("KL406", "block-size-assumption", Severity.WARNING)
    needs = (trace, index_sums, launches)

    def check(self, facts: Facts) -> Iterator[Finding]:
        seen = facts[launches]
        sums = facts[index_sums]
        for axis in range(3):
            tiles = [(tile, found) for found in sums if (tile := _tile(found.form, axis)) is not None]
            if not tiles or _walks(sums, axis):
                continue
            tile, found = tiles[0]
            if (
                any(other != tile for other, _ in tiles)
                or len({form.form.coefficients.get(()) for _, form in tiles}) > 1
            ):
                continue
            for launch in seen:
                size = launch.block[axis].value if launch.block is not None else None
                if size is None or size >= tile:
                    continue
                name = AXES[axis]
                yield self.finding(
                    launch.span,
                    f"{facts.kernel.name} takes blocks to be {tile} threads along {name}, but this launch has {size}: "
                    f"{tile - size} of every {tile} elements are never reached",
                    related=[Related(found.span, f"blockIdx.{name} * {tile} + threadIdx.{name}")],
                    fix=f"launch with {tile} threads along {name}, or loop over the tile in steps of blockDim.{name}",
                )
                break


def _tile(form: Polynomial, axis: int) -> int | None:
    """The constant T of ``T * bid + tid`` along ``axis`` (any common factor cancelled)."""
    blocks = form.coefficients.get((BLOCK[axis].term,))
    threads = form.coefficients.get((THREAD[axis].term,))
    if not blocks or not threads or blocks % threads:
        return None
    tile = blocks // threads
    if not 1 < tile <= MAX_THREADS:
        return None
    if any(0 < abs(form.coefficients.get((other.term,), 0)) < blocks for other in THREAD if other is not THREAD[axis]):
        return None  # threads of another axis share the tile
    return tile


def _walks(sums: tuple[IndexSum, ...], axis: int) -> bool:
    """Whether some index moves on along ``axis`` in a loop, or by the block size: then one thread has more than
    one element."""
    for found in sums:
        atoms = {atom for monomial in found.form.coefficients for atom in monomial}
        if THREAD[axis].term not in atoms:
            continue
        if BLOCK_DIM[axis].term in atoms:
            return True
        kinds = {atom.symbol.kind for atom in atoms if atom.symbol is not None}
        if SymbolKind.COUNTER in kinds or SymbolKind.PHI in kinds:
            return True
    return False
