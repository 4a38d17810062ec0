"""Statements: branching, loops, labels, declarations, inline assembly."""

from __future__ import annotations

from kernlint.tree.dump import expression_text
from kernlint.tree.nodes import Barrier, Block, Case, DeclStmt, For, If, OpaqueStmt, Return, Switch, Trap, While
from kernlint.tree.types import ArrayType, Space

from .trees import body, expr, find, kernel, lines, module, only, variable


def test_branches_and_returns() -> None:
    text = "if (n >= 3) return; else if (u) { p[0] = 1; } else p[1] = 2;"
    assert body(text) == [
        "if (n >= 3)",
        "return",
        "else",
        "if {bool}u",
        "{",
        "p[0] = {f32}1",
        "}",
        "else",
        "p[1] = {f32}2",
    ]


def test_declarations_in_conditions_and_init_statements() -> None:
    assert body("if (int z = n) u = z;")[:3] == ["{", "let private i32 z = n", "if {bool}z"]
    tree = kernel("__global__ void k(int n) { if (int a = n; a > 2) n = a; if (n = 2; n > 1) n = 0; }").function
    first, second = find(tree, If)
    assert isinstance(first.init, DeclStmt) and second.init is not None


def test_a_loop_with_a_declaration_as_condition() -> None:
    text = "while (int z = q[n]) n += z;"
    assert body(text) == [
        "while 1",
        "{",
        "let private i32 z = q[n]",
        "if !{bool}z",
        "break",
        "n += z",
        "}",
    ]


def test_every_part_of_a_for_may_be_missing() -> None:
    heads = [
        "for (;;) break;",
        "for (int i = 0;;) break;",
        "for (; n < 3;) n++;",
        "for (;; ++n) break;",
        "for (n = 0; n < 3;) n++;",
        "for (n = 0;; n++) break;",
        "for (; n < 3; /* ; */ n += 2) {}",
    ]
    loops = [only(kernel(f"__global__ void k(int n) {{ {head} }}").function, For) for head in heads]
    assert [(f.init is not None, f.cond is not None, f.step is not None) for f in loops] == [
        (False, False, False),
        (True, False, False),
        (False, True, False),
        (False, False, True),
        (True, True, False),
        (True, False, True),
        (False, True, True),
    ]


def test_loops_out_of_a_macro() -> None:
    text = (
        "#define LOOP(i, n) for (int i = threadIdx.x; i < (n); i += blockDim.x)\n"
        "__global__ void k(int *q, int n) { LOOP(j, n) q[j] = 0; }"
    )
    assert lines(kernel(text)) == [
        "for (let private i32 j = {i32}@thread_id.x; (j < n); j +=:u32 @block_dim.x)",
        "q[j] = 0",
    ]


def test_unroll_factors() -> None:
    text = (
        "#pragma unroll\nfor (int i = 0; i < 4; i++) q[i] = 0;\n#pragma unroll 2\nfor (int j = 0; j < 4; "
        "j++) q[j] = 0;\nfor (;;) break;"
    )
    loops = find(kernel(f"__global__ void k(int *q) {{\n{text} }}").function, For)
    assert [f.unroll for f in loops] == [0, 2, None]


def test_do_while() -> None:
    assert body("do { n--; } while (n > 0);") == ["do", "{", "n--", "}", "while (n > 0)"]


def test_switch_cases_are_labels_between_statements() -> None:
    text = "switch (n) { case 1: case 2: u = 1; break; default: u = 2; case 7 ... 9: { u = 3; } }"
    assert body(text) == [
        "switch n",
        "{",
        "case 1:",
        "case 2:",
        "u = 1",
        "break",
        "default:",
        "u = 2",
        "case 7 ... 9:",
        "{",
        "u = 3",
        "}",
        "}",
    ]
    tree = kernel(f"__global__ void k(int n, unsigned u) {{ {text} }}").function
    assert [type(s) for s in only(tree, Switch).body.body if isinstance(s, Case)] == [Case] * 4


def test_goto_and_labels() -> None:
    assert body("again: if (n--) goto again; u = 1;") == ["again:", "if {bool}n--", "goto again", "u = 1"]


