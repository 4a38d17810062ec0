"""What the user says about a kernel's launches, as terms.

Three statements, in ``// kernlint:`` comments inside or directly above a kernel, in the configuration's ``assume``
and after ``--assume``::

    assume(blockDim.x == 256 && n % 4 == 0)
    launch(block=(16, 16), grid=(n + 15) / 16)
    extent(A, M * K)

Names are the kernel's scalar parameters (``p.field`` for fields), ``blockDim``, ``gridDim``, ``warpSize`` and OpenCL's
``get_local_size(0)``, ``get_num_groups(0)``, ``get_global_size(0)``.  Arithmetic is that of 64-bit integers.  The
elements of an extent are those of the pointer's type (bytes behind a ``void *``); in place of a pointer, an array in
dynamic shared memory may be named.  The grammar is ``kernlint/data/assumptions.lark``.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from kernlint.analysis.base import Facts, KernelAnalysis, Stated
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import RootKind, Trace
from kernlint.prove.query import FREE, Bounds, Budget, Launch, Proved, Side
from kernlint.prove.solve import solve
from kernlint.record import dataclass, field
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.terms import (
    BLOCK_DIM,
    GRID_DIM,
    WARP_SIZE,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    binary,
    cast,
    conjunction,
    const,
    disjunction,
    negate,
    negative,
    symbols,
    truth,
)
from kernlint.text.nearest import nearest
from kernlint.tree.nodes import Ref, VarDecl
from kernlint.tree.types import BOOL, I64, ArrayType, IntType, PointerType, Space, Type, VoidType
from kernlint.tree.walk import functions_of, walk

if TYPE_CHECKING:
    from lark import Lark, Token, Tree

    Node = Tree[Token] | Token

Block = tuple[int, int, int]

VERBS = ("assume", "launch", "extent")
"""The words with which statements begin."""


class AssumptionError(Exception):
    """A statement is wrong.  ``position``: where, in characters from the start of its text; ``name``: it is about a
    name that the kernel does not have."""

    def __init__(self, message: str, position: int, name: bool = False) -> None:
        super().__init__(message)
        self.position = position
        self.name = name


def caret(text: str, error: AssumptionError) -> str:
    """Two lines: the statement, and a caret under the place of the error."""
    return f"  {text}\n  {' ' * error.position}^"


OF_BLOCK, OF_GRID = "the block", "the grid"
"""What a statement speaks of, beside parameters."""


@dataclass(frozen=True, slots=True)
class Assumed:
    """What is taken for granted of one kernel's launches.

    ``premises``: truths over parameters and launch sizes; ``texts``: the same as the user wrote it.  ``values``: the
    symbols that premises fix to a number.  ``block`` in threads and ``grid`` in blocks, where all three sizes are
    numbers.  ``extents``: bytes behind pointer parameters, and of dynamic shared memory.  ``spoken``: for each text
    what it speaks of: names of parameters, :data:`OF_BLOCK`, :data:`OF_GRID`.  ``idle``: parameters among them that the
    kernel makes no use of.  ``problems``: statements that do not fit the kernel.
    """

    premises: tuple[Term, ...] = ()
    texts: tuple[str, ...] = ()
    values: tuple[tuple[Symbol, int], ...] = ()
    block: Block | None = None
    grid: Block | None = None
    extents: tuple[tuple[str, Term], ...] = ()
    spoken: tuple[tuple[str, frozenset[str]], ...] = ()
    idle: frozenset[str] = frozenset()
    problems: tuple[tuple[Stated, AssumptionError], ...] = ()

    def resting(self, values: Iterable[str], objects: Iterable[str]) -> tuple[str, ...]:
        """The texts that speak of the launch, of one of the parameters ``values``, or of the extent of one of the
        pointers ``objects``."""
        named = {OF_BLOCK, OF_GRID, *values, *objects}
        return tuple(text for text, names in self.spoken if names & named)

    @property
    def fixed(self) -> frozenset[Symbol]:
        """The symbols that have a number."""
        return frozenset(symbol for symbol, _ in self.values)

    @property
    def numbers(self) -> tuple[tuple[Symbol, int], ...]:
        """The values of symbols other than the sizes of block and grid."""
        sizes = (SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM)
        return tuple((symbol, value) for symbol, value in self.values if symbol.kind not in sizes)

    def extent(self, name: str) -> Term | None:
        """Bytes behind the pointer parameter ``name``, or of dynamic shared memory; None when nothing is said."""
        return next((size for key, size in self.extents if key == name), None)


@lru_cache(maxsize=1)
def _grammar() -> Lark:
    from lark import Lark

    text = pkgutil.get_data("kernlint.data", "assumptions.lark") or b""
    return Lark(text.decode(), parser="lalr", propagate_positions=True)


_WORDS = {
    "RPAR": ")",
    "LPAR": "(",
    "COMMA": ",",
    "EQUAL": "=",
    "NAME": "a name",
    "NUMBER": "a number",
    "KEY": "block= or grid=",
    "COMPARED": "a comparison",
    "ADDED": "an operator",
}


def parse(text: str) -> Tree[Token]:
    """The statements of ``text``.  Raises :class:`AssumptionError` with the place of a syntax error."""
    from lark.exceptions import UnexpectedInput

    try:
        return _grammar().parse(text)
    except UnexpectedInput as error:
        at = error.pos_in_stream
        position = len(text) if at is None or at < 0 else min(at, len(text))
        if getattr(getattr(error, "token", None), "type", "") == "$END":
            position = len(text.rstrip())
        expected = getattr(error, "accepts", None) or getattr(error, "expected", None) or ()
        found = dict.fromkeys(_WORDS[name] for name in _WORDS if name in expected)
        hint = f"; {' or '.join(found)} is expected here" if found else ""
        if text[position : position + 1] == "=" and text[position + 1 : position + 2] != "=":
            hint = "; equality is written =="
        raise AssumptionError(f"this assumption is not understood{hint}", position) from None


class _Resolver:
    """Turns the parts of a statement into terms over one kernel's symbols."""

    def __init__(self, facts: Facts, of: Trace) -> None:
        self.function = facts.function
        self.kernel = facts.kernel
        self.scalars = {s.name: s for s in _used(of) if s.kind in (SymbolKind.PARAM, SymbolKind.TEMPLATE)}
        self.arguments = dict(self.function.template_args)
        self.unused: dict[str, Term] = {}
        self.pointers = {root.name: root for root in of.roots if root.kind is RootKind.PARAM}
        self.shared = next((root for root in of.roots if is_dynamic(root.decl)), None)

    def truth(self, node: Node) -> Term:
        return truth(self.term(node))

    def term(self, node: Node) -> Term:
        """The value of an expression, of type i64 or, for a truth value, bool."""
        from lark import Token

        assert not isinstance(node, Token)
        kind, parts = str(node.data), node.children
        if kind in ("lor", "land"):
            if len(parts) == 1:
                return self.term(parts[0])
            result = self.truth(parts[0])
            for part in parts[1:]:
                join = disjunction if kind == "lor" else conjunction
                result = join(result, self.truth(part))
            return result
        if kind == "compare":
            return self._compared(parts)
        if kind == "infix":
            result = self.term(parts[0])
            for sign, part in zip(parts[1::2], parts[2::2], strict=True):
                result = self._infix(str(sign), result, part)
            return result
        if kind == "negative":
            return negative(self.number(parts[0]), I64)
        if kind == "lnot":
            return negate(self.truth(parts[0]))
        if kind == "number":
            return const(int(str(parts[0]), 0), I64)
        if kind == "call":
            return self._call(node)
        return self._place(node)

    def number(self, node: Node) -> Term:
        return cast(self.term(node), I64)

    def _infix(self, sign: str, left: Term, node: Node) -> Term:
        right = self.number(node)
        op = {"+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod"}[sign]
        if op in ("div", "mod") and right.value == 0:
            raise AssumptionError("division by zero", _position(node))
        return binary(op, cast(left, I64), right, I64)

    def _compared(self, parts: Sequence[Node]) -> Term:
        if len(parts) == 1:
            return self.term(parts[0])
        result: Term | None = None
        for at in range(1, len(parts), 2):
            left, right = self.number(parts[at - 1]), self.number(parts[at + 1])
            sign = str(parts[at])
            if sign in (">", ">="):
                left, right, sign = right, left, sign.replace(">", "<")
            op = {"<": "lt", "<=": "le", "==": "eq", "!=": "ne"}[sign]
            one = binary(op, left, right, BOOL)
            result = one if result is None else conjunction(result, one)
        assert result is not None
        return result

    def _call(self, node: Tree[Token]) -> Term:
        name, args = str(node.children[0]), [self.number(part) for part in node.children[1:]]
        if name in ("min", "max") and len(args) == 2:
            return binary(name, args[0], args[1], I64)
        axis = args[0].value if len(args) == 1 else None
        sizes = {
            "get_local_size": (BLOCK_DIM,),
            "get_num_groups": (GRID_DIM,),
            "get_global_size": (BLOCK_DIM, GRID_DIM),
        }
        if name in sizes and axis in (0, 1, 2):
            factors = [cast(of[axis].term, I64) for of in sizes[name]]
            return factors[0] if len(factors) == 1 else binary("mul", factors[0], factors[1], I64)
        raise AssumptionError(f"{name} of this cannot stand in an assumption", _position(node))

    def _place(self, node: Tree[Token]) -> Term:
        names = [str(part) for part in node.children]
        for word, of in (("blockDim", BLOCK_DIM), ("gridDim", GRID_DIM)):
            if names[0] == word:
                if len(names) != 2 or names[1] not in ("x", "y", "z"):
                    raise AssumptionError(f"{word} needs an axis: {word}.x", _position(node))
                return cast(of["xyz".index(names[1])].term, I64)
        if names == ["warpSize"]:
            return cast(WARP_SIZE.term, I64)
        if names[0] in ("threadIdx", "blockIdx"):
            raise AssumptionError(
                f"{names[0]} differs between threads: an assumption is about a launch", _position(node)
            )
        path = ".".join(names)
        symbol = self.scalars.get(path)
        if symbol is not None:
            return cast(symbol.term, I64)
        value = self.arguments.get(path, "")
        if value.lstrip("-").isdigit():
            return const(int(value), I64)
        if any(param.name == names[0] and not isinstance(param.type, PointerType) for param in self.function.params):
            symbol = Symbol(SymbolKind.PARAM, path, I64, uniformity=Uniformity.GRID)  # nothing depends on it
            return self.unused.setdefault(path, symbol.term)
        known = [param.name for param in self.function.params]
        near = nearest(path, [*known, *self.scalars, "blockDim.x", "gridDim.x"])
        hint = f"; did you mean {near[0]}?" if near else ""
        raise AssumptionError(f"the kernel has no number called {path}{hint}", _position(node), name=True)

    def extent(self, place: Node, size: Node) -> tuple[str, Term]:
        """Name and bytes of a pointer parameter, or of dynamic shared memory, of which the elements are given."""
        name = ".".join(str(part) for part in place.children)  # type: ignore[union-attr]
        declared = next((p.type for p in self.function.params if p.name == name), None)
        root = self.pointers.get(name)
        shared = self._dynamic(name) if root is None and declared is None else None
        if root is None and not isinstance(declared, PointerType) and shared is None:
            raise AssumptionError(f"the kernel has no pointer parameter called {name}", _position(place), name=True)
        element = root.element if root is not None else declared.pointee if isinstance(declared, PointerType) else None
        if shared is not None:
            name, element = shared
        while isinstance(element, ArrayType):
            element = element.element
        untyped = isinstance(declared, PointerType) and isinstance(declared.pointee, VoidType)
        if untyped or isinstance(element, VoidType):  # whatever the kernel takes the bytes for
            return name, self.number(size)
        if element is None or not element.size:
            raise AssumptionError(f"the size of an element of {name} is not known", _position(place))
        return name, binary("mul", self.number(size), const(element.size, I64), I64)

    def _dynamic(self, name: str) -> tuple[str, Type] | None:
        """The object that holds dynamic shared memory, by its name in the walk, and the elements of the array in it
        that is called ``name``; None where there is none."""
        if self.shared is None:
            return None
        for function in functions_of(self.kernel):
            for node in walk(function):
                if isinstance(node, Ref) and node.decl.name == name and is_dynamic(node.decl):
                    return self.shared.name, node.decl.type
        return None


