"""Which file of the project a header's name means where no include folder has it.

The longest match of names decides, then nearness.  A build gives include folders that are not in sight, so the name as
it is written, without what leads up (``../``), is the end of the header's path.  Where a library is installed under
another layout than its sources have, folders of the name stand among those of the path, in order.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence

from kernlint.record import dataclass
from kernlint.text.patterns import pattern

TEMPLATE_ENDINGS = (".in", ".cmake", ".cmake.in")
"""What the template of a header that the build makes has behind the header's name."""

_CMAKE = pattern(rb"^[ \t]*#[ \t]*cmakedefine(?:01)?[ \t]+(\w+)([^\n]*)$", re.M)
_AUTOCONF = pattern(rb"^[ \t]*#[ \t]*undef[ \t]+(\w+)[ \t]*$", re.M)
_HOLE = pattern(rb"@\w+@|\$\{\w+\}")
_DEFINE = pattern(rb"^[ \t]*#[ \t]*define[ \t][^\n]*$", re.M)
_TEXT = pattern(rb"\"(?:[^\"\\\n]|\\.)*\"")


_LINK = pattern(rb"(?:\.\./|\./)*[\w+-][\w./+-]*\.\w+\n?\Z")
_LONGEST_LINK = 300  # bytes

_HEAD = 4096
"""Bytes of a file that tell whether it is of C."""

_COMMENT = pattern(rb"/\*.*?(?:\*/|\Z)", re.S)
_FIRST_HASH = pattern(rb"^[ \t]*#[ \t]*([^\s\"<(]*)", re.M)
_DIRECTIVE = pattern(
    rb"(?:define|undef|include|include_next|import|if|ifdef|ifndef|elif|elifdef|elifndef|else|endif|line|error|warning"
    rb"|pragma|ident|sccs|embed|cmakedefine|cmakedefine01|mesondefine|\d+)?(?:/[/*].*)?\Z",
    re.S,
)


@dataclass(frozen=True, slots=True)
class Choice:
    """The file that a name means, relative to the root; ``others`` could be meant as well.  ``template``: it is the
    template that the build makes the header of."""

    path: str
    others: tuple[str, ...] = ()
    template: bool = False


@dataclass(frozen=True, slots=True)
class Filling:
    """Values of the names that a template has, as far as they are known; ``only``: only ``@NAME@`` is a name."""

    values: tuple[tuple[str, str], ...] = ()
    only: bool = False


_NAMED = pattern(rb"@(\w+)@|\$\{(\w+)\}|#[ \t]*cmakedefine(?:01)?[ \t]+(\w+)")


def named_in(template: bytes) -> tuple[str, ...]:
    """The names that a template has something put in for."""
    found = (next(filter(None, groups)) for groups in _NAMED.findall(template))
    return tuple(dict.fromkeys(name.decode() for name in found))


def is_on(value: str) -> bool:
    """Whether CMake takes a value for true."""
    return value.upper() not in ("", "0", "OFF", "NO", "FALSE", "N", "IGNORE", "NOTFOUND")


def choose(
    name: str,
    folder: str,
    root_name: str,
    names: Mapping[str, Sequence[str]],
    is_code: Callable[[str], bool] = lambda path: True,
) -> Choice | None:
    """The file that ``name`` means in a file of ``folder`` (relative to the root, "" for the root itself).

    ``names``: the project's files by the last part of their paths; ``root_name``: what the project's folder is called;
    ``is_code``: whether the file at a path can be a header, which is asked of the nearest ones.
    """
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    if not parts:
        return None
    found = _best(parts, folder, root_name, names.get(parts[-1], ()))
    while found and not is_code(found[0]):
        del found[0]
    templates = []
    if not found or len(found) > 1:  # one of several is as good as the template of all of them, where that is nearer
        for ending in TEMPLATE_ENDINGS:
            whole = [*parts[:-1], parts[-1] + ending]
            templates = _best(whole, folder, root_name, names.get(whole[-1], ())) or []
            if templates:
                break
    if found and not (templates and _distance(folder, templates[0])[:2] < _distance(folder, found[0])[:2]):
        return Choice(found[0], tuple(found[1:]))
    return Choice(templates[0], tuple(templates[1:]), template=True) if templates else None


