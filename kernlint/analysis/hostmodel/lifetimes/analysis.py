"""Memory and handles along the ways through host code: what leaks, is used after it was freed, is read too early.

Every host function that has to do with a runtime is walked by itself, with the functions that it calls: all ways
through branches, early returns, exceptions and gotos, loops twice.  A way holds what variables and members lead to and
what has become of that (:mod:`.model`).  Numbers count only as far as conditions need them.  What a function out of
sight is given may be kept, freed or waited for there: nothing is said of it any more.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleAnalysis, ModuleFacts
from kernlint.analysis.hostmodel.lifetimes.anew import never_between
from kernlint.analysis.hostmodel.lifetimes.arguments import launched_later, stay
from kernlint.analysis.hostmodel.lifetimes.calls import leave
from kernlint.analysis.hostmodel.lifetimes.classes import copies, lives, not_known, unfreed
from kernlint.analysis.hostmodel.lifetimes.elements import forgotten
from kernlint.analysis.hostmodel.lifetimes.inside import wanders
from kernlint.analysis.hostmodel.lifetimes.machine import Frame, Machine, OverBudget
from kernlint.analysis.hostmodel.lifetimes.memory import leaking, reachable
from kernlint.analysis.hostmodel.lifetimes.model import (
    MEMORY,
    OWED,
    At,
    Fault,
    Kind,
    Life,
    Place,
    State,
    Thing,
    owed,
    things_in,
)
from kernlint.analysis.hostmodel.lifetimes.once import runs_once
from kernlint.analysis.hostmodel.lifetimes.ownerless import ownerless
from kernlint.analysis.hostmodel.lifetimes.program import Program
from kernlint.analysis.hostmodel.lifetimes.temporaries import dangling
from kernlint.analysis.hostmodel.lifetimes.transfers import calls_of
from kernlint.analysis.hostmodel.lifetimes.walker import Walker
from kernlint.apis import ENDS, MAKES, MAPS, MOVES, RANGES, base_name
from kernlint.apis.order import RESETS
from kernlint.source import Span
from kernlint.text.pythontext import is_python
from kernlint.tree import nodes as n
from kernlint.tree.types import PointerType, StructType
from kernlint.tree.walk import strip_casts, walk

MOST_STEPS = 20_000
"""Statements that are walked of one file, over all functions and ways."""

_SHARED = frozenset({Kind.MANAGED, Kind.PINNED})
"""Memory that kernels and the host may both work with."""

_DOUBTS = frozenset({"inactive", "macro"})


def _compute(facts: ModuleFacts) -> tuple[Fault, ...]:
    module = facts.module
    if is_python(module.path):  # memory goes with the object that owns it
        return ()
    program = Program(module)
    relevant = _relevant(program)
    found: dict[tuple[str, Span], Fault] = {}
    steps = 0
    instantiated = {f.generic for f in program.functions if f.generic is not None}
    program.entries = {
        f for f in program.functions if f in relevant and f not in instantiated and f.span.file == module.path
    }
    for function in program.functions:
        if function not in program.entries or steps > MOST_STEPS:
            continue
        machine = Walker(program, function)
        _walk(machine)
        steps += machine.steps
        for key, fault in machine.faults.items():
            if fault.kind != "nothing" or fault.span not in machine.written:  # which ways there are is not known
                found.setdefault(key, fault)
        once = bool(program.leaks) and runs_once(program, facts, function)
        for fault in _leaks(program, machine, once):
            found.setdefault((fault.kind, fault.span), fault)
    for fault in _of_classes(program):
        found.setdefault((fault.kind, fault.span), fault)
    # That a copy frees what the object frees is said where it is made.
    told = {fault.related[0][0] for fault in found.values() if fault.kind == "copied"}
    return tuple(fault for fault in found.values() if fault.kind != "twice" or fault.span not in told)


def _of_classes(program: Program) -> Iterator[Fault]:
    """What only a class as a whole shows."""
    lost: dict[Thing, n.FunctionDecl] = {}
    for machine, things in lives(program):
        yield from machine.faults.values()
        lost |= dict.fromkeys(things, machine.entry)
    yield from unfreed(program, lost)
    silent = not_known(program)
    yield from ownerless(program, silent)
    yield from forgotten(program, silent)
    yield from replaced(program)
    yield from copies(program)
    yield from dangling(program)
    yield from launched_later(program)
    yield from never_between(program)
    yield from wanders(program)


def replaced(program: Program) -> Iterator[Fault]:
    """Members that get other memory although they may have some, which then nobody can give back."""
    for key, span, name, word in program.replaced:
        if key in program.freed:
            yield Fault("leak", span, name, word, ((program.freed[key][0][1], "given back here otherwise"),))


def _relevant(program: Program) -> set[n.FunctionDecl]:
    """Functions that come by a function of a runtime which has to do with memory."""
    calls: dict[n.FunctionDecl, set[n.FunctionDecl]] = {}
    reached: set[n.FunctionDecl] = set()
    for function in program.functions:
        calls[function] = set()
        for node in walk(function.body) if function.body is not None else ():
            kept = node.type if isinstance(node, (n.VarDecl, n.Member)) else None
            if isinstance(kept, StructType) and "device_vector" in kept.name:
                reached.add(function)
            if isinstance(node, n.Launch) and (_SHARED & {*program.kinds.values()} or _has_event(node)):
                reached.add(function)
            if not isinstance(node, n.Call):
                continue
            if node.function is not None and node.function.body is not None:
                calls[function].add(node.function)
            last = node.name.rpartition("::")[2]
            name = base_name(last)
            if name.startswith("enqueue"):
                name = f"E{name[1:]}"
            if node.name in ("cl::Kernel::setArg", "clSetKernelArg"):
                reached.add(function)
            if name != last and any(name in known for known in (MAKES, ENDS, MOVES, MAPS, RESETS, RANGES)):
                reached.add(function)
            if name == last and name in ENDS and node.args and program.kept(node.args[0]) is not None:
                reached.add(function)  # the language's own function for what a runtime gave
        owner = function.qualified.rpartition("::")[0]
        if function.name == "operator=" and owner in program.destructors:
            reached.add(function)
    todo = True
    while todo:
        more = {function for function, callees in calls.items() if function not in reached and callees & reached}
        reached |= more
        todo = bool(more)
    return reached


def _has_event(launch: n.Launch) -> bool:
    event = launch.event
    event = strip_casts(event)
    return isinstance(event, n.AddressOf)


def _walk(m: Machine) -> None:
    function = m.entry
    assert function.body is not None
    state = State()
    if function.this is not None:
        own = At(Thing(Kind.LOCAL, "this", function.span))
        thing = Thing(Kind.BEHIND, "this")
        state.env[function.this] = own
        state.memory[own] = At(thing)
    for param in function.params:
        at = At(Thing(Kind.LOCAL, param.name, param.span, "", param.type, param))
        if isinstance(param.type, PointerType) and param.type.reference:
            at = At(Thing(Kind.BEHIND, param.name, None, "", param.type.pointee))
            at.thing.passed = True
        state.env[param] = at
    frame = Frame(function)
    m.frames.append(frame)
    try:
        states = m.run(function.body, [state])
    except (OverBudget, RecursionError):
        return
    m.exits = {span for _, _, span in frame.returns}
    end = Span(function.body.span.file, max(function.body.span.end - 1, 0), function.body.span.end)
    for left, result, span in (*frame.returns, *((state, None, end) for state in states)):
        _finish(m, left, result, span, False)
    for left, span, helper in frame.thrown:
        _finish(m, left, None, span, helper)
    if frame.gotos:
        m.doubtful = True


def _finish(m: Machine, s: State, result: object, span: Span, thrown: bool) -> None:
    """A way ends: who still owns memory that nobody else knows?"""
    handed = reachable(State(memory=s.memory), [result])
    given = set(things_in(result))
    failing = m.program.tells_of_failure([result])
    for thing in list(s.fates):
        if thing.kind in OWED and thing in given:
            m.given_on.setdefault(thing, span)
            if isinstance(result, At) and result.path:
                m.led_into.add((thing, span))
        if leaking(thing, s) and thing not in handed:
            m.program.leaked(m, thing, s, span, thrown, failing)
        fate = s.fates[thing]
        if (
            thing.kind in MEMORY
            and fate.life is Life.LIVE
            and fate.use == "recopied"
            and fate.used_at is not None
            and not fate.out
        ):
            m.report(Fault("lost", fate.used_at, thing.name, related=calls_of(fate)))
    _replaced(m, s)
    stay(m, s)
    leave(m, m.entry, s, result, span)


def _replaced(m: Machine, s: State) -> None:
    """Members that got other memory on this way: is it known that they may have had some?"""
    owner = m.entry.qualified.rpartition("::")[0].rpartition("::")[2]
    if m.entry.name == owner:  # a constructor
        return
    for at, span, old in s.replaced:
        keys = m.keys.get(at)
        if not keys or s.fate(old.thing).life is not Life.LIVE:
            continue
        if s.facts.get(old) is False or old in s.memory.values() or _gone_before(m, at, s):
            continue
        if m.entry.name == "operator=" or s.facts.get(old) is True or _grows(at, s):
            m.program.replaced.append((keys[-1], span, keys[-1][1], "again"))


def _gone_before(m: Machine, at: Place, s: State) -> bool:
    """Whether what a member led to before some call out of sight was given back, or null, on this way."""
    earlier = [held for (place, _, _), held in m.lazy.items() if place == at and isinstance(held, At)]
    return any(s.fate(held.thing).life is not Life.LIVE or s.facts.get(held) is False for held in earlier)


def _grows(at: Place, s: State) -> bool:
    """Whether a number beside a member was compared with another one and is then changed: as it is where memory grows.
    (A mark that is asked whether it is set tells of memory that is made once.)"""
    return any(
        beside.thing is at.thing and beside.path[:-1] == at.path[:-1] and beside in s.memory for beside in s.compared
    )


def _leaks(program: Program, m: Machine, once: bool) -> Iterator[Fault]:
    """What a function leaks, on one of its ways or on all.  ``once``: the program runs it once, and ends."""
    found, program.leaks = program.leaks, []
    function = m.entry
    if m.doubtful or function.name == "main" or any(loss.kind in _DOUBTS for loss in function.losses):
        return
    said = 0
    seen: set[Thing] = set()
    ways = [
        (thing, span, thrown or ((ends or once) and thing not in m.owned)) for _, thing, span, thrown, ends in found
    ]
    for thing, span, soft in sorted(ways, key=lambda way: way[2]):  # what is sure comes first
        if thing in seen or thing.span is None or _all_elements_end(function, thing, span):
            continue
        if (thing, span) in m.led_into and _by_a_helper(function, span):
            continue
        seen.add(thing)
        freed = m.stopped.get(thing) or _named_at_end(function, thing)
        elsewhere = freed or m.owned.get(thing) or (m.given_on.get(thing) if span in m.exits else None)
        if elsewhere is None:
            at = thing.called if thing.called is not None else thing.span
            made = ((thing.span, "allocated here"),) if at != thing.span else ()
            last = ((span, "the last way to it ends here"), *made)
            yield Fault("leak", at, thing.name, "", last, soft, owed(thing))
        elif not said:
            said += 1
            word = "given back here" if freed is not None else "handed on here"
            related = ((thing.span, "allocated here"), (elsewhere, word))
            yield Fault("leak", span, thing.name, "way", related, soft, owed(thing))


def _by_a_helper(function: n.FunctionDecl, way_out: Span) -> bool:
    """Whether a function returns there what a helper in sight makes of a pointer: one that gives the caller a pointer
    into the memory on some of its ways, and null on the one that nobody means to take (a type that it does not know),
    has the memory go along.  Not so ``return checked(p)``, which gives the pointer itself or null."""
    for node in walk(function.body) if function.body is not None else ():
        if isinstance(node, n.Return) and node.span == way_out and node.value is not None:
            call = strip_casts(node.value)
            return isinstance(call, n.Call) and call.function is not None and call.function.body is not None
    return False


def _named_at_end(function: n.FunctionDecl, thing: Thing) -> Span | None:
    """Where the function gives back, on a way that was not walked, what the variable of the thing's name leads to."""
    for span, given in _given_back(function.body):
        if isinstance(given, n.Ref) and given.decl.name == thing.name:
            return span
    return None


def _given_back(body: n.Stmt | None) -> Iterator[tuple[Span, n.Expr]]:
    """The calls of a statement that give something back, and what."""
    for node in walk(body) if body is not None else ():
        if isinstance(node, n.Call) and node.args and base_name(node.name) in ENDS:
            yield node.span, strip_casts(node.args[0])


def _all_elements_end(function: n.FunctionDecl, thing: Thing, way_out: Span) -> bool:
    """Whether a loop before a way out gives back the elements of the array that the thing is held in: the rounds that
    are walked stand for all, and of how many there are less may be known at the second loop than at the first."""
    for loop in walk(function.body) if function.body is not None else ():
        if not isinstance(loop, n.For | n.While | n.DoWhile) or loop.span.end > way_out.start:
            continue
        for _, given in _given_back(loop.body):
            if isinstance(given, n.Subscript) and not isinstance(strip_casts(given.index), n.IntLit):
                array = strip_casts(given.base)
                if isinstance(array, n.Ref) and array.decl.name == thing.name:
                    return True
    return False


lifetimes = ModuleAnalysis("lifetimes", _compute)
"""The :class:`~.model.Fault` s of a file's host code."""
