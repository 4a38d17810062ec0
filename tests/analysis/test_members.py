"""Where the pointers lead that are members of classes, and elements of members."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.wrong_copy_direction import WrongCopyDirection

from tests.rules.marked import assert_marked

TWO = """
#include <array>
class Ring {
public:
    Ring(size_t bytes) : bytes(bytes) {
        for (int i = 0; i < 2; ++i) {
            cudaStreamCreate(&streams[i]);
            cudaMalloc((void **)&slots[i], bytes);
        }
    }
    ~Ring() { for (int i = 0; i < 2; ++i) cudaFree(slots[i]); }
    void fetch(int which, void *to) {
        cudaMemcpyAsync(to, slots[which], bytes, cudaMemcpyHostToDevice, streams[which]);  // bad
    }
    void send(const void *from) {
        cudaMemcpy(slots[0], from, bytes, cudaMemcpyHostToDevice);
    }
MORE
private:
    size_t bytes;
    cudaStream_t streams[2];
    SLOTS;
};
"""

MENDED = "cudaMemcpyDeviceToHost, streams[which]);"


@pytest.mark.parametrize("slots", ["char *slots[2]", "std::array<char *, 2> slots"])
def test_the_elements_of_a_member_are_device_memory(slots: str) -> None:
    code = TWO.replace("SLOTS", slots).replace("MORE", "")
    assert_marked(WrongCopyDirection, code)
    assert_marked(WrongCopyDirection, code.replace("cudaMemcpyHostToDevice, streams[which]);  // bad", MENDED))


@pytest.mark.parametrize(
    "more",
    [
        "    void use(char *host) { slots[1] = host; }",
        "    void use() { refill(slots); }",
        "    void use(char *host) { char **first = slots; first[0] = host; }",
        "    void use() { cudaMallocHost((void **)&slots[1], bytes); }",
    ],
)
def test_elements_that_are_given_something_else_are_not_known(more: str) -> None:
    code = "void refill(char **);" + TWO.replace("SLOTS", "char *slots[2]").replace("MORE", more)
    assert_marked(WrongCopyDirection, code.replace("  // bad", ""))


STRUCTURE = """
#include <hip/hip_runtime.h>
typedef struct { float *planes[3]; int w, h; } frame;
void frame_open(frame *f) {
    for (int c = 0; c < 3; c++) (void)hipMalloc((void **)&f->planes[c], f->w * f->h * sizeof(float));
}
void frame_read(frame *f, float *const *to) {
    for (int c = 0; c < 3; c++) {
        (void)hipMemcpy(to[c], f->planes[c], f->w * f->h * sizeof(float), hipMemcpyHostToDevice);  // only bad  // bad
        (void)hipMemcpy(to[c], f->planes[c], f->w * f->h * sizeof(float), hipMemcpyDeviceToHost);  // only good
    }
}
"""


def test_so_are_those_of_a_structure() -> None:
    bad, good = (
        "\n".join(line for line in STRUCTURE.splitlines() if left_out not in line)
        for left_out in ("// only good", "// only bad")
    )
    assert_marked(WrongCopyDirection, bad, "hip")
    assert_marked(WrongCopyDirection, good, "hip")
