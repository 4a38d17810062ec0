// Macros of PyTorch's C++ API. Host conditions stay visible: TORCH_CHECK is an `if`.
#pragma once
#pragma clang system_header

// Checks. The condition guards what follows on the host. As with PyTorch's own, no semicolon is needed behind one.
#define TORCH_CHECK(condition, ...) \
    if (!(condition)) { \
        ::c10::__kl_fail(); \
    }
#define TORCH_INTERNAL_ASSERT(condition, ...) TORCH_CHECK(condition)
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(condition, ...) TORCH_CHECK(condition)
#define TORCH_CHECK_NOT_IMPLEMENTED(condition, ...) TORCH_CHECK(condition)
#define TORCH_CHECK_VALUE(condition, ...) TORCH_CHECK(condition)
#define TORCH_CHECK_EQ(a, b) TORCH_CHECK((a) == (b))
#define TORCH_CHECK_NE(a, b) TORCH_CHECK((a) != (b))
#define TORCH_CHECK_LT(a, b) TORCH_CHECK((a) < (b))
#define TORCH_CHECK_LE(a, b) TORCH_CHECK((a) <= (b))
#define TORCH_CHECK_GT(a, b) TORCH_CHECK((a) > (b))
#define TORCH_CHECK_GE(a, b) TORCH_CHECK((a) >= (b))
#define AT_ASSERT(condition, ...) TORCH_CHECK(condition)
#define AT_ASSERTM(condition, ...) TORCH_CHECK(condition)
#define AT_CHECK(condition, ...) TORCH_CHECK(condition)
#define STD_TORCH_CHECK(condition, ...) TORCH_CHECK(condition)
#define AT_ERROR(...) ::c10::__kl_fail()
#define TORCH_WARN(...) ((void)0)
#define TORCH_WARN_ONCE(...) ((void)0)
#define C10_CUDA_CHECK(...) ((void)(__VA_ARGS__))
#define C10_CUDA_CHECK_WARN(...) ((void)(__VA_ARGS__))
#define AT_CUDA_CHECK(...) ((void)(__VA_ARGS__))
#define C10_HIP_CHECK(...) ((void)(__VA_ARGS__))
#ifdef __HIP__
#define C10_CUDA_KERNEL_LAUNCH_CHECK() ((void)hipGetLastError())
#define C10_HIP_KERNEL_LAUNCH_CHECK() ((void)hipGetLastError())
#else
#define C10_CUDA_KERNEL_LAUNCH_CHECK() ((void)cudaGetLastError())
#endif

// Attributes.
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define C10_LAUNCH_BOUNDS_0
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#define C10_RESTRICT __restrict__
#define C10_LIKELY(x) (x)
#define C10_UNLIKELY(x) (x)
#define C10_ALWAYS_INLINE inline
#define C10_UNUSED
#define C10_EXPORT
#define C10_API
#define TORCH_API
#define C10_WARP_SIZE 32
#define TORCH_CUDA_CU_API
#define TORCH_EXTENSION_NAME torch_extension

// Loops over a grid.
#define CUDA_KERNEL_LOOP_TYPE(i, n, index_type) \
    int64_t _i_n_d_e_x = ((int64_t)blockIdx.x) * blockDim.x + threadIdx.x; \
    for (index_type i = _i_n_d_e_x; _i_n_d_e_x < (n); _i_n_d_e_x += blockDim.x * gridDim.x, i = _i_n_d_e_x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
#define CUDA_1D_KERNEL_LOOP(i, n) \
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

// Dispatch over types. One type stands for all of a family: float, or int.
#define KL_DISPATCH(T, ...) \
    [&] { \
        typedef T scalar_t; \
        return __VA_ARGS__(); \
    }()
#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) KL_DISPATCH(float, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...) KL_DISPATCH(float, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND(T1, TYPE, NAME, ...) KL_DISPATCH(float, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND2(T1, T2, TYPE, NAME, ...) KL_DISPATCH(float, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND3(T1, T2, T3, TYPE, NAME, ...) KL_DISPATCH(float, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(TYPE, NAME, ...) KL_DISPATCH(float, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(T1, T2, TYPE, NAME, ...) KL_DISPATCH(float, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...) KL_DISPATCH(float, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND(T1, TYPE, NAME, ...) KL_DISPATCH(float, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND2(T1, T2, TYPE, NAME, ...) KL_DISPATCH(float, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND3(T1, T2, T3, TYPE, NAME, ...) KL_DISPATCH(float, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX(TYPE, NAME, ...) KL_DISPATCH(float, __VA_ARGS__)
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(TYPE, NAME, ...) KL_DISPATCH(at::Half, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) KL_DISPATCH(int, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES_AND(T1, TYPE, NAME, ...) KL_DISPATCH(int, __VA_ARGS__)
#define AT_DISPATCH_INDEX_TYPES(TYPE, NAME, ...) \
    [&] { \
        typedef int index_t; \
        return __VA_ARGS__(); \
    }()
#define AT_DISPATCH_SWITCH(TYPE, NAME, ...) [&] { __VA_ARGS__ }()
#define AT_PRIVATE_CASE_TYPE_USING_HINT(ENUM, NAME, ...) \
    [&] { \
        typedef typename c10::impl::ScalarTypeToCPPType<ENUM>::type NAME; \
        return __VA_ARGS__(); \
    }();
#define AT_DISPATCH_CASE(ENUM, ...) AT_PRIVATE_CASE_TYPE_USING_HINT(ENUM, scalar_t, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES(...) KL_DISPATCH(float, __VA_ARGS__);
#define AT_DISPATCH_CASE_ALL_TYPES(...) KL_DISPATCH(float, __VA_ARGS__);
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...) KL_DISPATCH(int, __VA_ARGS__);

// Registration.
#define PYBIND11_MODULE(name, module, ...) static void pybind11_init(::pybind11::module_& module)
#define TORCH_LIBRARY(name, module) static void torch_library(::torch::Library& module)
#define TORCH_LIBRARY_FRAGMENT(name, module) static void torch_library_fragment(::torch::Library& module)
#define TORCH_LIBRARY_IMPL(name, key, module) static void torch_library_impl_##name##_##key(::torch::Library& module)
#define TORCH_LIBRARY_EXPAND(name, module) static void torch_library(::torch::Library& module)
#define TORCH_LIBRARY_IMPL_EXPAND(name, key, module) static void torch_library_impl(::torch::Library& module)
#define REGISTER_EXTENSION(name)
#define TORCH_BOX(f) f
