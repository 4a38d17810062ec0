r"""The rule ``uncovered-tail``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.coverage import Cover
from kernlint.analysis.launching.admitted import admitted
from kernlint.analysis.launching.launch_context import LaunchView, launch_context
from kernlint.analysis.trace import trace
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.source import Span
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, GRID_DIM, THREAD, Symbol, SymbolKind, plain, symbols

AXES = "xyz"


class UncoveredTail(Rule):
    r"""A grid whose threads do not reach the last elements.

    A number of blocks that is a quotient rounded down leaves out what the division leaves over. Reported where the
    kernel tests its index against the very size that the host divides by the size of the block, handles one element a
    thread, and nothing that the host checks makes the size a multiple.

    ```cuda bad
    __global__ void twice(float *x, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= 2.0f;
    }
    void run(float *x, int n) { twice<<<n / 256, 256>>>(x, n); }  // expect: KL602
    ```

    ```cuda bad
    __global__ void mark(char *x, int width, int height) {
        const int at = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
        if (at < width && row < height) x[row * width + at] = 1;
    }
    void run(char *x, int width, int height) {
        const dim3 block(32, 8), grid((width + 31) / 32, height / block.y);
        mark<<<grid, block>>>(x, width, height);  // expect: KL602
    }
    ```

    ```cuda good
    __global__ void twice(float *x, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= 2.0f;
    }
    void run(float *x, int n) { twice<<<(n + 255) / 256, 256>>>(x, n); }
    ```

    ```cuda good
    __global__ void twice(float *x, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= 2.0f;
    }
    void run(float *x, int n) {
        if (n % 256 != 0) return;
        twice<<<n / 256, 256>>>(x, n);
    }
    ```
    """

    meta = Meta("KL602", "uncovered-tail", Severity.WARNING, tags=("CUDA PG",))
    needs = (trace, launch_context, admitted)

    def check(self, facts: Facts) -> Iterator[Finding]:
        if any(symbol in GRID_DIM for loop in facts[trace].loops for phi in loop.phis for symbol in _made_of(phi)):
            return
        seen: set[Span] = set()
        views = facts[launch_context].launches
        for view in views:
            if sum(other.fact.host is view.fact.host for other in views) > 1 or view.fact.threads is not None:
                continue  # another launch may be for the rest; work-items are counted one by one
            for axis in range(3):
                tested = self._tested(view, axis, facts)
                if tested is not None and view.fact.span not in seen:
                    seen.add(view.fact.span)
                    symbol, place = tested
                    yield self.finding(
                        view.fact.span,
                        f"the grid is rounded down along {AXES[axis]}: where the block does not divide "
                        f"{symbol.name}, its last elements get no thread",
                        related=[Related(place, f"the index is tested against {symbol.name} here")],
                        fix=f"round up: ({symbol.name} + block - 1) / block",
                    )

    def _tested(self, view: LaunchView, axis: int, facts: Facts) -> tuple[Symbol, Span] | None:
        """The size that the kernel tests its index along ``axis`` against, and that the grid is a part of."""
        found, fact = view.covers[axis], view.fact
        if found.kind is not Cover.EXACT or found.count is None or found.unit is None or fact.grid is None:
            return None
        if fact.block is None or plain(fact.grid[axis]).op not in ("div", "shr"):
            return None
        if polynomial(found.unit) != polynomial(fact.block[axis]):
            return None
        count = polynomial(found.count)
        sizes = [symbol for symbol, image in view.images if polynomial(image) == count and symbol not in _LAUNCH]
        index = {THREAD[axis], BLOCK[axis]}
        for guard in (guard for access in facts[trace].accesses for guard in access.guards):
            mentioned = set(symbols(guard.term))
            size = next((size for size in sizes if size in mentioned), None)
            if size is not None and index <= mentioned and self._odd(size, view, axis, facts):
                return size, guard.span
        return None

    def _odd(self, size: Symbol, view: LaunchView, axis: int, facts: Facts) -> bool:
        """Whether the size may be no multiple of the block."""
        unit = view.block[axis]
        if unit is None or unit < 2 or size.kind is not SymbolKind.PARAM:
            return False
        return facts[admitted].permits(view.block, values=((size, 3 * unit + 1),))


_LAUNCH = frozenset((*BLOCK_DIM, *GRID_DIM))


def _made_of(phi: Symbol) -> tuple[Symbol, ...]:
    return symbols(phi.step) if phi.step is not None else ()
