"""Macros that ``CMakeLists.txt`` files define, as far as constants say.

The commands are read in order, with variables that are plain constants and conditions in three values: an option is
what the file says it is by default, what nobody sets is not known.  A definition under a condition that is not known is
a possible one.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence

from kernlint.project.tree import is_of_kernels
from kernlint.record import dataclass, field
from kernlint.text.patterns import pattern

MAX_DEPTH = 4
"""Files that include each other, and functions that call each other, are followed so deep."""

MAX_ROUNDS = 32
"""Rounds of a loop that are followed."""

MAX_COMMANDS = 20_000
"""Commands of one file that are followed, with those of loops and functions."""

MAX_MADE = 16
"""Files that are made of one template, each with values of its own."""

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
Command = tuple[str, list[tuple[str, bool]]]
"""Name and arguments (text, whether it was quoted)."""


@dataclass(frozen=True, slots=True)
class Made:
    """A file that ``configure_file`` makes of a ``template`` with ``values``; ``only``: just of ``@NAME@``."""

    template: str
    values: Env
    only: bool


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
        self.made: list[Made] = []
        """What is made of templates of kernels."""
        self.functions: Functions = {}

    def read(self, path: str) -> list[Definition]:
        """What the ``CMakeLists.txt`` at ``path`` defines; those of folders above must have been read before."""
        folder = posixpath.dirname(path)
        above = folder
        while above and above not in self._env_of:
            above = posixpath.dirname(above)
        env = dict(self._env_of.get(above, _SYSTEM))
        run = _Run(self._text_of, self._module, folder, env, self.functions)
        run.file(path, 0)
        self._env_of[folder] = env
        self.variables = {**env, **self.variables}
        self.configured = {**run.configured, **self.configured}
        self.made += run.made
        return run.definitions()


Functions = dict[str, tuple[list[str], list[Command], bool]]
"""Functions and macros by name: their parameters, their commands, and whether they have variables of their own."""


class _Run:
    """One file, and what it includes."""

    def __init__(
        self,
        text_of: Callable[[str], str],
        module: Callable[[str], str | None],
        folder: str,
        env: Env,
        functions: Functions,
    ) -> None:
        self._text_of = text_of
        self._module = module
        self.folder = folder
        self.env = env
        self.targets: dict[str, _Target] = {}
        self.found: list[tuple[str, bool, str, tuple[str, ...]]] = []
        self.branches: list[tuple[bool | None, bool | None]] = []
        self.functions = functions
        self.running: list[str] = []
        self.outer: list[Env] = []
        """What functions that run set for who has called them."""
        self.changing: set[str] = set()
        """Variables that the rounds of a loop give other values."""
        self.left = MAX_COMMANDS
        self.configured: dict[str, str] = {}
        self.made: list[Made] = []

    def file(self, path: str, depth: int) -> None:
        self._body(list(commands(self._text_of(path))), depth)

    def _body(self, body: list[Command], depth: int) -> None:
        at = 0
        while at < len(body) and self.left > 0:
            self.left -= 1
            name, arguments = body[at][0].lower(), body[at][1]
            at += 1
            if name not in ("foreach", "function", "macro"):
                self._command(name, arguments, depth)
                continue
            end = _closing(body, at, name)
            words, inner = [text for text, _ in arguments], body[at:end]
            at = end + 1
            if name != "foreach" and words:
                self.functions[words[0].lower()] = (words[1:], inner, name == "function")
            elif words and self._here() is not False:
                self._loop(words[0], self._rounds(words[1:]), inner, depth)

    def _rounds(self, words: list[str]) -> list[str] | None:
        """What a loop goes over; None where that is not known."""
        if words[:1] == ["RANGE"]:
            return _range(self._expand(words[1:]))
        if words[:1] != ["IN"]:
            items = self._expand(words)
        else:
            lists = [word for word in words[1:] if word not in ("LISTS", "ITEMS")]
            if words[1:2] == ["LISTS"]:
                end = lists.index("ITEMS") if "ITEMS" in lists else len(lists)
                items = self._expand([f"${{{name}}}" for name in lists[:end]] + lists[end:])
            else:
                items = self._expand(lists)
        return None if any("${" in item for item in items) else items

    def _loop(self, name: str, items: list[str] | None, body: list[Command], depth: int) -> None:
        before, known = set(self.changing), self.env.get(name)
        if items is None or len(items) > 1:
            self.changing.add(name)
        for item in [None] if items is None else items[:MAX_ROUNDS]:
            self.env.pop(name, None)
            if item is not None:
                self.env[name] = item
            self._body(body, depth)
        self.changing = before
        self.env.pop(name, None)
        if known is not None:
            self.env[name] = known

    def _call(self, name: str, words: list[str], depth: int) -> None:
        parameters, body, own = self.functions[name]
        given = self._expand(words)
        before = dict(self.env)
        self.env.update(zip(parameters, given, strict=False))
        self.env.update((f"ARGV{at}", one) for at, one in enumerate(given))
        self.env["ARGN"], self.env["ARGV"] = ";".join(given[len(parameters) :]), ";".join(given)
        self.running.append(name)
        self.outer.append({})
        self._body(body, depth)
        self.running.pop()
        set_for_caller = self.outer.pop()
        if own:
            self.env.clear()
            self.env.update(before)
        else:
            for one in (*parameters, "ARGN", "ARGV"):
                self.env.pop(one, None)
                if one in before:
                    self.env[one] = before[one]
        self.env.update(set_for_caller)

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
                if name in self.functions and name not in self.running and len(self.running) < MAX_DEPTH:
                    self._call(name, words, depth)

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
        elif name == "math" and words[:1] == ["EXPR"] and len(words) > 2:
            self._math(words[1], words[2])
        elif name == "unset" and words:
            self.env.pop(words[0], None)
        elif name == "include" and words and depth < MAX_DEPTH:
            self._include(words[0], depth)
        elif name == "configure_file" and len(words) > 1:
            template, made = (self._name(word) for word in words[:2])
            at = template.rpartition("}/")[2]  # (of the source folder of the project, or of this file)
            template = at if at != template else posixpath.normpath(posixpath.join(self.folder, template))
            self.configured[made.rpartition("}/")[2].removeprefix("./")] = template
            kernels = "COPYONLY" not in words and (is_of_kernels(template) or is_of_kernels(made))
            if kernels and sum(one.template == template for one in self.made) < MAX_MADE:
                self.made.append(Made(template, dict(self.env), "@ONLY" in words))
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
        (name,), values = self._expand(words[:1])[:1] or [""], words[1:]
        if any(f"${{{one}}}" in word for one in self.changing for word in words):
            self.changing.add(name)
        for marker in ("CACHE", "PARENT_SCOPE"):
            if marker in values:
                values = values[: values.index(marker)]
        expanded = self._expand(values)
        if any("${" in value for value in expanded):
            self.env.pop(name, None)
        elif certain or name not in self.env:
            self.env[name] = ";".join(expanded)
            if "PARENT_SCOPE" in words and self.outer:
                self.outer[-1][name] = self.env[name]
        self._flags_of(name, values, certain)

    def _math(self, name: str, text: str) -> None:
        """``math(EXPR name "2 * ${N}")``."""
        from kernlint.project.constants import whole_number

        value = whole_number(" ".join(self._expand([text])))
        self.env.pop(name, None)
        if value is not None:
            self.env[name] = str(value)

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
        for word, changes in self._each(words):
            text, sure = _unwrapped(word)
            sure = sure and not changes
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

    def _each(self, words: Sequence[str]) -> Iterator[tuple[str, bool]]:
        """Words with the variables that are known put in, and whether the rounds of a loop make others of them."""
        for written in words:
            changes = any(f"${{{one}}}" in written for one in self.changing)
            yield from ((word, changes) for word in self._expand([written]))

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


def _closing(body: list[Command], at: int, word: str) -> int:
    """The place of the command that ends the block in which the one at ``at`` is the first."""
    depth = 0
    for index in range(at, len(body)):
        name = body[index][0].lower()
        depth += (name == word) - (name == f"end{word}")
        if depth < 0:
            return index
    return len(body)


def _range(words: list[str]) -> list[str] | None:
    """``RANGE stop`` or ``RANGE start stop step``, with the last one."""
    if not words or not all(re.fullmatch(r"\d+", word) for word in words):
        return None
    numbers = [int(word) for word in words]
    first, last = (0, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])
    step = numbers[2] if len(numbers) > 2 else 1
    return [str(one) for one in range(first, last + 1, step)[:MAX_ROUNDS]] if step else None


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


def commands(text: str) -> Iterator[Command]:
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
