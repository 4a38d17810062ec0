"""The clang front end: CUDA, HIP and OpenCL files, and kernels in string literals of C++ and Python files."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import partial

from kernlint.frontends.base import FrontendOptions, Surroundings
from kernlint.frontends.clang.along import Along, met_elsewhere, read_along
from kernlint.frontends.clang.configured import Choose, Cost, Look, Reading, Worth, read_configured, reading
from kernlint.frontends.clang.embedded import Program, programs, stringised, unwrapped
from kernlint.frontends.clang.includes import scan_includes
from kernlint.frontends.clang.lower.heads import blank
from kernlint.frontends.clang.lower.instances import Template, lacking, standing_at, uses
from kernlint.frontends.clang.lower.module import Wanted, lower_module
from kernlint.frontends.clang.lower.ranges import MOST_CLASSES, range_uses
from kernlint.frontends.clang.options import Language, ParseOptions
from kernlint.frontends.clang.session import ParseResult, one_source, own_headers, parse
from kernlint.frontends.clang.starts import MadeUpText, Promising
from kernlint.record import replace
from kernlint.source import SourceFile
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import Module

_BY_SUFFIX = {
    ".cl": Language.OPENCL,
    ".clh": Language.OPENCL,
    ".ocl": Language.OPENCL,
    ".opencl": Language.OPENCL,
    ".cu": Language.CUDA,
    ".cuh": Language.CUDA,
    ".hip": Language.HIP,
}
_CPP = (".cpp", ".cc", ".cxx")
_PYTHON = (".py", ".ipynb")
SUFFIXES = (*_BY_SUFFIX, ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".hxx", ".inl", ".inc", ".py", ".ipynb")
"""Names of files this front end takes; those that are plain C++ by name must look like device or host code."""

_HIP = pattern(rb'#\s*include\s*[<"]hip/|\bhipLaunchKernelGGL\b|\bhipMalloc\b|\bhipStream_t\b')
_HIP_CALLED = pattern(
    rb"\bhip(?:Error_t|Success|Free|Mem(?:cpy|set)\w*|GetLastError|GetErrorString|DeviceSynchronize)\b"
)
_CUDA_CALLED = pattern(rb"\bcuda[A-Z]")
_CUDA_INCLUDE = pattern(rb'#\s*include\s*[<"](?:cuda|cooperative_groups|cub/|thrust/|mma\.h|nv/)')
_OPENCL = pattern(rb"(?:^|[\s;}])(?:__kernel|kernel)\s+(?:__attribute__|void)|\bget_(?:global|local)_id\s*\(")
_OPENCL_HOST = pattern(
    rb"(?<![A-Za-z0-9])cl(?:Enqueue\w+|CreateKernel|CreateBuffer|BuildProgram|SetKernelArg|::(?:Kernel|Buffer|Program)\w*)\b"
)
_CUDA = pattern(
    rb"\b__global__\b|\b__device__\b|<< ?<|\bcuda[A-Z]\w+\s*\(|\bcu(?:Ctx|Func|Launch|Library|Mem|Module)[A-Z]\w*\s*\("
)
_LAUNCH = pattern(rb"\b(?:pyopencl|pycuda|cupy|cuda\.core|cuda\.bindings)\b")


def _suffix(path: str) -> str:
    """How the name of a file ends, or of what a build makes of it (``sums.cu.in``), in small letters."""
    name = path.lower()
    return os.path.splitext(
        name.removesuffix(".in") if name.endswith(tuple(f"{one}.in" for one in _BY_SUFFIX)) else name
    )[1]


def is_python(source: SourceFile) -> bool:
    """Whether a file is Python by its name."""
    return os.path.splitext(source.path)[1].lower() in _PYTHON


def language_of(source: SourceFile) -> Language | None:
    """The dialect of a file by its name and, where that does not say, by its text; None: no device code in it."""
    suffix = _suffix(source.path)
    found = _BY_SUFFIX.get(suffix)
    if found is Language.CUDA and _HIP.search(source.data) and not _CUDA_INCLUDE.search(source.data):
        return Language.HIP
    if found is not None:
        return found
    if suffix in _PYTHON:
        return None  # only what is in its strings
    if _HIP.search(source.data) or (_HIP_CALLED.search(source.data) and not _CUDA_CALLED.search(source.data)):
        return Language.HIP
    if _CUDA.search(source.data):
        return Language.CUDA
    if _OPENCL_HOST.search(source.data):
        return Language.CUDA  # host C++, and that is what the CUDA dialect extends
    if _OPENCL.search(source.data) and _OPENCL.search(blank(source.data)):  # and not in a comment alone
        return Language.CUDA if any(stringised(source.data)) else Language.OPENCL
    if suffix in _CPP:
        return Language.CUDA  # host code that was named: its sizes and copies are looked at all the same
    return None


@contextmanager
def _collection_paused() -> Iterator[None]:
    """Cyclic garbage collection off: trees are built of very many small objects, none of which is garbage yet."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _for_hip(defines: tuple[str, ...]) -> bool:
    """Whether the build's macros are those of a HIP compiler."""
    names = {define.partition("=")[0] for define in defines}
    return bool(names & {"__HIPCC__", "__HIP_PLATFORM_AMD__"})


