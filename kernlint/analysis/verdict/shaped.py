"""Arrays that carry their extents with them, as numba's do: what is known of their length, and who gets past it."""

from __future__ import annotations

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.base import Facts
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.replay import Replayed, replayer
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Root
from kernlint.prove.query import Bounds, Budget, Launch, Refuted
from kernlint.prove.solve import solve
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import BLOCK_DIM, GRID_DIM, Symbol, Term, binary, cast, const, symbols
from kernlint.tree.nodes import ParamDecl
from kernlint.tree.types import I64

BUDGET = Budget(steps=100, points=20_000, rlimit=200_000)


def own_extent(facts: Facts, root: Root) -> Term | None:
    """The bytes of an array by the extents that it carries; None for memory that carries none."""
    decl = root.decl
    if not isinstance(decl, ParamDecl) or not decl.shape or not root.element.size:
        return None
    known = _extents(facts)
    out: Term = const(root.element.size, I64)
    for extent in decl.shape:
        symbol = known.get(extent)
        if symbol is None:
            return None  # nothing in the kernel speaks of it
        out = binary("mul", out, cast(symbol.term, I64), I64)
    return out


def _extents(facts: Facts) -> dict[object, Symbol]:
    """The symbols of extents in what the kernel computes, by their declarations."""
    found: dict[object, Symbol] = {}
    of = facts[trace]
    terms: list[Term] = []
    for access in of.accesses:
        terms.append(access.offset)
        terms += [guard.term for guard in access.guards]
        terms += [loop.condition for loop in access.loops if loop.condition is not None]
    for term in terms:
        for symbol in symbols(term):
            if isinstance(symbol.origin, ParamDecl) and symbol.origin.implicit:
                found[symbol.origin] = symbol
    return found


def past_own_extent(facts: Facts) -> tuple[Access, Refuted, Replayed] | None:
    """The first access past what its array holds that the emulator sees too."""
    context = facts[launch_context]
    blocks = context.known_blocks[:2] or ((32, 1, 1),)
    for access in facts[trace].accesses:
        extent = own_extent(facts, access.root)
        if extent is None:
            continue
        for block in blocks:
            launch = Launch.of(context.admission, block, context.grid or (None, None, None), context.max_threads)
            answer = solve(Bounds(side(access), extent, context.premises, launch=launch), BUDGET)
            if not isinstance(answer, Refuted) or answer.depends_on_data:
                continue
            size = _value(extent, answer)
            if size is not None and size > 0:
                seen = facts[replayer].beyond(answer, access.span, access.root, size)
                if seen is not None:
                    return access, answer, seen
    return None


def _value(extent: Term, answer: Refuted) -> int | None:
    env: dict[Symbol, int] = dict(answer.values)
    for places, sizes in ((BLOCK_DIM, answer.block), (GRID_DIM, answer.grid)):
        env.update(zip(places, sizes, strict=True))
    return evaluate(extent, env)
