"""Host code in other files of the project that launches the kernels of the file under analysis.

Which files may do so, the project knows by their text (:mod:`kernlint.project`); those are parsed like any other file,
and what came of it is kept for as long as the process lives and the file stays as it is: a host file that launches the
kernels of ten others is read once.  Whether a launch there really is one of this kernel, the tree decides
(:mod:`kernlint.analysis.launching.launches`).
"""

from __future__ import annotations

import os
import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping

from kernlint.analysis.base import ModuleFacts
from kernlint.frontends.base import Frontend, FrontendOptions
from kernlint.project import Questions
from kernlint.record import replace
from kernlint.source import SourceError, SourceFile, read

KEPT = 12
"""Host files whose trees are kept."""

FILES = 6
"""Files that are read for the launches of one kernel, nearest first."""

MOST = 16
"""Files that are read for all kernels of one file."""

IMPORTS = 2
"""Steps from a Python program that launches along imports to the module that names, or is, our file."""

LARGE = 2 << 20
"""Bytes beyond which a host file is not read."""

HOSTS = frozenset({".cu", ".cuh", ".hip", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".hxx", ".inl", ".inc", ".py"})
"""Names of files that may hold host code; a Python program only counts where it names the kernel's file."""

Reading = Callable[[str], FrontendOptions]
"""How the front end is to read the file at a path."""

_DECLARED = rb"\bNAME\s*\([^;{}]*\)[^;{}()]*;|\b[A-Z][A-Z0-9_]{3,}\s*\([^;{}()]*\bNAME\b"
"""A declaration without a body by what it looks like (a call does too), or a macro that is given the name."""

_IN_STRING = rb'"[^"\n]*\bvoid\s+NAME\s*\('
"""A function of the name in a line of a string."""

_CHEVRONS = rb"\bNAME\s*(?:<[^<>;]*>\s*)?<<<"
"""A launch of the kernel itself: where a header declares that, its name in a string is part of a message."""

_HELD = (
    rb"(?:->|\.)?(\w+)\s*=\s*(?:clCreateKernel|cl::Kernel)\s*\([^;]*\"NAME\""
    rb"|GetFunction\s*\(\s*&[^,;]*?(\w+)\s*,[^;]*\"NAME\""
)
"""A kernel that is looked up by its name, and the variable or member that holds it from then on."""

_TABLE = rb"(\w+)\s*(?:\[[^\]\n]*\]\s*)+=\s*\{[^;]*\"NAME\""
"""An array that has the name of a kernel among its texts."""

_BY_TABLE = rb"(\w+)\s*(?:\[[^\];]*\])?\s*=\s*(?:clCreateKernel|cl::Kernel)\s*\([^;\"]*\bTABLE\b"
"""What holds kernels that are looked up by the texts of an array."""

_IMPORTED = re.compile(rb"^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+([^\n]*)", re.M)

_LAUNCHES = re.compile(rb"NDRange|LaunchKernel|LaunchCooperative|enqueue_\w+_range_kernel")
"""How kernels are launched that are looked up by their names."""

_Kept = tuple[tuple[ModuleFacts, ...], tuple[str, ...], object]
"""Facts of a file, the files beside its headers that it was followed into, and their state."""

_kept: OrderedDict[tuple[object, ...], _Kept] = OrderedDict()


