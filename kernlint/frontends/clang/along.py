"""Files that others include, read along with one that does.

A template of a kernel is analysed for the arguments that a launch or an explicit instantiation asks for, wherever in
the project that stands; device functions of a file without kernels are analysed through kernels that reach them.  Both
are had by reading a file that includes the one in question and keeping what concerns it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from kernlint.frontends.base import Surroundings
from kernlint.frontends.clang.configured import Cost
from kernlint.frontends.clang.entries import with_entries
from kernlint.frontends.clang.session import ParseResult
from kernlint.frontends.clang.starts import NOTHING_BEFORE, MadeUpText
from kernlint.record import dataclass, replace
from kernlint.source import SourceError, SourceFile, read
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import FunctionKind, Kernel, Module
from kernlint.tree.walk import functions_of

MAX_READ = 3
"""Other files that are read for one."""

MAX_KERNELS = 8
"""Kernels of another file that are analysed for the functions of one."""

MAX_DISTANCE = 5
"""Includes between a file and one that is read for it."""

MAX_LOOKED_AT = 400
"""Files that are asked who includes them."""

_SOURCES = (".cu", ".hip", ".cl", ".cpp", ".cc", ".cxx", ".opencl", ".ocl")

_HEADERS = (".cuh", ".h", ".hpp", ".hxx", ".hh", ".inl", ".inc")
_SPEAKS = pattern(
    rb"__global__|<< ?<|\bkernel\s+void\b|__kernel\b|\b(?:cuda|hip|cu|cl|nccl|rccl)[A-Z]\w*\s*\(|\bcl::|"
    rb"\b(?:torch|at|thrust)::|\b(?:malloc|calloc|free)\s*\(|\b(?:new|delete)\b"
)
"""Kernels, launches and what host code does that is worth a look."""

CUT = "files that include this one are large: those that were read for it are not all"

ReadOther = Callable[[SourceFile, bool, bool], list[Module]]
"""The modules of another file; with True only what its host code launches is wanted, and with a second True only what
an analysis of that file alone shows."""


@dataclass(slots=True)
class Along:
    """What reading others for the file ``about`` has ``cost`` with it, and ``made_up`` so far."""

    about: str
    cost: Cost
    made_up: MadeUpText | None = None

    @property
    def known(self) -> MadeUpText | None:
        """What was made up for the last one: they include the same headers, which lack the same names."""
        return replace(self.made_up, before=NOTHING_BEFORE) if self.made_up is not None else None

    def note(self, parsed: ParseResult) -> None:
        """Another parse."""
        self.made_up = parsed.made_up


@dataclass(frozen=True, slots=True)
class Need:
    """What a file lacks by itself: ``templates``, kernels without an instance that anybody asks for, and ``kernels``
    that reach its functions."""

    templates: tuple[Kernel, ...]
    kernels: bool


def need_of(modules: Sequence[Module]) -> Need:
    """What the file that ``modules`` were read of lacks."""
    templates = tuple(
        kernel
        for module in modules
        for kernel in module.kernels
        if kernel.function.template_params and all(each.forced for each in kernel.instances)
    )
    kernels = any(module.kernels or module.missed for module in modules)
    device = any(
        function.kind is not FunctionKind.HOST and function.span.file == module.path
        for module in modules
        for function in module.functions
    )
    return Need(templates, device and not kernels)


def read_along(
    path: str, modules: list[Module], around: Surroundings, read_other: ReadOther, spent: Callable[[], bool]
) -> list[Module]:
    """``modules`` of the file at ``path``, with what other files of the project tell about it, until enough is
    ``spent``.

    Kernels that others instantiate take the place of those with arguments made up; those that another file shows which
    is analysed in the same run are left to it.
    """
    need = need_of(modules)
    if not need.templates and not need.kernels:
        return modules
    lacking = {kernel.function.span: kernel for kernel in need.templates}
    reached: set[int] = set()
    found: list[Module] = []
    tried = 0
    for other in _readers(path, around, need):
        if tried == MAX_READ or not (lacking or need.kernels):
            break
        if spent():
            modules = [replace(modules[0], cuts=(*modules[0].cuts, CUT)), *modules[1:]]
            break
        in_run = around.analysed(other)
        if in_run and not lacking:
            return modules  # that the functions are met there is enough
        try:
            source = read(other)
        except SourceError:
            continue
        tried += 1
        if in_run:  # what the file does not show by itself is told here
            for kernel in (kernel for module in read_other(source, True, True) for kernel in module.kernels):
                if _is_asked_for(kernel):
                    lacking.pop(kernel.function.span, None)
            if not lacking:
                break
        for module in read_other(source, not need.kernels, False):
            kept = [kernel for kernel in module.kernels if kernel.function.span in lacking and _is_asked_for(kernel)]
            for kernel in kept:
                del lacking[kernel.function.span]
            if need.kernels:
                kept += _reaching(module, path, reached, MAX_KERNELS - sum(len(each.kernels) for each in found))
            if kept:
                found.append(_about(module, path, kept))
        if need.kernels and found:
            break
    if need.kernels and not found:
        return with_entries(modules)
    had = {kernel.function.span for kernel in need.templates} - set(lacking)
    return [*(_without(module, had) for module in modules), *found]


def met_elsewhere(source: SourceFile, around: Surroundings) -> bool:
    """Whether a source is a header of device functions alone that a file of the same run includes: what they do is
    seen there, and nothing is said of them here."""
    if not source.path.lower().endswith(_HEADERS) or _SPEAKS.search(source.data) or around.dialect(source.path):
        return False
    return any(around.analysed(other) for other, _ in _including(source.path, around))


def _is_asked_for(kernel: Kernel) -> bool:
    return any(not each.forced for each in kernel.instances)


def _reaching(module: Module, path: str, reached: set[int], most: int) -> list[Kernel]:
    """Kernels that reach functions of the file which none before reached (``reached``: where those begin)."""
    found: list[Kernel] = []
    for kernel in module.kernels:
        if len(found) >= most:
            break
        functions = {each.span.start for each in functions_of(kernel) if each.span.file == path}
        if functions - reached:
            reached |= functions
            found.append(kernel)
    return found


def _about(module: Module, path: str, kernels: list[Kernel]) -> Module:
    return replace(module, kernels=tuple(kernels), missed=(), missing_headers=(), notes=(), compiler=(), about=path)


def _without(module: Module, spans: object) -> Module:
    kernels = tuple(kernel for kernel in module.kernels if kernel.function.span not in spans)  # type: ignore[operator]
    return module if len(kernels) == len(module.kernels) else replace(module, kernels=kernels)


def _readers(path: str, around: Surroundings, need: Need) -> Iterator[str]:
    """Files that include the one at ``path``, directly or not, the most telling ones first: those that launch or
    instantiate what is needed, then sources before headers, then nearer ones."""
    wanted: set[str] = set()
    for kernel in need.templates:
        wanted.update(around.files_launching(kernel.name))
        wanted.update(around.files_instantiating(kernel.name))
    here = os.path.realpath(path)
    wanted.discard(here)
    ranked = []
    for other, distance in _including(path, around):
        telling = other in wanted
        source = other.lower().endswith(_SOURCES)
        ranked.append((not telling, not source, distance, -len(os.path.commonpath((other, here))), other))
    for *_, other in sorted(ranked):
        yield other


def _including(path: str, around: Surroundings) -> Iterator[tuple[str, int]]:
    level, seen, distance = [os.path.realpath(path)], {os.path.realpath(path)}, 0
    while level and distance < MAX_DISTANCE:
        distance += 1
        following = []
        for each in level:
            for other in around.files_including(each):
                if other not in seen and len(seen) < MAX_LOOKED_AT:
                    seen.add(other)
                    following.append(other)
                    yield other, distance
        level = following
