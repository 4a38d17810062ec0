"""Values of variables during the walk: terms, pointers, structs, references, lambdas."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kernlint.analysis.trace.events import Root, RootKind
from kernlint.record import dataclass, replace
from kernlint.symbolic.terms import (
    TRUE,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    call,
    conjunction,
    const,
    disjunction,
    negate,
    select,
    substitute,
    truth,
    unknown,
)
from kernlint.symbolic.uniformity import uniformity
from kernlint.tree.nodes import FunctionDecl, Lambda, VarDecl
from kernlint.tree.types import (
    I64,
    U8,
    PointerType,
    Space,
    StructType,
    Type,
    VectorType,
)


@dataclass(frozen=True, slots=True)
class PointerValue:
    """``offset`` bytes (i64) into ``root``; ``pointee`` is the type it points to now.  ``array``: the unsized array of
    dynamic shared memory whose name it was made from, as far as it is one."""

    root: Root
    offset: Term
    pointee: Type
    array: VarDecl | None = None

    def typed(self, pointee: Type) -> PointerValue:
        """The same place, seen as another type."""
        return PointerValue(self.root, self.offset, pointee, self.array)

    def moved(self, offset: Term, pointee: Type | None = None) -> PointerValue:
        """Another place in the same object."""
        return PointerValue(self.root, offset, self.pointee if pointee is None else pointee, self.array)


@dataclass(frozen=True, slots=True)
class StructValue:
    """A struct, union or vector; lanes of a vector are the fields ``"0"``, ``"1"``, ..."""

    type: Type
    fields: tuple[tuple[str, Value], ...]

    def get(self, name: str) -> Value | None:
        """Value of a field, or None when it has none of that name."""
        for key, value in self.fields:
            if key == name:
                return value
        return None

    def with_field(self, name: str, value: Value) -> StructValue:
        """A copy with one field replaced or added."""
        for at, (key, _) in enumerate(self.fields):
            if key == name:
                return StructValue(self.type, (*self.fields[:at], (name, value), *self.fields[at + 1 :]))
        return StructValue(self.type, (*self.fields, (name, value)))


@dataclass(frozen=True, slots=True)
class VarPlace:
    """An lvalue that is a variable of the walk, or a field of one."""

    decl: VarDecl
    path: tuple[str, ...]
    type: Type


@dataclass(frozen=True, slots=True)
class MemPlace:
    """An lvalue in memory.  ``index``: the subscript it came from, in elements."""

    pointer: PointerValue
    type: Type
    index: Term | None = None
    volatile: bool = False


@dataclass(frozen=True, slots=True)
class LambdaValue:
    """A lambda; variables captured by reference are looked up in the environment when it is called, those captured
    by value are kept in ``captured``."""

    node: Lambda
    captured: tuple[tuple[VarDecl, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A named function.  ``others``: what it may be instead; ``when``: by what condition it is this one."""

    function: FunctionDecl | None
    name: str
    others: tuple[FunctionValue, ...] = ()
    when: Term = TRUE

    @property
    def all(self) -> tuple[FunctionValue, ...]:
        """Every function that it may be."""
        return (self, *self.others)


@dataclass(frozen=True, slots=True)
class ReferenceValue:
    """A C++ reference: the place it is bound to."""

    place: Place


Place = VarPlace | MemPlace

UNPLACED = "a field of a structure, where nobody knows it lies"
"""The origin of a symbol for the place of such a field: fields lie apart, wherever they are."""

Value = Term | PointerValue | StructValue | LambdaValue | FunctionValue | ReferenceValue


def unknown_root(space: Space, element: Type, reason: str, candidates: tuple[Root, ...] = ()) -> Root:
    """A root for a pointer of which only the space is known."""
    return Root(f"?{reason}", RootKind.UNKNOWN, space, None, element, candidates=candidates)


def fields_of(type_: Type) -> list[tuple[str, Type, int | None]]:
    """Fields (name, type, byte offset) of a struct or vector type."""
    if isinstance(type_, StructType):
        return [(f.name, f.type, f.offset) for f in type_.fields]
    if isinstance(type_, VectorType):
        size = type_.element.size
        return [(str(n), type_.element, None if size is None else n * size) for n in range(type_.lanes)]
    return []


