"""Over which threads the value of a term is the same.

A term is as uniform as its least uniform symbol, except where arithmetic on the thread index makes it the same for
all lanes of a warp: ``tid.x / 32``, ``tid.x >> 5``, ``tid.x < 64``.  That rests on warps being runs of consecutive
``tid.x``, as they are when the block's x size is a multiple of the warp size or the block is one-dimensional.
Temporal divergence (a variable read after a loop that threads leave at different times) is in the TRIPS symbols,
whose uniformity is that of the loop's conditions; the model is LLVM's UniformityAnalysis.
"""

from __future__ import annotations

from collections.abc import Callable

from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, Uniformity, plain, substitute, symbols
from kernlint.tree.types import IntType

WARP = 32
"""Multiples of this many consecutive threads are whole warps everywhere but on 64-lane AMD hardware, where
they are halves of one."""


def uniformity(term: Term, memo: dict[Term, Uniformity] | None = None) -> Uniformity:
    """The uniformity of ``term`` given those of its symbols: an upper bound of how much it varies.

    ``memo`` may be shared by calls for as long as no symbol's uniformity changes.
    """
    most = max((symbol.uniformity for symbol in term.symbols), default=Uniformity.GRID)
    return most if most is not Uniformity.VARYING else _level(term, {} if memo is None else memo, _possible)


def variation(term: Term, memo: dict[Term, Uniformity] | None = None) -> Uniformity:
    """How much ``term`` is *known* to vary: as :func:`uniformity`, but what is not understood counts as uniform.

    A rule that reports disagreement between threads asks this; one that argues from agreement asks the other.
    """
    return _level(term, {} if memo is None else memo, _certain)


def _possible(symbol: Symbol) -> Uniformity:
    return symbol.uniformity


def _certain(symbol: Symbol) -> Uniformity:
    return symbol.surely


def _level(term: Term, memo: dict[Term, Uniformity], leaf: Callable[[Symbol], Uniformity]) -> Uniformity:
    known = memo.get(term)
    if known is None:
        known = memo[term] = _compute(term, memo, leaf)
    return known


def _compute(term: Term, memo: dict[Term, Uniformity], leaf: Callable[[Symbol], Uniformity]) -> Uniformity:
    if term.op == "const":
        return Uniformity.GRID
    if term.op == "sym":
        return leaf(term.args[0])
    worst = Uniformity.GRID
    for arg in _telling(term) if leaf is _certain else term.terms:
        level = _level(arg, memo, leaf)
        if level > worst:
            worst = level
    if worst is Uniformity.VARYING and term.op == "div" and (number := _whole_blocks(*term.args)) is not None:
        return _level(number, memo, leaf)
    if worst is Uniformity.VARYING and _whole_warps(term):
        return Uniformity.WARP
    if worst is Uniformity.VARYING and term.op in ("lt", "le", "eq", "ne"):
        return _as_begun(term, memo, leaf)
    return worst


def _as_begun(test: Term, memo: dict[Term, Uniformity], leaf: Callable[[Symbol], Uniformity]) -> Uniformity:
    """The uniformity of a comparison in a loop: what moves on by the same for all threads in each round is as far from
    its end as it was at the start (``for (n = group; n < items + group; n += step)``)."""
    moving = [one for one in symbols(test) if one.kind is SymbolKind.PHI and one.init is not None]
    if not moving or not all(isinstance(side.type, IntType) and side.type.signed for side in test.args):
        return Uniformity.VARYING
    memo[test] = Uniformity.VARYING  # (where the step of a variable asks the same of it)
    begun: dict[Symbol, Term] = {}
    for one in moving:
        step = polynomial(one.step) - polynomial(one.term) if one.step is not None else None
        if step is None or any(_level(atom, memo, leaf) > Uniformity.BLOCK for atom in step.atoms):
            return Uniformity.VARYING
        assert one.init is not None
        begun[one] = one.init
    left = polynomial(substitute(test.args[0], begun)) - polynomial(substitute(test.args[1], begun))
    return max((_level(atom, memo, leaf) for atom in left.atoms), default=Uniformity.GRID)


