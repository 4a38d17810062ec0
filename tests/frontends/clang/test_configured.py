"""Sources that show their kernels only under some settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.frontends.base import FrontendOptions
from kernlint.frontends.clang import ClangFrontend, session
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.registry import load
from kernlint.run.engine import Engine
from kernlint.source import SourceFile
from kernlint.tree.nodes import Module

RACE = "{ __shared__ int t[64]; t[threadIdx.x] = p[threadIdx.x]; p[threadIdx.x] = t[63 - threadIdx.x]; }"
FINE = "{ p[threadIdx.x] = 1; }"


def _modules(text: str, name: str = "a.cu", **options: object) -> list[Module]:
    source = SourceFile(name, text.encode())
    return ClangFrontend().parse_file(source, FrontendOptions(cache=False, **options))  # type: ignore[arg-type]


def _names(modules: list[Module]) -> list[tuple[str, list[str]]]:
    return [(module.setting, [kernel.name for kernel in module.kernels]) for module in modules]


def test_a_kernel_under_a_macro_of_the_build() -> None:
    found = _modules(f"#ifdef USE_GPU\n__global__ void k(int *p) {FINE}\n#endif\n")
    assert _names(found) == [("", []), ("USE_GPU defined", ["k"])]
    assert not found[0].missed


def test_a_kernel_is_read_again_only_where_it_shows_more() -> None:
    text = f"""__global__ void same(int *p) {FINE}
    __global__ void k(int *p) {{
    #ifdef WIDE
        p[1] = 1;
    #else
        p[2] = 1;
    #endif
    }}"""
    found = _modules(text)
    assert _names(found) == [("", ["same", "k"]), ("WIDE defined", ["k"])]
    assert not any(kernel.function.losses for module in found for kernel in module.kernels)


def test_a_kernel_is_read_again_for_what_it_calls() -> None:
    text = """__device__ int value(int a) {
    #if LEVEL == 2
        return 2 * a;
    #else
        return a;
    #endif
    }
    __global__ void k(int *p) { p[0] = value(p[1]); }
    __global__ void other(int *p) { p[0] = 1; }"""
    assert _names(_modules(text)) == [("", ["k", "other"]), ("LEVEL = 2", ["k"])]


def test_code_for_the_host_and_code_that_is_off_are_no_losses() -> None:
    text = """__global__ void k(int *p) {
    #ifndef __CUDA_ARCH__
        host();
    #endif
    #if 0
        p[1] = 1;
    #endif
    }"""
    found = _modules(text)
    assert len(found) == 1 and not found[0].kernels[0].function.losses


def test_what_is_off_whatever_the_setting_stays_said() -> None:
    found = _modules(f"#define ON 0\n#if ON\n__global__ void k(int *p) {FINE}\n#endif\n")
    assert [(each.name, each.reason) for each in found[0].missed] == [("k", "under an #if that nothing switches on")]


def test_an_architecture_is_a_target() -> None:
    text = "__global__ void k(int *p) {\n#if __CUDA_ARCH__ >= 900\n p[1] = 1;\n#endif\n}"
    assert _names(_modules(text)) == [("", ["k"]), ("sm_90", ["k"])]
    assert _names(_modules(text, target="sm_90")) == [("", ["k"])]


def test_a_branch_for_another_language(tmp_path: Path) -> None:
    text = """#ifdef USE_ROCM
    #include <hip/hip_runtime.h>
    __global__ void wave(int *p) { p[0] = __builtin_amdgcn_readfirstlane(p[1]); }
    #else
    #include <cuda_runtime.h>
    #endif
    __global__ void k(int *p) { p[0] = 1; }"""
    found = _modules(text)
    assert _names(found) == [("", ["k"]), ("built for HIP, USE_ROCM defined", ["wave"])]
    assert not found[1].kernels[0].function.losses


def test_names_that_a_setting_brings_are_the_default(tmp_path: Path) -> None:
    (tmp_path / "words.h").write_text("#define KERNEL __kernel void\n#define OUT __global int *\n")
    main = tmp_path / "a.cl"
    main.write_text('#ifdef ALONE\n#include "words.h"\n#endif\nKERNEL k(OUT p) { p[get_global_id(0)] = 1; }\n')
    found = _modules(main.read_text(), str(main))
    assert _names(found) == [("ALONE defined", ["k"])]


def test_names_that_a_setting_brings_in_a_header_are_the_default(tmp_path: Path) -> None:
    (tmp_path / "lanes.h").write_text(
        "#if LANES == 1\n#define STORE(at, v) at = v\n#elif LANES == 2\n#define STORE(at, v) at = v.x\n#endif\n"
    )
    text = """#include "lanes.h"
    __kernel void k(__global int *p) { for (int i = 0; i < 8; i += LANES) STORE(p[i + 8 * get_global_id(0)], 3); }"""
    found = _modules(text, "a.cl", include_dirs=(str(tmp_path),))
    assert _names(found) == [("LANES defined", ["k"])]
    assert not any(kernel.function.losses for kernel in found[0].kernels)
    assert _names(_modules(text.replace("STORE", "KEEP"), "a.cl", include_dirs=(str(tmp_path),))) == [("", ["k"])]


def test_types_and_functions_that_a_setting_brings_in_a_header_are_the_default(tmp_path: Path) -> None:
    (tmp_path / "points.h").write_text(
        """#ifdef WITH_CUDA
        typedef struct { short x, y; } point;
        struct box { point low, high; };
        static __device__ int inside(box b, point p) { return p.x >= b.low.x && p.x < b.high.x; }
        #endif
        """
    )
    text = """#include "points.h"
    __global__ void k(int *out, const point *p, box b, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i] = inside(b, p[i]);
    }"""
    found = _modules(text, include_dirs=(str(tmp_path),))
    assert _names(found) == [("WITH_CUDA defined", ["k"])]
    assert not any(kernel.function.losses for kernel in found[0].kernels)
    mentioned = text.replace("inside(b, p[i])", "p[i].x")  # in a kernel that lacks nothing but the types
    assert _names(_modules(mentioned, include_dirs=(str(tmp_path),))) == [("WITH_CUDA defined", ["k"])]


def test_the_runtime_of_the_device_is_switched_on_where_the_host_s_stand_in_collides(tmp_path: Path) -> None:
    (tmp_path / "cpu_vectors.h").write_text("struct float3 { float x, y, z; };\nstruct dim3 { unsigned x, y, z; };\n")
    (tmp_path / "math.hpp").write_text(
        """#ifdef WITH_GPU
        #include <hip/hip_runtime.h>
        #else
        #include "cpu_vectors.h"
        #endif
        """
    )
    text = """#include "math.hpp"
    __global__ void k(float3 *p, int n) {
        int i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
        if (i < n) p[i].x = p[i].y;
    }
    hipError_t run(float3 *p, int n) { k<<<(n + 63) / 64, 64>>>(p, n); return hipSuccess; }
    """
    found = _modules(text, include_dirs=(str(tmp_path),))
    assert _names(found) == [("built for HIP, WITH_GPU defined", ["k"])]
    assert not any(kernel.function.losses for kernel in found[0].kernels)


def test_settings_that_show_nothing_new_are_not_kept() -> None:
    text = f"#if VERSION > 3\nvoid host() {{}}\n#endif\n__global__ void k(int *p) {FINE}"
    assert _names(_modules(text)) == [("", ["k"])]


def test_opencl_kernels_under_types() -> None:
    text = """#if REAL == 2
    __kernel void wide(__global double *p) { p[get_global_id(0)] = 1; }
    #else
    __kernel void narrow(__global float *p) { p[get_global_id(0)] = 1; }
    #endif"""
    assert _names(_modules(text, "a.cl")) == [("", ["narrow"]), ("REAL = 2", ["wide"])]


