"""Places of local variables in OpenCL."""

from __future__ import annotations

from kernlint_rules.language.local_declaration_scope import LocalDeclarationScope

from tests.rules.marked import assert_marked, findings

CODE = """
void helper(__local int *given) {
    __local int own[64]; // bad
    own[get_local_id(0)] = given[0];
}
__kernel void k(__global int *x, __local int *given, const int n) {
    __local int fine[64];
    for (int i = 0; i < n; ++i) {
        __local int inner[8]; // bad
        __local int *pointer = fine + i;
        inner[get_local_id(0) % 8] = *pointer;
    }
    fine[get_local_id(0)] = given[0];
    helper(fine);
    x[get_global_id(0)] = fine[0];
}
"""


def test_scopes() -> None:
    assert_marked(LocalDeclarationScope, CODE, "opencl")


def test_helper_that_nobody_calls() -> None:
    code = "int unused(int v) {\n    __local int s[4]; // bad\n    s[0] = v;\n    return s[1];\n}\n"
    assert_marked(LocalDeclarationScope, code + "__kernel void k(__global int *x) { x[0] = 1; }\n", "opencl")


def test_cuda_has_no_such_rule() -> None:
    code = "__global__ void k(int *x) {\n    if (x[0]) {\n        __shared__ int s[4];\n        s[0] = 1;\n    }\n}\n"
    assert not findings(LocalDeclarationScope, code)
