"""Members that get other memory where a size that is kept in other units has become too small."""

from __future__ import annotations

from kernlint_rules.launch.device_memory_leak import DeviceMemoryLeak
from kernlint_rules.launch.device_use_after_free import DeviceUseAfterFree

from tests.rules.marked import assert_marked, assert_pair

IN_GRAINS = """
#include <cuda_runtime.h>
#define CHECK(call) do { if ((call) != cudaSuccess) abort(); } while (0)
constexpr size_t kUnit = 1024;
class Workspace {
 public:
    ~Workspace() { CHECK(cudaFree(room_)); }
    char *ask(size_t bytes) {
        if (units_ * kUnit < bytes) {
            units_ = (bytes + kUnit - 1) / kUnit;
            CHECK(cudaFree(room_));  // only good
            CHECK(cudaMalloc(&room_, units_ * kUnit));  // bad
        }
        return room_;
    }
 private:
    char *room_ = nullptr;
    size_t units_ = 0;
};

struct lists { int *items; int pairs; };
void lists_end(struct lists *l) { CHECK(cudaFree(l->items)); }
void lists_ask(struct lists *l, int wanted) {
    if (wanted <= 2 * l->pairs) return;
    CHECK(cudaFree(l->items));  // only good
    l->pairs = (wanted + 1) / 2;
    CHECK(cudaMalloc((void **)&l->items, 2 * l->pairs * sizeof(int)));  // bad
}
"""


def test_memory_grows_whose_size_is_kept_in_grains() -> None:
    assert_pair(DeviceMemoryLeak, IN_GRAINS)


def test_a_mark_that_is_multiplied_tells_of_no_growth() -> None:
    once = IN_GRAINS.replace("// bad", "").replace("  // only good", "  // left out")
    once = "\n".join(line for line in once.splitlines() if "left out" not in line)
    once = once.replace("units_ * kUnit < bytes", "room_ == nullptr").replace(
        "wanted <= 2 * l->pairs", "l->items != nullptr"
    )
    assert_marked(DeviceMemoryLeak, once)


GROWN = """
#include <thrust/device_vector.h>
__global__ void seed(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1.0f; }
class Cloud {
 public:
    void add(int more) {
        float *at = thrust::raw_pointer_cast(points_.data());
        const size_t before = points_.size();
        points_.resize(before + more);
        at = thrust::raw_pointer_cast(points_.data());  // only good
        seed<<<1, 64>>>(at + before, more);  // bad
    }
    void cut() {
        float *at = thrust::raw_pointer_cast(points_.data());
        points_.resize(points_.size() / 2);
        seed<<<1, 64>>>(at, 2);
    }
 private:
    thrust::device_vector<float> points_;
};
"""


def test_a_pointer_from_before_a_vector_was_made_longer() -> None:
    assert_pair(DeviceUseAfterFree, GROWN)
    ahead = GROWN.replace(" private:", "    Cloud() { points_.reserve(1000); }\n private:")
    assert_marked(
        DeviceUseAfterFree,
        ahead.replace("  // bad", "").replace("at = thrust::raw_pointer_cast(points_.data());  // only good", ""),
    )


IN_TWO_STEPS = """
#include <cuda_runtime.h>
class Room {
 public:
    ~Room() { if (room_) cudaFree(room_); }
    void ask(size_t wanted) {
        if (room_ && size_ < wanted) cudaFree(room_);  // only good
        if (room_ && size_ >= wanted) return;
        cudaMalloc((void **)&room_, wanted);  // bad
        size_ = wanted;
    }
 private:
    float *room_ = nullptr;
    size_t size_ = 0;
};
"""


def test_the_two_ways_of_an_and_that_was_asked_before() -> None:
    assert_pair(DeviceMemoryLeak, IN_TWO_STEPS)
