"""What tests for the margins of a range say of the sizes in them: ``x < left || x >= n - right``.

Were the margins to overlap, the test would hold for any ``x`` and ask nothing.  Where threads meet only then, nobody
has written a race.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.trace.events import Trace, each_guard
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, binary
from kernlint.tree.types import BOOL, IntType

_PLACES = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM})
_SIZES = frozenset({SymbolKind.PARAM, SymbolKind.TEMPLATE})


NARROW = 32
"""The value of an argument that says how wide a margin is: less than any size."""


def margins(of: Trace) -> Iterator[tuple[Term, frozenset[Symbol]]]:
    """That margins of one range, at its two ends, do not overlap; and how wide these are."""
    for guard in each_guard(of.accesses):
        for part in conjuncts(guard.term):
            if part.op == "lor":
                ends = [list(_ends(one)) for one in _alternatives(part)]
                for at, mine in enumerate(ends):
                    for others in ends[at + 1 :]:
                        yield from _apart(mine, others)


def _alternatives(term: Term) -> tuple[Term, ...]:
    if term.op == "lor":
        return _alternatives(term.args[0]) + _alternatives(term.args[1])
    return (term,)


_End = tuple[Polynomial, Polynomial, bool]
"""A place in the grid, the size that a margin reaches to, and whether the margin lies before it."""


def _ends(alternative: Term) -> Iterator[_End]:
    for part in conjuncts(alternative):
        if part.op not in ("lt", "le") or not all(isinstance(arg.type, IntType) for arg in part.args):
            continue
        left, right = map(polynomial, part.args)
        more = number(int(part.op == "le"))
        if _made_of(left, _PLACES) and _made_of(right, _SIZES):
            yield left, right + more, True  # the first one that is not in the margin
        elif _made_of(right, _PLACES) and _made_of(left, _SIZES):
            yield right, left - more, False  # the last one that is not


def _made_of(form: Polynomial, kinds: frozenset[SymbolKind]) -> bool:
    found = {symbol.kind for atom in form.atoms for symbol in atom.symbols}
    return bool(found) and found <= kinds


def _apart(mine: list[_End], others: list[_End]) -> Iterator[tuple[Term, frozenset[Symbol]]]:
    for place, end, before in mine:
        for other, limit, behind in others:
            if place == other and before is not behind:
                first, last = (end, limit) if before else (limit, end)
                room = (last - first).coefficients.items()
                single = (mono[0].symbol for mono, value in room if len(mono) == 1 and value < 0)
                wide = frozenset(symbol for symbol in single if symbol is not None)
                yield binary("le", term_of(first), term_of(last), BOOL), wide
