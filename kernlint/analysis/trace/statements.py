"""Execution of statements: branches, loops, switches, early exits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kernlint.analysis.trace.evaluation import condition, evaluate, scalar
from kernlint.analysis.trace.events import LOST, CallEvent, ExitEvent, GuardKind, Root, RootKind
from kernlint.analysis.trace.inline import bind, call_function, objects_of
from kernlint.analysis.trace.loops import assigned, run_loop
from kernlint.analysis.trace.machine import Machine, State, Target, truth_of
from kernlint.analysis.trace.memory import havoc, store, variable_root
from kernlint.analysis.trace.operators import coerce
from kernlint.analysis.trace.places import place
from kernlint.analysis.trace.turns import Pointers
from kernlint.analysis.trace.values import (
    NEVER_SET,
    MemPlace,
    ReferenceValue,
    Value,
    VarPlace,
    own_variable,
    unknown_value,
)
from kernlint.symbolic.terms import FALSE, TRUE, Term, binary, conjunction, const, disjunction, negate, unknown
from kernlint.tree import nodes as n
from kernlint.tree.types import BOOL, VOID, ArrayType, IntType, PointerType, Space, StructType

LARGE = 256
"""A struct variable of at least so many bytes is listed among the kernel's arrays: it holds one."""


def execute(m: Machine, stmt: n.Stmt | None) -> None:
    """Walk ``stmt`` in the current state."""
    if stmt is None or m.state is None:
        if stmt is not None and isinstance(stmt, (n.Block, n.Label)):
            _revive(m, stmt)
        return
    m.step()
    handler = _STATEMENTS.get(type(stmt))
    if handler is None:
        m.gap("statement", type(stmt).__name__, stmt.span)
        m.doubt()
        return
    handler(m, stmt)


def _revive(m: Machine, stmt: n.Stmt) -> None:
    """Code after a goto is reached again at its label; nothing is known of the way there."""
    if isinstance(stmt, n.Block) and any(isinstance(s, n.Label) for s in stmt.body):
        for inner in stmt.body:
            execute(m, inner)


def _block(m: Machine, s: n.Block) -> None:
    frame = m.frames[-1]
    frame.owners.append([])
    for inner in s.body:
        if m.state is None and not isinstance(inner, (n.Label, n.Block)):
            continue
        execute(m, inner)
    destroy(m, frame.owners.pop())


def destroy(m: Machine, owned: list[n.VarDecl], returned: n.Expr | None = None) -> None:
    """Objects go out of scope, the last one first; one that is moved away, or ``returned``, stays alive."""
    for decl in reversed(owned):
        if m.state is None or decl in m.moved or (isinstance(returned, n.Ref) and returned.decl is decl):
            continue
        function = m.destructors[_class_of(decl)]
        call = n.Call(decl.span, VOID, function.qualified, function, (), n.Ref(decl.span, decl.type, decl))
        call_function(m, call, function)


def bare(expr: n.Expr | None) -> n.Expr | None:
    """What is returned, without conversions and the constructor that moves it."""
    while isinstance(expr, n.Cast) or (isinstance(expr, n.Call) and len(expr.args) == 1):
        expr = expr.operand if isinstance(expr, n.Cast) else expr.args[0]
    return expr


def _class_of(decl: n.VarDecl) -> str:
    return decl.type.name if isinstance(decl.type, StructType) else ""


def _decl(m: Machine, s: n.DeclStmt) -> None:
    for decl in s.decls:
        declare(m, decl)


def declare(m: Machine, decl: n.VarDecl) -> None:
    """A local variable comes to life: scalars get their value, arrays their memory."""
    if m.state is None:
        return
    if not own_variable(decl) or isinstance(decl.type, ArrayType):
        root = variable_root(m, decl)
        if decl.init is not None and own_variable(decl):
            _listed(m, root, decl.init)
        return
    if isinstance(decl.type, StructType) and (decl.type.size or 0) >= LARGE:
        variable_root(m, decl)
    if m.destructors and decl.init is None and _class_of(decl) in m.destructors and m.frames[-1].owners:
        m.frames[-1].owners[-1].append(decl)
    if decl.init is None:
        m.state.env[decl] = unknown_value(decl.type, f"{NEVER_SET} {decl.name}", origin=decl)
        return
    if isinstance(decl.type, PointerType) and decl.type.reference:
        value = bind(m, n.ParamDecl(decl.span, decl.name, decl.type, decl.space), decl.init)
    else:
        value = coerce(m, evaluate(m, decl.init), decl.type)
    if m.state is not None:
        m.state.env[decl] = value
        if m.destructors and _class_of(decl) in m.destructors and m.frames[-1].owners:
            m.frames[-1].owners[-1].append(decl)


