"""The macros that hold before the first line of a source."""

from __future__ import annotations

import functools
import os

from kernlint.frontends.clang.conditions.directives import Program, load
from kernlint.frontends.clang.options import Language, ParseOptions, cuda_target, hip_target, opencl_standard
from kernlint.frontends.clang.prelude import FOLDER, prelude_headers

_COMPILER = {"__clang__": "1", "__clang_major__": "18", "__GNUC__": "4", "__STDC__": "1", "__LP64__": "1"}
_LINUX = {"__linux__": "1", "__unix__": "1", "__x86_64__": "1", "linux": "1", "unix": "1"}
_EXTENSIONS = (
    *("3d_image_writes", "byte_addressable_store", "depth_images", "device_enqueue_local_arg_types", "fp16", "fp64"),
    *("gl_msaa_sharing", "global_int32_base_atomics", "global_int32_extended_atomics", "int64_base_atomics"),
    *("int64_extended_atomics", "local_int32_base_atomics", "local_int32_extended_atomics", "mipmap_image"),
    *("mipmap_image_writes", "spir", "srgb_image_writes", "subgroup_ballot", "subgroup_clustered_reduce"),
    *("subgroup_extended_types", "subgroup_non_uniform_arithmetic", "subgroup_non_uniform_vote", "subgroup_rotate"),
    *("subgroup_shuffle", "subgroup_shuffle_relative", "subgroups"),
)
"""Extensions of OpenCL, without ``cl_khr_``, that the compiler says it has."""


def base_macros(language: Language, options: ParseOptions) -> dict[str, str]:
    """What the compiler, the preludes and the build define."""
    macros = dict(_of_language(language))
    if language is Language.CUDA:
        macros["__CUDA_ARCH__"] = f"{cuda_target(options.target).removeprefix('sm_').rstrip('a')}0"
    elif language is Language.HIP:
        macros[f"__{hip_target(options.target)}__"] = "1"
    for define in options.defines:
        name, equals, value = define.partition("=")
        macros[name] = value if equals else "1"
    for name in options.undefines:
        macros.pop(name, None)
    return macros


@functools.cache
def _of_language(language: Language) -> dict[str, str]:
    macros = dict(_COMPILER)
    if language is Language.OPENCL:
        version = opencl_standard(None).removeprefix("CL").replace(".", "") + "0"
        macros |= {"__OPENCL_VERSION__": version, "__OPENCL_C_VERSION__": version, "__OPENCL__": "1", "__SPIR64__": "1"}
        macros |= {f"cl_khr_{name}": "1" for name in _EXTENSIONS}
    else:
        macros |= {"__cplusplus": "201703", "__CUDA__": "1", "__CUDACC__": "1", "_GNU_SOURCE": "1", **_LINUX}
    if language is Language.HIP:
        macros |= {
            "__HIP__": "1",
            "__HIPCC__": "1",
            "__HIP_DEVICE_COMPILE__": "1",
            "__AMDGCN__": "1",
            "__AMDGPU__": "1",
        }
    main = prelude_headers(language)[0]
    with open(main, "rb") as handle:
        text = handle.read()
    headers = [os.path.join(folder, name) for folder, _, names in os.walk(FOLDER) for name in names]
    return dict(Program(main, text, headers, load).run(macros).macros)
