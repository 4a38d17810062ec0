"""Private variables and arrays that are used before anything was stored in them.

A variable that is declared without a value holds an unknown whose origin is its declaration; joins, loops and helpers
carry it along like any other value.  It is *used* where it ends in an address, a condition, or memory that others see.
The way there (through selections, and through the first iteration of loops) is a list of conditions: with none, or
with conditions on the thread and the launch that some thread of a launch in sight (else of a small one) meets together
with the guards of the use, it is reported.  Conditions on arguments alone may never be met, unless the kernel has a
branch of its own for them in which nothing is stored, or takes up the value in such a branch (``branches.py``); so may
conditions on data or on what was not followed: silent, but for a branch beside the declaration that is the only one to
set the value (``one_branch.py``).  A search that keeps what comes closer than an argument may find
nothing (``searched.py``).  A use is silent that is guarded by data where the way leads past a loop that data may have
left: what was found there and what guards the use go together.

Of a structure only a field that decides a condition is: fields are copied together, and few are looked at.

Copies to shared and private memory are no uses, nor are operands of warp operations, whose other lanes count, but for
those that put the values of all lanes together, where it is data or the end of the work that leave a value unset.

A variable that every store makes out of what it held is told without a search (``only_updated.py``).

Elements of arrays are looked at by place: a read of an element that no store of the thread ever covers, or only one
that makes the new value out of the old one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.content.asked import asked
from kernlint.analysis.content.branches import meant, said
from kernlint.analysis.content.got_at import handed_over, pointed_to, unfollowed
from kernlint.analysis.content.initialised import closed
from kernlint.analysis.content.left_between import left_between
from kernlint.analysis.content.one_branch import OneBranch, one_branch, switch, taken_up
from kernlint.analysis.content.only_updated import only_updated
from kernlint.analysis.content.put_together import taken_by_others
from kernlint.analysis.content.returned_early import returned_early
from kernlint.analysis.content.unasked_helper import unasked
from kernlint.analysis.content.unset_elements import PLAIN, unset_element
from kernlint.analysis.content.ways import Missed, Ways, told_apart, unset_variable, worth_it
from kernlint.analysis.extent.extents import numbers_made_up
from kernlint.analysis.launching.launches import LaunchFact, launches
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.scenarios.scenario import Scenarios
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import (
    Access,
    ConditionEvent,
    Event,
    Guard,
    GuardKind,
    Root,
    RootKind,
    Trace,
    WarpEvent,
)
from kernlint.prove.cases import conjuncts
from kernlint.prove.query import Bounds, Budget, Launch, LoopRange, Refuted, Side
from kernlint.prove.solve import solve
from kernlint.record import dataclass, replace
from kernlint.source import Span
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, const, negate, substitute, symbols
from kernlint.tree.nodes import Assume, Call, DeclStmt, Expr, FunctionDecl, If, IntLit, Trap, VarDecl
from kernlint.tree.types import (
    I64,
    ArrayType,
    FloatType,
    IntType,
    OpaqueType,
    PointerType,
    Space,
    StructType,
    Type,
    VectorType,
)
from kernlint.tree.walk import strip_casts, walk

BUDGET = Budget(steps=60, points=4_000, rlimit=0)

_MOVING = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.COUNTER})


@dataclass(frozen=True, slots=True)
class Unset:
    """A use of something private that holds no value yet.

    ``decl``: the variable; ``event``: the use (None: it is only ever updated, first at ``update``).  ``found``: a
    thread and launch for which it is so (None: all).  ``cell``: the element of an array that nothing sets (None: no
    array); ``updated``: it is only ever updated.  ``missed``: the loop that sets the value in rounds of which there
    need not be one.  ``branch``: the only branch that sets it, which data choose.  ``asked``: the use asks whether the
    loop that is missed has set it.  ``helper``: the call that sets it in some of its ways.
    ``left``: the branch in which a function returns it before that.
    ``between``: branches that ask one datum leave numbers out.  ``filled``: (name, value) of what says how many
    elements of an array are set.
    """

    decl: VarDecl
    event: Event | None
    found: Refuted | None = None
    cell: int | None = None
    updated: bool = False
    missed: Missed | None = None
    asked: bool = False
    update: Span | None = None
    branch: If | None = None
    helper: Call | None = None
    between: bool = False
    filled: tuple[str, int] | None = None
    left: If | None = None


def _first_round(term: Term, loops: Sequence[object]) -> Term:
    """A condition in the first iteration of ``loops``: what an inner one begins with may be a variable of an outer."""
    for _ in loops:
        images: dict[Symbol, Term] = {}
        for symbol in symbols(term):
            if symbol.kind is SymbolKind.PHI and symbol.origin in loops and symbol.init is not None:
                images[symbol] = symbol.init
        if not images:
            break
        term = substitute(term, images)
    return term


def _launches(believed: Scenarios, axes: set[int]) -> tuple[Launch, ...]:
    """The launches to ask about a use of the thread's index along ``axes``: those in sight, or a small one."""
    if believed.seen:
        return tuple(one.launch() for one in believed.plausible)
    return (Launch((None, None if 1 in axes else 1, None if 2 in axes else 1)),)


