"""Statements of a function, and where its variables are declared.

Python's variables belong to the function; in the tree each is declared in the innermost block that has all its uses,
so that what a loop sets anew in every round is not taken for something that it carries along.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from kernlint.frontends.python import arrays, loops
from kernlint.frontends.python.context import Function, assignment, converted, falls, least, truth
from kernlint.frontends.python.expressions import as_scalar, scalar, value
from kernlint.frontends.python.operators import apply
from kernlint.frontends.python.pointers import WORDS, to_variable
from kernlint.frontends.python.truncation import note_truncation
from kernlint.frontends.python.tuples import packed
from kernlint.frontends.python.uses import leaves
from kernlint.frontends.python.values import ArrayValue, Callee, Group, Host, Named, TupleValue, Value, unified
from kernlint.tree.nodes import (
    Assign,
    Assume,
    Block,
    Call,
    Continue,
    DeclStmt,
    Expr,
    ExprStmt,
    If,
    IntLit,
    Member,
    Opaque,
    Ref,
    Return,
    Stmt,
    Subscript,
    Trap,
    VarDecl,
)
from kernlint.tree.types import UNKNOWN, VOID, IntType, PointerType, Space, StructType


def block(f: Function, body: Sequence[ast.stmt], span_of: ast.AST) -> Block:
    """Statements in order."""
    out: list[Stmt] = _parameters(f, span_of) if body is f.jitted.node.body else []
    orders = f.orders
    for index, node in enumerate(body):
        for name, (owner, at) in f.places.items():
            if owner == id(body) and at == index and name not in f.decls and not declares(f, node, name):
                _hoist(f, name, node, out)
        out.extend(statement(f, node))
        if isinstance(node, ast.If) and leaves(node.body) and not node.orelse:
            _after(f, node)
    f.orders = orders
    return Block(f.span(span_of), tuple(out))


def _parameters(f: Function, node: ast.AST) -> list[Stmt]:
    """Variables for those parameters that stand for other arrays later."""
    out: list[Stmt] = []
    for name in sorted(f.known.pointers):
        given = f.env.get(name)
        if name in f.jitted.parameters and isinstance(given, ArrayValue):
            out += to_variable(f, name, given, node) or []
    return out


def declares(f: Function, node: ast.stmt, name: str) -> bool:
    """Whether a statement is the plain assignment with which a variable begins."""
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        used = {at.id for at in ast.walk(node.value) if isinstance(at, ast.Name)} if node.value else set()
        names = {at.id for target in targets for at in _names(target)}
        return name in names and name not in used
    return False


def _names(target: ast.expr) -> list[ast.Name]:
    if isinstance(target, ast.Name):
        return [target]
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for part in target.elts for name in _names(part)]
    return []


def _hoist(f: Function, name: str, node: ast.stmt, out: list[Stmt]) -> None:
    if isinstance(node, ast.For) and loops.owns(f, node, name):
        return
    parts = (f"{name}.{word}" for word in WORDS) if name in f.known.pointers else ()
    for one in (name, *(f"{name}[{index}]" for index in range(4)), *parts):
        kind = f.known.types.get(one)
        if kind is not None and one not in f.decls:
            out.append(DeclStmt(f.span(node), (f.variable(one, node, kind),)))


def _after(f: Function, node: ast.If) -> None:
    """What holds behind ``if cond: return``."""
    cond = f.conditions.get(node)
    if cond is not None:
        f.suppose(cond, False)


def statement(f: Function, node: ast.stmt) -> list[Stmt]:
    """One statement; what has to come before it stands before it."""
    saved, f.before = f.before, []
    try:
        made = _statement(f, node)
        return [*(f.before or []), *made]
    finally:
        f.before = saved


def _statement(f: Function, node: ast.stmt) -> list[Stmt]:
    span = f.span(node)
    if isinstance(node, ast.Assign):
        found = value(f, node.value) if not _makes_array(node) else _named_value(f, node)
        out: list[Stmt] = []
        for target in node.targets:
            out.extend(assign(f, target, found, node))
        return out
    if isinstance(node, ast.AnnAssign):
        return assign(f, node.target, value(f, node.value), node) if node.value is not None else []
    if isinstance(node, ast.AugAssign):
        return _augmented(f, node)
    if isinstance(node, ast.Expr):
        if isinstance(node.value, ast.Constant):
            return []
        found = value(f, node.value)
        return [ExprStmt(span, found)] if isinstance(found, Expr) and not isinstance(found, IntLit) else []
    if isinstance(node, ast.If):
        return _if(f, node)
    if isinstance(node, ast.For):
        return loops.for_statement(f, node)
    if isinstance(node, ast.While):
        return loops.while_statement(f, node)
    if isinstance(node, ast.Return):
        return _return(f, node)
    if isinstance(node, ast.Break):
        return loops.break_statement(f, node)
    if isinstance(node, ast.Continue):
        return [Continue(span)]
    if isinstance(node, ast.Pass):
        return []
    if isinstance(node, ast.Raise):
        return [Trap(span)]
    if isinstance(node, ast.Assert):
        return [ExprStmt(span, Assume(span, VOID, truth(scalar(f, node.test)), True))]
    return [_unsupported(f, node)]


_WORDS = {
    "Try": "try", "TryStar": "try", "With": "with", "AsyncWith": "async with", "AsyncFor": "async for",
    "Delete": "del", "Global": "global", "Nonlocal": "nonlocal", "Import": "import", "ImportFrom": "import",
    "FunctionDef": "a function inside a kernel", "ClassDef": "class", "Match": "match",
    "AsyncFunctionDef": "async def",
}  # fmt: skip


_DOCUMENTED = frozenset({"Try", "TryStar", "With", "AsyncWith", "AsyncFor", "AsyncFunctionDef"})
"""What numba's documentation names as not supported in CUDA kernels: exceptions handled, contexts, ``async``."""


