"""What conditions say, on which ways they hold, and what they tell of allocations."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.hostmodel.lifetimes.machine import Machine
from kernlint.analysis.hostmodel.lifetimes.model import (
    NULL,
    TOLD,
    At,
    Atom,
    Kind,
    Life,
    Number,
    Place,
    State,
    Thing,
    Value,
)
from kernlint.analysis.hostmodel.lifetimes.parted import against
from kernlint.tree import nodes as n
from kernlint.tree.walk import strip_casts


def condition(m: Machine, e: n.Expr, s: State) -> list[tuple[State, bool]]:
    """The ways on, with whether the condition holds on them."""
    e = strip_casts(e)
    if isinstance(e, n.Binary) and e.op in ("&&", "||"):
        whole, asked = stated(m, e, s) or (None, True)
        if whole is not None and whole in s.facts:
            return [(s, s.facts[whole] == asked)]
        out: list[tuple[State, bool]] = []
        for state, truth in m.condition(e.lhs, s):
            out += [(state, truth)] if truth == (e.op == "||") else m.condition(e.rhs, state)
        if whole is not None:  # ways that part here may be joined again, where which part it was is forgotten
            for state, truth in out:
                state.facts[whole] = truth == asked
                against(m, whole, truth == asked, state)
        return out
    if isinstance(e, n.Unary) and e.op == "!":
        return [(state, not truth) for state, truth in m.condition(e.operand, s)]
    out = []
    for state, given in m.value(e, s):
        out += decided(m, given, state)
    return out


def stated(m: Machine, e: n.Expr, s: State) -> tuple[Value, bool] | None:
    """The truth of a condition as one value, and whether it is asked itself: parts are joined by "or", whichever way
    that is written.  None where looking at a part does something."""
    e = strip_casts(e)
    if isinstance(e, n.Unary) and e.op == "!":
        inner = stated(m, e.operand, s)
        return None if inner is None else (inner[0], not inner[1])
    if isinstance(e, n.Binary) and e.op in ("&&", "||"):
        either = e.op == "||"
        parts: set[object] = set()
        for side in (e.lhs, e.rhs):
            found = stated(m, side, s)
            if found is None:
                return None
            value, positive = found
            joined = isinstance(value, Atom) and value.op == "||" and positive == either
            parts |= value.args[0] if joined else {(value, positive == either)}  # type: ignore
        return Atom("||", (frozenset(parts),)), either
    read = (n.Ref, n.Member, n.IntLit)
    compared = isinstance(e, n.Binary) and e.op in ("==", "!=", "<", ">", "<=", ">=")
    sides = (e.lhs, e.rhs) if compared else (e,)  # type: ignore[attr-defined]
    if not all(isinstance(strip_casts(side), read) for side in sides):
        return None
    ways = m.value(e, s)
    return normal(ways[0][1]) if len(ways) == 1 and ways[0][0] is s else None


def decided(m: Machine, given: Value, s: State) -> list[tuple[State, bool]]:
    """The ways on which a value is true, and not."""
    asked, positive = normal(given)
    known = truth_of(asked, s)
    if known is not None:
        return [(s, known == positive)]
    other = s.fork()
    for truth, way in ((True, s), (False, other)):
        assume(asked, truth, way)
        against(m, asked, truth, way)
    return [(s, positive), (other, not positive)]


def normal(given: Value) -> tuple[Value, bool]:
    """A truth in one of the forms that are kept (a pointer, ``== k``, ``<``), and whether it is asked itself."""
    positive = True
    while True:
        if isinstance(given, Atom) and given.op == "not":
            given, positive = given.args[0], not positive  # type: ignore[assignment]
        elif isinstance(given, Atom) and given.op in ("!=", ">=", "<="):
            a, b = given.args
            positive = not positive
            given = Atom("==", (a, b)) if given.op == "!=" else Atom("<", (a, b) if given.op == ">=" else (b, a))
        elif isinstance(given, Atom) and given.op == ">":
            given = Atom("<", (given.args[1], given.args[0]))
        elif isinstance(given, Atom) and given.op == "==":
            a, b = given.args
            if isinstance(a, Number) and not isinstance(b, Number):
                a, b = b, a
            if b == NULL and (
                isinstance(a, At) or (isinstance(a, Atom) and a.op in ("not", "!=", "==", "<", ">", "<=", ">="))
            ):
                given, positive = a, not positive
            else:
                return Atom("==", (a, b)), positive
        elif isinstance(given, Atom) and given.op != "<":
            given, positive = Atom("==", (given, NULL)), not positive
        else:
            return given, positive


def truth_of(asked: Value, s: State) -> bool | None:
    """Whether a truth in normal form is known."""
    if isinstance(asked, Number):
        return bool(asked.value)
    if isinstance(asked, At):
        fate = s.fates.get(asked.thing)
        if fate is not None and fate.life is Life.FAILED and not asked.path:
            return False
        ours = fate is not None and (not fate.out or bool(asked.thing.api))  # made on this way, whoever knows of it
        if asked.path or asked.thing.kind in (Kind.LOCAL, Kind.CONTENT) or ours:
            return True
        return _left_over(asked, s)
    if isinstance(asked, Atom):
        a, b = asked.args if len(asked.args) == 2 else (None, None)
        if isinstance(a, Number) and isinstance(b, Number):
            return a.value == b.value if asked.op == "==" else a.value < b.value
        if a == b:
            return asked.op == "=="
        if isinstance(a, At) and isinstance(b, At) and asked.op == "==":
            known = (Kind.LOCAL, Kind.CONTENT)
            apart = a.thing is not b.thing and (a.thing in s.fates or b.thing in s.fates or a.thing.kind in known)
            return s.facts.get(asked, False if apart else None)
        found = s.facts.get(asked)
        if found is None and asked.op == "==" and isinstance(b, Number):
            for fact, truth in s.facts.items():
                if (
                    truth
                    and isinstance(fact, Atom)
                    and fact.op == "=="
                    and fact.args[0] == a
                    and isinstance(fact.args[1], Number)
                ):
                    return fact.args[1] == b
        return _left_over(asked, s)
    return None


def _left_over(asked: Value, s: State) -> bool | None:
    """What is known of a truth, or follows as one of several holds and none of the others does."""
    known = s.facts.get(asked)
    if known is not None:
        return known
    for fact, truth in s.facts.items():
        if truth and isinstance(fact, Atom) and fact.op == "||":
            parts: frozenset[tuple[Value, bool]] = fact.args[0]  # type: ignore[assignment]
            mine = [positive for value, positive in parts if value == asked]
            if len(mine) == 1 and all(s.facts.get(v) == (not positive) for v, positive in parts if v != asked):
                return mine[0]
    return None


def assume(asked: Value, truth: bool, s: State) -> None:
    """Take a truth for known; what tells of allocations tells what became of them."""
    s.facts[asked] = truth
    if isinstance(asked, Atom) and not any(isinstance(part, Number) for part in asked.args):
        s.compared = s.compared.union(at for part in asked.args for at in _read_in(part))
    if isinstance(asked, At):
        fate = s.fates.get(asked.thing)
        if not truth and fate is not None and fate.life is Life.LIVE:
            s.change(asked.thing, life=Life.FAILED)
        return
    if not isinstance(asked, Atom):
        return
    if asked.op == "==" and asked.args[1] == NULL and not truth and asked.args[0] in s.begun:
        void = s.begun[asked.args[0]]
        s.pending = tuple(work for work in s.pending if work not in void)
    if asked.op == "==" and asked.args[0] in s.outcomes and asked.args[1] == NULL:
        thing = s.outcomes[asked.args[0]]
        life = s.fate(thing).life
        if not truth and life in (Life.LIVE, Life.FREED):
            s.change(thing, life=Life.FAILED if life is Life.LIVE else Life.DOUBT)
        return
    told = isinstance(asked.args[0], Atom) and asked.args[0].op == TOLD
    other = asked.op == "==" and isinstance(asked.args[1], Number) and asked.args[0] not in s.outcomes
    if truth and other and not told:
        return
    for thing in _told_of(asked, s):
        if s.fate(thing).life is Life.LIVE:
            s.change(thing, life=Life.DOUBT, by=TOLD if told else "")


def _read_in(part: object) -> Iterator[Place]:
    """The places whose numbers a value is made of: a number of grains times their size stands for it as well."""
    if isinstance(part, Atom) and part.op == "value" and isinstance(part.args[0], At):
        yield part.args[0]
    elif isinstance(part, Atom) and part.op in _SIZED:
        for inner in part.args:
            yield from _read_in(inner)


_SIZED = ("*", "+", "-", "<<")
"""What a size in other units is made of the number that is kept with."""


def _told_of(asked: object, s: State) -> list[Thing]:
    if isinstance(asked, Atom):
        own = [s.outcomes[asked]] if asked in s.outcomes else []
        return own + [thing for part in asked.args for thing in _told_of(part, s)]
    return []


def constant(m: Machine, e: n.Expr, s: State) -> bool:
    """Whether numbers alone make a condition true."""
    if isinstance(e, n.Binary) and e.op in ("<", "<=", "!=", ">", ">=") and isinstance(e.lhs, (n.Ref, n.Cast)):
        return any(isinstance(given, Number) and given.value for _, given in m.value(e, s.fork()))
    return False
