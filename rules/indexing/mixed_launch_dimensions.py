r"""The rule ``mixed-launch-dimensions``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.coverage import Cover, cover
from kernlint.analysis.launching.launches import LaunchFact, launches
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.scenarios.scenario import Scenarios
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, ConditionEvent, Trace
from kernlint.analysis.values.index_terms import IndexSum, index_sums, launch_symbols
from kernlint.analysis.values.made import products_in
from kernlint.finding import Finding, Fix, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.source import SourceFile
from kernlint.symbolic.polynomial import Polynomial
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, GRID_DIM, THREAD, Symbol, SymbolKind, symbols
from kernlint.tree.types import Space

AXES = "xyz"


class MixedLaunchDimensions(Rule):
    r"""A global index put together from different axes, or with ``+`` where ``*`` belongs.

    The index of a thread in the grid is ``blockIdx.x * blockDim.x + threadIdx.x``, the same axis three times. A row
    built from ``blockIdx.x * blockDim.y`` repeats rows or leaves them out as soon as the block is not square or the
    grid has more than one block along ``y``.

    Reported are: a block size whose axis is neither that of the block index nor that of the thread index added to
    it, or is the block's own where blocks are known to have another number of threads along the axis of the thread
    index; a block index of the wrong axis when the launch in sight runs along the right one, or when the kernel uses
    the same block index properly elsewhere and never the right one; and ``blockIdx.x + blockDim.x + threadIdx.x``.
    With launches in sight also: a block index multiplied by the size of the grid where that is not the size of the
    block; and a thread index along an axis on which the launches spread blocks of one thread, and which the kernel
    knows no block index of, or on which they share a size out to blocks that do not ask which they are, so that every
    block does the work of the first.

    Silent: a block index that counts something else (``blockIdx.y * blockDim.x + threadIdx.x`` with one row of blocks
    for each ``x``), a deliberate transpose (constant tile edges, no block size), linear block numbers.

    ```cuda bad
    __global__ void fill(float *out, int width, int height) {
        int x = blockIdx.x * blockDim.x + threadIdx.x;
        int y = blockIdx.y * blockDim.x + threadIdx.y;
        if (x < width && y < height)  // expect: KL402
            out[y * width + x] = 1.0f;
    }
    ```

    ```opencl bad
    __kernel void copy(__global const int *in, __global int *out, const int n) {
        const int i = get_group_id(0) + get_local_size(0) + get_local_id(0);
        if (i < n)  // expect: KL402
            out[i] = in[i];
    }
    ```

    ```cuda good
    __global__ void fill(float *out, int width, int height) {
        int x = blockIdx.x * blockDim.x + threadIdx.x;
        int y = blockIdx.y * blockDim.y + threadIdx.y;
        if (x < width && y < height) out[y * width + x] = 1.0f;
    }
    ```

    ```opencl good
    __kernel void copy(__global const int *in, __global int *out, const int n) {
        const int i = get_group_id(1) * get_local_size(0) + get_local_id(0);
        if (i < n) out[get_group_id(0) * n + i] = in[get_group_id(0) * n + i];
    }
    ```
    """

    meta = Meta("KL402", "mixed-launch-dimensions", Severity.WARNING, tags=("OpenCL C work-item functions",))
    needs = (trace, index_sums, launches, scenarios)

    def check(self, facts: Facts) -> Iterator[Finding]:
        sums = facts[index_sums]
        used = launch_symbols(tuple(found.term for found in sums))
        products = {pair for found in sums for pair in _products(found.form)}
        said: set[str] = set()
        begun = {axis for found in sums for axis in _begun(found.form)}
        for found in sums:
            verdict = _added(found.form, begun) or self._mixed(found, sums, used, products, facts)
            verdict = verdict or _by_grid(found.form, facts[launches])
            if verdict is None or verdict[0] in said:
                continue
            said.add(verdict[0])
            message, fix = verdict
            related = [Related(launch.span, "launched here") for launch in facts[launches][:1]]
            made = products_in(found.event.node, narrow=False) if isinstance(found.event, ConditionEvent) else ()
            related += [Related(span, "products of the index are computed here") for span in made[:2]]
            yield self.finding(found.span, message, related=related, fix=fix)
        yield from self._of_one_thread(facts)

    def fixes(self, facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
        """The axes that belong together."""
        from kernlint.repair.axes import together

        return together(facts, finding, source)

    def _of_one_thread(self, facts: Facts) -> Iterator[Finding]:
        """Writes by a thread index that is 0 in all launches in sight, on an axis along which they spread blocks that
        the kernel does not tell apart."""
        walked: Trace = facts[trace]
        for axis in range(3):
            alone = _spread(facts[launches], axis)
            shared = not walked.calls and _shared_out(facts[launches], axis)
            if not (alone or shared) or not walked.complete or BLOCK[axis] in _known(walked):
                continue
            made = [access for access in walked.accesses if THREAD[axis] in symbols(access.offset)]
            writes = [access for access in made if access.writes and access.root.space is Space.GLOBAL]
            if not alone:
                writes = [access for access in writes if not _by_data(access)]
            if not writes:
                continue
            name = AXES[axis]
            others = [access.span for access in writes[1:] if access.span != writes[0].span]
            first = f"threadIdx.{name} is 0 in every launch in sight, which spread their blocks along {name}"
            if not alone:
                first = f"the launch has as many blocks along {name} as the work needs, and none asks which it is"
            yield self.finding(
                writes[0].span,
                f"{first}: each block writes what the first does",
                related=[
                    Related(facts[launches][0].span, "launched here"),
                    *(Related(span, "so it is here") for span in dict.fromkeys(others[:3])),
                ],
                fix=f"blockIdx.{name} * blockDim.{name} + threadIdx.{name}",
            )

    def _mixed(
        self,
        found: IndexSum,
        sums: tuple[IndexSum, ...],
        used: set[Symbol],
        products: set[tuple[int, int]],
        facts: Facts,
    ) -> tuple[str, str] | None:
        for block, size in _products(found.form):
            threads = _threads_added(found.form)
            if block == size:
                verdict = _of_other_threads(found.form, size, threads, facts[scenarios])
                if verdict is not None and not any(_in_steps(one.form, size, *threads) for one in sums):
                    return verdict
                continue
            if not threads:
                continue
            right = f"blockIdx.{AXES[size]} * blockDim.{AXES[size]} + threadIdx.{AXES[size]}"
            name = f"blockIdx.{AXES[block]} * blockDim.{AXES[size]}"
            if size not in threads:
                if not _alike(found.form, block, size):
                    continue
                if block in threads:
                    right = f"blockIdx.{AXES[block]} * blockDim.{AXES[block]} + threadIdx.{AXES[block]}"
                return f"{name} is added to threadIdx.{AXES[min(threads)]}: the axes do not belong together", right
            other_unused = BLOCK[size] not in used
            if other_unused and ((block, block) in products or _contradicts(facts[launches], block, size)):
                return f"{name} + threadIdx.{AXES[size]} takes the block index of another axis", right
        return None


def _alike(form: Polynomial, block: int, size: int) -> bool:
    """Whether a thread's index counts what the block's times the size does (``bid.x * bdim.y + tid.x``, both times a
    pitch), and not the elements of a row that the block has for itself (``rows[bid.x * bdim.y].cell[tid.x]``)."""
    both = {BLOCK[block], BLOCK_DIM[size]}
    for monomial, value in form.coefficients.items():
        if {atom.symbol for atom in monomial} >= both:
            rest = sorted((atom for atom in monomial if atom.symbol not in both), key=id)
            for other, factor in form.coefficients.items():
                own = [atom for atom in other if atom.symbol in THREAD]
                if own and factor == value and sorted((a for a in other if a not in own), key=id) == rest:
                    return True
    return False


def _of_other_threads(form: Polynomial, size: int, threads: set[int], believed: Scenarios) -> tuple[str, str] | None:
    """``bid.y * bdim.y + tid.x`` in blocks that are known not to have as many threads along the one axis as along the
    other: places are left out, or taken twice.  (In square ones that is how tiles are transposed.)"""
    if len(threads) != 1 or size in threads or not believed.seen:
        return None
    (other,) = threads
    product = next((m for m in form.coefficients if {a.symbol for a in m} == {BLOCK[size], BLOCK_DIM[size]}), ())
    if len(product) != 2 or form.coefficients[product] != form.coefficients.get((THREAD[other].term,)):
        return None
    blocks = [one.block for one in believed.plausible]
    if not blocks or any(block[size] == block[other] for block in blocks):
        return None
    return (
        f"blockIdx.{AXES[size]} * blockDim.{AXES[size]} is added to threadIdx.{AXES[other]}: blocks have "
        f"{blocks[0][size]} threads along {AXES[size]} and {blocks[0][other]} along {AXES[other]}",
        f"blockIdx.{AXES[size]} * blockDim.{AXES[other]} + threadIdx.{AXES[other]}",
    )


def _in_steps(form: Polynomial, size: int, other: int) -> bool:
    """Whether the threads along ``other`` take what is left of the block's part in further steps: ``bid.x * bdim.x +
    tid.y + bdim.y``, or ``+ j`` in a loop."""
    product = next((m for m in form.coefficients if {a.symbol for a in m} == {BLOCK[size], BLOCK_DIM[size]}), ())
    if len(product) != 2 or form.coefficients[product] != form.coefficients.get((THREAD[other].term,)):
        return False
    return any(
        atom.symbol is BLOCK_DIM[other] or (atom.symbol is not None and atom.symbol.kind in _LOOPS)
        for monomial in form.coefficients
        for atom in monomial
    )


_LOOPS = (SymbolKind.COUNTER, SymbolKind.PHI)


def _spread(seen: tuple[LaunchFact, ...], axis: int) -> bool:
    """Whether all launches in sight spread blocks along ``axis`` that have one thread there."""
    return bool(seen) and all(
        launch.block is not None
        and launch.grid is not None
        and launch.block[axis].value == 1
        and launch.grid[axis].value != 1
        for launch in seen
    )


def _by_data(access: Access) -> bool:
    """Whether memory, or an atomic operation that hands out parts, has a say in where an access is, or whether."""
    terms = (access.offset, *(guard.term for guard in access.guards))
    data = (SymbolKind.LOAD, SymbolKind.UNKNOWN, SymbolKind.PHI, SymbolKind.EXIT)
    return any(symbol.kind in data for term in terms for symbol in symbols(term))


def _shared_out(seen: tuple[LaunchFact, ...], axis: int) -> bool:
    """Whether all launches in sight round a size up to whole blocks along ``axis``: the work is shared out."""
    return bool(seen) and all(
        launch.grid is not None and cover(launch.grid[axis]).kind is Cover.ROUNDED_UP for launch in seen
    )


def _known(walked: Trace) -> set[Symbol]:
    """All that a kernel's places, conditions and values are made of."""
    found: set[Symbol] = set()
    for access in (*walked.accesses, *walked.images):
        terms = [access.offset, *(guard.term for guard in access.guards)]
        terms += [] if access.value is None else [access.value]
        for term in terms:
            found |= set(symbols(term))
    return found


