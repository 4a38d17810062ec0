"""Loops: over ranges, arrays and tuples; and whole arrays set element by element."""

from __future__ import annotations

import ast
from collections.abc import Callable

from kernlint.frontends.python import arrays
from kernlint.frontends.python.context import Function, assignment, converted, integer, least, literal, truth
from kernlint.frontends.python.functions import full_name
from kernlint.frontends.python.names import is_open
from kernlint.frontends.python.operators import apply
from kernlint.frontends.python.uses import assigned_in, broken_in
from kernlint.frontends.python.values import ArrayValue, Named, Rest, TupleValue, Value
from kernlint.tree.nodes import (
    Assign,
    Binary,
    Block,
    Break,
    DeclStmt,
    Expr,
    ExprStmt,
    For,
    If,
    IntLit,
    Opaque,
    Ref,
    Stmt,
    Unary,
    VarDecl,
    While,
)
from kernlint.tree.types import BOOL, I64, UNKNOWN, IntType, Space

UNROLLED = 16
"""Rounds of a loop over a tuple that are written out."""

RANGES = ("range", "numba.prange", "numba.cuda.prange", "numba.cuda.range", "xrange")


def owns(f: Function, node: ast.For, name: str) -> bool:
    """Whether a loop's variable is of no use outside loops over it, so that each loop has its own."""
    return isinstance(node.target, ast.Name) and node.target.id == name and name in f.loop_variables


def while_statement(f: Function, node: ast.While) -> list[Stmt]:
    """``while``."""
    from kernlint.frontends.python.bodies import block
    from kernlint.frontends.python.expressions import scalar

    with f.no_statements():
        cond = truth(scalar(f, node.test))
    for name in assigned_in(node.body):
        f.forget(name)
    _begin(f, node)
    with f.supposing(cond, True):
        body = block(f, node.body, node.body[0])
    f.loops.pop()
    return _with_else(f, node, [While(f.span(node), cond, body)])


def break_statement(f: Function, node: ast.Break) -> list[Stmt]:
    """``break``: a loop with an ``else`` is told."""
    span = f.span(node)
    told = f.broken.get(f.loops[-1]) if f.loops else None
    if told is None:
        return [Break(span)]
    tell = Assign(span, BOOL, "", Ref(span, BOOL, told), IntLit(span, BOOL, 1))
    return [ExprStmt(span, tell), Break(span)]


def _begin(f: Function, node: ast.For | ast.While) -> None:
    """What follows stands in the loop ``node``."""
    f.loops.append(node)
    if node.orelse and any(broken_in(node.body)):
        span = f.span(node)
        f.broken[node] = VarDecl(span, "broken'", BOOL, Space.PRIVATE, IntLit(span, BOOL, 0))


def _with_else(f: Function, node: ast.For | ast.While, loop: list[Stmt]) -> list[Stmt]:
    """A loop with its ``else``, which runs unless a ``break`` has left the loop."""
    from kernlint.frontends.python.bodies import block

    if not node.orelse:
        return loop
    other = block(f, node.orelse, node.orelse[0])
    told = f.broken.pop(node, None)
    if told is None:
        return [*loop, other]
    cond = Unary(other.span, BOOL, "!", Ref(other.span, BOOL, told))
    return [DeclStmt(told.span, (told,)), *loop, If(other.span, cond, other, None)]


