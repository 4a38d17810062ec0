r"""The rule ``language-error``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.finding import Finding, Severity
from kernlint.rule import Meta, ModuleRule
from kernlint.text.patterns import pattern

_CERTAIN = (
    pattern(r"^shift count >= width of type$"),
    pattern(r"^shift count is negative$"),
)
"""What the compiler says that no missing header can bring about."""


class LanguageError(ModuleRule):
    r"""Something that the language leaves undefined whatever the launch, or does not allow at all.

    What the compiler itself can tell, kept to messages that a missing header cannot bring about: a shift by at least
    the width of its type, or by a negative count. C++ leaves both undefined; OpenCL C masks the count and is not
    reported.

    A file that breaks the grammar is not accepted by any compiler, and what stands behind the place may be misread, so
    it is said at the first such place, as long as every header of the file is there and every name around the place is
    known: an unknown one may be a macro.

    So is what a text says against its own declarations (an argument too few, a `__constant` without its value, a store
    to what is `const`, a pointer into another address space): an error, where nothing but this text declares the words,
    and no `#if` has a part in it, so that no header, macro or option of a build can cure it. A vector of floats times a
    double is told as a warning: an option may make constants single.

    ```opencl bad
    float3 mirrored(float3 d, float3 n) { return d - n * (2.0 * dot(d, n)); }  // expect: KL700
    __kernel void mirror(__global float3 *d, const float3 n) {
        d[get_global_id(0)] = mirrored(d[get_global_id(0)], n);
    }
    ```

    ```opencl bad
    inline float lit(float3 n, float3 l, float albedo) { return albedo * max(dot(n, l), 0.0f); }
    __kernel void shade(__global const float3 *n, __global float *out, const float3 l) {
        out[get_global_id(0)] = lit(n[get_global_id(0)], l);  // expect: KL700
    }
    ```

    ```opencl bad
    __constant int4 origin;  // expect: KL700
    __kernel void reset(__global int4 *at) { at[get_global_id(0)] = origin; }
    ```

    ```opencl bad
    __kernel void mirror(__global int *out, const uint n) {
        const uint last = n - 1  // expect: KL700
        out[last - get_global_id(0)] = 0;
    }
    ```

    ```cuda bad
    __global__ void high(unsigned *out) {
        out[threadIdx.x] = 1u << 32;  // expect: KL700
    }
    ```

    ```cuda bad
    __global__ void low(int *out) {
        out[threadIdx.x] = 1 << -1;  // expect: KL700
    }
    ```

    ```cuda good
    __global__ void high(unsigned long long *out) {
        out[threadIdx.x] = 1ull << 32;
    }
    ```

    ```opencl good
    __constant int4 origin = (int4)(0);
    float3 mirrored(float3 d, float3 n) { return d - n * (2.0f * dot(d, n)); }
    __kernel void mirror(__global float3 *d, __global int4 *at, const float3 n) {
        d[get_global_id(0)] = mirrored(d[get_global_id(0)], n);
        at[get_global_id(0)] = origin;
    }
    ```

    ```opencl good
    __kernel void high(__global int *out) {
        out[get_global_id(0)] = 1 << 30;
    }
    ```
    """

    meta = Meta("KL700", "language-error", Severity.WARNING, tags=("clang shift-count-overflow",))

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        said: set[int] = set()
        for note in facts.module.compiler:
            if note.severity == "certain":
                yield self.finding(note.span, f"no compiler accepts this: {note.message}", Severity.ERROR)
            elif note.severity == "error":
                yield self.finding(note.span, f"no compiler accepts this: {note.message}")
            elif any(pattern.search(note.message) for pattern in _CERTAIN) and note.span.start not in said:
                said.add(note.span.start)
                yield self.finding(note.span, note.message, fix="use a wider type or a smaller count")
