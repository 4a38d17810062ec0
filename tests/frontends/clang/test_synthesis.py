"""Declarations made up for unknown names."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.kinds import CursorKind, TypeKind
from kernlint.frontends.clang.options import Language
from kernlint.frontends.clang.session import SYNTHESISED_HEADER, ParseResult, parse


def check(source: str, language: Language = Language.CUDA) -> ParseResult:
    """Parse a source and see that nothing of its device code is lost."""
    parsed = parse("k.cl" if language is Language.OPENCL else "k.cu", source.encode(), language)
    assert not parsed.losses, [d.message for d in parsed.errors()]
    return parsed


def nodes(parsed: ParseResult, kind: int) -> list[Cursor]:
    return [node for top in parsed.unit.top_level() for node in top.walk() if node.kind == kind]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("__global__ void k(Unknown* x) { x[0].f(1); Unknown y = x[1]; }", {"Unknown"}),
        ("__global__ void k(int* x) { x[0] = helper(x[1], 2.0f); }", {"helper"}),
        ("__global__ void k(int* x) { x[threadIdx.x % WIDTH] = 0; }", {"WIDTH"}),
        ("__global__ void k(int* x) { __shared__ int t[WIDTH * 2]; t[0] = x[0]; }", {"WIDTH"}),
        ("__global__ void __launch_bounds__(THREADS) k(int* x) { x[0] = 1; }", {"THREADS"}),
        ("__global__ void k(int* x) { using R = lib::Sum<int, 256>; R r; x[0] = r.of(x[1]); }", {"lib", "lib::Sum"}),
        ("__global__ void k(float* x) { Reduce<float, 256> r; x[0] = r.all(x[1]); }", {"Reduce"}),
        ("__global__ void k(int* x) { x[0] = a::b::c(1); }", {"a", "a::b", "a::b::c"}),
        ("__global__ void k(int* x) { x[0] = lib::get<4>(x); x[1] = lib::get<2>(x); }", {"lib", "lib::get"}),
        ("__global__ void k(int* x) { UNROLL for (int i = 0; i < 4; ++i) x[i] = 0; }", {"UNROLL"}),
        ("__global__ void k(int* x) { UNROLL_BY(4) for (int i = 0; i < 4; ++i) x[i] = 0; }", {"UNROLL_BY"}),
        ("MY_API __global__ void k(int* x) { x[0] = 1; }", {"MY_API"}),
        ("struct Later; __global__ void k(Later* x) { x->run(); }", {"Later"}),
        ("namespace n = far::off; __global__ void k(int* x) { x[0] = n::f(1); }", {"far", "far::off", "far::off::f"}),
        ("template <Mode m> __global__ void k(int* x) { x[0] = m == Mode::A; }", {"Mode", "Mode::A"}),
        ("__global__ void k(float* x) { float s = 0; s += lib::part(x); x[0] = s; }", {"lib", "lib::part"}),
        ("__global__ void k(int* x) { x[0] = Limits<int>::max(); }", {"Limits", "max"}),
        ("__device__ V3 up() { return V3{0.f, 1.f}; } __global__ void k(V3* x) { x[0] = up() + V3{}; }", {"V3"}),
    ],
)  # fmt: skip
def test_what_is_unknown_is_declared(source: str, names: set[str]) -> None:
    with check(source) as parsed:
        assert names <= parsed.synthesised
        assert any(c.kind in (CursorKind.FUNCTION_DECL, CursorKind.FUNCTION_TEMPLATE) for c in parsed.unit.top_level())


ASKED = """
__kernel void k(__global int* x, int n) {
    int i = WHOLE ? n : 0;
#if WHOLE && \\
    FAST
    while (i != 2)
#else
    while (i < n)
#endif
    {
        if (!WHOLE || i < n) x[i++] = 0;
    }
    if (WHOLE) { x[0] = QUICK ? 1 : 2; }
#if QUICK
    x[n] = 1;
#endif
}
"""


@pytest.mark.parametrize("language", [Language.OPENCL, Language.CUDA])
def test_what_a_condition_of_the_preprocessor_asks_for_stands_before_no_statement(language: Language) -> None:
    source = (
        ASKED if language is Language.OPENCL else ASKED.replace("__kernel", "__global__").replace("__global int", "int")
    )
    with check(source, language) as parsed:
        assert {"WHOLE", "QUICK"} <= parsed.synthesised
        assert len(nodes(parsed, CursorKind.WHILE_STMT)) == 1


GIVEN = """
template <class T> struct pair_of { T a, b; };
template <class T, int N> struct row_of { T at[N]; };
extern "C" __global__ void k(pair_of<OUT_KIND>* x, const pair_of<IN_KIND>* y, row_of<float, WIDTH_OF>* z) {
    MATH_KIND s = y[0].a;
    x[0].a = s + z->at[1];
}
"""


def test_arguments_of_declared_templates_that_take_types_are_types() -> None:
    with check(GIVEN) as parsed:
        assert {"OUT_KIND", "IN_KIND", "MATH_KIND", "WIDTH_OF"} <= parsed.synthesised


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("__kernel void k(__global float* x) { x[get_global_id(0) * STRIDE] = 0; }", {"STRIDE"}),
        ("__kernel void k(__global float* x) { __local float t[SIZE]; t[0] = x[0]; }", {"SIZE"}),
        ("__kernel void k(__global real* x) { x[0] += (real)1; }", {"real"}),
        ("__kernel void k(__global real4* x) { x[0].xy = x[1].zw; }", {"real4"}),
        ("__kernel void k(__global body* x) { x[0].mass = x->speed; }", {"body"}),
        ("__kernel void k(__global float* x) { x[0] = activation(x[1]); }", {"activation"}),
        ("__kernel void k(__global float* x) { x[0] = TABLE[get_local_id(0)]; }", {"TABLE"}),
        ("__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void k(__global int* x) { x[0] = 1; }", {"WG"}),
        ("__kernel void k(__global int* x) { switch (x[0]) { case MODE: x[1] = 1; } }", {"MODE"}),
        ("__kernel void k(__global float* x, const info n) { int i = n.sizes[1] % 4; x[i] = n.pitch[i]; }", {"info"}),
        ("__kernel void k(__global float* x, const info n) { x[n.first] = *(x + n.last); }", {"info"}),
        ("__kernel void k(__global float* x, const info n) { x[0] = fmax(n.scale, 1.0f); }", {"info"}),
        ("__kernel void k(__global float4* x, scene s) { x[0] = s.eye.at; x[1].x = s.eye.at.y; }", {"scene"}),
        ("__kernel void k(__global float* x, scene s) { x[0] = s.lamps[2].power; }", {"scene"}),
    ],
)
def test_opencl_too(source: str, names: set[str]) -> None:
    with check(source, Language.OPENCL) as parsed:
        assert names == parsed.synthesised


def test_made_up_types_convert_to_each_other() -> None:
    source = """
    __device__ void take(const A a); __device__ void more(int x, A a); __device__ void many(const A& a, const A* b);
    template <int n> __device__ void all(A a);
    __device__ void from(const B b) { take(b); more(1, b); many(b, b); all<3>(b); A x = b; A y(b); x = b; int z = b; }
    """
    with check(source) as parsed:
        assert {"A", "B"} <= parsed.synthesised
        assert not [d.message for d in parsed.diagnostics if d.severity >= 3]


@pytest.mark.parametrize(
    "source",
    [
        "__global__ void k(V3* x) { V3 e[2] = { V3{1.f, 0.f}, V3{0.f, 1.f} }; x[0] = e[1]; }",
        "struct R { V3 o; R(const V3& from) : o{from} {} V3 at(float t) const { return o * t; } };"
        "__global__ void k(V3* x) { R r(x[0]); x[1] = r.o; }",
        "struct R { V3 o; __device__ V3 at(float t) const { return o * t; } };"
        "__global__ void k(V3* x, R* r) { x[1] = r->at(2.f); }",
        "__device__ V3 mid(const V3& a) { return a; } __global__ void k(V3* x, int* n) { V3 mid = x[0]; x[1] = mid; }",
        "__device__ float f(float* x) { float dot = x[0]; return dot; }"
        "__global__ void k(V3* x) { x[0] = x[1] * dot(x[0], x[1]); }",
        "__global__ void k(V3* x, float s) { x[0] = atan2(s, x[1].y) + copysign(x[0], s); }",
        "__global__ void k(V3* x, const M3* m) { const V3 c = m[0][2]; x[0] = s() ? c : V3(0.f); }",
    ],
)
def test_types_of_a_missing_header_are_no_macros(source: str) -> None:
    """In braces and before a constructor's members, with operators, and methods whose classes have such members."""
    with check("#include <elsewhere/vectors.h>\n" + source) as parsed:
        assert "V3" in parsed.synthesised
        assert "struct V3 " in parsed.made_up.text


