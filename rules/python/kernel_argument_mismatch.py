r"""The rule ``kernel-argument-mismatch``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.remarks import remarks
from kernlint.finding import Finding, Severity
from kernlint.rule import Meta, ModuleRule


class KernelArgumentMismatch(ModuleRule):
    r'''An argument that the kernel reads as another type than the program passes.

    A raw kernel gets the bytes of its arguments, and nobody converts them to the types of its parameters. CuPy passes a
    Python ``float`` as a double and an ``int`` as 64 bits; a ``float`` parameter then reads the low half of the double.
    PyCUDA packs NumPy's numbers as large as they are, so that one of the wrong size moves those behind it. PyOpenCL
    refuses a number whose size is not the parameter's (``INVALID_ARG_SIZE``). An array of ``float64``, which NumPy and
    CuPy make where no type is given, is read as nonsense through a ``float *``.

    Silent where the low half of a wider integer is read, which is its value, where bytes are passed, and where the
    library converts (prepared calls of PyCUDA, element-wise kernels).

    ```python bad
    import cupy as cp

    scale = cp.RawKernel(r"""
    extern "C" __global__ void scale(float *x, const float gain, const int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= gain;
    }
    """, "scale")

    def run(x, n):
        scale(((n + 255) // 256,), (256,), (x, 1.5, n))  # expect: KL809
    ```

    ```python bad
    import cupy as cp
    import numpy as np

    scale = cp.RawKernel(r"""
    extern "C" __global__ void scale(float *x, const int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= 2.0f;
    }
    """, "scale")

    def run(n):
        x = cp.zeros(n)
        scale(((n + 255) // 256,), (256,), (x, np.int32(n)))  # expect: KL809
        return x
    ```

    ```python good
    import cupy as cp
    import numpy as np

    scale = cp.RawKernel(r"""
    extern "C" __global__ void scale(float *x, const float gain, const int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= gain;
    }
    """, "scale")

    def run(n):
        x = cp.zeros(n, dtype=cp.float32)
        scale(((n + 255) // 256,), (256,), (x, np.float32(1.5), np.int32(n)))
        return x
    ```
    '''

    meta = Meta("KL809", "kernel-argument-mismatch", Severity.ERROR, tags=("CuPy raw kernels",))

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        for remark, related in remarks(facts, "argument-misfit"):
            what, given, name, wanted = remark.words
            yield self.finding(
                remark.span,
                f"{given} is passed for {name}, which the kernel reads as {wanted}",
                related=related,
                fix="give the array the type of the parameter"
                if what == "array"
                else "pass a NumPy number of that type",
            )
