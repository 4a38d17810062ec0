"""Blocks under which an access must stay inside its array, each with the reason to believe in it."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.launching.launch_context import Block, LaunchContext
from kernlint.analysis.launching.numbered_items import of_numbered_items
from kernlint.analysis.trace.events import Access, Trace
from kernlint.prove.query import Side
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import (
    THREAD,
    SymbolKind,
    symbols,
)
from kernlint.tree.types import Space


def believed_blocks(kernel: Trace, context: LaunchContext, access: Access, asked: Side) -> Iterator[tuple[Block, str]]:
    """Blocks under which an access must stay inside, each with the reason to believe in it."""
    axes = {s.axis for s in asked.symbols if s.kind is SymbolKind.THREAD}
    if not axes and not any(s.kind is SymbolKind.BLOCK_DIM for s in asked.symbols):
        yield next((c.block for c in context.blocks if c.known), (32, 1, 1)), ""
        return
    words = {"user": "the block given", "required": "the required block", "launch": "the block of a launch in sight"}
    known = False
    for candidate in context.blocks:
        if candidate.known:
            known = True
            x, y, z = candidate.block
            yield candidate.block, f"{words[candidate.source]} is {x} x {y} x {z}"
        elif candidate.source == "bounds" and axes == {0} and _in_a_row(kernel):
            known = True
            yield candidate.block, f"the launch bounds allow {candidate.block[0]} threads"
    if known:
        return
    numbered = of_numbered_items(kernel)
    if numbered is not None and context.admission.permits(numbered) and not context.launches:
        x, y, z = numbered
        yield numbered, f"the kernel numbers the items of blocks of {x} x {y} x {z}"
    if axes != {0}:
        return
    implied = _implied(asked)
    if implied is not None:
        yield (implied, 1, 1), f"the access is made by threads up to {implied - 1}"
        return
    if access.root.space is Space.PRIVATE:
        # An array of each thread's own says nothing of the block; a whole warp is the least anybody launches who gives
        # no other size: one that the host looks up, such as how many classes there are, is made for the array.
        if not any(view.fact.block is not None and view.block[0] is None for view in context.launches):
            yield (32, 1, 1), "a block of one warp"
        return
    made_for = _made_for(kernel, access)
    if made_for is not None and _close(asked, access) and asked.size == access.size:
        yield (made_for, 1, 1), f"{access.root.name} is made for blocks of {made_for} threads"


def _in_a_row(kernel: Trace) -> bool:
    """Whether a kernel tells its threads apart along x alone, so that all that its bounds allow may stand there."""
    met = {s for access in kernel.accesses for s in symbols(access.offset) if s.kind is SymbolKind.THREAD}
    return all(symbol.axis == 0 for symbol in met)


def _implied(asked: Side) -> int | None:
    """The number of threads along x that a guard ``tid < c`` of the access speaks of."""
    for guard in asked.guards:
        if guard.op in ("lt", "le") and guard.args[1].value is not None:
            form = polynomial(guard.args[0]).coefficients
            if form == {(THREAD[0].term,): 1}:
                count: int = guard.args[1].value + (1 if guard.op == "le" else 0)
                return count if 1 < count <= 1024 else None
    return None


def _made_for(kernel: Trace, access: Access) -> int | None:
    """The block that fills a shared array with one element for each thread."""
    root = access.root
    if root.extent is None or root.space is not Space.SHARED:
        return None
    for other in kernel.accesses:
        if other.root is not root or not other.writes or other.size is None or other.size <= 0:
            continue
        if polynomial(other.offset).coefficients == {(THREAD[0].term,): other.size}:
            if any(THREAD[0] in symbols(guard.term) for guard in other.guards):
                continue
            count = root.extent // other.size
            return count if count % 32 == 0 and count <= 1024 else None
    return None


NEAR = 8
"""Elements by which an access may miss an array that speaks for its block: more is another use of the array."""


def _close(asked: Side, access: Access) -> bool:
    form = polynomial(asked.offset).coefficients
    size = access.size or 1
    rest = {mono: value for mono, value in form.items() if mono}
    return rest == {(THREAD[0].term,): size} and abs(form.get((), 0)) <= NEAR * size