def test_range_for_over_an_array_counts() -> None:
    tree = kernel("__global__ void k(int n) { int a[3] = {1, 2}; for (auto &e : a) n += e; }").function
    loop = only(tree, For)
    assert loop.cond is not None and loop.step is not None
    assert lines(tree)[2:] == ["{", lines(tree)[3], "n += e", "}"]
    assert "a[" in lines(tree)[3]


def test_structured_bindings_are_parts_of_the_whole() -> None:
    text = (
        "struct P { int a; float b; }; __device__ P make(); "
        "__global__ void k(float *p) { auto [x, y] = make(); p[x] = y; }"
    )
    tree = kernel(text).function
    assert not tree.losses
    assert variable(tree, "x").init is not None and lines(tree)[-1] == "p[x] = y"


def test_structured_bindings_of_a_vector_are_its_lanes() -> None:
    text = (
        "__device__ int3 split(int i) { return make_int3(i % 4, i / 4, 0); } "
        "__global__ void k(int *p) { const auto [x, y, z] = split(threadIdx.x); p[x] = y; }"
    )
    tree = kernel(text).function
    assert not tree.losses
    assert variable(tree, "y").init is not None and lines(tree)[-1] == "p[x] = y"


def test_discarded_branches() -> None:
    text = "template <int N> __global__ void k(int *q) { if constexpr (N > 8) q[0] = 1; else q[1] = 2; }"
    found = kernel(text + " template __global__ void k<4>(int *);")
    generic, instance = only(found.function, If), only(found.instances[0], If)
    assert generic.is_constexpr and generic.then is not None and generic.other is not None
    assert instance.is_constexpr and instance.then is None and instance.other is not None


def test_traps_are_statements() -> None:
    assert find(kernel("__global__ void k(int n) { if (n) __trap(); }").function, Trap)


def test_shared_memory() -> None:
    text = """__global__ void k(int n) { __shared__ float tile[4][5]; extern __shared__ char raw[];
        static __shared__ int once; }"""
    tree = kernel(text).function
    tile, raw, once = (variable(tree, name) for name in ("tile", "raw", "once"))
    assert tile.space is raw.space is once.space is Space.SHARED
    assert isinstance(tile.type, ArrayType) and tile.type.size == 80 and tile.type.extent == 4
    assert raw.unsized and not tile.unsized and not raw.is_global


def test_globals_and_their_spaces() -> None:
    found = module(
        """__constant__ float coef[3]; __device__ int counter; const int table[2] = {1, 2}; int host_only;
        __managed__ int both; __global__ void k(int *q) { q[0] = counter + table[1] + coef[2] + both; }"""
    )
    spaces = {g.name: g.space for g in found.globals}
    assert spaces == {
        "coef": Space.CONSTANT,
        "counter": Space.GLOBAL,
        "table": Space.CONSTANT,
        "host_only": Space.HOST,
        "both": Space.GLOBAL,
    }
    assert all(g.is_global for g in found.globals)


def test_opencl_spaces() -> None:
    text = """__constant int c[2] = {1, 2}; __kernel void k(__global int *g, __local int *l, __constant int *q) {
        __local int t[4]; int own[3]; t[0] = c[0] + own[1]; }"""
    found = module(text, "opencl")
    tree = found.kernels[0].function
    assert [p.type.space for p in tree.params] == [Space.GLOBAL, Space.SHARED, Space.CONSTANT]  # type: ignore[attr-defined]
    assert (variable(tree, "t").space, variable(tree, "own").space) == (Space.SHARED, Space.PRIVATE)
    assert found.globals[0].space is Space.CONSTANT


def test_inline_assembly_becomes_what_it_does() -> None:
    tree = kernel('__global__ void k(int n) { asm volatile("bar.sync %0, 64;" :: "r"(n) : "memory"); }').function
    assert only(tree, Barrier).barrier_id is not None