def test_names_that_the_source_declares_by_an_unknown_type_are_not_made_up() -> None:
    source = (
        "#include <elsewhere/vectors.h>\n"
        "struct Ray { V3 origin, step; __device__ V3 at(float t) const; };"
        "__device__ V3 normal(const V3& p) { return p; }"
        "__global__ void k(Ray* rays, V3* out) { V3 here = rays[0].at(1.f); out[0] = normal(here) + rays[0].step; }"
    )
    with check(source) as parsed:
        assert parsed.synthesised.isdisjoint({"origin", "step", "at", "normal", "here", "k", "rays", "out"})


HELPER = "QUALIFIED inline float twice(float a) { return a * 2; }\n"
KERNEL = "__global__ void k(float* x) { x[threadIdx.x] = twice(x[0]); }\n"


def test_functions_of_headers_whose_qualifier_is_of_another_build(tmp_path: Path) -> None:
    (tmp_path / "helper.h").write_text("#define QUALIFIED\n" + HELPER)
    source = '#include "helper.h"\nvoid host();\n' + KERNEL
    with parse(str(tmp_path / "k.cu"), source.encode(), Language.CUDA) as parsed:
        assert not parsed.losses
    with parse("k.cu", ("#define QUALIFIED\n" + HELPER + KERNEL).encode(), Language.CUDA) as parsed:
        assert parsed.losses  # what a text says itself is its author's mistake


