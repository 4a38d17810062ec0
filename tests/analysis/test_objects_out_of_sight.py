"""Objects that statements use which could not be read."""

from __future__ import annotations

import pytest

from kernlint.analysis.launching.objects import with_objects
from kernlint.frontends.base import FrontendOptions
from kernlint.frontends.clang import ClangFrontend
from kernlint.source import SourceFile

NORM = """
__global__ void scale(float *x, int n, int kind) { if (threadIdx.x < n) x[threadIdx.x] *= kind; }
class Norm {
public:
    Norm() { kind = 3; count = 0; }
    void describe(int type, int n, int h, int w) { count = n * h * w; }
    void forward(float *x);
private:
    int kind, count;
};
void Norm::forward(float *x) { scale<<<(count + 255) / 256, 256>>>(x, count, kind); }
void run(float *x, int n, int h, int w) {
    Norm *norm = new Norm();
    DESCRIBED
    norm->forward(x);
}
"""


@pytest.mark.parametrize(
    ("described", "made"),
    [("norm->describe(NOWHERE_DECLARED, n, h, w);", False), ("norm->describe(1, n, h, w);", True), ("", True)],
)
def test_no_caller_is_made_up_for_a_class_whose_methods_a_lost_call_may_use(described: str, made: bool) -> None:
    source = SourceFile("norm.cu", NORM.replace("DESCRIBED", described).encode())
    (module, *_) = ClangFrontend().parse_file(source, FrontendOptions(cache=False))
    callers = with_objects([function for function in module.functions if function.body is not None])
    assert any(method.name == "forward" for method in callers) is made