class Elsewhere:
    """The other files of one file's project.  ``reading`` gives options for a path; ``texts`` stand for files."""

    def __init__(
        self, path: str, frontend: Frontend, questions: Questions, reading: Reading, texts: Mapping[str, SourceFile]
    ) -> None:
        self.path = path
        self.frontend = frontend
        self.questions = questions
        self.reading = reading
        self.texts = texts
        self.depends: dict[str, None] = {}
        """Every file that an answer came from, headers among them."""
        self.own: list[ModuleFacts] = []
        """Facts of the file itself: its host code launches the kernels that it holds as strings."""
        self._read: dict[str, tuple[ModuleFacts, ...]] = {}
        self._open: dict[str, tuple[SourceFile, FrontendOptions, tuple[str, ...]] | None] = {}
        self._texts: dict[str, bytes] = {}
        self._launchers: dict[str, list[str]] = {}
        self._holding: set[tuple[str, str]] = set()
        """Files that launch what holds a kernel which another one looks up."""

    def hosts_of(self, kernel: str) -> tuple[ModuleFacts, ...]:
        """Facts of the files that may launch a kernel of this name, nearest first."""
        found = list(self.own)
        for path in self._launching(kernel):
            if path not in self._read:
                if len(self._read) >= MOST:
                    break
                if not self._may_mean_ours(path, kernel):
                    continue
                self._read[path] = self.parsed(path)
            found += self._read[path]
        return tuple(found)

    def definers_of(self, kernel: str) -> tuple[str, ...]:
        """Other files that define or declare a kernel of this name themselves."""
        ours = os.path.abspath(self.path)
        found = tuple(path for path in self.questions.files_defining(kernel) if path != ours)
        self.depends.update(dict.fromkeys(found))
        return found

    def built_for(self) -> tuple[int, ...]:
        """The NVIDIA architectures that the builds of the project name; none where they leave it open."""
        return self.questions.architectures()

    def namers_of(self, name: str) -> tuple[bytes, ...]:
        """The texts of other files with host code in which a name stands, nearest first; of many, those where programs
        begin."""
        ours = os.path.abspath(self.path)
        paths = [path for path in self.questions.files_naming(name) if path != ours and _is_host(path)]
        begin = frozenset(self.questions.files_naming("main")) if len(paths) > FILES else frozenset()
        paths.sort(key=lambda path: (path not in begin, -_common(path, ours), path))
        found = []
        for path in paths[:FILES]:
            try:
                source = self.texts.get(path) or read(path)
            except (OSError, SourceError):
                continue
            self.depends.setdefault(path)
            found.append(source.data)
        return tuple(found)

    def _launching(self, kernel: str) -> list[str]:
        """Files whose text launches the name, but for those that are nearer to another definition of it."""
        if kernel not in self._launchers:
            self._launchers[kernel] = self._nearest(kernel)
        return self._launchers[kernel]

    def _nearest(self, kernel: str) -> list[str]:
        ours = os.path.abspath(self.path)
        files = [path for path in self.questions.files_launching(kernel) if path != ours and _is_host(path)]
        files = list(dict.fromkeys(one for path in files for one in self._with_users(path, kernel)))
        if not files:
            return []
        definers = frozenset(self.definers_of(kernel))
        inside = Counter(folder for other in definers for folder in _folders(other))

        def foreign(path: str) -> bool:
            apart = _apart(path, ours)
            return apart is not None and inside[apart] > (path in definers)

        near = [path for path in files if not foreign(path)]
        near.sort(key=lambda path: (-_common(path, ours), path))
        return near[:FILES]

    def _with_users(self, path: str, kernel: str) -> tuple[str, ...]:
        """A file; with it, where it looks a kernel up and launches none, those that launch what holds it then, and in
        place of a header of that kind the files that include it."""
        if path.endswith(".py") or _LAUNCHES.search(text := self.text(path)) is not None:
            return (path,)
        if path.endswith((".h", ".hpp", ".hxx")):
            self.depends.setdefault(path)
            return tuple(one for one in self.questions.files_including(path) if _is_host(one)) or (path,)
        holders = _holders(text, kernel.encode("utf-8", "surrogateescape"))
        users = [one for holder in holders for one in self.naming(holder.decode("utf-8", "surrogateescape"))]
        users = [one for one in dict.fromkeys(users) if _LAUNCHES.search(self.text(one)) is not None][:2]
        self._holding.update((one, kernel) for one in users)
        return (path, *users)

    def _may_mean_ours(self, path: str, kernel: str) -> bool:
        """Whether a file that launches the name may launch the kernel of ours: it or a header of it includes our file,
        declares such a kernel without a body, or has the name in a string and that of no other file with such a
        kernel.  It launches one of its own else: so does one that holds a function of the name in a string.  Of several
        files with such a kernel it means the one that it names, or the nearest."""
        if path.endswith(".py") or (path, kernel) in self._holding or (opened := self._opened(path)) is None:
            return True
        source, _, headers = opened
        name = kernel.encode("utf-8", "surrogateescape")
        ours = os.path.realpath(self.path)
        if any(os.path.realpath(header) == ours for header in headers):
            return True
        texts = (source.data, *map(self.text, headers))
        word = re.escape(name)
        declared = re.compile(_DECLARED.replace(b"NAME", word))
        launched = re.search(_CHEVRONS.replace(b"NAME", word), source.data) is not None
        held = next((text for text in texts if b'"' + name + b'"' in text), None)
        if held is not None and not (launched and any(declared.search(text) for text in texts[1:])):
            return self._loads_ours(path, held, kernel)
        return any(name in text and declared.search(text) is not None for text in texts)

    def _loads_ours(self, path: str, text: bytes, kernel: str) -> bool:
        """Whether a text that has the kernel's name in a string can only mean the kernel of our file."""
        name = kernel.encode("utf-8", "surrogateescape")
        if re.search(_IN_STRING.replace(b"NAME", re.escape(name)), text) is not None:
            return False
        ours = os.path.abspath(self.path)
        others = [other for other in self.definers_of(kernel) if other != path]
        mine = os.path.basename(ours)
        names = {os.path.basename(other) for other in others} - {mine}
        named = [other for other in names if other.encode("utf-8", "surrogateescape") + b'"' in text]
        if named:
            # Which of them it launches is not known, unless the others are headers that hold the same as text.
            included = [re.escape(other.encode("utf-8", "surrogateescape")) for other in named]
            held = all(re.search(rb'#[ \t]*include[ \t]*"[^"\n]*\b' + other + b'"', text) for other in included)
            return (
                held and re.search(rb"\b" + re.escape(mine.encode("utf-8", "surrogateescape")) + b'"', text) is not None
            )
        stem = os.path.splitext(mine)[0].encode("utf-8", "surrogateescape")
        return stem in text or all(_closer(path, ours, other) for other in others)

    def _opened(self, path: str) -> tuple[SourceFile, FrontendOptions, tuple[str, ...]] | None:
        """A host file, how it is to be read, and where its headers are or were looked for; None: it is not read, as
        a Python program that does not name our file."""
        if path not in self._open:
            self._open[path] = None
            try:
                if os.stat(path).st_size <= LARGE:
                    source = self.texts.get(path) or read(path)
                    if path.endswith(".py") and not self._named_in(path, source.data):
                        self.depends.setdefault(path)
                        return None
                    options = replace(self.reading(path), instances=False, device=False)
                    headers = self.frontend.headers(source, options)
                    self._open[path] = source, options, headers
                    self.depends.setdefault(path)
                    self.depends.update(dict.fromkeys(headers))
            except (OSError, SourceError):
                return None
        return self._open[path]

    def _named_in(self, path: str, data: bytes) -> bool:
        """Whether a Python program, or a module of the project that it imports from, names our file, or imports it; or
        one that such a module imports from; or whether one of these reads it by a name that the program has."""
        name = os.path.basename(self.path).encode("utf-8", "surrogateescape")
        loading = self.questions.files_loading(self.path) if _quotes(data, name.rpartition(b".")[0]) else ()
        if name in data:
            return True
        from kernlint.frontends.python.neighbours import meant  # loaded where a Python program is looked at

        ours, seen = os.path.abspath(self.path), [(path, data)]
        for _ in range(IMPORTS):
            importing, seen = seen, []
            for importer, text in importing:
                for other in _imported(importer, text, meant):
                    if self.inside(other):
                        self.depends.setdefault(other)
                        seen.append((other, self.text(other)))
                        if os.path.abspath(other) == ours or name in seen[-1][1] or other in loading:
                            return True
        return False

    def naming(self, name: str) -> tuple[str, ...]:
        """Files of host code around ours in which a name stands, nearest first."""
        return self.questions.hosts_naming(name, self.path)

    def inside(self, path: str) -> bool:
        """Whether a file is one of the project."""
        return self.questions.project.relative(path) is not None

    def text(self, path: str) -> bytes:
        """The text of a file."""
        if path not in self._texts:
            try:
                with open(path, "rb") as handle:
                    self._texts[path] = handle.read(LARGE)
            except OSError:
                self._texts[path] = b""
        return self._texts[path]

    def parsed(self, path: str) -> tuple[ModuleFacts, ...]:
        """Facts of a host file."""
        opened = self._opened(path)
        if opened is None:
            return ()
        source, options, headers = opened
        key = (path, hash(source.data), replace(options, around=None), _states(headers))
        known: tuple[ModuleFacts, ...] | None
        known, further, states = _kept.get(key) or (None, (), None)
        if known is None or states != _states(further):
            try:
                modules = self.frontend.parse_file(source, options)
                if not modules and path.endswith(".c") and options.language is None:  # it only calls who launches
                    modules = self.frontend.parse_file(source, replace(options, language="cuda"))
                known = tuple(map(ModuleFacts, modules))
            except Exception:  # what is wrong with that file is told where it is analysed
                known = ()
            further = self.frontend.headers(source, options) if path.endswith(".py") else ()
            _kept[key] = known, further, _states(further)
            while len(_kept) > KEPT:
                _kept.popitem(last=False)
        _kept.move_to_end(key)
        self.depends.update(dict.fromkeys(further))
        return known


