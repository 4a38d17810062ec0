r"""The rule ``oversized-shared-memory``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.extent.extents import numbers_made_up
from kernlint.analysis.trace import trace
from kernlint.analysis.wording import takes
from kernlint.finding import Finding, Severity
from kernlint.rule import Meta, Rule
from kernlint.tree.types import Space

NVIDIA_STATIC = 48 * 1024
"""Static shared memory a block may have on every NVIDIA architecture, in bytes (ptxas refuses more, 0xc000)."""

NVIDIA_SPECIFIC = 227 * 1024
"""The same for architecture-specific targets (sm_90a, sm_100a: measured with ptxas 13.0), in bytes."""

AMD_STATIC = 64 * 1024
"""Local data share a block may have on AMD before gfx950, in bytes (the compiler refuses more)."""

OPENCL_LEAST = 32 * 1024
"""Local memory that every full-profile OpenCL device offers, in bytes (CL_DEVICE_LOCAL_MEM_SIZE)."""


class OversizedSharedMemory(Rule):
    r"""Shared arrays larger than a block may have.

    The static shared memory of a kernel, that of the helpers it calls included, is bounded by the hardware: 48 KiB
    on every NVIDIA architecture (more needs dynamic shared memory and an opt-in, or a build for an
    architecture-specific target such as sm_90a, which takes 227 KiB), 64 KiB on AMD. An OpenCL kernel
    can count on 32 KiB everywhere; above 48 KiB most devices refuse it when it is launched.

    ```cuda bad
    __global__ void gather(const float *in, float *out) {
        __shared__ float table[128][128];  // expect: KL302
        table[threadIdx.x][threadIdx.y] = in[threadIdx.x];
        __syncthreads();
        out[threadIdx.x] = table[threadIdx.x][0];
    }
    ```

    ```opencl bad
    __kernel void sum_all(__global const int *in, __global int *out) {
        __local int staged[16384];  // expect: KL302
        staged[get_local_id(0)] = in[get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) == 0) out[0] = staged[0] + staged[1];
    }
    ```

    ```cuda good
    __global__ void gather(const float *in, float *out) {
        __shared__ float table[64][64];
        table[threadIdx.y][threadIdx.x] = in[threadIdx.x];
        __syncthreads();
        out[threadIdx.x] = table[0][threadIdx.x];
    }
    ```

    ```opencl good
    __kernel void sum_all(__global const int *in, __global int *out, __local int *staged) {
        staged[get_local_id(0)] = in[get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) == 0) out[0] = staged[0] + staged[1];
    }
    ```
    """

    meta = Meta(
        "KL302",
        "oversized-shared-memory",
        Severity.ERROR,
        tags=("CUDA PG", "OpenCL CL_DEVICE_LOCAL_MEM_SIZE"),
    )
    needs = (trace,)

    def check(self, facts: Facts) -> Iterator[Finding]:
        arrays = [
            root for root in facts[trace].arrays if root.space is Space.SHARED and root.extent and root.decl is not None
        ]
        total = sum(root.extent or 0 for root in arrays)
        verdict = self._verdict(facts, total)
        if not arrays or verdict is None or numbers_made_up(facts):
            return
        severity, limit = verdict
        largest = max(arrays, key=lambda root: root.extent or 0)
        assert largest.decl is not None
        what = f"{largest.name} takes {total} bytes of shared memory"
        if len(arrays) > 1:
            what = f"the block's shared arrays take {total} bytes, {largest.name} {largest.extent} of them"
        yield self.finding(
            largest.decl,
            f"{what}; {limit}",
            severity,
            related=[takes(root) for root in arrays if root is not largest][:4],
            fix="use a smaller tile, or dynamic shared memory with the limit raised for the kernel",
        )

    def _verdict(self, facts: Facts, total: int) -> tuple[Severity, str] | None:
        """Severity and the limit in words, or None when ``total`` bytes are allowed."""
        for target in facts.options.targets:
            limit = target.value("static_shared_bytes_per_block")
            if limit is not None and total > limit:
                return Severity.ERROR, f"{target.name} allows {limit}"
        if facts.options.targets:
            return None
        language = facts.module.language
        if language == "cuda" and total > NVIDIA_STATIC:
            if total > NVIDIA_SPECIFIC:
                return Severity.ERROR, f"no NVIDIA architecture allows more than {NVIDIA_SPECIFIC}"
            return (
                Severity.WARNING,
                f"only architecture-specific targets (sm_90a, sm_100a) allow more than {NVIDIA_STATIC} statically",
            )
        if language == "hip" and total > AMD_STATIC:
            return Severity.WARNING, f"AMD architectures before gfx950 allow {AMD_STATIC}"
        if language == "opencl" and total > NVIDIA_STATIC:
            return Severity.WARNING, f"most OpenCL devices refuse more than {NVIDIA_STATIC}, all offer {OPENCL_LEAST}"
        if language == "opencl" and total > OPENCL_LEAST:
            return Severity.NOTE, f"an OpenCL device need not offer more than {OPENCL_LEAST}"
        return None
