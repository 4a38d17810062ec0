r"""The rule ``device-use-after-free``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.hostmodel.operations import Copy, Fill, HostWalk, Release, events_at, host_operations
from kernlint.analysis.hostmodel.places import pointed_to
from kernlint.analysis.hostmodel.settings import implied
from kernlint.analysis.trace.events import Event, LaunchEvent, Root, RootKind
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, ModuleRule


class DeviceUseAfterFree(ModuleRule):
    r"""Memory is used after it was given back.

    After `cudaFree` a copy, a fill or a launch with the same pointer works on memory that belongs to nobody, or to
    somebody else by then; freeing it again is an error. Reported where whatever comes to the use has passed the
    release, and nothing was allocated in between.

    ```cuda bad
    void count(const int *from, int *result, int n) {
        int *state = nullptr;
        cudaMalloc(&state, sizeof(int));
        cudaMemset(state, 0, sizeof(int));
        cudaFree(state);
        cudaMemcpy(result, state, sizeof(int), cudaMemcpyDeviceToHost);  // expect: KL613
    }
    ```

    ```cuda bad
    __global__ void clear(float *x) { x[threadIdx.x] = 0.0f; }
    void run(float *x) {
        cudaFree(x);
        clear<<<1, 64>>>(x);  // expect: KL613
    }
    ```

    ```hip bad
    #include <hip/hip_runtime.h>
    void release(float *x) {
        hipFree(x);
        hipFree(x);  // expect: KL613
    }
    ```

    ```cuda good
    void count(const int *from, int *result, int n) {
        int *state = nullptr;
        if (cudaMalloc(&state, sizeof(int)) != cudaSuccess) {
            cudaFree(state);
            return;
        }
        cudaMemcpy(result, state, sizeof(int), cudaMemcpyDeviceToHost);
        cudaFree(state);
    }
    ```

    ```cuda good
    void grow(float *&x, size_t bytes) {
        cudaFree(x);
        cudaMalloc(&x, bytes);
        cudaMemset(x, 0, bytes);
    }
    ```
    """

    meta = Meta("KL613", "device-use-after-free", Severity.ERROR, tags=("CUDA PG dynamic allocation",))
    needs = (host_operations,)

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        seen: set[object] = set()
        for walk in facts[host_operations]:
            for event, release, what in _uses(walk):
                if event.span not in seen:
                    seen.add(event.span)
                    yield self.finding(
                        event.span,
                        f"this {what} memory that was given back before",
                        related=[Related(release.event.span, "given back here")],
                        fix="give it back after its last use",
                    )


def _uses(walk: HostWalk) -> Iterator[tuple[Event, Release, str]]:
    given_back: dict[Root, Release] = {}
    for _, one in events_at(walk):
        if isinstance(one, Release):
            roots = _certain(one.target)
            for root in roots:
                before = given_back.get(root)
                if before is not None and _after(before, one.event):
                    yield one.event, before, "gives back"
            for root in roots:
                given_back[root] = one
        elif isinstance(one, (Copy, Fill, LaunchEvent)):
            event: Event = one if isinstance(one, LaunchEvent) else one.event
            values = one.args if isinstance(one, LaunchEvent) else (one.target, getattr(one, "source", None))
            for value in values:
                for root in _certain(value):
                    release = given_back.get(root)
                    if release is not None and _after(release, event):
                        yield event, release, "works on"


def _certain(value: object) -> tuple[Root, ...]:
    """The one object that a value leads to."""
    roots = pointed_to(value)  # type: ignore[arg-type]
    return roots if len(roots) == 1 and roots[0].kind in _KNOWN else ()


_KNOWN = (RootKind.VARIABLE, RootKind.PARAM, RootKind.LOADED)


def _after(release: Release, event: Event) -> bool:
    """Whether whatever comes to ``event`` has passed the release, in the same round of all loops."""
    return implied(release.event.guards, event.guards) and release.event.loops == event.loops
