r"""The rule ``default-stream-launch``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.hostmodel.tensors import tensor_launches
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, ModuleRule
from kernlint.source import Span


class DefaultStreamLaunch(ModuleRule):
    r"""A launch with tensors that does not go to PyTorch's current stream.

    What PyTorch does with a tensor runs on its current stream. A kernel on the default stream runs beside it as soon as
    somebody works on another one: it reads tensors that are not there yet, or whose memory is in use again. Those of a
    function are one finding in a file in which others take the current stream; where none does, all of them are, and a
    note unless the file chooses the device.

    ```cuda bad
    #include <torch/extension.h>
    #include <c10/cuda/CUDAGuard.h>
    __global__ void clear(float *x, int n) {
        if (threadIdx.x < n) x[threadIdx.x] = 0.0f;
    }
    void run(torch::Tensor x) {
        const c10::cuda::CUDAGuard guard(x.device());
        clear<<<1, 256>>>(x.data_ptr<float>(), x.numel());  // expect: KL622
    }
    ```

    ```cuda bad
    #include <torch/extension.h>
    #include <ATen/cuda/CUDAContext.h>
    #include <c10/cuda/CUDAGuard.h>
    __global__ void add(float *x, float by, int n) {
        if (threadIdx.x < n) x[threadIdx.x] += by;
    }
    void run(torch::Tensor x) {
        const at::cuda::OptionalCUDAGuard guard(device_of(x));
        add<<<1, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), 1.0f, x.numel());
        add<<<1, 256, 0, 0>>>(x.data_ptr<float>(), 2.0f, x.numel());  // expect: KL622
    }
    ```

    ```cuda good
    #include <torch/extension.h>
    #include <ATen/cuda/CUDAContext.h>
    #include <c10/cuda/CUDAGuard.h>
    __global__ void clear(float *x, int n) {
        if (threadIdx.x < n) x[threadIdx.x] = 0.0f;
    }
    void run(torch::Tensor x) {
        const c10::cuda::CUDAGuard guard(x.device());
        clear<<<1, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), x.numel());
    }
    ```

    ```cuda good
    __global__ void clear(float *x, int n) {
        if (threadIdx.x < n) x[threadIdx.x] = 0.0f;
    }
    void run(float *x, int n) { clear<<<1, 256>>>(x, n); }
    ```
    """

    meta = Meta("KL622", "default-stream-launch", Severity.WARNING, tags=("PyTorch extensions",))
    needs = (tensor_launches,)

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        launches = facts[tensor_launches]
        taken = next((one for one in launches if one.current), None)
        careful = taken is not None or any(one.chosen for one in launches)
        astray: dict[object, dict[Span, None]] = {}  # by function where others take the current stream
        for one in launches:
            if one.current is False:
                function = one.function.generic or one.function
                astray.setdefault(function if taken is not None else None, {})[one.span] = None
        for spans in astray.values():
            first, *more = spans
            related = [Related(taken.span, "a launch on the current stream")] if taken is not None else []
            related += [Related(other, "and so does this one") for other in more]
            yield self.finding(
                first,
                "this kernel goes to the default stream, and not to the current one, where PyTorch's work is",
                severity=Severity.WARNING if careful else Severity.NOTE,
                related=related,
                fix="pass at::cuda::getCurrentCUDAStream() as the fourth launch argument",
            )
