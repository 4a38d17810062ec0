"""Macros that makefiles and build scripts (``setup.py``, Meson, Bazel, SCons, Waf, Cargo, xmake) define, as far as
constants say."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping

from kernlint.project.cmake import Definition, is_macro
from kernlint.text.patterns import pattern

_SET = pattern(r"^[ ]*(?:export\s+)?([A-Za-z_]\w*)\s*[:?+]?=\s*(.*)$")
_USE = pattern(r"\$[({](\w+)[)}]")
_MAKE_DEFINE = pattern(
    r"(?<![\w-])-D\s*([A-Za-z_]\w*(?:=(?:\\?\"[^\"\n]*\"|'[^'\n]*'|(?:\$[({]\w+[)}]|(?!,-)[^\s'\"#;)])*))?)"
)
_INCLUDED = pattern(r"^ *(?:-include|sinclude|include)[ \t]+([^\n#]*)")
_RULE = pattern(r"^([^\t#:=][^:=#]*):(?![=:])([^=]*)$")


DEEP = 4
"""Makefiles that include each other are followed so far."""


def makefile(text: str, folder: str, read: Callable[[str], str] = lambda path: "") -> Iterator[Definition]:
    """What a makefile in ``folder`` defines: in variables and recipes for all files below, in a recipe of one source
    for that one.  ``read`` gives the texts of those that it includes, which stand where they are included."""
    values: dict[str, str] = {}
    depth = 0
    files: tuple[str, ...] = ()
    for line in _lines(text, folder, read, values, DEEP):
        word = line.strip().split(" ")[0]
        if word in ("ifdef", "ifndef", "ifeq", "ifneq") or word.startswith(("ifeq(", "ifneq(")):
            depth += 1
        elif word == "endif":
            depth = max(0, depth - 1)
        if line.startswith("\t"):
            of = files
        else:
            of = files = ()
            if (assigned := _SET.match(line)) is not None:
                values.setdefault(assigned.group(1), assigned.group(2).strip())
            elif (rule := _RULE.match(line)) is not None:
                files = tuple(
                    posixpath.normpath(posixpath.join(folder, name))
                    for name in rule.group(2).split()
                    if "%" not in name and "$" not in name and "." in name
                )
        if line.startswith("#") or "cmake" in line.lower():  # whose -D sets a variable of its own
            continue
        for match in _MAKE_DEFINE.finditer(line.partition(" #")[0]):
            name, equals, value = match.group(1).partition("=")
            written = value
            value = _USE.sub(lambda use: values.get(use.group(1), use.group()), value).strip("'").replace('\\"', '"')
            if _USE.fullmatch(written) and (not value or _USE.fullmatch(value)):
                yield Definition(name, folder, depth == 0, of, open=True)
            elif is_macro(made := name + equals + value):
                yield Definition(made, folder, depth == 0, of)


def _lines(text: str, folder: str, read: Callable[[str], str], values: Mapping[str, str], deep: int) -> Iterator[str]:
    """The lines of a makefile and, in their place, those of the makefiles it includes, whose names ``values`` fill in:
    make looks for them in the folder in which it runs."""
    for line in text.replace("\\\n", " ").split("\n"):
        included = _INCLUDED.match(line) if deep > 0 else None
        if included is None:
            yield line
            continue
        for name in _USE.sub(lambda use: values.get(use.group(1), use.group()), included.group(1)).split():
            path = posixpath.normpath(posixpath.join(folder, name))
            yield from _lines(read(path), folder, read, values, deep - 1)


_WRITTEN = pattern(
    r"(?<!\w)(?P<f>[rRfF]{0,2})(?P<quote>[\"'])(?:-D|/D)(?P<name>[A-Za-z_]\w*)(?P<value>=[^\"'\n]*)?(?P=quote)"
    r"(?P<more>\s*(?:\.\s*format\(|%\s*\(?|\+\s*)(?=(?P<given>[^\n]*)))?"
)
"""A definition among words; with what is put into it where it is made of values."""

_MACROS = pattern(r"define_macros\b[^=\[\n]*(?:=|\+=|\.append\(|\.extend\()\s*(\[?.*?(?:\]|\)\s*$))", re.S | re.M)
_VALUE = r"(?:str\(|repr\()?(?:f?[\"'][^\"'\n]*[\"']|-?\w+)"
_PAIR = pattern(rf"\(\s*[\"']([A-Za-z_]\w*)[\"']\s*,\s*({_VALUE})(?:\.to_string\(\))?\)?\s*\)")
_LISTED = pattern(r"\b(?:local_)?(?:defines|CPPDEFINES)\s*\+?=\s*([\[{][^\]}]*[\]}])")
_WORDS = pattern(r"(?<![(:])(?<![(:] )[\"']([A-Za-z_]\w*(?:=[^\"'\n]*)?)[\"'](?=\s*[,\]\n])")
_ENTRY = pattern(rf"[\"']([A-Za-z_]\w*)[\"']\s*:\s*({_VALUE})")
_CALLED = pattern(
    r"(?:\.define|\badd_defines)\(\s*\"([A-Za-z_]\w*(?:=[^\"\n]*)?)\"(?:\s*,\s*(?:Some\()?\"([^\"\n]*)\")?"
)
_CHOICE = pattern(r"[ \t]*(?:if|elif|else|foreach|for)\b")
_ASSIGNED = pattern(
    r"^[ \t]*(?:let |const )?([A-Za-z_]\w*)\s*=\s*(?:int\()?(-?\d+|\"[^\"\n]*\"|'[^'\n]*')\)?\s*(?:#.*)?$", re.M
)
_AGAIN = pattern(r"^[ \t]*([A-Za-z_]\w*)\s*(?:[-+*/|]?=)(?!=)", re.M)
_ASKED = pattern(r"^[ \t]*([A-Za-z_]\w*)\s*=\s*get_option\(\s*'(\w+)'\s*\)", re.M)
_OPTION = pattern(r"\boption\(\s*'(\w+)'[^)]*?\bvalue\s*:\s*('[^'\n]*'|-?\d+)")
_HOLE = pattern(r"@(\w+)@|\{(\w*)\}|%[dsi]")
_ARGUMENT = pattern(
    r"\s*(?:str\()?([\"'][^\"'\n]*[\"']|-?\d+|[A-Za-z_]\w*(?:\('\w+'\))?)(?:\.to_string\(\))?\)?\s*(,|[\])]|$)"
)


def script(text: str, folder: str, options: str = "") -> Iterator[Definition]:
    """What a build script of Python, Meson, Bazel, SCons, Waf, Cargo or xmake in ``folder`` defines for the files
    below; ``options`` is the text of the file that has Meson's options."""
    other = "cmake" in text.lower()  # whose -D sets a variable of its own, which often becomes a macro
    values = _constants(text, options)
    for match in _WRITTEN.finditer(text):
        sure = not (other or stands_under_a_choice(text, match.start()))
        yield from _defined(match["name"], _filled(match, values), folder, sure)
    pairs = [(match.group(1), match.start(1), _PAIR) for match in _MACROS.finditer(text)]
    for listed in _LISTED.finditer(text):
        whole = listed.group(1)
        pairs += [(whole, listed.start(1), _PAIR), (whole, listed.start(1), _ENTRY), (whole, listed.start(1), _WORDS)]
    for within, at, shape in pairs:
        for pair in shape.finditer(within):
            given = pair.group(2) if shape is not _WORDS else "None"
            value = "" if given == "None" else "=" + _worth(given, values)
            yield from _defined(pair.group(1), value, folder, not stands_under_a_choice(text, at + pair.start()))
    for call in _CALLED.finditer(text):
        value = "=" + call.group(2) if call.group(2) else ""
        yield from _defined(call.group(1), value, folder, not stands_under_a_choice(text, call.start()))