def is_dynamic(decl: VarDecl | None) -> bool:
    """Whether a variable lies in the shared memory that the launch sizes (``extern __shared__ float cells[]``)."""
    return decl is not None and decl.unsized and decl.space is Space.SHARED


def _position(node: Node) -> int:
    meta = getattr(node, "meta", None)
    return int(getattr(meta, "start_pos", 0) or 0)


def _used(of: Trace) -> Iterator[Symbol]:
    seen: set[int] = set()
    for term in _terms(of):
        for symbol in symbols(term):
            if id(symbol) not in seen:
                seen.add(id(symbol))
                yield symbol


def _terms(of: Trace) -> Iterator[Term]:
    for access in of.accesses:
        yield access.offset
        yield from (guard.term for guard in access.guards)
        if access.value is not None:
            yield access.value
    for barrier in of.barriers:
        yield from (guard.term for guard in barrier.guards)
    yield from (test.term for test in of.conditions)
    yield from (loop.condition for loop in of.loops if loop.condition is not None)


@dataclass(slots=True)
class _Collected:
    premises: list[Term] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    extents: dict[str, Term] = field(default_factory=dict)
    spoken: dict[str, frozenset[str]] = field(default_factory=dict)
    block: Block | None = None
    grid: Block | None = None
    problems: list[tuple[Stated, AssumptionError]] = field(default_factory=list)


