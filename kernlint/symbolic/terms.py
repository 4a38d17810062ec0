"""Terms: what the value of an expression is, as a function of the thread, the launch and the arguments.

A term is immutable and structurally compared (the hash is computed once).  Every integer term has the machine
type of the C expression it came from, and means the *wrapped* result in that type: ``add`` of two ``uint32``
terms is addition modulo 2**32.  Consumers that want mathematical integers (polynomials) must show that nothing
wrapped, or print it as an assumption.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum, IntEnum
from operator import is_
from typing import Any

from kernlint.record import dataclass, field
from kernlint.source import Span
from kernlint.symbolic.floats import number
from kernlint.tree.types import BOOL, I64, U32, FloatType, IntType, Type


class Uniformity(IntEnum):
    """Over which set of threads a value is the same: the greater, the more it varies."""

    GRID = 0
    BLOCK = 1
    WARP = 2
    VARYING = 3


CUT_SHORT = "expression too large"
"""The reason of the unknown that stands for a term of more nodes than are kept: it is made of whatever that was."""

SHIFTED_OUT = "a shift by more bits than there are"
"""The reason of the unknown that stands for a shift by a constant below zero or not below the width: undefined in C,
and of no use in numbers as large as Python's."""


class SymbolKind(Enum):
    """What a symbol stands for."""

    __hash__ = object.__hash__  # that of an Enum is a call in Python, and sets of kinds are asked all the time

    THREAD = "thread"  # index of the thread in its block along `axis`
    BLOCK = "block"  # index of the block along `axis`
    BLOCK_DIM = "block_dim"  # threads of a block along `axis`
    GRID_DIM = "grid_dim"  # blocks of the grid along `axis`
    OFFSET = "offset"  # OpenCL's global offset along `axis`
    WARP_SIZE = "warp_size"
    PARAM = "param"  # a scalar kernel parameter, or a scalar field of one
    TEMPLATE = "template"  # a template parameter of a generic tree
    SIZEOF = "sizeof"  # the unknown size of a type, in bytes
    COUNTER = "counter"  # iteration number of a loop, from 0
    TRIPS = "trips"  # number of iterations a loop has made when it is left through its condition
    PHI = "phi"  # a variable at the head of a loop, with no closed form
    EXIT = "exit"  # a variable after a loop, with no closed form
    LOAD = "load"  # what memory holds at a place
    UNKNOWN = "unknown"  # the result of something not modelled


@dataclass(eq=False, slots=True)
class Symbol:
    """An atom of terms, compared by identity.

    ``uniformity`` is known at creation, or settled later for loop variables and loads (see ``analysis.trace``); it
    is an upper bound of how much the value varies.  ``certain`` is the lower bound (None: as ``uniformity`` says, but
    for an UNKNOWN, of which nothing is certain).  ``low``/``high``: known bounds of the value, inclusive.  ``origin``
    is the loop, declaration or memory place that it comes from; ``init``/``step`` (PHI): the terms at loop entry and
    after one iteration.  ``reason`` (UNKNOWN): why nothing is known.  ``serial`` counts symbols in order of creation:
    what is older than a loop is invariant in it.
    """

    kind: SymbolKind
    name: str
    type: Type
    axis: int = 0
    low: int | None = None
    high: int | None = None
    uniformity: Uniformity = Uniformity.VARYING
    certain: Uniformity | None = None
    origin: Any = None
    init: Term | None = None
    step: Term | None = None
    reason: str = ""
    span: Span | None = None
    term: Term = field(init=False, repr=False)
    serial: int = field(default_factory=itertools.count().__next__, repr=False)

    def __post_init__(self) -> None:
        self.term = Term("sym", (self,), self.type)

    @property
    def surely(self) -> Uniformity:
        """The lower bound of how much the value varies."""
        if self.certain is not None:
            return self.certain
        return Uniformity.GRID if self.kind is SymbolKind.UNKNOWN else self.uniformity

    def __repr__(self) -> str:
        return self.name


