"""The declarations every kernel takes for granted, and where they lie.

No toolkit is needed to parse: the package brings its own headers with what CUDA, HIP and OpenCL declare implicitly
or in their usual headers. A language's prelude is included before every source. Stubs for larger libraries are added
only when the source, or a header it finds, uses their names: they would cost time in every file otherwise.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator

from kernlint.frontends.clang.compiler import precompile
from kernlint.frontends.clang.native import LIB
from kernlint.frontends.clang.options import Language
from kernlint.frontends.clang.pch import PreludeCache, digest

FOLDER = os.path.join(os.path.dirname(__file__), "preludes")

_MAIN = {Language.CUDA: "cuda.h", Language.HIP: "hip.h", Language.OPENCL: "opencl.h"}

CACHE = PreludeCache()
"""The precompiled preludes of this process."""


def prelude_headers(language: Language, stubs: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The headers to include before a source, in order: the language's, then those of ``stubs``."""
    return (os.path.join(FOLDER, _MAIN[language]), *(os.path.join(FOLDER, "stubs", stub) for stub in stubs))


def text_arguments(headers: tuple[str, ...]) -> list[str]:
    """Arguments that include the headers as text."""
    return [argument for header in headers for argument in ("-include", header)]


def precompiled_arguments(headers: tuple[str, ...], base: list[str], use_cache: bool) -> tuple[list[str], str] | None:
    """Arguments that load the headers precompiled under the ``base`` arguments, and the key to forget them by.

    None where there is no precompiled form and none can (or should yet) be made.
    """
    key = digest([LIB.version(), _content(), *base, *(os.path.basename(header) for header in headers)])
    path = CACHE.get(key, lambda target: precompile(headers, base, target), use_cache)
    if path is None:
        return None
    # Validation compares times of files: a reinstalled package would not pass. The key has their content.
    return ["-include-pch", path, "-Xclang", "-fno-validate-pch"], key


@functools.cache
def _content() -> str:
    """A digest of all headers of the package."""
    parts: list[str | bytes] = []
    for path in sorted(_headers(FOLDER)):
        with open(path, "rb") as handle:
            parts += (os.path.basename(path), handle.read())
    return digest(parts)


def _headers(folder: str) -> Iterator[str]:
    for entry in os.scandir(folder):
        if entry.is_dir():
            yield from _headers(entry.path)
        elif entry.name.endswith(".h"):
            yield entry.path