def _quotes(text: bytes, word: bytes) -> bool:
    """Whether a text has a word in quotes."""
    return bool(word) and any(mark + word + mark in text for mark in (b'"', b"'"))


def _holders(text: bytes, kernel: bytes) -> tuple[bytes, ...]:
    """The variables or members by which a kernel is known that a text looks up: its own, or those of a table."""
    name = re.escape(kernel)
    match = re.search(_HELD.replace(b"NAME", name), text)
    if match is not None:
        return (match.group(1) or match.group(2),)
    match = re.search(_TABLE.replace(b"NAME", name), text)
    if match is None:
        return ()
    table = match.group(1)
    return tuple(dict.fromkeys((*re.findall(_BY_TABLE.replace(b"TABLE", re.escape(table)), text), table)))


def _imported(path: str, data: bytes, meant: Callable[[str, str, int], str | None]) -> Iterator[str]:
    """The files that the imports of a Python program mean."""
    for match in _IMPORTED.finditer(data):
        dots, module, names = (part.decode("utf-8", "replace") for part in match.groups(b""))
        inner = [f"{module}.{one}".strip(".") for one in re.findall(r"\w+", names)]
        found = (meant(path, one, len(dots)) for one in (module, *inner))
        yield from dict.fromkeys(filter(None, found))