def for_statement(f: Function, node: ast.For) -> list[Stmt]:
    """``for``."""
    from kernlint.frontends.python.expressions import value

    if isinstance(node.iter, ast.Call):
        path = full_name(f.lowering.program, node.iter.func, f.scope)
        if path in RANGES and all(key.arg == "unroll" for key in node.iter.keywords):
            return _range(f, node, node.iter)
        if path in ("enumerate", "zip", "reversed"):
            return _made_of(f, node, path, node.iter)
    unrolled = isinstance(node.iter, ast.Call) and getattr(node.iter.func, "id", "") == "literal_unroll"
    over = value(f, node.iter.args[0] if unrolled and isinstance(node.iter, ast.Call) else node.iter)
    if is_open(over):
        name = over.decl.name if isinstance(over, Ref) else ""
        count = arrays.extent(f, f"len({name})", node.iter)
        return _indexed(f, node, count, lambda at: Opaque(at.span, UNKNOWN, f"an item of {name}"))
    if isinstance(over, Rest):
        return _over_rest(f, node, over)
    if isinstance(over, TupleValue) and len(over.items) <= UNROLLED:
        return _unrolled(f, node, list(over.items))
    if isinstance(over, ArrayValue) and over.rank:
        return _over(f, node, over, lambda index: arrays.subscript(f, over, [index], node))
    return _unknown(f, node)


def _over_rest(f: Function, node: ast.For, over: Rest) -> list[Stmt]:
    """``for array in arguments``, of a parameter with a star: what is subscripted is an array, and the rest numbers."""
    name = over.base.decl.name if isinstance(over.base, Ref) else ""
    count = arrays.extent(f, f"len({name})", node.iter)
    rank = f.lowering.rank(f.jitted, node.target.id) if isinstance(node.target, ast.Name) else 0
    stored = any(
        isinstance(at, ast.Subscript)
        and isinstance(at.ctx, ast.Store)
        and isinstance(at.value, ast.Name)
        and at.value.id == getattr(node.target, "id", "")
        for at in ast.walk(node)
    )
    if not rank or stored:
        return _indexed(f, node, count, lambda at: Opaque(at.span, UNKNOWN, f"an item of {name}"))
    item = arrays.from_around(f, Named(f"an item of {name}"), rank, node)
    return _indexed(f, node, count, lambda at: item)


def _unknown(f: Function, node: ast.For) -> list[Stmt]:
    from kernlint.frontends.python.bodies import assign, block

    reason = "a loop over something else"
    f.lose("guard", reason, node.iter)
    inside = assign(f, node.target, f.opaque(node.iter, reason, kind="guard"), node)
    _begin(f, node)
    body = block(f, node.body, node.body[0])
    f.loops.pop()
    cond = f.opaque(node.iter, reason, BOOL, kind="guard")
    return _with_else(f, node, [While(f.span(node), cond, Block(body.span, (*inside, body)))])


def _range(f: Function, node: ast.For, call: ast.Call) -> list[Stmt]:
    from kernlint.frontends.python.expressions import scalar

    args = [scalar(f, arg) for arg in call.args]
    span = f.span(call)
    if not 1 <= len(args) <= 3 or not isinstance(node.target, ast.Name):
        return _unknown(f, node)
    args = [converted(arg, I64) if arg.type != I64 else arg for arg in args]
    start = args[0] if len(args) > 1 else literal(span, 0)
    stop = args[1] if len(args) > 1 else args[0]
    step = args[2] if len(args) > 2 else literal(span, 1)
    down = isinstance(step, IntLit) and step.value < 0
    stop, step = _fixed(f, call, stop), _fixed(f, call, step)
    low = least(f, start) if not down else _last(f, stop)
    return _counting(f, node, node.target.id, start, stop, step, down, low)


def _last(f: Function, stop: Expr) -> int | None:
    low = least(f, stop)
    return None if low is None else low + 1


def _fixed(f: Function, node: ast.AST, expr: Expr) -> Expr:
    """A bound as it is when the loop begins, also where the loop changes what it is made of."""
    from kernlint.tree.nodes import LaunchValue, ParamDecl, Subscript
    from kernlint.tree.walk import traverse

    names = {at.decl.name for at in traverse(expr) if isinstance(at, Ref) and not isinstance(at.decl, ParamDecl)}
    plain = not any(isinstance(at, Subscript) for at in traverse(expr))
    if plain and all(f.known.assigned.get(name, 0) <= 1 for name in names):
        return expr
    return expr if isinstance(expr, LaunchValue) else f.temporary(node, I64, expr)


