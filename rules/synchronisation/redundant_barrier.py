r"""The rule ``redundant-barrier``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.verdict.redundant import Redundant, redundant
from kernlint.finding import Finding, Fix, Severity
from kernlint.rule import Meta, Rule
from kernlint.source import SourceFile


class RedundantBarrier(Rule):
    r"""A barrier without which the kernel is proved to be free of races all the same.

    A barrier costs time, and one that separates nothing misleads the reader. Told only as a proof: all accesses of the
    kernel are known, and every two that conflict, and that this barrier alone keeps in order, are of different places,
    for all launches that the premises allow, in every instance of a template and under every setting that the file is
    read under. The premises are part of the finding. Of several barriers that are told all may go. Kernels with fences,
    asynchronous copies, volatile memory, words that threads wait for or calls that are not followed are left alone, as
    are barriers of helpers that other kernels, or whoever includes the file, may need.

    ```cuda bad
    __global__ void twice(const float *a, float *b) {
        float r = a[blockIdx.x * blockDim.x + threadIdx.x];
        __syncthreads();  // expect: KL208
        b[blockIdx.x * blockDim.x + threadIdx.x] = 2.0f * r;
    }
    ```

    ```cuda bad
    __global__ void turned(const float *a, float *b) {
        __shared__ float s[64];
        s[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
        __syncthreads();
        b[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
        __syncthreads();  // expect: KL208
    }
    ```

    ```cuda good
    __global__ void turned(const float *a, float *b, int rounds) {
        __shared__ float s[64];
        for (int k = 0; k < rounds; ++k) {
            s[threadIdx.x] = a[(k * gridDim.x + blockIdx.x) * 64 + threadIdx.x];
            __syncthreads();
            b[(k * gridDim.x + blockIdx.x) * 64 + threadIdx.x] = s[63 - threadIdx.x];
            __syncthreads();
        }
    }
    ```
    """

    meta = Meta("KL208", "redundant-barrier", Severity.NOTE, tags=("AuCS", "GPURepair"))
    needs = (redundant,)
    requires_whole = True
    throughout = True

    def check(self, facts: Facts) -> Iterator[Finding]:
        found: tuple[Redundant, ...] = facts[redundant]
        for one in found:
            yield self.finding(
                one.barrier.span,
                f"without this {one.barrier.name} all accesses that conflict are proved to stay apart, or in order",
                Severity.NOTE,
                assumptions=one.assumptions,
                fix="remove it",
            )

    def fixes(self, facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
        """The barrier taken out."""
        from kernlint.repair.barriers_out import taken_out

        return taken_out(facts, finding, source)
