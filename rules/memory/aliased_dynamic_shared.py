r"""The rule ``aliased-dynamic-shared``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import combinations

from kernlint.analysis.base import Facts
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import Symbol, SymbolKind
from kernlint.tree.nodes import Assign, FunctionDecl, Node, Ref, VarDecl
from kernlint.tree.types import PointerType, Space
from kernlint.tree.walk import strip_casts, walk

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
        of = [a for a in facts[trace].accesses if a.root.space is Space.SHARED and a.root.decl and a.root.decl.unsized]
        moved = _moved(facts.reached) if of else set()
        uses: dict[VarDecl, list[Access]] = {}
        for access in of:
            named = _named(access.node, moved)
            if named is not None:
                uses.setdefault(named, []).append(access)
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


def _named(node: Node, moved: Collection[VarDecl]) -> VarDecl | None:
    """The unsized array that an access names, itself or by a pointer that begins in it and stays there: all of them are
    one object to the walk, as they are in memory."""
    found: set[VarDecl] = set()
    pending, seen = [node], set[VarDecl]()
    while pending:
        for ref in (each for each in walk(pending.pop()) if isinstance(each, Ref)):
            decl = ref.decl
            if decl.unsized:
                found.add(decl)
            elif (
                isinstance(decl.type, PointerType) and decl.init is not None and decl not in moved and decl not in seen
            ):
                seen.add(decl)
                pending.append(decl.init)
    return found.pop() if len(found) == 1 else None


def _moved(functions: Iterable[FunctionDecl]) -> set[VarDecl]:
    """The pointers that are made to point to something else than they begin in."""
    found: set[VarDecl] = set()
    for node in (each for function in functions for each in walk(function)):
        target = strip_casts(node.target) if isinstance(node, Assign) else None
        if isinstance(target, Ref) and isinstance(target.decl.type, PointerType):
            found.add(target.decl)
    return found


def _side_by_side(one: list[Access], other: list[Access]) -> bool:
    """Whether both arrays are used from their first byte on, at least one is written, and neither is done with when
    the other is begun."""
    if not any(access.writes for access in (*one, *other)):
        return False
    if not (any(map(_at_start, one)) and any(map(_at_start, other))):
        return False
    return one[0].order < other[-1].order and other[0].order < one[-1].order


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
