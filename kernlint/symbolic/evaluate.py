"""Exact values of terms in machine integers: one at a time, or compiled to Python for many points.

Both follow the same rules.  Every operation wraps in its term's type.  *Undefined* (division by zero, a shift by
at least the width or by a negative count) and *unknown* (a symbol without value, a float, a function not in
:data:`CALLS`) give None; ``&&``, ``||`` and ``?:`` skip what they do not need, so ``b && a / b > 1`` has a value
where ``b`` is 0.  ``evaluate`` also decides ``unknown && 0``; compiled code goes from left to right as C does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from kernlint.symbolic.terms import Symbol, Term, apply
from kernlint.text.patterns import pattern
from kernlint.tree.types import IntType, Type


def _popcount(value: int, bits: int) -> int:
    return (value & ((1 << bits) - 1)).bit_count()


def _leading_zeros(value: int, bits: int) -> int:
    return bits - (value & ((1 << bits) - 1)).bit_length()


def _trailing_zeros(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return (value & -value).bit_length() - 1 if value else bits  # (OpenCL C 6.15.3; elsewhere 0 has none)


def _first_set(value: int, bits: int) -> int:
    return (value & -value).bit_length()


def _reversed(value: int, bits: int) -> int:
    return int(format(value & ((1 << bits) - 1), f"0{bits}b")[::-1], 2)


def _absolute(value: int, bits: int) -> int:
    return abs(value)


CALLS: dict[str, Callable[[int, int], int]] = {
    "abs": _absolute,
    "labs": _absolute,
    "llabs": _absolute,
    "popcount": _popcount,
    "clz": _leading_zeros,
    "ctz": _trailing_zeros,
    "ffs": _first_set,
    "bitreverse": _reversed,
}
"""Integer functions of one argument that are computed, by the names that front ends give them whatever the language
calls them: (value, bits of the argument's type) -> result."""


def evaluate(term: Term, env: Mapping[Symbol, int]) -> int | None:
    """Value of an integer ``term`` where ``env`` gives its symbols; None when undefined or unknown."""
    return _value(term, env, {})


def _value(term: Term, env: Mapping[Symbol, int], memo: dict[int, int | None]) -> int | None:
    op = term.op
    if op == "const":
        value = term.args[0]
        return value if isinstance(value, int) else None
    if op == "sym":
        given = env.get(term.args[0])
        return given if given is None or not isinstance(term.type, IntType) else term.type.wrap(given)
    key = id(term)
    if key not in memo:
        memo[key] = _operation(term, env, memo)
    return memo[key]


def _operation(term: Term, env: Mapping[Symbol, int], memo: dict[int, int | None]) -> int | None:
    op, kind = term.op, term.type
    if not isinstance(kind, IntType):
        return None
    if op == "call":
        return _called(term, kind, env, memo)
    first = _value(term.args[0], env, memo)
    if op == "land" or op == "lor":
        decided = int(op == "lor")
        if first is not None and bool(first) == bool(decided):
            return decided
        second = _value(term.args[1], env, memo)
        if second is not None and bool(second) == bool(decided):
            return decided
        return None if first is None or second is None else 1 - decided
    if first is None:
        return None
    if op == "select":
        chosen = _value(term.args[1] if first else term.args[2], env, memo)
        return None if chosen is None else kind.wrap(chosen)
    if op == "cast":
        return kind.wrap(first)
    if op == "neg":
        return kind.wrap(-first)
    if op == "not":
        return kind.wrap(~first)
    if op == "lnot":
        return int(not first)
    second = _value(term.args[1], env, memo)
    return None if second is None else apply(op, first, second, kind)


def _called(term: Term, kind: IntType, env: Mapping[Symbol, int], memo: dict[int, int | None]) -> int | None:
    if term.args[0] == "address":  # of a place in an object: that of the object plus an offset
        base, offset = (_value(arg, env, memo) for arg in term.args[1:])
        return None if base is None or offset is None else kind.wrap(base + offset)
    function = CALLS.get(term.args[0])
    if function is None or len(term.args) != 2 or not isinstance(term.args[1].type, IntType):
        return None
    value = _value(term.args[1], env, memo)
    return None if value is None else kind.wrap(function(value, term.args[1].type.bits))


# -- compiled form ---------------------------------------------------------------------------------------------------


class _Unsupported(Exception):
    """A term that has no value whatever its symbols are."""


class Undefined(ArithmeticError):
    """Raised inside compiled code where C leaves the result undefined."""


def _divide(a: int, b: int) -> int:
    if b == 0:
        raise Undefined
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(a: int, b: int) -> int:
    return a - _divide(a, b) * b


def _left(a: int, b: int, bits: int) -> int:
    if 0 <= b < bits:
        return a << b
    raise Undefined


def _right(a: int, b: int, bits: int) -> int:
    if 0 <= b < bits:
        return a >> b
    raise Undefined


_GLOBALS: dict[str, Any] = {
    "__builtins__": {},
    "abs": abs,
    "min": min,
    "max": max,
    "_divide": _divide,
    "_remainder": _remainder,
    "_left": _left,
    "_right": _right,
    "_calls": CALLS,
}

_SIGNS = {"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^"}
_TESTS = {"lt": "<", "le": "<=", "eq": "==", "ne": "!="}
_RING = frozenset({"add", "sub", "mul", "neg", "not", "and", "or", "xor"})
"""Operations whose result modulo 2**n depends on their arguments modulo 2**n alone."""


def _wrapped(code: str, kind: Type) -> str:
    if not isinstance(kind, IntType):
        raise _Unsupported
    if kind.bits == 1:
        return f"(1 if {code} else 0)"
    mask = (1 << kind.bits) - 1
    if not kind.signed:
        return f"({code} & {mask})"
    half = 1 << (kind.bits - 1)
    return f"(({code} + {half} & {mask}) - {half})"


def _signed(kind: Type) -> bool:
    return isinstance(kind, IntType) and kind.signed


class _Coder:
    """Writes terms as Python expressions over the names of their symbols."""

    __slots__ = ("fresh", "names", "ranges")

    def __init__(self, names: Mapping[Symbol, str], ranges: Callable[[Term], bool] | None) -> None:
        self.names = names
        self.fresh = 0
        self.ranges = ranges  # says that a term's operation cannot leave its type

    def exact(self, term: Term) -> str:
        """Code for the value of ``term`` in its type."""
        if term.op not in _RING and term.op != "shl" and term.op != "cast":
            return self.loose(term, 0)
        bits = term.type.bits if isinstance(term.type, IntType) else 0
        if self.fits(term):
            return self.plain(term)
        return _wrapped(self.loose(term, bits), term.type)

    def fits(self, term: Term) -> bool:
        """Whether the literal result of the last operation of ``term`` lies in its type.  A constant added to an
        unsigned value may be a subtraction in disguise, of which ``ranges`` speaks as such."""
        if self.ranges is None or (term.op == "add" and term.args[1].op == "const" and not _signed(term.type)):
            return False
        return self.ranges(term)

    def plain(self, term: Term) -> str:
        """Code for a term of the ring whose result needs no wrapping, from exact arguments."""
        op, args = term.op, term.args
        if op == "cast":
            return self.exact(args[0])
        if op == "neg":
            return f"(-{self.exact(args[0])})"
        if op == "not":
            kind = term.type
            mask = kind.high if isinstance(kind, IntType) and not kind.signed else -1
            return f"({self.exact(args[0])} ^ {mask})"
        if op == "shl":
            return self.loose(term, 0)
        return f"({self.exact(args[0])} {_SIGNS[op]} {self.exact(args[1])})"

    def loose(self, term: Term, bits: int) -> str:
        """Code that agrees with the exact value modulo ``2**bits`` (``bits`` 0: exactly)."""
        op, args, kind = term.op, term.args, term.type
        if op == "const":
            if not isinstance(args[0], int):
                raise _Unsupported
            return f"({args[0]})" if args[0] < 0 else str(args[0])
        if op == "sym":
            name = self.names.get(args[0])
            if name is None:
                raise _Unsupported
            return name
        if not isinstance(kind, IntType):
            raise _Unsupported
        inner = bits > 1 and kind.bits >= bits
        if op in _RING and inner:
            if op == "neg":
                return f"(-{self.loose(args[0], bits)})"
            if op == "not":
                return f"(~{self.loose(args[0], bits)})"
            return f"({self.part(args[0], bits)} {_SIGNS[op]} {self.part(args[1], bits)})"
        if op == "shl" and (inner or bits == 0):
            count = args[1]
            value = self.part(args[0], bits) if inner else self.exact(args[0])
            if count.op == "const":
                if not 0 <= count.args[0] < kind.bits:
                    raise _Unsupported
                return f"({value} << {count.args[0]})"
            return f"_left({value}, {self.exact(count)}, {kind.bits})"
        if op == "cast" and inner and isinstance(args[0].type, IntType) and args[0].type.bits >= bits:
            return self.loose(args[0], bits)
        if op in _RING or op == "shl" or op == "cast":
            if op == "cast" and bits > 1 and kind.bits >= bits and isinstance(args[0].type, IntType):
                return self.exact(args[0])
            return self._full(term, kind)
        return self._other(term, kind)

    def part(self, term: Term, bits: int) -> str:
        """An argument of an operation modulo ``2**bits``."""
        kind = term.type
        return self.loose(term, bits) if isinstance(kind, IntType) and kind.bits >= bits else self.exact(term)

    def _full(self, term: Term, kind: IntType) -> str:
        if self.fits(term):
            return self.plain(term)
        if term.op == "cast":
            if not isinstance(term.args[0].type, IntType):
                raise _Unsupported
            return _wrapped(self.part(term.args[0], kind.bits) if kind.bits > 1 else self.exact(term.args[0]), kind)
        if kind.bits == 1:
            return _wrapped(self.plain(term), kind)
        return _wrapped(self.loose(term, kind.bits), kind)

    def _other(self, term: Term, kind: IntType) -> str:
        op, args = term.op, term.args
        if op == "call":
            if args[0] == "address":
                return _wrapped(f"({self.exact(args[1])} + {self.exact(args[2])})", kind)
            if args[0] not in CALLS or len(args) != 2 or not isinstance(args[1].type, IntType):
                raise _Unsupported
            return _wrapped(f"_calls[{args[0]!r}]({self.exact(args[1])}, {args[1].type.bits})", kind)
        if any(not isinstance(arg.type, IntType) and arg.op != "sym" for arg in args):
            raise _Unsupported
        if op in _TESTS:
            return f"({self.exact(args[0])} {_TESTS[op]} {self.exact(args[1])})"
        if op == "land" or op == "lor":
            return f"({self.exact(args[0])} {op[1:]} {self.exact(args[1])})"
        if op == "lnot":
            return f"(not {self.exact(args[0])})"
        if op == "select":
            code = f"({self.exact(args[1])} if {self.exact(args[0])} else {self.exact(args[2])})"
            return code if args[1].type == kind and args[2].type == kind else _wrapped(code, kind)
        if op in ("min", "max"):
            return _wrapped(f"{op}({self.exact(args[0])}, {self.exact(args[1])})", kind)
        count = args[1].value
        if op == "shr":
            if count is not None:
                if not 0 <= count < kind.bits:
                    raise _Unsupported
                return _wrapped(f"({self.exact(args[0])} >> {count})", kind)
            return _wrapped(f"_right({self.exact(args[0])}, {self.exact(args[1])}, {kind.bits})", kind)
        if op in ("div", "mod"):
            left, right = self.exact(args[0]), self.exact(args[1])
            if not any(isinstance(arg.type, IntType) and arg.type.signed for arg in args):
                # Python raises ZeroDivisionError by itself, and floors like C where nothing is negative.
                return _wrapped(f"({left} {'//' if op == 'div' else '%'} {right})", kind)
            # C's division is Python's where nothing is negative; the names keep the operands from being computed twice
            a, b, sign = f"_a{self.fresh}", f"_b{self.fresh}", "//" if op == "div" else "%"
            self.fresh += 1
            slow = f"{'_divide' if op == 'div' else '_remainder'}({a}, {b})"
            return _wrapped(f"({a} {sign} {b} if (({a} := {left}) >= 0) & (({b} := {right}) > 0) else {slow})", kind)
        raise _Unsupported


def compile_terms(
    terms: Iterable[Term],
    parameters: Sequence[Symbol],
    *,
    fits: Callable[[Term], bool] | None = None,
) -> Callable[..., tuple[int, ...] | None] | None:
    """A Python function of the ``parameters``' values that returns the tuple of the ``terms``' values.

    The function returns None where any of them is undefined; arguments must be within their symbols' types.  The
    result is None (no function) when a term needs a symbol that is not among the parameters, or is not computable
    at all.  ``fits(term)``: says that the term's last operation cannot leave its type, so wrapping can be left out.
    """
    code = source_of(terms, parameters, fits=fits)
    if code is None:
        return None
    names = ", ".join(f"s{i}" for i in range(len(parameters)))
    try:
        raw = compiled(f"lambda {names}: ({''.join(text + ', ' for text in code)})")
    except (SyntaxError, RecursionError, MemoryError):  # Python nests at most 200 parentheses
        return None

    def function(*values: int) -> tuple[int, ...] | None:
        try:
            result: tuple[int, ...] = raw(*values)
        except ArithmeticError:
            return None
        return result

    return function


@lru_cache(maxsize=256)
def compiled(expression: str) -> Any:
    """The value of a Python expression over :func:`environment`, which has to be a pure function: terms that differ in
    the names of their symbols alone share it.  Raises what the compiler does."""
    return eval(expression, dict(_GLOBALS))


def source_of(
    terms: Iterable[Term],
    parameters: Sequence[Symbol],
    *,
    names: Sequence[str] | None = None,
    fits: Callable[[Term], bool] | None = None,
) -> list[str] | None:
    """The ``terms`` as Python expressions over ``names`` (``s0``, ``s1``, ... when not given), one for each
    parameter, to be evaluated with :func:`environment`; None when one of them is not computable.  Truth values may
    come out as bool."""
    table = dict(zip(parameters, names or [f"s{i}" for i in range(len(parameters))], strict=True))
    coder = _Coder(table, fits)
    try:
        return [coder.exact(term) for term in terms]
    except (_Unsupported, RecursionError):
        return None


def environment() -> dict[str, Any]:
    """Globals for code from :func:`source_of`; where C leaves a result undefined it raises ArithmeticError."""
    return dict(_GLOBALS)


LONG = 40
"""Characters of an expression in generated code from which on it is worth a variable."""


def with_shared_parts(lines: Sequence[str]) -> list[str]:
    """Generated code in which what the loops over counters do not change is computed before them, and what a loop's
    condition has most in common with what follows it once an iteration.

    Only where the condition computes it anyway, whatever else it says: division by zero ends a walk.
    """
    out: list[str] = []
    rest = _with_steady_parts(list(lines))
    while rest:
        line = rest.pop(0)
        head, _, test = line.partition("if not ")
        if not head.strip() and test.endswith(": break"):
            condition = test[: -len(": break")]
            after = "\n".join(rest)
            part = max(_parts(condition), key=lambda part: after.count(part) * len(part), default="")
            if part and part in after and not _CONDITIONAL.search(condition.replace(part, "")):
                name = f"v{len(out)}"
                made = [line.replace(part, name), *after.replace(part, name).split("\n")]
                if all(map(_whole, (part, *made))):
                    out.append(f"{head}{name} = {part}")
                    line, *rest = made
        out.append(line)
    return out


def _with_steady_parts(lines: list[str]) -> list[str]:
    """``lines`` with the parts that no counter changes, and that nothing can be undefined in, before the loops."""
    first = next((at for at, line in enumerate(lines) if line.lstrip().startswith("for k")), None)
    if first is None:
        return lines
    inside = "\n".join(lines[first:])
    parts = dict.fromkeys(part for line in lines[first:] if len(line) > LONG for part in _steady(line))
    before = []
    for at, part in enumerate(sorted(parts, key=len, reverse=True)):
        if part in inside:  # not within a longer one
            inside = inside.replace(part, f"h{at}")
            before.append(f"{lines[first][: -len(lines[first].lstrip())]}h{at} = {part}")
    return [*lines[:first], *before, *inside.split("\n")]


def _steady(line: str) -> list[str]:
    """The longest parenthesised parts of a line that mention no counter and cannot fail."""
    found: list[tuple[int, int]] = []
    open_: list[tuple[int, bool]] = []
    steady = True
    for token in _UNSTEADY.finditer(line):
        at = token.start()
        if line[at] == "(":
            open_.append((at, steady))
            steady = True
        elif line[at] != ")":
            steady = False
        elif open_:
            start, before = open_.pop()
            if steady and at - start > STEADY and not (line[start - 1].isalnum() or line[start - 1] in "_]"):
                while found and found[-1][0] > start:
                    found.pop()
                found.append((start, at + 1))
            steady = steady and before
    return [line[start:end] for start, end in found]


STEADY = 16
"""Characters of an expression that is the same in all iterations from which on it is worth a variable."""

_UNSTEADY = pattern(r"[()]|\bk\d|\b_|,|(?://|%) (?![1-9])")


def _whole(text: str) -> bool:
    """Whether what an expression remembers for itself (``_a0 := ...``) is remembered within it."""
    return set(_REMEMBERED.findall(text)) <= set(_REMEMBERING.findall(text))


_REMEMBERED = pattern(r"\b_[a-z]\d+\b")
_REMEMBERING = pattern(r"\b(_[a-z]\d+) :=")
_CONDITIONAL = pattern(r" (?:and|or|if) ")


def _parts(text: str) -> list[str]:
    """The long parenthesised parts of an expression."""
    open_: list[int] = []
    found: list[str] = []
    for at, char in enumerate(text):
        if char == "(":
            open_.append(at)
        elif char == ")" and open_:
            start = open_.pop()
            if at - start > LONG and not (start and (text[start - 1].isalnum() or text[start - 1] == "_")):
                found.append(text[start : at + 1])
    return found
