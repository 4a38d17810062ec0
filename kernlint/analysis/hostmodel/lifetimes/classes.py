"""Classes as a whole: what their constructors make and their destructors leave, members that nobody frees, copies of
objects that own memory."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.hostmodel.lifetimes.machine import Frame, Machine, OverBudget
from kernlint.analysis.hostmodel.lifetimes.memory import leaking, reachable
from kernlint.analysis.hostmodel.lifetimes.model import At, Fault, Kind, Life, State, Thing, owed
from kernlint.analysis.hostmodel.lifetimes.program import Key, Program
from kernlint.analysis.hostmodel.lifetimes.walker import Walker
from kernlint.apis import ENDS, base_name
from kernlint.apis.order import RESETS
from kernlint.source import Span
from kernlint.text.patterns import pattern
from kernlint.tree import nodes as n
from kernlint.tree.types import VOID, PointerType, Space, StructType, Type
from kernlint.tree.walk import strip_casts, walk

_UNIQUE = pattern(r"(?:struct |class )?std::unique_ptr<([\w:]+)(?:,.*)?>")
_NO_COPIES = pattern(
    r"(?:struct |class )?std::(?:unique_ptr|atomic|mutex|thread|unique_lock|future|promise|condition_variable)\b.*"
)
_INSERTS = frozenset({"push_back", "insert", "emplace_back", "push", "push_front"})


def lives(program: Program) -> Iterator[tuple[Machine, list[Thing]]]:
    """Each constructor of a class followed by its destructor, with what is lost behind both."""
    for one in program.classes.values():
        destructor = program.destructors.get(one.name)
        if destructor is None or any(base not in program.classes for base in one.bases):
            continue
        for constructor in program.constructors.get(one.name, [])[:4]:
            if constructor.this is None or constructor.generic is not None:
                continue
            machine = Walker(program, destructor)
            try:
                lost = _life(machine, one, constructor, destructor)
            except (OverBudget, RecursionError):
                continue
            yield machine, lost


def _life(m: Machine, one: n.ClassDecl, constructor: n.FunctionDecl, destructor: n.FunctionDecl) -> list[Thing]:
    kind = constructor.this.type if constructor.this is not None else None
    type_ = kind.pointee if isinstance(kind, PointerType) else StructType(one.name, (), None)
    decl = n.VarDecl(one.span, "object", type_, Space.HOST)
    thing = Thing(Kind.LOCAL, "object", one.span, "", type_)
    state = State()
    state.env[decl] = At(thing)
    own = n.Ref(one.span, type_, decl)
    m.frames.append(Frame(n.FunctionDecl(one.span, "", "", n.FunctionKind.HOST, (), VOID, n.Block(one.span, ()))))
    states = [s for s, _ in m.inlined(n.Call(constructor.span, type_, "", constructor, (), own), constructor, state)]
    states = _ends(m, own, destructor, states)
    for name, field in reversed(one.fields):
        part = n.Member(one.span, field, own, name, False)
        unique = _UNIQUE.fullmatch(field.name) if isinstance(field, StructType) else None
        if unique is not None:
            states = [s for state in states for s in _held_ends(m, At(thing, (name, "#held")), state)]
            continue
        inner = m.program.destructor(field)
        if inner is not None:
            states = _ends(m, part, inner, states)
    lost: list[Thing] = []
    for state in states:
        state.env.pop(decl, None)
        memory = {at: held for at, held in state.memory.items() if at.thing is not thing}
        kept = reachable(State(memory=memory))
        lost += [each for each in state.fates if leaking(each, state) and each not in kept and each not in lost]
    return lost


def _ends(m: Machine, own: n.Expr, destructor: n.FunctionDecl, states: list[State]) -> list[State]:
    call = n.Call(destructor.span, VOID, destructor.qualified, destructor, (), own)
    return [after for state in states for after, _ in m.inlined(call, destructor, state)]


def _held_ends(m: Machine, at: At, s: State) -> list[State]:
    """An owning pointer ends: so does the object that it holds."""
    held = s.memory.get(at)
    if not isinstance(held, At) or held.thing.kind is not Kind.OWNED or s.fate(held.thing).life is Life.FREED:
        return [s]
    destructor = m.program.destructors.get(held.thing.name)
    if destructor is None or destructor.this is None:
        return [s]
    pointer = n.VarDecl(destructor.span, "held", destructor.this.type, Space.HOST)
    s.env[pointer] = At(Thing(Kind.LOCAL, "held"))
    s.memory[s.env[pointer]] = held
    return _ends(m, n.Ref(destructor.span, pointer.type, pointer), destructor, [s])


def unfreed(program: Program, lost: dict[Thing, n.FunctionDecl]) -> Iterator[Fault]:
    """Members with memory of their own that nothing in the file gives back, although it does so with others."""
    known = program.freed.keys() | program.passed_on
    fine = {thing for key, given in program.given.items() if key in known for thing, _ in given}
    silent = not_known(program)
    for key, given in program.given.items():
        if key in known or silent.intersection(key) or any(thing in fine for thing, _ in given):
            continue
        one = program.classes.get(key[0])
        for thing, giver in given:
            if thing.span is None:
                continue
            if thing in lost and not (one is not None and one.open):
                related = ((lost[thing].span, "the destructor"),)
                yield Fault("leak", thing.span, key[1], "member", related, what=owed(thing))
            elif not (one is not None and one.open) and (at := _sibling(program, key, giver)) is not None:
                related = ((at, "another one is given back here"),)
                yield Fault("leak", thing.span, key[1], "member", related, what=owed(thing))


def not_known(program: Program) -> set[str]:
    """Classes that may be freed all at once, and members that a statement names which was lost."""
    return {*_reset(program), *(word for function in program.functions for word in _unread(function))}


def _unread(function: n.FunctionDecl) -> Iterator[str]:
    """Names in statements that were lost: what these do with a member is not known."""
    for node in walk(function.body) if function.body is not None else ():
        if isinstance(node, n.OpaqueStmt):
            yield from node.words


def _reset(program: Program) -> Iterator[str]:
    """Classes a function of which gives back everything that is on the device."""
    for function in program.functions:
        if function.this is not None and function.body is not None and isinstance(function.this.type, PointerType):
            calls = (base_name(each.name) for each in walk(function.body) if isinstance(each, n.Call))
            if any(name in RESETS for name in calls) and isinstance(function.this.type.pointee, StructType):
                yield function.this.type.pointee.name


def _sibling(program: Program, key: Key, giver: n.FunctionDecl) -> Span | None:
    """Where another member of the same class is given back that got its memory in the same function."""
    for other, makers in program.makers.items():
        if other[0] != key[0] or other == key or giver not in makers:
            continue
        for function, span in program.freed.get(other, ()):
            if all(by is not function for _, by in program.given[key]):
                return span
    return None


# --------------------------------------------------------------------------------------------------------- copies


def copies(program: Program) -> Iterator[Fault]:
    """Objects whose destructors free memory, and that the compiler's own copy shares with another one."""
    owners = {one.name: at for one in program.classes.values() if (at := _frees(program, one)) is not None}
    owners = {name: at for name, at in owners.items() if _copyable(program, program.classes[name])}
    if not owners:
        return
    for function in program.functions:
        if function.body is None or function.span.file != program.module.path:
            continue
        local = program.locals_of(function).difference(function.params)
        for node in walk(function.body):
            for expr, how in _copied(program, node, function, local, owners):
                name = program.class_name(expr.type) if isinstance(expr.type, StructType) else ""
                assigns = how == "assigned"
                special = program.classes[name].assigning if assigns else program.classes[name].copying
                if special in ("", "default"):
                    yield Fault("copied", node.span, name, how, ((owners[name], "the destructor frees it here"),))


