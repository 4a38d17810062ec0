"""Objects that count who has them: only the last one gives back what they hold."""

from __future__ import annotations

from kernlint.analysis.hostmodel.lifetimes.model import At, Atom, State, Thing

_OWNERS = 3
"""Objects, each of which leads to the next, that are asked whether they count who has them."""


def counted(thing: Thing, s: State) -> bool:
    """Whether the object, or the one that leads to it, counts who has it: what is given back behind a test of a count
    in it that was just changed is given back by the last one alone, whoever that is."""
    asked = {part for fact in s.facts if isinstance(fact, Atom) for part in fact.args}
    at: Thing | None = thing
    for _ in range(_OWNERS):
        if at is None:
            break
        if any(_counts_users(part, at) for part in asked):
            return True
        at = at.origin.thing if at.origin is not None else None
    return False


def _counts_users(part: object, thing: Thing) -> bool:
    """Whether a value is a number in an object that was counted up or down."""
    where = part.args[-1] if isinstance(part, Atom) and part.op == "count" else None
    return isinstance(where, At) and where.thing is thing and bool(where.path)
