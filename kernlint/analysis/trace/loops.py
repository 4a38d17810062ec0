"""Loops: one symbolic iteration, recurrences solved, phases carried around the back edge."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kernlint.analysis.trace.capped import cap, greatest, narrow
from kernlint.analysis.trace.events import (
    LOST,
    Event,
    Guard,
    GuardKind,
    Label,
    LoopContext,
    Root,
    RootKind,
)
from kernlint.analysis.trace.host import LIBRARY
from kernlint.analysis.trace.joined import joined
from kernlint.analysis.trace.machine import Machine, State, Target
from kernlint.analysis.trace.memory import in_memory
from kernlint.analysis.trace.passed_rounds import passed_rounds
from kernlint.analysis.trace.periods import periods
from kernlint.analysis.trace.recurrence import closed_form, in_turn, ring_of
from kernlint.analysis.trace.rounds import rounds
from kernlint.analysis.trace.turns import Pointers, Turn, behind, turns
from kernlint.analysis.trace.values import (
    PointerValue,
    ReferenceValue,
    StructValue,
    Value,
    any_of,
    same,
    unknown_root,
    unknown_value,
)
from kernlint.prove.cases import conjuncts
from kernlint.record import replace
from kernlint.source import Span
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import (
    FALSE,
    TRUE,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    binary,
    call,
    conjunction,
    const,
    disjunction,
    negate,
    substitute,
    symbols,
    unknown,
)
from kernlint.tree.nodes import (
    AddressOf,
    Asm,
    Assign,
    Call,
    Cast,
    Expr,
    FunctionDecl,
    IncDec,
    Lambda,
    Member,
    Node,
    Opaque,
    Ref,
    Subscript,
    VarDecl,
)
from kernlint.tree.types import BOOL, I64, FloatType, IntType, PointerType, StructType
from kernlint.tree.walk import walk


def target_variable(expr: Expr) -> VarDecl | None:
    """The variable whose value (or part of it) an assignment to ``expr`` changes."""
    while isinstance(expr, (Member, Subscript)):
        if (isinstance(expr, Member) and expr.arrow) or (
            isinstance(expr, Subscript) and isinstance(expr.base.type, PointerType)
        ):
            return None  # what a pointer points to, not the pointer
        expr = expr.base
    return expr.decl if isinstance(expr, Ref) else None


def assigned(m: Machine, node: Node) -> frozenset[VarDecl]:
    """Variables that ``node`` may change: assigned, incremented, address taken, or bound to a reference."""
    known = m.assigned.get(id(node))
    if known is not None:
        return known
    out: set[VarDecl] = set()
    for at in walk(node):
        found: list[Expr] = []
        if isinstance(at, (Assign, IncDec)):
            found.append(at.target)
        elif isinstance(at, AddressOf):
            found.append(at.operand)
        elif isinstance(at, Call) and not at.pure_math:
            if at.receiver is not None:
                found.append(at.receiver)
            params = at.function.params if at.function is not None else ()
            for index, arg in enumerate(at.args):
                kind = params[index].type if index < len(params) else None
                if kind is None or (isinstance(kind, PointerType) and kind.reference and not kind.const):
                    found.append(arg)
        elif isinstance(at, Asm):
            found.extend(at.outputs)
        elif isinstance(at, Opaque) and at.writes:
            found.extend(at.children)
        elif isinstance(at, Lambda):
            out |= assigned(m, at.body)
        for expr in found:
            decl = target_variable(expr)
            if decl is not None:
                out.add(decl)
    result = frozenset(out)
    m.assigned[id(node)] = result
    return result


def loop_value(m: Machine, loop: LoopContext, name: str, value: Value) -> Value:
    """``value`` as a variable of the loop: every scalar leaf becomes a PHI symbol, pointers keep their object."""
    if isinstance(value, Term):
        phi = Symbol(SymbolKind.PHI, name, value.type, origin=loop, init=value)
        loop.phis.append(phi)
        return phi.term
    if isinstance(value, PointerValue):
        phi = Symbol(SymbolKind.PHI, f"{name}.offset", I64, origin=loop, init=value.offset)
        loop.phis.append(phi)
        root = value.root
        if root.choices:  # which of them it is belongs to what it was before
            root = unknown_root(root.space, root.element, "pointer", root.candidates)
        return PointerValue(root, phi.term, value.pointee, value.array)
    if isinstance(value, StructValue):
        made = tuple((key, loop_value(m, loop, f"{name}.{key}", v)) for key, v in value.fields)
        return StructValue(value.type, made)
    return value


def close(loop: LoopContext, head: Value, tail: Value, exchanged: bool = False) -> bool:
    """Tie the phis of ``head`` to their values after one iteration; False when a pointer changed its object.
    ``exchanged``: also how far into their objects pointers lead that exchange these."""
    if isinstance(head, Term):
        symbol = head.symbol
        if symbol is not None and symbol.kind is SymbolKind.PHI and symbol.origin is loop:
            symbol.step = tail if isinstance(tail, Term) else None
        return True
    if isinstance(head, PointerValue):
        if head.root.kind is RootKind.UNKNOWN and not (isinstance(tail, PointerValue) and tail.root is head.root):
            symbol = head.offset.symbol
            if symbol is not None and symbol.origin is loop:
                covered = exchanged and bool(head.root.candidates) and _covers(head.root, tail)
                symbol.step = tail.offset if covered and isinstance(tail, PointerValue) else None
            return _covers(head.root, tail)
        if not isinstance(tail, PointerValue) or tail.root is not head.root:
            return False
        return close(loop, head.offset, tail.offset)
    if isinstance(head, StructValue):
        fine = True
        for name, value in head.fields:
            after = tail.get(name) if isinstance(tail, StructValue) else None
            if after is None:
                for symbol in symbols(value) if isinstance(value, Term) else ():
                    symbol.step = None
                continue
            fine = close(loop, value, after, exchanged) and fine
        return fine
    return same(head, tail) or isinstance(head, ReferenceValue)


_ATTEMPTS = 3
"""Walks of one loop until all that it changes is known."""


def _covers(root: Root, tail: Value) -> bool:
    """Whether what ``tail`` points to is among the objects that the unknown ``root`` may be."""
    if not root.candidates:
        return True
    return isinstance(tail, PointerValue) and all(
        one in root.candidates for one in (tail.root.candidates or (tail.root,))
    )


def run_loop(
    m: Machine,
    node: Node,
    cond: Expr | None,
    body: Callable[[], None],
    step: Callable[[], None],
    test: Callable[[Expr], Term],
    *,
    post_tested: bool,
    unroll: int | None = None,
) -> None:
    """Walk a loop.  ``body`` and ``step`` walk its parts in the current state, ``test`` evaluates a condition."""
    entry = m.state
    if entry is None:
        return
    changed = set(assigned(m, node))
    swapped: dict[VarDecl, Value | Turn] = {}
    m.pointers.update({root: Pointers(None) for root in m.pointers if root.decl in changed})
    for attempt in range(_ATTEMPTS):
        m.state = entry.fork()
        snapshot = _lengths(m)
        moved = _iterate(
            m,
            node,
            cond,
            body,
            step,
            test,
            entry,
            sorted(changed, key=lambda decl: (decl.span.start, decl.name)),
            swapped,
            post_tested,
            unroll,
        )
        if not moved:
            return
        if attempt == _ATTEMPTS - 1:
            m.gap("statement", "a loop changes variables in a way that is not followed", node.span)
            m.doubt()
            for group, length in zip(_groups(m), snapshot, strict=True):
                for event in group[length:]:
                    event.doubtful = True
            return
        # A pointer changed the object it points into, or a variable was changed through a pointer, a reference
        # or a lambda: forget what it was and walk once more.
        changed |= moved.keys()
        swapped.update(moved)
        _truncate(m, snapshot)


def _iterate(
    m: Machine,
    node: Node,
    cond: Expr | None,
    body: Callable[[], None],
    step: Callable[[], None],
    test: Callable[[Expr], Term],
    entry: State,
    changed: Sequence[VarDecl],
    swapped: dict[VarDecl, Value | Turn],
    post_tested: bool,
    unroll: int | None,
) -> dict[VarDecl, Value | Turn]:
    counter = Symbol(SymbolKind.COUNTER, f"k{len(m.trace.loops)}", I64, low=0, uniformity=Uniformity.GRID)
    trips = Symbol(SymbolKind.TRIPS, f"trips{len(m.trace.loops)}", I64, low=1 if post_tested else 0)
    loop = LoopContext(
        node.span, m.loops[-1] if m.loops else None, counter, trips, trips.serial, post_tested, unroll=unroll
    )
    counter.origin = trips.origin = loop
    m.trace.loops.append(loop)
    loop.depth = len(m.state.path) if m.state is not None else 0
    snapshot = _lengths(m)
    state = m.state
    assert state is not None
    heads: dict[VarDecl, Value] = {}
    for decl in changed:
        value = state.env.get(decl)
        if value is None:
            continue
        taken = swapped.get(decl, value)
        head_value = taken.at(counter.term) if isinstance(taken, Turn) else loop_value(m, loop, decl.name, taken)
        heads[decl] = state.env[decl] = head_value
    _rewritten(m, node, changed)
    around = Label(loop)  # type: ignore[arg-type]  # stands for "came around the back edge" until settled
    state.labels = (*entry.labels, around)
    state.warp_labels = (*entry.warp_labels, around)
    m.loops.append(loop)
    since = m.departures()
    returned = len(m.frames[-1].returns)
    target = Target(True, len(m.loops))
    m.frames[-1].targets.append(target)
    base = state.path
    head: State | None = None
    if not post_tested and cond is not None:
        term = test(cond)
        if term != TRUE:
            loop.condition, loop.condition_span = term, cond.span
            head = m.state.fork() if m.state is not None else None
        if term == FALSE:
            m.state = None
        else:
            m.guarded(term, GuardKind.LOOP, cond.span, loop)
    begun = m.state.path if m.state is not None else base
    if m.state is not None:
        body()
    ends = ([m.state] if m.state is not None else []) + target.continues
    m.state = m.join_all(ends, begun, GuardKind.SKIP if target.breaks else m.departed(since))
    tail: State | None = None
    if m.state is not None:
        step()
        if post_tested and cond is not None and m.state is not None:
            term = test(cond)
            if term != TRUE:
                loop.condition, loop.condition_span = term, cond.span
                head = m.state.fork()
        tail = m.state
    elif loop.condition is None:  # there is no second iteration
        loop.condition = FALSE if post_tested else binary("eq", counter.term, const(0), BOOL)
    moved = _moved(m, loop, heads, entry, tail, swapped)
    for phi in (*loop.phis, *loop.phis):  # what one is made of may be a later one's form
        if phi.step is not None and phi not in m.closed:
            form = closed_form(phi, resolve(m, phi.step), counter.term, loop.serial)
            if form is not None:
                m.closed[phi] = form
    _exchanged(m, loop)
    for phi in loop.phis:
        if phi.step is not None and phi not in m.closed:
            most = cap(phi, resolve(m, phi.step), loop.serial, m.caps)
            if most is not None:
                m.caps[phi] = most
                narrow(phi, most)
    m.frames[-1].targets.pop()
    m.loops.pop()
    early = False
    for broken in target.breaks:
        if all(dict(label.shifts).get(loop) == 0 for label in broken.labels):
            loop.behind.add(len(loop.exits))
        else:
            early = True
        loop.exits.append(_exit(loop, broken.path[len(base) :], node.span))
    m.state = _leave(m, loop, heads, base, head, target.breaks, tail, entry)
    _passed(m, loop, node)
    out = [] if m.state is None else [m.state]
    out += [left for left, _ in m.frames[-1].returns[returned:]]
    _settle(m, loop, snapshot, entry, tail, out, early)
    _rewritten(m, node, changed)
    return moved


def _moved(
    m: Machine,
    loop: LoopContext,
    heads: Mapping[VarDecl, Value],
    entry: State,
    tail: State | None,
    swapped: Mapping[VarDecl, Value | Turn],
) -> dict[VarDecl, Value | Turn]:
    """Variables that the walk of a loop's body has shown to be other than they were taken to be at its head, with what
    to take them for; loop variables get their steps.  ``swapped``: what was shown of some before."""
    moved: dict[VarDecl, Value | Turn] = {}
    if tail is None:  # the body never comes around: it runs at most once
        for phi in loop.phis:
            phi.step = phi.term
        return moved
    for decl, value in heads.items():
        after = tail.env.get(decl)
        if after is None:
            continue
        if isinstance(value, ReferenceValue) and not same(value, after):
            moved[decl] = in_memory(m, value.place).pointer
        elif isinstance(turn := swapped.get(decl), Turn):
            if not same(after, heads[turn.after]):
                moved[decl] = _forget(value, after)
        elif not close(loop, value, after, m.on_host):
            moved[decl] = _forget(value, after, entry.env.get(decl) if m.on_host else None)
    for decl, value in entry.env.items():
        after = tail.env.get(decl)
        if decl not in heads and after is not None and not same(value, after):
            moved[decl] = value
    if not m.on_host:
        moved.update({decl: turn for decl, turn in turns(heads, tail.env, entry.env).items() if decl in moved})
    return moved


def _exit(loop: LoopContext, path: Sequence[Guard], otherwise: Span) -> tuple[Term, Span]:
    """The condition of a ``break`` under the guards of ``path``, and where it stands."""
    suffix = [guard for guard in path if guard.kind is not GuardKind.AFTER_LOOP]
    term = TRUE
    for guard in suffix:
        if guard.loop is not loop:
            term = conjunction(term, guard.term)
    return term, suffix[-1].span if suffix else otherwise


def _passed(m: Machine, loop: LoopContext, node: Node) -> None:
    """What held in each round of a loop of the host that changes no memory, where it was not left in one for good."""
    if m.on_host and loop.leaves and not loop.post_tested and not _stores(m, node, set()):
        for term, span in passed_rounds(m, loop, _rounds(m, loop)):
            m.guarded(term, GuardKind.EXIT, span)


def _rewritten(m: Machine, node: Node, changed: Sequence[VarDecl]) -> None:
    """What a loop may have stored in memory is not known any more."""
    m.epoch += 1
    if not m.on_host or m.state is None:
        return
    stores = _stores(m, node, set())
    if stores:
        named = any(decl.is_global for decl in changed)
        m.state.cells.forget_all(m.serial(), pointers="pointers" in stores, named=named)


def _stores(m: Machine, node: Node, met: set[FunctionDecl]) -> set[str]:
    """What ``node`` may store in memory: ``pointers``, ``numbers`` or both."""
    out: set[str] = set()
    for at in walk(node):
        if isinstance(at, (Assign, IncDec)) and target_variable(at.target) is None:
            out |= {"numbers"} if isinstance(at.target.type, (IntType, FloatType)) else {"pointers", "numbers"}
        elif isinstance(at, Call):
            function = at.function
            if function is not None and function.body is not None:
                if function not in met:
                    met.add(function)
                    out |= _stores(m, function.body, met)
            elif any(_at_member(arg) for arg in at.args) or (
                LIBRARY.fullmatch(at.name) is None
                and (at.receiver is not None or any(isinstance(arg.type, (PointerType, StructType)) for arg in at.args))
            ):
                out |= {"pointers", "numbers"}
        if len(out) == 2:  # there is no more to be had
            break
    return out


def _at_member(arg: Expr) -> bool:
    """Whether an argument is the address of something that is reached by a pointer."""
    while isinstance(arg, Cast):
        arg = arg.operand
    return isinstance(arg, AddressOf) and target_variable(arg.operand) is None


def _exchanged(m: Machine, loop: LoopContext) -> None:
    """Solve variables that pass on their values in a ring, such as the pointers of two or three buffers."""
    for first in loop.phis:
        ring = ring_of(first, loop)
        if any(phi in m.closed for phi in ring):
            continue
        for at, phi in enumerate(ring):
            m.closed[phi] = in_turn(tuple(one.init for one in ring if one.init is not None), at, loop.counter.term, phi)


def _forget(head: Value, after: Value, before: Value | None = None) -> Value:
    """What a variable is after a loop, or at its head, that may point to other objects then; ``before`` the loop it
    was this, as far as that says how far into them it leads."""
    if isinstance(head, PointerValue):
        candidates = any_of(head.root, after.root) if isinstance(after, PointerValue) else ()
        root = unknown_root(head.root.space, head.pointee, "pointer changed in a loop", candidates)
        return PointerValue(root, (before if isinstance(before, PointerValue) else head).offset, head.pointee)
    return unknown_value(head.type, "changed in a loop") if isinstance(head, StructValue) else head


def resolve(m: Machine, term: Term) -> Term:
    """``term`` with every loop variable of known closed form replaced by it."""
    memo: dict[Term, Term] = {}
    for _ in range(8):
        if not any(symbol in m.closed for symbol in symbols(term)):
            return term
        term = substitute(term, m.closed, memo)
        memo = {}
    return term


# ------------------------------------------------------------------------------------------------- leaving


def _leave(
    m: Machine,
    loop: LoopContext,
    heads: dict[VarDecl, Value],
    base: tuple[Guard, ...],
    head: State | None,
    breaks: Sequence[State],
    tail: State | None,
    entry: State,
) -> State | None:
    """The state after the loop, or None when no thread comes out of it."""
    exits = ([head] if head is not None else []) + list(breaks)
    if not exits:
        return None
    out = exits[0].fork()
    out.path = base
    ran = _rounds(m, loop) if m.on_host and head is not None and not breaks else None
    last = {loop.counter: loop.trips.term if ran is None else const(ran)}
    reasons = tuple(term for term, _ in loop.exits)
    if loop.condition is not None:
        reasons = (loop.condition, *reasons)

    def after(values: list[Value]) -> Value:
        final = [_final(m, value, last, loop, reasons) for value in values]
        first = final[0]
        if all(same(first, value) for value in final[1:]):
            return first
        terms = [value for value in final if isinstance(value, Term)]
        if len(terms) == len(final):
            return call(f"after{loop.counter.serial}.exits", (*terms, *reasons), terms[0].type)
        if isinstance(first, StructValue):
            each = [dict(v.fields) for v in final if isinstance(v, StructValue)]
            fields = ((name, after([of[name] for of in each if name in of])) for name, _ in first.fields)
            return StructValue(first.type, tuple(fields))
        if isinstance(first, PointerValue) and all(isinstance(v, PointerValue) and v.root is first.root for v in final):
            offsets = tuple(v.offset for v in final if isinstance(v, PointerValue))
            return PointerValue(first.root, call("after.exits", (*offsets, *reasons), I64), first.pointee)
        if isinstance(first, PointerValue):
            return _forget(first, first)
        return first

    for decl in list(out.env):
        values = [state.env[decl] for state in exits if decl in state.env]
        if decl in heads or any(v is not values[0] for v in values):
            out.env[decl] = after(values)
    out.labels = _merge_exit_labels([state.labels for state in exits])
    out.warp_labels = _merge_exit_labels([state.warp_labels for state in exits])
    m.state = out
    if loop.returns:
        gone = call(f"returned{loop.counter.serial}", tuple(term for term, _ in loop.returns), BOOL)
        m.guarded(negate(gone), GuardKind.SKIP, loop.returns[0][1])
    if loop.leaves:
        gone = call(f"left{loop.counter.serial}", tuple(term for term, _ in loop.leaves), BOOL)
        m.guarded(negate(gone), GuardKind.EXIT, loop.leaves[0][1])
    if (
        ran is None
        and head is not None
        and not breaks
        and loop.condition is not None
        and loop.condition_span is not None
    ):
        cond = substitute(resolve(m, loop.condition), last)
        if loop.post_tested:
            cond = substitute(resolve(m, loop.condition), {loop.counter: _before(loop.trips.term)})
        untold = {s for s in symbols(cond) if s.kind is SymbolKind.PHI and s.origin is loop}
        if untold and m.on_host and not loop.post_tested:
            ended = {s: end for s, end in _at_end(head, out) if s in untold}
            cond, untold = substitute(cond, ended), untold.difference(ended)
        if not untold and cond != TRUE:
            m.guarded(negate(cond), GuardKind.AFTER_LOOP, loop.condition_span, loop)
    return m.state


def _at_end(head: State, out: State) -> Iterator[tuple[Symbol, Term]]:
    """What variables hold when a loop is left, by the symbols for what they held when it was asked whether to go on."""
    for decl, value in head.env.items():
        end = out.env.get(decl)
        if isinstance(value, Term) and value.symbol is not None and isinstance(end, Term):
            yield value.symbol, end


def _rounds(m: Machine, loop: LoopContext) -> int | None:
    """How often a loop runs that is left by its condition alone, where constants say it."""
    last = rounds(resolve(m, loop.condition), loop.counter) if loop.condition is not None else None
    return last + 1 if last is not None and loop.post_tested else last


def _before(term: Term, ago: int = 1) -> Term:
    return binary("sub", term, const(ago), I64)


def _final(m: Machine, value: Value, last: dict[Symbol, Term], loop: LoopContext, reasons: tuple[Term, ...]) -> Value:
    if isinstance(value, Term):
        return _final_term(m, value, last, loop, reasons)
    if isinstance(value, PointerValue):
        if value.root.choices:
            return behind(value, lambda term: _final_term(m, term, last, loop, reasons), loop.serial)
        return value.moved(_final_term(m, value.offset, last, loop, reasons))
    if isinstance(value, StructValue):
        return StructValue(value.type, tuple((k, _final(m, v, last, loop, reasons)) for k, v in value.fields))
    return value


def _final_term(
    m: Machine, value: Term, last: dict[Symbol, Term], loop: LoopContext, reasons: tuple[Term, ...]
) -> Term:
    symbol = value.symbol
    if symbol is not None and symbol in loop.phis:
        shuffle = joined(symbol, loop, m.language == "hip", lambda term: resolve(m, term))
        if shuffle is not None:
            return unknown("joined over all lanes", value.type, Uniformity.WARP, origin=shuffle)
    if loop.post_tested:
        value = resolve(m, value)
        last = {loop.counter: _before(last[loop.counter])}
    out = substitute(resolve(m, value), last)
    if any(s.serial > loop.serial for s in symbols(out)):
        ended = call(f"after{loop.counter.serial}", (out, *reasons), out.type)
        if symbol is not None and symbol in m.caps:
            m.ends[ended] = greatest(symbol, m.caps[symbol])
        return ended
    return out


# -------------------------------------------------------------------------------------------------- phases


def _merge_exit_labels(groups: list[tuple[Label, ...]]) -> tuple[Label, ...]:
    out: list[Label] = []
    for group in groups:
        out.extend(label for label in group if label not in out)
    return tuple(out)


def _settle(
    m: Machine,
    loop: LoopContext,
    snapshot: list[int],
    entry: State,
    tail: State | None,
    out: Sequence[State],
    early: bool,
) -> None:
    """Replace the provisional labels of all that happened in the loop, and those of the states that come ``out`` of it,
    behind it or by a return; ``early``: some break out of it with no barrier of the round behind them.

    In host code, whose threads nobody asks about, what follows has the labels of what went before.
    """
    if m.on_host:
        for after in out:
            after.labels, after.warp_labels = entry.labels, entry.warp_labels
        return
    surely = loop.post_tested or (not early and _surely(m, loop))
    for name in ("labels", "warp_labels"):
        before: tuple[Label, ...] = getattr(entry, name)
        back: tuple[Label, ...] = getattr(tail, name) if tail is not None else ()
        real = [b for b in back if b.barrier is not None and any(x is loop for x, _ in b.shifts)]
        through = tail is not None and any(b.barrier is loop or b in before for b in back)  # type: ignore[comparison-overlap]

        ways = [b.condition for b in back if b.barrier is loop]  # type: ignore[comparison-overlap]
        past = functools.reduce(disjunction, (resolve(m, way) for way in ways)) if ways else TRUE
        between = past if ways and _tells(m, loop, past) else None

        def head(
            label: Label,
            before: tuple[Label, ...] = before,
            real: Any = real,
            through: bool = through,
            between: Term | None = between,
        ) -> Any:
            if label.barrier is loop:  # type: ignore[comparison-overlap]
                return [
                    *(_earlier(m, loop, b, label, through) for b in real),
                    *(
                        _earlier(m, loop, b, label, through, between, ago)
                        for ago in range(2, AGO + 1)
                        for b in real
                        if between is not None and _tells(m, loop, b.condition)
                    ),
                    *(
                        _earlier(m, loop, b, label, through, ago=period)
                        for b in real
                        if between is not None and _tells(m, loop, b.condition)
                        for period in periods(loop, resolve(m, b.condition), between)
                    ),
                ]
            if real and any(b.barrier is label.barrier and b.shifts == label.shifts for b in before):
                first = binary("eq", loop.counter.term, const(0), BOOL)
                if through:  # the first iteration is sure, and there are others
                    loose = replace(label, condition=conjunction(label.condition, first), exact=False)
                    return [loose, replace(label, exact=False, supposed=None)]
                return [replace(label, condition=conjunction(label.condition, first))]
            return [label]

        # What happens between two barriers has one and the same tuple: it is kept, so that its identity is its own.
        done: dict[int, tuple[tuple[Label, ...], tuple[Label, ...]]] = {}
        for events, start in zip(_groups(m), snapshot, strict=True):
            for event in events[start:]:
                labels = getattr(event, name)
                known = done.get(id(labels))
                if known is None:
                    known = done[id(labels)] = labels, _rewrite(labels, head)
                setattr(event, name, known[1])
        for after in out:
            setattr(after, name, _outside(loop, getattr(after, name), before, real, through, surely, past))


def _rewrite(labels: tuple[Label, ...], head: Callable[[Label], list[Label]]) -> tuple[Label, ...]:
    out: list[Label] = []
    for label in labels:
        for new in head(label):
            if new not in out:
                out.append(new)
    return tuple(out)


def _steady(m: Machine, loop: LoopContext, symbol: Symbol) -> bool:
    """Whether a symbol has the same value in every iteration of ``loop``, or is its counter."""
    if symbol is loop.counter or symbol.serial <= loop.serial:
        return True
    inner = symbol.origin
    if symbol.kind is not SymbolKind.TRIPS or inner.exits or inner.leaves or inner.condition is None:
        return False
    met = [s for s in symbols(resolve(m, inner.condition)) if s is not inner.counter]
    return loop.counter not in met and all(_steady(m, loop, s) for s in met)


AGO = 4
"""Rounds of a loop after which a barrier is still taken for the last one, where those since have passed it by."""


def _tells(m: Machine, loop: LoopContext, term: Term) -> bool:
    """Whether it can be told of any round of ``loop`` whether ``term`` held in it."""
    return all(_steady(m, loop, symbol) for symbol in symbols(resolve(m, term)))


def _earlier(
    m: Machine, loop: LoopContext, label: Label, where: Label, through: bool, past: Term = TRUE, ago: int = 1
) -> Label:
    """``label`` of the end of the iteration ``ago`` ones earlier, seen from the head of the current one; ``past``:
    what holds of each iteration between, as it has passed all barriers by."""
    # (That there are so many before comes first: what is said of others may be undefined.)
    condition, supposed = binary("le", const(ago), loop.counter.term, BOOL), TRUE
    for part in conjuncts(resolve(m, label.condition)):
        if all(_steady(m, loop, symbol) for symbol in symbols(part)):
            condition = conjunction(condition, substitute(part, {loop.counter: _before(loop.counter.term, ago)}))
        else:  # it speaks of the iteration before
            supposed = conjunction(supposed, part)
    for one in range(1, ago) if past != TRUE else ():
        condition = conjunction(condition, substitute(past, {loop.counter: _before(loop.counter.term, one)}))
    exact = label.exact and not through and supposed == TRUE
    shifts = tuple((x, n + ago if x is loop and n is not None else n) for x, n in label.shifts)
    return Label(label.barrier, conjunction(condition, where.condition), shifts, exact, label.given(supposed))


def _surely(m: Machine, loop: LoopContext) -> bool:
    """Whether the loop's condition holds before the first iteration whatever else."""
    if loop.condition is None:
        return False
    begins = substitute(resolve(m, loop.condition), {loop.counter: const(0, I64)})
    return begins.value == 1 or _in_each_round(m, loop, begins)