def _frees(program: Program, one: n.ClassDecl) -> Span | None:
    """Where the destructor of a class frees a member, whatever else holds."""
    destructor = program.destructors.get(one.name)
    if destructor is None or destructor.body is None or one.destructor != "written":
        return None
    freed = [
        (key[1], at)
        for key, places in program.freed.items()
        for function, at in places
        if function is destructor and key[0] == one.name
    ]
    names = {name for name, _ in freed}
    for node in walk(destructor.body):
        if isinstance(node, n.If) and _has_end(node):
            inside = list(walk(node.cond))
            asked = {each.field for each in inside if isinstance(each, n.Member)}
            if not asked <= names or any(isinstance(each, (n.Call, n.IncDec)) for each in inside):
                return None
    return freed[0][1] if freed else None


def _has_end(node: n.If) -> bool:
    return any(
        isinstance(each, n.Call) and base_name(each.name) in ENDS
        for part in (node.then,)
        if part
        for each in walk(part)
    )


def _copyable(program: Program, one: n.ClassDecl) -> bool:
    """Whether the compiler makes a copy of an object of the class member by member."""
    if one.copying in ("deleted", "written") or one.moving:
        return False
    for base in one.bases:
        if base not in program.classes or not _copyable(program, program.classes[base]):
            return False
    for _, kind in one.fields:
        if isinstance(kind, StructType):
            if _NO_COPIES.fullmatch(kind.name):
                return False
            inner = program.classes.get(program.class_name(kind))
            if inner is not None and inner.copying == "deleted":
                return False
    return True


_Owners = dict[str, Span]


def _copied(
    program: Program, node: n.Node, function: n.FunctionDecl, local: frozenset[n.VarDecl], owners: _Owners
) -> Iterator[tuple[n.Expr, str]]:
    """What a node copies, and how."""
    if isinstance(node, n.VarDecl) and node.init is not None and _is(program, node.type, owners):
        init = strip_casts(node.init)
        if _lasting(init) and _is(program, init.type, owners):
            yield init, "copied"
    elif isinstance(node, n.Call):
        params = node.function.params if node.function is not None else ()
        for param, arg in zip(params, node.args, strict=False):
            bare = strip_casts(arg)
            if _is(program, param.type, owners) and _lasting(bare) and _is(program, bare.type, owners):
                yield bare, "passed by value"
        if node.receiver is not None and node.name.startswith("std::") and node.name.rpartition("::")[2] in _INSERTS:
            for arg in node.args:
                bare = strip_casts(arg)
                if _is(program, bare.type, owners):
                    yield bare, "copied into a container"
    elif isinstance(node, n.Launch):
        for arg in node.args:
            bare = strip_casts(arg)
            if _lasting(bare) and _is(program, bare.type, owners):
                yield bare, "passed by value"
    elif isinstance(node, n.Assign) and not node.op and node.span != node.target.span:
        if _is(program, node.target.type, owners) and isinstance(node.value.type, StructType):
            yield node.target, "assigned"
    elif isinstance(node, n.Return) and node.value is not None and _is(program, function.result, owners):
        bare = strip_casts(node.value)
        own = isinstance(bare, n.Ref) and bare.decl in local
        if _lasting(bare) and not own and _is(program, bare.type, owners):
            yield bare, "returned by value"


def _is(program: Program, kind: Type, owners: _Owners) -> bool:
    return isinstance(kind, StructType) and program.class_name(kind) in owners


def _lasting(expr: n.Expr) -> bool:
    """Whether an object stays behind when it is copied from."""
    return isinstance(expr, (n.Ref, n.Member, n.Deref, n.Subscript))
