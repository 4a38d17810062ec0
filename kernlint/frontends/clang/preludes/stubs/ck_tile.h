// The vector, buffer and number parts of Composable Kernel's tile library.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

namespace ck_tile {

// Scalars.
typedef int index_t;
typedef long long_index_t;
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef _Float16 fp16_t;
typedef _Float16 half_t;
typedef __bf16 bf16_t;
typedef __bf16 bfloat16_t;
typedef float fp32_t;
typedef double fp64_t;
struct fp8_t {
    unsigned char __x;
    fp8_t() = default;
    explicit fp8_t(float);
    operator float() const;
};
struct bf8_t {
    unsigned char __x;
    bf8_t() = default;
    explicit bf8_t(float);
    operator float() const;
};
struct pk_int4_t { signed char data; };
struct fp4x2_t { unsigned char __x; };
typedef fp4x2_t pk_fp4_t;
typedef struct { unsigned char __x; } e8m0_t;

// Numbers.
template <auto V> struct constant {
    typedef decltype(V) value_type;
    static constexpr value_type value = V;
    constexpr operator value_type() const { return V; }
    constexpr value_type operator()() const { return V; }
};
template <index_t V> using number = constant<V>;
template <bool V> using bool_constant = constant<V>;
typedef constant<true> true_type;
typedef constant<false> false_type;
template <index_t... I> struct sequence {
    static constexpr index_t size() { return sizeof...(I); }
};
template <class... T> using tuple = std::tuple<T...>;
template <class... T> constexpr tuple<T...> make_tuple(T... v) { return tuple<T...>(v...); }
template <class T> struct numeric {
    static constexpr T max() { return std::numeric_limits<T>::max(); }
    static constexpr T min() { return std::numeric_limits<T>::min(); }
    static constexpr T lowest() { return std::numeric_limits<T>::lowest(); }
    static constexpr T infinity() { return std::numeric_limits<T>::infinity(); }
};
#define KL_NUMERIC(T) \
    template <> struct numeric<T> { \
        static T max(); \
        static T min(); \
        static T lowest(); \
        static T infinity(); \
    };
KL_NUMERIC(fp8_t)
KL_NUMERIC(bf8_t)
KL_NUMERIC(fp16_t)
KL_NUMERIC(bf16_t)
#undef KL_NUMERIC
template <class T> using remove_cvref_t = __remove_cvref(T);
template <class X, class Y> constexpr auto integer_divide_ceil(X x, Y y) { return (x + y - 1) / y; }
template <class X, class Y> constexpr auto integer_least_multiple(X x, Y y) { return y * ((x + y - 1) / y); }
template <class T> constexpr T next_power_of_two(T);
template <class T> constexpr T max(T a, T b) { return a < b ? b : a; }
template <class T> constexpr T min(T a, T b) { return b < a ? b : a; }
template <class T, class U> T type_convert(U);
template <class T, class U> T bit_cast(const U&);
template <class T> T exp(T);
template <class T> T exp2(T);
template <class T> T sqrt(T);
template <class T> T abs(T);

// Loops that are unrolled at compile time: the body is called with number<i>.
template <index_t Begin, index_t End, index_t Step> struct static_for {
    template <class F> constexpr void operator()(F f) const { f(number<Begin>()); }
};

// Vectors.
template <class T, index_t N> struct thread_buffer {
    typedef T value_type;
    T data[N];
    static constexpr index_t size() { return N; }
    T& operator[](index_t);
    const T& operator[](index_t) const;
    T& at(index_t);
    T& operator()(index_t);
    template <index_t I> T& operator[](number<I>);
    template <class U> thread_buffer<U, N * sizeof(T) / sizeof(U)>& get_as();
    template <class U> const thread_buffer<U, N * sizeof(T) / sizeof(U)>& get_as() const;
    template <class U> U& get_as(index_t);
    template <class U> const U& get_as(index_t) const;
    template <class U, class V> void set_as(index_t, const V&);
    T get() const;
};
template <class T, index_t N> using vec_t = thread_buffer<T, N>;
template <class T, index_t N> using ext_vector_t = thread_buffer<T, N>;
template <class T, index_t N> using array = thread_buffer<T, N>;
template <class T> struct vector_traits {
    typedef T scalar_type;
    static constexpr index_t vector_size = 1;
};
template <class T, index_t N> struct vector_traits<thread_buffer<T, N>> {
    typedef T scalar_type;
    static constexpr index_t vector_size = N;
};
template <class T, class U, index_t N> thread_buffer<T, N> vec_convert(const thread_buffer<U, N>&);
template <class T, class U, index_t N> thread_buffer<T, N> vec_convert(const thread_buffer<U, N>&, float);

// Buffers.
enum struct address_space_enum { generic, global, lds, sgpr, vgpr };
enum struct amd_buffer_coherence_enum { coherence_default, glc, slc, glc_slc };
enum struct memory_operation_enum { set, atomic_add, atomic_max, add };
template <class T> struct buffer_view {
    T* p_data_;
    void init_raw();
    template <class X> X get(index_t, index_t, bool) const;
    template <class X> X get(index_t, bool) const;
    template <class X> void set(index_t, index_t, bool, const X&);
    template <class X> void set(index_t, bool, const X&);
    T& operator()(index_t);
    const T& operator[](index_t) const;
};
template <address_space_enum S, amd_buffer_coherence_enum C = amd_buffer_coherence_enum::coherence_default, class T, class N>
buffer_view<T> make_buffer_view(T*, N);

// Threads.
constexpr index_t get_warp_size() { return 64; }
index_t get_thread_id();
index_t get_block_id();
index_t get_grid_size();
index_t get_block_size();
index_t get_lane_id();
index_t get_warp_id();
index_t get_thread_local_1d_id();
index_t get_block_1d_id();
void block_sync_lds();
void block_sync_lds_direct_load();
template <class T> T warp_shuffle(const T&, unsigned int);
template <class T> T warp_shuffle_up(const T&, unsigned int);
template <class T> T warp_shuffle_down(const T&, unsigned int);

// Hosts.
struct stream_config {
    struct ihipStream_t* stream_id_;
    bool time_kernel_;
    int log_level_;
    int cold_niters_;
    int nrepeat_;
};

}  // namespace ck_tile

#pragma clang force_cuda_host_device end
