r"""The rule ``missing-grid-dependency-wait``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.order.grids import Hasty, hasty
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, Rule


class MissingGridDependencyWait(Rule):
    r"""A kernel that may begin before the one ahead of it has ended uses that kernel's data without waiting for it.

    A launch with programmatic stream serialisation lets a kernel start while the one ahead in the stream still runs.
    What that one writes is there only after `cudaGridDependencySynchronize()` (`griddepcontrol.wait`). What no kernel
    ahead touches may be read before.

    ```cuda bad
    #include <cuda_runtime.h>
    __global__ void produce(float *data) { data[threadIdx.x] = threadIdx.x; }
    __global__ void consume(const float *data, float *out) {
        out[threadIdx.x] = 2.0f * data[threadIdx.x];  // expect: KL616
    }
    void run(float *data, float *out, cudaStream_t stream) {
        produce<<<1, 64, 0, stream>>>(data);
        cudaLaunchAttribute early;
        early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        early.val.programmaticStreamSerializationAllowed = 1;
        cudaLaunchConfig_t config = {};
        config.gridDim = dim3(1);
        config.blockDim = dim3(64);
        config.stream = stream;
        config.attrs = &early;
        config.numAttrs = 1;
        cudaLaunchKernelEx(&config, consume, (const float *)data, out);
    }
    ```

    ```cuda good
    #include <cuda_runtime.h>
    __global__ void produce(float *data) { data[threadIdx.x] = threadIdx.x; }
    __global__ void consume(const float *data, float *out) {
        cudaGridDependencySynchronize();
        out[threadIdx.x] = 2.0f * data[threadIdx.x];
    }
    void run(float *data, float *out, cudaStream_t stream) {
        produce<<<1, 64, 0, stream>>>(data);
        cudaLaunchAttribute early;
        early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        early.val.programmaticStreamSerializationAllowed = 1;
        cudaLaunchConfig_t config = {};
        config.gridDim = dim3(1);
        config.blockDim = dim3(64);
        config.stream = stream;
        config.attrs = &early;
        config.numAttrs = 1;
        cudaLaunchKernelEx(&config, consume, (const float *)data, out);
    }
    ```
    """

    meta = Meta(
        "KL616",
        "missing-grid-dependency-wait",
        Severity.WARNING,
        tags=("CUDA PG programmatic dependent launch",),
    )
    needs = (hasty,)

    def check(self, facts: Facts) -> Iterator[Finding]:
        found: tuple[Hasty, ...] = facts[hasty]
        for one in found:
            did = "writes" if one.before.writes else "reads"
            verb = "writes" if one.access.writes else "reads"
            yield self.finding(
                one.access.span,
                f"{facts.kernel.name} may begin before {one.ahead} has ended, and {verb} through "
                f"{one.access.root.name} what {one.ahead} {did}, with no cudaGridDependencySynchronize() before",
                related=(
                    Related(one.before.span, f"{one.ahead} {did} it here"),
                    Related(one.launch, "this launch may begin early"),
                ),
                fix="call cudaGridDependencySynchronize() before the first use of what the kernel ahead touches",
            )
