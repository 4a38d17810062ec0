r"""The rule ``grid-stride-mismatch``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.launching.admitted import admitted
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, LoopContext, Trace
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.symbolic.intervals import refine
from kernlint.symbolic.polynomial import Polynomial, polynomial, term_of
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    GRID_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    binary,
    cast,
    const,
    plain,
    substitute,
    symbols,
)
from kernlint.tree.types import I64

AXES = "xyz"


class GridStrideMismatch(Rule):
    r"""A grid-stride loop whose step is not the size of the grid.

    A loop that starts at the global index of the thread covers every element once only when it steps by the number
    of threads of the grid along the same axis, ``blockDim.x * gridDim.x``. With another step (``blockDim.x`` squared,
    ``blockDim.x`` or ``gridDim.x`` alone, another axis, some threads less) elements are visited several times or never.

    The same loop with the right step does the same element in every round when its body uses the index that the loop
    began with in place of the loop's variable.

    Silent when the loop's bound depends on the block (each block walks a chunk of its own), or the loop ends by an
    index within the block that runs along (each block loads a tile).

    ```cuda bad
    __global__ void scale(float *x, int n) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * blockDim.x)  // expect: KL407
            x[i] *= 2.0f;
    }
    ```

    ```opencl bad
    __kernel void scale(__global float *x, const int n) {
        for (int i = get_global_id(0); i < n; i += get_local_size(0))  // expect: KL407
            x[i] *= 2.0f;
    }
    ```

    ```cuda bad
    __global__ void scale(float *x, int n) {
        int first = blockIdx.x * blockDim.x + threadIdx.x;
        for (int i = first; i < n; i += blockDim.x * gridDim.x)  // expect: KL407
            x[first] = 2.0f;
    }
    ```

    ```cuda good
    __global__ void scale(float *x, int n) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
            x[i] *= 2.0f;
    }
    ```

    ```opencl good
    __kernel void scale(__global float *x, const int n) {
        for (int i = get_global_id(0); i < n; i += get_global_size(0))
            x[i] *= 2.0f;
    }
    ```

    ```cuda good
    __global__ void last_step(float *x, int n) {
        if (blockIdx.x >= 1) return;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)
            x[i] *= 2.0f;
    }
    ```

    ```opencl good
    __kernel void with_edges(__global const float *x, __global float *y, __local float *tile, const int edge) {
        int l = get_local_id(0), size = get_local_size(0) + edge;
        for (int i = l, g = get_global_id(0); i < size; i += get_local_size(0), g += get_local_size(0))
            tile[i] = x[g];
        barrier(CLK_LOCAL_MEM_FENCE);
        y[get_global_id(0)] = tile[l] + tile[l + edge];
    }
    ```
    """

    meta = Meta("KL407", "grid-stride-mismatch", Severity.WARNING)
    needs = (trace, admitted)

    def check(self, facts: Facts) -> Iterator[Finding]:
        for loop in facts[trace].loops:
            for phi in loop.phis:
                if phi.init is None or phi.step is None or loop.condition is None:
                    continue
                axis = _global_axis(polynomial(phi.init))
                if axis is None or not _bounded(loop, phi):
                    continue
                first = substitute(phi.step, {loop.counter: const(0), phi: phi.init})
                step = polynomial(first) - polynomial(phi.init)
                repeated = _repeated(loop, phi, step, axis, facts[trace])
                if repeated is not None:
                    yield self.finding(
                        loop.condition_span or loop.span,
                        f"{phi.name} goes from element to element, and the body uses the index of the first one in "
                        "every round",
                        related=[Related(repeated.span, f"{phi.name} has no part in this index")],
                        fix=f"use {phi.name} in the loop",
                    )
                wrong = _wrong_step(step, axis) or _short_step(step, polynomial(phi.init), axis)
                if wrong and not _as_launched(step, axis, facts) and not _one_block(loop, axis, facts[trace]):
                    name = AXES[axis]
                    yield self.finding(
                        loop.condition_span or loop.span,
                        f"{phi.name} starts at the thread's index in the grid but steps by {wrong}",
                        related=[Related(loop.span, f"the loop of {phi.name}")],
                        fix=f"step by blockDim.{name} * gridDim.{name}",
                    )


def _one_block(loop: LoopContext, axis: int, walked: Trace) -> bool:
    """Whether the conditions of what is in the loop let one block along the axis come to it: the first one."""
    inside = (access for access in walked.accesses if loop in access.loops)
    for access in inside:
        outside = [guard.term for guard in access.guards if guard.loop is None and BLOCK[axis] in guard.term.symbols]
        return bool(outside) and refine(outside)(BLOCK[axis])[1] == 0
    return False


def _repeated(loop: LoopContext, phi: Symbol, step: Polynomial, axis: int, walked: Trace) -> Access | None:
    """A write of a grid-stride loop at the thread's first element, where all rounds touch and compute the same."""
    whole = binary("mul", cast(BLOCK_DIM[axis].term, I64), cast(GRID_DIM[axis].term, I64), I64)
    if step != polynomial(whole) or len(loop.phis) != 1 or loop.exits or loop.leaves or loop.returns:
        return None
    inside = [access for access in walked.accesses if loop in access.loops]
    if walked.calls or any(access.kind is AccessKind.ATOMIC for access in inside):
        return None
    for access in inside:
        terms = [access.offset, *(guard.term for guard in access.guards if guard.loop is not loop)]
        if isinstance(access.value, Term):
            terms.append(access.value)
        if any(loop.counter in symbols(term) for term in terms):
            return None
    for access in inside:
        if access.writes and access.size and _global_axis(polynomial(access.offset)) == axis:
            return access
    return None


