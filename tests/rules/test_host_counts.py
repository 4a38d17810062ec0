"""Sizes and records of host code that are for something else: counts, masks, checks, events, dimensions."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.byte_count_mismatch import ByteCountMismatch
from kernlint_rules.launch.group_does_not_divide import GroupDoesNotDivide
from kernlint_rules.launch.unchecked_api_call import UncheckedApiCall
from kernlint_rules.launch.uncovered_tail import UncoveredTail
from kernlint_rules.launch.unsynchronised_host_read import UnsynchronisedHostRead

from kernlint.rule import RuleClass
from tests.rules.marked import assert_marked, assert_pair, findings

CASES: dict[str, tuple[RuleClass, str]] = {
    "a count for bytes, in a helper, of pointers that a list leads to": (
        ByteCountMismatch,
        """
        __global__ void drift(float *at, const float *by, int count) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < count) at[i] += by[i];
        }
        static void room(float **to, int count) {
            cudaMalloc(to, count);  // only bad  // bad
            cudaMalloc(to, count * sizeof(float));  // only good
        }
        void run(int count) {
            float *at, *by, **both[] = {&at, &by};
            for (float **one : both) room(one, count);
            drift<<<(count + 127) / 128, 128>>>(at, by, count);
        }
        """,
    ),
    "a slot of named elements, copied as bytes": (
        ByteCountMismatch,
        """
        struct Slots { short *here, *there; int each; cudaStream_t s; };
        cudaError_t sent(Slots &r, int slot) {
            return cudaMemcpyAsync(&r.there[slot * r.each], r.here + slot * r.each,  // bad
                                   r.each * sizeof(short),  // only good
                                   r.each,  // only bad
                                   cudaMemcpyHostToDevice, r.s);
        }
        cudaError_t bytes(char *there, const char *here, int slot, int each) {
            return cudaMemcpy(there + slot * each, here + slot * each, each, cudaMemcpyHostToDevice);
        }
        cudaError_t first(short *there, const short *here, int at, int bytes) {
            return cudaMemcpy(there + at, here + at, bytes, cudaMemcpyHostToDevice);
        }
        __global__ void none(short *x) { *x = 0; }
        """,
    ),
    "a named constant that counts, for bytes": (
        ByteCountMismatch,
        """
        #include <vector>
        __global__ void drift(double *at, const double *by, int count) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < count) at[i] += by[i];
        }
        __global__ void flags(const char *set, int *any, int count) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < count && set[i]) *any = 1;
        }
        void run() {
            const int count = 3000, unit = 96, blocks = (count + unit - 1) / unit;
            std::vector<double> from(count, 1.0);
            double *at, *by;
            char *set;
            int *any;
            cudaMalloc(&at, count);  // only bad  // bad
            cudaMalloc(&at, count * sizeof(double));  // only good
            cudaMalloc(&by, count * sizeof(double));
            cudaMalloc(&set, count);
            cudaMalloc(&any, sizeof(int));
            drift<<<blocks, unit>>>(at, by, count);
            flags<<<blocks, unit>>>(set, any, count);
        }
        """,
    ),
    "bytes of a text that is no array of numbers": (
        ByteCountMismatch,
        """
        __global__ void fold(int *sums, const char *text, int bytes) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < bytes) atomicAdd(sums + (i & 255), text[i]);
        }
        void run(const char *from, int bytes) {
            int *text = nullptr, *sums = nullptr;
            cudaMalloc(&sums, 256 * sizeof(int));
            cudaMalloc(&text, bytes);
            cudaMemcpy(text, from, bytes, cudaMemcpyHostToDevice);  // only good
            cudaMemcpy(text, from, bytes * 4, cudaMemcpyHostToDevice);  // only bad  // bad
            fold<<<(bytes + 127) / 128, 128>>>(sums, (const char *)text, bytes);
        }
        """,
    ),
    "frames that the memory of one has no room for": (
        ByteCountMismatch,
        """
        struct Film {
            int wide, high, frames;
            size_t one() const { return (size_t)wide * high; }
            size_t all() const { return one() * frames; }
        };
        __global__ void fade(float *film, const float *mask, int cells) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < cells) film[(size_t)blockIdx.y * cells + i] *= mask[i];
        }
        void run(float *film, const float *from, const Film &of) {
            float *mask = nullptr;
            cudaMalloc(&mask, of.one() * sizeof(float));
            if (of.frames == 1) {  // only good
                cudaMemcpy(mask, from, of.all() * sizeof(float), cudaMemcpyHostToDevice);  // only good
            }  // only good
            cudaMemcpy(mask, from, of.one() * sizeof(float), cudaMemcpyHostToDevice);  // only good
            cudaMemcpy(mask, from, of.all() * sizeof(float), cudaMemcpyHostToDevice);  // only bad  // bad
            fade<<<dim3((of.wide * of.high + 127) / 128, of.frames), 128>>>(film, mask, of.wide * of.high);
            cudaFree(mask);
        }
        """,
    ),
    "planes and channels that the memory of one has no room for": (
        ByteCountMismatch,
        """
        void run(const float *from, int rows, int planes, int channels) {
            float *x = nullptr;
            cudaMalloc(&x, rows * sizeof(float));  // only bad
            cudaMalloc(&x, (size_t)rows * planes * channels * sizeof(float));  // only good
            cudaMemcpy(x, from, sizeof(float) * rows * planes * channels, cudaMemcpyHostToDevice);  // bad
            cudaFree(x);
        }
        """,
    ),
    "what a check lets through": (
        ByteCountMismatch,
        """
        __constant__ float taps[32];
        struct Filter { int radius; };
        int load(const Filter &f, const float *from) {
            if (f.radius < 1 || f.radius > 16) return 1;  // only bad
            if (f.radius < 1 || f.radius > 15) return 1;  // only good
            cudaMemcpyToSymbol(taps, from, (2 * f.radius + 1) * sizeof(float));  // bad
            return 0;
        }
        """,
    ),
    "a factor that is only asked whether it is there": (
        ByteCountMismatch,
        """
        #include <CL/cl.h>
        #include <vector>
        void run(cl_context context, cl_command_queue queue, const std::vector<cl_device_id> &devices) {
            if (devices.empty()) return;
            std::vector<float> all(512 * devices.size());
            for (size_t i = 0; i < all.size(); ++i) all[i] = i;
            cl_mem whole = clCreateBuffer(context, CL_MEM_READ_WRITE, 512 * 4, NULL, NULL);  // only bad
            cl_mem whole = clCreateBuffer(context, CL_MEM_READ_WRITE, 4 * all.size(), NULL, NULL);  // only good
            clEnqueueWriteBuffer(queue, whole, CL_TRUE, 0, 4 * all.size(), all.data(), 0, NULL, NULL);  // bad
            clReleaseMemObject(whole);
        }
        """,
    ),
    "a mask for a size out of a table": (
        GroupDoesNotDivide,
        """
        #include <CL/cl.h>
        struct Plan { const char *name; size_t items, group; };
        static const Plan plans[] = {{"a", 100, 32}, {"b", 200, 48}};  // only bad
        static const Plan plans[] = {{"a", 100, 32}, {"b", 200, 64}};  // only good
        void run(cl_command_queue queue, cl_kernel kernel, int which) {
            const size_t group = plans[which].group, all = (plans[which].items + group - 1) & ~(group - 1);
            clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &all, &group, 0, NULL, NULL);  // bad
        }
        """,
    ),
    "an event for two streams": (
        UnsynchronisedHostRead,
        """
        void join(cudaStream_t left, cudaStream_t right, cudaStream_t main, cudaEvent_t done) {
            cudaEventRecord(done, left);  // bad
            cudaStreamWaitEvent(main, done, 0);  // only good
            cudaEventRecord(done, right);
            cudaStreamWaitEvent(main, done, 0);
        }
        """,
    ),
    "an event for each stream of a list": (
        UnsynchronisedHostRead,
        """
        #include <vector>
        struct Pool { std::vector<hipStream_t> lanes; std::vector<hipEvent_t> over; hipEvent_t one; hipStream_t main; };
        void join(Pool &pool) {
            for (size_t i = 0; i < pool.lanes.size(); ++i) {
                hipEventRecord(pool.one, pool.lanes[i]);  // only bad  // bad
                hipEventRecord(pool.over[i], pool.lanes[i]);  // only good
            }
            hipStreamWaitEvent(pool.main, pool.one, 0);  // only bad
            for (hipEvent_t one : pool.over) hipStreamWaitEvent(pool.main, one, 0);  // only good
        }
        """,
    ),
    "a record of whichever stream is free": (
        UnsynchronisedHostRead,
        """
        void mark(cudaStream_t *streams, const int *used, int count, cudaStream_t main, cudaEvent_t done) {
            for (int i = 0; i < count; ++i) {
                if (used[i]) {  // only good
                    cudaEventRecord(done, streams[i]);  // bad
                    break;  // only good
                }  // only good
            }
            cudaStreamWaitEvent(main, done, 0);
        }
        """,
    ),
    "rows that are not launched": (
        UncoveredTail,
        """
        __global__ void grey(unsigned char *x, int width, int height) {
            const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
            if (column >= width || row >= height) return;
            x[row * width + column] /= 2;
        }
        void run(unsigned char *x, int width, int height) {
            const dim3 grid((width + 31) / 32);  // only bad
            const dim3 grid((width + 31) / 32, height);  // only good
            grey<<<grid, 32>>>(x, width, height);  // bad
        }
        """,
    ),
    "slices that are not launched, one for each block": (
        UncoveredTail,
        """
        struct Field { int columns, slices; float *at; };
        __global__ void cool(float *x, int columns, int slices) {
            const int column = blockIdx.x * blockDim.x + threadIdx.x, slice = blockIdx.z;
            if (column < columns && slice < slices) x[slice * columns + column] *= 0.5f;
        }
        void run(const Field &f) {
            const dim3 grid((f.columns + 63) / 64);  // only bad
            const dim3 grid((f.columns + 63) / 64, 1, f.slices);  // only good
            cool<<<grid, 64>>>(f.at, f.columns, f.slices);  // bad
        }
        """,
    ),
    "a row by itself": (
        UncoveredTail,
        """
        __global__ void grey(unsigned char *x, int width, int height) {
            const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
            if (column >= width || row >= height) return;
            x[row * width + column] /= 2;
        }
        void run(unsigned char *x, int width, int height) {
            for (int row = 0; row < height; ++row) {
                grey<<<(width + 31) / 32, 32>>>(x + row * width, width, 1);  // only good
                grey<<<(width + 31) / 32, 32>>>(x + row * width, width, height);  // only bad  // bad
            }
        }
        """,
    ),
    "calls beside those that are checked, with a look at the last error behind": (
        UncheckedApiCall,
        """
        #define MUST(call) do { if ((call) != cudaSuccess) abort(); } while (0)
        __global__ void one(float *x) { x[threadIdx.x] = 1.0f; }
        void run(float *to, const float *from, size_t bytes) {
            float *x = nullptr;
            cudaMalloc(&x, bytes);  // only bad  // bad
            MUST(cudaMalloc(&x, bytes));  // only good
            MUST(cudaMemcpy(x, from, bytes, cudaMemcpyHostToDevice));
            one<<<1, 32>>>(x);
            MUST(cudaGetLastError());
            MUST(cudaMemcpy(to, x, bytes, cudaMemcpyDeviceToHost));
            MUST(cudaFree(x));
        }
        """,
    ),
    "calls of which the last error is asked at once": (
        UncheckedApiCall,
        """
        #define MUST(call) do { if ((call) != cudaSuccess) abort(); } while (0)
        void run(float *to, const float *from, size_t bytes) {
            float *x = nullptr;
            cudaMalloc(&x, bytes);  // bad
            MUST(cudaGetLastError());  // only good
            MUST(cudaMemcpy(x, from, bytes, cudaMemcpyHostToDevice));
            MUST(cudaMemcpy(to, x, bytes, cudaMemcpyDeviceToHost));
            MUST(cudaFree(x));
            MUST(cudaGetLastError());
        }
        """,
    ),
    "the width of a row in elements, of a pitch in a member": (
        ByteCountMismatch,
        """
        #include <vector>
        struct Plane { double *at; size_t pitch; int columns, rows; };
        void send(Plane &to, const std::vector<double> &from) {
            cudaMemcpy2D(to.at, to.pitch, from.data(), to.columns * sizeof(double), to.columns, to.rows, cudaMemcpyHostToDevice);  // only bad  // bad
            cudaMemcpy2D(to.at, to.pitch, from.data(), to.columns * sizeof(double), to.columns * sizeof(double), to.rows, cudaMemcpyHostToDevice);  // only good
        }
        """,  # noqa: E501
    ),
    "a part behind the end of a buffer": (
        ByteCountMismatch,
        """
        #include <CL/cl.h>
        void run(cl_context context, cl_mem *parts) {
            cl_mem all = clCreateBuffer(context, CL_MEM_READ_WRITE, 8 * 512, NULL, NULL);
            for (int i = 0; i < 8; ++i) {
                cl_buffer_region part = {i * 512u, 512};  // only good
                cl_buffer_region part = {512u + i * 512u, 512};  // only bad
                parts[i] = clCreateSubBuffer(all, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &part, NULL);  // bad
            }
        }
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_fault_and_its_repair(name: str) -> None:
    rule, code = CASES[name]
    assert_pair(rule, code)


LONG_COUNT = """
void filled(const float *from, int rows, int a, int b, int c) {
    int times = TIMES;
    float *to = nullptr;
    if (cudaMalloc(&to, rows * sizeof(float)) != cudaSuccess) return;
    cudaMemcpy(to, from, rows * times * sizeof(float), cudaMemcpyHostToDevice);
    cudaFree(to);
}
"""


def test_a_factor_that_is_too_long_to_be_kept_may_be_one() -> None:
    long = " + ".join(f"(a > {i} ? b : c + {i})" for i in range(200))
    assert findings(ByteCountMismatch, LONG_COUNT.replace("TIMES", "a"))
    assert not findings(ByteCountMismatch, LONG_COUNT.replace("TIMES", long))


def test_atomics_of_the_host_are_as_large_as_what_they_hold() -> None:
    code = """
    #include <atomic>
    void started(int *on_device) {
        std::atomic_int going[1];
        cudaMemcpy(on_device, going, sizeof(int), cudaMemcpyHostToDevice);
        cudaMemcpy(on_device, going, 2 * sizeof(int), cudaMemcpyHostToDevice);  // bad
    }
    """
    assert_marked(ByteCountMismatch, code)
