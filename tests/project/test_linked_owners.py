"""Launches whose memory, sizes and limits classes and helpers of other files keep."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_launches_elsewhere import found

OWNER = """#pragma once
#include <cuda_runtime.h>
#include <stdexcept>
#include <vector>
inline void check(cudaError_t err, const char *what) { if (err != cudaSuccess) throw std::runtime_error(what); }
template <typename T>
class Held {
public:
    explicit Held(size_t count) : count_(count) {
        check(cudaMalloc(reinterpret_cast<void **>(&at_), count * sizeof(T)), "memory");
    }
    ~Held() { cudaFree(at_); }
    std::vector<T> taken() const {
        std::vector<T> to(count_);
        check(cudaMemcpy(to.data(), at_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "copy");
        return to;
    }
    T *data() { return at_; }
private:
    T *at_ = nullptr;
    size_t count_;
};
class Span1 {
public:
    static Span1 filled(int n) { return Span1(n / 128); }
    static Span1 covering(int n) { return Span1((n + 127) / 128); }
    dim3 blocks() const { return dim3(blocks_); }
    dim3 threads() const { return dim3(128); }
private:
    explicit Span1(int blocks) : blocks_(blocks) {}
    int blocks_;
};
"""

CLASS = """#pragma once
#include "held.hpp"
class Track {
public:
    explicit Track(const std::vector<float> &heights);
    std::vector<float> steps();
    std::vector<float> bends();
private:
    int n_;
    Held<float> height_, step_;
};
"""

STEPS = """#include "steps.cuh"
__global__ void step_of(const float *height, float *step, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) step[i] = height[i + 1] - height[i];
}
"""

TRACK = """#include "track.hpp"
#include "steps.cuh"
Track::Track(const std::vector<float> &heights)
    : n_(heights.size()), height_(heights.size() MORE), step_(heights.size()) {
    if (heights.empty()) throw std::invalid_argument("no heights");
}
std::vector<float> Track::steps() {
    step_of<<<(n_ + 127) / 128, 128>>>(height_.data(), step_.data(), n_);
    check(cudaGetLastError(), "step_of");
    return step_.taken();
}
std::vector<float> Track::bends() { return height_.taken(); }
"""


@pytest.mark.parametrize("bad", [False, True])
def test_memory_that_a_class_of_a_header_owns(tmp_path: Path, bad: bool) -> None:
    """The kernel's name in a message is not how its file is found, and methods that only read change no member."""
    files = {
        "src/held.hpp": OWNER,
        "src/track.hpp": CLASS,
        "src/steps.cuh": "#pragma once\n__global__ void step_of(const float *height, float *step, int n);\n",
        "src/steps.cu": STEPS,
        "src/track.cu": TRACK.replace("MORE", "" if bad else "+ 1"),
    }
    assert found(tmp_path, files, "src/steps.cu") == ["src/steps.cu:wrong-bounds-guard"] * bad


SCALED = """#include "held.hpp"
__global__ void halve(float *v, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] *= 0.5f;
}
int run(float *v, int n) {
    if (n < 128) return 1;
    const Span1 span = Span1::HOW(n);
    halve<<<span.blocks(), span.threads()>>>(v, n);
    return 0;
}
"""


@pytest.mark.parametrize(("how", "bad"), [("covering", False), ("filled", True)])
def test_grids_that_a_class_of_a_header_makes(tmp_path: Path, how: str, bad: bool) -> None:
    files = {"held.hpp": OWNER, "halve.cu": SCALED.replace("HOW", how)}
    assert found(tmp_path, files, "halve.cu") == ["halve.cu:uncovered-tail"] * bad


WEIGHTED = """#include <torch/extension.h>
__global__ void weighted(const float *x, const float *w, float *y, int columns, int count) {
    __shared__ float own[96];
    for (int k = threadIdx.x; k < count; k += blockDim.x) own[k] = w[k];
    __syncthreads();
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
        float sum = 0.0f;
        for (int k = 0; k < count && k <= c; ++k) sum += own[k] * x[(size_t)blockIdx.x * columns + c - k];
        y[(size_t)blockIdx.x * columns + c] = sum;
    }
}
void weighted_cuda(const at::Tensor &x, const at::Tensor &w, at::Tensor &y) {
    weighted<<<x.size(0), 128>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), x.size(1), w.size(0));
}
"""

