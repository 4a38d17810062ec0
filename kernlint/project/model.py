"""A project, and the questions about it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from kernlint.project import discovery
from kernlint.project.facts import Defined, FileFacts, Includes, Programs, Started, look
from kernlint.project.files import Files
from kernlint.project.questions import answer_digest
from kernlint.project.table import Table, row_of
from kernlint.project.tree import SOURCES, Tree, passed_over
from kernlint.record import dataclass
from kernlint.source import MAX_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:  # what they have is imported when a kernel asks for it: most trees of Python hold none
    from typing import Any

    from kernlint.project.builds import Builds, Given
    from kernlint.project.definitions import Definition
    from kernlint.project.facts import Kind
    from kernlint.project.headers import Choice, Filling
    from kernlint.project.imports import Importers
    from kernlint.project.keywords import Keywords
    from kernlint.project.loading import Loader
    from kernlint.project.preludes import Joined

HOSTS = (".cu", ".hip", ".cpp", ".cc", ".cxx", ".c")
"""Names of files that hold functions which other files call, or call such functions."""

NEAREST = 200
"""Files of host code around another that are looked through for a name."""

MOST_BYTES = 100_000
"""Of files with more bytes nobody asks what they call."""


@dataclass(frozen=True, slots=True)
class Header:
    """A header found in the project: its absolute path, and the text that stands there where no file does (it is made
    of a template).  ``others``: files that the name could mean as well, further away."""

    path: str
    text: bytes | None = None
    others: tuple[str, ...] = ()


class Project:
    """What is known of the tree at ``root``, a real path.

    Paths are handed out absolute and in the order of their names, and taken in any form.  Everything is looked at when
    the first question needs it, once.  ``marked``: something says that the folder is a project; ``closed``: it is none
    (a folder of the system), and nothing in it is looked at.  ``named``: the files and folders of the run; ``files``:
    its tree, where somebody has looked at it already.
    """

    def __init__(
        self,
        root: str,
        marked: bool = True,
        closed: bool = False,
        cache: bool = True,
        named: Sequence[str] = (),
        files: Files | None = None,
    ) -> None:
        self.files = files or Files(root, marked, closed, cache)
        self.root = root
        self._head = os.path.join(root, "")
        self.named = tuple(map(os.path.realpath, named))
        self.marked = marked
        self.closed = closed
        self.cache = cache
        self._answers: dict[tuple[str, ...], str] = {}
        self._given: dict[str, Given] = {}
        self._folders: dict[str, str] = {}
        self._naming: dict[str, list[str]] = {}
        self._near: tuple[str, list[tuple[str, bytes]]] = ("", [])
        self._dialects: dict[str, str | None] = {}
        self._definitions: dict[tuple[str, ...], tuple[Definition, ...]] = {}

    def __getstate__(self) -> tuple[str, bool, bool, bool, tuple[str, ...]]:
        return self.root, self.marked, self.closed, self.cache, self.named

    def __setstate__(self, state: tuple[str, bool, bool, bool, tuple[str, ...]]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    # ------------------------------------------------------------------------------------------------ what is there

    @property
    def tree(self) -> Tree:
        """The files of the project, by one walk."""
        return self.files.tree

    @property
    def ignored(self) -> frozenset[str]:
        """Real paths of what git ignores below the root."""
        return self.files.ignored

    @cached_property
    def facts(self) -> Table[FileFacts]:
        """What each source says of kernels and launches, by its path relative to the root."""
        return Table(FileFacts, self.files.facts)

    @cached_property
    def started(self) -> Table[Started]:
        """What each program of Python may launch by a subscript, by its path relative to the root; nothing where none
        speaks of a kernel."""
        speaks = any(row and path[-3:].lower() == ".py" for path, row in self.facts.rows.items())
        return self._table(Started) if speaks else Table(Started, {})

    @cached_property
    def includes(self) -> Table[Includes]:
        """What each source includes, by its path relative to the root."""
        return self._table(Includes)

    @cached_property
    def programs(self) -> Table[Programs]:
        """What each source gives to compilers of programs, by its path relative to the root."""
        return self._table(Programs)

    def _table(self, kind: type[Kind]) -> Table[Kind]:
        """What each source says of one kind."""
        nothing = kind.of("", b"")

        def row(path: str, size: int) -> list[Any]:
            return [] if kind.python and path[-3:].lower() != ".py" else row_of(look(kind, path, size), nothing)

        reader = lambda: row  # noqa: E731
        return Table(kind, self.files.rows(kind.__name__, reader, self.tree))

    def relative(self, path: str) -> str | None:
        """``path`` relative to the root, with slashes; None for one that lies elsewhere."""
        folder, name = os.path.split(path)
        if not name or name in (os.curdir, os.pardir) or os.path.islink(path):
            real = os.path.realpath(path)
        else:
            inside = self._folders.get(folder)  # of many files in one folder the way there is looked at once
            if inside is None:
                inside = self._folders[folder] = os.path.join(os.path.realpath(folder), "")
            real = inside + name
        return self._inside(real)

    def _inside(self, real: str) -> str | None:
        head = self._head
        return real[len(head) :].replace(os.sep, "/") if real.startswith(head) else None

    def absolute(self, path: str) -> str:
        """The path of the file that is ``path`` relative to the root."""
        return os.path.join(self.root, *path.split("/"))

    # -------------------------------------------------------------------------------------------------- own headers

    def header(self, name: str, includer: str) -> Header | None:
        """The file of the project that ``#include`` of ``name`` in the file ``includer`` means, where include folders
        do not have it."""
        from kernlint.project import headers

        inside = self.relative(os.path.abspath(includer))
        folder = (inside or "").rpartition("/")[0]
        choice = self._chosen(name, folder)
        if choice is None:
            template = self.builds.template_of(name)
            if template is None:
                return None
            choice = headers.Choice(template, template=True)
        path = self._linked(choice.path)
        others = tuple(each for each in map(self._linked, choice.others) if each != path)
        if not choice.template:
            return Header(path, None, others)
        try:
            with open(path, "rb") as handle:
                text = headers.filled_in(handle.read(MAX_BYTES), self.builds.variables)
        except OSError:
            return None
        made = os.path.join(os.path.dirname(path), name.replace("\\", "/").rpartition("/")[2])
        return Header(made, text, others)

    def _chosen(self, name: str, folder: str) -> Choice | None:
        """The file that an include of ``name`` in ``folder`` means, where it does not lie beside it."""
        from kernlint.project import headers

        reads = lambda path: headers.reads_as_code(self._linked(path))  # noqa: E731
        return headers.choose(name, folder, os.path.basename(self.root), self.tree.names, reads)

    def _linked(self, path: str) -> str:
        """The absolute path of the file at ``path``, or of the file of the project that it links to: where links cannot
        be made, a checkout leaves a text that is nothing but the target's path."""
        from kernlint.project import headers

        linked = headers.linked(self.absolute(path), self.tree.files.get(path, (0, 0))[1])
        return linked if linked and self.relative(linked) in self.tree.files else self.absolute(path)

    def left_out(self, name: str) -> str | None:
        """The folder that has the header ``name`` (to be named with ``-I``) among those that a walk passes over: what
        git ignores, folders of builds and of environments."""
        tail = os.sep + os.path.join(*name.split("/"))
        return next((path[: -len(tail)] for path in self._left_out if path.endswith(tail)), None)

    @cached_property
    def _left_out(self) -> list[str]:
        return passed_over(self.tree)

    @cached_property
    def builds(self) -> Builds:
        """What build files and host code define."""
        from kernlint.project.builds import Builds

        looks = lambda: (self.facts, self.programs)  # noqa: E731
        return Builds(self.root, self.tree.files, looks, self._look_at, self._included_by, self._including)

    def _included_by(self, path: str) -> Iterator[str]:
        """The files of the project that the one at ``path``, relative to the root, includes."""
        said = self._look_at(path, Includes)
        for written in said.includes if said is not None else ():
            meant = self._meant(written, path.rpartition("/")[0])
            if meant is not None:
                yield meant

    def _look_at(self, path: str, kind: type[Kind]) -> Kind | None:
        """What the source at ``path``, relative to the root, says; no other is read for it."""
        state = self.tree.files.get(path)
        if state is None or path[path.rfind(".") :].lower() not in SOURCES:
            return None
        return look(kind, self.absolute(path), state[1])

    # ------------------------------------------------------------------------------------------------------ indices

    @cached_property
    def _by_include(self) -> Mapping[str, list[str]]:
        """Files by the last part of the names that they include."""
        return _index(self.includes.column("includes"), lambda include: include[1:].rpartition("/")[2])

    @cached_property
    def _by_launch(self) -> Mapping[str, list[str]]:
        launches = dict(self.facts.column("launches"))
        for path, names in self.started.column("started"):
            launches[path] = (*launches.get(path, ()), *names)
        return _index(sorted(launches.items()))

    @cached_property
    def _by_kernel(self) -> Mapping[str, list[str]]:
        return _index(self.facts.column("kernels"))

    @cached_property
    def _by_instance(self) -> Mapping[str, list[str]]:
        return _index(self.facts.column("instances"))

    @cached_property
    def _by_hand(self) -> Mapping[str, list[str]]:
        from kernlint.project.handed import handed

        including = lambda path: filter(None, map(self.relative, self.files_including(self.absolute(path))))  # noqa: E731
        return handed(self.facts, including, lambda path: _text(self.absolute(path)))

    def _absolute(self, paths: Iterable[str]) -> tuple[str, ...]:
        return tuple(self.absolute(path) for path in paths)

    # ---------------------------------------------------------------------------------------------------- questions

    def files_launching(self, kernel: str) -> tuple[str, ...]:
        """Files that launch a kernel of this name by what they look like: ``<<<``, the launch functions of CUDA and
        HIP, kernels created by name in OpenCL, calls of Python, and what a header that launches is given."""
        found = (*self._by_launch.get(kernel, ()), *self._by_hand.get(kernel, ()))
        using = (one for loader in self._loaders for one in self._importers.naming(loader.path, kernel))
        return self._absolute(dict.fromkeys((*found, *using)))

    def files_loading(self, path: str) -> tuple[str, ...]:
        """Python programs that may read the source at ``path`` and hand it to a compiler."""
        inside = self.relative(path)
        ours = self._loaders if inside is not None else []
        if not ours:
            return ()
        from kernlint.project.builds import names
        from kernlint.project.loading import may_load

        return self._absolute([one.path for one in ours if may_load(one, inside or "", names)])

    @cached_property
    def _loaders(self) -> list[Loader]:
        if not any(row and path[-3:].lower() == ".py" for path, row in self.facts.rows.items()):
            return []
        from kernlint.project.loading import loaders

        return list(loaders(self.facts, lambda path: _text(self.absolute(path))))

    def files_defining(self, kernel: str) -> tuple[str, ...]:
        """Files that define or declare a kernel of this name under a keyword."""
        return self._absolute(self._by_kernel.get(kernel, ()))

    def files_importing(self, path: str, name: str) -> tuple[str, ...]:
        """Python files that import from the one at ``path``, themselves or through another, and in whose text ``name``
        stands as a word."""
        return self._absolute(self._importers.naming(self.relative(path) or "", name))

    @cached_property
    def _importers(self) -> Importers:
        from kernlint.project.imports import Importers, Imports

        return Importers(lambda path: _text(self.absolute(path)), lambda: self._table(Imports))

    def made_of(self, path: str) -> tuple[Filling, ...]:
        """With what values the build fills in the template at ``path``, once for each file that it makes of it; where
        it is seen to make none of one that is a template by its name, with what its variables are."""
        from kernlint.project.headers import Filling, named_in

        inside = self.relative(path)
        found = [(one.values, one.only) for one in self.builds.made_of(inside)] if inside is not None else []
        if inside is None or not (found or inside.endswith(".in")):
            return ()
        names = named_in(_text(self.absolute(inside)))
        every = [
            Filling(tuple((name, values[name]) for name in names if "${" not in values.get(name, "${")), only)
            for values, only in found or [(dict(self.builds.variables), False)]
        ]
        return tuple(dict.fromkeys(every))

    def files_instantiating(self, template: str) -> tuple[str, ...]:
        """Files that explicitly instantiate a template of this name."""
        return self._absolute(self._by_instance.get(template, ()))

    def files_naming(self, name: str) -> tuple[str, ...]:
        """Files in whose text ``name`` stands as a word; sources are read anew for it, so ask for few names."""
        if name not in self._naming:
            word = name.encode("utf-8", "surrogateescape")
            self._naming[name] = [path for path in sorted(self.facts) if _names(self.absolute(path), word)]
        return self._absolute(self._naming[name])

    def hosts_naming(self, name: str, path: str) -> tuple[str, ...]:
        """Files of host code near ``path`` in whose text ``name`` stands as a word, nearest first."""
        inside = self.relative(path)
        if inside is None or self.closed:
            return ()
        folder = inside.rpartition("/")[0]
        if self._near[0] != folder or not self._near[1]:
            self._near = folder, list(self._hosts_near(folder))
        word = name.encode("utf-8", "surrogateescape")
        whole = re.compile(rb"(?<!\w)" + re.escape(word) + rb"(?!\w)")
        named = (path for path, text in self._near[1] if word in text and whole.search(text) is not None)
        return self._absolute([path for path in named if path != inside])

    def _hosts_near(self, folder: str) -> Iterator[tuple[str, bytes]]:
        """Files of host code and their texts, those first that have the most folders in common with ``folder``."""
        sizes = {path: state[1] for path, state in self.tree.files.items() if path.endswith(HOSTS)}
        small = [path for path, size in sizes.items() if size <= MOST_BYTES]
        small.sort(key=lambda path: (-_common(path, folder), path.count("/"), path))
        return ((path, _text(self.absolute(path))) for path in small[:NEAREST])

    def files_including(self, header: str) -> tuple[str, ...]:
        """Files that include the file ``header`` directly."""
        inside = self.relative(header)
        return self._absolute(list(self._including(inside))) if inside is not None else ()

    def _including(self, inside: str) -> Iterator[str]:
        """The files of the project that include the one at ``inside`` directly."""
        last = inside.rpartition("/")[2]
        for path in self._by_include.get(last, ()):
            folder = path.rpartition("/")[0]
            if any(
                name.endswith(last) and self._meant(name, folder) == inside for name in self.includes[path].includes
            ):
                yield path

    def _meant(self, written: str, folder: str) -> str | None:
        """The file that an include means, of one in ``folder``: beside it when it is quoted, else chosen."""
        name = written[1:]
        beside = os.path.normpath(os.path.join(folder, name)).replace(os.sep, "/")
        if written[0] == '"' and beside in self.tree.files:
            return beside
        choice = self._chosen(name, folder)
        return choice.path if choice is not None and not choice.template else None

    def analysed(self, path: str) -> bool:
        """Whether the run looks at the file at ``path`` itself."""
        real = os.path.realpath(path)
        return any(real == each or real.startswith(os.path.join(each, "")) for each in self.named)

    def defines_for(self, path: str) -> tuple[str, ...]:
        """Macros, ``NAME`` or ``NAME=VALUE``, that build files or host code define for the file at ``path``."""
        return self.given(path).defines

    def choices_for(self, path: str) -> tuple[str, ...]:
        """Macros that build files or host code define for the file at ``path`` under some condition that nobody here
        decides."""
        return self.given(path).choices

    def numbers_for(self, path: str) -> tuple[str, ...]:
        """Macros that host code defines for the program in the file at ``path`` as numbers that it works out."""
        return self.given(path).numbers

    def texts_for(self, path: str) -> tuple[str, ...]:
        """Macros, ``NAME=VALUE``, that host code defines for programs as words, with one that each may be."""
        return self.given(path).texts

    def folders_for(self, path: str) -> tuple[str, ...]:
        """Include folders that host code gives the compiler of the program in the file at ``path``."""
        head = os.path.dirname(os.path.abspath(path))
        folders = [
            os.path.normpath(os.path.join(base, f)) for f in self.given(path).include for base in (self.root, head)
        ]
        return tuple(folder for folder in dict.fromkeys(folders) if self.relative(folder) and os.path.isdir(folder))

    def preludes_for(self, path: str) -> tuple[str, ...]:
        """OpenCL texts that the host program puts before the one in the file at ``path``, in order."""
        inside = self.relative(path)
        return self._absolute(self._joined.before(inside)) if inside is not None else ()

    @cached_property
    def _joined(self) -> Joined:
        from kernlint.project.preludes import Joined

        return Joined(self.includes, self.facts, self._meant, lambda path: _text(self.absolute(path)))

    def given(self, path: str) -> Given:
        """What the builds of the project give the file at ``path``."""
        inside = self.relative(path)
        if inside is None:
            from kernlint.project.builds import NOTHING_GIVEN

            return NOTHING_GIVEN
        known = self._given.get(inside)
        if known is None:
            known = self._given[inside] = self.builds.given(inside)
        return known

    def architectures(self) -> tuple[int, ...]:
        """The NVIDIA architectures that the builds name, as 35 for ``sm_35``; none where they leave it open."""
        return self.builds.architectures

    def defined_before(self, header: str, includer: str) -> tuple[str, ...]:
        """Macros that ``includer`` defines itself, under no condition, before it includes ``header`` first; those that
        the text of ``header`` mentions."""
        from kernlint.project.before import defines_before

        inside, outside = self.relative(header), self.relative(includer)
        if inside is None or outside is None:
            return ()
        text, wanted = _text(self.absolute(outside)), _text(self.absolute(inside))
        folder = outside.rpartition("/")[0]
        return defines_before(text, wanted, lambda written: self._meant(written, folder) == inside)

    def included_before(self, header: str, includer: str) -> tuple[str, ...]:
        """Files of the project that ``includer`` includes, under no condition, before it includes ``header`` first,
        where that includes nothing itself."""
        from kernlint.project.before import includes_before, stands_alone

        inside, outside = self.relative(header), self.relative(includer)
        if inside is None or outside is None or stands_alone(_text(self.absolute(inside))):
            return ()
        folder = outside.rpartition("/")[0]
        written = includes_before(_text(self.absolute(outside)), lambda one: self._meant(one, folder) == inside)
        return self._absolute([meant for one in written if (meant := self._meant(one, folder)) is not None])

    def tested_in(self, path: str) -> tuple[str, ...]:
        """Macros that conditions of the preprocessor test in the file at ``path``, if it has device code."""
        facts = self.facts.get(self.relative(path) or "")
        return facts.tested if facts is not None else ()

    def holds_kernels(self, path: str, real: str) -> bool | None:
        """Whether the text of the file at ``path``, whose real path is ``real``, looks as if it held a kernel, by a
        keyword or a macro that stands for one; None where it says nothing of kernels or devices at all."""
        inside = self._inside(real) or ""
        said = self.facts.rows.get(inside)
        if said is None:
            return discovery.holds_kernels(path)
        if said and self.facts[inside].speaks:
            return True
        return True if self.dialect(path) is not None else False if said else None

    def works_with_devices(self, real: str) -> bool:
        """Whether the file of host code at a real path allocates, copies or launches, by what its text looks like."""
        inside = self._inside(real) or ""
        return bool(self.facts.rows.get(inside)) and self.facts[inside].works

    def dialect(self, path: str) -> str | None:
        """The language of the kernels that stand under macros of the project in a file; None when there are none."""
        if path[-3:].lower() == ".py" or not self._keywords.languages or (inside := self.relative(path)) is None:
            return None
        known = self._dialects.get(inside, "")
        if known == "":
            known = self._dialects[inside] = self._keywords.dialect(_text(self.absolute(inside)))
        return known

    @cached_property
    def _keywords(self) -> Keywords:
        from kernlint.project.keywords import Keywords

        return Keywords(self.facts)

    @cached_property
    def _by_definition(self) -> Mapping[str, list[str]]:
        return _index(self._table(Defined).column("defined"))

    def definitions(self, path: str, language: str, *names: str) -> tuple[Definition, ...]:
        """What stands before the program at ``path`` so that ``names`` have a meaning, where the project says it."""
        question = (path, language, *names)
        known = self._definitions.get(question)
        if known is not None:
            return known
        inside = self.relative(path)
        if inside is None or self.closed:
            return ()
        from kernlint.project.definitions import choose

        kernels = {file for file, names in self.facts.column("kernels") if names}
        found = choose(names, inside, language == "opencl", self._by_definition, kernels, self.root)
        self._definitions[question] = found
        return found

    def kernel_macros(self) -> tuple[str, ...]:
        """Macros of the project that stand for the keyword of a kernel."""
        return tuple(sorted({name.rstrip("{") for name in self._keywords.languages}))

    # ------------------------------------------------------------------------------------------- answers that hold

    def digest(self, question: tuple[str, ...]) -> str:
        """A digest of the answer to ``question``."""
        known = self._answers.get(question)
        if known is None:
            method, *arguments = question
            known = self._answers[question] = answer_digest(getattr(self, method)(*arguments))
        return known


def _index(said: Iterable[tuple[str, Sequence[str]]], key: Callable[[str], str] = str) -> Mapping[str, list[str]]:
    """Paths by the names that files say."""
    index: dict[str, list[str]] = {}
    for path, names in said:
        for name in dict.fromkeys(map(key, names)):
            index.setdefault(name, []).append(path)
    return index


def _common(path: str, folder: str) -> int:
    """How many folders the way to a file has in common with ``folder``; both are relative to one root."""
    count = 0
    for one, other in zip(path.split("/")[:-1], folder.split("/") if folder else (), strict=False):
        if one != other:
            break
        count += 1
    return count


def _text(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as handle:
            return handle.read(MAX_BYTES)
    except OSError:
        return b""


def _names(path: str, word: bytes) -> bool:
    data = _text(path)
    return word in data and re.search(rb"(?<!\w)" + re.escape(word) + rb"(?!\w)", data) is not None
