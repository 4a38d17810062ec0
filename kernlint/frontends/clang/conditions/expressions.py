"""Conditions of ``#if``, read once and evaluated under any macros.

Integers are those of the preprocessor without their width: conditions compare versions, sizes and switches.  A name
that is no macro is 0, as the language says; a macro with parameters that is called gives 0 too, for want of a better
answer (who asks is told by the compiler whether that was right).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from kernlint.record import dataclass
from kernlint.text.patterns import pattern

Macros = Mapping[str, str]
"""Names that are defined, with their bodies; those of macros with parameters are empty."""

MAX_DEPTH = 24
"""Macros within macros that are expanded."""

_TOKEN = pattern(
    r"\s*(?:([A-Za-z_]\w*)|(\d[\w']*)|('(?:\\.|[^'\\])+')|(&&|\|\||==|!=|<=|>=|<<|>>|[-+*/%&|^~!<>()?:,]))"
)
_NUMBER = pattern(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)[uUlLzZ]*$")
_PRECEDENCE = {
    **dict.fromkeys(("*", "/", "%"), 10),
    **dict.fromkeys(("+", "-"), 9),
    **dict.fromkeys(("<<", ">>"), 8),
    **dict.fromkeys(("<", "<=", ">", ">="), 7),
    **dict.fromkeys(("==", "!="), 6),
    "&": 5,
    "^": 4,
    "|": 3,
    "&&": 2,
    "||": 1,
}


@dataclass(frozen=True, slots=True)
class Expression:
    """A node: ``op`` is ``number``, ``name``, ``defined``, ``call`` or an operator (``!`` with one operand, ``?``)."""

    op: str
    operands: tuple[Expression, ...] = ()
    value: int = 0
    name: str = ""


ZERO = Expression("number")


class _Reader:
    """Recursive descent over the tokens of one condition."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        at = 0
        while match := _TOKEN.match(text, at):
            at = match.end()
            kind = ("name", "number", "char", "op")[(match.lastindex or 1) - 1]
            self.tokens.append((kind, match.group(match.lastindex or 0)))
        self.at = 0

    def take(self, text: str) -> bool:
        if self.at < len(self.tokens) and self.tokens[self.at][1] == text:
            self.at += 1
            return True
        return False

    def choice(self) -> Expression:
        condition = self.binary(1)
        if not self.take("?"):
            return condition
        then = self.choice()
        self.take(":")
        return Expression("?", (condition, then, self.choice()))

    def binary(self, lowest: int) -> Expression:
        left = self.unary()
        while self.at < len(self.tokens):
            kind, text = self.tokens[self.at]
            level = _PRECEDENCE.get(text, 0) if kind == "op" else 0
            if level < lowest:
                break
            self.at += 1
            left = Expression(text, (left, self.binary(level + 1)))
        return left

    def unary(self) -> Expression:
        if self.at >= len(self.tokens):
            return ZERO
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "op":
            if text == "(":
                inner = self.choice()
                self.take(")")
                return inner
            if text in "!~-+":
                return Expression("u" + text, (self.unary(),))
            return ZERO
        if kind == "name":
            return self.name(text)
        if kind == "char":
            return Expression("number", value=ord(text[1]) if len(text) == 3 else 0)
        match = _NUMBER.match(text.replace("'", ""))
        return Expression("number", value=_integer(match.group(1)) if match else 0)

    def name(self, text: str) -> Expression:
        if text == "defined":
            bracket = self.take("(")
            name = self.tokens[self.at][1] if self.at < len(self.tokens) else ""
            self.at += 1
            if bracket:
                self.take(")")
            return Expression("defined", name=name)
        if text == "true":
            return Expression("number", value=1)
        if self.at < len(self.tokens) and self.tokens[self.at] == ("op", "("):
            depth = 0
            while self.at < len(self.tokens):
                token = self.tokens[self.at][1]
                self.at += 1
                depth += (token == "(") - (token == ")")
                if depth == 0:
                    break
            return Expression("call", name=text)
        return Expression("name", name=text)


def _integer(text: str) -> int:
    if text[:2] in ("0x", "0X", "0b", "0B"):
        return int(text, 0)
    return int(text, 8) if len(text) > 1 and text[0] == "0" and re.fullmatch("[0-7]+", text) else int(text)


_read: dict[str, Expression] = {}


def read(text: str) -> Expression:
    """The condition ``text``; what is no expression reads as 0 from there on."""
    found = _read.get(text)
    if found is None:
        if len(_read) > 20_000:
            _read.clear()
        found = _read[text] = _Reader(text).choice()
    return found


def evaluate(expression: Expression, macros: Macros, depth: int = 0) -> int:
    """The value under ``macros``."""
    op = expression.op
    if op == "number":
        return expression.value
    if op == "defined":
        return int(expression.name in macros)
    if op == "name":
        body = macros.get(expression.name)
        return evaluate(read(body), macros, depth + 1) if body and depth < MAX_DEPTH else 0
    if op == "call":
        return 0
    first = evaluate(expression.operands[0], macros, depth)
    if op == "&&":
        return int(bool(first and evaluate(expression.operands[1], macros, depth)))
    if op == "||":
        return int(bool(first or evaluate(expression.operands[1], macros, depth)))
    if op == "?":
        return evaluate(expression.operands[1 if first else 2], macros, depth)
    if op[0] == "u":
        return {"u!": int(not first), "u~": ~first, "u-": -first, "u+": first}[op]
    return _binary(op, first, evaluate(expression.operands[1], macros, depth))


def _binary(op: str, a: int, b: int) -> int:
    if op in ("/", "%"):
        if b == 0:
            return 0
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return quotient if op == "/" else a - quotient * b
    if op in ("<<", ">>"):
        return (a << b if op == "<<" else a >> b) if 0 <= b < 64 else 0
    results = {
        "*": a * b,
        "+": a + b,
        "-": a - b,
        "<": int(a < b),
        "<=": int(a <= b),
        ">": int(a > b),
        ">=": int(a >= b),
        "==": int(a == b),
        "!=": int(a != b),
        "&": a & b,
        "^": a ^ b,
        "|": a | b,
    }
    return results[op]


def names(expression: Expression) -> Iterator[str]:
    """The macros that an expression asks about, as often as it does."""
    if expression.op in ("name", "defined", "call"):
        yield expression.name
    for operand in expression.operands:
        yield from names(operand)


def numbers(expression: Expression, macros: Macros) -> Iterator[int]:
    """The constants that an expression compares with, those that macros stand for included."""
    if expression.op == "number":
        yield expression.value
    elif expression.op == "name" and expression.name in macros:
        yield evaluate(expression, macros)
    for operand in expression.operands:
        yield from numbers(operand, macros)


def has_calls(expression: Expression) -> bool:
    """Whether a macro with parameters has a say."""
    return expression.op == "call" or any(map(has_calls, expression.operands))