ROUNDS = 64
"""Rounds of a loop that are gone through to see what holds in all of them."""


def _in_each_round(m: Machine, loop: LoopContext, term: Term) -> bool:
    """Whether ``term``, which speaks of one loop around ``loop`` alone, holds in each of that loop's few rounds."""
    met = set(symbols(term))
    around = next((outer for outer in loop.chain[1:] if met == {outer.counter}), None)
    if around is None or around.condition is None or around.post_tested:
        return False
    going = resolve(m, around.condition)
    if set(symbols(going)) != met:
        return False
    for round_ in range(ROUNDS):
        at = {around.counter: round_}
        if evaluate(going, at) == 0:
            return True
        if not evaluate(term, at):
            return False
    return False


def _outside(
    loop: LoopContext,
    labels: tuple[Label, ...],
    before: tuple[Label, ...],
    real: list[Label],
    through: bool,
    surely: bool,
    past: Term,
) -> tuple[Label, ...]:
    """The labels behind a loop; ``surely``: it runs once at least; ``past``: when a round passes its barriers by."""
    out: list[Label] = []

    def add(label: Label) -> None:
        if label not in out:
            out.append(label)

    for label in labels:
        if label.barrier is loop:  # type: ignore[comparison-overlap]
            for b in real:
                shifts = tuple((x, None if x is loop else n) for x, n in b.shifts)
                ran = binary("le", const(1), loop.trips.term, BOOL)
                exact = b.exact and not through
                supposed = b.supposed if exact else b.given(b.condition)
                add(Label(b.barrier, TRUE if surely else ran, shifts, exact, supposed, b.condition))
        elif any(x is loop for x, _ in label.shifts):
            shifts = tuple((x, None if x is loop else n) for x, n in label.shifts)
            if any(s.serial > loop.serial for s in symbols(label.condition)):
                add(Label(label.barrier, TRUE, shifts, False, label.given(label.condition)))
            else:
                add(replace(label, shifts=shifts))
        elif real and label in before and not through and not surely:
            never = binary("eq", loop.trips.term, const(0), BOOL)
            add(replace(label, condition=conjunction(label.condition, never)))
        elif real and label in before and through:
            if not surely:
                never = binary("eq", loop.trips.term, const(0), BOOL)
                add(replace(label, condition=conjunction(label.condition, never)))
            add(replace(label, supposed=label.given(past)))
        elif real and label in before:
            continue
        else:
            add(label)
    return tuple(out) or (LOST,)


def _groups(m: Machine) -> tuple[list[Event], ...]:
    t: Any = m.trace
    return (
        t.accesses,
        t.images,
        t.barriers,
        t.fences,
        t.warp_ops,
        t.asyncs,
        t.calls,
        t.exits,
        t.conditions,
        t.joined,
        t.launches,
        t.allocations,
    )


def _lengths(m: Machine) -> list[int]:
    return [len(group) for group in _groups(m)] + []


def _truncate(m: Machine, lengths: list[int]) -> None:
    for group, length in zip(_groups(m), lengths, strict=True):
        del group[length:]
