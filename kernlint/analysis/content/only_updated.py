"""Private variables that are only ever updated: ``int n; if (..) ++n; out[i] = n;``.

Whichever way a thread goes, each new value is made of the one before, and there is no first one.  That is told from the
text alone: every store to the variable is ``+=``, ``++`` or takes the variable up itself, here and in helpers that get
a reference to it, and somewhere its value is used.  An address that is taken, assembly, or a call that is not followed
ends the question, and so does an update that forgets what was there (``x ^= x``, ``x &= 0``, ``x *= 0``).  Fields of a
structure and lanes of a vector are asked about one by one: some are set, and one has been forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from kernlint.tree.nodes import (
    AddressOf,
    Asm,
    Assign,
    AsyncCopy,
    Atomic,
    Binary,
    Call,
    Conditional,
    DeclStmt,
    Deref,
    Expr,
    ExprStmt,
    For,
    FunctionDecl,
    IncDec,
    IntLit,
    Lambda,
    Member,
    Node,
    Opaque,
    OpaqueStmt,
    Ref,
    Subscript,
    Unary,
    VarDecl,
    WarpOp,
)
from kernlint.tree.types import ArrayType, FloatType, IntType, PointerType, Space, StructType, Type, VectorType
from kernlint.tree.walk import children, strip_casts, walk

DEPTH = 3
"""Helpers within helpers that are looked into."""

_HIDING = (AddressOf, Asm, AsyncCopy, Atomic, Lambda, Opaque, OpaqueStmt, WarpOp)
"""What may do anything with a variable that it names."""

_FORGETTING = {"^": None, "-": None, "&": 0, "*": 0, "%": 1}
"""Operations whose result does not rest on what was there: with the variable itself, or with a number."""


def only_updated(functions: Iterable[FunctionDecl]) -> Iterator[tuple[VarDecl, Node]]:
    """Each variable of which a part, or the whole, is only updated and used, with the first such update."""
    for function in functions:
        if function.body is None:
            continue
        open_ = [
            decl
            for node in walk(function.body)
            if isinstance(node, DeclStmt)
            for decl in node.decls
            if _without_value(decl)
        ]
        if not open_:
            continue
        uses = _Uses({}, {id(decl) for decl in open_})
        uses.look(function.body)
        for decl in open_:
            first = uses.only_updated(id(decl))
            if first is not None:
                yield decl, first


def _without_value(decl: VarDecl) -> bool:
    if decl.init is not None or decl.space is not Space.PRIVATE or decl.made:
        return False
    if decl.is_global or decl.static or decl.volatile or decl.synthesised:
        return False
    return isinstance(decl.type, (IntType, FloatType, VectorType, StructType))


Place = tuple[int, tuple[str, ...]]
"""A variable (the identity of its declaration) and the names of fields, or lanes of a vector, that lead to a part."""


class _Uses:
    """What a function does with its variables, part by part: ``updates`` (the first of each), ``used``: its value goes
    somewhere; ``lost``: it is set, or may be in a way that is not followed.  Of a pointer that a function is given it
    is what lies behind it."""

    def __init__(self, known: dict[int, _Uses], asked: Set[int] | None = None, depth: int = 0) -> None:
        self.updates: dict[Place, Node] = {}
        self.used: set[Place] = set()
        self.lost: set[Place] = set()
        self._known = known  # of helpers, by the identity of the function
        self._asked = asked  # None: whatever is handed on
        self._depth = depth
        self._silent: set[int] = set()  # expressions whose value nobody takes

    def only_updated(self, variable: int) -> Node | None:
        """The first update of a part of a variable that nothing sets and something uses."""
        for place, node in self.updates.items():
            if place[0] == variable and _meets(self.used, place) and not _meets(self.lost, place):
                return node
        return None

    def look(self, node: Node) -> None:
        if isinstance(node, ExprStmt):
            self._silent.add(id(strip_casts(node.expr)))
        elif isinstance(node, For) and node.step is not None:
            self._silent.add(id(strip_casts(node.step)))
        if isinstance(node, (Assign, IncDec)):
            self._stored(node)
        elif isinstance(node, _HIDING):
            self._lose(node)
        elif isinstance(node, Call):
            self._called(node)
        elif isinstance(node, (Ref, Member, Subscript, Deref)) and (place := _place(node)) is not None:
            self.used.add(place)
            if isinstance(node.type, ArrayType):
                self.lost.add(place)  # whoever takes the array as a pointer may write through it
            for index in _indices(node):
                self.look(index)
        else:
            if isinstance(node, Ref):
                self.lost.add((id(node.decl), ()))  # a pointer that is put elsewhere
            if isinstance(node, DeclStmt):
                for decl in node.decls:
                    if isinstance(decl.type, PointerType) and decl.type.reference and decl.init is not None:
                        self._lose(decl.init)
            for child in children(node):
                self.look(child)

    def _lose(self, node: Node) -> None:
        self.lost.update((id(part.decl), ()) for part in walk(node) if isinstance(part, Ref))

    def _stored(self, node: Assign | IncDec) -> None:
        place = _place(node.target)
        if place is None:
            for child in children(node):
                self.look(child)
            return
        if isinstance(node, Assign) and not _takes_up(node):
            self.lost.update(_lanes(node.target, place))
        self.updates.setdefault(place, node)
        if id(node) not in self._silent:
            self.used.add(place)
        before = place in self.used
        for child in children(node):
            self.look(child)
        if not before:
            self.used.discard(place)  # to make its own next value is no use

    def _called(self, call: Call) -> None:
        if call.receiver is not None:
            self._lose(call.receiver)
        params = call.function.params if call.function is not None else ()
        for index, arg in enumerate(call.args):
            kind = params[index].type if index < len(params) else None
            place = _handed(arg, kind)
            asked = place is not None and (self._asked is None or place[0] in self._asked)
            if place is None or not asked or call.pure_math:
                if kind is None and not call.pure_math and (place := _place(arg)) is not None:
                    self.lost.add(place)
                self.look(arg)
                continue
            self._followed(call, index, place)
            for subscript in _indices(strip_casts(arg)):
                self.look(subscript)

    def _followed(self, call: Call, index: int, place: Place) -> None:
        function = call.function
        assert function is not None
        if function.body is None or self._depth >= DEPTH:
            self.lost.add(place)
            return
        param = id(function.params[index])
        inside = self._known.get(id(function))
        if inside is None:
            inside = self._known[id(function)] = _Uses(self._known, depth=self._depth + 1)
            inside.look(function.body)
        variable, path = place
        self.lost.update((variable, path + part) for one, part in inside.lost if one == param)
        self.used.update((variable, path + part) for one, part in inside.used if one == param)
        for one, part in inside.updates:
            if one == param:
                self.updates.setdefault((variable, path + part), call)


def _meets(places: Iterable[Place], place: Place) -> bool:
    """Whether a place, a part of it or what it is a part of is among others."""
    return any(one[0] == place[0] and one[1][: len(place[1])] == place[1][: len(one[1])] for one in places)


def _handed(arg: Expr, kind: Type | None) -> Place | None:
    """What a function gets to write to through a parameter of a type: a reference or an address."""
    if not isinstance(kind, PointerType):
        return None
    arg = strip_casts(arg)
    if kind.reference:
        return _place(arg)
    if isinstance(arg, AddressOf):
        return _place(arg.operand)
    pointer = isinstance(arg, Ref) and isinstance(arg.decl.type, PointerType) and not arg.decl.type.reference
    return (id(arg.decl), ()) if isinstance(arg, Ref) and pointer else None


def _indices(expr: Expr) -> Iterator[Expr]:
    """The indices by which an expression leads to an element."""
    at = strip_casts(expr)
    while isinstance(at, (Member, Subscript)):
        if isinstance(at, Subscript):
            yield at.index
        at = strip_casts(at.base)


def _place(expr: Expr) -> Place | None:
    """The variable that an lvalue is, or is a part of, with what leads to that part: as far as the parts before lie
    apart, not beside each other in a union or in an array."""
    at: Expr = strip_casts(expr)
    steps: list[str] = []
    while isinstance(at, (Member, Subscript)):
        apart = isinstance(at, Member) and (len(at.lanes) == 1 or (not at.lanes and _apart(at.base.type)))
        if isinstance(at, Member) and apart:
            steps.append(f"[{at.lanes[0]}]" if at.lanes else at.field)
        else:
            steps.clear()
        if isinstance(at, Member) and at.arrow:
            return _behind(strip_casts(at.base), steps)
        at = strip_casts(at.base)
    if isinstance(at, Deref):
        return _behind(strip_casts(at.pointer), steps)
    if not isinstance(at, Ref) or (isinstance(at.decl.type, PointerType) and not at.decl.type.reference):
        return None
    return id(at.decl), tuple(reversed(steps))


def _behind(pointer: Expr, steps: list[str]) -> Place | None:
    """A part of what a variable points to."""
    if not isinstance(pointer, Ref) or not isinstance(pointer.decl.type, PointerType) or pointer.decl.type.reference:
        return None
    return id(pointer.decl), tuple(reversed(steps))


def _apart(kind: Type) -> bool:
    """Whether the members of a structure, or of that which a pointer leads to, have room of their own each."""
    if isinstance(kind, PointerType):
        kind = kind.pointee
    return isinstance(kind, StructType) and not kind.union


def _lanes(target: Expr, place: Place) -> Iterator[Place]:
    """The places that a store to ``target`` sets: several lanes of a vector one by one."""
    target = strip_casts(target)
    if isinstance(target, Member) and len(target.lanes) > 1:
        yield from ((place[0], (*place[1], f"[{lane}]")) for lane in target.lanes)
    else:
        yield place


def _takes_up(node: Assign) -> bool:
    """Whether the value that is stored rests on what the variable held, whatever else."""
    if node.op:
        value = strip_casts(node.value)
        if node.op not in _FORGETTING:
            return True
        number = _FORGETTING[node.op]
        if isinstance(value, IntLit):
            return value.value != number
        return number is not None or not _same(value, node.target)
    return _rests(node.value, node.target)


def _rests(value: Expr, target: Expr) -> bool:
    value = strip_casts(value)
    if isinstance(value, Conditional):
        return _rests(value.cond, target) or (_rests(value.then, target) and _rests(value.other, target))
    if isinstance(value, Binary):
        if value.op in _FORGETTING and _same(value.lhs, value.rhs):
            return False
        return _rests(value.lhs, target) or _rests(value.rhs, target)
    if isinstance(value, Unary):
        return _rests(value.operand, target)
    if isinstance(value, Call):
        return value.pure_math and any(_rests(arg, target) for arg in value.args)
    return _same(value, target)


def _same(one: Expr, other: Expr) -> bool:
    """Whether two expressions are one variable, or one field or element of it."""
    one, other = strip_casts(one), strip_casts(other)
    if isinstance(one, Ref) and isinstance(other, Ref):
        return one.decl is other.decl
    if isinstance(one, Member) and isinstance(other, Member):
        return one.field == other.field and one.arrow == other.arrow and _same(one.base, other.base)
    if isinstance(one, Subscript) and isinstance(other, Subscript):
        return _same(one.base, other.base) and _same(one.index, other.index)
    return isinstance(one, IntLit) and isinstance(other, IntLit) and one.value == other.value