BOUND = """#include <torch/extension.h>
void weighted_cuda(const at::Tensor &x, const at::Tensor &w, at::Tensor &y);
at::Tensor weighted(const at::Tensor &x, const at::Tensor &w) {
    TORCH_CHECK(w.dim() == 1 && w.numel() > 0 && OF.size(0) <= MOST, "weights");
    at::Tensor y = at::empty_like(x);
    weighted_cuda(x, w, y);
    return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("weighted", &weighted); }
"""


@pytest.mark.parametrize(("of", "most", "bad"), [("w", "96", False), ("w", "97", True), ("x", "200", False)])
def test_lengths_of_tensors_that_a_binding_checks(tmp_path: Path, of: str, most: str, bad: bool) -> None:
    files = {"weighted.cu": WEIGHTED, "bound.cpp": BOUND.replace("OF", of).replace("MOST", most)}
    assert found(tmp_path, files, "weighted.cu") == ["weighted.cu:array-index-out-of-range"] * bad


MIXER = """#pragma once
#include <cuda_runtime.h>
struct Mix { int voices; int steps; };
Mix usual_mix(int steps);
class Mixer {
public:
    explicit Mixer(const Mix &mix);
private:
    void record();
    Mix mix_;
    float *sound_ = nullptr;
};
"""

MIXED = """#include "mixer.h"
__constant__ float level[8];
__global__ void mixed(float *sound, int voices, int steps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= steps) return;
    float sum = 0.0f;
    for (int v = 0; v < voices; ++v) sum += level[v] * sound[i];
    sound[i] = sum;
}
Mixer::Mixer(const Mix &mix) : mix_(mix) {
    cudaMalloc(&sound_, mix.steps * sizeof(float));
    record();
}
void Mixer::record() { mixed<<<(mix_.steps + 127) / 128, 128>>>(sound_, mix_.voices, mix_.steps); }
"""


@pytest.mark.parametrize("made", ["Mixer mixer(mix);", "Mixer mixer{mix};", "auto *mixer = new Mixer(mix);"])
@pytest.mark.parametrize(("voices", "bad"), [(8, False), (9, True)])
def test_objects_that_other_files_make(tmp_path: Path, made: str, voices: int, bad: bool) -> None:
    files = {
        "mixer.h": MIXER,
        "mixed.cu": MIXED,
        "mix.cpp": '#include "mixer.h"\nMix usual_mix(int steps) { Mix mix; mix.steps = steps; mix.voices = '
        + f"{voices}; return mix; }}\n",
        "main.cpp": '#include "mixer.h"\n#include <memory>\nint main() { const Mix mix = usual_mix(500); '
        + made
        + " return 0; }\n",
    }
    said = [one for one in found(tmp_path, files, "mixed.cu") if "leak" not in one]
    assert said == ["mixed.cu:array-index-out-of-range"] * bad


FIELD = """#pragma once
#include <hip/hip_runtime.h>
struct Sheet { float *cell; unsigned char *mark; int nx, ny, pitch; };
hipError_t make_sheet(int nx, int ny, Sheet *sheet);
hipError_t mark(const Sheet &sheet);
"""

MADE = """#include "sheet.hpp"
hipError_t make_sheet(int nx, int ny, Sheet *sheet) {
    sheet->nx = nx;
    sheet->ny = ny;
    sheet->pitch = (nx + 63) / 64 * 64;
    hipError_t err = hipMalloc((void **)&sheet->cell, (size_t)sheet->pitch * ny * sizeof(float));
    if (err == hipSuccess) err = hipMalloc((void **)&sheet->mark, (size_t)WIDTH * ny);
    return err;
}
"""

