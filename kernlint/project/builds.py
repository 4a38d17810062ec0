"""What the builds of a project define for a file: build files above it, and host code that builds its program."""

from __future__ import annotations

import functools
import os
import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from kernlint.project import architectures, cmake, scripts
from kernlint.project.cmake import Definition
from kernlint.project.constants import Constants
from kernlint.project.facts import FileFacts, Programs
from kernlint.project.table import Table
from kernlint.record import dataclass
from kernlint.text.patterns import pattern

if TYPE_CHECKING:
    from kernlint.project.facts import Kind

MAX_BUILD_FILES = 2000
"""Build files that are read in one project."""

_HOLE = pattern(r"%[-0-9.]*(?:l{0,2}|z)([duixXs])")
_READ = 1 << 20
_DECLARATION = pattern(
    r"^[ \t]*(?:\w+[ \t]+)*?([A-Za-z_]\w*)(?:[ \t]*\*[ \t]*|[ \t]+)([A-Za-z_]\w*)[ \t]*"
    r"(?:=(?!=)|;|\[[^\]\n]*\][ \t]*[;=])",
    re.M,
)
_DIRECTIVE = pattern(r"^[ \t]*#[^\n]*", re.M)
_WORD = pattern(r"\w+")
_NO_TYPES = frozenset({"return", "goto", "else", "case", "typedef", "struct", "union", "enum"})
_MAKEFILES = frozenset({"Makefile", "makefile", "GNUmakefile"})
_MAKES = ("Makefile", "makefile", "GNUmakefile")
_SCRIPTS = frozenset(
    {"setup.py", "meson.build", "BUILD", "BUILD.bazel", "SConstruct", "SConscript", "wscript", "build.rs", "xmake.lua"}
)
_OPTIONS = ("meson_options.txt", "meson.options")
_TYPE = "float"
_OPENCL = (".cl", ".clh", ".ocl", ".opencl")
_CUDA = (".cu", ".hip")
_HOSTS = (".cpp", ".cc", ".cxx", ".c", ".h", ".hpp")


MOST_WHOLES = 16
"""Files that are looked at on the way from a part of a program to what host code builds."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a build gives a file: macros it ``defines``, macros it would under conditions (``choices``), and folders to
    ``include``; ``numbers``: macros that it defines as numbers which only the host knows, or who builds; ``texts``:
    ``NAME=VALUE``, macros that host code of the project defines for some program as a word, with one that it may
    be."""

    defines: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


NOTHING_GIVEN = Given()


class Own(Protocol):
    """What one file says, of one kind; no other is read for it."""

    def __call__(self, path: str, kind: type[Kind], /) -> Kind | None: ...


