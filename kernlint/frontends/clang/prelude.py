"""The declarations every kernel takes for granted, and where they lie.

No toolkit is needed to parse: the package brings its own headers with what CUDA, HIP and OpenCL declare implicitly
or in their usual headers. A language's prelude is included before every source. Stubs for larger libraries are added
only when the source, or a header it finds, uses their names: they would cost time in every file otherwise.
"""

from __future__ import annotations

from pathlib import Path

from kernlint.frontends.clang.options import Language

FOLDER = Path(__file__).parent / "preludes"

_MAIN = {Language.CUDA: "cuda.h", Language.HIP: "hip.h", Language.OPENCL: "opencl.h"}


def prelude_headers(language: Language) -> tuple[Path, ...]:
    """The headers to include before a source, in order."""
    return (FOLDER / _MAIN[language],)
