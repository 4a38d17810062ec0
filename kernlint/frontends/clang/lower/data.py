"""Names that no header gave and that are data: values that go into a function and do nothing else.

A vector type of a library that is not there, what its operators give and a function of such values are unknown, but
nothing that a kernel does is: they are inputs, as what memory holds is.  What may reach memory, hold a barrier or
change what others see stays a loss: a store through such an object, a call that is given a pointer or shared memory,
or one that is made for its effect on anything but a variable of the function.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from kernlint.frontends.clang.lower.context import sounds_like_sync
from kernlint.frontends.clang.uses import is_constant_name
from kernlint.record import dataclass, field
from kernlint.source import Span
from kernlint.tree.nodes import (
    AddressOf,
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Conditional,
    Deref,
    Expr,
    ExprStmt,
    FunctionDecl,
    FunctionRef,
    IncDec,
    IntLit,
    Lambda,
    Loss,
    Member,
    Ref,
    Subscript,
    VarDecl,
)
from kernlint.tree.types import ArrayType, OpaqueType, PointerType, Space, StructType, Type
from kernlint.tree.walk import walk

_OPEN = frozenset({"call", "type", "name"})
_REASONS = ("that is not declared: ", "that is not known: ", "that could not be resolved: ")
DATA = "given"
"""The kind of what is unknown and costs nothing but knowledge of its value."""


def open_names(losses: Iterable[Loss]) -> bool:
    """Whether any of the losses is about a name that nothing declares."""
    return any(map(_name_of, losses))


def settled(function: FunctionDecl, reckoned_types: Collection[str], *, references: bool) -> tuple[Loss, ...]:
    """The losses of a function, those among them that are data by the kind :data:`DATA`.

    ``reckoned_types``: see :func:`reckoned`; ``references``: a function may change variables that it is given without
    their address.
    """
    assert function.body is not None
    uses = _Uses(references, reckoned_types)
    uses.look(function.body)
    return tuple(Loss(DATA, loss.reason, loss.span) if uses.is_data(loss) else loss for loss in function.losses)


def reckoned(function: FunctionDecl) -> set[str]:
    """Types that are not known and take part in arithmetic of a function that none of pointers is: they are multiplied,
    or added to others, as no view of memory is."""
    assert function.body is not None
    found: set[str] = set()
    for node in walk(function.body):
        if isinstance(node, Binary):
            kinds = [each.type.spelling for each in (node.lhs, node.rhs) if isinstance(each.type, OpaqueType)]
            if node.op in ("*", "/") or (node.op in ("+", "-") and len(kinds) == 2):
                found.update(kind for kind in kinds if not kind.startswith("__kl"))
    return found


def _name_of(loss: Loss) -> str:
    """The name that a loss is about; empty for other losses."""
    if loss.kind in _OPEN:
        for reason in _REASONS:
            if reason in loss.reason:
                return loss.reason.partition(reason)[2]
    return ""


@dataclass(slots=True)
class _Uses:
    """What a function does with what it does not know: ``calls`` are places of calls that are only values, ``through``
    those of calls that something is stored through, ``types`` and ``names`` such as something is stored through, or
    that are made of pointers."""

    references: bool
    reckoned: Collection[str]
    calls: set[Span] = field(default_factory=set)
    through: set[Span] = field(default_factory=set)
    types: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)

    def is_data(self, loss: Loss) -> bool:
        name = _name_of(loss)
        if not name:
            return False
        if loss.kind == "call":
            return loss.span in self.calls
        return name not in (self.types if loss.kind == "type" else self.names)

    def look(self, body: Block) -> None:
        """Look at all that a body does."""
        effects: dict[int, Call] = {}
        valued: set[VarDecl] = set()
        found = []
        for node in walk(body):
            if isinstance(node, ExprStmt) and isinstance(call := _bare(node.expr), Call):
                effects[id(call)] = call
            elif isinstance(node, Call):
                if node.function is None:
                    found.append(node)
                if id(node) not in effects:
                    valued.update(decl for part in _parts(node) if (decl := _variable(part)) is not None)
            elif isinstance(node, (Assign, IncDec)):
                self._stored(node.target)
                if isinstance(node, Assign):
                    valued.update(use.decl for use in walk(node.value) if isinstance(use, Ref))
            elif isinstance(node, AddressOf):
                self._stored(node.operand)
        costly = set()
        for call in found:
            if not _is_value(call) or (id(call) in effects and not (self.references and _own(call, valued))):
                costly.add(id(call))
        for call in found:
            if id(call) not in costly:
                self.calls.add(call.span)
            elif isinstance(call.type, OpaqueType):
                self.types.add(call.type.spelling)
        self.calls -= {call.span for call in found if id(call) in costly}
        self.calls -= self.through

    def _stored(self, target: Expr) -> None:
        """Note what a store goes through that nobody knows."""
        spine = list(_spine(target))
        local, away = _is_local(spine[-1]), False
        for at in spine:
            if isinstance(at, Call) and at.function is None:
                away |= not local or _leads_away(at.name) or not all(isinstance(_bare(arg), IntLit) for arg in at.args)
                if away:
                    self.through.add(at.span)
            elif isinstance(at, Subscript) and isinstance(at.base.type, OpaqueType):
                element = isinstance(_bare(at.index), IntLit) or at.base.type.spelling in self.reckoned
                away |= not (local and element)
                if away:
                    self.types.add(at.base.type.spelling)
            elif isinstance(at, Ref):
                if away and isinstance(at.decl.type, OpaqueType):
                    self.types.add(at.decl.type.spelling)
                if at.decl.synthesised and at.decl.is_global:
                    self.names.add(at.decl.name)


def _leads_away(name: str) -> bool:
    """Whether an operator gives what an object points to."""
    return name.endswith(("operator*", "operator->"))


def _spine(target: Expr) -> Iterator[Expr]:
    """A place and what it is part of, outwards; of two that a condition chooses from the first."""
    at: Expr | None = target
    while at is not None:
        yield at
        if isinstance(at, (Member, Subscript)):
            at = at.base
        elif isinstance(at, Deref):
            at = at.pointer
        elif isinstance(at, (Cast, AddressOf)):
            at = at.operand
        elif isinstance(at, Call):
            at = at.receiver
        elif isinstance(at, Assign):
            at = at.target
        elif isinstance(at, Conditional):
            at = at.then
        else:
            at = None


def _is_local(root: Expr) -> bool:
    """Whether a place is in a variable of the function, or of a caller's that it got by reference."""
    if not isinstance(root, Ref) or root.decl.is_global or root.decl.space is not Space.PRIVATE:
        return False
    kind = root.decl.type
    return not isinstance(kind, PointerType) or kind.reference