MARKED = """#include "sheet.hpp"
__global__ void mark_cells(Sheet sheet) {
    const size_t i = (size_t)blockIdx.y * sheet.pitch + blockIdx.x * blockDim.x + threadIdx.x;
    sheet.mark[i] = sheet.cell[i] > 0.5f;
}
hipError_t mark(const Sheet &sheet) {
    mark_cells<<<dim3(sheet.pitch / 64, sheet.ny), 64>>>(sheet);
    return hipGetLastError();
}
"""

MAIN = """#include "sheet.hpp"
void must(hipError_t err) { if (err != hipSuccess) throw 1; }
int main() {
    Sheet sheet;
    must(make_sheet(1000, 600, &sheet));
    must(mark(sheet));
    return 0;
}
"""


@pytest.mark.parametrize(("width", "bad"), [("sheet->pitch", False), ("nx", True)])
def test_callers_that_speak_of_hip_by_its_names_alone(tmp_path: Path, width: str, bad: bool) -> None:
    files = {
        "sheet.hpp": FIELD,
        "sheet.cpp": MADE.replace("WIDTH", width),
        "mark.hip": MARKED,
        "main.cpp": MAIN,
    }
    said = [one for one in found(tmp_path, files, "mark.hip") if "leak" not in one]
    assert said == ["mark.hip:missing-bounds-guard"] * bad


CONTEXT = """#ifndef CONTEXT_H
#define CONTEXT_H
#include <CL/cl.h>
struct context { cl_command_queue queue; cl_kernel whole, half; cl_mem in, out; };
int context_open(struct context *c, cl_program program);
int sums(struct context *c, size_t n);
#endif
"""

OPENED = """#include "context.h"
int context_open(struct context *c, cl_program program) {
    cl_int err;
    c->whole = clCreateKernel(program, "group_sum", &err);
    if (err != CL_SUCCESS) return 1;
    c->half = clCreateKernel(program, "group_half", &err);
    return err != CL_SUCCESS;
}
"""

STARTED = """#include "context.h"
static int start(struct context *c, cl_kernel kernel, size_t n, size_t group) {
    const size_t global = n / group * group;
    clSetKernelArg(kernel, 0, sizeof(cl_mem), &c->in);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &c->out);
    return clEnqueueNDRangeKernel(c->queue, kernel, 1, NULL, &global, &group, 0, NULL, NULL);
}
int sums(struct context *c, size_t n) { return start(c, c->whole, n, GROUP) || start(c, c->half, n, 32); }
"""

GROUPS = """__kernel void NAME(__global const float *in, __global float *out) {
    __local float part[ROOM];
    const int l = get_local_id(0);
    part[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        float s = 0;
        for (int k = 0; k < ROOM; ++k) s += part[k];
        out[get_group_id(0)] = s;
    }
}
"""


@pytest.mark.parametrize(("group", "bad"), [("64", False), ("128", True)])
def test_kernels_that_one_file_looks_up_and_another_launches(tmp_path: Path, group: str, bad: bool) -> None:
    kernels = [GROUPS.replace("NAME", name).replace("ROOM", room) for name, room in SIZES]
    files = {
        "context.h": CONTEXT,
        "open.c": OPENED,
        "start.c": STARTED.replace("GROUP", group),
        "groups.cl": "".join(kernels),
    }
    assert found(tmp_path, files, "groups.cl") == ["groups.cl:array-index-out-of-range"] * bad


SIZES = (("group_sum", "64"), ("group_half", "32"))

BINDINGS = """#include <CL/opencl.hpp>
class Turner {
public:
    Turner(const cl::Program &program, const cl::CommandQueue &queue) : queue_(queue) {
        turn_ = cl::Kernel(program, "turn");
    }
    void turn(const cl::Buffer &in, const cl::Buffer &out, cl_uint width);
private:
    void start(cl::Kernel &kernel, cl_uint width);
    cl::CommandQueue queue_;
    cl::Kernel turn_;
};
void Turner::start(cl::Kernel &kernel, cl_uint width) {
    if (width == 0 || width % 16 != 0) throw 1;
    queue_.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(width, width), cl::NDRange(16, 16));
}
void Turner::turn(const cl::Buffer &in, const cl::Buffer &out, cl_uint width) {
    turn_.setArg(0, in);
    turn_.setArg(1, out);
    turn_.setArg(2, width);
    turn_.setArg(3, cl::Local(16 * ROW * sizeof(cl_float)));
    start(turn_, width);
}
"""

