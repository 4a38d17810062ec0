"""Options that host code gives the compiler of the programs it builds when it runs, as far as constants say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kernlint.project.constants import EXPRESSION, Constants, constant
from kernlint.project.scripts import stands_under_a_choice
from kernlint.text.patterns import pattern

MOST = 200
"""Options, and names of sources, that are kept of one file."""

NEAR = 300
"""Bytes around an option in which the source is looked for that it is given with."""

_TEXT = pattern(rb"\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'|//[^\n]*|/\*.*?\*/", re.S)
_OPTION = pattern(
    rb"(?<![\w-])-(?:D[ \t]*([A-Za-z_]\w*)(?:(=)([^\s\"%{]*)(%[-0-9.]*(?:l{0,2}|z)[duixXsfg]|\{[^{}]*\})?)?"
    rb"|I[ \t]*([^\s\"%]+))"
)
_FLAG = pattern(rb"-[DI](?<![\w-]-[DI])")
_SOURCE = pattern(rb"\.(?:cl|clh|ocl|cu|hip)[\"']")
_NAMED = pattern(rb"[\"'/]([\w.-]+\.(?:cl|clh|ocl|cu|hip))[\"']")
_NAME = pattern(rb"(?:[\w./-]|%[-0-9.]*(?:l{0,2}|z)[duixXs]|\{[^{}\"'\n]*\})+\Z")
_JOINED = pattern(rb"[\"']([\w./-]*)[\"']\s*\+\s*(?:str\()?[\w.]+\)?\s*\+\s*f?[\"']\Z")
_FIELD = pattern(rb"\{[^{}]*\}")
_AFTER = pattern(
    rb"\"?\s*\)?\s*(?:(?:\+|<<|,)\s*(?:(?:std::|::)?(?P<made>to_string|str|String)\s*\("
    rb"\s*(?P<inner>[^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)|(?P<name>[A-Za-z_][\w:.]*|\d+))|\w+\((?P<text>\w+)\)\s*(?=[\";,)]))"
)
_BEFORE = pattern(rb"\"((?:[^\"\\\n]|\\.)*)\"\s*\Z")
_EACH = pattern(rb"-D[ \t]*(?:\{\w*\}|%s)=(?:\{[^{}]*\}|%[sdi])\Z")
_ITEMS = pattern(rb"\bfor\s+\(?\w+\s*,\s*\w+\)?\s+in\s+(?:sorted\(\s*)?(\w+)\.items\(\)")
_PUT = pattern(rb"%[-0-9.]*(?:l{0,2}|z)[duixXsfg]")


def options_in(data: bytes, python: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Options that host code gives the compiler of programs it builds, and the source files that it names.

    An option is ``D`` or ``I`` and its text, behind ``?`` when it is given under a condition.  What is put together
    from constants of the file is followed, as far as the next thing that is not known.  ``N`` and a name is a macro
    whose value, a number, the host works out, ``T`` one whose value is another text; ``W`` and ``M`` are the same with
    an expression behind, of which other files may know the number (``WNAME=FRAME * 2``); ``E`` is followed by the name
    of a dictionary of Python that has the macros with their values.  Names of sources may be
    formats that numbers and words are filled in.  An option that is given together with the name of a source, in one
    call or list, stands behind that name (``@fold.cl|DWIDE=4``).
    """
    options: dict[str, None] = {}
    for option in _FLAG.finditer(data):
        line = data.rfind(b"\n", 0, option.start()) + 1
        for match in _TEXT.finditer(data, line):
            if match.end() > option.start():
                literal = match.group(1) if match.group(1) is not None else match.group(2)
                if literal is not None and match.start() < option.start():
                    beside = _beside(data, match.start(), match.end())
                    for text in _options(data, match, literal, python):
                        options[f"@{beside}|{text}" if beside else text] = None
                break
    return tuple(options)[:MOST], named_sources(data) if options else ()


def named_sources(data: bytes) -> tuple[str, ...]:
    """The names of source files that host code has, with ``%s`` for what Python fills in, or puts before an ending."""
    sources: dict[str, None] = {}
    for named in _SOURCE.finditer(data):
        head = _NAME.search(data, max(0, named.start() - 200), named.end() - 1)
        if head is not None:
            before = _JOINED.search(data, max(0, head.start() - 200), head.start())
            name = (before.group(1) + b"%s" if before is not None else b"") + _FIELD.sub(b"%s", head.group())
            sources[(name if name[:1] != b"." else b"%s" + name).decode()] = None
    return tuple(sources)[:MOST]


