"""Locks in classes that keep a reference to an atomic word."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import findings

GATE = """
#include <HEADER>
#include <mutex>
template <typename T = unsigned> class gate {
public:
    __device__ gate(T &word) : word_(word) {}
    __device__ void lock() { while (!try_lock()) ; }
    __device__ bool try_lock() { T open = 0; return word_.compare_exchange_strong(open, T(1), ACQUIRE); }
    __device__ void unlock() { word_.store(T(0), RELEASE); }
private:
    const REFERENCE word_;
};
template <typename Gate> class hold {
public:
    __device__ hold(Gate &gate, std::defer_lock_t) : gate_(&gate) {}
    __device__ hold(Gate &gate, std::adopt_lock_t) : gate_(&gate), held_(true) {}
    __device__ ~hold() { if (held_) gate_->unlock(); }
    __device__ void lock() { gate_->lock(); held_ = true; }
private:
    Gate *gate_;
    bool held_ = false;
};
__global__ void count(unsigned *total, unsigned *word) {
    gate g(*word);
    if (threadIdx.x == 0) {
        BEGIN
        unsigned now = *total;
        now += 1;
        *total = now;
        END
    }
}
void run(unsigned *total, unsigned *word) { count<<<4096, 32>>>(total, word); }
"""
LIBRARIES = {
    "cuda/atomic": ("cuda::atomic_ref<T, cuda::thread_scope_device>", "cuda::memory_order_"),
    "vecmem/memory/device_atomic_ref.hpp": ("vecmem::device_atomic_ref<T>", "vecmem::memory_order::"),
}


@pytest.mark.parametrize("header", LIBRARIES)
@pytest.mark.parametrize(
    ("begin", "end", "bad"),
    [
        ("g.lock();", "g.unlock();", False),
        ("hold own(g, std::defer_lock); own.lock();", "", False),
        ("g.lock(); hold own(g, std::adopt_lock);", "", False),
        ("g.try_lock();", "g.unlock();", True),
        ("", "g.lock(); g.unlock();", True),
    ],
)
def test_a_lock_is_seen_through_its_class(header: str, begin: str, end: str, bad: bool) -> None:
    reference, orders = LIBRARIES[header]
    code = GATE.replace("HEADER", header).replace("REFERENCE", reference).replace("BEGIN", begin).replace("END", end)
    code = code.replace("ACQUIRE", orders + "acquire").replace("RELEASE", orders + "release")
    assert bool(findings(GlobalMemoryRace, code)) is bad
