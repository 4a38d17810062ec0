"""A preprocessor that follows conditions and definitions, and nothing else.

It tells which branches of a file are compiled under which macros, headers that were found included.  It is quick
enough to be asked a few hundred times for a file, and may err (calls of macros in conditions count as 0): whatever it
says is tried with the compiler.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from kernlint.frontends.clang.conditions.expressions import Expression, evaluate, read
from kernlint.record import dataclass, field
from kernlint.text.patterns import pattern

MAX_INCLUDES = 64
"""Depth of headers that are followed."""

_BLANKED = pattern(rb'//(?:\\\r?\n|[^\n])*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
_DIRECTIVE = pattern(rb"^[ \t]*(?:#|%:)[ \t]*([a-z_]+)((?:\\\r?\n|[^\n])*)", re.MULTILINE)
_CONTINUED = pattern(rb"\\\r?\n")
_DEFINE = pattern(r"\s*([A-Za-z_]\w*)(\([^)]*\))?\s*(.*)", re.DOTALL)
_COMPUTED = pattern(r"([\w./+-]+\.\w+)")
_HEADER = pattern(r'\s*(?:"([^"]+)"|<([^>]+)>)')
_CONDITIONS = ("if", "ifdef", "ifndef")


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """One branch of a conditional of one file.

    ``condition``: None for ``#else``.  ``earlier``: the branches of the same ``#if`` before it, ``parent`` the branch
    around it.  The code lies from ``start`` to ``end`` (bytes), between the directives.
    """

    file: str
    start: int
    end: int
    condition: Expression | None
    earlier: tuple[Branch, ...]
    parent: Branch | None


@dataclass(frozen=True, slots=True, eq=False)
class _Item:
    """One directive that matters, in order; ``op`` is ``define``, ``undef``, ``include`` or a :class:`Branch` begun."""

    op: str
    name: str = ""
    body: str = ""
    branch: Branch | None = None
    within: Branch | None = None


@dataclass(slots=True)
class File:
    """The directives of one file."""

    path: str
    items: list[_Item] = field(default_factory=list)
    branches: list[Branch] = field(default_factory=list)
    once: bool = False


_SPACES = bytes(byte if byte == 10 else 32 for byte in range(256))


@lru_cache(maxsize=64)
def blanked(text: bytes) -> bytes:
    """``text`` without comments; literals stay, lines and offsets too."""

    def spaces(match: re.Match[bytes]) -> bytes:
        found = match.group()
        return found if found[:1] in b"\"'" else found.translate(_SPACES)

    return _BLANKED.sub(spaces, text)


MOST_FILES = 512
"""Files whose directives are remembered: sources of a project have their headers in common."""

_read: dict[str, tuple[int, int, File]] = {}


def read_file(path: str, text: bytes) -> File:
    """The directives of a file, its branches in the order in which they begin; nobody changes what is given."""
    state = len(text), hash(text)
    known = _read.get(path)
    if known is not None and known[:2] == state:
        return known[2]
    file = _Scan(path, text).file
    _read.pop(path, None)
    if len(_read) >= MOST_FILES:
        _read.pop(next(iter(_read)))
    _read[path] = (*state, file)
    return file


class _Scan:
    """One pass over the directives; branches are closed when their end is known."""

    def __init__(self, path: str, text: bytes) -> None:
        self.file = File(path)
        self.open: list[tuple[list[Branch], Branch | None]] = []  # branches of the #if so far, and what is around it
        self.current: Branch | None = None
        for match in _DIRECTIVE.finditer(blanked(text)):
            word = match.group(1).decode()
            rest = _CONTINUED.sub(b" ", match.group(2)).decode("latin-1").strip()
            self.directive(word, rest, match.start(), match.end())
        while self.open:
            self.close(len(text))
            self.current = self.open.pop()[1]

    def close(self, at: int) -> None:
        if self.current is not None:
            object.__setattr__(self.current, "end", at)

    def begin(self, condition: Expression | None, at: int) -> None:
        branches, around = self.open[-1]
        branch = Branch(self.file.path, at, at, condition, tuple(branches), around)
        branches.append(branch)
        self.current = branch
        self.file.branches.append(branch)
        self.file.items.append(_Item("branch", branch=branch, within=around))

    def directive(self, word: str, rest: str, start: int, end: int) -> None:
        if word in _CONDITIONS:
            self.open.append(([], self.current))
            self.begin(_condition(word, rest), end)
        elif word in ("elif", "else", "elifdef", "elifndef") and self.open:
            self.close(start)
            self.begin(None if word == "else" else _condition(word[2:], rest), end)
        elif word == "endif" and self.open:
            self.close(start)
            self.current = self.open.pop()[1]
        elif word == "define" and (match := _DEFINE.match(rest)):
            body = "" if match.group(2) else match.group(3).strip()
            self.file.items.append(_Item("define", match.group(1), body, within=self.current))
        elif word == "undef":
            self.file.items.append(_Item("undef", rest.split()[0] if rest else "", within=self.current))
        elif word == "pragma" and rest.split()[:1] == ["once"]:
            self.file.once = True
        elif word in ("include", "include_next", "import"):
            match = _HEADER.match(rest) or _COMPUTED.search(rest)
            name = next(filter(None, match.groups())) if match else ""
            self.file.items.append(_Item("include", name, within=self.current))


def _condition(word: str, rest: str) -> Expression:
    if word in ("ifdef", "ifndef"):
        name = re.match(r"\w*", rest)
        defined = Expression("defined", name=name.group() if name else "")
        return defined if word == "ifdef" else Expression("u!", (defined,))
    return read(rest)


@dataclass(slots=True)
class Outcome:
    """What one pass did: the branches compiled, headers named in code that is compiled, ``before`` the macros that
    each branch's condition was decided under (only those of the files asked for), and the macros at the end."""

    active: set[Branch] = field(default_factory=set)
    includes: set[str] = field(default_factory=set)
    before: dict[Branch, dict[str, str]] = field(default_factory=dict)
    macros: dict[str, str] = field(default_factory=dict)
    entered: set[str] = field(default_factory=set)