def _met(event: Event, conds: tuple[Term, ...], believed: Scenarios, chosen: Set[Term]) -> Refuted | None:
    """A thread of a launch that makes the use and meets the conditions.  ``chosen``: those that stand in the kernel as
    branches of their own."""
    rounds = [
        part.args[0].args[0].origin
        for part in conds
        if part.op == "eq" and part.args[0].op == "sym" and part.args[0].args[0].kind is SymbolKind.COUNTER
    ]
    images = {loop.counter: const(0, I64) for loop in rounds}
    facts = [substitute(_first_round(term, rounds), images) for term in conds]
    facts = [_told_part(fact) for fact in facts if fact.value != 1]
    of_arguments: list[Term] = []
    for fact in facts:
        if not _of_launch(fact):
            return None
        if not {symbol.kind for symbol in symbols(fact)} & _MOVING:
            of_arguments.append(fact)
    if of_arguments and not meant(event, of_arguments, chosen):
        return None
    images |= said(of_arguments)  # (else arguments are taken to be positive)
    facts = [substitute(fact, images) for fact in facts]
    if any(fact.value == 0 for fact in facts):
        return None
    held = [part for guard in event.guards if not _ended(guard) for part in conjuncts(guard.term)]
    guards = tuple(substitute(_first_round(part, rounds), images) for part in held)
    if any(guard.value == 0 for guard in guards):
        return None
    counters = tuple(
        LoopRange(loop.counter, loop.condition)
        for loop in reversed(event.loops)
        if loop not in rounds and any(loop.counter in symbols(term) for term in (*facts, *guards))
    )
    asked = Side(const(1, I64), 1, (*guards, *facts), counters)
    axes = {symbol.axis for symbol in asked.symbols if symbol.kind is SymbolKind.THREAD}
    for launch in _launches(believed, axes):
        if any(images[one].value != n for one, n in launch.values if one in images):
            continue  # the launch says otherwise
        answer = solve(Bounds(asked, const(1, I64), launch=launch), BUDGET)
        if isinstance(answer, Refuted):
            told = {one: term.value or 0 for one, term in images.items() if one.kind is SymbolKind.PARAM}
            values = (*((one, n) for one, n in answer.values if one not in told), *told.items())
            return replace(
                answer, values=values
            )  # guards on data are benevolent where the conditions do not rest on them
    return None


def _told_part(fact: Term) -> Term:
    """The part of a condition with ``||`` that is one on the thread and the launch, where the others are not: they need
    not hold then."""
    if fact.op != "lor" or _of_launch(fact):
        return fact
    parts = map(_told_part, fact.terms)
    return next((part for part in parts if _of_launch(part) and {s.kind for s in symbols(part)} & _MOVING), fact)


def _of_launch(fact: Term) -> bool:
    return {symbol.kind for symbol in symbols(fact)} <= PLAIN and _whole_numbers(fact)


def _ended(guard: Guard) -> bool:
    """Whether a guard says of a loop that nothing but its condition ends that it has ended: it has, at some time."""
    return guard.kind is GuardKind.AFTER_LOOP and guard.loop is not None and not (guard.loop.exits or guard.loop.leaves)


def _whole_numbers(term: Term) -> bool:
    """Whether a condition is one of integers that can be computed: no call, no floating point."""
    if term.op == "call" or isinstance(term.type, FloatType):
        return False
    return all(_whole_numbers(part) for part in term.terms)


def _terms(event: Event) -> Iterator[Term]:
    """What an event takes up."""
    if isinstance(event, ConditionEvent):
        yield event.term
    elif isinstance(event, Access):
        yield event.offset
        seen = event.root.space not in (Space.SHARED, Space.PRIVATE)
        if event.value is not None and seen and event.root.kind is not RootKind.UNKNOWN:
            yield event.value
    elif isinstance(event, WarpEvent) and event.node.kind in _SUMMED:
        yield from event.operands[:1]


_SUMMED = frozenset({"shuffle_down", "shuffle_xor", "reduce"})
"""Warp operations by which the values of all lanes are put together, where a broadcast takes that of one."""


def _of_its_lane(event: Event, conds: tuple[Term, ...], of: Trace) -> bool:
    """Whether a warp operation is given an unset value by lanes of certain numbers alone: whether the others take up
    what those have depends on how far apart they are."""
    if not isinstance(event, WarpEvent):
        return False
    kinds = {symbol.kind for cond in conds if cond.value != 1 for symbol in symbols(cond)}
    return not kinds & _BY_DATA and not taken_by_others(event, _open(conds), of)


