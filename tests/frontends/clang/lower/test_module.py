"""Modules: what is in them, what is missed, and that nothing brings the front end down."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.frontends.base import FrontendOptions
from kernlint.frontends.clang import ClangFrontend
from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.frontend import language_of
from kernlint.frontends.clang.kinds import CursorKind
from kernlint.frontends.clang.lower import context
from kernlint.frontends.clang.lower.context import Scope
from kernlint.source import SourceFile, read
from kernlint.tree.dump import module_text
from kernlint.tree.nodes import Expr, OpaqueStmt, Stmt
from kernlint.tree.walk import functions_of, walk

from .trees import find, kernel, lines, module


def test_kernels_in_all_their_places() -> None:
    text = """#define DEF(N, T) __global__ void N##_kernel(T *p) { p[0] = 1; }
    DEF(a, float)
    extern "C" __global__ void b(int *p) {}
    struct S { static __global__ void c(int *p) {} };
    namespace n { __global__ void d(int *p) {} }
    __global__ void e(int *); __global__ void e(int *p) {}"""
    assert [k.name for k in module(text).kernels] == ["a_kernel", "b", "c", "d", "e"]


def test_kernels_that_did_not_make_it_are_named() -> None:
    text = """// __global__ void comment() {}
    #if 0
    __global__ void off(int *p) { p[0] = 1; }
    #endif
    const char *s = "__global__";
    __global__ void fine(int *p) {}
    __global__ void broken(int *p { p[0] = 1; }"""
    found = module(text)
    reasons = {m.name: m.reason for m in found.missed}
    assert "off" in reasons and "#if" in reasons["off"]
    assert set(reasons) <= {"off", "broken"} and "fine" in [k.name for k in found.kernels]
    off = next(m for m in found.missed if m.name == "off")
    assert text[off.span.start : off.span.end].startswith("off")


def test_kernels_missed_in_opencl() -> None:
    text = "__kernel void a(__global int *p) {}\n#if 0\n__kernel void b(__global int *p) {}\n#endif\n"
    found = module(text, "opencl")
    assert [k.name for k in found.kernels] == ["a"] and [m.name for m in found.missed] == ["b"]
    assert len(found.inactive) == 1


def test_functions_of_headers_are_there_when_called(tmp_path: Path) -> None:
    (tmp_path / "part.cuh").write_text(
        "__device__ int used(int a) { return a; } __device__ int unused(int a) { return a; }"
        "__global__ void launched(int *p) { p[0] = used(1); }"
    )
    main = tmp_path / "main.cu"
    main.write_text(
        '#include "part.cuh"\n__global__ void k(int *p) { p[0] = used(2); } void h(int *p) { launched<<<1, 1>>>(p); }'
    )
    found = ClangFrontend().parse_file(read(str(main)), FrontendOptions(cache=False))[0]
    assert {f.name for f in found.functions} == {"k", "h", "used", "launched"}
    assert [k.name for k in found.kernels] == ["k", "launched"]
    assert found.kernels[1].function.span.file.endswith("part.cuh")


def test_missing_headers_are_listed() -> None:
    assert module('#include "nowhere.h"\n__global__ void k() {}').missing_headers == ("nowhere.h",)


def test_headers_whose_names_are_declared_are_not_missed() -> None:
    text = "#include <cuda_runtime.h>\n#include <cub/cub.cuh>\n#include <cooperative_groups.h>\n#include <cusparse.h>\n"
    assert module(text + "__global__ void k() {}").missing_headers == ("cusparse.h",)
    text = "#include <stdio.h>\n#include <cmath>\n#include <cstdint>\n#include <vector>\n#include <regex>\n"
    assert module(text + "__global__ void k() {}").missing_headers == ("regex",)


_USES = {
    "stdio.h": 'printf("%d", 1); FILE *f = fopen("a", "r");',
    "cmath": "double d = std::sqrt(2.0) + M_PI; bool b = std::isnan(d);",
    "cstdint": "std::uint8_t a = 1; uint64_t b = UINT64_MAX;",
    "cinttypes": 'const char *a = PRIu64; printf("%" PRId64, int64_t(1));',
    "cassert": "assert(true);",
    "cstdlib": 'void *a = std::malloc(4); std::free(a); exit(atoi("1"));',
    "cstring": 'char a[9]; std::memset(a, 0, 9); strcpy(a, "a");',
    "cfloat": "float a = FLT_MAX; double b = DBL_EPSILON;",
    "ctime": "time_t a = time(nullptr); clock_t b = clock();",
    "cctype": "int a = toupper('a') + isdigit('1');",
    "sys/time.h": "timeval a; gettimeofday(&a, nullptr);",
    "unistd.h": "sleep(1); usleep(1);",
    "vector": "std::vector<int> a(3); a.push_back(1);",
    "map": "std::map<int, int> a; a[1] = 2; std::multimap<int, int> b;",
    "unordered_map": "std::unordered_map<int, int> a; a[1] = 2;",
    "set": "std::set<int> a; a.insert(1);",
    "list": "std::list<int> a; a.push_back(1);",
    "deque": "std::deque<int> a; a.push_back(1);",
    "queue": "std::queue<int> a; std::priority_queue<int> b;",
    "stack": "std::stack<int> a;",
    "bitset": "std::bitset<8> a; bool b = a[1];",
    "algorithm": "int a[3] = {3, 1, 2}; std::sort(a, a + 3);",
    "numeric": "int a[3] = {3, 1, 2}; int b = std::accumulate(a, a + 3, 0);",
    "functional": "std::function<int(int)> a;",
    "memory": "std::unique_ptr<int> a; auto b = std::make_shared<int>(1);",
    "optional": "std::optional<int> a;",
    "tuple": "auto a = std::make_tuple(1, 2); int b = std::get<0>(a);",
    "string": 'std::string a = "a"; a += std::to_string(1);',
    "string_view": 'std::string_view a = "a";',
    "sstream": "std::stringstream a; a << 1;",
    "fstream": 'std::ifstream a("a"); std::ofstream b("b");',
    "iostream": 'std::cout << "a" << std::endl; std::cerr << 1;',
    "iomanip": "std::cout << std::setw(3) << std::setprecision(2);",
    "iterator": "std::vector<int> a; auto b = std::back_inserter(a);",
    "random": "std::mt19937 a(1); std::uniform_real_distribution<float> b(0, 1); float c = b(a);",
    "chrono": "auto a = std::chrono::steady_clock::now();",
    "thread": "std::thread a([] {}); a.join();",
    "mutex": "std::mutex a; std::lock_guard<std::mutex> b(a);",
    "condition_variable": "std::condition_variable a; a.notify_all();",
    "atomic": "std::atomic<int> a; a.store(1);",
    "limits": "int a = std::numeric_limits<int>::max();",
    "type_traits": "static_assert(std::is_same<int, int>::value);",
    "stdexcept": 'throw std::runtime_error("a");',
    "exception": "try { } catch (const std::exception &a) { }",
    "new": "char a[8]; int *b = new (a) int(1);",
    "complex": "std::complex<float> a(1, 2);",
    "array": "std::array<int, 3> a; a[0] = 1;",
    "utility": "auto a = std::make_pair(1, 2); auto b = std::move(a);",
}


@pytest.mark.parametrize("header", _USES)
def test_standard_headers_that_are_not_missed_are_declared(header: str) -> None:
    """What they hold is declared: nothing has to be made up, and no error is left."""
    found = module(f"#include <{header}>\n__global__ void k(int *p) {{ p[0] = 1; }}\nvoid host() {{ {_USES[header]} }}")
    assert (found.missing_headers, found.synthesised, found.notes) == ((), frozenset(), ())


@pytest.mark.parametrize(
    "body",
    [
        "p[0] = " + "(" * 5000 + "n" + ")" * 5000 + ";",
        "p[0] = " + "+".join(["n"] * 3000) + ";",
        "p[0] = " + "f(" * 200 + "n" + ")" * 200 + ";",
        "{" * 240 + "p[0] = 1;" + "}" * 240,
        "".join(f"if (n == {i}) p[{i}] = 1; else " for i in range(600)) + "p[0] = 1;",
        "p[0] = " + "- " * 1000 + "n;",
        "p[0] = " + "n ? 1 : " * 1000 + "n;",
        "p[0] = " + "n = " * 1000 + "1;",
    ],
    ids=["parentheses", "sum", "calls", "blocks", "else-if", "minus", "conditional", "assignment"],
)
def test_deep_nesting_is_a_loss(body: str) -> None:
    tree = kernel(f"__device__ int f(int); __global__ void k(int *p, int n) {{ {body} p[1] = 2; }}").function
    assert tree.losses
    assert sum(1 for _ in walk(tree)) < 20_000


def test_ordinary_nesting_is_none() -> None:
    total = "+".join(["n"] * 100)
    tree = kernel(f"__global__ void k(int *p, int n) {{ p[0] = {'(' * 100}{total}{')' * 100}; }}").function
    assert not tree.losses


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k(",
        "}}}}",
        "__global__ void k(int *p) { p[0] = ",
        "template <typename> __global__ void k",
        "__global__ void k(nothing::like<this> x, auto... y) { x->*y; co_await z; }",
        "\x00\x01",
        "",
        "#include __FILE__\n__global__ void k() {}",
        '__global__ void k() { asm("%0" : "=r"(; }',
    ],
)
def test_broken_sources_raise_nothing(text: str) -> None:
    for found in ClangFrontend().parse_file(SourceFile("x.cu", text.encode()), FrontendOptions(cache=False)):
        module_text(found)


def test_spans_point_at_the_text() -> None:
    text = "#define INC(x) x++\n__global__ void k(int *p, int n) {\n  INC(p[n]); p[n] = n + 3; // \u00e9\n}"
    tree = kernel(text).function
    data = text.encode()
    for node in walk(tree):
        assert 0 <= node.span.start <= node.span.end <= len(data)
    texts = [data[node.span.start : node.span.end].decode() for node in walk(tree)]
    assert "p[n] = n + 3" in texts and "n + 3" in texts and "p[n]" in texts


def test_functions_of_a_kernel() -> None:
    text = (
        "__device__ void b() {} __device__ void a() { b(); } __device__ void c() {} __global__ void k() { a(); a(); }"
    )
    assert [f.name for f in functions_of(kernel(text))] == ["k", "a", "b"]


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("a.cu", "", "cuda"),
        ("a.hip", "", "hip"),
        ("a.cl", "", "opencl"),
        ("a.cu", "#include <hip/hip_runtime.h>", "hip"),
        ("a.h", "__global__ void k() {}", "cuda"),
        ("a.hpp", "__kernel void k() {}", "opencl"),
        ("a.cpp", "clEnqueueNDRangeKernel(q, k);", "cuda"),
        ("a.cpp", "int main() {}", "cuda"),
        ("a.h", "int twice(int);", None),
    ],
)
def test_language_by_name_and_text(path: str, text: str, language: str | None) -> None:
    found = language_of(SourceFile(path, text.encode()))
    assert (found.value if found else None) == language


def test_the_language_can_be_given() -> None:
    source = SourceFile("a.txt", b"__kernel void k(__global int *p) { p[get_local_id(0)] = 1; }")
    found = ClangFrontend().parse_file(source, FrontendOptions(language="opencl", cache=False))[0]
    assert lines(found.kernels[0]) == ["p[@thread_id.x] = 1"]


def test_defines_reach_the_parser() -> None:
    found = module("__global__ void k(int *p) { p[0] = N; }", defines=("N=7",))
    assert lines(found.kernels[0]) == ["p[0] = 7"]


def test_a_function_that_brings_lowering_down_costs_itself_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Scope, cursor: Cursor) -> Stmt:
        raise ZeroDivisionError("made up")

    monkeypatch.setitem(context._STATEMENTS, int(CursorKind.SWITCH_STMT), fail)
    found = module("__global__ void k(int n) { switch (n) {} } __global__ void fine(int *p) { p[0] = 1; }")
    broken, fine = found.kernels
    assert "made up" in broken.function.losses[0].reason and find(broken.function, OpaqueStmt)
    assert lines(fine) == ["p[0] = 1"] and not fine.function.losses
    assert any("made up" in note for note in found.notes)


def test_a_global_that_brings_lowering_down_costs_itself_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Scope, cursor: Cursor) -> Expr:
        raise ZeroDivisionError("made up")

    monkeypatch.setitem(context._EXPRESSIONS, int(CursorKind.INIT_LIST_EXPR), fail)
    found = module("__constant__ int c[2] = {1, 2}; __global__ void fine(int *p) { p[0] = 1; }")
    assert [k.name for k in found.kernels] == ["fine"]
    assert any("made up" in note for note in found.notes)
