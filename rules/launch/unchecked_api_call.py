r"""The rule ``unchecked-api-call``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.hostmodel.checks import error_checks, lapses, looked_at_late, told_late
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, ModuleRule


class UncheckedApiCall(ModuleRule):
    r"""The status of an allocation, copy or build is dropped.

    A failed allocation or copy leaves the program with memory that does not hold what it takes it to hold. Functions
    that give back are left out, and a cast to `void` says that it is meant. What the file does decides: where three of
    four such calls are checked, the one that is not is a warning; where none is, there is one note for the file. So
    there is where the status of most calls is taken, and that of some is left to a later call of `cudaGetLastError`.

    ```cuda bad
    int *make(size_t bytes) {
        int *x = nullptr;
        cudaMalloc(&x, bytes);  // expect: KL604
        return x;
    }
    ```

    ```cuda bad
    cudaError_t run(int *to, const int *from, size_t bytes) {
        int *x = nullptr;
        cudaError_t err = cudaMalloc(&x, bytes);
        if (err == cudaSuccess) err = cudaMemset(x, 0, bytes);
        if (err == cudaSuccess) err = cudaMemcpy(x, from, bytes, cudaMemcpyHostToDevice);
        if (err != cudaSuccess) return err;
        cudaMemcpy(to, x, bytes, cudaMemcpyDeviceToHost);  // expect: KL604
        cudaFree(x);
        return cudaSuccess;
    }
    ```

    ```hip bad
    #include <hip/hip_runtime.h>
    void send(int *to, const int *from, size_t bytes) {
        hipMemcpy(to, from, bytes, hipMemcpyHostToDevice);  // expect: KL604
    }
    ```

    ```cuda good
    cudaError_t make(int **x, size_t bytes) {
        const cudaError_t err = cudaMalloc(x, bytes);
        if (err != cudaSuccess) return err;
        return cudaMemset(*x, 0, bytes);
    }
    ```

    ```hip good
    #include <hip/hip_runtime.h>
    bool send(int *to, const int *from, size_t bytes) {
        hipMemcpyAsync(to, from, bytes, hipMemcpyHostToDevice, 0);
        return hipDeviceSynchronize() == hipSuccess;
    }
    ```
    """

    meta = Meta("KL604", "unchecked-api-call", Severity.WARNING, tags=("CUDA-1.3",))
    needs = (error_checks,)

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        checks = facts[error_checks]
        fix = "check what it returns"
        for one in lapses(checks.checked_calls, checks.unchecked_calls):
            message = "the status of this call is dropped"
            if one.others:
                message += f", which is looked at for {len(one.others)} others here"
            elif one.more:
                message = f"the status of calls is dropped, here and {one.more} times more"
            severity = Severity.WARNING if one.others else Severity.NOTE
            if one.others and looked_at_late(facts, one, checks):
                message += ": all of these by a later call, as callers out of sight may look at this one"
                severity = Severity.NOTE
            related = [Related(other, "a call that is checked") for other in one.others[:1]]
            related += [Related(other, "nor is this one") for other in one.beside]
            yield self.finding(one.span, message, severity, related=related, fix=fix)
        late = told_late(checks)
        if late is not None:
            message = f"the status of this call is dropped, and those of {len(late.others)} others are looked at here"
            related = [Related(other, "a call that is checked") for other in late.others[:1]]
            related += [Related(other, "nor is this one") for other in late.beside]
            message += ": a failure shows at a later call, if at all"
            yield self.finding(late.span, message, Severity.NOTE, related=related, fix=fix)
