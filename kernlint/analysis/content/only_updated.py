"""Private variables that are only ever updated: ``int n; if (..) ++n; out[i] = n;``.

Whichever way a thread goes, each new value is made of the one before, and there is no first one.  That is told from the
text alone: every store to the variable is ``+=``, ``++`` or takes the variable up itself, here and in helpers that get
a reference to it, and somewhere its value is used.  An address that is taken, assembly, or a call that is not followed
ends the question, and so does an update that forgets what was there (``x ^= x``, ``x &= 0``, ``x *= 0``).
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
from kernlint.tree.types import FloatType, IntType, PointerType, Space, StructType, Type, VectorType
from kernlint.tree.walk import children, strip_casts, walk

DEPTH = 3
"""Helpers within helpers that are looked into."""

_HIDING = (AddressOf, Asm, AsyncCopy, Atomic, Lambda, Opaque, OpaqueStmt, WarpOp)
"""What may do anything with a variable that it names."""

_FORGETTING = {"^": None, "-": None, "&": 0, "*": 0, "%": 1}
"""Operations whose result does not rest on what was there: with the variable itself, or with a number."""


def only_updated(functions: Iterable[FunctionDecl]) -> Iterator[tuple[VarDecl, Node]]:
    """Each variable that is only updated and used, with its first update."""
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
            first = uses.updates.get(id(decl))
            if first is not None and id(decl) in uses.used and id(decl) not in uses.lost:
                yield decl, first


def _without_value(decl: VarDecl) -> bool:
    if decl.init is not None or decl.space is not Space.PRIVATE or decl.made:
        return False
    if decl.is_global or decl.static or decl.volatile or decl.synthesised:
        return False
    return isinstance(decl.type, (IntType, FloatType, VectorType, StructType))


class _Uses:
    """What a function does with its variables, by the identity of their declarations: ``updates`` (the first of each),
    ``used``: its value goes somewhere; ``lost``: it is set, or may be in a way that is not followed."""

    def __init__(self, known: dict[int, _Uses], asked: Set[int] | None = None, depth: int = 0) -> None:
        self.updates: dict[int, Node] = {}
        self.used: set[int] = set()
        self.lost: set[int] = set()
        self._known = known  # of helpers, by the identity of the function
        self._asked = asked  # None: whatever is handed on
        self._depth = depth
        self._silent: set[int] = set()  # expressions whose value nobody takes

    def look(self, node: Node) -> None:
        if isinstance(node, ExprStmt):
            self._silent.add(id(strip_casts(node.expr)))
        elif isinstance(node, For) and node.step is not None:
            self._silent.add(id(strip_casts(node.step)))
        if isinstance(node, (Assign, IncDec)):
            self._stored(node)
        elif isinstance(node, _HIDING):
            self.lost.update(id(part.decl) for part in walk(node) if isinstance(part, Ref))
        elif isinstance(node, Call):
            self._called(node)
        elif isinstance(node, Ref):
            self.used.add(id(node.decl))
        else:
            if isinstance(node, DeclStmt):
                for decl in node.decls:
                    if isinstance(decl.type, PointerType) and decl.type.reference and decl.init is not None:
                        self.lost.update(id(part.decl) for part in walk(decl.init) if isinstance(part, Ref))
            for child in children(node):
                self.look(child)

    def _stored(self, node: Assign | IncDec) -> None:
        decl = _variable(node.target)
        if decl is None:
            for child in children(node):
                self.look(child)
            return
        if isinstance(node, Assign) and not _takes_up(node, decl):
            self.lost.add(id(decl))
        self.updates.setdefault(id(decl), node)
        if id(node) not in self._silent:
            self.used.add(id(decl))
        before = id(decl) in self.used
        for child in children(node):
            self.look(child)
        if not before:
            self.used.discard(id(decl))  # to make its own next value is no use

    def _called(self, call: Call) -> None:
        if call.receiver is not None:
            self.lost.update(id(part.decl) for part in walk(call.receiver) if isinstance(part, Ref))
        params = call.function.params if call.function is not None else ()
        for place, arg in enumerate(call.args):
            decl = _variable(arg)
            kind = params[place].type if place < len(params) else None
            asked = decl is not None and (self._asked is None or id(decl) in self._asked)
            if decl is None or not asked or call.pure_math or not _by_reference(kind):
                if decl is not None and kind is None and not call.pure_math:
                    self.lost.add(id(decl))
                self.look(arg)
                continue
            self._handed(call, place, decl)

    def _handed(self, call: Call, place: int, decl: VarDecl) -> None:
        function = call.function
        assert function is not None
        if function.body is None or self._depth >= DEPTH:
            self.lost.add(id(decl))
            return
        param = id(function.params[place])
        inside = self._known.get(id(function))
        if inside is None:
            inside = self._known[id(function)] = _Uses(self._known, depth=self._depth + 1)
            inside.look(function.body)
        if param in inside.lost:
            self.lost.add(id(decl))
        elif param in inside.updates:
            self.updates.setdefault(id(decl), call)
        if param in inside.used:
            self.used.add(id(decl))


def _by_reference(kind: Type | None) -> bool:
    return isinstance(kind, PointerType) and kind.reference


def _variable(expr: Expr) -> VarDecl | None:
    """The variable that an lvalue is, or is a part of."""
    at: Expr = strip_casts(expr)
    while isinstance(at, (Member, Subscript)):
        if isinstance(at, Member) and at.arrow:
            return None
        at = at.base
    if not isinstance(at, Ref) or (isinstance(at.decl.type, PointerType) and not at.decl.type.reference):
        return None
    return at.decl


def _takes_up(node: Assign, decl: VarDecl) -> bool:
    """Whether the value that is stored rests on what the variable held, whatever else."""
    if node.op:
        value = strip_casts(node.value)
        if node.op not in _FORGETTING:
            return True
        number = _FORGETTING[node.op]
        if isinstance(value, IntLit):
            return value.value != number
        return number is not None or not (isinstance(value, Ref) and value.decl is decl)
    return _rests(node.value, node.target, decl)


def _rests(value: Expr, target: Expr, decl: VarDecl) -> bool:
    value = strip_casts(value)
    if isinstance(value, Conditional):
        return _rests(value.then, target, decl) and _rests(value.other, target, decl)
    if isinstance(value, Binary):
        if value.op in _FORGETTING and _same(value.lhs, value.rhs):
            return False
        return _rests(value.lhs, target, decl) or _rests(value.rhs, target, decl)
    if isinstance(value, Unary):
        return _rests(value.operand, target, decl)
    if isinstance(value, Call):
        return value.pure_math and any(_rests(arg, target, decl) for arg in value.args)
    return _same(value, target)


def _same(one: Expr, other: Expr) -> bool:
    """Whether two expressions are one variable, or one field of it."""
    one, other = strip_casts(one), strip_casts(other)
    if isinstance(one, Ref) and isinstance(other, Ref):
        return one.decl is other.decl
    if isinstance(one, Member) and isinstance(other, Member):
        return one.field == other.field and not one.arrow and not other.arrow and _same(one.base, other.base)
    return isinstance(one, IntLit) and isinstance(other, IntLit) and one.value == other.value
