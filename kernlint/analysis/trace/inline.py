"""Calls: helpers with a body are walked at the call site; the others get a summary by evidence."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from kernlint.analysis.trace.containers import inspected, made_sequence
from kernlint.analysis.trace.events import (
    RECURSION,
    TOO_DEEP,
    AccessKind,
    CallEvent,
    Guard,
    Root,
)
from kernlint.analysis.trace.host import (
    allocation,
    block_chosen,
    handle_of_symbol,
    keep_allocated,
    made_of,
    note_after,
    note_call,
    written_by,
)
from kernlint.analysis.trace.launch import linear
from kernlint.analysis.trace.machine import FACTS, MAX_DEPTH, Frame, Machine, State, truth_of
from kernlint.analysis.trace.memory import forget_variable, havoc, parameter_value, read_variable, record
from kernlint.analysis.trace.values import (
    LambdaValue,
    MemPlace,
    Place,
    PointerValue,
    ReferenceValue,
    StructValue,
    Value,
    VarPlace,
    as_term,
    fields_of,
    merge,
    unknown_value,
)
from kernlint.source import Span
from kernlint.symbolic.terms import (
    BLOCK_DIM,
    THREAD,
    SymbolKind,
    Term,
    Uniformity,
    binary,
    call,
    const,
    symbols,
    unknown,
)
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import (
    Block,
    Call,
    Cast,
    Deref,
    Expr,
    ExprStmt,
    FunctionDecl,
    FunctionKind,
    If,
    Member,
    ParamDecl,
    Ref,
    Return,
    Scope,
    Stmt,
    VarDecl,
)
from kernlint.tree.types import (
    I64,
    U32,
    VOID,
    IntType,
    OpaqueType,
    PointerType,
    Space,
    StructType,
    Type,
    VectorType,
    VoidType,
)
from kernlint.tree.walk import walk

SYNC_NAME = pattern(r"sync|barrier|(?:^|_)wait|arrive", re.IGNORECASE)
"""A callee never seen whose name matches may hold a barrier."""

CLOCK_NAME = pattern(r"clock|timer|cycle", re.IGNORECASE)
"""A function without arguments whose name matches gives another value at every call."""

CLOCKS = frozenset(
    {"clock", "clock64", "wall_clock64", "globaltimer", "globaltimer_lo", "__clock", "__clock64", "__globaltimer"}
)
"""The clocks of CUDA, HIP and PTX: the warps of a block read them one after the other."""


def bind(m: Machine, param: ParamDecl, arg: Expr) -> Value:
    """The value that ``param`` gets from ``arg``: a reference is bound to the argument's place."""
    from kernlint.analysis.trace.evaluation import evaluate
    from kernlint.analysis.trace.operators import coerce
    from kernlint.analysis.trace.places import place

    kind = param.type
    if isinstance(kind, PointerType) and kind.reference:
        at = place(m, arg)
        if at is not None:
            return ReferenceValue(at)
        return evaluate(m, arg)
    return coerce(m, evaluate(m, arg), kind)


def receiver_value(m: Machine, receiver: Expr) -> Value:
    """What ``this`` is in a method called on ``receiver``: its place, or a pointer when it is one."""
    from kernlint.analysis.trace.evaluation import evaluate
    from kernlint.analysis.trace.places import place

    if isinstance(receiver.type, PointerType) and not receiver.type.reference:
        return evaluate(m, receiver)
    at = place(m, receiver)
    if isinstance(at, MemPlace):
        return at.pointer.typed(at.type)
    return ReferenceValue(at) if at is not None else evaluate(m, receiver)