def _read(stated: Stated, resolver: _Resolver, out: _Collected) -> None:
    """Add one text of statements; what does not fit the kernel becomes a problem, and says nothing.

    Syntax errors are reported by who reads the comments, and by the command line.
    """
    try:
        parsed = parse(stated.text)
    except AssumptionError:
        return
    premises: list[Term] = []
    extents: list[tuple[str, Term]] = []
    block, grid = out.block, out.grid
    try:
        for node in parsed.children:
            kind, parts = str(node.data), node.children  # type: ignore[union-attr]
            if kind == "assume":
                premises.append(resolver.truth(parts[0]))
            elif kind == "extent":
                extents.append(resolver.extent(parts[0], parts[1]))
            else:
                for sizes in parts:
                    key, given = str(sizes.children[0]), sizes.children[1]  # type: ignore[union-attr]
                    dims = BLOCK_DIM if key == "block" else GRID_DIM
                    terms = _sizes(given, resolver)
                    premises += [binary("eq", cast(d.term, I64), t, BOOL) for d, t in zip(dims, terms, strict=True)]
                    numbers = _numbers(terms)
                    block, grid = (numbers or block, grid) if key == "block" else (block, numbers or grid)
    except AssumptionError as error:
        out.problems.append((stated, error))
        return
    out.premises += premises
    out.extents.update(extents)
    out.block, out.grid = block, grid
    out.texts.append(stated.text)
    names = {name for name, _ in extents}
    for term in (*premises, *(size for _, size in extents)):
        names.update(_called(symbol) for symbol in symbols(term))
    out.spoken[stated.text] = frozenset(names)


