"""Calls that stand in the text once, and that a macro evaluates several times.

``#define CHECK(call) if ((call) != cudaSuccess) fprintf(stderr, "%s", cudaGetErrorString(call))`` makes two calls of
``CHECK(cudaMalloc(&p, n))``, the second of which runs where the first has failed.  That it might succeed then, as the
language has it, is nothing that somebody who reads the text would look for: what it gives, and does, is what the first
did.  Two calls at one place that are given other things are a macro's own, and so is what stands in its body with all
that it is given: the place of each part is that of the whole then (``a = malloc(n); b = malloc(n);`` in a macro that
defines a function).
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.hostmodel.lifetimes.machine import Machine, Outcome
from kernlint.analysis.hostmodel.lifetimes.model import State, Value
from kernlint.apis import ENDS, MAKES, base_name
from kernlint.tree import nodes as n
from kernlint.tree.walk import walk


def evaluated_before(m: Machine, e: n.Call, s: State) -> Value | None:
    """What the same call has given in the same run of the function, if it is one that a macro repeats."""
    found = s.written_once.get(e.span)
    if found is None or found[0] is not m.frames[-1] or found[1] is e or found[1].name != e.name:
        return None
    if all(node.span == e.span for node in walk(e)):
        return None
    return found[2] if list(_names(found[1])) == list(_names(e)) else None


def noted(m: Machine, e: n.Call, outcomes: list[Outcome]) -> list[Outcome]:
    """``outcomes`` of a call, with a note of it where it makes or ends something."""
    name = base_name(e.name)
    if name in MAKES or name in ENDS:
        for state, given in outcomes:
            state.written_once[e.span] = m.frames[-1], e, given
    return outcomes


def _names(e: n.Call) -> Iterator[object]:
    """What a call is made of: variables, members and numbers in order."""
    for node in walk(e):
        yield type(node)
        if isinstance(node, n.Ref):
            yield id(node.decl)
        elif isinstance(node, n.Member):
            yield node.field
        elif isinstance(node, n.IntLit):
            yield node.value
