"""The preludes: they parse, and what they declare has the right types."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.frontends.base import FrontendOptions
from kernlint.frontends.clang import ClangFrontend, prelude
from kernlint.frontends.clang.compiler import parse_unit, read_diagnostics
from kernlint.frontends.clang.kinds import CursorKind, TypeKind
from kernlint.frontends.clang.options import Language, ParseOptions, base_arguments
from kernlint.frontends.clang.prelude import prelude_headers, text_arguments
from kernlint.frontends.clang.session import parse
from kernlint.frontends.clang.stubs import STUBS
from kernlint.source import SourceFile

PRELUDES = Path(prelude.FOLDER)


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("std", [None, "c++20", "c++23"])
def test_they_parse_without_a_word(language: Language, std: str | None) -> None:
    """With all stubs, warnings of system headers included."""
    stubs = () if language is Language.OPENCL else tuple(stub.header for stub in STUBS)
    arguments = base_arguments(language, ParseOptions(std=std)) + text_arguments(prelude_headers(language, stubs))
    unit = parse_unit("x.cu", [*arguments, "-Wsystem-headers"], {"x.cu": b""})
    assert not [d for d in read_diagnostics(unit) if d.severity >= 3]
    unit.dispose()


@pytest.mark.parametrize("path", sorted(PRELUDES.rglob("*.h")), ids=lambda path: path.name)
def test_they_are_readable(path: object) -> None:
    text = (PRELUDES / str(path)).read_text("utf-8")
    assert text.startswith("// ") and "#pragma clang system_header" in text
    assert all(len(line) <= 125 for line in text.splitlines())


def expression_types(language: Language, declarations: str, expressions: list[str]) -> list[str]:
    """The canonical types of expressions, as device code has them."""
    kernel = "kernel" if language is Language.OPENCL else "__global__"
    lines = "".join(f"  __typeof__({expression})* v{i};\n" for i, expression in enumerate(expressions))
    source = f"{kernel} void test({declarations}) {{\n{lines}}}\n"
    with parse("x.cu", source.encode(), language) as parsed:
        assert not parsed.diagnostics, [d.message for d in parsed.diagnostics]
        (function,) = parsed.unit.top_level()
        found = [node for node in function.walk() if node.kind == CursorKind.VAR_DECL]
        return [node.type.canonical.pointee.unqualified.spelling for node in found]


DEVICE = [
    ("threadIdx.x", "unsigned int"),
    ("blockIdx.y + 0", "unsigned int"),
    ("blockDim.z", "unsigned int"),
    ("gridDim.x * blockDim.x", "unsigned int"),
    ("warpSize", "int"),
    ("__ffs(1)", "int"),
    ("__clz(1)", "int"),
    ("__popc(1)", "int"),
    ("__popcll(1)", "int"),
    ("__brev(1)", "unsigned int"),
    ("__umulhi(1, 2)", "unsigned int"),
    ("__mul24(1, 2)", "int"),
    ("__float_as_uint(1.0f)", "unsigned int"),
    ("__float2int_rn(1.0f)", "int"),
    ("clock64()", "long long"),
    ("atomicAdd(i, 1)", "int"),
    ("atomicAdd(f, 1)", "float"),
    ("atomicCAS(u, 1ull, 2)", "unsigned long long"),
    ("__shfl_down_sync(~0u, s, 1)", "int"),
    ("__shfl_sync(~0u, 1.0f, 1)", "float"),
    ("__ldg(f)", "float"),
    ("min(1, 2u)", "unsigned int"),
    ("max(s, s)", "int"),
    ("min(1.0f, 2)", "float"),
    ("max(1l, 2)", "long"),
    ("sqrt(1.0f)", "float"),
    ("sqrt(1)", "double"),
    ("sqrtf(1)", "float"),
    ("pow(1.0f, 2.0f)", "float"),
    ("pow(1.0f, 2)", "double"),
    ("abs(-1)", "int"),
    ("fabs(-1.0f)", "float"),
    ("floor(1.5f)", "float"),
    ("sizeof(float4)", "unsigned long"),
    ("make_float4(1, 2, 3, 4).w", "float"),
    ("h + h", "__half"),
    ("h * 2.0f", "float"),
    ("h > 0", "bool"),
    ("std::max(1, 2)", "int"),
    ("std::numeric_limits<unsigned int>::max()", "unsigned int"),
    ("uint64_t(1)", "unsigned long"),
    ("size_t(1) + 1", "unsigned long"),
    ("'a' + 0", "int"),
]


@pytest.mark.parametrize("language", [Language.CUDA, Language.HIP])
def test_device_types(language: Language) -> None:
    declarations = "int* i, float* f, unsigned long long* u, short s, half h"
    found = expression_types(language, declarations, [expression for expression, _ in DEVICE])
    assert dict(zip([e for e, _ in DEVICE], found, strict=True)) == dict(DEVICE)


def test_masks_have_the_width_of_a_wave() -> None:
    expressions = ["__ballot(1)", "__activemask()", "__ballot_sync(1, 1)"]
    assert expression_types(Language.CUDA, "", expressions) == ["unsigned int"] * 3
    assert expression_types(Language.HIP, "", expressions) == ["unsigned long long"] * 3


OPENCL = [
    ("get_global_id(0)", "unsigned long"),
    ("get_local_size(0)", "unsigned long"),
    ("get_work_dim()", "unsigned int"),
    ("get_sub_group_local_id()", "unsigned int"),
    ("mad24(1, 2, 3)", "int"),
    ("popcount(1u)", "unsigned int"),
    ("as_int(1.0f)", "int"),
    ("atomic_inc(p)", "int"),
    ("convert_int4(v).x", "int"),
    ("v.xy", "float __attribute__((ext_vector_type(2)))"),
    ("dot(v, v)", "float"),
    ("isequal(1.0f, 2.0f)", "int"),
    ("(size_t)1", "unsigned long"),
    ("native_sin(1.0f)", "float"),
    ("M_PI_F", "float"),
    ("vload4(0, q)", "float __attribute__((ext_vector_type(4)))"),
]


def test_opencl_types() -> None:
    declarations = "__global int* p, __global float* q, float4 v"
    found = expression_types(Language.OPENCL, declarations, [expression for expression, _ in OPENCL])
    assert dict(zip([e for e, _ in OPENCL], found, strict=True)) == dict(OPENCL)


def test_sizes_and_alignments() -> None:
    names = ["char4", "float2", "float3", "float4", "double2", "double4", "longlong2", "half2", "dim3", "int4"]
    source = "".join(f"__device__ {name} v{i};" for i, name in enumerate(names))
    with parse("x.cu", source.encode(), Language.CUDA) as parsed:
        found = [(c.type.size, c.type.alignment) for c in parsed.unit.top_level()]
    assert found == [(4, 4), (8, 8), (12, 4), (16, 16), (16, 16), (32, 16), (16, 16), (4, 4), (12, 4), (16, 16)]


def test_limits_are_right() -> None:
    source = b"""\
