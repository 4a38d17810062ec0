r"""The rule ``unchecked-launch``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.hostmodel.checks import error_checks, lapses, refused_unseen
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, ModuleRule
from kernlint.source import Span


class UncheckedLaunch(ModuleRule):
    r"""Nobody looks whether a kernel could be launched.

    A launch returns nothing. One that is refused, for a block that is too large or empty, shared memory or an
    architecture that is not there, is silent, and the program goes on with what was in memory before. Any later look at
    the runtime's errors counts (`cudaGetLastError`, the result of a synchronisation or copy that is used, a function
    that is not in sight), here or in a caller in the same file.
    A check in a macro that is empty in this build counts as well.

    What the file does decides how loud this is: where three of four launches are checked, the one that is not is a
    warning, or a note where a later call that is there for its own sake tells of all the others (the status of a copy);
    where none is, there is one note for the file; else nothing is said. There is a note too where the file
    takes the status of all its calls, and only later ones are looked at after a launch: a launch that is refused sets
    the error that `cudaGetLastError` returns, and a synchronisation need not return it.

    ```cuda bad
    __global__ void clear(int *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }
    void run(int *x, int n) {
        clear<<<1, n>>>(x, n);  // expect: KL603
    }
    ```

    ```cuda bad
    __global__ void clear(int *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }
    cudaError_t one(int *x, int n) { clear<<<1, 32>>>(x, n); return cudaGetLastError(); }
    cudaError_t two(int *x, int n) { clear<<<1, 64>>>(x, n); return cudaGetLastError(); }
    cudaError_t three(int *x, int n) { clear<<<1, 96>>>(x, n); return cudaGetLastError(); }
    cudaError_t four(int *x, int n) {
        clear<<<1, n>>>(x, n);  // expect: KL603
        return cudaSuccess;
    }
    ```

    ```hip bad
    #include <hip/hip_runtime.h>
    __global__ void clear(int *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }
    void run(int *x, int n) {
        hipLaunchKernelGGL(clear, dim3(1), dim3(n), 0, 0, x, n);  // expect: KL603
        hipDeviceSynchronize();
    }
    ```

    ```cuda good
    __global__ void clear(int *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }
    static void start(int *x, int n) { clear<<<1, n>>>(x, n); }
    cudaError_t run(int *x, int n) {
        start(x, n);
        return cudaGetLastError();
    }
    ```

    ```hip good
    #include <hip/hip_runtime.h>
    __global__ void clear(int *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }
    bool run(int *x, int n) {
        hipLaunchKernelGGL(clear, dim3(1), dim3(n), 0, 0, x, n);
        return hipDeviceSynchronize() == hipSuccess;
    }
    ```
    """

    meta = Meta("KL603", "unchecked-launch", Severity.WARNING, tags=("CUDA-1.4",))
    needs = (error_checks,)

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        checks = facts[error_checks]
        fix = "look at cudaGetLastError() after it, or its like"
        told: set[Span] = set()
        for lie in checks.denied:
            if lie.success not in told:
                told.add(lie.success)
                message = "the function says behind this launch that nothing has failed, and nobody has looked"
                related = [
                    Related(lie.success, "says so here"),
                    Related(lie.other, "tells of the error of a call here"),
                ]
                yield self.finding(lie.launch, message, related=related, fix=fix)
        denied = {lie.launch for lie in checks.denied}
        for one in lapses(checks.checked_launches, checks.unchecked_launches):
            if one.span in denied:
                continue
            message = "nobody looks whether this kernel was launched"
            if one.others:
                message += f", as is done for {len(one.others)} others here"
            elif one.more:
                message = f"nobody looks whether kernels are launched, here and {one.more} times more"
            asked = [other for other in one.others if other in checks.asked]
            severity = Severity.WARNING if asked else Severity.NOTE
            related = [Related(other, "a launch that is checked") for other in (asked or one.others)[:1]]
            related += [Related(other, "nor is this one") for other in one.beside]
            yield self.finding(one.span, message, severity, related=related, fix=fix)
        unseen = refused_unseen(checks)
        if unseen is not None:
            message = "nobody asks whether this launch was refused: a later call that succeeds does not tell"
            related = [Related(other, "a launch that is asked about") for other in unseen.others[:1]]
            related += [Related(other, "nor is this one") for other in unseen.beside]
            yield self.finding(unseen.span, message, Severity.NOTE, related=related, fix=fix)
