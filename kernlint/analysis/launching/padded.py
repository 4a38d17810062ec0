"""Numbers that callers in Python see to be whole multiples, of what an extension rounds up.

A module of Python calls a function of the extension by its name, ``_backend.blur(x, n)``.  Where nobody else in the
project calls that, and each file that does works the missing items out (``pad = 128 - n % 128``), rounds up
(``-(-n // 128) * 128``) or checks (``assert n % 128 == 0``), there is no thread without an item in blocks that 128 is a
multiple of.  What is padded is the number that is passed, or an extent of an array.
"""

from __future__ import annotations

import re

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.coverage import AxisCover
from kernlint.symbolic.terms import plain
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import FunctionDecl

_PYTHON = pattern(rb"^\s*(?:import|from)\s+[\w.]+", re.M)
_OF = rb"(?P<of>[A-Za-z_][\w.]*(?:\[-?\d+\]|\([^()]*\))?)"
_BY = rb"(?P<by>[A-Za-z_]\w*|\d+)"
_PADS = (
    pattern(_BY + rb"\s*-\s*\(?\s*" + _OF + rb"\s*%\s*(?P=by)\b"),
    pattern(rb"-\s*" + _OF + rb"\)?\s*%\s*" + _BY),
    pattern(rb"assert\b[^\n]*?\b" + _OF + rb"\s*%\s*" + _BY + rb"\s*==\s*0"),
    pattern(_OF + rb"[^\n/=,]*//?\s*" + _BY + rb"\s*\)*\s*\*\s*(?P=by)\b"),
)
"""How a number is made a multiple of another one, or checked to be."""
_EXTENT = pattern(rb".*\.(?:shape\[-?\d+\]|size\(-?\d+\)|numel\(\))|len\(.*\)")


def padded_by_callers(host: FunctionDecl, cover: AxisCover, facts: ModuleFacts) -> bool:
    """Whether all callers of ``host`` are in Python and see that what its launch rounds up, one of its parameters, is a
    multiple of what it is rounded up to."""
    unit = plain(cover.unit).value if cover.unit is not None else None
    symbol = plain(cover.count).symbol if cover.count is not None else None
    at = next((i for i, param in enumerate(host.params) if symbol is not None and param.name == symbol.name), None)
    if at is None or host.internal or unit is None:
        return False
    called = re.compile(rb"(?<![\w.:\"])((?:\w+\.)+)?%s\s*\(" % re.escape(host.name.encode()))
    by_python = False
    for text in facts.namers_of(host.name):
        if _PYTHON.search(text) is None:
            if any(not _declares(text, match.start()) for match in called.finditer(text)):
                return False
            continue
        for match in called.finditer(text):
            if match[1] is None:
                continue  # a function of Python's own, of the same name
            by_python = True
            if not _pads(text, _argument(text, match.end(), at), unit):
                return False
    return by_python


def _declares(text: bytes, at: int) -> bool:
    """Whether the name at a place of C++ code has a type before it."""
    return re.search(rb"[\w>&*\]]\s+[&*]?$", text[max(0, at - 80) : at]) is not None and not re.search(
        rb"\breturn\s+$", text[max(0, at - 80) : at]
    )


def _argument(text: bytes, start: int, at: int) -> bytes:
    """The argument number ``at`` of a call whose parentheses open before ``start``."""
    depth, args, begin = 0, [], start
    for place in range(start, min(len(text), start + 2000)):
        sign = text[place : place + 1]
        if sign in b"([{":
            depth += 1
        elif sign in b")]}" or (sign == b"," and not depth):
            if sign == b"," or not depth:
                args.append(text[begin:place].strip())
                begin = place + 1
            if sign != b",":
                if not depth:
                    break
                depth -= 1
    return args[at] if at < len(args) else b""


def _pads(text: bytes, passed: bytes, unit: int) -> bool:
    for one in _PADS:
        for match in one.finditer(text):
            number = _number(text, match["by"])
            of = match["of"]
            if number and number % unit == 0 and (of == passed or _is_extent(text, of)):
                return True
    return False


def _number(text: bytes, word: bytes) -> int | None:
    if word.isdigit():
        return int(word)
    found = re.findall(rb"^\s*%s\s*=\s*(\d+)\s*(?:#.*)?$" % re.escape(word), text, re.M)
    return int(found[0]) if len(found) == 1 else None


def _is_extent(text: bytes, of: bytes) -> bool:
    """Whether a number is how large an array is, by itself or where it gets its value."""
    if _EXTENT.fullmatch(of) is not None:
        return True
    given = re.findall(rb"^\s*%s\s*=\s*([^\n#]*\S)" % re.escape(of), text, re.M)
    several = rb"^[\w\s,(]*\b%s\b[\w\s,)]*=\s*[\w.]+\.(?:shape|size\(\))\s*(?:#.*)?$" % re.escape(of)
    return any(map(_EXTENT.fullmatch, given)) or re.search(several, text, re.M) is not None
