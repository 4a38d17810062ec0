"""What no compiler accepts, and errors that only a missing name brings about."""

from __future__ import annotations

import pytest
from kernlint_rules.language.language_error import LanguageError

from kernlint.rule import Example
from kernlint.testing import analyse
from tests.rules.marked import assert_marked, findings

BAD = {
    "a semicolon": """
__global__ void k(int *o) {
    int a = 1 // bad
    o[a] = 0;
}
""",
    "a parenthesis": """
__global__ void k(int *o, int n) {
    if (threadIdx.x < n { // bad
        o[threadIdx.x] = 0;
    }
}
""",
}


@pytest.mark.parametrize("name", BAD)
def test_grammar(name: str) -> None:
    assert_marked(LanguageError, BAD[name])
    assert_marked(LanguageError, BAD[name].replace("__global__", "__kernel").replace("int *", "__global int *").replace(
        "threadIdx.x", "get_local_id(0)"), "opencl")  # fmt: skip


GOOD = {
    "no kernel": """
int sum(int a) {
    int b = 1
    return a + b;
}
""",
    "a loop macro of a header that is not there": """
#include "loops.h"
__global__ void k(int *o, int n) {
    FOR_EACH(i, n)
        o[i] = 0;
}
""",
    "a loop macro that the build defines": """
__global__ void k(int *o, int n) {
    FOR_EACH(i, n)
        o[i] = 0;
    FOR_EACH(i, n) ON(i) o[i] = 1
}
""",
    "a missing header anywhere": """
#include "loops.h"
__global__ void k(int *o) {
    int a = 1
    o[a] = 0;
}
""",
    "a macro of the toolkit's": """
__global__ void k(unsigned *arrived) {
    unsigned old;
    asm volatile("atom.add.release.gpu.u32 %0,[%1],%2;" : "=r"(old) : _ASM_POINTER(arrived), "r"(1u) : "memory");
    arrived[1] = old;
}
""",
    "braces for a block": """
__global__ void k(int *o) { o[threadIdx.x] = 0; }
void run(int *o, int n) { k<<<{1, 1}, {32, 4, 1}>>>(o); }
""",
    "a width that is not declared": """
const int bits = WIDTH;
constexpr int twice = bits * 2;
#define MORE (WIDTH * 4)
__global__ void k(unsigned *o) {
    o[0] = (1u << MORE) + (1u << twice) + (1u << (WIDTH * 8));
}
""",
}


@pytest.mark.parametrize("name", GOOD)
def test_what_a_name_may_mend(name: str) -> None:
    assert not findings(LanguageError, GOOD[name])


def test_pieces_of_programs() -> None:
    head = 'const char *head = "__global__ void k(int *o) { int a = 1; if (a < 2) { o[a] = 0 }";'
    whole = head.replace('0 }";', '0 } }"; // bad')
    for text in (head, whole):
        found = analyse(LanguageError, Example("cuda", True, text, ())).results
        assert bool(found) is (text is whole)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("__kernel void map(ulong total ARGUMENTS) {\n  if (get_global_id(0) < total) { LOADS }\n}\n", False),
        ("__kernel void map(ulong total arguments) {\n  if (get_global_id(0) < total) { }\n}\n", True),
        ("#define STEP 2\n__kernel void map(__global int *p) {\n  p[0] = p[1] STEP;\n}\n", True),
    ],
)
def test_what_the_host_hands_in_where_a_name_stands_is_no_error_of_grammar(text: str, told: bool) -> None:
    assert bool(findings(LanguageError, text, "opencl")) is told
