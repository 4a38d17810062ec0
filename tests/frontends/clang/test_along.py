"""Headers that are understood with the help of files that include them."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.frontends.base import FrontendOptions
from kernlint.frontends.clang import ClangFrontend, session
from kernlint.frontends.clang.configured import Cost
from kernlint.project.run import Projects
from kernlint.source import read
from kernlint.tree.nodes import Module

TEMPLATE = """#pragma once
template <typename T, int N> __global__ void fill(T *p) { __shared__ T t[N]; t[threadIdx.x] = p[threadIdx.x]; }
template <typename T> void start(T *p) { fill<T, 64><<<1, 64>>>(p); }
"""
HELPERS = """#pragma once
__device__ inline float twice(float a) { return 2 * a; }
__device__ inline float half_of(float a) { return a / 2; }
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "include").mkdir()
    (tmp_path / "src").mkdir()
    return tmp_path


def _parse(path: Path, *named: Path) -> list[Module]:
    around = Projects([str(each) for each in named or (path,)], cache=False).questions(str(path))
    return ClangFrontend().parse_file(read(str(path)), FrontendOptions(cache=False, around=around))


def _kernels(modules: list[Module]) -> list[tuple[str, list[tuple[str, ...]]]]:
    return [
        (kernel.name, [tuple(text for _, text in each.template_args) for each in kernel.variants])
        for module in modules
        for kernel in module.kernels
    ]


def test_a_template_is_analysed_for_what_a_source_launches(tree: Path) -> None:
    header = tree / "include" / "fill.cuh"
    header.write_text(TEMPLATE)
    (tree / "src" / "a.cu").write_text('#include "fill.cuh"\nvoid go(short *p) { fill<short, 8><<<1, 8>>>(p); }\n')
    found = _parse(header)
    assert _kernels(found) == [("fill", [("short", "8")])]
    assert found[1].about == str(header) and not found[1].kernels[0].instances[0].forced
    assert found[1].kernels[0].function.span.file == str(header)


def test_launches_of_host_templates_that_a_source_calls(tree: Path) -> None:
    header = tree / "include" / "fill.cuh"
    header.write_text(TEMPLATE)
    (tree / "src" / "a.cu").write_text('#include "../include/fill.cuh"\nvoid go(double *p) { start(p); }\n')
    assert _kernels(_parse(header)) == [("fill", [("double", "64")])]


def test_explicit_instantiations(tree: Path) -> None:
    header = tree / "include" / "fill.cuh"
    header.write_text(TEMPLATE)
    (tree / "src" / "a.cu").write_text('#include "fill.cuh"\ntemplate __global__ void fill<char, 2>(char *);\n')
    assert _kernels(_parse(header)) == [("fill", [("char", "2")])]


def test_a_template_of_a_header_is_left_to_a_source_of_the_same_run(tree: Path) -> None:
    header = tree / "include" / "fill.cuh"
    header.write_text(TEMPLATE)
    (tree / "src" / "a.cu").write_text('#include "fill.cuh"\nvoid go(short *p) { fill<short, 8><<<1, 8>>>(p); }\n')
    assert _kernels(_parse(header, tree)) == []
    assert _kernels(_parse(tree / "src" / "a.cu", tree)) == [("fill", [("short", "8")])]


def test_a_template_that_a_source_of_the_same_run_does_not_show_is_not_left_to_it(tree: Path) -> None:
    header = tree / "include" / "fill.cuh"
    header.write_text(
        """#pragma once
        template <class T, int N> __global__ void fill(T *p) { p[N * blockIdx.x + threadIdx.x] = N; }
        template <class F> void with(bool even, F f) { if (even) f(std::true_type()); else f(std::false_type()); }
        template <class T> void start(T *p, bool even) {
            with(even, [&](auto e) {
                auto kernel = &fill<T, decltype(e)::value ? 8 : 4>;
                kernel<<<1, 8>>>(p);
            });
        }
        """
    )
    source = tree / "src" / "a.cu"
    source.write_text('#include "fill.cuh"\ntemplate void start<short>(short *p, bool even);\n')
    assert _kernels(_parse(source, tree)) or _kernels(_parse(header, tree))


def test_a_template_that_nobody_asks_for_is_guessed(tree: Path) -> None:
    header = tree / "include" / "fill.cuh"
    header.write_text(TEMPLATE)
    ((_, instances),) = _kernels(_parse(header))
    assert [arguments[1] for arguments in instances] == ["64", "64"]  # the launch in sight gives it


def test_device_functions_are_analysed_through_kernels_that_reach_them(tree: Path) -> None:
    header = tree / "include" / "helpers.h"
    header.write_text(HELPERS)
    (tree / "src" / "a.cu").write_text(
        '#include "helpers.h"\n'
        "__global__ void one(float *p) { p[0] = twice(p[1]); }\n"
        "__global__ void same(float *p) { p[1] = twice(p[1]); }\n"
        "__global__ void other(float *p) { p[0] = 1; }\n"
        "__global__ void two(float *p) { p[0] = half_of(twice(p[1])); }\n"
    )
    found = _parse(header)
    assert [name for name, _ in _kernels(found)] == ["one", "two"]
    assert found[-1].about == str(header)


def test_functions_of_opencl(tree: Path) -> None:
    header = tree / "include" / "helpers.cl"
    header.write_text("float twice(float a) { return 2 * a; }\n")
    source = tree / "src" / "a.cl"
    source.write_text('#include "helpers.cl"\n__kernel void one(__global float *p) { p[0] = twice(p[1]); }\n')
    assert [name for name, _ in _kernels(_parse(header))] == ["one"]


