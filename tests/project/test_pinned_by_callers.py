"""What callers in other files pin or clamp is what a launch has, and no free number."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_callers_elsewhere import codes

TABLE = """
__global__ void close(float *table) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < 34 && col < 64) table[row * 64 + col] = 1.0f;
}
void fill(int rows, int cols, float **out) {
    cudaMalloc((void **)out, sizeof(float) * rows * cols);
    close<<<dim3((rows + 15) / 16, (cols + 15) / 16), dim3(16, 16)>>>(*out);
}
"""


@pytest.mark.parametrize(("cols", "told"), [("64", False), ("wide == 2 ? 64 : 32", True)])
def test_sizes_that_a_caller_elsewhere_passes_for_a_table_of_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cols: str, told: bool
) -> None:
    caller = "void fill(int rows, int cols, float **out);\n"
    caller += f"void go(float **out, int wide) {{ int rows = 17 * 2; fill(rows, {cols}, out); }}\n"
    found = codes(tmp_path, {"table.cu": TABLE, "go.cpp": caller, "Makefile": ""}, capsys)
    assert (("table.cu", "KL102") in found) is told


def test_a_choice_that_somebody_types_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    caller = "#include <stdlib.h>\nvoid fill(int rows, int cols, float **out);\n"
    caller += "int main(int argc, char **argv) { float *x; int w = atoi(argv[1]); fill(34, w == 2 ? 64 : 32, &x); }\n"
    found = codes(tmp_path, {"table.cu": TABLE, "main.cpp": caller, "Makefile": ""}, capsys)
    assert ("table.cu", "KL102") in found


ENDS = """
#define MOST 25
__global__ void ends(const float *x, int count, float *y) {
    if (threadIdx.x == 0)
        for (int i = 0; i < count - 1; i++) y[i] = x[i];
}
void highest(const float *x, int count) {
    float *y;
    cudaMalloc((void **)&y, sizeof(float) * MOST);
    ends<<<1, 64>>>(x, count, y);
    cudaFree(y);
}
void all(const float *x, int count) { highest(x, count); }
"""


@pytest.mark.parametrize(("clamp", "told"), [("if (n > 25) n = 25;", False), ("if (n > 99) return 1;", True)])
def test_a_count_that_a_program_clamps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], clamp: str, told: bool
) -> None:
    caller = "#include <stdlib.h>\nvoid all(const float *x, int count);\n"
    caller += f"int main(int argc, char **argv) {{ int n = atoi(argv[1]); {clamp} all(load(), n); return 0; }}\n"
    found = codes(tmp_path, {"ends.cu": ENDS, "main.cpp": caller, "Makefile": ""}, capsys)
    assert (("ends.cu", "KL102") in found) is told


ROWS = """
__global__ void spread(int radius, const float *x, float *y) {
    __shared__ float row[5 * 48];
    int at = threadIdx.y * 48 + threadIdx.x + radius;
    if (threadIdx.x < 25) row[at] = x[threadIdx.x];
    if (threadIdx.x < radius) row[threadIdx.y * 48 + threadIdx.x] = 0.0f;
    if (threadIdx.x < 25) y[threadIdx.y * 25 + threadIdx.x] = row[at];
}
void blur(const float *x, float *y, float sigma, int bins) {
    int radius = (int)ceil((float)(int)(sigma * (float)bins) * 3.0f);
    spread<<<1, dim3(32, 4)>>>(radius, x, y);
}
"""


@pytest.mark.parametrize(("sigma", "told"), [("0.1f", False), ("0.43f", True)])
def test_a_radius_that_is_worked_out_in_floats(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], sigma: str, told: bool
) -> None:
    caller = f"void go(const float *x, float *y) {{ blur(x, y, {sigma}, 25); }}\n"
    found = codes(tmp_path, {"rows.cu": ROWS + caller}, capsys)
    assert (("rows.cu", "KL201") in found) is told


INNER = """
__global__ void inner(unsigned width, unsigned border, unsigned wide, unsigned high, const float *x, float *y) {
    int i = blockDim.x * blockIdx.x + threadIdx.x, j = blockDim.y * blockIdx.y + threadIdx.y;
    if (i < wide && j < high) y[j * wide + i] = x[(j + border) * width + i + border];
}
void cut(unsigned width, unsigned height, unsigned border, const float *x, float **y) {
    int wide = width - 2 * border, high = height - 2 * border;
    cudaMalloc((void **)y, sizeof(float) * SIZE);
    inner<<<dim3((wide - 1) / 16 + 1, (high - 1) / 16 + 1), dim3(16, 16)>>>(width, border, wide, high, x, *y);
}
"""


@pytest.mark.parametrize(("size", "told"), [("wide * high", False), ("wide * (high - 1)", True)])
def test_a_grid_of_more_blocks_than_any(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], size: str, told: bool
) -> None:
    found = codes(tmp_path, {"inner.cu": INNER.replace("SIZE", size)}, capsys)
    assert (("inner.cu", "KL102") in found) is told


PAIRS = """
__global__ void larger(const float *x, float *y, int n, int rows) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (n + 1) / 2)
        for (int r = 0; r < rows; r++) {
            if (TEST) y[r * ((n + 1) / 2) + i] = x[r * n + 2 * i];
            else y[r * ((n + 1) / 2) + i] = fmaxf(x[r * n + 2 * i], x[r * n + 2 * i + 1]);
        }
}
void run(const float *x, float *y, int n, int rows) { larger<<<((n + 1) / 2 + 127) / 128, 128>>>(x, y, n, rows); }
"""


@pytest.mark.parametrize(("test", "told"), [("n % 2 == 1 && i == (n + 1) / 2 - 1", False), ("rows == 1", True)])
def test_what_is_left_over_of_pairs_is_looked_after(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], test: str, told: bool
) -> None:
    found = codes(tmp_path, {"pairs.cu": PAIRS.replace("TEST", test)}, capsys)
    assert (("pairs.cu", "KL102") in found) is told


WHOLE = """
__global__ void twice(float *x, int width, int height) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
    if (i < width && j < height) x[j * width + i] *= 2.0f;
}
void run(float *x, int width, int height) { twice<<<dim3(width / 32, height), 32>>>(x, width, height); }
"""


@pytest.mark.parametrize(("width", "told"), [("round_up(n, 32)", False), ("n", True)])
def test_a_width_that_a_helper_of_the_caller_rounds_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], width: str, told: bool
) -> None:
    caller = "void run(float *x, int width, int height);\n"
    caller += "static int round_up(int n, int by) { return (n + by - 1) / by * by; }\n"
    caller += f"void go(float *x, int n, int height) {{ run(x, {width}, height); }}\n"
    found = codes(tmp_path, {"whole.cu": WHOLE, "go.cpp": caller, "Makefile": ""}, capsys)
    assert (("whole.cu", "KL602") in found) is told