def _global_axis(init: Polynomial) -> int | None:
    """The axis a when ``init`` is the global index along it, ``bid * bdim + tid`` (times one factor)."""
    for axis in range(3):
        pair = tuple(sorted((BLOCK[axis].term, BLOCK_DIM[axis].term), key=repr))
        factor = init.coefficients.get(pair)
        if factor is None:
            factor = init.coefficients.get(pair[::-1])
        if factor is not None and init.coefficients.get((THREAD[axis].term,)) == factor:
            return axis
    return None


def _bounded(loop: LoopContext, phi: Symbol) -> bool:
    """Whether the condition compares the loop's variable with a bound that is the same for all blocks, and no other
    variable of the loop with one: a tile is loaded as far as the *local* index goes."""
    start = {s for s in symbols(phi.init) if s.kind is SymbolKind.BLOCK} if phi.init is not None else set()
    bounded = False
    for part in conjuncts(loop.condition) if loop.condition is not None else ():
        part = plain(part)
        if part.op not in ("lt", "le"):
            continue
        left, right = part.args
        if start and start <= set(symbols(left)):
            bounded = bounded or not _depends_on_block(right)
        elif any(s.kind is SymbolKind.THREAD for s in symbols(left)):
            return False
    return bounded


def _depends_on_block(term: Term) -> bool:
    return any(symbol.kind in (SymbolKind.BLOCK, SymbolKind.THREAD, SymbolKind.LOAD) for symbol in symbols(term))


def _as_launched(step: Polynomial, axis: int, facts: Facts) -> bool:
    """Whether the step is the size of the grid after all, in every launch in sight: a number in it stands for the size
    of the block (which the launch bounds name, where no launch is in sight), or of the grid."""
    known: dict[Symbol, int] = {}
    for symbol in (BLOCK_DIM[axis], GRID_DIM[axis]):
        least, most = facts[admitted].range_of(symbol) or (0, 0)
        if 0 < least == most:
            known[symbol] = least
    required = facts.function.bounds.required
    if required is not None:
        known[BLOCK_DIM[axis]] = required[axis]
    if not known and facts.function.bounds.max_threads is not None:
        known[BLOCK_DIM[axis]] = facts.function.bounds.max_threads
    images = {symbol: const(value) for symbol, value in known.items()}
    whole = binary("mul", cast(BLOCK_DIM[axis].term, I64), cast(GRID_DIM[axis].term, I64), I64)
    return polynomial(substitute(term_of(step), images)) == polynomial(substitute(whole, images))


def _wrong_step(step: Polynomial, axis: int) -> str | None:
    """The step in words when it is a product of launch sizes that does not cover the grid along ``axis``."""
    if len(step.coefficients) != 1:
        return None
    ((monomial, factor),) = step.coefficients.items()
    atoms = [atom.symbol for atom in monomial]
    sizes = [s for s in atoms if s is not None and s.kind in (SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM)]
    if not sizes or len(sizes) != len(atoms):
        return None
    wanted = {BLOCK_DIM[axis], GRID_DIM[axis]}
    if wanted <= set(sizes):
        return None
    text = _sizes_in_words(words(atom) for atom in monomial)
    return text if factor == 1 else f"{factor} * {text}"


def _short_step(step: Polynomial, first: Polynomial, axis: int) -> str | None:
    """The step in words when it is a number of grids less some launch sizes or a number (``(blockDim.x - 1) *
    gridDim.x``), and the elements that the threads begin with lie as far apart as a whole grid has them: the last ones
    of each grid are visited twice."""
    whole = binary("mul", cast(BLOCK_DIM[axis].term, I64), cast(GRID_DIM[axis].term, I64), I64)
    ((product, _),) = polynomial(whole).coefficients.items()
    factor = first.coefficients.get((THREAD[axis].term,), 0)
    own = {THREAD[axis], BLOCK[axis]}
    moving = [mono for mono in first.coefficients if any(set(symbols(atom)) & own for atom in mono)]
    if len(moving) != 2 or step.coefficients.get(product) != factor or len(step.coefficients) < 2:
        return None
    rest = {mono: value for mono, value in step.coefficients.items() if mono != product}
    atoms = [atom.symbol for mono in rest for atom in mono]
    sizes = (SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM)
    if any(value > 0 for value in rest.values()) or not all(one is not None and one.kind in sizes for one in atoms):
        return None
    less = " and ".join(
        _sizes_in_words([*([f"{-value}"] * (value != -1 or not mono)), *map(words, mono)])
        for mono, value in rest.items()
    )
    grid = _sizes_in_words([*([f"{factor}"] * (factor > 1)), *map(words, product)])
    return f"{grid} less {less}"


def _sizes_in_words(parts: Iterable[str]) -> str:
    return " * ".join(parts).replace("bdim", "blockDim").replace("gdim", "gridDim")
