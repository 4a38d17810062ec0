"""Limits that attributes put on a kernel's launches."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.lower.context import Lowering
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import LaunchBounds

if TYPE_CHECKING:
    import ast

_ATTRIBUTE = pattern(
    r"\b(?:__)?(launch_bounds|amdgpu_flat_work_group_size|reqd_work_group_size|work_group_size_hint"
    r"|max_work_group_size)(?:__)?\s*\("
)
MOST_WORDS = 200
"""Words of macros that are gone through for one kernel."""

_WORD = pattern(r"[A-Za-z_]\w*")
_NUMBER = pattern(r"(\d+|0[xX][0-9a-fA-F]+)[uUlL]*$")
_TOKEN = pattern(r"\s*(?:(0[xX][0-9a-fA-F]+|\d+)[uUlL]*|([A-Za-z_]\w*(?:\s*::\s*\w+)*)|(<<|>>|[-+*/%()]))")


def launch_bounds(lowering: Lowering, cursor: Cursor, attributes: list[Cursor]) -> LaunchBounds:
    """What the attributes of a kernel promise, in threads."""
    if not attributes:
        return LaunchBounds()
    head = cursor.head()
    if lowering.synthesised and _stood_in_for(lowering, cursor):
        return LaunchBounds(dependent=True, given=True)
    max_threads: int | None = None
    min_blocks: int | None = None
    required: tuple[int, int, int] | None = None
    dependent = False
    for match in _ATTRIBUTE.finditer(head):
        texts = arguments_after(head, match.end())
        values = [evaluate(lowering, cursor, text) for text in texts]
        name = match.group(1)
        if name == "launch_bounds":
            max_threads = values[0] if values else None
            min_blocks = values[1] if len(values) > 1 else None
            dependent |= max_threads is None
        elif name == "amdgpu_flat_work_group_size":
            max_threads = values[1] if len(values) > 1 else None
            dependent |= max_threads is None
        elif name == "reqd_work_group_size":
            known = [v for v in values if v is not None]
            required = (known[0], known[1], known[2]) if len(known) == 3 == len(values) else None
            dependent |= required is None
    return LaunchBounds(max_threads, min_blocks, required, dependent)


def _stood_in_for(lowering: Lowering, cursor: Cursor) -> bool:
    """Whether what stands before a kernel's parameters names, itself or by way of macros, what was made up for a name
    that nothing declares: the compiler has put a number there that only stands in for what the host program gives."""
    before, found, _ = lowering.source(cursor).partition(cursor.spelling + "(")
    words, met = set(_WORD.findall(before if found else "")), set[str]()
    while words and len(met) < MOST_WORDS:
        if words & lowering.synthesised:
            return True
        met |= words
        words = {word for name in words for word in _WORD.findall(lowering.macro_body(name))} - met
    return False


def arguments_after(text: str, start: int) -> list[str]:
    """The comma-separated arguments of a call whose opening parenthesis ends at ``start``."""
    found, depth, begin = [], 0, start
    for index in range(start, len(text)):
        char = text[index]
        if char in "([{":
            depth += 1
        elif char in ")]}":
            if depth == 0:
                found.append(text[begin:index].strip())
                break
            depth -= 1
        elif char == "," and depth == 0:
            found.append(text[begin:index].strip())
            begin = index + 1
    return [f for f in found if f]


def evaluate(lowering: Lowering, cursor: Cursor, text: str) -> int | None:
    """The value of a small constant expression over numbers and named constants."""
    if match := _NUMBER.match(text):
        return int(match.group(1), 0)
    parts: list[str] = []
    at = 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None:
            return None
        number, name, symbol = match.groups()
        if name is not None:
            value = named_constant(lowering, cursor, re.sub(r"\s", "", name))
            if value is None:
                return None
            parts.append(str(value))
        else:
            parts.append(str(int(number, 0)) if number is not None else "//" if symbol == "/" else symbol)
        at = match.end()
    import ast  # takes as long to load as a small file to parse

    try:
        return _fold(ast.parse("".join(parts), mode="eval").body)
    except (SyntaxError, ZeroDivisionError, ValueError, RecursionError, MemoryError):
        return None


_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
    "LShift": lambda a, b: a << min(b, 64),
    "RShift": operator.rshift,
}
"""By the name of Python's node for them."""


def _fold(node: ast.expr) -> int:
    """The value of an expression of integers. Raises ``ValueError`` for anything else."""
    import ast

    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.BinOp) and (fold := _OPERATIONS.get(type(node.op).__name__)) is not None:
        return fold(_fold(node.left), _fold(node.right))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = _fold(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    raise ValueError("not a constant expression")


def named_constant(lowering: Lowering, cursor: Cursor, name: str) -> int | None:
    """The value of a constant variable or enumerator called ``name`` near a function."""
    last = name.rpartition("::")[2]
    for declaration in constants(lowering).get(last, ()):
        value = declaration.enum_value if declaration.kind == K.ENUM_CONSTANT_DECL else declaration.evaluate()
        if isinstance(value, int):
            return value
    return None


def constants(lowering: Lowering) -> dict[str, list[Cursor]]:
    """Constant variables and enumerators of the translation unit, by unqualified name."""
    found: dict[str, list[Cursor]] | None = lowering.constants
    if found is None:
        found = {}
        stack = list(lowering.unit.top_level(main_only=False))
        while stack:
            node = stack.pop()
            if node.kind in (K.NAMESPACE, K.LINKAGE_SPEC, K.ENUM_DECL, K.UNEXPOSED_DECL, K.STRUCT_DECL, K.CLASS_DECL):
                stack.extend(lowering.unit.members(node))
            elif node.kind in (K.VAR_DECL, K.ENUM_CONSTANT_DECL):
                found.setdefault(node.spelling, []).append(node)
        lowering.constants = found
    return found
