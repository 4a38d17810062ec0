"""Libraries whose names the front end can declare when their headers are not there.

Whether a library's stub is needed is seen in the text: a mention of its namespace or of a name with its prefix in the
source or a header it finds. Looking at the text rather than at ``#include``s also serves sources whose header came in
through another one that is missing. A library that is there (one of its headers was found) needs no stub.
"""

from __future__ import annotations

import os
import re

from kernlint.frontends.clang.options import Language
from kernlint.record import dataclass, field
from kernlint.text.patterns import pattern


@dataclass(frozen=True, slots=True)
class Stub:
    """A stub header, the mentions that ask for it, and the header names that make it superfluous.

    A mention is a literal that must stand at the beginning of a word; one that ends in ``::`` must not stand behind
    another ``::``. ``opencl`` says that the stub serves OpenCL too; ``copied`` that it is one file, of which
    projects carry copies, changed or not: theirs are read; ``partial`` that it has little of a large library, whose
    headers are looked for, and missed, all the same.
    """

    header: str
    mentions: tuple[bytes, ...]
    headers: tuple[str, ...]
    opencl: bool = False
    copied: bool = False
    partial: bool = False

    def wanted_by(self, text: bytes) -> bool:
        """Whether a source text mentions the library."""
        for mention in self.mentions:
            if mention in text:  # much faster than the expression, and mostly false
                before = rb"(?<![\w:])" if mention.endswith(b"::") else rb"(?<!\w)"
                if self.copied:  # headers that projects write like it speak of it in comments
                    before = rb"^[ \t]*#[ \t]*include[ \t]*[\"<](?:[^\">\n]*/)?"
                if re.search(before + re.escape(mention), text, re.MULTILINE):
                    return True
        return False


STUBS = (
    Stub("cooperative_groups.h", (b"cooperative_groups", b"cg::"), ("cooperative_groups",)),
    Stub("cub.h", (b"cub::", b"hipcub::", b"cub_"), ("cub/", "hipcub/")),
    Stub("libcudacxx.h", (b"cuda::",), ("cuda/",)),
    Stub("std_complex.h", (b"<complex>", b"std::complex"), ()),
    Stub("std_recent.h", (b"<span>", b"<bit>", b"std::span", b"std::bit_width", b"std::bit_floor", b"std::rotl",
                          b"std::has_single_bit", b"std::rotr"), ()),
    Stub("thrust.h", (b"thrust::",), ("thrust/",)),
    Stub("complex.h", (b"cuC", b"make_cu", b"cuFloatComplex", b"cuDoubleComplex", b"hipC", b"hipFloatComplex",
                       b"hipDoubleComplex", b"make_hip"), ("cuComplex.h", "hip/hip_complex.h")),
    Stub("random.h", (b"curand", b"hiprand"), ("curand", "hiprand")),
    Stub("cupy.h", (b"cupy/complex.cuh",), ("cupy/",)),
    Stub("pycuda.h", (b"pycuda::", b"pycuda-", b"fp_tex"), ("pycuda-",)),
    Stub("wmma.h", (b"nvcuda", b"wmma::", b"rocwmma"), ("mma.h", "rocwmma/")),
    Stub("blas.h", (b"cublas", b"CUBLAS_", b"hipblas", b"HIPBLAS_"), ("cublas", "hipblas")),
    Stub("fft.h", (b"cufft", b"CUFFT_", b"hipfft", b"HIPFFT_"), ("cufft", "hipfft")),
    Stub("nccl.h", (b"nccl",), ("nccl", "rccl")),
    Stub("rmm.h", (b"rmm::",), ("rmm/",), partial=True),
    Stub("vecmem.h", (b"vecmem::",), ("vecmem/",), partial=True),
    Stub("cudf.h", (b"cudf::", b"CUDF_KERNEL"), ("cudf/",), partial=True),
    Stub("ck_tile.h", (b"ck_tile",), ("ck_tile/",)),
    Stub("torch.h", (b"torch::", b"at::", b"c10::", b"AT_DISPATCH", b"TORCH_", b"C10_", b"CUDA_KERNEL_LOOP",
                     b"PackedTensorAccessor", b"PYBIND11_MODULE", b"AT_CHECK"), ("torch/", "ATen/", "c10/")),
    Stub("torch_stable.h", (b"torch::stable", b"torch::headeronly", b"THO_", b"STABLE_TORCH"), ("torch/",)),
    Stub("opencl_host.h", (b"cl_mem", b"cl_kernel", b"cl_context", b"cl_command_queue", b"clCreate", b"clEnqueue",
                           b"cl::Kernel", b"cl::Buffer", b"cl::CommandQueue", b"cl::Context"), ("CL/",)),
    Stub("boost_compute.h", (b"boost::compute", b"boost/compute"), ("boost/compute",), partial=True),
    Stub("glm.h", (b"glm::", b"namespace glm"), ("glm/",)),
    Stub("eigen.h", (b"Eigen::", b"namespace Eigen", b"<Eigen/", b"EIGEN_"), ("Eigen/",)),
    Stub("helper_math.h", (b"helper_math.h", b"cutil_math.h"), ("helper_math.h", "cutil_math.h"), copied=True),
    Stub("hip_types.h", (b"__hip_bfloat16", b"__hip_fp8", b"hip_bfloat16"), ("hip/hip_bf", "hip/hip_fp8")),
    Stub("opencv.h", (b"PtrStep", b"PtrSz", b"cv::cuda", b"namespace cv", b"cuda::device"), ("opencv2/",)),
    Stub("gpuverify.h", (b"__requires", b"__ensures", b"__invariant", b"__assert", b"__assume", b"__read_implies",
                         b"__write_implies", b"__function_wide", b"__candidate_", b"__barrier_invariant", b"__other_",
                         b"__uniform_", b"__global_requires", b"__global_ensures", b"__global_assert", b"DECLARE_UF_",
                         b"__global_invariant"), (), opencl=True),
)  # fmt: skip
"""In the order in which they are included."""