def test_a_finding_says_under_which_macros_it_holds() -> None:
    text = f"""__global__ void always(int *p) {RACE}
#ifdef USE_GPU
__global__ void k(int *p) {RACE}
#endif
"""
    registry = load()
    selection = Selection(registry, Config())
    outcome = Engine(registry, selection).check_source(SourceFile("a.cu", text.encode()), selection)
    rests = {r.finding.kernel: "USE_GPU defined" in r.finding.assumptions for r in outcome.results}
    assert rests == {"always": False, "k": True}
    assert (outcome.kernels, outcome.partial, outcome.missed) == (2, 0, 0)


def test_a_kernel_of_two_readings_counts_once() -> None:
    text = f"__global__ void k(int *p) {{\n#ifdef A\n {RACE}\n#endif\n {RACE} }}"
    registry = load()
    selection = Selection(registry, Config())
    outcome = Engine(registry, selection).check_source(SourceFile("a.cu", text.encode()), selection)
    assert outcome.kernels == 1
    lines = sorted(
        (text.count("\n", 0, r.finding.span.start), "A defined" in r.finding.assumptions) for r in outcome.results
    )
    assert lines == [(2, True), (4, False)]


def test_settings_that_do_not_go_together_are_tried_one_by_one() -> None:
    text = """__global__ void k(int *p) {
    #ifdef ON_A
        int lane = p[1];
    #endif
    #ifdef ON_B
        int lane = p[2];
    #endif
        p[0] = 1;
    }"""
    assert _names(_modules(text)) == [("", ["k"]), ("ON_A defined", ["k"]), ("ON_B defined", ["k"])]