def _called(symbol: Symbol) -> str:
    return {SymbolKind.BLOCK_DIM: OF_BLOCK, SymbolKind.GRID_DIM: OF_GRID}.get(symbol.kind, symbol.name)


def _sizes(given: Node, resolver: _Resolver) -> list[Term]:
    """Three sizes; those left out are 1."""
    data = str(getattr(given, "data", ""))
    parts = [part for part in given.children if part is not None] if data == "tuple" else [given]  # type: ignore[union-attr]
    terms = [resolver.number(part) for part in parts]
    for term, part in zip(terms, parts, strict=True):
        if term.value is not None and term.value < 1:
            raise AssumptionError("a launch has at least one thread and block along each axis", _position(part))
    return terms + [const(1, I64)] * (3 - len(terms))


def _numbers(terms: Sequence[Term]) -> Block | None:
    x, y, z = (term.value for term in terms)
    return None if x is None or y is None or z is None else (x, y, z)


def _parts(term: Term) -> Iterator[Term]:
    if term.op == "land":
        for arg in term.terms:
            yield from _parts(arg)
    else:
        yield term


def _fixed(premises: Sequence[Term]) -> dict[Symbol, int]:
    """Symbols that some premise sets equal to a number."""
    out: dict[Symbol, int] = {}
    for premise in premises:
        for part in _parts(premise):
            if part.op != "eq":
                continue
            for left, right in (part.args, part.args[::-1]):
                inner = left.args[0] if left.op == "cast" else left
                if inner.op == "sym" and right.value is not None and isinstance(inner.type, IntType):
                    out[inner.args[0]] = right.value
    return out