def test_functions_that_launch_stay_on_the_host(tmp_path: Path) -> None:
    (tmp_path / "helper.h").write_text("#define QUALIFIED\n" + HELPER)
    source = '#include "helper.h"\n' + KERNEL + "void run(float *x) { k<<<1, 64>>>(x); }\n"
    with parse(str(tmp_path / "k.cu"), source.encode(), Language.CUDA) as parsed:
        assert not any("__host__ __device__ function" in d.message for d in parsed.errors())


def test_a_source_with_hundreds_of_unknown_names_is_still_read() -> None:
    many = "".join(f"void host{i}() {{ window_call_{i}(); }} " for i in range(200))
    with check(f"{many}__global__ void k(V3* x) {{ x[threadIdx.x] = V3{{1.f}}; }}") as parsed:
        assert "V3" in parsed.synthesised


def test_all_made_up_declarations_stand_in_one_file() -> None:
    with check("__global__ void k(Unknown* x) { x[0] = helper(WIDTH); }") as parsed:
        references = nodes(parsed, CursorKind.DECL_REF_EXPR) + nodes(parsed, CursorKind.TYPE_REF)
        files = {node.referenced.extent.file for node in references if node.referenced and node.spelling != "x"}
        assert files == {SYNTHESISED_HEADER}


def test_constants_have_no_value_unless_they_must() -> None:
    """An ``extern const`` cannot be evaluated; an enumerator can, and so is recognisable by its enum."""
    with check("__global__ void k(int* x) { x[threadIdx.x * STRIDE] = 0; }") as parsed:
        use = next(n for n in nodes(parsed, CursorKind.DECL_REF_EXPR) if n.spelling == "STRIDE")
        assert use.evaluate() is None
        assert use.type.canonical.kind == TypeKind.INT
    with check("__global__ void k(int* x) { __shared__ int t[SIZE]; t[0] = x[0]; }") as parsed:
        use = next(n for n in nodes(parsed, CursorKind.DECL_REF_EXPR) if n.spelling == "SIZE")
        assert use.referenced is not None and use.referenced.semantic_parent is not None
        assert use.referenced.semantic_parent.spelling.startswith("__kl_made_up")
        assert "SIZE" in parsed.synthesised


def test_nothing_is_made_up_for_errors_of_the_host() -> None:
    source = "__global__ void k(int* x) { x[0] = 1; }\nvoid host() { Unknown u; u.run(helper(4)); }\n"
    with check(source) as parsed:
        assert not parsed.synthesised
        assert parsed.rounds == 1
        assert list(parsed.errors())


def test_nothing_is_made_up_for_plain_mistakes() -> None:
    with parse("k.cu", b"__global__ void k(int* x) { x[0] = 1 }", Language.CUDA) as parsed:
        assert not parsed.synthesised and parsed.rounds == 1 and parsed.losses


def test_names_of_the_source_are_not_taken_away() -> None:
    """A name that is declared only behind its use is unknown there, and still must not be declared twice."""
    source = "__global__ void k(int* x) { x[0] = later(1); }\n__device__ int later(int v) { return v; }\n"
    with parse("k.cu", source.encode(), Language.CUDA) as parsed:
        later = next(c for c in parsed.unit.top_level() if c.spelling == "later")
        assert not later.is_invalid_declaration


def test_it_can_be_turned_off() -> None:
    with parse("k.cu", b"__global__ void k(Unknown* x) { x->f(); }", Language.CUDA, synthesise=False) as parsed:
        assert not parsed.synthesised and parsed.losses


def test_the_best_of_several_attempts_is_kept() -> None:
    """Made-up names never leave more errors in device code than there were."""
    source = b"__global__ void k(Unknown* x) { x->f(); int y = 1 }\n"
    plain = parse("k.cu", source, Language.CUDA, synthesise=False)
    helped = parse("k.cu", source, Language.CUDA)
    assert 0 < helped.losses <= plain.losses


def test_appended_text_keeps_the_made_up_names() -> None:
    source = "template <class T> __global__ void k(T* x) { x[0] = T(WIDTH); }"
    with check(source) as parsed, parsed.with_appended("static void use() { (void)&k<float>; }") as again:
        assert again.synthesised == parsed.synthesised == {"WIDTH"}
        assert not list(again.errors())


def test_heavy_headers_are_not_parsed_again_for_a_source_without_device_code(tmp_path: Path) -> None:
    filler = "".join(
        f"// {n} filler that only takes room in the header, line after line after line\n" for n in range(15000)
    )
    (tmp_path / "big.h").write_text(filler + "__device__ inline float both(Unknown *u) { return u->value; }\n")
    device = b'#include "big.h"\n__global__ void k(float *x) { x[0] = both(nullptr); }\n'
    for text, rounds in ((b'#include "big.h"\nvoid go() { both(nullptr); }\n', 1), (device, 2)):
        with parse(str(tmp_path / "a.cu"), text, Language.CUDA, use_cache=False) as parsed:
            assert min(parsed.rounds, 2) == rounds and parsed.losses <= 1
