"""Parsing a source: text in memory, results, lifetimes, hostile inputs."""

from __future__ import annotations

import pytest

from kernlint.frontends.base import FrontendError
from kernlint.frontends.clang import compiler
from kernlint.frontends.clang.kinds import CursorKind, Severity
from kernlint.frontends.clang.options import Language, ParseOptions
from kernlint.frontends.clang.session import parse

KERNEL = b"__global__ void k(float* x, int n) { int i = threadIdx.x; if (i < n) x[i] = 0; }\n"


def test_a_path_need_not_exist() -> None:
    with parse("no/such/folder/k.cu", KERNEL, Language.CUDA) as parsed:
        assert [c.spelling for c in parsed.unit.top_level()] == ["k"]
        assert parsed.unit.top_level()[0].extent.file == "no/such/folder/k.cu"


@pytest.mark.parametrize("language", [Language.CUDA, Language.HIP])
def test_host_code_and_launches_stay(language: Language) -> None:
    source = KERNEL + b"void host(float* d, int n) { k<<<(n + 255) / 256, 256, 1024>>>(d, n); }\n"
    with parse("k.cu", source, language) as parsed:
        assert not parsed.diagnostics
        _, host = parsed.unit.top_level()
        launch = next(node for node in host.walk() if node.kind == CursorKind.CALL_EXPR)
        assert launch.children[1].spelling in ("cudaConfigureCall", "__hipPushCallConfiguration")
        assert launch.children[0].children[0].referenced is not None


def test_a_launch_inside_a_kernel_costs_that_statement_only() -> None:
    """Clang does not know dynamic parallelism."""
    source = KERNEL + b"__global__ void outer(float* x) { x[0] = 1; k<<<1, 32>>>(x, 32); x[1] = 2; }\n"
    with parse("k.cu", source, Language.CUDA) as parsed:
        assert len(parsed.diagnostics) == 1 and parsed.rounds == 1
        outer = parsed.unit.top_level()[1]
        subscripts = [n for n in outer.walk() if n.kind == CursorKind.ARRAY_SUBSCRIPT_EXPR]
        assert len(subscripts) == 2


def test_appended_text_moves_nothing() -> None:
    source = b"template <class T> __global__ void k(T* x) { x[0] = T(); }"
    with parse("k.cu", source, Language.CUDA) as parsed:
        before = parsed.unit.top_level()[0].extent
        with parsed.with_appended("static void use() { (void)&k<float>; }") as again:
            template, use, *_ = again.unit.top_level()
            assert template.extent == before
            assert use.extent.start > len(source)
            reference = next(node for node in use.walk() if node.kind == CursorKind.DECL_REF_EXPR)
            assert reference.referenced is not None and reference.referenced.kind == CursorKind.FUNCTION_DECL
            assert again.text == source
        assert parsed.unit.top_level()[0].spelling == "k"


def test_diagnostics_have_places() -> None:
    with parse("k.cu", b"__global__ void k() {\n  int x = 1\n}\n", Language.CUDA) as parsed:
        (error,) = parsed.errors()
        assert (error.severity, error.file, error.line, error.column) == (Severity.ERROR, "k.cu", 2, 12)
        assert "';'" in error.message


def test_skipped_ranges() -> None:
    source = b"#if __CUDA_ARCH__ >= 900\nint newer;\n#else\nint older;\n#endif\n"
    with parse("k.cu", source, Language.CUDA) as parsed:
        ((start, end),) = parsed.skipped
        assert b"newer" in source[start:end] and b"older" not in source[start:end]
    with parse("k.cu", source, Language.CUDA, ParseOptions(target="sm_90")) as parsed:
        ((start, end),) = parsed.skipped
        assert b"older" in source[start:end] and b"newer" not in source[start:end]


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n",
        b"}}}}((((",
        b"\x00\x01\x02 void f() {",
        b"#include",
        b"#include <",
        b"#if 1\n",
        b"/* open",
        b'"open',
        b"// \xff\xfe\xfd not UTF-8\n",
        b"template <" * 300,
        b"#define A A A\nA\n" + b"A " * 200,
        b"{" * 2000,
        b"a" * 100_000,
    ],
    ids=range(14),
)
def test_hostile_texts_give_a_result(text: bytes, language: Language) -> None:
    with parse("x.cu", text, language, use_cache=False) as parsed:
        assert isinstance(parsed.unit.top_level(), list)


def test_clang_failing_as_a_whole_is_an_error() -> None:
    with pytest.raises(FrontendError):
        compiler.parse_unit("x.cu", ["-x", "no-such-language"], {"x.cu": b""})


def test_results_are_freed_with_their_last_user() -> None:
    for _ in range(50):
        parse("k.cu", KERNEL, Language.CUDA)


def test_windows_line_ends_keep_offsets() -> None:
    source = KERNEL.replace(b"{", b"{\r\n").replace(b";", b";\r\n")
    with parse("k.cu", source, Language.CUDA) as parsed:
        (kernel,) = parsed.unit.top_level()
        assert source[kernel.extent.start : kernel.extent.end] == source.strip()


def test_units_of_attempts_that_are_not_kept_are_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    from kernlint.frontends.clang import session
    from kernlint.frontends.clang.unit import Unit

    made: list[Unit] = []
    original = session.parse_unit
    monkeypatch.setattr(session, "parse_unit", lambda *args: made.append(original(*args)) or made[-1])
    text = b"__global__ void k(Unknown *p, Other q) { p[threadIdx.x] = helper(q) + MISSING; }\n"
    with parse("k.cu", text, Language.CUDA):
        assert len(made) > 1
        assert [unit.handle is None for unit in made].count(False) == 1
    assert all(unit.handle is None for unit in made)
