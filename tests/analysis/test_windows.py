"""Parts of one buffer that are passed for two parameters which are said not to overlap."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.aliased_restrict_arguments import AliasedRestrictArguments

from tests.rules.marked import assert_marked

KERNEL = """
__global__ void blend(const float *__restrict__ from, float *__restrict__ to, int n, float weight) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = weight * from[i];
}
template <typename T> __global__ void ahead(T *__restrict__ to, const T *__restrict__ from, int width, int height) {
    for (int y = threadIdx.y; y < height; y += blockDim.y)
        for (int x = threadIdx.x; x < width; x += blockDim.x) to[y * width + x] = from[y * width + x];
}
"""

BAD = {
    "one element on": "void run(float *x, int n) { blend<<<(n + 255) / 256, 256>>>(x + 1, x, n, 0.5f); }  // bad",
    "half of what is used": """
        void run(float *x, int n) { blend<<<(2 * n + 127) / 128, 128>>>(x, x + n, 2 * n, 0.5f); }  // bad
        """,
    "a row of an image, of a class": """
        class Scroll {
            float *image = nullptr;
            int width, height;
        public:
            Scroll(int w, int h) : width(w), height(h) { cudaMalloc(&image, sizeof(float) * w * h); }
            ~Scroll() { cudaFree(image); }
            void up() { ahead<float><<<1, dim3(32, 8)>>>(image, image + width, width, 3); }  // bad
        };
        """,
    "a helper of the host": """
        static float *row(float *image, int width, int y) { return image + y * width; }
        void run(float *image, int width) {
            ahead<float><<<1, dim3(32, 8)>>>(row(image, width, 1), row(image, width, 3), width, 4);  // bad
        }
        """,
}


@pytest.mark.parametrize("code", BAD.values(), ids=BAD)
def test_parts_have_elements_in_common(code: str) -> None:
    assert_marked(AliasedRestrictArguments, KERNEL + code)


GOOD = {
    "halves": "void run(float *x, int n) { blend<<<(n + 255) / 256, 256>>>(x + n, x, n, 0.5f); }",
    "how far is not known": """
        void run(float *x, int n, int step) { blend<<<(n + 255) / 256, 256>>>(x + step, x, n, 0.5f); }
        """,
    "buffers in turn": """
        void run(float *x, int n, int now) {
            for (int k = 0; k < 8; ++k, now = 1 - now)
                blend<<<(n + 255) / 256, 256>>>(x + now * n, x + (1 - now) * n, n, 0.5f);
        }
        """,
    "no promise": """
        __global__ void own(const float *from, float *to, int n) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) to[i] = from[i];
        }
        void run(float *x, int n) { own<<<(n + 255) / 256, 256>>>(x + n / 2, x + 2 * n, n); }
        """,
    "members of one structure": """
        struct Fields { float now[1024]; float next[1024]; };
        void run(Fields *f) { blend<<<4, 256>>>(f->now, f->next, 1024, 0.5f); }
        """,
    "rows that are not used": """
        void run(float *image, int width) {
            ahead<float><<<1, dim3(32, 8)>>>(image, image + 3 * width, width, 3);
        }
        """,
}


@pytest.mark.parametrize("code", GOOD.values(), ids=GOOD)
def test_parts_have_nothing_in_common(code: str) -> None:
    assert_marked(AliasedRestrictArguments, KERNEL + code)


IN_PLACE = """
struct Cell { float weight; float load[3]; };
__device__ unsigned place() {
    const unsigned block = blockIdx.x + blockIdx.y * gridDim.x;
    return block * (blockDim.x * blockDim.y) + threadIdx.y * blockDim.x + threadIdx.x;
}
__global__ void turned(const float2 *from, float2 *to, float by) {
    const unsigned i = place();
    float2 v;
    v.x = from[i].x * cosf(by) - from[i].y * sinf(by);
    v.y = from[i].x * sinf(by) + from[i].y * cosf(by);
    to[i] = v;
}
__global__ void loaded(const Cell *from, Cell *to) {
    const unsigned i = place();
    to[i].weight = from[i].load[0] + from[i].load[2];
}
__global__ void ahead_of(const float2 *from, float2 *to) {
    const unsigned i = place();
    to[i].y = from[i + 1].y;
}
__global__ void gates(const float *from, float *to, int width, int rows) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= rows) return;
    const int at = y * (3 * width) + x;
    to[at + 2 * width] = from[at] * from[at + width] + from[at + 2 * width];
}
__global__ void sheared(const float *from, float *to, int width, int rows) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= 2 * width || y >= rows) return;
    const int at = y * (3 * width) + x;
    to[at + width] = from[at] * 0.5f;
}
struct Hidden;
dim3 grid_of(Hidden *of);
int width_of(Hidden *of), rows_of(Hidden *of);
"""


@pytest.mark.parametrize(
    "launch",
    [
        "turned<<<grid_of(h), dim3(8, 8)>>>((float2 *)x, (float2 *)x, 1.0f);",
        "loaded<<<grid_of(h), dim3(8, 8)>>>((Cell *)x, (Cell *)x);",
        "ahead_of<<<grid_of(h), dim3(8, 8)>>>((float2 *)x, (float2 *)x);  // bad",
        "gates<<<grid_of(h), dim3(16, 16)>>>(x, x, width_of(h), rows_of(h));",
        "sheared<<<grid_of(h), dim3(16, 16)>>>(x, x, width_of(h), rows_of(h));  // bad",
    ],
)
def test_one_buffer_in_a_launch_of_unknown_size(launch: str) -> None:
    """Members of one element are no neighbours; what guards keep apart is so for any sizes."""
    assert_marked(AliasedRestrictArguments, IN_PLACE + f"void run(Hidden *h, float *x) {{\n    {launch}\n}}\n")
