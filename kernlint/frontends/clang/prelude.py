"""The declarations every kernel takes for granted, and where they lie.

No toolkit is needed to parse: the package brings its own headers with what CUDA, HIP and OpenCL declare implicitly
or in their usual headers. A language's prelude is included before every source. Stubs for larger libraries are added
only when the source, or a header it finds, uses their names: they would cost time in every file otherwise.
"""

from __future__ import annotations

import functools
from pathlib import Path

from kernlint.frontends.clang.compiler import precompile
from kernlint.frontends.clang.native import LIB
from kernlint.frontends.clang.options import Language
from kernlint.frontends.clang.pch import PreludeCache, digest

FOLDER = Path(__file__).parent / "preludes"

_MAIN = {Language.CUDA: "cuda.h", Language.HIP: "hip.h", Language.OPENCL: "opencl.h"}

CACHE = PreludeCache()
"""The precompiled preludes of this process."""


def prelude_headers(language: Language, stubs: tuple[str, ...] = ()) -> tuple[Path, ...]:
    """The headers to include before a source, in order: the language's, then those of ``stubs``."""
    return (FOLDER / _MAIN[language], *(FOLDER / "stubs" / stub for stub in stubs))


def text_arguments(headers: tuple[Path, ...]) -> list[str]:
    """Arguments that include the headers as text."""
    return [argument for header in headers for argument in ("-include", str(header))]


def precompiled_arguments(headers: tuple[Path, ...], base: list[str], use_cache: bool) -> tuple[list[str], str] | None:
    """Arguments that load the headers precompiled under the ``base`` arguments, and the key to forget them by.

    None where there is no precompiled form and none can (or should yet) be made.
    """
    key = digest([LIB.version(), _content(), *base, *(header.name for header in headers)])
    path = CACHE.get(key, lambda target: precompile(headers, base, target), use_cache)
    if path is None:
        return None
    # Validation compares times of files: a reinstalled package would not pass. The key has their content.
    return ["-include-pch", str(path), "-Xclang", "-fno-validate-pch"], key


@functools.cache
def _content() -> str:
    """A digest of all headers of the package."""
    return digest([part for path in sorted(FOLDER.rglob("*.h")) for part in (path.name, path.read_bytes())])
