r"""The rule ``collective-result-of-one-thread``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.order.leaders import Undefined, undefined_results
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, Rule


class CollectiveResultOfOneThread(Rule):
    r"""Every thread uses what a library's reduction gives to one thread alone.

    `BlockReduce` of CUB and hipCUB returns the result to thread 0 of the block, `WarpReduce` to the first lane of each
    warp. What the other threads get is not defined, mostly a part of the sum. Put it into shared memory where it is
    known, and read it there after a barrier, or shuffle it from lane 0.

    ```cuda bad
    #include <cub/cub.cuh>
    __global__ void shares(const float *x, float *y) {
        using Reduce = cub::BlockReduce<float, 128>;
        __shared__ typename Reduce::TempStorage temp;
        float v = x[blockIdx.x * 128 + threadIdx.x];
        float sum = Reduce(temp).Sum(v);
        y[blockIdx.x * 128 + threadIdx.x] = v / sum;  // expect: KL214
    }
    ```

    ```cuda good
    #include <cub/cub.cuh>
    __global__ void shares(const float *x, float *y) {
        using Reduce = cub::BlockReduce<float, 128>;
        __shared__ typename Reduce::TempStorage temp;
        __shared__ float whole;
        float v = x[blockIdx.x * 128 + threadIdx.x];
        float sum = Reduce(temp).Sum(v);
        if (threadIdx.x == 0) whole = sum;
        __syncthreads();
        y[blockIdx.x * 128 + threadIdx.x] = v / whole;
    }
    ```

    ```cuda good
    #include <cub/cub.cuh>
    __global__ void sums(const float *x, float *y) {
        using Reduce = cub::BlockReduce<float, 128>;
        __shared__ typename Reduce::TempStorage temp;
        float part[2];
        for (int k = 0; k < 2; k++) {
            __syncthreads();
            part[k] = Reduce(temp).Sum(x[k * 128 + threadIdx.x]);
            if (threadIdx.x == 0) y[k] = part[k];
        }
    }
    ```
    """

    meta = Meta(
        "KL214",
        "collective-result-of-one-thread",
        Severity.WARNING,
        tags=("CUB block and warp reductions",),
    )
    needs = (undefined_results,)

    def check(self, facts: Facts) -> Iterator[Finding]:
        found: tuple[Undefined, ...] = facts[undefined_results]
        for one in found:
            warp = one.collective.name.startswith("Warp")
            owner = "the first lane of each warp" if warp else "thread 0 of the block"
            yield self.finding(
                one.access.span,
                f"all threads use the result of {one.collective.name}, which it gives to {owner} alone",
                related=(
                    Related(one.collective.span, "it is made here"),
                    *(Related(span, "called from here") for span in reversed(one.access.stack)),
                ),
                fix="shuffle it from lane 0"
                if warp
                else "let thread 0 put it into shared memory, and read it there after a barrier",
            )
