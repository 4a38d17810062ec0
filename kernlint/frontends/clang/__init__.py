"""The clang front end: CUDA, HIP and OpenCL sources to the kernel tree, with nothing but libclang installed."""

from __future__ import annotations

from kernlint.frontends.clang.frontend import ClangFrontend

__all__ = ["ClangFrontend"]
