r"""The rule ``collective-storage-reuse``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.order.storage import Reuse, reuses
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, Rule


class CollectiveStorageReuse(Rule):
    r"""Temporary storage of a block-wide primitive is used again with no barrier since its last use.

    A primitive of CUB, hipCUB or rocPRIM reads its temporary storage after its last own barrier and returns without
    another one. If the next primitive works in the same storage (or in another member of the same union), fast warps
    overwrite what slow ones still read. Put `__syncthreads()` between the two, at the end of the loop body where the
    next round is the next use, or give each primitive storage of its own.

    ```cuda bad
    #include <cub/cub.cuh>
    __global__ void moments(const float *x, float *out) {
        using Reduce = cub::BlockReduce<float, 128>;
        __shared__ typename Reduce::TempStorage temp;
        float v = x[blockIdx.x * 128 + threadIdx.x];
        float sum = Reduce(temp).Sum(v);
        float squares = Reduce(temp).Sum(v * v);  // expect: KL212
        if (threadIdx.x == 0) {
            out[2 * blockIdx.x] = sum;
            out[2 * blockIdx.x + 1] = squares;
        }
    }
    ```

    ```cuda bad
    #include <cub/cub.cuh>
    __global__ void rows(const float *x, float *out, int rows) {
        using Reduce = cub::BlockReduce<float, 128>;
        __shared__ typename Reduce::TempStorage temp;
        for (int r = 0; r < rows; ++r) {
            float sum = Reduce(temp).Sum(x[r * 128 + threadIdx.x]);  // expect: KL212
            if (threadIdx.x == 0) out[r] = sum;
        }
    }
    ```

    ```cuda good
    #include <cub/cub.cuh>
    __global__ void rows(const float *x, float *out, int rows) {
        using Reduce = cub::BlockReduce<float, 128>;
        __shared__ typename Reduce::TempStorage temp;
        for (int r = 0; r < rows; ++r) {
            float sum = Reduce(temp).Sum(x[r * 128 + threadIdx.x]);
            if (threadIdx.x == 0) out[r] = sum;
            __syncthreads();
        }
    }
    ```
    """

    meta = Meta("KL212", "collective-storage-reuse", Severity.WARNING, tags=("CUB temporary storage",))
    needs = (reuses,)

    def check(self, facts: Facts) -> Iterator[Finding]:
        found: tuple[Reuse, ...] = facts[reuses]
        for one in found:
            again = " of the round before" if one.loop is not None else ""
            same = one.first is one.second
            yield self.finding(
                one.second.span,
                f"{one.second.name} uses {one.name} again, which slower threads may still read for "
                f"{'it' if same else one.first.name}{again}: no barrier since",
                related=(
                    *(() if same else (Related(one.first.span, "it is used here before"),)),
                    *(Related(span, "called from here") for span in reversed(one.second.stack)),
                ),
                fix="put __syncthreads() between the two uses"
                if one.loop is None
                else "put __syncthreads() at the end of the loop body",
            )