class Builds:
    """The builds of the project at ``root`` with the given ``files`` (relative paths); ``facts`` gives what they say,
    which is asked for only where programs are built by host code of other files; ``own`` what a single one says,
    ``included`` which files it includes, ``including`` which include it."""

    def __init__(
        self,
        root: str,
        files: Collection[str],
        facts: Callable[[], tuple[Table[FileFacts], Table[Programs]]],
        own: Own,
        included: Callable[[str], Iterable[str]],
        including: Callable[[str], Iterable[str]],
    ) -> None:
        self._root = root
        self._files = files
        self._look = facts
        self._own = own
        self._included = included
        self._including = including

    @cached_property
    def _read(self) -> tuple[list[Definition], cmake.Reader]:
        """All definitions of build files, and what CMake's say beside them."""
        found: list[Definition] = []
        named: dict[str, list[str]] = {}
        for path in self._files:
            name = posixpath.basename(path)
            if _builds(name) or name in _OPTIONS:
                named.setdefault(name, []).append(path)
        reader = cmake.Reader(self._text, lambda name: next(iter(named.get(name, ())), None))
        paths = sorted(path for paths in named.values() for path in paths)[:MAX_BUILD_FILES]
        for path in sorted(paths, key=lambda path: (path.count("/"), path)):
            folder, name = posixpath.split(path)
            if name == "CMakeLists.txt":
                found += reader.read(path)
            elif name in _MAKEFILES or name.endswith(".mk"):
                found += scripts.makefile(self._text(path), folder, self._known)
            elif name in _SCRIPTS:
                chosen = (
                    next((at for name in _OPTIONS for at in named.get(name, ())), None)
                    if name == "meson.build"
                    else None
                )
                found += scripts.script(self._text(path), folder, self._text(chosen) if chosen else "")
        return found, reader

    @property
    def variables(self) -> Mapping[str, str]:
        """The variables of CMake that are plain constants."""
        return self._read[1].variables

    def template_of(self, name: str) -> str | None:
        """The template that CMake's ``configure_file`` makes the header ``name`` of, relative to the root."""
        parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
        for made, template in self._read[1].configured.items():
            if made.split("/")[-len(parts) :] == parts:
                return next((path for path in (template, *self._ending(template)) if path in self._files), None)
        return None

    def made_of(self, template: str) -> list[cmake.Made]:
        """What CMake makes of the template at a path."""
        meant = [one for one in self._read[1].made if f"/{template}".endswith(f"/{one.template}")]
        return [one for one in meant if one.template == template] or meant

    def _ending(self, path: str) -> list[str]:
        return [one for one in self._files if one.endswith("/" + path)]

    @cached_property
    def architectures(self) -> tuple[int, ...]:
        """The NVIDIA architectures that build files name, as 35 for ``sm_35``, in ascending order; none where they
        leave it open."""
        paths = [path for path in self._files if _chooses(posixpath.basename(path))]
        return architectures.named(self._text(path) for path in sorted(paths)[:MAX_BUILD_FILES])

    def _known(self, path: str) -> str:
        """The text of one of the project's files; nothing of any other."""
        return self._text(path) if path in self._files else ""

    def _text(self, path: str) -> str:
        try:
            with open(os.path.join(self._root, *path.split("/")), encoding="utf-8", errors="replace") as handle:
                return handle.read(_READ)
        except OSError:
            return ""

    def given(self, path: str) -> Given:
        """What the builds give the file at ``path``; of several definitions of a macro the nearest one."""
        found = [d for d in self._read[0] if _concerns(d, path)]
        found.sort(key=lambda d: (not d.files, -len(d.folder)))
        defines: dict[str, str] = {}
        choices: dict[str, None] = {}
        numbers: dict[str, None] = {}
        for definition in found:
            if definition.open:
                numbers[definition.text] = None
            elif definition.certain:
                defines.setdefault(definition.text.partition("=")[0], definition.text)
            else:
                choices[definition.text] = None
        include: dict[str, None] = {}
        for option in self._options(path):
            kind, text = option.lstrip("?")[0], option.lstrip("?")[1:]
            if kind == "I":
                include[text] = None
            elif kind == "N":
                numbers[text] = None
            elif kind == "T":
                pass
            elif cmake.is_macro(text) and option[0] != "?":
                defines.setdefault(text.partition("=")[0], text)
            elif cmake.is_macro(text):
                choices[text] = None
        return Given(
            tuple(defines.values()),
            tuple(text for text in choices if text not in defines.values()),
            tuple(include),
            tuple(name for name in numbers if name not in defines),
            self._texts if path.lower().endswith(_OPENCL) else (),
        )

    # ----------------------------------------------------------------------------------- programs of host code

    def _options(self, path: str) -> Iterator[str]:
        """Options that host code gives the compiler of the program in ``path``."""
        if not path.lower().endswith((*_OPENCL, *_CUDA, *_HOSTS, ".py")):
            return
        if path.endswith(".py"):
            given = self._own(path, Programs)
            yield from self._settled(path, _options_for(given.options, lambda _: True) if given is not None else ())
        elif (facts := self._own(path, FileFacts)) is not None:
            _, programs = self._look()
            text = path.lower().endswith(_HOSTS)
            if text and not (facts.kernels and facts.speaks):
                return
            hosts, whole = self._hosts(path, facts), path
            if not hosts and not text:
                hosts, whole = self._hosts_of_whole(path)
            name = posixpath.basename(whole)
            theirs = ((h, _options_for(programs[h].options, lambda of: self._concern(of, name))) for h in hosts)
            options = [option for host, own in theirs for option in self._settled(host, own)]
            if path.lower().endswith(_CUDA):  # under whatever condition it is built, it is built so
                yield from (option.lstrip("?") if "=" in option else option for option in options)
            elif text:  # in literals of host code, which is not itself read under these macros
                yield from (
                    option if option[0] in "?NT" else f"?{option}" for option in options if "I" not in option[:2]
                )
            elif options:  # a host may build several programs, each with options of its own
                declared = _declared(self._text(path))
                yield from (option for option in options if _macro_of(option) not in declared)

    def _concern(self, source: str, name: str) -> bool:
        """Whether options that stand with the name of a ``source`` are for the file ``name``: they are of that one, or
        of none that the project has."""
        return source == name or source not in self._sources

    @cached_property
    def _sources(self) -> frozenset[str]:
        """The last parts of the names of sources of programs."""
        return frozenset(posixpath.basename(path) for path in self._files if path.lower().endswith((*_OPENCL, *_CUDA)))

    def _settled(self, host: str, options: Iterable[str]) -> Iterator[str]:
        """The options of a host file, with the numbers of names that the files have which it includes or imports."""
        for option in options:
            mark, kind = option[: option.startswith("?")], option.lstrip("?")[0]
            if kind == "E":
                yield from (f"D{name}={number}" for name, number in self._constants.entries(host, option[1:]))
                continue
            if kind not in "MW":
                yield option
                continue
            name, _, text = option.lstrip("?")[1:].partition("=")
            number = self._constants.value(host, text)
            yield f"{mark}D{name}={number}" if number is not None else f"{mark}{'T' if kind == 'M' else 'N'}{name}"

    @cached_property
    def _constants(self) -> Constants:
        read = functools.lru_cache(maxsize=64)(lambda path: self._text(path).encode("utf-8", "replace"))
        return Constants(read, self._files, self._included)

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        """Words that hosts define macros as, of which programs make their types: one of each macro, and ``float``
        where hosts work it out or say that too."""
        found: dict[str, list[str]] = {}
        _, programs = self._look()
        for _, words in programs.column("words"):
            for word in words:
                name, _, value = word.partition("=")
                found.setdefault(name, []).append(value or _TYPE)
        return tuple(f"{name}={_TYPE if _TYPE in values else values[0]}" for name, values in found.items())

    def _hosts(self, path: str, facts: FileFacts) -> Sequence[str]:
        """Host files with options that build the program in ``path``: they name the file or one of its kernels; else
        the only one there is, if it names no other."""
        name = posixpath.basename(path)
        if path.lower().endswith(_CUDA):  # built by the program of Python that names it, of several by the nearest one
            named = [
                host
                for host, sources, _ in self._givers
                if host.endswith(".py") and any(names(source, name) for source in sources)
            ]
            return named and [max(named, key=lambda host: len(posixpath.commonpath(["/" + path, "/" + host])))]
        kernels = frozenset(facts.kernels)
        sure = [
            host
            for host, sources, launches in self._givers
            if not kernels.isdisjoint(launches) or any(names(source, name) for source in sources)
        ]
        if sure:
            return sure
        free = [host for host, sources, _ in self._givers if not sources]
        return free if len(self._givers) == 1 else ()

    def _hosts_of_whole(self, path: str) -> tuple[Sequence[str], str]:
        """Host files that build an OpenCL program of which the file at ``path`` is a part, that other files include,
        and the file that they build."""
        wholes, seen = [path], {path}
        for part in wholes:  # grows while it is walked
            for whole in self._including(part):
                facts = self._own(whole, FileFacts) if whole not in seen and len(seen) < MOST_WHOLES else None
                if facts is None or not whole.lower().endswith(_OPENCL):
                    continue
                if hosts := self._hosts(whole, facts):
                    return hosts, whole
                seen.add(whole)
                wholes.append(whole)
        return (), path

    @cached_property
    def _givers(self) -> Sequence[tuple[str, frozenset[str], frozenset[str]]]:
        """Host files that give options to compilers, with the last parts of the names of sources they name and the
        kernels they launch."""
        facts, programs = self._look()
        return [
            (path, frozenset(map(posixpath.basename, programs[path].sources)), frozenset(facts[path].launches))
            for path, options in programs.column("options")
            if options and (programs[path].sources or not path.endswith(".py"))
        ]