class Term:
    """One operation applied to arguments.

    ``op``: ``const`` (args: the int), ``sym`` (args: the Symbol), ``add sub mul div mod shl shr and or xor neg
    not lt le eq ne land lor lnot select min max cast`` or ``call`` (args: the function's name, then its
    arguments).  ``size``: number of nodes, counted with repetition.  ``symbols``: every symbol in it, each once, in
    order of appearance.  ``form``: its polynomial normal form, once somebody has asked for it.
    """

    __slots__ = ("_hash", "args", "form", "op", "size", "symbols", "type")
    op: str
    args: tuple[Any, ...]
    type: Type
    size: int
    symbols: tuple[Symbol, ...]
    form: Any

    def __init__(self, op: str, args: tuple[Any, ...], type_: Type) -> None:
        self.op = op
        self.args = args
        self.type = type_
        self._hash = hash((op, args))  # the same operation in two types is rare, and types take long to hash
        self.form = None
        size = 1
        if op == "const":
            self.symbols = ()
        elif op == "sym":
            self.symbols = args
        else:
            found: tuple[Symbol, ...] = ()
            for arg in args:
                if isinstance(arg, Term):
                    size += arg.size
                    more = arg.symbols
                    if not found:
                        found = more
                    elif more and more is not found:
                        found = tuple(dict.fromkeys((*found, *more)))
            self.symbols = found
        self.size = size

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Term) or self._hash != other._hash:
            return False
        if self.op != other.op or self.args != other.args:
            return False
        if self.type is not other.type and self.type != other.type:
            return False
        other.args = self.args  # so that the next comparison sees at once that the arguments are the same
        return True

    @property
    def value(self) -> int | None:
        """The value of a constant, else None."""
        return self.args[0] if self.op == "const" else None

    @property
    def symbol(self) -> Symbol | None:
        """The symbol of a ``sym``, else None."""
        return self.args[0] if self.op == "sym" else None

    @property
    def terms(self) -> tuple[Term, ...]:
        """The arguments that are terms."""
        if self.op in ("const", "sym"):
            return ()
        return self.args[1:] if self.op == "call" else self.args

    def __repr__(self) -> str:
        from kernlint.symbolic.show import show

        return show(self)


MAX_SIZE = 400
"""Terms of more nodes than this are replaced by an unknown: they are of no use to any proof."""


_constants: dict[tuple[int, int], Term] = {}
"""Constants made of late, by the identity of their type, which they keep alive, and what they were made of."""

CONSTANTS = 4096


def const(value: int, type_: Type = I64) -> Term:
    """The constant ``value``, wrapped into ``type_``."""
    if value.__class__ is not int:
        return Term("const", (type_.wrap(value) if isinstance(type_, IntType) else value,), type_)
    key = id(type_), value
    known = _constants.get(key)
    if known is None:
        if len(_constants) >= CONSTANTS:
            _constants.clear()
        known = Term("const", (type_.wrap(value) if isinstance(type_, IntType) else value,), type_)
        _constants[key] = known
    return known


TRUE = const(1, BOOL)
FALSE = const(0, BOOL)


def unknown(
    reason: str,
    type_: Type,
    uniformity: Uniformity = Uniformity.VARYING,
    span: Span | None = None,
    origin: Any = None,
) -> Term:
    """A fresh symbol of which nothing is known but its type and uniformity."""
    return Symbol(
        SymbolKind.UNKNOWN, f"?{reason}", type_, uniformity=uniformity, reason=reason, span=span, origin=origin
    ).term


def _axis(kind: SymbolKind, names: str, uniformity: Uniformity, low: int, high: int) -> tuple[Symbol, ...]:
    return tuple(
        Symbol(kind, name, U32, axis=axis, low=low, high=high, uniformity=uniformity)
        for axis, name in enumerate(names.split())
    )


# Bounds: CUDA C++ Programming Guide, technical specifications (1024 threads a block, 2**31 - 1 blocks on x).
THREAD = _axis(SymbolKind.THREAD, "tid.x tid.y tid.z", Uniformity.VARYING, 0, 1023)
BLOCK = _axis(SymbolKind.BLOCK, "bid.x bid.y bid.z", Uniformity.BLOCK, 0, (1 << 31) - 2)
BLOCK_DIM = _axis(SymbolKind.BLOCK_DIM, "bdim.x bdim.y bdim.z", Uniformity.GRID, 1, 1024)
GRID_DIM = _axis(SymbolKind.GRID_DIM, "gdim.x gdim.y gdim.z", Uniformity.GRID, 1, (1 << 31) - 1)
OFFSET = _axis(SymbolKind.OFFSET, "goff.x goff.y goff.z", Uniformity.GRID, 0, (1 << 31) - 1)
WARP_SIZE = Symbol(SymbolKind.WARP_SIZE, "warp_size", U32, low=32, high=64, uniformity=Uniformity.GRID)
"""The launch symbols of the three axes, shared by all kernels."""