def _unsupported(f: Function, node: ast.stmt) -> Stmt:
    word = _WORDS.get(type(node).__name__, type(node).__name__.lower())
    sync = "sync" in ast.unparse(node) if not isinstance(node, (ast.Import, ast.ImportFrom)) else False
    kind = "unsupported" if type(node).__name__ in _DOCUMENTED else "statement"
    return f.opaque_statement(node, f"{word} has no place in a kernel", kind=kind, sync=sync)


def _makes_array(node: ast.Assign) -> bool:
    return isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Call)


def _named_value(f: Function, node: ast.Assign) -> Value:
    target = node.targets[0]
    assert isinstance(target, ast.Name)
    f.naming = target.id
    try:
        return value(f, node.value)
    finally:
        f.naming = ""


# ---------------------------------------------------------------------------------------------------------- assignment


def assign(f: Function, target: ast.expr, found: Value, node: ast.stmt) -> list[Stmt]:
    """``target = value``."""
    if isinstance(target, ast.Name):
        return _to_name(f, target, found, node)
    if isinstance(target, (ast.Tuple, ast.List)):
        return _unpack(f, target, found, node)
    if isinstance(target, ast.Subscript):
        return _to_element(f, target, found, node)
    if isinstance(target, ast.Attribute):
        place = value(f, target)
        if isinstance(place, Call) and place.args and isinstance(found, Expr):
            place = place.args[0]  # a field of a record whose type nobody says: the whole is written
            if isinstance(place, Subscript):
                return [ExprStmt(f.span(node), Assign(f.span(node), place.type, "", place, found))]
        if isinstance(place, Member) and isinstance(found, Expr):
            return [assignment(place, found, f.span(node))]
        return [f.opaque_statement(node, "an assignment to an attribute")]
    return [f.opaque_statement(node, "an assignment to something else")]


def _to_name(f: Function, target: ast.Name, found: Value, node: ast.stmt) -> list[Stmt]:
    name, span = target.id, f.span(node)
    f.forget(name)
    if isinstance(found, IntLit) and f.known.assigned.get(name) == 1 and not f.loops:
        f.env[name] = found  # one number all through
        return []
    if isinstance(found, Expr):
        if name in f.env:
            del f.env[name]
        if isinstance(found, Opaque) and found.type == UNKNOWN and name in f.known.types:
            found = Opaque(found.span, f.known.types[name], found.reason, found.children, found.writes)
        low = least(f, found) if isinstance(found.type, IntType) else None
        f.assigns(name, found.type, low)
        if falls(f, found):
            f.known.falling.add(name)
        if arrays.quotient(f, found):
            f.divided.add(name)
        if name in f.decls:
            decl = f.decls[name]
            known = f.known.lows.get(name)
            f.low.pop(decl, None)
            if known is not None:
                f.low[decl] = known
            return [assignment(Ref(span, decl.type, decl), found, span)]
        kind = f.known.types.get(name, found.type)
        decl = VarDecl(f.span(target), name, kind, Space.PRIVATE, converted(found, kind))
        f.decls[name] = decl
        known = f.known.lows.get(name, low)
        if known is not None:
            f.low[decl] = known
        return [DeclStmt(span, (decl,))]
    if isinstance(found, TupleValue):
        return _tuple_to_name(f, target, found, node)
    if isinstance(found, ArrayValue):
        if name in f.known.pointers:
            kept = to_variable(f, name, found, node)
            if kept is not None:
                return kept
        before = f.env.get(name)
        several = f.known.assigned.get(name, 0) + (name in f.jitted.parameters) > 1
        if isinstance(before, ArrayValue) and several and f.inside(name):
            _varies(f, name, "arrays", node)
        f.env[name] = _kept(f, found, node, name)
        return []
    if isinstance(found, (Named, Callee, Host, Group)):
        f.env[name] = found
    return []


