"""The front end for Python files: what numba compiles comes from Python's own tree, kernels in strings from clang's."""

from __future__ import annotations

from kernlint.frontends.base import Frontend, FrontendOptions
from kernlint.patterns import pattern
from kernlint.pythontext import is_python
from kernlint.source import SourceFile
from kernlint.tree.nodes import Module

NUMBA = pattern(rb"\bnumba")
"""Marks a program that numba may compile parts of."""


class PythonFrontend:
    """Implements :class:`kernlint.frontends.base.Frontend`; ``strings`` reads what is no Python, and programs in the
    literals of what is."""

    def __init__(self, strings: Frontend) -> None:
        self.strings = strings

    def parse_file(self, source: SourceFile, options: FrontendOptions) -> list[Module]:
        """The modules of ``source``.  Raises :class:`kernlint.frontends.base.FrontendError`."""
        modules: list[Module] = []
        if is_python(source.path) and NUMBA.search(source.data):
            from kernlint.frontends.clang.python.program import program_of
            from kernlint.frontends.python.module import numba_module

            program = program_of(source.data)
            module = numba_module(source.path, program) if program is not None else None
            if module is not None:
                modules.append(module)
        return modules + self.strings.parse_file(source, options)

    def headers(self, source: SourceFile, options: FrontendOptions) -> tuple[str, ...]:
        """Paths that decide which headers the source reads."""
        return self.strings.headers(source, options)
