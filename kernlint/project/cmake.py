"""Macros that ``CMakeLists.txt`` files define, as far as constants say.

The commands are read in order, with variables that are plain constants and conditions in three values: an option is
what the file says it is by default, what nobody sets is not known.  A definition under a condition that is not known is
a possible one.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence

from kernlint.record import dataclass, field
from kernlint.text.patterns import pattern

MAX_DEPTH = 4
"""Files that include each other are followed so deep."""

_COMMAND = pattern(r"#\[(=*)\[.*?\]\1\]|#[^\n]*|([A-Za-z_]\w*)[ \t]*\(", re.S)
_ARGUMENT = pattern(
    r"#\[(=*)\[.*?\]\1\]|#[^\n]*|\"((?:[^\"\\]|\\.)*)\"|\[(=*)\[(.*?)\]\3\]|(\(|\))|((?:[^\s()#\"\\]|\\.|(?<=\S)\"(?:[^\"\\]|\\.)*\")+)",
    re.S,
)
_VARIABLE = pattern(r"\$\{(\w+)\}")
_OF_LANGUAGE = pattern(r"\$<\$<COMPILE_LANGUAGE:(?:CUDA|HIP|CXX|C)(?:,\w+)*>:(.*)>", re.S)
_PLAIN_WRAPPER = pattern(r"\$<(?:BUILD_INTERFACE|BUILD_LOCAL_INTERFACE):(.*)>", re.S)
_FALSE = frozenset({"", "0", "OFF", "NO", "FALSE", "N", "IGNORE", "NOTFOUND"})
_TRUE = frozenset({"1", "ON", "YES", "TRUE", "Y"})
_SYSTEM = {"WIN32": "OFF", "MSVC": "OFF", "APPLE": "OFF", "ANDROID": "OFF", "IOS": "OFF", "MINGW": "OFF", "UNIX": "ON"}
_SCOPES = frozenset({"PRIVATE", "PUBLIC", "INTERFACE", "BEFORE", "AFTER", "SYSTEM"})
_KINDS = frozenset({"STATIC", "SHARED", "MODULE", "OBJECT", "INTERFACE", "EXCLUDE_FROM_ALL", "WIN32", "MACOSX_BUNDLE"})
_FLAG_VARIABLES = pattern(r"CMAKE_(?:C|CXX|CUDA|HIP)_FLAGS|CUDA_NVCC_FLAGS|HIP_\w+_FLAGS")


@dataclass(frozen=True, slots=True)
class Definition:
    """A macro, ``NAME`` or ``NAME=VALUE``, that a build defines for the files below ``folder``; ``files``: for these
    alone.  ``certain``: under no condition that is not known.  ``open``: the text is a name alone, whose value is up to
    who builds."""

    text: str
    folder: str
    certain: bool
    files: tuple[str, ...] = ()
    open: bool = False


@dataclass(slots=True)
class _Target:
    sources: list[str] = field(default_factory=list)
    whole: bool = True


Env = dict[str, str]


class Reader:
    """Reads the files of one project.  ``text_of`` gives the text of a file by its path relative to the root, "" when
    there is none; ``module`` the path of a module ``NAME.cmake``."""

    def __init__(self, text_of: Callable[[str], str], module: Callable[[str], str | None]) -> None:
        self._text_of = text_of
        self._module = module
        self._env_of: dict[str, Env] = {}
        self.variables: Env = {}
        self.configured: dict[str, str] = {}
        """Files that ``configure_file`` makes, as far as their paths are plain words at the end, and the paths of their
        templates."""

    def read(self, path: str) -> list[Definition]:
        """What the ``CMakeLists.txt`` at ``path`` defines; those of folders above must have been read before."""
        folder = posixpath.dirname(path)
        above = folder
        while above and above not in self._env_of:
            above = posixpath.dirname(above)
        env = dict(self._env_of.get(above, _SYSTEM))
        run = _Run(self._text_of, self._module, folder, env)
        run.file(path, 0)
        self._env_of[folder] = env
        self.variables = {**env, **self.variables}
        self.configured = {**run.configured, **self.configured}
        return run.definitions()


class _Run:
    """One file, and what it includes."""

    def __init__(
        self, text_of: Callable[[str], str], module: Callable[[str], str | None], folder: str, env: Env
    ) -> None:
        self._text_of = text_of
        self._module = module
        self.folder = folder
        self.env = env
        self.targets: dict[str, _Target] = {}
        self.found: list[tuple[str, bool, str, tuple[str, ...]]] = []
        self.branches: list[tuple[bool | None, bool | None]] = []
        self.functions = 0
        self.configured: dict[str, str] = {}

    def file(self, path: str, depth: int) -> None:
        for name, arguments in commands(self._text_of(path)):
            self._command(name.lower(), arguments, depth)

    def definitions(self) -> list[Definition]:
        """All definitions, those of a target for its sources where they are known."""
        result = []
        for text, certain, target, files in self.found:
            known = self.targets.get(target)
            if target and known is not None and known.whole:
                files = tuple(known.sources)
            result.append(Definition(text, self.folder, certain, files))
        return result

    # -------------------------------------------------------------------------------------------------- commands

    def _command(self, name: str, arguments: list[tuple[str, bool]], depth: int) -> None:
        words = [text for text, _ in arguments]
        if name in ("function", "macro"):
            self.functions += 1
        elif name in ("endfunction", "endmacro"):
            self.functions = max(0, self.functions - 1)
        if self.functions:
            return
        if name == "if":
            truth = self._truth(words)
            self.branches.append((truth, truth))
        elif name in ("elseif", "else") and self.branches:
            _, before = self.branches.pop()
            truth = True if name == "else" else self._truth(words)
            here = _and(truth, _not(before))
            self.branches.append((here, _or(before, truth)))
        elif name == "endif" and self.branches:
            self.branches.pop()
        else:
            here = self._here()
            if here is not False:
                self._active(name, words, here is True, depth)

    def _here(self) -> bool | None:
        """Whether the commands at this place are run; None: not known."""
        truth: bool | None = True
        for here, _ in self.branches:
            truth = _and(truth, here)
        return truth

    def _active(self, name: str, words: list[str], certain: bool, depth: int) -> None:
        if name == "set" and words:
            self._set(words, certain)
        elif name == "option" and words:
            self.env.setdefault(words[0], words[2] if len(words) > 2 else "OFF")
        elif name == "list" and len(words) > 2 and words[0] == "APPEND":
            added = ";".join(self._expand(words[2:]))
            self.env[words[1]] = ";".join(filter(None, (self.env.get(words[1], ""), added)))
            self._flags_of(words[1], words[2:], certain)
        elif name == "unset" and words:
            self.env.pop(words[0], None)
        elif name == "include" and words and depth < MAX_DEPTH:
            self._include(words[0], depth)
        elif name == "configure_file" and len(words) > 1:
            template, made = (self._name(word) for word in words[:2])
            at = template.rpartition("}/")[2]  # (of the source folder of the project, or of this file)
            template = at if at != template else posixpath.normpath(posixpath.join(self.folder, template))
            self.configured[made.rpartition("}/")[2].removeprefix("./")] = template
        elif name in ("add_definitions", "add_compile_options"):
            self._flags(words, certain, "", ())
        elif name == "add_compile_definitions":
            self._define(words, certain, "", ())
        elif name == "target_compile_definitions" and words:
            self._define([word for word in words[1:] if word not in _SCOPES], certain, self._name(words[0]), ())
        elif name == "target_compile_options" and words:
            self._flags([word for word in words[1:] if word not in _SCOPES], certain, self._name(words[0]), ())
        elif name in ("set_source_files_properties", "set_target_properties", "set_property"):
            self._properties(words, certain, name)
        elif words and (name == "target_sources" or name.endswith(("add_library", "add_executable"))):
            self._sources(self._name(words[0]), words[1:])

    def _set(self, words: list[str], certain: bool) -> None:
        name, values = words[0], words[1:]
        for marker in ("CACHE", "PARENT_SCOPE"):
            if marker in values:
                values = values[: values.index(marker)]
        expanded = self._expand(values)
        if any("${" in value for value in expanded):
            self.env.pop(name, None)
        elif certain or name not in self.env:
            self.env[name] = ";".join(expanded)
        self._flags_of(name, values, certain)

    def _flags_of(self, name: str, values: Sequence[str], certain: bool) -> None:
        if _FLAG_VARIABLES.match(name):
            self._flags([part for value in values for part in value.split()], certain, "", ())

    def _include(self, name: str, depth: int) -> None:
        (expanded,) = self._expand([name]) or [""]
        expanded = expanded.removeprefix("./")
        path = posixpath.normpath(posixpath.join(self.folder, expanded)) if expanded.endswith(".cmake") else None
        if path is None or not self._text_of(path):
            path = self._module(posixpath.basename(expanded).removesuffix(".cmake") + ".cmake")
        if path is not None:
            self.file(path, depth + 1)

    def _name(self, word: str) -> str:
        return ";".join(self._expand([word]))

    def _sources(self, target: str, words: list[str]) -> None:
        known = self.targets.setdefault(target, _Target())
        for word in self._expand(word for word in words if word not in _SCOPES and word not in _KINDS):
            if "$" in word or "*" in word:
                known.whole = False
            else:
                known.sources.append(posixpath.normpath(posixpath.join(self.folder, word)))
        known.whole = known.whole and bool(known.sources)

    def _properties(self, words: list[str], certain: bool, command: str) -> None:
        keys = ("COMPILE_DEFINITIONS", "COMPILE_FLAGS", "COMPILE_OPTIONS")
        at = next((n for n, word in enumerate(words) if word in keys), None)
        if at is None or ("PROPERTIES" not in words[:at] and "PROPERTY" not in words[:at]):
            return
        values = words[at + 1 :] if command == "set_property" else words[at + 1 : at + 2]
        named = [word for word in words[:at] if word not in ("PROPERTIES", "PROPERTY", "APPEND", "APPEND_STRING")]
        of_sources = command == "set_source_files_properties" or named[:1] == ["SOURCE"]
        files: tuple[str, ...] = ()
        target = ""
        if of_sources:
            parts = self._expand(word for word in named if word != "SOURCE")
            files = tuple(posixpath.normpath(posixpath.join(self.folder, part)) for part in parts)
        else:
            target = self._name(next((word for word in named if word != "TARGET"), ""))
        split = [part for value in values for part in re.split(r"[\s;]+", value) if part]
        (self._define if words[at] == keys[0] else self._flags)(split, certain, target, files)

    # ----------------------------------------------------------------------------------------------- definitions

    def _define(self, words: Sequence[str], certain: bool, target: str, files: tuple[str, ...]) -> None:
        for word in self._expand(words):
            text, sure = _unwrapped(word)
            for part in text.removeprefix("-D").split(";"):
                if _A_TEXT.fullmatch(part):  # a text is one whatever a variable that is not known puts into it
                    part = _VARIABLE.sub(".", part)
                if part and is_macro(part):
                    self.found.append((part.replace('\\"', '"'), certain and sure, target, files))

    def _flags(self, words: Sequence[str], certain: bool, target: str, files: tuple[str, ...]) -> None:
        defines = []
        for word in self._expand(words):
            text, sure = _unwrapped(word)
            parts = [part for piece in text.split(";") for part in piece.split()]
            for n, part in enumerate(parts):
                part = part if part != "-D" else "-D" + "".join(parts[n + 1 : n + 2])
                if part.startswith(("-D", "/D")):
                    defines.append((part[2:], sure))
        for text, sure in defines:
            self._define([text], certain and sure, target, files)

    def _expand(self, words: Iterator[str] | Sequence[str]) -> list[str]:
        """Words with the variables that are known put in, lists of them taken apart."""
        out: list[str] = []
        for word in words:
            for _ in range(4):
                if "${" not in word:
                    break
                word = _VARIABLE.sub(lambda match: self.env.get(match.group(1), match.group()), word)
            out += [word] if "$<" in word or ";" not in word else [part for part in word.split(";") if part]
        return out

    # ------------------------------------------------------------------------------------------------ conditions

    def _truth(self, words: list[str]) -> bool | None:
        """What a condition comes to; None when something in it is not known."""
        words = [word for word in words if word not in ("(", ")")] if "(" not in words else words
        if "(" in words:
            return None
        for operator, join in (("OR", _or), ("AND", _and)):
            if operator in words:
                at = words.index(operator)
                return join(self._truth(words[:at]), self._truth(words[at + 1 :]))
        if words[:1] == ["NOT"]:
            return _not(self._truth(words[1:]))
        if len(words) == 3 and words[1] in ("STREQUAL", "EQUAL"):
            left, right = (self.env.get(word, word) for word in (words[0], words[2]))
            left, right = (" ".join(self._expand([word])) for word in (left, right))
            return None if "${" in left + right or (words[0] == left and words[0].isupper()) else left == right
        if len(words) == 1:
            return self._value(words[0])
        return None

    def _value(self, word: str) -> bool | None:
        (text,) = self._expand([word])[:1] or [""]
        if text.upper() in _TRUE:
            return True
        if text.upper() in _FALSE or text.upper().endswith("-NOTFOUND"):
            return False
        value = self.env.get(text)
        if value is None or "${" in value:
            return None
        return not (value.upper() in _FALSE or value.upper().endswith("-NOTFOUND"))


_A_TEXT = re.compile(r"[A-Za-z_]\w*=(\\?\")[^\"\\\n]*\1")
"""A macro that stands for a literal, such as the name of a folder."""


def is_macro(text: str) -> bool:
    """Whether a text is ``NAME`` or ``NAME=VALUE`` with nothing left open in it."""
    return re.fullmatch(r"[A-Za-z_]\w*(?:=[^$@\n]*)?", text) is not None and not text.endswith("=${")


def _unwrapped(word: str) -> tuple[str, bool]:
    """A definition without generator expressions around it, and whether it holds without a condition."""
    sure = True
    while word.startswith("$<"):
        inner = _OF_LANGUAGE.fullmatch(word) or _PLAIN_WRAPPER.fullmatch(word)
        if inner is None:
            sure = False
            inner = re.fullmatch(r"\$<\$<[^<>]*>:(.*)>", word, re.S)
        if inner is None:
            return "", False
        word = inner.group(1)
    return word, sure


def commands(text: str) -> Iterator[tuple[str, list[tuple[str, bool]]]]:
    """Name and arguments (text, whether it was quoted) of each command."""
    at = 0
    while (match := _COMMAND.search(text, at)) is not None:
        at = match.end()
        if match.group(2) is None:
            continue
        arguments: list[tuple[str, bool]] = []
        depth = 1
        for part in _ARGUMENT.finditer(text, at):
            at = part.end()
            if part.group(5) is not None:
                depth += 1 if part.group(5) == "(" else -1
                if depth == 0:
                    break
                arguments.append((part.group(5), False))
            elif part.group(2) is not None:
                arguments.append((part.group(2), True))
            elif part.group(4) is not None:
                arguments.append((part.group(4), True))
            elif part.group(6) is not None:
                arguments.append((part.group(6), False))
        yield match.group(2), arguments


def _not(a: bool | None) -> bool | None:
    return None if a is None else not a


def _and(a: bool | None, b: bool | None) -> bool | None:
    return False if a is False or b is False else None if a is None or b is None else True


def _or(a: bool | None, b: bool | None) -> bool | None:
    return _not(_and(_not(a), _not(b)))