def _tuple_to_name(f: Function, target: ast.Name, found: TupleValue, node: ast.stmt) -> list[Stmt]:
    """Several values kept under one name: a variable for each where the name is assigned more than once."""
    name, span = target.id, f.span(node)
    numbers = [item for item in found.items if isinstance(item, Expr)]
    if f.known.assigned.get(name, 0) < 2 or len(numbers) != len(found.items):
        f.env[name] = TupleValue(tuple(_kept(f, item, node, f"{name}[{i}]") for i, item in enumerate(found.items)))
        return []
    kept = [f.temporary(node, item.type, item) for item in numbers]
    out: list[Stmt] = []
    refs: list[Value] = []
    for index, item in enumerate(kept):
        part = ast.copy_location(ast.Name(f"{name}[{index}]", ast.Store()), target)
        out.extend(_to_name(f, part, item, node))
        decl = f.decls[part.id]
        refs.append(Ref(span, decl.type, decl))
    f.env[name] = TupleValue(tuple(refs))
    return out


def _same(was: Value, now: Value) -> bool:
    """Whether two values are the same variables."""
    if isinstance(was, TupleValue) and isinstance(now, TupleValue) and len(was.items) == len(now.items):
        return all(_same(a, b) for a, b in zip(was.items, now.items, strict=True))
    if isinstance(was, Ref) and isinstance(now, Ref):
        return was.decl is now.decl
    return was is now


def _kept(f: Function, found: Value, node: ast.stmt, name: str) -> Value:
    """A value as it is now, whatever becomes of the variables that it is made of."""
    if isinstance(found, Expr):
        return f.temporary(node, found.type, found, name)
    if isinstance(found, TupleValue):
        return TupleValue(tuple(_kept(f, item, node, name) for item in found.items))
    if isinstance(found, ArrayValue):
        shape = tuple(f.temporary(node, n.type, n, f"{name}.shape[{i}]") for i, n in enumerate(found.shape))
        strides = None
        if found.strides is not None:
            strides = tuple(f.temporary(node, n.type, n, f"{name}.strides[{i}]") for i, n in enumerate(found.strides))
        base = found.base
        moving = (
            isinstance(base, Ref) and base.decl is f.decls.get(base.decl.name) and base.decl.name in f.known.pointers
        )
        if isinstance(base.type, PointerType) and (moving or not isinstance(base, Ref)):
            base = f.temporary(node, base.type, base, name)
        return ArrayValue(base, found.element, shape, found.space, strides)
    return found


def _unpack(f: Function, target: ast.Tuple | ast.List, found: Value, node: ast.stmt) -> list[Stmt]:
    if any(isinstance(part, ast.Starred) for part in target.elts):
        return [f.opaque_statement(node, "unpacking with a star")]
    if isinstance(found, TupleValue) and len(found.items) == len(target.elts):
        items = list(found.items)
        names = {at.id for part in target.elts for at in _names(part)}
        if isinstance(node, ast.Assign) and len(names) > 1:
            used = {at.id for at in ast.walk(node.value) if isinstance(at, ast.Name)}
            if names & used:
                items = [_kept(f, item, node, "") for item in items]
        out: list[Stmt] = []
        for part, item in zip(target.elts, items, strict=True):
            out.extend(assign(f, part, item, node))
        return out
    if isinstance(found, ArrayValue) and found.rank == 1:
        items = [arrays.element(f, found, (IntLit(f.span(node), _INDEX, i),), node) for i in range(len(target.elts))]
        return [made for part, item in zip(target.elts, items, strict=True) for made in assign(f, part, item, node)]
    out = [f.opaque_statement(node, "values that are taken apart")] if not isinstance(found, Opaque) else []
    for part in target.elts:
        out.extend(assign(f, part, Opaque(f.span(node), UNKNOWN, "a part of what is not understood"), node))
    return out


