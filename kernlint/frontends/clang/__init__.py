"""The clang front end for CUDA, HIP and OpenCL."""

from kernlint.frontends.clang.frontend import ClangFrontend

__all__ = ["ClangFrontend"]