def _defined(name: str, value: str, folder: str, certain: bool) -> Iterator[Definition]:
    """A macro with what follows its name, in which a zero byte stands for what is not known."""
    if "\0" in value:
        yield Definition(name, folder, certain, open=True)
    elif is_macro(name + value):
        yield Definition(name + value, folder, certain)


def _constants(text: str, options: str) -> dict[str, str]:
    """The names that a script gives one value, a number or a text, and Meson's options by ``get_option('name')``."""
    often: dict[str, int] = {}
    for match in _AGAIN.finditer(text):
        often[match.group(1)] = often.get(match.group(1), 0) + 1
    chosen = {match.group(1): match.group(2).strip("'") for match in _OPTION.finditer(options)}
    values = {f"get_option('{name}')": value for name, value in chosen.items()}
    found = [(match.group(1), match.group(2).strip("\"'")) for match in _ASSIGNED.finditer(text)]
    found += [(match.group(1), chosen[match.group(2)]) for match in _ASKED.finditer(text) if match.group(2) in chosen]
    return values | {name: value for name, value in found if often.get(name) == 1}


def _worth(given: str, values: Mapping[str, str]) -> str:
    """The value of a constant, or of a name for one; a zero byte where it is not known."""
    given = given.removeprefix("str(").removeprefix("repr(")
    if given[:1] == "f":
        return _HOLE.sub(lambda hole: values.get(hole[2] or "", "\0"), given[1:].strip("\"'"))
    if given[:1] in ("'", '"'):
        return "\0" if any(sign in given for sign in "{}%") else given[1:-1]
    return given if given.lstrip("-").isdigit() else values.get(given, "\0")


def _filled(match: re.Match[str], values: Mapping[str, str]) -> str:
    """The value that a definition has, ``=`` before it, with what is put into it; zero bytes for what is not known."""
    value, more = match["value"] or "", (match["more"] or "").lstrip()
    if more.startswith("+"):
        argument = _ARGUMENT.match(match["given"])
        return value + (_worth(argument.group(1), values) if argument is not None else "\0")
    if not more and "f" not in match["f"].lower():
        return value if not re.search(r"[{}%]", value) else value + "\0"
    arguments: list[str] = []
    at = 0
    while more and (argument := _ARGUMENT.match(match["given"], at)) is not None:
        arguments.append(_worth(argument.group(1), values))
        at = argument.end()
        if argument.group(2) != ",":
            break
    following = iter(arguments)

    def put(hole: re.Match[str]) -> str:
        name = hole[1] or hole[2] or ""
        if name.isdigit():
            return arguments[int(name)] if int(name) < len(arguments) else "\0"
        return values.get(name, "\0") if name else next(following, "\0")

    made = _HOLE.sub(put, value)
    return made + "\0" if re.search(r"[{}%@]", made) else made


def stands_under_a_choice(text: str, at: int) -> bool:
    """Whether the line at ``at`` stands under a condition, by how far lines are indented."""
    lines = text[:at].split("\n")
    indent = len(lines[-1]) - len(lines[-1].lstrip()) if lines[-1].strip() else len(lines[-1])
    for line in reversed(lines[:-1]):
        if line.strip() and (left := len(line) - len(line.lstrip())) < indent:
            indent = left
            if _CHOICE.match(line):
                return True
    return False
