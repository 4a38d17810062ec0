"""Macros whose operands the operators around them take apart.

``#define BLOCK 32 * 16`` behind a division is ``i / 32 * 16``, and ``#define SQUARE(x) x * x`` of ``a + b`` is
``a + b * a + b``.  Looked at is the text: a macro that is defined once in the file, as an expression of operators, and
what stands to its left and right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kernlint.frontends.clang.lower.heads import blank
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import CompilerNote

MOST = 400
"""Macros of one file that are looked at."""

USES = 1000
"""Uses of them in one file that are looked at."""

_NAME = pattern(rb"[A-Za-z_]\w*")
_DEFINE = pattern(rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)(\([^()\n]*\))?((?:\\\r?\n|[^\n])*)", re.M)
_DIRECTIVE = pattern(rb"^[ \t]*#(?:\\\r?\n|[^\n])*", re.M)
_TOKEN = pattern(
    rb"[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||::|[-+*/%&|^!=]=?|\S"
)
_LEVELS = (("*", "/", "%"), ("+", "-"), ("<<", ">>"), ("&",), ("^",), ("|",))
_BINDS = {op: len(_LEVELS) - level for level, ops in enumerate(_LEVELS) for op in ops}
"""How tightly operators bind: products most."""
_OPERATORS = frozenset(_BINDS)
_FREE = {("+", "+"), ("+", "-"), ("*", "*"), ("*", "/"), ("&", "&"), ("|", "|"), ("^", "^")}
"""Operators of one level, the left one first, between which brackets change nothing (but for rounding)."""
_OTHER = frozenset((";", "{", "}", "=", "#", ",", "?", ":", "==", "!=", "<", ">", "<=", ">=", "&&", "||", "!", "~"))
_NO_EXPRESSION = frozenset((";", "{", "}", "=", "#", "\\"))
_KEYWORDS = frozenset(("return", "case", "sizeof", "else", "in", "goto", "throw"))


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class _Macro:
    params: tuple[str, ...] | None
    body: tuple[_Token, ...]
    text: str


def split_macros(text: bytes, path: str) -> Iterator[CompilerNote]:
    """The uses of macros in a file whose operands bind to what stands around them."""
    if b"define" not in text:
        return
    plain = blank(text)
    macros = _macros(plain)
    if not macros:
        return
    code = _DIRECTIVE.sub(lambda found: re.sub(rb"[^\n]", b" ", found.group()), plain)
    looked = 0
    for use in _NAME.finditer(code):
        name = use.group().decode()
        macro = macros.get(name)
        if macro is None or looked >= USES:
            continue
        looked += 1
        window = _tokens(code, max(0, code.rfind(b"\n", 0, max(0, use.start() - 120)) + 1), use.end() + 400)
        here = next((place for place, token in enumerate(window) if token.at == use.start()), None)
        if here is None:
            continue
        end, args = here + 1, None
        if macro.params is not None:
            found = _arguments(window, here + 1)
            if found is None or len(found[0]) != len(macro.params):
                continue
            args, end = found
        what = _taken_apart(macro, window, here, end, args)
        if what is not None:
            message = f"macro {name} stands for {macro.text} without parentheses: {what}"
            yield CompilerNote("warning", message, Span(path, use.start(), use.end()))


def _macros(plain: bytes) -> dict[str, _Macro]:
    """The macros that are expressions with operators outside of brackets, and are defined in one way."""
    found: dict[str, _Macro] = {}
    several: set[str] = set()
    for match in _DEFINE.finditer(plain):
        name = match[1].decode()
        if name in found or name in several:
            several.add(name)
            continue
        body = tuple(_tokens(match[3].replace(b"\\\n", b"  "), 0, len(match[3])))
        params = tuple(one.strip() for one in match[2][1:-1].decode().split(",")) if match[2] is not None else None
        texts = [token.text for token in body]
        plain_ = len(found) < MOST and body and not _NO_EXPRESSION & set(texts) and _balanced(texts)
        if plain_ and (_lowest(texts) is not None or any(_used(body, param) for param in params or ())):
            found[name] = _Macro(params, body, " ".join(match[3].decode("utf-8", "replace").split()))
        else:
            several.add(name)
    return {name: macro for name, macro in found.items() if name not in several}


def _used(body: Sequence[_Token], param: str) -> bool:
    """Whether a parameter is an operand without brackets of its own."""
    places = [place for place, token in enumerate(body) if token.text == param]
    return any(_around(body, place, place + 1) != (None, None) for place in places)


def _tokens(text: bytes, start: int, end: int) -> list[_Token]:
    return [_Token(one.group().decode("latin-1"), one.start()) for one in _TOKEN.finditer(text, start, end)]


def _balanced(texts: Sequence[str]) -> bool:
    depth = 0
    for one in texts:
        depth += (one in "([") - (one in ")]")
        if depth < 0:
            return False
    return depth == 0


def _operand_ends(token: str) -> bool:
    """Whether a token may end an operand, so that an operator behind it is one of two operands."""
    return token in (")", "]") or ((token[0].isalnum() or token[0] in "_.") and token not in _KEYWORDS)


def _outside(texts: Sequence[str]) -> list[int]:
    """The places of operators of two operands outside of brackets."""
    depth, out = 0, []
    for place, one in enumerate(texts):
        depth += (one in ("(", "[")) - (one in (")", "]"))
        if depth == 0 and place and one in _OPERATORS and _operand_ends(texts[place - 1]):
            out.append(place)
    return out


def _lowest(texts: Sequence[str]) -> tuple[str, str] | None:
    """The first and the last of the operators outside of brackets that bind least; None where there are none, or the
    text begins with a conversion (``(float) a / b``), which is meant for its first operand."""
    places = _outside(texts)
    if not places or any(one in _OTHER for one in _top(texts)):
        return None
    least = min(_BINDS[texts[place]] for place in places)
    loose = [texts[place] for place in places if _BINDS[texts[place]] == least]
    return loose[0], loose[-1]


def _top(texts: Sequence[str]) -> list[str]:
    depth, out = 0, []
    for one in texts:
        depth += (one in ("(", "[")) - (one in (")", "]"))
        if depth == 0:
            out.append(one)
    return out


def _around(window: Sequence[_Token], here: int, end: int) -> tuple[str | None, str | None]:
    """The operators of two operands to the left and the right of the tokens from ``here`` to ``end``."""
    left = window[here - 1].text if here else None
    binary = left in _OPERATORS and here > 1 and _operand_ends(window[here - 2].text)
    right = window[end].text if end < len(window) else None
    if right == ">>" and end + 1 < len(window) and window[end + 1].text == ">":
        right = None  # (the end of a launch's configuration)
    return (left if binary else None), (right if right in _OPERATORS else None)


def _binds(left: str | None, inner: tuple[str, str], right: str | None) -> bool:
    """Whether the first or last operand of what stands between two operators belongs to these."""
    first, last = inner
    if left is not None:
        tighter = _BINDS[left] - _BINDS[first]
        if tighter > 0 or (tighter == 0 and (left, first) not in _FREE):
            return True
    return right is not None and _BINDS[right] > _BINDS[last]


def _arguments(window: Sequence[_Token], at: int) -> tuple[list[list[_Token]], int] | None:
    """The arguments of a use, and where it ends."""
    if at >= len(window) or window[at].text != "(":
        return None
    args: list[list[_Token]] = [[]]
    depth = 0
    for place in range(at, len(window)):
        one = window[place]
        depth += (one.text in ("(", "[", "{")) - (one.text in (")", "]", "}"))
        if depth == 0:
            return args, place + 1
        if place == at:
            continue
        if one.text == "," and depth == 1:
            args.append([])
        else:
            args[-1].append(one)
    return None


def _taken_apart(
    macro: _Macro, window: Sequence[_Token], here: int, end: int, args: list[list[_Token]] | None
) -> str | None:
    """What the operators around a use, or those of the macro around an argument, take apart."""
    texts = [token.text for token in macro.body]
    lowest = _lowest(texts)
    left, right = _around(window, here, end)
    if lowest is not None and _binds(left, lowest, right):
        which = left if left is not None and _binds(left, lowest, None) else right
        return f"its operand belongs to the '{which}' beside it here"
    for name, arg in zip(macro.params or (), args or (), strict=False):
        inner = _lowest([token.text for token in arg])
        for place, token in enumerate(macro.body) if inner is not None else ():
            if token.text == name and inner is not None:
                before, after = _around(macro.body, place, place + 1)
                if _binds(before, inner, after):
                    which = before if before is not None and _binds(before, inner, None) else after
                    shown = "".join(one.text for one in arg)
                    return f"an operand of {shown} belongs to its '{which}' here"
    return None