_TOOLKIT = pattern(
    r"cuda\.h|cuda_(?:runtime(?:_api)?|fp16|bf16|fp8|pipeline(?:_primitives|_helpers)?|device_runtime_api|awbarrier\w*)"
    r"\.h(?:pp)?|device_(?:functions|types|launch_parameters|atomic_functions|double_functions)\.h(?:pp)?"
    r"|(?:driver_types|host_defines|host_config|builtin_types|vector_types|vector_functions|math_constants"
    r"|math_functions(?:_dbl_ptx3)?|common_functions|channel_descriptor|texture_types|surface_types"
    r"|texture_(?:fetch|indirect)_functions|surface_(?:functions|indirect_functions)|cudart_platform)\.h(?:pp)?"
    r"|sm_\d+_(?:intrinsics|atomic_functions|rt)\.h(?:pp)?|crt/.*"
    r"|hip/(?:hip_runtime|hip_fp16|hip_fp8|hip_bf|hip_vector_types|hip_cooperative_groups|device_functions).*"
    r"|CL/(?:cl|opencl).*|opencl\.h|opencl-c(?:-base)?\.h"
)
"""Headers, by the name in the ``#include``, whose device side the preludes declare."""

_CUDA_STD = pattern(r"cuda/(?:std/.*|[^./]*|__\w+/.*)")
_FLAT = pattern(
    r"cooperative_groups(?:\.h|/.*)|cuComplex\.h|hip/hip_complex\.h|mma\.h|rocwmma/.*"
    r"|(?:cu|hip)rand(?:/.*|(?:_(?:kernel|uniform|normal|globals|lognormal|poisson|discrete\w*|philox\w*|mrg32k3a\w*"
    r"|mtgp32\w*|precalc|mcg\w*|rocm|hcc|nvcc|hip))*\.h(?:pp)?)|cublas(?:_v2|_api|Lt|Xt)?\.h|hipblas(?:/.*|lt)?(?:\.h)?"
    r"|pycuda-(?:complex|complex-impl|helpers)\.hpp|cufft(?:w|Xt)?\.h|hipfft(?:/.*|\w*\.h)?|nccl\.h|rccl(?:/.*|\.h)?"
)


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
        *("random", "set", "shared_mutex", "span", "sstream", "stack", "stdexcept", "string", "string_view"),
        *("system_error", "thread", "tuple", "type_traits", "unordered_map", "unordered_set", "utility", "vector"),
    }
)
"""The headers of the C and C++ libraries whose names the preludes of CUDA and HIP declare."""


def served(header: str, language: Language) -> bool:
    """Whether the names of a header, by its name in the ``#include``, are declared where it is not there; of a path
    into somebody's installation (``/usr/local/cuda/include/cuda_runtime.h``) what stands behind its include folder."""
    if header.startswith("/"):
        header = header.rpartition("/include/")[2]
    if language is not Language.OPENCL and header in _STANDARD:
        return True
    return _TOOLKIT.fullmatch(header) is not None or any(_belongs(header, stub) for stub in STUBS if not stub.partial)


def is_foreign(header: str, includer: str, language: Language) -> bool:
    """Whether a header is not looked for in the project, because its names are declared here or it is a standard one.

    The headers of a library are its own to the files in its folder.
    """
    if language is not Language.OPENCL and (header in _STANDARD or not ("/" in header or "." in header)):
        return True
    if _TOOLKIT.fullmatch(header) is not None:
        return True
    library = header.partition("/")[0]
    within = library in os.path.abspath(includer).split(os.sep)[:-1]
    return not within and any(_belongs(header, stub) for stub in STUBS if not (stub.copied or stub.partial))


def _belongs(header: str, stub: Stub) -> bool:
    """Whether a header is one of the library that the stub stands for, and none that merely has a name like it."""
    if stub.copied:
        return header.rpartition("/")[2] in stub.headers
    if not (stub.headers and header.startswith(stub.headers)):
        return False
    if header.startswith("cuda/"):
        return _CUDA_STD.fullmatch(header) is not None
    return "/" in stub.headers[0] or _FLAT.fullmatch(header) is not None


_seen: dict[tuple[int, int], tuple[Stub, ...]] = {}
"""The stubs that texts mention, by length and hash: headers are met again with every source and every parse."""

MOST_SEEN = 10_000


def _mentioned(text: bytes) -> tuple[Stub, ...]:
    key = len(text), hash(text)
    known = _seen.get(key)
    if known is None:
        if len(_seen) >= MOST_SEEN:
            _seen.clear()
        known = _seen[key] = tuple(stub for stub in STUBS if stub.wanted_by(text))
    return known


@dataclass(slots=True)
class StubChoice:
    """Collects, over the files of one source, which stubs it needs."""

    language: Language
    _wanted: set[str] = field(default_factory=set)
    _present: set[str] = field(default_factory=set)

    def see(self, text: bytes) -> None:
        """Take a file's text into account."""
        wanted = _mentioned(text)
        self._wanted.update(stub.header for stub in wanted if stub.opencl or self.language is not Language.OPENCL)

    def found(self, header: str) -> None:
        """Take into account that a header, by its name in the ``#include``, is there."""
        self._present.update(stub.header for stub in STUBS if _belongs(header, stub))

    def headers(self) -> tuple[str, ...]:
        """The stubs needed, in order."""
        chosen = self._wanted - self._present
        return tuple(stub.header for stub in STUBS if stub.header in chosen)
