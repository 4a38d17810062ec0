"""Host functions of several files are walked together: what callers pass and have checked, and what functions give
that another file defines, holds for the launches between."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_launches_elsewhere import found

HEADER = """#pragma once
#include <cuda_runtime.h>
#include <memory>
struct Window { int threads; int reach; size_t wide_bytes; size_t plain_bytes; };
Window make_window(int reach);
std::unique_ptr<Window> own_window(int reach);
int set_window(Window *w, int reach);
class Sizes {
public:
    explicit Sizes(int reach);
    int threads() const;
    size_t bytes() const;
    int reach() const { return reach_; }
private:
    int reach_, threads_;
};
void smooth(const Window &w, const float *x, float *y, int n);
void smooth_sized(const Sizes &s, const float *x, float *y, int n);
"""

MADE = """#include "window.h"
Window make_window(int reach) {
    Window w;
    w.threads = 128;
    w.reach = reach;
    w.wide_bytes = (w.threads + 2 * reach) * sizeof(float);
    w.plain_bytes = w.threads * sizeof(float);
    return w;
}
std::unique_ptr<Window> own_window(int reach) {
    auto w = std::make_unique<Window>();
    *w = make_window(reach);
    return w;
}
int set_window(Window *w, int reach) {
    *w = make_window(reach);
    return 0;
}
Sizes::Sizes(int reach) : reach_(reach), threads_(128) {}
int Sizes::threads() const { return threads_; }
size_t Sizes::bytes() const { return (threads_ + EDGES * reach_) * sizeof(float); }
"""

KERNEL = """#include "window.h"
__global__ void slide(const float *x, float *y, int n, int reach) {
    extern __shared__ float part[];
    const int first = blockIdx.x * blockDim.x - reach;
    for (int k = threadIdx.x; k < blockDim.x + 2 * reach; k += blockDim.x) part[k] = x[min(max(first + k, 0), n - 1)];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = part[threadIdx.x] + part[threadIdx.x + 2 * reach];
}
void smooth(const Window &w, const float *x, float *y, int n) {
    slide<<<(n + w.threads - 1) / w.threads, w.threads, w.BYTES>>>(x, y, n, w.reach);
}
void smooth_sized(const Sizes &s, const float *x, float *y, int n) {
    slide<<<(n + s.threads() - 1) / s.threads(), s.threads(), s.bytes()>>>(x, y, n, s.reach());
}
"""

MAKERS = {
    "a factory": "const Window w = make_window(5); smooth(w, x, y, n);",
    "one that gives a pointer": "auto w = own_window(5); smooth(*w, x, y, n);",
    "a function that fills it": "Window w; if (set_window(&w, 5)) return; smooth(w, x, y, n);",
    "a class": "Sizes s(5); smooth_sized(s, x, y, n);",
}


@pytest.mark.parametrize("made", MAKERS)
@pytest.mark.parametrize("bad", [False, True])
def test_sizes_that_another_file_makes(tmp_path: Path, made: str, bad: bool) -> None:
    files = {
        "src/window.h": HEADER,
        "src/window.cpp": MADE.replace("EDGES", "1" if bad else "2"),
        "src/slide.cu": KERNEL.replace("BYTES", "plain_bytes" if bad else "wide_bytes"),
        "app/run.cpp": '#include "../src/window.h"\nvoid run(const float *x, float *y, int n) { '
        + MAKERS[made]
        + " }\n",
    }
    said = found(tmp_path, files, "src/slide.cu")
    assert said == ["src/slide.cu:dynamic-shared-memory-omitted"] * bad


ROWS = """#include <torch/extension.h>
__global__ void last_of_row(const float *x, float *y) {
    __shared__ float row[512];
    row[threadIdx.x] = x[(size_t)blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) y[blockIdx.x] = row[blockDim.x - 1] - row[0];
}
torch::Tensor last_of_row_cuda(torch::Tensor x) {
    auto y = torch::empty({x.size(0)}, x.options());
    const int columns = x.size(1);
    last_of_row<<<x.size(0), columns>>>(x.data_ptr<float>(), y.data_ptr<float>());
    return y;
}
"""

BINDING = """#include <torch/extension.h>
torch::Tensor last_of_row_cuda(torch::Tensor x);
torch::Tensor last_of_row(torch::Tensor x, torch::Tensor names) {
    TORCH_CHECK(x.dim() == 2 && x.is_contiguous(), "rows");
    TORCH_CHECK(OF.size(1) >= 1 && OF.size(1) <= MOST, "columns");
    return last_of_row_cuda(x);
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("last_of_row", &last_of_row); }
"""


@pytest.mark.parametrize(
    ("of", "most", "bad"), [("x", "512", False), ("x", "640", True), ("x", "1024", True), ("names", "1024", False)]
)
def test_checks_of_a_binding(tmp_path: Path, of: str, most: str, bad: bool) -> None:
    files = {"rows.cu": ROWS, "binding.cpp": BINDING.replace("OF", of).replace("MOST", most)}
    assert found(tmp_path, files, "rows.cu") == ["rows.cu:array-index-out-of-range"] * bad


SHAPE = """#pragma once
#include <cuda_runtime.h>
struct Shape { int cells; };
bool fits(const Shape &s);
"""

CHECKED = """#include "shape.h"
__global__ void invert(float *v) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    v[i] = 1.0f - v[i];
}
void run(float *v, const Shape &s) {
    if (!fits(s)) return;
    invert<<<(s.cells + 127) / 128, 128>>>(v);
}
void start(int n) {
    Shape s{n};
    float *v;
    cudaMalloc(&v, n * sizeof(float));
    run(v, s);
    cudaFree(v);
}
"""


@pytest.mark.parametrize(("fits", "bad"), [("s.cells > 0 && s.cells % 128 == 0", False), ("s.cells > 0", True)])
def test_a_check_that_another_file_makes(tmp_path: Path, fits: str, bad: bool) -> None:
    files = {
        "shape.h": SHAPE,
        "shape.cpp": '#include "shape.h"\nbool fits(const Shape &s) { return ' + fits + "; }\n",
        "invert.cu": CHECKED,
    }
    assert found(tmp_path, files, "invert.cu") == ["invert.cu:missing-bounds-guard"] * bad


def test_a_function_of_another_file_that_is_local_there_is_not_meant(tmp_path: Path) -> None:
    local = '#include "shape.h"\nstatic bool fits(const Shape &s) { return s.cells % 128 == 0; }\n'
    files = {
        "shape.h": SHAPE,
        "other.cpp": local + "bool other(int n) { return fits(Shape{n}); }\n",
        "shape.cpp": '#include "shape.h"\nbool fits(const Shape &s) { return s.cells > 0; }\n',
        "invert.cu": CHECKED,
    }
    assert found(tmp_path, files, "invert.cu") == ["invert.cu:missing-bounds-guard"]


FIELD = """#pragma once
#include <cuda_runtime.h>
struct Field {
    int cells, padded;
    float *now, *next;
    bool allocate(int cells);
    void halve();
};
cudaError_t create(Field &f, int cells);
int field_init(Field *f, int cells);
void halve(const Field &f);
void halve_at(Field *f);
"""

FILLED = """#include "field.h"
BEGIN
    if (cells < 1) return FAILED;
    ITpadded = (cells + 127) / 128 * 128;
    ITcells = cells;
    if (cudaMalloc((void **)&ITnow, ITpadded * sizeof(float)) != cudaSuccess) return FAILED;
    if (cudaMalloc((void **)&ITnext, ITSIZE * sizeof(float)) != cudaSuccess) return FAILED;
    return DONE;
}
void clear(Field &f) { cudaFree(f.now); cudaFree(f.next); f.now = nullptr; f.next = nullptr; }
"""

HALVED = """#include "field.h"
__global__ void halves(const float *now, float *next) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    next[i] = now[i] * 0.5f;
}
void BEGIN { halves<<<ITpadded / 128, 128>>>(ITnow, ITnext); }
"""

FILLERS = {
    "a reference": (
        ("cudaError_t create(Field &f, int cells) {", "f.", "cudaErrorInvalidValue", "cudaSuccess"),
        ("halve(const Field &f)", "f."),
    ),
    "a pointer": (("int field_init(Field *f, int cells) {", "f->", "1", "0"), ("halve_at(Field *f)", "f->")),
    "a method": (("bool Field::allocate(int cells) {", "this->", "false", "true"), ("Field::halve()", "")),
}


def filled(by: str, size: str) -> dict[str, str]:
    (begin, it, failed, done), (launching, its) = FILLERS[by]
    text = FILLED.replace("BEGIN", begin).replace("FAILED", failed).replace("DONE", done)
    return {
        "src/field.h": FIELD,
        "src/field.cpp": text.replace("SIZE", size).replace("IT", it),
        "gpu/half.cu": HALVED.replace("BEGIN", launching).replace("IT", its),
    }


@pytest.mark.parametrize("by", FILLERS)
@pytest.mark.parametrize("bad", [False, True])
def test_memory_of_an_object_that_another_file_fills(tmp_path: Path, by: str, bad: bool) -> None:
    files = filled(by, "cells" if bad else "padded")
    assert found(tmp_path, files, "gpu/half.cu") == ["gpu/half.cu:missing-bounds-guard"] * bad


def test_of_two_functions_that_fill_an_object_nobody_knows_which_has(tmp_path: Path) -> None:
    files = filled("a reference", "cells")
    files["src/mapped.cpp"] = '#include "field.h"\nvoid map(Field &f, int n) { cudaMalloc(&f.next, (n + 127) * 4); }\n'
    assert found(tmp_path, files, "gpu/half.cu") == []


PLANS = """#pragma once
#include <cuda_runtime.h>
struct Shape { dim3 grid; dim3 block; };
Shape shape_for(int step, int n);
__global__ void lengths(const float *x, float *y, int n);
__global__ void total(const float *x, float *sum, int n);
void measure(const float *x, float *y, int n);
void add_up(const float *x, float *sum, int n);
"""

PLANNED = """#include "plans.h"
Shape shape_for(int step, int n) {
    switch (step) {
    case 0: { Shape one; one.grid = dim3((n - 1) / LONG + 1); one.block = dim3(LONG); return one; }
    case 1: { Shape one; one.grid = dim3(BLOCKS); one.block = dim3(64); return one; }
    }
    return {};
}
"""

PLANNED_KERNELS = """#include "plans.h"
__global__ void lengths(const float *x, float *y, int n) {
    __shared__ float part[4];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 64 == 0) part[threadIdx.x / 64] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (i < n) y[i] = part[threadIdx.x / 64];
}
__global__ void total(const float *x, float *sum, int n) {
    float own = 0.0f;
    for (int i = 0; i < n; ++i) own += x[i];
    if (threadIdx.x == 0) *sum += own;
}
"""

STARTS = {
    "a template": "template <class... P> void start(void (*kernel)(P...), const Shape &s, void **args) "
    "{ cudaLaunchKernel(reinterpret_cast<const void *>(kernel), s.grid, s.block, args, 0, 0); }",
    "a type that is any": "template <typename K> void start(K kernel, const Shape &s, void **args) "
    "{ cudaLaunchKernel((const void *)kernel, s.grid, s.block, args, 0, 0); }",
    "no template": "static void start(void (*kernel)(const float *, float *, int), const Shape &s, void **args) "
    "{ cudaLaunchKernel((const void *)kernel, s.grid, s.block, args, 0, 0); }",
}


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("bad", [False, True])
def test_kernels_that_a_function_of_the_source_is_given_with_a_plan(tmp_path: Path, start: str, bad: bool) -> None:
    calls = """
    void measure(const float *x, float *y, int n) {
        void *args[] = {&x, &y, &n};
        start(lengths, shape_for(0, n), args);
    }
    void add_up(const float *x, float *sum, int n) {
        void *args[] = {&x, &sum, &n};
        start(total, shape_for(1, n), args);
    }
    """
    made = PLANNED.replace("LONG", "512" if bad else "256").replace("BLOCKS", "3" if bad else "1")
    files = {
        "src/plans.h": PLANS,
        "src/plans.cpp": made,
        "src/kernels.cu": PLANNED_KERNELS,
        "src/calls.cu": '#include "plans.h"\n' + STARTS[start] + calls,
        "src/main.cpp": '#include "plans.h"\nint main() { float *x, *y; cudaMalloc(&x, 4000); cudaMalloc(&y, 4000); '
        "measure(x, y, 1000); add_up(x, y, 1000); }\n",
    }
    assert found(tmp_path, files, "src/kernels.cu") == (
        ["src/kernels.cu:array-index-out-of-range", "src/kernels.cu:global-memory-race"] if bad else []
    )


BASIN = """#pragma once
#include <cuda_runtime.h>
class Basin {
public:
    Basin(int nx, int ny);
    void crest(int);
private:
    int cells_, blocks_;
    float *level_, *peak_;
};
"""


@pytest.mark.parametrize("bad", [False, True])
def test_results_of_blocks_for_which_a_constructor_has_made_room(tmp_path: Path, bad: bool) -> None:
    kernel = """#include "basin.h"
    __global__ void peaks(const float *level, float *peak, int cells) {
        __shared__ float cell[128];
        const int i = blockIdx.x * 128 + threadIdx.x;
        cell[threadIdx.x] = i < cells ? level[i] : 0.0f;
        __syncthreads();
        for (int d = 64; d > 0; d /= 2) {
            if (threadIdx.x < d) cell[threadIdx.x] = fmaxf(cell[threadIdx.x], cell[threadIdx.x + d]);
            __syncthreads();
        }
        if (threadIdx.x == 0) peak[blockIdx.x] = cell[0];
    }
    void Basin::crest(int) { peaks<<<blocks_, 128>>>(level_, peak_, cells_); }
    """
    made = """#include "basin.h"
    Basin::Basin(int nx, int ny) {
        if (nx < 1 || ny < 1 || nx > 4096 || ny > 4096) throw 1;
        cells_ = nx * ny;
        blocks_ = (cells_ + 127) / 128;
        cudaMalloc(&level_, cells_ * sizeof(float));
        cudaMalloc(&peak_, ROOM * sizeof(float));
    }
    """
    files = {
        "src/basin.h": BASIN,
        "src/basin.cu": made.replace("ROOM", "cells_ / 128" if bad else "blocks_"),
        "src/peaks.cu": kernel,
        "src/main.cpp": '#include "basin.h"\nint main() { Basin b(500, 301); b.crest(1); }\n',
    }
    assert found(tmp_path, files, "src/peaks.cu") == (["src/peaks.cu:array-index-out-of-range"] if bad else [])