def _states(paths: Iterable[str]) -> tuple[object, ...]:
    """What tells one state of some files from another."""

    def states() -> Iterator[object]:
        for path in paths:
            try:
                state = os.stat(path)
                yield path, state.st_mtime_ns, state.st_size
            except OSError:
                yield path

    return tuple(states())


def _is_host(path: str) -> bool:
    return os.path.splitext(path)[1].lower() in HOSTS


def _common(one: str, other: str) -> int:
    """How many folders two paths have in common."""
    parts = zip(one.split(os.sep)[:-1], other.split(os.sep)[:-1], strict=False)
    count = 0
    for a, b in parts:
        if a != b:
            break
        count += 1
    return count


def _folders(path: str) -> Iterator[str]:
    """The folders that a path lies in, outermost first, each with a separator at its end."""
    at = path.find(os.sep)
    while at >= 0:
        yield path[: at + 1]
        at = path.find(os.sep, at + 1)


def _apart(path: str, other: str) -> str | None:
    """The outermost folder that ``path`` lies in and ``other`` does not: what else is in it is nearer to ``path``."""
    return next((folder for folder in _folders(path) if not other.startswith(folder)), None)


def _closer(path: str, one: str, other: str) -> bool:
    """Whether ``one`` is nearer to ``path`` than ``other`` is."""
    return _common(path, one) > _common(path, other)