#include <limits>
constexpr int a = std::numeric_limits<int>::max(), b = std::numeric_limits<int>::min();
constexpr unsigned long c = std::numeric_limits<size_t>::max();
constexpr float d = std::numeric_limits<float>::max(), e = std::numeric_limits<float>::lowest();
constexpr int f = INT_MAX, g = std::numeric_limits<signed char>::lowest(), h = std::max({3, 9, 4});
constexpr bool i = std::is_same_v<std::remove_cv_t<const int>, int>, j = std::is_signed<unsigned>::value;
constexpr int k = std::get<1>(std::make_tuple(1, 2)), l = std::array<int, 3>{4, 5, 6}[1], m = min(7, 3);
"""
    with parse("x.cu", source, Language.CUDA) as parsed:
        assert not parsed.diagnostics
        values = {c.spelling: c.evaluate() for c in parsed.unit.top_level()}
    assert (values["a"], values["b"], values["c"]) == (2**31 - 1, -(2**31), 2**64 - 1)
    assert values["d"] == pytest.approx(3.4028234663852886e38) and values["e"] == -values["d"]  # type: ignore[operator]
    assert [values[name] for name in "fghijklm"] == [2**31 - 1, -128, 9, 1, 0, 2, 5, 3]


def test_hip_spellings() -> None:
    source = b"""\
#include <hip/hip_runtime.h>
__global__ void k(float* x) { x[hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x] = 1; __syncthreads(); }
void host(float* x, hipStream_t s) {
    hipMalloc(&x, 4);
    hipLaunchKernelGGL(k, dim3(1), dim3(64), 0, s, x);
    hipMemcpy(x, x, 4, hipMemcpyDeviceToHost);
    float4 a(1, 2, 3, 4), b = a * 2.0f + a;
    _Float16 h = 1; __hip_bfloat16 c(1.0f);
}
"""
    with parse("x.hip", source, Language.HIP) as parsed:
        assert not parsed.diagnostics, [d.message for d in parsed.diagnostics]


def test_amd_builtins_are_native() -> None:
    source = b"""\
typedef float floatx4 __attribute__((ext_vector_type(4)));
typedef _Float16 halfx4 __attribute__((ext_vector_type(4)));
__global__ void k(floatx4* x, halfx4 a) {
    x[0] = __builtin_amdgcn_mfma_f32_16x16x16f16(a, a, x[0], 0, 0, 0);
    __builtin_amdgcn_s_barrier();
    x[1][0] = __builtin_amdgcn_workitem_id_x();
}
"""
    with parse("x.hip", source, Language.HIP) as parsed:
        assert not parsed.diagnostics


def test_barriers_and_shared_memory_are_recognisable() -> None:
    source = b"__global__ void k(int* x) { extern __shared__ char raw[]; __shared__ int t[4]; __syncthreads(); }"
    for language in (Language.CUDA, Language.HIP):
        with parse("x.cu", source, language) as parsed:
            nodes = list(parsed.unit.top_level()[0].walk())
            assert sum(node.kind == CursorKind.CUDA_SHARED_ATTR for node in nodes) == 2
            calls = [node.spelling for node in nodes if node.kind == CursorKind.CALL_EXPR]
            assert calls == ["__syncthreads"]
            raw = next(node for node in nodes if node.spelling == "raw")
            assert raw.type.kind == TypeKind.INCOMPLETE_ARRAY


def test_sizes_of_64_bits_are_multiplied_by_mul24() -> None:
    products = ("get_local_size(0), get_global_size(1)", "p, get_local_size(0)", "p, q", "q, get_group_id(0)")
    body = "".join(f"x[mul24({of})] = 0;" for of in products) + "x[mul24(v, v).y] = 0;"
    text = f"__kernel void k(__global int *x, int p, uint q, int4 v) {{ {body} }}"
    (module,) = ClangFrontend().parse_file(SourceFile("a.cl", text.encode()), FrontendOptions())
    assert not module.functions[-1].losses
