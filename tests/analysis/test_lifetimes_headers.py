"""Objects of classes that a header defines: what happens when they end may not be in sight."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernlint.cli import main

CLASS = """
#pragma once
#define OK(c) do { if ((c) != cudaSuccess) exit(1); } while (0)
template <class T> __global__ void filled(T *x, T value) { x[threadIdx.x] = value; }
template <class T> class Rows {
public:
    Rows() {}
    ~Rows() { if (full_) OK(cudaFree(data_)); }
    void resize(size_t n) {
        if (full_) OK(cudaFree(data_));
        OK(cudaMalloc((void **)&data_, n * sizeof(T)));
        full_ = true;
    }
    T *data() { return data_; }
    void fill(T value) { filled<<<1, 64>>>(data_, value); }
private:
    bool full_ = false;
    T *data_ = nullptr;
};
"""
PLAIN = """
#pragma once
template <class T> __global__ void filled(T *x, T value) { x[threadIdx.x] = value; }
struct Rows { size_t n; double *data; };
"""
KERNEL = "__global__ void clear(double *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }\n"
USE = "void run(int n) { Rows<double> r; r.resize(n); clear<<<1, 64>>>(r.data(), n); cudaDeviceSynchronize(); }\n"
USE_PLAIN = (
    "void run(int n) { Rows r; cudaMalloc(&r.data, n * 8); clear<<<1, 64>>>(r.data, n); cudaDeviceSynchronize(); }\n"
)


@pytest.mark.parametrize(("header", "use", "told"), [(CLASS, USE, 0), (PLAIN, USE_PLAIN, 1)])
def test_a_class_of_a_header(
    header: str, use: str, told: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rows.cuh").write_text(header)
    (tmp_path / "run.cu").write_text('#include <cstdlib>\n#include "rows.cuh"\n' + KERNEL + use)
    main(["check", "--no-cache", "--select", "KL608", "--format", "json", str(tmp_path / "run.cu")])
    assert len(json.loads(capsys.readouterr().out)["findings"]) == told
