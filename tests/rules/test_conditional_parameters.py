"""Kernels with parameters that only some builds have."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_own_headers import check, codes

CODE = """
#include <CL/cl.h>
static const char text[] = R"CL(
__kernel void add(__global float *x, int n
#ifdef SCALED
                  , float by
#endif
                  )
{
    int i = get_global_id(0);
    if (i < n) x[i] += 1.0f;
}
)CL";
void run(cl_command_queue q, cl_program p, cl_mem x, int n, float by, bool scaled) {
    cl_kernel k = clCreateKernel(p, "add", NULL);
    clSetKernelArg(k, 0, sizeof(cl_mem), &x);
    clSetKernelArg(k, 1, sizeof(int), &n);
    if (scaled) clSetKernelArg(k, 2, sizeof(float), &by);
    size_t size = n;
    clEnqueueNDRangeKernel(q, k, 1, NULL, &size, NULL, 0, NULL, NULL);
    clReleaseKernel(k);
}
"""


@pytest.mark.parametrize(("text", "told"), [(CODE, False), (CODE.replace("#ifdef SCALED", "#if 1 < 0"), True)])
def test_an_argument_that_only_some_builds_have(text: str, told: bool, tmp_path: Path) -> None:
    (tmp_path / "run.cpp").write_text(text.replace(", float by\n#endif", "\n#endif") if told else text)
    assert ("KL617" in codes(check(tmp_path, "run.cpp"))) is told


FIRST = CODE.replace(
    "__global float *x, int n\n", "\n#if ROWS == 1\n int rows,\n#endif\n __global float *x, int n\n"
).replace("#ifdef SCALED\n                  , float by\n#endif", "")


def test_parameters_behind_one_that_only_some_builds_have_stand_elsewhere(tmp_path: Path) -> None:
    text = FIRST.replace("clSetKernelArg(k, 0, sizeof(cl_mem), &x)", "clSetKernelArg(k, 1, sizeof(cl_mem), &x)")
    text = text.replace("clSetKernelArg(k, 1, sizeof(int), &n)", "clSetKernelArg(k, 0, sizeof(int), &n)")
    text = text.replace(
        "if (scaled) clSetKernelArg(k, 2, sizeof(float), &by);", "clSetKernelArg(k, 2, sizeof(int), &n);"
    )
    (tmp_path / "run.cpp").write_text(text)
    assert "KL617" not in codes(check(tmp_path, "run.cpp"))
    always = text.replace("#if ROWS == 1\n int rows,\n#endif\n", "")
    (tmp_path / "run.cpp").write_text(always)
    assert "KL617" in codes(check(tmp_path, "run.cpp"))
