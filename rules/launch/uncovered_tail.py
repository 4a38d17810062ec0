r"""The rule ``uncovered-tail``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts
from kernlint.analysis.coverage import Cover, conjuncts, multiple
from kernlint.analysis.extent.crossed_grids import crossed
from kernlint.analysis.launching.admitted import admitted
from kernlint.analysis.launching.crossed import crossed_sizes
from kernlint.analysis.launching.launch_context import LaunchView, launch_context
from kernlint.analysis.launching.launches import LaunchFact, launches
from kernlint.analysis.launching.member_limits import member_limits
from kernlint.analysis.launching.partials import one_for_each_block
from kernlint.analysis.launching.run_time_sizes import admission_of, tested_size
from kernlint.analysis.launching.stopped_grids import capped, places_in_grid, short_rows, stopped, stopped_block
from kernlint.analysis.remarks import remarks
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Guard
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.source import Span
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import (
    BLOCK,
    GRID_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    plain,
    substitute,
    subterms,
    symbols,
)
from kernlint.tree.nodes import IntLit
from kernlint.tree.types import FloatType, IntType, Space
from kernlint.tree.walk import strip_casts

AXES = "xyz"


class UncoveredTail(Rule):
    r"""A grid whose threads do not reach the last elements.

    A number of blocks that is a quotient rounded down leaves out what the division leaves over. Reported where the
    kernel tests its index against the very size that the host divides by the size of the block, handles one element a
    thread, and nothing that the host checks makes the size a multiple; and where grid, block and that size are numbers
    of which the last is larger; and where the launch has one thread along an axis on which the kernel handles as many
    elements as a size says; and where the kernel tests its index along x against what the grid is rounded up from
    along y, and the other way round. So is a grid that is cut down to a number, or to what the device has room for,
    where sizes that the host admits ask for more. Likewise ``ceil(n / 256)`` of two integers, which divides first.

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

    ```cuda bad
    __global__ void twice(float *x, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= 2.0f;
    }
    void run(float *x) { twice<<<16, 256>>>(x, 10000); }  // expect: KL602
    ```

    ```cuda bad
    __global__ void twice(float *x, int rows, int columns) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < rows * columns) x[i] *= 2.0f;
    }
    void run(float *x, int rows, int columns) {
        const int all = rows * columns, blocks = std::max(1, all / 128);
        twice<<<blocks, 128>>>(x, rows, columns);  // expect: KL602
    }
    ```

    ```cuda bad
    __global__ void twice(float *x, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= 2.0f;
    }
    void run(float *x, int n) {
        twice<<<ceil(n / 256), 256>>>(x, n);  // expect: KL602
    }
    ```

    ```cuda bad
    __global__ void mark(char *x, int width, int height) {
        const int at = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
        if (at < width && row < height) x[row * width + at] = 1;
    }
    void run(char *x, int width, int height) {
        mark<<<(width + 31) / 32, 32>>>(x, width, height);  // expect: KL602
    }
    ```

    ```cuda bad
    struct Size { int width, height; };
    __global__ void mark(char *x, Size size) {
        const int row = blockIdx.x * blockDim.x + threadIdx.x, at = blockIdx.y * blockDim.y + threadIdx.y;
        if (at < size.width && row < size.height) x[row * size.width + at] = 1;
    }
    void run(char *x, Size size) {
        const dim3 block(32, 8), grid((size.width + 31) / 32, (size.height + 7) / 8);
        mark<<<grid, block>>>(x, size);  // expect: KL602
    }
    ```

    ```cuda good
    __global__ void mark(char *x, int width, int height) {
        const int row = blockIdx.x * blockDim.x + threadIdx.x, at = blockIdx.y * blockDim.y + threadIdx.y;
        if (at < width && row < height) x[row * width + at] = 1;
    }
    void run(char *x, int width, int height) {
        const dim3 block(32, 8), grid((height + 31) / 32, (width + 7) / 8);
        mark<<<grid, block>>>(x, width, height);
    }
    ```

    ```cuda good
    __global__ void mark(char *x, int width, int height) {
        const int at = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
        if (at < width && row < height) x[row * width + at] = 1;
    }
    void run(char *x, int width) {
        mark<<<(width + 31) / 32, 32>>>(x, width, 1);
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

    ```cuda good
    __global__ void twice(float *x, int padded, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < padded) x[i] = i < n ? 2.0f * x[i] : 0.0f;
    }
    void run(float *x, int n) {
        const int padded = (n + 127) & ~127;
        twice<<<padded / 128, 128>>>(x, padded, n);
    }
    ```

    ```cuda good
    __global__ void twice(float *x, int rows, int columns) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < rows * columns) x[i] *= 2.0f;
    }
    void run(float *x, int rows, int columns) {
        if (columns % 256 == 0) twice<<<rows * columns / 256, 256>>>(x, rows, columns);
    }
    ```
    """

    meta = Meta("KL602", "uncovered-tail", Severity.WARNING, tags=("CUDA PG",))
    needs = (trace, launches, launch_context, admitted, member_limits, crossed_sizes)

    def check(self, facts: Facts) -> Iterator[Finding]:
        yield from self._ceilings(facts)
        if any(symbol in GRID_DIM for loop in facts[trace].loops for phi in loop.phis for symbol in _made_of(phi)):
            return
        seen: set[Span] = set()
        views, exchanged = facts[launch_context].launches, facts[crossed_sizes]
        for view in views:
            flat = self._one_row(view, facts) if view.fact.span not in seen else None
            if flat is not None:
                seen.add(view.fact.span)
                axis, size, place = flat
                also = f", and say that there are {axis + 1} dimensions" if view.fact.threads is not None else ""
                yield self.finding(
                    view.fact.span,
                    f"the launch has one thread along {AXES[axis]}, and the kernel handles one element a thread of as "
                    f"many as {size} says there",
                    related=[Related(place, f"the index is tested against {size} here")],
                    fix=f"launch threads along {AXES[axis]} too{also}",
                )
                continue
            told = view.fact.span in seen or any(one.view is view and one.exchangeable for one in exchanged)
            swapped = None if told else crossed(view, facts[trace].accesses)
            if swapped is not None:
                seen.add(view.fact.span)
                yield self.finding(
                    view.fact.span,
                    f"the grid is made for {swapped[0]} along x and {swapped[1]} along y, and the kernel tests for "
                    "them the other way round: where they differ, elements get no thread",
                    related=[Related(place, "the index is tested here") for place in dict.fromkeys(swapped[2:])],
                    fix="exchange the two extents of the grid, or the two indices",
                )
            if sum(other.fact.host is view.fact.host for other in views) > 1:
                continue  # another launch may be for the rest
            yield from self._stopped(view, facts, seen)
            if view.fact.threads is not None:
                continue  # work-items are counted one by one
            spared = {one.span for one, _ in remarks(facts.module_facts, "spared")}
            for axis in range(3) if view.fact.span not in spared else ():
                short = self._short(view, axis, facts)
                if short is not None and view.fact.span not in seen and not one_for_each_block(view):
                    seen.add(view.fact.span)
                    threads, count, guard = short
                    yield self.finding(
                        view.fact.span,
                        f"the launch has {threads} threads along {AXES[axis]}, and the kernel tests for {count} "
                        f"elements there: the last {count - threads} get no thread",
                        related=[Related(guard.span, "the index is tested here")],
                        fix="launch as many blocks as it takes: (size + block - 1) / block",
                    )
                cut = capped(view, axis, facts)
                if cut is not None and view.fact.span not in seen:
                    seen.add(view.fact.span)
                    cap, size, span = cut
                    yield self.finding(
                        view.fact.span,
                        f"the grid is capped at {cap} along {AXES[axis]}, and each thread handles one element: "
                        f"of more of them than those have threads, as {size} may say, the last get no thread",
                        related=[Related(span, f"the index is tested against {size} here")],
                        fix="let each thread go on in steps of the grid, or leave the grid as large as it has to be",
                    )
                tested = self._tested(view, axis, facts)
                if tested is not None and view.fact.span not in seen:
                    seen.add(view.fact.span)
                    size, place = tested
                    yield self.finding(
                        view.fact.span,
                        f"the grid is rounded down along {AXES[axis]}: where the block does not divide "
                        f"{size}, its last elements get no thread",
                        related=[Related(place, f"the index is tested against {size} here")],
                        fix=f"round up: ({size} + block - 1) / block",
                    )

    def _ceilings(self, facts: Facts) -> Iterator[Finding]:
        """A ceiling of what an integer division has already rounded down."""
        for launch in facts[launches]:
            if any(map(_ceiling_of_quotient, launch.grid or ())):
                yield self.finding(
                    launch.span,
                    "the grid is the ceiling of an integer division, which has already rounded down",
                    related=[Related(facts.kernel.function.span, "this kernel is launched")],
                    fix="round up in integers: (n + block - 1) / block",
                )

    def _stopped(self, view: LaunchView, facts: Facts, seen: set[Span]) -> Iterator[Finding]:
        """Threads that follow a size up to a number, and stop there."""
        for axis in range(3):
            found = None
            if view.fact.span not in seen and capped(view, axis, facts) is None:
                found = stopped(view, axis, facts) or stopped_block(view, axis, facts)
            if found is not None:
                seen.add(view.fact.span)
                threads, size, count, span = found
                yield self.finding(
                    view.fact.span,
                    f"the launch has no more than {threads} threads along {AXES[axis]}, and each handles one element: "
                    f"{size} may be as large as {count}, and the last get no thread",
                    related=[Related(span, f"the index is tested against {size} here")],
                    fix="let each thread go on in steps of the grid, or leave the grid as large as it has to be",
                )

            rows = short_rows(view, axis, facts) if view.fact.span not in seen else None
            if rows is not None:
                seen.add(view.fact.span)
                yield self.finding(
                    view.fact.span,
                    f"a block has {rows[0]} threads along {AXES[axis]}, each of which stores one element of a row of "
                    f"{rows[1]}: the last {rows[1] - rows[0]} get no thread",
                    related=[Related(rows[2], "the index is tested here")],
                    fix="let each thread go on in steps of the block, or launch a thread for each element",
                )

    def _one_row(self, view: LaunchView, facts: Facts) -> tuple[int, str, Span] | None:
        """The axis along which a launch has one thread, and the size that the kernel tests its index there against,
        which it is passed as no number; of a size that it is passed out of sight, the host has to list one for that
        axis which it does not launch."""
        fact, images = view.fact, dict(view.images)
        for axis in (1, 2):
            if fact.threads is not None:
                flat = fact.threads[axis].value == 1
            else:
                flat = all(sizes is not None and sizes[axis].value == 1 for sizes in (fact.grid, fact.block))
            if not flat or (facts.module.written_in == "python" and _named(fact)):
                continue
            listed = any(not isinstance(one, IntLit) for one in map(strip_casts, fact.node.beyond))
            for guard in (guard for access in facts[trace].accesses if access.writes for guard in access.guards):
                for part in conjuncts(guard.term):
                    size = plain(part.args[1]).symbol if part.op == "lt" else None
                    places = (*places_in_grid(view, axis), polynomial(BLOCK[axis].term), polynomial(THREAD[axis].term))
                    if size is None or size.kind is not SymbolKind.PARAM or polynomial(part.args[0]) not in places:
                        continue
                    image = images.get(size)
                    given = image.value is None and bool(symbols(image)) if image is not None else listed
                    if given and self._left(size, 7, view, facts):
                        return axis, size.name, guard.span
        return None

    def _tested(self, view: LaunchView, axis: int, facts: Facts) -> tuple[str, Span] | None:
        """The size that the kernel tests its index along ``axis`` against, and that the grid is a part of."""
        found, fact = view.covers[axis], view.fact
        if found.kind is not Cover.EXACT or found.count is None or found.unit is None or fact.grid is None:
            return None
        if fact.block is None or _at_least_one(plain(fact.grid[axis])).op not in ("div", "shr"):
            return None
        if polynomial(found.unit) != polynomial(fact.block[axis]):
            return None
        tested = tested_size(view, axis, found.count, facts[trace])
        if tested is not None:
            return (tested[0].name, tested[1]) if self._odd((tested[0],), view, axis, facts) else None
        return self._tested_product(view, axis, found.count, facts) or self._inner(view, axis, found.count, facts)

    def _inner(self, view: LaunchView, axis: int, count: Term, facts: Facts) -> tuple[str, Span] | None:
        """A size that is a few elements off what the host divides, as that of a field within its borders is, with an
        index that begins behind the border: rounded down, the grid misses what is left over beyond these few."""
        wanted, unit = polynomial(count), view.block[axis]
        if unit is None:
            return None
        for guard in (guard for access in facts[trace].accesses if access.writes for guard in access.guards):
            for part in conjuncts(guard.term):
                size = plain(part.args[1]).symbol if part.op == "lt" else None
                image = next((image for symbol, image in view.images if symbol is size), None)
                at = polynomial(part.args[0])
                made = (_constant(at - place) for place in places_in_grid(view, axis)) if image is not None else ()
                first = next((one for one in made if one is not None), None)
                off = _constant(polynomial(image) - wanted) if image is not None else None
                if size is None or first is None or off is None or not 0 <= first - off < unit - 1:
                    continue
                if any(self._left(size, blocks * unit - 1 + off, view, facts) for blocks in (4, 64)):
                    return size.name, guard.span
        return None

    def _left(self, size: Symbol, value: int, view: LaunchView, facts: Facts) -> bool:
        """Whether a size may have a value at which elements are left over."""
        known = (facts[admitted], admission_of(view))
        param = size.kind is SymbolKind.PARAM
        return param and all(one.permits(view.block, values=((size, value),)) for one in known)

    def _tested_product(self, view: LaunchView, axis: int, count: Term, facts: Facts) -> tuple[str, Span] | None:
        """The product of sizes that the kernel is passed one by one, works out itself and tests its index against."""
        wanted, images = polynomial(count), dict(view.images)
        for guard in (guard for access in facts[trace].accesses if access.writes for guard in access.guards):
            for part in conjuncts(guard.term):
                if part.op != "lt" or polynomial(part.args[0]) not in places_in_grid(view, axis):
                    continue
                limit = part.args[1]
                if polynomial(substitute(limit, images)) == wanted and self._odd(symbols(limit), view, axis, facts):
                    return words(limit), guard.span
        return None

    def _short(self, view: LaunchView, axis: int, facts: Facts) -> tuple[int, int, Guard] | None:
        """(threads, elements, test) where a launch in numbers has fewer threads along an axis than the kernel handles
        elements there, one a thread."""
        fact = view.fact
        if fact.grid is None or fact.block is None:
            return None
        blocks, block = fact.grid[axis].value, fact.block[axis].value
        if blocks is None or block is None:
            return None
        images = dict(view.images)
        for access in facts[trace].accesses:
            if not access.writes or access.root.space is not Space.GLOBAL:
                continue
            for guard in access.guards:
                for part in conjuncts(guard.term):
                    count = substitute(part.args[1], images).value if part.op == "lt" else None
                    if count is None or part.args[1].value is not None or count <= blocks * block:
                        continue
                    if polynomial(part.args[0]) in places_in_grid(view, axis):
                        return blocks * block, count, guard
        return None

    def _odd(self, sizes: Sequence[Symbol], view: LaunchView, axis: int, facts: Facts) -> bool:
        """Whether the product of ``sizes`` may be no multiple of the block."""
        unit = view.block[axis]
        if unit is None or unit < 2 or not sizes or any(size.kind is not SymbolKind.PARAM for size in sizes):
            return False
        images = dict(view.images)
        if any(multiple(images.get(size, size.term), number(unit)) for size in sizes):
            return False
        values = tuple(zip(sizes, (3 * unit + 1, *(1 for _ in sizes[1:])), strict=True))
        return all(one.permits(view.block, values=values) for one in (facts[admitted], admission_of(view)))


def _named(fact: LaunchFact) -> bool:
    """Whether all that is seen of a grid or block is a name, which in Python may stand for several extents."""
    sizes = (fact.grid, fact.block) if fact.threads is None else ()
    return any(size is not None and plain(size[0]).op in ("sym", "select") for size in sizes)


def _constant(sum_: Polynomial) -> int | None:
    """The number that a sum is; None where variables are left in it."""
    found = sum_.coefficients
    return found.get((), 0) if set(found) <= {()} else None


def _at_least_one(grid: Term) -> Term:
    """A number of blocks without the clamp that keeps it from being 0."""
    if grid.op in ("max", "select"):
        sides = [plain(arg) for arg in grid.terms[-2:]]
        if any(side.value == 1 for side in sides):
            return next((side for side in sides if side.value is None), grid)
    return grid


def _made_of(phi: Symbol) -> tuple[Symbol, ...]:
    return symbols(phi.step) if phi.step is not None else ()


def _ceiling_of_quotient(term: Term) -> bool:
    for part in subterms(term):
        if part.op == "call" and str(part.args[0]).rpartition("::")[2] in ("ceil", "ceilf"):
            inner = part.args[1]
            while inner.op == "cast" and isinstance(inner.type, FloatType):
                inner = inner.args[0]
            if inner.op == "div" and isinstance(inner.type, IntType):
                return True
    return False
