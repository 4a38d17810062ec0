"""What the project says of a name that a program uses and does not declare.

Programs for OpenCL, and those that CUDA compiles when it runs, are put together by host code: a text with types, macros
and helpers goes before them, out of another file or out of strings of the host.  Such a text is found by what it
defines.  A file that holds no kernel and defines the name stands before the program whole; of a host file's strings
only the definition counts, and of its tables of tuned parameters (``{"TILE", 16}``) the number.  A name that several
texts equally near give different numbers is anybody's: none is taken.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from kernlint.record import dataclass
from kernlint.text.patterns import pattern

_OPENCL = (".cl", ".clh", ".opencl", ".ocl")
_CUDA = (".cu", ".cuh", ".hip")
_HEADERS = (".h", ".hpp", ".hh", ".hxx", ".inc", ".inl", ".in")
_HOSTS = (".c", ".cc", ".cpp", ".cxx", ".py")

_NAMED = (
    (b"define", pattern(rb"#[ \t]*define[ \t]+([A-Za-z_]\w*)")),
    (b"typedef", pattern(rb"typedef[ \t]+[^;{}\"#]{1,120}?\b([A-Za-z_]\w*)\s*;")),
    (b"using", pattern(rb"using[ \t]+([A-Za-z_]\w*)[ \t]*=")),
    (b'["', pattern(rb'\["([A-Za-z_]\w*)(?:\([^"()]*\))?"\]\s*=[^=;"]{0,80}"')),
    (b'{"', pattern(rb'\{"([A-Za-z_]\w*)"\s*,\s*\d+[uUlL]*\s*\}')),
)
_FUNCTION = pattern(rb"^[A-Za-z_][^\n;{}()#]*?[\s*&]([A-Za-z_]\w*)\s*\([^;{}]*\)\s*\{", re.MULTILINE)
_NO_FUNCTIONS = frozenset({b"if", b"for", b"while", b"switch", b"main"})
_NUMBER = pattern(r"[-+()\s]*(?:0[xX][0-9a-fA-F]+|\d[\d.]*(?:[eE][-+]?\d+)?)[uUlLfF)\s]*")
_WORD = pattern(r"[A-Za-z_]\w*")
_TEXT = pattern(r"\A\s*#\s*define\s+\w+\s+(?:\"(?:\\.|[^\"\\\n])*\"\s*)+\Z")
"""A macro of the host's that stands for a text: no number or type of the device's."""
_ESCAPE = pattern(r"\\(.)")
_PIECE = pattern(r'"((?:\\.|[^"\\\n])*)"')


@dataclass(frozen=True, slots=True)
class Definition:
    """Where a name is defined: all of ``file`` stands before the program, or the lines ``text`` of it do."""

    name: str
    file: str
    text: str = ""


def names_defined(path: str, data: bytes) -> Iterator[bytes]:
    """Names that a text gives a meaning by a macro, a ``typedef``, ``using`` or an entry of a table of macros or of
    numbers; of code for the device also those of functions."""
    for word, expression in _NAMED:
        if word in data:
            yield from expression.findall(data)
    if os.path.splitext(path)[1].lower() in (*_OPENCL, *_CUDA):
        yield from (name for name in _FUNCTION.findall(data) if name not in _NO_FUNCTIONS)


def choose(
    names: Sequence[str], program: str, opencl: bool, files: Mapping[str, Sequence[str]], kernels: set[str], root: str
) -> tuple[Definition, ...]:
    """Definitions of ``names`` for the program at ``program`` (relative to ``root``).

    ``files``: those that define a name, by the name; ``kernels``: those that hold kernels.
    """
    texts: dict[str, str] = {}
    whole: dict[str, None] = {}
    lines: list[Definition] = []
    for name in names:
        ranked = sorted(
            (rank, path) for path in files.get(name, ()) if (rank := _rank(path, program, opencl, kernels)) is not None
        )
        if not ranked:
            continue
        nearest = [path for rank, path in ranked if rank == ranked[0][0]]
        if ranked[0][0][0] == 0:
            if len(nearest) == 1 or not _numbers({*_lines(nearest, name, texts, root)}):
                whole.setdefault(nearest[0])
            continue
        found = [line for line in _lines(nearest, name, texts, root) if not _TEXT.search(line)]
        if found and (len(set(found)) == 1 or not _numbers(set(found))):
            lines.append(Definition(name, os.path.join(root, nearest[0]), _one_of(found)))
    defined: dict[str, set[str]] = {path: set() for path in whole}
    if len(whole) > 1:  # one alone is in order
        for name, paths in files.items():
            for path in whole:
                if path in paths:
                    defined[path].add(name)
    return (*(Definition("", os.path.join(root, path)) for path in _in_order(defined, root)), *lines)


def _in_order(defined: Mapping[str, set[str]], root: str) -> list[str]:
    """Files with the names that each defines, so that each stands behind those that define what it uses."""
    words = {path: set(_WORD.findall(_text(os.path.join(root, path)))) for path in defined}
    left, placed = list(defined), []
    while left:
        free = (
            path
            for path in left
            if not any(words[path] & (defined[other] - defined[path]) for other in left if other != path)
        )
        first = next(free, left[0])  # two that use each other: as they come
        left.remove(first)
        placed.append(first)
    return placed


def _rank(path: str, program: str, opencl: bool, kernels: set[str]) -> tuple[int, int] | None:
    """How far a file is from being a text that stands before the program, by its kind and place; None: it is none."""
    suffix = os.path.splitext(path)[1].lower()
    if path == program or suffix in (_CUDA if opencl else _OPENCL):
        return None
    ours = suffix in (_OPENCL if opencl else _CUDA)
    if ours and path in kernels:
        return None  # a program of its own
    if not (ours or suffix in _HEADERS or suffix in _HOSTS):
        return None
    common = os.path.commonpath([os.path.dirname(path) or ".", os.path.dirname(program) or "."]) if "/" in path else ""
    apart = program.count("/") + path.count("/") - 2 * (common.count("/") + 1 if common not in ("", ".") else 0)
    return (0 if ours else 1 if suffix in _HEADERS else 2), apart


def _numbers(lines: set[str]) -> bool:
    """Whether any of several definitions gives a plain number."""
    return len(lines) > 1 and any(_NUMBER.fullmatch(line.split(None, 2)[-1]) for line in lines)


def _one_of(lines: Sequence[str]) -> str:
    """The definition that is taken of several which hold under conditions of the host: one that names a side of the
    device, which only the device's compiler reads, else the last that says something."""
    sided = next((line for line in lines if "__global__" in line or "__device__" in line), None)
    return sided or next((line for line in reversed(lines) if len(line.split(None, 2)) > 2), lines[-1])


