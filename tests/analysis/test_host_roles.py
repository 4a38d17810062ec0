"""What follows from the meaning of arguments: sizes through wrappers, directions of members, replaced memory."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.byte_count_mismatch import ByteCountMismatch
from kernlint_rules.launch.device_memory_leak import DeviceMemoryLeak
from kernlint_rules.launch.device_use_after_free import DeviceUseAfterFree
from kernlint_rules.launch.wrong_copy_direction import WrongCopyDirection

from kernlint.result import Level
from kernlint.rule import RuleClass
from tests.rules.marked import assert_marked, findings

CASES: dict[str, tuple[RuleClass, str, str]] = {
    "a helper that counts elements is given bytes": (
        ByteCountMismatch,
        "cuda",
        """
        #include <vector>
        template <typename T> T *sent(const T *from, size_t count) {
            T *to = nullptr;
            cudaMalloc(&to, count * sizeof(T));
            cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyHostToDevice); // bad
            return to;
        }
        class Rows {
            unsigned *first;
        public:
            explicit Rows(int n) {
                std::vector<unsigned> all(n);
                first = sent(all.data(), all.size() * sizeof(unsigned));
            }
            ~Rows() { cudaFree(first); }
        };
        """,
    ),
    "a helper that counts elements is given elements": (
        ByteCountMismatch,
        "cuda",
        """
        #include <vector>
        template <typename T> T *sent(const T *from, size_t count) {
            T *to = nullptr;
            cudaMalloc(&to, count * sizeof(T));
            cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyHostToDevice);
            return to;
        }
        void rows(int n) {
            std::vector<unsigned> all(n);
            cudaFree(sent(all.data(), all.size()));
        }
        """,
    ),
    "as many times the memory": (
        ByteCountMismatch,
        "cuda",
        """
        void boxes(const float *from, int batch, int n) {
            float *all, *one, *some;
            cudaMalloc(&one, n * sizeof(float));
            cudaMemcpy(one, from, batch * n * sizeof(float), cudaMemcpyHostToDevice); // bad
            cudaFree(one);
            cudaMalloc(&all, batch * n * sizeof(float));
            cudaMemcpy(all, from, batch * n * sizeof(float), cudaMemcpyHostToDevice);
            cudaFree(all);
            cudaMalloc(&some, n * sizeof(float));
            if (batch == 1) cudaMemcpy(some, from, batch * n * sizeof(float), cudaMemcpyHostToDevice);
            cudaFree(some);
        }
        """,
    ),
    "bytes by the size of an element": (
        ByteCountMismatch,
        "hip",
        """
        #include <hip/hip_runtime.h>
        void clear() {
            const size_t bytes = 256 * sizeof(int);
            int *bins = nullptr;
            hipMalloc(&bins, bytes);
            hipMemset(bins, 0, bytes / sizeof(int)); // bad
            hipMemset(bins, 0, bytes / 4);
            hipMemset(bins, 0, bytes);
            hipFree(bins);
        }
        """,
    ),
    "mapped past the end": (
        ByteCountMismatch,
        "cuda",
        """
        #include <CL/cl.h>
        void *counter(cl_context c, cl_command_queue q) {
            cl_int err = 0;
            cl_mem one = clCreateBuffer(c, CL_MEM_READ_WRITE, sizeof(cl_int), NULL, &err);
            return clEnqueueMapBuffer(q, one, CL_TRUE, CL_MAP_WRITE, 0, sizeof(cl_ulong), 0, NULL, NULL, &err); // bad
        }
        void *pair(cl_context c, cl_command_queue q) {
            cl_int err = 0;
            cl_mem one = clCreateBuffer(c, CL_MEM_READ_WRITE, sizeof(cl_ulong), NULL, &err);
            return clEnqueueMapBuffer(q, one, CL_TRUE, CL_MAP_WRITE, 0, sizeof(cl_ulong), 0, NULL, NULL, &err);
        }
        """,
    ),
    "the direction of what members lead to": (
        WrongCopyDirection,
        "cuda",
        """
        struct Reader {
            float *host = nullptr, *device = nullptr;
            cudaStream_t stream = nullptr;
            explicit Reader(long rows) {
                cudaMallocHost(&host, rows * sizeof(float));
                cudaMalloc(&device, rows * sizeof(float));
            }
            Reader(const Reader &) = delete;
            ~Reader() {
                cudaFree(device);
                cudaFreeHost(host);
            }
            void wrong(const long *count, long n) {
                float *to = device;
                for (long i = 0; i < n; i++) {
                    cudaMemcpyAsync(to, host, count[i] * sizeof(float), cudaMemcpyDeviceToHost, stream); // bad
                    to += count[i];
                }
            }
            void right(const long *count, long n) {
                float *to = device;
                for (long i = 0; i < n; i++) {
                    cudaMemcpyAsync(to, host, count[i] * sizeof(float), cudaMemcpyHostToDevice, stream);
                    to += count[i];
                }
            }
        };
        """,
    ),
    "a member that gets memory twice": (
        DeviceMemoryLeak,
        "cuda",
        """
        class Costs {
            float *now = nullptr, *before = nullptr;
            bool deep = false;
        public:
            ~Costs() {
                cudaFree(now);
                cudaFree(before);
            }
            void wrong(size_t n) {
                cudaMalloc(&now, n * sizeof(float));
                cudaMalloc(&before, n * sizeof(float));
                if (deep) cudaMalloc(&before, n * sizeof(float)); // bad
            }
            void right(size_t n) {
                cudaMalloc(&now, n * sizeof(float));
                cudaMalloc(&before, n * sizeof(float));
                if (deep) {
                    cudaFree(before);
                    cudaMalloc(&before, 2 * n * sizeof(float));
                }
            }
            void kept(size_t n, float **first) {
                cudaMalloc(&now, n * sizeof(float));
                *first = now;
                cudaMalloc(&now, n * sizeof(float));
            }
            void taken(size_t n) {
                cudaMalloc(&now, n * sizeof(float));
                hand_over();
                cudaMalloc(&now, n * sizeof(float));
            }
            void hand_over();
        };
        """,
    ),
    "one after the other": (
        DeviceUseAfterFree,
        "cuda",
        """
        #include <set>
        struct Block { void *ptr; Block *prev; };
        void all(float **first, float **last) {
            for (float **p = first; p != last; ++p) cudaFree(*p);
        }
        void same(float **first, int n) {
            for (int i = 0; i < n; i++) cudaFree(*first); // bad
        }
        void blocks(std::set<Block *> &kept, std::set<Block *>::iterator it, std::set<Block *>::iterator end) {
            while (it != end) {
                Block *block = *it;
                cudaFree(block->ptr);
                auto here = it;
                ++it;
                kept.erase(here);
                delete block;
            }
        }
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_found(name: str) -> None:
    rule, language, code = CASES[name]
    assert_marked(rule, code, language)


_ENDS = """
int work(const float *from, int n) {
    float *x;
    if (cudaMalloc(&x, n * sizeof(float)) != cudaSuccess) return 1;
    if (cudaMemcpy(x, from, n * sizeof(float), cudaMemcpyHostToDevice) != cudaSuccess) return 2;
    cudaFree(x);
    return 0;
}
"""


def test_what_a_failed_call_leaves_behind_ends_with_the_program() -> None:
    (library,) = findings(DeviceMemoryLeak, _ENDS)
    (program,) = findings(DeviceMemoryLeak, _ENDS + "int main() { return work(nullptr, 0); }\n")
    assert library.severity is None or library.severity.value != Level.NOTE.value
    assert program.severity is not None
    assert program.severity.value == Level.NOTE.value