def call_function(m: Machine, e: Call, function: FunctionDecl) -> Value:
    """Walk the body of ``function`` with the arguments of ``e`` and give its result."""
    assert function.body is not None
    depth = len(m.frames)
    if depth > MAX_DEPTH or any(frame.function is function for frame in m.frames):
        return unresolved_call(m, e, RECURSION if depth <= MAX_DEPTH else TOO_DEEP)
    bound: list[tuple[VarDecl, Value]] = []
    temporary: VarPlace | None = None
    if function.this is not None:
        it = receiver_value(m, e.receiver) if e.receiver is not None else unknown_value(e.type, "field not set")
        if isinstance(it, StructValue) and m.state is not None:  # an object without a name, or one being made
            temporary = VarPlace(VarDecl(e.span, "object", it.type, Space.PRIVATE), (), it.type)
            m.state.env[temporary.decl] = it
            it = ReferenceValue(temporary)
        if e.receiver is not None or temporary is not None:
            bound.append((function.this, it))
    for param, arg in zip(function.params, e.args, strict=False):
        bound.append((param, bind(m, param, arg)))
    bound += _numbers_given(m, e, function)
    for param in function.params[len(e.args) :]:
        bound.append((param, unknown_value(param.type, f"default argument {param.name}", Uniformity.GRID)))
    if not m.on_host and m.state is not None and function.name.endswith("operator()"):
        for decl in _foreign(function):
            if decl not in m.state.env:
                bound.append((decl, _captured(m, decl)))
    outer = m.frames[-1]
    # (a function that is looked at by itself is called from where nobody sees what follows)
    last = outer.last and id(e) in last_calls(outer.function) and e.span != function.span
    result = _enter(m, function, bound, function.body, e.span, e.type, last)
    if temporary is not None and m.state is not None:
        if e.receiver is None:
            result = read_variable(m, temporary)
        # (what gives its own object back is asked for more of it before the statement ends)
        given = result.place if isinstance(result, ReferenceValue) else None
        if not (isinstance(given, VarPlace) and given.decl is temporary.decl):
            m.state.env.pop(temporary.decl, None)
    return result


def _numbers_given(m: Machine, e: Call, function: FunctionDecl) -> Iterator[tuple[VarDecl, Value]]:
    """What a call names for template parameters of a callee that is no instance: numbers, or parameters of its own."""
    for param, arg in zip(function.numbers, e.values, strict=False):
        if isinstance(param.type, IntType):
            value = bind(m, param, arg)
            if isinstance(value, Term) and not any(s.kind is SymbolKind.UNKNOWN for s in symbols(value)):
                yield param, value


def call_lambda(m: Machine, value: LambdaValue, e: Call) -> Value:
    """Walk a lambda's body; variables captured by reference are seen as they are now, others as they were."""
    node = value.node
    if any(frame.function.body is node.body for frame in m.frames):
        return unresolved_call(m, e, RECURSION)
    bound = [(param, bind(m, param, arg)) for param, arg in zip(node.params, e.args, strict=False)]
    function = FunctionDecl(node.span, "lambda", "lambda", m.function.kind, node.params, e.type, node.body)
    return with_captured(m, value, lambda: _enter(m, function, bound, node.body, e.span, e.type))


def with_captured(m: Machine, value: LambdaValue, action: Callable[[], Value]) -> Value:
    """``action`` where the variables that a lambda captured by value are as they were then."""
    if not value.captured or m.state is None:
        return action()
    now = {decl: m.state.env.get(decl) for decl, _ in value.captured}
    m.state.env.update(value.captured)
    result = action()
    if m.state is not None:
        for decl, old in now.items():
            if old is not None:
                m.state.env[decl] = old
            else:
                m.state.env.pop(decl, None)
    return result


@functools.lru_cache(maxsize=256)
def _foreign(function: FunctionDecl) -> tuple[VarDecl, ...]:
    """The variables of other functions that a lambda's body speaks of: what host code has captured for a kernel."""
    assert function.body is not None
    own = {node for node in walk(function.body) if isinstance(node, VarDecl)}
    own.update(function.params)
    if function.this is not None:
        own.add(function.this)
    found = dict.fromkeys(node.decl for node in walk(function.body) if isinstance(node, Ref))
    return tuple(decl for decl in found if decl not in own and not (decl.is_global or decl.static or decl.synthesised))


def _captured(m: Machine, decl: VarDecl) -> Value:
    """What a lambda of the host has captured: fixed before the launch, as an argument is."""
    if decl not in m.parameters:
        param = decl if isinstance(decl, ParamDecl) else ParamDecl(decl.span, decl.name, decl.type, decl.space)
        m.parameters[decl] = parameter_value(m, param)
    return m.parameters[decl]


