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
