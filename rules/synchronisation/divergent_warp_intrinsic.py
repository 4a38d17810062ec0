r"""The rule ``divergent-warp-intrinsic``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.launching.agreement import by_rows
from kernlint.analysis.trace import trace
from kernlint.analysis.warps.gone import Gone, gone
from kernlint.analysis.warps.lanes import lanes
from kernlint.analysis.warps.met_later import met_later
from kernlint.analysis.warps.over import over
from kernlint.analysis.warps.vacant import Vacancy, vacancies
from kernlint.analysis.warps.warp_masks import Absence, Culprit, WarpMasks, name_of, warp_masks
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.source import Span
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.show import out_of_sight, words
from kernlint.symbolic.terms import THREAD, SymbolKind, symbols


class DivergentWarpIntrinsic(Rule):
    r"""A warp collective whose mask names lanes that never come.

    All lanes named in the mask of a `*_sync` intrinsic or of `__syncwarp`, all threads of a cooperative-groups tile and
    all work-items of a sub-group must execute the collective, as far as they have not left the kernel. Behind a branch,
    in a loop or after a `break` on which the lanes of one warp disagree, some of them do not: the result is undefined,
    and from compute capability 7.0 on the warp may hang.

    A shuffle is a note where the branch is all there is, so that lanes which stay away are as good as out of the
    kernel, and no lane keeps what it reads from them. So is `__syncwarp()` where the lanes that stay away come to
    another one further on: the two are matched by their masks, and nobody waits for ever. Conditions that are the same
    for a whole warp are fine (`threadIdx.x < 64`, `threadIdx.x / 32 == 0`), and so is a mask that names just the lanes
    that come: the ballot of the condition, taken before the branch, or the lanes active in it. Reported with one warp
    in which a named lane stays away. Matrix instructions in a loop in which each lane takes a column of its own up to a
    parameter are a note: a kernel of whole tiles is written for whole ones.

    Where a launch in sight has a constant block that is no whole number of warps, lanes of the last warp have no thread
    at all. A shuffle that reads from them gives what is undefined; reported where that gets into memory. So does one
    that reads from lanes that have returned, because a launch in sight rounds its grid up from their number of items.

    ```cuda bad
    __global__ void lift(const int *want, int *value, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        int v = value[i];
        if (want[i] != 0) {
            v = __shfl_sync(0xffffffffu, v, 0);  // expect: KL207
        }
        value[i] = v;
    }
    ```

    ```cuda bad
    __global__ void half_warp(float *x) {
        float v = x[blockIdx.x * blockDim.x + threadIdx.x];
        if (threadIdx.x % 32 < 16) {
            v += __shfl_down_sync(0xffffffffu, v, 8);  // expect: KL207
            __syncwarp();
        }
        x[blockIdx.x * blockDim.x + threadIdx.x] = v;
    }
    ```

    ```cuda bad
    __global__ void sums(const float *x, float *sum, int n) {
        float s = 0.0f;
        for (int i = threadIdx.x; i < n; i += 128) {
            float v = x[i];
            v += __shfl_xor_sync(0xffffffffu, v, 1);  // expect: KL207
            s += v;
        }
        sum[threadIdx.x] = s;
    }
    ```

    ```cuda bad
    __global__ void __launch_bounds__(48) sums(const float *x, float *sum) {
        float v = x[blockIdx.x * 48 + threadIdx.x];
        for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);  // expect: KL207
        if (threadIdx.x % 32 == 0) atomicAdd(sum, v);
    }
    void all(const float *x, float *sum, int rows) { sums<<<rows, 48>>>(x, sum); }
    ```

    ```cuda bad
    __global__ void sums(const float *x, float *sum, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        float v = x[i];
        for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);  // expect: KL207
        if (threadIdx.x % 32 == 0) atomicAdd(sum, v);
    }
    void all(const float *x, float *sum, int n) { sums<<<(n + 127) / 128, 128>>>(x, sum, n); }
    ```

    ```opencl bad
    __kernel void total(__global const int *x, __global int *y) {
        const int i = get_global_id(0);
        if (x[i] > 0) y[i] = sub_group_reduce_add(x[i]);  // expect: KL207
    }
    ```

    ```cuda good
    __global__ void lift(const int *want, int *value, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        int v = value[i];
        unsigned mask = __ballot_sync(0xffffffffu, want[i] != 0);
        if (want[i] != 0) {
            v = __shfl_sync(mask, v, __ffs(mask) - 1);
        }
        value[i] = v;
    }
    ```

    ```cuda good
    __global__ void first_warp(float *x) {
        float v = x[blockIdx.x * 256 + threadIdx.x];
        if (threadIdx.x < 64) {
            for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
        }
        if (threadIdx.x % 32 == 0) x[blockIdx.x * 256 + threadIdx.x] = v;
    }
    ```

    ```opencl good
    __kernel void total(__global const int *x, __global int *y) {
        const int i = get_global_id(0);
        const int sum = sub_group_reduce_add(x[i] > 0 ? x[i] : 0);
        if (x[i] > 0) y[i] = sum;
    }
    ```
    """

    meta = Meta(
        "KL207",
        "divergent-warp-intrinsic",
        Severity.WARNING,
        tags=("CUDA-2.4", "CUDA-2.1", "OpenCL C sub_group_barrier", "CUDA PG cooperative groups"),
    )
    needs = (trace, warp_masks, vacancies, gone, lanes)

    def check(self, facts: Facts) -> Iterator[Finding]:
        found: WarpMasks = facts[warp_masks]
        groups: dict[Span, list[Absence]] = {}
        for absence in found.absences:
            groups.setdefault(absence.culprit.span, []).append(absence)
        for group in groups.values():
            of, cuda = facts[trace], facts.module.language == "cuda"
            ended = cuda and all(over(one, of, facts[lanes]) or met_later(one, of) for one in group)
            yield self._absent(group, facts.module.language, ended)
        told: set[Span] = {absence.event.span for absence in found.absences}
        for vacancy in facts[vacancies]:
            if vacancy.event.span not in told:
                told.add(vacancy.event.span)
                yield self._vacant(vacancy)
        for left in facts[gone]:
            if left.event.span not in told:
                told.add(left.event.span)
                yield self._gone(left)

    def _absent(self, group: list[Absence], language: str, ended: bool) -> Finding:
        absence = group[0]
        event, culprit, seen = absence.event, absence.culprit, absence.seen
        name = name_of(event)
        condition = words(culprit.term)
        if len(condition) > 80:
            condition = "a value that differs between lanes"
        if absence.implicit:
            who = "every work-item of the sub-group" if language == "opencl" else "every thread of its group"
            message = f"{name} needs {who}, but a condition on which they disagree keeps some away"
            fix = "move the collective out of the condition and give the other lanes a neutral value"
        else:
            message = (
                f"{name} names lane {seen.lane} in its mask ({seen.mask:#x}), which a condition on which the lanes of "
                "a warp disagree keeps away"
            )
            fix = "move the collective out of the condition, or take the mask from a ballot of the condition before it"
        related = [Related(culprit.span, f"{culprit.what}: depends on the lane ({condition})")]
        related += [Related(other.event.span, "and so does this one") for other in group[1:4]]
        related += [Related(span, "called from here") for span in reversed(event.stack)]
        shown = (
            f"a block of {_size(seen.block)}, in warp {seen.number} lane {seen.caller} comes and {seen.lane} does not"
        )
        matrix = name.split(".")[0] in MATRIX and _tiled(culprit)
        # A number that the build puts in may well be one of whole warps.
        unsure = ended or matrix or by_rows(culprit.term) or out_of_sight(culprit.term)
        return self.finding(
            event.span,
            message,
            Severity.NOTE if unsure else Severity.WARNING,
            related=related,
            assumptions=() if language == "opencl" else (shown,),
            fix=fix,
        )

    def _gone(self, left: Gone) -> Finding:
        event = left.event
        return self.finding(
            event.span,
            f"{name_of(event)} reads from lane {left.source} in lane {left.reader}, but that one has left the kernel: "
            "what it gives is undefined",
            related=[
                Related(left.exit.span, "lanes of one warp part here, in the last block of a launch in sight"),
                Related(left.kept.span, "what comes of it is kept here"),
                *(Related(span, "called from here") for span in reversed(event.stack)),
            ],
            assumptions=[f"{symbol.name} = {value}" for symbol, value in left.given],
            fix="keep all lanes of the warp until the last shuffle, and leave out the store of those without work",
        )

    def _vacant(self, vacancy: Vacancy) -> Finding:
        event = vacancy.event
        message = (
            f"{name_of(event)} reads from lane {vacancy.source} in lane {vacancy.reader} of warp {vacancy.number}, "
            f"which has only {vacancy.present} threads in a block of {_size(vacancy.block)}"
        )
        return self.finding(
            event.span,
            message,
            related=[
                Related(vacancy.kept.span, "what comes of it is kept here"),
                *(Related(span, "called from here") for span in reversed(event.stack)),
            ],
            assumptions=() if vacancy.given is None else (f"{vacancy.given[0]} = {vacancy.given[1]}",),
            fix="launch whole warps, with a neutral value in the threads beyond, or leave out the lanes without thread",
        )


MATRIX = frozenset(
    {"ldmatrix", "stmatrix", "mma", "wmma", "wgmma", "mma_sync", "load_matrix_sync", "store_matrix_sync"}
)
"""Collectives for which every lane holds a part of a matrix: without some of them there is no matrix."""


def _tiled(culprit: Culprit) -> bool:
    """Whether lanes part at the end of a loop over the columns of a matrix alone, one for each lane, of which a
    parameter says how many there are: none do where that is a whole number of warps."""
    if culprit.what != "loop condition" or culprit.term.op != "lt":
        return False
    place, count = culprit.term.args
    lanes = polynomial(place).coefficients.get((THREAD[0].term,))
    kinds = {symbol.kind for symbol in symbols(count)}
    return lanes == 1 and bool(kinds) and kinds <= {SymbolKind.PARAM, SymbolKind.TEMPLATE}


def _size(block: tuple[int, int, int]) -> str:
    return " x ".join(str(size) for size in block[: 3 if block[2] > 1 else 2 if block[1] > 1 else 1]) + " threads"
