"""Constants of a file that stand for whole numbers, by their names: macros and ``constexpr`` of numbers and of others.

``#define PLANE (BOARD * BOARD)`` is 64 where ``BOARD`` is 8.  A name with two values stands for none.
"""

from __future__ import annotations

import re

from kernlint.text.patterns import pattern

_DEFINED = pattern(
    r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+([-+*/()<> \t\w]+?)[ \t]*(?:/[/*].*)?\r?$"
    r"|\bconst(?:expr)?\b[\w: \t]*[ \t]([A-Za-z_]\w*)[ \t]*=[ \t]*([-+*/()<> \t\w]+?)[ \t]*;",
    re.M,
)
_NAME = pattern(r"(?<![\w.])[A-Za-z_]\w*")
_NUMBER = pattern(r"(?<!\w)(\d+|0[xX][\da-fA-F]+)[uUlLzZ]*\b")

DEEP = 6
"""Names that a constant is made of, one after the other."""

LONG = 200
"""Characters of what a name stands for, with all other names replaced."""


def constants(code: str) -> dict[str, str]:
    """The constants in a text of code, as decimal numbers."""
    made: dict[str, set[str]] = {}
    for match in _DEFINED.finditer(code):
        made.setdefault(match[1] or match[3], set()).add(match[2] or f"({match[4]})")
    texts = {name: next(iter(values)) for name, values in made.items() if len(values) == 1}
    found: dict[str, str] = {}
    for name, text in texts.items():
        value = _value(text, texts)
        if value is not None:
            found[name] = str(value)
    return found


def _value(text: str, texts: dict[str, str]) -> int | None:
    for _ in range(DEEP):
        plain = _NUMBER.sub(r"\1", text)
        if _NAME.search(plain) is None:
            return _calculated(plain)
        text = _NAME.sub(lambda name: _of(name[0], texts), plain)
        if len(text) > LONG:
            return None
    return None


def _of(name: str, texts: dict[str, str]) -> str:
    """What a name stands for; a macro is what it is, without parentheses of its own."""
    return texts.get(name, name)


def _calculated(text: str) -> int | None:
    import ast  # only where a file has such constants and comments of extents

    try:
        return _of_node(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _of_node(node: object) -> int | None:
    import ast

    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int and abs(node.value) < 1 << 62 else None
    if not isinstance(node, ast.BinOp):
        return None
    left, right = _of_node(node.left), _of_node(node.right)
    if left is None or right is None or left < 0 or right < 0:
        return None
    match type(node.op).__name__:
        case "Add":
            return left + right
        case "Sub":
            return left - right
        case "Mult":
            return left * right
        case "Div" | "FloorDiv":
            return left // right if right else None
        case "LShift":
            return left << right if right < 40 and left < 1 << 20 else None
        case "RShift":
            return left >> right
    return None
