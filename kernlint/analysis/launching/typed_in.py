"""Numbers that somebody types in: what the text of an argument or a setting says, ``atoi(argv[1])``.

A program has to do with any of them, as far as it checks nothing: each is a variable of the host of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from kernlint.symbolic.terms import Symbol, SymbolKind, Term, Uniformity, subterms
from kernlint.text.patterns import pattern
from kernlint.tree.types import IntType

_READS = pattern(r"(?:std::)?(?:ato(?:i|l|ll)|strto(?:l|ll|ul|ull)|sto(?:i|l|ll|ul|ull))")
"""C17 7.22.1, C++20 [string.conversions]: what makes numbers of texts."""


def typed_in(terms: Iterable[Term]) -> dict[Term, Term]:
    """The numbers of this kind in ``terms``, each with a variable for it."""
    calls = dict.fromkeys(part for term in terms for part in subterms(term) if part.op == "call" and _reads(part))
    return {call: _variable(call) for call in calls}


def _reads(call: Term) -> bool:
    return isinstance(call.type, IntType) and _READS.fullmatch(str(call.args[0]).partition("@")[0]) is not None


TYPED = "typed in"
"""The reason of such a variable: nobody types in sizes of a few elements, other than to see what happens."""


@lru_cache(maxsize=256)
def _variable(call: Term) -> Term:
    name = str(call.args[0]).partition("@")[0]
    return Symbol(SymbolKind.PARAM, f"{name}()", call.type, uniformity=Uniformity.GRID, reason=TYPED).term