def test_a_dropped_statement_leaves_an_opaque_one_where_it_stood() -> None:
    tree = kernel("__global__ void k(int *q) { q[0] = 1; sync_all(1 2); q[1] = 2; }").function
    assert tree.body is not None
    kinds = [type(s).__name__ for s in tree.body.body]
    assert kinds == ["ExprStmt", "OpaqueStmt", "ExprStmt"]
    assert only(tree, OpaqueStmt).may_sync
    assert [loss.kind for loss in tree.losses] == ["statement"]


def test_a_variable_whose_initialiser_is_gone_is_not_uninitialised() -> None:
    tree = kernel("__global__ void k(int *q) { int a = q[0] + ?; q[0] = a; }").function
    assert variable(tree, "a").init is not None
    assert tree.losses


def test_an_initialiser_that_calls_what_a_declaration_with_an_error_declares_is_lost() -> None:
    text = (
        "__device__ int of(const missing_t *p) { return p[0]; }\n__global__ void k(int *q) { int a = of(q); q[0] = a; }"
    )
    assert variable(kernel(text), "a").init is not None


def test_inactive_code_is_a_loss() -> None:
    text = '__global__ void k(int *q) {\n#if __has_include("extra.h")\n q[0] = 1;\n#endif\n q[1] = 2;\n}'
    assert [loss.kind for loss in kernel(text).function.losses] == ["inactive"]


def test_empty_statements_leave_nothing() -> None:
    assert body(";;{;}") == ["{", "}"]
    assert isinstance(only(kernel("__global__ void k(int n) { while (n--); }").function, While).body, Block)
    assert isinstance(find(kernel("__global__ void k() { return; }").function, Return)[0], Return)
    assert expr("n = 1;;") == "n = 1"


def test_constant_conditions_are_what_they_say() -> None:
    text = """struct S { int m; static constexpr bool on() { return true; } };
    constexpr S s{1}; constexpr bool off = false;
    template <typename T> __global__ void k(T *p) {
      if constexpr (!off) p[0] = 1; if constexpr (S::on()) p[1] = 1; if constexpr (s.m) p[2] = 1;
      if constexpr (off ? 0 : 1) p[3] = 1; if constexpr (!!off) p[4] = 1; }"""
    conditions = [line for line in lines(kernel(text).function) if line.startswith("if")]
    assert conditions == [
        "if constexpr !off",
        "if constexpr S::on()",
        "if constexpr {bool}s.m",
        "if constexpr {bool}(off ? 0 : 1)",
        "if constexpr !!off",
    ]


def test_loops_over_a_class_go_from_its_begin_to_its_end() -> None:
    text = """struct Steps {
        struct At {
            int at, by;
            __device__ int operator*() const { return at; }
            __device__ At &operator++() { at += by; return *this; }
            __device__ bool operator!=(const At &other) const { return at < other.at; }
        };
        int n;
        __device__ At begin() const { return At{int(threadIdx.x), 32}; }
        __device__ At end() const { return At{n, 0}; }
    };
    __global__ void k(float *x, Steps steps) { for (int i : steps) x[i] = 0; }"""
    found = kernel(text)
    assert not found.function.losses
    loop = only(found.function, For)
    assert expression_text(loop.cond) == "begin.Steps::At::operator!=(end)"
    assert expression_text(loop.step) == "begin.Steps::At::operator++()"
    assert expression_text(variable(loop, "i").init) == "begin.Steps::At::operator*()"


def test_what_assert_comes_to_ends_the_thread() -> None:
    text = """#define CHECK(x) do { if (!(x)) __assert_fail(#x, __FILE__, __LINE__, __func__); } while (0)
    __global__ void k(int n) { CHECK(n > 0); }"""
    found = kernel(text)
    assert find(found.function, Trap) and not found.function.losses


def test_a_macro_that_returns_what_the_compiler_cannot_read_returns() -> None:
    code = """
#define NEED(x) if (!(x)) { LOG(BAD) << #x; LEAVES }
void run(int n, int m) { NEED(m >= n) }
__global__ void k(int *p) { p[0] = 1; }
"""
    for leaves, count in (("return status::BAD;", 1), ("count(status::BAD);", 0)):
        tree = module(code.replace("LEAVES", leaves))
        (run,) = (function for function in tree.functions if function.name == "run")
        assert len(find(only(run, If), Return)) == count