def _divide(a: int, b: int) -> int | None:
    """C division: towards zero; None by zero."""
    if b == 0:
        return None
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(a: int, b: int) -> int | None:
    quotient = _divide(a, b)
    return None if quotient is None else a - quotient * b


_INT_OPS: dict[str, Callable[[int, int], int | None]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": _divide,
    "mod": _remainder,
    "shl": lambda a, b: a << b if 0 <= b < 64 else None,
    "shr": lambda a, b: a >> b if 0 <= b < 64 else None,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "lt": lambda a, b: int(a < b),
    "le": lambda a, b: int(a <= b),
    "eq": lambda a, b: int(a == b),
    "ne": lambda a, b: int(a != b),
    "min": min,
    "max": max,
}
"""Meaning of the binary operations on mathematical integers, before wrapping; None: undefined."""

COMPARISONS = frozenset({"lt", "le", "eq", "ne"})


def apply(op: str, a: int, b: int, type_: Type) -> int | None:
    """Result of a binary integer operation in ``type_``; None where C leaves it undefined."""
    if not isinstance(type_, IntType) or (b >= type_.bits and op in ("shl", "shr")):
        return None
    result = _INT_OPS[op](a, b)
    return None if result is None else type_.wrap(result)


def binary(op: str, a: Term, b: Term, type_: Type) -> Term:
    """``a op b`` in machine type ``type_`` (BOOL for comparisons), folded where that is exact."""
    if a.op == "const" and b.op == "const" and isinstance(type_, IntType):
        value = apply(op, a.args[0], b.args[0], type_)
        if value is not None:
            return const(value, type_)
    elif isinstance(type_, IntType):
        folded = _identity(op, a, b, type_)
        if folded is None and op in _ORDERS:
            folded = _of_choice(op, a, b)
        if folded is not None:
            return folded
    if op in ("shl", "shr") and b.op == "const" and isinstance(type_, IntType) and not 0 <= b.args[0] < type_.bits:
        return _anything(SHIFTED_OUT, (a, b), type_)
    return _make(op, (a, b), type_)


_ORDERS = frozenset({"lt", "le", "eq", "ne"})


def _of_choice(op: str, a: Term, b: Term) -> Term | None:
    """What a comparison of a choice with a number says of the condition, where one outcome settles it:
    ``(outside ? 0 : 1) != 0`` is ``!outside``, ``(outside ? -1 : at) >= 0`` is ``!outside && at >= 0``."""
    choice, other = (a, b) if b.op == "const" else (b, a)
    if choice.op != "select" or other.op != "const" or choice.type == BOOL:
        return None
    cond, *ways = choice.args
    if not any(way.op == "const" for way in ways):
        return None
    then, otherwise = (
        binary(op, way, other, BOOL) if choice is a else binary(op, other, way, BOOL)
        for way in (retype(one, choice.type) for one in ways)
    )
    if then.op != "const" and otherwise.op != "const":
        return None
    cond = truth(cond)
    if then.op == "const":
        return disjunction(cond, otherwise) if then.args[0] else conjunction(negate(cond), otherwise)
    return disjunction(negate(cond), then) if otherwise.args[0] else conjunction(cond, then)


def _make(op: str, args: tuple[Any, ...], type_: Type) -> Term:
    term = Term(op, args, type_)
    return term if term.size <= MAX_SIZE else _anything(CUT_SHORT, (term,), type_)


def _anything(reason: str, parts: tuple[Term, ...], type_: Type) -> Term:
    """A symbol of which nothing is known, the same for the threads for which the terms ``parts`` are."""
    level = max((leaf.uniformity for part in parts for leaf in symbols(part)), default=Uniformity.GRID)
    return unknown(reason, type_, level)


