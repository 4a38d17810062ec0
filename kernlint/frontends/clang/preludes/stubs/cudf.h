// What kernels beside cuDF use of it: indices, spans, masks and counts of blocks.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

#define CUDF_KERNEL __global__ static
#define CUDF_HOST_DEVICE __host__ __device__
#define CUDF_EXPORT
#define CUDF_FUNC_RANGE()
#define CUDF_UNREACHABLE(...) abort()
#define CUDF_EXPECTS(condition, ...) do { if (!(condition)) abort(); } while (0)
#define CUDF_FAIL(...) abort()
#define CUDF_CUDA_TRY(call) ((void)(call))
#define CUDF_CHECK_CUDA(...) ((void)cudaGetLastError())

namespace rmm {
struct cuda_stream_view;
}

namespace cudf {
typedef int32_t size_type;
typedef uint32_t bitmask_type;
typedef uint32_t valid_type;
typedef int64_t thread_index_type;
typedef uint64_t hash_value_type;

#define KL_SPAN(NAME) \
    template <class T, size_t N = size_t(-1)> struct NAME { \
        T* __data; \
        size_t __size; \
        typedef T element_type; \
        typedef std::remove_cv_t<T> value_type; \
        typedef size_t size_type; \
        typedef T* pointer; \
        typedef T* iterator; \
        typedef T& reference; \
        constexpr NAME() : __data(nullptr), __size(0) {} \
        constexpr NAME(T* data, size_t size) : __data(data), __size(size) {} \
        template <class C, class = decltype(std::declval<C&>().data())> NAME(C&&); \
        KL_FOLLOW T& operator[](size_t i) const { return __data[i]; } \
        KL_FOLLOW T& front() const { return __data[0]; } \
        KL_FOLLOW T& back() const { return __data[__size - 1]; } \
        KL_FOLLOW T* data() const { return __data; } \
        KL_FOLLOW T* begin() const { return __data; } \
        KL_FOLLOW T* end() const { return __data + __size; } \
        KL_FOLLOW size_t size() const { return __size; } \
        KL_FOLLOW size_t size_bytes() const { return __size * sizeof(T); } \
        KL_FOLLOW bool empty() const { return __size == 0; } \
        KL_FOLLOW NAME first(size_t n) const { return NAME(__data, n); } \
        KL_FOLLOW NAME subspan(size_t from, size_t n) const { return NAME(__data + from, n); } \
    };
KL_SPAN(device_span)
KL_SPAN(host_span)
#undef KL_SPAN

KL_FOLLOW size_type word_index(size_type bit) { return bit / 32; }
KL_FOLLOW size_type intra_word_index(size_type bit) { return bit % 32; }
KL_FOLLOW bool bit_is_set(const bitmask_type* mask, size_type bit) { return mask[bit / 32] & (1u << (bit % 32)); }
KL_FOLLOW void set_bit_unsafe(bitmask_type* mask, size_type bit) { mask[bit / 32] |= 1u << (bit % 32); }
KL_FOLLOW void clear_bit_unsafe(bitmask_type* mask, size_type bit) { mask[bit / 32] &= ~(1u << (bit % 32)); }
KL_FOLLOW size_type num_bitmask_words(size_type bits) { return (bits + 31) / 32; }

rmm::cuda_stream_view get_default_stream();

namespace util {
template <class S, class T> KL_FOLLOW S div_rounding_up_safe(S dividend, T divisor) {
    return (dividend + divisor - 1) / divisor;
}
template <class S, class T> KL_FOLLOW S div_rounding_up_unsafe(S dividend, T divisor) {
    return (dividend + divisor - 1) / divisor;
}
template <class S, class T> KL_FOLLOW S round_up_safe(S number, T modulus) {
    return (number + modulus - 1) / modulus * modulus;
}
template <class S, class T> KL_FOLLOW S round_up_unsafe(S number, T modulus) {
    return (number + modulus - 1) / modulus * modulus;
}
}  // namespace util

namespace detail {
static constexpr size_type warp_size = 32;
struct grid_1d {
    size_type num_threads_per_block;
    size_type num_blocks;
    KL_FOLLOW grid_1d(thread_index_type elements, thread_index_type threads, thread_index_type per_thread = 1)
        : num_threads_per_block(threads),
          num_blocks((elements + per_thread * threads - 1) / (per_thread * threads)) {}
    KL_FOLLOW static thread_index_type global_thread_id() {
        return thread_index_type(threadIdx.x) + thread_index_type(blockIdx.x) * thread_index_type(blockDim.x);
    }
    template <int N> KL_FOLLOW static thread_index_type global_thread_id() {
        return thread_index_type(threadIdx.x) + thread_index_type(blockIdx.x) * N;
    }
    KL_FOLLOW static thread_index_type grid_stride() {
        return thread_index_type(blockDim.x) * thread_index_type(gridDim.x);
    }
};
}  // namespace detail
}  // namespace cudf

#pragma clang force_cuda_host_device end
