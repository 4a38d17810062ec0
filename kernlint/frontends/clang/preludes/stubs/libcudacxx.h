// The cuda:: namespace: barriers, pipelines, atomics with a scope, asynchronous copies.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

namespace cuda {

namespace std {
using namespace ::std;
}  // namespace std

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
enum memory_order {
    memory_order_relaxed,
    memory_order_consume,
    memory_order_acquire,
    memory_order_release,
    memory_order_acq_rel,
    memory_order_seq_cst,
};
namespace std {
using ::cuda::memory_order;
using ::cuda::memory_order_acq_rel;
using ::cuda::memory_order_acquire;
using ::cuda::memory_order_relaxed;
using ::cuda::memory_order_release;
using ::cuda::memory_order_seq_cst;
}  // namespace std

// Sizes with an alignment.
template <size_t Alignment> struct aligned_size_t {
    constexpr explicit aligned_size_t(size_t);
    constexpr operator size_t() const;
};

// What a lambda gives back, said for the compiler of the other side.
template <class R, class F> KL_FOLLOW F proclaim_return_type(F f) { return f; }

// Barriers.
template <thread_scope Scope = thread_scope_system, class Completion = void> struct barrier {
    struct arrival_token {};
    barrier() = default;
    explicit barrier(ptrdiff_t);
    friend void init(barrier*, ptrdiff_t) {}
    arrival_token arrive(ptrdiff_t = 1);
    void wait(arrival_token&&) const;
    void wait_parity(bool) const;
    void arrive_and_wait();
    void arrive_and_drop();
    template <class Token> bool try_wait(Token&&) const;
};
template <thread_scope Scope> unsigned long long* barrier_native_handle(barrier<Scope>&);
typename barrier<thread_scope_block>::arrival_token barrier_arrive_tx(
    barrier<thread_scope_block>&, ptrdiff_t, ptrdiff_t);
void barrier_expect_tx(barrier<thread_scope_block>&, ptrdiff_t);
template <thread_scope Scope = thread_scope_system> struct binary_semaphore { void acquire(); void release(); };
template <thread_scope Scope = thread_scope_system> struct latch {
    explicit latch(ptrdiff_t);
    void count_down(ptrdiff_t = 1);
    void wait() const;
    void arrive_and_wait();
};

// Pipelines.
enum class pipeline_role { producer, consumer };
template <thread_scope Scope, unsigned char Stages> struct pipeline_shared_state {};
template <thread_scope Scope> struct pipeline {
    void producer_acquire();
    void producer_commit();
    void consumer_wait();
    void consumer_release();
    template <class Duration> bool consumer_wait_for(const Duration&);
    bool quit();
};
pipeline<thread_scope_thread> make_pipeline();
template <class Group, thread_scope Scope, unsigned char Stages>
pipeline<Scope> make_pipeline(const Group&, pipeline_shared_state<Scope, Stages>*);
template <class Group, thread_scope Scope, unsigned char Stages, class Role>
pipeline<Scope> make_pipeline(const Group&, pipeline_shared_state<Scope, Stages>*, Role);
template <unsigned char Prior> void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>&);
template <thread_scope Scope> void pipeline_producer_commit(pipeline<thread_scope_thread>&, barrier<Scope>&);

// Asynchronous copies: (destination, source, size, pipeline or barrier), or with a group in front.
template <class Size, class Sync> void memcpy_async(void*, const void*, Size, Sync&);
template <class Group, class Size, class Sync> void memcpy_async(const Group&, void*, const void*, Size, Sync&);
namespace device {
template <class... A> void memcpy_async_tx(A&&...);
namespace experimental {
template <class... A> void cp_async_bulk_global_to_shared(A&&...);
template <class... A> void cp_async_bulk_shared_to_global(A&&...);
template <class... A> void cp_async_bulk_tensor_1d_global_to_shared(A&&...);
template <class... A> void cp_async_bulk_tensor_2d_global_to_shared(A&&...);
template <class... A> void cp_async_bulk_tensor_2d_shared_to_global(A&&...);
void cp_async_bulk_commit_group();
template <int N> void cp_async_bulk_wait_group_read();
void fence_proxy_async_shared_cta();
}  // namespace experimental
}  // namespace device

