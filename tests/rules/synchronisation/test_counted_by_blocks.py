"""Rows that memory names for each block, which adds to them without an atomic operation."""

from __future__ import annotations

from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import assert_marked, assert_pair

COUNTED = """
__global__ void learn(const int *word, const float *step, float *vectors, int *uses, int width, int n) {
    for (int s = blockIdx.x; s < n; s += gridDim.x) {
        const int w = word[s];
        if (threadIdx.x == 0) atomicAdd(&uses[w], 1);
        for (int c = threadIdx.x; c < width; c += blockDim.x)
            vectors[w * width + c] += step[s * width + c];  // bad  // only bad
            atomicAdd(&vectors[w * width + c], step[s * width + c]);  // only good
    }
}
"""


def test_rows_that_blocks_count_the_uses_of() -> None:
    assert_pair(GlobalMemoryRace, COUNTED)


BELIEVED = """
__global__ void learn(const int *word, const float *step, float *vectors, int width) {
    const int w = word[blockIdx.x];
    for (int c = threadIdx.x; c < width; c += blockDim.x) vectors[w * width + c] += step[blockIdx.x * width + c];
}
__global__ void lengths(const int *word, const float *step, float *vectors, float *norms, int width) {
    const int w = word[blockIdx.x];
    for (int c = threadIdx.x; c < width; c += blockDim.x) {
        vectors[w * width + c] += step[blockIdx.x * width + c];
        atomicAdd(&norms[w], step[blockIdx.x * width + c]);
    }
}
__global__ void steps(const int *word, const float *step, float *vectors, int *done, int width) {
    const int w = word[blockIdx.x];
    for (int c = threadIdx.x; c < width; c += blockDim.x) vectors[w * width + c] += step[blockIdx.x * width + c];
    if (threadIdx.x == 0) atomicAdd(done, 1);
}
"""


def test_rows_that_blocks_may_have_for_themselves() -> None:
    assert_marked(GlobalMemoryRace, BELIEVED)