_INDEX = IntType(64, True)


def _to_element(f: Function, target: ast.Subscript, found: Value, node: ast.stmt) -> list[Stmt]:
    place = value(f, target)
    span = f.span(node)
    if isinstance(place, ArrayValue):
        return loops.fill(f, place, found, node)
    if isinstance(place, Call) and place.args and isinstance(place.args[0], Subscript):
        place = place.args[0]
    if not isinstance(place, (Subscript, Member)):
        if isinstance(found, Expr) and isinstance(place, Opaque):
            return [ExprStmt(span, Opaque(span, VOID, place.reason, (found,), writes=True))]
        return [f.opaque_statement(node, "an assignment to something else")]
    if isinstance(found, TupleValue):
        return [f.opaque_statement(node, "a tuple stored in an array")]
    if isinstance(found, ArrayValue) and found.rank == 0:
        found = arrays.element(f, found, (), node)
    if not isinstance(found, Expr):
        found = as_scalar(f, found, target)
    note_truncation(f, place, found, node)
    return [assignment(place, found, span)]


def _augmented(f: Function, node: ast.AugAssign) -> list[Stmt]:
    place = value(f, node.target)
    span = f.span(node)
    if isinstance(place, ArrayValue):
        return loops.fill(f, place, value(f, node.value), node, node.op)
    if not isinstance(place, Expr):
        return [f.opaque_statement(node, "a change of what is no number")]
    right = scalar(f, node.value)
    new = apply(f, node.op, place, right, node)
    if isinstance(node.target, ast.Name):
        return _to_name(f, node.target, new, node)
    if isinstance(place, (Subscript, Member)):
        note_truncation(f, place, new, node)
        return [assignment(place, new, span)]
    return [ExprStmt(span, Opaque(span, VOID, "a change of what is not understood", (new,), writes=True))]


# ------------------------------------------------------------------------------------------------------------ branches


def _if(f: Function, node: ast.If) -> list[Stmt]:
    cond = truth(scalar(f, node.test))
    f.conditions[node] = cond
    if isinstance(cond, IntLit):
        taken = node.body if cond.value else node.orelse
        return [made for one in taken for made in statement(f, one)]
    then = _under(f, node.body, node, cond, True)
    other = _under(f, node.orelse, node, cond, False) if node.orelse else None
    return [If(f.span(node), cond, then, other)]


def _under(f: Function, body: list[ast.stmt], node: ast.stmt, cond: Expr, holds: bool) -> Block:
    before = dict(f.env)
    with f.supposing(cond, holds):
        made = block(f, body, body[0] if body else node)
    for name, was in before.items():
        now = f.env.get(name)
        if name in f.known.pointers and now is not None and _is_variable(f, now):
            continue
        if isinstance(was, (ArrayValue, TupleValue)) and now is not None and not _same(was, now):
            _varies(f, name, "things on different paths", node)
    return made


def _is_variable(f: Function, found: Value) -> bool:
    """Whether an array stands in a variable of the function."""
    base = found.base if isinstance(found, ArrayValue) else None
    return isinstance(base, Ref) and base.decl is f.decls.get(base.decl.name) and base.decl.name in f.known.pointers


def _varies(f: Function, name: str, what: str, node: ast.AST) -> None:
    """Note that a name stands for several arrays in turn: the next pass keeps it in a variable, if that can be."""
    if name in f.known.pointers:
        f.lose("statement", f"{name} stands for different {what}", node)
    else:
        f.known.pointers.add(name)


def _return(f: Function, node: ast.Return) -> list[Stmt]:
    span = f.span(node)
    if node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
        return [Return(span, None)]
    found = value(f, node.value)
    if not f.jitted.device:
        f.remark("returned-value", node)
        return [Return(span, None)]
    if isinstance(found, TupleValue):
        found = packed(f, found, node)
    if not isinstance(found, Expr):
        f.result = unified(f.result, UNKNOWN)
        return [Return(span, f.opaque(node, "a function returns what is no number"))]
    f.result = unified(f.result, found.type)
    kind = f.known.types.get("return", found.type)
    f.types["return"] = f.result
    return [Return(span, converted(found, kind) if not isinstance(kind, StructType) else found)]