def _counting(
    f: Function, node: ast.For, name: str, start: Expr, stop: Expr, step: Expr, down: bool, low: int | None
) -> list[Stmt]:
    from kernlint.frontends.python.bodies import block

    span = f.span(node.iter)
    own = owns(f, node, name) and name not in assigned_in(node.body)
    counter = VarDecl(f.span(node.target), name if own else f"{name}'", I64, Space.PRIVATE, start)
    if low is not None:
        f.low[counter] = low
    at = Ref(f.span(node.target), I64, counter)
    cond = Binary(span, BOOL, ">" if down else "<", at, stop)
    move = Assign(span, I64, "+", at, step)
    first: list[Stmt] = []
    saved = f.decls.get(name)
    if own:
        f.decls[name] = counter
    else:
        f.assigns(name, I64, low)
        decl = f.variable(name, node.target, I64)
        first = [assignment(Ref(at.span, decl.type, decl), at, at.span)] if saved else []
        if not saved:
            object.__setattr__(decl, "init", converted(at, decl.type))
            first = [DeclStmt(at.span, (decl,))]
    for one in assigned_in(node.body):
        f.forget(one)
    _begin(f, node)
    with f.supposing(cond, True):
        body = block(f, node.body, node.body[0])
    f.loops.pop()
    if own:
        if saved is not None:
            f.decls[name] = saved
        else:
            del f.decls[name]
    inside = body if not first else Block(body.span, (*first, *body.body))
    return _with_else(f, node, [For(f.span(node), DeclStmt(counter.span, (counter,)), cond, move, inside)])


def _over(f: Function, node: ast.For, array: ArrayValue, item: object) -> list[Stmt]:
    """``for x in array``."""
    return _indexed(f, node, array.shape[0], lambda index: item(index))  # type: ignore[operator]


def _indexed(f: Function, node: ast.For, count: Expr, item: object) -> list[Stmt]:
    from kernlint.frontends.python.bodies import assign, block

    span = f.span(node.iter)
    counter = VarDecl(span, "index'", I64, Space.PRIVATE, literal(span, 0))
    f.low[counter] = 0
    at = Ref(span, I64, counter)
    saved, f.before = f.before, []
    first = assign(f, node.target, item(at), node)  # type: ignore[operator]
    first = [*(f.before or []), *first]
    f.before = saved
    _begin(f, node)
    body = block(f, node.body, node.body[0])
    f.loops.pop()
    cond = Binary(span, BOOL, "<", at, converted(count, I64))
    move = Assign(span, I64, "+", at, literal(span, 1))
    inside = Block(body.span, (*first, *body.body))
    return _with_else(f, node, [For(f.span(node), DeclStmt(span, (counter,)), cond, move, inside)])


def _items(f: Function, over: ast.expr) -> tuple[Expr, Callable[[Expr], Value]] | None:
    """How many items something has that is gone through one by one, and what the item at a place is; None where that is
    not known.  ``enumerate``, ``zip`` and ``reversed`` of arrays, and of each other; the first of several says how
    many."""
    from kernlint.frontends.python.expressions import value

    path = full_name(f.lowering.program, over.func, f.scope) if isinstance(over, ast.Call) else None
    if not isinstance(over, ast.Call) or path not in ("enumerate", "zip", "reversed"):
        found = value(f, over)
        if not isinstance(found, ArrayValue) or not found.rank:
            return None
        return found.shape[0], lambda at: arrays.subscript(f, found, [at], over)
    if any(isinstance(arg, ast.Starred) for arg in over.args) or over.keywords or not over.args:
        return None
    parts = [_items(f, arg) for arg in (over.args if path == "zip" else over.args[:1])]
    inner = [part for part in parts if part is not None]
    if len(inner) < len(parts):
        return None
    count, item = inner[0]
    span = f.span(over)
    if path == "zip":
        return count, lambda at: TupleValue(tuple(each(at) for _, each in inner))
    if path == "reversed":
        return count, lambda at: item(integer("-", integer("-", count, literal(span, 1), span), at, span))
    start = value(f, over.args[1]) if len(over.args) > 1 else None
    if start is not None and not isinstance(start, Expr):
        return None
    return count, lambda at: TupleValue((at if start is None else integer("+", at, start, span), item(at)))