TURN = """__kernel void turn(__global const float *in, __global float *out, const uint width, __local float *tile) {
    const uint lx = get_local_id(0), ly = get_local_id(1), side = get_local_size(0);
    const uint x = get_group_id(0) * side, y = get_group_id(1) * side;
    tile[ly * (side + 1) + lx] = in[(y + ly) * width + x + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(x + ly) * width + y + lx] = tile[lx * (side + 1) + ly];
}
"""


@pytest.mark.parametrize(("row", "bad"), [("17", False), ("16", True)])
def test_arguments_of_a_member_that_a_method_is_given(tmp_path: Path, row: str, bad: bool) -> None:
    files = {"turner.cpp": BINDINGS.replace("ROW", row), "turn.cl": TURN}
    assert found(tmp_path, files, "turn.cl") == ["turn.cl:local-size-mismatch"] * bad


QUEUE = """#pragma once
#include <cuda_runtime.h>
struct Queue { int slots; int jobs; unsigned *owner; float *cost; };
cudaError_t queue_open(Queue *q, int slots, int jobs);
void queue_close(Queue *q);
"""

QUEUE_OPENED = """#include "queue.hpp"
cudaError_t queue_open(Queue *q, int slots, int jobs) {
    *q = Queue{};
    q->slots = slots;
    q->jobs = jobs;
    cudaError_t err = cudaMalloc(&q->owner, (slots MORE) * sizeof(unsigned));
    if (err == cudaSuccess) err = cudaMalloc(&q->cost, jobs * sizeof(float));
    if (err != cudaSuccess) queue_close(q);
    return err;
}
void queue_close(Queue *q) { cudaFree(q->owner); cudaFree(q->cost); *q = Queue{}; }
"""

QUEUED = """#include "queue.hpp"
__global__ void free_slots(unsigned *owner, int slots) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at <= slots) owner[at] = 0u;
}
__global__ void decay(float *cost) { cost[blockIdx.x * blockDim.x + threadIdx.x] *= 0.5f; }
cudaError_t queue_reset(const Queue *q) {
    free_slots<<<(q->slots + 64) / 64, 64>>>(q->owner, q->slots);
    return cudaGetLastError();
}
static cudaError_t start(const Queue *q) { decay<<<(q->jobs + 63) / 64, 64>>>(q->cost); return cudaGetLastError(); }
cudaError_t queue_step(const Queue *q) {
    CHECK
    return start(q);
}
"""


@pytest.mark.parametrize(("more", "bad"), [("+ 1", False), ("", True)])
def test_a_place_as_large_as_an_argument(tmp_path: Path, more: str, bad: bool) -> None:
    """How much memory there is behind ``at <= slots``, the function tells that has filled the structure."""
    check = "if (q->jobs % 64) return cudaErrorInvalidValue;"
    files = {"queue.hpp": QUEUE, "open.cu": QUEUE_OPENED.replace("MORE", more), "q.cu": QUEUED.replace("CHECK", check)}
    assert found(tmp_path, files, "q.cu") == ["q.cu:wrong-bounds-guard"] * bad


@pytest.mark.parametrize(
    ("check", "bad"),
    [
        ("if (q->jobs % 64 != 0) return cudaErrorInvalidValue;", False),
        ("", True),
        ("if (q->jobs % 32 != 0) return cudaErrorInvalidValue;", True),
    ],
)
def test_a_check_of_what_a_failure_would_have_cleared(tmp_path: Path, check: str, bad: bool) -> None:
    """After a maker that clears its structure when it fails, a count is the one that it was made with."""
    files = {"queue.hpp": QUEUE, "open.cu": QUEUE_OPENED.replace("MORE", "+ 1"), "q.cu": QUEUED.replace("CHECK", check)}
    assert found(tmp_path, files, "q.cu") == ["q.cu:missing-bounds-guard"] * bad