def build(type_: Type, leaf: Callable[[Type, str], Value], path: str = "", depth: int = 0) -> Value:
    """A value of ``type_`` whose scalar and pointer leaves ``leaf(type, path)`` makes."""
    if isinstance(type_, (StructType, VectorType)) and depth < 4:
        made = tuple((n, build(t, leaf, f"{path}.{n}", depth + 1)) for n, t, _ in fields_of(type_))
        return StructValue(type_, made)
    return leaf(type_, path)


MOST_THREADS = "maxThreadsPerBlock"
"""The property of a device that says how many threads a block may have, and a mark of numbers that are it."""


def unknown_value(
    type_: Type, reason: str, uniformity: Uniformity = Uniformity.VARYING, origin: VarDecl | None = None
) -> Value:
    """A value of ``type_`` of which nothing but its uniformity is known.  ``origin``: the variable, where the reason is
    that it has been declared and given no value."""

    def leaf(kind: Type, path: str) -> Value:
        if isinstance(kind, PointerType) and not kind.reference:
            offset = unknown(reason, I64, uniformity)
            return PointerValue(unknown_root(kind.space, kind.pointee, reason), offset, kind.pointee)
        asked = MOST_THREADS if path.rpartition(".")[2] == MOST_THREADS else ""
        return unknown(f"{reason}, {asked}" if asked else reason, kind, uniformity, origin=origin)

    if isinstance(type_, (StructType, VectorType)):
        return build(type_, leaf)
    return leaf(type_, "")


def same(a: Value, b: Value) -> bool:
    """Whether two values are known to be equal."""
    return a is b or a == b


def merge(cond: Term, a: Value, b: Value) -> Value:
    """The value that is ``a`` under ``cond`` and ``b`` otherwise."""
    if same(a, b):
        return a
    if isinstance(a, Term) and isinstance(b, Term):
        return select(cond, a, b, a.type)
    if isinstance(a, PointerValue) and isinstance(b, PointerValue):
        if a.root is b.root:
            return PointerValue(
                a.root, select(cond, a.offset, b.offset), a.pointee, a.array if a.array is b.array else None
            )
        if _never_set(a) or _never_set(b):
            return b if _never_set(a) else a  # nobody may use what was never set
        return _one_of(cond, a, b)
    if isinstance(a, ReferenceValue) and isinstance(b, ReferenceValue):
        left_at, right_at = a.place, b.place
        if isinstance(left_at, MemPlace) and isinstance(right_at, MemPlace) and left_at.type == right_at.type:
            pointer = merge(cond, left_at.pointer, right_at.pointer)
            assert isinstance(pointer, PointerValue)
            return ReferenceValue(MemPlace(pointer, left_at.type, volatile=left_at.volatile or right_at.volatile))
    if isinstance(a, StructValue) and isinstance(b, StructValue):
        beside = dict(b.fields)
        made: list[tuple[str, Value]] = []
        for field in a.fields:
            name, left = field
            right = beside.get(name)
            made.append(field if right is None or right is left else (name, merge(cond, left, right)))
        return StructValue(a.type, tuple(made))
    named: dict[tuple[FunctionDecl | None, str], Term] = {}
    for side, here in ((a, cond), (b, negate(cond))):
        for one in side.all if isinstance(side, FunctionValue) else ():
            when = conjunction(here, one.when)
            known = named.get((one.function, one.name))
            named[one.function, one.name] = when if known is None else disjunction(known, when)
    if named:
        first, *others = (FunctionValue(function, name, (), when) for (function, name), when in named.items())
        return replace(first, others=tuple(others))
    if isinstance(a, (PointerValue, StructValue)):
        return unknown_value(a.type if isinstance(a, StructValue) else PointerType(a.pointee), "merge")
    return unknown("merge", a.type if isinstance(a, Term) else U8)


NEVER_SET = "uninitialised"
"""How the reason begins for which nothing is known of a variable that has not been given a value."""


def _never_set(value: PointerValue) -> bool:
    return value.root.kind is RootKind.UNKNOWN and value.root.name.startswith(f"?{NEVER_SET}")


MOST_CHOICES = 4
"""Objects that a pointer may point to by condition; with more it is not known which."""


def _one_of(cond: Term, a: PointerValue, b: PointerValue) -> PointerValue:
    """The pointer that is ``a`` under ``cond`` and otherwise ``b``, which points into another object."""
    level = max(uniformity(term) for term in (cond, a.offset, b.offset))
    base = unknown("pointer", I64, level, origin=cond)
    choices = tuple(one for one in (*_choices(cond, a), *_choices(negate(cond), b)) if one[1].name != NULL)
    if len(choices) > MOST_CHOICES or any(root.kind is RootKind.UNKNOWN for _, root, _ in choices):
        choices = ()
    reason, candidates = "?pointer", any_of(a.root, b.root)
    root = Root(
        reason,
        RootKind.UNKNOWN,
        a.root.space,
        None,
        a.pointee,
        candidates=candidates,
        choices=choices,
        base=base.symbol,
    )
    return PointerValue(root, base, a.pointee)