def _telling(term: Term) -> tuple[Term, ...]:
    """The arguments whose variation makes that of ``term`` known.

    What a function that nobody has seen makes of its arguments is not known.  A variable after a loop without a closed
    form varies as it does in the loop; that threads leave it in different rounds need not change it, and where one
    value of several is left that says itself so (``after1.exits``).  Which of two values a thread takes tells nothing
    where one of them is not understood: they may be equal.
    """
    if term.op == "select" and any(map(_not_understood, term.args[1:])):
        return term.args[1:]
    name = term.args[0] if term.op == "call" else ""
    if "@" in name:
        return ()
    if name.startswith("after") and not name.endswith(".exits"):
        return term.terms[:1]
    return term.terms


def _not_understood(term: Term) -> bool:
    """Whether a value may be one of which nothing is known."""
    if term.op == "select":
        return any(map(_not_understood, term.args[1:]))
    symbol = term.symbol
    return symbol is not None and symbol.kind is SymbolKind.UNKNOWN and symbol.origin is None


def _whole_blocks(index: Term, size: Term) -> Term | None:
    """``k`` of ``(k * blockDim.x + threadIdx.x) / blockDim.x``: a thread's index is below the size of its block."""
    size, index = plain(size), plain(index)
    if size.symbol is None or size.symbol.kind is not SymbolKind.BLOCK_DIM or index.op != "add":
        return None
    for one, other in (index.args, index.args[::-1]):
        thread, part = plain(one).symbol, plain(other)
        if thread is None or thread.kind is not SymbolKind.THREAD or thread.axis != size.symbol.axis:
            continue
        for factor, number in (part.args, part.args[::-1]) if part.op == "mul" else ():
            if plain(factor) is size:
                return number  # type: ignore[no-any-return]
    return None


def _whole_warps(term: Term) -> bool:
    """Whether the operation forgets which lane of its warp a thread is."""
    if term.op == "div":
        divisor = term.args[1].value
        return divisor is not None and divisor > 0 and divisor % WARP == 0 and _lane_runs(term.args[0])
    if term.op == "shr":
        count = term.args[1].value
        return count is not None and count >= 5 and _lane_runs(term.args[0])
    if term.op == "lt":
        left, right = term.args
        if right.value is not None:
            return right.value % WARP == 0 and _lane_runs(left)
        if left.value is not None:
            return (left.value + 1) % WARP == 0 and _lane_runs(right)
    if term.op == "le":
        left, right = term.args
        if left.value is not None:
            return left.value % WARP == 0 and _lane_runs(right)
        if right.value is not None:
            return (right.value + 1) % WARP == 0 and _lane_runs(left)
    if term.op == "and" and term.args[1].value is not None:
        return bool(term.args[1].value % WARP == 0) and _lane_runs(term.args[0])
    return False


def _lane_runs(term: Term) -> bool:
    """Whether the value is ``WARP * (warp-uniform) + lane``: consecutive in a warp from a multiple of 32."""
    while term.op == "cast" and isinstance(term.type, IntType) and term.type.bits >= 16:
        term = term.args[0]
    if term.op == "sym":
        return term.args[0].kind is SymbolKind.THREAD and term.args[0].axis == 0
    if term.op == "add":
        for one, other in (term.args, term.args[::-1]):
            if _lane_runs(one) and _multiple(other):
                return True
    return False


def _multiple(term: Term) -> bool:
    """Whether a warp-uniform value is a multiple of the warp size for every usual block (``k * blockDim.x``)."""
    term = plain(term)
    if term.value is not None:
        return term.value % WARP == 0
    if term.op == "mul" and uniformity(term) <= Uniformity.BLOCK:
        return any(_multiple(arg) for arg in term.args)
    if term.op == "mul":
        return any(_whole_axis(arg) for arg in term.args)
    return _whole_axis(term)


def _whole_axis(term: Term) -> bool:
    term = plain(term)
    return term.op == "sym" and term.args[0].kind is SymbolKind.BLOCK_DIM and term.args[0].axis == 0