def test_files_that_were_read_along_are_what_a_result_depends_on(tree: Path) -> None:
    header = tree / "include" / "helpers.h"
    header.write_text(HELPERS)
    other = tree / "src" / "a.cu"
    other.write_text('#include "helpers.h"\n__global__ void one(float *p) { p[0] = twice(p[1]); }\n')
    around = Projects([str(header)], cache=False).questions(str(header))
    options = FrontendOptions(cache=False, around=around)
    frontend = ClangFrontend()
    source = read(str(header))
    frontend.parse_file(source, options)
    assert str(other) in frontend.headers(source, options)


def test_guesses_fit_the_uses(tree: Path) -> None:
    source = tree / "a.cu"
    source.write_text(
        "__device__ float size_of(float v) { return v; }\n__device__ double size_of(double v) { return v; }\n"
        "template <typename T, typename I, typename F> __global__ void k(const T *v, float *out, I n, F f) {\n"
        "    const I i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n) out[i] = f(size_of(v[i]), 1);\n}\n"
    )
    (kernel,) = _parse(source)[0].kernels
    first = dict(kernel.instances[0].template_args)
    assert (first["T"], first["I"]) == ("float", "int")
    assert not any(each.losses for each in kernel.instances)


def test_what_is_only_handed_on_may_be_called(tree: Path) -> None:
    source = tree / "a.cu"
    source.write_text(
        "template <typename T, typename F> __device__ T reduced(T v, F f) { return f(v, v); }\n"
        "template <typename T, typename F> __global__ void k(T *v, F f) { v[threadIdx.x] = reduced(v[0], f); }\n"
    )
    (kernel,) = _parse(source)[0].kernels
    assert dict(kernel.instances[0].template_args)["F"] == "__kernlint_callable"
    assert not any(loss for each in kernel.instances for loss in each.losses)


def _counted(cost: Cost, parsed: object) -> None:
    cost.weight += 1


def test_no_further_file_is_read_once_large_ones_were(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header = tree / "include" / "fill.cuh"
    header.write_text(TEMPLATE + "template <typename T> __global__ void zero(T *p) { p[threadIdx.x] = 0; }\n")
    (tree / "src" / "a.cu").write_text('#include "fill.cuh"\nvoid go(short *p) { fill<short, 8><<<1, 8>>>(p); }\n')
    (tree / "src" / "b.cu").write_text('#include "fill.cuh"\nvoid go(long *p) { zero<long><<<1, 8>>>(p); }\n')
    asked = {("fill", (("short", "8"),)), ("zero", (("long",),))}
    assert {(name, tuple(args)) for name, args in _kernels(_parse(header))} == asked
    monkeypatch.setattr("kernlint.frontends.clang.configured.Cost.note", _counted)
    monkeypatch.setattr("kernlint.frontends.clang.configured.WEIGHT", 2)  # the header, and its templates' uses
    cut, *_ = found = _parse(header)
    assert ("fill", [("short", "8")]) in _kernels(found) and ("zero", [("long",)]) not in _kernels(found)
    assert len(cut.cuts) == 1 and "not all" in cut.cuts[0]


def test_what_was_made_up_for_one_file_serves_the_next(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    of = session._Attempt.of.__func__  # type: ignore[attr-defined]

    def counted(cls: object, job: session._Job, *rest: object) -> object:
        parsed.append(Path(job.path).name)
        return of(cls, job, *rest)

    monkeypatch.setattr(session._Attempt, "of", classmethod(counted))
    header = tree / "include" / "fill.cuh"
    header.write_text(
        "template <typename T> __global__ void fill(T *p) { p[threadIdx.x] = lib::first(p); }\n"
        "template <typename T> __global__ void zero(T *p) { p[threadIdx.x] = lib::first(p); }\n"
    )
    for name, call in (("a", "fill<short>"), ("b", "zero<long>")):
        (tree / "src" / f"{name}.cu").write_text(
            f'#include <lib.h>\n#include "fill.cuh"\nvoid go(void *p) {{ {call}<<<1, 8>>>(p); }}\n'
        )
    _parse(header)
    assert parsed.count("a.cu") > parsed.count("b.cu") == 1


@pytest.mark.parametrize(
    ("header", "met"),
    [
        ("__device__ int twice(int a) { return missing(a) * 2; }\n", True),
        (
            "__device__ int twice(int a) { return missing(a) * 2; }\n__global__ void k(int *p) { *p = twice(1); }\n",
            False,
        ),
    ],
)
def test_functions_that_the_run_meets_elsewhere_are_parsed_once(
    tree: Path, monkeypatch: pytest.MonkeyPatch, header: str, met: bool
) -> None:
    parsed: list[str] = []
    run = session._Job.run

    def counted(job: session._Job, *rest: str) -> object:
        parsed.append(Path(job.path).name)
        return run(job, *rest)

    monkeypatch.setattr(session._Job, "run", counted)
    (tree / "include" / "twice.cuh").write_text(header)
    (tree / "src" / "a.cu").write_text('#include "twice.cuh"\n__global__ void one(int *p) { p[0] = twice(p[1]); }\n')
    _parse(tree / "include" / "twice.cuh", tree)
    assert (parsed.count("twice.cuh") == 1) == met
    parsed.clear()
    _parse(tree / "include" / "twice.cuh")  # by itself nobody else meets them
    assert parsed.count("twice.cuh") > 1