def _identity(op: str, a: Term, b: Term, type_: IntType) -> Term | None:  # noqa: C901 - a table of laws, one line each
    """Simplifications that hold in modular arithmetic, or None."""
    x, y = a.value, b.value
    if op == "add":
        if x == 0:
            return retype(b, type_)
        if y == 0:
            return retype(a, type_)
        if y is not None and a.op == "add" and a.type == type_ and a.args[1].op == "const":
            return binary("add", a.args[0], const(a.args[1].args[0] + y, type_), type_)
        if x is not None:
            return binary("add", b, a, type_)
    elif op == "sub":
        if y == 0:
            return retype(a, type_)
        if y is not None:
            return binary("add", a, const(-y, type_), type_)
        if a == b:
            return const(0, type_)
        if a.op == "add" and a.type == type_ and b in a.args:
            return retype(a.args[1] if a.args[0] == b else a.args[0], type_)
    elif op == "mul":
        if x == 0 or y == 0:
            return const(0, type_)
        if x == 1:
            return retype(b, type_)
        if y == 1:
            return retype(a, type_)
        if x is not None:
            return binary("mul", b, a, type_)
    elif op in ("div", "shr", "shl") and y == (1 if op == "div" else 0):
        return retype(a, type_)
    elif (op == "mod" and y == 1) or (op in ("and", "mul") and (x == 0 or y == 0)):
        return const(0, type_)
    elif op in ("or", "xor") and y == 0:
        return retype(a, type_)
    elif op in ("or", "xor") and x == 0:
        return retype(b, type_)
    elif op in ("min", "max") and a == b:
        return a
    elif op in ("eq", "le") and a == b:
        return TRUE
    elif op in ("ne", "lt") and a == b:
        return FALSE
    return None


def retype(term: Term, type_: Type) -> Term:
    """``term`` converted to ``type_``: a cast unless it has that type already."""
    return term if term.type == type_ else cast(term, type_)


def cast(term: Term, type_: Type) -> Term:
    """Conversion to ``type_`` (integers wrap; between int and float it is opaque but for constants)."""
    if term.type == type_:
        return term
    if isinstance(type_, IntType) and isinstance(term.type, IntType):
        if term.op == "const":
            return const(term.args[0], type_)
        if term.op == "cast" and isinstance(term.args[0].type, IntType):
            inner = term.args[0].type
            if inner.low >= term.type.low and inner.high <= term.type.high:
                return cast(term.args[0], type_)
        if type_.bits == 1:
            return binary("ne", term, const(0, term.type), BOOL)
    elif isinstance(type_, IntType) and not term.symbols and isinstance(term.type, FloatType):
        value = number(term)
        if value is not None and type_.low <= int(value) <= type_.high:
            return const(int(value) if type_.bits > 1 else value != 0, type_)
    return _make("cast", (term,), type_)


def negate(term: Term) -> Term:
    """Logical negation of a truth value."""
    if term.op == "const":
        return FALSE if term.args[0] else TRUE
    if term.op == "lnot":
        return term.args[0]  # type: ignore[no-any-return]
    if term.op == "lt" and _integers(term):
        return binary("le", term.args[1], term.args[0], BOOL)
    if term.op == "le" and _integers(term):
        return binary("lt", term.args[1], term.args[0], BOOL)
    if term.op == "lor":
        return conjunction(negate(term.args[0]), negate(term.args[1]))
    if term.op == "land":
        return disjunction(negate(term.args[0]), negate(term.args[1]))
    if term.op == "eq":
        return binary("ne", term.args[0], term.args[1], BOOL)
    if term.op == "ne":
        return binary("eq", term.args[0], term.args[1], BOOL)
    return _make("lnot", (truth(term),), BOOL)


def _integers(term: Term) -> bool:
    return all(isinstance(arg.type, IntType) for arg in term.args)


def truth(term: Term) -> Term:
    """``term != 0`` as a BOOL term."""
    if term.type == BOOL:
        return term
    if term.op == "const":
        return TRUE if term.args[0] else FALSE
    if term.op == "cast" and term.args[0].type == BOOL:
        return term.args[0]  # type: ignore[no-any-return]
    if term.op in ("and", "or") and all(map(says_truth, term.args)):
        join = conjunction if term.op == "and" else disjunction
        return join(truth(term.args[0]), truth(term.args[1]))
    return binary("ne", term, const(0, term.type), BOOL)


def says_truth(term: Term) -> bool:
    """Whether a term is 0 or 1 because it says whether something holds: ``(a < b) & (c < d)`` and its parts."""
    if term.op in ("and", "or"):
        return all(map(says_truth, term.args))
    return term.type == BOOL or (term.op == "cast" and term.args[0].type == BOOL)