def _variable(part: Expr) -> VarDecl | None:
    """The variable of the function that an operand is, or is part of."""
    *_, root = _spine(part)
    return root.decl if isinstance(root, Ref) and _is_local(root) else None


def _bare(expr: Expr) -> Expr:
    while isinstance(expr, Cast):
        expr = expr.operand
    return expr


def _parts(call: Call) -> tuple[Expr, ...]:
    return call.args if call.receiver is None else (call.receiver, *call.args)


def _is_value(call: Call) -> bool:
    """Whether a call that is not followed is given values alone, or places in variables of the function."""
    if sounds_like_sync(call.name):
        return False
    return all(_is_data(part) for part in call.args) and (call.receiver is None or _is_object(call.receiver))


def _is_object(receiver: Expr) -> bool:
    """Whether an object leads to no memory that is known: it is of a type that is not, or of numbers."""
    kind = receiver.type.pointee if isinstance(receiver.type, PointerType) else receiver.type
    return not _holds_pointers(kind) and not _in_shared(receiver)


def _is_data(part: Expr) -> bool:
    inner = _bare(part)
    if isinstance(inner, (FunctionRef, Lambda)):
        return False
    if isinstance(inner, AddressOf):
        *_, root = _spine(inner.operand)
        return _is_local(root) and not any(isinstance(at, (Deref, Call)) for at in _spine(inner.operand))
    kind = inner.type
    if isinstance(kind, ArrayType):
        *within, root = _spine(inner)
        return _is_local(root) and not any(isinstance(at, (Deref, Call)) for at in within)
    if isinstance(kind, PointerType):
        return kind.reference and not _in_shared(inner)
    return not _holds_pointers(kind)


def _in_shared(part: Expr) -> bool:
    *_, root = _spine(part)
    return isinstance(root, Ref) and root.decl.space is Space.SHARED


def _holds_pointers(kind: Type) -> bool:
    """Whether an object of a type that is known has pointers in it."""
    if isinstance(kind, ArrayType):
        return _holds_pointers(kind.element)
    if isinstance(kind, StructType):
        return any(_holds_pointers(each.type) for each in kind.fields)
    return isinstance(kind, PointerType)


def _own(call: Call, valued: set[VarDecl]) -> bool:
    """Whether a call that is made for its effect changes variables of the function alone, which it goes on to use.

    By its name it is none of a macro, which may be anything.
    """
    if is_constant_name(call.name):
        return False
    parts = list(map(_bare, _parts(call)))
    # Where there are addresses to write to, what else is given is read.
    objects: list[Expr] = [part for part in parts if isinstance(part, AddressOf)]
    objects = objects or [part for part in parts if isinstance(part, (Ref, Member, Subscript, Deref))]
    found = [_variable(part) for part in objects]
    return bool(found) and None not in found and any(decl in valued for decl in found)