// Atomics.
#define KL_ATOMIC_MEMBERS(CONST) \
    T load(memory_order = memory_order_seq_cst) const; \
    void store(T, memory_order = memory_order_seq_cst) CONST; \
    T exchange(T, memory_order = memory_order_seq_cst) CONST; \
    bool compare_exchange_weak(T&, T, memory_order = memory_order_seq_cst) CONST; \
    bool compare_exchange_weak(T&, T, memory_order, memory_order) CONST; \
    bool compare_exchange_strong(T&, T, memory_order = memory_order_seq_cst) CONST; \
    bool compare_exchange_strong(T&, T, memory_order, memory_order) CONST; \
    T fetch_add(T, memory_order = memory_order_seq_cst) CONST; \
    T fetch_sub(T, memory_order = memory_order_seq_cst) CONST; \
    T fetch_and(T, memory_order = memory_order_seq_cst) CONST; \
    T fetch_or(T, memory_order = memory_order_seq_cst) CONST; \
    T fetch_xor(T, memory_order = memory_order_seq_cst) CONST; \
    T fetch_min(T, memory_order = memory_order_seq_cst) CONST; \
    T fetch_max(T, memory_order = memory_order_seq_cst) CONST; \
    void wait(T, memory_order = memory_order_seq_cst) const; \
    void notify_one() CONST; \
    void notify_all() CONST; \
    operator T() const; \
    T operator++() CONST; \
    T operator++(int) CONST; \
    T operator--() CONST; \
    T operator--(int) CONST; \
    T operator+=(T) CONST; \
    T operator-=(T) CONST; \
    T operator&=(T) CONST; \
    T operator|=(T) CONST; \
    T operator^=(T) CONST;
template <class T, thread_scope Scope = thread_scope_system> struct atomic {
    atomic() = default;
    constexpr atomic(T);
    T operator=(T);
    KL_ATOMIC_MEMBERS()
    T __kl_value;
};
template <class T, thread_scope Scope = thread_scope_system> struct atomic_ref {
    explicit atomic_ref(T&);
    T operator=(T) const;
    KL_ATOMIC_MEMBERS(const)
    T* __kl_pointer;
};
#undef KL_ATOMIC_MEMBERS
void atomic_thread_fence(memory_order, thread_scope = thread_scope_system);
namespace std {
template <class T> using atomic = ::cuda::atomic<T>;
template <class T> using atomic_ref = ::cuda::atomic_ref<T>;
}  // namespace std

// Functors.
template <class T = void> struct maximum { template <class U> U operator()(const U&, const U&) const; };
template <class T = void> struct minimum { template <class U> U operator()(const U&, const U&) const; };
template <class T, class U> constexpr T ceil_div(T a, U b) { return (a + b - 1) / b; }

// Instructions.
namespace ptx {
enum class dot_sem { acquire, release, relaxed };
struct sem_acquire_t {};
struct sem_release_t {};
struct sem_relaxed_t {};
struct scope_cta_t {};
struct scope_cluster_t {};
struct scope_gpu_t {};
struct space_shared_t {};
struct space_cluster_t {};
struct space_global_t {};
template <int N> struct n32_t {};
constexpr sem_acquire_t sem_acquire{};
constexpr sem_release_t sem_release{};
constexpr sem_relaxed_t sem_relaxed{};
constexpr scope_cta_t scope_cta{};
constexpr scope_cluster_t scope_cluster{};
constexpr scope_gpu_t scope_gpu{};
constexpr space_shared_t space_shared{};
constexpr space_cluster_t space_cluster{};
constexpr space_global_t space_global{};
unsigned int get_sreg_laneid();
unsigned int get_sreg_warpid();
void mbarrier_init(unsigned long long*, unsigned int);
template <class... A> unsigned long long mbarrier_arrive(A&&...);
template <class... A> unsigned long long mbarrier_arrive_expect_tx(A&&...);
template <class... A> bool mbarrier_try_wait(A&&...);
template <class... A> bool mbarrier_try_wait_parity(A&&...);
template <class... A> bool mbarrier_test_wait(A&&...);
template <class... A> void cp_async_bulk(A&&...);
template <class... A> void cp_async_bulk_tensor(A&&...);
void cp_async_bulk_commit_group();
template <class N> void cp_async_bulk_wait_group(N);
template <class N> void cp_async_bulk_wait_group_read(N);
template <class... A> void fence_proxy_async(A&&...);
template <class... A> void fence_mbarrier_init(A&&...);
}  // namespace ptx

}  // namespace cuda

#pragma clang force_cuda_host_device end