def words_in(options: Iterable[str]) -> tuple[str, ...]:
    """Macros that options define as words: ``NAME=VALUE``, or ``NAME`` where the host works the word out."""
    found: dict[str, None] = {}
    for option in options:
        option = option.rpartition("|")[2] if option[0] == "@" else option
        kind, text = option.lstrip("?")[0], option.lstrip("?")[1:]
        if kind == "M" or kind == "T" or (kind == "D" and text.partition("=")[2].isidentifier()):
            found[text.partition("=")[0] if kind == "M" else text] = None
    return tuple(found)


def _options(data: bytes, match: re.Match[bytes], literal: bytes, python: bool) -> Iterator[str]:
    table = _each_of(data, match, literal) if python else None
    if table is not None:
        yield f"E{table}"
        return
    mark = "?" if _conditional(data, match.start(), python) else ""
    arguments: list[bytes] | None = None
    for option in _OPTION.finditer(literal):
        name, equals, value, hole, folder = option.groups()
        if folder is not None:
            yield f"{mark}I{folder.decode('utf-8', 'replace')}"
            continue
        given: bytes | None = None
        number = False
        if hole is not None and not value:
            if python and hole.startswith(b"{"):
                given = hole[1:-1]
            else:
                arguments = _arguments(data, match.end()) if arguments is None else arguments
                before = _put_before(data, match.start()) + len(_PUT.findall(literal[: option.start(4)]))
                given = arguments[before] if before < len(arguments) else b""
            number = hole.startswith(b"%") and not hole.endswith(b"s")
        elif hole is None and equals and not value and option.end() == len(literal):
            after = _AFTER.match(data, match.end() - 1)
            if after is None:
                continue
            given = after["inner"] or after["name"] or after["text"]
            number = after["made"] == b"to_string" or after["text"] is not None
        elif hole is not None:
            continue
        if given is not None:
            made = _worth(data, given, python)
            if made is None:
                elsewhere = EXPRESSION.fullmatch(given) and (python or hole is None or number)
                behind = f"={b' '.join(given.split()).decode()}" if elsewhere else ""
                yield f"{mark}{('W' if number else 'M') if behind else 'N' if number else 'T'}{name.decode()}{behind}"
                continue
            value = made
        text = name + (equals or b"") + (value or b"")
        yield f"{mark}D{text.decode('utf-8', 'replace')}"


def _beside(data: bytes, start: int, end: int) -> str:
    """The last part of the name of the only source that stands in one call or list with the literal from ``start`` to
    ``end``; empty where there is none, or more."""
    low, high = max(0, start - NEAR), min(len(data), end + NEAR)
    depth, opened = 0, -1
    for index in range(start - 1, low - 1, -1):
        char = data[index]
        if char == 0x3B:  # ;
            return ""
        depth += (char in b")}]") - (char in b"({[")
        if depth < 0:
            opened, depth = index, 0
            closed = _closing(data, end, high)
            named = {name.group(1) for name in _NAMED.finditer(data, opened, closed)}
            if named:
                return named.pop().decode() if len(named) == 1 else ""
            if data[end:closed].count(b";"):
                return ""
            end = closed + 1
    return ""


def _closing(data: bytes, at: int, high: int) -> int:
    """The end of the parentheses that ``at`` stands in."""
    depth = 0
    for index in range(at, high):
        depth += (data[index] in b"({[") - (data[index] in b")}]")
        if depth < 0:
            return index
    return high


def _each_of(data: bytes, match: re.Match[bytes], literal: bytes) -> str | None:
    """The dictionary of which an option of Python defines each entry (``f"-D{k}={v}" for k, v in SIZES.items()``)."""
    if _EACH.search(literal) is None:
        return None
    over = _ITEMS.search(data, match.end(), match.end() + 200)
    if over is None:
        over = next(iter(reversed(list(_ITEMS.finditer(data, max(0, match.start() - 200), match.start())))), None)
    return over.group(1).decode() if over is not None else None


def _worth(data: bytes, given: bytes, python: bool) -> bytes | None:
    """The number or text that an expression is by the constants of a file itself."""
    made = constant(data, given)
    if made is None and given:
        alone = Constants(lambda _: data, (), lambda _: ())
        known = alone.value(".py" if python else "", given.decode("latin-1"))
        made = None if known is None else str(known).encode()
    return made


def _put_before(data: bytes, at: int) -> int:
    """Values that the parts of a format before the literal at ``at`` take."""
    count = 0
    while (before := _BEFORE.search(data, max(0, at - 1000), at)) is not None:
        count += len(_PUT.findall(before.group(1)))
        at = before.start()
    return count


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
