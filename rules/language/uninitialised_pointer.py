r"""The rule ``uninitialised-pointer``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.launching.never_set import never_set
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, ModuleRule
from kernlint.source import Span
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import VarDecl
from kernlint.tree.types import PointerType
from kernlint.tree.walk import walk

_UNSET = pattern(r"^variable '(\w+)' is uninitialized when used here$")


class UninitialisedPointer(ModuleRule):
    r"""A pointer that is used before anything was assigned to it.

    A device pointer that was declared but never allocated holds whatever was on the stack. Passed to a launch or a
    copy, or dereferenced, it faults far away from the mistake, or quietly overwrites somebody else's memory.

    Reported only where no path assigns the pointer before the use; taking its address (``cudaMalloc(&p, ...)``)
    counts as an assignment.

    ```cuda bad
    __global__ void fill(float *p) { p[threadIdx.x] = 0.0f; }
    void run() {
        float *data;
        fill<<<1, 64>>>(data);  // expect: KL703
    }
    ```

    ```opencl bad
    __kernel void first(__global const int *in, __global int *out) {
        __global const int *row;
        out[get_global_id(0)] = row[0];  // expect: KL703
    }
    ```

    A pointer of the file alone (``static``) that launches are given and that nothing in the file ever sets is null.

    ```cuda bad
    static float *scratch[8];
    __global__ void fill(float *p) { p[threadIdx.x] = 0.0f; }
    void run(int device) {
        fill<<<1, 64>>>(scratch[device]);  // expect: KL703
    }
    ```

    ```cuda good
    static float *scratch[8];
    __global__ void fill(float *p) { p[threadIdx.x] = 0.0f; }
    void prepare(int device) { cudaMalloc(&scratch[device], 64 * sizeof(float)); }
    void run(int device) {
        fill<<<1, 64>>>(scratch[device]);
    }
    ```

    ```cuda good
    static float *bias;
    __global__ void fill(float *p, const float *bias) { p[threadIdx.x] = bias ? bias[threadIdx.x] : 0.0f; }
    void run(float *p) {
        fill<<<1, 64>>>(p, bias);
    }
    ```

    ```cuda good
    __global__ void fill(float *p) { p[threadIdx.x] = 0.0f; }
    void run() {
        float *data;
        if (cudaMalloc(&data, 64 * sizeof(float)) != cudaSuccess) return;
        fill<<<1, 64>>>(data);
    }
    ```

    ```opencl good
    __kernel void first(__global const int *in, __global int *out) {
        __global const int *row = in + get_group_id(0);
        out[get_global_id(0)] = row[0];
    }
    ```
    """

    meta = Meta("KL703", "uninitialised-pointer", Severity.ERROR, tags=("clang uninitialized",))

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        for note in facts.module.compiler:
            match = _UNSET.match(note.message)
            decl = self._pointer(facts, match[1], note.span) if match is not None else None
            if decl is not None:
                yield self.finding(
                    note.span,
                    f"the pointer {decl.name} is used here, but nothing has been assigned to it",
                    related=[Related(decl.span, "declared here without a value")],
                    fix="allocate or assign it first",
                )

        for arg, decl in never_set(facts.module):
            yield self.finding(
                arg,
                f"the pointer {decl.name} is handed to a kernel here, and nothing in the file sets it: it is null",
                Severity.WARNING,
                related=[Related(decl.span, "declared here without a value, for this file alone")],
                fix="allocate it first",
            )

    def _pointer(self, facts: ModuleFacts, name: str, use: Span) -> VarDecl | None:
        """The pointer variable called ``name`` of the function around ``use``."""
        for function in facts.module.functions:
            if function.body is None or not _holds(function.span, use):
                continue
            found = [n for n in walk(function.body) if isinstance(n, VarDecl) and n.name == name]
            before = [n for n in found if n.span.start <= use.start and isinstance(n.type, PointerType)]
            if before:
                return before[-1]
        return None


def _holds(outer: Span, inner: Span) -> bool:
    return outer.file == inner.file and outer.start <= inner.start < outer.end
