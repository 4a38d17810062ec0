"""Macros that makefiles, ``setup.py`` and ``meson.build`` define, as far as constants say."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from kernlint.project.cmake import Definition, is_macro
from kernlint.text.patterns import pattern

_SET = pattern(r"^[ ]*(?:export\s+)?([A-Za-z_]\w*)\s*[:?+]?=\s*(.*)$")
_USE = pattern(r"\$[({](\w+)[)}]")
_MAKE_DEFINE = pattern(
    r"(?<![\w-])-D\s*([A-Za-z_]\w*(?:=(?:\\?\"[^\"\n]*\"|'[^'\n]*'|(?:\$[({]\w+[)}]|(?!,-)[^\s'\"#;)])*))?)"
)
_RULE = pattern(r"^([^\t#:=][^:=#]*):(?![=:])([^=]*)$")


def makefile(text: str, folder: str) -> Iterator[Definition]:
    """What a makefile in ``folder`` defines: in variables and recipes for all files below, in a recipe of one source
    for that one."""
    values: dict[str, str] = {}
    depth = 0
    files: tuple[str, ...] = ()
    for line in text.replace("\\\n", " ").split("\n"):
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


_QUOTED = pattern(r"(?<![\w])(?:[rR])?([\"'])(?:-D|/D)([A-Za-z_]\w*(?:=[^\"'\n{}%]*)?)\1(?!\s*%)")
_MACROS = pattern(r"define_macros\b[^=\[\n]*(?:=|\+=|\.append\(|\.extend\()\s*(\[?.*?(?:\]|\)\s*$))", re.S | re.M)
_PAIR = pattern(r"\(\s*[\"']([A-Za-z_]\w*)[\"']\s*,\s*(None|[\"']([^\"'\n{}%]*)[\"']|\d+)\s*\)")
_CHOICE = pattern(r"[ \t]*(?:if|elif|else|foreach|for)\b")


def script(text: str, folder: str) -> Iterator[Definition]:
    """What a build script of Python or Meson in ``folder`` defines for the files below."""
    other = "cmake" in text.lower()  # whose -D sets a variable of its own, which often becomes a macro
    for match in _QUOTED.finditer(text):
        if is_macro(match.group(2)):
            yield Definition(match.group(2), folder, not (other or stands_under_a_choice(text, match.start())))
    for match in _MACROS.finditer(text):
        for pair in _PAIR.finditer(match.group(1)):
            value = "" if pair.group(2) == "None" else "=" + (pair.group(3) or pair.group(2)).strip("\"'")
            if is_macro(made := pair.group(1) + value):
                yield Definition(made, folder, not stands_under_a_choice(text, match.start(1) + pair.start()))


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