def _contradicts(seen: tuple[LaunchFact, ...], block: int, size: int) -> bool:
    """Whether every launch in sight spreads its blocks along ``size`` and not along ``block``."""
    grids = [launch.grid for launch in seen]
    return bool(grids) and all(grid is not None and grid[block].value == 1 and grid[size].value != 1 for grid in grids)


def _by_grid(form: Polynomial, seen: tuple[LaunchFact, ...]) -> tuple[str, str] | None:
    """``bid * gdim + tid`` of one axis, and a launch of which the blocks are not as large as the grid."""
    blocks = [atom.symbol for monomial in form.coefficients for atom in monomial if atom.symbol in BLOCK]
    for axis in range(3):
        factor = form.coefficients.get((THREAD[axis].term,))
        product = next(
            (m for m in form.coefficients if {atom.symbol for atom in m} == {BLOCK[axis], GRID_DIM[axis]}), ()
        )
        if factor is None or len(product) != 2 or form.coefficients[product] != factor or blocks != [BLOCK[axis]]:
            continue
        for launch in seen:
            if launch.grid is None or launch.block is None or launch.block[axis].value is None:
                continue
            if launch.grid[axis] != launch.block[axis]:
                name = AXES[axis]
                return (
                    f"blockIdx.{name} is multiplied by gridDim.{name}, and blocks have another size than the grid",
                    f"blockIdx.{name} * blockDim.{name} + threadIdx.{name}",
                )
    return None


