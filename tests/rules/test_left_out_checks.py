"""A check that only another build has stands in the text: its launch or call is not one that nobody looks at."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.unchecked_api_call import UncheckedApiCall
from kernlint_rules.launch.unchecked_launch import UncheckedLaunch

from kernlint.rule import RuleClass
from tests.rules.marked import assert_marked

CODE = """
#define MUST(x) do { cudaError_t e = x; if (e != cudaSuccess) throw e; } while (0)
#ifdef CHECKED_BUILD
#define LOOK() LOOKED
#else
#define LOOK() OTHERWISE
#endif
void leave_on_error(const char *text);
__global__ void zero(int *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }
void habit(int *h, int *x, int n) {
    zero<<<1, 64>>>(x, n); MUST(cudaGetLastError());
    zero<<<1, 64>>>(x, n); MUST(cudaGetLastError());
    zero<<<1, 64>>>(x, n); MUST(cudaGetLastError());
    MUST(cudaMemcpy(h, x, 4, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(h, x, 4, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(h, x, 4, cudaMemcpyDeviceToHost));
}
void one(int *h, int *x, int n) {
    BEFORE
    USE
    AFTER
}
"""
LAUNCH = "zero<<<1, 64>>>(x, n);"
COPY = "cudaMemcpy(h, x, 4, cudaMemcpyDeviceToHost);"


@pytest.mark.parametrize(("rule", "use"), [(UncheckedLaunch, LAUNCH), (UncheckedApiCall, COPY)])
@pytest.mark.parametrize(
    ("looked", "otherwise", "before", "after", "bad"),
    [
        ("MUST(cudaGetLastError())", "", "", "LOOK();", False),
        ("MUST(cudaDeviceSynchronize())", "", "", "LOOK()", False),
        ("MUST(cudaPeekAtLastError())", "do {} while (0)", "", "LOOK();", False),
        ('printf("here")', "", "", "LOOK();", True),  # looks at nothing in any build
        ("MUST(cudaGetLastError())", "", "LOOK();", "", True),  # before, not after
        ('leave_on_error("here");', "", "", "LOOK();", False),  # what that does stands elsewhere
        ('leave_on_error("here");', "", "LOOK();", "", True),
        ('leave_on_error("here");', 'printf("here")', "", "LOOK();", True),  # called for what it says
        ("MUST(cudaGetLastError())", "", "", "", True),
    ],
)
def test_what_another_build_looks_at(
    rule: RuleClass, use: str, looked: str, otherwise: str, before: str, after: str, bad: bool
) -> None:
    code = CODE.replace("LOOKED", looked).replace("OTHERWISE", otherwise)
    code = code.replace("BEFORE", before).replace("AFTER", after).replace("USE", use + ("  // bad" if bad else ""))
    assert_marked(rule, code)