def _builds(name: str) -> bool:
    """Whether files of this name say how something is built."""
    return name in _SCRIPTS or name == "CMakeLists.txt" or name.startswith(_MAKES) or name.endswith((".cmake", ".mk"))


def _chooses(name: str) -> bool:
    """Whether files of this name may say for which architectures something is built: those, scripts that write
    makefiles, and the projects of Visual Studio."""
    return _builds(name) or name in ("configure", "configure.ac") or name.endswith(".vcxproj")


def _options_for(options: Iterable[str], meant: Callable[[str], bool]) -> Iterator[str]:
    """The options of a host file (:func:`~kernlint.project.hostoptions.options_in`), without those that are given
    together with the name of a source that is not ``meant``, and without such names."""
    for option in options:
        source, _, text = option[1:].partition("|") if option[0] == "@" else ("", "", option)
        if not source or meant(source):
            yield text


def _macro_of(option: str) -> str:
    """The name of the macro that an option defines, if it defines one."""
    return option.lstrip("?")[1:].partition("=")[0] if option.lstrip("?")[0] in "DN" else ""


def _declared(text: str) -> frozenset[str]:
    """Names that a program gives variables of its own, and no directive asks about: no macro can be meant to have
    one."""
    found = {name for word, name in _DECLARATION.findall(text) if word not in _NO_TYPES}
    if not found:
        return frozenset()
    return frozenset(found.difference(*(_WORD.findall(line) for line in _DIRECTIVE.findall(text))))


def names(source: str, name: str) -> bool:
    """Whether a file's name is the one of a source that host code names, by a format that it fills in perhaps."""
    if source == name or "%" not in source:
        return source == name
    parts = _HOLE.split(source)
    for index in range(0, len(parts), 2):
        parts[index] = re.escape(parts[index])
    for index in range(1, len(parts), 2):
        parts[index] = r"[\w.-]+" if parts[index] == "s" else r"\w+"
    return re.fullmatch("".join(parts), name) is not None


def _concerns(definition: Definition, path: str) -> bool:
    if definition.files:
        return path in definition.files
    return not definition.folder or path.startswith(definition.folder + "/")