def _choices(cond: Term, pointer: PointerValue) -> tuple[tuple[Term, Root, Term], ...]:
    """What ``pointer`` points to where ``cond`` holds: (condition, object, offset)."""
    return tuple((conjunction(cond, under), at.root, at.offset) for under, at in chosen(pointer))


def chosen(pointer: PointerValue) -> Iterator[tuple[Term, PointerValue]]:
    """The pointers that ``pointer`` is, each with the condition of it; itself where there is no choice."""
    root = pointer.root
    if not root.choices or root.base is None:
        yield TRUE, pointer
        return
    for cond, real, offset in root.choices:
        yield cond, PointerValue(real, substitute(pointer.offset, {root.base: offset}), pointer.pointee)


NULL = "?null"
"""Name of what a null pointer points to: nothing, so it is none of the objects of a pointer that may be null."""


def any_of(*roots: Root) -> tuple[Root, ...]:
    """Candidates of a pointer that points into one of ``roots``; empty (any) when one of those may be anything."""
    real = [root for root in roots if root.name != NULL]
    if any(root.kind is RootKind.UNKNOWN and not root.candidates for root in real):
        return ()
    out: list[Root] = []
    for root in real:
        for one in root.candidates or (root,):
            if one not in out:
                out.append(one)
    return tuple(out)


def as_term(value: Value, type_: Type = I64) -> Term:
    """``value`` as one term: pointers become their address (an atom of the root plus the offset)."""
    if isinstance(value, Term):
        return value
    if isinstance(value, PointerValue):
        return call("address", (root_symbol(value.root).term, value.offset), type_)
    if isinstance(value, StructValue):
        return call("struct", tuple(as_term(v) for _, v in value.fields), type_)
    return unknown("value", type_)


_ROOT_SYMBOLS: dict[tuple[int, bool], tuple[Root, Symbol]] = {}


def root_symbol(root: Root) -> Symbol:
    """The symbol for the address of ``root`` (the same in the whole grid unless the root is private)."""
    return _symbol_of(root, asked=False)


def present(root: Root) -> Term:
    """That a pointer to ``root`` is not null: for a parameter as the launch has it, whatever its address may be."""
    return truth(_symbol_of(root, asked=root.kind is RootKind.PARAM).term)


def _symbol_of(root: Root, asked: bool) -> Symbol:
    known = _ROOT_SYMBOLS.get((id(root), asked))
    if known is not None and known[0] is root:
        return known[1]
    level = Uniformity.VARYING if root.space is Space.PRIVATE else Uniformity.GRID
    if asked:
        symbol = Symbol(SymbolKind.PARAM, root.name, I64, low=0, high=1, uniformity=level, origin=root)
    else:
        low = 0 if root.kind is RootKind.UNKNOWN else 1  # it may be null
        symbol = Symbol(SymbolKind.UNKNOWN, f"&{root.name}", I64, low=low, uniformity=level, origin=root)
    if len(_ROOT_SYMBOLS) > 4096:
        _ROOT_SYMBOLS.clear()
    _ROOT_SYMBOLS[id(root), asked] = (root, symbol)
    return symbol


def left_out(type_: Type) -> int:
    """What a member that a list of values leaves out holds: 1 in a ``dim3``, whose constructor takes that for a size
    which it is not given; else 0."""
    return int(isinstance(type_, StructType) and type_.name.rpartition("::")[2] == "dim3")


def zero_value(type_: Type) -> Value:
    """The zero of a type (value initialisation)."""

    def leaf(kind: Type, path: str) -> Value:
        if isinstance(kind, PointerType):
            return PointerValue(unknown_root(kind.space, kind.pointee, "null"), const(0), kind.pointee)
        return const(0, kind)

    return build(type_, leaf)


def own_variable(decl: VarDecl) -> bool:
    """Whether a variable belongs to one call of the function walked: private in a kernel, automatic in host code."""
    if decl.space is Space.HOST:
        return not decl.is_global and not decl.static
    return decl.space is Space.PRIVATE and not decl.is_global
