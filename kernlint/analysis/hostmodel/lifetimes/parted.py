"""Things that are made on one side of a branch, and the same question asked again.

``if (m->timed) create(&event); work(m); if (m->timed) destroy(event);``: a function out of sight that is given the
object may change the member, but who writes this takes the two questions for one.  A way on which the second answer is
another one tells nothing of what was made under the first: it is neither known to be lost nor to be there.  What is
stored in sight is a value of its own, and another question.
"""

from __future__ import annotations

from collections.abc import Iterable

from kernlint.analysis.hostmodel.lifetimes.machine import Machine
from kernlint.analysis.hostmodel.lifetimes.model import OWED, At, Atom, Kind, Life, State, Thing, Value
from kernlint.tree import nodes as n

Answers = frozenset[tuple[Value, bool]]


def said(m: Machine, cond: n.Expr, states: Iterable[State]) -> Answers:
    """What holds where a condition does, as questions with their answers, whoever may have changed what they read."""
    found: set[tuple[Value, bool]] = set()
    for state in states:
        asked = m.stated(cond, state)
        if asked is not None:
            found |= _parts(*asked)
    return frozenset(found)


def _parts(asked: Value, truth: bool) -> set[tuple[Value, bool]]:
    out = {(_question(asked), truth)}
    if isinstance(asked, Atom) and asked.op == "||" and not truth:
        parts: frozenset[tuple[Value, bool]] = asked.args[0]  # type: ignore[assignment]
        for value, positive in parts:
            out |= _parts(value, not positive)
    return out


def _question(asked: object) -> Value:
    """A question without the calls that were made before it is asked."""
    if isinstance(asked, At) and asked.thing.origin is not None and asked.thing.kind is Kind.BEHIND:
        return Atom("behind", (_question(asked.thing.origin), asked.path))
    if isinstance(asked, Atom):
        args = asked.args
        if asked.op == "value" and isinstance(args[-1], int) and isinstance(args[0], At) and args[0].path:
            args = args[:-1]
        elif asked.op == "field":
            args = (*args[:-1], 0)
        elif asked.op == "||":
            parts: frozenset[tuple[Value, bool]] = args[0]  # type: ignore[assignment]
            return Atom("||", (frozenset((_question(value), positive) for value, positive in parts),))
        return Atom(asked.op, tuple(_question(part) for part in args))
    return asked  # type: ignore[return-value]


def made_under(m: Machine, tests: Answers, before: set[Thing], states: list[State], held: bool) -> list[State]:
    """``states`` behind one side of a branch, where ``tests`` were answered so (``held``) or otherwise."""
    answers = tests if held else frozenset((asked, not truth) for asked, truth in tests) if len(tests) == 1 else None
    if answers:
        for thing in {thing for state in states for thing in state.fates} - before:
            if thing.kind in OWED:
                m.under[thing] = m.under.get(thing, frozenset()) | answers
    return states


def against(m: Machine, asked: Value, truth: bool, s: State) -> None:
    """A question has got another answer than where some things were made: nobody knows what became of them."""
    if not m.under:
        return
    other = _question(asked), not truth
    for thing, answers in m.under.items():
        if other in answers and s.fate(thing).life is Life.LIVE and thing in s.fates:
            s.change(thing, life=Life.DOUBT)