_BY_DATA = frozenset({SymbolKind.BLOCK, SymbolKind.LOAD})


def _looks_at_fields(event: Event, term: Term) -> bool:
    """Whether a use is one of a field of a structure: a condition, a place, or what is stored as a number or made a
    part of a vector."""
    if isinstance(event, ConditionEvent):
        return True
    if not isinstance(event, Access):
        return False
    made = term.op == "call" and term.args[0] == "struct" and isinstance(event.root.element, VectorType)
    return made or term is event.offset or isinstance(event.root.element, (IntType, FloatType))


def _open(conds: tuple[Term, ...]) -> list[Term]:
    """The conditions that need not hold.  That it is a loop's first round is none: there is one, or the value is as it
    was before the loop."""
    return [cond for cond in conds if cond.value != 1 and not _of_first_round(cond)]


def _of_first_round(cond: Term) -> bool:
    symbol = cond.args[0].symbol if cond.op == "eq" and cond.args[1].value == 0 else None
    return symbol is not None and symbol.kind is SymbolKind.COUNTER


def _branch(event: Event, conds: tuple[Term, ...], unset: Symbol, facts: Facts) -> OneBranch | None:
    """The only branch that sets an ``unset`` value, which a use takes up under those of ``conds`` that are open."""
    if not _open(conds) or any(loop.counter in symbols(term) for term in conds for loop in event.loops):
        return None
    decl, open_ = unset_variable(unset), _open(conds)
    found = one_branch(decl, facts.reached) if decl is not None else None
    if found is None or len(open_) == 1:
        return found
    # Of a branch within the branch: what the use asks itself is no part of them.
    test = found.test.span
    asked_ = {one.term for one in facts[trace].conditions if test.file == one.span.file and _in(one.span, test)}
    asked_ |= {negate(term) for term in asked_}
    return found if asked_.issuperset(open_) and not any(negate(cond) in open_ for cond in open_) else None


