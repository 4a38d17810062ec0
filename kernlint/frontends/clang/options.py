"""Languages, and how a file of each is handed to clang."""

from __future__ import annotations

from enum import Enum

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
    architecture such as ``sm_90`` or ``gfx942``; None means the front end's default.
    """

    defines: tuple[str, ...] = ()
    undefines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    forced: tuple[str, ...] = ()
    std: str | None = None
    target: str | None = None
    extra: tuple[str, ...] = ()


_COMMON = (
    "--no-default-config",
    "-nostdinc",
    "-fno-spell-checking",
    "-ferror-limit=0",
    "-Wno-everything",
)

_CUDA_TARGET = "sm_80"
_HIP_TARGET = "gfx942"


def base_arguments(language: Language, options: ParseOptions) -> list[str]:
    """The arguments that decide how declarations are understood; a precompiled prelude is valid for these only.

    Host code stays in the tree: only the device side is compiled, with an x86-64 Linux host whatever machine this
    runs on, so that ``long`` and pointers have 8 bytes everywhere.
    """
    if language is Language.OPENCL:
        return [
            "-x",
            "cl",
            f"-cl-std={_opencl_std(options.std)}",
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
    head = ["-target", "x86_64-unknown-linux-gnu", f"-std={options.std or 'c++17'}", "-nostdinc++", *_COMMON]
    if language is Language.HIP:
        target = options.target or _HIP_TARGET
        return ["-x", "hip", "--cuda-device-only", f"--offload-arch={target}", "-nogpuinc", "-nogpulib", *head]
    target = options.target or _CUDA_TARGET
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
        *(f"-I{folder}" for folder in options.include_dirs),
        *(argument for file in options.forced for argument in ("-include", file)),
        *options.extra,
    ]


def _opencl_std(std: str | None) -> str:
    if std and std.upper().startswith("CL"):
        return std
    return "CL3.0"
