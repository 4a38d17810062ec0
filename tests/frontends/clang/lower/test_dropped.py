"""Statements that clang drops without a word: what no statement of a block covers is lost."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.wrong_copy_direction import WrongCopyDirection

from kernlint.frontends.base import FrontendOptions
from kernlint.frontends.clang.frontend import ClangFrontend
from kernlint.source import SourceFile
from kernlint.tree.nodes import OpaqueStmt
from kernlint.tree.walk import walk
from tests.rules.marked import assert_marked

SOLVER = """
#include <library_of_ours.h>
#define MUST(cmd) do { cudaError_t e = cmd; if (e != cudaSuccess) throw e; } while (0)
#define NOTHING(x)
#define SOLVED(x) solved((x), __LINE__)
inline int solved(int status, int line) { if (status) throw line; return status; }
inline int factor(handle_t h, int n, float *a, int *state) { return librarySFactor(h, n, a, state); }
inline int factor(handle_t h, int n, double *a, int *state) { return libraryDFactor(h, n, a, state); }
struct Solver {
    handle_t handle;
    int n;
    template <typename T> int run(T *a);
};
template <typename T> int Solver::run(T *a) {
    int *state, got = 0;
    MUST(cudaMalloc(&state, sizeof(int)));
    BETWEEN
    MUST(cudaMemcpy(&got, state, sizeof(int), cudaMemcpyDeviceToHost));  // bad
    MUST(cudaFree(state));
    return got;
}
"""


@pytest.mark.parametrize(
    ("between", "lost"),
    [
        ("SOLVED(factor(handle, n, a, state));", 1),
        ("int one = 1;\n    SOLVED(factor(handle, n, a, state)); // twice; as it is\n    if (n) one = 2;", 1),
        ("if (n) SOLVED(factor(handle, n, a, state)); else SOLVED(factor(handle, 1, a, state));", 2),
        ("// SOLVED(factor(handle, n, a, state));", 0),
        ("/* factor(handle, n, a, state); */ NOTHING(state) NOTHING(n); ;", 0),
        ("#if 0\n    factor(handle, n, a, state);\n#endif", 0),
        ("#define FACTOR \\\n    factor(handle, n, a, state);\n", 0),
        ('[[maybe_unused]] int spare = n; static_assert(sizeof(T) > 1, ""); using U = T;', 0),
    ],
)
def test_text_that_no_statement_covers(between: str, lost: int) -> None:
    code = SOLVER.replace("BETWEEN", between)
    module = ClangFrontend().parse_file(SourceFile("t.cu", code.encode()), FrontendOptions())[0]
    (run,) = (f for f in module.functions if f.name == "run")
    assert run.body is not None
    assert sum(isinstance(node, OpaqueStmt) for node in walk(run.body)) == lost
    assert_marked(WrongCopyDirection, code.replace("  // bad", "") if lost else code)
