// Cooperative groups. Every kind of group has members of its own, so that a call tells which group it synchronises.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

namespace cooperative_groups {

struct thread_group {
    void sync() const;
    unsigned long long size() const;
    unsigned long long num_threads() const;
    unsigned long long thread_rank() const;
    bool is_valid() const;
};

struct thread_block : thread_group {
    struct arrival_token {};
    static void sync();
    static arrival_token barrier_arrive();
    static void barrier_wait(arrival_token&&);
    static unsigned int size();
    static unsigned int num_threads();
    static unsigned int thread_rank();
    static dim3 group_index();
    static dim3 thread_index();
    static dim3 group_dim();
    static dim3 dim_threads();
};

struct cluster_group : thread_group {
    struct arrival_token {};
    static void sync();
    static arrival_token barrier_arrive();
    static void barrier_wait();
    static void barrier_wait(arrival_token&&);
    static unsigned int size();
    static unsigned int num_threads();
    static unsigned int thread_rank();
    static dim3 thread_index();
    static dim3 dim_threads();
    static dim3 block_index();
    static dim3 dim_blocks();
    static unsigned int block_rank();
    static unsigned int num_blocks();
    template <class T> static T* map_shared_rank(T*, int);
    template <class T> static unsigned int query_shared_rank(const T*);
};

struct grid_group : thread_group {
    struct arrival_token {};
    void sync() const;
    arrival_token barrier_arrive() const;
    void barrier_wait(arrival_token&&) const;
    bool is_valid() const;
    unsigned long long size() const;
    unsigned long long num_threads() const;
    unsigned long long thread_rank() const;
    dim3 group_dim() const;
    dim3 dim_blocks() const;
    unsigned long long num_blocks() const;
    dim3 block_index() const;
    unsigned long long block_rank() const;
    unsigned long long num_clusters() const;
    unsigned long long cluster_rank() const;
};

struct multi_grid_group : thread_group {
    void sync() const;
    bool is_valid() const;
    unsigned int size() const;
    unsigned int thread_rank() const;
    unsigned int num_grids() const;
    unsigned int grid_rank() const;
};

#define KL_WARP_GROUP \
    void sync() const; \
    unsigned int thread_rank() const; \
    unsigned int meta_group_rank() const; \
    unsigned int meta_group_size() const; \
    template <class T> T shfl(T, int) const; \
    template <class T> T shfl_up(T, unsigned int) const; \
    template <class T> T shfl_down(T, unsigned int) const; \
    template <class T> T shfl_xor(T, unsigned int) const; \
    int any(int) const; \
    int all(int) const; \
    __kl_mask ballot(int) const; \
    template <class T> __kl_mask match_any(T) const; \
    template <class T> __kl_mask match_all(T, int&) const;

struct coalesced_group : thread_group {
    KL_WARP_GROUP
    unsigned int size() const;
    unsigned int num_threads() const;
};

template <unsigned int Size, class Parent = void> struct thread_block_tile : thread_group {
    KL_WARP_GROUP
    static constexpr unsigned int size() { return Size; }
    static constexpr unsigned int num_threads() { return Size; }
    operator thread_block_tile<Size, void>() const;
};
#undef KL_WARP_GROUP

thread_block this_thread_block();
cluster_group this_cluster();
grid_group this_grid();
multi_grid_group this_multi_grid();
coalesced_group coalesced_threads();
template <unsigned int Size, class Parent> thread_block_tile<Size, Parent> tiled_partition(const Parent&);
thread_group tiled_partition(const thread_group&, unsigned int);
template <class Group> coalesced_group binary_partition(const Group&, bool);
template <class Group, class Label> coalesced_group labeled_partition(const Group&, Label);
template <class Group> void sync(const Group&);
template <class Group> void synchronize(const Group&);
template <class Group> unsigned long long group_size(const Group&);
template <class Group> unsigned long long thread_rank(const Group&);

// Operators.
template <class T> struct plus { T operator()(T, T) const; };
template <class T> struct less { T operator()(T, T) const; };
template <class T> struct greater { T operator()(T, T) const; };
template <class T> struct bit_and { T operator()(T, T) const; };
template <class T> struct bit_or { T operator()(T, T) const; };
template <class T> struct bit_xor { T operator()(T, T) const; };

// Collectives.
template <class Group, class T, class Operator> T reduce(const Group&, T, Operator);
template <class Group, class T, class Operator> void reduce_update_async(const Group&, T&, T, Operator);
template <class Group, class T, class Operator> T inclusive_scan(const Group&, T, Operator);
template <class Group, class T> T inclusive_scan(const Group&, T);
template <class Group, class T, class Operator> T exclusive_scan(const Group&, T, Operator);
template <class Group, class T> T exclusive_scan(const Group&, T);
template <class Group, class Function, class... A> void invoke_one(const Group&, Function&&, A&&...);

// Asynchronous copies.
template <class Group, class T, class Size> void memcpy_async(const Group&, T*, const void*, const Size&);
template <class Group, class T, class To, class From>
void memcpy_async(const Group&, T*, const To&, const T*, const From&);
template <class Group> void wait(const Group&);
template <unsigned int Stages, class Group> void wait_prior(const Group&);

namespace experimental {
using namespace cooperative_groups;
}

}  // namespace cooperative_groups

#pragma clang force_cuda_host_device end
