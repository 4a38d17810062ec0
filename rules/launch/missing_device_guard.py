r"""The rule ``missing-device-guard``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.hostmodel.tensors import TensorLaunch, tensor_launches
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, ModuleRule


class MissingDeviceGuard(ModuleRule):
    r"""A launch with tensors that does not choose the tensors' device.

    A kernel runs on the current device. Where the tensors lie on another one, it fails or reads what is not there;
    `c10::cuda::CUDAGuard` (or `OptionalCUDAGuard`) makes the device of a tensor the current one. Reported where nothing
    in the function or in its callers chooses a device: once for a function in a file that chooses one elsewhere, once
    for a file that never does, and there as a note unless it takes PyTorch's current stream. Silent in a function
    that is given numbers alone and names no device: the tensors that it makes are on the current one.

    ```cuda bad
    #include <torch/extension.h>
    #include <ATen/cuda/CUDAContext.h>
    __global__ void square(const float *x, float *y, int64_t n) {
        const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
        if (i < n) y[i] = x[i] * x[i];
    }
    torch::Tensor run(torch::Tensor x) {
        auto y = torch::empty_like(x);
        const int64_t n = x.numel();
        auto stream = at::cuda::getCurrentCUDAStream();
        square<<<(n + 255) / 256, 256, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);  // expect: KL621
        return y;
    }
    ```

    ```cuda bad
    #include <torch/extension.h>
    #include <c10/cuda/CUDAGuard.h>
    __global__ void clear(float *x, int n) {
        if (threadIdx.x < n) x[threadIdx.x] = 0.0f;
    }
    void first(torch::Tensor x) {
        const c10::cuda::CUDAGuard guard(x.device());
        clear<<<1, 256>>>(x.data_ptr<float>(), x.numel());
    }
    void second(torch::Tensor x) {
        clear<<<1, 128>>>(x.data_ptr<float>(), x.numel());  // expect: KL621
    }
    ```

    ```cuda good
    #include <torch/extension.h>
    #include <ATen/cuda/CUDAContext.h>
    #include <c10/cuda/CUDAGuard.h>
    __global__ void square(const float *x, float *y, int64_t n) {
        const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
        if (i < n) y[i] = x[i] * x[i];
    }
    static void launch(torch::Tensor x, torch::Tensor y) {
        const int64_t n = x.numel();
        auto stream = at::cuda::getCurrentCUDAStream();
        square<<<(n + 255) / 256, 256, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
    }
    torch::Tensor run(torch::Tensor x) {
        const at::cuda::OptionalCUDAGuard guard(device_of(x));
        auto y = torch::empty_like(x);
        launch(x, y);
        return y;
    }
    ```

    ```cuda good
    #include <torch/extension.h>
    #include <ATen/cuda/CUDAContext.h>
    #include <c10/cuda/CUDAFunctions.h>
    __global__ void square(const float *x, float *y, int64_t n) {
        const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
        if (i < n) y[i] = x[i] * x[i];
    }
    torch::Tensor run(torch::Tensor x) {
        c10::cuda::MaybeSetDevice(x.get_device());
        auto y = torch::empty_like(x);
        const int64_t n = x.numel();
        auto stream = at::cuda::getCurrentCUDAStream();
        square<<<(n + 255) / 256, 256, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
        return y;
    }
    ```

    ```cuda good
    __global__ void clear(float *x, int n) {
        if (threadIdx.x < n) x[threadIdx.x] = 0.0f;
    }
    void run(float *x, int n, cudaStream_t stream) { clear<<<1, 256, 0, stream>>>(x, n); }
    ```
    """

    meta = Meta("KL621", "missing-device-guard", Severity.WARNING, tags=("PyTorch extensions",))
    needs = (tensor_launches,)

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        launches = facts[tensor_launches]
        careful = any(one.chosen or one.current for one in launches)
        chosen: dict[object, TensorLaunch] = {}
        for one in launches:
            if not one.guarded and one.span not in {other.span for other in chosen.values()}:
                chosen.setdefault(one.function.generic or one.function, one)
        told = list(chosen.values())
        for one in told[:1]:
            yield self.finding(
                one.span,
                "this kernel runs on whichever device is current, not on the one that its tensors are on",
                severity=Severity.WARNING if careful else Severity.NOTE,
                related=[Related(other.span, "and so does this one") for other in told[1:]],
                fix="const c10::cuda::CUDAGuard guard(tensor.device()); at the function's start",
            )