def _lines(paths: Sequence[str], name: str, texts: dict[str, str], root: str) -> list[str]:
    """The definitions of ``name`` in files, as lines that a compiler reads; those in strings of host files too."""
    found: list[str] = []
    for path in paths:
        if path not in texts:
            texts[path] = _text(os.path.join(root, path))
        host = os.path.splitext(path)[1].lower() in _HOSTS
        found += _in_strings(texts[path], name) if host else _plain(texts[path], name)
        found += _in_tables(texts[path], name)
    return found


def _text(path: str) -> str:
    try:
        with open(path, encoding="latin-1", newline="") as handle:
            return handle.read(4 << 20)
    except OSError:
        return ""


def _plain(text: str, name: str) -> list[str]:
    macro = re.compile(
        rf"^[ \t]*#[ \t]*define[ \t]+({re.escape(name)}(?:\([^()\n]*\))?(?:[ \t](?:[^\n\\]|\\.)*)?)$", re.M
    )
    typed = re.compile(
        rf"\b(typedef\b[^;{{}}#]{{1,120}}?\b{re.escape(name)})\s*;|\b(using\s+{re.escape(name)}\s*=[^;{{}}]*);"
    )
    found = [f"#define {match.group(1).strip()}" for match in macro.finditer(text)]
    return found + [" ".join((a or b).split()) + ";" for a, b in typed.findall(text)]


def _in_strings(text: str, name: str) -> list[str]:
    """Definitions in the string literals of host code, and of tables of macros filled with literals.

    A literal that ends behind the name and a space (``"#define WIDE " << wide``) leaves the value to what is put there.
    """
    found = []
    open_ = re.compile(rf"#[ \t]*define[ \t]+{re.escape(name)}[ \t]+\Z")
    for match in _PIECE.finditer(text):
        if name in match.group(1) and not open_.search(_value(match.group(1))):
            found += _plain(_value(match.group(1)), name)
    table = re.compile(
        rf'\[\s*"({re.escape(name)}(?:\([^"()]*\))?)"\s*\]\s*=(?:[^=;"]*\?\s*"(?:\\.|[^"\\\n])*"\s*:)?'
        r'((?:\s*"(?:\\.|[^"\\\n])*")+)\s*;'
    )
    for head, literals in table.findall(text):
        value = "".join(_value(piece) for piece in _PIECE.findall(literals))
        found.append(f"#define {head} {' '.join(value.replace(chr(92) + chr(10), ' ').split())}")
    return found


def _in_tables(text: str, name: str) -> list[str]:
    """Numbers that tables of the host, which it gives the compiler of the program, have for a name."""
    pair = re.compile(rf'\{{"{re.escape(name)}"\s*,\s*(\d+)[uUlL]*\s*\}}')
    return [f"#define {name} {value}" for value in pair.findall(text)]


def _value(piece: str) -> str:
    """What the inside of a string literal stands for."""
    return _ESCAPE.sub(lambda match: {"n": "\n", "t": " "}.get(match.group(1), match.group(1)), piece)
