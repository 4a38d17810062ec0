r"""The rule ``wrong-copy-direction``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.hostmodel.operations import Copy, HostWalk, Kind, host_operations
from kernlint.analysis.hostmodel.places import Where, pointed_to
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, ModuleRule

_FROM = {
    Kind.HOST_TO_DEVICE: Where.HOST,
    Kind.HOST_TO_HOST: Where.HOST,
    Kind.DEVICE_TO_HOST: Where.DEVICE,
    Kind.DEVICE_TO_DEVICE: Where.DEVICE,
}
_TO = {
    Kind.HOST_TO_DEVICE: Where.DEVICE,
    Kind.DEVICE_TO_DEVICE: Where.DEVICE,
    Kind.DEVICE_TO_HOST: Where.HOST,
    Kind.HOST_TO_HOST: Where.HOST,
}


class WrongCopyDirection(ModuleRule):
    r"""A copy is said to go in another direction than its pointers do.

    The kind of a `cudaMemcpy` must fit where its pointers lead. With another one the copy fails, or reads an address of
    one memory in the other. Reported where the allocation of a pointer is in sight; managed and pinned memory may be
    used from both sides.

    ```cuda bad
    void fetch(float *result, int n) {
        float *sums = nullptr;
        cudaMalloc(&sums, n * sizeof(float));
        cudaMemcpy(result, sums, n * sizeof(float), cudaMemcpyHostToDevice);  // expect: KL606
        cudaFree(sums);
    }
    ```

    ```hip bad
    #include <hip/hip_runtime.h>
    void send(int n) {
        int table[64] = {1, 2, 3};
        int *device = nullptr;
        hipMalloc(&device, sizeof(table));
        hipMemcpyAsync(device, table, sizeof(table), hipMemcpyDeviceToDevice, 0);  // expect: KL606
        hipFree(device);
    }
    ```

    ```cuda good
    void fetch(float *result, int n) {
        float *sums = nullptr;
        cudaMalloc(&sums, n * sizeof(float));
        cudaMemcpy(result, sums, n * sizeof(float), cudaMemcpyDeviceToHost);
        cudaFree(sums);
    }
    ```

    ```cuda good
    void share(const float *from, int n) {
        float *both = nullptr;
        cudaMallocManaged(&both, n * sizeof(float));
        cudaMemcpy(both, from, n * sizeof(float), cudaMemcpyHostToHost);
        cudaFree(both);
    }
    ```
    """

    meta = Meta("KL606", "wrong-copy-direction", Severity.ERROR, tags=("CUDA-3.3",))
    needs = (host_operations,)

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        seen: set[object] = set()
        for walk in facts[host_operations]:
            for copy in walk.copies:
                finding = self._judged(copy, walk)
                if finding is not None and copy.event.span not in seen:
                    seen.add(copy.event.span)
                    yield finding

    def _judged(self, copy: Copy, walk: HostWalk) -> Finding | None:
        if copy.kind is None:
            return None
        for value, said, word in ((copy.target, _TO[copy.kind], "target"), (copy.source, _FROM[copy.kind], "source")):
            where = walk.where(value)
            if where in (Where.DEVICE, Where.HOST) and where is not said:
                source, target = walk.where(copy.source), walk.where(copy.target)
                return self.finding(
                    copy.event.span,
                    f"the {word} of this copy is {where.value}, but its direction says {said.value}",
                    related=[
                        Related(allocation.span, "allocated here")
                        for allocation in walk.trace.allocations
                        if any(allocation.root is root for root in pointed_to(value))
                    ][:1],
                    fix=f"the direction is {_word(source, copy.kind, True)} to {_word(target, copy.kind, False)}",
                )
        return None


def _word(where: Where, kind: Kind, source: bool) -> str:
    if where in (Where.DEVICE, Where.HOST):
        return where.name.lower()
    return (_FROM if source else _TO)[kind].name.lower()
