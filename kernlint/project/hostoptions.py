"""Options that host code gives the compiler of the programs it builds when it runs, as far as constants say."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from kernlint.project.scripts import stands_under_a_choice
from kernlint.text.patterns import pattern

if TYPE_CHECKING:
    import ast

MOST = 200
"""Options, and names of sources, that are kept of one file."""

_TEXT = pattern(rb"\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'|//[^\n]*|/\*.*?\*/", re.S)
_OPTION = pattern(
    rb"(?<![\w-])-(?:D[ \t]*([A-Za-z_]\w*)(?:(=)([^\s\"%{]*)(%[-0-9.]*(?:l{0,2}|z)[duixXsfg]|\{[^{}]*\})?)?"
    rb"|I[ \t]*([^\s\"%]+))"
)
_FLAG = pattern(rb"-[DI](?<![\w-]-[DI])")
_SOURCE = pattern(rb"\.(?:cl|clh|ocl|cu|hip)[\"']")
_NAME = pattern(rb"(?:[\w./-]|%[-0-9.]*(?:l{0,2}|z)[duixXs]|\{[^{}\"'\n]*\})+\Z")
_JOINED = pattern(rb"[\"']([\w./-]*)[\"']\s*\+\s*(?:str\()?[\w.]+\)?\s*\+\s*f?[\"']\Z")
_FIELD = pattern(rb"\{[^{}]*\}")
_AFTER = pattern(
    rb"\"?\s*\)?\s*(?:\+|<<|,)\s*(?:std::|::)?(?:to_string\s*\(|str\s*\(|String\s*\()?\s*([A-Za-z_]\w*|\d+)"
)
_DEFINE = pattern(rb"#[ \t]*define[ \t]+\Z")
_AS = pattern(rb"[ \t]+(\w+)")
_IMPORTED = pattern(rb"^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^()]*\)|[^\n#]*)", re.M)
_EQUALS = pattern(rb"\s*=(?!=)\s*([^;,\n)]+)")
_MEMBER = pattern(rb"[\w.>]\Z")
_CONVERTED = pattern(rb"to_string\s*\(")


def options_in(data: bytes, python: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Options that host code gives the compiler of programs it builds, and the source files that it names.

    An option is ``D`` or ``I`` and its text, behind ``?`` when it is given under a condition.  What is put together
    from constants of the file is followed, as far as the next thing that is not known.  ``N`` and a name is a macro
    whose value, a number, the host works out, ``T`` one whose value is another text, ``M`` one whose value another
    module has (``NAME=.config:FRAME``).  Names of sources may be formats
    that numbers and words are filled in.
    """
    options: dict[str, None] = {}
    sources: dict[str, None] = {}
    for option in _FLAG.finditer(data):
        line = data.rfind(b"\n", 0, option.start()) + 1
        for match in _TEXT.finditer(data, line):
            if match.end() > option.start():
                literal = match.group(1) if match.group(1) is not None else match.group(2)
                if literal is not None and match.start() < option.start():
                    for text in _options(data, match, literal, python):
                        options[text] = None
                break
    if options:
        for named in _SOURCE.finditer(data):
            head = _NAME.search(data, max(0, named.start() - 200), named.end() - 1)
            if head is not None:
                before = _JOINED.search(data, max(0, head.start() - 200), head.start())
                name = (before.group(1) + b"%s" if before is not None else b"") + _FIELD.sub(b"%s", head.group())
                sources[name.decode()] = None
    return tuple(options)[:MOST], tuple(sources)[:MOST]


def words_in(options: Iterable[str]) -> tuple[str, ...]:
    """Macros that options define as words: ``NAME=VALUE``, or ``NAME`` where the host works the word out."""
    found: dict[str, None] = {}
    for option in options:
        kind, text = option.lstrip("?")[0], option.lstrip("?")[1:]
        if kind == "T" or (kind == "D" and text.partition("=")[2].isidentifier()):
            found[text] = None
    return tuple(found)


def _options(data: bytes, match: re.Match[bytes], literal: bytes, python: bool) -> Iterator[str]:
    mark = "?" if _conditional(data, match.start(), python) else ""
    arguments: list[bytes] | None = None
    for option in _OPTION.finditer(literal):
        name, equals, value, hole, folder = option.groups()
        if folder is not None:
            yield f"{mark}I{folder.decode('utf-8', 'replace')}"
            continue
        if hole is not None:
            arguments = _arguments(data, match.end()) if arguments is None else arguments
            before = len(re.findall(rb"%[-0-9.]*(?:l{0,2}|z)[duixXsfg]", literal[: option.start(4)]))
            known = _constant(data, arguments[before]) if before < len(arguments) and not value else None
            if python and hole.startswith(b"{") and not value:
                known = _constant(data, hole[1:-1]) or _largest(data, hole[1:-1])
                home = _home(data, hole[1:-1]) if known is None else None
                if home is not None:
                    yield f"{mark}M{name.decode()}={home}"
                    continue
            if known is None:
                if not value:
                    text = not hole.startswith(b"%") or hole.endswith(b"s")
                    yield f"{mark}{'T' if text else 'N'}{name.decode()}"
                continue
            value = known
        elif equals and not value and option.end() == len(literal):
            after = _AFTER.match(data, match.end() - 1)
            known = _constant(data, after.group(1)) if after is not None else None
            if known is None:
                if after is not None:
                    yield f"{mark}{'N' if _CONVERTED.search(after.group()) else 'T'}{name.decode()}"
                continue
            value = known
        text = name + (equals or b"") + (value or b"")
        yield f"{mark}D{text.decode('utf-8', 'replace')}"


