"""From a kernel's tree to its :class:`Trace`: walk, solve loop variables, settle what varies over threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kernlint.analysis.trace.capped import below_cap
from kernlint.analysis.trace.events import (
    AccessKind,
    ApiEvent,
    CallEvent,
    Event,
    Guard,
    GuardKind,
    Label,
    LaunchEvent,
    LoopContext,
    Root,
    RootKind,
    Trace,
)
from kernlint.analysis.trace.kept_tests import with_kept_tests
from kernlint.analysis.trace.machine import MAX_STEPS, Exhausted, Machine
from kernlint.analysis.trace.memory import parameter_value
from kernlint.analysis.trace.own_cells import own_cells
from kernlint.analysis.trace.statements import execute
from kernlint.analysis.trace.values import PointerValue, Value
from kernlint.record import replace
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, Uniformity, substitute, symbols
from kernlint.symbolic.uniformity import uniformity, variation
from kernlint.tree.nodes import Cast, FloatLit, FunctionDecl, InitList, IntLit, Unary, VarDecl
from kernlint.tree.types import ArrayType, FloatType, IntType, Space, Type, VectorType, VoidType
from kernlint.tree.walk import walk


def trace_function(
    function: FunctionDecl,
    language: str,
    destructors: Mapping[str, FunctionDecl] | None = None,
    fixed: Mapping[tuple[VarDecl, int], int] | None = None,
    defined: Callable[[FunctionDecl], FunctionDecl | None] | None = None,
    most: int = MAX_STEPS,
) -> Trace:
    """Walk one kernel (``language``: ``cuda``, ``hip`` or ``opencl``) and give all that it does.  ``destructors`` of
    classes by their names are called in host code; ``fixed``: numbers that variables of the file hold there, by
    variable and bytes into it; ``defined``: gives the definitions of functions that are declared alone in sight;
    ``most``: steps that the walk may take."""
    m = Machine(function, language)
    m.most = most
    m.destructors = destructors or {}
    m.fixed = fixed or {}
    m.defined = defined or m.defined
    state = m.state
    assert state is not None
    for param in function.params:
        state.env[param] = m.parameters[param] = parameter_value(m, param)
    if m.on_host and function.this is not None:
        state.env[function.this] = parameter_value(m, function.this)
    try:
        execute(m, function.body)
    except Exhausted:
        m.gap("budget", "the kernel is too large to be walked whole", function.span)
    except RecursionError:
        m.gap("budget", "nested too deeply", function.span)
    finish(m)
    m.trace.steps = m.steps
    return m.trace


class _Resolver:
    """Replaces loop variables by their closed forms everywhere, once for each distinct term, and adds what follows from
    being below a counter that is capped (``ends``)."""

    def __init__(self, closed: dict[Symbol, Term], ends: dict[Term, Term]) -> None:
        self.memo: dict[Term, Term] = {}
        self.paths: dict[int, tuple[tuple[Guard, ...], tuple[Guard, ...]]] = {}
        self.last: tuple[tuple[Guard, ...], tuple[Guard, ...]] = ((), ())
        """The guards resolved last, as they were and as they are."""
        self.guards: dict[int, tuple[Guard, Guard]] = {}
        self.labels: dict[int, tuple[tuple[Label, ...], tuple[Label, ...]]] = {}
        images = dict(closed)
        for _ in range(12):
            changed = False
            for symbol, form in images.items():
                if any(s in images for s in symbols(form)):
                    images[symbol] = substitute(form, images)
                    changed = True
            if not changed:
                break
        self.images = images
        self.ends = {self.term(value): self.term(most) for value, most in ends.items()}

    def term(self, term: Term) -> Term:
        return substitute(term, self.images, self.memo) if self.images else term

    def value(self, value: Value) -> Value:
        """A number, or a pointer and how far into its object it leads; others as they are."""
        if isinstance(value, Term):
            return self.term(value)
        offset = self.term(value.offset) if isinstance(value, PointerValue) else None
        if isinstance(value, PointerValue) and offset is not None and offset is not value.offset:
            return value.moved(offset)
        return value

    def path(self, guards: tuple[Guard, ...]) -> tuple[Guard, ...]:
        """The guards of an event; events in a row have the same."""
        known = self.paths.get(id(guards))
        if known is None:
            before, done = self.last
            if not before or guards[: len(before)] != before:  # else it only adds some: a host's checks pile up
                before, done = (), ()
            done = (*done, *map(self.guard, guards[len(before) :]))
            self.last = guards, done
            known = self.paths[id(guards)] = (guards, self.followed(done) if self.ends else done)
        return known[1]

    def followed(self, guards: tuple[Guard, ...]) -> tuple[Guard, ...]:
        out: list[Guard] = []
        for guard in guards:
            out.append(guard)
            if (below := below_cap(guard.term, self.ends)) is not None:
                out.append(Guard(below, GuardKind.ASSERT, guard.span, guard.loop))
        return tuple(out)

    def guard(self, guard: Guard) -> Guard:
        known = self.guards.get(id(guard))
        if known is None:
            term = self.term(guard.term)
            done = guard if term is guard.term else Guard(term, guard.kind, guard.span, guard.loop)
            known = self.guards[id(guard)] = (guard, done)
        return known[1]

    def label(self, labels: tuple[Label, ...]) -> tuple[Label, ...]:
        known = self.labels.get(id(labels))
        if known is not None:
            return known[1]
        out = tuple(
            label
            if label.condition.op == "const" and not label.supposed and label.last.op == "const"
            else replace(
                label,
                condition=self.term(label.condition),
                supposed=label.supposed and tuple(map(self.term, label.supposed)),
                last=self.term(label.last),
            )
            for label in labels
        )
        self.labels[id(labels)] = (labels, out)
        return out


def finish(m: Machine) -> None:
    """Resolve loop variables in all that was recorded, then settle the uniformity of symbols."""
    resolver = _Resolver(m.closed, m.ends)
    trace = m.trace
    for event in trace.events:
        _resolve_event(event, resolver)
    for loop in trace.loops:
        if loop.condition is not None:
            loop.condition = resolver.term(loop.condition)
        loop.exits = [(resolver.term(term), span) for term, span in loop.exits]
        loop.leaves = [(resolver.term(term), span) for term, span in loop.leaves]
        for phi in loop.phis:
            phi.init = resolver.term(phi.init) if phi.init is not None else None
            phi.step = resolver.term(phi.step) if phi.step is not None else None
    for symbol in m.loads.values():
        root, offset = symbol.origin
        symbol.origin = (root, resolver.term(offset))
    trace.accesses.sort(key=lambda access: access.order)
    trace.loops = _live_loops(trace)
    _name_elements(trace)
    if not m.on_host:
        with_kept_tests(trace, lambda root: id(root) in _private_contents(trace))
    _settle_uniformity(trace, [*m.loads.values()])


def _name_elements(trace: Trace) -> None:
    """Take an argument of no type (``void *``) to be of what the kernel has at every place where it is used, one by one
    or several in a vector."""
    kinds: dict[Root, set[Type]] = {}
    for access in trace.accesses:
        if access.root.kind is RootKind.PARAM and isinstance(access.root.element, VoidType):
            kinds.setdefault(access.root, set()).add(access.type)
    for root, found in kinds.items():
        first, *others = sorted(found, key=lambda kind: kind.size or 0)
        size = first.size if isinstance(first, (IntType, FloatType, VectorType)) else None
        if size and all(isinstance(kind, VectorType) and not (kind.size or 1) % size for kind in others):
            root.element = first


_TERMS = ("offset", "value", "index", "term", "mask", "width", "pending", "shared", "size", "flags")
"""Attributes of events that may be terms."""

_names: dict[type, tuple[str, ...]] = {}
"""Those that a kind of events has."""


def _names_of(kind: type[Event]) -> tuple[str, ...]:
    if kind not in _names:
        _names[kind] = tuple(name for name in _TERMS if hasattr(kind, name))
    return _names[kind]


def _resolve_event(event: Event, resolver: _Resolver) -> None:
    event.guards = resolver.path(event.guards)
    event.labels = resolver.label(event.labels)
    event.warp_labels = resolver.label(event.warp_labels)
    for name in _names_of(type(event)):
        term = getattr(event, name)
        if isinstance(term, Term):
            setattr(event, name, resolver.term(term))
    if isinstance(event, ApiEvent):
        event.args = tuple(resolver.term(a) if isinstance(a, Term) else a for a in event.args)
        event.behind = tuple(resolver.term(a) if isinstance(a, Term) else a for a in event.behind)
    if isinstance(event, LaunchEvent):
        event.args = tuple(resolver.value(a) for a in event.args)
        for name in ("grid", "block", "global_size"):
            sizes = getattr(event, name)
            if sizes is not None:
                setattr(event, name, tuple(resolver.term(t) for t in sizes))
    operands = getattr(event, "operands", None)
    if operands:
        event.operands = tuple(resolver.term(t) for t in operands)  # type: ignore[attr-defined]


def _live_loops(trace: Trace) -> list[LoopContext]:
    """Loops of the final walk; those of an attempt that was walked anew are dropped."""
    used = {id(loop) for event in trace.events for loop in event.loops}
    return [loop for loop in trace.loops if id(loop) in used]


def _settle_uniformity(trace: Trace, loads: list[Symbol]) -> None:
    """Least fixed point of the uniformity of loads, loop variables and trip counts.

    A load is as uniform as its address, but for global memory that the kernel itself changes, which threads may see at
    different moments, and for private memory, which is as uniform as all that the kernel puts there, as are cells of
    shared memory that each thread has for itself.
    """
    private = _private_contents(trace)
    own = own_cells(trace)
    private.update(own)
    tiles = _tiles(trace)
    changed_roots = {id(a.root) for a in trace.accesses if a.writes and a.root.space is not Space.SHARED}
    atomic_roots = {id(a.root) for a in trace.accesses if a.kind.value == "atomic" and a.root.space is not Space.SHARED}
    phis = [phi for loop in trace.loops for phi in loop.phis]
    trips = [loop.trips for loop in trace.loops]
    moving = [*loads, *phis, *trips]
    for symbol in moving:
        symbol.uniformity = symbol.certain = Uniformity.GRID

    stored: dict[int, Uniformity] = {}  # how uniform all is that an array holds, until a symbol of it rises
    held = _holding(private)

    def upper(symbol: Symbol, memo: dict[Term, Uniformity]) -> Uniformity:
        root = id(symbol.origin[0]) if symbol.kind is SymbolKind.LOAD else 0
        if root in private:
            if root not in stored:
                stored[root] = max(uniformity(term, memo) for term in private[root])
            return stored[root] if root in own else max(uniformity(symbol.origin[1], memo), stored[root])
        return _level(symbol, memo, uniformity, changed_roots, atomic_roots)

    def lower(symbol: Symbol, memo: dict[Term, Uniformity]) -> Uniformity:
        if symbol.kind is SymbolKind.LOAD and (
            symbol.origin[0].space in (Space.PRIVATE, Space.SHARED) or symbol.origin[0].kind is RootKind.UNKNOWN
        ):
            # What a block has put into shared memory together is often the same wherever a thread reads it, but not
            # where each thread has put something of its own there.
            own = tiles.get(id(symbol.origin[0]), ())
            place = variation(symbol.origin[1], memo) if own else Uniformity.GRID
            if place > Uniformity.BLOCK and all(variation(term, memo) is Uniformity.VARYING for term in own):
                return place
            return Uniformity.GRID
        if symbol.kind is SymbolKind.LOAD and symbol.origin[0].volatile:
            # It may change between two reads; that it does is not known.
            return variation(symbol.origin[1], memo)
        if symbol.kind is SymbolKind.PHI and (symbol.init is None or symbol.step is None):
            return Uniformity.GRID
        return _level(symbol, memo, variation, set(), set())

    for name, level_of in (("uniformity", upper), ("certain", lower)):
        for _ in range(3 * len(Uniformity) + 4):
            memo: dict[Term, Uniformity] = {}
            stored = {root: level for root, level in stored.items() if level is Uniformity.VARYING}
            stable = True
            for symbol in moving:
                if getattr(symbol, name) is Uniformity.VARYING:
                    continue  # there is nothing above it
                level = level_of(symbol, memo)
                if level > getattr(symbol, name):
                    setattr(symbol, name, level)
                    stable = False
                    for root in held.get(id(symbol), set()) & stored.keys():
                        if stored[root] is not Uniformity.VARYING:  # there is nothing above it
                            del stored[root]
            if stable:
                break
        else:
            for symbol in moving:
                setattr(symbol, name, Uniformity.VARYING if name == "uniformity" else Uniformity.GRID)


def _at_private(call: CallEvent) -> bool:
    """Whether something out of sight may write to private memory."""
    return call.objects is None or any(root.space not in (Space.GLOBAL, Space.SHARED) for root in call.objects)


def _private_contents(trace: Trace) -> dict[int, dict[Term, None]]:
    """For each private array of which every write is known: what is written, where, and under which conditions."""
    if trace.gaps or any(call.writes and _at_private(call) for call in trace.calls):
        return {}
    found: dict[int, dict[Term, None]] = {}
    lost: set[int] = set(trace.overwritten)
    for access in trace.accesses:
        root = access.root
        if not access.writes:
            continue
        if root.kind is RootKind.UNKNOWN and root.space not in (Space.GLOBAL, Space.SHARED):
            if not root.candidates:
                return {}
            lost.update(map(id, root.candidates))
        if root.space is not Space.PRIVATE:
            continue
        if access.value is None or access.kind is not AccessKind.WRITE or access.doubted or not _written_alone(root):
            lost.add(id(root))
            continue
        terms = found.setdefault(id(root), {})
        terms.update(dict.fromkeys((access.value, access.offset)))
        terms.update((guard.term, None) for guard in access.guards)
    return {root: terms for root, terms in found.items() if root not in lost}


_PLAIN = (InitList, IntLit, FloatLit, Cast, Unary)
"""Nodes of expressions that are one number for all threads."""


def _holding(private: dict[int, dict[Term, None]]) -> dict[int, set[int]]:
    """For each symbol the private arrays that are given what rests on it."""
    found: dict[int, set[int]] = {}
    for root, terms in private.items():
        for term in terms:
            for symbol in term.symbols:
                found.setdefault(id(symbol), set()).add(root)
    return found


def _tiles(trace: Trace) -> dict[int, list[Term]]:
    """What is put where into each object in shared memory all of whose writes are known: values and places.  Values
    that are made of what the object holds (``s[t] += s[t + half]``) differ as those do."""
    found: dict[int, list[Term]] = {}
    lost: set[int] = set(trace.overwritten)
    filled: set[int] = set()
    for access in trace.accesses:
        if access.root.space is Space.SHARED and access.writes:
            if access.value is None or access.kind is not AccessKind.WRITE:
                lost.add(id(access.root))
                continue
            terms = found.setdefault(id(access.root), [])
            terms.append(access.offset)
            if not any(s.kind is SymbolKind.LOAD and s.origin[0] is access.root for s in access.value.symbols):
                filled.add(id(access.root))
                terms.append(access.value)
    return {root: terms for root, terms in found.items() if root in filled and root not in lost}


def _written_alone(root: Root) -> bool:
    """Whether an object is an array that begins with nothing of a thread's own: what it is given is then all there
    is."""
    if root.kind is not RootKind.VARIABLE or root.decl is None or not isinstance(root.decl.type, ArrayType):
        return False
    return root.decl.init is None or all(isinstance(node, _PLAIN) for node in walk(root.decl.init))


def _level(
    symbol: Symbol,
    memo: dict[Term, Uniformity],
    of: Callable[[Term, dict[Term, Uniformity]], Uniformity],
    changed: set[int],
    atomics: set[int],
) -> Uniformity:
    if symbol.kind is SymbolKind.LOAD:
        root, offset = symbol.origin
        if root.space is Space.PRIVATE or root.kind is RootKind.UNKNOWN or root.volatile or id(root) in atomics:
            return Uniformity.VARYING
        level = of(offset, memo)
        if id(root) in changed or root.space is Space.SHARED:
            return max(level, Uniformity.BLOCK)
        return level
    if symbol.kind is SymbolKind.TRIPS:
        loop = symbol.origin
        terms = [term for term, _ in (*loop.exits, *loop.leaves)]
        if loop.condition is not None:
            terms.append(loop.condition)
        return max((of(term, memo) for term in terms), default=Uniformity.GRID)
    if symbol.init is None or symbol.step is None:
        return Uniformity.VARYING
    return max(of(symbol.init, memo), of(symbol.step, memo))