Lower = Callable[[ParseResult, ParseResult | None, Wanted | None], Module]
"""Makes a module of a parse; the second is the same source without uses that force instances."""


class ClangFrontend:
    """Implements :class:`kernlint.frontends.base.Frontend` on libclang."""

    def __init__(self) -> None:
        self._read_too: dict[str, list[SourceFile]] = {}
        """Other files that were read for one, by its path."""

    def parse_file(self, source: SourceFile, options: FrontendOptions | None = None) -> list[Module]:
        """The modules of ``source``; an empty list when it has no device code and launches none.

        Raises :class:`kernlint.frontends.base.FrontendError` when libclang is missing or fails as a whole.
        """
        options = options or FrontendOptions()
        language = Language(options.language) if options.language else language_of(source)
        if language is None and options.around is not None and (dialect := options.around.dialect(source.path)):
            language = Language(dialect)
        if language is Language.CUDA and not options.language and _for_hip(options.defines):
            language = Language.HIP
        with _collection_paused(), one_source():
            met = language is not None and options.around is not None and met_elsewhere(source, options.around)
            cost = Cost()
            if language is not None and not met and not is_python(source):
                given, macros = self._filled_in(source, language, options)
                options = replace(options, defines=(*options.defines, *macros)) if macros else options
                if given:
                    return [module for one in given for module in self._of_program(source, *one, options)]
            modules = self._modules(source, language, options, cost, met=met) if language is not None else []
            further: list[Module] = []
            embedded: list[tuple[Program, Module]] = []
            if language is not Language.OPENCL and options.device:
                for program, macros in self._programs(source, options.around is not None):
                    inner = SourceFile(source.path, program.text, source.encoding)
                    chosen = replace(options, defines=(*options.defines, *macros)) if macros else options
                    module, *others = self._modules(inner, program.language, chosen, Cost(), piece=True)
                    if program.places is not None:
                        from kernlint.frontends.clang.python.hosts import add_usage
                        from kernlint.frontends.clang.python.relocate import relocate

                        for each in (module, *others):
                            relocate(each, program, source.data)
                            add_usage(each, program)
                    embedded.append((program, module))
                    further += others
            if embedded and is_python(source) and _LAUNCH.search(source.data):
                from kernlint.frontends.clang.python.launches import add_launches

                add_launches(source.path, source.data, embedded, options.around is not None)
            if is_python(source) and options.device:
                from kernlint.frontends.clang.python.hostnotes import add_host_remarks

                modules += add_host_remarks(source.path, source.data, [module for _, module in embedded])
            if modules and options.around is not None and options.device and not met:
                modules = self._with_others(source, modules, options, options.around, cost)
            modules += [*(module for _, module in embedded), *further]
        return modules

    @staticmethod
    def _filled_in(
        source: SourceFile, language: Language, options: FrontendOptions
    ) -> tuple[list[tuple[Program, str]], tuple[str, ...]]:
        """What the build makes of a template, or Python programs of the project of a source that they read, where that
        is more than its text; of several each with what tells it from the others, in words.  Macros that such programs
        compile it with, beside those that are known."""
        if source.path.lower().endswith(".in") or (options.around is not None and options.around.made_of(source.path)):
            from kernlint.frontends.clang.templates import made_of

            given = list(made_of(source.path, source.data, language, options.around))
            return (given if len(given) > 1 or given[0][0].text != source.data else []), ()
        if options.around is None or not options.device or not options.around.files_loading(source.path):
            return [], ()
        from kernlint.frontends.clang.python.texts.loaded import filled_in

        program, macros = filled_in(source.path, source.data, language, options.around)
        known = {define.partition("=")[0] for define in (*options.defines, *options.undefines)}
        more = tuple(macro for macro in macros if macro.partition("=")[0] not in known)
        return [(program, "")] if program is not None else [], more

    def _of_program(self, source: SourceFile, program: Program, setting: str, options: FrontendOptions) -> list[Module]:
        """The modules of a source as a program that is made of it, with the places of the source."""
        from kernlint.frontends.clang.python.relocate import relocate, without_others

        inner = SourceFile(source.path, program.text, source.encoding)
        modules = self._modules(inner, program.language, options, Cost())
        for module in modules:
            without_others(module, program)
            relocate(module, program, source.data)
            if setting:
                object.__setattr__(module, "setting", ", ".join(filter(None, (setting, module.setting))))
        return modules

    @staticmethod
    def _programs(source: SourceFile, elsewhere: bool) -> Iterator[tuple[Program, tuple[str, ...]]]:
        """The programs in string literals, with what a Python file is seen to put together and to fill in, and macros
        for what is too long for its place."""
        found = programs(source.data, is_python(source))
        if not is_python(source):
            yield from ((program, ()) for program in found)
            return
        from kernlint.frontends.clang.python.fills import completed

        yield from completed(source.path, source.data, list(found), elsewhere)

    def _with_others(
        self,
        source: SourceFile,
        modules: list[Module],
        options: FrontendOptions,
        around: Surroundings,
        cost: Cost,
    ) -> list[Module]:
        """The modules of a source with what files that include it tell about it."""
        read_too = self._read_too[source.path] = []
        along = Along(source.path, cost)

        def read_other(other: SourceFile, launches_only: bool, heads_only: bool) -> list[Module]:
            language = language_of(other)
            if language is None or is_python(other):
                return []
            read_too.append(other)
            wanted = _nothing if launches_only else None
            chosen = replace(
                options,
                instances=options.instances and not launches_only,
                device=options.device and not heads_only,
            )
            return self._modules(other, language, chosen, cost, wanted=wanted, along=along)

        return read_along(source.path, modules, around, read_other, cost.spent)

    def headers(self, source: SourceFile, options: FrontendOptions) -> tuple[str, ...]:
        """Paths at which headers of the source are, or were looked for and not found, in the order of the search."""
        probed: dict[str, None] = dict.fromkeys(os.path.abspath(path) for path in options.forced)
        texts = [(source, source.data)]
        texts += [(source, program.text) for program in programs(source.data, is_python(source))]
        for other in self._read_too.get(source.path, ()):
            probed.setdefault(os.path.abspath(other.path))
            texts.append((other, other.data))
        forced = b"".join(b'#include "%s"\n' % os.fsencode(path) for path in options.forced)
        for file, text in texts:
            scan_includes(
                file.path,
                forced + text,
                options.include_dirs,
                probed=lambda path: probed.setdefault(path),
                own=own_headers(options.around, language_of(file) or Language.CUDA),
            )
        return tuple(probed)

    def _modules(
        self,
        source: SourceFile,
        language: Language,
        options: FrontendOptions,
        cost: Cost,
        *,
        piece: bool = False,
        wanted: Wanted | None = None,
        along: Along | None = None,
        met: bool = False,
    ) -> list[Module]:
        """The source read with what the build says, and under the settings that show more of its kernels.

        Without ``options.device`` no kernel is looked at, and no setting that shows more of one.  ``wanted`` chooses
        among its kernels and device functions; ``along``: the source is read for another's sake; ``met``: its functions
        are met in another file, so that it is parsed once, without what is missing.
        """
        if not options.device:
            wanted = _nothing
        if language is Language.OPENCL:
            source = SourceFile(source.path, unwrapped(source.data), source.encoding)
        parse_options = ParseOptions(
            options.defines,
            options.undefines,
            options.include_dirs,
            options.forced,
            options.std,
            options.target,
            options.extra,
            options.around,
            about=along.about if along is not None and options.device else "",
        )

        def read(
            language: Language,
            parse_options: ParseOptions,
            known: MadeUpText | None = None,
            choose: Choose | None = None,
            worth: Worth | None = None,
            promising: Promising | None = None,
        ) -> Reading | None:
            if known is None and along is not None:
                known = along.known
            with parse(
                source.path,
                source.data,
                language,
                parse_options,
                use_cache=options.cache,
                known=known,
                synthesise=not met,
                promising=promising,
            ) as parsed:
                cost.note(parsed)
                if promising is not None and not promising(parsed.start):
                    return None
                if worth is not None and not worth(parsed):
                    return None
                if along is not None:
                    along.note(parsed)
                look = choose(parsed.skipped) if choose is not None else Look(wanted)
                if look is None:
                    return None
                unwalked: set[str] = set()
                lower = partial(
                    lower_module, piece=piece, device=options.device, sampled=look.sampled, unwalked=unwalked
                )
                forced = options.instances and options.device and language is not Language.OPENCL
                module = self._lowered(source, parsed, look.wanted, lower, forced, cost, unwalked)
                return reading(module, parsed)

        if met:
            only = read(language, parse_options)
            return [only.module] if only is not None else []
        return read_configured(source.data, language, parse_options, read, cost, further=options.device)

    @staticmethod
    def _lowered(
        source: SourceFile,
        parsed: ParseResult,
        wanted: Wanted | None,
        lower: Lower,
        forced: bool,
        cost: Cost,
        unwalked: set[str],
    ) -> Module:
        """The module of a parse; ``forced``: with instances of kernel templates made up where none is in sight, and
        uses of the classes that are ``unwalked`` by then."""
        templates = lacking(parsed.unit, wanted) if forced else []
        module = (
            _with_uses(source, parsed, templates, wanted, lower, cost) if templates else lower(parsed, None, wanted)
        )
        bare = {k.function.span for k in module.kernels if k.function.template_params and not k.instances}
        if forced and (of_headers := {span for span in bare if span.file != module.path}):
            templates += standing_at(parsed.unit, of_headers)
            module = _with_uses(source, parsed, templates, wanted, lower, cost)
        if unwalked and not cost.spent():
            module = _with_uses(source, parsed, templates, wanted, lower, cost, sorted(unwalked)[:MOST_CLASSES])
        return module


def _with_uses(
    source: SourceFile,
    parsed: ParseResult,
    templates: list[Template],
    wanted: Wanted | None,
    lower: Lower,
    cost: Cost,
    classes: Collection[str] = (),
) -> Module:
    """The module of the source with uses of ``templates`` behind it, and of ``classes`` that loops go over."""
    with parsed.with_appended(uses(templates, parsed.unit, source.data) + range_uses(classes)) as again:
        cost.note(again)
        return lower(again, parsed, wanted)


def _nothing(start: int, end: int) -> bool:
    """Wants no kernel and no device function."""
    return False
