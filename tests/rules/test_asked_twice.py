"""The static shared memory of a kernel, asked for once more as dynamic shared memory."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.launch_limits import LaunchLimits

from tests.rules.marked import findings

KERNEL = """
__global__ void turn(const float *in, float *out) {
    __shared__ float tile[4096];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[255 - threadIdx.x];
}
"""


def _told(code: str, language: str = "cuda") -> bool:
    return any("of its own: a block gets both" in one.message for one in findings(LaunchLimits, code, language))


@pytest.mark.parametrize(
    ("made", "given", "told"),
    [
        ("", "about.sharedSizeBytes", True),
        ("size_t bytes = about.sharedSizeBytes;", "bytes", True),
        ("size_t bytes = 0; if (full) bytes = about.sharedSizeBytes;", "bytes", True),
        ("size_t bytes = about.sharedSizeBytes + 256 * sizeof(float);", "bytes", True),
        ("size_t bytes = 49152 - about.sharedSizeBytes;", "bytes", False),  # what is left
        ("size_t bytes = 1024; if (full) bytes = about.sharedSizeBytes;", "bytes", False),
        ("size_t whole = about.sharedSizeBytes + 64; note(whole);", "64", False),
        ("", "about.maxDynamicSharedSizeBytes", False),
    ],
)
@pytest.mark.parametrize("api", ["cuda", "hip"])
def test_the_size_that_the_attributes_have(api: str, made: str, given: str, told: bool) -> None:
    code = """
    void note(size_t bytes);
    void run(const float *in, float *out, bool full) {
        APIFuncAttributes about;
        APIFuncGetAttributes(&about, (const void *)turn);
        MADE
        turn<<<1, 256, GIVEN>>>(in, out);
    }
    """
    code = KERNEL + code.replace("API", api).replace("MADE", made).replace("GIVEN", given)
    code = code if api == "cuda" else "#include <hip/hip_runtime.h>\n" + code
    assert _told(code, api) is told


@pytest.mark.parametrize(("attribute", "told"), [("SHARED_SIZE_BYTES", True), ("MAX_DYNAMIC_SHARED_SIZE_BYTES", False)])
def test_the_attribute_that_the_driver_is_asked_for(attribute: str, told: bool) -> None:
    code = """
    #include <cuda.h>
    class Pipeline {
    public:
        void init(CUfunction f) {
            function = f;
            int bytes = 0;
            cuFuncGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_WHICH, f);
            shared = bytes;
        }
        void run(void **args, CUstream stream) { launch(shared, args, stream); }
    private:
        void launch(unsigned bytes, void **args, CUstream stream) {
            cuLaunchKernel(function, 1, 1, 1, 256, 1, 1, bytes, stream, args, nullptr);
        }
        CUfunction function = nullptr;
        unsigned shared = 0;
    };
    """
    assert _told(KERNEL + code.replace("WHICH", attribute)) is told
