"""The clang front end: CUDA, HIP and OpenCL sources to the kernel tree, with nothing but libclang installed.

Importing this package loads no library: what is known of the languages' functions (``intrinsics``) serves front ends
that have none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kernlint.frontends.clang.frontend import ClangFrontend

__all__ = ["ClangFrontend"]


def __getattr__(name: str) -> Any:
    if name == "ClangFrontend":
        from kernlint.frontends.clang.frontend import ClangFrontend

        return ClangFrontend
    raise AttributeError(name)