@functools.lru_cache(maxsize=256)
def last_calls(function: FunctionDecl) -> frozenset[int]:
    """The calls (by identity) of a function that gives nothing back after which it does nothing more."""
    found: set[int] = set()
    stack: list[Stmt | None] = [function.body] if isinstance(function.result, VoidType) else []
    while stack:
        at = stack.pop()
        if isinstance(at, Block):
            stack += at.body[-1:]
        elif isinstance(at, If):
            stack += (at.then, at.other)
        elif isinstance(at, (ExprStmt, Return)):
            expr = at.expr if isinstance(at, ExprStmt) else at.value
            while isinstance(expr, Cast):
                expr = expr.operand
            if isinstance(expr, Call):
                found.add(id(expr))
    return frozenset(found)


def _enter(
    m: Machine,
    function: FunctionDecl,
    bound: Sequence[tuple[VarDecl, Value]],
    body: Block,
    span: Span,
    result: Type,
    last: bool = False,
) -> Value:
    from kernlint.analysis.trace.statements import execute

    if m.state is None:
        return unknown_value(result, "dead code")
    base = m.state.path
    since = m.departures()
    outside = list(m.state.env)
    for param, value in bound:
        m.state.env[param] = value
    stack = m.stack
    m.stack = (*stack, span)
    frame = Frame(function, loop_depth=len(m.loops), last=last)
    m.frames.append(frame)
    execute(m, body)
    m.frames.pop()
    m.stack = stack
    returns: list[tuple[State, Value | None]] = list(frame.returns)
    if m.state is not None:
        returns.append((m.state, None))
    if not returns:
        m.state = None
        return unknown_value(result, "never returns")
    value = _result(returns, base, result)
    # Host code that comes back from a function has passed the checks there that end the program otherwise.
    lost = m.departed(since) if m.on_host else None
    facts = [guard for guard in returns[0][0].path[len(base) :] if guard.kind in FACTS] if m.on_host else []
    m.state = m.join_all([state for state, _ in returns], base, lost, spent=True)
    if m.state is not None and facts and len(returns) == 1 and m.state.path == base:
        m.state.path = (*base, *facts)  # what the one way through has made of its variables
    if m.state is not None:
        m.state.env = _without(m.state.env, outside)
    return value


def _without(env: dict[VarDecl, Value], outside: list[VarDecl]) -> dict[VarDecl, Value]:
    """``env`` without a callee's own variables: what was there before (``outside``) stands first, in the same order,
    unless a ``goto`` has begun anew."""
    if list(islice(env, len(outside))) == outside:
        return dict(islice(env.items(), len(outside))) if len(env) > len(outside) else env
    known = set(outside)
    return {decl: value for decl, value in env.items() if decl in known}


def _result(returns: list[tuple[State, Value | None]], base: tuple[Guard, ...], result: Type) -> Value:
    if isinstance(result, VoidType):
        return unknown_value(result, "void")
    values = [(state, value) for state, value in returns if value is not None]
    if not values:
        return unknown_value(result, "no value returned")
    out = values[-1][1]
    assert out is not None
    for state, value in reversed(values[:-1]):
        assert value is not None
        out = merge(truth_of(state.path[len(base) :]), value, out)
    return out


def unresolved_call(m: Machine, e: Call, reason: str = "") -> Value:
    """A call that is not followed: see :func:`_unfollowed`; in host code it is noted with what it is given."""
    calls = len(m.trace.apis)
    result = _unfollowed(m, e, reason)
    if len(m.trace.apis) > calls and m.trace.apis[calls].node is e:
        event = m.trace.apis[calls]
        event.result = result
        if m.on_host:
            block_chosen(m, e)
            note_after(m, event)
    return result


def _overwritten(m: Machine, e: Call, places: Sequence[Place | None], values: Sequence[Value], name: str) -> None:
    """Forget what variables hold that a call gets by reference, or by an address of another type."""
    for at, value in zip(places, values, strict=True):
        if isinstance(value, PointerValue):
            forget_variable(m, value.root.decl, f"written by {name}")
        if isinstance(value, ReferenceValue):
            if not m.on_host:
                havoc(m, value.place, f"written by {name}")
        elif at is None or isinstance(value, PointerValue):
            continue
        elif e.function is not None or isinstance(at.type, StructType):
            havoc(m, at, f"written by {name}")