def _made_of(f: Function, node: ast.For, how: str, call: ast.Call) -> list[Stmt]:
    """``enumerate(array)``, ``zip(a, b)``."""
    from kernlint.frontends.python.expressions import value

    made = _items(f, call)
    if made is not None:
        return _indexed(f, node, *made)
    parts = [value(f, arg) for arg in call.args]
    tuples = [part for part in parts if isinstance(part, TupleValue)]
    if len(tuples) == len(parts) and parts:
        if how == "zip":
            items: list[Value] = [TupleValue(row) for row in zip(*(part.items for part in tuples), strict=False)]
        elif how == "enumerate":
            items = [TupleValue((literal(f.span(node), i), one)) for i, one in enumerate(tuples[0].items)]
        else:
            items = list(reversed(tuples[0].items))
        if len(items) <= UNROLLED:
            return _unrolled(f, node, items)
    return _unknown(f, node)


def _unrolled(f: Function, node: ast.For, items: list[Value]) -> list[Stmt]:
    from kernlint.frontends.python.bodies import assign, block
    from kernlint.frontends.python.uses import jumps

    if jumps(node.body):
        return _unknown(f, node)
    out: list[Stmt] = []
    for item in items:
        out.extend(assign(f, node.target, item, node))
        out.append(block(f, node.body, node.body[0]))
    return _with_else(f, node, out)


# ---------------------------------------------------------------------------------------------------- whole arrays


def _item_by_item(f: Function, place: ArrayValue, found: TupleValue, node: ast.stmt) -> list[Stmt]:
    """``array[:3] = x, y, z``: all values are worked out before the first is set."""
    if not all(isinstance(item, Expr) for item in found.items):
        return [f.opaque_statement(node, "a whole array set to something else")]
    items = [f.temporary(node, item.type, item) for item in found.items if isinstance(item, Expr)]
    span = f.span(node)
    out: list[Stmt] = []
    for index, item in enumerate(items):
        target = arrays.element(f, place, (literal(span, index),), node)
        out.append(ExprStmt(span, Assign(span, target.type, "", target, converted(item, target.type))))
    return out


def fill(
    f: Function, place: ArrayValue, found: Value, node: ast.stmt, operator: ast.operator | None = None
) -> list[Stmt]:
    """``array[...] = value``: a loop over the elements, or over the rows that are arrays too."""
    if isinstance(found, TupleValue) and place.rank == 1 and operator is None:
        return _item_by_item(f, place, found, node)
    if not isinstance(found, (Expr, ArrayValue)) or place.rank > 3:
        return [f.opaque_statement(node, "a whole array set to something else")]
    span = f.span(node)
    counters = [VarDecl(span, f"index{axis}'", I64, Space.PRIVATE, literal(span, 0)) for axis in range(place.rank)]
    at = [Ref(span, I64, counter) for counter in counters]
    for counter in counters:
        f.low[counter] = 0
    target = arrays.element(f, place, at, node)
    value: Value = found
    if isinstance(found, ArrayValue):
        if found.rank > place.rank:
            return [f.opaque_statement(node, "a whole array set to something else")]
        value = arrays.element(f, found, at[place.rank - found.rank :], node)
    assert isinstance(value, Expr)
    if operator is not None:
        value = apply(f, operator, target, value, node)
    if not isinstance(target.type, IntType) and not target.type.size:
        return [f.opaque_statement(node, "a whole array set to something else")]
    inner: Stmt = ExprStmt(span, Assign(span, target.type, "", target, converted(value, target.type)))
    for axis in reversed(range(place.rank)):
        cond = Binary(span, BOOL, "<", at[axis], converted(place.shape[axis], I64))
        move = Assign(span, I64, "+", at[axis], literal(span, 1))
        inner = For(span, DeclStmt(span, (counters[axis],)), cond, move, inner)
    return [inner]