def _best(parts: list[str], folder: str, root_name: str, paths: Sequence[str]) -> list[str] | None:
    """The file meant, and behind it those that match as well; None when none does."""
    tail = "/" + "/".join(parts)
    fits = [path for path in paths if f"/{path}".endswith(tail)]
    if not fits and len(parts) > 1:
        fits = [path for path in paths if _in_order(parts, [root_name, *path.split("/")])]
    if not fits:
        return None
    fits.sort(key=lambda path: _distance(folder, path))
    return fits


def _in_order(parts: list[str], path: list[str]) -> bool:
    """Whether all of ``parts`` stand in ``path`` in order, the last of both being the same."""
    rest = iter(path)
    return all(part in rest for part in parts)


def _distance(folder: str, path: str) -> tuple[int, int, int, str]:
    """How far a file is from a folder: first by the folders to go up, then by those to go down; of two that are as far
    the one in folders that are called alike (``syntax/cu`` for ``src/cu``)."""
    here = folder.split("/") if folder else []
    there = path.split("/")[:-1]
    common = 0
    while common < min(len(here), len(there)) and here[common] == there[common]:
        common += 1
    alike = len(set(here[common:]) & set(there[common:]))
    return len(here) - common, len(there) - common, -alike, path


def reads_as_code(path: str) -> bool:
    """Whether the file at ``path`` can be included: no text in which ``#`` begins a comment, as in the settings of a
    build that are called like a header."""
    try:
        with open(path, "rb") as handle:
            head = handle.read(_HEAD)
    except OSError:
        return True
    first = _FIRST_HASH.search(_COMMENT.sub(b"", head))
    return first is None or _DIRECTIVE.match(first.group(1)) is not None


def linked(path: str, size: int) -> str:
    """The file that the one at ``path``, of ``size`` bytes, stands for as its text is nothing but a relative path;
    "" for any other."""
    if not 0 < size < _LONGEST_LINK:
        return ""
    try:
        with open(path, "rb") as handle:
            text = handle.read(_LONGEST_LINK)
    except OSError:
        return ""
    return os.path.normpath(os.path.join(os.path.dirname(path), text.decode().strip())) if _LINK.match(text) else ""


def filled_in(template: bytes, values: Mapping[str, str]) -> bytes:
    """The header that a build makes of ``template``, as far as ``values`` of its variables are known.

    A macro whose value is not known is left undefined, so that it counts as unknown rather than as something made up;
    lines stay where they are.  A bare ``#undef NAME`` is a place for a definition as ``#cmakedefine`` is (Autoconf
    manual, "Configuration Header Templates"), and takes back nothing that a setting defines.
    """

    def cmakedefine(match: re.Match[bytes]) -> bytes:
        name, rest = match.group(1).decode(), match.group(2)
        value = values.get(name)
        on = value is not None and is_on(value)
        if b"cmakedefine01" in match.group():
            return b"#define %s %d" % (match.group(1), on) if value is not None else b""
        return b"#define " + match.group(1) + rest if on else b""

    def undef(match: re.Match[bytes]) -> bytes:
        value = values.get(match.group(1).decode())
        return b"" if value is None or not is_on(value) else b"#define %s %s" % (match.group(1), value.encode())

    def hole(match: re.Match[bytes]) -> bytes:
        value = values.get(match.group().strip(b"@${}").decode())
        return match.group() if value is None else value.encode()

    def define(match: re.Match[bytes]) -> bytes:
        line = _HOLE.sub(hole, match.group())
        return b"" if _HOLE.search(_TEXT.sub(b"", line)) else line

    return _AUTOCONF.sub(undef, _DEFINE.sub(define, _CMAKE.sub(cmakedefine, template)))