def load(path: str) -> bytes | None:
    """The bytes of a file; None where it cannot be read."""
    try:
        with open(path, "rb") as handle:
            return handle.read()
    except OSError:
        return None


class Program:
    """A source with the headers that were found."""

    def __init__(self, path: str, text: bytes, headers: Iterable[str], load: Callable[[str], bytes | None]) -> None:
        self.main = read_file(path, text)
        self._headers: dict[str, None] = {}
        self._by_name: dict[str, list[tuple[str, str]]] = {}
        self._load = load
        self._files: dict[str, File | None] = {path: self.main}
        self._targets: dict[tuple[str, str], str | None] = {}
        self.learn(headers)

    def files(self) -> Iterator[File]:
        """The files read so far."""
        yield from (file for file in self._files.values() if file is not None)

    def learn(self, headers: Iterable[str]) -> bool:
        """Take headers that another reading has found; whether there are new ones."""
        new = [header for header in headers if header not in self._headers]
        for header in dict.fromkeys(new):
            self._headers[header] = None
            whole = os.sep + os.path.normpath(header)
            self._by_name.setdefault(os.path.basename(whole), []).append((whole, header))
        if new:
            self._targets.clear()
        return bool(new)

    def run(self, macros: dict[str, str]) -> Outcome:
        """Go through the source with ``macros`` defined before its first line."""
        outcome = Outcome(macros=dict(macros))
        self._enter(self.main, outcome, [])
        return outcome

    def _enter(self, file: File, outcome: Outcome, above: list[str]) -> None:
        taken: set[Branch] = set()
        macros = outcome.macros
        for item in file.items:
            if item.within is not None and item.within not in taken:
                continue
            if item.branch is not None:
                branch = item.branch
                if file is self.main:
                    outcome.before[branch] = dict(macros)
                if not any(each in taken for each in branch.earlier) and (
                    branch.condition is None or evaluate(branch.condition, macros)
                ):
                    taken.add(branch)
            elif item.op == "define":
                macros[item.name] = item.body
            elif item.op == "undef":
                macros.pop(item.name, None)
            else:
                outcome.includes.add(item.name)
                self._include(file, item.name, outcome, above)
        outcome.active |= taken

    def _include(self, file: File, name: str, outcome: Outcome, above: list[str]) -> None:
        target = self._target(file.path, name)
        if target is None or target in above or target == self.main.path or len(above) > MAX_INCLUDES:
            return
        if target not in self._files:
            text = self._load(target)
            self._files[target] = None if text is None else read_file(target, text)
        inner = self._files[target]
        if inner is not None and not (inner.once and target in outcome.entered):
            outcome.entered.add(target)
            self._enter(inner, outcome, [*above, file.path])

    def _ending(self, tail: str) -> list[str]:
        """The headers that end in a path, or in what is left of it where its first folder is a macro's name."""
        alike = self._by_name.get(os.path.basename(tail), ())
        fitting = [header for whole, header in alike if whole.endswith(os.sep + tail)]
        first, _, rest = tail.partition(os.sep)
        return self._ending(rest) if not fitting and rest and first.isupper() else fitting

    def _target(self, includer: str, name: str) -> str | None:
        """The header that a name leads to: of those found, the one beside the includer, else the first that fits."""
        key = (os.path.dirname(includer), name)
        if key not in self._targets:
            fitting = self._ending(os.path.normpath(name).lstrip("./"))
            beside = os.path.normpath(os.path.join(key[0], name))
            near = [h for h in fitting if os.path.normpath(h) == beside]
            self._targets[key] = next(iter(near or fitting), None)
        return self._targets[key]
