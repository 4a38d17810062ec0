"""Languages, and how a file of each is handed to clang."""

from __future__ import annotations

import re
from enum import Enum

from kernlint.frontends.base import Surroundings
from kernlint.record import dataclass


class Language(Enum):
    """A kernel dialect."""

    CUDA = "cuda"
    HIP = "hip"
    OPENCL = "opencl"


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """What the build would have told the compiler.

    ``defines`` are ``NAME`` or ``NAME=VALUE``, ``undefines`` names; ``include_dirs`` are searched in order;
    ``forced`` files are included before the source. ``std`` is the argument of ``-std=`` and ``target`` a GPU
    architecture such as ``sm_90`` or ``gfx942``; None means the front end's default. ``around`` finds headers that
    no include folder has. ``setting`` is the text of a header that is read behind the preludes, before everything
    else: macros that the source is read under. ``about`` is the path that a header, for whose sake the source is read,
    goes by.
    """

    defines: tuple[str, ...] = ()
    undefines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    forced: tuple[str, ...] = ()
    std: str | None = None
    target: str | None = None
    extra: tuple[str, ...] = ()
    around: Surroundings | None = None
    setting: str = ""
    about: str = ""


_COMMON = (
    "--no-default-config",
    "-nostdinc",
    "-fno-spell-checking",
    "-ferror-limit=0",
    "-Wno-everything",
    # The few warnings that rules look at; they cost no time.
    "-Wshift-op-parentheses",
    "-Wparentheses",
    "-Wunused-comparison",
    "-Wshift-count-overflow",
    "-Wshift-count-negative",
    "-Wuninitialized",
)

CUDA_TARGET = "sm_80"
"""The NVIDIA architecture that sources are read for unless told otherwise."""

HIP_TARGET = "gfx942"
"""The AMD architecture that sources are read for unless told otherwise."""

_NEWEST_CUDA = 90  # what clang 18 knows; for newer ones the newest stands in
_CUDA_TARGETS = frozenset(
    {
        *("sm_20", "sm_21", "sm_30", "sm_32", "sm_35", "sm_37", "sm_50", "sm_52", "sm_53", "sm_60", "sm_61", "sm_62"),
        *("sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a"),
    }
)
_HIP_TARGETS = frozenset(
    {
        *("gfx700", "gfx701", "gfx702", "gfx703", "gfx704", "gfx705", "gfx801", "gfx802", "gfx803", "gfx805", "gfx810"),
        *("gfx900", "gfx902", "gfx904", "gfx906", "gfx908", "gfx909", "gfx90a", "gfx90c", "gfx940", "gfx941", "gfx942"),
        *("gfx1010", "gfx1011", "gfx1012", "gfx1013", "gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034"),
        *("gfx1035", "gfx1036", "gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1200", "gfx1201"),
    }
)
_CPP_STANDARDS = frozenset(
    f"{family}++{year}" for family in ("c", "gnu") for year in ("17", "1z", "20", "2a", "23", "2b", "26", "2c")
)


def cuda_target(target: str | None) -> str:
    """The architecture to parse CUDA for: the given one, or the newest that clang knows where it is newer."""
    match = re.fullmatch(r"sm_(\d+)([a-z]?)", target or "")
    if match is None:
        return CUDA_TARGET
    number = int(match.group(1))
    if number > _NEWEST_CUDA:
        return f"sm_{_NEWEST_CUDA}"
    return target if target in _CUDA_TARGETS else CUDA_TARGET


def hip_target(target: str | None) -> str:
    """The architecture to parse HIP for: the given one if clang knows it; features behind ``:`` are dropped."""
    name = (target or "").partition(":")[0]
    return name if name in _HIP_TARGETS else HIP_TARGET


def cpp_standard(std: str | None) -> str:
    """The C++ standard to parse with: the given one, but at least C++17, which the preludes are written in."""
    return std if std in _CPP_STANDARDS else "c++17"


def opencl_standard(std: str | None) -> str:
    """The OpenCL C version to parse with; 3.0 unless a version is given."""
    match = re.fullmatch(r"cl(c\+\+(?:1\.0|2021)?|1\.[0-2]|2\.0|3\.0)?", (std or "").lower())
    if match is None or not match.group(1):
        return "CL3.0"
    return f"cl{match.group(1)}" if match.group(1).startswith("c") else f"CL{match.group(1)}"


def base_arguments(language: Language, options: ParseOptions) -> list[str]:
    """The arguments that decide how declarations are understood; a precompiled prelude is valid for these only.

    Host code stays in the tree: only the device side is compiled, with an x86-64 Linux host whatever machine this
    runs on, so that ``long`` and pointers have 8 bytes everywhere.
    """
    if language is Language.OPENCL:
        return [
            "-x",
            "cl",
            f"-cl-std={opencl_standard(options.std)}",
            "-cl-no-stdinc",
            "-Xclang",
            "-fdeclare-opencl-builtins",
            "-Xclang",
            "-cl-ext=+all",
            "-target",
            "spir64-unknown-unknown",
            "-Dasm=__asm__",
            *_COMMON,
        ]
    head = ["-target", "x86_64-unknown-linux-gnu", f"-std={cpp_standard(options.std)}", "-nostdinc++", *_COMMON]
    if language is Language.HIP:
        target = hip_target(options.target)
        return ["-x", "hip", "--cuda-device-only", f"--offload-arch={target}", "-nogpuinc", "-nogpulib", *head]
    target = cuda_target(options.target)
    return [
        "-x",
        "cuda",
        "--cuda-device-only",
        f"--cuda-gpu-arch={target}",
        "-fgpu-rdc",
        "-nocudainc",
        "-nocudalib",
        *head,
    ]


def source_arguments(options: ParseOptions) -> list[str]:
    """The arguments that concern one source: macros, include folders, forced includes."""
    return [
        *(f"-D{define}" for define in options.defines),
        *(f"-U{name}" for name in options.undefines),
        *(f"-I{folder}" for folder in options.include_dirs if folder),
        *(argument for file in options.forced for argument in ("-include", file)),
        *options.extra,
    ]
