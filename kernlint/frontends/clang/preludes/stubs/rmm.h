// RMM: memory on the device and streams, as host code beside kernels of RAPIDS's programs has them.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

#define RMM_CUDA_TRY(...) ((void)(__VA_ARGS__))
#define RMM_EXPECTS(condition, ...) do { if (!(condition)) abort(); } while (0)
#define RMM_FAIL(...) abort()

namespace rmm {
struct cuda_stream_view {
    cuda_stream_view();
    cuda_stream_view(cudaStream_t);
    cudaStream_t value() const;
    operator cudaStream_t() const;
    bool is_default() const;
    void synchronize() const;
    void synchronize_no_throw() const;
};
extern cuda_stream_view cuda_stream_default, cuda_stream_legacy, cuda_stream_per_thread;
struct cuda_stream {
    cuda_stream();
    cudaStream_t value() const;
    operator cuda_stream_view() const;
    operator cudaStream_t() const;
    cuda_stream_view view() const;
    void synchronize() const;
};
struct exec_policy {
    template <class... A> exec_policy(const A&...);
};
struct exec_policy_nosync {
    template <class... A> exec_policy_nosync(const A&...);
};
template <class T> struct device_uvector {
    typedef T value_type;
    typedef size_t size_type;
    typedef T* iterator;
    typedef const T* const_iterator;
    typedef T* pointer;
    typedef const T* const_pointer;
    template <class... A> explicit device_uvector(size_t, A&&...);
    template <class... A> device_uvector(const device_uvector&, A&&...);
    device_uvector(device_uvector&&);
    device_uvector& operator=(device_uvector&&);
    T* data();
    const T* data() const;
    T* begin();
    const T* begin() const;
    const T* cbegin() const;
    T* end();
    const T* end() const;
    const T* cend() const;
    T* element_ptr(size_t) const;
    T element(size_t, cuda_stream_view) const;
    T front_element(cuda_stream_view) const;
    T back_element(cuda_stream_view) const;
    template <class... A> void set_element(size_t, A&&...);
    template <class... A> void set_element_async(size_t, A&&...);
    template <class... A> void set_element_to_zero_async(size_t, A&&...);
    void resize(size_t, cuda_stream_view);
    void reserve(size_t, cuda_stream_view);
    void shrink_to_fit(cuda_stream_view);
    size_t size() const;
    int64_t ssize() const;
    size_t capacity() const;
    bool is_empty() const;
    cuda_stream_view stream() const;
    void set_stream(cuda_stream_view);
};
template <class T> struct device_scalar {
    typedef T value_type;
    template <class... A> explicit device_scalar(A&&...);
    T* data();
    const T* data() const;
    T value(cuda_stream_view) const;
    template <class... A> void set_value_async(A&&...);
    void set_value_to_zero_async(cuda_stream_view);
    cuda_stream_view stream() const;
};
struct device_buffer {
    template <class... A> explicit device_buffer(A&&...);
    void* data();
    const void* data() const;
    size_t size() const;
    size_t capacity() const;
    bool is_empty() const;
    void resize(size_t, cuda_stream_view);
    cuda_stream_view stream() const;
};
}  // namespace rmm

#pragma clang force_cuda_host_device end
