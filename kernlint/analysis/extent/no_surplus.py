"""Whether launches in sight have threads that a test would keep away at all.

A test of the thread's index is evidence that some threads are surplus where no launch is in sight, or one that rounds
its grid up.  A launch with one block for each row, as wide as the row, has none, and the test is a mere habit: it is
tried with numbers for what the host leaves open, and asked for a thread that fails the test.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.coverage import Cover
from kernlint.analysis.extent.tried import launch_with, settings_of
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.trace.events import Access
from kernlint.prove.query import Bounds, Budget, Proved, Side
from kernlint.prove.solve import solve
from kernlint.record import replace
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, binary, const, with_parts
from kernlint.tree.types import I64, IntType

BUDGET = Budget(steps=80, points=8_000, rlimit=0)

MOST = 8
"""Launches that are looked at: one for each case of a switch is usual."""


def without_surplus(access: Access, test: Term, views: Sequence[LaunchView], axis: int) -> bool:
    """Whether every launch in sight, tried with numbers, leaves each thread that makes ``access`` on the good side of
    ``test``, a comparison of its index; False where one is not known well enough to be tried."""
    if not views or len(views) > MOST or any(view.covers[axis].kind is Cover.ROUNDED_UP for view in views):
        return False
    asked = side(access)
    index, size = test.args
    limit = size if test.op == "lt" else binary("add", size, const(1, I64), I64)
    question = Side(index, 1, asked.guards, asked.counters)
    return all(_kept(question, limit, opened(view)) for view in views)


def _kept(question: Side, limit: Term, view: LaunchView) -> bool:
    known = False
    for env in settings_of(view):
        launch = launch_with(view, env)
        if launch is None:
            return False
        if not isinstance(solve(Bounds(question, limit, launch=launch), BUDGET), Proved):
            return False
        known = True
    return known


def opened(view: LaunchView) -> LaunchView:
    """The launch with a variable for each number that a function out of sight gives the host (``x.size(0)``)."""
    names: dict[Term, Term] = {}

    def of(term: Term) -> Term:
        if term.op in ("const", "sym"):
            return term
        if term.op == "call" and isinstance(term.type, IntType) and "@" in str(term.args[0]):
            if term not in names:
                name = str(term.args[0]).partition("@")[0]
                names[term] = Symbol(SymbolKind.PARAM, f"{name}()", term.type, origin=term).term
            return names[term]
        return with_parts(term, [of(part) for part in term.terms])

    fact = view.fact
    grid = None if fact.grid is None else (of(fact.grid[0]), of(fact.grid[1]), of(fact.grid[2]))
    block = None if fact.block is None else (of(fact.block[0]), of(fact.block[1]), of(fact.block[2]))
    images = tuple((symbol, of(term)) for symbol, term in view.images)
    checks = tuple(map(of, view.checks))
    if not names:
        return view
    extents = tuple((name, of(size)) for name, size in fact.extents)
    shared = None if fact.shared is None else of(fact.shared)
    changed = replace(fact, grid=grid, block=block, extents=extents, shared=shared)
    return replace(view, fact=changed, images=images, checks=checks)