def _listed(m: Machine, root: Root, init: n.Expr) -> None:
    """The elements that an array begins with."""
    array = init.type
    if m.on_host or not isinstance(init, n.InitList) or not isinstance(array, ArrayType):
        evaluate(m, init)
        return
    if not isinstance(array.element, PointerType):
        evaluate(m, init)
        return
    held = Pointers({})
    for index, element in enumerate(init.elements):
        value = coerce(m, evaluate(m, element), array.element)
        held.put(const(index * (array.element.size or 0)), value, once=True)
    m.pointers[root] = held


def _expr(m: Machine, s: n.ExprStmt) -> None:
    evaluate(m, s.expr)


def _if(m: Machine, s: n.If) -> None:
    execute(m, s.init)
    if m.state is None:
        return
    term = condition(m, s.cond)
    branch(m, term, s.cond, lambda: execute(m, s.then), lambda: execute(m, s.other))


def branch(m: Machine, term: Term, cond: n.Expr, then: Callable[[], None], other: Callable[[], None]) -> None:
    """Walk two branches and join them."""
    if m.state is None:
        return
    if term == TRUE:
        then()
        return
    if term == FALSE:
        other()
        return
    before = m.state
    base = before.path
    ends: list[State | None] = []
    deaths: list[GuardKind] = []
    for value, action in ((term, then), (negate(term), other)):
        m.state = before.fork() if not ends else before  # nobody looks at it behind the second branch
        m.guarded(value, GuardKind.BRANCH, cond.span)
        m.death = GuardKind.EXIT
        action()
        ends.append(m.state)
        deaths.append(m.death)
    a, b = ends
    if a is not None and b is not None:
        m.state = m.join(term, a, b, base)
        return
    alive, death = (a, deaths[1]) if a is not None else (b, deaths[0])
    m.state = alive
    if alive is None:
        m.death = GuardKind.SKIP if GuardKind.SKIP in deaths else GuardKind.EXIT
    elif len(alive.path) > len(base):
        guard = alive.path[len(base)]
        kept = type(guard)(guard.term, death, guard.span, guard.loop)
        alive.path = (*base, kept, *alive.path[len(base) + 1 :])


def _for(m: Machine, s: n.For) -> None:
    execute(m, s.init)

    def step() -> None:
        if s.step is not None:
            evaluate(m, s.step)

    run_loop(
        m,
        s,
        s.cond,
        lambda: execute(m, s.body),
        step,
        lambda cond: condition(m, cond),
        post_tested=False,
        unroll=s.unroll,
    )


def _while(m: Machine, s: n.While) -> None:
    run_loop(m, s, s.cond, lambda: execute(m, s.body), lambda: None, lambda cond: condition(m, cond), post_tested=False)


def _do(m: Machine, s: n.DoWhile) -> None:
    if isinstance(s.cond, n.IntLit) and not s.cond.value:
        # do { } while (0): a block that `break` and `continue` leave.
        _once(m, lambda: execute(m, s.body))
        return
    run_loop(m, s, s.cond, lambda: execute(m, s.body), lambda: None, lambda cond: condition(m, cond), post_tested=True)


def _once(m: Machine, action: Callable[[], None]) -> None:
    if m.state is None:
        return
    base = m.state.path
    since = m.departures()
    target = Target(True, len(m.loops))
    m.frames[-1].targets.append(target)
    action()
    m.frames[-1].targets.pop()
    ends = ([m.state] if m.state is not None else []) + target.breaks + target.continues
    m.state = m.join_all(ends, base, m.departed(since))


