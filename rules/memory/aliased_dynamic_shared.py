r"""The rule ``aliased-dynamic-shared``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from kernlint.analysis.base import Facts
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import Symbol, SymbolKind
from kernlint.tree.nodes import VarDecl

OWN = frozenset(
    {SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.COUNTER, SymbolKind.LOAD, SymbolKind.PHI, SymbolKind.UNKNOWN}
)
"""Kinds of symbols that are 0 for the first element; anything else in an index is taken for a deliberate offset."""


class AliasedDynamicShared(Rule):
    r"""Two unsized `extern __shared__` arrays used side by side: they are the same memory.

    Dynamic shared memory is one block of bytes, whose size is given at the launch. Every `extern __shared__ T x[]`
    starts at its byte 0, whatever its name and type, so two of them overwrite each other. Declare one and carve the
    others out of it.

    Silent: one name declared in several functions, a second array that is always indexed past the first, and arrays
    used one after the other, not side by side.

    ```cuda bad
    __global__ void means(const float *x, const int *label, float *mean, int classes) {
        extern __shared__ float sum[];
        extern __shared__ int count[];
        for (int c = threadIdx.x; c < classes; c += blockDim.x) {
            sum[c] = 0.0f;
            count[c] = 0;  // expect: KL505
        }
        __syncthreads();
        atomicAdd(&sum[label[threadIdx.x]], x[threadIdx.x]);
        atomicAdd(&count[label[threadIdx.x]], 1);
        __syncthreads();
        for (int c = threadIdx.x; c < classes; c += blockDim.x) mean[c] = sum[c] / count[c];
    }
    ```

    ```cuda bad
    __global__ void two_lists(const int *in, int *out, int n) {
        extern __shared__ int near_of[];
        extern __shared__ int far_of[];
        int *near = near_of + threadIdx.x * 8;
        int *far = far_of + threadIdx.x * 8;
        int nears = 0, fars = 0;
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            if (in[i] < 8 && nears < 8) near[nears++] = i;
            if (in[i] > 64 && fars < 8) far[fars++] = i;  // expect: KL505
        }
        for (int k = 0; k < nears; ++k) atomicAdd(&out[0], near[k]);
        for (int k = 0; k < fars; ++k) atomicAdd(&out[1], far[k]);
    }
    ```

    ```cuda bad
    __device__ int rank_of(int key) {
        extern __shared__ int keys[];
        keys[threadIdx.x] = key;  // expect: KL505
        __syncthreads();
        int rank = 0;
        for (int i = 0; i < threadIdx.x; ++i) rank += keys[i] < key;
        return rank;
    }

    __global__ void place(const int *in, int *out) {
        extern __shared__ float cache[];
        cache[threadIdx.x] = in[threadIdx.x] * 0.5f;
        int r = rank_of(in[threadIdx.x]);
        out[threadIdx.x] = r + (int)cache[threadIdx.x];
    }
    ```

    ```cuda bad
    struct Stack {
        int *items;
        int count;
        __device__ void start(int *memory, int first) { items = memory; items[0] = first; count = 1; }  // expect: KL505
        __device__ int pop() { return items[--count]; }
        __device__ void push(int item) { items[count++] = item; }
    };

    __global__ void walk(const int *left, const int *right, const int *sub, int *visits) {
        extern __shared__ int outer_memory[];
        extern __shared__ int inner_memory[];
        Stack outer, inner;
        int seen = 0;
        outer.start(outer_memory + threadIdx.x * 32, 0);
        while (outer.count > 0) {
            int node = outer.pop();
            if (left[node] >= 0) outer.push(left[node]);
            inner.start(inner_memory + threadIdx.x * 32, sub[node]);
            while (inner.count > 0) {
                int part = inner.pop();
                if (right[part] >= 0) inner.push(right[part]);
                ++seen;
            }
        }
        visits[blockIdx.x * blockDim.x + threadIdx.x] = seen;
    }
    ```

    ```cuda good
    __global__ void two_lists(const int *in, int *out, int n) {
        extern __shared__ int of_all[];
        int *near = of_all + threadIdx.x * 8;
        int *far = of_all + (blockDim.x + threadIdx.x) * 8;
        int nears = 0, fars = 0;
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            if (in[i] < 8 && nears < 8) near[nears++] = i;
            if (in[i] > 64 && fars < 8) far[fars++] = i;
        }
        for (int k = 0; k < nears; ++k) atomicAdd(&out[0], near[k]);
        for (int k = 0; k < fars; ++k) atomicAdd(&out[1], far[k]);
    }
    ```

    ```cuda good
    __global__ void means(const float *x, const int *label, float *mean, int classes) {
        extern __shared__ float sum[];
        int *count = (int *)(sum + classes);
        for (int c = threadIdx.x; c < classes; c += blockDim.x) {
            sum[c] = 0.0f;
            count[c] = 0;
        }
        __syncthreads();
        atomicAdd(&sum[label[threadIdx.x]], x[threadIdx.x]);
        atomicAdd(&count[label[threadIdx.x]], 1);
        __syncthreads();
        for (int c = threadIdx.x; c < classes; c += blockDim.x) mean[c] = sum[c] / count[c];
    }
    ```

    ```cuda good
    __global__ void scaled(const float *x, float *y, int n) {
        extern __shared__ float pool[];
        __shared__ float factor;
        if (threadIdx.x == 0) factor = x[n];
        pool[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        y[threadIdx.x] = pool[blockDim.x - 1 - threadIdx.x] * factor;
    }
    ```
    """

    meta = Meta("KL505", "aliased-dynamic-shared", Severity.ERROR, tags=("CUDA-3.4", "CUDA PG extern shared"))
    needs = (trace,)

    def check(self, facts: Facts) -> Iterator[Finding]:
        uses: dict[VarDecl, list[Access]] = {}
        for access in facts[trace].accesses:
            if access.array is not None:
                uses.setdefault(access.array, []).append(access)
        told: set[str] = set()
        for one, other in combinations(uses, 2):
            if one.name != other.name and other.name not in told and _side_by_side(uses[one], uses[other]):
                told.add(other.name)
                yield self._report(one, other, uses)

    def _report(self, one: VarDecl, other: VarDecl, uses: Mapping[VarDecl, list[Access]]) -> Finding:
        at = next((a for a in uses[other] if a.writes), uses[other][0])
        first = next((a for a in uses[one] if a.writes), uses[one][0])
        related = [Related(first.span, f"{one.name} is {'written' if first.writes else 'read'} here")]
        related += [Related(decl.span, f"{decl.name} starts here") for decl in (one, other)]
        related += [Related(span, "called from here") for span in reversed(at.stack)]
        return self.finding(
            at.span,
            f"{other.name} and {one.name} are both unsized extern shared arrays: they start at the same byte and "
            "overwrite each other",
            related=related,
            fix=f"declare one array of bytes and let {other.name} point behind {one.name}",
        )


def _side_by_side(one: list[Access], other: list[Access]) -> bool:
    """Whether both arrays are used from their first byte on, at least one is written, and neither is done with when
    the other is begun."""
    if not any(access.writes for access in (*one, *other)):
        return False
    if not (any(map(_at_start, one)) and any(map(_at_start, other))):
        return False
    if one[0].order < other[-1].order and other[0].order < one[-1].order:
        return True
    return _kept_through(one, other) or _kept_through(other, one)


def _kept_through(one: list[Access], other: list[Access]) -> bool:
    """Whether a loop that writes ``other`` begins each round with what ``one`` has kept from the round before."""
    for loop in one[0].loops + one[-1].loops:
        inside = [access for access in one if loop in access.loops]
        first = next(iter(inside), None)
        kept = first is not None and first.kind is AccessKind.READ and any(access.writes for access in inside)
        if kept and any(access.writes and loop in access.loops for access in other):
            return True
    return False


def _at_start(access: Access) -> bool:
    """Whether some thread may use the first bytes: the index is 0 where thread, counters and data are."""
    return evaluate(access.offset, _First()) == 0


class _First(Mapping[Symbol, int]):
    """0 for what differs between threads or rounds; a number that no offset hides behind for the rest."""

    def __getitem__(self, symbol: Symbol) -> int:
        return 0 if symbol.kind in OWN else 4096

    def __iter__(self) -> Iterator[Symbol]:
        return iter(())

    def __len__(self) -> int:
        return 0
