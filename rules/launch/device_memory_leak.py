r"""The rule ``device-memory-leak``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.hostmodel.lifetimes.analysis import lifetimes
from kernlint.analysis.hostmodel.lifetimes.model import Fault
from kernlint.analysis.hostmodel.operations import host_operations
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, ModuleRule

_UNFOLLOWED = frozenset({"goto", "budget", "statement", "lost"})


class DeviceMemoryLeak(ModuleRule):
    r"""Memory of the device, or pinned memory, is not given back.

    Likewise streams and events that are never destroyed.

    A function that allocates memory for itself leaks it where it ends, or where an error makes it return or throw
    before it frees it. Reported on each way through the code on which nothing leads to the memory any more; what a
    helper throws that checks an error is a note, as that mostly ends the program, and so is what a function leaves
    that `main` calls once, unless it gives it to an owner elsewhere. Reported of classes too: a member
    that the destructor leaves while the constructor allocates it, one that alone of those allocated together is never
    freed, one of a class that cannot be copied or asks for the compiler's destructor, which frees nothing, and one that
    gets other memory although it may have some.

    Silent where the pointer is stored beyond the function, returned or handed to something that may own it, where the
    way out is taken because the allocation itself failed, in `main`, and where exceptions are caught in the function.

    ```cuda bad
    #include <stdexcept>
    __global__ void clear(int *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }
    void run(const int *from, int n) {
        int *x = nullptr;
        if (cudaMalloc(&x, n * sizeof(int)) != cudaSuccess) throw std::runtime_error("no memory");
        clear<<<1, 64>>>(x, n);
        if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("not launched");  // expect: KL608
        cudaFree(x);
    }
    ```

    ```cuda bad
    cudaError_t run(const int *from, int n) {
        int *x = nullptr, *y = nullptr;
        cudaError_t err = cudaMalloc(&x, n * sizeof(int));
        if (err != cudaSuccess) return err;
        err = cudaMalloc(&y, n * sizeof(int));
        if (err != cudaSuccess) return err;  // expect: KL608
        err = cudaMemcpy(y, from, n * sizeof(int), cudaMemcpyHostToDevice);
        cudaFree(y);
        cudaFree(x);
        return err;
    }
    ```

    ```cuda bad
    __global__ void clear(int *x) { x[threadIdx.x] = 0; }
    float timed(int *x) {
        cudaEvent_t begin, end;
        cudaEventCreate(&begin);
        cudaEventCreate(&end);  // expect: KL608
        cudaEventRecord(begin);
        clear<<<1, 64>>>(x);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float took = 0;
        cudaEventElapsedTime(&took, begin, end);
        cudaEventDestroy(begin);
        return took;
    }
    ```

    ```hip bad
    #include <hip/hip_runtime.h>
    int run(const float *from, int n) {
        float *x = nullptr;
        if (hipMalloc(&x, n * sizeof(float)) != hipSuccess) return 1;
        if (hipMemcpy(x, from, n * sizeof(float), hipMemcpyHostToDevice) != hipSuccess) return 2;  // expect: KL608
        hipFree(x);
        return 0;
    }
    ```

    ```cuda bad
    class Histogram {
        unsigned *counts = nullptr;
        float *edges = nullptr;
    public:
        explicit Histogram(size_t bins) {
            cudaMalloc(&counts, bins * sizeof(unsigned));  // expect: KL608
            cudaMalloc(&edges, (bins + 1) * sizeof(float));
        }
        Histogram(const Histogram &) = delete;
        ~Histogram() { cudaFree(edges); }
    };
    ```

    ```cuda good
    cudaError_t run(const int *from, int n) {
        int *x = nullptr;
        cudaError_t err = cudaMalloc(&x, n * sizeof(int));
        if (err != cudaSuccess) return err;
        err = cudaMemcpy(x, from, n * sizeof(int), cudaMemcpyHostToDevice);
        cudaFree(x);
        return err;
    }
    ```

    ```cuda good
    struct Owner {
        int *held;
        explicit Owner(int *x) : held(x) {}
        ~Owner() { cudaFree(held); }
    };
    int run(const int *from, int n) {
        int *x = nullptr;
        if (cudaMalloc(&x, n * sizeof(int)) != cudaSuccess) return 1;
        Owner owner(x);
        if (cudaMemcpy(x, from, n * sizeof(int), cudaMemcpyHostToDevice) != cudaSuccess) return 2;
        return 0;
    }
    ```

    ```hip good
    #include <hip/hip_runtime.h>
    int run(const float *from, int n) {
        float *x = nullptr;
        if (hipMalloc(&x, n * sizeof(float)) != hipSuccess) return 1;
        if (hipMemcpy(x, from, n * sizeof(float), hipMemcpyHostToDevice) != hipSuccess) {
            hipFree(x);
            return 2;
        }
        hipFree(x);
        return 0;
    }
    ```
    """

    meta = Meta("KL608", "device-memory-leak", Severity.WARNING, tags=("CUDA BPG", "Axivion lifetimes"))
    needs = (host_operations, lifetimes)

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        alike: dict[object, list[Fault]] = {}
        for fault in facts[lifetimes]:
            if fault.kind == "leak":
                alike.setdefault(_habit(fault), []).append(fault)
        for group in alike.values():
            first, *others = sorted(group, key=lambda fault: fault.span.start)
            yield self._leak(first, others)

    def _leak(self, fault: Fault, others: Sequence[Fault]) -> Finding:
        """``others`` of its kind live in one function with it, and nobody gives any of them back."""
        severity = Severity.NOTE if fault.soft else None
        related = [Related(span, word) for span, word in fault.related]
        related = [*(Related(one.span, f"nor is {one.what} {one.name}") for one in others[:3]), *related]
        if fault.word == "way":
            message, fix = (
                f"{fault.what} {fault.name} is not given back on this way out",
                "free it before, or let an object own it",
            )
        elif fault.word == "member":
            message = f"{fault.what} the member {fault.name} is never given back, as that of others is"
            fix = "free it with the others"
        elif fault.word == "owner":
            message = f"{fault.what} the member {fault.name} is never given back: its class has no destructor for it"
            fix = "free it in a destructor"
        elif fault.word == "again":
            message = f"{fault.name} gets other memory here, and what it had is not given back"
            fix = "free what it has before"
        else:
            message, fix = f"{fault.what} {fault.name} is never given back", "free it, or let an object own it"
        habit = fault.what if fault.what in _SMALL and not fault.word else ""
        return self.finding(fault.span, message, severity, related=related, fix=fix, habit=habit)


_SMALL = frozenset({"the event", "the stream"})
"""What holds no memory worth the name: who never gives it back does so everywhere, and is told once."""


def _habit(fault: Fault) -> object:
    """What leaks have in common that are one omission: several events, or buffers, that one function makes and never
    gives back; each of the others is one of its own."""
    if fault.word or not fault.related:
        return id(fault)
    return fault.what, fault.soft, fault.related[-1]
