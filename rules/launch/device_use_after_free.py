r"""The rule ``device-use-after-free``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.hostmodel.lifetimes.analysis import lifetimes
from kernlint.analysis.hostmodel.lifetimes.model import Fault
from kernlint.analysis.hostmodel.operations import Copy, Fill, HostWalk, Release, events_at, host_operations
from kernlint.analysis.hostmodel.pending import waits
from kernlint.analysis.hostmodel.places import pointed_to
from kernlint.analysis.remarks import remarks
from kernlint.analysis.trace.events import (
    ApiEvent,
    Event,
    LaunchEvent,
    Root,
    RootKind,
)
from kernlint.apis import base_name
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, ModuleRule


class DeviceUseAfterFree(ModuleRule):
    r"""Memory is used after it was given back.

    After `cudaFree` a copy, a fill or a launch with the same pointer works on memory that belongs to nobody, or to
    somebody else by then; freeing it again is an error. Reported where whatever comes to the use has passed the
    release, and nothing was allocated in between; where a loop gives back in every round what was allocated before it;
    and where memory of a stream (`cudaMallocAsync`) is given back by `cudaFree`, which does not wait for the stream,
    while work that was handed to the stream may still use it. Destructors of objects in scope are followed. Objects
    whose destructor frees a member, and which are copied by what the compiler writes for them, free it twice; after
    `cudaDeviceReset` everything is freed. A buffer that is released while it is the argument of a kernel which another
    function launches later is gone by then, as OpenCL's kernels keep none of their arguments alive; and what an
    allocator gave is given back by that pointer alone, not by one into its middle.

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

    ```cuda bad
    void run(int n) {
        float *x = nullptr;
        cudaMalloc(&x, n * sizeof(float));
        x += 4;
        cudaMemset(x, 0, (n - 4) * sizeof(float));
        cudaFree(x);  // expect: KL613
    }
    ```

    ```hip bad
    #include <hip/hip_runtime.h>
    void release(float *x) {
        hipFree(x);
        hipFree(x);  // expect: KL613
    }
    ```

    ```cuda bad
    void clear(int *const *x, int *shared, int n) {
        cudaMalloc(&shared, n * sizeof(int));
        for (int i = 0; i < n; ++i) {
            cudaFree(x[i]);
            cudaFree(shared);  // expect: KL613
        }
    }
    ```

    ```hip bad
    #include <hip/hip_runtime.h>
    __global__ void clear(int *x) { x[threadIdx.x] = 0; }
    void run(hipStream_t stream) {
        int *x = nullptr;
        hipMallocAsync(&x, 256, stream);
        clear<<<1, 64, 0, stream>>>(x);
        hipFree(x);  // expect: KL613
    }
    ```

    ```cuda bad
    struct Buffer {
        int *data = nullptr;
        explicit Buffer(size_t bytes) { cudaMalloc(&data, bytes); }
        ~Buffer() { cudaFree(data); }  // expect: KL613
    };
    void run(size_t bytes) {
        Buffer x(bytes);
        cudaMemset(x.data, 0, bytes);
        cudaFree(x.data);
    }
    ```

    ```cuda bad
    struct Matrix {
        float *data;
        explicit Matrix(int n) { cudaMalloc(&data, n * sizeof(float)); }
        ~Matrix() { cudaFree(data); }
    };
    void clear(Matrix m, int n) { cudaMemset(m.data, 0, n * sizeof(float)); }
    void run(int n) {
        Matrix a(n);
        clear(a, n);  // expect: KL613
    }
    ```

    ```cuda bad
    #include <torch/extension.h>
    __global__ void twice(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2.0f; }
    void run(torch::Tensor x) {
        float *data = x.contiguous().data_ptr<float>();  // expect: KL613
        twice<<<1, 256>>>(data, 256);
    }
    ```

    ```cuda good
    #include <torch/extension.h>
    __global__ void twice(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2.0f; }
    void run(torch::Tensor x) {
        auto dense = x.contiguous();
        float *data = dense.data_ptr<float>(), *same = x.view(-1).data_ptr<float>();
        twice<<<1, 256>>>(data, 256);
        twice<<<1, 256>>>(same, 256);
        twice<<<1, 256>>>(x.contiguous().data_ptr<float>(), 256);
    }
    ```

    ```cuda good
    struct Buffer {
        int *data = nullptr;
        explicit Buffer(size_t bytes) { cudaMalloc(&data, bytes); }
        ~Buffer() { cudaFree(data); }
    };
    static Buffer make(size_t bytes) {
        Buffer x(bytes);
        cudaMemset(x.data, 0, bytes);
        return x;
    }
    void run(size_t bytes) {
        Buffer x = make(bytes);
        cudaMemset(x.data, 1, bytes);
    }
    ```

    ```hip good
    #include <hip/hip_runtime.h>
    __global__ void clear(int *x) { x[threadIdx.x] = 0; }
    void run(hipStream_t stream, int n) {
        for (int i = 0; i < n; ++i) {
            int *x = nullptr;
            hipMallocAsync(&x, 256, stream);
            clear<<<1, 64, 0, stream>>>(x);
            hipStreamSynchronize(stream);
            hipFree(x);
        }
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
    needs = (host_operations, lifetimes)

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        seen: set[object] = set()
        for walk in facts[host_operations]:
            for event, before in _not_awaited(walk):
                if event.span not in seen:
                    seen.add(event.span)
                    yield self._at_work(event, before)
        alike: dict[object, list[Fault]] = {}
        for fault in facts[lifetimes]:
            if fault.kind in ("use", "twice", "moved", "other", "copied", "temporary") and fault.span not in seen:
                seen.add(fault.span)
                alike.setdefault(_given_back(fault), []).append(fault)
        for group in alike.values():
            if len({fault.name for fault in group}) == len(group):
                yield self._of_way(group[0], group[1:])  # one call has given all of it back
            else:
                yield from map(self._of_way, group)
        for remark, _ in remarks(facts, "pointer-of-temporary"):
            message = f"{remark.words[0]} points into an array that nothing keeps: its memory is given back at once"
            fix = "keep the array in a variable as long as the pointer is used"
            yield self.finding(remark.span, message, severity=Severity.WARNING, fix=fix)
        for remark, related in remarks(facts, "address-of-dropped"):
            message = f"the address of {remark.words[0]} is kept, and nothing keeps its memory: the next round frees it"
            fix = "keep the arrays in a list as long as their addresses are used"
            yield self.finding(remark.span, message, severity=Severity.WARNING, related=related, fix=fix)
        for remark, related in remarks(facts, "used-after-release"):
            if remark.span not in seen:
                message, fix = f"{remark.words[0]} is used after it was given back", "give it back after its last use"
                yield self.finding(remark.span, message, severity=Severity.WARNING, related=related, fix=fix)

    def _of_way(self, fault: Fault, others: Sequence[Fault] = ()) -> Finding:
        """A use on one of the ways through the code."""
        if fault.kind == "twice":
            message, fix = f"{fault.name} is {fault.word}, which was given back before", "give it back once"
        elif fault.kind == "other" and fault.what == "argument":
            message = f"{fault.name} is {fault.word}".replace("is goes", "goes")
            fix = "keep it as long as the kernel is launched with it: setting an argument retains nothing"
        elif fault.kind == "other":
            message, fix = f"{fault.name} is {fault.word}", "call the counterpart of its allocator with the pointer"
        elif fault.kind == "copied":
            message = f"{fault.name} is {fault.word} here, and both objects give back the same memory"
            fix = "pass a reference, or write or delete the copies of the class"
        elif fault.kind == "temporary":
            message = f"{fault.name} points into what {fault.word} gives, which ends with this statement"
            fix = "keep the object in a variable as long as the pointer is used"
        elif fault.kind == "moved":
            message = f"{fault.name} is {fault.word}"
            fix = "free it on the same stream, or wait for the other one first"
            if fault.what == "queue":
                fix = "wait for the queue first (clFinish), or enqueue its release (clEnqueueSVMFree)"
        else:
            message = f"{fault.name} is {fault.word} after it was given back"
            fix = "give it back after its last use"
        related = [Related(span, word) for span, word in fault.related]
        related += [Related(one.span, f"so is {one.name} here") for one in others[:3]]
        return self.finding(fault.span, message, severity=Severity.WARNING, related=related, fix=fix)

    def _at_work(self, event: Event, before: Event) -> Finding:
        """Memory of a stream that is given back where work of the stream may still use it."""
        related = [Related(before.span, "used here"), *(Related(at, "called here") for at in event.stack[-1:])]
        message = "this does not wait for the stream, where work with the memory may not be over"
        fix = "give it back on the stream, or wait for the stream first"
        return self.finding(event.span, message, related=related, fix=fix)


def _given_back(fault: Fault) -> object:
    """What faults have in common that follow from one release, such as that of all that the device has; each of the
    others is one of its own."""
    at = tuple(span for span, _ in fault.related)
    return (fault.kind, fault.word, at) if fault.kind in ("use", "twice") and at else fault


def _not_awaited(walk: HostWalk) -> Iterator[tuple[Event, Event]]:
    """Releases that wait for nothing, of memory that a stream made, each with the last work on it not waited for."""
    at_work: dict[Root, Event] = {}
    for _, one in events_at(walk):
        if isinstance(one, Release):
            for root in _certain(one.target):
                if root in at_work and base_name(one.event.name) == "Free":
                    yield one.event, at_work[root]
        elif isinstance(one, (Copy, Fill, LaunchEvent)):
            event: Event = one if isinstance(one, LaunchEvent) else one.event
            values = one.args if isinstance(one, LaunchEvent) else (one.target, getattr(one, "source", None))
            for root in (root for value in values for root in _certain(value)):
                made = walk.allocations.get(id(root))
                if made is not None and base_name(made.api) in ("MallocAsync", "MemAllocAsync"):
                    at_work[root] = event
        elif isinstance(one, ApiEvent) and waits(one):
            at_work.clear()


def _certain(value: object) -> tuple[Root, ...]:
    """The one object that a value leads to."""
    roots = pointed_to(value)  # type: ignore[arg-type]
    return roots if len(roots) == 1 and roots[0].kind in _KNOWN else ()


_KNOWN = (RootKind.VARIABLE, RootKind.PARAM, RootKind.LOADED)
