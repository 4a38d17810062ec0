"""Calls that nobody looks at: those one after the other are one finding; what is stored in vain is not looked at."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.unchecked_api_call import UncheckedApiCall
from kernlint_rules.launch.unchecked_launch import UncheckedLaunch

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.hostmodel.checks import error_checks
from kernlint.finding import Severity
from kernlint.frontends.base import FrontendOptions
from kernlint.frontends.clang.frontend import ClangFrontend
from kernlint.source import SourceFile
from tests.rules.marked import assert_marked, findings


def test_one_finding_for_a_row() -> None:
    checked = "    if (cudaMemset(a, 0, n) != cudaSuccess) return;\n"
    assert_marked(
        UncheckedApiCall,
        "void run(float *a, const float *b, size_t n) {\n"
        + checked * 12
        + "    cudaMemcpy(a, b, n, cudaMemcpyHostToDevice);  // bad\n"
        + "    cudaMemcpy(a + n, b, n, cudaMemcpyHostToDevice);\n"
        + "    cudaMemcpy(a + 2 * n, b, n, cudaMemcpyHostToDevice);\n}\n",
    )


ROW = """
#include <CL/cl.h>
int run(cl_command_queue q, cl_context c, cl_program p, cl_mem x, const float *a, size_t n, void *to) {
    cl_int err;
    USED
    clEnqueueWriteBuffer(q, x, CL_TRUE, 0, n, a, 0, NULL, NULL);
    return 0;
}
"""
WRITE = "err = clEnqueueWriteBuffer(q, x, CL_TRUE, 0, n, a, 0, NULL, NULL);"


@pytest.mark.parametrize(
    ("used", "checked", "unchecked"),
    [
        (f"{WRITE} if (err) return 1;" * 5, 5, 1),
        (WRITE * 5, 0, 6),
        (f"{WRITE} err |= clSetKernelArg(0, 0, 8, &x);" * 2, 0, 5),
        (f"{WRITE} err |= clSetKernelArg(0, 0, 8, &x); if (err) return 1;" * 2, 4, 1),
        (f"{WRITE} cl_kernel k = clCreateKernel(p, to, &err); if (err) return 1;", 0, 2),
        (f"{WRITE} {WRITE} if (err) return 1;", 1, 2),
        (f"{WRITE} if (n == 3) return 1; {WRITE} if (err) return 1;", 1, 2),
        (f"{WRITE} if (n == 3) return err; {WRITE} if (err) return 1;", 2, 1),
        (f"{WRITE} CHECK_THAT(err);" * 3, 3, 1),
        (f"{WRITE} told(&err); {WRITE} told(&err);", 2, 1),
    ],
)
def test_a_status_that_is_stored_in_vain_is_dropped(used: str, checked: int, unchecked: int) -> None:
    text = SourceFile("t.cu", ROW.replace("USED", used).encode())
    got = ModuleFacts(ClangFrontend().parse_file(text, FrontendOptions())[0])[error_checks]
    assert (len(got.checked_calls), len(got.unchecked_calls)) == (checked, unchecked)


REFUSED = """
__global__ void clear(int *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }
inline void must(cudaError_t status) { if (status != cudaSuccess) throw 1; }
void run(int *x, int *to, int n) {
    must(cudaMemset(x, 1, n * sizeof(int)));
    clear<<<1, n>>>(x, n);
    BEHIND
}
"""
WAITED = "must(cudaDeviceSynchronize());"


@pytest.mark.parametrize(
    ("behind", "told"),
    [
        (WAITED, True),
        ("must(cudaMemcpy(to, x, n * sizeof(int), cudaMemcpyDeviceToHost));", True),
        (f"must(cudaGetLastError()); {WAITED}", False),
        (f"must(cudaPeekAtLastError()); {WAITED}", False),
        (f"elsewhere(); {WAITED}", False),
        ("cudaDeviceSynchronize();", False),
    ],
)
def test_a_wait_does_not_tell_that_a_launch_was_refused(behind: str, told: bool) -> None:
    found = findings(UncheckedLaunch, "void elsewhere();\n" + REFUSED.replace("BEHIND", behind))
    assert sum("refused" in one.message for one in found) == told
    assert all(one.severity is Severity.NOTE for one in found)


LATE = """
#include <stdexcept>
class Store {
public:
    void save(float *to, int n);
    void load(const float *from, int n);
    float *dev_;
};
void restore(float *dev, const float *from, int n) {
    cudaMemcpy(dev, from, n * sizeof(float), cudaMemcpyHostToDevice);
}
void Store::save(float *to, int n) {
    OWN cudaMemcpy(to, dev_, n * sizeof(float), cudaMemcpyDeviceToHost) ENDS;
    OWN cudaMemcpy(to + n, dev_, n * sizeof(float), cudaMemcpyDeviceToHost) ENDS;
    if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("save");
}
void Store::load(const float *from, int n) {
    OWN cudaMemcpy(dev_, from, n * sizeof(float), cudaMemcpyHostToDevice) ENDS;
    OWN cudaMemset(dev_ + n, 0, n * sizeof(float)) ENDS;
    OWN cudaMemset(dev_ + 2 * n, 0, n * sizeof(float)) ENDS;
    OWN cudaMemset(dev_ + 3 * n, 0, n * sizeof(float)) ENDS;
    if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("load");
}
int NAME(int n, char **given) { restore((float *)given[0], (float *)given[1], n); return 0; }
"""


@pytest.mark.parametrize(
    ("own", "name", "level"), [("", "use", "NOTE"), ("must(", "use", "WARNING"), ("", "main", "WARNING")]
)
def test_who_looks_only_later_may_do_so_in_another_file(own: str, name: str, level: str) -> None:
    text = LATE.replace("NAME", name).replace("OWN", own).replace(" ENDS", ")" if own else "")
    must = "inline void must(cudaError_t status) { if (status != cudaSuccess) throw 1; }\n"
    assert [one.severity.name for one in findings(UncheckedApiCall, must + text)] == [level]


LAUNCHES = """
__global__ void clear(int *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }
struct Failed {};
void one(int *x, int *y, int n) { clear<<<1, 32>>>(x, n); LOOK }
void two(int *x, int *y, int n) { clear<<<1, 64>>>(x, n); LOOK }
void three(int *x, int *y, int n) { clear<<<1, 96>>>(x, n); LOOK }
void four(int *x, int n) { clear<<<1, 128>>>(x, n); }
"""


@pytest.mark.parametrize(
    ("look", "level"),
    [
        ("if (cudaGetLastError() != cudaSuccess) throw Failed();", Severity.WARNING),
        ("if (cudaMemcpy(y, x, 4 * n, cudaMemcpyDeviceToHost) != cudaSuccess) throw Failed();", Severity.NOTE),
    ],
)
def test_what_tells_of_a_launch_by_the_way_is_no_habit(look: str, level: Severity) -> None:
    assert {one.severity for one in findings(UncheckedLaunch, LAUNCHES.replace("LOOK", look))} == {level}
