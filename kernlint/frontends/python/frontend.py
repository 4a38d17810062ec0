"""The front end for Python files: what numba compiles comes from Python's own tree, kernels in strings from clang's."""

from __future__ import annotations

from kernlint.frontends.base import Frontend, FrontendOptions
from kernlint.record import replace
from kernlint.source import SourceFile
from kernlint.text.patterns import pattern
from kernlint.text.pythontext import is_python
from kernlint.tree.nodes import Module

NUMBA = pattern(rb"\b(?:numba|cupyx\b|cuda_jit\b)")
"""Marks a program that numba, or CuPy, may compile parts of."""

COMPILED = pattern(rb"@[\w.]*\b(?:(?:cuda_)?jit|rawkernel)\b")
_KERNEL = pattern(rb"@[\w.]*\bcuda\.jit\b[^\n]*\n(?:[ \t]*@[^\n]*\n)*[ \t]*def[ \t]+(\w+)")


class PythonFrontend:
    """Implements :class:`kernlint.frontends.base.Frontend`; ``strings`` reads what is no Python, and programs in the
    literals of what is."""

    def __init__(self, strings: Frontend) -> None:
        self.strings = strings

    def parse_file(self, source: SourceFile, options: FrontendOptions | None = None) -> list[Module]:
        """The modules of ``source``.  Raises :class:`kernlint.frontends.base.FrontendError`."""
        options = options or FrontendOptions()
        if not source.cells:
            return self._modules(source, options)
        from kernlint.frontends.python.cells import parts_of, without_broken

        out: list[Module] = []
        for at, part in enumerate(parts_of(source)):
            if part.language is None:
                python, broken = without_broken(source, part.source) if at == 0 else (part.source, [])
                out += self._modules(python, options)
                out += [_unread(part.source, start, end, number) for number, start, end in broken]
            else:
                out += self.strings.parse_file(part.source, replace(options, language=part.language))
        return out

    def _modules(self, source: SourceFile, options: FrontendOptions) -> list[Module]:
        if not options.device and is_python(source.path):
            from kernlint.frontends.clang.python.launches import launching_module

            host = launching_module(source.path, source.data)
            return [host] if host is not None else []
        modules: list[Module] = []
        if is_python(source.path) and NUMBA.search(source.data):
            from kernlint.frontends.clang.entries import with_entries
            from kernlint.frontends.clang.python.program import program_of
            from kernlint.frontends.python.module import numba_module

            program = program_of(source.data)
            module = numba_module(source.path, program, options.around) if program is not None else None
            if module is not None:
                modules += [module] if module.kernels else with_entries([module])
            elif program is None and COMPILED.search(source.data):
                modules.append(_unread(source))
        return modules + self.strings.parse_file(source, options)

    def headers(self, source: SourceFile, options: FrontendOptions) -> tuple[str, ...]:
        """Paths of other files that decide what the source means."""
        found = self.strings.headers(source, options)
        if options.around is None:
            return found
        from kernlint.frontends.clang.python.texts.noted import files_read

        found = (*found, *files_read(source.path))
        if not is_python(source.path) or not COMPILED.search(source.data):
            return found
        from kernlint.frontends.clang.python.program import program_of
        from kernlint.frontends.python.functions import Finder
        from kernlint.frontends.python.module import launching_files
        from kernlint.frontends.python.neighbours import imported_files

        program = program_of(source.data)
        if program is None:
            return found
        more = (*imported_files(source.path, program), *launching_files(source.path, Finder(program), options.around))
        return (*found, *dict.fromkeys(more))


def _unread(source: SourceFile, start: int = 0, end: int | None = None, cell: int | None = None) -> Module:
    """What is left of a file, or of a cell of a notebook, that no Python reads: its kernels are missed."""
    from kernlint.source import Span
    from kernlint.tree.nodes import Missed

    what = "the file" if cell is None else f"cell {cell}"
    missed = [
        Missed(match.group(1).decode("utf-8", "replace"), f"{what} is no Python that can be read", place)
        for match in _KERNEL.finditer(source.data, start, len(source.data) if end is None else end)
        for place in (Span(source.path, match.start(1), match.end(1)),)
    ]
    notes = (f"{what} is no Python that can be read",) if cell is not None and not missed else ()
    return Module(source.path, "cuda", (), (), (), tuple(missed), notes=notes, written_in="python")
