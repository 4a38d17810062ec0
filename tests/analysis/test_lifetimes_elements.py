"""Arrays of a few pointers of which one is forgotten."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.device_memory_leak import DeviceMemoryLeak

from tests.rules.marked import assert_marked, assert_pair, findings

STYLES = {
    "a structure": """
        typedef struct { float *fields[2]; int n, now; } solver;
        int solver_open(solver *s, int n) {
            s->n = n;
            CHECK(cudaMalloc((void **)&s->fields[0], n * sizeof(float)));
            CHECK(cudaMalloc((void **)&s->fields[1], n * sizeof(float)));  // bad
            return 0;
        }
        void solver_step(solver *s) {
            float *from = s->fields[s->now % 2], *to = s->fields[(s->now + 1) % 2];
            step<<<s->n / 256, 256>>>(from, to);
            s->now++;
        }
        void solver_close(solver *s) {
            CHECK(cudaFree(s->fields[0]));
            CHECK(cudaFree(s->fields[1]));  // only good
        }
        """,
    "a class with streams": """
        class Pair {
        public:
            Pair() {
                CHECK(cudaStreamCreate(&streams_[0]));  // bad
                CHECK(cudaStreamCreate(&streams_[1]));
            }
            ~Pair() {
                CHECK(cudaStreamDestroy(streams_[0]));  // only good
                CHECK(cudaStreamDestroy(streams_[1]));
            }
        private:
            cudaStream_t streams_[2];
        };
        """,
    "variables of a file, named numbers": """
        enum { IN, OUT, COUNT };
        static double *buffers[COUNT];
        void open_all(size_t bytes) {
            CHECK(cudaMalloc(&buffers[IN], bytes));
            CHECK(cudaMalloc(&buffers[OUT], bytes));  // bad
        }
        void close_all() {
            CHECK(cudaFree(buffers[IN]));
            CHECK(cudaFree(buffers[OUT]));  // only good
        }
        """,
}

BEGIN = """
#include <utility>
#define CHECK(call) do { if ((call) != cudaSuccess) abort(); } while (0)
__global__ void step(const float *from, float *to) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = 0.5f * from[i];
}
"""


@pytest.mark.parametrize("code", STYLES.values(), ids=STYLES)
def test_one_element_is_forgotten(code: str) -> None:
    assert_pair(DeviceMemoryLeak, BEGIN + code)


OTHERWISE = {
    "in a loop": "for (int i = 0; i < 2; i++) cudaFree(s->fields[i]);",
    "by another name": "float *last = s->fields[1]; cudaFree(last);",
    "by a helper": "drop(&s->fields[1]);",
    "through the array": "drop(s->fields);",
    "in turn": "std::swap(s->fields[0], s->fields[1]); cudaFree(s->fields[0]);",
}


@pytest.mark.parametrize("way", OTHERWISE.values(), ids=OTHERWISE)
def test_an_element_may_be_given_back_otherwise(way: str) -> None:
    code = "void drop(float **);" + BEGIN + STYLES["a structure"].replace("  // bad", "")
    assert_marked(DeviceMemoryLeak, code.replace("CHECK(cudaFree(s->fields[1]));  // only good", way))


def test_so_it_is_with_buffers_of_opencl() -> None:
    code = """
        #include <CL/cl.h>
        struct Filter { cl_context context; cl_mem parts[2]; };
        int filter_open(struct Filter *f, size_t bytes) {
            cl_int status;
            f->parts[0] = clCreateBuffer(f->context, CL_MEM_READ_ONLY, bytes, NULL, &status);
            if (status != CL_SUCCESS) return status;
            f->parts[1] = clCreateBuffer(f->context, CL_MEM_READ_WRITE, bytes, NULL, &status);  // bad
            return status;
        }
        void filter_close(struct Filter *f) {
            clReleaseMemObject(f->parts[0]);
            clReleaseMemObject(f->parts[1]);  // only good
            clReleaseContext(f->context);
        }
        """
    assert_pair(DeviceMemoryLeak, code)


ROUNDS = """
__global__ void pack(float *o, float *p) { o[threadIdx.x] = p[threadIdx.x]; }
#define CHECK(x) do { if (cudaSuccess != (status = x)) goto Failed; } while (0)
template <int k> float run(int n) {
  float *host[k]; float *device[k]; cudaError_t status = cudaSuccess;
  for (int i = 0; i < k; i++) {
    CHECK(cudaHostAlloc(&host[i], n * sizeof(float), 0));
    CHECK(cudaMalloc(&device[i], n * sizeof(float)));
  }
  for (int i = 0; i < k; i++) CHECK(cudaMemcpyAsync(host[i], device[i], n * sizeof(float), cudaMemcpyDeviceToHost));
  EARLY
Failed:
  for (int i = 0; i < k; i++) { FREED cudaFree(device[i]); }
  return 0.f;
}
float all(int n) { return run<3>(n); }
"""


@pytest.mark.parametrize(
    ("freed", "early", "leaks"),
    [
        ("cudaFreeHost(host[i]);", "", False),
        ("", "", True),
        ("cudaFreeHost(host[0]);", "", True),
        ("cudaFreeHost(host[i]);", "if (n < 7) return 1.f;", True),
    ],
)
def test_a_loop_that_gives_back_the_elements_gives_back_all_that_loops_have_made(
    freed: str, early: str, leaks: bool
) -> None:
    text = ROUNDS.replace("FREED", freed).replace("EARLY", early)
    assert bool(findings(DeviceMemoryLeak, text)) == leaks
