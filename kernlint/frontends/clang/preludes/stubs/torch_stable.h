// PyTorch's stable and header-only API: the same types under other names.
#pragma once
#pragma clang system_header
#include "torch.h"
#pragma clang force_cuda_host_device begin

namespace torch {

namespace headeronly {
using namespace c10;
using c10::BFloat16;
using c10::Float8_e4m3fn;
using c10::Float8_e4m3fnuz;
using c10::Float8_e5m2;
using c10::Float8_e8m0fnu;
using c10::Half;
using c10::ScalarType;
typedef c10::ArrayRef<long> IntHeaderOnlyArrayRef;
template <class T> using CppTypeToScalarType = c10::CppTypeToScalarType<T>;
template <class T, size_t N> using HeaderOnlyTensorAccessor = at::TensorAccessor<T, N>;
template <class T, size_t N> using HeaderOnlyGenericPackedTensorAccessor = at::GenericPackedTensorAccessor<T, N>;
}  // namespace headeronly

namespace stable {
using c10::Device;
using c10::DeviceType;
typedef long DeviceIndex;
namespace accelerator {
struct DeviceGuard { explicit DeviceGuard(long); };
struct Stream {
    long id() const;
    void* nativeHandle() const;
};
Stream getCurrentStream(long);
long getCurrentDeviceIndex();
}  // namespace accelerator
template <class... A> Tensor empty(A&&...);
Tensor empty(std::initializer_list<long>, c10::ScalarType);
template <class... A> Tensor empty_like(A&&...);
template <class... A> Tensor new_empty(A&&...);
Tensor new_empty(const Tensor&, std::initializer_list<long>);
Tensor new_empty(const Tensor&, std::initializer_list<long>, c10::ScalarType);
template <class... A> Tensor new_zeros(A&&...);
Tensor new_zeros(const Tensor&, std::initializer_list<long>);
Tensor new_zeros(const Tensor&, std::initializer_list<long>, c10::ScalarType);
template <class... A> Tensor from_blob(A&&...);
template <class... A> Tensor view(A&&...);
Tensor view(const Tensor&, std::initializer_list<long>);
template <class... A> Tensor reshape(A&&...);
Tensor reshape(const Tensor&, std::initializer_list<long>);
template <class... A> Tensor contiguous(A&&...);
template <class... A> Tensor narrow(A&&...);
template <class... A> Tensor transpose(A&&...);
template <class... A> Tensor flatten(A&&...);
template <class... A> Tensor to(A&&...);
template <class... A> Tensor sum(A&&...);
template <class... A> Tensor pad(A&&...);
template <class... A> Tensor copy_(A&&...);
template <class... A> Tensor zero_(A&&...);
template <class... A> Tensor fill_(A&&...);
namespace detail {
template <class T> unsigned long from(const T&);
template <class T> T to(unsigned long);
}  // namespace detail
}  // namespace stable

}  // namespace torch

typedef int AOTITorchError;
typedef unsigned long StableIValue;
AOTITorchError aoti_torch_get_current_cuda_stream(int, void**);
AOTITorchError torch_get_current_cuda_blas_handle(void**);

#define TORCH_ERROR_CODE_CHECK(call) TORCH_CHECK((call) == 0)
#define STD_CUDA_CHECK(...) ((void)(__VA_ARGS__))
#define STD_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_KERNEL_LAUNCH_CHECK()
#define STD_TORCH_CHECK_NOT_IMPLEMENTED(condition, ...) TORCH_CHECK(condition)
#define THO_DISPATCH_SWITCH(TYPE, NAME, ...) [&] { __VA_ARGS__ }()
#define THO_PRIVATE_CASE_TYPE_USING_HINT(ENUM, NAME, ...) AT_PRIVATE_CASE_TYPE_USING_HINT(ENUM, NAME, __VA_ARGS__)
#define THO_DISPATCH_CASE(ENUM, ...) AT_PRIVATE_CASE_TYPE_USING_HINT(ENUM, scalar_t, __VA_ARGS__)
#define STABLE_TORCH_LIBRARY(name, module) TORCH_LIBRARY(name, module)
#define STABLE_TORCH_LIBRARY_FRAGMENT(name, module) TORCH_LIBRARY_FRAGMENT(name, module)
#define STABLE_TORCH_LIBRARY_IMPL(name, key, module) TORCH_LIBRARY_IMPL(name, key, module)

#pragma clang force_cuda_host_device end
