"""Members that another function of the class expects to be 0, and grids that are made of them."""

from __future__ import annotations

from kernlint_rules.launch.launch_limits import LaunchLimits

from tests.rules.marked import assert_marked, assert_pair

MARKS = """
#include <stdexcept>
#include <vector>
static void ok(cudaError_t e) { if (e != cudaSuccess) throw std::runtime_error("cuda"); }
__global__ void moved(float3 *marks, int n, float3 by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) marks[i].x += by.x;
}
class Marks {
 public:
    explicit Marks(const std::vector<float3> &from) : many_((int)from.size()) {
        LEAVES
        ok(cudaMalloc(&marks_, many_ * sizeof(float3)));
        ok(cudaMemcpy(marks_, from.data(), many_ * sizeof(float3), cudaMemcpyHostToDevice));
    }
    ~Marks() { cudaFree(marks_); }
    Marks(const Marks &) = delete;
    void move(float3 by) {
        if (many_ < 1) return;  // only good
        const int blocks = (many_ + 63) / 64;
        moved<<<blocks, 64>>>(marks_, many_, by);  // bad
        ok(cudaGetLastError());
    }
 private:
    int many_;
    float3 *marks_ = nullptr;
};
"""


def test_a_constructor_that_leaves_for_nothing() -> None:
    assert_pair(LaunchLimits, MARKS.replace("LEAVES", "if (many_ == 0) return;"))
    assert_pair(LaunchLimits, MARKS.replace("LEAVES", "if (!many_) { return; }"))


def test_where_nothing_is_refused_or_nobody_asks() -> None:
    bare = MARKS.replace("  // bad", "").replace("        if (many_ < 1) return;  // only good\n", "")
    assert_marked(LaunchLimits, bare.replace("LEAVES", 'if (many_ == 0) throw std::invalid_argument("none");'))
    assert_marked(LaunchLimits, bare.replace("LEAVES", ""))
    leaves = bare.replace("LEAVES", "if (many_ == 0) return;")
    assert_marked(
        LaunchLimits, leaves.replace(" private:", "    void twice(float3 by) { if (many_) move(by); }\n private:")
    )
    assert_marked(LaunchLimits, leaves.replace("(many_ + 63) / 64", "many_ / 64 + 1"))
    assert_marked(LaunchLimits, leaves.replace("ok(cudaGetLastError());", ""))
