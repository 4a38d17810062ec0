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