def _given_away(m: Machine, arg: Expr, by_reference: bool) -> Value:
    """The value of an argument of a call that is not followed; an element may be set through a reference to it."""
    from kernlint.analysis.trace.evaluation import evaluate

    before = len(m.trace.accesses)
    value = evaluate(m, arg)
    if by_reference and not isinstance(arg, Ref):
        m.trace.overwritten.update(id(one.root) for one in m.trace.accesses[before:][-1:])
    return value


def _unfollowed(m: Machine, e: Call, reason: str) -> Value:
    """A call that is not followed: what it may do is judged from its name and arguments.

    Scalars only: taken to be a pure function of them.  A pointer: it may write what it points to.  A group or barrier
    object, or a telling name: it may hold a barrier.  So it may with a pointer to shared memory, of which searches take
    no notice but for that memory.
    """
    from kernlint.analysis.trace.places import place

    if m.destructors and e.name.rpartition("::")[2] in ("move", "forward", "swap"):
        m.moved.update(arg.decl for arg in e.args if isinstance(arg, Ref))
    values: list[Value] = []
    places: list[Place | None] = []
    params = e.function.params if e.function is not None else ()
    parts = ([e.receiver] if e.receiver is not None else []) + list(e.args)
    offset = len(parts) - len(e.args)
    for index, arg in enumerate(parts):
        kind = params[index - offset].type if 0 <= index - offset < len(params) else None
        by_reference = kind is None or (isinstance(kind, PointerType) and kind.reference and not kind.const)
        at = place(m, arg) if by_reference and isinstance(arg, Ref) and e.name != "printf" else None
        places.append(at if e.function is None or by_reference else None)
        values.append(_given_away(m, arg, by_reference))
    if m.state is None:
        return unknown_value(e.type, "dead code")
    made: Value | None = None
    if m.function.kind in (FunctionKind.HOST, FunctionKind.BOTH):
        note_call(m, e, values[offset:], values[0] if offset else None)
        made = allocation(m, e, values[offset:])
        handle_of_symbol(m, e, values[offset:])
    if m.on_host:
        seen = _in_container(m, e, parts, places, values)
        if seen is not None:
            return seen
    for value in values:
        if isinstance(value, LambdaValue):
            _maybe_called(m, value, e)
    if m.state is None:
        return unknown_value(e.type, "dead code")
    touches = [v for v in values if isinstance(v, (PointerValue, ReferenceValue, LambdaValue))]
    objects = [
        v
        for v, arg in zip(values, parts, strict=True)
        if isinstance(arg.type, (OpaqueType, StructType)) and not isinstance(v, PointerValue)
    ]
    given = frozenset(root for v in values for root in objects_of(v) if root.space is Space.SHARED)
    group = any(_is_group(arg.type) for arg in parts)
    name = e.name.rpartition("::")[2]
    quiet = name == "printf"
    told = group or bool(SYNC_NAME.search(name))
    may_sync = not quiet and bool(given or told)
    getter = e.receiver is not None and isinstance(e.type, IntType) and (not e.args or _only_looks(e, values[offset:]))
    writes = not quiet and not getter and bool(touches or objects)
    if not quiet:
        kept = int(m.on_host and offset and _is_const(e))  # the object is as it was
        _overwritten(m, e, places[kept:], values[kept:], name)
    if m.on_host:
        written_by(m, e, parts, values)
        keep_allocated(m)
    _known_accesses(m, e, name, values)
    event = CallEvent(
        **m.common(e.span),
        node=e,
        name=e.name,
        reason=reason or ("no body in sight" if e.function is not None else "not resolved"),
        may_sync=may_sync,
        writes=writes,
    )
    if not quiet:
        m.trace.calls.append(event)
    if writes:
        m.epoch += 1
    if may_sync:
        m.gap("barrier", f"{name} may hold a barrier", e.span)
        only = None if told else given
        m.barrier(e.span, Scope.BLOCK, frozenset(Space), name, certain=False, node=e, given=only)
    if made is None and isinstance(e.type, (StructType, PointerType)):
        made = made_of(e, values) or (made_sequence(m, e, values) if m.on_host else None)
    if made is not None:
        return made
    terms = tuple(as_term(v) for v in values)
    if isinstance(e.type, (PointerType, StructType, VectorType)):
        level = Uniformity.VARYING
        if m.on_host and isinstance(e.type, StructType) and not fields_of(e.type):
            return unknown(name, e.type, level)
        return unknown_value(e.type, name, level)
    if not terms and CLOCK_NAME.search(name):
        return _time(name, e.type)
    return call(f"{name}@{m.order}" if writes else name, terms, e.type)