def applies(stated: Stated, facts: Facts) -> bool:
    """Whether a statement is about the kernel: said of all, inside it, or directly above."""
    if stated.span is None:
        return not stated.kernel or stated.kernel == facts.kernel.name
    spans = (facts.kernel.function.span, facts.function.span)
    return any(
        span.file == stated.span.file
        and (span.start <= stated.span.start < span.end or stated.span.end <= span.start <= stated.until)
        for span in spans
    )


def _compute(facts: Facts) -> Assumed:
    stated = [one for one in facts.options.stated if applies(one, facts)]
    if not stated:
        return Assumed()
    out = _Collected()
    resolver = _Resolver(facts, facts[trace])
    for one in stated:
        _read(one, resolver, out)
    values = _fixed(out.premises)
    if out.block is None and all(dim in values for dim in BLOCK_DIM):
        x, y, z = (values[dim] for dim in BLOCK_DIM)
        out.block = x, y, z
    return Assumed(
        tuple(out.premises),
        tuple(out.texts),
        tuple(values.items()),
        out.block,
        out.grid,
        tuple(out.extents.items()),
        tuple(out.spoken.items()),
        frozenset(resolver.unused),
        tuple(out.problems),
    )


assumed = KernelAnalysis("assumed", _compute, needs=(trace,))
"""What the user says of the launches of one kernel variant."""


def _contradicts(facts: Facts) -> bool:
    said = facts[assumed]
    if not said.premises:
        return False
    values = dict(said.values)
    if any(evaluate(premise, values) == 0 or interval(premise) == (0, 0) for premise in said.premises):
        return True
    bounds = facts.function.bounds
    launch = Launch(
        said.block or facts.options.block or bounds.required or FREE,
        said.grid or facts.options.grid or FREE,
        bounds.max_threads or 1024,
        said.numbers,
    )
    beyond = Side(const(8, I64), 1)  # a fault in every launch that there is
    answer = solve(Bounds(beyond, const(1, I64), said.premises, launch=launch), BUDGET)
    return isinstance(answer, Proved) and not answer.assumptions


BUDGET = Budget(steps=300, points=4_000, rlimit=0)
"""For finding out whether statements contradict each other."""

contradiction = KernelAnalysis("contradiction", _contradicts, needs=(assumed,))
"""Whether no launch at all is as the user says: then everything would be proved, of nothing."""
