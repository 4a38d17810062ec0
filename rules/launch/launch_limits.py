r"""The rule ``launch-limits``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.extent.extents import numbers_made_up
from kernlint.analysis.launching.launches import LaunchFact, launches
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, Rule

THREADS = 1024
"""Threads of a block on every NVIDIA and AMD architecture (CUDA C++ Programming Guide, technical specifications)."""

DEEP = 64
"""Threads of a block along z (the same table)."""

ROWS = 65535
"""Blocks of a CUDA grid along y and z (the same table)."""


class LaunchLimits(Rule):
    r"""A launch that the runtime must refuse.

    A block has at most 1024 threads, at most 64 of them along ``z``, and no more than the kernel's own
    ``__launch_bounds__``; a CUDA grid has at most 65535 blocks along ``y`` and ``z``; nothing may be zero. The launch
    fails, the kernel does not run at all, and unless somebody asks for the error, nothing else happens.

    Reported where the sizes are constants.

    ```cuda bad
    __global__ void tick(int *n) { n[threadIdx.x] += 1; }
    void run(int *n) {
        tick<<<4, 1500>>>(n);  // expect: KL601
    }
    ```

    ```cuda bad
    __global__ void __launch_bounds__(256) tick(int *n) { n[threadIdx.y * 32 + threadIdx.x] += 1; }
    void run(int *n) {
        tick<<<1, dim3(32, 16)>>>(n);  // expect: KL601
    }
    ```

    ```cuda good
    __global__ void tick(int *n, int count) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < count) n[i] += 1;
    }
    void run(int *n, int count) {
        tick<<<(count + 511) / 512, 512>>>(n, count);
    }
    ```

    ```opencl good
    __kernel __attribute__((reqd_work_group_size(64, 1, 1)))
    void tick(__global int *n) { n[get_global_id(0)] += 1; }
    ```
    """

    meta = Meta("KL601", "launch-limits", Severity.ERROR, tags=("CUDA PG limits",))
    needs = (launches,)

    def check(self, facts: Facts) -> Iterator[Finding]:
        for launch in facts[launches]:
            message = self._block(facts, launch) or self._grid(facts, launch)
            if message is not None:
                yield self.finding(
                    launch.span,
                    message,
                    related=[Related(facts.kernel.function.span, "the kernel")],
                    fix="use a smaller block and more blocks" if "block" in message else "spread the grid along x",
                )

    def _block(self, facts: Facts, launch: LaunchFact) -> str | None:
        block = launch.constant_block()
        if block is None:
            return None
        threads = block[0] * block[1] * block[2]
        shape = " x ".join(str(size) for size in block)
        if threads <= 0:
            return f"the block {shape} is empty"
        if threads > THREADS:
            return f"a block of {shape} = {threads} threads; at most {THREADS} can be launched"
        if block[2] > DEEP:
            return f"a block of {shape} threads; at most {DEEP} are allowed along z"
        bounds = facts.function.bounds
        if bounds.max_threads is not None and threads > bounds.max_threads and not numbers_made_up(facts):
            return f"a block of {threads} threads; the kernel's launch bounds allow {bounds.max_threads}"
        if bounds.required is not None and block != bounds.required:
            return f"a block of {shape} threads; the kernel requires {' x '.join(map(str, bounds.required))}"
        return None

    def _grid(self, facts: Facts, launch: LaunchFact) -> str | None:
        for axis, size in enumerate(launch.grid or ()):
            if size.value is not None and size.value <= 0:
                return f"the grid has {size.value} blocks along {'xyz'[axis]}"
            if axis and facts.module.language == "cuda" and size.value is not None and size.value > ROWS:
                return f"a grid of {size.value} along {'xyz'[axis]}; at most {ROWS} are allowed there"
        return None
