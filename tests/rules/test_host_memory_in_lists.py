"""Memory that is handed on in a list, given back all at once, or made with a pitch that nobody asks for."""

from __future__ import annotations

import pytest

from tests.rules.bounds.test_wrong_axes import codes, findings

FREED = """
#include <stdarg.h>
void release(void *first, ...) {{
    va_list rest;
    va_start(rest, first);
    for (void *p = first; p; p = va_arg(rest, void *)) cudaFree(p);
    va_end(rest);
}}
void run(int n) {{
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMemset(y, 0, n * sizeof(float));
    release(x{rest}, nullptr);
}}
"""


@pytest.mark.parametrize(("rest", "told"), [(", y", False), ("", True)])
def test_a_function_that_frees_whatever_it_is_given(rest: str, told: bool) -> None:
    assert ("KL608" in codes(FREED.format(rest=rest))) is told


def test_a_reset_is_told_once() -> None:
    text = """
    void run(float *x, float *y, float *z, float *w) {
        cudaMallocHost(&x, 100); cudaMallocHost(&y, 100); cudaMallocHost(&z, 100);
        cudaDeviceReset();
        cudaFreeHost(x);
        cudaFreeHost(y);
        cudaFreeHost(z);
    }
    """
    (found,) = findings(text, select=("KL613",))
    assert len(found.related) == 3
    twice = "void run(float *x, float *y) { cudaFree(x); cudaFree(y); cudaFree(x); cudaFree(y); }"
    assert codes(twice, select=("KL613",)) == ["KL613", "KL613"]


PITCHED = """
void run(float *host, size_t n, int rows) {{
    float *x;
    size_t pitch;
    cudaMallocPitch((void **)&x, &pitch, n * sizeof(float), rows);
    fill(x, {row}, rows);
    cudaMemcpy(host, x, n * sizeof(float) * rows, cudaMemcpyDeviceToHost);
    cudaFree(x);
}}
"""


@pytest.mark.parametrize(("row", "told"), [("n", False), ("pitch", True)])
def test_pitched_memory_that_is_used_densely(row: str, told: bool) -> None:
    assert ("KL605" in codes(PITCHED.format(row=row))) is told