def _switch(m: Machine, s: n.Switch) -> None:
    value = scalar(m, s.cond)
    if m.state is None:
        return
    before = m.state
    base = before.path
    # Told before any case is walked: values need a state, and there is none after a break.
    tests: dict[n.Case, Term] = {}
    for inner in s.body.body:
        if isinstance(inner, n.Case) and inner.value is not None:
            tests[inner] = _matches(m, value, inner)
    missed = TRUE
    for test in tests.values():
        missed = conjunction(missed, negate(test))
    has_default = any(isinstance(x, n.Case) and x.value is None for x in s.body.body)
    since = m.departures()
    target = Target(False, len(m.loops))
    m.frames[-1].targets.append(target)
    m.state = None
    for inner in s.body.body:
        if isinstance(inner, n.Case):
            test = tests.get(inner, missed)
            entering = before.fork()
            falling: State | None = m.state
            m.state = entering
            m.guarded(test, GuardKind.BRANCH, s.cond.span)
            entering_now = m.state
            if falling is not None and entering_now is not None:
                reach = truth_of(falling.path[len(base) :])
                joined = m.join_all([falling, entering_now], base)
                m.state = joined
                m.guarded(disjunction(reach, test), GuardKind.BRANCH, s.cond.span)
            else:
                m.state = falling if falling is not None else entering_now
        elif m.state is not None:
            execute(m, inner)
    m.frames[-1].targets.pop()
    ends = ([m.state] if m.state is not None else []) + target.breaks
    if not has_default and missed != FALSE:
        skipped = before.fork()
        m.state = skipped
        m.guarded(missed, GuardKind.BRANCH, s.cond.span)
        if m.state is not None:
            ends.append(m.state)
    m.state = m.join_all(ends, base, m.departed(since))


def _matches(m: Machine, value: Term, case: n.Case) -> Term:
    assert case.value is not None
    low = scalar(m, case.value)
    if case.high is None:
        return binary("eq", value, low, BOOL)
    high = scalar(m, case.high)
    return conjunction(binary("le", low, value, BOOL), binary("le", value, high, BOOL))


def _break(m: Machine, s: n.Break) -> None:
    targets = m.frames[-1].targets
    if m.state is not None and targets:
        targets[-1].breaks.append(m.state)
    m.state = None
    m.death = GuardKind.SKIP


def _continue(m: Machine, s: n.Continue) -> None:
    loops = [t for t in m.frames[-1].targets if t.is_loop]
    if m.state is not None and loops:
        loops[-1].continues.append(m.state)
    m.state = None
    m.death = GuardKind.SKIP


def _return(m: Machine, s: n.Return) -> None:
    result = m.frames[-1].function.result
    value: Value | None = None
    if s.value is not None and isinstance(result, PointerType) and result.reference:
        at = place(m, s.value)
        if result.const and isinstance(result.pointee, IntType) and not isinstance(at, MemPlace):
            value = coerce(
                m, evaluate(m, s.value), result.pointee
            )  # of a parameter, or one of them: it is read at once
        else:
            value = ReferenceValue(at) if at is not None else unknown_value(result.pointee, "returned reference")
    elif s.value is not None:
        value = coerce(m, evaluate(m, s.value), result)
    if m.state is None:
        return
    if len(m.frames) > 1 and not m.frames[-1].last:
        for owned in reversed(m.frames[-1].owners) if m.destructors else ():
            destroy(m, owned, bare(s.value))
        if m.state is None:
            return
        m.frames[-1].returns.append((m.state, value))
        for loop in m.loops[m.frames[-1].loop_depth :]:
            term = truth_of([g for g in m.state.path[loop.depth :] if g.loop is not loop])
            loop.exits.append((term, s.span))
            loop.returns.append((term, s.span))
        m.state = None
        m.death = GuardKind.SKIP
        return
    for owned in reversed(m.frames[-1].owners) if m.destructors else ():
        destroy(m, owned, bare(s.value))
    if m.state is None:
        return
    m.trace.exits.append(ExitEvent(**m.common(s.span), value=value if isinstance(value, Term) else None))
    for loop in m.loops:
        suffix = m.state.path[loop.depth :]
        loop.leaves.append((truth_of([g for g in suffix if g.loop is not loop]), s.span))
    m.state = None
    m.death = GuardKind.EXIT


def _trap(m: Machine, s: n.Trap) -> None:
    if s.thrown and m.state is not None:
        m.trace.throws.append(ExitEvent(**m.common(s.span)))
    m.state = None
    m.death = GuardKind.ASSERT
    m.traps += 1


