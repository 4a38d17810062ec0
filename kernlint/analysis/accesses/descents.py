"""Loop variables without a closed form that only get less: ``while (c > 1) { ...; c -= c / 2; }``.

However many rounds were made, such a variable is no more than what it began with.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from kernlint.analysis.trace.events import LoopContext
from kernlint.prove.cases import conjuncts
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, binary, plain
from kernlint.tree.types import BOOL, IntType


def no_more_than_first(terms: Iterable[Term]) -> list[Term]:
    """What holds of the loop variables in ``terms`` that only get less: none is more than it was at first."""
    found = dict.fromkeys(s for term in terms for s in term.symbols if s.kind is SymbolKind.PHI and _descends(s))
    return [binary("le", one.term, one.init, BOOL) for one in found if one.init is not None]


@lru_cache(maxsize=1 << 10)
def _descends(phi: Symbol) -> bool:
    loop = phi.origin
    if not isinstance(phi.type, IntType) or phi.init is None or phi.init.type != phi.type or phi.step is None:
        return False
    if not isinstance(loop, LoopContext) or loop.condition is None or loop.post_tested:
        return False
    return any(_above_zero(part, phi) for part in conjuncts(loop.condition)) and _less(plain(phi.step), phi)


def _above_zero(part: Term, phi: Symbol) -> bool:
    """Whether a condition says that a variable is more than 0."""
    least = part.args[0].value if part.op in ("lt", "le") and plain(part.args[1]) is phi.term else None
    return least is not None and least >= (0 if part.op == "lt" else 1)


def _less(step: Term, phi: Symbol) -> bool:
    """Whether a round makes no more of a variable above 0 than it was: a part of it, rounded up or down, or what is
    left without such a part."""
    if _is_part(step, phi):
        return True
    form = polynomial(step).coefficients
    taken = [(mono, by) for mono, by in form.items() if mono != (phi.term,)]
    if form.get((phi.term,)) != 1 or len(taken) != 1:
        return False
    (mono, by) = taken[0]
    return by == -1 and len(mono) == 1 and _is_part(mono[0], phi)


def _is_part(term: Term, phi: Symbol) -> bool:
    term = plain(term)
    by = term.args[1].value if term.op in ("div", "shr") else None
    if by is None or by < 1:
        return False
    whole = polynomial(term.args[0]).coefficients
    divisor = by if term.op == "div" else 1 << min(by, 31)
    return whole.keys() <= {(phi.term,), ()} and whole.get((phi.term,)) == 1 and 0 <= whole.get((), 0) < divisor
