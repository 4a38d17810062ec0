"""Which front end reads a file: libclang's, or for OpenCL C the one that needs nothing native."""

from __future__ import annotations

import os

from kernlint.frontends.base import Frontend, FrontendError, FrontendOptions
from kernlint.record import replace
from kernlint.source import SourceFile
from kernlint.tree.nodes import Module

WITHOUT = (
    "read by pycparser, as libclang cannot be loaded: C++ for OpenCL, blocks and pipes are not understood, and the "
    "compiler's own messages are missing"
)


class ChosenFrontend:
    """Implements :class:`kernlint.frontends.base.Frontend` by handing on to the front end that the options name."""

    def parse_file(self, source: SourceFile, options: FrontendOptions) -> list[Module]:
        """The modules of ``source``.  Raises :class:`FrontendError`."""
        try:
            return self._chosen(options.frontend).parse_file(source, options)
        except FrontendError:
            if options.frontend != "auto" or not _opencl(source, options) or loads_libclang():
                raise
        modules = self._chosen("pycparser").parse_file(source, options)
        return [replace(module, notes=(*module.notes, WITHOUT)) for module in modules]

    def headers(self, source: SourceFile, options: FrontendOptions) -> tuple[str, ...]:
        """Paths that decide which headers the source reads."""
        return self._chosen(options.frontend).headers(source, options)

    def _chosen(self, name: str) -> Frontend:
        if name == "pycparser":
            from kernlint.frontends.pycparser import PycparserFrontend

            return PycparserFrontend()
        from kernlint.frontends.clang import ClangFrontend

        return ClangFrontend()


def _opencl(source: SourceFile, options: FrontendOptions) -> bool:
    from kernlint.frontends.pycparser.frontend import SUFFIXES

    return options.language == "opencl" or os.path.splitext(source.path)[1].lower() in SUFFIXES


def loads_libclang() -> bool:
    """Whether libclang is there and of the version that is asked for."""
    from kernlint.frontends.clang.native import LIB

    try:
        LIB.version()
    except FrontendError:
        return False
    return True
