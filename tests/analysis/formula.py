"""Formulas of expected facts: C's integer expressions over exact integers, evaluated at sample points.

A formula is written as C is, over ``tid.x``, ``bid.x``, ``bdim.x``, ``gdim.x``, the kernel's scalar parameters, names
of loop counters, ``trips.k``, ``warp_size``, ``sizeof(T)`` and ``load(object, byte offset)``.  Arithmetic is exact
unless a conversion (``u32(...)``, ``i64(...)``) says where it wraps.  ``?`` stands for a value that nobody can know,
``opaque`` for a part of which that is so (``i < n && opaque`` is false where ``i >= n``, else not known).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping
from typing import Any

from kernlint.symbolic.terms import apply
from kernlint.tree.types import IntType

_TOKEN = re.compile(r"\s*(?:(\d\w*)|([A-Za-z_][\w.]*)|(<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>&|^~!?:(),]))")

_LEVELS: tuple[tuple[str, ...], ...] = (("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", ">", "<=", ">="))
_LEVELS += (("<<", ">>"), ("+", "-"), ("*", "/", "%"))

_WRAPS = {
    f"{'i' if signed else 'u'}{bits}": IntType(bits, signed) for bits in (8, 16, 32, 64) for signed in (True, False)
}

_EXACT = IntType(4096, True)
"""Wide enough that nothing of a test wraps in it."""

Formula = Callable[["Point"], "int | None"]


class BadFormula(Exception):
    """The text is no formula."""


class Point:
    """One assignment of values to names, made up as they are asked for (small ones, or ``wide``)."""

    def __init__(self, seed: int, wide: bool = False, given: Mapping[str, int] | None = None) -> None:
        self.seed, self.wide = seed, wide
        self.values: dict[str, int] = dict(given or {})

    def _random(self, key: str, low: int, high: int) -> int:
        return low + zlib.crc32(f"{self.seed}:{key}".encode() * 2) % (high - low + 1)

    def __call__(self, name: str) -> int:
        """The value of a name: launch quantities are consistent with each other, the rest is arbitrary."""
        if name not in self.values:
            self.values[name] = self._make(name)
        return self.values[name]

    def _make(self, name: str) -> int:
        head, _, axis = name.rpartition(".")
        if head == "bdim":
            return self._random(name, 1, 1024) if self.wide else (1, 2, 3, 4, 8, 16, 32, 64)[self._random(name, 0, 7)]
        if head == "tid":
            return self._random(name, 0, self(f"bdim.{axis}") - 1)
        if head == "gdim":
            return self._random(name, 1, (1 << 31) - 1 if self.wide else 5)
        if head == "bid":
            return self._random(name, 0, self(f"gdim.{axis}") - 1)
        if name == "warp_size":
            return (32, 64)[self._random(name, 0, 1)]
        if name.startswith("sizeof("):
            return (1, 2, 4, 8, 16)[self._random(name, 0, 4)]
        if name.startswith("load("):
            return self._random(name, 0, (63, 2)[self._random(name + "?", 0, 1)])
        if head == "trips" or (head == "" and name.startswith("#")):
            return self._random(name, 0, 6)
        return self._random(name, 0, (1 << 31) - 1 if self.wide else (70, 9)[self._random(name + "?", 0, 1)])


def parse(text: str, lets: Mapping[str, Formula], counters: frozenset[str]) -> Formula | None:
    """``text`` as a function of a point; None for ``?``.  Raises :class:`BadFormula`."""
    if text.strip() == "?":
        return None
    return _Parser(text, lets, counters).whole()


def wraps(text: str) -> bool:
    """Whether the formula says where it wraps, so that it holds for large values too."""
    return re.search(r"\b[iu](?:8|16|32|64)\(", text) is not None


class _Parser:
    def __init__(self, text: str, lets: Mapping[str, Formula], counters: frozenset[str]) -> None:
        self.text, self.lets, self.counters = text, lets, counters
        self.tokens: list[str] = []
        at = 0
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            if match is None:
                raise BadFormula(f"{text!r} at {text[at:]!r}")
            self.tokens.append(match[0].strip())
            at = match.end()
        self.at = 0

    def whole(self) -> Formula:
        result = self.conditional()
        if self.at != len(self.tokens):
            raise BadFormula(f"{self.text!r}: unexpected {self.tokens[self.at]!r}")
        return result

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        token = self.peek()
        if not token or (wanted and token != wanted):
            raise BadFormula(f"{self.text!r}: {wanted or 'more'} expected, not {token!r}")
        self.at += 1
        return token

    def conditional(self) -> Formula:
        cond = self.binary(0)
        if self.peek() != "?":
            return cond
        self.take()
        then = self.conditional()
        self.take(":")
        other = self.conditional()

        def value(p: Point) -> int | None:
            test = cond(p)
            return None if test is None else then(p) if test else other(p)

        return value

    def binary(self, level: int) -> Formula:
        if level == len(_LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek() in _LEVELS[level]:
            left = _operation(self.take(), left, self.binary(level + 1))
        return left

    def unary(self) -> Formula:
        token = self.peek()
        if token in ("-", "~", "!"):
            self.take()
            inner = self.unary()

            def value(p: Point) -> int | None:
                x = inner(p)
                return None if x is None else -x if token == "-" else ~x if token == "~" else int(not x)

            return value
        if token == "(":
            self.take()
            inside = self.conditional()
            self.take(")")
            return inside
        return self.atom()

    def atom(self) -> Formula:
        token = self.take()
        if token[0].isdigit():
            number = int(token, 0)
            return lambda p: number
        if not (token[0].isalpha() or token[0] == "_"):
            raise BadFormula(f"{self.text!r}: unexpected {token!r}")
        if self.peek() == "(":
            return self.call(token)
        if token == "opaque":
            return lambda p: None
        if token in self.lets:
            return self.lets[token]
        name = f"#{token}" if token in self.counters else token
        return lambda p: p(name)

    def call(self, name: str) -> Formula:
        self.take("(")
        if name == "sizeof":
            words = []
            while self.peek() != ")":
                words.append(self.take())
            self.take(")")
            size = f"sizeof({' '.join(words)})"
            return lambda p: p(size)
        if name == "load":
            root = self.take()
            if root == "*":  # the object behind a loaded pointer
                root += self.take()
            self.take(",")
            offset = self.conditional()
            self.take(")")

            def loaded(p: Point) -> int | None:
                at = offset(p)
                return None if at is None else p(f"load({root}, {at})")

            return loaded
        args = [self.conditional()]
        while self.peek() == ",":
            self.take()
            args.append(self.conditional())
        self.take(")")
        if name in _WRAPS and len(args) == 1:
            kind, (inner,) = _WRAPS[name], args

            def wrapped(p: Point) -> int | None:
                x = inner(p)
                return None if x is None else kind.wrap(x)

            return wrapped
        if name in ("min", "max") and len(args) == 2:
            return _operation(name, *args)
        raise BadFormula(f"{self.text!r}: no function is called {name}")


_OPS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod", "<<": "shl", ">>": "shr", "&": "and", "|": "or"}
_OPS |= {"^": "xor", "<": "lt", "<=": "le", "==": "eq", "!=": "ne", "min": "min", "max": "max"}


def _operation(op: str, a: Formula, b: Formula) -> Formula:
    def value(p: Point) -> int | None:
        x = a(p)
        if op in ("&&", "||"):
            if x is None or bool(x) == (op == "||"):
                return None if x is None else int(op == "||")
            y = b(p)
            return None if y is None else int(bool(y))
        y = b(p)
        if x is None or y is None:
            return None
        if op in (">", ">="):
            return int(x > y if op == ">" else x >= y)
        if op in ("<<", ">>") and not 0 <= y < 64:
            return None
        return apply(_OPS[op], x, y, _EXACT)

    return value


def values_of(term: Any, point: Point, names: Mapping[Any, str]) -> int | None:
    """The value of a trace's term at ``point``; None when it rests on something unknown or is undefined."""
    from kernlint.symbolic.evaluate import evaluate
    from kernlint.symbolic.terms import SymbolKind, symbols

    env: dict[Any, int] = {}
    loads: dict[str, Any] = {}
    for symbol in symbols(term):
        kind = symbol.kind
        if kind is SymbolKind.LOAD:
            root, offset = symbol.origin
            at = values_of(offset, point, names)
            if at is None:
                return None
            name = f"load({root.name}, {at})"
            if loads.setdefault(name, symbol) is not symbol:
                return None  # the same place at two times: two values
            env[symbol] = point(name)
        elif kind in (SymbolKind.COUNTER, SymbolKind.TRIPS):
            name = names.get(symbol)
            if name is None:
                return None
            env[symbol] = point(name)
        elif kind not in (SymbolKind.UNKNOWN, SymbolKind.PHI, SymbolKind.EXIT):
            env[symbol] = point(symbol.name)
    return evaluate(term, env)
