// vecmem: atomic references, of which the locks and counters of its users are made.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

#include "libcudacxx.h"

namespace vecmem {
enum class memory_order { relaxed, consume, acquire, release, acq_rel, seq_cst };
inline constexpr memory_order memory_order_relaxed = memory_order::relaxed;
inline constexpr memory_order memory_order_consume = memory_order::consume;
inline constexpr memory_order memory_order_acquire = memory_order::acquire;
inline constexpr memory_order memory_order_release = memory_order::release;
inline constexpr memory_order memory_order_acq_rel = memory_order::acq_rel;
inline constexpr memory_order memory_order_seq_cst = memory_order::seq_cst;
enum class device_address_space { global, local };
template <class T, device_address_space Space = device_address_space::global> class device_atomic_ref {
    using __kl_ref = ::cuda::atomic_ref<T, ::cuda::thread_scope_device>;

public:
    using value_type = T;
    KL_FOLLOW explicit device_atomic_ref(T& value) : __kl_pointer(&value) {}
    KL_FOLLOW T load(memory_order = memory_order::seq_cst) const { return __kl_ref(*__kl_pointer).load(); }
    KL_FOLLOW void store(T value, memory_order = memory_order::seq_cst) const { __kl_ref(*__kl_pointer).store(value); }
    KL_FOLLOW T exchange(T value, memory_order = memory_order::seq_cst) const {
        return __kl_ref(*__kl_pointer).exchange(value);
    }
    KL_FOLLOW bool compare_exchange_strong(T& expected, T value, memory_order = memory_order::seq_cst) const {
        return __kl_ref(*__kl_pointer).compare_exchange_strong(expected, value);
    }
    KL_FOLLOW bool compare_exchange_strong(T& expected, T value, memory_order, memory_order) const {
        return __kl_ref(*__kl_pointer).compare_exchange_strong(expected, value);
    }
    KL_FOLLOW T fetch_add(T value, memory_order = memory_order::seq_cst) const {
        return __kl_ref(*__kl_pointer).fetch_add(value);
    }
    KL_FOLLOW T fetch_sub(T value, memory_order = memory_order::seq_cst) const {
        return __kl_ref(*__kl_pointer).fetch_sub(value);
    }
    KL_FOLLOW T fetch_and(T value, memory_order = memory_order::seq_cst) const {
        return __kl_ref(*__kl_pointer).fetch_and(value);
    }
    KL_FOLLOW T fetch_or(T value, memory_order = memory_order::seq_cst) const {
        return __kl_ref(*__kl_pointer).fetch_or(value);
    }
    KL_FOLLOW T fetch_xor(T value, memory_order = memory_order::seq_cst) const {
        return __kl_ref(*__kl_pointer).fetch_xor(value);
    }

private:
    T* __kl_pointer;
};
}  // namespace vecmem

#pragma clang force_cuda_host_device end