def test_host_code_is_read_without_what_kernels_do() -> None:
    text = b"""
__device__ float twice(float x) { return 2 * x; }
template <int N> __global__ void scale(float *x) { x[threadIdx.x] = twice(x[threadIdx.x]) * N; }
__global__ void never(float *x) { x[0] = 0; }
#ifdef OTHER
__global__ void other(float *x) { x[0] = 0; }
#endif
__host__ __device__ int blocks(int n) { return (n + 63) / 64; }
void go(float *x, int n) { scale<4><<<blocks(n), 64>>>(x); }
"""
    (module,) = ClangFrontend().parse_file(SourceFile("scale.cu", text), FrontendOptions(device=False, cache=False))
    bodies = {function.name: function.body.body for function in module.functions if function.body is not None}
    assert bodies["go"] and bodies["blocks"] and not bodies["scale"]
    assert not {"twice", "never", "other"} & set(bodies)


TEMPLATE = """
#ifdef WAVE
#define LANES 64
#else
#define LANES 32
#endif
template <int N> __global__ void k(int *p) {
    for (int i = 0; i < N; ++i) p[threadIdx.x + i] = p[threadIdx.x] + LANES * N + p[i] * p[i + 1] - 2 * p[i + 2];
#ifdef WAVE
    p[0] = 3;
#endif
}
void go(int *p) { k<1><<<1, 2>>>(p); k<2><<<1, 2>>>(p); k<3><<<1, 2>>>(p); }
"""


def _instances(modules: list[Module]) -> list[tuple[str, int]]:
    return [(module.setting, len(module.kernels[0].instances)) for module in modules]


def test_one_instance_is_enough_where_a_setting_changes_little() -> None:
    assert _instances(_modules(TEMPLATE)) == [("", 3), ("WAVE defined", 1)]


def test_all_instances_count_where_a_setting_shows_most_of_a_kernel() -> None:
    text = TEMPLATE.replace("    for", "#ifdef WAVE\n    for").replace("#ifdef WAVE\n    p[0]", "    p[0]")
    assert _instances(_modules(text)) == [("", 3), ("WAVE defined", 3)]


def test_of_settings_that_only_give_other_numbers_one_is_read() -> None:
    cases = "".join(f"#elif defined(A{n})\n    return {n};\n" for n in range(2, 6))
    rows = f"#if defined(A1)\n    return 1;\n{cases}#else\n    return 9;\n#endif\n"
    text = f"__device__ constexpr int rows() {{\n{rows}}}\n__global__ void k(int *p) {{ p[threadIdx.x] = rows(); }}\n"
    assert [setting for setting, _ in _names(_modules(text))] == ["", "A1 defined"]


def test_host_code_in_lambdas_is_worth_no_reading() -> None:
    text = f"""
    template <class F> void run(F f) {{ f(); }}
    __global__ void k(int *p) {FINE}
    void go(int *p) {{ run([&] {{
    #ifdef PORTABLE
        k<<<2, 2>>>(p);
    #else
        k<<<1, 2>>>(p);
    #endif
    }}); }}
    """
    assert [setting for setting, _ in _names(_modules(text))] == [""]


def test_large_sources_are_read_under_no_further_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"#ifdef USE_GPU\n__global__ void k(int *p) {FINE}\n#endif\n"
    monkeypatch.setattr("kernlint.frontends.clang.configured.WEIGHT", 0)
    (module,) = _modules(text)
    assert not module.kernels and [cut for cut in module.cuts if "large" in cut]
    assert [each.name for each in module.missed] == ["k"]


def test_a_macro_of_the_build_that_says_how_often_to_unroll_is_no_loss() -> None:
    text = """__kernel void k(__global int *p) {
    #pragma unroll FACTOR
        for (int i = 0; i < 8; ++i) p[get_global_id(0) * 8 + i] = i;
    }"""
    (module,) = _modules(text, "a.cl")
    assert not module.kernels[0].function.losses
    (module,) = _modules(text.replace("#pragma unroll FACTOR", "FACTOR"), "a.cl")
    assert module.kernels[0].function.losses