def conjunction(a: Term, b: Term) -> Term:
    """Logical and of two truth values."""
    if a.op == "const":
        return b if a.args[0] else FALSE
    if b.op == "const":
        return a if b.args[0] else FALSE
    return a if a == b else _make("land", (a, b), BOOL)


def disjunction(a: Term, b: Term) -> Term:
    """Logical or of two truth values."""
    if a.op == "const":
        return TRUE if a.args[0] else b
    if b.op == "const":
        return TRUE if b.args[0] else a
    return a if a == b else _make("lor", (a, b), BOOL)


def select(cond: Term, then: Term, other: Term, type_: Type | None = None) -> Term:
    """``cond ? then : other``."""
    kind = type_ if type_ is not None else then.type
    if cond.op == "const":
        return retype(then if cond.args[0] else other, kind)
    if then == other:
        return retype(then, kind)
    return _make("select", (cond, then, other), kind)


def plain(term: Term) -> Term:
    """``term`` without the conversions around it."""
    while term.op == "cast":
        term = term.args[0]
    return term


def is_one_bit(value: int | None) -> bool:
    """Whether a number is a power of two."""
    return value is not None and value > 0 and value & (value - 1) == 0


def subterms(term: Term) -> Iterator[Term]:
    """``term`` and all that is in it."""
    stack = [term]
    while stack:
        at = stack.pop()
        yield at
        op = at.op
        if op != "sym" and op != "const":
            stack.extend(at.args[1:] if op == "call" else at.args)


def negative(term: Term, type_: Type) -> Term:
    """Arithmetic negation in ``type_``."""
    return const(-term.args[0], type_) if term.op == "const" else _make("neg", (term,), type_)


def complement(term: Term, type_: Type) -> Term:
    """Bitwise complement in ``type_``."""
    return const(~term.args[0], type_) if term.op == "const" else _make("not", (term,), type_)


def call(name: str, args: tuple[Term, ...], type_: Type) -> Term:
    """A pure function of its arguments."""
    return _make("call", (name, *args), type_)


def symbols(term: Term) -> tuple[Symbol, ...]:
    """Every symbol of ``term``, each once, in order of appearance."""
    return term.symbols


def substitute(term: Term, images: dict[Symbol, Term], memo: dict[Term, Term] | None = None) -> Term:
    """``term`` with symbols replaced by terms, folded anew.  ``memo`` may be shared between calls with the same
    ``images``."""
    if images.keys().isdisjoint(term.symbols):
        return term
    memo = {} if memo is None else memo
    done = memo.get(term)
    if done is not None:
        return done
    op, old = term.op, term.args
    if op == "sym":
        result = images[old[0]]
    else:
        if op == "call":
            old = old[1:]
        new = [substitute(arg, images, memo) for arg in old]
        result = term if all(map(is_, new, old)) else rebuild(term, tuple(new))
    memo[term] = result
    return result


def with_parts(term: Term, parts: Sequence[Term]) -> Term:
    """The operation of ``term`` on ``parts`` in place of its own, folded; ``term`` where they are its own."""
    return term if all(map(is_, parts, term.terms)) else rebuild(term, tuple(parts))


def replaced(term: Term, images: Mapping[Term, Term]) -> Term:
    """``term`` with whole sub-terms replaced, folded anew."""
    least = min((old.size for old in images), default=term.size + 1)
    done: dict[Term, Term | None] = {}  # None: as it is

    def of(at: Term) -> Term:
        if at.size < least:
            return at
        found = images.get(at)
        if found is None:
            if at in done:
                return done[at] or at
            found = with_parts(at, [of(part) for part in at.terms])
            done[at] = None if found is at else found
        return found

    return of(term)


def rebuild(term: Term, args: tuple[Term, ...]) -> Term:
    """The operation of ``term`` on new arguments, folded."""
    op, kind = term.op, term.type
    if op in _INT_OPS:
        return binary(op, args[0], args[1], kind)
    if op == "cast":
        return cast(args[0], kind)
    if op == "select":
        return select(args[0], args[1], args[2], kind)
    if op == "land":
        return conjunction(args[0], args[1])
    if op == "lor":
        return disjunction(args[0], args[1])
    if op == "lnot":
        return negate(args[0])
    if op == "neg":
        return negative(args[0], kind)
    if op == "not":
        return complement(args[0], kind)
    return call(term.args[0], args, kind)
