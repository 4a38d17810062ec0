"""The dialect of a file, as the build's macros tell it."""

from __future__ import annotations

import pytest

from kernlint.frontends.base import FrontendOptions
from kernlint.frontends.clang import ClangFrontend
from kernlint.frontends.clang.frontend import language_of
from kernlint.frontends.clang.options import Language
from kernlint.source import SourceFile

KERNEL = b"__global__ void k(int *x) { x[threadIdx.x] = __popcll(__ballot(x[0])); }\n"


@pytest.mark.parametrize(
    ("defines", "language"),
    [((), "cuda"), (("__HIPCC__",), "hip"), (("__HIP_PLATFORM_AMD__=1",), "hip"), (("USE_ROCM",), "cuda")],
)
def test_a_hip_compilers_macros_make_a_cu_file_hip(defines: tuple[str, ...], language: str) -> None:
    (module,) = ClangFrontend().parse_file(SourceFile("a.cu", KERNEL), FrontendOptions(defines=defines))
    assert module.language == language


def test_a_host_file_with_a_kernel_in_a_comment_is_a_host_file() -> None:
    kernel = "__kernel void clear(__global int *a) { a[get_global_id(0)] = 0; }"
    text = "#include <stdio.h>\nstatic int made(char *out) { char text[20000]; return sprintf(out, text); }\n"
    assert language_of(SourceFile("gen.cpp", f"{text}/* as it is made:\n{kernel}\n*/\n".encode())) is Language.CUDA
    assert language_of(SourceFile("gen.cpp", f"{kernel}\n".encode())) is Language.OPENCL
