"""Libraries whose names the front end can declare when their headers are not there.

Whether a library's stub is needed is seen in the text: a mention of its namespace or of a name with its prefix in the
source or a header it finds. Looking at the text rather than at ``#include``s also serves sources whose header came in
through another one that is missing. A library that is there (one of its headers was found) needs no stub.
"""

from __future__ import annotations

import re

from kernlint.frontends.clang.options import Language
from kernlint.record import dataclass, field


@dataclass(frozen=True, slots=True)
class Stub:
    """A stub header, the mentions that ask for it, and the header names that make it superfluous.

    A mention is a literal that must stand at the beginning of a word; one that ends in ``::`` must not stand behind
    another ``::``. ``opencl`` says that the stub serves OpenCL too.
    """

    header: str
    mentions: tuple[bytes, ...]
    headers: tuple[str, ...]
    opencl: bool = False

    def wanted_by(self, text: bytes) -> bool:
        """Whether a source text mentions the library."""
        for mention in self.mentions:
            if mention in text:  # much faster than the expression, and mostly false
                before = rb"(?<![\w:])" if mention.endswith(b"::") else rb"(?<!\w)"
                if re.search(before + re.escape(mention), text):
                    return True
        return False


STUBS = (
    Stub("cooperative_groups.h", (b"cooperative_groups", b"cg::"), ("cooperative_groups",)),
    Stub("cub.h", (b"cub::", b"hipcub::", b"cub_"), ("cub/", "hipcub/")),
    Stub("libcudacxx.h", (b"cuda::",), ("cuda/",)),
    Stub("thrust.h", (b"thrust::",), ("thrust/",)),
    Stub("complex.h", (b"cuC", b"make_cu", b"cuFloatComplex", b"cuDoubleComplex", b"hipC", b"hipFloatComplex",
                       b"hipDoubleComplex", b"make_hip"), ("cuComplex.h", "hip/hip_complex.h")),
    Stub("random.h", (b"curand", b"hiprand"), ("curand", "hiprand")),
    Stub("wmma.h", (b"nvcuda", b"wmma::", b"rocwmma"), ("mma.h", "rocwmma/")),
    Stub("blas.h", (b"cublas", b"CUBLAS_", b"hipblas", b"HIPBLAS_"), ("cublas", "hipblas")),
    Stub("ck_tile.h", (b"ck_tile",), ("ck_tile/",)),
    Stub("torch.h", (b"torch::", b"at::", b"c10::", b"AT_DISPATCH", b"TORCH_", b"C10_", b"CUDA_KERNEL_LOOP",
                     b"PackedTensorAccessor", b"PYBIND11_MODULE", b"AT_CHECK"), ("torch/", "ATen/", "c10/")),
    Stub("torch_stable.h", (b"torch::stable", b"torch::headeronly", b"THO_", b"STABLE_TORCH"), ("torch/",)),
    Stub("gpuverify.h", (b"__requires", b"__ensures", b"__invariant", b"__assert", b"__assume", b"__read_implies",
                         b"__write_implies", b"__function_wide", b"__candidate_", b"__barrier_invariant", b"__other_",
                         b"__uniform_", b"__global_requires", b"__global_ensures", b"__global_assert", b"DECLARE_UF_",
                         b"__global_invariant"), (), opencl=True),
)  # fmt: skip
"""In the order in which they are included."""


_TOOLKIT = (
    *(
        "cuda.h",
        "cuda_runtime",
        "cuda_fp16",
        "cuda_bf16",
        "cuda_pipeline",
        "device_",
        "driver_types.h",
        "host_defines.h",
    ),
    *("builtin_types.h", "vector_types.h", "vector_functions.h", "math_constants.h", "math_functions.h", "sm_", "crt/"),
    *(
        "hip/hip_runtime",
        "hip/hip_fp16",
        "hip/hip_bf",
        "hip/hip_vector_types",
        "hip/device_functions",
        "CL/cl",
        "opencl",
    ),
)
"""Headers, by how their names begin, whose device side the preludes declare."""


_C = (
    *("assert", "ctype", "errno", "float", "inttypes", "limits", "math", "stdarg", "stddef", "stdint", "stdio"),
    *("stdlib", "string", "time"),
)

_STANDARD = frozenset(
    {
        *(f"{name}.h" for name in (*_C, "stdbool", "strings", "alloca", "malloc", "sys/types", "sys/time", "unistd")),
        *(f"c{name}" for name in _C),
        *("algorithm", "array", "atomic", "bit", "bitset", "chrono", "complex", "condition_variable", "deque"),
        *("exception", "fstream", "functional", "initializer_list", "iomanip", "ios", "iostream", "istream"),
        *("iterator", "limits", "list", "map", "memory", "mutex", "new", "numeric", "optional", "ostream", "queue"),
        *("random", "set", "sstream", "stack", "stdexcept", "string", "string_view", "thread", "tuple"),
        *("type_traits", "unordered_map", "unordered_set", "utility", "vector"),
    }
)
"""The headers of the C and C++ libraries whose names the preludes of CUDA and HIP declare."""


def served(header: str, language: Language) -> bool:
    """Whether the names of a header, by its name in the ``#include``, are declared where it is not there."""
    if language is not Language.OPENCL and header in _STANDARD:
        return True
    return header.startswith(_TOOLKIT) or any(stub.headers and header.startswith(stub.headers) for stub in STUBS)


@dataclass(slots=True)
class StubChoice:
    """Collects, over the files of one source, which stubs it needs."""

    language: Language
    _wanted: set[str] = field(default_factory=set)
    _present: set[str] = field(default_factory=set)

    def see(self, text: bytes) -> None:
        """Take a file's text into account."""
        here = (stub for stub in STUBS if stub.opencl or self.language is not Language.OPENCL)
        missing = (stub for stub in here if stub.header not in self._wanted)
        self._wanted.update(stub.header for stub in missing if stub.wanted_by(text))

    def found(self, header: str) -> None:
        """Take into account that a header, by its name in the ``#include``, is there."""
        self._present.update(stub.header for stub in STUBS if header.startswith(stub.headers))

    def headers(self) -> tuple[str, ...]:
        """The stubs needed, in order."""
        chosen = self._wanted - self._present
        return tuple(stub.header for stub in STUBS if stub.header in chosen)