def _products(form: Polynomial) -> Iterator[tuple[int, int]]:
    """(axis of the block index, axis of the block size) of each monomial ``c * bid * bdim``."""
    for monomial in form.coefficients:
        atoms = [atom.symbol for atom in monomial]
        blocks = [s for s in atoms if s is not None and s.kind is SymbolKind.BLOCK]
        sizes = [s for s in atoms if s is not None and s.kind is SymbolKind.BLOCK_DIM]
        if len(blocks) == 1 and len(sizes) == 1 and not any(s in GRID_DIM for s in atoms):
            yield blocks[0].axis, sizes[0].axis


def _threads_added(form: Polynomial) -> set[int]:
    """Axes of the thread indices that are added without a block size as a factor."""
    axes = set()
    for monomial in form.coefficients:
        atoms = [atom.symbol for atom in monomial]
        if not any(s in BLOCK_DIM for s in atoms):
            axes |= {s.axis for s in atoms if s is not None and s in THREAD}
    return axes


def _factors(form: Polynomial, axis: int, groups: tuple[tuple[Symbol, ...], ...]) -> set[int | None]:
    return {form.coefficients.get((group[axis].term,)) for group in groups}


def _begun(form: Polynomial) -> Iterator[int]:
    """Axes of ``bid + tid``: a block that takes its number for the place where its part begins."""
    for axis in range(3):
        factors = _factors(form, axis, (THREAD, BLOCK))
        if len(factors) == 1 and None not in factors and (BLOCK_DIM[axis].term,) not in form.coefficients:
            yield axis


def _added(form: Polynomial, begun: set[int]) -> tuple[str, str] | None:
    """``bid + bdim + tid`` of one axis, all with the same factor, where the kernel has no ``bid + tid`` beside it that
    the block size would lead on from (``begun``)."""
    for axis in range(3):
        factors = _factors(form, axis, (THREAD, BLOCK, BLOCK_DIM))
        if len(factors) == 1 and None not in factors and axis not in begun:
            name = AXES[axis]
            right = f"blockIdx.{name} * blockDim.{name} + threadIdx.{name}"
            return f"blockIdx.{name} + blockDim.{name} + threadIdx.{name} adds where it has to multiply", right
    return None
