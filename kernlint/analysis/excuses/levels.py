"""Excuses where a table deals out the work of a loop level by level."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.excuses.excuse import excuse
from kernlint.analysis.excuses.places import of_pair
from kernlint.analysis.trace.events import Access, LoopContext
from kernlint.prove.query import Refuted
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, symbols


@excuse("races", of_pair)
def other_level(pair: Pair, witness: Refuted) -> bool:
    """A thread's own item of a level, and one that an item of the same level names in a list: a table says where each
    level begins and ends, and all threads wait for each other between two levels, as items depend on other levels.

    ```cuda excused
    __global__ void to_root(const int *level, const int *above, int levels, const int *in, int *out) {
        __shared__ int load[4][256];
        const int w = threadIdx.x / 32, lane = threadIdx.x % 32, tree = blockIdx.x * 4 + w;
        for (int i = lane; i < 256; i += 32) load[w][i] = in[tree * 256 + i];
        __syncwarp();
        for (int k = levels - 1; k > 0; --k) {
            for (int i = level[tree * 16 + k] + lane; i < level[tree * 16 + k + 1]; i += 32)
                atomicAdd(&load[w][above[tree * 256 + i]], load[w][i]);
            __syncwarp();
        }
        __syncwarp();
        for (int i = lane; i < 256; i += 32) out[tree * 256 + i] = load[w][i];
    }
    ```

    ```cuda still-bad
    __global__ void to_root(const int *level, const int *above, int levels, const int *in, int *out) {
        __shared__ int load[4][256];
        const int w = threadIdx.x / 32, lane = threadIdx.x % 32, tree = blockIdx.x * 4 + w;
        for (int i = lane; i < 256; i += 32) load[w][i] = in[tree * 256 + i];
        __syncwarp();
        for (int k = levels - 1; k > 0; --k) {
            for (int i = level[tree * 16 + k] + lane; i < level[tree * 16 + k + 1]; i += 32)
                atomicAdd(&load[w][above[tree * 256 + i]], load[w][i]);
        }
        __syncwarp();
        for (int i = lane; i < 256; i += 32) out[tree * 256 + i] = load[w][i];
    }
    ```

    ```cuda still-bad
    __global__ void to_root(const int *level, const int *above, int levels, const int *in, int *out) {
        __shared__ int load[4][256];
        const int w = threadIdx.x / 32, lane = threadIdx.x % 32, tree = blockIdx.x * 4 + w;
        for (int i = lane; i < 256; i += 32) load[w][i] = in[tree * 256 + i];
        __syncwarp();
        for (int k = levels - 1; k > 0; --k) {
            for (int i = lane; i < 256; i += 32)
                atomicAdd(&load[w][above[tree * 256 + i]], load[w][i]);
            __syncwarp();
        }
        __syncwarp();
        for (int i = lane; i < 256; i += 32) out[tree * 256 + i] = load[w][i];
    }
    ```
    """
    same = {one for one, other, shift in pair.tied if one is other and shift == 0}
    for own, named in ((pair.first, pair.second), (pair.second, pair.first)):
        for outer, inner in zip(own.loops, own.loops[1:], strict=False):
            if outer.counter in same and inner in named.loops and _by_level(inner, outer):
                return inner.counter in own.offset.symbols and _named(named, own, inner)
    return False


def _loads(term: Term) -> Iterator[Symbol]:
    return (symbol for symbol in symbols(term) if symbol.kind is SymbolKind.LOAD)


def _by_level(inner: LoopContext, outer: LoopContext) -> bool:
    """Whether a loop goes from one entry of a table to the next one, which the loop around it picks."""
    test = inner.condition
    if test is None or test.op not in ("lt", "le"):
        return False
    for begin in _loads(test.args[0]):
        for end in _loads(test.args[1]):
            (table, at), (other, to) = begin.origin, end.origin
            apart = (polynomial(to) - polynomial(at)).coefficients
            if table is other and outer.counter in symbols(at) and apart == {(): table.element.size}:
                return True
    return False


def _named(access: Access, own: Access, inner: LoopContext) -> bool:
    """Whether what an item of the loop holds picks the place of an access, and not that of its own."""
    told = {symbol.origin[0] for symbol in _loads(own.offset)}
    picks = [one for one in _loads(access.offset) if inner.counter in symbols(one.origin[1])]
    return any(one.origin[0] not in told for one in picks)