def _time(name: str, kind: Type) -> Term:
    """What a clock shows: a new value each time."""
    value = unknown(name, kind)
    if name in CLOCKS:
        value.symbols[0].certain = Uniformity.WARP
    return value


def _only_looks(e: Call, given: list[Value]) -> bool:
    """Whether a method that is given numbers leaves its object as it is."""
    return _is_const(e) and all(isinstance(value, Term) for value in given)


def _is_const(e: Call) -> bool:
    """Whether a call is one of a method that is declared ``const``."""
    this = e.function.this if e.function is not None else None
    return this is not None and isinstance(this.type, PointerType) and this.type.const


def _in_container(
    m: Machine, e: Call, parts: list[Expr], places: list[Place | None], values: list[Value]
) -> Value | None:
    """What a call that only looks into a container of the standard library gives."""
    from kernlint.analysis.trace.places import place

    if e.receiver is None or not isinstance(e.receiver.type, StructType):
        return None
    at = places[0] if places[0] is not None or not isinstance(parts[0], (Member, Deref)) else place(m, parts[0])
    return inspected(m, e, at, values)


def objects_of(value: Value) -> tuple[Root, ...]:
    """The objects in memory that a value leads to."""
    if isinstance(value, ReferenceValue) and isinstance(value.place, MemPlace):
        value = value.place.pointer
    if not isinstance(value, PointerValue):
        return ()
    return (value.root, *value.root.candidates)


_DRAWS = pattern(r"(?:cu|hip|roc)rand(?P<init>_init)?(?:4?|_\w+)")
"""Library functions that draw from (or set up) the random state behind their first (``init``: fourth) argument."""

_COPIES = frozenset({"memcpy", "memmove", "memset", "__builtin_memcpy", "__builtin_memmove", "__builtin_memset"})


def _known_accesses(m: Machine, e: Call, name: str, values: list[Value]) -> None:
    """Accesses that library functions are known to make."""
    draw = _DRAWS.fullmatch(name)
    if draw is not None:
        at = 3 if draw["init"] else 0
        state = values[at] if at < len(values) else None
        if isinstance(state, PointerValue):
            record(m, _own_part(state), AccessKind.WRITE, e)
    elif name in _COPIES and len(values) == 3:
        size = as_term(values[2]).value
        kinds = (AccessKind.WRITE,) if name.endswith("memset") else (AccessKind.WRITE, AccessKind.READ)
        for value, kind in zip(values, kinds, strict=False):
            if isinstance(value, PointerValue) and size != 0:
                record(m, MemPlace(value, value.pointee), kind, e, size=-1 if size is None else size)


MERSENNE = 256
"""Threads of one block that may draw from a state of Mtgp32 together (cuRAND guide, device API)."""


def _own_part(state: PointerValue) -> MemPlace:
    """What a thread that draws from ``state`` changes: all of it, or in a state of Mtgp32 a word of its own as far as
    :data:`MERSENNE` threads go."""
    if "Mtgp32" not in str(getattr(state.pointee, "name", "")):
        return MemPlace(state, state.pointee)
    part = binary("mod", linear(THREAD, BLOCK_DIM, I64), const(MERSENNE), I64)
    word = binary("add", state.offset, binary("mul", part, const(4), I64), I64)
    return MemPlace(PointerValue(state.root, word, U32), U32)


def _is_group(type_: Type) -> bool:
    text = type_.spelling if isinstance(type_, OpaqueType) else type_.name if isinstance(type_, StructType) else ""
    return any(word in text for word in ("thread_block", "_group", "barrier", "pipeline", "cooperative_groups"))


def _maybe_called(m: Machine, value: LambdaValue, e: Call) -> None:
    """A lambda handed to a function never seen is taken to be called, with arguments of which nothing is known."""
    node = value.node
    if any(frame.function.body is node.body for frame in m.frames) or len(m.frames) > MAX_DEPTH:
        return
    function = FunctionDecl(node.span, "lambda", "lambda", m.function.kind, node.params, e.type, node.body)
    bound = [(param, unknown_value(param.type, "argument of a callback")) for param in node.params]
    _enter(m, function, bound, node.body, e.span, VOID)