def _in(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _unconditional(conds: tuple[Term, ...]) -> bool:
    return not any(cond.value != 1 for cond in conds)


def _scalars(facts: Facts, of: Trace, believed: Scenarios) -> Iterator[Unset]:
    # A variable that is also reached through memory is stored to in ways that its value does not show.
    # (What is written of a structure through one of its arrays is that array.)
    written = [access.root for access in of.accesses if access.root.decl is not None and access.writes]
    said = {id(root.decl) for root in written if not root.path}
    in_part = {id(root.decl) for root in written if root.path}
    pointed: set[int] | None = None
    events: list[Event] = sorted((*of.accesses, *of.conditions, *of.warp_ops), key=lambda event: event.order)
    loops = {str(loop.counter.serial): loop for loop in of.loops}
    for event in events:
        for term in _terms(event):
            if not worth_it(term):
                continue
            for question in asked(event, loops) if isinstance(event, ConditionEvent) else ():
                decl = unset_variable(question.unset)
                assert decl is not None
                pointed = pointed if pointed is not None else pointed_to(facts.reached)
                if id(decl) not in said | pointed and not decl.made:
                    said.add(id(decl))
                    missed_ = Missed(question.loop, empty=False) if question.loop is not None else None
                    yield Unset(decl, event, missed=missed_, asked=True)
            ways = Ways(event, loops)
            for symbol, conds, past, missed in ways.of(term):
                decl = unset_variable(symbol)
                assert decl is not None
                if id(decl) in said or told_apart(event, past) or _of_its_lane(event, conds, of):
                    continue
                if id(decl) in in_part and (isinstance(symbol.type, ArrayType) or _overlaid(decl.type)):
                    continue  # elements of an array in it are looked at as memory; they may be this number's bytes
                if isinstance(decl.type, StructType) and (decl.made or not _looks_at_fields(event, term)):
                    continue  # fields are copied and stored together, whoever looks at which
                if pointed is None:
                    pointed = pointed_to(facts.reached)
                if id(decl) in pointed:
                    continue
                found, branch, helper, left, between = None, None, None, None, False
                if not _unconditional(conds):
                    branch = _branch(event, conds, symbol, facts)
                    both = branch is not None and (branch.both or switch(term, _open(conds), symbol))
                    found = _met(event, conds, believed, ways.chosen | set(conds) if both else ways.chosen)
                    between = left_between(event, _open(conds), isinstance(event, Access) and term is event.offset)
                    if found is not None or between:
                        branch = None
                    elif branch is None or not taken_up(event, term, _open(conds), symbol, branch.within):
                        branch = None
                        helper = unasked(decl, event, _open(conds), symbol, facts.reached)
                        if helper is None:
                            left = returned_early(decl, event, term, _open(conds), symbol, facts.reached)
                            if left is None:
                                continue
                said.add(id(decl))
                test = branch.test if branch is not None else None
                yield Unset(decl, event, found, missed=missed, branch=test, helper=helper, between=between, left=left)


def _overlaid(kind: Type) -> bool:
    """Whether members of a structure share their bytes."""
    return isinstance(kind, StructType) and (kind.union or any(_overlaid(one.type) for one in kind.fields))


# --------------------------------------------------------------------------------------------------------- arrays


def _arrays(facts: Facts, of: Trace, believed: Scenarios) -> Iterator[Unset]:
    groups: dict[int, list[Access]] = {}
    for access in of.accesses:
        if _looked_at(access.root):
            groups.setdefault(id(access.root), []).append(access)
    hidden = handed_over(facts) if groups else set()
    for group in groups.values():
        if id(group[0].root.decl) not in hidden:
            found = unset_element(group, believed, of.conditions)
            if found is not None:
                decl = group[0].root.decl
                assert decl is not None
                yield Unset(decl, found.read, cell=found.cell, updated=found.updated, filled=found.filled)


def _looked_at(root: Root) -> bool:
    decl = root.decl
    if root.kind is not RootKind.VARIABLE or root.space is not Space.PRIVATE or decl is None or not root.extent:
        return False
    plain = isinstance(decl.type, ArrayType) and _of_numbers(root.element)
    fresh = not (decl.made or decl.is_global or decl.static or decl.synthesised)
    return plain and fresh and decl.init is None and not root.path


def _of_numbers(kind: Type) -> bool:
    """Whether an element is a number, a vector, or a structure whose members are and have room of their own each."""
    if isinstance(kind, StructType):
        return bool(kind.fields) and not kind.union and all(_of_numbers(one.type) for one in kind.fields)
    return isinstance(kind, (IntType, FloatType, VectorType))


def _left_out(facts: Facts) -> bool:
    """Whether the preprocessor left out a part of the kernel or of a function that it calls, or left nothing of one but
    the end of the program."""
    functions = facts.reached
    if any(_gives_up(function) for function in functions if function is not facts.function):
        return True
    spans = [function.span for function in functions]
    return any(
        span.file == out.file and span.start <= out.start < span.end for out in facts.module.inactive for span in spans
    )


def _gives_up(function: FunctionDecl) -> bool:
    """Whether a function is one that must not be called in this configuration."""
    first = function.body.body[:1] if function.body is not None else ()
    return any(
        isinstance(node, Trap) or (isinstance(node, Assume) and _never(node.cond)) for s in first for node in walk(s)
    )


def _never(cond: Expr) -> bool:
    cond = strip_casts(cond)
    return isinstance(cond, IntLit) and not cond.value


def _gives_objects(launch: LaunchFact, facts: Facts) -> bool:
    """Whether a launch hands over objects of a class where the instance, which nobody asks for, has numbers."""
    pairs = zip(facts.function.params, launch.node.args, strict=False)
    return any(
        isinstance(_pointee(arg.type), StructType) and not isinstance(_pointee(p.type), StructType) for p, arg in pairs
    )


def _pointee(kind: Type) -> Type:
    return kind.pointee if isinstance(kind, PointerType) else kind


def _of_type_parameters(template: FunctionDecl) -> Set[Span]:
    """Where a template declares variables of a type that is its parameter: of a class, they have what its constructor
    gives them."""
    if template.body is None:
        return frozenset()
    found = (decl for node in walk(template.body) if isinstance(node, DeclStmt) for decl in node.decls)
    return frozenset(decl.span for decl in found if isinstance(decl.type, OpaqueType))


def _compute(facts: Facts) -> tuple[Unset, ...]:
    of = facts[trace]
    if facts.losses or not of.complete or numbers_made_up(facts) or _left_out(facts):
        return ()  # what was lost, or is not compiled here, may be what stores the value
    if any(gap.kind in ("goto", "budget", "statement", "lost", "write") for gap in of.gaps):
        return ()
    found = list(_scalars(facts, of, facts[scenarios]))
    told = {id(one.decl) for one in found}
    found += [Unset(decl, None, update=node.span) for decl, node in only_updated(facts.reached) if id(decl) not in told]
    if facts.function.forced and any(_gives_objects(launch, facts) for launch in facts[launches]):
        objects = _of_type_parameters(facts.kernel.function)
        found = [one for one in found if one.decl.span not in objects]
    if closed(of):
        found += _arrays(facts, of, facts[scenarios])
    return tuple(found)


unset_private = KernelAnalysis("unset_private", _compute, needs=(trace, scenarios, unfollowed, launches))
"""The first :class:`Unset` use of each private variable of a kernel variant that has one."""
