r"""The rule ``hard-coded-warp-size``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.warps.short_waves import short_waves
from kernlint.analysis.warps.wave_rows import wave_rows
from kernlint.analysis.warps.wave_size import wave_faults
from kernlint.finding import Confidence, Finding, Related, Severity
from kernlint.rule import Meta, Rule


class HardCodedWarpSize(Rule):
    r"""HIP code that loses the lanes 32 to 63 of a wavefront.

    A wavefront has 64 lanes on AMD's data-centre GPUs and 32 on most others; `warpSize` says which. `__ballot` gives 64
    bits: kept in an `unsigned`, or counted with `__popc`, the upper half is gone. A lane mask built with a 32-bit
    shift has no bits for it either. And a literal 32 does not go with what counts whole wavefronts: one partial result
    for each `warpSize` threads needs a reduction over `warpSize` lanes, and what one lane of every 32 has fetched for
    its own 32 is passed on by a shuffle with a width of 32, as is what lanes of a group of 32 ask for from each other.
    So does a row that is gone through in steps of `warpSize`: its sum is in all lanes of the wavefront.

    The other way round, where a comment says that the file is built for an architecture with 32 lanes as well
    (`--offload-arch=gfx1100`), a shuffle over 32 lanes reaches none, and what one of every 64 threads has fetched is
    there in every other wavefront alone.

    For HIP only, and not when all named targets have wavefronts of 32 lanes. A literal alone is no fault: 32 lanes
    that reduce among themselves, with one result for every 32 threads, are right everywhere.

    ```hip bad
    __global__ void ranks(const int *want, int *rank) {
        const int lane = threadIdx.x % warpSize;
        const unsigned votes = __ballot(want[threadIdx.x] != 0);  // expect: KL702
        const unsigned lower = (1u << lane) - 1u;  // expect: KL702
        rank[threadIdx.x] = __popc(votes & lower);
    }
    ```

    ```hip bad
    __global__ void sums(const float *x, float *out) {
        __shared__ float part[16];
        float v = x[threadIdx.x];
        for (int d = 16; d > 0; d >>= 1) v += __shfl_down(v, d);  // expect: KL702
        if (threadIdx.x % warpSize == 0) part[threadIdx.x / warpSize] = v;
        __syncthreads();
        if (threadIdx.x == 0) *out = part[0] + part[1];
    }
    ```

    ```hip bad
    __global__ void rows(const float *x, float *norm, int cols) {
        const float *row = x + blockIdx.x * cols;
        float v = 0.0f;
        for (int c = threadIdx.x; c < cols; c += warpSize) v += row[c] * row[c];
        for (int d = 16; d > 0; d >>= 1) v += __shfl_xor(v, d);  // expect: KL702
        if (threadIdx.x == 0) norm[blockIdx.x] = sqrtf(v);
    }
    ```

    ```hip bad
    // Built with --offload-arch=gfx90a and --offload-arch=gfx1100.
    __global__ void sums(const float *x, float *out) {
        float v = x[threadIdx.x];
        for (int d = 32; d > 0; d >>= 1) v += __shfl_down(v, d);  // expect: KL702
        if (threadIdx.x % 64 == 0) out[threadIdx.x / 64] = v;
    }
    ```

    ```hip good
    __global__ void ranks(const int *want, int *rank) {
        const int lane = threadIdx.x % warpSize;
        const unsigned long long votes = __ballot(want[threadIdx.x] != 0);
        const unsigned long long lower = (1ull << lane) - 1ull;
        rank[threadIdx.x] = __popcll(votes & lower);
    }
    ```

    ```hip good
    __global__ void halves(const float *x, float *norm, int cols) {
        float v = 0.0f;
        for (int c = threadIdx.x; c < cols; c += warpSize) v += x[c] * x[c];
        for (int d = 16; d > 0; d >>= 1) v += __shfl_xor(v, d);
        if (threadIdx.x % 32 == 0) atomicAdd(norm, v);
    }
    ```

    ```hip good
    __global__ void sums(const float *x, float *out) {
        __shared__ float part[32];
        float v = x[threadIdx.x];
        for (int d = 16; d > 0; d >>= 1) v += __shfl_down(v, d, 32);
        if ((threadIdx.x & 31) == 0) part[threadIdx.x / 32] = v;
        __syncthreads();
        if (threadIdx.x == 0) *out = part[0] + part[1];
    }
    ```
    """

    meta = Meta(
        "KL702",
        "hard-coded-warp-size",
        Severity.WARNING,
        tags=("HIP warpSize text", "HIP warp vote text", "ROCm 7 notes"),
    )
    needs = (wave_faults, wave_rows, short_waves)

    def check(self, facts: Facts) -> Iterator[Finding]:
        found = facts[wave_faults]
        for fault in (*(found or facts[wave_rows]), *facts[short_waves]):
            short = fault.kind in ("short", "led")
            what = "what the file is built for" if short else "which does not go with this"
            related = [] if fault.other is None else [Related(fault.other, what)]
            related += [Related(span, "called from here") for span in reversed(fault.stack)]
            yield self.finding(
                fault.span,
                fault.what if short else f"{fault.what} (a wavefront may have 64 lanes)",
                related=related,
                fix=_FIXES[fault.kind],
                confidence=Confidence.HIGH if fault.kind in ("mask", "shift") else Confidence.MEDIUM,
            )


_FIXES = {
    "mask": "keep the mask in an unsigned long long and count it with __popcll",
    "shift": "shift a value of 64 bits (1ull << lane)",
    "constant": "use a mask of 64 bits",
    "mixed": "use warpSize in all of them",
    "short": "take the distances from warpSize, or from the architecture that is compiled for",
    "led": "count the lanes by warpSize",
    "broadcast": "give the shuffle a width of 32, as the lanes share the work",
}