def test_headers_are_looked_for_once_for_all_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    scan = session.scan_includes

    def counted(path: str, *rest: object, **named: object) -> object:
        looked.append(path)
        return scan(path, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(session, "scan_includes", counted)
    name = str(tmp_path / "a.cu")
    text = f'#include "a.h"\n#ifdef USE_GPU\n__global__ void k(int *p) {FINE}\n#endif\nint *q = SIZE;\n'
    assert len(_modules(text, name)) == 2
    assert looked == [name]
    (tmp_path / "a.h").write_text("#define SIZE 0\n")
    assert not _modules(text, name)[0].missing_headers and looked == [name] * 2


def _parses(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether something was made up, for each parse from now on."""
    made: list[bool] = []
    parse = session.parse_unit

    def counted(path: str, arguments: list[str], files: dict[str, bytes]) -> object:
        made.append(session.SYNTHESISED_HEADER in files)
        return parse(path, arguments, files)

    monkeypatch.setattr(session, "parse_unit", counted)
    return made


def test_a_setting_that_loses_more_than_it_names_is_given_up_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "both.h").write_text(
        """#ifdef FOR_DOCUMENTATION
        #define wanted unheard_of()
        #else
        struct Row { int *at; };
        __device__ inline int one(Row a) { return a.at[0]; }
        __device__ inline int two(Row a) { return a.at[1]; }
        #endif
        """
    )
    text = f"""#include <gone.h>
    #include "both.h"
    __global__ void k(Row r, int *p) {{ int a = one(r); int b = two(r); p[1] = wanted + a + b + one(r) + two(r); }}
    __global__ void fine(int *p) {FINE}"""
    made = _parses(monkeypatch)
    found = _modules(text, include_dirs=(str(tmp_path),))
    assert _names(found) == [("", ["k", "fine"])]
    assert made == [False, True, False]


def test_what_was_made_up_for_a_source_is_not_sought_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """#include <gone.h>
    __global__ void k(Given g, int *p) { p[0] = given(g.a).b + Other<int>::of(p[1]); }"""
    made = _parses(monkeypatch)
    first, *_ = _modules(text, "again.cu")
    before = len(made)
    second, *_ = _modules(text, "again.cu")
    assert before > 1 and made[0] is False and made[before:] == [True]
    assert second.kernels[0].function.losses == first.kernels[0].function.losses


@pytest.mark.parametrize(("inside", "expected"), [("barrier(CLK_LOCAL_MEM_FENCE);", 1), ("t[0] = 0;", 2)])
def test_what_only_adds_a_barrier_is_no_setting(inside: str, expected: int) -> None:
    text = f"""#ifdef STEP
    int last(local int *t) {{
        int found = t[0];
    #if VENDOR
        {inside}
    #endif
        return found;
    }}
    kernel void k(global int *p, local int *t) {{ p[get_local_id(0)] = last(t); }}
    #endif"""
    found = _modules(text, "a.cl")
    names = ["", "STEP defined"] if expected == 1 else ["", "STEP defined, VENDOR defined"]
    assert [module.setting for module in found] == names
    assert not any(kernel.function.losses for module in found for kernel in module.kernels)


def test_a_variable_that_each_branch_declares_is_declared_under_some_setting() -> None:
    text = """__global__ void k(float *p) {
    #if defined(FIRST)
        float v = p[0];
    #elif defined(LAST)
        float v = p[9];
    #endif
        p[1] = v;
    }"""
    found = _modules(text)
    assert _names(found) == [("FIRST defined", ["k"]), ("LAST defined", ["k"])]
    assert not any(kernel.function.losses for module in found for kernel in module.kernels)


def test_what_was_looked_at_for_one_branch_is_no_end_of_the_search_for_another() -> None:
    text = f"""#ifdef SIEVE
    #ifdef WIDE
    __global__ void wide(int *p) {FINE}
    #endif
    #endif
    #ifndef SIEVE
    __global__ void plain(int *p) {FINE}
    #else
    #ifdef DEBUG
    #ifdef WIDE
    __global__ void debug(int *p) {FINE}
    #endif
    #endif
    #endif
    """
    assert _names(_modules(text)) == [
        ("", ["plain"]),
        ("DEBUG defined, SIEVE defined, WIDE defined", ["wide", "debug"]),
    ]
