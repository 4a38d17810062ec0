"""Loops in which the block goes round as a whole, by the sizes of the launches in sight.

``for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)`` ends for all threads of a block
in the same round where n is a multiple of the block: one of ``channels`` threads for ``batch * heads * channels``
elements, one of 512 where the host has checked that ``channels`` is a multiple of that, one for an end that is rounded
up to whole blocks (``n & 1023 ? (n & ~1023) + 1024 : n``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import BLOCK_DIM, THREAD, Symbol, Term, negate, plain, substitute, symbols
from kernlint.tree.types import IntType

DEPTH = 6
"""Choices within choices that are looked into."""

MOST = 64
"""Facts beyond which a size that is chosen is not taken apart."""

Monomial = tuple[Term, ...]


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
    return _multiple(substitute(term_of(Polynomial(left)), given), unit, facts, DEPTH)


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


def _multiple(term: Term, unit: Polynomial, facts: Sequence[Term], depth: int) -> bool:
    """Whether a term is a multiple of a number, or of a product of sizes, where ``facts`` hold."""
    if len(unit.coefficients) != 1:
        return False
    ((factors, times),) = unit.coefficients.items()
    return all(
        _of(mono, value, factors, times, facts, depth) for mono, value in polynomial(plain(term)).coefficients.items()
    )


def _of(mono: Monomial, value: int, factors: Monomial, times: int, facts: Sequence[Term], depth: int) -> bool:
    left = [*mono]
    for factor in factors:
        if factor not in left:
            return any(
                _multiple(part, Polynomial({factors: times}), facts, depth - 1)
                for atom in mono
                if depth and (part := plain(atom)) not in mono
            ) or any(_choice(atom, factors, times, facts, depth) for atom in mono)
        left.remove(factor)
    if value % times == 0:
        return True
    whole = Polynomial({(): times})
    return any(_known(atom, times, facts) or _choice(atom, (), times, facts, depth) for atom in left) or any(
        depth and plain(atom) is not atom and _multiple(plain(atom), whole, facts, depth - 1) for atom in left
    )


def _choice(atom: Term, factors: Monomial, times: int, facts: Sequence[Term], depth: int) -> bool:
    """Whether each way that a choice may go is a multiple."""
    unit, part = Polynomial({factors: times}), plain(atom)
    if not depth:
        return False
    if part.op == "select":
        asked, yes, no = part.args
        ways = ((yes, (*facts, *conjuncts(asked))), (no, (*facts, negate(asked))))
        return all(_multiple(one, unit, known, depth - 1) for one, known in ways)
    if part.op in ("min", "max"):
        return all(_multiple(one, unit, facts, depth - 1) for one in part.args)
    return False


def _known(atom: Term, times: int, facts: Sequence[Term]) -> bool:
    """Whether a value has its low bits masked out, or was asked to be a multiple of a number."""
    part = plain(atom)
    if part.op == "and":
        mask = next((arg.value for arg in part.args if arg.value is not None), None)
        if mask is not None and times & (times - 1) == 0 and mask % times == 0:
            return True
    for fact in facts:
        if fact.op != "eq":
            continue
        for rest, none in (fact.args, fact.args[::-1]):
            rest = plain(rest)
            if none.value != 0 or rest.op not in ("mod", "and"):
                continue
            of, by = rest.args
            step = (by.value or 0) + (rest.op == "and")
            power = rest.op == "mod" or step & (step - 1) == 0
            if plain(of) == part and step and power and step % times == 0:
                return True
    return False