def _home(data: bytes, name: bytes) -> str | None:
    """Where a program of Python has a name from, ``.config:FRAME``."""
    for match in _IMPORTED.finditer(data):
        for one in match.group(2).strip(b"() ").split(b","):
            there, _, here = one.strip().partition(b" as ")
            if (here or there).strip() == name.strip() and re.fullmatch(rb"\w+", there.strip()):
                return f"{match.group(1).decode()}:{there.strip().decode()}"
    return None


def constant_in(data: bytes, name: str) -> str | None:
    """The number that a name stands for in a program of Python."""
    found = _constant(data, name.encode()) or _largest(data, name.encode())
    return found.decode("utf-8", "replace") if found is not None else None


def _arguments(data: bytes, at: int) -> list[bytes]:
    """The arguments behind a format, up to the end of the call or of Python's tuple."""
    depth, start, found = 0, at, []
    for index in range(at, min(len(data), at + 600)):
        char = data[index : index + 1]
        if char in b"([":
            depth += 1
        elif char in b")]":
            depth -= 1
            if depth <= 0 and (depth < 0 or data[at:index].lstrip().startswith(b"%")):
                found.append(data[start:index])
                break
        elif (char == b"," and depth <= (1 if data[at:].lstrip()[:1] == b"%" else 0)) or char == b";":
            found.append(data[start:index])
            start = index + 1
    if data[at : at + 4].lstrip().startswith(b"%"):
        return [part.strip(b" \t\n%()") for part in found]
    return [part.strip() for part in found[1:]]


def _constant(data: bytes, name: bytes) -> bytes | None:
    """The number or text that a name stands for in the whole of a file; None when it is not one and the same."""
    name = name.strip()
    if re.fullmatch(rb"\d+[uUlL]*|\"[^\"]*\"", name):
        return name.rstrip(b"uUlL").strip(b'"')
    if re.fullmatch(rb"[A-Za-z_]\w*", name) is None:
        return None
    found = set(_given(data, name))
    if len(found) != 1:
        return None
    (value,) = found
    plain = re.fullmatch(rb"(\d+)[uUlL]*|\"([^\"]*)\"", value)
    return (plain.group(1) or plain.group(2)) if plain is not None else None


def _largest(data: bytes, name: bytes) -> bytes | None:
    """Of the whole numbers that a program of Python gives a name the largest, as far as constants say."""
    import ast  # only where a program of Python puts a name into an option
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    known: dict[str, int] = {}
    largest: dict[str, int] = {}
    assigned = [node for node in ast.walk(tree) if isinstance(node, ast.Assign) and len(node.targets) == 1]
    for node in sorted(assigned, key=lambda node: node.lineno):
        target, value = node.targets[0], node.value
        pairs: Iterable[tuple[ast.expr, ast.expr]] = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            pairs = list(zip(target.elts, value.elts, strict=True))
        for one, made in pairs:
            if isinstance(one, ast.Name) and (number := _number(made, known)) is not None:
                known[one.id] = number
                largest[one.id] = max(number, largest.get(one.id, number))
    found = largest.get(name.strip().decode("latin-1"))
    return None if found is None else str(found).encode()


def _number(expr: ast.expr, known: dict[str, int]) -> int | None:
    """The whole number that an expression of Python is; None for what is none, or is not known."""
    import ast

    if isinstance(expr, ast.Constant):
        return expr.value if type(expr.value) is int else None
    if isinstance(expr, ast.Name):
        return known.get(expr.id)
    if not isinstance(expr, ast.BinOp):
        return None
    left, right = _number(expr.left, known), _number(expr.right, known)
    if left is None or right is None:
        return None
    if isinstance(expr.op, ast.FloorDiv):
        return left // right if right else None
    plain = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}.get(type(expr.op))
    return None if plain is None else plain(left, right)


def _given(data: bytes, name: bytes) -> Iterator[bytes]:
    """What ``name`` is defined as or assigned; only the places where it stands are looked at, which is much faster."""
    at = data.find(name)
    while at >= 0:
        end = at + len(name)
        if (value := _AS.match(data, end)) is not None and _DEFINE.search(data, max(0, at - 40), at) is not None:
            yield value.group(1)
        if (value := _EQUALS.match(data, end)) is not None and _MEMBER.search(data, max(0, at - 1), at) is None:
            yield value.group(1).strip()
        at = data.find(name, end)


def _conditional(data: bytes, at: int, python: bool) -> bool:
    """Whether what stands at ``at`` is run under a condition, by the statement and the blocks around it."""
    if python:
        return stands_under_a_choice(data[:at].decode("latin-1"), at)
    text = data[max(0, at - 6000) : at]
    start = max(text.rfind(b";"), text.rfind(b"{"), text.rfind(b"}")) + 1
    statement = text[start:]
    if re.match(rb"\s*(?:else\b|(?:else\s+)?if\b)", statement) or b"?" in statement:
        return True
    depth = 0
    for index in range(start - 1, -1, -1):
        char = text[index]
        if char == 0x7D:
            depth += 1
        elif char == 0x7B:
            depth -= 1
            if depth < 0:
                depth = 0
                before = max(text.rfind(mark, 0, index) for mark in (b";", b"}", b"{"))
                head = text[before + 1 : index]
                if re.match(rb"\s*(?:else\b|if\b|switch\b)", head) or re.search(rb"\bcase\b[^:]*:\s*$", head):
                    return True
    return False
