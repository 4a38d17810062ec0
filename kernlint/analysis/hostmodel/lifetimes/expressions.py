"""What expressions give and do, on each of the ways that come to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kernlint.analysis.hostmodel.lifetimes.arguments import launched_with
from kernlint.analysis.hostmodel.lifetimes.calls import call
from kernlint.analysis.hostmodel.lifetimes.conditions import condition
from kernlint.analysis.hostmodel.lifetimes.deleters import moved_from
from kernlint.analysis.hostmodel.lifetimes.lost import handed_on
from kernlint.analysis.hostmodel.lifetimes.machine import Machine, Outcome, Placed
from kernlint.analysis.hostmodel.lifetimes.memory import (
    escape,
    load,
    member_given,
    number_behind,
    store,
    variable,
)
from kernlint.analysis.hostmodel.lifetimes.model import (
    NULL,
    At,
    Atom,
    Kind,
    Number,
    Place,
    State,
    Thing,
    Value,
    Whole,
    either,
)
from kernlint.analysis.hostmodel.lifetimes.objects import assigned, element
from kernlint.analysis.hostmodel.lifetimes.transfers import launched
from kernlint.tree import nodes as n
from kernlint.tree.types import ArrayType, OpaqueType, PointerType, StructType, Type
from kernlint.tree.walk import strip_casts


def value(m: Machine, e: n.Expr, s: State) -> list[Outcome]:
    """The values of ``e`` with the states behind it."""
    handler = _VALUES.get(type(e))
    if handler is not None:
        return handler(m, e, s)
    return _others(m, e, s)


def values(m: Machine, exprs: Sequence[n.Expr], s: State) -> list[tuple[State, list[Value]]]:
    """The values of several expressions, one after the other."""
    out: list[tuple[State, list[Value]]] = [(s, [])]
    for expr in exprs:
        out = [(after, [*known, one]) for state, known in out for after, one in value(m, expr, state)]
    return out


def _others(m: Machine, e: n.Expr, s: State) -> list[Outcome]:
    from kernlint.tree.walk import children

    out = [s]
    for child in children(e):
        if isinstance(child, n.Expr):
            out = [after for state in out for after, _ in value(m, child, state)]
    return [(state, m.fresh("value")) for state in out]


def _int(m: Machine, e: n.IntLit, s: State) -> list[Outcome]:
    return [(s, Number(e.value))]


def _literal(m: Machine, e: n.Expr, s: State) -> list[Outcome]:
    return [(s, Atom("literal", (getattr(e, "value", str(e.type)),)))]


def _ref(m: Machine, e: n.Ref, s: State) -> list[Outcome]:
    if e.decl.value is not None:
        return [(s, Number(e.decl.value))]
    at = variable(m, e.decl, s)
    found = load(m, at, e.type, s, e.span)
    moved_from(at, e.type, s)
    return [(s, found)]


def _stored(m: Machine, e: n.Expr, s: State) -> list[Outcome]:
    """What stands at a place, or in a list that is written down there."""
    if isinstance(e, n.Subscript) and isinstance(strip_casts(e.base), n.InitList):
        return _of_list(m, e, s)
    out: list[Outcome] = []
    for after, at in place(m, e, s):
        known = load(m, at, e.type, after, e.span) if at is not None else number_behind(e, after)
        out.append((after, known if known is not None else m.fresh("value")))
        if at is not None:
            moved_from(at, e.type, after)
    return out


def _of_list(m: Machine, e: n.Subscript, s: State) -> list[Outcome]:
    """An element of a list without a name (``for (float *p : {a, b})``): one of all where it is not known which."""
    out: list[Outcome] = []
    for state, (whole, index) in m.values((e.base, e.index), s):
        parts = dict(whole.parts) if isinstance(whole, Whole) else {}
        found = parts.get((index.value,)) if isinstance(index, Number) else either(*parts.values())
        out.append((state, found if isinstance(found, (Number, At, Atom)) else m.fresh("element")))
    return out


def place(m: Machine, e: n.Expr, s: State) -> list[Placed]:
    """Where ``e`` stands in memory; None where that is not known."""
    if isinstance(e, n.Ref):
        return [(s, variable(m, e.decl, s))]
    if isinstance(e, n.Cast):
        return place(m, e.operand, s)
    if isinstance(e, n.Member):
        return _member(m, e, s)
    if isinstance(e, (n.Subscript, n.Deref)):
        base = e.base if isinstance(e, n.Subscript) else e.pointer
        out: list[Placed] = []
        for state, at in value(m, base, s):
            below = [(state, None)] if isinstance(e, n.Deref) else value(m, e.index, state)
            for after, index in below:
                out.append((after, _element(m, at, index, base.type) if isinstance(at, At) else None))
        return out
    if isinstance(e, n.Call):
        made = element(m, e, s)
        if made is not None:
            return made
    if isinstance(e, n.Conditional):
        return [(state, None) for state, _ in value(m, e, s)]
    out = []
    for state, given in value(m, e, s):
        kind = e.function.result if isinstance(e, n.Call) and e.function is not None else e.type
        if isinstance(given, At) and isinstance(kind, PointerType) and kind.reference:
            out.append((state, given))
        elif isinstance(e, n.Call) and _gives_element(e):
            if isinstance(given, At):
                escape(m, given, state)
            out.append((state, None))
        elif isinstance(given, Whole) or isinstance(e.type, StructType):
            at = At(Thing(Kind.LOCAL, "temporary", e.span, "", e.type))
            at.thing.ends_itself = m.program.destructor(e.type) is not None
            if isinstance(given, Whole):
                for path, part in given.parts:
                    state.memory[At(at.thing, path)] = part  # type: ignore[assignment]
            elif isinstance(given, At):
                state.memory[at] = given
            out.append((state, at))
        else:
            out.append((state, given if isinstance(given, At) and isinstance(e, n.Call) else None))
    return out


_ELEMENTS = frozenset({"operator[]", "at", "front", "back", "top", "operator*", "operator->", "value", "get"})


def _gives_element(e: n.Call) -> bool:
    """Whether a call gives a reference to what is kept elsewhere, and no object of its own."""
    result = e.function.result if e.function is not None else None
    if isinstance(result, PointerType):
        return result.reference
    return e.receiver is not None and e.name.rpartition("::")[2] in _ELEMENTS


def _element(m: Machine, at: At, index: Value | None, of: Type) -> Place:
    if index is None or (index == NULL and not isinstance(of, ArrayType)):
        if isinstance(at.thing.type, ArrayType) and not at.path and at.thing.kind is Kind.LOCAL:
            return At(at.thing, (0,))  # the array that a pointer leads to begins with its element 0
        return at
    below = At(at.thing, (*at.path, index.value if isinstance(index, Number) else index))
    if at in m.keys:
        m.keys.setdefault(below, m.keys[at])
    return below


def _member(m: Machine, e: n.Member, s: State) -> list[Placed]:
    out: list[Placed] = []
    bases = (
        value(m, e.base, s)
        if isinstance(e.base.type, PointerType) and not e.base.type.reference
        else place(m, e.base, s)
    )
    for state, at in bases:
        if not isinstance(at, At):
            out.append((state, None))
            continue
        below = At(at.thing, (*at.path, e.field))
        kind = e.base.type.pointee if isinstance(e.base.type, PointerType) else e.base.type
        if isinstance(kind, StructType) and below not in m.keys:
            m.keys[below] = (*m.keys.get(at, ()), (m.program.class_name(kind), e.field))
        out.append((state, below))
    return out


def _address(m: Machine, e: n.AddressOf, s: State) -> list[Outcome]:
    member_given(e.operand, s)
    return [(state, at if at is not None else m.fresh("address")) for state, at in place(m, e.operand, s)]


def _cast(m: Machine, e: n.Cast, s: State) -> list[Outcome]:
    out = value(m, e.operand, s)
    if isinstance(e.type, (OpaqueType, StructType)) and isinstance(e.operand.type, PointerType):
        for state, given in out:  # an object that is made of a pointer may own what that leads to
            escape(m, given, state)
    return out


def _unary(m: Machine, e: n.Unary, s: State) -> list[Outcome]:
    out: list[Outcome] = []
    for state, given in value(m, e.operand, s):
        if isinstance(given, Number) and e.op in ("-", "!", "~"):
            number = {"-": -given.value, "!": int(not given.value), "~": ~given.value}[e.op]
            out.append((state, Number(number)))
        elif e.op == "!":
            out.append((state, Atom("not", (given,))))
        else:
            out.append((state, given if e.op == "+" else Atom(e.op, (given,))))
    return out


def _incdec(m: Machine, e: n.IncDec, s: State) -> list[Outcome]:
    out: list[Outcome] = []
    for state, at in place(m, e.target, s):
        if at is None:
            member_given(e.target, state)
            out.append((state, m.fresh("value")))
            continue
        old = load(m, at, e.target.type, state, e.span)
        by = 1 if e.op == "++" else -1
        known = isinstance(old, (Number, At))
        new: Value = _combined("+", old, Number(by)) if known else Atom("count", (*m.fresh("count").args, at))
        store(m, at, new, state, e.span, e.target.type)
        out.append((state, new if e.prefix else old))
    return out


_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "<<": lambda a, b: a << b if 0 <= b < 64 else 0,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b),
    "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b),
}


def _binary(m: Machine, e: n.Binary, s: State) -> list[Outcome]:
    if e.op in ("&&", "||"):
        return [(state, Number(int(truth))) for state, truth in condition(m, e, s)]
    out: list[Outcome] = []
    for state, (a, b) in values(m, (e.lhs, e.rhs), s):
        out.append((state, _combined(e.op, a, b)))
    return out


def _combined(op: str, a: Value, b: Value) -> Value:
    if isinstance(a, Number) and isinstance(b, Number) and op in _ARITHMETIC:
        return Number(_ARITHMETIC[op](a.value, b.value))
    if op in ("+", "-"):
        if isinstance(a, At) and not isinstance(b, At):
            last = a.path[-1] if a.path else None
            if isinstance(last, int) and isinstance(b, Number):  # further on among the same elements
                return At(a.thing, (*a.path[:-1], last + b.value if op == "+" else last - b.value))
            return a if b == NULL else At(a.thing, (*a.path, b.value if isinstance(b, Number) else b))
        if isinstance(b, At) and not isinstance(a, At):
            return b if a == NULL else At(b.thing, (*b.path, a.value if isinstance(a, Number) else a))
    return Atom(op, (a, b)) if _flat(a) and _flat(b) else either()


def _flat(given: Value, deep: int = 3) -> bool:
    """Whether a value is not made of too many others."""
    if not isinstance(given, Atom):
        return True
    return deep > 0 and all(_flat(part, deep - 1) for part in given.args if isinstance(part, Atom))


def _assign(m: Machine, e: n.Assign, s: State) -> list[Outcome]:

    out: list[Outcome] = []
    for state, given in value(m, e.value, s):
        for after, at in place(m, e.target, state):
            if at is None:
                member_given(e.target, after)
                escape(m, given, after)
                out.append((after, given))
                continue
            new = given
            if e.op:
                new = _combined(e.op.rstrip("="), load(m, at, e.target.type, after, e.span), given)
            for done in assigned(m, e, at, new, after):
                out.append((done, new))
    return out


def _conditional(m: Machine, e: n.Conditional, s: State) -> list[Outcome]:
    out: list[Outcome] = []
    for state, truth in condition(m, e.cond, s):
        out += value(m, e.then if truth else e.other, state)
    return out


def _list(m: Machine, e: n.InitList, s: State) -> list[Outcome]:
    names: list[object]
    if isinstance(e.type, StructType):
        names = [name for name, _ in m.program.fields(e.type)]
    else:
        names = list(range(len(e.elements)))
    out: list[Outcome] = []
    for state, found in values(m, e.elements, s):
        parts: list[tuple[tuple[object, ...], object]] = []
        for name, one in zip(names, found, strict=False):
            if isinstance(one, Whole):
                parts += [((name, *path), part) for path, part in one.parts]
            else:
                parts.append(((name,), one))
        if isinstance(e.type, StructType):
            set_ = {path for path, _ in parts}
            parts += [
                ((name,), NULL)
                for name, kind in m.program.fields(e.type)
                if (name,) not in set_ and isinstance(kind, PointerType)
            ]
        whole = Whole(tuple(parts))
        several = isinstance(e.type, (StructType, ArrayType)) or len(found) > 1  # of a type that is not known, too
        out.append((state, whole if several else (found[0] if found else NULL)))
    return out


def _lambda(m: Machine, e: n.Lambda, s: State) -> list[Outcome]:
    """What a lambda names it may keep, give back or hand on whenever it is called."""
    from kernlint.tree.walk import walk

    for node in walk(e.body):
        if isinstance(node, n.Ref) and node.decl in s.env:
            escape(m, s.env[node.decl], s)
    return [(s, m.fresh("lambda"))]


def _lost(m: Machine, e: n.Opaque, s: State) -> list[Outcome]:
    states = [s]
    for child in e.children:
        after = []
        for state in states:
            for one, at in place(m, child, state) if isinstance(child, (n.Ref, n.Member)) else value(m, child, state):
                if at is not None:
                    escape(m, at, one)
                after.append(one)
        states = after
    for state in states if e.words else ():
        handed_on(m, e.words, state)
    return [(state, m.fresh("lost")) for state in states]


# ------------------------------------------------------------------------------------------------------ conditions


# ----------------------------------------------------------------------------------------------------------- calls


def returned(m: Machine, e: n.Expr | None, kind: Type, s: State) -> list[Outcome]:
    """What a function gives back."""
    if e is None:
        return [(s, Number(0))]
    if isinstance(kind, PointerType) and kind.reference:
        return [(state, at if at is not None else m.fresh("reference")) for state, at in place(m, e, s)]
    return value(m, e, s)


def _launch(m: Machine, e: n.Launch, s: State) -> list[Outcome]:
    launched_with(m, e, s)
    return launched(m, e, s)


_VALUES: dict[type, Callable[..., list[Outcome]]] = {
    n.IntLit: _int,
    n.FloatLit: _literal,
    n.StringLit: _literal,
    n.SizeOf: _literal,
    n.FunctionRef: _literal,
    n.Ref: _ref,
    n.Member: _stored,
    n.Subscript: _stored,
    n.Deref: _stored,
    n.AddressOf: _address,
    n.Cast: _cast,
    n.Unary: _unary,
    n.IncDec: _incdec,
    n.Binary: _binary,
    n.Assign: _assign,
    n.Conditional: _conditional,
    n.InitList: _list,
    n.Lambda: _lambda,
    n.Opaque: _lost,
    n.Call: call,
    n.Launch: _launch,
}
