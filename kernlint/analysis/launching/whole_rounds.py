"""Loops in which the block goes round as a whole, by the sizes of the launches in sight.

``for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)`` ends for all threads of a block
in the same round where n is a multiple of the block: one of ``channels`` threads for ``batch * heads * channels``
elements, one of 512 where the host has checked that ``channels`` is a multiple of that, one for an end that is rounded
up to whole blocks (``n & 1023 ? (n & ~1023) + 1024 : n``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kernlint.analysis.coverage import conjuncts, multiple
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import BLOCK_DIM, THREAD, Symbol, Term, negate, plain, substitute, symbols
from kernlint.tree.types import IntType

MOST = 64
"""Facts beyond which a size that is chosen is not taken apart."""


def whole_rounds(test: Term, views: Sequence[LaunchView]) -> bool:
    """Whether in every launch in sight all threads of a block are on the same side of a comparison: what stands beside
    the number of the thread in its block is a multiple of the number of threads."""
    if not views or test.op not in ("lt", "le") or not all(isinstance(arg.type, IntType) for arg in test.args):
        return False
    apart = polynomial(plain(test.args[0])) - polynomial(plain(test.args[1]))
    if apart.coefficients.get((THREAD[0].term,)) != (1 if test.op == "lt" else -1):
        return False
    return all(
        view.fact.block is not None
        and _whole(
            apart, test.op == "lt", view, view.fact.block, [p for check in view.checks for p in conjuncts(check)]
        )
        for view in views
    )


def _whole(apart: Polynomial, first: bool, view: LaunchView, block: Sequence[Term], facts: Sequence[Term]) -> bool:
    sizes = [_chosen(size, facts) for size in block]
    for axis, size in enumerate(sizes):
        if size.op == "select":
            asked, yes, no = size.args
            ways = ((yes, conjuncts(asked)), (no, (negate(asked),)))
            return len(facts) < MOST and all(
                _whole(apart, first, view, (*sizes[:axis], one, *sizes[axis + 1 :]), (*facts, *more))
                for one, more in ways
            )
    given: dict[Symbol, Term] = {**dict(view.images), **dict(zip(BLOCK_DIM, sizes, strict=True))}
    rest, threads = dict(apart.coefficients), number(1 if first else -1)
    unit = number(1)
    for axis in range(3):  # the number of the thread, as far as the comparison goes
        for mono, value in (polynomial(THREAD[axis].term) * threads).coefficients.items():
            if rest.get(mono) == value:
                del rest[mono]
                threads = threads * polynomial(BLOCK_DIM[axis].term)
                unit = unit * polynomial(plain(sizes[axis]))
    if any(symbol in THREAD for mono in rest for atom in mono for symbol in symbols(atom)):
        return False
    counted = next(iter(threads.coefficients))
    left = {mono: value for mono, value in rest.items() if not set(counted) <= set(mono)}
    return multiple(substitute(term_of(Polynomial(left)), given), unit, facts)


def _chosen(size: Term, facts: Iterable[Term]) -> Term:
    """A size that checks of the host have decided about: ``c > 512 ? 512 : c`` where ``c > 512``."""
    known = set(facts)
    size = plain(size)
    while size.op == "select":
        asked = list(conjuncts(size.args[0]))
        if all(part in known for part in asked):
            size = plain(size.args[1])
        elif len(asked) == 1 and negate(asked[0]) in known:
            size = plain(size.args[2])
        else:
            break
    return size