def _goto(m: Machine, s: n.Goto) -> None:
    m.gap("goto", "goto", s.span)
    m.doubt()
    m.state = None
    m.death = GuardKind.SKIP


def _label(m: Machine, s: n.Label) -> None:
    """Where a goto leads.  Threads come here on ways that are not followed, perhaps again and again: of variables
    that change anywhere, of guards and of phases nothing is known."""
    m.gap("goto", "label", s.span)
    inexact = (LOST,)
    env = dict(m.state.env) if m.state is not None else {}
    for frame in m.frames:
        for param in frame.function.params:
            env.setdefault(param, m.parameters.get(param) or unknown_value(param.type, "after a goto"))
    for decl in set().union(
        *(assigned(m, frame.function.body) for frame in m.frames if frame.function.body is not None)
    ):
        if decl in env:
            env[decl] = unknown_value(decl.type, "after a goto")
    m.state = State(env, (), inexact, inexact)
    m.doubt()
    m.epoch += 1
    m.guarded(unknown("goto", BOOL), GuardKind.BRANCH, s.span)


def _asm(m: Machine, s: n.Asm) -> None:
    values = [evaluate(m, expr) for expr in s.inputs]
    if m.state is not None and (s.writes_memory or s.may_sync):
        _out_of_sight(m, s, values)
    for expr in s.outputs:
        at = place(m, expr)
        if isinstance(at, MemPlace):
            store(m, at, unknown_value(at.type, "inline assembly"), expr)
        elif isinstance(at, VarPlace):
            havoc(m, at, "inline assembly")
    if s.writes_memory:
        m.epoch += 1
    if s.may_sync:
        m.gap("barrier", "inline assembly may hold a barrier", s.span)
        m.barrier(s.span, n.Scope.BLOCK, frozenset(Space), "asm", certain=False, node=s)


def _out_of_sight(m: Machine, s: n.Asm, values: list[Value]) -> None:
    """Assembly that is not known may write to all that it is given a pointer to.  A number may be an address too, but
    is data where there are pointers beside it."""
    given = frozenset(root for value in values for root in objects_of(value))
    odd = any(root.kind in (RootKind.UNKNOWN, RootKind.LOADED) for root in given)
    reached = None if odd or (values and not given) else given
    event = CallEvent(
        **m.common(s.span), node=s, name="asm", reason="inline assembly", may_sync=False, writes=True, objects=reached
    )
    m.trace.calls.append(event)


def _opaque(m: Machine, s: n.OpaqueStmt) -> None:
    m.gap("lost", s.reason, s.span)
    if s.leaves or any(isinstance(child, n.Stmt) for child in s.children):
        m.doubt()
    for child in s.children:
        if isinstance(child, n.Expr):
            evaluate(m, child)
        elif isinstance(child, n.Stmt):
            execute(m, child)
    if m.state is not None:
        named = (decl for decl in m.state.env if decl.name in s.words and not decl.const and _written(decl, s))
        for decl in sorted({*assigned(m, s), *named}, key=lambda d: (d.span.start, d.name)):
            if decl in m.state.env:
                m.state.env[decl] = unknown_value(decl.type, s.reason)
    m.epoch += 1
    if s.may_sync:
        m.barrier(s.span, n.Scope.BLOCK, frozenset(Space), s.reason, certain=False, node=s)


def _written(decl: n.VarDecl, s: n.OpaqueStmt) -> bool:
    """Whether a lost statement that names a variable may change it: pointers and objects only where it says so."""
    return not isinstance(decl.type, (PointerType, ArrayType)) or decl.name in s.assigned


def _case(m: Machine, s: n.Case) -> None:
    """A stray label outside its switch body says nothing."""


_STATEMENTS: dict[type, Callable[[Machine, Any], None]] = {
    n.Block: _block,
    n.DeclStmt: _decl,
    n.ExprStmt: _expr,
    n.If: _if,
    n.For: _for,
    n.While: _while,
    n.DoWhile: _do,
    n.Switch: _switch,
    n.Break: _break,
    n.Continue: _continue,
    n.Return: _return,
    n.Trap: _trap,
    n.Goto: _goto,
    n.Label: _label,
    n.Asm: _asm,
    n.OpaqueStmt: _opaque,
    n.Case: _case,
}
